"""Subscripts with index variables: noted while ranges are searched for, proved to lie inside the array when they are known."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from staxlang.base.diagnostics import Note
from staxlang.base.sizes import Condition, Size, bounds
from staxlang.base.types import TensorType
from staxlang.typecheck.index_notation.orders import OwnRead
from staxlang.typecheck.index_notation.scope import Use
from staxlang.typecheck.values import ArrayValue

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext


def place(call: CallContext, subscript: Size, array: ArrayValue, axis: int, name: str | None = None) -> Size:
    """A subscript that depends on indices. It never counts from the end: it must be proved to lie in the array, which is called `name`."""
    indices = call.context.indices
    extent = array.shape[axis]
    owner = array.storage, array.subscripts
    if indices.searching and array.storage in indices.owns:  # its extents are what the search is to find
        return subscript
    if indices.searching:
        guarded = indices.guards > 0
        indices.uses.append(Use(subscript, extent, axis, owner, name or call.text(0), call.span, guarded))
        if not indices.known(subscript):
            return subscript
    if not _holds(call, Condition("<=", 0, subscript)):
        _outside(call, subscript, array, axis, name, "it may be less than 0")
    if not _holds(call, Condition("<", subscript, extent)):
        _outside(call, subscript, array, axis, name, f"it may reach {extent}")
    return subscript


def _holds(call: CallContext, condition: Condition) -> bool:
    """Whether a condition follows from ranges and facts; else whether it holds for the sizes of this call, which become a guard."""
    context = call.context
    if context.indices.proved(condition, context.facts):
        return True
    least = bounds(condition.right - condition.left, context.indices.ranges(), context.facts).low
    if least is None or context.indices.among(least):
        return False
    settled = Condition(condition.relation, 0, least)
    answer = call.decide(settled, "what is read lies inside")
    return answer if answer is not None else call.checking and not call.is_rigid(least)


def _outside(call: CallContext, subscript: Size, array: ArrayValue, axis: int, name: str | None, why: str) -> NoReturn:
    context = call.context
    extent = array.shape[axis]
    among = context.indices.among(subscript)
    notes = [
        Note(index.span, f"`{index.name}` runs over {context.indices.range_text(index)}{'' if index.given else ', by its uses'}")
        for index in among
    ]
    origin = context.origin(extent, array.storage.source)
    if origin is not None:
        notes.append(origin)
    call.error(
        "index-outside", subscript=context.indices.text(subscript), array=name or call.text(0), axis=axis, extent=extent, why=why,
        type=call.describe(ArrayValue(array.storage, TensorType(array.dtype, array.shape))), notes=notes,
    )  # fmt: skip


def note_own_read(call: CallContext, value: ArrayValue) -> None:
    """An element of a tensor is read in its own definition: where it lies, and what is known there, decides when it has to be computed."""
    indices, facts = call.context.indices, call.context.facts
    if value.rank or value.subscripts is None:
        call.error("index-own-whole", text=call.text())
    if indices.searching:
        return
    number = indices.owns[value.storage]
    read = OwnRead(number, value.subscripts, facts, indices.ranges(), bool(indices.empty), call.text(), call.span)
    indices.own_reads.append(read)
