"""Nests of loops to basic blocks: rotated loops, carried accumulators, vector loops with their masks and tails."""

from __future__ import annotations

from functools import partial

from staxlang.base.sizes import Size, symbols
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.blocks import Carried, run_if, run_loop
from staxlang.compiler.llvm.expressions import apply_row, convert, evaluate
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Part, Value
from staxlang.compiler.llvm.interleaves import emit_group, groups
from staxlang.compiler.llvm.prefetches import fetch_ahead, rows_ahead
from staxlang.compiler.llvm.recurrences import Link, before_first, late_last, links, take
from staxlang.compiler.llvm.reduction import Reduction, counted
from staxlang.compiler.llvm.scans import scan_loop, scanned
from staxlang.compiler.llvm.transposes import emit_turn, turn_of
from staxlang.compiler.llvm.types import component_size
from staxlang.compiler.llvm.vectors import vector_loop
from staxlang.compiler.loops.ir import Let, Loop, Nest, Statement, Store

STORE_ROWS = {"add": "add", "multiply": "multiply", "min": "minimum", "max": "maximum"}


def emit_statement(f: Function, statement: Statement) -> None:
    if isinstance(statement, Nest):
        turn = turn_of(f, statement)
        if turn is not None:
            emit_turn(f, turn, lambda nest: emit_nest(f, nest))
        else:
            emit_nest(f, statement)
    elif isinstance(statement, Let):
        emit_let(f, statement)
    else:
        emit_store(f, statement)


def emit_let(f: Function, let: Let) -> None:
    if f.lanes is None:
        f.locals[let.name] = [evaluate(f, let.value)]
        return
    values = [evaluate(f, let.value, part) for part in f.lanes.parts]
    f.locals[let.name] = values if values[0].varying else values[:1]


def emit_store(f: Function, statement: Store) -> Value:
    """Gives the value (of the first lanes) as it has been stored."""
    buffer = f.module.buffers[statement.buffer]
    root = f.module.root(buffer)
    if root in f.candidates:
        value = convert(f, evaluate(f, statement.value), buffer.dtype)
        f.registers[root] = Value(value.text, buffer.dtype, 1, value.level, False, None, value.imag)
        f.forget(root)
        return value
    parts: list[Part | None] = list(f.lanes.parts) if f.lanes is not None else [None]
    ready: list[tuple[Part | None, memory.Access, Value]] = []
    for part in parts:
        value = convert(f, evaluate(f, statement.value, part), buffer.dtype)
        indirect = {f"${k}": evaluate(f, node, part) for k, node in enumerate(statement.indirect)}
        where = memory.access(f, buffer, statement.subscripts, indirect)
        if statement.mode != "set":
            old = memory.load(f, buffer, statement.subscripts, indirect)
            value = apply_row(f, STORE_ROWS[statement.mode], (old, value), buffer.dtype)
        ready.append((part, where, value))
        if statement.mode != "set" and where.kind == "uniform":
            f.forget(f.module.root(buffer))
    streams = statement.streaming and f.lanes is not None and f.lanes.whole is not None and not statement.indirect
    if streams and ready[0][1].kind == "contiguous" and buffer.dtype.kind != "c":
        _store_streaming(f, ready)
    else:
        _store_parts(f, ready, 0)
    f.forget(f.module.root(buffer))
    return ready[0][2]


def _store_parts(f: Function, ready: list[tuple[Part | None, memory.Access, Value]], alignment: int) -> None:
    for part, where, value in ready:
        f.part = part
        memory.store(f, where, value, alignment)


def _store_streaming(f: Function, ready: list[tuple[Part | None, memory.Access, Value]]) -> None:
    """Non-temporal where no lane is masked off (`Lanes.whole` says so, and that addresses are aligned), else plain."""
    assert f.lanes is not None
    n = f.fresh()
    f.emit(f.level, f"br i1 {f.lanes.whole}, label %stream.{n}, label %plain.{n}")
    f.block(f"stream.{n}")
    size = component_size(ready[0][2].dtype) * f.lanes.width
    _store_parts(f, ready, min(size, f.module.target.vector_bytes))
    f.emit(f.level, f"br label %stored.{n}")
    f.block(f"plain.{n}")
    _store_parts(f, ready, 0)
    f.emit(f.level, f"br label %stored.{n}")
    f.block(f"stored.{n}")


# ---- nests ---------------------------------------------------------------------------------------------------------


