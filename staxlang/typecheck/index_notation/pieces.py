"""Tensors defined in pieces - `let s[0] = ..`, `let s[i] = s[i - 1] + ..` - and by their own elements."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from staxlang.base.dtypes import WEAK_INT, DType, concrete, promote
from staxlang.base.sizes import Condition, Size, symbol
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.frames import Frame, children
from staxlang.typecheck.index_notation.bodies import bound, element, made_index, searching
from staxlang.typecheck.index_notation.boxes import Box
from staxlang.typecheck.index_notation.orders import OwnRead
from staxlang.typecheck.index_notation.ranges import find_ranges, require_ranges
from staxlang.typecheck.index_notation.scope import Index
from staxlang.typecheck.index_notation.stages import Stage, plan_stages
from staxlang.typecheck.pointwise import numeric_dtype
from staxlang.typecheck.values import ArrayValue, Storage, Value
from staxlang.typecheck.views import larger

MOST_ROUNDS = 4


class Own:
    """A tensor in the making. `array` is what its own definition reads it as."""

    __slots__ = ("array", "extents", "name", "number", "rank")

    def __init__(self, name: str, number: int, rank: int) -> None:
        self.name, self.number, self.rank = name, number, rank
        self.extents: list[Size] = []
        self.array: ArrayValue | None = None


class Piece:
    """One definition: which part of its tensor it gives. A subscript is an index variable or a size."""

    __slots__ = ("body", "node", "own", "reads", "subscripts")

    def __init__(self, node: tree.TensorDefinition, own: Own) -> None:
        self.node, self.own = node, own
        self.subscripts: list[Index | Size] = []
        self.body: Value = None
        self.reads: list[OwnRead] = []

    @property
    def indices(self) -> list[Index]:
        return [one for one in self.subscripts if isinstance(one, Index)]

    @property
    def target(self) -> tuple[Size, ...]:
        return tuple([one.size if isinstance(one, Index) else one for one in self.subscripts])

    @property
    def box(self) -> Box:
        return tuple([(one.start, end_of(one)) if isinstance(one, Index) else (one, one + 1) for one in self.subscripts])


def end_of(one: Index | Size) -> Size:
    """Behind the last place that a subscript takes."""
    if isinstance(one, Index):
        assert one.stop is not None
        return one.stop
    return one + 1


def defined_together(frame: Frame, nodes: Sequence[tree.TensorDefinition]) -> dict[str, Value]:
    """The tensors that definitions give which are pieces of one, or read each other."""
    owns: dict[str, Own] = {}
    context = frame.context
    for node in nodes:
        if node.name not in owns:
            owns[node.name] = Own(node.name, context.indices.owned, len(node.subscripts))
            context.indices.owned += 1
    pieces = [Piece(node, owns[node.name]) for node in nodes]
    for piece in pieces:
        _check_form(frame, piece)
    count = context.indices.count
    dtypes = _search(frame, pieces, owns)
    context.indices.count = count
    _share(frame, pieces)
    _find_extents(frame, pieces, owns)
    if context.indices.searching:
        return {name: _stand_in(frame, own, dtypes[name]) for name, own in owns.items()}
    for _ in range(MOST_ROUNDS):
        undo = context.recorder.trial()
        found = _evaluated(frame, pieces, owns, dtypes)
        if found == dtypes:
            break
        undo()
        dtypes = found
    stages = plan_stages(frame, pieces, owns)
    return _recorded(frame, pieces, owns, stages, dtypes)


def _check_form(frame: Frame, piece: Piece) -> None:
    call = frame.call(piece.node)
    if len(piece.node.subscripts) != piece.own.rank:
        counts = f"one piece has {piece.own.rank} subscripts, another {len(piece.node.subscripts)}"
        call.error("index-pieces", name=piece.own.name, reason=counts)
    if any(type(one) is tree.Constant and one.value is ... for one in piece.node.subscripts):
        call.error("index-pieces", name=piece.own.name, reason="`...` cannot stand in a piece, name all axes")


# ---- ranges ----


def _search(frame: Frame, pieces: Sequence[Piece], owns: dict[str, Own]) -> dict[str, DType]:
    """The ranges of all indices, and what dtypes the bodies have while the tensors' own elements have none."""
    indices = frame.context.indices
    with searching(frame) as outermost:
        for own in owns.values():
            own.array = _stand_in(frame, own, WEAK_INT)
        for piece in pieces:
            call = frame.call(piece.node)
            piece.subscripts = [_subscript(frame, piece, axis, pieces) for axis in range(piece.own.rank)]
            before = len(indices.uses)
            bound(frame, piece.indices, lambda inner, piece=piece: _evaluate(inner, piece, owns))
            find_ranges(call, [one for one in indices.active.values() if one.stop is None], indices.uses[before:])
        for own in owns.values():
            assert own.array is not None
            del indices.owns[own.array.storage]
    _complete(pieces)
    if outermost:
        for piece in pieces:
            require_ranges(frame.call(piece.node), piece.indices)
    # Where a tensor begins, its dtype does: `0.5 * e[n - 1]` by itself would be f64. (A number such as 0 has none to give.)
    begins = [piece for piece in pieces if not _mentions(piece.node, owns) and not _dtype(piece).weak]
    return {**_dtypes(pieces), **_dtypes(begins)}


