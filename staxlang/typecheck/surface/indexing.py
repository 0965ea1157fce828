"""Reading `x[...]`: the parts of an index, basic indexing as a view, integer arrays as a gather."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from staxlang.base.dtypes import BOOL, I64, DType
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType, element_count
from staxlang.typecheck import views
from staxlang.typecheck.binding import formula_size
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.counts import counted_size
from staxlang.typecheck.index_notation import reads
from staxlang.typecheck.origins import source_text
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.shapes import gathered_shape
from staxlang.typecheck.surface.arguments import (
    array_of,
    constant_array,
    deciding,
    expand,
    normalized_axis,
    plain_numbers,
    sequence_items,
    snapshot,
    take_view,
)  # fmt: skip
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import ravel
from staxlang.typecheck.values import NONE, ArrayValue, ScalarValue, SizeValue, SliceValue, StaticValue, Value


class IndexArray(NamedTuple):
    """Integers that choose elements along an axis. `checked`: known to be in range and not negative."""

    array: ArrayValue
    checked: bool = False


Item = views.Item | IndexArray


class Parts(NamedTuple):
    """An index taken apart: one item for each axis and each new axis. `mask`: the only index, and boolean. `gap`: the place among the
    items of a `...` that stands for no axis; it keeps what is on its sides apart."""

    items: list[Item]
    mask: ArrayValue | None = None
    gap: int = -1


def subscript(call: CallContext, array: ArrayValue, index: Value) -> Value:
    """`array[index]`: a view, a NumPy scalar (a copy), or the elements that integer arrays choose."""
    beside = mask_beside(call, array, index)
    if beside is not None:
        chosen = compress(call, beside.base, beside.mask)
        if not beside.place:
            return chosen
        moved = take_view(call, chosen, views.moveaxis(chosen.shape, (0,), (beside.place,)))
        return call.array(call.handle(moved), TensorType(moved.dtype, moved.shape), scalar=False)
    parts = taken_apart(call, array, index)
    if parts.mask is not None:
        return compress(call, array, parts.mask)
    basic = basic_items(parts.items)
    if basic is not None:
        result = take_view(call, array, views.subscript(array.shape, basic))
        return snapshot(call, result) if not result.rank and not _has_ellipsis(index) else result
    result = gather(call, plan(call, array, parts))
    # By integers that only the run knows NumPy gives a view: here it is a copy, which must not be written to as if it were one.
    single = all(not item.array.rank for item in parts.items if isinstance(item, IndexArray))
    return call.locked(result) if single and result.rank else result


def basic_items(items: Sequence[Item]) -> list[views.Item] | None:
    """The items if none of them is an array."""
    found = [item for item in items if not isinstance(item, IndexArray)]
    return found if len(found) == len(items) else None


def _has_ellipsis(index: Value) -> bool:
    """`x[0, ...]` is a 0-d array where `x[0]` is a scalar."""
    items: tuple[Value, ...] = index if isinstance(index, tuple) else (index,)
    return any(isinstance(item, StaticValue) and item.value is Ellipsis for item in items)


def compress(call: CallContext, array: ArrayValue, mask: ArrayValue) -> ArrayValue:
    """The elements that a mask chooses. How many is known at run time only: the compiler has a form for what is put back by the same mask
    or reduced, and refuses the rest."""
    indices = call.context.indices
    if indices.active and not indices.searching:
        name = next(iter(indices.active.values())).name
        call.error("index-in-shape", extent="a mask's count of", name=name)
    chooser = call.handle(mask)
    count = mask_count(call, chooser, mask.type)
    type_ = TensorType(array.dtype, (count, *array.shape[mask.rank :]))
    return call.array(call.record("compress", (call.handle(array), chooser), {"count": count}, type_), type_, scalar=False)


def mask_count(call: CallContext, chooser: Handle, mask: TensorType) -> Size:
    """The counted size that tells how many elements a mask chooses; one for each mask."""
    handle = call.record("reduce", (chooser,), {"kind": "count", "axes": tuple(range(len(mask.shape)))}, TensorType(I64, ()))
    origin = "the number of elements that the mask chooses"
    size = counted_size(call.context, handle, call.span, source_text(call), origin, "count_true", element_count(mask.shape))
    call.context.masks[chooser] = size, mask
    return size


class MaskBeside(NamedTuple):
    """`x[1:, mask]`: a mask beside slices and integers. `base` has the mask's axes in front; what is chosen of them stands at `place`."""

    base: ArrayValue
    mask: ArrayValue
    place: int


