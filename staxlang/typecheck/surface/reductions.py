"""Reductions and scans: sum, prod, min, max, any, all, argmin, argmax, count_nonzero, cumsum, cumprod, with NumPy's options and dtypes."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from staxlang.base.dtypes import BOOL, F16, F32, I64, U64, DType, promote
from staxlang.base.externs import DEMAND
from staxlang.base.sizes import Condition, Size, maximum, minimum
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.counts import chooser_of
from staxlang.typecheck.mutation import fits
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.reshaping import product
from staxlang.typecheck.scalars import Computed, kind_of
from staxlang.typecheck.surface.arguments import (
    absent,
    array_of,
    axes_of,
    axis_of,
    check_cast,
    dtype_of,
    expand,
    flag,
    full,
    normalized_axis,
    number_or_array,
    origins,
)  # fmt: skip
from staxlang.typecheck.surface.output import into, target_of
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import ravel
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, ScalarValue, SizeValue, StaticValue, Value, size_value
from staxlang.typecheck.views import shape_text

MISSING = StaticValue("not given")
"""The default of `initial`, which None is not."""


# ---- arguments ----


def reduced_axes(call: CallContext, axis: Value, rank: int) -> tuple[int, ...]:
    """The axes of a reduction, increasing; all of them where `axis` is None. A 0-d array takes axis 0 and -1, as in NumPy."""
    if absent(axis):
        return tuple(range(rank))
    if rank == 0:
        given = call.static(axis, "axis")
        if given in (0, -1, ()):
            return ()
    return tuple(sorted(axes_of(call, axis, rank)))


def accumulator(dtype: DType) -> DType:
    """The dtype in which NumPy adds up: narrow integers and bool in 64 bits."""
    if dtype.kind in "bi":
        return I64
    return U64 if dtype.kind == "u" else dtype


def masked(call: CallContext, array: ArrayValue, where: Value, neutral: Value) -> ArrayValue:
    """The array with the neutral element where `where` is false; both broadcast."""
    if where is TRUE or (type(where) is StaticValue and where.value is True):
        return array
    mask = fitting_mask(call, array_of(call, where, "where"), array)
    chosen = call.pointwise("where", (mask, array, neutral))
    assert isinstance(chosen, ArrayValue)
    return call.cast(chosen, array.dtype)


def fitting_mask(call: CallContext, mask: ArrayValue, array: ArrayValue) -> ArrayValue:
    """A mask of bools that broadcasts to the array, which stays as it is."""
    if mask.dtype is not BOOL:
        call.error("dtype-mismatch", operation=call.operation_text(), expected="a bool mask as `where`", given=call.describe(mask))
    beside = zip(mask.shape, array.shape[max(array.rank - mask.rank, 0) :], strict=False)
    if mask.rank > array.rank or not all(fits(call, mine, theirs, "it masks the elements") for mine, theirs in beside):
        given, expected = shape_text(mask.shape), shape_text(array.shape)
        call.error("mask-in-reduction", given=given, expected=expected, notes=[*origins(call, *((mask, one) for one in mask.shape))])
    return mask


def unmasked(where: Value) -> bool:
    return type(where) is StaticValue and where.value is True


def reduce(call: CallContext, kind: str, array: ArrayValue, axes: tuple[int, ...], result: DType) -> ArrayValue:
    """The operation itself; half floats are reduced in f32 and rounded once."""
    shape = tuple(extent for axis, extent in enumerate(array.shape) if axis not in axes)
    order = memory_order.reduced(call, array, axes) if kind not in ("argmin", "argmax") else None
    if not axes and kind not in ("argmin", "argmax"):
        alone = call.cast(array, I64 if kind == "count" else result)
        return call.array(call.handle(alone), TensorType(alone.dtype, shape), order=order)  # never the array itself; of a 0-d one a scalar
    if array.dtype is F16 and kind in ("sum", "prod"):
        wide = call.operation("reduce", [call.cast(array, F32)], TensorType(F32, shape), order, kind=kind, axes=axes)
        return call.cast(wide, result)
    return call.operation("reduce", [array], TensorType(result, shape), order, kind=kind, axes=axes)


def kept(call: CallContext, result: ArrayValue, axes: tuple[int, ...], keepdims: Value) -> ArrayValue:
    if absent(keepdims) or not flag(call, keepdims, "keepdims"):
        return result
    return expand(call, result, *axes) if axes else result


def finished(call: CallContext, result: ArrayValue, axes: tuple[int, ...], keepdims: Value, out: Value, name: str) -> Value:
    """The result, or `out` with it: what NumPy reduces into an array of another dtype is converted whatever it is."""
    return into(call, kept(call, result, axes, keepdims), out, name, "unsafe")


# ---- sums and products ----


@spelled("np.sum", "method.sum", "word.sum")
def sum_(
    call: CallContext, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
    initial: Value = MISSING, where: Value = TRUE,
) -> Value:  # fmt: skip
    return _accumulated(call, "sum", a, axis, dtype, out, keepdims, initial, where)


@spelled("np.prod", "method.prod", "word.prod")
def prod(
    call: CallContext, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
    initial: Value = MISSING, where: Value = TRUE,
) -> Value:  # fmt: skip
    sizes = _sizes(a)
    if sizes is not None and absent(axis) and absent(dtype) and absent(out) and initial is MISSING and unmasked(where):
        total = product(sizes)
        if isinstance(total, int):
            return StaticValue(np.int64(total))
        counted = call.to_array(size_value(total))
        counted.extent = total
        return counted
    return _accumulated(call, "prod", a, axis, dtype, out, keepdims, initial, where)


def _sizes(value: Value) -> list[Size] | None:
    """The extents in a sequence that holds at least one symbolic size (`np.prod(x.shape)`): their product stays a size."""
    if not isinstance(value, (tuple, list)) or not any(type(item) is SizeValue for item in value):
        return None
    result: list[Size] = []
    for item in value:
        if type(item) is SizeValue:
            result.append(item.size)
        elif type(item) is StaticValue and type(item.value) is int:
            result.append(item.value)
        else:
            return None
    return result


_NEUTRAL = {"sum": StaticValue(0), "prod": StaticValue(1)}
_COMBINE = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}
_AS_BOOL = {"sum": "any", "prod": "all", "min": "all", "max": "any"}


def _accumulated(
    call: CallContext, kind: str, a: Value, axis: Value, dtype: Value, out: Value, keepdims: Value, initial: Value, where: Value
) -> Value:
    array = array_of(call, a)
    axes = reduced_axes(call, axis, array.rank)
    target = target_of(out)
    wider = promote(array.dtype, target.dtype) if isinstance(target, ArrayValue) else accumulator(array.dtype)
    result = dtype_of(call, dtype) or wider
    source = masked(call, call.cast(array, result), where, _NEUTRAL[kind])
    if absent(initial):
        _require_elements(call, array, axes, kind)
    total = reduce(call, _AS_BOOL[kind] if result is BOOL else kind, source, axes, result)
    if initial is not MISSING and not absent(initial):
        total = _with_initial(call, kind, total, _initial(call, initial), result)
    return finished(call, total, axes, keepdims, out, kind)


def _initial(call: CallContext, initial: Value) -> Value:
    """The number to start with. None is NumPy's word for no start at all, which only some reductions have."""
    if initial is MISSING:
        return initial
    value = number_or_array(call, initial, "`initial`")
    if call.type_of(value).rank:
        call.error("bad-argument", argument="`initial`", operation=call.operation_text(), expected="a number", given=call.describe(value))
    return value


