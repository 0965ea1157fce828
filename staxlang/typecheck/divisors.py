"""Division of Python's numbers: a zero divisor is an error, when compiling where it is known then, else when the program runs."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.dtypes import I64
from staxlang.base.externs import DIVISION
from staxlang.base.sizes import Condition, Size, symbol
from staxlang.base.types import TensorType
from staxlang.typecheck import binding
from staxlang.typecheck.values import ArrayValue, ScalarValue, SizeValue, StaticValue, Value

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext


def check_divisor(call: CallContext, op: str, divisor: Value) -> None:
    """Python raises for a zero divisor: known now, excluded by a guard on sizes, or tested when the program runs."""
    if type(divisor) is StaticValue:
        if divisor.value == 0:
            call.error("division-by-zero", operation=op)
        return
    size = divisor.size if type(divisor) is SizeValue else None
    if type(divisor) is ScalarValue:
        size = binding.formula_size(call.context, divisor, call.span)
    loops = call.context.loops
    if size is not None and (not loops.among(size) or loops.decide(Condition("==", size, 0), call.context.facts) is not None):
        if call.decide(Condition("==", size, 0), f"`{op}` divides by it") is True:
            call.error("division-by-zero", operation=op)
        return
    if not call.checking and not call.context.indices.active and not call.frame.library:
        _test(call, op, divisor)


def _test(call: CallContext, op: str, divisor: Value) -> None:
    """A test of the running program, which counts only where the division is reached."""
    zero: Value = call.pointwise("equal", (call.to_array(divisor), StaticValue(0)))
    for reached in _reached(call):
        zero = call.pointwise("logical_and", (reached, call.to_array(zero)))
    tested = call.cast(call.to_array(zero), I64)
    call.operation("assert_index", [tested], TensorType(I64, ()), extent=1, what=DIVISION + op)


def _reached(call: CallContext) -> list[ArrayValue]:
    """What says that a program comes here: the branches around, and that the loops around have rounds. (What is the same in each round is
    tested before the first.)"""
    found: list[ArrayValue] = [] if call.context.branches.live is None else [call.context.branches.live]
    for name, range in call.context.loops.active.items():
        high: Size | None = range.high
        if high is None or call.context.facts.decide(Condition("<=", 0, high)) is not True:
            found.append(call.to_array(call.pointwise("less_equal", (StaticValue(0), _number(call, name if high is None else high)))))
    return found


def _number(call: CallContext, size: str | Size) -> ArrayValue:
    return call.array(call.size_handle(symbol(size) if isinstance(size, str) else size), TensorType(I64, ()))
