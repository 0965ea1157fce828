"""The states that vector loops carry in place of the plain ones where those cost more per value, and the way back to plain states."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, I32, I64, DType, integer_bounds
from staxlang.base.sizes import linear_in, symbols
from staxlang.compiler.llvm import accumulators as plain
from staxlang.compiler.llvm.accumulators import State
from staxlang.compiler.llvm.expressions import apply_row, evaluate
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import element, number, splat
from staxlang.compiler.loops.ir import Accumulator, Loop, Nest
from staxlang.compiler.node import Interner, Node

Masks = list[Value | None]
GREATER_ROWS = {"max": "greater", "min": "less", "argmax": "greater", "argmin": "less"}


def flagged(accumulator: Accumulator) -> bool:
    """Greatest and least floats: the comparison alone, and beside it a mask of the lanes that have seen a NaN."""
    dtype = accumulator.dtype
    return accumulator.kind in ("max", "min") and dtype.kind == "f" and dtype.bits >= 32 and accumulator.value.type is dtype


def initial_flagged(accumulator: Accumulator, lanes: int, level: int) -> State:
    return [*plain.initial(accumulator, lanes, level), Value(splat("false", "i1", lanes), BOOL, lanes, level, True)]


def initial_marked(accumulator: Accumulator, lanes: int, level: int) -> State:
    """The same where a mask is a vector as wide as the values: it is carried as integers, all of whose bits are equal."""
    return [*plain.initial(accumulator, lanes, level), nothing(accumulator.dtype, lanes, level)]


def nothing(like: DType, lanes: int, level: int) -> Value:
    """Zeros in integers of the dtype's width."""
    kind = I32 if like.bits == 32 else I64
    return Value(splat("0", element(kind), lanes), kind, lanes, level, True)


def _chosen(f: Function, mask: Value | None, new: Value, old: Value) -> Value:
    return new if mask is None else apply_row(f, "where", (mask, new, old), new.dtype)


def update_flagged(f: Function, accumulator: Accumulator, states: list[State], values: list[Value], masks: Masks) -> list[State]:
    """The states of all parts after their values. `best > x ? best : x` lets a NaN in and the next number out again, hence the mask;
    one comparison looks at the values of two parts."""
    made: list[State] = []
    for (best, odd), value, mask in zip(states, values, masks, strict=True):
        wide = f.widen(value, best.lanes)
        ahead = apply_row(f, GREATER_ROWS[accumulator.kind], (best, wide), BOOL)
        made.append([_chosen(f, mask, apply_row(f, "where", (ahead, best, wide), best.dtype), best), odd])
    for k in range(0, len(states), 2):
        pair = values[k : k + 2]
        if len(pair) == 2 and masks[k] is None:
            made[k][1] = marked(f, made[k][1], unordered(f, *[f.widen(v, made[k][0].lanes) for v in pair]))
            continue
        for part, value in enumerate(pair, k):
            wide = f.widen(value, made[part][0].lanes)
            odd, mask = unordered(f, wide, wide), masks[part]
            if mask is not None:
                odd = apply_row(f, "logical_and", (odd, mask), BOOL)
            made[part][1] = marked(f, made[part][1], odd)
    return made


def marked(f: Function, before: Value, more: Value) -> Value:
    """A mask, in whatever form it is carried, with further lanes set."""
    if before.dtype is BOOL:
        return apply_row(f, "logical_or", (before, more), BOOL)
    wide = f.name(more.level, f"sext {more.type} {more.text} to {before.type}", "m")
    return apply_row(f, "bitwise_or", (before, Value(wide, before.dtype, more.lanes, more.level, True)), before.dtype)


def unordered(f: Function, a: Value, b: Value) -> Value:
    """The lanes where one of both is a NaN."""
    level = max(a.level, b.level)
    return Value(f.name(level, f"fcmp uno {a.type} {a.text}, {b.text}"), BOOL, a.lanes, level, True)


def settle_flagged(f: Function, state: State) -> State:
    best, odd = state
    if odd.dtype is not BOOL:
        odd = Value(f.name(odd.level, f"icmp ne {odd.type} {odd.text}, zeroinitializer", "m"), BOOL, odd.lanes, odd.level, True)
    return [apply_row(f, "where", (odd, Value(number(float("nan"), best.dtype), best.dtype, 1, 0), best), best.dtype)]


# ---- the first place where something holds: the least of `where(condition, place, greatest integer)`, places rising with the index


def first(accumulator: Accumulator, nest: Nest) -> bool:
    """Whether a lone vector loop looks for the first place: it may end where the condition has held, whose lanes are all that is kept."""
    loop = nest.loops[-1]
    if accumulator.kind != "min" or len(nest.loops) > 1 or nest.body or len(nest.accumulators) > 1 or loop.kind != "vector":
        return False
    found = _parts(accumulator)
    return found is not None and _rises(found[1], loop.index)


