"""Values, dtypes and shapes that programs rely on without saying so, over all dtypes and layouts, against NumPy: dtypes of reductions,
overflow, signs of quotients and remainders, NaN, -0.0, ties, stable orders, reductions of nothing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, agree_in_numpy, compiled, draw, same

Array = np.ndarray[Any, Any]
ALL = (*INTEGERS, *FLOATS, *COMPLEX)
REAL = (*INTEGERS, *FLOATS)


def layouts(x: Array) -> dict[str, Array]:
    """The same numbers in memory row by row, column by column, backwards with gaps, and with rows that are one row."""
    wide = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[:, ::2] = x[:, ::-1]
    return {"a": x.copy(), "b": np.asfortranarray(x), "c": wide[:, ::2][:, ::-1], "d": np.broadcast_to(x[1], x.shape)}


# ---- reductions ----

SUMS = ("sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "any", "all", "count_nonzero", "nansum", "nanmean")
EXTREMES = ("max", "min", "argmax", "argmin", "ptp", "nanmax", "nanargmin", "median", "sort")


@pytest.mark.parametrize("dtype", ALL)
def test_dtypes_and_values_of_reductions_in_all_layouts(dtype: str) -> None:
    given = layouts(draw(dtype, 5, 7, scale=1.5))
    names = SUMS if dtype in COMPLEX else (*SUMS, *EXTREMES)
    if dtype == "?":
        names = tuple(name for name in names if name != "ptp")
    texts = [f"np.{name}({x}{more})" for name in names for x in given for more in ("", ", axis=0", ", axis=1")]
    # Half floats: NumPy rounds products between inner loops, and variances each step.
    texts = [text for text in texts if dtype != "f2" or not any(name in text for name in ("prod", "var", "std"))]
    agree_in_numpy([text for text in texts if not text.startswith(("np.var(d", "np.std(d"))], 8.0, 35, **given)


@pytest.mark.parametrize("dtype", ALL)
def test_reductions_of_nothing(dtype: str) -> None:
    names = ("sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var", "cumsum", "count_nonzero", "median", "sort")
    names = tuple(name for name in names if dtype not in COMPLEX or name not in ("max", "min", "median", "argmax", "argmin"))
    more = ("", ", axis=0", ", axis=1", ", axis=(0, 1)", ", axis=0, keepdims=True")
    own = {"sort": 3, "cumsum": 3, "argmax": 3, "argmin": 3}
    texts = [f"np.{name}({x}{m})" for name in names for x in ("e", "f", "g") for m in more[: own.get(name, 5)]]
    zeros = {"e": np.zeros((0, 3), dtype), "f": np.zeros((3, 0), dtype), "g": np.zeros((0, 0), dtype)}
    agree_in_numpy(texts, **zeros)
    agree_in_numpy([f"np.{name}({x}, initial=1)" for name in ("sum", "prod", "max", "min") for x in "efg" if dtype not in COMPLEX], **zeros)


@pytest.mark.parametrize("dtype", REAL)
def test_first_of_equal_extremes(dtype: str) -> None:
    x = np.array([[1, 0, 1, 1, 0], [0, 0, 1, 0, 1], [1, 1, 1, 1, 1]]).astype(dtype)
    agree_in_numpy(
        [f"np.{name}({y}{m})" for name in ("argmax", "argmin") for y in "abcd" for m in ("", ", axis=0", ", axis=1")], **layouts(x)
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_not_a_number_and_zeros_of_two_signs(dtype: str) -> None:
    nan, inf = np.nan, np.inf
    rows = [[1, nan, -0.0, inf, 0.0], [-0.0, 0.0, -inf, 2, nan], [nan, nan, 1, 1, -1], [-0.0, -0.0, 0.0, -0.0, 0.0]]
    x = np.array(rows).astype(dtype)
    names = ("max", "min", "argmax", "argmin", "sum", "prod", "any", "all", "median", "mean", "cumsum", "sort", "argsort")
    given = layouts(x)
    del given["d"]
    texts = [f"np.{name}({y}, axis={k})" for name in names for y in given for k in (0, 1)]
    texts += [f"np.{name}({y}, {y}[::-1])" for name in ("maximum", "minimum", "fmax", "fmin") for y in given]
    agree_in_numpy(texts, 4.0, 5, **given)
    agree_in_numpy([f"np.{name}(x[:, ::-1], axis=1)" for name in ("nanmax", "nanmin")], x=x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_signs_of_zeros(dtype: str) -> None:
    """Bit for bit, of operations that do not round."""
    z = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.5, -2.5]).astype(dtype)
    x, y = (one.ravel().copy() for one in np.meshgrid(z, z))
    one = "negative positive absolute fabs floor ceil trunc rint sqrt sign square round signbit nan_to_num real conj".split()
    exact = ("cbrt", "deg2rad", "sinh", "expm1", "tan", "sin", "arcsin", "arctan", "log1p")
    agree_in_numpy([f"np.{name}(z)" for name in one], 0.0, z=z)
    zero = np.array([0.0, -0.0]).astype(dtype)
    agree_in_numpy([f"np.{name}(z)" for name in exact], 0.0, z=zero)
    two = ("add", "subtract", "multiply", "divide", "copysign", "fmod", "nextafter", "heaviside")
    agree_in_numpy([f"np.{name}(x, y)" for name in two], 0.0, x=x, y=y)
    few = ["np.arctan2(z, z[::-1])", "np.hypot(z, z[::-1])", "z - z", "z * -1", "0 - z", "np.where(z == 0, z, 1)"]
    agree_in_numpy(few, 0.0, z=zero)


@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", "i4"))
def test_edges_of_histograms(dtype: str) -> None:
    """In the dtype of the numbers, unless a range of Python's numbers is given."""
    x, y = np.abs(draw(dtype, 40)), np.abs(draw(dtype, 40, seed=1))
    texts = ["np.histogram(x, 4)", "np.histogram2d(x, y, 3)", "np.histogram2d(x, y, (2, 3), [[0, 5], [0, 4]])"]
    agree_in_numpy([*texts, "np.histogram_bin_edges(x, 5)", "tuple(np.histogramdd((x, y), bins=2)[1])"], 4.0, x=x, y=y)


