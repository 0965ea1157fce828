"""Writing `x[...] = value`: views of memory written in place, masks as `where`, integer arrays as a scatter."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.dtypes import BOOL, I64, promote
from staxlang.base.operations import OPERATIONS, result_type
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType, element_count
from staxlang.typecheck import views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.counts import settled
from staxlang.typecheck.shapes import gathered_shape
from staxlang.typecheck.surface import reductions
from staxlang.typecheck.surface.arguments import array_of, deciding, expand, number_or_array, take_view
from staxlang.typecheck.surface.externs import applied
from staxlang.typecheck.surface.indexing import (
    Parts,
    Plan,
    along_axis,
    along_operands,
    along_shape,
    basic_items,
    check_mask,
    compress,
    gather,
    in_front,
    mask_beside,
    plan,
    taken_apart,
)  # fmt: skip
from staxlang.typecheck.surface.reductions import MISSING
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted, ravel, reshaped
from staxlang.typecheck.values import NONE, ArrayValue, SizeValue, StaticValue, Value
from staxlang.typecheck.views import shape_text


def assign_subscript(call: CallContext, array: ArrayValue, index: Value, value: Value) -> None:
    """`array[index] = value`; the value is cast to the array's dtype, as NumPy does."""
    if array.scalar:
        call.error("immutable-scalar", dtype=array.dtype.name)
    source = number_or_array(call, value, "the value")
    beside = mask_beside(call, array, index)
    if beside is not None:
        assign_masked(call, beside.base, beside.mask, in_front(call, beside, source))
        return
    parts = taken_apart(call, array, index)
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
        if all(_is_one(call, extent) for extent in value.shape[:extra]):
            value = take_view(call, value, views.squeeze(value.shape, tuple(range(extra))))
        elif extra == 1 and not _is_count(call, value.shape[0]):
            value = one_by_one(call, mask, value, array.shape[mask.rank :])
        else:
            help = "write `x[:] = np.where(mask, value, x)`, with a value of the array's own shape"
            call.error("assign-mismatch", value=shape_text(value.shape), target="(chosen by the mask, ...)", help=help)
    call.write(array, chosen_by(call, mask, value, array))


def _is_count(call: CallContext, extent: Size) -> bool:
    """Whether an extent is how many elements a mask chooses, another number in each round of a loop."""
    return any(extent == count and not settled(call.context, count) for count, _ in call.context.masks.values())


def _is_one(call: CallContext, extent: Size) -> bool:
    if isinstance(extent, int) or _is_count(call, extent):
        return extent == 1
    return deciding(call, "one value for all that a mask chooses")(Condition("==", extent, 1)) is True


def values_for(call: CallContext, array: ArrayValue, index: Value, value: Value) -> Value:
    """What `array[mask] += value` combines: as many values as the mask chooses elements become what it chooses of an array of them."""
    if not isinstance(value, ArrayValue):
        return value
    beside = mask_beside(call, array, index)
    mask = taken_apart(call, array, index).mask if beside is None else None
    if mask is None or value.rank != array.rank - mask.rank + 1:
        return value
    known = call.context.masks.get(call.handle(mask))
    if (known is not None and known[0] == value.shape[0]) or _is_one(call, value.shape[0]) or _is_count(call, value.shape[0]):
        return value
    return compress(call, one_by_one(call, mask, value, array.shape[mask.rank :]), mask)


def one_by_one(call: CallContext, mask: ArrayValue, values: ArrayValue, trailing: tuple[Size, ...]) -> ArrayValue:
    """The values in the order in which a mask chooses elements, each at its element; that there is one for each is tested when it runs."""
    length = values.shape[0]
    spread = broadcasted(call, values, (length, *trailing))
    flat = array_of(call, ravel(call, mask))
    count = call.to_array(reductions.cumsum(call, flat))
    _demand_count(call, flat, length)
    if not deciding(call, "values for a mask")(Condition("<", 0, length)):
        return broadcasted(call, call.to_array(StaticValue(0), values.dtype), (*mask.shape, *trailing))
    last = call.pointwise("minimum", (call.pointwise("subtract", (count, StaticValue(1))), _size_value(length - 1)))
    places = call.cast(call.pointwise("maximum", (last, StaticValue(0))), I64)
    return _laid_out(call, spread, places, mask.shape)


