"""Writing `x[...] = value`: views of memory written in place, masks as `where`, integer arrays as a scatter."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.typecheck import views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.shapes import gathered_shape
from staxlang.typecheck.surface.arguments import array_of, deciding, expand, number_or_array, take_view
from staxlang.typecheck.surface.indexing import (
    Plan,
    along_axis,
    along_operands,
    along_shape,
    basic_items,
    check_mask,
    plan,
    taken_apart,
)  # fmt: skip
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted
from staxlang.typecheck.values import NONE, ArrayValue, StaticValue, Value
from staxlang.typecheck.views import shape_text


def assign_subscript(call: CallContext, array: ArrayValue, index: Value, value: Value) -> None:
    """`array[index] = value`; the value is cast to the array's dtype, as NumPy does."""
    if array.scalar:
        call.error("immutable-scalar", dtype=array.dtype.name)
    parts = taken_apart(call, array, index)
    source = number_or_array(call, value, "the value")
    if parts.mask is not None:
        assign_masked(call, array, parts.mask, source)
        return
    basic = basic_items(parts.items)
    if basic is None:
        scattered(call, array, plan(call, array, parts), source, "set")
    else:
        call.write(take_view(call, array, views.subscript(array.shape, basic)), source)


# ---- masks ----


def assign_masked(call: CallContext, array: ArrayValue, mask: ArrayValue, value: Value) -> None:
    """`array[mask] = value`. A value that is the same for every chosen element: `where(mask, value, array)`. One that was
    chosen by the same mask is put back where it came from."""
    trailing = array.rank - mask.rank
    if isinstance(value, ArrayValue) and value.rank > trailing:
        extra = value.rank - trailing
        chooser = call.handle(mask)
        known = call.context.masks.get(chooser)
        count = 0 if known is None else known[0]
        if extra == 1 and known is not None and value.shape[0] == count:
            type_ = TensorType(array.dtype, array.shape)
            source = call.broadcast(call.cast(value, array.dtype), (count, *array.shape[mask.rank :]))
            call.write(
                array, call.array(call.record("masked_update", (call.handle(array), chooser, source), {}, type_), type_, scalar=False)
            )
            return
        if not all(one == 1 for one in value.shape[:extra]):
            help = "write `x[:] = np.where(mask, value, x)`, with a value of the array's own shape"
            call.error("assign-mismatch", value=shape_text(value.shape), target="(chosen by the mask, ...)", help=help)
        value = take_view(call, value, views.squeeze(value.shape, tuple(range(extra))))
    call.write(array, chosen_by(call, mask, value, array))


def chosen_by(call: CallContext, mask: ArrayValue, value: Value, array: ArrayValue) -> Value:
    """The array with a value (cast to its dtype) where the mask of its leading axes is true."""
    trailing = array.rank - mask.rank
    lifted = expand(call, mask, *range(mask.rank, array.rank)) if trailing else mask
    return call.pointwise("where", (lifted, call.cast(value, array.dtype), array))


@spelled("np.putmask")
def putmask(call: CallContext, a: Value, /, mask: Value, values: Value) -> Value:
    array, chosen = array_of(call, a), array_of(call, mask, "mask")
    source = number_or_array(call, values, "values")
    if isinstance(source, ArrayValue) and source.rank and source.shape != array.shape:
        call.error("assign-mismatch", value=shape_text(source.shape), target=shape_text(array.shape))
    check_mask(call, array, chosen)
    call.write(array, chosen_by(call, call.cast(chosen, BOOL), source, array))
    return NONE


# ---- integer arrays ----


def scattered(call: CallContext, array: ArrayValue, chosen: Plan, value: Value, mode: str) -> None:
    """The chosen elements set (of equal indices the last wins), or added to, lowered, raised (each counts)."""
    shape = gathered_shape(chosen.base.shape, chosen.axes, chosen.indices[0].shape, chosen.position)
    source = _spread(call, call.cast(value, array.dtype), shape)
    type_ = TensorType(array.dtype, chosen.base.shape)
    operands = (chosen.base, source, *chosen.indices)
    result = call.operation("scatter", operands, type_, axes=chosen.axes, position=chosen.position, mode=mode)
    call.write(chosen.base, result)


def _spread(call: CallContext, value: ArrayValue, shape: tuple[Size, ...]) -> ArrayValue:
    extra = value.rank - len(shape)
    if extra > 0 and all(one == 1 for one in value.shape[:extra]):
        value = take_view(call, value, views.squeeze(value.shape, tuple(range(extra))))
    return broadcasted(call, value, shape)


_AT_MODES = {"add": "add", "subtract": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def at(row: str) -> Callable[..., Value]:
    """`np.add.at(a, indices, b)`: unbuffered, so that equal indices each count."""

    def apply(call: CallContext, a: Value, indices: Value, b: Value = NONE) -> Value:
        array = array_of(call, a)
        mode = _AT_MODES.get(row)
        value = number_or_array(call, b, "b")
        if row == "subtract":
            value = call.pointwise("negative", (value,))
        if mode is None:
            call.error("unknown-operation", name=f"np.{row}.at")
        parts = taken_apart(call, array, indices)
        if parts.mask is not None:
            combined = call.pointwise(row, (array, b))
            call.write(array, chosen_by(call, parts.mask, combined, array))
            return NONE
        basic = basic_items(parts.items)
        if basic is None:
            scattered(call, array, plan(call, array, parts), value, mode)
        else:
            part = take_view(call, array, views.subscript(array.shape, basic))
            call.write(part, call.pointwise(row, (part, b)))
        return NONE

    return apply


@spelled("np.put_along_axis")
def put_along_axis(call: CallContext, arr: Value, indices: Value, values: Value, axis: Value) -> Value:
    array, index, along = along_operands(call, arr, indices, axis)
    shape = along_shape(call, array, index, along)
    scattered(call, array, along_axis(call, array, index, along, shape), number_or_array(call, values), "set")
    return NONE


@spelled("np.fill_diagonal")
def fill_diagonal(call: CallContext, a: Value, val: Value, wrap: Value = StaticValue(False)) -> Value:
    array = array_of(call, a)
    if array.rank != 2:
        call.error("wrong-rank", operation="fill_diagonal", expected="a matrix", given=call.describe(array))
    decide = deciding(call, "the length of a diagonal")
    call.write(take_view(call, array, views.diagonal(array.shape, 0, 0, 1, decide)), val)
    return NONE
