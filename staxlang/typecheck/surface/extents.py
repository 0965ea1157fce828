"""Extents as the Python numbers that a program sees: sizes, and for arrays that a mask chose, counts made when it runs."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, linear_in, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import Computed, Converted
from staxlang.typecheck.values import ScalarValue, SizeValue, StaticValue, Value, size_value


def extent_value(call: CallContext, extent: Size) -> Value:
    """An extent as an int: a size, or a number of this run where a mask decides it."""
    if isinstance(extent, int) or not call.context.masks:
        return size_value(extent)
    for chooser, (count, mask) in call.context.masks.items():
        name = str(count)
        if name in symbols(extent):
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
