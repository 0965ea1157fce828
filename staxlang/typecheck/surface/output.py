"""`out=` arguments: a result goes into an array that the caller gave, and that array is the call's value."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import absent, check_cast
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import NONE, ArrayValue, StaticValue, Value
from staxlang.typecheck.views import shape_text


def target_of(out: Value) -> Value:
    """The array that `out=` names; it may stand in a tuple of one."""
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


@spelled("word.into")
def written(call: CallContext, result: Value, out: Value = NONE, casting: Value = StaticValue("unsafe")) -> Value:
    """For the standard library: the result, or `out` with it."""
    return into(call, result, out, call.operation_text(), str(call.static(casting, "casting")))


def into(call: CallContext, result: Value, out: Value, operation: str, casting: str = "same_kind") -> Value:
    """The result, or `out` after the result was written to it."""
    target = target_of(out)
    if absent(target):
        return result
    if not isinstance(target, ArrayValue):
        call.error("bad-argument", argument="`out`", operation=operation, expected="an array", given=call.describe(target))
    found = call.type_of(result)
    if found.shape != target.shape and (
        len(found.shape) != target.rank or not all(call.same_size(a, b) for a, b in zip(found.shape, target.shape, strict=True))
    ):
        call.error("out-mismatch", given=shape_text(target.shape), expected=shape_text(found.shape))
    check_cast(call, found.dtype, target.dtype, casting, operation)
    call.write(target, result)
    return target
