"""In which order a new array's axes lie in memory: NumPy's rule for order="K", by which results are laid out as their operands are.

The rule is that of NumPy's iterators: axes are sorted by the operands' strides, insertion by insertion, from the last axis on; where
operands contradict each other, and where none says anything, row-major order stays. Copies and joined arrays have rules of their own,
which differ for strides of 0. An order lists axes, innermost first; None is row-major. What the strides are at this call decides,
without a guard: any order is right for all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from staxlang.typecheck.values import ArrayValue

Order = tuple[int, ...]


def is_plain(array: ArrayValue) -> bool:
    """Row-major without a look at its strides."""
    storage = array.storage
    return array.subscripts is None and storage.type.layout is None and storage.order is None


def kept(call: Any, arrays: Sequence[ArrayValue], rank: int) -> Order | None:
    """The order of a new array of so many axes, to which the arrays broadcast."""
    if rank < 2 or all(map(is_plain, arrays)):
        return None
    strides: list[list[int]] = []
    for array in arrays:
        own = _aligned(call, array, rank)
        if own is None:
            return None
        strides.append(own)
    told = [[step or None for step in one] for one in strides]
    return normal(_sorted(range(rank)[::-1], lambda outer, inner: _all_larger(told, inner, outer)))


def reduced(call: Any, array: ArrayValue, axes: Sequence[int]) -> Order | None:
    """The same for what a reduction over axes leaves."""
    order = kept(call, [array], array.rank)
    if order is None:
        return None
    left = [axis for axis in range(array.rank) if axis not in axes]
    return normal([left.index(axis) for axis in order if axis not in axes])


def of_copy(call: Any, array: ArrayValue, order: str) -> Order | None:
    """The order of a copy made with `order` "C", "F", "A" or "K" (as of `np.copy`)."""
    rank = array.rank
    if rank < 2 or order == "C" or (order != "F" and is_plain(array)):
        return None
    if order == "F" or is_column_major(call, array):
        return normal(range(rank))
    strides = _strides(call, array) if order == "K" else None
    return None if strides is None else normal(sorted(range(rank), key=lambda axis: -abs(strides[axis]))[::-1])


def joined(call: Any, arrays: Sequence[ArrayValue], rank: int) -> Order | None:
    """The order of arrays of one rank put one after the other."""
    if rank < 2 or all(map(is_plain, arrays)):
        return None
    told: list[list[int | None]] = []
    for array in arrays:
        own = _strides(call, array)
        if own is None:
            return None
        told.append([None if extent == 1 else abs(step) for extent, step in zip(array.shape, own, strict=True)])
    return normal(_sorted(range(rank), lambda inner, outer: _all_larger(told, inner, outer))[::-1])


def is_column_major(call: Any, array: ArrayValue) -> bool:
    """Whether its strides at this call are those of Fortran's order, and not of C's as well."""
    own, extents = _strides(call, array), [call.hint(extent) for extent in array.shape]
    if own is None or None in extents:
        return False

    def follow(axes: Sequence[int]) -> bool:
        step = 1
        for axis in axes:
            if extents[axis] != 1 and own[axis] != step:
                return False
            step *= extents[axis]
        return True

    return follow(range(array.rank)) and not follow(range(array.rank)[::-1])


def normal(order: Sequence[int]) -> Order | None:
    """None where the order is row-major."""
    return tuple(order) if list(order) != list(range(len(order)))[::-1] else None


def _strides(call: Any, array: ArrayValue) -> list[int] | None:
    """Element strides at this call; None where they are not known."""
    own = call.strides(array)
    found = None if own is None else [call.hint(stride) for stride in own]
    return None if found is None or None in found else found


def _aligned(call: Any, array: ArrayValue, rank: int) -> list[int] | None:
    """Sizes of strides as iterators see them: 0 for axes that are missing, of extent 1, or broadcast."""
    own = _strides(call, array)
    if own is None:
        return None
    seen = [0 if extent == 1 else abs(step) for extent, step in zip(array.shape, own, strict=True)]
    return [0] * (rank - array.rank) + seen


def _sorted(axes: Sequence[int], passes: Callable[[int, int], bool | None]) -> list[int]:
    """Axes by insertion: each goes before those that it `passes`, over those of which that is not known, up to one that it does not."""
    order = list(axes)
    for position in range(1, len(order)):
        axis, place = order[position], position
        for earlier in range(position - 1, -1, -1):
            answer = passes(axis, order[earlier])
            if answer is False:
                break
            if answer:
                place = earlier
        order.insert(place, order.pop(position))
    return order


def _all_larger(told: Sequence[Sequence[int | None]], one: int, other: int) -> bool | None:
    """Whether the stride of one axis is larger than another's in all operands that tell of both. None: no operand does."""
    found = [a > b for a, b in [(strides[one], strides[other]) for strides in told] if a is not None and b is not None]
    return all(found) if found else None
