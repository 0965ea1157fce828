"""NumPy's functions whose results are as long as the data wants them, and numbers of the data as sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

from .against_numpy import agrees

rng = np.random.default_rng(5)
INTEGERS = [(rng.integers(-3, 6, 20),) for _ in range(3)] + [(np.zeros(20, int),), (np.full(20, 5),)]
FLOATS = [(np.where(rng.random(30) < 0.2, np.nan, rng.integers(-2, 3, 30) / 2),) for _ in range(2)] + [(np.full(30, np.nan),)]


def places(x):
    return np.nonzero(x), np.flatnonzero(x > 1), x.nonzero(), np.where(x > 0), np.argwhere(x < 2)


def places_of_matrices(x):
    y = x.reshape(4, 5)
    return np.nonzero(y), np.where(y > 1), np.argwhere(y), np.flatnonzero(y), y[np.nonzero(y)], np.argwhere(y.T > 0)


def different(x):
    return np.unique(x), np.unique(x, True, True, True), np.unique(x[x > 0], return_counts=True)[1].sum()


def different_floats(x):
    return np.unique(x), np.unique(x, return_inverse=True), np.unique(x, equal_nan=False, return_counts=True)


def different_rows(x):
    return np.unique(x.reshape(10, 2) > 0, axis=0), np.unique(x.reshape(2, 10), axis=1, return_index=True)


def arrays_of_the_standard(x):
    return np.sort(np.unique_values(x)), tuple(np.unique_counts(x)), tuple(np.unique_inverse(x)), tuple(np.unique_all(x))


def sets(x):
    y = x + 3
    return np.union1d(x, y), np.intersect1d(x, y), np.setdiff1d(x, y), np.setxor1d(x, y), np.intersect1d(x, y, return_indices=True)


def compressed(x):
    return np.compress(x > 0, x), np.extract(x > 0, x), x.compress(x < 0), np.compress(x[:4] > 0, x.reshape(4, 5), axis=0)


def repeated(x):
    n, y = np.abs(x), x.reshape(4, 5)
    return np.repeat(x, n), x.repeat(n), np.repeat(y, n[:5], axis=1), np.repeat(x, n[:1]), np.repeat(y, n[:4], 0)


def trimmed(x):
    return np.trim_zeros(x), np.trim_zeros(x, "f"), np.trim_zeros(np.where(x > 3, x, 0), "b"), np.trim_zeros(x.reshape(4, 5) // 3)


def without(x):
    return np.delete(x, x > 2), np.delete(x, np.abs(x)), np.delete(x.reshape(4, 5), x[:5] > 1, axis=1)


def with_more(x):
    return np.insert(x, x > 3, 7), np.insert(x, np.abs(x[:3]), x[:3]), np.insert(x.reshape(4, 5), x[:4] > 1, -1, axis=0)


def counted(x):
    n = np.abs(x)
    return np.bincount(n), np.bincount(n, minlength=4), np.bincount(n, minlength=30), np.bincount(n, weights=x * 0.5), np.bincount(n[n > 1])


def runs(x):
    change = np.flatnonzero(x[1:] != x[:-1]) + 1
    starts = np.concatenate(([0], change))
    return x[starts], np.diff(np.append(starts, x.size)), np.split(x, 2)[0][:1]


def numbers_as_sizes(x):
    n = int(x.max())
    made = np.zeros(n), np.ones((n, 2)), np.zeros(x[x.argmax()]), np.linspace(0, 1, n + 2)
    return made, np.arange(n + 1), x[:n], x[n:], np.arange(x.max() + 1)


def sums_of_numbers(x):
    total = 0
    for k in range(int(x.max())):
        total += k * x[k]
    return total, x[: x.argmax()].sum(), np.tile(x, int(x.max())).shape, np.zeros((len(x[x > 0]), x.max())).shape


@pytest.mark.parametrize("function", [
    places, places_of_matrices, different, different_rows, arrays_of_the_standard, sets, compressed, repeated, trimmed, without, with_more,
    counted, runs,
])  # fmt: skip
def test_integers(function: Any) -> None:
    kernel = agrees(function, INTEGERS, versions=None)
    assert kernel.stats().versions <= 3, kernel.explain_misses()


def test_floats_with_nan() -> None:
    agrees(different_floats, FLOATS)


@pytest.mark.parametrize("function", [numbers_as_sizes, sums_of_numbers])
def test_numbers_of_the_data(function: Any) -> None:
    agrees(function, [(np.append(rng.permutation(12), 3 + k),) for k in range(6)])


def test_of_nothing() -> None:
    def function(x):
        y = x[x > 9]
        different = np.unique(y), np.unique(y, True, True, True), np.union1d(y, y)
        return different, np.bincount(y), np.nonzero(y), np.repeat(y, y), np.trim_zeros(y)

    agrees(function, INTEGERS)
    agrees(function, [(np.array([10, 12, 10]),), (np.array([1, 12, 0]),), (np.zeros(3, int),)], versions=3)  # none, one, more


def test_errors_are_numpys() -> None:
    agrees(lambda x: np.repeat(x, x), [(np.array([1, 2]),), (np.array([-1, 2]),), (np.array([0, 0]),)])
    agrees(lambda x: np.bincount(x), [(np.array([1, 2]),), (np.array([-1, 2]),)])
    agrees(lambda x: np.zeros(int(x[0])), [(np.array([3]),), (np.array([0]),)])
    agrees(lambda x: np.delete(np.arange(4), x), [(np.array([1, 2]),), (np.array([1, 4]),)])


def test_a_negative_number_is_a_version_of_its_own() -> None:
    agrees(lambda x: np.arange(9)[int(x[0]) :], [(np.array([k]),) for k in (3, -2, 0, -4, 5)], versions=2)


def test_what_is_needed_when_compiling_is_still_a_version_for_each_value() -> None:
    agrees(lambda x, y: y.sum(axis=int(x[0])), [(np.array([k]), np.ones((2, 3))) for k in (0, 1)], versions=2)


def test_sizes_are_counted_by_the_reference_engine_too() -> None:
    agrees(different, INTEGERS, versions=None, engine="reference")
    agrees(places_of_matrices, INTEGERS, versions=None, engine="reference")


def test_types_without_data_are_refused_with_the_place() -> None:
    kernel = stax.kernel(lambda x: x[x > 0])
    with pytest.raises(stax.StaxError, match="the size of `x\\[x > 0\\]` decides") as caught:
        kernel.lower(stax.spec((4,), np.float64)).compile()
    assert caught.value.code == "needs-data"
    kernel = stax.kernel(lambda x: x[x > 0].sum())
    assert kernel.lower(stax.spec((4,), np.float64)).compile()(np.arange(4.0) - 1) == 3