def _real_where(call: CallContext, initial: Value, dtype: DType) -> Value:
    """Complex numbers begin no reduction of real ones."""
    given = call.type_of(initial).dtype
    if given.kind == "c" and dtype.kind != "c":
        call.error("cast-refused", source=given.name, target=dtype.name, casting="same_kind", help="give its real part, `.real`")
    return initial


def _with_initial(call: CallContext, kind: str, total: ArrayValue, initial: Value, dtype: DType) -> ArrayValue:
    start = call.cast(_real_where(call, initial, dtype), dtype)
    combined = call.pointwise("logical_or" if dtype is BOOL and kind == "sum" else _COMBINE[kind], (start, total))
    return call.cast(combined, dtype)


# ---- extremes ----


@spelled("np.max", "np.amax", "method.max")
def max_(
    call: CallContext,
    a: Value,
    axis: Value = NONE,
    out: Value = NONE,
    keepdims: Value = FALSE,
    initial: Value = MISSING,
    where: Value = TRUE,
) -> Value:
    return _extreme(call, "max", a, axis, out, keepdims, initial, where)


@spelled("np.min", "np.amin", "method.min")
def min_(
    call: CallContext,
    a: Value,
    axis: Value = NONE,
    out: Value = NONE,
    keepdims: Value = FALSE,
    initial: Value = MISSING,
    where: Value = TRUE,
) -> Value:
    return _extreme(call, "min", a, axis, out, keepdims, initial, where)


