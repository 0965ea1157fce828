"""Matrix products through NumPy's own BLAS, and through plain loops where it cannot be called."""

import ctypes

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.llvm import library
from staxlang.runtime import blas, machine, native
from staxlang.runtime.loader import Symbols
from staxlang.runtime.support import load
from tests.runtime.agreement import check, same


def test_numpys_blas_is_found():
    found = blas.find()
    assert found is not None and len(found.symbols) == 8 and all(found.symbols.values())


def drawn(rng, shape, dtype):
    values = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype.startswith("c") else 0)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_products(dtype):
    @stax.kernel
    def f(a, b, bias):
        return a @ b + bias

    for m, k, n in ((64, 64, 64), (200, 130, 170), (1, 300, 200), (256, 1, 40)):
        a, b, bias = (drawn(np.random.default_rng(m), shape, dtype) for shape in ((m, k), (k, n), (n,)))
        for left in (a, np.asfortranarray(a), np.repeat(a, 2, 1)[:, ::2]):
            expected = f.__wrapped__(left, b, bias)
            for _ in range(2):
                np.testing.assert_allclose(f(left, b, bias), expected, rtol=2e-4, atol=2e-4 if dtype in ("f4", "c8") else 1e-10)
    assert f.stats().route == "native"
    report = f.explain(a, b, bias)
    assert "gemm" in str(report), report


