"""New arrays: zeros, ones, full, arange, arrays of lists; and conversions of values to arrays."""

from __future__ import annotations

import math

import numpy as np

from staxlang.base.dtypes import BOOL, F64, I64, DType, concrete, promote
from staxlang.base.sizes import Condition, Size, floordiv, maximum
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import (
    absent,
    array_of,
    constant_array,
    dtype_of,
    expand,
    extent_text,
    flag,
    full,
    is_scalar_like,
    number_or_array,
    only,
    plain_numbers,
    sequence_items,
)  # fmt: skip
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import ORDER_C, ORDER_K, broadcasted, converted
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, ScalarValue, SizeValue, StaticValue, Value

_ZERO, _ONE = StaticValue(0), StaticValue(1)


def extents(call: CallContext, shape: Value) -> tuple[Size, ...]:
    """A shape argument for a new array; an extent below 0 is an error."""
    found = call.shape(shape, "shape")
    for one in found:
        if call.decide(Condition("<", one, 0), "an extent") is True:
            call.error("negative-extent", extent=extent_text(call, one))
    return found


# ---- the same number everywhere ----


@spelled("np.zeros", "word.zeros")
def zeros(
    call: CallContext, shape: Value, dtype: Value = NONE, order: Value = ORDER_C, *, device: Value = NONE, like: Value = NONE
) -> Value:
    return _in_order(call, full(call, _ZERO, dtype_of(call, dtype) or F64, extents(call, shape)), order)


@spelled("np.empty", "word.empty")
def empty(
    call: CallContext, shape: Value, dtype: Value = NONE, order: Value = ORDER_C, *, device: Value = NONE, like: Value = NONE
) -> Value:
    """An array whose elements mean nothing until they are set: zeros here, so that every run is the same."""
    return _in_order(call, full(call, _ZERO, dtype_of(call, dtype) or F64, extents(call, shape)), order)


@spelled("np.ndarray")
def ndarray(call: CallContext, shape: Value, dtype: Value = NONE, *, order: Value = ORDER_C) -> Value:
    """The class, called for an array whose elements are set later."""
    return empty(call, shape, dtype, order)


@spelled("np.ones", "word.ones")
def ones(
    call: CallContext, shape: Value, dtype: Value = NONE, order: Value = ORDER_C, *, device: Value = NONE, like: Value = NONE
) -> Value:
    return _in_order(call, full(call, _ONE, dtype_of(call, dtype) or F64, extents(call, shape)), order)


@spelled("np.full", "word.full")
def full_(
    call: CallContext,
    shape: Value,
    fill_value: Value,
    dtype: Value = NONE,
    order: Value = ORDER_C,
    *,
    device: Value = NONE,
    like: Value = NONE,
) -> Value:
    return _in_order(call, _filled(call, extents(call, shape), fill_value, dtype_of(call, dtype)), order)


def _in_order(call: CallContext, made: ArrayValue, order: Value, prototype: Value | None = None) -> ArrayValue:
    """A new array with its axes in memory as `order` says: "C", "F", or "A" and "K" of the prototype's."""
    if prototype is None:
        only(call, call.text(), "order", order, "C", "F")
        made.storage.order = memory_order.of_copy(call, made, call.static(order, "order"))
    else:
        only(call, call.text(), "order", order, "C", "F", "A", "K")
        like = array_of(call, prototype)
        made.storage.order = memory_order.of_copy(call, like, call.static(order, "order")) if like.rank == made.rank else None
    return made


def _filled(call: CallContext, shape: tuple[Size, ...], fill: Value, dtype: DType | None) -> ArrayValue:
    number = number_or_array(call, fill, "fill_value")
    target = dtype or concrete(call.type_of(number).dtype)
    if not isinstance(number, ArrayValue) or not number.rank:
        return full(call, number, target, shape)
    return call.copy(broadcasted(call, call.cast(number, target), shape))


def _like(call: CallContext, a: Value, dtype: Value, shape: Value) -> tuple[tuple[Size, ...], DType]:
    prototype = array_of(call, a)
    return prototype.shape if absent(shape) else extents(call, shape), dtype_of(call, dtype) or prototype.dtype


@spelled("np.zeros_like", "word.zeros_like")
def zeros_like(
    call: CallContext,
    a: Value,
    dtype: Value = NONE,
    order: Value = ORDER_K,
    subok: Value = TRUE,
    shape: Value = NONE,
    *,
    device: Value = NONE,
) -> Value:
    own, target = _like(call, a, dtype, shape)
    return _in_order(call, full(call, _ZERO, target, own), order, a)


