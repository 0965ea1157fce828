"""Drawn calls of the surface: indices, updates, reductions, shapes and products of random shapes, under NumPy and as graphs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from surface_cases import Captured, function_of, same

from staxlang.base.diagnostics import StaxError

SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=4).map(tuple)
DTYPES = st.sampled_from(["f4", "f8", "i4", "i8", "u1", "?", "f2", "c8"])


def array(shape, dtype="f8"):
    count = int(np.prod(shape))
    return (((np.arange(count) * 7) % 11) - 4).reshape(shape).astype(dtype)


@st.composite
def index_text(draw, shape):
    """An index for a shape as Python text, often out of the ordinary, sometimes out of range."""
    parts = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["int", "slice", "slice", "list", "array", "new"]))
        if kind == "new":
            parts.append("None")
        if kind == "int":
            parts.append(str(draw(st.integers(-extent, max(extent - 1, 0)))))
        elif kind == "list":
            numbers = draw(st.lists(st.integers(-extent, max(extent - 1, 0)), min_size=2, max_size=2))
            parts.append(repr(numbers))
        elif kind == "array":
            parts.append(draw(st.sampled_from(["k", "k[0]", "k[:, None]", "k % 1"])))
        else:
            bound = st.one_of(st.just(""), st.integers(-6, 6).map(str))
            step = draw(st.sampled_from(["", "1", "2", "-1", "-2", "3"]))
            parts.append(f"{draw(bound)}:{draw(bound)}" + (f":{step}" if step else ""))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), "...")
    return ", ".join(parts) or "..."


def check_both(text, values, symbolic):
    """Python's answer (or its exception), and Stax's."""
    given_values = {k: v.copy() for k, v in values.items()}
    mine = {k: v.copy() for k, v in values.items()}
    function = function_of(text, *values)
    try:
        with np.errstate(all="ignore"):
            expected = function(**given_values)
    except (IndexError, ValueError, TypeError, ZeroDivisionError) as error:
        expected = error
    try:
        got = Captured(function, mine, symbolic).run()
    except (StaxError, IndexError) as error:
        got = error
    assert isinstance(got, Exception) == isinstance(expected, Exception), (text, {k: v.shape for k, v in values.items()}, got, expected)
    if not isinstance(expected, Exception):
        same(got, expected, text, exact_type=False)
        for name, value in given_values.items():
            same(mine[name], value, f"{text}: {name} afterwards")


@settings(max_examples=250, deadline=None)
@given(st.data(), SHAPES, st.booleans())
def test_indices(data, shape, symbolic):
    text = data.draw(index_text(shape))
    values = {"x": array(shape), "k": np.array([0, -1])}
    check_both(f"return x[{text}]", values, symbolic)


@settings(max_examples=250, deadline=None)
@given(st.data(), SHAPES, st.booleans())
def test_updates(data, shape, symbolic):
    text = data.draw(index_text(shape))
    values = {"x": array(shape), "k": np.array([0, -1])}
    change = data.draw(st.sampled_from(["= 9", "+= 2", "*= x.sum()", "= x.max() if x.size else 1"]))
    check_both(f"x[{text}] {change}\nreturn x", values, symbolic)


@settings(max_examples=250, deadline=None)
@given(st.data(), SHAPES, DTYPES, st.booleans())
def test_reductions(data, shape, dtype, symbolic):
    name = data.draw(
        st.sampled_from(
            ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std", "cumsum", "ptp", "count_nonzero"]
        )
    )
    axis = data.draw(
        st.one_of(st.none(), st.integers(-len(shape) - 1, len(shape)), st.lists(st.integers(0, len(shape) - 1), max_size=2).map(tuple))
    )
    options = f"axis={axis!r}"
    if name != "cumsum" and data.draw(st.booleans()):
        options += ", keepdims=True"
    if np.dtype(dtype).kind == "c" and name in ("max", "min", "argmax", "argmin", "ptp"):
        return
    if (name, dtype) in (("ptp", "?"), ("prod", "f2")):  # numpy rounds a half product between inner loops: it overflows sooner
        return
    check_both(f"return np.{name}(x, {options})", {"x": array(shape, dtype)}, symbolic)


STEPS = [
    "x = x.reshape(-1)", "x = x.T", "x = x[::-1]", "x = x[..., None]", "x = np.flip(x, AXIS)", "x = x.swapaxes(0, -1)",
    "x = np.expand_dims(x, AXIS)", "x = np.moveaxis(x, 0, -1)", "x = x.reshape(x.shape[::-1])", "x = np.squeeze(x)",
    "x = np.roll(x, AXIS, axis=0)", "x = np.concatenate([x, x], axis=0)", "x = np.stack([x, x], axis=AXIS)", "x = x.reshape(2, -1)",
    "x = np.repeat(x, 2, axis=0)", "x = np.tile(x, 2)", "x = np.pad(x, 1)", "x = x[1:]", "x = x[::2]", "x = np.split(x, 2)[1]",
    "x = np.ravel(x, order='F')", "x = np.atleast_2d(x)", "x = x.reshape(-1, 3)", "x = np.diff(x, axis=0)", "x[...] = x + 1",
    "x = np.broadcast_to(x, (2,) + x.shape)", "x = x.copy()\nx *= 2", "x = np.diagonal(np.atleast_2d(x))",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.data(), SHAPES, st.booleans())
def test_shapes(data, shape, symbolic):
    steps = []
    for _ in range(data.draw(st.integers(1, 3))):
        axis = data.draw(st.integers(-3, 2))
        steps.append(data.draw(st.sampled_from(STEPS)).replace("AXIS", str(axis)))
    check_both("\n".join([*steps, "return x"]), {"x": array(shape)}, symbolic)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.booleans())
def test_products(data, symbolic):
    letters = "abcd"
    sizes = {letter: data.draw(st.integers(1, 4)) for letter in letters}
    terms = ["".join(data.draw(st.lists(st.sampled_from(letters), min_size=1, max_size=3))) for _ in range(data.draw(st.integers(1, 3)))]
    used = sorted(set("".join(terms)))
    output = "".join(data.draw(st.permutations(used))[: data.draw(st.integers(0, len(used)))])
    values = {f"t{k}": array(tuple(sizes[letter] for letter in term)) for k, term in enumerate(terms)}
    text = ",".join(terms) + (f"->{output}" if data.draw(st.booleans()) else "")
    check_both(f"return np.einsum({text!r}, {', '.join(values)})", values, symbolic)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=3), st.lists(st.integers(0, 4), min_size=1, max_size=3), st.booleans())
def test_matrix_products(first, second, symbolic):
    values = {"a": array(tuple(first)), "b": array(tuple(second))}
    check_both("return a @ b", values, symbolic)
    check_both("return np.dot(a, b)", values, symbolic)


@settings(max_examples=150, deadline=None)
@given(st.data(), DTYPES, DTYPES)
def test_ufuncs_with_options(data, first, second):
    values = {"a": array((3, 4), first), "b": array((4,), second), "m": np.arange(4) % 2 == 0, "o": np.zeros((3, 4), data.draw(DTYPES))}
    options = data.draw(
        st.sampled_from(
            ["", ", dtype=np.float64", ", out=o", ", out=o, where=m", ", out=o, casting='unsafe'", ", dtype='f4', casting='unsafe'"]
        )
    )
    name = data.draw(
        st.sampled_from(["add", "multiply", "subtract", "maximum", "arctan2", "equal", "logical_and", "bitwise_or", "floor_divide"])
    )
    if "c" in (np.dtype(first).kind, np.dtype(second).kind) and name == "maximum":
        return
    check_both(f"return np.{name}(a, b{options})", values, False)