@spelled("word.max")
def max_word(
    call: CallContext, *values: Value, axis: Value = NONE, keepdims: Value = FALSE, initial: Value = MISSING, where: Value = TRUE
) -> Value:
    return _extreme_word(call, "max", values, axis, keepdims, initial, where)


@spelled("word.min")
def min_word(
    call: CallContext, *values: Value, axis: Value = NONE, keepdims: Value = FALSE, initial: Value = MISSING, where: Value = TRUE
) -> Value:
    return _extreme_word(call, "min", values, axis, keepdims, initial, where)


def _extreme_word(
    call: CallContext, kind: str, values: Sequence[Value], axis: Value, keepdims: Value, initial: Value, where: Value
) -> Value:
    """In .stx `max(x, axis=..)` reduces an array and `max(a, b)` is the greater of two."""
    if len(values) == 1:
        return _extreme(call, kind, values[0], axis, NONE, keepdims, initial, where)
    if not values:
        call.error("missing-argument", function=kind, name="x")
    result = values[0]
    for one in values[1:]:
        result = extreme_number(call, kind, result, one) or call.pointwise(_COMBINE[kind], (result, one))
    return result


def extreme_number(call: CallContext, kind: str, left: Value, right: Value) -> Value | None:
    """The greater or lesser of two Python numbers, as Python's; None where one of them is none."""
    kinds = kind_of(left), kind_of(right)
    if kinds[0] is None or kinds[1] is None:
        return None
    if isinstance(left, StaticValue) and isinstance(right, StaticValue):
        return StaticValue(max(left.value, right.value) if kind == "max" else min(left.value, right.value))
    if isinstance(left, ScalarValue) or isinstance(right, ScalarValue):
        return ScalarValue(kinds[0], Computed(_COMBINE[kind], (left, right))) if kinds[0] == kinds[1] else None
    pair = call.size(left, kind), call.size(right, kind)
    return size_value(maximum(*pair) if kind == "max" else minimum(*pair))


def _extreme(call: CallContext, kind: str, a: Value, axis: Value, out: Value, keepdims: Value, initial: Value, where: Value) -> Value:
    array = array_of(call, a)
    axes = reduced_axes(call, axis, array.rank)
    name = kind
    initial = MISSING if absent(initial) else _initial(call, initial)
    if not unmasked(where) and initial is MISSING:
        call.error("start-needed", operation=name)
    if initial is MISSING:
        _require_elements(call, array, axes, name)
        source = array
    else:
        source = masked(call, array, where, _real_where(call, initial, array.dtype))
    result = reduce(call, _AS_BOOL[kind] if array.dtype is BOOL else kind, source, axes, array.dtype)
    if initial is not MISSING:
        combined = call.pointwise(_COMBINE[kind], (result, initial))
        result = call.cast(combined, array.dtype) if isinstance(combined, ArrayValue) else call.to_array(combined, array.dtype)
    return finished(call, result, axes, keepdims, out, name)


def _require_elements(call: CallContext, array: ArrayValue, axes: tuple[int, ...], name: str) -> None:
    """The least of nothing is an error."""
    for axis in axes:
        chooser = chooser_of(call.context, array.shape[axis])
        if chooser is not None:
            _require_chosen(call, chooser, name)
        elif call.decide(Condition("==", array.shape[axis], 0), f"{name} of nothing"):
            call.error("empty-reduction", operation=name)


