"""The methods of ufuncs: reduce, accumulate, reduceat, outer, at. Rows that the compiler has no form of go through an extern operation."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from staxlang.base.dtypes import BOOL, I64, DType, from_numpy
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Condition
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface import reductions
from staxlang.typecheck.surface.arguments import absent, array_of, dtype_of, normalized_axis
from staxlang.typecheck.surface.elementwise import UfuncMeaning, outer
from staxlang.typecheck.surface.externs import applied
from staxlang.typecheck.surface.looping import looping
from staxlang.typecheck.surface.output import into
from staxlang.typecheck.surface.updating import AT_MODES, at
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, MeaningValue, StaticValue, Value

Implementation = Callable[..., Value]
_ZERO = StaticValue(0)
_LONG = 2000
"""Vectors of so many elements are accumulated by NumPy's loop, which waits less for each of them."""
_OPTIONS = {
    "reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("array", "axis", "dtype", "out"),
    "reduceat": ("array", "indices", "axis", "dtype", "out"),
}
_REQUIRED = {"reduce": 1, "accumulate": 1, "reduceat": 2}


class UfuncMethodMeaning:
    """`np.add.reduce` and its like."""

    __slots__ = ("implementation", "method", "name", "row")

    def __init__(self, name: str, row: str, method: str, implementation: Implementation) -> None:
        self.name = name
        self.row = row
        self.method = method
        self.implementation = implementation

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Any) -> Value:
        parameters = _OPTIONS.get(self.method)
        if parameters is None:
            return self.implementation(call, *args, **kwargs)
        if len(args) > len(parameters):
            call.error("too-many-arguments", function=self.name, expected=len(parameters), given=len(args))
        given = dict(zip(parameters, args, strict=False))
        for name, value in kwargs.items():
            if name not in parameters:
                call.error("unknown-keyword", function=self.name, name=name)
            if name in given:
                call.error("duplicate-argument", function=self.name, name=name)
            given[name] = value
        for name in parameters[: _REQUIRED[self.method]]:
            if name not in given:
                call.error("missing-argument", function=self.name, name=name)
        first = [given.pop(name) for name in parameters[: _REQUIRED[self.method]]]
        return self.implementation(call, *first, **{"axis": _ZERO, **given})

    def __repr__(self) -> str:
        return f"meaning {self.name}"