# ---- integers ----


@pytest.mark.parametrize("dtype", INTEGERS[1:])
def test_overflow_wraps(dtype: str) -> None:
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.min + 1, -1 if ends.min else 3, 0, 1, ends.max - 1, ends.max, ends.max // 3]).astype(dtype)
    y = x[::-1].copy()
    texts = ["x + y", "x - y", "x * y", "-x", "abs(x)", "x * x", "x + 1", "x ** 3", "np.square(x)", "~x", "x << 3", "x >> 1", "np.sign(x)"]
    texts += [f"np.{name}(x, dtype=x.dtype)" for name in ("sum", "prod", "cumsum", "cumprod")] + ["x @ y", "np.dot(x, x)", "np.outer(x, y)"]
    texts += ["np.sum(x)", "np.prod(x)", "np.cumsum(x)", "np.diff(x)", "x.astype(np.int8)", "x.astype(np.uint16)", "np.add.accumulate(x)"]
    texts += ["np.ptp(x)", "np.gcd(x, y)", "np.add.reduce(x, initial=5)", "np.multiply.accumulate(x)", "np.convolve(x, y)"]
    agree_in_numpy(texts, x=x, y=y)


@pytest.mark.parametrize("dtype", REAL[1:])
def test_signs_of_quotients_and_remainders(dtype: str) -> None:
    kind = np.dtype(dtype).kind
    parts: list[Any] = [0, 1, 2, 3, 5, 7, 100]
    if kind != "u":
        parts += [-1, -2, -3, -5, -7, -100]
    if kind in "iu":
        parts += [np.iinfo(dtype).max, np.iinfo(dtype).min]
    else:
        parts += [-0.0, 0.5, -0.5, np.inf, -np.inf, np.nan, 2.75, -2.75]
    x, y = (one.ravel().astype(dtype) for one in np.meshgrid(np.array(parts, dtype), np.array(parts, dtype)))
    texts = ["x // y", "x % y", "np.fmod(x, y)", "np.divmod(x, y)", "np.remainder(x, y)", "np.floor_divide(x, y)", "divmod(x, y)"]
    agree_in_numpy(texts, 0.0 if kind == "f" else 1.0, x=x, y=y)
    more = [f"{a} {op} {b}" for op in ("//", "%") for a, b in (("x", "3"), ("7", "y"), *((("x", "-3"),) if kind != "u" else ()))]
    agree_in_numpy(more, 0.0 if kind == "f" else 1.0, x=x, y=y)


@pytest.mark.parametrize(("left", "right"), itertools.product(("i1", "i4", "i8", "u1", "u4", "u8"), repeat=2))
def test_comparisons_of_signed_and_unsigned(left: str, right: str) -> None:
    x, y = (np.array([np.iinfo(t).min, np.iinfo(t).max, 0, 1, 100]).astype(t) for t in (left, right))
    x, y = (one.ravel().copy() for one in np.meshgrid(x, y))
    agree_in_numpy([f"x {op} y" for op in ("<", "<=", "==", "!=", ">", ">=")] + ["np.maximum(x, y)", "x + y"], x=x, y=y)


# ---- orders ----


@pytest.mark.parametrize("dtype", ALL)
def test_equal_elements_keep_their_order(dtype: str) -> None:
    x = (np.arange(60) * 7 % 5).reshape(3, 20).astype(dtype)
    if dtype in FLOATS:
        x[0, ::6] = np.nan
        x[1] *= -1
    texts = [f"np.argsort({y}, kind='stable'{m})" for y in "abcd" for m in ("", ", axis=0", ", axis=None")]
    texts += [f"np.sort({y}{m})" for y in "abcd" for m in ("", ", axis=0")] + ["np.lexsort((a[0], a[1]))", "np.argsort(a, stable=True)"]
    agree_in_numpy(texts, **layouts(x))