def mask_beside(call: CallContext, array: ArrayValue, index: Value) -> MaskBeside | None:
    """An index that has one mask, and no other array, beside anything else; None where it is of another kind."""
    if not isinstance(index, tuple) or len(index) < 2:
        return None
    entries = [_array_like(call, entry) for entry in index]
    arrays = [k for k, one in enumerate(entries) if isinstance(one, ArrayValue) or isinstance(getattr(one, "value", None), np.ndarray)]
    mask = entries[arrays[0]] if len(arrays) == 1 else None
    if not isinstance(mask, ArrayValue) or mask.dtype is not BOOL:
        return None
    before, after = entries[: arrays[0]], entries[arrays[0] + 1 :]
    whole = [SliceValue(None, None, None)] * mask.rank
    items = basic_items(_placed(call, array, [*before, *whole, *after]).items)
    assert items is not None
    hidden = len(items) - sum(not _is_ellipsis(one) for one in (*before, *whole, *after))
    first = sum(hidden if _is_ellipsis(one) else 1 for one in before)
    front = sum(isinstance(item, (views.Range, views.NewAxis)) for item in items[:first])
    view = take_view(call, array, views.subscript(array.shape, items))
    axes = tuple(range(front, front + mask.rank))
    base = take_view(call, view, views.moveaxis(view.shape, axes, range(mask.rank))) if front else view
    check_mask(call, base, mask)
    return MaskBeside(base, mask, front if _side_by_side(entries, arrays[0]) else 0)


def in_front(call: CallContext, beside: MaskBeside, value: Value) -> Value:
    """A value with the axis of what a mask chooses in front, where its own mask's axes are in the base."""
    trailing = beside.base.rank - beside.mask.rank - beside.place
    if not beside.place or not isinstance(value, ArrayValue) or value.rank <= trailing:
        return value
    missing = beside.place + 1 + trailing - value.rank
    value = expand(call, value, *range(missing)) if missing > 0 else value
    axis = value.rank - trailing - 1
    return take_view(call, value, views.moveaxis(value.shape, (axis,), (0,)))


def _side_by_side(entries: Sequence[Value], place: int) -> bool:
    """Whether integers stand next to the mask, with nothing else between: then what they choose stays where they are."""
    chosen = [k for k, one in enumerate(entries) if k == place or not (_is_new_axis(one) or _is_ellipsis(one) or _is_slice(one))]
    return chosen[-1] - chosen[0] == len(chosen) - 1


def _is_slice(entry: Value) -> bool:
    return isinstance(entry, SliceValue) or isinstance(getattr(entry, "value", None), slice)


# ---- the parts of an index ----


def taken_apart(call: CallContext, array: ArrayValue, index: Value) -> Parts:
    entries: list[Value] = list(index) if isinstance(index, tuple) else [index]
    entries = [_array_like(call, entry) for entry in entries]
    masks = [entry for entry in entries if isinstance(entry, ArrayValue) and entry.dtype is BOOL]
    if masks:
        if len(entries) > 1:
            call.error("bad-index", given="a boolean mask beside other indices", help="use the mask alone, `x[mask]`, or `np.where`")
        check_mask(call, array, masks[0])
        return Parts([], masks[0])
    return _placed(call, array, entries)


def _array_like(call: CallContext, entry: Value) -> Value:
    """Lists in an index are arrays; so are ranges. A tuple inside an index too, as in NumPy."""
    if isinstance(entry, StaticValue) and isinstance(entry.value, (str, bytes)):
        call.error("bad-index", given=repr(entry.value))
    if isinstance(entry, StaticValue) and isinstance(entry.value, (bool, np.bool)):
        call.error("bad-index", given=f"the boolean {entry.value}", help="use `if`, or an array of booleans as a mask")
    items = None if call.is_numeric(entry) else sequence_items(call, entry)
    if items is None:
        return entry
    numbers = plain_numbers(call, items)
    if numbers is None:
        return array_of(call, entry)
    listed = np.asarray(numbers, dtype=None if numbers else np.int64)  # `x[[]]` chooses nothing
    return StaticValue(listed) if listed.dtype.kind in "iu" else constant_array(call, listed)


