"""argmin and argmax in one walk: the best value of each lane and in which block it came; then one look at the first such block."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, I32, I64, integer_bounds
from staxlang.base.sizes import symbol, symbols
from staxlang.compiler.llvm import accumulators as plain
from staxlang.compiler.llvm import working
from staxlang.compiler.llvm.accumulators import State
from staxlang.compiler.llvm.blocks import Carried
from staxlang.compiler.llvm.expressions import apply_row, convert, evaluate
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Lanes, Part, Value
from staxlang.compiler.llvm.types import element, number, permutation, splat
from staxlang.compiler.llvm.vectors import masked_loop
from staxlang.compiler.loops.ir import Accumulator, Loop, Nest


def numbered(accumulator: Accumulator, nest: Nest) -> bool:
    """Whether a lone vector loop looks for a place among values that are as wide as the numbers of blocks that go with them.

    32 bits suffice for 2^32 blocks of lanes: more than machines have memory for.
    """
    loop, dtype = nest.loops[-1], accumulator.value.type
    if accumulator.kind not in ("argmax", "argmin") or dtype.kind not in "iuf" or dtype.bits not in (32, 64):
        return False
    if len(nest.loops) > 1 or loop.kind != "vector":
        return False
    rest = accumulator.position - symbol(loop.index)
    return isinstance(rest, int) or loop.index not in symbols(rest)


def initial(accumulator: Accumulator, lanes: int, level: int, masks: bool) -> State:
    """The best value of each lane, its block, and of floats the lanes that have seen a NaN. One state for all parts."""
    best, _ = plain.initial(accumulator, lanes, level)
    block = working.nothing(best.dtype, lanes, level)
    if best.dtype.kind != "f":
        return [best, block]
    odd = Value(splat("false", "i1", lanes), BOOL, lanes, level, True) if masks else working.nothing(best.dtype, lanes, level)
    return [best, block, odd]


def update(f: Function, accumulator: Accumulator, loop: Loop, state: State, values: Sequence[Value], masks: working.Masks) -> State:
    """The state after all parts' values: only the best one of the parts is compared with what is kept.

    A NaN may get lost here; whether there was one is kept beside.
    """
    best, block, *odd = state
    dtype, lanes = best.dtype, best.lanes
    worst = Value(number(plain.neutral(accumulator.kind, dtype), dtype), dtype, 1, 0)
    own = [f.widen(convert(f, value, dtype), lanes) for value in values]
    own = [one if mask is None else apply_row(f, "where", (mask, one, worst), dtype) for one, mask in zip(own, masks, strict=True)]
    if odd:
        odd = [working.marked(f, odd[0], _some_nan(f, own))]
    while len(own) > 1:
        own = [*own[2:], _better(f, accumulator, own[0], own[1])]
    taken = apply_row(f, working.GREATER_ROWS[accumulator.kind], (own[0], best), BOOL)
    block = apply_row(f, "where", (taken, _block(f, loop, block), block), block.dtype)
    return [_better(f, accumulator, best, own[0]), block, *odd]


def _better(f: Function, accumulator: Accumulator, a: Value, b: Value) -> Value:
    ahead = apply_row(f, working.GREATER_ROWS[accumulator.kind], (a, b), BOOL)
    return apply_row(f, "where", (ahead, a, b), a.dtype)


def _some_nan(f: Function, values: Sequence[Value]) -> Value:
    pairs = [working.unordered(f, values[k], values[min(k + 1, len(values) - 1)]) for k in range(0, len(values), 2)]
    while len(pairs) > 1:
        pairs = [*pairs[2:], apply_row(f, "logical_or", (pairs[0], pairs[1]), BOOL)]
    return pairs[0]


def _block(f: Function, loop: Loop, block: Value) -> Value:
    """How many times the loop's lanes fit before the index."""
    index, level = f.indices[loop.index]
    start, _ = size_text(f, loop.start)
    moved = f.name(level, f"sub i64 {index}, {start}", "x") if start != "0" else index
    text = f.name(level, f"lshr i64 {moved}, {loop.width.bit_length() - 1}", "x")
    if block.dtype is I32:
        text = f.name(level, f"trunc i64 {text} to i32", "x")
    return Value(text, block.dtype, 1, level, True)


# ---- at the end ----------------------------------------------------------------------------------------------------


