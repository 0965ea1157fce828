"""Shape manipulation: reshape, transpose and their kin as views of the array's memory, copies only where NumPy makes one."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import DType
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order, pointwise, reshaping, views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.surface.arguments import (
    absent,
    array_of,
    axes_of,
    axis_of,
    check_cast,
    deciding,
    expand,
    extent_text,
    flag,
    named_dtype,
    normalized_axis,
    only,
    origins,
    snapshot,
    take_view,
)  # fmt: skip
from staxlang.typecheck.surface.extents import extent_value, shape_value
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, StaticValue, Value
from staxlang.typecheck.views import Answer, shape_text

ORDER_C = StaticValue("C")
ORDER_K = StaticValue("K")


# ---- reshape ----


@spelled("np.reshape", "word.reshape")
def reshape(call: CallContext, a: Value, /, shape: Value, order: Value = ORDER_C, *, copy: Value = NONE) -> Value:
    array = array_of(call, a)
    result = reshaped(call, array, wanted_shape(call, [shape]), call.static(order, "order"))
    return call.copy(result) if not absent(copy) and flag(call, copy, "copy") and result.storage is array.storage else result


@spelled("method.reshape")
def reshape_method(call: CallContext, a: Value, *shape: Value, order: Value = ORDER_C, copy: Value = NONE) -> Value:
    return reshape(call, a, tuple(shape) if len(shape) != 1 else shape[0], order, copy=copy)


def wanted_shape(call: CallContext, parts: Sequence[Value]) -> tuple[Size, ...]:
    """A shape argument; a size that is -1 at this call is fixed to it."""
    given = call.shape(parts[0] if len(parts) == 1 else tuple(parts), "shape")
    result: list[Size] = []
    for one in given:
        if not isinstance(one, int) and call.hint(one) == -1 and call.decide(Condition("==", one, -1), "reshape infers this axis"):
            one = -1
        if isinstance(one, int) and one < -1:
            call.error("negative-extent", extent=extent_text(call, one))
        result.append(one)
    return tuple(result)


def reshaped(call: CallContext, array: ArrayValue, wanted: tuple[Size, ...], order: str = "C") -> ArrayValue:
    """The elements in row-major order (or column-major, order 'F') under another shape; a view where NumPy gives one."""
    if order == "F" and array.rank + len(wanted) > 2:
        turned = take_view(call, array, views.transpose(array.shape, tuple(reversed(range(array.rank)))))
        result = reshaped(call, turned, tuple(reversed(wanted)))
        return take_view(call, result, views.transpose(result.shape, tuple(reversed(range(result.rank)))))
    if order not in ("C", "F"):
        only(call, "reshape", "order", StaticValue(order), "C", "F")
    shape = _resolved(call, array, wanted)
    if array.scalar and not shape:
        return array
    prove = call.context.facts.decide
    if not _mergeable(call, array, shape, prove):
        # Axes that have the same extents now stay as they are, and need not follow each other.
        prove = partial(call.decide, why="whether a reshape is a view depends on it")
        if not _mergeable(call, array, shape, prove):
            array = call.copy(array)
    return take_view(call, array, reshaping.reshape(tuple(map(call.simplify, array.shape)), shape, prove))


def _resolved(call: CallContext, array: ArrayValue, wanted: tuple[Size, ...]) -> tuple[Size, ...]:
    if sum(1 for one in wanted if one == -1) > 1:
        call.error("reshape-unknown", count=sum(1 for one in wanted if one == -1))
    inferred = -1 in wanted

    def decide(condition: Condition) -> bool | None:
        try:
            answer = call.decide(condition, "reshape keeps the number of elements")
        except ZeroDivisionError:  # an extent beside the -1 is 0 at this call: nothing says what the -1 is
            return False
        return answer if answer is not None else inferred or not call.is_rigid(condition.left, condition.right)

    found = reshaping.resolve(array.shape, wanted, decide)
    if isinstance(found, reshaping.Misfit):
        notes = origins(call, *((array, one) for one in array.shape))
        asked = f"a multiple of {found.want}" if found.inferred else str(found.want)
        notes.insert(0, Note(None, f"{call.describe(array)} has {found.have} elements, {shape_text(wanted)} needs {asked}"))
        call.error("reshape-mismatch", source=shape_text(array.shape), target=shape_text(wanted), notes=notes)
    return found


def _mergeable(call: CallContext, array: ArrayValue, shape: tuple[Size, ...], prove: Answer) -> bool:
    """Whether the memory can be read in the new shape without moving: axes that are merged must follow each other in memory."""
    strides = call.strides(array)
    if strides is None:
        return False
    extents = tuple(map(call.simplify, array.shape))
    return all(pointwise.follow(call, strides, extents, range(*run)) for run in reshaping.merged_runs(extents, shape, prove))


@spelled("np.ravel", "method.ravel", "word.ravel")
def ravel(call: CallContext, a: Value, order: Value = ORDER_C) -> Value:
    array = array_of(call, a)
    how = call.static(order, "order")
    lying = reversed_axes(call, array) if how == "F" else array
    result = reshaped(call, array, (-1,) if array.rank != 1 else array.shape, how)
    return result if result.storage is not array.storage or pointwise.is_contiguous(call, lying) else call.copy(result)


@spelled("method.flatten")
def flatten(call: CallContext, a: Value, order: Value = ORDER_C) -> Value:
    return call.copy(ravel(call, a, order))


# ---- order of axes ----


@spelled("np.transpose", "word.transpose")
def transpose(call: CallContext, a: Value, axes: Value = NONE) -> Value:
    array = array_of(call, a)
    if absent(axes):
        return reversed_axes(call, array)
    order = axes_of(call, axes, array.rank, "axes")
    if len(order) != array.rank:
        call.error("axes-mismatch", operation="transpose", expected=array.rank, given=len(order))
    return take_view(call, array, views.transpose(array.shape, order))


@spelled("method.transpose")
def transpose_method(call: CallContext, a: Value, *axes: Value) -> Value:
    if not axes:
        return transpose(call, a)
    return transpose(call, a, axes[0] if len(axes) == 1 else tuple(axes))


@spelled("attribute.T")
def transposed(call: CallContext, a: Value) -> Value:
    return reversed_axes(call, array_of(call, a))


def reversed_axes(call: CallContext, array: ArrayValue) -> ArrayValue:
    if array.scalar:
        return array
    return take_view(call, array, views.transpose(array.shape, tuple(reversed(range(array.rank)))))


@spelled("np.matrix_transpose", "attribute.mT")
def matrix_transpose(call: CallContext, x: Value, /) -> Value:
    array = array_of(call, x)
    if array.rank < 2:
        call.error("wrong-rank", operation="matrix_transpose", expected="at least 2 axes", given=call.describe(array))
    return take_view(call, array, views.swapaxes(array.shape, array.rank - 2, array.rank - 1))


@spelled("np.swapaxes", "method.swapaxes", "word.swapaxes")
def swapaxes(call: CallContext, a: Value, axis1: Value, axis2: Value) -> Value:
    array = array_of(call, a)
    first, second = axis_of(call, axis1, array.rank, "axis1"), axis_of(call, axis2, array.rank, "axis2")
    return take_view(call, array, views.swapaxes(array.shape, first, second))


@spelled("np.moveaxis", "word.moveaxis")
def moveaxis(call: CallContext, a: Value, source: Value, destination: Value) -> Value:
    array = array_of(call, a)
    origin, target = axes_of(call, source, array.rank, "source"), axes_of(call, destination, array.rank, "destination")
    if len(origin) != len(target):
        call.error("axes-mismatch", operation="moveaxis", expected=len(origin), given=len(target))
    return take_view(call, array, views.moveaxis(array.shape, origin, target))


@spelled("np.rollaxis")
def rollaxis(call: CallContext, a: Value, axis: Value, start: Value = StaticValue(0)) -> Value:
    array = array_of(call, a)
    moved = axis_of(call, axis, array.rank)
    before = normalized_axis(call, call.static_int(start, "start"), array.rank + 1, "start")
    order = [one for one in range(array.rank) if one != moved]
    order.insert(before - 1 if moved < before else before, moved)
    return take_view(call, array, views.transpose(array.shape, order))


@spelled("np.flip", "word.flip")
def flip(call: CallContext, m: Value, axis: Value = NONE) -> Value:
    array = array_of(call, m)
    if not array.rank and absent(axis):  # without axes to turn NumPy reads the element
        return snapshot(call, array)
    axes = tuple(range(array.rank)) if absent(axis) else axes_of(call, axis, array.rank)
    return take_view(call, array, views.flip(array.shape, axes))


# ---- axes of extent 1 ----


@spelled("np.expand_dims", "word.expand_dims")
def expand_dims(call: CallContext, a: Value, axis: Value) -> Value:
    array = array_of(call, a)
    given = call.static(axis, "axis")
    rank = array.rank + (len(given) if isinstance(given, (tuple, list)) else 1)
    return expand(call, array, *sorted(axes_of(call, axis, rank)))


@spelled("np.squeeze", "method.squeeze", "word.squeeze")
def squeeze(call: CallContext, a: Value, axis: Value = NONE) -> Value:
    array = array_of(call, a)
    if absent(axis):
        ones = [_is_one(call, extent) for extent in array.shape]
        if any(one is None and not call.is_rigid(extent) for one, extent in zip(ones, array.shape, strict=True)):
            raise Unknowable  # in checking: the rank depends on it
        axes = tuple(k for k, one in enumerate(ones) if one)
    else:
        axes = axes_of(call, axis, array.rank)
        for one in axes:
            if _is_one(call, array.shape[one]) is False:
                notes = origins(call, (array, array.shape[one]))
                call.error("squeeze-extent", axis=one, extent=array.shape[one], notes=notes)
    return take_view(call, array, views.squeeze(array.shape, axes)) if axes else array


def _is_one(call: CallContext, extent: Size) -> bool | None:
    return extent == 1 if isinstance(extent, int) else call.decide(Condition("==", extent, 1), "squeeze")


@spelled("np.atleast_1d", "word.atleast_1d")
def atleast_1d(call: CallContext, *arys: Value) -> Value:
    return _each(call, arys, lambda array: array if array.rank else expand(call, array, 0))


@spelled("np.atleast_2d", "word.atleast_2d")
def atleast_2d(call: CallContext, *arys: Value) -> Value:
    return _each(call, arys, lambda array: array if array.rank > 1 else expand(call, array, *range(2 - array.rank)))


@spelled("np.atleast_3d", "word.atleast_3d")
def atleast_3d(call: CallContext, *arys: Value) -> Value:
    places = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _each(call, arys, lambda array: expand(call, array, *places[array.rank]) if array.rank < 3 else array)


def _each(call: CallContext, values: Sequence[Value], change: Callable[[ArrayValue], Value]) -> Value:
    results = tuple(change(array_of(call, value)) for value in values)
    return results[0] if len(results) == 1 else results


# ---- broadcasting ----


@spelled("np.broadcast_to", "word.broadcast_to")
def broadcast_to(call: CallContext, array: Value, shape: Value, subok: Value = FALSE) -> Value:
    only(call, "broadcast_to", "subok", subok, False)
    return call.locked(broadcasted(call, array_of(call, array), call.shape(shape)))


def broadcasted(call: CallContext, array: ArrayValue, shape: tuple[Size, ...]) -> ArrayValue:
    """A view repeated to a shape."""

    def decide(condition: Condition) -> bool | None:
        answer = call.decide(condition, "it is broadcast")
        return answer if answer is not None else not call.is_rigid(condition.left, condition.right)

    found = views.broadcast(array.shape, shape, decide)
    if found is None:
        call.error("broadcast-to-mismatch", source=shape_text(array.shape), target=shape_text(shape))
    return take_view(call, array, found)


@spelled("np.broadcast_arrays")
def broadcast_arrays(call: CallContext, *args: Value, subok: Value = FALSE) -> Value:
    arrays = [array_of(call, one) for one in args]
    shape = call.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(broadcasted(call, array, shape) for array in arrays)


@spelled("np.broadcast_shapes", "word.broadcast_shapes")
def broadcast_shapes(call: CallContext, *args: Value) -> Value:
    return shape_value(call, call.broadcast_shapes(*(call.shape(one) for one in args)))


# ---- diagonals ----


@spelled("np.diagonal", "method.diagonal", "word.diagonal")
def diagonal(
    call: CallContext, a: Value, offset: Value = StaticValue(0), axis1: Value = StaticValue(0), axis2: Value = StaticValue(1)
) -> Value:
    array = array_of(call, a)
    if array.rank < 2:
        call.error("wrong-rank", operation="diagonal", expected="at least 2 axes", given=call.describe(array))
    first, second = axis_of(call, axis1, array.rank, "axis1"), axis_of(call, axis2, array.rank, "axis2")
    if first == second:
        call.error("axis-repeated", axis=second)
    decide = deciding(call, "the length of a diagonal")
    return call.locked(take_view(call, array, views.diagonal(array.shape, call.size(offset, "offset"), first, second, decide)))


# ---- copies and casts ----


@spelled("np.copy", "word.copy")
def copy(call: CallContext, a: Value, order: Value = ORDER_K, subok: Value = FALSE) -> Value:
    return copied(call, array_of(call, a), order)


@spelled("method.copy")
def copy_method(call: CallContext, a: Value, order: Value = ORDER_C) -> Value:
    array = array_of(call, a)
    made = copied(call, array, order)
    return array if array.scalar else made  # a scalar's own method gives a scalar


def copied(call: CallContext, array: ArrayValue, order: Value) -> ArrayValue:
    """The same elements in memory of their own, in C's, Fortran's or ("K") their own order."""
    only(call, "copy", "order", order, "C", "F", "A", "K")
    return call.copy(array, memory_order.of_copy(call, array, call.static(order, "order")))


@spelled("method.astype")
def astype(
    call: CallContext, a: Value, dtype: Value, order: Value = ORDER_K, casting: Value = StaticValue("unsafe"),
    subok: Value = TRUE, copy: Value = TRUE,
) -> Value:  # fmt: skip
    array = array_of(call, a)
    target = named_dtype(call, dtype)
    check_cast(call, array.dtype, target, call.static(casting, "casting"), "astype")
    only(call, "astype", "order", order, "C", "F", "A", "K")
    return converted(call, array, target, flag(call, copy, "copy"), call.static(order, "order"))


def converted(call: CallContext, array: ArrayValue, target: DType, copied: bool, order: str = "K") -> ArrayValue:
    """The array in a dtype: new memory, unless it has the dtype and order and no copy is asked for."""
    if array.scalar:
        return call.cast(array, target)
    lies = memory_order.of_copy(call, array, order)
    if array.dtype is not target:
        made = call.cast(array, target)
        made.storage.order = lies
        return made
    if not copied and (order in ("K", "A") or _lies_so(call, array, order)):
        return array
    return call.copy(array, lies)


def _lies_so(call: CallContext, array: ArrayValue, order: str) -> bool:
    """Whether an array is without gaps in C's or Fortran's order already; what is not known of its strides becomes a guard."""
    return pointwise.is_contiguous(call, reversed_axes(call, array) if order == "F" else array)


@spelled("np.astype")
def astype_function(call: CallContext, x: Value, dtype: Value, /, *, copy: Value = TRUE, device: Value = NONE) -> Value:
    return astype(call, x, dtype, copy=copy)


# ---- what an array says of itself ----


@spelled("word.laid_as")
def laid_as(call: CallContext, x: Value, like: Value, /) -> Value:
    """For the standard library: what was just made, with its axes in memory in the order of another array's, of as many axes."""
    array = array_of(call, x)
    order = memory_order.kept(call, [array_of(call, like)], array.rank)
    return array if order is None else call.array(call.handle(array), TensorType(array.dtype, array.shape), order=order)


