"""`z.real` and `z.imag` as NumPy has them: views of the complex array's memory, read as it is now, and written through."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import real_of
from staxlang.base.types import TensorType
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import ArrayValue, StaticValue, Storage, Value

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

_OTHER_ROWS = {"real": "imag", "imag": "real"}


class PartStorage(Storage):
    """One part of each element of a complex storage; it has no value of its own."""

    __slots__ = ("call", "part", "whole")

    def __init__(self, call: CallContext, whole: Storage, part: str) -> None:
        self.call = call
        self.whole = ArrayValue(whole, TensorType(whole.type.dtype, whole.type.shape))
        self.part = part
        type_ = TensorType(real_of(whole.type.dtype), whole.type.shape, whole.type.layout)
        super().__init__(None, type_, None, whole.writable, whole.order)

    @property
    def handle(self) -> Handle:  # pyright: ignore[reportIncompatibleVariableOverride]  (a slot there)
        return self.call.handle(self.call.pointwise(self.part, (self.whole,)))

    @handle.setter
    def handle(self, value: Handle) -> None:
        """Nothing: what is written goes into the whole, see `joined`."""


def part_of(call: CallContext, array: ArrayValue, part: str) -> ArrayValue:
    """A part of an array in memory; of a part chosen from it, that of what was chosen."""
    storage = PartStorage(call, array.storage, part)
    made = ArrayValue(storage, TensorType(storage.type.dtype, array.type.shape), array.subscripts)
    made.readonly = array.readonly
    return made


def joined(call: CallContext, storage: PartStorage, handle: Handle) -> Handle:
    """The whole storage's value with one part replaced."""
    new = call.array(handle, TensorType(storage.type.dtype, storage.type.shape))
    kept = call.to_array(call.pointwise(_OTHER_ROWS[storage.part], (storage.whole,)))
    real, imaginary = (new, kept) if storage.part == "real" else (kept, new)
    return call.handle(_complex(call, real, imaginary, storage.whole.type.dtype))


def _complex(call: CallContext, real: ArrayValue, imaginary: ArrayValue, dtype: Any) -> ArrayValue:
    """By arithmetic, in which only an imaginary part that is not finite would make NaN of the real one: those are added as constants."""
    finite = call.pointwise("isfinite", (imaginary,))
    turned = call.pointwise("multiply", (call.cast(_where(call, finite, imaginary, 0.0), dtype), StaticValue(1j)))
    infinite = _where(call, call.pointwise("less", (imaginary, StaticValue(0.0))), complex(0, -math.inf), complex(0, math.inf))
    odd = _where(call, call.pointwise("isnan", (imaginary,)), complex(0, math.nan), infinite)
    added = call.cast(_where(call, finite, turned, odd), dtype)
    return call.to_array(call.pointwise("add", (call.cast(real, dtype), added)))


def _where(call: CallContext, test: Value, one: Any, other: Any) -> ArrayValue:
    values = [value if type(value) is ArrayValue else StaticValue(value) for value in (one, other)]
    return call.to_array(call.pointwise("where", (test, *values)))
