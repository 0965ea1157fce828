"""Definitions and reductions by index notation against NumPy, in every form of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.index_notation.everywhere import body, check, check_native, kernel, same

RANDOM = np.random.default_rng(3)
DTYPES = ("f4", "f8", "i8")


def numbers(dtype: str, *shape: int) -> np.ndarray:
    values = RANDOM.normal(size=shape) * 3
    return np.asarray(np.round(values) if dtype[0] in "iub" else values).astype(dtype)


def windows(x: np.ndarray, *lengths: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(x, lengths, tuple(range(x.ndim - len(lengths), x.ndim)))


def convolution(x: np.ndarray, w: np.ndarray, stride: int = 1, dilation: int = 1, padding: int = 0) -> np.ndarray:
    """The plain loops, in the arrays' dtype."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    height, width = [(x.shape[k] - dilation * (w.shape[k] - 1) - 1) // stride + 1 for k in (2, 3)]
    made = np.zeros((x.shape[0], w.shape[0], height, width), x.dtype)
    for k in range(w.shape[2]):
        for m in range(w.shape[3]):
            rows, columns = k * dilation, m * dilation
            part = x[:, :, rows : rows + stride * (height - 1) + 1 : stride, columns : columns + stride * (width - 1) + 1 : stride]
            made += np.einsum("ncij,oc->noij", part, w[:, :, k, m])
    return made


