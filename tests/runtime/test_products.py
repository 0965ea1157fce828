"""Matrix products through NumPy's own BLAS, and through plain loops where it cannot be called."""

import ctypes

import numpy as np
import pytest

import staxlang as stax
from staxlang.runtime import blas, machine, native
from staxlang.runtime.loader import Symbols
from staxlang.runtime.support import load
from tests.runtime.agreement import check, same


def test_numpys_blas_is_found():
    found = blas.find()
    assert found is not None and found.f32 and found.f64


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products(dtype):
    @stax.kernel
    def f(a, b, bias):
        return np.maximum(a @ b + bias, 0)

    for m, k, n in ((64, 64, 64), (200, 130, 170), (1, 300, 200), (256, 1, 40)):
        a, b, bias = (np.random.default_rng(m).normal(size=shape).astype(dtype) for shape in ((m, k), (k, n), (n,)))
        for left in (a, np.asfortranarray(a), np.repeat(a, 2, 1)[:, ::2]):
            expected = f.__wrapped__(left, b, bias)
            for _ in range(2):
                np.testing.assert_allclose(f(left, b, bias), expected, rtol=2e-4, atol=2e-4 if dtype == "f4" else 1e-10)
    assert f.stats().route == "native"


def test_batches_and_vectors():
    @stax.kernel
    def f(a, b, v):
        return a @ b, a @ v, v @ b, np.dot(v, v)

    rng = np.random.default_rng(0)
    check(f, rng.normal(size=(5, 40, 50)), rng.normal(size=(5, 50, 50)), rng.normal(size=50))


@pytest.mark.parametrize(("name", "dtype", "kind"), [("f32", "f4", ctypes.c_float), ("f64", "f8", ctypes.c_double)])
def test_own_loops(name, dtype, kind):
    target = machine.detect()
    data = native.compile_text(blas.own_loops(), target.triple, target.cpu, target.features)
    code = load(data, Symbols(), ("stax_gemm_f32", "stax_gemm_f64"))
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    gemm = ctypes.CFUNCTYPE(
        None, ctypes.c_int32, ctypes.c_int32, size, size, size, pointer, size, pointer, size, pointer, size
    )(code.addresses[f"stax_gemm_{name}"])
    rng = np.random.default_rng(1)
    for turned_a in (0, 1):
        for turned_b in (0, 1):
            a, b = rng.normal(size=(5, 7)).astype(dtype), rng.normal(size=(7, 3)).astype(dtype)
            left = np.ascontiguousarray(a.T if turned_a else a)
            right = np.ascontiguousarray(b.T if turned_b else b)
            out = np.full((5, 4), 9, dtype)
            gemm(turned_a, turned_b, 5, 3, 7, left.ctypes.data, left.shape[1], right.ctypes.data, right.shape[1], out.ctypes.data, 4)
            same(np.ascontiguousarray(out[:, :3]), a @ b)
            assert (out[:, 3] == 9).all()
