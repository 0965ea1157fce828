"""Powers by one whole number: products."""

import numpy as np
import pytest

import staxlang as stax


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("function", [lambda z: z**3, lambda z: z**4, lambda z: z**7, lambda z: z ** (2 * 15)], ids=["3", "4", "7", "30"])
def test_of_complex_numbers(dtype, function):
    draw = np.random.default_rng(3)
    z = (draw.normal(size=200) + 1j * draw.normal(size=200)).astype(dtype)
    kernel = stax.kernel(function)
    got = kernel(z)
    assert got.dtype == dtype and "power" not in str(kernel.show("optimized", z))
    np.testing.assert_allclose(got, function(z), rtol=3e-5 if dtype == np.complex64 else 1e-13)


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, np.float64), (np.float64, np.longdouble)])
def test_cubes(dtype, bits):
    x = (np.random.default_rng(0).normal(size=100_000) * 10.0 ** np.random.default_rng(1).integers(-8, 8, 100_000)).astype(dtype)
    got, exact = stax.kernel(lambda x: x**3)(x), x.astype(bits) ** 3
    assert (np.abs(got.astype(bits) - exact) / np.spacing(np.abs(got))).max() <= 1.5
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 2.0**40], dtype)
    np.testing.assert_array_equal(stax.kernel(lambda x: x**3)(special), special**3)


@pytest.mark.parametrize("function", [lambda x: x**3, lambda x: x**5, lambda x: x**64], ids=["3", "5", "64"])
def test_of_integers(function):
    x = np.arange(-40, 40)
    for dtype in (np.int8, np.uint32, np.int64):
        kernel = stax.kernel(function)
        np.testing.assert_array_equal(kernel(x.astype(dtype)), function(x.astype(dtype)))
        assert "power" not in str(kernel.show("optimized", x.astype(dtype)))
