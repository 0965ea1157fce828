"""In which stages pieces of tensors are computed, each piece after what it reads: planned and proved."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from staxlang.base.diagnostics import Note
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.index_notation.boxes import Box, is_apart, left_over
from staxlang.typecheck.index_notation.orders import Order, OwnRead, find_order
from staxlang.typecheck.index_notation.scope import Index

if TYPE_CHECKING:
    from staxlang.typecheck.index_notation.pieces import Own, Piece


class Stage(NamedTuple):
    """Pieces (their numbers) that are computed in one walk over `ranges` (symbol, start, stop); `order`, `apart` and `down` are symbols."""

    pieces: tuple[int, ...]
    ranges: tuple[tuple[str, Size, Size], ...]
    order: tuple[str, ...]
    apart: tuple[str, ...]
    down: tuple[str, ...]


def plan_stages(frame: Frame, pieces: Sequence[Piece], owns: Mapping[str, Own]) -> list[Stage]:
    """The stages in order. Diagnostics where an element is read before it is computed, has no definition, or two."""
    for own in owns.values():
        _check_cover(frame, own, [piece for piece in pieces if piece.own is own])
    stages: list[Stage] = []
    done: list[int] = []
    place = 0
    while place < len(pieces):
        group = [place]
        if not _reads_done(pieces, place, done):
            while place + 1 < len(pieces) and _joins(pieces[group[0]], pieces[place + 1]):
                place += 1
                group.append(place)
        stages.append(_stage(frame, pieces, group, done))
        done += group
        place += 1
    return stages


def _reads_done(pieces: Sequence[Piece], place: int, done: Sequence[int]) -> bool:
    return all(_is_done(pieces, read, done) for read in pieces[place].reads)


def _is_done(pieces: Sequence[Piece], read: OwnRead, done: Sequence[int]) -> bool:
    return any(pieces[other].own.number == read.number and read.lies_in(pieces[other].box) for other in done)


def _joins(first: Piece, other: Piece) -> bool:
    """Whether two pieces have the same index variables."""
    return bool(first.indices) and len(first.subscripts) == len(other.subscripts) and all(
        a is b or (not isinstance(a, Index) and not isinstance(b, Index) and a == b)
        for a, b in zip(first.subscripts, other.subscripts, strict=True)
    )  # fmt: skip


def _stage(frame: Frame, pieces: Sequence[Piece], group: Sequence[int], done: Sequence[int]) -> Stage:
    first = pieces[group[0]]
    reads: list[tuple[OwnRead, bool]] = []
    for number in group:
        for read in pieces[number].reads:
            if _is_done(pieces, read, done):
                continue
            makers = [other for other in group if pieces[other].own.number == read.number]
            later = [other for other in range(len(pieces)) if other not in done and other not in group]
            if not makers:
                _too_early(frame, pieces, number, read)
            if not all(read.lies_outside(pieces[other].box) for other in later if pieces[other].own.number == read.number):
                _too_early(frame, pieces, number, read)
            reads.append((read, makers[0] < number))
    axes = [axis for axis, one in enumerate(first.subscripts) if isinstance(one, Index)]
    names = [str(one.size) if isinstance(one, Index) else "" for one in first.subscripts]
    found: Order | OwnRead = find_order(first.target, axes, reads) if reads else Order((), tuple(axes), ())
    if isinstance(found, OwnRead):
        number = next(number for number in group if any(read is found for read in pieces[number].reads))
        _too_early(frame, pieces, number, found)
    ranges = tuple([(str(one.size), one.start, _stop(one)) for one in first.indices])
    order, apart, down = [tuple([names[axis] for axis in part]) for part in found]
    return Stage(tuple(group), ranges, order, apart, down)


def _stop(index: Index) -> Size:
    assert index.stop is not None
    return index.stop


def _too_early(frame: Frame, pieces: Sequence[Piece], number: int, read: OwnRead) -> NoReturn:
    piece = pieces[number]
    call = frame.call(piece.node)
    indices = frame.context.indices
    given = {one.symbol: one for one in piece.indices}
    shown = ", ".join(indices.text(one, given) for one in read.subscripts)
    target = ", ".join(indices.text(one, given) for one in piece.target)
    name = next(one.own.name for one in pieces if one.own.number == read.number)
    notes = [Note(piece.node.span, f"`{piece.own.name}[{target}]` is computed from it")]
    call.error("index-order", span=read.span, read=f"{name}[{shown}]", target=f"{piece.own.name}[{target}]", notes=notes)


# ---- every element once ----


def _check_cover(frame: Frame, own: Own, mine: Sequence[Piece]) -> None:
    call = frame.call(mine[0].node)
    empty = frame.context.indices.empty

    def prove(condition: Condition) -> bool:
        answer = call.decide(condition, f"the pieces of {own.name}")
        return call.checking if answer is None else answer  # a call will tell

    for place, piece in enumerate(mine):
        for other in mine[:place]:
            if not empty and not is_apart(piece.box, other.box, prove):
                notes = [Note(other.node.span, f"and here: {_box_text(own, other.box)}")]
                frame.call(piece.node).error("index-defined-twice", name=own.name, box=_box_text(own, piece.box), notes=notes)
    whole: Box = tuple([(0, extent) for extent in own.extents])
    left = left_over(whole, [piece.box for piece in mine], prove)
    if left and not empty:
        call.error("index-undefined", name=own.name, box=_box_text(own, left[0]))


def _box_text(own: Own, box: Box) -> str:
    return f"{own.name}[{', '.join(str(first) if last == first + 1 else f'{first}..{last}' for first, last in box)}]"
