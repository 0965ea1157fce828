"""Numeric values as operands: their types and handles, views of them, casts, NumPy's broadcasting, rows of the operation table."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import BOOL, I64, DType, concrete, from_numpy, integer_bounds
from staxlang.base.operations import OPERATIONS, evaluate_constant, result_type
from staxlang.base.sizes import Condition, Size, linear_in
from staxlang.base.types import TensorType, dense_strides, row_major_strides
from staxlang.typecheck import binding, memory_order, scalars, views
from staxlang.typecheck.index_notation.reads import note_own_read
from staxlang.typecheck.kept.scope import refuse_stale
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import (
    ArrayValue,
    BoundMethod,
    FunctionValue,
    IteratorValue,
    MeaningValue,
    NamespaceValue,
    ObjectValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    SliceValue,
    StaticValue,
    Storage,
    Value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

_PYTHON_DTYPES: Mapping[type, DType] = {
    bool: BOOL, int: scalars.WEAK_DTYPE["int"], float: scalars.WEAK_DTYPE["float"], complex: scalars.WEAK_DTYPE["complex"],
}  # fmt: skip


# ---- what a value is ----


def numeric_dtype(value: Value) -> DType | None:
    """The (weak) dtype of a numeric value; None for anything else."""
    kind = type(value)
    if kind is ArrayValue:
        return value.type.dtype
    if kind is StaticValue:
        number = value.value
        found = _PYTHON_DTYPES.get(type(number))
        if found is None and isinstance(number, np.generic):
            return from_numpy(number.dtype)
        return found
    if kind is ScalarValue:
        return scalars.WEAK_DTYPE[value.kind]
    return scalars.WEAK_DTYPE["int"] if kind is SizeValue else None


def is_numeric(value: Value) -> bool:
    return numeric_dtype(value) is not None


def type_of(call: CallContext, value: Value) -> TensorType:
    if type(value) is ArrayValue:
        return value.type
    dtype = numeric_dtype(value)
    if dtype is None:
        call.error("not-numeric", given=describe(value))
    return TensorType(dtype, ())


def describe(value: Value) -> str:
    """A value's type in the user's words."""
    kind = type(value)
    if kind is ArrayValue:
        return str(TensorType(value.type.dtype, value.type.shape))
    if kind is StaticValue:
        if value.value is None or value.value is Ellipsis:
            return str(value.value)
        if isinstance(value.value, type):
            return f"class {value.value.__name__}"
        return type(value.value).__name__
    if kind is SizeValue:
        return f"int ({value.size})"
    if kind is ScalarValue:
        return value.kind
    if kind is RecordValue:
        return value.cls.__name__
    if kind is ObjectValue:
        return f"class {value.object.__name__}" if isinstance(value.object, type) else type(value.object).__name__
    if kind is MeaningValue and isinstance(value.object, type):
        return f"class {value.object.__name__}"
    if kind is FunctionValue or kind is BoundMethod or kind is MeaningValue:
        return "function"
    if kind is NamespaceValue:
        return "module"
    if kind is IteratorValue:
        return value.kind
    if kind is RangeValue:
        return "range"
    if kind is SliceValue:
        return "slice"
    if kind is tuple:
        inside = ", ".join(map(describe, value[:4])) + (", ..." if len(value) > 4 else "")
        return f"tuple ({inside})"
    return kind.__name__.removeprefix("Argument").removesuffix("Value").lower()


# ---- reading ----


def read(call: CallContext, value: Value) -> Handle:
    """An array's current value, a number as a 0-d value of its own or default dtype."""
    if type(value) is ArrayValue:
        storage = value.storage
        call.context.note_read(storage)
        refuse_stale(call, storage)
        if storage in call.context.indices.owns:
            note_own_read(call, value)
        if value.subscripts is None:
            return storage.handle
        type_ = TensorType(value.type.dtype, value.type.shape)
        return call.record("view", (storage.handle,), {"subscripts": value.subscripts}, type_)
    dtype = numeric_dtype(value)
    if dtype is None:
        call.error("not-numeric", given=describe(value))
    return number(call, value, concrete(dtype))


