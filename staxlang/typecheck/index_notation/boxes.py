"""Boxes of subscripts: whether the parts that a tensor is defined by cover it, and do not overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from staxlang.base.sizes import Condition, Size

Span = tuple[Size, Size]
"""From the first up to, not including, the second."""
Box = tuple[Span, ...]
Prove = Callable[[Condition], bool]


def is_apart(one: Box, other: Box, prove: Prove) -> bool:
    """Whether two boxes have no point in common."""
    pairs = zip(one, other, strict=True)
    return any(prove(Condition("<=", last, begin)) or prove(Condition("<=", end, first)) for (first, last), (begin, end) in pairs)


def left_over(whole: Box, parts: Sequence[Box], prove: Prove) -> list[Box]:
    """Boxes that hold every point of the whole which no part has."""
    left = [whole]
    for part in parts:
        left = [rest for box in left for rest in _without(box, part, prove)]
    return [box for box in left if not _is_empty(box, prove)]


def _is_empty(box: Box, prove: Prove) -> bool:
    return any(prove(Condition("<=", last, first)) for first, last in box)


def _without(box: Box, part: Box, prove: Prove) -> list[Box]:
    """The box less the part, as boxes: for each axis what lies before and behind the part, at the places of the part on the axes before."""
    if is_apart(box, part, prove):
        return [box]
    made: list[Box] = []
    middle = list(box)
    for axis, ((first, last), (low, high)) in enumerate(zip(box, part, strict=True)):
        if not prove(Condition("<=", low, first)):
            made.append((*middle[:axis], (first, low), *middle[axis + 1 :]))
            first = low
        if not prove(Condition("<=", last, high)):
            made.append((*middle[:axis], (high, last), *middle[axis + 1 :]))
            last = high
        middle[axis] = first, last
    return made
