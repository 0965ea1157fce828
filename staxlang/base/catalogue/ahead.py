"""Rows of the catalogue: what can go wrong when kernels are built ahead of time."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

AHEAD_ROWS: tuple[Row, ...] = (
    Row(
        "not-buildable", ValueError,
        "`{kernel}` cannot be built ahead of time: {what}",
        "A library for C has no Python inside: all that a function reads are its arguments, and which program runs may depend on their "
        "sizes, not on their contents.",
        "table = np.arange(4.0)\n@stax.kernel\ndef f(x):\n    return x + table\n"
        "stax.build(f, 'libf.so', specs={'f': (stax.spec((4,), np.float64),)})",
        "import os, tempfile\n@stax.kernel\ndef f(x, table):\n    return x + table\nfour = stax.spec((4,), np.float64)\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    stax.build(f, os.path.join(folder, 'libf.so'), specs={'f': (four, four)})",
        "{help}",
    ),
    Row(
        "unknown-target", ValueError,
        "there is no target or processor feature `{name}`",
        "A target says which instructions the code may use: those of this machine, or those that all machines of a level have.",
        "@stax.kernel\ndef f(x):\n    return x + 1\n"
        "stax.build(f, 'libf.so', specs={'f': (stax.spec((4,), np.float64),)}, target='avx9')",
        "import os, tempfile\n@stax.kernel\ndef f(x):\n    return x + 1\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    stax.build(f, os.path.join(folder, 'libf.so'), specs={'f': (stax.spec((4,), np.float64),)})",
        "targets are {known}; features, alone or behind a level, are {features}",
    ),
    Row(
        "spec-of-no-kernel", ValueError,
        "specs are given for `{name}`, which is none of the kernels to build",
        "`specs` has an entry for each kernel whose parameters' types its annotations do not say.",
        "@stax.kernel\ndef f(x):\n    return x + 1\nstax.build(f, 'libf.so', specs={'g': (stax.spec((4,), np.float64),)})",
        "import os, tempfile\n@stax.kernel\ndef f(x):\n    return x + 1\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    stax.build(f, os.path.join(folder, 'libf.so'), specs={'f': (stax.spec((4,), np.float64),)})",
        "the kernels are {known}",
    ),
    Row(
        "linking-failed", RuntimeError,
        "the linker failed: {command} ...\n{output}",
        "The system's linker could not make a shared library of the object files that were compiled.",
        "# a linker that has no room to write",
        "# room on the disk, or an output that ends in `.o`",
        "check that there is room and permission to write there; an output that ends in `.o` needs no linker",
        runs=False,
    ),
)
