"""One kernel, extents that change from call to call - also to 0 and 1, which broadcast: each answer is NumPy's, whatever came before."""

import numpy as np
import pytest

import staxlang as stax
from tests.runtime.agreement import same

SHAPES = [
    ((3, 4), (3, 4)), ((3, 4), (1, 4)), ((5, 4), (5, 1)), ((2, 7), (1, 1)),
    ((1, 6), (1, 6)), ((0, 4), (1, 4)), ((4, 1), (1, 1)), ((6, 6), (1, 6)),
]  # fmt: skip


def updated(x, y):
    x[...] = y
    x += y
    return x.sum()


def parts(x, y):
    x[1:] = y[:1]
    x[:, 0] -= y[:, 0]
    return x


PROGRAMS = [
    lambda x, y: np.einsum("ij,ij->i", x, y),
    lambda x, y: np.einsum("ij,ik->jk", x, y),
    lambda x, y: np.einsum("...j,...j", x, y),
    lambda x, y: np.einsum("ij,ij", x, y),
    lambda x, y: (np.where(y > 0, x, y), np.maximum(x, y), x - y),
    lambda x, y: np.broadcast_to(y, x.shape),
    lambda x, y: np.concatenate([x, x + y]),
    lambda x, y: (x.reshape(-1) + 1, x.T.reshape(-1), (x * y).ravel()),
    lambda x, y: np.matmul(x[None], (x * y).T[None]),
    lambda x, y: x.sum(axis=0, where=y > 0),
    updated,
    parts,
]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("seed", range(3))
def test_extents_in_any_order(function, seed):
    kernel = stax.kernel(function, max_versions=64)
    rng = np.random.default_rng(seed)
    for index in [*rng.permutation(len(SHAPES)), *rng.permutation(len(SHAPES))]:
        first, second = SHAPES[index]
        x, y = rng.integers(-3, 4, first).astype(float), rng.integers(-3, 4, second).astype(float)
        mine, theirs = x.copy(), x.copy()
        same(kernel(mine, y), function(theirs, y), 1e-12)
        same(mine, theirs, 0)
    assert kernel.stats().route == "native"
