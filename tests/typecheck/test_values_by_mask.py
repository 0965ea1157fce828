"""As many values as a mask chooses elements; values that are counted from the start again; diagonals of more axes: as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]


def assign(a: Array, m: Array, v: Any) -> None:
    a[m] = v


def add(a: Array, m: Array, v: Any) -> Any:
    a[m] += v
    return a.sum()


def combine(a: Array, m: Array, v: Any) -> None:
    b = a * 2
    b[m] *= v
    a[...] = b


def putmask(a: Array, m: Array, v: Any) -> None:
    np.putmask(a, m, v)


def place(a: Array, m: Array, v: Any) -> None:
    np.place(a, m, v)


def outcome(function: Callable[..., Any], a: Array, m: Array, v: Any) -> Any:
    mine = a.copy()
    try:
        return function(mine, m, v), mine
    except ValueError:
        return ValueError


LINE, TABLE = np.arange(1.0, 7.0), np.arange(12.0).reshape(4, 3)
MASK, ROWS = np.array([True, False, True, True, False, False]), np.array([True, False, False, True])
CALLS = (
    (LINE, MASK, [7.0, 8.0, 9.0]), (LINE, MASK, [7.0, 8.0]), (LINE, MASK, [7.0]), (LINE, ~MASK, [1, 2, 3]), (LINE, MASK & False, []),
    (LINE, MASK, [1.0, 2.0, 3.0, 4.0]), (LINE, MASK | True, LINE[::-1]), (TABLE, ROWS, [[1.0], [2.0]]), (TABLE, ROWS, np.ones((2, 3)) * 5),
    (TABLE, ROWS, [1.0, 2.0, 3.0]), (TABLE, TABLE > 4, np.arange(7)), (TABLE, TABLE > 4, np.arange(20)), (TABLE, TABLE > 4, np.arange(3.0)),
)  # fmt: skip


@pytest.mark.parametrize("engine", ["cpu", "reference"])
@pytest.mark.parametrize("sizes", ["evidence", "symbolic"])
@pytest.mark.parametrize("function", [assign, add, combine, putmask, place], ids=lambda one: one.__name__)
def test_values_by_mask(function: Callable[..., Any], sizes: str, engine: str) -> None:
    for a, m, v in CALLS:
        if function in (place, putmask) and m.shape != a.shape:
            continue
        kernel = stax.kernel(function, sizes=sizes, engine=engine)
        values = np.asarray(v, float)
        expected, got = outcome(function, a, m, values), outcome(kernel, a, m, values)
        if expected is ValueError or got is ValueError:
            assert got is expected, (a.shape, values.shape)
        else:
            assert np.array_equal(got[1], expected[1]) and np.allclose(got[0] or 0, expected[0] or 0), (a.shape, values.shape)


def test_another_mask_with_the_same_kernel() -> None:
    kernel = stax.kernel(assign)
    for mask, count in ((MASK, 3), (~MASK, 3), (MASK & (LINE > 2), 2), (MASK, 2), (MASK | (LINE > 5), 4)):
        values = np.arange(count) + 10.0
        assert str(outcome(kernel, LINE, mask, values)) == str(outcome(assign, LINE, mask, values))
    assert kernel.stats().route == "native"


@pytest.mark.parametrize("shape", [(3, 3, 3), (2, 2, 2, 2), (4, 3), (3, 5), (1, 1, 1)])
@pytest.mark.parametrize("value", [5.0, [1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [[7.0, 8.0], [9.0, 1.0]]])
def test_fill_diagonal(shape: tuple[int, ...], value: Any) -> None:
    def fill(a: Array, v: Any) -> None:
        np.fill_diagonal(a, v)

    given = np.asarray(value) if isinstance(value, list) else value
    mine, theirs = np.zeros(shape), np.zeros(shape)
    stax.kernel(fill)(mine, given)
    fill(theirs, given)
    assert np.array_equal(mine, theirs)


def test_fill_diagonal_needs_axes_of_one_length() -> None:
    with pytest.raises(stax.StaxError, match="axes of one length"):
        stax.kernel(lambda a: np.fill_diagonal(a, 1.0))(np.zeros((2, 3, 2)))
    with pytest.raises(stax.StaxError, match="tall"):
        stax.kernel(lambda a: np.fill_diagonal(a, 1.0, wrap=True))(np.zeros((7, 3)))
