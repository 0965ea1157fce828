"""Arguments of operations: from abstract values to arrays, axes, dtypes and options, with a diagnostic that names the argument."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import DType, as_dtype, can_cast, concrete, from_numpy, promote
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType
from staxlang.typecheck.binding import unpacked
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.library import REFUSED_ADVICE
from staxlang.typecheck.values import (
    NONE,
    ArrayValue,
    IteratorValue,
    MeaningValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Value,
)  # fmt: skip
from staxlang.typecheck.views import Answer, View, expand_dims, simplified

SMALL = 1 << 16
"""Elements up to which a list of numbers becomes a constant of the program."""


def absent(value: Value) -> bool:
    """The argument was left out, or is None."""
    return value is NONE or (type(value) is StaticValue and value.value is None)


def extent_text(call: CallContext, extent: Size) -> str:
    """An extent in a message: where it is an expression, with its value at this call."""
    value = call.hint(extent)
    return str(extent) if isinstance(extent, int) or value is None else f"{extent} is {value}"


# ---- arrays ----


def array_of(call: CallContext, value: Value, what: str = "the operand") -> ArrayValue:
    """An array-like value as an array: an array itself, a number as a 0-d array, nested sequences stacked."""
    if type(value) is ArrayValue:
        return value
    if call.is_numeric(value):
        return call.to_array(value)
    items = sequence_items(call, value)
    if items is None:
        call.error(
            "bad-argument", argument=what, operation=call.operation_text(), expected="an array or numbers", given=call.describe(value)
        )
    return _stacked(call, items, what)


def number_or_array(call: CallContext, value: Value, what: str = "the operand") -> Value:
    """As `array_of`, but Python numbers stay numbers (weak in promotion)."""
    return value if call.is_numeric(value) else array_of(call, value, what)


def sequence_items(call: CallContext, value: Value) -> list[Value] | None:
    """The elements of a static sequence; None for anything else."""
    value = unpacked(call, value)
    kind = type(value)
    if kind is tuple or isinstance(value, list):  # a list argument is a kind of its own
        return list(value)
    if kind is RecordValue and value.ordered:
        return list(value.fields.values())
    if kind is RangeValue or kind is IteratorValue:
        return call.items(value, "a sequence of numbers")
    if kind is StaticValue and isinstance(value.value, (range, tuple, list)):
        return [StaticValue(item) for item in value.value]
    return None


def _stacked(call: CallContext, items: list[Value], what: str) -> ArrayValue:
    plain = plain_numbers(call, items)
    if plain is not None:
        return constant_array(call, plain, what)
    parts = [array_of(call, item, what) for item in items]
    dtype = promote(*(part.dtype for part in parts))
    first = parts[0].shape
    for part in parts[1:]:
        if part.rank != len(first) or not all(call.same_size(a, b) for a, b in zip(part.shape, first, strict=True)):
            call.error("stack-mismatch", operation=call.operation_text(), left=call.describe(parts[0]), right=call.describe(part))
    lifted = [expand(call, call.cast(part, dtype), 0) for part in parts]
    return call.operation("concatenate", lifted, TensorType(dtype, (len(lifted), *first)), axis=0)


def plain_numbers(call: CallContext, items: Sequence[Value]) -> list[Any] | None:
    """Nested sequences of static numbers as nested lists of numbers; None where anything else is in them."""
    result: list[Any] = []
    for item in items:
        if type(item) is StaticValue and isinstance(item.value, (bool, int, float, complex, np.generic)):
            result.append(item.value)
            continue
        inner = None if call.is_numeric(item) else sequence_items(call, item)
        plain = None if inner is None else plain_numbers(call, inner)
        if plain is None:
            return None
        result.append(plain)
    return result


def constant_array(call: CallContext, numbers: Any, what: str = "the operand", dtype: DType | None = None) -> ArrayValue:
    """Numbers known now as an array of the program."""
    try:
        data = np.asarray(numbers, dtype=None if dtype is None else dtype.numpy)
    except ValueError:
        call.error("stack-mismatch", operation=call.operation_text(), left="a number", right="a list")
    except OverflowError:
        call.error("integer-overflow", value=what, dtype=dtype.name if dtype else "i64")
    own = from_numpy(data.dtype)
    if own is None:
        call.error(
            "bad-argument", argument=what, operation=call.operation_text(), expected="an array or numbers", given=f"a list of {data.dtype}"
        )
    type_ = TensorType(own, data.shape)
    if data.ndim == 0:
        return call.array(call.constant(data.item(), own), type_)
    if not data.size:
        return full(call, StaticValue(0), own, data.shape)
    return call.array(call.record("constant_array", (), {"data": data.tobytes()}, type_), type_, scalar=False)


def full(call: CallContext, number: Value, dtype: DType, shape: tuple[Size, ...]) -> ArrayValue:
    """A new array with the same number everywhere."""
    source = call.cast(number, dtype)
    return call.array(call.broadcast(source, shape), TensorType(dtype, shape), scalar=False)


def origins(call: CallContext, *places: tuple[ArrayValue, Size]) -> list[Note]:
    """Where extents of arrays came from, as far as that is known."""
    found = [call.context.origin(size, array.storage.source) for array, size in places]
    return [note for note in found if note is not None]


# ---- views ----


def take_view(call: CallContext, array: ArrayValue, view: View) -> ArrayValue:
    """A view of an array's memory; divisions that the indices' ranges decide are gone."""
    made = call.view(array, view.shape, view.subscripts)
    if made.subscripts is not None:
        made.subscripts = simplified(made.subscripts, made.shape, call.context.facts)
    return made


def expand(call: CallContext, array: ArrayValue, *axes: int) -> ArrayValue:
    """New axes of extent 1 at places of the result (in increasing order)."""
    return take_view(call, array, expand_dims(array.shape, axes))


def snapshot(call: CallContext, array: ArrayValue) -> ArrayValue:
    """A 0-d view as NumPy's immutable scalar: its value now."""
    return call.array(call.handle(array), TensorType(array.dtype, array.shape))


