"""Objects of NumPy that are used by indexing them: np.mgrid, np.ogrid, np.r_, np.c_."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from staxlang.base.dtypes import DType, concrete, promote
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import array_of, expand, is_scalar_like
from staxlang.typecheck.surface.creation import arange
from staxlang.typecheck.surface.joining import join
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted
from staxlang.typecheck.values import ArrayValue, ScalarValue, SliceValue, StaticValue, Value

_ZERO, _ONE = StaticValue(0), StaticValue(1)


@spelled("indexed.mgrid")
def mgrid(call: CallContext, index: Value) -> Value:
    """Coordinates of a grid, stacked: `np.mgrid[0:3, 0:4]` has the shape (2, 3, 4)."""
    axes = _open_grid(call, index)
    if not isinstance(index, tuple):
        return axes[0]
    shape = call.broadcast_shapes(*(axis.shape for axis in axes))
    dtype = concrete(promote(*(axis.dtype for axis in axes)))
    return join(call, [expand(call, broadcasted(call, call.cast(axis, dtype), shape), 0) for axis in axes], 0)


@spelled("indexed.ogrid")
def ogrid(call: CallContext, index: Value) -> Value:
    """The coordinates of a grid, each along an axis of its own."""
    axes = _open_grid(call, index)
    return tuple(axes) if isinstance(index, tuple) else axes[0]


def _open_grid(call: CallContext, index: Value) -> list[ArrayValue]:
    parts = index if isinstance(index, tuple) else (index,)
    vectors = [_points(call, part) for part in parts]
    rank = len(vectors)
    return [expand(call, vector, *(axis for axis in range(rank) if axis != place)) for place, vector in enumerate(vectors)]


def _points(call: CallContext, part: Value) -> ArrayValue:
    """`start:stop:step`; an imaginary step is a number of points, both ends among them."""
    if not isinstance(part, SliceValue) or part.upper is None:
        expected = "`start:stop` or `start:stop:step`"
        call.error("bad-argument", argument="an index", operation=call.text(0), expected=expected, given=call.describe(part))
    step = part.step
    if isinstance(step, ScalarValue) and step.kind == "complex":
        step = StaticValue(call.freeze(step, "the number of points of a grid depends on it"))
    if isinstance(step, StaticValue) and isinstance(step.value, complex):
        count = StaticValue(int(abs(step.value)))
        return array_of(call, call.library("linspace", [part.lower or _ZERO, part.upper, count]))
    return array_of(call, arange(call, part.lower or _ZERO, part.upper, step or _ONE))


@spelled("indexed.r_")
def r_(call: CallContext, index: Value) -> Value:
    """Arrays, numbers and ranges one behind the other."""
    return _joined(call, index, columns=False)


@spelled("indexed.c_")
def c_(call: CallContext, index: Value) -> Value:
    """Vectors as columns, matrices side by side."""
    return _joined(call, index, columns=True)


def _joined(call: CallContext, index: Value, columns: bool) -> Value:
    parts = index if isinstance(index, tuple) else (index,)
    arrays: list[ArrayValue] = []
    dtypes: list[DType] = []
    for part in parts:
        if isinstance(part, StaticValue) and isinstance(part.value, str):
            call.error("bad-argument", argument="an index", operation=call.text(0), expected="arrays and numbers", given=repr(part.value))
        array = _points(call, part) if isinstance(part, SliceValue) else array_of(call, part)
        dtypes.append(call.type_of(part).dtype if is_scalar_like(part) else array.dtype)
        arrays.append(_lifted(call, array, columns))
    rank = max(array.rank for array in arrays)
    dtype = concrete(promote(*dtypes))
    lifted = [call.cast(expand(call, array, *range(rank - array.rank)) if array.rank < rank else array, dtype) for array in arrays]
    return join(call, lifted, rank - 1 if columns else 0)


def _lifted(call: CallContext, array: ArrayValue, columns: bool) -> ArrayValue:
    if not array.rank:
        array = expand(call, array, 0)
    return expand(call, array, 1) if columns and array.rank == 1 else array
