"""`stax.cond` and `stax.gate`: choices and numbers that stay in the program where a Python program would decide them. `fixed` of .stx:
numbers that do not."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from staxlang.base.types import TensorType
from staxlang.typecheck.binding import kept_condition
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import number_or_array
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import ArrayValue, BoundMethod, FunctionValue, MeaningValue, PartialValue, ScalarValue, StaticValue, Value

_CALLABLE = (FunctionValue, MeaningValue, BoundMethod, PartialValue)


@spelled("stax.cond", "word.cond")
def cond(call: CallContext, condition: Value, then: Value, otherwise: Value, /, *operands: Value) -> Value:
    """`then(*operands)` where the condition holds, else `otherwise(*operands)`. What is known when compiling takes one side."""
    for name, function in (("then", then), ("otherwise", otherwise)):
        if not isinstance(function, _CALLABLE):
            advice = "to choose between two values, use `np.where`"
            given = call.describe(function)
            call.error("bad-argument", argument=f"`{name}`", operation="stax.cond", expected="a function", given=given, help=advice)
    kept = kept_condition(call, condition, call.text(0), always=True)
    if kept is None:
        answer = call.truth(condition, call.text(0))
        return call.call(otherwise if answer is False else then, operands)
    return call.context.choose(call, kept, lambda: call.call(then, operands), lambda: call.call(otherwise, operands))


@spelled("stax.gate", "word.gate")
def gate(call: CallContext, value: Value, /) -> Value:
    """A number as a 0-d array of its default dtype: nothing about it is decided when compiling."""
    array: ArrayValue = call.to_array(number_or_array(call, value))
    if array.rank:
        call.error("bad-argument", argument="the operand", operation="stax.gate", expected="a number", given=call.describe(array))
    return call.array(call.handle(array), TensorType(array.dtype, ()), scalar=False)


@spelled("word.fixed")
def fixed(call: CallContext, value: Value, /) -> Value:
    """A number, or each of a tuple, with the value that it has now: another one makes another version. Sizes stay as they are.

    Of a stride or a padding everything that follows is proved at once, and loops know it.
    """
    if isinstance(value, tuple):
        return tuple([fixed(call, one) for one in value])
    return StaticValue(call.static(value, call.text(0))) if type(value) is ScalarValue else value
