"""Rows of the catalogue: index notation - ranges of indices, reads at them, pieces of definitions."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row


def _kernel(body: str, parameters: str = "x", call: str = "np.ones(4)") -> str:
    """An example: a kernel of .stx with this body, called."""
    text = "".join(f"    {line}\\n" for line in body.split("\n"))
    return f"m = stax.load_text('kernel f({parameters}):\\n{text}')\nm.f({call})"


INDEX_ROWS: tuple[Row, ...] = (
    Row(
        "index-range-unknown", ValueError,
        "nothing tells the range of the index `{name}`",
        "An index takes its range from the axes that it is a subscript of: `a[i]`, or `a[i + 1]` and `a[2*i + k]`, for which it is the "
        "largest range whose reads stay inside. Where there is no such read, or all of them stand under a condition on indices, give it.",
        _kernel("let y[i] = 2.0 * i\nreturn y"),
        _kernel("let y[i in 0..4] = 2.0 * i\nreturn y"),
        "give the range, half-open: `{name} in 0..N`",
    ),
    Row(
        "index-range-differs", ValueError,
        "the index `{name}` runs over axes of different extents: {left} and {right}",
        "An index is one range. The axes that it is a subscript of must have one extent.",
        _kernel("let z[i] = x[i] + y[i]\nreturn z", "x, y", "np.ones(4), np.ones(3)"),
        _kernel("let z[i] = x[i] + y[i]\nreturn z", "x, y", "np.ones(4), np.ones(4)"),
        "give the range: `{name} in 0..N`, or take equal parts of the arrays",
    ),
    Row(
        "index-outside", IndexError,
        "the subscript `{subscript}` into axis {axis} of `{array}` is not proved to lie in 0..{extent}: {why}",
        "Reads by index notation are proved to lie inside the array before anything runs; a negative subscript does not count from the "
        "end. Either the range of the index is to be smaller, or a condition on the index keeps the read from happening where it leaves.",
        _kernel("let y[i in 0..4] = x[i + 1] - x[i]\nreturn y"),
        _kernel("let y[i in 0..3] = x[i + 1] - x[i]\nreturn y"),
        "give a smaller range, or write `value where condition else other`",
    ),
    Row(
        "index-missing", TypeError,
        "the right side of `{name}` is {given} for one point, not a number",
        "The left side names all axes: an axis of an array that has no index is left over. For axes that are to be carried along, start "
        "both sides with `...`.",
        _kernel("let y[i] = 2.0 * x[i]\nreturn y", "x", "np.ones((4, 3))"),
        _kernel("let y[..., i] = 2.0 * x[..., i]\nreturn y", "x", "np.ones((4, 3))"),
        "write an index for each axis, or `...` for the leading ones: `let {name}[..., i] = ..`",
    ),
    Row(
        "index-decides", TypeError,
        "{what} depends on an index, and is needed while compiling",
        "An index variable stands for all values of its range at once. Conditions on it stay in the program (`a if i > 0 else b`, "
        "`where .. else`, a filter `sum[k if k < i]`), but an axis, a shape or Python data cannot depend on it.",
        _kernel("let y[i in 0..3] = x.sum(axis=i)\nreturn y", "x", "np.ones((4, 3))"),
        _kernel("let y[i] = sum[j] x[i, j]\nreturn y", "x", "np.ones((4, 3))"),
        "write it as an index expression, or compute it before",
    ),
)  # fmt: skip
