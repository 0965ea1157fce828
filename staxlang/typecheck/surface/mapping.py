"""Python functions on elements and places: np.vectorize, np.ndindex, np.ndenumerate, np.fromiter."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TypeGuard

import numpy as np

from staxlang.base.dtypes import BOOL, C128, F64, I64, DType, concrete
from staxlang.base.sizes import Size
from staxlang.base.types import element_count
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.surface.arguments import absent, array_of, axis_of, constant_array, named_dtype, nonzero_extent, plain_numbers
from staxlang.typecheck.surface.indexing import subscript
from staxlang.typecheck.surface.looping import looping
from staxlang.typecheck.surface.registry import FunctionMeaning, spelled
from staxlang.typecheck.surface.shaping import broadcasted, reshaped
from staxlang.typecheck.values import (
    ENUMERATED,
    FALSE,
    NONE,
    PLACES,
    UNKNOWN,
    ArrayValue,
    IteratorValue,
    MeaningValue,
    PartialValue,
    RangeValue,
    StaticValue,
    Value,
    size_value,
)  # fmt: skip

_ZERO, _ONE = StaticValue(0), StaticValue(1)

_PYTHON: dict[str, DType] = {"b": BOOL, "i": I64, "u": I64, "f": F64, "c": C128}
"""What numbers are where NumPy hands them to a function as Python's."""


# ---- vectorize ----


@spelled("np.vectorize")
def vectorize(
    call: CallContext, pyfunc: Value, otypes: Value = NONE, doc: Value = NONE, excluded: Value = NONE, cache: Value = FALSE,
    signature: Value = NONE,
) -> Value:  # fmt: skip
    return PartialValue(MeaningValue(VECTORIZED), [pyfunc, otypes, excluded, signature], {})


def of_each(
    call: CallContext, pyfunc: Value, otypes: Value, excluded: Value, signature: Value, /, *args: Value, **kwargs: Value
) -> Value:
    """The function of every element, dtypes those of the first one's results: on whole arrays at once where its text allows that (no
    branch on a value), else in a loop."""
    for name, option in (("excluded", excluded), ("signature", signature)):
        if not absent(option):
            advice = "write a loop over the axis that the function is applied to"
            call.error("bad-value", argument=f"`{name}`", operation="np.vectorize", expected="left out", given="given", help=advice)
    names = list(kwargs)
    given = [array_of(call, value) for value in (*args, *kwargs.values())]
    if not given:
        call.error("missing-argument", function="np.vectorize", name="args")
    shape = call.broadcast_shapes(*(one.shape for one in given))
    wide = [call.cast(one, _PYTHON[one.dtype.kind]) for one in given]
    dtypes = _dtypes(call, pyfunc, otypes, given, names)
    try:
        results = _applied(call, pyfunc, wide, names)
        several = isinstance(results, tuple)
        parts = [array_of(call, one) for one in (results if several else (results,))]
    except Problem:
        if call.checking:
            raise Unknowable from None
        return _in_a_loop(call, pyfunc, wide, names, dtypes, shape)
    made = [call.copy(broadcasted(call, call.cast(one, dtype), shape)) for one, dtype in zip(parts, dtypes, strict=True)]
    return tuple(made) if several else made[0]


VECTORIZED = FunctionMeaning("np.vectorize", of_each)


def _applied(call: CallContext, function: Value, arrays: list[ArrayValue], names: list[str]) -> Value:
    """The function of arrays, the last of them by name. Conditions on single elements stay in the program."""
    state = call.context.branches
    before = state.inside, state.live, dict(state.lost), list(state.journals), list(state.choices)
    state.inside = True
    first = len(arrays) - len(names)
    try:
        results = call.call(function, arrays[:first], dict(zip(names, arrays[first:], strict=True)))
    finally:
        state.inside, state.live, state.lost, state.journals, state.choices = before
    if UNKNOWN in (results if isinstance(results, tuple) else (results,)):
        raise Unknowable
    return results


