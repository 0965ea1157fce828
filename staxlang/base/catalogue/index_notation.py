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
    Row(
        "index-pieces", TypeError,
        "the pieces of `{name}` do not fit: {reason}",
        "A tensor may be defined in pieces, each with as many subscripts as the tensor has axes: an index variable, or a "
        "place counted from "
        "the start.",
        _kernel("let s[0] = x[0]\nlet s[i, j] = x[i] + x[j]\nreturn s"),
        _kernel("let s[0] = x[0]\nlet s[i] = x[i] + x[i - 1]\nreturn s"),
    ),
    Row(
        "index-undefined", ValueError,
        "nothing defines `{box}`",
        "The pieces of a tensor must give each of its elements. A range that does not begin at 0 leaves the places before it to another "
        "piece.",
        _kernel("let d[i in 1..4] = x[i] - x[i - 1]\nreturn d"),
        _kernel("let d[0] = 0.0\nlet d[i in 1..4] = x[i] - x[i - 1]\nreturn d"),
        "add a piece, as in `let {name}[0] = ..`, or let the index begin at 0",
    ),
    Row(
        "index-defined-twice", ValueError,
        "`{box}` defines elements of `{name}` that another piece defines",
        "Each element of a tensor has one definition. A second definition of the whole needs a name of its own.",
        _kernel("let y[i] = x[i]\nlet y[i in 0..4] = 2.0 * x[i]\nreturn y"),
        _kernel("let y[i] = x[i]\nlet z[i] = 2.0 * y[i]\nreturn z"),
        "give ranges that do not overlap, or use another name",
    ),
    Row(
        "index-order", ValueError,
        "`{read}` is not proved to be computed before `{target}`, which needs it",
        "A tensor may read its own elements where they come before, in some order of its axes, forwards or backwards: `s[i - 1]` for "
        "`s[i]`, `d[i - 1, j]` for `d[i, j]`, `x[j]` under `sum[j in 0..i]`.",
        _kernel("let s[0] = x[0]\nlet s[i in 1..4] = s[4 - i] + x[i]\nreturn s"),
        _kernel("let s[0] = x[0]\nlet s[i in 1..4] = s[i - 1] + x[i]\nreturn s"),
    ),
    Row(
        "index-own-whole", TypeError,
        "`{text}` reads more than an element of a tensor that is being defined",
        "While a tensor is defined by its own elements, only single elements of it can be read, with a subscript for each axis.",
        _kernel("let s[0] = x[0]\nlet s[i] = s.sum() + x[i]\nreturn s"),
        _kernel("let s[0] = x[0]\nlet s[i] = sum[j in 0..i] s[j] + x[i]\nreturn s"),
        "read elements: `sum[j in 0..i] s[j]`",
    ),
    Row(
        "index-update", TypeError,
        "`{name}` cannot be updated by index notation: {reason}",
        "`let h[..] += value` adds to an array that there is, for each value of the indices; places that occur several times count each "
        "time. So do `-=`, `*=`, `max=` and `min=`, whose result does not depend on the order.",
        _kernel("let x[i] /= 2.0\nreturn x"),
        _kernel("let x[i] *= 0.5\nreturn x"),
    ),
    Row(
        "index-in-shape", TypeError,
        "an array with an axis of {extent} elements is another one for each value of `{name}`",
        "Arrays have one shape. What is taken of a row up to an index is a reduction with a range: `sum[j in 0..i] x[j]`.",
        _kernel("let y[i in 0..4] = sum(x[:i])\nreturn y"),
        _kernel("let y[i in 0..4] = sum[j in 0..i] x[j]\nreturn y"),
        "write the reduction by an index with a range, as in `sum[j in 0..i] x[j]`",
    ),
)  # fmt: skip