def method_of(row: str, arity: int, name: str) -> Implementation | None:
    """What a method of a row does; None where it has none."""
    if name == "at":
        return at(row)
    if arity != 2:
        return None
    if name == "outer":
        return outer(row)
    found = _NATIVE_ROWS.get((name, row))
    if found is not None:
        return found
    made = {"reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat}.get(name)
    return None if made is None else made(row)


def ufunc_rows() -> tuple[str, ...]:
    """The rows that are ufuncs of NumPy's."""
    return tuple(name for name, row in OPERATIONS.items() if isinstance(row.reference, np.ufunc))


def rows_of(method: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rows whose method is compiled, and those whose method is an extern operation."""
    rows = tuple(row for row in ufunc_rows() if method == "at" or OPERATIONS[row].arity == 2)
    if method in ("reduce", "accumulate", "reduceat"):
        rows = tuple(row for row in rows if row != "ldexp")  # its second operand is an exponent
    compiled = AT_MODES if method == "at" else () if method == "reduceat" else set(rows) - ({"power"} if method != "outer" else set())
    return tuple(row for row in rows if row in compiled), tuple(row for row in rows if row not in compiled)


# ---- NumPy's rules ----


def _result_dtype(call: CallContext, row: str, method: str, array: ArrayValue, dtype: Value, *arguments: Any, **options: Any) -> DType:
    """The dtype in which NumPy does it, found out on one element; what NumPy refuses is refused in its words."""
    wanted = dtype_of(call, dtype)
    one = np.ones((1,) * array.rank, array.dtype.numpy)
    own = OPERATIONS[row].reference
    try:
        with np.errstate(all="ignore"):
            result = getattr(own, method)(one, *arguments, dtype=None if wanted is None else wanted.numpy, **options)
        found = from_numpy(np.asarray(result).dtype)
    except (TypeError, ValueError) as problem:
        code = "kind-not-accepted" if isinstance(problem, TypeError) else "not-accepted"
        call.error(code, requirement=f"{call.operation_text()}: {problem}")
    if found is None:
        call.error("not-accepted", requirement=f"{call.operation_text()}: its result is no array of numbers")
    return found


def _source(call: CallContext, row: str, array: ArrayValue, found: DType) -> ArrayValue:
    if found is BOOL and OPERATIONS[row].dtype_rule == "logical":
        return reductions.as_truth(call, array)
    return call.cast(array, found)


# ---- through NumPy's loops ----


def _reduce(row: str) -> Implementation:
    def reduce(
        call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
        initial: Value = reductions.MISSING, where: Value = TRUE,
    ) -> Value:  # fmt: skip
        array = array_of(call, a)
        axes = reductions.reduced_axes(call, axis, array.rank)
        starts = initial is not reductions.MISSING and not absent(initial)
        trial: dict[str, Any] = {"initial": np.ones((), array.dtype.numpy)[()]} if starts else {}
        if not reductions.unmasked(where):
            trial["where"] = np.ones((), bool)
        found = _result_dtype(call, row, "reduce", array, dtype, axes, **trial)
        if not starts and _identity(row) is None:
            _require_elements(call, array, axes, f"np.{row}.reduce")
        source, mask = _source(call, row, array, found), None
        if not reductions.unmasked(where):
            mask = reductions.fitting_mask(call, array_of(call, where, "where"), array)
            mask = call.array(call.broadcast(mask, array.shape), TensorType(mask.dtype, array.shape))
        start = call.cast(initial, found) if starts else NONE
        by = _folded if _folds(call, row, found) else _by_numpy
        result = by(call, row, source, axes, start, mask)
        whole = call.array(call.handle(result), TensorType(result.dtype, result.shape))
        return reductions.finished(call, whole, axes, keepdims, out, f"np.{row}.reduce")

    return reduce


def _folds(call: CallContext, row: str, dtype: DType) -> bool:
    """Whether the loop from one element to the next is compiled; powers of integers test their exponents."""
    return call.context.recorder.keeps_loops and not (row == "power" and dtype.kind in "iu")


def _folded(call: CallContext, row: str, source: ArrayValue, axes: tuple[int, ...], start: Value, mask: ArrayValue | None) -> ArrayValue:
    """The reduction as a loop. Of nothing, or where a mask may leave everything out, it starts with the row's identity."""
    identity = _identity(row)
    nothing = any(call.decide(Condition("==", source.shape[axis], 0), f"np.{row}.reduce of nothing") for axis in axes)
    if absent(start) and identity is not None and (nothing or mask is not None):
        start = call.cast(StaticValue(np.asarray(identity).astype(source.dtype.numpy)[()]), source.dtype)  # of bitwise_and all bits, -1
    function, exact = MeaningValue(UfuncMeaning(row, row)), StaticValue("associative" in OPERATIONS[row].flags)
    operands = [function, source, tuple(map(StaticValue, axes)), start, NONE if mask is None else mask, exact]
    return call.to_array(looping(call, "_folded", operands))


def _by_numpy(call: CallContext, row: str, source: ArrayValue, axes: tuple[int, ...], start: Value, mask: ArrayValue | None) -> ArrayValue:
    """The reduction by NumPy's loop, with the same operands."""
    more = {name: value for name, value in (("where", mask), ("initial", start)) if isinstance(value, ArrayValue)}
    return applied(call, "ufunc.reduce", source, *more.values(), row=row, axes=axes, given=tuple(more))


def _identity(row: str) -> Any:
    return getattr(OPERATIONS[row].reference, "identity", None)


def _require_elements(call: CallContext, array: ArrayValue, axes: tuple[int, ...], name: str) -> None:
    for axis in axes:
        if call.decide(Condition("==", array.shape[axis], 0), f"{name} of nothing"):
            call.error("empty-reduction", operation=name)


def _along(call: CallContext, array: ArrayValue, axis: Value, name: str) -> int:
    if not array.rank:
        call.error("kind-not-accepted", requirement=f"`{name}` needs an array of at least one axis, and got a number")
    return normalized_axis(call, call.static_int(axis, "axis"), array.rank)


def _accumulate(row: str) -> Implementation:
    def accumulate(call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE) -> Value:
        array = array_of(call, a)
        along = _along(call, array, axis, "accumulate")
        found = _result_dtype(call, row, "accumulate", array, dtype, along)
        source = _source(call, row, array, found)
        long = array.rank == 1 and call.decide(Condition("<=", _LONG, array.shape[0]), "the length of an accumulation")
        if long or not _folds(call, row, found):
            return into(call, applied(call, "ufunc.accumulate", source, row=row, axis=along), out, "accumulate", "unsafe")
        function = MeaningValue(UfuncMeaning(row, row))
        return into(call, looping(call, "_accumulated", [function, source, StaticValue(along)]), out, "accumulate", "unsafe")

    return accumulate


def _reduceat(row: str) -> Implementation:
    def reduceat(call: CallContext, a: Value, indices: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE) -> Value:
        array, places = array_of(call, a), array_of(call, indices, "indices")
        along = _along(call, array, axis, "reduceat")
        if places.rank != 1 or places.dtype.kind not in "iu":
            given = call.describe(places)
            call.error("bad-argument", argument="`indices`", operation="reduceat", expected="a vector of integers", given=given)
        found = _result_dtype(call, row, "reduceat", array, dtype, [0], along)
        extent = array.shape[along]
        tested = call.operation("assert_index", [call.cast(places, I64)], TensorType(I64, places.shape), extent=extent)
        result = applied(call, "ufunc.reduceat", _source(call, row, array, found), tested, row=row, axis=along)
        return into(call, result, out, "reduceat", "unsafe")

    return reduceat


# ---- in machine code ----


def _parity(call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
            initial: Value = reductions.MISSING, where: Value = TRUE) -> Value:  # fmt: skip
    """logical_xor.reduce: whether an odd number of elements is true."""
    array = reductions.as_truth(call, array_of(call, a))
    axes = reductions.reduced_axes(call, axis, array.rank)
    count = reductions.reduce(call, "count", reductions.masked(call, array, where, FALSE), axes, I64)
    odd = call.pointwise("equal", (call.pointwise("bitwise_and", (count, StaticValue(1))), StaticValue(1)))
    if initial is not reductions.MISSING and not absent(initial):
        odd = call.pointwise("logical_xor", (odd, initial))
    return reductions.finished(call, call.to_array(odd), axes, keepdims, out, "np.logical_xor.reduce")


def _as_logic(row: str, own: Implementation) -> Implementation:
    """Reductions that are logic: of logical_and and logical_or always, of bits where they are bools. Others are loops."""
    general, always = _reduce(row), OPERATIONS[row].dtype_rule == "logical"

    def reduce(call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
               initial: Value = reductions.MISSING, where: Value = TRUE) -> Value:  # fmt: skip
        array = array_of(call, a)
        if absent(dtype) and initial is reductions.MISSING and (always or array.dtype is BOOL):
            return own(call, array, axis=axis, out=out, keepdims=keepdims, where=where)
        return general(call, array, axis, dtype, out, keepdims, initial, where)

    return reduce


def _without_nan(kind: str) -> Implementation:
    """fmax.reduce and fmin.reduce: extremes that leave NaN out."""
    general, own = _reduce(f"f{kind}"), {"max": reductions.max_, "min": reductions.min_}[kind]

    def reduce(call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE, keepdims: Value = FALSE,
               initial: Value = reductions.MISSING, where: Value = TRUE) -> Value:  # fmt: skip
        array = array_of(call, a)
        if array.dtype.kind == "c" or not absent(dtype) or initial is not reductions.MISSING or not reductions.unmasked(where):
            return general(call, array, axis, dtype, out, keepdims, initial, where)
        if array.dtype.kind != "f":
            return own(call, array, axis=axis, out=out, keepdims=keepdims)
        return call.library(f"nan{kind}", [array], {"axis": axis, "out": out, "keepdims": keepdims})

    return reduce


def _extreme_so_far(kind: str) -> Implementation:
    """maximum.accumulate and minimum.accumulate: of complex numbers, which have an order but no such scan, step by step."""
    general, own = _accumulate(f"{kind}imum"), reductions.extreme_so_far(kind)

    def accumulate(call: CallContext, a: Value, axis: Value = _ZERO, dtype: Value = NONE, out: Value = NONE) -> Value:
        array = array_of(call, a)
        wanted = dtype_of(call, dtype) or array.dtype
        return (general if wanted.kind == "c" else own)(call, array, axis, dtype, out)

    return accumulate


_NATIVE_ROWS: dict[tuple[str, str], Implementation] = {
    ("reduce", "add"): reductions.sum_, ("reduce", "multiply"): reductions.prod, ("reduce", "maximum"): reductions.max_,
    ("reduce", "minimum"): reductions.min_,
    ("reduce", "logical_and"): _as_logic("logical_and", reductions.all_),
    ("reduce", "logical_or"): _as_logic("logical_or", reductions.any_),
    ("reduce", "logical_xor"): _parity, ("reduce", "fmax"): _without_nan("max"), ("reduce", "fmin"): _without_nan("min"),
    ("reduce", "bitwise_and"): _as_logic("bitwise_and", reductions.all_),
    ("reduce", "bitwise_or"): _as_logic("bitwise_or", reductions.any_),
    ("reduce", "bitwise_xor"): _as_logic("bitwise_xor", _parity),
    ("accumulate", "add"): reductions.cumsum, ("accumulate", "multiply"): reductions.cumprod,
    ("accumulate", "maximum"): _extreme_so_far("max"), ("accumulate", "minimum"): _extreme_so_far("min"),
    ("accumulate", "logical_or"): reductions.extreme_so_far("max", truths=True),
    ("accumulate", "logical_and"): reductions.extreme_so_far("min", truths=True),
}  # fmt: skip
