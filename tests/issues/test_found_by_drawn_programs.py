"""Programs that were once wrong under a kernel: each kept as found, cut down, beside its plain function."""

import copy

import numpy as np
import pytest

import staxlang as stax


def agree(function, *args, calls=2):
    """Result types, dtypes, shapes, bits and effects on arguments are NumPy's."""
    kernel = stax.kernel(function)
    for _ in range(calls):
        mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
        got = kernel(*mine)
        with np.errstate(all="ignore"):
            expected = function(*theirs)
        results = list(zip(got, expected, strict=True)) if isinstance(expected, tuple) else [(got, expected)]
        for one, other in results + list(zip(mine, theirs)):
            assert type(one) is type(other), (type(one), type(other))
            if isinstance(other, (np.ndarray, np.generic)):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                np.testing.assert_array_equal(one, other)
            else:
                assert one == other
    assert kernel.stats().route == "native"
    return kernel


def test_power_beside_a_gather():
    def f(x, i):
        return (x[i] ** np.float64(2.7)) * 0 + x[i]

    agree(f, np.arange(1.0, 40.0), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]))
