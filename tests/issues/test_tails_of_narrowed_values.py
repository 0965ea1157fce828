"""Stores of truncated values at the end of a row touch nothing behind it. (LLVM 22 wrote 8 bytes for one masked lane.)"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import staxlang as stax

WIDE, NARROW = ("i8", "i4", "i2", "f8", "c16"), ("i4", "i2", "i1", "u1", "f4", "f2", "c8", "?")
PAIRS = [(a, b) for a, b in itertools.product(WIDE, NARROW) if np.dtype(a).itemsize > np.dtype(b).itemsize and (a != "c16" or b == "c8")]


@pytest.mark.parametrize(("wide", "narrow"), PAIRS)
@pytest.mark.parametrize("step", [1, -1, 2])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_lies_behind_a_row_stays(wide: str, narrow: str, step: int) -> None:
    for count in (1, 2, 9, 17, 33, 34, 65):
        x = (np.arange(count) % 100 + 3).astype(wide)
        room = np.full(2 * count + 64, 7, narrow)
        before = room.copy()
        target = room[32 : 32 + count * abs(step)][::step]
        stax.kernel(stored)(target, x)  # a kernel of its own: masks of known sizes are constants
        assert np.array_equal(target, x.astype(narrow))
        before[32 : 32 + count * abs(step)][::step] = x.astype(narrow)
        assert np.array_equal(room, before), (count, np.flatnonzero(room != before) - 32)


def stored(y, x):
    y[...] = x * 1


def test_a_row_of_an_array_reduced_and_updated() -> None:
    def update(a):
        total = a.prod(0)
        a[5, None] -= total
        return total

    a = np.arange(1, 64, dtype=np.int32).reshape(7, 9) % 5 + 1
    b = a.copy()
    assert np.array_equal(stax.kernel(update)(a), update(b)) and np.array_equal(a, b)
