"""Products of arrays: matmul, dot, inner, tensordot, einsum and their kin, all as one contraction of arranged axes."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, DType, concrete, promote
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order, views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import (
    absent,
    array_of,
    axes_of,
    check_cast,
    dtype_of,
    expand,
    number_or_array,
    sequence_items,
    take_view,
)  # fmt: skip
from staxlang.typecheck.surface.output import into
from staxlang.typecheck.surface.reductions import reduce
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted, reversed_axes
from staxlang.typecheck.values import NONE, ArrayValue, StaticValue, Value

SAME_KIND = StaticValue("same_kind")


class Axes:
    """How the axes of two operands take part: `batch` and `contracted` are pairs (axis of a, axis of b), in the result's order."""

    __slots__ = ("batch", "contracted")

    def __init__(self, batch: Sequence[tuple[int, int]], contracted: Sequence[tuple[int, int]]) -> None:
        self.batch = tuple(batch)
        self.contracted = tuple(contracted)


def contract(call: CallContext, a: ArrayValue, b: ArrayValue, axes: Axes, operation: str) -> ArrayValue:
    """Sum of products over the contracted axes. The result's axes: batch, the rest of a, the rest of b."""
    dtype = concrete(promote(a.dtype, b.dtype))
    for first, second in axes.contracted:
        if not call.same_size(a.shape[first], b.shape[second], f"`{operation}` contracts them"):
            mismatch(call, operation, a, b, a.shape[first], b.shape[second])
    a, b = call.cast(a, dtype), call.cast(b, dtype)
    batch = tuple(call.broadcast_shapes((a.shape[i],), (b.shape[j],))[0] for i, j in axes.batch)
    first = _arranged(call, a, [i for i, _ in axes.batch], [i for i, _ in axes.contracted], batch)
    second = _arranged(call, b, [j for _, j in axes.batch], [j for _, j in axes.contracted], batch)
    return _product(call, first, second, len(axes.batch), len(axes.contracted), dtype)


def mismatch(call: CallContext, operation: str, a: ArrayValue, b: ArrayValue, left: Size, right: Size) -> None:
    """The contracted axes differ: both operands with the origin of the size that does not fit."""
    notes = [call.operand_note(0, a, left), call.operand_note(1, b, right)]
    help: str | None = None
    if operation in ("@", "np.matmul", "np.dot", ".dot") and a.rank >= 2 and b.rank == 2:
        if call.context.facts.simplify(a.shape[-1] - b.shape[1]) == 0:
            other = call.text(1)
            turned = other[:-2] if other.endswith(".T") else f"{other}.T"
            help = f"did you mean `{call.text(0)} @ {turned}`?"
    call.error("size-mismatch", operation=operation, left=left, right=right, notes=notes, help=help)


def _arranged(call: CallContext, array: ArrayValue, batch: list[int], contracted: list[int], extents: tuple[Size, ...]) -> ArrayValue:
    """Axes in the order batch, free, contracted; batch axes of extent 1 broadcast."""
    free = [axis for axis in range(array.rank) if axis not in batch and axis not in contracted]
    order = [*batch, *free, *contracted]
    moved = array if order == list(range(array.rank)) else take_view(call, array, views.transpose(array.shape, order))
    shape = (*extents, *moved.shape[len(batch) :])
    return moved if moved.shape == shape else broadcasted(call, moved, shape)


def _product(call: CallContext, a: ArrayValue, b: ArrayValue, batch: int, contracted: int, dtype: DType) -> ArrayValue:
    first, second = a.rank - contracted, b.rank - contracted
    shape = (*a.shape[:first], *b.shape[batch:second])
    if dtype is BOOL:
        return _any_of_products(call, a, b, batch, contracted)
    return call.operation("contract", [a, b], TensorType(dtype, shape), batch=batch, contracted=contracted)


def _any_of_products(call: CallContext, a: ArrayValue, b: ArrayValue, batch: int, contracted: int) -> ArrayValue:
    """A product of booleans: whether any pair is true in both."""
    free_a, free_b = a.rank - batch - contracted, b.rank - batch - contracted
    wide = expand(call, a, *range(batch + free_a, batch + free_a + free_b)) if free_b else a
    other = expand(call, b, *range(batch, batch + free_a)) if free_a else b
    both = call.to_array(call.pointwise("logical_and", (wide, other)))
    return reduce(call, "any", both, tuple(range(both.rank - contracted, both.rank)), BOOL)


def _finish(call: CallContext, result: ArrayValue, dtype: Value, out: Value, casting: Value, operation: str) -> Value:
    target = dtype_of(call, dtype)
    return into(call, result if target is None else call.cast(result, target), out, operation, str(call.static(casting, "casting")))


def _in_dtype(call: CallContext, dtype: Value, casting: Value, operation: str, *arrays: ArrayValue) -> list[ArrayValue]:
    """Operands in the dtype that was asked for."""
    target = dtype_of(call, dtype)
    if target is None:
        return list(arrays)
    for array in arrays:
        check_cast(call, array.dtype, target, str(call.static(casting, "casting")), operation)
    return [call.cast(array, target) for array in arrays]