# ---- axes ----


def axis_of(call: CallContext, value: Value, rank: int, what: str = "axis") -> int:
    """One axis, counted from the end where negative."""
    return normalized_axis(call, call.static_int(value, what), rank, what)


def normalized_axis(call: CallContext, axis: int, rank: int, what: str = "axis") -> int:
    if not -rank <= axis < rank:
        call.error("axis-out-of-range", axis=axis, rank=rank)
    return axis + rank if axis < 0 else axis


def axes_of(call: CallContext, value: Value, rank: int, what: str = "axis") -> tuple[int, ...]:
    """One axis or several different ones, in the order given."""
    given = call.static(value, what)
    listed = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, (int, np.integer)):
            call.error("not-an-integer", what=what, given=type(one).__name__)
    axes = tuple(normalized_axis(call, int(one), rank, what) for one in listed)
    if len(set(axes)) != len(axes):
        repeated = next(one for one in axes if axes.count(one) > 1)
        call.error("axis-repeated", axis=repeated)
    return axes


# ---- dtypes and options ----


def dtype_of(call: CallContext, value: Value, what: str = "dtype") -> DType | None:
    """A `dtype=` argument; None where it was left out."""
    if absent(value):
        return None
    return named_dtype(call, value, what)


def named_dtype(call: CallContext, value: Value, what: str = "dtype") -> DType:
    if type(value) is ArrayValue:
        call.error("unknown-dtype", given=call.describe(value))
    own = getattr(value.meaning, "dtype", None) if type(value) is MeaningValue else None
    if isinstance(own, DType):
        return own
    given = value.object if type(value) is MeaningValue else call.static(value, what)
    found = as_dtype(given)
    if found is None:
        call.error("unknown-dtype", given=getattr(given, "__name__", None) or repr(given), help=_dtype_advice(given))
    return found


def _dtype_advice(given: Any) -> str | None:
    """What to use instead of a dtype of NumPy's that no array of a kernel has."""
    try:
        return REFUSED_ADVICE.get(np.dtype(given).type.__name__)
    except TypeError:
        return None


def flag(call: CallContext, value: Value, what: str) -> bool:
    """A static option that is true or false."""
    return bool(call.static(value, what))


def only(call: CallContext, operation: str, option: str, value: Value, *accepted: Any) -> None:
    """An option of which only some values have a meaning here."""
    given = call.static(value, option)
    if given not in accepted:
        expected = " or ".join(map(repr, accepted))
        call.error("bad-value", argument=f"`{option}`", operation=operation, expected=expected, given=repr(given))


def own_dtype(call: CallContext, value: Value) -> DType:
    """The dtype of a number or an array; a Python number's is its default."""
    return concrete(call.type_of(value).dtype)


def check_cast(call: CallContext, source: DType, target: DType, casting: str, operation: str) -> None:
    if not can_cast(source, target, casting):
        call.error("cast-refused", source=source.name, target=target.name, casting=casting)


def nonzero_extent(call: CallContext, extent: Size, why: str) -> bool:
    """Whether an extent is not 0; in checking, what is not known is taken to be."""
    return call.decide(Condition("!=", extent, 0), why) is not False


def deciding(call: CallContext, why: str) -> Answer:
    """`call.decide` with a reason, as the functions of views want it."""

    def decide(condition: Condition) -> bool | None:
        return call.decide(condition, why)

    return decide


def is_scalar_like(value: Value) -> bool:
    """A Python number of any binding time."""
    kind = type(value)
    return kind in (SizeValue, ScalarValue) or (kind is StaticValue and isinstance(value.value, (bool, int, float, complex)))