def emit_nest(f: Function, nest: Nest, bounds: tuple[str, str] | None = None) -> None:
    """A nest at the innermost level. bounds: the part of the first loop's range that is to run (a parallel loop's share)."""
    writes = f.module.writes(nest)
    vectors = nest.loops[-1] if nest.loops[-1].kind == "vector" and nest.loops[-1].width > 1 else None
    copies = f.module.copies(nest) if vectors is not None else 1
    lanes = vectors.width if vectors is not None else f.lanes.width if f.lanes is not None else 1
    horizontal = vectors is not None or f.lanes is None
    if not horizontal:
        assert f.lanes is not None
        copies = len(f.lanes.parts)
    accumulators = counted(nest.accumulators) if lanes > 1 else nest.accumulators
    alone = vectors is not None and f.module.tail(nest) == "scalar"
    state = Reduction(accumulators, copies, lanes, f.level, nest, f.module.schedule.program.interner, alone, f.module.masks)
    own = {loop.index for loop in nest.loops}
    f.ranges.update({loop.index: (loop.start, loop.extent) for loop in nest.loops})
    condition = None if bounds is not None else all_positive(f, [loop.extent for loop in nest.loops if not symbols_of(loop.extent) & own])
    results: Carried = state.empty(f.level, 1 if horizontal else lanes, 1 if horizontal else copies)

    def inside() -> None:
        _loops(f, nest, 0, state, writes, bounds)
        results[:] = state.results(f, horizontal)

    run_if(f, condition, results, writes, inside)
    state.bind(f, results, horizontal)


def symbols_of(size: Size) -> frozenset[str]:
    return frozenset() if isinstance(size, int) else symbols(size)


def all_positive(f: Function, extents: list[Size]) -> str | None:
    """An i1: all extents are at least 1; None where that is known."""
    condition: str | None = None
    for extent in dict.fromkeys(extents):
        if isinstance(extent, int) and extent > 0:
            continue
        text, level = size_text(f, extent)
        test = f.name(level, f"icmp sgt i64 {text}, 0", "x")
        condition = test if condition is None else f.name(f.level, f"and i1 {condition}, {test}", "x")
    return condition


def _loops(f: Function, nest: Nest, depth: int, state: Reduction, writes: frozenset[str], bounds: tuple[str, str] | None) -> None:
    if depth == len(nest.loops):
        run_body(f, nest, state)
        return
    loop = nest.loops[depth]
    extent = loop.extent
    inner = symbols_of(extent) & {outer.index for outer in nest.loops[:depth]}

    def inside() -> None:
        scan = scanned(f, nest) if depth == len(nest.loops) - 1 and bounds is None else None
        if scan is not None:
            scan_loop(f, nest, *scan, writes)
            return
        if loop.kind == "vector" and loop.width > 1:
            stops = partial(state.stop, f)
            vector_loop(f, loop, nest, state.copies, state.carried, writes, lambda: run_body(f, nest, state), stops)
            return
        if bounds is not None and depth == 0:
            start, end = bounds
        else:
            start, _ = size_text(f, loop.start)
            end, _ = size_text(f, loop.start + extent)
            kept = links(f, nest, loop) if depth == len(nest.loops) - 1 else []
            if kept:
                _recurrence(f, nest, loop, (start, end), kept, writes)
                return

        def body(index: str) -> None:
            f.indices[loop.index] = index, f.level
            _loops(f, nest, depth + 1, state, writes, None)

        run_loop(f, start, end, 1, state.carried, writes, body)

    run_if(f, all_positive(f, [extent]) if inner else None, state.carried, writes, inside)


def _recurrence(f: Function, nest: Nest, loop: Loop, ends: tuple[str, str], kept: list[Link], writes: frozenset[str]) -> None:
    """An innermost loop whose steps hand values on to the next ones."""
    carried: Carried = [value for link in kept for value in before_first(f, link, loop)]
    statements = [late_last(f, one, kept) for one in nest.body if not isinstance(one, Nest)]

    def body(index: str) -> None:
        f.indices[loop.index] = index, f.level
        place = 0
        for link in kept:
            take(f, link, carried[place : place + len(link.loads)])
            place += len(link.loads)
        stored: dict[str, Value] = {}
        for statement in statements:
            if isinstance(statement, Store):
                made = stored[statement.buffer] = emit_store(f, statement)
                for link in kept:
                    if link.fixed and link.buffer.name == statement.buffer:  # what comes later in this step reads the new one
                        take(f, link, [made])
            else:
                emit_statement(f, statement)
        place = 0
        for link in kept:
            carried[place : place + len(link.loads)] = [stored[link.buffer.name], *carried[place : place + len(link.loads) - 1]]
            place += len(link.loads)

    run_loop(f, *ends, 1, carried, writes, body)


def run_body(f: Function, nest: Nest, state: Reduction) -> None:
    f.module.ahead.update(rows_ahead(f, nest))
    for statement, others in groups(f, nest.body):
        if others and isinstance(statement, Store):
            emit_group(f, [statement, *others])
        else:
            emit_statement(f, statement)
    state.update(f)
    fetch_ahead(f, f.module.ahead.get(id(nest), []))
