"""Polynomials, windows, subscripts and bits as NumPy spells them, in kernels against NumPy: dtypes, empty arrays, what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, agree_in_numpy, draw

# ---- polynomials ----


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c8", "c16"])
def test_polynomials(dtype: str) -> None:
    a, b = draw(dtype, 5, seed=1) + np.asarray(1, dtype), draw(dtype, 3, seed=2)
    a[0] = b[0] = 2
    texts = [
        "np.polyadd(a, b)",
        "np.polysub(b, a)",
        "np.polymul(a, b)",
        "np.polymul(b, 3)",
        "np.polyadd(a, 2)",
        "np.polyder(a)",
        "np.polyder(a, 2)",
    ]
    texts += [
        "np.polyder(a, 0)",
        "np.polyder(b, 3)",
        "np.polyint(b)",
        "np.polyint(a, 2)",
        "np.polyint(b, 3, k=[1, 2, 3])",
        "np.polyint(b, 2, 6.0)",
    ]
    texts += [
        "np.polydiv(a, b)",
        "np.polydiv(b, a)",
        "np.polydiv(a, b[:1])",
        "np.polyder(a, -1)",
        "np.polyint(a, -1)",
        "np.polyint(a, 2, [1, 2, 3, 4])",
    ]
    agree_in_numpy(texts, 16.0, 5, a=a, b=b)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f2", "f4", "f8"])
def test_polynomial_of_its_zeros(dtype: str) -> None:
    agree_in_numpy(["np.poly(z)", "np.poly(z[:1])", "np.poly([1, 2])"], 4.0, z=draw(dtype, 4))
    z = np.array([1 + 2j, 3 - 1j, 2j])
    got = stax.poly(z)
    np.testing.assert_allclose(got, np.poly(z), rtol=1e-14)
    m = draw("f8", 4, 4)
    np.testing.assert_allclose(stax.poly(m), np.poly(m), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_zeros_of_a_polynomial(dtype: str) -> None:
    p = np.array([2, -3, 1, 5, -7]).astype(dtype)
    got = stax.roots(p)
    assert got.dtype == (np.complex64 if dtype == "f4" else np.complex128)
    order = np.lexsort((got.imag.round(4), got.real.round(4)))
    want = np.roots(p)
    np.testing.assert_allclose(
        got[order], want[np.lexsort((want.imag.round(4), want.real.round(4)))], rtol=1e-4 if dtype == "f4" else 1e-12
    )
    assert stax.roots(np.array([3.0])).shape == (0,)
    with pytest.raises(stax.StaxError, match="are not 0"):
        stax.roots(np.array([0.0, 1.0, 2.0]))


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
def test_fit(dtype: str) -> None:
    x = (np.arange(12) / (1 if dtype == "i8" else 4)).astype(dtype)
    y, w = draw(dtype, 12), np.abs(draw("f8" if dtype == "i8" else dtype, 12, seed=3)) + 1
    table = np.stack([y, y[::-1], y * 2], 1)
    texts = ["np.polyfit(x, y, 1)", "np.polyfit(x, y, 3)", "np.polyfit(x, t, 2)", "np.polyfit(x, y, 2, w=w)", "np.polyfit(x, y, 0)"]
    texts += ["np.polyfit(x, t, 2, cov=True)", "np.polyfit(x, y, 2, cov=True, w=w)", "np.polyfit(x, y, 2, cov='unscaled')"]
    texts += ["np.polyfit(x, y, -1)", "np.polyfit(t, y, 1)", "np.polyfit(x, y[:3], 1)", "np.polyfit(x[:2], y[:2], 1, cov=True)"]
    agree_in_numpy(texts, 2000.0, 12, x=x, y=y, t=table, w=w)
    c, residuals, rank, singular, limit = stax.polyfit(x, y, 2, full=True)
    for got, want in zip((c, residuals, singular), np.asarray(np.polyfit(x, y, 2, full=True), dtype=object)[[0, 1, 3]], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3 if dtype == "f4" else 1e-9)
    assert int(rank) == 3 and float(limit) == 12 * np.finfo("f4" if dtype == "f4" else "f8").eps


# ---- windows ----


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_bessel(dtype: str) -> None:
    x = np.concatenate([np.linspace(-11, 11, 45), [0, 8, 8.001]]).astype(dtype)
    if dtype == "f2":
        np.testing.assert_allclose(stax.i0(x).astype(float), np.i0(x.astype(float)), rtol=1e-3)
        assert stax.i0(x).dtype == np.float16
    else:
        agree_in_numpy(["np.i0(x)", "np.i0(x.reshape(2, -1))", "np.i0(x[:0])", "np.i0(x[3])[()]"], 8.0, x=x)
    with pytest.raises(stax.StaxError):
        stax.i0(np.ones(2, complex))


def test_bessel_far_out() -> None:
    x = np.array([20.0, 100.0, 700.0, 713.0, 800.0, np.inf, np.nan])
    np.testing.assert_allclose(stax.i0(x)[:3], np.i0(x[:3]), rtol=1e-14)
    assert np.isinf(stax.i0(x)[4]) and np.isnan(stax.i0(x)[6])


def test_kaiser() -> None:
    agree_in_numpy([f"np.kaiser({m}, {beta})" for m in (0, 1, 2, 7, 20) for beta in (0.0, 5, 14.0)], 4.0, x=1.0)
    np.testing.assert_allclose(stax.kaiser(9, np.float64(8.6)), np.kaiser(9, 8.6), rtol=1e-14)


# ---- subscripts ----


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
def test_triangles(n: int) -> None:
    cases = [f"{n}{k}{m}" for k, m in itertools.product(("", ", 1", ", -1", ", 7", ", k=-7"), ("", ", m=3", ", m=9", ", m=1"))]
    agree_in_numpy([f"np.{name}({one})" for name in ("tril_indices", "triu_indices") for one in cases], x=1.0)


def test_large_triangle() -> None:
    for got, want in zip(stax.tril_indices(1500, 3), np.tril_indices(1500, 3), strict=True):
        assert np.array_equal(got, want)


def test_subscripts_of_arrays() -> None:
    a, b = draw("f4", 4, 4), draw("f4", 3, 5)
    texts = [f"np.{name}({x})" for name in ("tril_indices_from", "triu_indices_from") for x in ("a", "b", "b, 1", "b.T, k=-1")]
    texts += [
        "np.diag_indices(3)",
        "np.diag_indices(2, 3)",
        "np.diag_indices_from(a)",
        "a[np.triu_indices_from(a, 1)]",
        "np.diag_indices_from(b)",
    ]
    agree_in_numpy(
        [*texts, "np.diag_indices_from(a[0])", "np.linalg.trace(b, offset=1)", "np.linalg.diagonal(b)", "np.row_stack((a, a[0]))"], a=a, b=b
    )


def test_symbolic_triangle() -> None:
    @stax.kernel
    def packed(x):
        return x[np.tril_indices(x.shape[0])]

    program = packed.lower(stax.spec(("N", "N"), np.float64)).compile()
    for n in (1, 2, 7):
        x = draw("f8", n, n)
        assert np.array_equal(program(x), x[np.tril_indices(n)])


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2"])
def test_numbers_and_subscripts(dtype: str) -> None:
    i, j = np.array([[0, 1, 2], [2, 0, 1]], dtype), np.array([3, 0, 1], dtype)
    texts = [
        "np.ravel_multi_index((i, j), (3, 4))",
        "np.ravel_multi_index((i, j), (3, 4), order='F')",
        "np.ravel_multi_index((i, j), (2, 4))",
    ]
    texts += ["np.ravel_multi_index((i, j), (2, 3), mode='clip')", "np.ravel_multi_index((i, j), (2, 3), mode=('wrap', 'clip'))"]
    texts += [
        "np.unravel_index(i, (2, 3))",
        "np.unravel_index(i, (2, 2, 2), order='F')",
        "np.unravel_index(j, 4)",
        "np.unravel_index(j, (3,))",
    ]
    texts += [
        "np.unravel_index(5, (2, 3))",
        "np.ravel_multi_index((i, j), (3,))",
        "np.unravel_index(j * 1.5, 9)",
        "np.unravel_index(i, (2, 3), 'K')",
    ]
    agree_in_numpy(texts, i=i, j=j)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX])
def test_choose(dtype: str) -> None:
    a, c = np.array([[0, 2, 1], [1, 1, 0]]), draw(dtype, 3, 3)
    texts = ["np.choose(a, c)", "np.choose(a, [c, c[0], c[1]])", "a.choose([c[0], 5, c[2]])", "np.choose(a - 1, c)", "np.choose(a + 1, c)"]
    agree_in_numpy(
        [*texts, "np.choose(a * 2, c, mode='wrap')", "np.choose(a - 1, c, mode='clip')", "np.choose(a * 1.0, c)", "np.choose(a > 0, c)"],
        a=a,
        c=c,
    )


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX])
def test_insert_and_resize(dtype: str) -> None:
    x, v = draw(dtype, 3, 4), draw(dtype, 4, seed=1)
    texts = [
        "np.insert(x, 1, 5)",
        "np.insert(x, -1, v)",
        "np.insert(x, [2], v)",
        "np.insert(x, [0, 5, 5], [1, 2, 3])",
        "np.insert(x, 1, v, axis=0)",
    ]
    texts += [
        "np.insert(x, 1, v[:3], axis=1)",
        "np.insert(x, [1, 3], v[:2], axis=1)",
        "np.insert(x, [1], v[:3, None], axis=1)",
        "np.insert(x, 4, 0, axis=-1)",
    ]
    texts += ["np.insert(x, slice(0, 3, 2), v[:2], axis=1)", "np.insert(x, 13, 1)", "np.insert(x, [3, 0], 7, axis=0)"]
    texts += [
        "np.resize(x, (5, 3))",
        "np.resize(x, 30)",
        "np.resize(x, (2, 2))",
        "np.resize(x[:0], (2,))",
        "np.resize(x, (0, 2))",
        "np.resize(x, (-1, 2))",
    ]
    agree_in_numpy(texts, x=x, v=v)


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_put(dtype: str) -> None:
    @stax.kernel
    def replaced(x, y, places, values):
        np.put(x, places, values)
        y.put([0, -1], values[0])
        np.put(y, [7, 20], values[1], mode="wrap")
        np.put(y, [-5, 100], values[2], mode="clip")

    x, y, places, values = draw(dtype, 3, 4), draw(dtype, 2, 5, seed=1), np.array([[0, 11], [-2, 5]]), draw(dtype, 3, seed=2)
    a, b = x.copy(), y.copy()
    replaced(x, y, places, values)
    np.put(a, places, values)
    b.put([0, -1], values[0])
    np.put(b, [7, 20], values[1], mode="wrap")
    np.put(b, [-5, 100], values[2], mode="clip")
    assert np.array_equal(x, a) and np.array_equal(y, b) and replaced.stats().route == "native"


def test_functions_of_subscripts_and_axes() -> None:
    x = draw("f8", 3, 4, 5)
    texts = [
        "np.fromfunction(lambda i, j: i + 2 * j, (3, 4))",
        "np.fromfunction(lambda i: i * i, (4,), dtype=int)",
        "np.apply_over_axes(np.sum, x, (0, 2))",
    ]
    agree_in_numpy([*texts, "np.apply_over_axes(np.max, x, 1)", "np.apply_over_axes(np.cumsum, x, [0, -1])"], 4.0, 12, x=x)


@pytest.mark.parametrize("dtype", ["i2", *FLOATS])
def test_extremes_without_nan(dtype: str) -> None:
    x = draw(dtype, 4, 5, nan=dtype.startswith("f"))
    texts = [f"np.{name}(x{more})" for name in ("nanargmax", "nanargmin") for more in ("", ", axis=1", ", 0", ", axis=0, keepdims=True")]
    agree_in_numpy(
        [*texts, "np.nanargmax(x * np.nan)", "np.nanargmin(np.where(x > 0, x, np.nan) * 0 / 0, axis=1)"][: None if dtype != "i2" else 8],
        x=x,
    )


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype: str) -> None:
    x = draw(dtype, 3, 11) % np.asarray(2, dtype) if dtype != "?" else draw("?", 3, 11)
    texts = [f"np.packbits(x{more})" for more in ("", ", axis=1", ", 0", ", axis=-1, bitorder='little'", "[:, :8], 1", "[:0], 1")]
    bits = [
        f"np.unpackbits(b{more})"
        for more in ("", ", axis=1", ", 0", ", 1, count=5", ", 1, -3", ", 1, 40", ", bitorder='little'", ", axis=1, count=-99")
    ]
    agree_in_numpy(
        [*texts, *bits, "np.packbits(x * 1.5)", "np.packbits(x, bitorder='middle')", "np.unpackbits(x * 1.0)"],
        x=x,
        b=draw("u1", 3, 4) * np.uint8(37),
    )


# ---- more options ----


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_options(dtype: str) -> None:
    x = np.sort(draw(dtype, 6))[::-1].copy()
    p = np.array([370.0, 10.0, 185.0, 90.0])
    texts = [
        "np.searchsorted(x, v, sorter=s)",
        "np.searchsorted(x, v, 'right', s)",
        "x[::-1].searchsorted(v)",
        "np.isposinf(x, out=o)",
        "np.isneginf(x, o)",
    ]
    texts += [
        "np.interp(v * 100, p, v[:4], period=360)",
        "np.interp([5, -5, 725], p, x[:4], period=-360.0)",
        "np.interp(v, p, v[:4], period=0)",
    ]
    agree_in_numpy(texts, 4.0, x=x, s=np.argsort(x), v=draw(dtype, 5, seed=3), o=np.zeros(6, bool), p=p)
    agree_in_numpy(
        [
            "np.linalg.cross(x[:3], x[3:])",
            "np.linalg.outer(x, x)",
            "np.linalg.cross(x[:2], x[2:4])",
            "np.linalg.outer(x[:, None], x)",
        ],
        x=x,
    )