@spelled("np.empty_like", "word.empty_like")
def empty_like(
    call: CallContext, prototype: Value, /, dtype: Value = NONE, order: Value = ORDER_K, subok: Value = TRUE, shape: Value = NONE, *,
    device: Value = NONE,
) -> Value:  # fmt: skip
    own, target = _like(call, prototype, dtype, shape)
    return _in_order(call, full(call, _ZERO, target, own), order, prototype)


@spelled("np.ones_like", "word.ones_like")
def ones_like(
    call: CallContext,
    a: Value,
    dtype: Value = NONE,
    order: Value = ORDER_K,
    subok: Value = TRUE,
    shape: Value = NONE,
    *,
    device: Value = NONE,
) -> Value:
    own, target = _like(call, a, dtype, shape)
    return _in_order(call, full(call, _ONE, target, own), order, a)


@spelled("np.full_like", "word.full_like")
def full_like(
    call: CallContext, a: Value, fill_value: Value, dtype: Value = NONE, order: Value = ORDER_K, subok: Value = TRUE,
    shape: Value = NONE, *, device: Value = NONE,
) -> Value:  # fmt: skip
    own, target = _like(call, a, dtype, shape)
    return _in_order(call, _filled(call, own, fill_value, target), order, a)


@spelled("method.fill")
def fill(call: CallContext, a: Value, value: Value) -> Value:
    call.write(array_of(call, a), value)
    return NONE


# ---- ranges ----


@spelled("np.arange", "word.arange")
def arange(
    call: CallContext,
    start: Value,
    stop: Value = NONE,
    step: Value = NONE,
    dtype: Value = NONE,
    *,
    device: Value = NONE,
    like: Value = NONE,
) -> Value:
    first, last = (_ZERO, start) if absent(stop) else (start, stop)
    pace = _ONE if absent(step) else step
    parts = [call.type_of(one).dtype for one in (first, last, pace)]
    wanted = dtype_of(call, dtype)
    common = promote(*parts)
    if common.kind == "c":
        call.error("bad-argument", argument="an end of the range", operation="arange", expected="a real number", given="complex")
    target = wanted or (I64 if common.kind == "b" else concrete(common))
    if common.kind in "biu":
        return _integer_range(call, first, last, pace, target)
    return _float_range(call, first, last, pace, target)


def _integer_range(call: CallContext, first: Value, last: Value, pace: Value, target: DType) -> ArrayValue:
    start, stop = call.size(first, "start"), call.size(last, "stop")
    step = call.size(pace, "step")
    if not isinstance(step, int):
        step = call.static_int(pace, "the step of arange")
    if step == 0:
        call.error("zero-step", what="arange")
    distance = stop - start if step > 0 else start - stop
    count = distance if abs(step) == 1 else floordiv(distance + (abs(step) - 1), abs(step))
    if not isinstance(count, int) and call.decide(Condition("<=", 0, count), "the length of arange") is not True:
        count = maximum(count, 0) if call.checking else 0
    length = max(count, 0) if isinstance(count, int) else count
    return _progression(call, length, start, step, target)


def _progression(call: CallContext, length: Size, start: Size, step: int, target: DType) -> ArrayValue:
    if target is BOOL and (not isinstance(length, int) or length > 2):
        call.error("dtype-mismatch", operation="arange", expected="a dtype with more than two values", given="bool")
    result: Value = call.array(call.iota((length,), 0), TensorType(I64, (length,)), scalar=False)
    if step != 1:
        result = call.pointwise("multiply", (result, StaticValue(step)))
    if start != 0:
        result = call.pointwise("add", (result, StaticValue(start) if isinstance(start, int) else SizeValue(start)))
    return call.cast(result, target)


def _float_range(call: CallContext, first: Value, last: Value, pace: Value, target: DType) -> ArrayValue:
    """Elements are start + i * delta with delta = (start + step) - start in the result's dtype, as NumPy computes them."""
    start, stop, step = (float(call.freeze(one, "the length of arange depends on it")) for one in (first, last, pace))
    if step == 0:
        call.error("zero-step", what="arange")
    length = max(math.ceil((stop - start) / step), 0)
    if target.kind not in "fc":
        begin, delta = int(start), int(start + step) - int(start)
        return _progression(call, length, begin, delta, target)
    kind = target.numpy.type
    begin = kind(start)
    delta = kind(start + step) - begin
    numbers = call.cast(call.array(call.iota((length,), 0), TensorType(I64, (length,)), scalar=False), target)
    spaced = call.pointwise("multiply", (numbers, StaticValue(delta)))
    return call.cast(call.pointwise("add", (spaced, StaticValue(begin))), target)


