"""Sizes beyond memory, and beyond what 64 bits count: an error that says what could not be had, in every version of a kernel."""

import numpy as np
import pytest

import staxlang as stax

ONE = np.float64(1)


def summed(x):
    return (x[:, None] * x).sum()


def table(x):
    return x[:, None] * x + 1


def running(x):
    return np.cumsum(x[:, None] * x, 0)[-1, -1]


def product(x):
    return (x[:, None] * x) @ (x[:, None] * x)


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("function", [table, running, product, summed])
@pytest.mark.parametrize("n", [1 << 31, 1 << 32, (1 << 32) + 1, 1 << 33, 1 << 40])
def test_more_than_64_bits_count(function, n, warm):
    kernel = stax.kernel(function)
    for size in (3, 4, 5) if warm else ():
        np.testing.assert_allclose(kernel(np.ones(size)), function(np.ones(size)))
    with pytest.raises(MemoryError, match="bytes for"):
        kernel(np.broadcast_to(ONE, (n,)))
    x = np.arange(6.0)
    np.testing.assert_allclose(kernel(x), function(x))


@pytest.mark.parametrize("n", [10**12, 10**16])
def test_a_call_without_memory_changes_no_argument(n):
    @stax.kernel
    def f(x, n):
        x += 1
        return np.cumsum(x[:, None] * np.ones(n), 0)[-1, -1]

    for size in (3, 4, 5):
        f(np.zeros(4), size)
    x = np.zeros(4)
    with pytest.raises(stax.StaxError, match="could not be allocated"):
        f(x, n)
    assert (x == 0).all()


def test_an_extent_below_zero_is_told():
    with pytest.raises(ValueError, match="n - 4 is -2"):
        stax.kernel(lambda n: np.zeros((3, n - 4)))(2)
