"""The states that vector loops carry in place of the plain ones where those cost more per value, and the way back to plain states."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I32, I64, integer_bounds
from staxlang.base.sizes import linear_in, substitute, symbol, symbols
from staxlang.compiler.llvm import accumulators as plain
from staxlang.compiler.llvm.accumulators import State
from staxlang.compiler.llvm.blocks import run_if
from staxlang.compiler.llvm.expressions import apply_row, convert, evaluate
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Lanes, Part, Value
from staxlang.compiler.llvm.types import lane_numbers, number, splat
from staxlang.compiler.loops.ir import Accumulator, Loop, Nest
from staxlang.compiler.node import Interner, Node

Masks = list[Value | None]
GREATER_ROWS = {"max": "greater", "min": "less", "argmax": "greater", "argmin": "less"}


def flagged(accumulator: Accumulator) -> bool:
    """Greatest and least floats: the comparison alone, and beside it a mask of the lanes that have seen a NaN."""
    dtype = accumulator.dtype
    return accumulator.kind in ("max", "min") and dtype.kind == "f" and dtype.bits >= 32 and accumulator.value.type is dtype


def numbered(accumulator: Accumulator, nest: Nest) -> bool:
    """Positions counted by a lone vector loop: the number of the block of lanes is kept, in 32 bits.

    It suffices for 2^32 blocks, 2^36 elements of f32: more than machines have memory for.
    """
    loop = nest.loops[-1]
    if accumulator.kind not in ("argmax", "argmin") or len(nest.loops) > 1 or loop.kind != "vector" or loop.width < 8:
        return False
    rest = accumulator.position - symbol(loop.index)
    return isinstance(rest, int) or loop.index not in symbols(rest)


def initial_flagged(accumulator: Accumulator, lanes: int, level: int) -> State:
    return [*plain.initial(accumulator, lanes, level), Value(splat("false", "i1", lanes), BOOL, lanes, level, True)]


def initial_numbered(accumulator: Accumulator, lanes: int, level: int) -> State:
    best, _ = plain.initial(accumulator, lanes, level)
    return [best, Value(splat("0", "i32", lanes), I32, lanes, level, True)]


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
            made[k][1] = apply_row(f, "logical_or", (made[k][1], _unordered(f, *[f.widen(v, made[k][0].lanes) for v in pair])), BOOL)
            continue
        for part, value in enumerate(pair, k):
            wide = f.widen(value, made[part][0].lanes)
            odd, mask = _unordered(f, wide, wide), masks[part]
            if mask is not None:
                odd = apply_row(f, "logical_and", (odd, mask), BOOL)
            made[part][1] = apply_row(f, "logical_or", (made[part][1], odd), BOOL)
    return made


def _unordered(f: Function, a: Value, b: Value) -> Value:
    level = max(a.level, b.level)
    return Value(f.name(level, f"fcmp uno {a.type} {a.text}, {b.text}"), BOOL, a.lanes, level, True)


def settle_flagged(f: Function, state: State) -> State:
    best, odd = state
    return [apply_row(f, "where", (odd, Value(number(float("nan"), best.dtype), best.dtype, 1, 0), best), best.dtype)]


def update_numbered(f: Function, accumulator: Accumulator, loop: Loop, state: State, value: Value, mask: Value | None, shift: int) -> State:
    """The state after the current part's value. A NaN is looked for by one comparison and dealt with on a way of its own."""
    best, block = state
    value = f.widen(convert(f, value, best.dtype), best.lanes)
    better = apply_row(f, GREATER_ROWS[accumulator.kind], (value, best), BOOL)
    if mask is not None:
        better = apply_row(f, "logical_and", (better, mask), BOOL)
    here = _block(f, loop, shift)

    def taken(where: Value) -> State:
        return [apply_row(f, "where", (where, value, best), best.dtype), apply_row(f, "where", (where, here, block), I32)]

    made = taken(better)
    if best.dtype.kind != "f":
        return made
    odd = apply_row(f, "isnan", (value,), BOOL)
    if mask is not None:
        odd = apply_row(f, "logical_and", (odd, mask), BOOL)
    some = f.name(odd.level, f"call i1 @llvm.vector.reduce.or.v{odd.lanes}i1({odd.type} {odd.text})", "m")

    def first_nan() -> None:
        fine = apply_row(f, "equal", (best, best), BOOL)
        first = apply_row(f, "logical_and", (apply_row(f, "logical_or", (better, odd), BOOL), fine), BOOL)
        made[:] = taken(Value(f.name(f.level, f"or {first.type} {first.text}, zeroinitializer", "m"), BOOL, first.lanes, f.level, True))

    run_if(f, some, made, frozenset(), first_nan)
    return made


def _block(f: Function, loop: Loop, shift: int) -> Value:
    index, level = f.indices[loop.index]
    start, _ = size_text(f, loop.start)
    moved = f.name(level, f"sub i64 {index}, {start}", "x") if start != "0" else index
    whole = f.name(level, f"lshr i64 {moved}, {loop.width.bit_length() - 1}", "x")
    short = f.name(level, f"trunc i64 {whole} to i32", "x")
    if shift:
        short = f.name(level, f"add i32 {short}, {shift // loop.width}", "x")
    return Value(short, I32, 1, level, True)


def settle_numbered(f: Function, accumulator: Accumulator, loop: Loop, state: State) -> State:
    """Positions from the numbers of blocks: start + block * width + lane."""
    best, block = state
    lanes, level = best.lanes, f.level
    first, _ = size_text(f, substitute(accumulator.position, {loop.index: loop.start}))
    wide = f"<{lanes} x i64>"
    text = f.name(level, f"zext {block.type} {block.text} to {wide}", "x")
    text = f.name(level, f"mul {wide} {text}, splat (i64 {lanes})", "x")
    text = f.name(level, f"add {wide} {text}, {lane_numbers('i64', lanes)}", "x")
    if first != "0":
        text = f.name(level, f"add {wide} {text}, {f.splat(first, 'i64', lanes, level)}", "x")
    return [best, Value(text, I64, lanes, level, True)]


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


def settle_first(f: Function, accumulator: Accumulator, loop: Loop, copy: int, state: State) -> State:
    """The places of the lanes that are set, the greatest integer elsewhere."""
    found = _parts(accumulator)
    assert found is not None
    held, index = state
    around = f.scopes[-1]
    scope = f.open(around.label, frozenset(), False)
    saved = f.lanes, f.part, f.indices.get(loop.index)
    part = Part(copy * loop.width)
    f.lanes, f.part, f.indices[loop.index] = Lanes(loop.index, loop.width, [part], scope.level, None), part, (index.text, scope.level)
    places = f.widen(evaluate(f, found[1], part), loop.width)
    f.lanes, f.part = saved[0], saved[1]
    if saved[2] is not None:
        f.indices[loop.index] = saved[2]
    f.close()
    around.lines += scope.lines
    dtype = accumulator.dtype
    none = Value(splat(str(integer_bounds(dtype)[1]), f"i{dtype.bits}", held.lanes), dtype, held.lanes, f.level, True)
    return [apply_row(f, "where", (held, Value(places.text, dtype, held.lanes, f.level, True), none), dtype)]