def settle(f: Function, accumulator: Accumulator, loop: Loop, copies: int, state: State) -> State:
    """The best value and its position. The first element that has it is in the least of the blocks of those lanes that have it.

    Lanes that have seen nothing hold the worst value and block 0: where that is the best one, the first element has it, too.
    Where there is a NaN, the first one is looked for from the start.
    """
    lanes, dtype, level = state[0].lanes, state[0].dtype, f.level
    best, block = _across(f, accumulator, state[0]), state[1]
    held = apply_row(f, "equal", (state[0], best), BOOL)
    most = Value(splat(str(integer_bounds(block.dtype)[1]), element(block.dtype), lanes), block.dtype, lanes, level)
    blocks = apply_row(f, "where", (held, block, most), block.dtype)
    kind = element(block.dtype)
    text = f.name(level, f"call {kind} @llvm.vector.reduce.smin.v{lanes}{kind}({blocks.type} {blocks.text})", "x")
    if block.dtype is I32:
        text = f.name(level, f"zext i32 {text} to i64", "x")
    text = f.name(level, f"shl i64 {text}, {loop.width.bit_length() - 1}", "x")
    if len(state) > 2:
        some = _any_lane(f, state[2])
        best = apply_row(f, "where", (some, Value(number(float("nan"), dtype), dtype, 1, 0), best), dtype)
        text = f.name(level, f"select i1 {some.text}, i64 0, i64 {text}", "x")
    start, _ = size_text(f, loop.start)
    if start != "0":
        text = f.name(level, f"add i64 {text}, {start}", "x")
    place = _first(f, accumulator, loop, copies, best, text)
    rest, _ = size_text(f, accumulator.position - symbol(loop.index))
    if rest != "0":
        place = f.name(level, f"add i64 {place}, {rest}", "x")
    one = Value(f.name(level, f"extractelement {best.type} {best.text}, i64 0"), dtype, 1, level, True)
    return [one, Value(place, I64, 1, level, True)]


def _across(f: Function, accumulator: Accumulator, best: Value) -> Value:
    """The best one of all lanes, in all lanes."""
    distance = best.lanes // 2
    while distance:
        order = permutation([lane ^ distance for lane in range(best.lanes)])
        turned = f.name(best.level, f"shufflevector {best.type} {best.text}, {best.type} poison, {order}")
        best = _better(f, accumulator, best, Value(turned, best.dtype, best.lanes, best.level, True))
        distance //= 2
    return best


def _any_lane(f: Function, odd: Value) -> Value:
    level, text = f.level, odd.text
    if odd.dtype is not BOOL:
        text = f.name(level, f"icmp ne {odd.type} {text}, zeroinitializer", "m")
    some = f.name(level, f"call i1 @llvm.vector.reduce.or.v{odd.lanes}i1(<{odd.lanes} x i1> {text})", "m")
    return Value(some, BOOL, 1, level, True)


def _first(f: Function, accumulator: Accumulator, loop: Loop, copies: int, best: Value, start: str) -> str:
    """The first index from `start` on (an i64) whose value is the best one, or a NaN."""
    end, _ = size_text(f, loop.start + loop.extent)
    carried: Carried = [Value("0", I64, 1, f.level, True), Value("0", I64, 1, f.level, True)]
    before = f.indices.get(loop.index)

    def look(parts: list[Part], index: str, _: str | None) -> None:
        saved, level = (f.lanes, f.part), f.level
        f.indices[loop.index] = index, level
        f.lanes = Lanes(loop.index, loop.width, parts, level, None)
        held: list[Value] = []
        for part in parts:
            value = f.widen(convert(f, evaluate(f, accumulator.value, part), best.dtype), loop.width)
            one = apply_row(f, "equal", (value, best), BOOL)
            if best.dtype.kind == "f":
                one = apply_row(f, "logical_or", (one, working.unordered(f, value, value)), BOOL)
            assert part.mask is not None
            held.append(apply_row(f, "logical_and", (one, part.mask), BOOL))
        f.lanes, f.part = saved
        text, bits = working.bits_of(f, held, level)
        if bits < 64:
            text = f.name(level, f"zext i{bits} {text} to i64", "m")
        carried[:] = [Value(text, I64, 1, level, True), Value(index, I64, 1, level, True)]

    masked_loop(f, start, end, loop.width, copies, carried, frozenset(), look, None,
                lambda: f.name(f.level, f"icmp ne i64 {carried[0].text}, 0", "m"))  # fmt: skip
    if before is not None:
        f.indices[loop.index] = before
    return f.name(f.level, f"add i64 {carried[1].text}, {working.lowest(f, carried[0].text, 64, f.level)}", "i")