# ---- matrix products ----


@spelled("np.matmul", "word.matmul")
def matmul(
    call: CallContext, x1: Value, x2: Value, /, out: Value = NONE, *, casting: Value = SAME_KIND, order: Value = StaticValue("K"),
    dtype: Value = NONE, axes: Value = NONE,
) -> Value:  # fmt: skip
    name = "@" if type(call.tree).__name__ in ("Binary", "AugmentedAssign") else "np.matmul"
    a, b = _in_dtype(call, dtype, casting, name, array_of(call, x1), array_of(call, x2))
    for array in (a, b):
        if not array.rank:
            call.error("wrong-rank", operation=name, expected="arrays of at least one axis", given="a number", help="use `*`")
    if not absent(axes):
        call.error("unsupported-keyword", function=name, name="axes")
    return _finish(call, matrix_product(call, a, b, name), NONE, out, casting, name)


def matrix_product(call: CallContext, a: ArrayValue, b: ArrayValue, name: str) -> ArrayValue:
    """NumPy's `@`: the last axis of a with the last but one of b; leading axes broadcast."""
    inner = max(b.rank - 2, 0)
    lead_a, lead_b = max(a.rank - 2, 0), max(b.rank - 2, 0)
    if not lead_a or not lead_b:
        result = contract(call, a, b, Axes((), ((a.rank - 1, inner),)), name)
        if lead_b and a.rank >= 1 and b.rank > 2:
            # a's own axis stands before b's leading ones: move it behind them
            free = a.rank - 1
            order = [*range(free, free + lead_b), *range(free), *range(free + lead_b, result.rank)]
            result.storage.order = memory_order.normal(order[::-1])  # so that the view is row-major
            return take_view(call, result, views.transpose(result.shape, order)) if free else result
        return result
    missing = abs(lead_a - lead_b)
    if lead_a < lead_b:
        a = expand(call, a, *range(missing))
    elif lead_b < lead_a:
        b = expand(call, b, *range(missing))
    lead = max(lead_a, lead_b)
    if not call.same_size(a.shape[-1], b.shape[-2], f"`{name}` contracts them"):
        mismatch(call, name, a, b, a.shape[-1], b.shape[-2])
    return contract(call, a, b, Axes([(axis, axis) for axis in range(lead)], ((lead + 1, lead),)), name)


@spelled("np.dot", "method.dot", "word.dot")
def dot(call: CallContext, a: Value, b: Value, out: Value = NONE) -> Value:
    first, second = number_or_array(call, a), number_or_array(call, b)
    left, right = array_of(call, first), array_of(call, second)
    if not left.rank or not right.rank:
        return into(call, call.pointwise("multiply", (left, right)), out, "np.dot", "no")
    result = contract(call, left, right, Axes((), ((left.rank - 1, max(right.rank - 2, 0)),)), "np.dot")
    return into(call, result, out, "np.dot", "no")


@spelled("np.tensordot", "np.linalg.tensordot", "word.tensordot")
def tensordot(call: CallContext, a: Value, b: Value, axes: Value = StaticValue(2)) -> Value:
    left, right = array_of(call, a), array_of(call, b)
    pair = sequence_items(call, axes)
    if pair is None:
        count = call.static_int(axes, "axes")
        first = tuple(range(left.rank - count, left.rank))
        second = tuple(range(count))
        if count > min(left.rank, right.rank):
            call.error("axis-out-of-range", axis=-count, rank=min(left.rank, right.rank))
    else:
        if len(pair) != 2:
            call.error("axes-mismatch", operation="np.tensordot", expected="2 lists of", given=len(pair))
        first, second = axes_of(call, pair[0], left.rank, "axes"), axes_of(call, pair[1], right.rank, "axes")
    if len(first) != len(second):
        call.error("axes-mismatch", operation="np.tensordot", expected=len(first), given=len(second))
    result = contract(call, left, right, Axes((), tuple(zip(first, second, strict=True))), "np.tensordot")
    result.scalar = False  # NumPy gives a 0-d array where no axis is left
    return result


@spelled("np.linalg.matrix_transpose")
def matrix_transpose(call: CallContext, x: Value, /) -> Value:
    array = array_of(call, x)
    return (
        reversed_axes(call, array)
        if array.rank == 2
        else take_view(call, array, views.swapaxes(array.shape, array.rank - 2, array.rank - 1))
    )


@spelled("np.linalg.matmul")
def linalg_matmul(call: CallContext, x1: Value, x2: Value, /) -> Value:
    return matmul(call, x1, x2)


@spelled("word.contract")
def contract_word(call: CallContext, a: Value, b: Value, axes: Value, batch: Value = ()) -> Value:
    """For the standard library: sum of products over pairs of axes."""
    pairs = [tuple(pair) for pair in call.static(axes, "axes")]
    return contract(
        call, array_of(call, a), array_of(call, b), Axes([tuple(pair) for pair in call.static(batch, "batch")], pairs), "contract"
    )
