"""What is a view and what a copy does not depend on which layouts a kernel has seen before."""

import itertools

import numpy as np
import pytest

import staxlang as stax


def layouts(shape):
    base = np.arange(float(np.prod(shape))).reshape(shape)
    wide = np.zeros((shape[0], 2 * shape[1]))
    tall = np.zeros((shape[0] * 2, shape[1] + 1))
    made = {
        "plain": base.copy(),
        "transposed": np.ascontiguousarray(base.T).T,
        "every second column": wide[:, ::2],
        "part of wider rows": tall[::2, :-1],
        "reversed": base.copy()[::-1],
        "read-only": base.copy(),
    }
    for array in made.values():
        array[...] = base
    made["read-only"].flags.writeable = False
    return made


FUNCTIONS = [
    lambda x: x.reshape(-1),
    lambda x: np.ravel(x),
    lambda x: x.ravel("F"),
    lambda x: x[:, :2].ravel(),
    lambda x: x.reshape(2, -1),
    lambda x: x.T.reshape(-1),
    lambda x: x[0].ravel(),
    lambda x: x[:, None].reshape(x.shape),
    lambda x: x.flatten(),
]
SHAPES = [(4, 3), (2, 6), (6, 1), (1, 6), (4, 2)]


def same(function, kernel, shape, name):
    mine, theirs = layouts(shape)[name], layouts(shape)[name]
    got, expected = kernel(mine), function(theirs)
    np.testing.assert_array_equal(got, expected)
    assert np.shares_memory(got, mine) == np.shares_memory(expected, theirs), (shape, name)
    assert got.flags.writeable == expected.flags.writeable, (shape, name)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_views_of_any_layout_after_any_other(function, seed):
    kernel = stax.kernel(function, max_versions=64)
    calls = list(itertools.product(SHAPES, layouts((4, 3))))
    for index in np.random.default_rng(seed).permutation(len(calls)):
        same(function, kernel, *calls[index])
    assert kernel.stats().route == "native"


def test_a_write_through_a_flat_view_reaches_the_argument_in_every_version():
    def first(x):
        flat = x.reshape(-1)
        flat[1] = 99
        return x.sum()

    kernel = stax.kernel(first)
    for name in [*layouts((4, 3)), "plain"]:
        mine, theirs = layouts((4, 3))[name], layouts((4, 3))[name]
        if theirs.flags.writeable:
            assert kernel(mine) == first(theirs)
            np.testing.assert_array_equal(mine, theirs)
        else:
            with pytest.raises(ValueError, match="read-only"):
                kernel(mine)


def test_what_is_read_of_flat_is_a_copy():
    def f(x):
        y = x.flat[1:3]
        x.flat[0] = 9
        y *= 2
        return y, x.flat[:], x.flat[2]

    mine, theirs = np.arange(4.0), np.arange(4.0)
    for got, expected in zip(stax.kernel(f)(mine), f(theirs), strict=True):
        np.testing.assert_array_equal(got, expected)
        assert not np.shares_memory(got, mine)
    np.testing.assert_array_equal(mine, theirs)


WHOLE = [
    lambda x: x[:], lambda x: x[...], lambda x: x.T, lambda x: x.reshape(3), lambda x: x.ravel(), lambda x: np.broadcast_to(x, (3,)),
    lambda x: x.swapaxes(0, 0), lambda x: x.view(), lambda x: x, lambda x: np.asarray(x), lambda x: np.ascontiguousarray(x),
    lambda x: x.real,
]  # fmt: skip


@pytest.mark.parametrize("function", WHOLE)
def test_a_view_of_all_of_an_argument_is_an_array_of_its_own(function):
    """As in NumPy: its shape can be set, and its flag, without a change of the argument."""
    kernel, identical = stax.kernel(function), stax.kernel(lambda x: function(x) is x)
    for _ in range(3):
        x = np.arange(3.0)
        got, expected = kernel(x), function(x)
        assert (got is x) == (expected is x) == identical(x)
        assert np.shares_memory(got, x) and got.flags.writeable == expected.flags.writeable
    assert kernel.stats().route == "native" and kernel.stats().hits == 2