def _demand_count(call: CallContext, mask: ArrayValue, length: Size) -> None:
    """A test when the program runs: the mask chooses just so many elements."""
    total = call.to_array(reductions.sum_(call, mask))
    lacking = call.cast(call.pointwise("subtract", (total, _size_value(length))), I64)
    live = call.context.branches.live
    if live is not None:
        lacking = call.to_array(call.pointwise("where", (live, lacking, StaticValue(0))))
    call.operation("assert_index", [lacking], TensorType(I64, ()), extent=1, what="mask")


def _laid_out(call: CallContext, values: ArrayValue, places: ArrayValue, shape: tuple[Size, ...]) -> ArrayValue:
    """`values[places]`, the one axis of the places under another shape."""
    return reshaped(call, gather(call, Plan(values, (0,), (places,), 0)), (*shape, *values.shape[1:]))


def _repeated(call: CallContext, values: ArrayValue, places: ArrayValue) -> ArrayValue:
    """The places, each counted through the values from the start as often as it takes."""
    return call.cast(call.pointwise("remainder", (places, _size_value(values.shape[0]))), I64)


def _size_value(size: Size) -> Value:
    return StaticValue(size) if isinstance(size, int) else SizeValue(size)


def _counted(call: CallContext, extent: Size) -> ArrayValue:
    """0, 1, .. below an extent."""
    return call.array(call.iota((extent,), 0), TensorType(I64, (extent,)), scalar=False)


def chosen_by(call: CallContext, mask: ArrayValue, value: Value, array: ArrayValue) -> Value:
    """The array with a value (cast to its dtype) where the mask of its leading axes is true."""
    trailing = array.rank - mask.rank
    lifted = expand(call, mask, *range(mask.rank, array.rank)) if trailing else mask
    return call.pointwise("where", (lifted, call.cast(value, array.dtype), array))


@spelled("np.putmask")
def putmask(call: CallContext, a: Value, /, mask: Value, values: Value) -> Value:
    array, chosen = array_of(call, a), array_of(call, mask, "mask")
    source = number_or_array(call, values, "values")
    check_mask(call, array, chosen)
    if isinstance(source, ArrayValue) and source.rank and source.shape != array.shape:
        flat = array_of(call, ravel(call, source))
        if not deciding(call, "the number of values")(Condition("<", 0, flat.shape[0])):
            return NONE
        source = _laid_out(call, flat, _repeated(call, flat, _counted(call, element_count(array.shape))), array.shape)
    call.write(array, chosen_by(call, call.cast(chosen, BOOL), source, array))
    return NONE


@spelled("np.place")
def place(call: CallContext, arr: Value, mask: Value, vals: Value) -> Value:
    """The k-th element that the mask chooses becomes the k-th value, counted from the start again where there are fewer."""
    array, chosen, values = array_of(call, arr), array_of(call, mask, "mask"), array_of(call, vals, "vals")
    check_mask(call, array, chosen)
    flat, chosen = array_of(call, ravel(call, values)), call.cast(chosen, BOOL)
    if not deciding(call, "the number of values")(Condition("<", 0, flat.shape[0])):
        _demand_count(call, array_of(call, ravel(call, chosen)), 0)
        return NONE
    counts = call.to_array(reductions.cumsum(call, array_of(call, ravel(call, chosen))))
    places = _repeated(call, flat, call.to_array(call.pointwise("subtract", (counts, StaticValue(1)))))
    call.write(array, chosen_by(call, chosen, _laid_out(call, flat, places, chosen.shape), array))
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


