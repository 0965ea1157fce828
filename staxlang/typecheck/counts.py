"""Counted sizes: extents that only the data knows. Each is a symbol with a node of the graph that computes it; what needs the number
before the program runs - memory for a result, a decision about shapes - has it counted first, and the program goes on for any count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import I64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, symbol, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.guards import ShapeGuard, SizeOrigin
from staxlang.typecheck.recorder import Handle, Recorder

if TYPE_CHECKING:
    from staxlang.typecheck.context import EvaluationContext


class Counted(NamedTuple):
    """What a counted size is: a 0-d i64 value, None where each round of a loop has another one. `what` is the user's expression."""

    size: Size
    handle: Handle
    recorder: Recorder
    span: Span | None
    what: str


class Counts:
    """Part of an evaluation's context. `of`: the size that each 0-d integer is that is used as one; `known`: what each counted size is, by
    its name; `answered`: of each 0-d value that a data gate has asked for what it was."""

    __slots__ = ("answered", "known", "of")

    def __init__(self) -> None:
        self.of: dict[Handle, Size] = {}
        self.known: dict[str, Counted] = {}
        self.answered: dict[Handle, Any] = {}


def sign_guard(context: EvaluationContext, size: Size, negative: bool, span: Span | None, why: str) -> None:
    """The sign that a number had when it became a size."""
    held = Condition("<", size, 0) if negative else Condition("<=", 0, size)
    if negative:
        context.assume(held)
    context.guards.append(ShapeGuard(held, span, why))


def counted_size(
    context: EvaluationContext, handle: Handle, span: Span | None, what: str, origin: str, name: str = "count", most: Size | None = None
) -> Size:
    """The size that a 0-d i64 value is, the same one for the same value. `most`: it is known to be from 0 to that."""
    closed = context.recorder.closed(handle)
    key = handle if closed is None else closed
    size = context.counts.of.get(key)
    if size is None:
        if key in context.counts.answered:
            return int(context.counts.answered[key])
        size = symbol(_free_name(context, name))
        context.counts.known[str(size)] = Counted(size, closed, context.recorder, span, what)
        if most is None and closed is not None:
            size = _signed(context, size)
        context.counts.of[key] = size
        context.origins.append(SizeOrigin(size, origin, span))
    if most is not None and closed is not None and context.facts.decide(Condition("<=", size, most)) is None:
        context.assume(Condition("<=", size, most))
    return size


def _signed(context: EvaluationContext, size: Size) -> Size:
    """A number of the data as it is at this call: one that is negative counts nothing, but may be the start of a slice."""
    name = str(size)
    known, number = context.counts.known[name], answer(context, name)
    if number is None:
        return size
    if number < 0:
        size = symbol(name, signed=True)
        context.counts.known[name] = known._replace(size=size)
    sign_guard(context, size, number < 0, known.span, f"{known.what} is used as a size")
    return size


def answer(context: EvaluationContext, name: str) -> int | None:
    """The counted size of that name at the call being captured: counted now, if it has not been. None where it cannot be known."""
    known = context.counts.known.get(name)
    if known is None or known.handle is None or context.checking:
        return None
    number: Any = known.recorder.gate(known.handle, TensorType(I64, ()), known.span, known.what, name)
    if number is None:
        return None
    context.hints[name] = int(number)
    return int(number)


def _free_name(context: EvaluationContext, name: str) -> str:
    taken = context.counts.known.keys() | context.hints.keys() | context.rigid | {binding.symbol for binding in context.sizes}
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}{number}"
    return made


def chooser_of(context: EvaluationContext, extent: Size) -> Handle | None:
    """The mask of whose elements an extent tells how many it chooses, while nobody has asked how many that are at this call."""
    if isinstance(extent, int):
        return None
    for chooser, (size, _) in context.masks.items():
        if size == extent:
            known = context.counts.known[str(size)]
            return chooser if str(size) not in context.hints and known.recorder is context.recorder else None
    return None


def settled(context: EvaluationContext, size: Size) -> bool:
    """Whether all counted sizes that a size speaks of can be known before the program runs."""
    return all(name not in context.counts.known or context.counts.known[name].handle is not None for name in symbols(size))
