"""Reductions in registers: each kind's state per part and lane, how it takes a value, how two states merge, what it is at the end."""

from __future__ import annotations

import math
from collections.abc import Callable

from staxlang.base.dtypes import BOOL, F32, I64, U8, DType, integer_bounds, real_of
from staxlang.base.sizes import Size
from staxlang.base.sizes.expression import terms_of
from staxlang.compiler.llvm.expressions import apply_row, convert
from staxlang.compiler.llvm.extents import lane_numbers_text, size_text, varies
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import element, number, permutation, splat, suffix
from staxlang.compiler.loops.ir import Accumulator

State = list[Value]  # the slots of one accumulator in one part
COMBINE_ROWS = {
    "sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and",
}  # fmt: skip


def state_dtype(accumulator: Accumulator) -> DType:
    """The dtype that the state is kept in."""
    dtype = accumulator.dtype
    if accumulator.kind in ("any", "all"):
        return BOOL
    if accumulator.kind in ("argmin", "argmax"):
        dtype = accumulator.value.type
        return U8 if dtype.kind == "b" else dtype
    if dtype.kind == "f" and dtype.bits == 16 and accumulator.kind not in ("min", "max"):
        return F32
    return dtype


def neutral(kind: str, dtype: DType) -> float | int:
    """What a reduction over nothing gives; of a complex dtype its real part, which is the imaginary one, too, where it is infinite."""
    if kind in ("min", "argmin", "max", "argmax"):
        least = kind in ("max", "argmax")
        if dtype.kind in "fc":
            return float("-inf") if least else float("inf")
        low, high = integer_bounds(dtype)
        return low if least else high
    if kind == "logsumexp":
        return float("-inf")
    return 1 if kind in ("prod", "all") else 0


def initial(accumulator: Accumulator, lanes: int, level: int) -> State:
    """The state before any value."""
    kind, dtype = accumulator.kind, state_dtype(accumulator)

    def constant(value: float, dtype: DType, lanes: int = lanes) -> Value:
        component = real_of(dtype)
        text = splat(number(value, component), element(component), lanes)
        other = value if math.isinf(value) else 0.0
        imag = splat(number(other, component), element(component), lanes) if dtype.kind == "c" else ""
        return Value(text, dtype, lanes, level, True, None, imag)

    if kind == "count":
        return [constant(0, I64, 1)]
    first = constant(neutral(kind, dtype), dtype)
    if kind in ("argmin", "argmax"):
        return [first, constant(0, I64)]
    if kind == "welford":
        return [first, first, first]
    if kind == "logsumexp":
        return [first, constant(0, dtype)]
    return [first]


def _select(f: Function, mask: Value | None, new: Value, old: Value) -> Value:
    return new if mask is None else apply_row(f, "where", (mask, new, old), new.dtype)


def update(f: Function, accumulator: Accumulator, state: State, value: Value, mask: Value | None) -> State:
    """The state after the current part's value, in the lanes of the mask."""
    kind, dtype = accumulator.kind, state_dtype(accumulator)
    lanes = state[0].lanes if kind != "count" else f.lanes.width if f.lanes is not None else 1
    value = f.widen(convert(f, value, BOOL if kind == "count" else dtype), lanes)
    simple = COMBINE_ROWS.get(kind)
    if simple is not None:
        return [_select(f, mask, apply_row(f, simple, (state[0], value), dtype), state[0])]
    return _UPDATE_ROWS[kind](f, accumulator, state, value, mask)


def update_product(f: Function, state: State, a: Value, b: Value, mask: Value | None) -> State:
    """The sum after one more product."""
    total = state[0]
    lanes, dtype = total.lanes, total.dtype
    a, b = f.widen(a, lanes), f.widen(b, lanes)
    level = max(total.level, a.level, b.level)
    overload = suffix(element(dtype), lanes)
    kind = total.type
    text = f.name(level, f"call {kind} @llvm.fmuladd.{overload}({kind} {a.text}, {kind} {b.text}, {kind} {total.text})")
    return [_select(f, mask, Value(text, dtype, lanes, level, True), total)]


