"""Rows of the catalogue: use of the API - kernels, options, arguments."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

API_ROWS: tuple[Row, ...] = (
    Row(
        "not-a-function", TypeError,
        "`{operation}` needs a Python function, not {given}",
        "Kernels are made of functions defined with `def` or `lambda`.",
        "stax.kernel(3)",
        "stax.kernel(lambda x: x + 1)",
    ),
    Row(
        "unknown-option", TypeError,
        "`{operation}` has no option `{name}`",
        "Options are checked when the kernel is made, so that a slip is not ignored.",
        "@stax.kernel(fastmath=True)\ndef f(x):\n    return x",
        "@stax.kernel(fast_math=True)\ndef f(x):\n    return x",
    ),
    Row(
        "bad-option", ValueError,
        "the option `{name}` of `{operation}` must be {expected}, not {given}",
        "The option exists, but does not take this value.",
        "@stax.kernel(fallback='jax')\ndef f(x):\n    return x",
        "@stax.kernel(fallback='numpy')\ndef f(x):\n    return x",
    ),
    Row(
        "option-conflict", ValueError,
        "the options `{left}` and `{right}` contradict each other: {reason}",
        "Contradictory options are refused instead of one of them being ignored.",
        "@stax.kernel(strict=True, fallback='numpy')\ndef f(x):\n    return x",
        "@stax.kernel(fallback='numpy')\ndef f(x):\n    return x",
    ),
    Row(
        "unknown-stage", ValueError,
        "there is no stage `{stage}` to show; stages are {stages}",
        "`kernel.show` prints one stage of a compilation.",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.show('ir', np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.show('graph', np.ones(3))",
    ),
    Row(
        "no-stx-form", TypeError,
        "the kernel `{name}` has no form in .stx: {reason}",
        "`kernel.to_stx()` gives a .stx file that means the same. Such a file has no Python around it: no captured numbers and arrays, "
        "which a kernel reads again at each call, no objects of the user's classes, no functions of Python's modules.",
        "scale = 2.0\n@stax.kernel\ndef f(x):\n    return x * scale\nf.to_stx()",
        "@stax.kernel\ndef f(x, scale):\n    return x * scale\nf.to_stx()",
    ),
    Row(
        "source-unavailable", TypeError,
        "the source of `{name}` cannot be found: {reason}",
        "A kernel is compiled from its text. It is found in files, notebooks, the REPL and texts registered with `linecache`; "
        "functions made "
        "by C code or by `exec` of an unregistered text have none.",
        "space = {}\nexec('def g(x):\\n    return x + 1', space)\nstax.kernel(space['g'])(np.ones(3))",
        "def g(x):\n    return x + 1\nstax.kernel(g)(np.ones(3))",
        "put the function into a file, or register its text with `linecache` before `exec`",
    ),
    Row(
        "source-changed", TypeError,
        "the file of `{name}` has changed since it was imported: its text no longer fits the running code",
        "Line numbers and text belong together. Compiling another text than the one that runs would be a silent error.",
        "# a module is edited after it was imported, then its kernel is called for the first time",
        "# import the module again (importlib.reload), then call the kernel",
        "import the module again",
        runs=False,
    ),
    Row(
        "unsupported-argument", TypeError,
        "{path} is {given}, which a kernel cannot take",
        "Arguments are arrays, numbers, None, strings, functions, and tuples, lists, dicts, dataclasses and named tuples of them.",
        "@stax.kernel\ndef f(x, y):\n    return x\ny = []\ny.append(y)\nf(np.ones(3), y)",
        "@stax.kernel\ndef f(x, y):\n    return x\nf(np.ones(3), None)",
    ),
    Row(
        "unsupported-array", TypeError,
        "{path} is an array of {given}, which a kernel cannot take",
        "Element types are bool, integers, floats and complex numbers in native byte order.",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.array(['a', 'b']))",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.array([1, 2]))",
        "convert it with `.astype(...)` before the call",
    ),
    Row(
        "unsupported-subclass", TypeError,
        "{path} is a {given}, a subclass of ndarray with rules of its own",
        "Matrices, masked arrays and others change what operators mean; compiled code would ignore that.",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.ma.masked_array([1.0, 2.0]))",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.ma.masked_array([1.0, 2.0]).data)",
        "pass `np.asarray({path})`",
    ),
    Row(
        "unsupported-return", TypeError,
        "a kernel cannot return {given}",
        "Results are arrays, numbers, None, and tuples, lists, dicts, dataclasses and named tuples of them.",
        "@stax.kernel\ndef f(x):\n    return lambda: x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.ones(3))",
    ),
    Row(
        "overlapping-arguments", ValueError,
        "{left} and {right} overlap in memory and one of them is written to",
        "An argument that is only read is copied before the program runs. That would be too early where the program reads or returns it "
        "after it has written to the other one.",
        "@stax.kernel\ndef f(x, y):\n    x += 1\n    return x * y\na = np.ones(4)\nf(a[1:], a[:-1])",
        "@stax.kernel\ndef f(x, y):\n    before = y.copy()\n    x += 1\n    return x * before\na = np.ones(4)\nf(a[1:], a[:-1])",
        "read the one before the other is written to, pass a copy, or pass the whole array once and slice it in the kernel",
    ),
    Row(
        "bad-spec", TypeError,
        "{what} cannot be {given}: {reason}",
        "A spec says what an argument will be: `stax.spec(shape, dtype)`, an annotation such as `Tensor[f32, N, 4]` with one dtype and a "
        "known number of axes, an array, a number, or one of `int`, `float` and `complex`.",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.lower(stax.spec((3,), 'f99'))",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.lower(stax.spec((3,), 'f32'))",
    ),
    Row(
        "needs-data", TypeError,
        "{what} decides what the program does, and `lower` has no data to ask",
        "Lowering sees types only. A branch on data is a data gate, which is answered by the arguments of a call.",
        "@stax.kernel\ndef f(x):\n    return x if x.sum() > 0 else -x\nf.lower(stax.spec((3,), np.float64))",
        "@stax.kernel(branches='inside')\ndef f(x):\n    return x if x.sum() > 0 else -x\nf.lower(stax.spec((3,), np.float64))",
        "keep the choice in the program: `stax.cond`, `np.where`, `@stax.kernel(branches=\"inside\")`",
    ),
    Row(
        "needs-value", TypeError,
        "the value of `{path}` decides what the program does ({why}), and its spec says only `{given}`",
        "A number whose value joins the version's key must be given as a value.",
        "@stax.kernel\ndef f(x, k):\n    return x.sum(axis=k)\nf.lower(stax.spec((3, 4), np.float64), int)",
        "@stax.kernel\ndef f(x, k):\n    return x.sum(axis=k)\nf.lower(stax.spec((3, 4), np.float64), 1)",
        "give the number itself in place of its type",
    ),
    Row(
        "lowered-for-others", ValueError,
        "this program was lowered for other arguments: {differences}",
        "A lowered program serves what its specs and guards admit; a call outside of them is not compiled anew.",
        "@stax.kernel\ndef f(x):\n    return x[:4] if x.shape[0] > 4 else x\n"
        "g = f.lower(stax.spec(('N',), np.float64)).compile()\ng(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x[:4] if x.shape[0] > 4 else x\n"
        "g = f.lower(stax.spec(('N',), np.float64)).compile()\ng(np.ones(5))",
        "lower the kernel for these arguments too, or call the kernel itself",
    ),
    Row(
        "unsupported-function", TypeError,
        "`{name}` cannot be a kernel: it is {given}",
        "Kernels are ordinary functions: no generators, coroutines, or classes.",
        "@stax.kernel\nclass P:\n    pass",
        "@stax.kernel\ndef p(x):\n    return x",
    ),
)  # fmt: skip
