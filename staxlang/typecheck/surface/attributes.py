"""What arrays say of themselves beside their shape: item, tolist, len's counterpart, flags that have one answer here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from staxlang.base.dtypes import BOOL, C128, F64, I64, DType
from staxlang.base.types import TensorType
from staxlang.typecheck import views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.pointwise import is_contiguous
from staxlang.typecheck.scalars import Converted
from staxlang.typecheck.surface.arguments import absent, array_of, dtype_of, extent_text, flag, take_view
from staxlang.typecheck.surface.externs import applied
from staxlang.typecheck.surface.indexing import subscript
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import ravel, reversed_axes
from staxlang.typecheck.values import FALSE, NONE, ArrayValue, NamespaceValue, ScalarValue, StaticValue, Value, size_value

_PYTHON: dict[str, tuple[str, DType]] = {
    "b": ("bool", BOOL),
    "i": ("int", I64),
    "u": ("int", I64),
    "f": ("float", F64),
    "c": ("complex", C128),
}


@spelled("method.item")
def item(call: CallContext, a: Value, *index: Value) -> Value:
    """One element as a Python number. It stays in the program until its value is needed."""
    array = array_of(call, a)
    if index:
        chosen = subscript(
            call, array_of(call, ravel(call, array)) if len(index) == 1 else array, index[0] if len(index) == 1 else tuple(index)
        )
        array = array_of(call, chosen)
    for extent in array.shape:
        if not call.same_size(extent, 1, f"`{call.text()}` takes one element"):
            call.error("not-a-scalar", what=f"`{call.text()}`", type=call.describe(array))
    flat = call.view(array, (), (0,) * array.rank) if array.rank else array
    kind, dtype = _PYTHON[array.dtype.kind]
    return ScalarValue(kind, Converted(call.handle(call.cast(flat, dtype)), TensorType(dtype, ()), call.span, call.text()))


@spelled("method.tolist")
def tolist(call: CallContext, a: Value) -> Value:
    array = array_of(call, a)
    return item(call, array) if not array.rank else [tolist(call, part) for part in call.items(array, "the array")]


@spelled("attribute.flat")
def flat(call: CallContext, a: Value) -> Value:
    """All elements in row-major order: the memory itself where they lie so, else a copy that is not to be written to."""
    array = array_of(call, a)
    one = array_of(call, ravel(call, array))
    return one if one.storage is array.storage else call.locked(one)


@spelled("method.view")
def view(call: CallContext, a: Value, dtype: Value = NONE, type: Value = NONE) -> Value:
    """The same memory; read as another dtype it is a copy that is not to be written to, as bytes are not what a storage holds."""
    array = array_of(call, a)
    same = array if array.scalar else take_view(call, array, views.identity(array.shape))
    if _class(dtype) is np.ndarray or _class(type) is np.ndarray:
        return same
    if not absent(type):
        call.error("bad-value", argument="`type`", operation="view", expected="np.ndarray", given=call.describe(type))
    target = dtype_of(call, dtype)
    if target is None or target is array.dtype:
        return same
    if target.itemsize != array.dtype.itemsize:
        _check_last_axis(call, array, target)
    made = applied(call, "memory.view", array, dtype=target.name)
    return call.locked(call.array(call.handle(made), TensorType(made.dtype, made.shape), scalar=array.scalar))


def _class(value: Value) -> Any:
    """The class that a static value is."""
    return getattr(value, "value", getattr(value, "object", None))


def _check_last_axis(call: CallContext, array: ArrayValue, target: DType) -> None:
    """Bytes of the last axis become elements of another size: there is such an axis, it has no gaps, and they come out even."""
    if not array.rank:
        call.error("wrong-rank", operation="view", expected="an array of at least one axis to change the size of its elements", given="0-d")
    length = array.shape[-1] * array.dtype.itemsize
    rest = length % target.itemsize
    if not call.same_size(rest, 0, f"elements of {target.name} are read"):
        given = f"{extent_text(call, array.shape[-1])} elements of {array.dtype.name}"
        call.error("not-accepted", requirement=f"view: the last axis must be whole elements of {target.name}, and has {given}")
    own = call.strides(array)
    if own is None or not (call.same_size(own[-1], 1) or call.same_size(array.shape[-1], 1)):
        call.error("not-accepted", requirement="view: the last axis must be contiguous; `np.ascontiguousarray(x)` makes it so")


@spelled("method.byteswap")
def byteswap(call: CallContext, a: Value, inplace: Value = FALSE) -> Value:
    array = array_of(call, a)
    swapped = applied(call, "memory.byteswap", array)
    if not flag(call, inplace, "inplace"):
        return swapped
    call.write(array, swapped)
    return array


@spelled("attribute.strides")
def strides(call: CallContext, a: Value) -> Value:
    """In bytes, as NumPy counts them."""
    array = array_of(call, a)
    own = call.strides(array)
    if own is None:
        call.error("unknown-attribute", what=f"{call.text(0)}, whose elements have no even distances,", name="strides")
    return tuple([size_value(call.simplify(one) * array.dtype.itemsize) for one in own])


@spelled("attribute.flags")
def flags(call: CallContext, a: Value) -> Value:
    """`x.flags.c_contiguous`, `x.flags["F_CONTIGUOUS"]`: how the array lies in memory."""
    array = array_of(call, a)
    made: dict[str, Callable[[], bool]] = {
        "c_contiguous": lambda: is_contiguous(call, array),
        "f_contiguous": lambda: is_contiguous(call, array_of(call, reversed_axes(call, array))),
        "writeable": lambda: not array.readonly and array.storage.writable,
        "aligned": lambda: True,
        "owndata": lambda: array.subscripts is None,
    }
    made |= {"contiguous": made["c_contiguous"], "forc": lambda: made["c_contiguous"]() or made["f_contiguous"]()}
    made["fnc"] = lambda: made["f_contiguous"]() and not made["c_contiguous"]()
    return NamespaceValue("flags", lambda name: StaticValue(made[name.lower()]()) if name.lower() in made else None, lambda: tuple(made))


@spelled("np.isfortran")
def isfortran(call: CallContext, a: Value) -> Value:
    array = array_of(call, a)
    return StaticValue(is_contiguous(call, array_of(call, reversed_axes(call, array))) and not is_contiguous(call, array))


@spelled("attribute.device")
def device(call: CallContext, a: Value) -> Value:
    return StaticValue("cpu")


@spelled("np.may_share_memory", "np.shares_memory")
def shares_memory(call: CallContext, a: Value, b: Value, max_work: Value = StaticValue(None)) -> Value:
    return StaticValue(isinstance(a, ArrayValue) and isinstance(b, ArrayValue) and a.storage is b.storage)


@spelled("np.iterable")
def iterable(call: CallContext, y: Value) -> Value:
    return StaticValue(
        bool(y.rank) if isinstance(y, ArrayValue) else isinstance(y, (tuple, list, dict)) or np.iterable(getattr(y, "value", 0))
    )