def _count(f: Function, accumulator: Accumulator, state: State, value: Value, mask: Value | None) -> State:
    if mask is not None:
        value = apply_row(f, "logical_and", (value, mask), BOOL)
    level = max(value.level, state[0].level)
    text = value.text
    if value.lanes > 1:
        bits = f"i{value.lanes}"
        packed = f.name(level, f"bitcast {value.type} {text} to {bits}")
        ones = f.name(level, f"call {bits} @llvm.ctpop.{bits}({bits} {packed})")
        text = f.name(level, f"zext {bits} {ones} to i64") if value.lanes < 64 else ones
    else:
        text = f.name(level, f"zext i1 {text} to i64")
    return [Value(f.name(level, f"add i64 {state[0].text}, {text}"), I64, 1, level, True)]


def _arg(f: Function, accumulator: Accumulator, state: State, value: Value, mask: Value | None) -> State:
    best, index = state
    place = _place(f, accumulator.position, value.lanes)
    if value.dtype.kind == "c":  # these come in any order
        better = _takes(f, accumulator.kind, state, [value, place])
    else:
        better = apply_row(f, "greater" if accumulator.kind == "argmax" else "less", (value, best), BOOL)
    if value.dtype.kind == "f":
        odd = apply_row(f, "isnan", (value,), BOOL)
        fine = apply_row(f, "equal", (best, best), BOOL)
        better = apply_row(f, "logical_and", (apply_row(f, "logical_or", (better, odd), BOOL), fine), BOOL)
    if mask is not None:
        better = apply_row(f, "logical_and", (better, mask), BOOL)
    return [apply_row(f, "where", (better, value, best), value.dtype), apply_row(f, "where", (better, place, index), I64)]


def _place(f: Function, position: Size, lanes: int) -> Value:
    """The position of the current element, or of each lane's."""
    if lanes > 1 and varies(f, terms_of(position)):
        text, level = lane_numbers_text(f, position)
        return Value(text, I64, lanes, level, True)
    text, level = size_text(f, position)
    return Value(text, I64, 1, level, True)


def _welford(f: Function, accumulator: Accumulator, state: State, value: Value, mask: Value | None) -> State:
    """B. P. Welford, Technometrics 4 (1962): mean and sum of squared deviations in one pass."""
    count, mean, m2 = state
    dtype = value.dtype
    more = apply_row(f, "add", (count, Value(number(1.0, dtype), dtype, 1, 0)), dtype)
    share = apply_row(f, "reciprocal", (more,), dtype)
    delta = apply_row(f, "subtract", (value, mean), dtype)
    center = apply_row(f, "add", (mean, apply_row(f, "multiply", (delta, share), dtype)), dtype)
    rest = apply_row(f, "subtract", (value, center), dtype)
    spread = apply_row(f, "add", (m2, apply_row(f, "multiply", (delta, rest), dtype)), dtype)
    return [_select(f, mask, new, old) for new, old in zip((more, center, spread), state, strict=True)]


def _logsumexp(f: Function, accumulator: Accumulator, state: State, value: Value, mask: Value | None) -> State:
    """One pass: the sum of exp(x - greatest) is rescaled whenever a greater value comes."""
    return [_select(f, mask, new, old) for new, old in zip(_merge_logsumexp(f, state, [value, _one(value)]), state, strict=True)]


def _one(value: Value) -> Value:
    return Value(splat(number(1.0, value.dtype), element(value.dtype), value.lanes), value.dtype, value.lanes, 0)


_UPDATE_ROWS: dict[str, Callable[[Function, Accumulator, State, Value, Value | None], State]] = {
    "count": _count, "argmin": _arg, "argmax": _arg, "welford": _welford, "logsumexp": _logsumexp,
}  # fmt: skip


# ---- merging -------------------------------------------------------------------------------------------------------


def merge(f: Function, accumulator: Accumulator, left: State, right: State) -> State:
    """Two states of the same accumulator, lane by lane."""
    kind = accumulator.kind
    if kind in COMBINE_ROWS:
        return [apply_row(f, COMBINE_ROWS[kind], (left[0], right[0]), left[0].dtype)]
    if kind == "count":
        return [apply_row(f, "add", (left[0], right[0]), I64)]
    if kind == "welford":
        return _merge_welford(f, left, right)
    if kind == "logsumexp":
        return _merge_logsumexp(f, left, right)
    return _merge_arg(f, kind, left, right)


def _merge_arg(f: Function, kind: str, left: State, right: State) -> State:
    take = _takes(f, kind, left, right)
    return [apply_row(f, "where", (take, new, old), new.dtype) for old, new in zip(left, right, strict=True)]