def _require_chosen(call: CallContext, chooser: Handle, name: str) -> None:
    """That a mask chooses something is tested when the program runs: its elements need not be counted before."""
    rank = len(call.context.masks[chooser][1].shape)
    type_ = TensorType(BOOL, ())
    some = call.array(call.record("reduce", (chooser,), {"kind": "any", "axes": tuple(range(rank))}, type_), type_)
    live = call.context.branches.live
    if live is not None:
        some = call.to_array(call.pointwise("logical_or", (some, call.pointwise("logical_not", (live,)))))
    lacking = call.cast(call.pointwise("logical_not", (some,)), I64)
    text = f"`{name}` of no elements has no value: the mask chooses none"
    call.operation("assert_index", [lacking], TensorType(I64, ()), extent=1, what=DEMAND + text)


@spelled("np.ptp", "word.ptp")
def ptp(call: CallContext, a: Value, axis: Value = NONE, out: Value = NONE, keepdims: Value = FALSE) -> Value:
    array = array_of(call, a)
    greatest = _extreme(call, "max", array, axis, NONE, keepdims, MISSING, TRUE)
    least = _extreme(call, "min", array, axis, NONE, keepdims, MISSING, TRUE)
    return into(call, call.pointwise("subtract", (greatest, least)), out, "ptp")


# ---- positions ----


@spelled("np.argmax", "method.argmax", "word.argmax")
def argmax(call: CallContext, a: Value, axis: Value = NONE, out: Value = NONE, *, keepdims: Value = FALSE) -> Value:
    return _position(call, "argmax", a, axis, out, keepdims)


@spelled("np.argmin", "method.argmin", "word.argmin")
def argmin(call: CallContext, a: Value, axis: Value = NONE, out: Value = NONE, *, keepdims: Value = FALSE) -> Value:
    return _position(call, "argmin", a, axis, out, keepdims)


def _position(call: CallContext, kind: str, a: Value, axis: Value, out: Value, keepdims: Value) -> Value:
    array = array_of(call, a)
    if array.rank == 0:
        array = expand(call, array, 0)
        axes, dropped = (0,), ()
        if not absent(axis):
            axis_of(call, axis, 1)
    elif absent(axis):
        axes = dropped = tuple(range(array.rank))
    else:
        axes = dropped = (normalized_axis(call, call.static_int(axis, "axis"), array.rank),)
    _require_elements(call, array, axes, kind)
    target = target_of(out)
    if isinstance(target, ArrayValue):
        check_cast(call, target.dtype, I64, "safe", kind)
    return finished(call, reduce(call, kind, array, axes, I64), dropped, keepdims, out, kind)


# ---- truth ----


@spelled("np.any", "method.any", "word.any")
def any_(call: CallContext, a: Value, axis: Value = NONE, out: Value = NONE, keepdims: Value = FALSE, *, where: Value = TRUE) -> Value:
    return _truth(call, "any", a, axis, out, keepdims, where, FALSE)


@spelled("np.all", "method.all", "word.all")
def all_(call: CallContext, a: Value, axis: Value = NONE, out: Value = NONE, keepdims: Value = FALSE, *, where: Value = TRUE) -> Value:
    return _truth(call, "all", a, axis, out, keepdims, where, TRUE)


def as_truth(call: CallContext, array: ArrayValue) -> ArrayValue:
    """Elements as bool: whether they are not zero."""
    if array.dtype is BOOL:
        return array
    return call.to_array(call.pointwise("not_equal", (array, StaticValue(0))))


def _truth(call: CallContext, kind: str, a: Value, axis: Value, out: Value, keepdims: Value, where: Value, neutral: Value) -> Value:
    array = as_truth(call, array_of(call, a))
    axes = reduced_axes(call, axis, array.rank)
    result = reduce(call, kind, masked(call, array, where, neutral), axes, BOOL)
    return finished(call, result, axes, keepdims, out, kind)


@spelled("np.count_nonzero", "word.count_nonzero", "word.count")
def count_nonzero(call: CallContext, a: Value, axis: Value = NONE, *, keepdims: Value = FALSE) -> Value:
    array = as_truth(call, array_of(call, a))
    axes = reduced_axes(call, axis, array.rank)
    return kept(call, reduce(call, "count", array, axes, I64), axes, keepdims)


# ---- scans ----


