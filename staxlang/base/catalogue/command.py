"""Rows of the catalogue: the command `stax` and what is given to it."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

COMMAND_ROWS: tuple[Row, ...] = (
    Row(
        "malformed-argument", ValueError,
        "`{option} {text}` cannot be read: {reason}",
        "An argument is a name, `=`, and a file (.npy, .npz, .csv), a number, a text in quotes, a list or a dtype; a random array is a "
        "dtype with its sizes in brackets.",
        "stax run blur.stx blur --arg x",
        "stax run blur.stx blur --arg x=image.npy",
        "write `--arg x=image.npy`, `--arg x=data.npz:image`, `--arg n=3`, `--arg w=[1,2,1]` or `--random x=f32[512,512]`",
        runs=False,
    ),
    Row(
        "unknown-parameter", TypeError,
        "the kernel `{kernel}` has no parameter `{name}`",
        "Arguments are given by the names of the kernel's parameters.",
        "stax run blur.stx blur --arg y=image.npy",
        "stax run blur.stx blur --arg x=image.npy",
        runs=False,
    ),
    Row(
        "no-such-kernel", LookupError,
        "`{file}` has no kernel `{name}`",
        "The second word is the name of a `kernel` of the file.",
        "stax run blur.stx blurr --arg x=image.npy",
        "stax run blur.stx blur --arg x=image.npy",
        runs=False,
    ),
    Row(
        "unreadable-array", ValueError,
        "`{path}` holds no array that can be read: {reason}",
        "Arrays are read from .npy files, from members of .npz files and from .csv files of numbers. Files of pickled Python objects are "
        "refused: reading them would run code.",
        "stax run blur.stx blur --arg x=image.png",
        "stax run blur.stx blur --arg x=image.npy",
        runs=False,
    ),
    Row(
        "file-unwritable", OSError,
        "`{path}` cannot be written: {reason}",
        "The folder exists and may be written to; results go to .npy, .npz or .csv files.",
        "stax run blur.stx blur --arg x=image.npy --out nowhere/y.npy",
        "stax run blur.stx blur --arg x=image.npy --out y.npy",
        runs=False,
    ),
    Row(
        "too-many-outputs", ValueError,
        "the kernel `{kernel}` gives {given}; `--out` names {named}",
        "Each `--out` takes one result in order; a .npz file takes all of them.",
        "stax run blur.stx blur --arg x=image.npy --out y.npy --out z.npy",
        "stax run blur.stx blur --arg x=image.npy --out y.npy",
        runs=False,
    ),
)  # fmt: skip
