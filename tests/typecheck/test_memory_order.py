"""Results lie in memory as NumPy's do: strides, what is a view of what, for operands in every order."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax

X = np.arange(24.0).reshape(2, 3, 4)
M = np.arange(12.0).reshape(3, 4) + 1
ARRAYS = {
    "row-major": X.copy(),
    "column-major": np.asfortranarray(X),
    "mixed": np.ascontiguousarray(X.transpose(1, 0, 2)).transpose(1, 0, 2),
    "another": np.ascontiguousarray(X.transpose(2, 0, 1)).transpose(1, 2, 0),
    "reversed": np.asfortranarray(X)[:, ::-1],
    "stepped": np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2],
    "broadcast": np.broadcast_to(np.arange(4.0), (2, 3, 4)),
    "flat axes": np.asfortranarray(X[:, :1]),
}
PROGRAMS = {
    "scaled": lambda x: x * 2 + 1,
    "transposed": lambda x: x.T + 1,
    "moved": lambda x: np.moveaxis(x, 0, 1) * x.shape[0],
    "two orders": lambda x: x + np.ascontiguousarray(x),
    "two orders of one": lambda x: x[:2, :2, :2] + x[:2, :2, :2].T,
    "broadcast": lambda x: x + x[0],
    "compared": lambda x: np.where(x > 3, x, -x),
    "cast": lambda x: x.astype(np.float32),
    "cast in C": lambda x: x.astype(np.float32, order="C"),
    "cast in F": lambda x: x.astype(np.float32, order="F"),
    "copied": lambda x: (x.copy(), np.copy(x), np.array(x), np.copy(x, order="C"), x.copy(order="K"), x.copy(order="F"), np.copy(x, "A")),
    "contiguous": lambda x: (np.ascontiguousarray(x) + 0, np.asfortranarray(x) + 0, np.asarray(x, order="F") * 1),
    "like": lambda x: (np.zeros_like(x), np.ones_like(x, order="C"), np.full_like(x, 3), np.empty_like(x) * 0),
    "made": lambda x: (np.zeros((3, 4), order="F"), np.ones((3, 4)), np.full((2, 3), 1.5, order="F")),
    "sums": lambda x: (x.sum(0), x.sum(1), x.sum(2), x.sum(1, keepdims=True), x.mean(-1), x.max(0), x.var(0), x.argmax(0)),
    "running": lambda x: (x.cumsum(0), x.cumsum(2)),
    "joined": lambda x: (np.concatenate([x, x]), np.concatenate([x, x], axis=2), np.stack([x, x]), np.concatenate([x.T, x.T * 2])),
    "views of it": lambda x: (lambda y: (y, y.T, y[1:], y[::-1]))(x.T * 3),
    "flattened": lambda x: ((x * 2).reshape(-1), (x * 2).ravel(), (x.T * 2).ravel(order="F"), (x + 1).reshape(-1, 2)),
    "products": lambda x: (x[0] @ x[0].T, x @ x[0].T),
    "softmax": lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True),
}


def described(value):
    """Strides of axes of one element, and of arrays of none, say nothing."""
    strides = tuple(step if extent > 1 else 0 for step, extent in zip(value.strides, value.shape, strict=True)) if value.size else ()
    return value.dtype, value.shape, strides, value.flags.writeable


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", ARRAYS)
def test_results_lie_as_numpys(name: str, order: str) -> None:
    program, x = PROGRAMS[name], ARRAYS[order]
    kernel = stax.kernel(program)
    expected = program(x)
    for _ in range(2):
        got = kernel(x)
        pairs = list(zip(got, expected, strict=True)) if isinstance(expected, tuple) else [(got, expected)]
        for mine, theirs in pairs:
            assert described(mine) == described(theirs)
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert kernel.stats().route == "native"


def test_for_any_size_of_an_axis() -> None:
    """The order is that of the first call's strides; it is a right one for other extents, 0 and 1 among them."""
    kernel = stax.kernel(lambda x: (x * 2, (x.T + 1).reshape(-1)))
    for n in (4, 7, 1, 0, 3, 1):
        for x in (np.asfortranarray(np.arange(3.0 * n).reshape(3, n)), np.asfortranarray(np.arange(3.0 * n).reshape(n, 3))):
            twice, flat = kernel(x)
            assert np.array_equal(twice, x * 2) and np.array_equal(flat, (x.T + 1).reshape(-1))
            assert twice.flags.f_contiguous


def test_what_is_written_to_a_copy_stays_there() -> None:
    def contiguous(x):
        y = np.ascontiguousarray(x.T)
        y[0] = 5
        flat = (x.T + 0).reshape(-1)
        z = x.T + 0
        same = z.reshape(-1)
        same[0] = 9
        return y, flat, z

    for x in (M.copy(), np.asfortranarray(M)):
        mine, theirs = x.copy(order="K"), x.copy(order="K")
        for got, expected in zip(stax.kernel(contiguous)(mine), contiguous(theirs), strict=True):
            np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("program", [lambda x: np.exp(x) * 2, lambda x: x.T + 1, lambda x: np.where(x > 1, x, 0)])
def test_column_major_arrays_are_read_along_their_memory(program) -> None:
    """One loop over all elements, as if they lay in rows."""
    x = np.asfortranarray(np.ones((300, 200)))
    assert "//(300)" in stax.kernel(program).show("schedule", x)  # the places of one flat loop


def test_the_reference_engine_gives_the_same_order() -> None:
    x = np.asfortranarray(M)
    result = stax.kernel(lambda x: (x * 2).astype(np.float32), engine="reference")(x)
    assert result.flags.f_contiguous and np.array_equal(result, x * 2)


def test_lowered_programs_too() -> None:
    x = np.asfortranarray(M)
    for engine in ("cpu", "reference"):
        result = stax.kernel(lambda x: x * 2).lower(x).compile(engine)(x)
        assert result.flags.f_contiguous and np.array_equal(result, x * 2)
