"""Rows of the catalogue: what can go wrong or be remarked while kernels are compiled and run."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

RUNTIME_ROWS: tuple[Row, ...] = (
    Row(
        "max-versions", RuntimeError,
        "`{kernel}` has {count} versions, its limit; {component} keeps changing",
        "Each combination of what a version depends on is compiled by itself. In strict mode more than `max_versions` of them "
        "are an error, "
        "because each call might compile again.",
        "@stax.kernel(max_versions=2, strict=True)\ndef f(x, axis):\n    return x.sum(axis=axis)\nx = np.ones((2, 2, 2))\n"
        "for axis in range(3):\n    f(x, axis)",
        "@stax.kernel(max_versions=3, strict=True)\ndef f(x, axis):\n    return x.sum(axis=axis)\nx = np.ones((2, 2, 2))\n"
        "for axis in range(3):\n    f(x, axis)",
        "keep {component} fixed, make it an array, or raise `max_versions`",
    ),
    Row(
        "version-dropped", RuntimeError,
        "`{kernel}` has reached {count} versions; the least recently used one was dropped. {component} keeps changing",
        "Outside strict mode the limit drops old versions; calls stay right, but may compile again.",
        "@stax.kernel(max_versions=1)\ndef f(x, axis):\n    return x.sum(axis=axis)\nf(np.ones((2, 2)), 0)\n"
        "f(np.ones((2, 2)), 1)",
        "@stax.kernel\ndef f(x, axis):\n    return x.sum(axis=axis)\nf(np.ones((2, 2)), 0)\nf(np.ones((2, 2)), 1)",
        "keep {component} fixed, make it an array, or raise `max_versions`",
        severity="warning",
    ),
    Row(
        "fallback-route", RuntimeError,
        "`{kernel}` runs under NumPy for these arguments: there is no compiled version to look at",
        "The kernel has `fallback=\"numpy\"`, and these arguments could not be compiled. The warning of the first such call says why.",
        "import random\n@stax.kernel(fallback='numpy')\ndef f(x):\n    return x * random.random()\nf.explain(np.ones(3))",
        "@stax.kernel\ndef f(x, k):\n    return x * k\nf.explain(np.ones(3), 0.5)",
        "leave the option out to see the error",
    ),
    Row(
        "max-compilations", RuntimeError,
        "this process has compiled {count} programs, its limit",
        "The limit catches programs that compile without end. `kernel.explain_misses()` says what keeps changing.",
        "# STAX_MAX_COMPILATIONS=1, then two kernels are called",
        "# the limit is raised, or fewer versions are asked for",
        "raise the setting `max_compilations`",
        runs=False,
    ),
    Row(
        "fallback-numpy", RuntimeError,
        "`{kernel}` runs under NumPy: {reason}",
        "It was asked for by `fallback=\"numpy\"`, and says so each time a version cannot be compiled.",
        "import random\n@stax.kernel(fallback='numpy')\ndef f(x):\n    return x * random.random()\nf(np.ones(3))",
        "@stax.kernel\ndef f(x, k):\n    return x * k\nf(np.ones(3), 0.5)",
        severity="warning",
    ),
    Row(
        "index-out-of-range-at-run", IndexError,
        "index {index} is out of range for axis {axis} of extent {extent}, in `{expression}`",
        "The index came from data. Nothing was written: indices are tested before the loop runs.",
        "@stax.kernel\ndef f(x, k):\n    return np.take(x, k)\nf(np.ones(3), np.array([5]))",
        "@stax.kernel\ndef f(x, k):\n    return np.take(x, k)\nf(np.ones(3), np.array([2]))",
    ),
    Row(
        "not-finite", FloatingPointError,
        "NaN or infinity comes of finite numbers in `{expression}`",
        "In checked mode each operation on floats that the function writes is tested; nothing was written. What stands under "
        "`with np.errstate(...)` is not, nor is the inside of library functions.",
        "@stax.kernel(checked=True)\ndef f(x):\n    return np.log(x)\nf(np.zeros(3))",
        "@stax.kernel(checked=True)\ndef f(x):\n    return np.log(x + 1)\nf(np.zeros(3))",
        "keep the operands where the operation is defined, or put the statement under `with np.errstate(all=\"ignore\")`",
    ),
    Row(
        "compilation-failed", RuntimeError,
        "`{kernel}` could not be compiled: {reason}",
        "The compiler itself failed. This is a defect of Stax; the text says where.",
        "# a defect of the compiler",
        "# none",
        "please report it with the output of `{kernel}.show(\"graph\")`; `engine=\"reference\"` runs it meanwhile",
        runs=False,
    ),
    Row(
        "cache-unwritable", RuntimeError,
        "the cache folder {path} cannot be written to: {reason}",
        "Programs are compiled in each process again.",
        "# STAX_CACHE_DIR names a folder without write permission",
        "# STAX_CACHE_DIR names a folder of one's own, or STAX_CACHE=0",
        "set STAX_CACHE_DIR to a folder of your own, or STAX_CACHE=0",
        severity="warning",
        runs=False,
    ),
    Row(
        "bad-environment", ValueError,
        "{reason}",
        "A STAX_ variable holds what its setting cannot take.",
        "# STAX_THREADS=many",
        "# STAX_THREADS=4",
        runs=False,
    ),
    Row(
        "bad-threads", ValueError,
        "the number of threads must be a positive integer, not {given}",
        "0 in the environment means: as many as the process may use.",
        "stax.set_num_threads(-1)",
        "stax.set_num_threads(1)",
    ),
    Row(
        "engine-unavailable", RuntimeError,
        "the engine `{engine}` cannot run here: {reason}",
        "The engine is not known, or this machine or installation lacks what it needs.",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.lower(stax.spec((3,), np.float64)).compile('cuda')",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf.lower(stax.spec((3,), np.float64)).compile('cpu')",
    ),
    Row(
        "out-of-memory", MemoryError,
        "{bytes} bytes for {what} could not be allocated",
        "Results and temporaries are allocated before the program runs; nothing was changed.",
        "@stax.kernel\ndef f(n):\n    return np.zeros(n)\nf(10**17)",
        "@stax.kernel\ndef f(n):\n    return np.zeros(n)\nf(10**3)",
        "work on parts of the arrays, one after the other; `kernel.explain` tells what a smaller call needs",
    ),
    Row(
        "missing-package", ImportError,
        "{what} needs the package {package}",
        "Optional packages are only imported where they are used.",
        "# bf16 arrays without ml_dtypes",
        "# pip install ml_dtypes",
        "install it with `pip install {package}`",
        runs=False,
    ),
    Row(
        "native-entry-off", RuntimeError,
        "the native entry does not fit this Python or NumPy ({reason}); calls go through Python",
        "The layout of array objects is verified at import. Results are the same, calls cost more.",
        "# an unknown build of CPython",
        "# a released one",
        severity="warning",
        runs=False,
    ),
)  # fmt: skip
