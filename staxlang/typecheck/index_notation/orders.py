"""The order in which a tensor that reads its own elements is computed: proved from the places of the reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts, Interval, Size
from staxlang.base.spans import Span
from staxlang.typecheck.index_notation.boxes import Box


class OwnRead(NamedTuple):
    """An element of a tensor in the making, read in its own definition: which tensor, where, what was known there."""

    number: int
    subscripts: tuple[Size, ...]
    facts: Facts
    ranges: Mapping[str, Interval]
    never: bool
    text: str
    span: Span | None

    def proves(self, condition: Condition) -> bool:
        return self.never or self.facts.decide(condition, self.ranges) is True or self.facts.decide(condition) is True

    def lies_in(self, box: Box) -> bool:
        return all(
            self.proves(Condition("<=", first, one)) and self.proves(Condition("<", one, last))
            for one, (first, last) in zip(self.subscripts, box, strict=True)
        )

    def lies_outside(self, box: Box) -> bool:
        return any(
            self.proves(Condition("<", one, first)) or self.proves(Condition("<=", last, one))
            for one, (first, last) in zip(self.subscripts, box, strict=True)
        )


class Order(NamedTuple):
    """`order`: the axes that are walked one after the other, outermost first, those in `down` from their ends; `apart`: the axes along
    which nothing depends on anything. The axes that are left are walked inside of all."""

    order: tuple[int, ...]
    apart: tuple[int, ...]
    down: tuple[int, ...]


def find_order(target: Sequence[Size], axes: Sequence[int], reads: Sequence[tuple[OwnRead, bool]]) -> Order | OwnRead:
    """An order of the index axes in which every read comes after what it reads, or a read for which there is none.

    `target` is the element that is computed. A read marked True may also be of that very place: it is of a tensor made just before.
    """
    apart = [axis for axis in axes if all(_is_same(read, target, axis) for read, _ in reads)]
    fixed = [axis for axis in range(len(target)) if axis not in axes]
    for read, _ in reads:
        if not all(_is_same(read, target, axis) for axis in fixed):
            return read
    wrong = reads[0][0]
    for order, down in _candidates([axis for axis in axes if axis not in apart]):
        depth = 0
        for read, level in reads:
            carried = _carried(read, target, order, down)
            if carried is None or (carried == len(order) and not level):
                wrong = read
                break
            depth = max(depth, min(carried + 1, len(order)))
        else:
            return Order(order[:depth], tuple(apart), tuple([axis for axis in down if axis in order[:depth]]))
    return wrong


def _candidates(axes: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Orders and directions, the plainest first. Of more than three axes in their own order only."""
    orders = list(permutations(axes)) if len(axes) <= 3 else [tuple(axes)]
    for signs in product((False, True), repeat=len(axes)):
        for order in orders:
            yield order, tuple([axis for axis, sign in zip(axes, signs, strict=True) if sign])


def _is_same(read: OwnRead, target: Sequence[Size], axis: int) -> bool:
    return read.subscripts[axis] == target[axis] or read.proves(Condition("==", read.subscripts[axis], target[axis]))


def _carried(read: OwnRead, target: Sequence[Size], order: Sequence[int], down: Sequence[int]) -> int | None:
    """At which of the loops what is read has been made: its number; how many there are where it is the same place; None: at none."""
    for number, axis in enumerate(order):
        one, other = read.subscripts[axis], target[axis]
        if read.proves(Condition("<", other, one) if axis in down else Condition("<", one, other)):
            return number
        if not _is_same(read, target, axis):
            return None
    return len(order)