def test_complex_batches_and_conjugates():
    @stax.kernel
    def f(a, b):
        return a @ b, a.conj() @ b, np.swapaxes(a, -1, -2).conj() @ b[0], np.einsum("bij,bjk->bik", a, b)

    rng = np.random.default_rng(0)
    check(f, drawn(rng, (5, 40, 40), "c16"), drawn(rng, (5, 40, 50), "c16"))
    short = drawn(rng, (5, 40, 40), "c8"), drawn(rng, (5, 40, 50), "c8")
    for got, expected in zip(f(*short), f.__wrapped__(*short), strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_batches_and_vectors():
    @stax.kernel
    def f(a, b, v):
        return a @ b, a @ v, v @ b, np.dot(v, v)

    rng = np.random.default_rng(0)
    check(f, rng.normal(size=(5, 40, 50)), rng.normal(size=(5, 50, 50)), rng.normal(size=50))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_products_with_the_own_transpose_are_numpys_to_the_bit(dtype):
    """NumPy computes one half of a symmetric product and mirrors it."""

    @stax.kernel
    def f(a):
        return a @ np.swapaxes(a, -1, -2), np.swapaxes(a, -1, -2) @ a

    @stax.kernel
    def g(a, b):
        return a @ b

    @stax.kernel
    def h(a, b):
        y = a + b
        return y.T @ y

    rng = np.random.default_rng(3)
    for shape in ((65, 30), (30, 65), (201, 129), (3, 40, 25)):
        a = drawn(rng, shape, dtype)
        for left in (a, a[..., :-7], np.asfortranarray(a), np.asfortranarray(a)[..., :-9, :]):
            results = f(left)
            for got, expected in zip(results, f.__wrapped__(left), strict=True):
                assert np.array_equal(got, np.swapaxes(got, -1, -2))
                if len(shape) == 2 and (left.flags.f_contiguous or left.flags.c_contiguous):
                    assert np.array_equal(got, expected)
                np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
        if len(shape) == 2:
            assert np.array_equal(g(a, a.T), a @ a.T)
            assert np.array_equal(g(a[:25, :25], a[:25, :25]), a[:25, :25] @ a[:25, :25])  # one storage, not turned
            assert np.array_equal(h(a, a), h.__wrapped__(a, a))
    assert f.stats().route == g.stats().route == h.stats().route == "native"


@pytest.mark.parametrize(("name", "dtype", "kind"), [("f32", "f4", ctypes.c_float), ("f64", "f8", ctypes.c_double)])
def test_half_of_a_symmetric_product_is_computed(name, dtype, kind):
    """Which routine is called with what, and that one half is mirrored; the routines here only take notes."""
    calls = []
    whole, pointer = ctypes.c_int64, ctypes.c_void_p

    def product(order, turned_a, turned_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc):
        calls.append(("gemm", turned_a, turned_b, m, n, k, lda, ldb, ldc))

    def half(order, triangle, turned, n, k, alpha, a, lda, beta, c, ldc):
        calls.append(("syrk", triangle, turned, n, k, lda, ldc))

    enum = ctypes.c_int32
    kinds = {
        "gemm": ctypes.CFUNCTYPE(None, enum, enum, enum, whole, whole, whole, kind, pointer, whole, pointer, whole, kind, pointer, whole),
        "syrk": ctypes.CFUNCTYPE(None, enum, enum, enum, whole, whole, kind, pointer, whole, kind, pointer, whole),
    }
    made = {"gemm": kinds["gemm"](product), "syrk": kinds["syrk"](half)}
    symbols = Symbols()
    symbols.update({f"stax_cblas_{one}": ctypes.cast(made[one[1:]], pointer).value for one in library.OUTSIDE})
    target = machine.detect()
    code = load(native.compile_text(library.gemm_text(True), target.triple, target.cpu, target.features), symbols, (f"stax_gemm_{name}",))
    gemm = ctypes.CFUNCTYPE(None, enum, enum, whole, whole, whole, pointer, whole, pointer, whole, pointer, whole)(
        code.addresses[f"stax_gemm_{name}"]
    )
    for n in (2, 7, 8, 9, 21):
        a = np.zeros((n, 5), dtype)
        out = np.arange(n * (n + 3), dtype=dtype).reshape(n, n + 3)
        before, at = out.copy(), (a.ctypes.data, 5)
        gemm(0, 1, n, n, 5, *at, *at, out.ctypes.data, n + 3)
        assert calls.pop() == ("syrk", 121, 111, n, 5, 5, n + 3)
        assert np.array_equal(out[:, :n], np.triu(before[:, :n]) + np.triu(before[:, :n], 1).T)
        assert np.array_equal(out[:, n:], before[:, n:])
        gemm(0, 0, n, n, 5, *at, *at, out.ctypes.data, n + 3)
        assert calls.pop() == ("gemm", 111, 111, n, n, 5, 5, 5, n + 3)
        gemm(0, 1, n, n, 5, *at, a.ctypes.data + a.itemsize, 5, out.ctypes.data, n + 3)
        assert calls.pop()[:3] == ("gemm", 111, 112)
    assert not calls


@pytest.mark.parametrize(("name", "dtype"), [("f32", "f4"), ("f64", "f8"), ("c64", "c8"), ("c128", "c16")])
def test_own_loops(name, dtype):
    target = machine.detect()
    data = native.compile_text(blas.own_loops(), target.triple, target.cpu, target.features)
    code = load(data, Symbols(), library.PRODUCTS)
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    gemm = ctypes.CFUNCTYPE(
        None, ctypes.c_int32, ctypes.c_int32, size, size, size, pointer, size, pointer, size, pointer, size
    )(code.addresses[f"stax_gemm_{name}"])
    rng = np.random.default_rng(1)
    for turned_a in (0, 1):
        for turned_b in (0, 1):
            a, b = drawn(rng, (5, 7), dtype), drawn(rng, (7, 3), dtype)
            left = np.ascontiguousarray(a.T if turned_a else a)
            right = np.ascontiguousarray(b.T if turned_b else b)
            out = np.full((5, 4), 9, dtype)
            gemm(turned_a, turned_b, 5, 3, 7, left.ctypes.data, left.shape[1], right.ctypes.data, right.shape[1], out.ctypes.data, 4)
            same(np.ascontiguousarray(out[:, :3]), a @ b)
            assert (out[:, 3] == 9).all()
