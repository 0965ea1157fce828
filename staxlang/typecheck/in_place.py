"""`target op= value`: what is changed in place, and what the name is bound to afterwards."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.dtypes import can_cast
from staxlang.base.types import TensorType
from staxlang.typecheck import mutation, pointwise
from staxlang.typecheck.operators import METHODS, binary, class_method
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.values import UNKNOWN, ArrayValue, BoundMethod, Value

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext


def in_place(call: CallContext, op: str, target: Value, value: Value) -> Value:
    """`target op= value`: gives what the name is bound to afterwards (the same object where Python changes it in place)."""
    if type(target) is ArrayValue and not target.scalar and value is not UNKNOWN:
        return _array_in_place(call, op, target, value)
    if type(target) is list and op == "+":
        target.extend(call.items(value, "the right side of `+=`"))
        return target
    if type(target) is dict and op == "|" and isinstance(value, dict):
        target.update(value)
        return target
    name = METHODS[op]
    function = class_method(target, f"__i{name}__")
    if function is not None:
        return call.call(BoundMethod(function, target), [value])
    return binary(call, op, target, value)


def _array_in_place(call: CallContext, op: str, target: ArrayValue, value: Value) -> Value:
    mutation.writable(call, target)
    result = binary(call, op, target, value)
    if result is UNKNOWN:
        raise Unknowable
    array = call.to_array(result)
    if not can_cast(array.type.dtype, target.type.dtype, "same_kind"):
        advice = f"write `{call.text(0)} = {call.text(0)} {op} ...` for a new array, or convert with `.astype`"
        call.error("cast-refused", source=array.type.dtype.name, target=target.type.dtype.name, casting="same_kind", help=advice)
    if len(array.type.shape) != len(target.type.shape) or any(
        not call.same_size(mine, theirs, "it is updated in place")
        for mine, theirs in zip(array.type.shape, target.type.shape, strict=True)
    ):
        call.error("in-place-shape", operation=f"{op}=", target=call.describe(target), result=call.describe(array))
    cast = call.cast(array, target.type.dtype)
    handle = pointwise.spread(call, call.handle(cast), TensorType(target.type.dtype, cast.type.shape), target.type.shape)
    mutation.store(call, target, handle)
    return target
