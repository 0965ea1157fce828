"""Whether what is read lies beside what an update writes."""

from __future__ import annotations

from math import gcd

from staxlang.base.sizes import Condition, Facts, Size, linear_in
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index_name


def beside(update: Node, subscripts: tuple[Size, ...], shape: tuple[Size, ...], facts: Facts) -> bool:
    """Whether a view reads nothing that an update wrote."""
    written: tuple[Size, ...] = update["subscripts"]
    for one, other in zip(written, subscripts, strict=True):
        if isinstance(one, int) and isinstance(other, int):
            if one != other:
                return True
        elif _apart(one, update["shape"], other, shape, facts):
            return True
    return False


def _apart(one: Size, one_shape: tuple[Size, ...], other: Size, other_shape: tuple[Size, ...], facts: Facts) -> bool:
    """Whether two subscripts into one axis, over the indices of two shapes, are never equal: other residues, or ranges side by side."""
    first, second = _progression(one, one_shape), _progression(other, other_shape)
    if first is None or second is None:
        return False
    (start, step, last), (start2, step2, last2) = first, second
    difference, divisor = start - start2, gcd(step, step2)
    if divisor > 1 and isinstance(difference, int) and difference % divisor:
        return True
    return facts.decide(Condition("<", last, start2)) is True or facts.decide(Condition("<", last2, start)) is True


def _progression(subscript: Size, shape: tuple[Size, ...]) -> tuple[Size, int, Size] | None:
    """(least, step, greatest) of a subscript that grows with one index at most."""
    found = linear_in(subscript, [index_name(axis) for axis in range(len(shape))])
    if found is None or len(found[0]) > 1:
        return None
    for name, step in found[0].items():
        extent = shape[int(name[1:])]
        return (found[1], step, found[1] + step * (extent - 1)) if isinstance(step, int) and step > 0 else None
    return found[1], 0, found[1]