def _takes(f: Function, kind: str, left: State, right: State) -> Value:
    """Whether the right one is the extreme of two: by value, a NaN first, then the lower position."""
    a, b = left[0], right[0]
    take = apply_row(f, "greater" if kind == "argmax" else "less", (b, a), BOOL)
    same = apply_row(f, "equal", (a, b), BOOL)
    if a.dtype.kind in "fc":
        odd_a, odd_b = apply_row(f, "isnan", (a,), BOOL), apply_row(f, "isnan", (b,), BOOL)
        fine = apply_row(f, "logical_not", (odd_a,), BOOL)
        take = apply_row(f, "logical_and", (apply_row(f, "logical_or", (take, odd_b), BOOL), fine), BOOL)
        same = apply_row(f, "logical_or", (same, apply_row(f, "logical_and", (odd_a, odd_b), BOOL)), BOOL)
    lower = apply_row(f, "less", (right[1], left[1]), BOOL)
    return apply_row(f, "logical_or", (take, apply_row(f, "logical_and", (same, lower), BOOL)), BOOL)


def _merge_welford(f: Function, left: State, right: State) -> State:
    """T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae ..." (1979): pairwise combination of variances."""
    dtype = left[0].dtype
    count = apply_row(f, "add", (left[0], right[0]), dtype)
    one = Value(number(1.0, dtype), dtype, 1, 0)
    share = apply_row(f, "divide", (right[0], apply_row(f, "maximum", (count, one), dtype)), dtype)
    delta = apply_row(f, "subtract", (right[1], left[1]), dtype)
    step = apply_row(f, "multiply", (delta, share), dtype)
    mean = apply_row(f, "add", (left[1], step), dtype)
    cross = apply_row(f, "multiply", (apply_row(f, "multiply", (delta, step), dtype), left[0]), dtype)
    m2 = apply_row(f, "add", (apply_row(f, "add", (left[2], right[2]), dtype), cross), dtype)
    return [count, mean, m2]


def _merge_logsumexp(f: Function, left: State, right: State) -> State:
    dtype = left[0].dtype
    top = apply_row(f, "maximum", (left[0], right[0]), dtype)
    total: Value | None = None
    for greatest, amount in (left, right):
        same = apply_row(f, "equal", (greatest, top), BOOL)  # also where both are infinite: their difference is not a number
        scale = apply_row(f, "exp", (apply_row(f, "subtract", (greatest, top), dtype),), dtype)
        part = apply_row(f, "where", (same, amount, apply_row(f, "multiply", (amount, scale), dtype)), dtype)
        total = part if total is None else apply_row(f, "add", (total, part), dtype)
    assert total is not None
    return [top, total]


def across_lanes(f: Function, accumulator: Accumulator, state: State) -> State:
    """One state of all lanes: halves are merged until one lane is left, always in the same order."""
    lanes = state[0].lanes
    while lanes > 1:
        half = lanes // 2
        left = [_lanes_of(f, value, range(half)) for value in state]
        right = [_lanes_of(f, value, range(half, lanes)) for value in state]
        state = merge(f, accumulator, left, right)
        lanes = half
    return state


def _lanes_of(f: Function, value: Value, lanes: range) -> Value:
    kind, level = value.type, value.level

    def taken(text: str) -> str:
        if len(lanes) == 1:
            return f.name(level, f"extractelement {kind} {text}, i64 {lanes[0]}")
        return f.name(level, f"shufflevector {kind} {text}, {kind} poison, {permutation(list(lanes))}")

    return Value(taken(value.text), value.dtype, len(lanes), level, True, None, taken(value.imag) if value.imag else "")


def results(f: Function, accumulator: Accumulator, state: State) -> dict[str, Value]:
    """The locals that the accumulator leaves, from its final state."""
    name, kind, dtype = accumulator.name, accumulator.kind, accumulator.dtype
    if kind in ("argmin", "argmax"):
        return {name: convert(f, state[1], dtype), f"{name}.value": convert(f, state[0], accumulator.value.type)}
    if kind == "welford":
        return {f"{name}.mean": convert(f, state[1], dtype), f"{name}.m2": convert(f, state[2], dtype), f"{name}.count": state[0]}
    if kind == "logsumexp":
        logarithm = apply_row(f, "log", (state[1],), state[1].dtype)
        total = apply_row(f, "add", (state[0], logarithm), state[1].dtype)
        return {name: convert(f, total, dtype), f"{name}.max": state[0], f"{name}.sum": state[1]}
    return {name: convert(f, state[0], dtype)}
