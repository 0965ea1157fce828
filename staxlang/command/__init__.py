"""The command `stax`: one file for each of its subcommands, around what the runtime does."""
