"""`i0`, `i1`, .. and `r0`, .. name subscripts inside programs: no size can have these names, arguments can."""
# ruff: noqa: F821, F722

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f64


def transposed(x: Tensor[f64, "N", "i0"]):
    return x.T


def doubled(x: Tensor[f64, "N", "2 * r1"]):
    return x.T


def listed(x: Tensor[f64, "i12 N"]):
    return x.T


@pytest.mark.parametrize("function", [transposed, doubled, listed])
def test_names_of_subscripts_are_no_names_of_sizes(function):
    with pytest.raises(stax.StaxError, match=r"`(i0|r1|i12)` names a subscript: give the size another name"):
        stax.kernel(function)(np.ones((2, 2)))


@pytest.mark.parametrize("name", ["i0", "i12", "r0"])
def test_dims_refuses_them(name):
    with pytest.raises(ValueError, match="names a subscript"):
        stax.dims(f"N {name}")


def test_numbers_and_arrays_may_be_called_like_subscripts():
    @stax.kernel(sizes="symbolic")
    def f(i0, r0, i1):
        return i0[:i1].T + np.zeros((i0.shape[1], r0)), i0[r0 - 1 :].sum(0)

    x = np.arange(6.0).reshape(3, 2)
    for array, rows in ((x, 2), (x, 1), (x[:2], 1), (x, 3)):
        for got, expected in zip(f(array, rows, rows), f.__wrapped__(array, rows, rows), strict=True):
            assert np.array_equal(got, expected)
