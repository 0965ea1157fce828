"""`let h[bins[i]] += w[i]`: an array is updated for every value of the indices; equal places each count."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from staxlang.base.dtypes import I64, can_cast
from staxlang.base.sizes import Size, substitute, symbols
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import mutation
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.frames import Frame, children
from staxlang.typecheck.index_notation import reads
from staxlang.typecheck.index_notation.bodies import as_element, element, extent, extents, ranges_of, under
from staxlang.typecheck.index_notation.reductions import Chosen, reduced
from staxlang.typecheck.index_notation.scope import Index
from staxlang.typecheck.surface.indexing import IndexArray, Item, Parts, integer_index, plan
from staxlang.typecheck.surface.updating import scattered
from staxlang.typecheck.values import UNKNOWN, ArrayValue, size_value
from staxlang.typecheck.views import index as axis_index

_ROWS: Mapping[str, tuple[str, str, str]] = {
    "+": ("add", "add", "sum"), "-": ("add", "add", "sum"), "*": ("multiply", "multiply", "prod"),
    "max": ("maximum", "max", "max"), "min": ("minimum", "min", "min"),
}  # fmt: skip
"""By the sign before `=`: the operation of the table, the mode of a scatter, the reduction of values for one place."""


class Place:
    """Where an update goes, for one point: a size or an integer of data for each axis; and what it brings there."""

    __slots__ = ("subscripts", "value")

    def __init__(self, subscripts: list[Size | ArrayValue], value: ArrayValue) -> None:
        self.subscripts, self.value = subscripts, value


def update(frame: Frame, node: tree.TensorDefinition) -> None:
    call = frame.call(node)
    if node.op not in _ROWS:
        call.error("index-update", name=node.name, reason=f"`{node.op}=` depends on the order; use `+=`, `-=`, `*=`, `max=` or `min=`")
    target = frame.lookup(node.name)
    if target is UNKNOWN:
        return
    if target is None:
        call.error("unknown-name", name=node.name, help="an update needs an array to begin with, as in `h = zeros(8)`")
    if type(target) is not ArrayValue or target.rank != len(node.subscripts):
        call.error("index-update", name=node.name, reason=f"it is {call.describe(target)}, and has {len(node.subscripts)} subscripts here")
    binders = [one if type(one) is tree.Binder else tree.Binder(one.span, one.id) for one in _indices(frame, node)]
    given, place = under(frame, node, binders, lambda inner: _place(inner, node, target))
    mutation.writable(call, target)
    if node.op == "-":
        place.value = call.to_array(call.pointwise("negative", (place.value,)))
    _written(call, node, target, given, place)


# ---- which names are indices ----


def _indices(frame: Frame, node: tree.TensorDefinition) -> list[Any]:
    """Plain names among the subscripts, and names anywhere that nothing binds."""
    found: dict[str, Any] = {one.name: one for one in node.subscripts if type(one) is tree.Binder}
    for part in (*node.subscripts, node.value, node.condition, node.otherwise):
        if part is not None:
            _unbound(frame, part, frozenset(), found)
    return list(found.values())


def _unbound(frame: Frame, node: Any, bound: frozenset[str], found: dict[str, Any]) -> None:
    kind = type(node)
    if kind is tree.Name:
        if node.id not in bound and node.id not in found and frame.lookup(node.id) is None:
            found[node.id] = node
        return
    if kind is tree.Reduction:
        bound = bound | {one.name for one in node.indexes}
    elif kind in (tree.Lambda, tree.Comprehension):  # these bind names of their own
        return
    for child in children(node):
        _unbound(frame, child, bound, found)


# ---- for one point ----


def _place(inner: Frame, node: tree.TensorDefinition, target: ArrayValue) -> Place:
    subscripts: list[Size | ArrayValue] = []
    for axis, one in enumerate(node.subscripts):
        call = inner.call(one)
        value = inner.evaluate(tree.Name(one.span, one.name) if type(one) is tree.Binder else one)
        if type(value) is ArrayValue:
            if value.rank or value.dtype.kind not in "iu":
                call.error("bad-index", given=call.describe(value))
            subscripts.append(value)
            continue
        place = call.size(value, "a subscript")
        if call.context.indices.among(place):
            subscripts.append(reads.place(call, place, target, axis, node.name))
        else:
            subscripts.append(integer_index(call, place, target.shape[axis], axis))
    value = as_element(inner.call(node.value), element(inner, node), node.name)
    if value.rank:
        inner.call(node.value).error("index-missing", name=node.name, given=inner.call(node).describe(value))
    return Place(subscripts, value)


# ---- all points ----


def _written(call: CallContext, node: tree.TensorDefinition, target: ArrayValue, given: Sequence[Index], place: Place) -> None:
    row, mode, kind = _ROWS[node.op]
    if not any(isinstance(one, ArrayValue) for one in place.subscripts):
        names = {index.symbol for one in place.subscripts if not isinstance(one, ArrayValue) for index in _among(given, one)}
        away = [index for index in given if index.symbol not in names]
        if away:  # all that goes to one place is put together first
            place.value = call.to_array(reduced(call, kind, away, Chosen(place.value, None)))
            given = [index for index in given if index.symbol in names]
        if _is_view(given, place):
            _write_view(call, row, target, given, place)
            return
    if not can_cast(place.value.dtype, target.dtype, "same_kind"):
        call.error("cast-refused", source=place.value.dtype.name, target=target.dtype.name, casting="same_kind")
    value = _defined(call, given, place.value)
    items: list[Item] = [_index(call, given, one) for one in place.subscripts]
    scattered(call, target, plan(call, target, Parts(items)), value, mode)


def _among(given: Sequence[Index], size: Size) -> list[Index]:
    return [] if isinstance(size, int) else [index for index in given if index.symbol in symbols(size)]


def _is_view(given: Sequence[Index], place: Place) -> bool:
    """Whether each index is one of the subscripts by itself: then no two points have one place."""
    alone = [one for one in place.subscripts if any(one == index.size for index in given)]
    others = [one for one in place.subscripts if not isinstance(one, int) and one not in alone]
    return not others and len(alone) == len(given) == len(set(alone))


def _write_view(call: CallContext, row: str, target: ArrayValue, given: Sequence[Index], place: Place) -> None:
    mapping: dict[str, Size] = {index.symbol: index.start + axis_index(axis) for axis, index in enumerate(given)}
    sizes = [one for one in place.subscripts if not isinstance(one, ArrayValue)]
    part = call.view(target, extents(given), tuple([one if isinstance(one, int) else substitute(one, mapping) for one in sizes]))
    made = call.to_array(call.pointwise(row, (part, _defined(call, given, place.value))))
    if not can_cast(made.dtype, target.dtype, "same_kind"):
        call.error("cast-refused", source=made.dtype.name, target=target.dtype.name, casting="same_kind")
    call.write(part, made)


def _index(call: CallContext, given: Sequence[Index], subscript: Size | ArrayValue) -> IndexArray:
    """A subscript as an array over all indices; what is known to lie inside is not tested again."""
    if isinstance(subscript, ArrayValue):
        return IndexArray(_defined(call, given, subscript))
    return IndexArray(_defined(call, given, call.to_array(size_value(subscript), I64)), True)


def _defined(call: CallContext, given: Sequence[Index], body: ArrayValue) -> ArrayValue:
    type_ = TensorType(body.dtype, tuple([extent(index) for index in given]))
    return call.array(call.record("define", (call.handle(body),), {"ranges": ranges_of(given)}, type_), type_, scalar=False)
