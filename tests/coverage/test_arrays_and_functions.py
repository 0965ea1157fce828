"""Views of memory, what arrays say of it, functions of elements and of rows, ufuncs with two results; what is said of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree_in_numpy, compiled, draw, same

Array = np.ndarray[Any, Any]
DTYPES = ("?", "i1", "i4", "u8", "f2", "f4", "f8", "c8", "c16")


# ---- memory ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_read_as_another_dtype(dtype: str) -> None:
    x = draw(dtype, 4, 8)
    targets = [one for one in DTYPES if one != "?" or dtype in ("?", "i1")]
    texts = [f"x.view('{one}')" for one in targets] + [f"x[::2].view('{one}')" for one in targets] + [f"x[0].view(np.dtype('{dtype}'))"]
    texts += [f"x[1, 2:4].view('{one}')" for one in ("u1", "i4", "f8")] + ["x.view(np.ndarray)", "x.view()", "x.T.view(x.dtype)"]
    same_size = f"u{min(np.dtype(dtype).itemsize, 8)}"
    texts += [f"x[0, 0].view('{same_size}')", "x.view('u1')[..., ::-1]", "x.byteswap()", "x.view('i1').sum()"]
    if dtype in ("i1", "f4", "f8"):
        texts += [f"x.T.view('{dtype}')", "x[:, ::2].view('c16')", "x[:, :3].view('c16')", "x.T.view('u1')"]
    agree_in_numpy(texts, x=x)


def test_a_view_of_the_same_dtype_is_the_memory() -> None:
    @stax.kernel
    def written(x):
        y = x.view()
        y[0] = 7
        x.view(np.float64)[1] = 8
        return y

    x = np.zeros(4)
    assert np.shares_memory(written(x), x) and x.tolist() == [7, 8, 0, 0]

    @stax.kernel
    def lost(x):
        x.view(np.int64)[0] = 1

    with pytest.raises(stax.StaxError, match=r"cannot be written to|read-only|not writ"):
        lost(np.zeros(3))


def test_sizes_of_views_are_symbolic() -> None:
    @stax.kernel
    def words(x):
        return x.view(np.uint8)

    program = words.lower(stax.spec(("N",), np.float32)).compile()
    for n in (1, 3, 8):
        x = draw("f4", n)
        assert np.array_equal(program(x), x.view(np.uint8))


def test_byteswap_in_place() -> None:
    @stax.kernel
    def swapped(x):
        return x.byteswap(inplace=True)

    x = np.array([1, 256, -2], np.int16)
    want = x.byteswap()
    assert np.array_equal(swapped(x), want) and np.array_equal(x, want)


def test_how_arrays_lie() -> None:
    x = draw("f4", 3, 4, 5)
    views = ["x", "x.T", "x[::2]", "x[:, 1:3]", "x[0, 0]", "x[:, :, ::-1]", "x.copy(order='F')", "np.asfortranarray(x)", "x[..., 0]"]
    texts = [f"({one}.strides, {one}.flags.c_contiguous, {one}.flags['F_CONTIGUOUS'], {one}.flags.forc)" for one in views]
    agree_in_numpy(
        [*texts, "np.isfortran(x.T)", "np.isfortran(x)", "x.flags.writeable", "np.broadcast_to(x, (2, 3, 4, 5)).flags.writeable"], x=x
    )


def test_flat() -> None:
    @stax.kernel
    def changed(x, n: int):
        x.flat[:: n + 1] = 1
        x.flat[2] += 5
        return x.flat[3], x.flat[-1], sum(x.flat[:2]), len(x.flat)

    x, y = np.zeros((4, 4)), np.zeros((4, 4))
    got = changed(x, 4)
    y.flat[::5] = 1
    y.flat[2] += 5
    assert np.array_equal(x, y) and got == (0.0, 1.0, 1.0, 16)

    @stax.kernel
    def of_a_copy(x):
        x.T.flat[0] = 1

    with pytest.raises(stax.StaxError):
        of_a_copy(np.zeros((3, 2)))


# ---- functions of elements, rows, places ----


def clipped(a: float, b: float = 1.0) -> float:
    if a > b:
        return b
    return math.sin(a) if a < 0 else a


smooth = np.vectorize(lambda a, b: a * b + 1)
branching = np.vectorize(clipped)
typed = np.vectorize(lambda a: a > 0, otypes=[bool])
several = np.vectorize(lambda a, b: (a + b, a - b))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_functions_of_elements(dtype: str) -> None:
    x, y = draw(dtype, 3, 4), draw(dtype, 4, seed=1)
    space = {"np": np, "smooth": smooth, "branching": branching, "typed": typed, "several": several}
    texts = ["smooth(x, y)", "smooth(x, 2)", "several(x, y)", "np.vectorize(abs)(x)", "np.vectorize(lambda a: 1, otypes=['f4'])(y)"]
    if dtype != "c16":
        texts += ["branching(x)", "branching(x, b=y * 0 + 2)", "typed(x)", "branching(x[0], 0)"]
    kernel = compiled(f"({', '.join(texts)},)", ["x", "y"], space)
    for text, got in zip(texts, kernel(x, y), strict=True):
        same(got, eval(text, {**space, "x": x, "y": y}), f"{text} of {dtype}", 4.0)
    assert (kernel.stats().route, kernel.stats().fallbacks) == ("native", 0)


def test_what_vectorize_refuses() -> None:
    for made, words in ((np.vectorize(clipped, excluded=["b"]), "`excluded`"), (np.vectorize(np.sum, signature="(n)->()"), "`signature`")):
        with pytest.raises(stax.StaxError, match=words):
            compiled("f(x)", ["x"], {"f": made})(np.ones(3))
    with pytest.raises(stax.StaxError, match="otypes"):
        compiled("f(x)", ["x"], {"f": smooth, "np": np})(np.ones((0, 2)))


@pytest.mark.parametrize("dtype", ["?", "i4", "f8", "c8"])
def test_functions_of_rows(dtype: str) -> None:
    x = draw(dtype, 3, 4, 2)
    functions = ("np.sum", "np.cumsum", "lambda r: r[::-1]", "lambda r: r[:, None] * r", "lambda r: (r[0] * 1, r[-1] * 2)")
    texts = [f"np.apply_along_axis({f}, {axis}, x)" for f in functions for axis in (0, 1, -1)]
    texts += ["np.apply_along_axis(np.sort, 1, x)", "np.apply_along_axis(np.sum, 0, x[:, 0, 0])"]
    agree_in_numpy([*texts, "np.apply_along_axis(lambda r, k, s=1: r[k] * s, 1, x, 1, s=3)"], 4.0, 4, x=x)


def test_places() -> None:
    @stax.kernel
    def table(x):
        out = np.zeros((2, 3))
        for i, j in np.ndindex(2, 3):
            out[i, j] = 10 * i + j
        total = 0.0
        for (i, j), value in np.ndenumerate(x):
            total += value * (i + 2 * j)
        return out, total, len(list(np.ndindex(x.shape)))

    x = draw("f8", 2, 3)
    out, total, count = table(x)
    assert np.array_equal(out, [[0, 1, 2], [10, 11, 12]]) and count == 6
    assert np.isclose(total, sum(value * (i + 2 * j) for (i, j), value in np.ndenumerate(x)))
    with pytest.raises(stax.StaxError, match="for i in range"):
        compiled("[i for i in np.ndindex(3000, 300)]", ["x"], {"np": np})(x)


def test_a_vector_of_a_sequence() -> None:
    texts = ["np.fromiter([3, 1, 2], float)", "np.fromiter((x[k] * 2 for k in range(3)), np.float32)"]
    agree_in_numpy([*texts, "np.fromiter(range(4), int, count=2)", "np.fromiter([1, 2], int, count=5)"], x=draw("f8", 3))


def test_finite_or_refused() -> None:
    kernel = compiled("np.asarray_chkfinite(x) * 2", ["x"], {"np": np})
    assert np.array_equal(kernel(np.array([1.0, 2.0])), [2, 4])
    with pytest.raises(ValueError, match="array must not contain infs or NaNs"):
        kernel(np.array([1.0, np.nan]))


# ---- ufuncs with two results ----


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_two_results(dtype: str) -> None:
    @stax.kernel
    def into(x, y, q, r, m):
        np.divmod(x, y, out=(q, r))
        first = q.copy(), r.copy()
        np.divmod(x, y, q, r, where=m)
        whole = np.zeros(x.shape)
        part, _ = np.modf(x, out=(None, whole))
        return first, part, whole, np.frexp(x)

    x, y, m = draw(dtype, 3, 4), draw(dtype, 4, seed=2), draw("?", 3, 4, seed=3)
    y[y == 0] = 2
    mine, theirs = ([np.zeros((3, 4), dtype) for _ in range(2)] for _ in range(2))
    same(into(x, y, *mine, m), into.__wrapped__(x, y, *theirs, m), dtype)
    for one, other in zip(mine, theirs, strict=True):
        assert np.array_equal(one, other)


# ---- what is said of others ----

ADVICE = {
    "np.random.default_rng(0)": "stax.random", "np.random.Generator(x)": "stax.random", "np.random.rand(3)": "stax.random",
    "np.char.upper(x)": "numbers and booleans", "np.ma.array(x)": "np.where", "np.emath.sqrt(x)": "astype(complex)",
    "x.astype(object)": "numbers and booleans", "x.astype('M8[s]')": "pass dates as integers", "np.zeros(3, np.longdouble)": "np.float64",
    "np.divmod.outer(x, x)": "x[:, None]", "np.lib.stride_tricks.as_strided(x, (2,), (8,))": "sliding_window_view",
    "np.array(['a'], dtype=str)": "numbers and booleans", "x.ctypes": "no addresses", "np.einsum_path('i,i', x, x)": "chooses the order",
}  # fmt: skip


@pytest.mark.parametrize("text", ADVICE)
def test_advice(text: str) -> None:
    with pytest.raises(stax.StaxError) as caught:
        compiled(text, ["x"], {"np": np})(np.ones(3))
    assert ADVICE[text] in str(caught.value)


def test_methods_of_the_class() -> None:
    agree_in_numpy(["np.ndarray.sum(x, axis=0)", "np.ndarray.astype(x, int)", "np.ndarray.reshape(x, (2, 6))"], x=draw("f8", 3, 4))