CASES: dict[str, tuple[str, Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "transposed sum": (
        body("a, b", "let c[i, j] = a[i, j] + b[j, i]", "return c"), lambda a, b: a + b.T, ((3, 4), (4, 3)),
    ),
    "matrix product": (
        body("a, b", "let c[i, j] = sum[k] a[i, k] * b[k, j]", "return c"), lambda a, b: a @ b, ((5, 6), (6, 7)),
    ),
    "batched product": (
        body("a, b", "let c[n, i, j] = sum[k] a[n, i, k] * b[n, k, j]", "return c"), lambda a, b: a @ b, ((3, 4, 5), (3, 5, 6)),
    ),
    "product of transposes": (
        body("a, b", "let c[j, i] = sum[k] a[k, i] * b[j, k]", "return c"), lambda a, b: b @ a, ((6, 5), (7, 6)),
    ),
    "product and sum": (
        body("a, b, c", "let d[i, j] = sum[k] a[i, k] * b[k, j] + c[j]", "return d"), lambda a, b, c: a @ b + c, ((5, 6), (6, 7), (7,)),
    ),
    "convolution in 1-D": (
        body("x, w", "let y[i] = sum[k] x[i + k] * w[k]", "return y"), lambda x, w: np.correlate(x, w, "valid"), ((20,), (5,)),
    ),
    "padding by a filter": (
        body("x, w", "N = x.shape[0]", "let y[i in 0..N] = sum[k if 0 <= i + k - 2 and i + k - 2 < N] x[i + k - 2] * w[k]", "return y"),
        lambda x, w: np.correlate(x, w, "same"), ((200,), (5,)),
    ),
    "padding by a guard": (
        body("x, w", "N = x.shape[0]", "let p[i in 0..N + 4] = x[i - 2] where 1 < i and i < N + 2 else 0",
             "let y[i] = sum[k] p[i + k] * w[k]", "return y"),
        lambda x, w: np.correlate(x, w, "same"), ((200,), (5,)),
    ),
    "convolution with channels": (
        body("x, w", "let y[n, o, i, j] = sum[c, k, m] x[n, c, i + k, j + m] * w[o, c, k, m]", "return y"),
        convolution, ((2, 3, 8, 9), (4, 3, 3, 2)),
    ),
    "convolution with a stride": (
        body("x, w", "let y[n, o, i, j] = sum[c, k, m] x[n, c, 2*i + k, 2*j + m] * w[o, c, k, m]", "return y"),
        lambda x, w: convolution(x, w, 2), ((2, 3, 8, 9), (4, 3, 3, 2)),
    ),
    "convolution with a dilation": (
        body("x, w", "let y[n, o, i, j] = sum[c, k, m] x[n, c, i + 2*k, j + 2*m] * w[o, c, k, m]", "return y"),
        lambda x, w: convolution(x, w, 1, 2), ((2, 3, 8, 9), (4, 3, 3, 2)),
    ),
    "convolution with padding": (
        body("x, w", "H = x.shape[2]", "V = x.shape[3]",
             "let p[n, c, i in 0..H + 2, j in 0..V + 2] = x[n, c, i - 1, j - 1] where 0 < i <= H and 0 < j <= V else 0",
             "let y[n, o, i, j] = sum[c, k, m] p[n, c, i + k, j + m] * w[o, c, k, m]", "return y"),
        lambda x, w: convolution(x, w, 1, 1, 1), ((2, 3, 8, 9), (4, 3, 3, 3)),
    ),
    "depthwise convolution": (
        body("x, w", "let y[c, i, j] = sum[k, m] x[c, i + k, j + m] * w[c, k, m]", "return y"),
        lambda x, w: np.einsum("cijkm,ckm->cij", windows(x, *w.shape[1:]), w), ((3, 8, 9), (3, 3, 3)),
    ),
    "greatest in pools": (
        body("x", "let y[i, j] = max[k in 0..2, m in 0..3] x[2*i + k, 3*j + m]", "return y"),
        lambda x: x.reshape(4, 2, 3, 3).max((1, 3)), ((8, 9),),
    ),
    "sums of pools": (
        body("x", "let y[i, j] = sum[k in 0..2, m in 0..3] x[2*i + k, 3*j + m]", "return y"),
        lambda x: x.reshape(4, 2, 3, 3).sum((1, 3)), ((8, 9),),
    ),
    "stencil": (
        body("x", "let y[i, j] = x[i, j + 1] + x[i + 1, j] - 4*x[i + 1, j + 1] + x[i + 1, j + 2] + x[i + 2, j + 1]", "return y"),
        lambda x: x[:-2, 1:-1] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1] + x[1:-1, 2:] + x[2:, 1:-1], ((8, 9),),
    ),
    "differences": (body("x", "let d[i] = x[i + 1] - x[i]", "return d"), np.diff, ((9,),)),
    "turned around": (body("x", "N = x.shape[0]", "let y[i] = x[N - 1 - i]", "return y"), lambda x: x[::-1], ((9,),)),
    "each twice": (body("x", "let y[i in 0..2*x.shape[0]] = x[i // 2]", "return y"), lambda x: np.repeat(x, 2), ((9,),)),
    "again and again": (body("x", "N = x.shape[0]", "let y[i in 0..3*N] = x[i % N]", "return y"), lambda x: np.tile(x, 3), ((9,),)),
    "outer product": (body("a, b", "let c[i, j] = a[i] * b[j]", "return c"), np.outer, ((4,), (5,))),
    "trace": (body("a", "return sum[i] a[i, i]"), np.trace, ((6, 6),)),
    "quadratic form": (
        body("x, a, y", "return sum[i, j] x[i] * a[i, j] * y[j]"), lambda x, a, y: x @ a @ y, ((4,), (4, 5), (5,)),
    ),
    "three matrices": (
        body("a, b, c", "let d[i, m] = sum[j, k] a[i, j] * b[j, k] * c[k, m]", "return d"),
        lambda a, b, c: a @ b @ c, ((20, 21), (21, 22), (22, 23)),
    ),
    "bilinear": (
        body("x, w, y", "let z[b, o] = sum[i, j] x[b, i] * w[o, i, j] * y[b, j]", "return z"),
        lambda x, w, y: np.einsum("bi,oij,bj->bo", x, w, y), ((4, 5), (6, 5, 7), (4, 7)),
    ),
    "a factor from outside": (
        body("a, b, s", "let c[i, j] = sum[k] s[i] * a[i, k] * b[k, j]", "return c"),
        lambda a, b, s: s[:, None] * (a @ b), ((25, 26), (26, 27), (25,)),
    ),
    "sums that are not products": (
        body("a, b", "let c[i, j] = sum[k] abs(a[i, k] - b[j, k])", "return c"),
        lambda a, b: np.abs(a[:, None] - b[None]).sum(-1), ((5, 6), (7, 6)),
    ),
    "a mean and what is left": (
        body("x", "let m[i] = sum[j] x[i, j]", "let d[i, j] = x[i, j] - m[i]", "return d"),
        lambda x: x - x.sum(1, keepdims=True), ((5, 6),),
    ),
    "leading axes": (
        body("x, w", "let y[..., j] = sum[i] x[..., i] * w[i, j]", "return y"), lambda x, w: x @ w, ((2, 3, 4), (4, 5)),
    ),
    "leading axes of one": (
        body("x, w", "let y[..., j] = sum[i] x[..., i] * w[i, j]", "return y"), lambda x, w: x @ w, ((4,), (4, 5)),
    ),
    "rows as arrays": (
        body("a, b", "let c[i, j] = sum(a[i] * b[:, j])", "return c"), lambda a, b: a @ b, ((4, 5), (5, 6)),
    ),
    "products of rows": (
        body("a, b", "let c[i, j] = a[i] @ b[:, j]", "return c"), lambda a, b: a @ b, ((4, 5), (5, 6)),
    ),
    "running sums of rows": (
        body("a", "let c[i, j] = cumsum(a[i])[j]", "return c"), lambda a: np.cumsum(a, 1), ((4, 5),),
    ),
    "numbers of places": (
        body("a", "let c[i, j] = a[i, j] * (i - 2*j) + i*j", "return c"),
        lambda a: a * (np.arange(4)[:, None] - 2 * np.arange(5)) + np.arange(4)[:, None] * np.arange(5), ((4, 5),),
    ),
    "lower triangle": (
        body("a", "let c[i, j] = a[i, j] where j <= i else 0", "return c"), np.tril, ((6, 7),),
    ),
    "sums of a triangle": (
        body("a", "let c[i] = sum[j in 0..i] a[i, j]", "return c"), lambda a: np.array([a[i, :i].sum() for i in range(6)]), ((6, 7),),
    ),
    "sums above the diagonal": (
        body("a", "N = a.shape[1]", "let c[i] = sum[j in i + 1..N] a[i, j]", "return c"),
        lambda a: np.array([a[i, i + 1 :].sum() for i in range(6)]), ((6, 7),),
    ),
    "pairs": (
        body("x", "return sum[i, j if j != i] x[i] * x[j]"), lambda x: x.sum() ** 2 - (x * x).sum(), ((6,),),
    ),
    "a range below zero": (
        body("x, w", "let y[i in 0..x.shape[0]] = sum[k in -1..2 if 0 <= i + k < x.shape[0]] x[i + k] * w[k + 1]", "return y"),
        lambda x, w: np.correlate(x, w, "same"), ((9,), (3,)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name: str, dtype: str) -> None:
    text, meaning, shapes = CASES[name]
    args = tuple(numbers(dtype, *shape) for shape in shapes)
    wanted = np.asarray(meaning(*args))
    if dtype == "i8" and name.startswith(("lower", "padding", "convolution")):
        wanted = wanted.astype(np.int64)
    check(text, args, wanted.astype(dtype), points=dtype == "f8" and wanted.size < 300, tolerance=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_become_symbols(name: str) -> None:
    """A second call with other extents gives code for any; a third is served by it."""
    text, meaning, shapes = CASES[name]
    made = kernel(text)
    for more in (0, 1, 2):
        grown = [tuple(extent + more * (place not in FIXED.get(name, ())) for extent in shape) for place, shape in enumerate(shapes)]
        args = tuple(numbers("f8", *shape) for shape in grown)
        if name in GROWN:
            meaning = GROWN[name]
        check_native(made, args, np.asarray(meaning(*args)), 1e-7)


GROWN: dict[str, Callable[..., Any]] = {
    "greatest in pools": lambda x: _pools(x, np.max), "sums of pools": lambda x: _pools(x, np.sum),
    "numbers of places": lambda a: a * np.subtract.outer(np.arange(a.shape[0]), 2 * np.arange(a.shape[1]))
    + np.multiply.outer(np.arange(a.shape[0]), np.arange(a.shape[1])),
    "sums of a triangle": lambda a: np.array([a[i, :i].sum() for i in range(a.shape[0])]),
    "sums above the diagonal": lambda a: np.array([a[i, i + 1 :].sum() for i in range(a.shape[0])]),
}  # fmt: skip


def _pools(x: np.ndarray, reduce: Callable[..., Any]) -> np.ndarray:
    rows, columns = x.shape[0] // 2, x.shape[1] // 3
    return reduce(x[: 2 * rows, : 3 * columns].reshape(rows, 2, columns, 3), axis=(1, 3))


FIXED = {"padding by a filter": (1,), "padding by a guard": (1,), "a range below zero": (1,)}
"""Operands whose extents are part of the program."""


# ---- reductions ----------------------------------------------------------------------------------------------------

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "any": np.any, "all": np.all,
    "count": lambda x, axis=None: np.asarray(np.count_nonzero(x, axis=axis), np.int64), "argmax": np.argmax, "argmin": np.argmin,
}  # fmt: skip
ALL_DTYPES = ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "?")


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions_have_numpys_values_and_dtypes(kind: str, dtype: str) -> None:
    x = np.abs(numbers(dtype, 4, 5)) if dtype[0] == "u" else numbers(dtype, 4, 5) / 2 if dtype[0] == "f" else numbers(dtype, 4, 5)
    x = np.asarray(x, dtype)
    meaning = REDUCTIONS[kind]
    with np.errstate(all="ignore"):
        wanted = np.asarray(meaning(x, axis=1)), np.asarray(meaning(x))
    check(body("x", f"let y[i] = {kind}[j] x[i, j]", f"let z = {kind}[i, j] x[i, j]", "return y, z"), (x,), wanted, tolerance=1e-3)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_filters(kind: str, dtype: str) -> None:
    """Only what the condition chooses counts: as if nothing else was there."""
    x = np.asarray(numbers("f8" if dtype == "f2" else dtype, 6, 5), dtype)
    mask = RANDOM.random((6, 5)) > 0.4
    mask[:, 2] = True
    meaning = REDUCTIONS[kind]
    with np.errstate(all="ignore"):
        if kind.startswith("arg"):
            wanted = np.array([np.flatnonzero(mask[i])[meaning(x[i, mask[i]])] for i in range(6)])
        else:
            wanted = np.array([np.asarray(meaning(x[i, mask[i]])) for i in range(6)])
    check(body("x, m", f"let y[i] = {kind}[j if m[i, j]] x[i, j]", "return y"), (x, mask), wanted, tolerance=1e-3)


def test_nothing_chosen() -> None:
    x, none = numbers("f8", 3), np.zeros(3, bool)
    nothing = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf, "mean": np.nan, "any": False, "all": True, "count": 0, "argmax": -1}
    for kind, wanted in nothing.items():
        with np.errstate(all="ignore"):
            check(body("x, m", f"return {kind}[i if m[i]] x[i]"), (x, none), np.asarray(wanted))


