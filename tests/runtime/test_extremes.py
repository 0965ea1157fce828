"""Greatest and least values and their places: ties, NaN, infinities, every dtype, every layout, sizes constant and symbolic."""

import numpy as np
import pytest

import staxlang as stax


def extremes(x, axis):
    return x.max(axis), x.min(axis), x.argmax(axis), x.argmin(axis), (x * x).argmax(axis)


def laid_out(x, layout):
    if layout == "column-major":
        return np.asfortranarray(x)
    if layout == "stepped":
        wide = np.zeros([2 * n + 1 for n in x.shape], x.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in x.shape)]
        part[...] = x
        return part
    if layout == "reversed":
        return x[::-1].copy()[::-1]
    return x.copy()


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i1", "u8", "?", "c8", "c16"])
def test_the_first_of_equal_ones(dtype, axis):
    kernel = stax.kernel(extremes, max_versions=64)
    rng = np.random.default_rng(5)
    for shape in [(7, 9), (5, 8), (3, 40), (40, 3)]:
        for layout in ["plain", "column-major", "stepped", "reversed"]:
            for odd in (None, np.nan, np.inf, -np.inf):
                x = rng.integers(0, 3, shape).astype(dtype)
                if odd is not None:
                    if x.dtype.kind not in "fc":
                        continue
                    x.flat[rng.integers(x.size, size=2)] = odd
                x = laid_out(x, layout)
                with np.errstate(all="ignore"):
                    expected = extremes(x, axis)
                for one, other in zip(kernel(x, axis), expected, strict=True):
                    np.testing.assert_array_equal(one, other)
    assert kernel.stats().route == "native"


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_values_beyond_all_numbers(dtype, axis):
    inf, nan = np.inf, np.nan
    kernel = stax.kernel(lambda x: (x.max(axis), x.min(axis), x.argmax(axis), x.argmin(axis)))
    for rows in (
        [[complex(-inf, -inf), complex(-inf, -3)], [complex(-inf, -inf), complex(-inf, -inf)]],
        [[2e38, 1e38 + 3e38j], [-2e38, complex(-2e38, -3e38)]],
        [[complex(-inf, 1), complex(-inf, -1)], [complex(-inf, -2), complex(-inf, 2)]],
        [[complex(0, nan), 1], [2, complex(nan, 1)]],
    ):
        small = np.array(rows, dtype)
        for x in (small, -small, np.tile(small, (1, 9)), np.tile(-small, (9, 1))):
            for one, other in zip(kernel(x), kernel.__wrapped__(x), strict=True):
                np.testing.assert_array_equal(np.real(one), np.real(other))
                np.testing.assert_array_equal(np.imag(one), np.imag(other))


@pytest.mark.parametrize("dtype", ["f8", "i4", "c16"])
@pytest.mark.parametrize("shape", [(300, 400), (70000, 3), (3, 70000)])
def test_the_first_place_in_long_arrays_of_any_order(dtype, shape):
    def places(x, y):
        return x.argmax(), (x + y.T).argmin(), x.T.argmax(), (x > 1).argmax(), x * 2, (x - y.T).argmax()

    kernel = stax.kernel(places)
    rng = np.random.default_rng(7)
    x, y = rng.integers(0, 3, shape).astype(dtype), rng.integers(0, 3, shape[::-1]).astype(dtype)
    x[:, 0] = x[0, :] = 1
    for one in (x, np.asfortranarray(x), x[::-1].copy()[::-1]):
        for other in (y, np.asfortranarray(y)):
            for mine, theirs in zip(kernel(one, other), places(one, other), strict=True):
                np.testing.assert_array_equal(mine, theirs)