def _mentions(node: Any, owns: Mapping[str, Own]) -> bool:
    return (type(node) is tree.Name and node.id in owns) or any(_mentions(child, owns) for child in children(node))


def _stand_in(frame: Frame, own: Own, dtype: DType) -> ArrayValue:
    """A tensor of which the extents are not known yet."""
    shape = tuple(own.extents) or tuple([symbol(f"own[{own.number}].shape[{axis}]") for axis in range(own.rank)])
    return _own_array(frame, own, TensorType(dtype, shape))


def _own_array(frame: Frame, own: Own, type_: TensorType) -> ArrayValue:
    handle = frame.context.recorder.record("own", (), {"number": own.number}, type_, None)
    made = ArrayValue(Storage(handle, type_, writable=False), type_)
    made.readonly = True
    frame.context.indices.owns[made.storage] = own.number
    return made


def _subscript(frame: Frame, piece: Piece, axis: int, pieces: Sequence[Piece]) -> Index | Size:
    """An index begins behind the places that earlier pieces define; anything else is a place."""
    given = piece.node.subscripts[axis]
    if type(given) is tree.Binder:
        made = made_index(frame, given)
        if not made.given:
            taken = {one.subscripts[axis] for one in pieces[: pieces.index(piece)] if one.own is piece.own}
            while made.start in taken:
                made.start = made.start + 1
        return made
    call = frame.call(given)
    place = call.size(frame.evaluate(given), f"a subscript of {piece.own.name}")
    if call.decide(Condition("<", place, 0), f"a subscript of {piece.own.name}") is True:
        call.error("index-pieces", name=piece.own.name, reason="places are counted from the start, as in `N - 1`")
    return place


def _evaluate(inner: Frame, piece: Piece, owns: dict[str, Own]) -> None:
    inner.locals.update({name: own.array for name, own in owns.items() if name not in inner.locals})
    piece.body = element(inner, piece.node)
    call = inner.call(piece.node.value)
    if not call.is_numeric(piece.body):
        call.error("not-numeric", given=call.describe(piece.body))
    rank = call.type_of(piece.body).rank
    if rank:
        call.error("index-missing", name=piece.own.name, given=call.describe(piece.body))


def _complete(pieces: Sequence[Piece]) -> None:
    """An index that only the tensors themselves are read at has the range that another piece has on that axis."""
    for piece in pieces:
        for axis, one in enumerate(piece.subscripts):
            if isinstance(one, Index) and one.stop is None:
                others = [other.subscripts[axis] for other in pieces if axis < other.own.rank]
                one.stop = next((other.stop for other in others if isinstance(other, Index) and other.stop is not None), None)


def _share(frame: Frame, pieces: Sequence[Piece]) -> None:
    """Neighbouring pieces of different tensors over the same ranges have the same index variables: they are computed in one walk.

    The index variables of the rest are made anew, so that their names do not depend on how ranges were found.
    """
    indices = frame.context.indices
    last: Piece | None = None
    for piece in pieces:
        if last is not None and last.own is not piece.own and _alike(last, piece):
            piece.subscripts = list(last.subscripts)
        else:
            piece.subscripts = [
                indices.make(one.name, one.span, one.start, one.stop) if isinstance(one, Index) else one for one in piece.subscripts
            ]
        last = piece