def _placed(call: CallContext, array: ArrayValue, entries: Sequence[Value]) -> Parts:
    """Each entry with the axis that it is for; `...` becomes whole axes."""
    used = sum(1 for entry in entries if not _is_new_axis(entry) and not _is_ellipsis(entry))
    if used > array.rank:
        call.error("too-many-indices", given=used, rank=array.rank)
    if sum(map(_is_ellipsis, entries)) > 1:
        call.error("two-ellipses")
    items: list[Item] = []
    axis, gap = 0, -1
    for entry in entries:
        if _is_new_axis(entry):
            items.append(views.NEWAXIS)
        elif _is_ellipsis(entry):
            gap = len(items) if array.rank == used else -1
            for _ in range(array.rank - used):
                items.append(views.Range(0, array.shape[axis], 1))
                axis += 1
        else:
            items.append(_item(call, entry, array, axis))
            axis += 1
    return Parts(items, None, gap)


def _is_new_axis(entry: Value) -> bool:
    return isinstance(entry, StaticValue) and entry.value is None


def _is_ellipsis(entry: Value) -> bool:
    return isinstance(entry, StaticValue) and entry.value is Ellipsis


def _item(call: CallContext, entry: Value, array: ArrayValue, axis: int) -> Item:
    extent = array.shape[axis]
    if isinstance(entry, SliceValue):
        return _range(call, entry, extent)
    if isinstance(entry, StaticValue) and isinstance(entry.value, slice):
        parts = (entry.value.start, entry.value.stop, entry.value.step)
        return _range(call, SliceValue(*(None if part is None else StaticValue(part) for part in parts)), extent)
    if isinstance(entry, ArrayValue):
        if entry.dtype.kind not in "iu":
            text = call.text(1)
            advice = f"convert it: `{text}.astype(np.int64)`" if text.isidentifier() else "convert it to integers with `.astype(...)`"
            help = advice if entry.dtype.kind == "f" else None
            call.error("bad-index", given=call.describe(entry), help=help)
        return IndexArray(entry)
    if isinstance(entry, StaticValue) and isinstance(entry.value, np.ndarray):
        return _listed_index(call, entry.value, extent, axis)
    if isinstance(entry, SizeValue) or (isinstance(entry, ScalarValue) and entry.kind == "int"):
        if call.context.loops.active:
            return index_in_loop(call, entry, extent, axis)
        place = call.size(entry, "an index")
        if call.context.indices.among(place):
            return reads.place(call, place, array, axis)
        return integer_index(call, place, extent, axis)
    if isinstance(entry, StaticValue) and isinstance(entry.value, (int, np.integer)):
        return integer_index(call, int(entry.value), extent, axis)
    call.error("bad-index", given=call.describe(entry))


def _listed_index(call: CallContext, numbers: np.ndarray[Any, Any], extent: Size, axis: int) -> IndexArray:
    """A list of integers: checked and counted from the front at once where the extent is a constant."""
    if not isinstance(extent, int):
        return IndexArray(constant_array(call, numbers.astype(np.int64)), bool(numbers.size == 0))
    outside = numbers[(numbers < -extent) | (numbers >= extent)]
    if outside.size:
        call.error("index-out-of-range", index=int(outside[0]), axis=axis, extent=extent)
    return IndexArray(constant_array(call, np.where(numbers < 0, numbers + extent, numbers).astype(np.int64)), True)


def integer_index(call: CallContext, index: Size, extent: Size, axis: int) -> Size:
    """An integer index in range: from the end where negative; out of range is an error at once."""
    if isinstance(index, int) and isinstance(extent, int):
        if not -extent <= index < extent:
            call.error("index-out-of-range", index=_index_text(call, index), axis=axis, extent=extent)
        return index + extent if index < 0 else index
    why = f"the index {index}"
    decide = deciding(call, why)
    place = views.wrap(index, extent, decide)
    low = Condition("<=", 0, place)
    if decide(Condition("<", place, extent)) is False or ((not isinstance(index, int) or index < 0) and decide(low) is False):
        origin = call.context.origin(extent)
        call.error("index-out-of-range", index=_index_text(call, index), axis=axis, extent=extent, notes=[] if origin is None else [origin])
    return place


def index_in_loop(call: CallContext, entry: SizeValue | ScalarValue, extent: Size, axis: int) -> Item:
    """An index in a loop that stays in the program: a size where it is known to be in range in every round, else tested when it runs."""
    context = call.context
    place = entry.size if isinstance(entry, SizeValue) else formula_size(context, entry, call.span)
    if place is None:
        return IndexArray(call.to_array(entry, I64))
    if not context.loops.among(place):
        return integer_index(call, place, extent, axis)
    why = f"the index {call.describe(entry)}"
    if call.decide(Condition("<=", 0, place), why) and call.decide(Condition("<", place, extent), why):
        return place
    if call.decide(Condition("<", place, 0), why) and call.decide(Condition("<=", 0, place + extent), why):
        return place + extent
    return IndexArray(call.array(call.size_handle(place), TensorType(I64, ())))


