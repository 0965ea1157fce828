"""Rows of the catalogue: .stx files, what they import from each other, and facts in their headers."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

MODULE_ROWS: tuple[Row, ...] = (
    Row(
        "file-not-found", FileNotFoundError,
        "there is no file `{path}`",
        "The path is taken from the current folder where it is not absolute.",
        "stax.load('blokcs.stx')",
        "stax.load('blocks.stx')",
        runs=False,
    ),
    Row(
        "file-unreadable", OSError,
        "`{path}` cannot be read: {reason}",
        "A .stx file is UTF-8 text that the process may read.",
        "stax.load('/tmp')",
        "stax.load('blocks.stx')",
        runs=False,
    ),
    Row(
        "module-not-found", ModuleNotFoundError,
        "there is no module `{name}`",
        "An import names a .stx file in the folder of the file, in the project's root (the folder with pyproject.toml or .git), or of the "
        "standard library. A leading dot looks in the folder of the file only.",
        "stax.load_text('from nnn import gelu\\n')",
        "stax.load_text('from nn import gelu\\n')",
    ),
    Row(
        "import-of-python", ImportError,
        "`{name}` cannot be imported into a .stx file: {what}",
        "A .stx file has no Python in it, so that it can be compiled ahead of time and used without it. NumPy's functions (exp, sum, "
        "where, ..) are words of .stx and need no import.",
        "stax.load_text('from numpy import exp\\n\\nkernel f(x):\\n    return exp(x)\\n')",
        "stax.load_text('kernel f(x):\\n    return exp(x)\\n')",
        "write the function in .stx; what NumPy has needs no import; a Python function can be passed to a kernel as an argument",
    ),
    Row(
        "import-cycle", ImportError,
        "modules import each other in a circle: {chain}",
        "A file is read when its imports have been; in a circle none could be the first.",
        "# a.stx holds `from b import f`, b.stx holds `from a import g`\nstax.load('a.stx')",
        "# what both need stands in c.stx\nstax.load('a.stx')",
        "move what both need into a file of its own",
        runs=False,
    ),
    Row(
        "not-in-module", ImportError,
        "the module `{module}` has no `{name}`",
        "`from m import f` names a kernel, a const or an import of the file `m.stx`.",
        "stax.load_text('from nn import gleu\\n')",
        "stax.load_text('from nn import gelu\\n')",
    ),
    Row(
        "private-name", ImportError,
        "`{name}` is private to the module `{module}`",
        "A `def` is seen in its own file only; a `kernel` can be called from Python and imported by other files.",
        "# blocks.stx holds `def half(x): ..`\nstax.load_text('from blocks import half\\n')",
        "# blocks.stx holds `kernel half(x): ..`\nstax.load_text('from blocks import half\\n')",
        "make it a `kernel`",
        runs=False,
    ),
    Row(
        "defined-twice", SyntaxError,
        "`{name}` is defined twice",
        "Names of a .stx file do not change: each has one definition, or one import.",
        "stax.load_text('const width = 3\\nconst width = 4\\n')",
        "stax.load_text('const width = 3\\nconst height = 4\\n')",
    ),
    Row(
        "not-constant", TypeError,
        "a const must be known when the file is read: {what}",
        "A const is a number, a text, a function, or a tuple, list or dict of such, computed from the consts above it. Arrays are made in "
        "a kernel.",
        "stax.load_text('const taps = zeros(3)\\n')",
        "stax.load_text('const taps = [0.0, 0.0, 0.0]\\n')",
        "write a list, and `array(..)` in the kernel",
    ),
    Row(
        "broken-fact", ValueError,
        "the call does not meet `where {fact}` of `{function}`",
        "What a header says about sizes after `where` is used to compile the kernel, and is tested at its entry.",
        "m = stax.load_text('kernel f(x: T[N]) where N > 2:\\n    return x[1:] - x[:-1]\\n')\nm.f(np.ones(2))",
        "m = stax.load_text('kernel f(x: T[N]) where N > 2:\\n    return x[1:] - x[:-1]\\n')\nm.f(np.ones(3))",
    ),
    Row(
        "no-python-function", TypeError,
        "`{kernel}` is a .stx kernel: the option `{option}` needs a Python function",
        "`fallback=\"numpy\"` runs the function that the kernel was made of; a definition in a .stx file has none.",
        "stax.load_text('kernel f(x):\\n    return x\\n', fallback='numpy')",
        "stax.load_text('kernel f(x):\\n    return x\\n')",
    ),
)  # fmt: skip
