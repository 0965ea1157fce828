"""Selections in and around loops that stay in the program; what drawn programs have found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

from .against_numpy import agrees

rng = np.random.default_rng(2)
MATRICES = [(rng.normal(size=(40, 30)),) for _ in range(3)]


def sums_of_rows(x):
    total = 0.0
    for row in x:
        total += row[row > 0].sum() + len(row[row > 1])
    return total


def moments_of_rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        chosen = x[i][x[i] > 0]
        total += chosen.mean() + chosen.std() + chosen.max() - chosen.min()
    return total


def read_at_places(x):
    total = 0.0
    for i in range(x.shape[0]):
        places = np.nonzero(x[i] > 0)[0]
        total += x[0][places].sum() * 0.5
    return total


def one_mask_for_all_rows(x):
    m = x[0] > 0
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = np.sort(x[i][m])[0]
    return out


def over_a_selection(x):
    chosen = x[x > 0]
    state = 0.0
    for value in chosen:
        state = state * 0.5 + value
    for _ in range(5):
        chosen = chosen * 0.5 + 1
    return state, chosen


def over_its_indices(x):
    chosen = x[0][x[0] > 0]
    total = 0.0
    for i in range(len(chosen)):
        total += chosen[i] * chosen[:i].sum()
    return total


def rows_by_places(x):
    out = np.zeros_like(x)
    for i in np.flatnonzero(x[:, 0] > 0):
        out[i] = x[i] * 2
    return out


@pytest.mark.parametrize("function", [
    sums_of_rows, moments_of_rows, read_at_places, one_mask_for_all_rows, over_a_selection, over_its_indices, rows_by_places,
])  # fmt: skip
def test_loops(function: Any) -> None:
    agrees(function, MATRICES)


def test_until_nothing_is_left() -> None:
    def rounds(x):
        todo, n = x[0], 0
        while len(todo):
            todo = todo[todo > todo.mean()]
            n += 1
        return n

    agrees(rounds, MATRICES, versions=None)


def test_an_array_of_each_round_is_refused_with_its_place() -> None:
    @stax.kernel
    def smallest(x):
        total = 0.0
        for row in x:
            total += np.sort(row[row > 0])[0]
        return total

    with pytest.raises(stax.StaxError, match="another size in each round") as caught:
        smallest(np.ones((100, 40)))
    assert caught.value.code == "mask-read" and "row[row > 0]" in str(caught.value)


def test_sets_of_selections_of_nothing() -> None:
    calls = [(np.array([1.0, -1.0, 3.0]),), (np.array([-5.0, -6.0, -7.0]),), (np.array([-5.0, 2.0, 2.0]),)]

    def function(x):
        y = x[x > 0]
        return np.setxor1d(y, x), np.setdiff1d(x, y), np.intersect1d(x, y), np.isin(x, y)

    agrees(function, calls, versions=None)


def test_versions_of_few_elements_are_kept_apart_on_disk(tmp_path: Any) -> None:
    def function(x):
        y = x[x > 0]
        return y.size, y[0] if y.size else 0.0

    for _ in range(2):
        kernel = agrees(function, [(np.array([1.0, -1.0]),), (np.array([-1.0, -1.0]),), (np.array([1.0, 2.0]),)], versions=2)
    assert kernel.stats().compilations + kernel.stats().disk_hits == 2


def test_what_is_built_ahead_has_sizes_that_are_known(tmp_path: Any) -> None:
    kernel = stax.kernel(lambda x: x[x > 0])
    with pytest.raises(stax.StaxError, match="the size of `x\\[x > 0\\]` depends on data") as caught:
        stax.build(kernel, tmp_path / "libchosen.so", specs={kernel.__name__: [stax.spec(("N",), "f8")]})
    assert caught.value.code == "not-buildable"


def test_an_array_with_sizes_of_the_data_passes_the_checker() -> None:
    text = (
        "kernel f(x: f64[N], n: i64[3]):\n"
        "    y = x[x > 0.0]\n"
        "    places = nonzero(y > 1.0)[0]\n"
        "    return y * 2.0 + x[x > 0.0], y[places] - y[0], unique(y)[:3], bincount(n), concatenate([y, x]), y[:, newaxis] - y\n"
    )
    module = stax.load_text(text)
    found = module.f(np.array([0.5, 2.0, -1.0]), np.array([1, 2, 1]))
    assert [one.shape for one in found] == [(2,), (1,), (2,), (3,), (5,), (2, 2)]