def test_the_first_place_and_nan() -> None:
    x = np.array([[1.0, 3.0, 3.0], [np.nan, 5.0, np.nan], [2.0, 2.0, 2.0]])
    mask = np.array([[True, False, True], [False, True, True], [False, True, True]])
    check(body("x", "let y[i] = argmax[j] x[i, j]", "return y"), (x,), np.argmax(x, 1))
    check(body("x, m", "let y[i] = argmax[j if m[i, j]] x[i, j]", "return y"), (x, mask), np.array([2, 2, 1]))
    check(body("x", "let y[i] = argmin[j in i..3] x[i, j]", "return y"), (x,), np.array([0, 2, 2]))
    check(body("x", "return argmax[i, j] x[i, j]"), (x,), np.asarray(np.argmax(x)))


# ---- empty extents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_empty_extents(shape: tuple[int, int]) -> None:
    x = np.zeros(shape)
    check(body("x", "let y[i, j] = 2.0 * x[i, j]", "let s[i] = sum[j] x[i, j]", "let p = prod[i, j] x[i, j]", "return y, s, p"), (x,),
          (2 * x, x.sum(1), np.asarray(x.prod())))  # fmt: skip
    check(body("x", "let y[i, j] = sum[k] x[i, k] * x[j, k]", "return y"), (x,), x @ x.T)