def _parts(accumulator: Accumulator) -> tuple[Node, Node, Node | None] | None:
    """(condition, place, guard or None) of a value `where(condition, place, greatest)`, the whole guarded by another condition or not."""
    value, guard = accumulator.value, None
    if accumulator.dtype.kind != "i" or value.type is not accumulator.dtype:
        return None
    if value.op == "guard" and _greatest(value.operands[2]):
        guard, value, _ = value.operands
    if value.op != "where" or not _greatest(value.operands[2]):
        return None
    return value.operands[0], value.operands[1], guard


def _greatest(node: Node) -> bool:
    return node.op == "const" and node.type.kind == "i" and node["value"] == integer_bounds(node.type)[1]


def _rises(place: Node, index: str) -> bool:
    """Whether the place is the index times a positive number, plus what does not depend on it."""
    if place.op == "size":
        parts = linear_in(place["value"], (index,))
        step = parts[0].get(index, 0) if parts is not None else 0
        return isinstance(step, int) and step > 0
    if place.op == "cast":
        return _rises(place.operands[0], index)
    if place.op != "add":
        return False
    return any(_rises(one, index) and _constant(other, index) for one, other in (place.operands, place.operands[::-1]))


def _constant(node: Node, index: str) -> bool:
    if node.op == "size":
        return isinstance(node["value"], int) or index not in symbols(node["value"])
    return node.op in ("const", "local") or (node.op in ("add", "multiply", "cast") and all(_constant(one, index) for one in node.operands))


def condition(accumulator: Accumulator, interner: Interner) -> Node:
    """What a place has to fulfil."""
    found = _parts(accumulator)
    assert found is not None
    test, _, guard = found
    return test if guard is None else interner.make("guard", (guard, test, interner.make("const", (), BOOL, value=False)), BOOL)


def initial_first(accumulator: Accumulator, lanes: int, level: int) -> State:
    """Lanes of the last block that fulfil the condition, and the loop's index there."""
    return [Value(splat("false", "i1", lanes), BOOL, lanes, level, True), Value("0", I64, 1, level, True)]


def update_first(f: Function, loop: Loop, held: Value, mask: Value | None) -> State:
    held = f.widen(held, loop.width)
    if mask is not None:
        held = apply_row(f, "logical_and", (held, mask), BOOL)
    if held.level < f.level:  # the same for all blocks
        held = Value(f.name(f.level, f"or {held.type} {held.text}, zeroinitializer", "m"), BOOL, held.lanes, f.level, True)
    return [held, Value(f.indices[loop.index][0], I64, 1, f.level, True)]


def settle_first(f: Function, accumulator: Accumulator, loop: Loop, states: list[State]) -> State:
    """The first place of all lanes of all copies, as one number; the greatest integer where there is none.

    All copies left the loop at the same index, or only the first one has lanes that are set (a tail).
    """
    found, level = _parts(accumulator), f.level
    assert found is not None
    text, bits = bits_of(f, [held for held, _ in states], level)
    some = f.name(level, f"icmp ne i{bits} {text}, 0", "m")
    lane = lowest(f, text, bits, level)
    place = _place_at(f, found[1], loop, f.name(level, f"add i64 {states[0][1].text}, {lane}", "i"))
    dtype = accumulator.dtype
    none = str(integer_bounds(dtype)[1])
    return [Value(f.name(level, f"select i1 {some}, i{dtype.bits} {place.text}, i{dtype.bits} {none}", "m"), dtype, 1, level, True)]


def bits_of(f: Function, masks: Sequence[Value], level: int) -> tuple[str, int]:
    """The lanes of masks, one after the other, as the bits of an integer; how many."""
    text, bits = "", sum([mask.lanes for mask in masks])
    for place, held in enumerate(masks):
        packed = f.name(level, f"bitcast {held.type} {held.text} to i{held.lanes}", "m")
        if bits > held.lanes:
            packed = f.name(level, f"zext i{held.lanes} {packed} to i{bits}", "m")
        if place:
            packed = f.name(level, f"shl i{bits} {packed}, {place * held.lanes}", "m")
            packed = f.name(level, f"or i{bits} {text}, {packed}", "m")
        text = packed
    return text, bits


def lowest(f: Function, text: str, bits: int, level: int) -> str:
    """The number of the lowest bit that is set, as an i64."""
    lane = f.name(level, f"call i{bits} @llvm.cttz.i{bits}(i{bits} {text}, i1 false)", "m")
    return lane if bits == 64 else f.name(level, f"{'zext' if bits < 64 else 'trunc'} i{bits} {lane} to i64", "m")


def _place_at(f: Function, place: Node, loop: Loop, index: str) -> Value:
    """The place for one value of the loop's index."""
    around = f.scopes[-1]
    scope = f.open(around.label, frozenset(), False)
    saved = f.lanes, f.part, f.indices.get(loop.index)
    f.lanes, f.part, f.indices[loop.index] = None, None, (index, scope.level)
    made = evaluate(f, place)
    f.lanes, f.part = saved[0], saved[1]
    if saved[2] is not None:
        f.indices[loop.index] = saved[2]
    f.close()
    around.lines += scope.lines
    return made
