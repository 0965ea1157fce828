"""`python -m staxlang`: the command `stax`."""

from staxlang.command.main import main

if __name__ == "__main__":
    raise SystemExit(main())
