"""Extents as the Python numbers that a program sees: sizes, and for arrays that a mask chose, counts made when it runs."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, linear_in, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.counts import chooser_of
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import Computed, Converted
from staxlang.typecheck.surface.arguments import absent
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, ScalarValue, SizeValue, StaticValue, Value, size_value


def extent_value(call: CallContext, extent: Size) -> Value:
    """An extent as an int: a size, or a number of this run where a mask decides it."""
    if isinstance(extent, int) or not call.context.masks:
        return size_value(extent)
    for chooser, (count, mask) in call.context.masks.items():
        name = str(count)
        if name in symbols(extent) and chooser_of(call.context, count) is not None:
            found = linear_in(extent, [name])
            if found is None:
                break
            factors, rest = found
            chosen = _combined("multiply", _count(call, chooser, mask), extent_value(call, factors[name]))
            return _combined("add", chosen, extent_value(call, rest))
    return size_value(extent)


def shape_value(call: CallContext, shape: Sequence[Size]) -> tuple[Value, ...]:
    return tuple(extent_value(call, extent) for extent in shape)


def _count(call: CallContext, chooser: Handle, mask: TensorType) -> Value:
    type_ = TensorType(I64, ())
    handle = call.record("reduce", (chooser,), {"kind": "count", "axes": tuple(range(mask.rank))}, type_)
    return ScalarValue("int", Converted(handle, type_, call.span, call.text()))


def _combined(row: str, left: Value, right: Value) -> Value:
    neutral = 1 if row == "multiply" else 0
    if isinstance(right, StaticValue) and right.value == neutral:
        return left
    if isinstance(left, (StaticValue, SizeValue)) and isinstance(right, (StaticValue, SizeValue)):
        raise AssertionError("a count is a number of the run")
    return ScalarValue("int", Computed(row, (left, right)))


@spelled("word.counted")
def counted(call: CallContext, number: Value, otherwise: Value = NONE, /) -> Value:
    """For the standard library: an integer of the data as a size; in rounds of a loop that each have another one, `otherwise`."""
    context = call.context
    inside = isinstance(number, ArrayValue) and context.recorder.closed(call.handle(number)) is None
    if not absent(otherwise) and (inside or context.branches.live is not None):
        return otherwise
    return size_value(call.size(number, "a size"))


@spelled("word.chooses")
def chooses(call: CallContext, obj: Value, /) -> Value:
    """For the standard library: whether places are told by data, or by a mask."""
    if isinstance(obj, list) and obj and all(isinstance(one, StaticValue) and isinstance(one.value, bool) for one in obj):
        return TRUE
    return TRUE if isinstance(obj, ArrayValue) and obj.rank else FALSE