# ---- methods of ufuncs ----

BINARY = (
    "subtract divide power floor_divide remainder fmod hypot logaddexp gcd lcm fmax fmin arctan2 bitwise_and bitwise_or bitwise_xor "
    "left_shift logical_xor logical_and equal greater copysign maximum"
).split()


@pytest.mark.parametrize("dtype", ("?", "i1", "u2", "i8", "f4", "f8", "c16"))
def test_reductions_of_every_row(dtype: str) -> None:
    x = draw(dtype, 4, 5, scale=2.0)
    if np.dtype(dtype).kind in "iu":
        x = np.abs(x) % 3 + 1
    m = draw("?", 4, 5, seed=3)
    texts: list[str] = []
    for name in BINARY:
        texts += [f"np.{name}.reduce(x, axis=1)", f"np.{name}.accumulate(x)", f"np.{name}.reduceat(x, [0, 2, 1], axis=1)"]
    for name in ("subtract", "bitwise_and", "logaddexp", "gcd", "logical_xor", "fmax", "copysign", "power"):
        texts += [f"np.{name}.reduce(x{more})" for more in ("", ", axis=(0, 1)", ", keepdims=True", ", initial=1", "[:0]", "[0, 0]")]
        texts += [f"np.{name}.reduce(x, axis=1, where=m, initial=1)", f"np.{name}.reduce(x, where=m)", f"np.{name}.outer(x[0], x[1])"]
        texts += [f"np.{name}.accumulate(x, axis=-1)", f"np.{name}.accumulate(x[0])"]
    texts += ["np.add.reduceat(x, i)", "np.multiply.reduceat(x, [0, 3], 1)", "np.add.reduceat(x, [0, 9])", "np.add.reduceat(x[0], [1])"]
    agree_in_numpy([text for text in texts if dtype != "?" or "power.acc" not in text], 32.0, 5, x=x, m=m, i=np.array([0, 2, 3]))


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 511, 512, 513, 1999, 2000, 5000])
def test_reductions_of_long_vectors(n: int) -> None:
    """What is reduced in lanes, and what is left to NumPy's loop."""
    x, y = draw("i8", n) * 977, draw("f8", n, seed=1)
    texts = [f"np.bitwise_{name}.reduce(x)" for name in ("and", "or", "xor")] + ["np.bitwise_xor.reduce(x, initial=7)", "np.gcd.reduce(x)"]
    texts += ["np.subtract.reduce(x)", "np.bitwise_xor.accumulate(x)", "np.subtract.accumulate(x)", "np.logical_xor.reduce(x)"]
    agree_in_numpy([*texts, "np.hypot.reduce(y)", "np.logaddexp.reduce(y)", "np.fmin.accumulate(y)"], 8.0, n, x=x, y=y)


def test_reductions_of_symbolic_sizes() -> None:
    @stax.kernel
    def reduced(x):
        return np.bitwise_xor.reduce(x), np.subtract.reduce(x), np.bitwise_or.accumulate(x)

    for n in (1, 5, 7, 700, 900, 3000):
        x = draw("i4", n) * 1001
        same(reduced(x), reduced.__wrapped__(x), f"{n} elements")
    assert reduced.stats().fallbacks == 0


@pytest.mark.parametrize("dtype", ("?", "i4", "u1", "f4", "c8"))
def test_at_of_every_row(dtype: str) -> None:
    """Equal places count each, in their order; what NumPy refuses is refused."""
    for name in (*BINARY, "add", "multiply", "minimum", "negative", "square", "logical_not", "absolute"):
        own = getattr(np, name)
        for index in ("i", "(i, [0, 1, 1])", "(slice(None), i)", "m", "1", "(i[:, None], [0, 1])"):
            call = f"np.{name}.at(x, {index}, 2)" if own.nin == 2 else f"np.{name}.at(x, {index})"
            if index not in ("i", "(slice(None), i)") and name not in ("subtract", "bitwise_or", "negative"):
                continue
            given = {"x": np.abs(draw(dtype, 3, 4)) + np.array(1, dtype) if dtype != "?" else draw("?", 3, 4)}
            given |= {"i": np.array([0, 2, 2]), "m": draw("?", 3, 4, seed=5)}
            theirs, mine = ({key: one.copy() for key, one in given.items()} for _ in range(2))
            try:
                with np.errstate(all="ignore"):
                    eval(call, {"np": np, **theirs})
            except (TypeError, ValueError):
                with pytest.raises(stax.StaxError):
                    compiled(call, list(mine), {"np": np})(**mine)
                continue
            compiled(call, list(mine), {"np": np})(**mine)
            same(mine["x"], theirs["x"], f"{call} of {dtype}", 4.0)
