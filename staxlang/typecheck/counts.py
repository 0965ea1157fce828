"""Counted sizes: extents that only the data knows. Each is a symbol with a node of the graph that computes it; what needs the number
before the program runs - memory for a result, a decision about shapes - has it counted first, and the program goes on for any count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.dtypes import I64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, symbol, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.guards import SizeOrigin
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


def counted_size(
    context: EvaluationContext, handle: Handle, span: Span | None, what: str, origin: str, name: str = "count", most: Size | None = None
) -> Size:
    """The size that a 0-d i64 value is, the same one for the same value. `most`: it is known to be from 0 to that."""
    closed = context.recorder.closed(handle)
    key = handle if closed is None else closed
    known = context.counts.get(key)
    if known is not None:
        return known
    if key in context.answered:
        return int(context.answered[key])
    size = symbol(_free_name(context, name))
    context.counted[str(size)] = Counted(size, closed, context.recorder, span, what)
    if most is None and closed is not None and not context.checking:
        number = answer(context, str(size))
        if number < 0:  # a number that counts nothing, as the start of a slice
            size = symbol(str(size), signed=True)
            context.counted[str(size)] = Counted(size, closed, context.recorder, span, what)
        held = Condition("<", size, 0) if number < 0 else Condition("<=", 0, size)
        context.sign_guard(size, number < 0, span, f"{what} is used as a size")
        context.assume(held)
    elif most is not None and closed is not None:
        context.assume(Condition("<=", size, most))
    context.counts[key] = size
    context.origins.append(SizeOrigin(size, origin, span))
    return size


def answer(context: EvaluationContext, name: str) -> int | None:
    """The counted size of that name at the call being captured: counted now, if it has not been. None where it cannot be known."""
    known = context.counted.get(name)
    if known is None or known.handle is None or context.checking:
        return None
    number = known.recorder.gate(known.handle, TensorType(I64, ()), known.span, known.what, name)
    if number is None:
        return None
    context.hints[name] = int(number)
    return int(number)


def _free_name(context: EvaluationContext, name: str) -> str:
    taken = context.counted.keys() | context.hints.keys() | context.rigid | {binding.symbol for binding in context.sizes}
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}{number}"
    return made


def settled(context: EvaluationContext, size: Size) -> bool:
    """Whether all counted sizes that a size speaks of can be known before the program runs."""
    return all(name not in context.counted or context.counted[name].handle is not None for name in symbols(size))