def number(call: CallContext, value: Value, dtype: DType) -> Handle:
    """A Python number or NumPy scalar as a 0-d value of a dtype."""
    if type(value) is StaticValue:
        return constant(call, value.value, dtype)
    if type(value) is SizeValue:
        made, own = size_handle(call, value.size), I64
    else:
        _check_fits(call, value, dtype)
        made, own = scalars.handle(call.context, value, call.span), scalars.DEFAULT_DTYPE[value.kind]
    return made if own is dtype else call.record("cast", (made,), {}, TensorType(dtype, ()))


def constant(call: CallContext, value: Any, dtype: DType) -> Handle:
    if isinstance(value, np.generic):
        value = value.astype(dtype.numpy).item() if dtype.numpy.kind in "biufc" else float(value)
    elif dtype.kind in "iu":
        if isinstance(value, (float, complex)):
            value = int(np.asarray(value).astype(dtype.numpy))
        elif not _fits(value, dtype):
            call.error("integer-overflow", value=str(value), dtype=dtype.name)
        value = int(value)
    elif dtype.kind == "f":
        value = float(np.real(value)) if isinstance(value, complex) else _to_float(call, value)
    elif dtype.kind == "c":
        value = complex(value)
    else:
        value = bool(value)
    return call.record("constant", (), {"value": value}, TensorType(dtype, ()))