def test_a_symbol_that_is_zero() -> None:
    made = kernel(body("x", "let y[i] = sum[j] x[i, j] * x[i, j]", "return y"))
    for shape in ((3, 4), (5, 6), (0, 2), (4, 0), (2, 2)):
        x = numbers("f8", *shape)
        check_native(made, (x,), (x * x).sum(1))


def test_windows_longer_than_the_axis() -> None:
    made = kernel(body("x", "let y[i] = x[i] + x[i + 2]", "return y"))
    for length in (5, 6, 2, 1, 0, 7):
        x = numbers("f8", length)
        check_native(made, (x,), x[:-2] + x[2:] if length > 2 else np.zeros(0))


def test_the_least_of_nothing_is_an_error() -> None:
    made = kernel(body("x", "return max[i] x[i]"))
    with pytest.raises(ValueError, match="max"):
        made(np.zeros(0))
    check_native(made, (np.ones(3),), np.asarray(1.0))


# ---- powers by indices ---------------------------------------------------------------------------------------------


def test_powers_by_indices() -> None:
    """An integer's power is an integer where the exponent is never negative; what cannot be proved is refused."""
    x, i = numbers("f8", 6), np.arange(6)
    check(body("x", "let y[i] = x[i] * 2 ** i + x[i] ** i + 2.0 ** (i - 3)", "return y"), (x,), x * 2**i + x**i + 2.0 ** (i - 3))
    check(body("x", "let y[i] = x[i] * (-1) ** i", "return y"), (x,), x * np.where(i % 2 == 0, 1, -1))
    check(body("n", "let y[i in 0..n.shape[0], j in 0..3] = i ** j", "return y"), (x,), i[:, None] ** np.arange(3))
    digits = RANDOM.integers(0, 4, 9)
    words = windows(digits, 3) @ np.array([16, 4, 1])
    made = kernel(body("x, k: int", "N = x.shape[0]",
                       "let w[p in 0..N - k + 1] = sum[q in 0..k] x[p + q] * 4 ** (k - 1 - q)", "return w"))  # fmt: skip
    np.testing.assert_array_equal(made(digits, 3), words)
    assert made.stats().route == "native"
    few = np.array([3], "u1")
    check(body("x", "let y[i in 0..9] = x[0] * 2 ** i", "return y"), (few,), (3 * 2 ** np.arange(9)).astype("u1"))
    with pytest.raises(TypeError, match=r"(?s)index-decides.*`i - 3`.*write a float before it"):
        kernel(body("x", "let y[i] = x[i] * 2 ** (i - 3)", "return y"))(x)


