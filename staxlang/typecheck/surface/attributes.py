"""What arrays say of themselves beside their shape: item, tolist, len's counterpart, flags that have one answer here."""

from __future__ import annotations

import numpy as np

from staxlang.base.dtypes import BOOL, C128, F64, I64, DType
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.scalars import Converted
from staxlang.typecheck.surface.arguments import array_of
from staxlang.typecheck.surface.indexing import subscript
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import ravel
from staxlang.typecheck.values import ArrayValue, ScalarValue, StaticValue, Value

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
    call.error("unknown-attribute", what=f"{call.text(0)} in a kernel", name="flat", help="use `.ravel()`")


@spelled("attribute.device")
def device(call: CallContext, a: Value) -> Value:
    return StaticValue("cpu")


@spelled("attribute.base")
def base(call: CallContext, a: Value) -> Value:
    call.error("unknown-attribute", what=f"{call.text(0)} in a kernel", name="base", help="a kernel cannot ask who owns memory")


@spelled("np.may_share_memory", "np.shares_memory")
def shares_memory(call: CallContext, a: Value, b: Value, max_work: Value = StaticValue(None)) -> Value:
    return StaticValue(isinstance(a, ArrayValue) and isinstance(b, ArrayValue) and a.storage is b.storage)


@spelled("np.iterable")
def iterable(call: CallContext, y: Value) -> Value:
    return StaticValue(
        bool(y.rank) if isinstance(y, ArrayValue) else isinstance(y, (tuple, list, dict)) or np.iterable(getattr(y, "value", 0))
    )
