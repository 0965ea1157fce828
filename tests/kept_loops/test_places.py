"""Loops over all places of an array: nests, one loop for each axis."""

import itertools

import numpy as np
import pytest

import staxlang as stax


def box(x):
    out = np.zeros_like(x)
    for i, j in np.ndindex(x.shape[0] - 2, x.shape[1] - 2):
        out[i + 1, j + 1] = x[i : i + 3, j : j + 3].mean()
    return out


def by_place(x):
    out = np.empty_like(x)
    for place in np.ndindex(x.shape):
        if place[0] == place[1]:
            out[place] = 1.0
            continue
        out[place] = 2 * x[place]
    return out, place


def enumerated(x):
    total = 0.0
    for (i, j), value in np.ndenumerate(x):
        total += value * (i - j)
    return total


def pairs(x):
    best = -np.inf
    for i, j in itertools.product(range(len(x)), range(3)):
        best = max(best, x[i, j] - x[j, i % 3])
    return best


def found(x):
    for i, j in itertools.product(range(len(x)), range(len(x))):
        if x[i, j] > 1.0:
            return i, j
    return -1, -1


@pytest.mark.parametrize("function", [box, by_place, enumerated, pairs, found], ids=lambda f: f.__name__)
def test_places(function):
    kernel = stax.kernel(function)
    for n in (4, 30, 41, 100):
        x = np.random.default_rng(n).normal(size=(n, n))
        got, expected = kernel(x), function(x)
        for mine, theirs in zip(got, expected) if isinstance(got, tuple) else [(got, expected)]:
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-15)
    assert kernel.stats().compilations <= 3, kernel.explain_misses()


def test_a_break_ends_all_of_it():
    """Which a nest of loops could not do: few places are unrolled, many refused with what to write instead."""

    def first(x):
        at = (0, 0)
        for at in np.ndindex(3, 3):
            if at[0] + at[1] == 3:
                break
        return x[at]

    x = np.arange(9.0).reshape(3, 3)
    assert stax.kernel(first)(x) == first(x)
