"""What messages call things, and what they propose."""

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f32

N, D, K = stax.dims("N D K")


def message(function, *arguments):
    with pytest.raises(stax.StaxError) as caught:
        stax.kernel(function)(*arguments)
    return str(caught.value)


class Own:
    pass


@pytest.mark.parametrize("given", [np.int8, np.float64, int, Own])
def test_a_class_is_called_a_class(given):
    assert f"between f64[4] and class {given.__name__}" in message(lambda x, t: x + t, np.ones(4), given)


def test_a_double_transpose_is_not_proposed():
    def product(x: Tensor[f32, N, D], w: Tensor[f32, D, K]):
        return x @ w.T

    def other(x: Tensor[f32, N, D], w: Tensor[f32, K, D]):
        return x @ w

    left = np.ones((2, 3), np.float32)
    assert "did you mean `x @ w`?" in message(product, left, np.ones((3, 4), np.float32))
    assert "did you mean `x @ w.T`?" in message(other, left, np.ones((4, 3), np.float32))


def test_the_number_of_chosen_elements_has_a_name_and_an_origin():
    found = message(lambda x, m: x[m] + np.ones(5), np.ones(4), np.array([True, False, True, True]))
    assert "count_true and 5" in found and "the number of elements that the mask chooses" in found


def test_the_imaginary_part_of_real_numbers_is_read_only():
    def write(x):
        y = x.imag
        y[0] = 1
        return y

    assert "read-only" in message(write, np.ones(3))
    made = stax.kernel(lambda x: x.imag)(np.ones(3))
    assert np.array_equal(made, np.zeros(3)) and not made.flags.writeable
    assert stax.kernel(write)(np.ones(3) + 1j)[0] == 1


@pytest.mark.parametrize("shape", [(1,), (0,), (2, 1), (1, 2), (5,)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_unwrap_along_an_axis_of_one(shape, dtype):
    x = (np.arange(np.prod(shape)).reshape(shape) * 5).astype(dtype)
    for axis in range(len(shape)):
        made, expected = stax.kernel(lambda p, axis=axis: np.unwrap(p, axis=axis))(x), np.unwrap(x, axis=axis)
        assert made.dtype == expected.dtype and made.shape == expected.shape
        np.testing.assert_allclose(made, expected, rtol=1e-6)


def test_kernels_name_their_source_lines():
    def f(x):
        y = x * 2
        return y.sum(1)

    report = stax.kernel(f).explain(np.ones((3, 4)))
    first = f.__code__.co_firstlineno
    assert [kernel.source_lines for kernel in report.kernels] == [(first + 1, first + 2)]


def test_sizes_of_derived_values_have_an_origin():
    def f(x, w):
        y = np.exp(x[1:]) * 2
        return y + w

    found = message(f, np.ones((3, 5)), np.ones((2, 4)))
    assert "y: f64[2, 5]   5 is the last axis of parameter x" in found and "4 is the last axis of parameter w" in found

    def g(x, w):
        return x.sum(0) + w.sum(0) + np.ones(7)

    found = message(g, np.ones((3, 5)), np.ones((2, 5)))
    assert "np.ones(7): f64[7]\n" in found + "\n" and "w.sum(0): f64[5]\n" in found  # of two parameters: not known which
