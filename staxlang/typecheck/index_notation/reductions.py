"""`sum[k] body` and its like: reductions over index variables, in any expression; dtypes as NumPy's reductions have them."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from staxlang.base.dtypes import BF16, BOOL, F16, F32, F64, I64, U64, DType, integer_bounds
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType, element_count
from staxlang.parser import tree
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.frames import Frame, reads_unknown
from staxlang.typecheck.index_notation import guards
from staxlang.typecheck.index_notation.bodies import as_element, extents, ranges_of, under
from staxlang.typecheck.index_notation.scope import Index
from staxlang.typecheck.values import UNKNOWN, ArrayValue, StaticValue, Value, size_value


class Chosen(NamedTuple):
    """The body for one point, and the condition on which it counts: None where all do."""

    body: ArrayValue
    test: ArrayValue | None


def reduction(frame: Frame, node: tree.Reduction) -> Value:
    if frame.context.checking and reads_unknown(frame, node):
        return UNKNOWN
    given, found = under(frame, node, node.indexes, lambda inner: _chosen(inner, node))
    call = frame.call(node)
    return reduced(call, node.kind, given, found)


def _chosen(inner: Frame, node: tree.Reduction) -> Chosen:
    def body() -> ArrayValue:
        return as_element(inner.call(node.body), inner.evaluate(node.body), node.kind)

    if node.condition is None:
        return Chosen(body(), None)
    call = inner.call(node.condition)
    value = inner.evaluate(node.condition)
    test = guards.test_of(call, value)
    if test is None:
        if call.truth(value, call.text()) is not False:
            return Chosen(body(), None)
        return Chosen(body(), call.array(call.constant(False, BOOL), TensorType(BOOL, ())))
    with guards.holding(inner, call, test, True):
        made = body()
    return Chosen(made, guards.as_bool(call, test))


def reduced(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> Value:
    """The reduction of the body over the indices."""
    return _KINDS[kind](call, kind, given, found)


# ---- the operation itself ----


def fold(call: CallContext, kind: str, given: Sequence[Index], body: ArrayValue, dtype: DType) -> ArrayValue:
    type_ = TensorType(dtype, body.shape)
    made = call.record("fold", (call.handle(body),), {"kind": kind, "ranges": ranges_of(given)}, type_)
    return call.array(made, type_)


def filtered(call: CallContext, found: Chosen, dtype: DType, neutral: Any) -> ArrayValue:
    """The body in a dtype, where it does not count the neutral element."""
    body = call.cast(found.body, dtype)
    if found.test is None:
        return body
    other = call.array(call.constant(neutral, dtype), TensorType(dtype, ()))
    return call.cast(call.pointwise("where", (found.test, body, other)), dtype)


def accumulated(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> ArrayValue:
    """sum and prod: narrow integers and bool in 64 bits; halves are reduced in f32 and rounded once."""
    own = found.body.dtype
    result = I64 if own.kind in "bi" else U64 if own.kind == "u" else own
    working = F32 if own in (F16, BF16) else result
    made = fold(call, kind, given, filtered(call, found, working, 0 if kind == "sum" else 1), working)
    return call.cast(made, result)


def _extreme(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> ArrayValue:
    """min and max. Of no values at all an error; where a filter, or a range that depends on other indices, leaves none, the
    dtype's greatest or least value."""
    dtype = found.body.dtype
    _require_values(call, kind, given)
    if dtype is BOOL:
        return fold(call, "any" if kind == "max" else "all", given, filtered(call, found, BOOL, kind == "min"), BOOL)
    return fold(call, kind, given, filtered(call, found, dtype, _limit(call, kind, dtype, found)), dtype)


def _limit(call: CallContext, kind: str, dtype: DType, found: Chosen) -> Any:
    if dtype.kind in "iu":
        return integer_bounds(dtype)[0 if kind == "max" else 1]
    if dtype.kind == "c" and found.test is not None:
        expected = "real numbers where a condition leaves some out"
        call.error("dtype-mismatch", operation=kind, expected=expected, given=call.describe(found.body))
    return -math.inf if kind == "max" else math.inf


def _require_values(call: CallContext, kind: str, given: Sequence[Index]) -> None:
    for extent in extents(given):
        if not call.context.indices.searching and call.decide(Condition("==", extent, 0), f"{kind} of nothing"):
            call.error("empty-reduction", operation=kind)


def _truth(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> ArrayValue:
    body = _as_bool(call, found.body)
    return fold(call, kind, given, filtered(call, Chosen(body, found.test), BOOL, kind == "all"), I64 if kind == "count" else BOOL)


def _as_bool(call: CallContext, body: ArrayValue) -> ArrayValue:
    return body if body.dtype is BOOL else call.to_array(call.pointwise("not_equal", (body, StaticValue(0))))


def _mean(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> Value:
    """The sum by the number of values: of integers in f64, of halves rounded once."""
    dtype = found.body.dtype
    result = F64 if dtype.kind in "biu" else dtype
    working = F32 if dtype in (F16, BF16) else result
    total = fold(call, "sum", given, filtered(call, found, working, 0), working)
    if found.test is None:
        count: Value = size_value(element_count(extents(given)))
    else:
        count = call.cast(fold(call, "count", given, found.test, I64), working)
    return call.cast(call.pointwise("divide", (total, call.cast(count, working))), result)


# ---- positions ----


def _position(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> Value:
    """The value of the index where the extreme is first; of several indices its place in row-major order. Where nothing counts: -1."""
    _require_values(call, kind, given)
    if found.test is None:
        place: Value = fold(call, kind, given, found.body, I64)
    else:
        place = _position_among(call, kind, given, found)
    start: Size = given[0].start if len(given) == 1 else 0
    return place if start == 0 else call.pointwise("add", (place, size_value(start)))


def _position_among(call: CallContext, kind: str, given: Sequence[Index], found: Chosen) -> Value:
    """The least place of those that count and have the extreme value; a NaN is the extreme of all."""
    least = "min" if kind == "argmin" else "max"
    best = _extreme(call, least, given, found)
    same = call.pointwise("equal", (found.body, best))
    if found.body.dtype.kind in "fc":
        same = call.pointwise("logical_or", (same, call.pointwise("not_equal", (found.body, found.body))))
    counts = call.pointwise("logical_and", (found.test, same))
    place: Size = 0
    for index, extent in zip(given, extents(given), strict=True):
        place = place * extent + (index.size - index.start)
    none = integer_bounds(I64)[1]
    first = fold(call, "min", given, call.cast(call.pointwise("where", (counts, size_value(place), StaticValue(none))), I64), I64)
    nothing = call.pointwise("equal", (first, StaticValue(none)))
    return call.pointwise("where", (nothing, StaticValue(-1), first))


_KINDS: Mapping[str, Callable[[CallContext, str, Sequence[Index], Chosen], Value]] = {
    "sum": accumulated, "prod": accumulated, "min": _extreme, "max": _extreme, "any": _truth, "all": _truth, "count": _truth,
    "mean": _mean, "argmin": _position, "argmax": _position,
}  # fmt: skip