def _index_text(call: CallContext, index: Size) -> str:
    value = call.hint(index)
    return str(index) if isinstance(index, int) or value is None else f"{value} (`{index}`)"


def _range(call: CallContext, given: SliceValue, extent: Size) -> views.Range:
    step = 1 if _left_out(given.step) else call.static_int(given.step, "the step of a slice")
    if step == 0:
        call.error("zero-step", what="a slice")
    start = None if _left_out(given.lower) else call.size(given.lower, "a slice's start")
    stop = None if _left_out(given.upper) else call.size(given.upper, "a slice's stop")
    return views.slice_range(start, stop, step, extent, deciding(call, "a slice"))


def _left_out(part: Value | None) -> bool:
    return part is None or (isinstance(part, StaticValue) and part.value is None)


def _extent_text(call: CallContext, extent: Size) -> str:
    now = call.hint(extent)
    return str(extent) if isinstance(extent, int) or now is None else f"{extent} ({now} in this call)"


def check_mask(call: CallContext, array: ArrayValue, mask: ArrayValue) -> None:
    """A mask has the extents of the array's leading axes."""
    if mask.rank > array.rank:
        call.error("too-many-indices", given=mask.rank, rank=array.rank)
    for axis, extent in enumerate(mask.shape):
        if not call.same_size(extent, array.shape[axis], "a mask"):
            sizes = extent, array.shape[axis]
            notes = [note for note in map(call.context.origin, sizes) if note is not None]
            call.error("mask-mismatch", axis=axis, mask=_extent_text(call, extent), extent=_extent_text(call, sizes[1]), notes=notes)


# ---- integer arrays ----


class Plan(NamedTuple):
    """A gather or scatter: a view of the array, its axes indexed by arrays of one shape that stand at `position` in the result."""

    base: ArrayValue
    axes: tuple[int, ...]
    indices: tuple[ArrayValue, ...]
    position: int


def plan(call: CallContext, array: ArrayValue, parts: Parts) -> Plan:
    """NumPy's rule: integers and arrays broadcast together; if they stand side by side, their axes take that place, else the front."""
    basic: list[views.Item] = []
    arrays: list[IndexArray] = []
    axes: list[int] = []
    advanced: list[int] = []  # places in `items` of integers and arrays
    place = axis = 0
    front = -1
    for number, item in enumerate(parts.items):
        if isinstance(item, IndexArray):
            basic.append(views.Range(0, array.shape[axis], 1))
            arrays.append(item)
            axes.append(place)
        else:
            basic.append(item)
        if not isinstance(item, (views.Range, views.NewAxis)):
            advanced.append(number)
            front = place if front < 0 else front
        place += not isinstance(item, (int, views.SizeExpression))
        axis += not isinstance(item, views.NewAxis)
    together = advanced[-1] - advanced[0] == len(advanced) - 1 and not advanced[0] < parts.gap <= advanced[-1]
    base = take_view(call, array, views.subscript(array.shape, basic))
    shape = call.broadcast_shapes(*(one.array.shape for one in arrays))
    wrapped = tuple(
        _broadcast_index(call, one.array if one.checked else checked_index(call, one.array, base.shape[k]), shape)
        for one, k in zip(arrays, axes, strict=True)
    )
    return Plan(base, tuple(axes), wrapped, front if together else 0)


def _broadcast_index(call: CallContext, index: ArrayValue, shape: tuple[Size, ...]) -> ArrayValue:
    return call.array(call.broadcast(index, shape), TensorType(I64, shape))


def checked_index(call: CallContext, index: ArrayValue, extent: Size) -> ArrayValue:
    """An integer array as i64, from the end where negative, tested in range when it runs."""
    dtype: DType = index.dtype
    wide = call.cast(index, I64)
    if dtype.kind != "u":
        shifted = call.pointwise("add", (wide, _extent_value(extent)))
        negative = call.pointwise("less", (wide, StaticValue(0)))
        wide = call.to_array(call.pointwise("where", (negative, shifted, wide)))
    live = call.context.branches.live
    if live is not None:  # on the side of a branch that is not taken, an index may be anything
        wide = call.to_array(call.pointwise("where", (live, wide, StaticValue(0))))
    return call.operation("assert_index", [wide], TensorType(I64, wide.shape), extent=extent)