AT_MODES = {"add": "add", "subtract": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def at(row: str) -> Callable[..., Value]:
    """`np.add.at(a, indices, b)`: unbuffered, so that equal indices each count. Rows that no scatter does go through NumPy's own loop."""
    name = f"np.{row}.at"
    arity = OPERATIONS[row].arity

    def apply(call: CallContext, a: Value, indices: Value, b: Value = MISSING) -> Value:
        array = array_of(call, a)
        if (b is MISSING) is (arity == 2):
            call.error("missing-argument" if arity == 2 else "too-many-arguments", function=name, name="b", expected=2, given=3)
        more: tuple[Value, ...] = () if b is MISSING else (number_or_array(call, b, "b"),)
        parts = taken_apart(call, array, indices)
        if parts.mask is not None:
            call.write(array, chosen_by(call, parts.mask, _applied(call, row, array, more), array))
            return NONE
        basic = basic_items(parts.items)
        if basic is not None:
            part = take_view(call, array, views.subscript(array.shape, basic))
            call.write(part, _applied(call, row, part, more))
            return NONE
        mode = AT_MODES.get(row)
        if mode is None or array.dtype is BOOL or promote(array.dtype, call.type_of(more[0]).dtype).kind != array.dtype.kind:
            _by_numpy(call, row, array, parts, more)
        else:
            value = call.pointwise("negative", more) if row == "subtract" else more[0]
            scattered(call, array, plan(call, array, parts), value, mode)
        return NONE

    return apply


def _applied(call: CallContext, row: str, array: ArrayValue, more: tuple[Value, ...]) -> Value:
    """The row once for each element of an array; the result is cast to its dtype whatever it is, as NumPy's `at` does."""
    return call.pointwise(row, (array, *more))


def _by_numpy(call: CallContext, row: str, array: ArrayValue, parts: Parts, more: tuple[Value, ...]) -> None:
    """The row on the elements of a vector, at the places that the index chooses, one after the other."""
    places = _counted(call, element_count(array.shape))
    places = reshaped(call, places, array.shape)
    chosen = gather(call, plan(call, places, parts))
    operands = [array_of(call, ravel(call, chosen))]
    flat = array_of(call, ravel(call, array))
    for value in more:
        spread = _spread(call, call.to_array(value), chosen.shape)
        operands.append(array_of(call, ravel(call, spread)))
    try:
        result_type(OPERATIONS[row], (array.dtype, *(operand.dtype for operand in operands[1:])))
    except TypeError as problem:
        call.error("not-accepted", requirement=f"np.{row}.at: {problem}")
    result = applied(call, "ufunc.at", flat, *operands, row=row)
    call.write(array, reshaped(call, result, array.shape))


@spelled("np.put_along_axis")
def put_along_axis(call: CallContext, arr: Value, indices: Value, values: Value, axis: Value) -> Value:
    array, index, along = along_operands(call, arr, indices, axis)
    shape = along_shape(call, array, index, along)
    scattered(call, array, along_axis(call, array, index, along, shape), number_or_array(call, values), "set")
    return NONE


@spelled("np.fill_diagonal")
def fill_diagonal(call: CallContext, a: Value, val: Value, wrap: Value = StaticValue(False)) -> Value:
    array = array_of(call, a)
    if array.rank < 2:
        call.error("wrong-rank", operation="fill_diagonal", expected="at least two axes", given=call.describe(array))
    decide = deciding(call, "the length of a diagonal")
    if array.rank == 2:
        diagonal = take_view(call, array, views.diagonal(array.shape, 0, 0, 1, decide))
        rows, columns = array.shape
        if call.static(wrap, "wrap") and decide(Condition("<", columns + 1, rows)):
            call.error("unknown-operation", name="np.fill_diagonal(wrap=True) of a tall matrix")
    else:
        for extent in array.shape[1:]:
            if not call.same_size(extent, array.shape[0], "`fill_diagonal` needs axes of one length"):
                given = call.describe(array)
                call.error("bad-value", argument="`a`", operation="fill_diagonal", expected="axes of one length", given=given)
        diagonal = take_view(call, array, views.View(array.shape[:1], (views.index(0),) * array.rank))
    source = number_or_array(call, val, "val")
    if isinstance(source, ArrayValue) and source.rank and source.shape != diagonal.shape and element_count(source.shape) != 1:
        flat = array_of(call, ravel(call, source))
        source = _laid_out(call, flat, _repeated(call, flat, _counted(call, diagonal.shape[0])), diagonal.shape)
    call.write(diagonal, source)
    return NONE
