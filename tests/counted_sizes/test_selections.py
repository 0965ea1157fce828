"""What masks choose, as results and on the way: one version for every number of elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

from .against_numpy import agrees, same

rng = np.random.default_rng(11)
DTYPES = ("bool", "i1", "u1", "i4", "i8", "f2", "f4", "f8", "c16")
VECTORS = [(rng.normal(size=90),) for _ in range(3)] + [(np.ones(90),), (-np.ones(90),)]  # some, all, none
MATRICES = [(rng.normal(size=(6, 7)),) for _ in range(3)] + [(np.ones((6, 7)),), (-np.ones((6, 7)),)]


def chosen(x):
    return x[x > 0]


def twice(x):
    y = x[x > 0]
    return y, y * 2, y[y < 1], np.sort(y), y.size, len(y), y.shape


def of_matrices(x):
    return x[x > 0.5], x[x[:, 0] > 0], x.T[x.T > 0], x[:, 1:][x[:, 1:] < 0], x[::2][x[::2, 0] > 0]


def beside_slices(x):
    return x[1:, x[0] > 0], x[x[:, 1] > 0, 2], x[..., x[0] < 0]


def shaped(x):
    y = x[x > 0]
    return y.reshape(-1, 1), y[:, None] * y[None, :], y[::-1], y[1:] if len(y) > 1 else y, np.concatenate([y, y]), np.outer(y, y).sum()


def reduced(x):
    y = x[x > 0]
    return y.sum(), y.prod(), y.any(), y.all(), (y * 2 + 1).sum(), np.count_nonzero(y > 1), y.mean() if y.size else 0.0


def spread(x):
    y = x[x > -9]
    return y.max(), y.min(), y.std(), y.var(ddof=1), np.ptp(y), y.argmax(), np.median(y), np.cumsum(y)


def rows_reduced(x):
    m = x[:, 0] > 0
    return x[m].sum(axis=0), x[m].sum(axis=1), x[m].mean(axis=1), (x[m] @ x.T).shape[0]


def two_masks(x):
    a, b = x > 0, x <= 0
    return np.concatenate([x[a], x[b]]), x[a].sum() - x[b].sum(), x[a & ~b], x[a][:, None].shape


def mutated_mask(x):
    m = x > 0
    first = x[m]
    m[::2] = False
    return first, x[m]


def written(x):
    m = x > 0
    y = x[m]
    y[:1] = 7
    x[m] = np.sort(x[m])
    x[~m] *= 2
    return y, x


def sized(x):
    n = len(x[x > 0])
    made = np.zeros(n), np.ones((n, 2)), np.full(n, 3), np.linspace(0, 1, n), np.eye(n), np.zeros(n + 1).reshape(-1)
    return made, np.arange(n), x[:n], x[n:]


@pytest.mark.parametrize(("function", "versions"), [
    (chosen, 1), (twice, 1), (mutated_mask, 1), (reduced, 2), (written, 2), (sized, 2), (two_masks, 1),
])  # fmt: skip
def test_vectors(function: Any, versions: int) -> None:
    """Two versions where the program asks whether there is an element."""
    agrees(function, VECTORS, versions)


@pytest.mark.parametrize("function", [of_matrices, beside_slices, rows_reduced])
def test_matrices(function: Any) -> None:
    agrees(function, MATRICES)


@pytest.mark.parametrize("function", [shaped, spread])
def test_decisions_about_counts_are_few_versions(function: Any) -> None:
    kernel = agrees(function, [*VECTORS, *[(rng.normal(size=90),) for _ in range(8)]], versions=None)
    assert kernel.stats().versions <= 3, kernel.explain_misses()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str) -> None:
    def function(x, m):
        return x[m], np.sort(x[m]), x[m].sum(), x[m][::-1]

    calls = [((rng.normal(size=50) * 3).astype(dtype), rng.random(50) < p) for p in (0.5, 0, 1, 0.1)]
    agrees(function, calls)


def test_views() -> None:
    base = rng.normal(size=(40, 6))
    calls = [(base[::2, 1],), (base[1::2, 3],), (base[::-2, 0],)]
    agrees(chosen, calls, versions=None)


def test_no_array_element_is_a_special_size() -> None:
    agrees(chosen, [(np.zeros(0),), (np.ones(1),), (-np.ones(1),), (rng.normal(size=5),)], versions=None)


def test_the_greatest_of_nothing_is_an_error_of_that_call_only() -> None:
    @stax.kernel
    def greatest(x):
        return x[x > 0].max()

    assert greatest(np.array([1.0, 3.0])) == 3
    with pytest.raises(ValueError, match="chooses none"):
        greatest(np.array([-1.0, -3.0]))
    assert greatest(np.array([4.0, -3.0])) == 4
    assert greatest.stats().versions == 1 and greatest.stats().replays == 0  # nothing is counted before


def test_sizes_that_differ_are_told_with_where_each_comes_from() -> None:
    @stax.kernel
    def added(x, a, b):
        return x[a] + x[b]

    x = np.arange(5.0)
    a, b = np.array([1, 0, 1, 0, 1], bool), np.array([0, 1, 1, 1, 0], bool)
    same(added(x, a, b), x[a] + x[b])
    b[0] = True
    with pytest.raises(ValueError, match="broadcast") as caught:
        added(x, a, b)
    text = str(caught.value)
    assert "count_true is the number of elements that the mask chooses" in text and "3 in this call" in text and "4 in this call" in text


def test_a_value_for_each_element() -> None:
    def put(x, m, other):
        x[m] = x[other]
        return x

    x = np.arange(6.0)
    m, other = np.array([1, 0, 0, 1, 0, 1], bool), np.array([0, 1, 1, 0, 1, 0], bool)
    more = np.array([1, 1, 1, 0, 1, 0], bool)
    agrees(put, [(x, m, other), (x, ~m, other), (x, m, more), (x, np.ones(6, bool), np.ones(6, bool))], versions=None)


def test_fused_reductions_count_nothing_before() -> None:
    def sums(x):
        y = x[x > 0]
        return y.sum(), y.mean(), y.std(), (np.sqrt(y) * 2).sum(), y.size

    kernel = agrees(sums, [(rng.normal(size=300),) for _ in range(3)])
    assert kernel.stats().replays == 0 and not kernel.explain(np.ones(300)).materialized


def test_updates_under_a_mask_stay_fused() -> None:
    def step(z, c):
        m = abs(z) < 2
        z[m] = z[m] ** 2 + c[m]
        z[m] += 1
        return z

    kernel = agrees(step, [(rng.normal(size=200), rng.normal(size=200)) for _ in range(2)])
    z = rng.normal(size=200)
    assert kernel.stats().replays == 0 and len(kernel.explain(z, z.copy()).kernels) == 1