@spelled("word.axes_within")
def axes_within(call: CallContext, axis: Value, ndim: Value, /) -> Value:
    """For the standard library: axes of an array of `ndim` axes, counted from the first; the same axis twice, or one beyond, is refused."""
    return tuple(map(StaticValue, axes_of(call, axis, call.static_int(ndim, "ndim"))))


@spelled("np.shape", "attribute.shape", "word.shape")
def shape_of(call: CallContext, a: Value) -> Value:
    return shape_value(call, array_of(call, a).shape)


@spelled("np.ndim", "attribute.ndim", "word.ndim")
def ndim(call: CallContext, a: Value) -> Value:
    return StaticValue(array_of(call, a).rank)


@spelled("np.size", "word.size")
def size(call: CallContext, a: Value, axis: Value = NONE) -> Value:
    array = array_of(call, a)
    if absent(axis):
        return extent_value(call, reshaping.product(array.shape))
    return extent_value(call, reshaping.product([array.shape[one] for one in axes_of(call, axis, array.rank)]))


@spelled("attribute.size")
def size_attribute(call: CallContext, a: Value) -> Value:
    return extent_value(call, reshaping.product(array_of(call, a).shape))


@spelled("np.lib.stride_tricks.sliding_window_view", "word.sliding_windows")
def sliding_windows(
    call: CallContext, x: Value, window_shape: Value, axis: Value = NONE, *, subok: Value = FALSE, writeable: Value = FALSE
) -> Value:
    """All windows of an array, as a view: their own axes come last."""
    array = array_of(call, x)
    lengths = call.shape(window_shape, "window_shape")
    axes = tuple(range(array.rank)) if absent(axis) else axes_of(call, axis, array.rank)
    if len(lengths) != len(axes):
        call.error("axes-mismatch", operation="sliding_window_view", expected=len(axes), given=len(lengths))
    for one, length in zip(axes, lengths, strict=True):
        if call.decide(Condition("<=", length, array.shape[one]), "a window") is False:
            expected = f"at most {array.shape[one]}"
            call.error("bad-value", argument="`window_shape`", operation="sliding_window_view", expected=expected, given=length)
    return call.locked(take_view(call, array, views.windows(array.shape, axes, lengths)))