def _to_float(call: CallContext, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        call.error("integer-overflow", value=f"an integer of {len(str(value))} digits", dtype="f64")


def _fits(value: int, dtype: DType) -> bool:
    low, high = integer_bounds(dtype)
    return low <= value <= high


def _check_fits(call: CallContext, value: ScalarValue, dtype: DType) -> None:
    """A run-time Python integer must fit the array's dtype."""
    if _side(call, value, dtype):
        size = binding.as_size(call, value, "an integer operand")
        call.error("integer-overflow", value=f"the integer {call.hint(size)}", dtype=dtype.name)


def _side(call: CallContext, value: Value, dtype: DType) -> int:
    """Where a Python integer lies, now and (by guards) at later calls: -1 below what the dtype holds, 1 above it, 0 within."""
    if dtype.kind not in "iu":
        return 0
    low, high = integer_bounds(dtype)
    if type(value) is StaticValue:
        return 0 if type(value.value) is not int else (value.value > high) - (value.value < low)
    if type(value) is not ScalarValue or value.kind != "int" or dtype is I64 or type(value.formula) is scalars.Converted:
        return 0
    size = binding.as_size(call, value, "an integer operand")
    why = f"it must fit {dtype.name}"
    if call.decide(Condition("<=", low, size), why) is False:
        return -1
    return 1 if dtype.bits < 64 and call.decide(Condition("<=", size, high), why) is False else 0


def size_handle(call: CallContext, size: Size) -> Handle:
    if isinstance(size, int):
        return call.record("constant", (), {"value": size}, TensorType(I64, ()))
    return call.record("size", (), {"value": size}, TensorType(I64, ()))


def to_array(call: CallContext, value: Value, dtype: DType | None = None) -> ArrayValue:
    if type(value) is ArrayValue:
        return value if dtype is None or dtype is value.type.dtype else cast(call, value, dtype)
    own = numeric_dtype(value)
    if own is None:
        call.error("not-numeric", given=describe(value))
    target = dtype or concrete(own)
    return call.array(number(call, value, target), TensorType(target, ()))


def cast(call: CallContext, value: Value, dtype: DType) -> ArrayValue:
    if type(value) is not ArrayValue:
        return call.array(number(call, value, dtype), TensorType(dtype, ()))
    if value.type.dtype is dtype:
        return value
    type_ = TensorType(dtype, value.type.shape)
    order = memory_order.kept(call, (value,), len(type_.shape))
    return call.array(call.record("cast", (read(call, value),), {}, type_), type_, value.scalar, order)


# ---- views ----


def view(array: ArrayValue, shape: tuple[Size, ...], subscripts: tuple[Size, ...]) -> ArrayValue:
    whole: tuple[Size, ...] | None = subscripts if array.subscripts is None else views.compose(array.subscripts, subscripts)
    if whole == views.indices(len(shape)) and shape == array.storage.type.shape:
        whole = None
    made = ArrayValue(array.viewed, TensorType(array.type.dtype, shape), whole)
    made.readonly, made.viewing = array.readonly, True
    return made


def strides(call: CallContext, array: ArrayValue) -> tuple[Size, ...] | None:
    """Element strides in the storage's memory; None where the view is not affine."""
    found = placement(call, array)
    return None if found is None else found[1]


def placement(call: CallContext, array: ArrayValue) -> tuple[Size, tuple[Size, ...]] | None:
    """Where an array lies in its storage's memory, in elements: the place of its first element, and its strides."""
    stored, order = array.storage.type, array.storage.order
    layout = dense_strides(stored.shape, order) if order is not None else stored.layout or row_major_strides(stored.shape)
    if array.subscripts is None:
        return 0, layout
    place: Size = 0
    for stride, subscript in zip(layout, array.subscripts, strict=True):
        place = place + call.simplify(stride) * subscript
    if isinstance(place, int):
        return place, (0,) * array.rank
    names = [views.index_name(axis) for axis in range(array.rank)]
    linear = linear_in(place, frozenset(names))
    return None if linear is None else (linear[1], tuple(linear[0].get(name, 0) for name in names))


def is_contiguous(call: CallContext, array: ArrayValue) -> bool:
    """Row-major without gaps; what is not known of the strides is decided, and kept as guards."""
    own = strides(call, array)
    extents = array.type.shape
    return own is not None and all(
        _is_one(call, extent) or _equal(call, mine, theirs, extent)
        for mine, theirs, extent in zip(own, row_major_strides(extents), extents, strict=True)
    )


def follow(call: CallContext, strides: Sequence[Size], extents: Sequence[Size], axes: Sequence[int]) -> bool:
    """Whether axes lie one in the other without gaps, so that they can be read as one; decided as in `is_contiguous`."""
    run = [axis for axis in axes if not _is_one(call, extents[axis])]
    return all(
        _equal(call, strides[outer], strides[inner] * extents[inner], extents[outer], extents[inner]) for outer, inner in pairwise(run)
    )


_WHY = "whether it is a view depends on it"


def _is_one(call: CallContext, extent: Size) -> bool:
    extent = call.simplify(extent)
    return extent == 1 or (not isinstance(extent, int) and call.hint(extent) == 1 and call.decide(Condition("==", extent, 1), _WHY) is True)


def _equal(call: CallContext, left: Size, right: Size, *extents: Size) -> bool:
    """Whether strides are the same; where they are not, later calls must not have an extent that makes them meaningless."""
    left, right = call.simplify(left), call.simplify(right)
    if left == right or call.decide(Condition("==", left, right), _WHY) is True:
        return True
    for extent in extents:
        call.decide(Condition("==", call.simplify(extent), 1), _WHY)
    return False


# ---- broadcasting ----


def broadcast_shapes(call: CallContext, shapes: Sequence[tuple[Size, ...]], operands: Sequence[Value] = ()) -> tuple[Size, ...]:
    first = shapes[0]
    for shape in shapes:
        if shape is not first and shape != first:
            break
    else:
        return first
    rank = max(map(len, shapes))
    result: list[Size] = [1] * rank
    owners = [0] * rank
    for index, shape in enumerate(shapes):
        offset = rank - len(shape)
        for axis, extent in enumerate(shape, offset):
            known = result[axis]
            if known == extent or extent == 1:
                continue
            if known == 1:
                joined: Size | None = extent
            else:
                joined = join_extents(call, known, extent)
            if joined is None:
                _mismatch(call, shapes, operands, (owners[axis], known), (index, extent))
            if joined is extent:
                owners[axis] = index
            result[axis] = joined
    return tuple(result)


def join_extents(call: CallContext, left: Size, right: Size) -> Size | None:
    """The extent that two different ones broadcast to; None where they do not."""
    if isinstance(left, int) and isinstance(right, int):
        return None
    left, right = call.simplify(left), call.simplify(right)
    if left == right or right == 1:
        return left
    if left == 1:
        return right
    why = "it broadcasts"
    # The hints tell which question to ask, so that a version does not depend on more than it must.
    if call.hint(left) == 1 and call.hint(right) != 1 and call.decide(Condition("==", left, 1), why):
        return right
    if call.hint(right) == 1 and call.hint(left) != 1 and call.decide(Condition("==", right, 1), why):
        return left
    if call.same_size(left, right, why):
        return right if isinstance(right, int) else left
    return None


def _mismatch(
    call: CallContext, shapes: Sequence[tuple[Size, ...]], operands: Sequence[Value], left: tuple[int, Size], right: tuple[int, Size]
) -> NoReturn:
    if operands:
        notes = [call.operand_note(index, operands[index], extent) for index, extent in (left, right)]
    else:
        notes = [Note(None, f"the shapes are {views.shape_text(shapes[left[0]])} and {views.shape_text(shapes[right[0]])}")]
    call.error("broadcast-mismatch", operation=call.operation_text(), left=str(left[1]), right=str(right[1]), notes=notes)


def broadcast(call: CallContext, value: Value, shape: tuple[Size, ...]) -> Handle:
    if type(value) is ArrayValue:
        return spread(call, read(call, value), value.type, shape)
    dtype = concrete(type_of(call, value).dtype)
    return spread(call, number(call, value, dtype), TensorType(dtype, ()), shape)


def spread(call: CallContext, handle: Handle, type_: TensorType, shape: tuple[Size, ...]) -> Handle:
    """A handle repeated to a shape that its own is known to broadcast to."""
    own = type_.shape
    if own is shape or own == shape:
        return handle
    offset = len(shape) - len(own)
    subscripts: list[Size] = []
    same = not offset
    for axis, extent in enumerate(own):
        wanted = shape[offset + axis]
        if (extent == 1 and wanted != 1) or (extent != wanted and call.context.facts.is_one(extent)):
            subscripts.append(0)
            same = False
        else:
            subscripts.append(views.index(offset + axis))
    if same:  # equal by a guard, under other names
        return handle
    return call.record("view", (handle,), {"subscripts": tuple(subscripts)}, TensorType(type_.dtype, shape))


# ---- rows ----


def pointwise(call: CallContext, name: str, operands: Sequence[Value], dtype: DType | None = None) -> Value:
    """A row on numeric values: promotion, casts, broadcasts, then the operation itself."""
    operation = OPERATIONS[name]
    dtypes: list[DType] = []
    static = True
    for operand in operands:
        found = numeric_dtype(operand)
        if found is None:
            call.error("not-numeric", given=describe(operand), span=call.argument_span(len(dtypes)))
        dtypes.append(found)
        static = static and type(operand) is StaticValue
    if dtype is not None:
        dtypes = [dtype if not found.weak else found for found in dtypes]
        if all(found.weak for found in dtypes):
            dtypes = [dtype] * len(dtypes)
    try:
        wanted, result = result_type(operation, tuple(dtypes))
    except TypeError as error:
        call.error("no-such-operation", operation=call.operation_text(name), types=", ".join(map(describe, operands)), reason=str(error))
    if name == "power" and wanted[1].kind == "i":
        operands = (operands[0], _exponent(call, operands[1]))
    if static:
        return _folded(call, name, operands, wanted, result)
    if name in _COMPARE:
        answer = _out_of_range(call, name, operands, wanted)
        if answer is not None:
            return answer
    shape = broadcast_shapes(call, [operand.type.shape if type(operand) is ArrayValue else () for operand in operands], operands)
    handles = tuple(_operand(call, operand, into, shape) for operand, into in zip(operands, wanted, strict=True))
    type_ = TensorType(result, shape)
    order = memory_order.kept(call, [one for one in operands if type(one) is ArrayValue], len(shape))
    return call.array(call.record(name, handles, {}, type_), type_, order=order)


def _exponent(call: CallContext, value: Value) -> Value:
    """The exponent of an integer, which NumPy refuses where it is negative: decided now, as a guard, or by a test when the program runs."""
    if type(value) is ArrayValue:
        if value.dtype.kind != "i":
            return value
        tested: Value = call.cast(value, I64)
        live = call.context.branches.live
        if live is not None:
            tested = call.to_array(pointwise(call, "where", (live, tested, StaticValue(0))))
        limit = {"extent": MAX_I64, "what": "exponent"}
        type_ = TensorType(I64, value.shape)
        return call.cast(call.array(call.record("assert_index", (call.handle(tested),), limit, type_), type_), value.dtype)
    if type(value) is StaticValue:
        negative = value.value < 0
    else:
        size = value.size if type(value) is SizeValue else binding.formula_size(call.context, value, call.span)
        negative = size is not None and call.decide(Condition("<", size, 0), "it is the exponent of integers")
    if negative:
        call.error("negative-power", power=str(value.value) if type(value) is StaticValue else call.text(1))
    return value


MAX_I64 = (1 << 63) - 1


def _operand(call: CallContext, operand: Value, dtype: DType, shape: tuple[Size, ...]) -> Handle:
    if type(operand) is not ArrayValue:
        return spread(call, number(call, operand, dtype), TensorType(dtype, ()), shape)
    type_ = operand.type
    handle = read(call, operand)
    if type_.dtype is not dtype:
        type_ = TensorType(dtype, type_.shape)
        handle = call.record("cast", (handle,), {}, type_)
    return spread(call, handle, type_, shape)


def _folded(call: CallContext, name: str, operands: Sequence[Value], wanted: tuple[DType, ...], result: DType) -> StaticValue:
    """All operands are known: the NumPy scalar that NumPy gives."""
    if name in _COMPARE and any(_side(call, operand, into) for operand, into in zip(operands, wanted, strict=True)):
        return StaticValue(np.bool_(_COMPARE[name](*(operand.value for operand in operands))))
    values = [into.numpy.type(_checked(call, operand.value, into)) for operand, into in zip(operands, wanted, strict=True)]
    return StaticValue(result.numpy.type(evaluate_constant(OPERATIONS[name], tuple(values), result)))


def _checked(call: CallContext, value: Any, dtype: DType) -> Any:
    if dtype.kind in "iu" and isinstance(value, int) and not _fits(value, dtype):
        call.error("integer-overflow", value=str(value), dtype=dtype.name)
    return value.real if dtype.kind in "iuf" and isinstance(value, complex) else value


def _out_of_range(call: CallContext, name: str, operands: Sequence[Value], wanted: tuple[DType, ...]) -> Value | None:
    """NumPy compares with a Python integer by its value, also where the array's dtype cannot hold it: the answer is the same everywhere."""
    for index, (operand, dtype) in enumerate(zip(operands, wanted, strict=True)):
        side = _side(call, operand, dtype)
        if side:
            other = operands[1 - index]
            answer = _COMPARE[name](0, side) if index else _COMPARE[name](side, 0)  # as for every value of the dtype
            return everywhere(call, answer, other.type.shape if type(other) is ArrayValue else ())
    return None


def everywhere(call: CallContext, answer: bool, shape: tuple[Size, ...]) -> ArrayValue:
    """The same truth for every element."""
    return call.array(spread(call, constant(call, answer, BOOL), TensorType(BOOL, ()), shape), TensorType(BOOL, shape))


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip


def fresh(handle: Handle, type_: TensorType) -> ArrayValue:
    """An array of its own memory."""
    return ArrayValue(Storage(handle, type_), type_)