# ---- from values ----


@spelled("np.array", "word.array")
def array(
    call: CallContext, object: Value, dtype: Value = NONE, *, copy: Value = TRUE, order: Value = ORDER_K, subok: Value = FALSE,
    ndmin: Value = _ZERO, ndmax: Value = _ZERO, like: Value = NONE,
) -> Value:  # fmt: skip
    only(call, "array", "order", order, "C", "F", "A", "K", None)
    how = call.static(order, "order") or "K"
    made = _converted_to_array(call, object, dtype_of(call, dtype), not absent(copy) and flag(call, copy, "copy"), how)
    missing = call.static_int(ndmin, "ndmin") - made.rank
    return expand(call, made, *range(missing)) if missing > 0 else made


@spelled("np.require")
def require(call: CallContext, a: Value, dtype: Value = NONE, requirements: Value = NONE, *, like: Value = NONE) -> Value:
    """As `asarray`, in the order of memory that `requirements` ask for; one that is to own its memory, or to be written to, is a copy."""
    wanted = () if absent(requirements) else call.static(requirements, "requirements")
    asked = {str(one).upper()[:1] for one in ([wanted] if isinstance(wanted, str) else wanted)}
    made = _converted_to_array(call, a, dtype_of(call, dtype), False, "F" if "F" in asked else "C" if "C" in asked else "K")
    lent = made.subscripts is not None or ("W" in asked and (made.readonly or not made.storage.writable))
    return call.copy(made) if lent and asked & {"O", "W"} else made


@spelled("np.asarray", "np.asanyarray", "word.asarray")
def asarray(
    call: CallContext, a: Value, dtype: Value = NONE, order: Value = NONE, *, device: Value = NONE, copy: Value = NONE, like: Value = NONE
) -> Value:
    only(call, "asarray", "order", order, "C", "F", "A", "K", None)
    how = call.static(order, "order") or "K"
    return _converted_to_array(call, a, dtype_of(call, dtype), not absent(copy) and flag(call, copy, "copy"), how)


@spelled("np.ascontiguousarray")
def ascontiguousarray(call: CallContext, a: Value, dtype: Value = NONE, *, like: Value = NONE) -> Value:
    return _with_an_axis(call, _converted_to_array(call, a, dtype_of(call, dtype), False, "C"))


@spelled("np.asfortranarray")
def asfortranarray(call: CallContext, a: Value, dtype: Value = NONE, *, like: Value = NONE) -> Value:
    return _with_an_axis(call, _converted_to_array(call, a, dtype_of(call, dtype), False, "F"))


def _with_an_axis(call: CallContext, made: ArrayValue) -> ArrayValue:
    """What NumPy asks contiguous arrays to have."""
    return made if made.rank else expand(call, made, 0)


def _converted_to_array(call: CallContext, value: Value, dtype: DType | None, copied: bool, order: str = "K") -> ArrayValue:
    if isinstance(value, ArrayValue):
        made = converted(call, value, dtype or value.dtype, copied, order)
        return ArrayValue(made.viewed, made.type, made.subscripts) if made.scalar else made
    if call.is_numeric(value):
        single = call.to_array(value, dtype)
        return ArrayValue(single.storage, single.type, single.subscripts)
    items = None if dtype is None else sequence_items(call, value)
    numbers = None if items is None else plain_numbers(call, items)
    if numbers is not None:
        return constant_array(call, numbers, "the list", dtype)
    made = array_of(call, value)
    made = made if dtype is None else call.cast(made, dtype)
    return made if order in ("K", "A", "C") else converted(call, made, made.dtype, False, order)


@spelled("np.isscalar")
def isscalar(call: CallContext, element: Value) -> Value:
    return StaticValue(is_scalar_like(element) or isinstance(element, (ScalarValue, SizeValue)) or _numpy_scalar(element))


def _numpy_scalar(value: Value) -> bool:
    if isinstance(value, ArrayValue):
        return value.scalar
    return isinstance(value, StaticValue) and isinstance(value.value, (np.generic, str, bytes))


@spelled("np.copyto")
def copyto(call: CallContext, dst: Value, src: Value, casting: Value = StaticValue("same_kind"), where: Value = TRUE) -> Value:
    target = array_of(call, dst)
    source = number_or_array(call, src)
    if not (isinstance(where, StaticValue) and where.value is True):
        source = call.pointwise("where", (array_of(call, where, "where"), call.cast(source, target.dtype), target))
    only(call, "copyto", "casting", casting, "same_kind", "unsafe", "safe", "no", "equiv")
    call.write(target, source)
    return NONE
