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