def _extent_value(extent: Size) -> Value:
    return StaticValue(extent) if isinstance(extent, int) else SizeValue(extent)


def gather(call: CallContext, chosen: Plan) -> ArrayValue:
    shape = gathered_shape(chosen.base.shape, chosen.axes, chosen.indices[0].shape, chosen.position)
    type_ = TensorType(chosen.base.dtype, shape)
    return call.operation("gather", (chosen.base, *chosen.indices), type_, axes=chosen.axes, position=chosen.position)


# ---- functions ----


@spelled("np.take", "method.take", "word.take")
def take(call: CallContext, a: Value, indices: Value, axis: Value = NONE, out: Value = NONE, mode: Value = StaticValue("raise")) -> Value:
    array = array_of(call, a)
    if isinstance(axis, StaticValue) and axis.value is None:
        array, along = array_of(call, ravel(call, array)), 0
    else:
        along = normalized_axis(call, call.static_int(axis, "axis"), array.rank)
    index = array_of(call, indices, "indices")
    if index.dtype.kind not in "iu":
        call.error("bad-index", given=call.describe(index))
    extent = array.shape[along]
    wanted = call.static(mode, "mode")
    place = _by_mode(call, index, extent, wanted)
    result = gather(call, Plan(array, (along,), (place,), along))
    return _into(call, result, out)


def _into(call: CallContext, result: Value, out: Value) -> Value:
    if isinstance(out, ArrayValue):
        call.write(out, result)
        return out
    return result


def _by_mode(call: CallContext, index: ArrayValue, extent: Size, mode: Any) -> ArrayValue:
    if mode == "raise":
        return checked_index(call, index, extent)
    wide = call.cast(index, I64)
    size = _extent_value(extent)
    if mode == "wrap":
        return call.cast(call.pointwise("remainder", (wide, size)), I64)
    if mode == "clip":
        last = call.pointwise("subtract", (call.to_array(size, I64), StaticValue(1)))
        return call.cast(call.pointwise("maximum", (call.pointwise("minimum", (wide, last)), StaticValue(0))), I64)
    call.error("bad-value", argument="`mode`", operation="take", expected="'raise', 'wrap' or 'clip'", given=repr(mode))


@spelled("np.take_along_axis", "word.take_along_axis")
def take_along_axis(call: CallContext, arr: Value, indices: Value, axis: Value = StaticValue(-1)) -> Value:
    array, index, along = along_operands(call, arr, indices, axis)
    shape = along_shape(call, array, index, along)
    return gather(call, along_axis(call, array, index, along, shape))


def along_operands(call: CallContext, arr: Value, indices: Value, axis: Value) -> tuple[ArrayValue, ArrayValue, int]:
    array, index = array_of(call, arr), array_of(call, indices, "indices")
    if isinstance(axis, StaticValue) and axis.value is None:
        array, along = array_of(call, ravel(call, array)), 0
    else:
        along = normalized_axis(call, call.static_int(axis, "axis"), array.rank)
    if index.rank != array.rank:
        call.error("axes-mismatch", operation="take_along_axis", expected=array.rank, given=index.rank)
    if index.dtype.kind not in "iu":
        call.error("bad-index", given=call.describe(index))
    return array, index, along


def along_shape(call: CallContext, array: ArrayValue, index: ArrayValue, along: int) -> tuple[Size, ...]:
    """The indices' shape, with the other axes broadcast against the array's."""
    others = tuple(1 if axis == along else extent for axis, extent in enumerate(array.shape))
    mine = tuple(1 if axis == along else extent for axis, extent in enumerate(index.shape))
    joined = call.broadcast_shapes(others, mine)
    return tuple(index.shape[along] if axis == along else extent for axis, extent in enumerate(joined))


def along_axis(call: CallContext, array: ArrayValue, index: ArrayValue, along: int, shape: tuple[Size, ...]) -> Plan:
    """Every axis indexed: the given indices along one, each element's own subscript along the others."""
    chosen: list[ArrayValue] = []
    for axis in range(array.rank):
        if axis == along:
            chosen.append(_broadcast_index(call, checked_index(call, index, array.shape[axis]), shape))
        elif array.shape[axis] == 1 and shape[axis] != 1:
            chosen.append(_broadcast_index(call, call.to_array(StaticValue(0), I64), shape))
        else:
            chosen.append(call.array(call.iota(shape, axis), TensorType(I64, shape), scalar=False))
    return Plan(array, tuple(range(array.rank)), tuple(chosen), 0)