@spelled("np.cumsum", "method.cumsum", "word.cumsum")
def cumsum(call: CallContext, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
    return _scanned(call, "sum", a, axis, dtype, out, "cumsum")


@spelled("np.cumprod", "method.cumprod", "word.cumprod")
def cumprod(call: CallContext, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
    return _scanned(call, "prod", a, axis, dtype, out, "cumprod")


def _scanned(call: CallContext, kind: str, a: Value, axis: Value, dtype: Value, out: Value, name: str) -> Value:
    array = array_of(call, a)
    if absent(axis):
        array, along = array_of(call, ravel(call, array)), 0
    else:
        if array.rank == 0:
            array = expand(call, array, 0)
        along = normalized_axis(call, call.static_int(axis, "axis"), array.rank)
    result = dtype_of(call, dtype) or accumulator(array.dtype)
    if result is BOOL:
        source, kind = call.cast(array, BOOL), "max" if kind == "sum" else "min"
    else:
        source = call.cast(array, result)
    return into(call, scan(call, kind, source, along), out, name, "unsafe")


def extreme_so_far(kind: str, truths: bool = False) -> Callable[..., Value]:
    """`np.maximum.accumulate` and its like: of `truths` whether one, or all, have been true."""

    def accumulate(call: CallContext, a: Value, axis: Value, dtype: Value = NONE, out: Value = NONE) -> Value:
        array = array_of(call, a)
        if array.rank == 0:
            call.error("kind-not-accepted", requirement="`accumulate` needs an array of at least one axis, and got a number")
        wanted = BOOL if truths else dtype_of(call, dtype) or array.dtype
        if wanted.kind == "c":
            call.error("bad-value", argument="the array", operation="accumulate", expected="of real numbers", given=call.describe(array))
        source = as_truth(call, array) if truths else call.cast(array, wanted)
        along = normalized_axis(call, call.static_int(axis, "axis"), array.rank)
        return into(call, scan(call, kind, source, along), out, "accumulate", "unsafe")

    return accumulate


def scan(call: CallContext, kind: str, array: ArrayValue, axis: int) -> ArrayValue:
    """Running totals along an axis; of half floats each step is rounded, as NumPy does."""
    order = memory_order.kept(call, [array], array.rank)
    return call.operation("scan", [array], TensorType(array.dtype, array.shape), order, kind=kind, axis=axis)


@spelled("np.cumulative_sum")
def cumulative_sum(
    call: CallContext, x: Value, /, *, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE, include_initial: Value = FALSE
) -> Value:
    return _cumulative(call, "sum", x, axis, dtype, out, include_initial)


@spelled("np.cumulative_prod")
def cumulative_prod(
    call: CallContext, x: Value, /, *, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE, include_initial: Value = FALSE
) -> Value:
    return _cumulative(call, "prod", x, axis, dtype, out, include_initial)


def _cumulative(call: CallContext, kind: str, x: Value, axis: Value, dtype: Value, out: Value, include_initial: Value) -> Value:
    array = array_of(call, x)
    name = f"cumulative_{kind}"
    if absent(axis):
        if array.rank > 1:
            requirement = f"`np.{name}` of an array of {array.rank} axes needs `axis=`"
            call.error("not-accepted", requirement=requirement, help=f"`np.cum{kind}(x)` runs over all elements, as over a vector")
        axis = StaticValue(0)
    elif isinstance(axis, tuple):
        if len(axis) != 1:
            call.error("not-accepted", requirement=f"`np.{name}` runs along one axis, not along {len(axis)}")
        (axis,) = axis
    totals = array_of(call, _scanned(call, kind, array, axis, dtype, NONE, name))
    if flag(call, include_initial, "include_initial"):
        along = normalized_axis(call, call.static_int(axis, "axis"), totals.rank)
        shape = (*totals.shape[:along], 1, *totals.shape[along + 1 :])
        first = full(call, _NEUTRAL[kind], totals.dtype, shape)
        longer = (*totals.shape[:along], totals.shape[along] + 1, *totals.shape[along + 1 :])
        order = memory_order.joined(call, [totals], totals.rank)
        totals = call.operation("concatenate", [first, totals], TensorType(totals.dtype, longer), order, axis=along)
    return into(call, totals, out, name, "unsafe")
