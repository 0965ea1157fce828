"""Writes: a value goes into an array's memory, and every later read through any view of that memory sees it."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.sizes import Condition, Size, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck import pointwise, views
from staxlang.typecheck.complex_parts import PartStorage, joined
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import ArrayValue, Storage, Value
from staxlang.typecheck.views import shape_text

if TYPE_CHECKING:
    from staxlang.typecheck.branching import Choice
    from staxlang.typecheck.context import CallContext


def write(call: CallContext, array: ArrayValue, value: Value) -> None:
    """`array[...] = value`, with NumPy's unsafe cast of an assignment."""
    writable(call, array)
    shape = array.type.shape
    dtype = array.type.dtype
    source = pointwise.type_of(call, value)
    extents = _droppable(call, source.shape, shape)
    if type(value) is ArrayValue:
        handle = pointwise.read(call, pointwise.cast(call, value, dtype))
    else:
        handle = pointwise.number(call, value, dtype)
    if extents:
        trimmed = TensorType(dtype, source.shape[extents:])
        subscripts = (0,) * extents + views.indices(len(trimmed.shape))
        handle = call.record("view", (handle,), {"subscripts": subscripts}, trimmed)
        source = trimmed
    _check_fits_shape(call, array, value, source.shape, shape)
    store(call, array, pointwise.spread(call, handle, TensorType(dtype, source.shape), shape))


def store(call: CallContext, array: ArrayValue, handle: Handle) -> None:
    """Put a handle of the array's own dtype and shape into its memory, and into that of the arrays that may be the same."""
    _put(call, array, handle)
    choices = call.context.branches.choices
    if not choices:
        return
    # Where the program writes: always to the array itself, to what it was chosen from in the cases in which it stands for that.
    written: dict[Storage, ArrayValue | None] = {array.storage: None}
    for choice in reversed(choices):
        if choice.made.storage in written:
            case = _both(call, written[choice.made.storage], choice)
            _put(call, choice.part, _either(call, case, choice.made, choice.part))
            known = written.get(choice.part.storage, case)
            written[choice.part.storage] = known if known is None or known is case else _or(call, known, case)
    # Then all that was chosen from written memory is what that holds now; it was made later than what it was chosen from.
    for choice in choices:
        if choice.part.storage in written:
            _put(call, choice.made, _either(call, choice.case(call), choice.part, choice.made))
            written.setdefault(choice.made.storage, None)


def _both(call: CallContext, case: ArrayValue | None, choice: Choice) -> ArrayValue:
    own = choice.case(call)
    return own if case is None else call.to_array(call.pointwise("logical_and", (case, own)))


def _or(call: CallContext, one: ArrayValue, other: ArrayValue) -> ArrayValue:
    return call.to_array(call.pointwise("logical_or", (one, other)))


def _either(call: CallContext, case: ArrayValue, new: ArrayValue, old: ArrayValue) -> Handle:
    type_ = TensorType(new.type.dtype, new.type.shape)
    values = [call.array(pointwise.read(call, one), type_) for one in (new, old)]
    return call.handle(call.pointwise("where", (case, *values)))


def _put(call: CallContext, array: ArrayValue, handle: Handle) -> None:
    storage = array.storage
    if type(storage) is PartStorage:
        _put(call, storage.whole, joined(call, storage, _whole(call, array, handle)))
        return
    call.context.branches.put(storage, _whole(call, array, handle))
    storage.written = call.span
    if storage.source is not None:
        call.context.written[storage.source.position] = None


def _whole(call: CallContext, array: ArrayValue, handle: Handle) -> Handle:
    """What the array's storage holds when the array has become a value."""
    if array.subscripts is None:
        return handle
    storage = array.storage
    attributes = {"subscripts": array.subscripts, "shape": array.type.shape}
    return call.record("update", (storage.handle, handle), attributes, TensorType(storage.type.dtype, storage.type.shape))


def writable(call: CallContext, array: ArrayValue) -> None:
    """Refuses NumPy scalars, read-only arguments and views whose elements share memory with each other."""
    if array.scalar:
        call.error("immutable-scalar", dtype=array.type.dtype.name)
    storage = array.storage
    if array.readonly or not storage.writable:
        source = storage.source
        call.error("read-only", path=str(source.path) if source is not None and not array.readonly else call.text(0))
    if array.subscripts is not None and _repeats(array):
        call.error("overlapping-write", type=call.describe(array))


def _repeats(array: ArrayValue) -> bool:
    """Does a broadcast view map several of its elements to one of the storage?"""
    if 0 in array.type.shape:
        return False
    used: set[str] = set()
    for subscript in array.subscripts or ():
        if not isinstance(subscript, int):
            used |= symbols(subscript)
    return any(extent != 1 and views.index_name(axis) not in used for axis, extent in enumerate(array.type.shape))


def _droppable(call: CallContext, source: tuple[Size, ...], target: tuple[Size, ...]) -> int:
    """How many leading axes of extent 1 the value has too many: an assignment drops them."""
    extra = len(source) - len(target)
    if extra <= 0:
        return 0
    for extent in source[:extra]:
        if extent != 1 and not call.decide(Condition("==", extent, 1), "it is assigned to an array of fewer axes"):
            call.error("assign-mismatch", target=shape_text(target), value=shape_text(source))
    return extra


def _check_fits_shape(call: CallContext, array: ArrayValue, value: Value, source: tuple[Size, ...], target: tuple[Size, ...]) -> None:
    for mine, wanted in zip(reversed(source), reversed(target), strict=False):
        if mine == wanted or mine == 1:
            continue
        if (isinstance(mine, int) and isinstance(wanted, int)) or not fits(call, mine, wanted, "it is assigned"):
            owner = value.storage.source if type(value) is ArrayValue else None
            found = (call.context.origin(mine, owner), call.context.origin(wanted, array.storage.source))
            origins = [note for note in found if note is not None]
            call.error("assign-mismatch", target=shape_text(target), value=shape_text(source), notes=origins)


def fits(call: CallContext, mine: Size, wanted: Size, why: str) -> bool:
    """Does an extent broadcast to another one, which stays as it is?"""
    if mine != 1 and call.hint(mine) == 1 and call.hint(wanted) != 1:
        return bool(call.decide(Condition("==", mine, 1), why))
    return mine == 1 or call.same_size(mine, wanted, why)