def _alike(one: Piece, other: Piece) -> bool:
    if len(one.subscripts) != len(other.subscripts) or not one.indices:
        return False
    if any(index.stop is None for index in (*one.indices, *other.indices)):
        return False
    kinds = [[isinstance(part, Index) for part in piece.subscripts] for piece in (one, other)]
    return kinds[0] == kinds[1] and one.box == other.box


def _find_extents(frame: Frame, pieces: Sequence[Piece], owns: dict[str, Own]) -> None:
    for own in owns.values():
        mine = [piece for piece in pieces if piece.own is own]
        call = frame.call(mine[0].node)
        for axis in range(own.rank):
            ends = [one.stop if isinstance(one, Index) else one + 1 for one in [piece.subscripts[axis] for piece in mine]]
            extent: Size | None = ends[0]
            for end in ends[1:]:
                extent = None if extent is None or end is None else _larger(call, own, extent, end)
            if extent is not None:
                own.extents.append(extent)


def _larger(call: CallContext, own: Own, one: Size, other: Size) -> Size:
    if one == other:
        return one
    greater = larger(one, other, lambda condition: call.decide(condition, f"the pieces of {own.name}"))
    if call.checking and greater not in (one, other):  # a call will tell: presumably the size and not the number
        return one if isinstance(other, int) else other
    return greater


# ---- bodies ----


def _dtypes(pieces: Sequence[Piece]) -> dict[str, DType]:
    """The dtype of each tensor: what its pieces' values promote to."""
    found: dict[str, list[DType]] = {}
    for piece in pieces:
        found.setdefault(piece.own.name, []).append(_dtype(piece))
    return {name: concrete(promote(*dtypes)) for name, dtypes in found.items()}


def _dtype(piece: Piece) -> DType:
    dtype = numeric_dtype(piece.body)
    assert dtype is not None
    return dtype


def _evaluated(frame: Frame, pieces: Sequence[Piece], owns: dict[str, Own], dtypes: dict[str, DType]) -> dict[str, DType]:
    """Evaluates the bodies with tensors of these dtypes; the dtypes that come of it."""
    indices = frame.context.indices
    for own in owns.values():
        own.array = _own_array(frame, own, TensorType(dtypes[own.name], tuple(own.extents)))
    outer = indices.own_reads
    try:
        for piece in pieces:
            piece.reads = indices.own_reads = []
            names = {one.name: index for one, index in zip(_binders(piece), piece.indices, strict=True)}
            bound(frame, piece.indices, lambda inner, piece=piece: _evaluate(inner, piece, owns), names)
    finally:
        indices.own_reads = outer
        for own in owns.values():
            assert own.array is not None
            del indices.owns[own.array.storage]
    return _dtypes(pieces)


def _binders(piece: Piece) -> list[Any]:
    return [one for one in piece.node.subscripts if type(one) is tree.Binder]


# ---- the operation ----


def _recorded(
    frame: Frame, pieces: Sequence[Piece], owns: dict[str, Own], stages: Sequence[Stage], dtypes: dict[str, DType]
) -> dict[str, Value]:
    numbers = [own.number for own in owns.values()]
    bodies = tuple([frame.call(piece.node).handle(frame.call(piece.node).cast(piece.body, dtypes[piece.own.name])) for piece in pieces])
    parts = tuple([(numbers.index(piece.own.number), piece.target) for piece in pieces])
    types = tuple([(dtypes[own.name], tuple(own.extents)) for own in owns.values()])
    made: dict[str, Value] = {}
    for place, own in enumerate(owns.values()):
        call = frame.call(next(piece.node for piece in pieces if piece.own is own))
        type_ = TensorType(dtypes[own.name], tuple(own.extents))
        attributes = {"owns": tuple(numbers), "types": types, "parts": parts, "stages": tuple(map(tuple, stages)), "result": place}
        made[own.name] = call.array(call.record("pieces", bodies, attributes, type_), type_, scalar=False)
    return made
