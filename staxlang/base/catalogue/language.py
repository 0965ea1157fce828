"""Rows of the catalogue: constructs outside the language, each with what to write instead; syntax."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

LANGUAGE_ROWS: tuple[Row, ...] = (
    Row(
        "unsupported-try", TypeError,
        "`try` cannot be compiled",
        "Compiled code has no exceptions to catch: an error ends the call. Test the condition with `if` or `np.where` before the "
        "operation, or keep the `try` outside the kernel, around the call.",
        "@stax.kernel\ndef f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError:\n        return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return np.where(x != 0, 1 / x, x)\nf(np.ones(3))",
        "test the condition with `if` or `np.where`, or put the `try` around the kernel's call",
    ),
    Row(
        "unsupported-raise", TypeError,
        "`{what}` cannot be compiled: it depends on data, and names no class of a module",
        "A `raise` in a loop or branch that stays in the program becomes a test that the program makes when it runs. What it raises "
        "must be a built-in exception or a class at the top of a module, with its arguments in place.",
        "error = ValueError('negative')\n@stax.kernel(branches='inside')\ndef f(x):\n    if x.sum() < 0:\n        raise error\n"
        "    return x\nf(np.ones(3))",
        "@stax.kernel(branches='inside')\ndef f(x):\n    if x.sum() < 0:\n        raise ValueError('negative')\n    return x\n"
        "f(np.ones(3))",
        "write the exception's class here, `raise ValueError(..)`, or check before the kernel is called",
    ),
    Row(
        "unsupported-yield", TypeError,
        "`yield` cannot be compiled: a kernel returns its results at once",
        "Generators run in pieces; a kernel runs from its first line to its `return`. Collect the pieces in a list or an array and "
        "return it.",
        "def g(x):\n    for k in range(3):\n        yield x + k\n@stax.kernel\ndef f(x):\n    return list(g(x))\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return [x + k for k in range(3)]\nf(np.ones(3))",
        "collect the values in a list, or write them to an array, and return it",
    ),
    Row(
        "unsupported-async", TypeError,
        "`async` and `await` cannot be compiled",
        "A kernel does not wait for anything outside itself. Call it from the coroutine instead.",
        "@stax.kernel\ndef f(x):\n    async def g():\n        return x\n    return x + 1\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf(np.ones(3))",
        "make it an ordinary function and call the kernel from the coroutine",
    ),
    Row(
        "unsupported-global", TypeError,
        "`global` cannot be compiled: a kernel must not rebind a module's names",
        "The rebinding would happen once, when the kernel is compiled, not at each call. Return the value and bind it outside.",
        "count = 0\n@stax.kernel\ndef f(x):\n    global count\n    count = count + 1\n    return x\nf(np.ones(3))",
        "count = 0\n@stax.kernel\ndef f(x, count):\n    return x, count + 1\n_, count = f(np.ones(3), count)",
        "return the new value and assign it where the kernel is called",
    ),
    Row(
        "unsupported-nonlocal", TypeError,
        "`nonlocal` cannot be compiled: an inner function must not rebind an outer one's names",
        "Pass the value in and return the new one.",
        "@stax.kernel\ndef f(x):\n    total = x\n    def add():\n        nonlocal total\n        total = total + 1\n    add()\n"
        "    return total\n"
        "f(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    def add(total):\n        return total + 1\n    return add(x)\nf(np.ones(3))",
        "pass the value as a parameter and return the new one",
    ),
    Row(
        "unsupported-del", TypeError,
        "`del` cannot be compiled",
        "Memory inside a kernel is planned by the compiler: a value's place is free after its last use. Leave the `del` out; to drop an "
        "item of a container, build the container without it.",
        "@stax.kernel\ndef f(x):\n    y = x + 1\n    del x\n    return y\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf(np.ones(3))",
        "leave it out: the compiler reuses a value's memory after its last use",
    ),
    Row(
        "unsupported-class", TypeError,
        "a class cannot be defined inside a kernel",
        "Define the class (a dataclass or a named tuple) at module level; kernels take its objects as arguments, call its methods and "
        "return new ones.",
        "@stax.kernel\ndef f(x):\n    class P:\n        pass\n    return x\nf(np.ones(3))",
        "from typing import NamedTuple\nclass P(NamedTuple):\n    value: object\n@stax.kernel\ndef f(x):\n    return P(x)\nf(np.ones(3))",
        "define it at module level",
    ),
    Row(
        "unsupported-import", TypeError,
        "`import` cannot stand inside a kernel",
        "Imports have effects of their own and would happen once. Put them at the top of the module.",
        "@stax.kernel\ndef f(x):\n    import math\n    return x * math.pi\nf(np.ones(3))",
        "import math\n@stax.kernel\ndef f(x):\n    return x * math.pi\nf(np.ones(3))",
        "move it to the top of the module",
    ),
    Row(
        "unsupported-match", TypeError,
        "this `match` has a pattern that cannot be compiled",
        "Values, names, sequences, classes with attributes, alternatives and guards can. Mappings, positional patterns of other than "
        "built-in classes and alternatives that bind names cannot: write them as `if`/`elif`.",
        "@stax.kernel\ndef f(x, mode):\n    match mode:\n        case {'scale': 2}:\n            return x * 2\n    return x\n"
        "f(np.ones(3), {'scale': 2})",
        "@stax.kernel\ndef f(x, mode):\n    if mode['scale'] == 2:\n        return x * 2\n    return x\nf(np.ones(3), {'scale': 2})",
        "write the cases as `if` and `elif`",
    ),
    Row(
        "unsupported-type-alias", TypeError,
        "a `type` statement cannot stand inside a kernel",
        "Type aliases belong to the module.",
        "# Python 3.12\n@stax.kernel\ndef f(x):\n    type Row = list\n    return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.ones(3))",
        "move it to the top of the module",
        runs=False,
    ),
    Row(
        "unsupported-template-string", TypeError,
        "a template string cannot be compiled",
        "Use an f-string of static values.",
        "# Python 3.14\n@stax.kernel\ndef f(x):\n    name = t'{x}'\n    return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x\nf(np.ones(3))",
        "use an f-string",
        runs=False,
    ),
    Row(
        "unsupported-syntax", TypeError,
        "this cannot be compiled: {what}",
        "The language is a subset of Python; see the language reference for what it holds.",
        "@stax.kernel\ndef f(x):\n    for a.b in [x]:\n        pass\n    return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    for a in [x]:\n        pass\n    return x\nf(np.ones(3))",
        runs=False,
    ),
    Row(
        "unsupported-with", TypeError,
        "`with {what}` cannot be compiled",
        "Of context managers only `np.errstate(...)` is known inside a kernel, and it changes nothing there: compiled code does not warn.",
        "@stax.kernel\ndef f(x):\n    with open('log') as log:\n        return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    with np.errstate(divide='ignore'):\n        return 1 / x\nf(np.ones(3))",
        "put it around the kernel's call",
    ),
    Row(
        "unsupported-eval", TypeError,
        "`{what}` cannot be compiled: its program is not known before it runs",
        "Text is not evaluated inside kernels. Build the function outside and pass or capture it.",
        "@stax.kernel\ndef f(x):\n    return eval('x + 1')\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + 1\nf(np.ones(3))",
        "build the function outside the kernel",
    ),
    Row(
        "unsupported-builtin", TypeError,
        "the builtin `{name}` cannot be used inside a kernel",
        "Builtins with effects outside the kernel, or about Python's own objects, have no compiled form.",
        "@stax.kernel\ndef f(x):\n    return x + id(x)\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + x.ndim\nf(np.ones(3))",
        "call it outside and pass its result",
    ),
    Row(
        "unsupported-method", TypeError,
        "`{method}` of {cls} is not called inside a kernel",
        "Special methods that Python would call behind the program's back are only followed where their source is in the language.",
        "class P:\n    def __bool__(self):\n        return True\np = P()\n@stax.kernel\ndef f(x):\n    return x if p else -x\n"
        "f(np.ones(3))",
        "flag = True\n@stax.kernel\ndef f(x):\n    return x if flag else -x\nf(np.ones(3))",
        "ask for the value that decides by an attribute or a method with a name",
    ),
    Row(
        "side-effect", TypeError,
        "`{what}` has an effect outside the kernel that would happen once instead of at each call",
        "A kernel's Python is evaluated when it is compiled. What it does to the world besides its results would be lost afterwards, "
        "so it is refused.",
        "@stax.kernel\ndef f(x):\n    log = open('log.txt', 'a')\n    return x\nf(np.ones(3))",
        "log = []\n@stax.kernel\ndef f(x):\n    return x\nlog.append(f(np.ones(3)))",
        "do it where the kernel is called, with what the kernel returns",
    ),
    Row(
        "captured-mutation", TypeError,
        "`{what}` changes `{name}`, a Python object from outside the kernel",
        "Arrays from outside may be written to (that is seen at each call); lists, dicts and objects may only be read: the change would "
        "happen once, when the kernel is compiled.",
        "table = {}\n@stax.kernel\ndef f(x):\n    table['x'] = 1\n    return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    table = {}\n    table['x'] = 1\n    return x\nf(np.ones(3))",
        "return the new value, or make the object inside the kernel",
    ),
    Row(
        "print-of-data", TypeError,
        "`print` inside a kernel shows what is known when it is compiled; {what} is not",
        "Static values, shapes and dtypes can be printed at compile time. Data can be returned, or looked at with `kernel.show`.",
        "@stax.kernel\ndef f(x):\n    print(x)\n    return x\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    print(x.dtype)\n    return x\nf(np.ones(3))",
        "print what the kernel returns",
    ),
    Row(
        "kept-loop", TypeError,
        "the loop over {what} cannot stay in the program: {reason}",
        "A loop that is too long to be unrolled, or whose end only its data knows, stays in the program: its body is compiled once, for "
        "any round. What it carries from round to round under a name has one dtype and one shape then.",
        "@stax.kernel\ndef f(x, n):\n    for k in range(n):\n        x = np.concatenate([x, x])\n    return x\nf(np.ones(3), 100000)",
        "@stax.kernel\ndef f(x, n):\n    for k in range(n):\n        x = x * 0.5 + k\n    return x\nf(np.ones(3), 100000)",
        "make the arrays of their final size before the loop and write parts of them in it, or give it a small constant number of rounds",
    ),
    Row(
        "loop-value-needed", TypeError,
        "{what} must be known when compiling, but in this loop it is another one in each round",
        "A loop that stays in the program is compiled once for all of its rounds: an axis, a step of a slice or a table's index cannot "
        "depend on the round there.",
        "@stax.kernel\ndef f(x, n):\n    for k in range(n):\n        x = x + x.sum(axis=k % 2)\n    return x\nf(np.ones((3, 3)), 100000)",
        "@stax.kernel\ndef f(x, n):\n    for k in range(n // 2):\n        x = x + x.sum(axis=0)\n        x = x + x.sum(axis=1)\n"
        "    return x\nf(np.ones((3, 3)) / 64, 100)",
        "write the cases out, or give the loop a small constant number of rounds: it is unrolled then",
    ),
    Row(
        "syntax-error", SyntaxError,
        "{message}",
        "The text does not follow the grammar.",
        "stax.load_text('kernel f(x):\\n    return x]\\n')",
        "stax.load_text('kernel f(x):\\n    return x\\n')",
    ),
    Row(
        "expected-token", SyntaxError,
        "expected {expected}, found {found}",
        "The parser met something that cannot stand here.",
        "stax.load_text('kernel f(x):\\n    return x +\\n')",
        "stax.load_text('kernel f(x):\\n    return x + 1\\n')",
    ),
    Row(
        "missing-colon", SyntaxError,
        "`:` is missing after {what}",
        "Headers of `kernel`, `def`, `if`, `for`, `while` end in a colon.",
        "stax.load_text('kernel f(x)\\n    return x\\n')",
        "stax.load_text('kernel f(x):\\n    return x\\n')",
        "write `:` at the end of the line",
    ),
    Row(
        "never-closed", SyntaxError,
        "`{bracket}` is never closed",
        "An opening bracket has no partner.",
        "stax.load_text('kernel f(x):\\n    return (x\\n')",
        "stax.load_text('kernel f(x):\\n    return (x)\\n')",
    ),
    Row(
        "inconsistent-indentation", SyntaxError,
        "the indentation does not fit any block above",
        "Lines of one block start in one column; tabs and spaces do not mix.",
        "stax.load_text('kernel f(x):\\n        y = x\\n    return y\\n')",
        "stax.load_text('kernel f(x):\\n    y = x\\n    return y\\n')",
    ),
    Row(
        "python-only", SyntaxError,
        "`{what}` is Python, but not part of .stx",
        "A .stx file holds kernels, functions, constants and imports.",
        "stax.load_text('class P:\\n    pass\\n')",
        "stax.load_text('kernel p(x):\\n    return x\\n')",
    ),
)  # fmt: skip
