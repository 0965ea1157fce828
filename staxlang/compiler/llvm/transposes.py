"""Nests that copy elements the other way round: squares of registers, loaded and stored along lines, turned by shuffles between."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.records import record, replace
from staxlang.base.sizes import Size, linear_in, symbols
from staxlang.base.sizes.expression import size_of
from staxlang.compiler.llvm.blocks import run_if, run_loop
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.memory import pointer
from staxlang.compiler.llvm.types import component_size, permutation
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Store
from staxlang.compiler.node import Node

SIDE = 8  # of a square


@record
class Turn:
    """One element at a time it is `to[..] = of[..]` over loops (down, across); across is contiguous in `of`, down in `to`."""

    nest: Nest
    down: Loop
    across: Loop
    store: Store
    load: Node
    step: Size  # elements of `of` from one iteration of `down` to the next
    line: Size  # elements of `to` from one iteration of `across` to the next


def turn_of(f: Function, nest: Nest) -> Turn | None:
    """The nest as a turn of squares; None where it is something else."""
    if len(nest.loops) != 2 or len(nest.body) != 1 or nest.accumulators or f.lanes is not None:
        return None
    (down, across), (store,) = nest.loops, nest.body
    if not isinstance(store, Store) or store.mode != "set" or store.indirect or store.streaming or store.value.op != "load":
        return None
    load = store.value
    to, of = f.module.buffers[store.buffer], f.module.buffers[load["buffer"]]
    if load.operands or to.dtype is not of.dtype or to.dtype.itemsize > 8 or f.module.root(to) == f.module.root(of):
        return None
    if not isinstance(across.extent, int) and down.index in symbols(across.extent):
        return None
    names = (down.index, across.index)
    read = linear_in(size_of(f.module.offset_terms(of, load["subscripts"])), names)
    written = linear_in(size_of(f.module.offset_terms(to, store.subscripts)), names)
    if read is None or written is None or read[0].get(across.index) != 1 or written[0].get(down.index) != 1:
        return None
    step, line = read[0].get(down.index, 0), written[0].get(across.index, 0)
    if step in (0, 1) or line in (0, 1):
        return None
    return Turn(nest, down, across, store, load, step, line)


def emit_turn(f: Function, turn: Turn, one_by_one: Callable[[Nest], None]) -> None:
    """Squares, the last ones of a line moved back so that they end with it; `one_by_one` where there is no whole square."""
    writes = f.module.writes(turn.nest)
    tests: list[str] = []
    short = False
    for extent in (turn.down.extent, turn.across.extent):
        if isinstance(extent, int):
            short = short or extent < SIDE
            continue
        text, level = size_text(f, extent)
        tests.append(f.name(level, f"icmp sge i64 {text}, {SIDE}", "x"))
    small: str | None = None
    if not short:
        large = tests[0] if tests else None
        if len(tests) > 1:
            large = f.name(f.level, f"and i1 {tests[0]}, {tests[1]}", "x")
        run_if(f, large, [], writes, lambda: _squares(f, turn, writes))
        if large is None:
            return
        small = f.name(f.level, f"xor i1 {large}, true", "x")
    across = turn.across
    plain = replace(turn.nest, loops=(turn.down, Loop(across.index, across.extent, "serial", across.start)))
    run_if(f, small, [], writes, lambda: one_by_one(plain))


def _squares(f: Function, turn: Turn, writes: frozenset[str]) -> None:
    for root in writes:
        f.forget(root)

    def along(loop: Loop, inside: Callable[[], None]) -> None:
        start, _ = size_text(f, loop.start)
        end, _ = size_text(f, loop.start + loop.extent)
        last, _ = size_text(f, loop.start + loop.extent - SIDE)

        def body(index: str) -> None:
            if not (isinstance(loop.extent, int) and loop.extent % SIDE == 0):
                index = f.name(f.level, f"call i64 @llvm.smin.i64(i64 {index}, i64 {last})", "i")
            f.indices[loop.index] = index, f.level
            inside()

        run_loop(f, start, end, SIDE, [], writes, body)

    along(turn.down, lambda: along(turn.across, lambda: _square(f, turn)))
    for root in writes:
        f.forget(root)


def _square(f: Function, turn: Turn) -> None:
    module = f.module
    to, of = module.buffers[turn.store.buffer], module.buffers[turn.load["buffer"]]
    element = f"i{8 * to.dtype.itemsize}"
    kind, align = f"<{SIDE} x {element}>", component_size(to.dtype)
    rows = [f.name(f.level, f"load {kind}, ptr {place}, align {align}", "t") for place in _lines(f, of, turn.load["subscripts"], turn.step)]
    places = _lines(f, to, turn.store.subscripts, turn.line)
    for row, place in zip(_turned(f, rows, kind, to.dtype.itemsize), places, strict=True):
        f.emit(f.level, f"store {kind} {row}, ptr {place}, align {align}")


def _lines(f: Function, buffer: Buffer, subscripts: tuple[Size, ...], step: Size) -> list[str]:
    """The addresses at which the lines of a square begin."""
    element = f"i{8 * buffer.dtype.itemsize}"
    first, _ = pointer(f, buffer, f.module.offset_terms(buffer, subscripts), {})
    places = [first]
    for k in range(1, SIDE):
        offset, _ = size_text(f, step * k)
        places.append(f.name(f.level, f"getelementptr {element}, ptr {first}, i64 {offset}", "p"))
    return places


def _turned(f: Function, rows: list[str], kind: str, itemsize: int) -> list[str]:
    """The square's columns: one shuffle of two registers for each of them, three times."""

    def shuffled(a: str, b: str, lanes: list[int]) -> str:
        return f.name(f.level, f"shufflevector {kind} {a}, {kind} {b}, {permutation(lanes)}", "t")

    if itemsize == 4:  # within 128 bits first: such shuffles have no table of lanes
        pairs = [shuffled(rows[k], rows[k + 1], lanes) for k in range(0, SIDE, 2) for lanes in (_LOW, _HIGH)]
        fours = [shuffled(pairs[k + h], pairs[k + 2 + h], lanes) for k in (0, 4) for h in (0, 1) for lanes in _exchanges(2)]
        return [shuffled(fours[k], fours[k + 4], lanes) for lanes in _exchanges(4) for k in range(4)]
    for distance in (1, 2, 4):
        first, second = _exchanges(distance)
        made = list(rows)
        for k in range(SIDE):
            if not k & distance:
                made[k] = shuffled(rows[k], rows[k + distance], first)
                made[k + distance] = shuffled(rows[k], rows[k + distance], second)
        rows = made
    return rows


_LOW, _HIGH = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]


def _exchanges(distance: int) -> tuple[list[int], list[int]]:
    """Lanes of (the first, the second) of two rows that lie so far apart after exchanging blocks of so many lanes."""
    first = [lane if not lane & distance else SIDE + lane - distance for lane in range(SIDE)]
    return first, [lane + distance if not lane & distance else SIDE + lane for lane in range(SIDE)]