# ---- data in subscripts --------------------------------------------------------------------------------------------


def test_rows_by_number() -> None:
    table, ids = numbers("f4", 50, 8), RANDOM.integers(0, 50, (3, 4))
    check(body("e, ids", "let y[b, t, d] = e[ids[b, t], d]", "return y"), (table, ids), table[ids], kernels=1)


def test_elements_by_number() -> None:
    x, ids = numbers("f8", 6, 7), RANDOM.integers(0, 7, 6)
    made = check(body("x, ids", "let y[i] = x[i, ids[i]]", "return y"), (x, ids), x[np.arange(6), ids], kernels=1)
    with pytest.raises(IndexError, match="out of range"):
        made(x, ids + 7)
    check_native(made, (x, ids - 7), x[np.arange(6), ids - 7])


def test_elements_by_number_of_number() -> None:
    x, a, b = numbers("f8", 9), RANDOM.integers(0, 6, 5), RANDOM.integers(0, 9, 6)
    check(body("x, a, b", "let y[i] = x[b[a[i]]]", "return y"), (x, a, b), x[b[a]])


def test_numbers_where_a_condition_holds() -> None:
    """What is out of range is not read where the condition is false."""
    x, ids = numbers("f8", 6, 7), RANDOM.integers(0, 7, 6)
    wrong = np.where(np.arange(6) < 4, ids, 99)
    wanted = np.where(np.arange(6) < 4, x[np.arange(6), ids], 0.0)
    check(body("x, ids", "let y[i] = x[i, ids[i]] where i < 4 else 0.0", "return y"), (x, wrong), wanted)
    check(body("x, ids", "let y[i] = x[i, ids[i]] if ids[i] < 7 else 0.0", "return y"), (x, wrong), wanted)
    check(body("x, ids", "return sum[i if ids[i] < 7] x[i, ids[i]]"), (x, wrong), np.asarray(wanted.sum()))


