"""Elements that are written under conditions, in loops: nothing is copied for them, whatever is nested in what."""

import numpy as np
import pytest

import staxlang as stax
from tests.kept_loops.test_trials import agree


def dithered(a, k):
    h, w = a.shape
    for y in range(h):
        for x in range(w):
            old = a[y, x]
            new = 1.0 if old > 0.5 else 0.0
            a[y, x] = new
            e = old - new
            if x + 1 < w:
                a[y, x + 1] += e * 7 / 16
            if y + 1 < h:
                if x > 0:
                    a[y + 1, x - 1] += e * 3 / 16
                a[y + 1, x] += e * 5 / 16
                if x + 1 < w:
                    a[y + 1, x + 1] += e / 16
    return a


def at_places_of_the_data(a, k):
    for y in range(a.shape[0]):
        for x in range(a.shape[1]):
            if a[y, x] > 0.5:
                a[y, k[x]] += a[y, x] * 0.5
                if a[k[y], x] < 0.7:
                    a[k[x], k[y]] = a[y, k[x]] - 0.25
            else:
                a[k[y], x] -= 0.125
    return a


def either_of_two(a, k):
    for y in range(a.shape[0]):
        for x in range(1, a.shape[1]):
            if a[y, k[x]] > a[y, x]:
                a[y, k[x]] = a[y, x] * 0.75
                a[y, x] += a[y, k[x]]
            elif a[y, x] > 1:
                a[y, k[x]] += 0.5
                a[k[y], x - 1] = a[y, k[x]]
            else:
                a[y, k[x]] -= 1
    return a


def before_either_wrote(a, k):
    """Both sides write one place, and go on with what was there before."""
    for y in range(a.shape[0] - 1):
        old, below = a[y, 0], a[y + 1].copy()
        if k[y] > 1:
            a[y, 0] = 2.0
            a[y, 1] = old + a[y, 0]
            a[y + 1, 2] = below[2] + a[y, 1]
        else:
            a[y, 0] = -1.0
            a[y + 1] = 0.5 * (below + old)
            a[y, 1] = old - a[y, 0] + a[y + 1, 1]
    return a


def not_a_number_and_minus_zero(a, k):
    a[0, 0], a[1, 1], a[2, 2] = np.nan, -0.0, np.inf
    for y in range(a.shape[0]):
        for x in range(a.shape[1]):
            if k[x] > y:
                a[k[x], k[y]] += 0.0
                if a[y, x] == 0:
                    a[k[y], k[y]] *= -1
    return a


def places_of_what_is_written(a, k):
    n = len(k)
    for i in range(n):
        if k[i] > i:
            k[k[i]] = i
            if k[k[i] % n] > 2:
                k[i] = k[k[i] % n] - 1
                a[k[i], k[i]] = i
    return a, k


FUNCTIONS = [dithered, at_places_of_the_data, either_of_two, before_either_wrote, not_a_number_and_minus_zero, places_of_what_is_written]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_guarded_elements(function):
    kernel = stax.kernel(function)
    random = np.random.default_rng(5)
    for shape in ((9, 9), (12, 12), (13, 13), (7, 7)):
        a, k = random.random(shape), random.integers(0, shape[0], shape[0])
        theirs, ours = (a.copy(), k.copy()), (a.copy(), k.copy())
        agree(kernel(*ours), function(*theirs))
        agree(ours, theirs)
        assert np.array_equal(np.signbit(ours[0]), np.signbit(theirs[0]))
    assert kernel.stats().route == "native"


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (1, 1), (5, 11)])
def test_edges(shape):
    a = np.random.default_rng(2).random(shape)
    agree(stax.kernel(dithered)(a.copy(), 0), dithered(a.copy(), 0))


def guarded_at_places_of_the_data(a, k):
    h, w = a.shape
    for y in range(h):
        for x in range(w):
            if a[y, x] > 0.5:
                a[y, k[x]] += a[y, x] * 0.5
    return a


@pytest.mark.parametrize("function", [dithered, guarded_at_places_of_the_data], ids=lambda one: one.__name__)
def test_what_an_element_costs_does_not_grow_with_the_array(function):
    kernel = stax.kernel(function)
    cost = {}
    for n in (20, 40):
        a, k = np.random.default_rng(3).random((n, n)), np.arange(n)
        kernel(a.copy(), k)
        report = kernel.explain(a, k)
        assert not [one for one in report.copies if "in each round" in one]
        cost[n] = sum(one.bytes for one in report.kernels) / n**2
    assert cost[40] < cost[20] * 1.1
