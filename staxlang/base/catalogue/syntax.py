"""Rows of the catalogue: slips in .stx texts that have their own correction."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

SYNTAX_ROWS: tuple[Row, ...] = (
    Row(
        "equals-in-condition", SyntaxError,
        "`=` assigns; a condition compares with `==`",
        "An assignment is a statement and has no value, so it cannot be a condition, an operand or a result.",
        "stax.load_text('kernel f(x, n):\\n    if n = 1:\\n        return x\\n    return -x\\n')",
        "stax.load_text('kernel f(x, n):\\n    if n == 1:\\n        return x\\n    return -x\\n')",
        "write `==`",
        runs=False,
    ),
    Row(
        "python-spelling", SyntaxError,
        "`{found}` is written {right} in .stx",
        "Some words and signs of Python and its neighbours have another spelling in .stx.",
        "stax.load_text('kernel f(x):\\n    return sum(x, axis=-1, keepdims=True)\\n')",
        "stax.load_text('kernel f(x):\\n    return sum(x, axis=-1, keepdims=true)\\n')",
        runs=False,
    ),
    Row(
        "not-a-definition", SyntaxError,
        "{found} cannot stand at the margin of a .stx file",
        "At its margin a file holds `kernel`, `def`, `const`, `import` and `from`; statements belong into a kernel.",
        "stax.load_text('scale = 3\\n')",
        "stax.load_text('const scale = 3\\n')",
        "start the line with `kernel`, `def`, `const`, `import` or `from`",
        runs=False,
    ),
    Row(
        "tab-indentation", SyntaxError,
        "a tab in the indentation",
        "How wide a tab is depends on who looks, so the blocks of a .stx file are indented with spaces.",
        "stax.load_text('kernel f(x):\\n\\treturn x\\n')",
        "stax.load_text('kernel f(x):\\n    return x\\n')",
        "use four spaces",
        runs=False,
    ),
    Row(
        "missing-block", SyntaxError,
        "an indented block must follow {what}",
        "What belongs to a header stands below it, deeper indented, or on its own line behind the colon.",
        "stax.load_text('kernel f(x):\\nreturn x\\n')",
        "stax.load_text('kernel f(x):\\n    return x\\n')",
        "indent the lines that belong to it by four spaces",
        runs=False,
    ),
    Row(
        "cannot-assign", SyntaxError,
        "cannot assign to {what}",
        "Left of `=` stand names, subscripts, attributes, and tuples or lists of them.",
        "stax.load_text('kernel f(x):\\n    x + 1 = 2\\n    return x\\n')",
        "stax.load_text('kernel f(x):\\n    y = x + 1\\n    return y\\n')",
        runs=False,
    ),
)  # fmt: skip