def _dtypes(call: CallContext, function: Value, otypes: Value, given: list[ArrayValue], names: list[str]) -> list[DType]:
    """Those that `otypes` names, else those of what the first element gives."""
    if not absent(otypes):
        listed = call.static(otypes, "otypes")
        return [named_dtype(call, StaticValue(np.dtype(one))) for one in listed]
    for one in given:
        if not nonzero_extent(call, element_count(one.shape), "np.vectorize looks at a first element"):
            help = "say them, `np.vectorize(f, otypes=[float])`"
            call.error("not-accepted", requirement="np.vectorize of nothing: the dtypes of its results are not known", help=help)
    firsts = [call.view(one, (), (0,) * one.rank, scalar=True) if one.rank else one for one in given]
    try:
        results = _applied(call, function, firsts, names)
    except Problem:  # the sides of a branch give different dtypes: which one it takes is asked now, and at each call
        first = len(firsts) - len(names)
        results = call.call(function, firsts[:first], dict(zip(names, firsts[first:], strict=True)))
    return [concrete(call.type_of(one).dtype) for one in (results if isinstance(results, tuple) else (results,))]


def _in_a_loop(
    call: CallContext, function: Value, arrays: list[ArrayValue], names: list[str], dtypes: list[DType], shape: tuple[Size, ...]
) -> Value:
    count = element_count(shape)
    rows: list[Value] = [reshaped(call, broadcasted(call, one, shape), (count,)) for one in arrays]
    first = len(rows) - len(names)
    named = dict(zip(names, rows[first:], strict=True))
    makers = [StaticValue(dtype.numpy) for dtype in dtypes]
    results = looping(call, "_of_each", [function, rows[:first], named, list(makers), rows[0]])
    made = [reshaped(call, array_of(call, one), shape) for one in results]
    return tuple(made) if len(made) > 1 else made[0]


@spelled("np.apply_along_axis", "stax.apply_along_axis")
def apply_along_axis(call: CallContext, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value) -> Value:
    array = array_of(call, arr)
    return looping(call, "apply_along_axis", [func1d, StaticValue(axis_of(call, axis, array.rank)), array, *args], kwargs)


# ---- places ----


@spelled("np.ndindex")
def ndindex(call: CallContext, *shape: Value) -> Value:
    """All subscripts of a shape, in order."""
    given = shape[0] if len(shape) == 1 else tuple(shape)
    extents = tuple(given) if isinstance(given, (tuple, list)) else tuple(map(StaticValue, given.value)) if _is_tuple(given) else (given,)

    def places() -> list[Value]:
        return [tuple(map(StaticValue, place)) for place in _all_places(call, extents, "the shape of ndindex")]

    return IteratorValue(places, PLACES, tuple([RangeValue(_ZERO, extent, _ONE) for extent in extents]))


@spelled("np.ndenumerate")
def ndenumerate(call: CallContext, arr: Value) -> Value:
    """Pairs of subscripts and elements."""
    array = array_of(call, arr)
    extents = tuple(map(size_value, array.shape))

    def places() -> list[Value]:
        found = [tuple(map(StaticValue, place)) for place in _all_places(call, extents, "an extent of ndenumerate")]
        return [(place, subscript(call, array, place) if place else array) for place in found]

    return IteratorValue(places, ENUMERATED, (*[RangeValue(_ZERO, extent, _ONE) for extent in extents], array))


def _is_tuple(value: Value) -> TypeGuard[StaticValue]:
    return type(value) is StaticValue and isinstance(value.value, (tuple, list))


def _all_places(call: CallContext, extents: tuple[Value, ...], what: str) -> Iterator[tuple[int, ...]]:
    numbers = [call.static_int(extent, what) for extent in extents]
    _check_count(call, math.prod(numbers))
    return itertools.product(*map(range, numbers))


def _check_count(call: CallContext, count: int) -> None:
    limit = call.context.unroll_limit
    if count > limit:
        help = "write a loop for each axis, `for i in range(x.shape[0])`"
        call.error("unroll-limit", count=str(count), limit=str(limit), setting="static_loop_limit", help=help)


@spelled("np.fromiter")
def fromiter(call: CallContext, iter: Value, dtype: Value, count: Value = StaticValue(-1), *, like: Value = NONE) -> Value:
    """A vector of what a static sequence gives."""
    items = call.items(iter, "the elements of fromiter")
    wanted = call.static_int(count, "count")
    if wanted > len(items):
        call.error("not-accepted", requirement=f"fromiter: the iterator gives {len(items)} elements, fewer than the {wanted} of `count`")
    items = items if wanted < 0 else items[:wanted]
    target = named_dtype(call, dtype)
    numbers = plain_numbers(call, items)
    if numbers is not None:
        return constant_array(call, np.asarray(numbers).astype(target.numpy) if numbers else [], "the elements", target)
    return call.cast(array_of(call, items), target)