def test_a_check_in_a_definition_that_nobody_reads() -> None:
    made = kernel(body("x, ids", "let y[i] = x[ids[i]]", "return x.sum()"))
    check_native(made, (np.ones(4), np.array([0, 3])), np.asarray(4.0))
    with pytest.raises(IndexError, match="out of range"):
        made(np.ones(4), np.array([0, 4]))


# ---- functions -----------------------------------------------------------------------------------------------------


def test_functions_are_called_for_each_point() -> None:
    text = "kernel f(x):\n    let y[i, j] = clipped(x[i, j], i)\n    return y\n"
    helper = "def clipped(v, limit):\n    if v > limit:\n        return 1.0 * limit\n    return v\n\n"
    x = numbers("f8", 4, 5) * 3
    check(helper + text, (x,), np.minimum(x, np.arange(4)[:, None]))


def test_library_functions_of_rows() -> None:
    x = numbers("f8", 4, 5)
    e = np.exp(x - x.max(1, keepdims=True))
    check(body("x", "let y[i, j] = softmax(x[i])[j]", "return y"), (x,), e / e.sum(1, keepdims=True))
    check(body("x", "let y[i] = var(x[i])", "return y"), (x,), x.var(1))


def test_softmax_is_one_kernel() -> None:
    x = numbers("f8", 40, 50)
    e = np.exp(x - x.max(1, keepdims=True))
    text = body("x", "let m[i] = max[k] x[i, k]", "let e[i, j] = exp(x[i, j] - m[i])", "let y[i, j] = e[i, j] / sum[k] e[i, k]", "return y")
    made = check(text, (x,), e / e.sum(1, keepdims=True), kernels=1, points=False)
    report = made.explain(x)
    assert report.bytes_moved == report.bytes_lower_bound


def test_products_are_what_the_operator_is() -> None:
    """The same library call on the same memory; nothing else."""
    a, b = numbers("f4", 64, 65), numbers("f4", 65, 66)
    for text, args in (
        (body("a, b", "let c[i, j] = sum[k] a[i, k] * b[k, j]", "return c"), (a, b)),
        (body("a, b", "let c[i, j] = sum[k] a[k, i] * b[k, j]", "return c"), (np.ascontiguousarray(a.T), b)),
        (body("a, b", "let c[i, j] = sum[k] a[i, k] * b[j, k]", "return c"), (a, np.ascontiguousarray(b.T))),
    ):
        made = check(text, args, a @ b, kernels=1, points=False)
        report = made.explain(*args)
        assert "gemm" in str(report) and report.bytes_moved == report.bytes_lower_bound


def test_a_scalar_in_the_body() -> None:
    made = kernel(body("x, s", "let y[i] = s * x[i] if i < 3 else x[i]", "return y"))
    x = numbers("f4", 6)
    for s in (2.0, 3.0):
        same(made(x, s), np.where(np.arange(6) < 3, np.float32(s) * x, x))
    assert made.stats().versions == 1
