"""Loops that stay in the program: a round is a function of its own, which finds the round's number among the sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from staxlang.base.types import element_count
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.kept_apart import emit_shared
from staxlang.compiler.llvm.kept_inline import can_inline, emit_inline
from staxlang.compiler.llvm.memory import pointer
from staxlang.compiler.llvm.module import CONTEXT
from staxlang.compiler.llvm.polls import emit_poll, interruption
from staxlang.compiler.llvm.types import component_size, memory
from staxlang.compiler.loops.ir import LibraryCall, Schedule
from staxlang.compiler.loops.kept import movers

EmitSteps = Callable[[Function, Schedule], None]


def emit_loop(f: Function, step: LibraryCall, emit_steps: EmitSteps) -> None:
    """The rounds, one after the other, until the last, or until one begins with a false condition or has failed."""
    module, n = f.module, f.fresh()
    if can_inline(module, step):
        emit_inline(f, step, emit_steps)
        return
    symbol = f"@{module.name}.loop.{module.fresh()}"
    shared = any(step is one for one in module.loops_shared)
    polls, module.polls = module.polls, module.polls and not shared  # nobody but the caller's thread may ask the interpreter
    function = _round_function(f, step, symbol, emit_steps)
    module.polls = polls
    module.functions.append(function)
    failing = "ptr %status monotonic" in function or function.count("ret i32") > 1
    if shared:
        emit_shared(f, step, symbol, failing)
        return
    slot = f.name(0, f"getelementptr i64, ptr %sizes, i64 {module.symbols[step['index']]}", "p")
    extent = None if step["extent"] is None else size_text(f, step["extent"])[0]
    go = None if step["go"] is None else pointer(f, module.buffers[step["go"]], {}, {})[0]
    f.emit(0, f"store i64 0, ptr {slot}, align 8")
    begun = _addresses(f, movers(step))
    f.emit(0, f"br label %round.{n}")
    f.block(f"round.{n}", 0)
    number = f.name(0, f"load i64, ptr {slot}, align 8", "x")
    if extent is not None:
        more = f.name(0, f"icmp slt i64 {number}, {extent}", "m")
        f.emit(0, f"br i1 {more}, label %more.{n}, label %done.{n}")
        f.block(f"more.{n}", 0)
    if go is not None:
        held = f.name(0, f"load i8, ptr {go}, align 1", "x")
        on = f.name(0, f"icmp ne i8 {held}, 0", "m")
        f.emit(0, f"br i1 {on}, label %go.{n}, label %done.{n}")
        f.block(f"go.{n}", 0)
    given = ", ".join([f"ptr %{name}" for name in CONTEXT])
    answer = f.name(0, f"call i32 {symbol}({given})", "x")
    _move(f, step)
    following = f.name(0, f"add i64 {number}, 1", "x")
    f.emit(0, f"store i64 {following}, ptr {slot}, align 8")
    if failing:
        _leave_where_failed(f, step, begun, answer, n)
    _go_round(f, step, begun, following, n)
    f.block(f"done.{n}", 0)
    for view in step.outs:
        f.forget(module.root(module.buffers[view.buffer]))
    for name in movers(step):
        f.sizes.pop(("base", name), None)
    if step["settled"] or step["homes"]:
        _settle(f, step, begun)


# ---- buffers that change places ------------------------------------------------------------------------------------


def begin_moves(f: Function, moving: Mapping[str, int]) -> None:
    """Each buffer that moves begins where its own memory is."""
    for name, number in moving.items():
        home = f.module.home(f, f.module.buffers[name])
        f.emit(0, f"store ptr {home}, ptr {f.module.slot(f, number)}, align 8")


def _addresses(f: Function, names: Iterable[str]) -> list[str]:
    """Where buffers that move are now."""
    return [f.name(0, f"load ptr, ptr {f.module.slot(f, f.module.moving[name])}, align 8", "p") for name in names]


def _place(f: Function, names: Iterable[str], addresses: list[str]) -> None:
    for name, address in zip(names, addresses, strict=True):
        f.emit(0, f"store ptr {address}, ptr {f.module.slot(f, f.module.moving[name])}, align 8")


def _move(f: Function, step: LibraryCall) -> None:
    """After a round: each buffer has the memory that another one had in it."""
    _place(f, movers(step), _addresses(f, [source for _, source in step["moves"]]))


def _settle(f: Function, step: LibraryCall, begun: list[str]) -> None:
    """After the last round: the memory of those that others look for holds their values, wherever these are by then.

    `begun` is where the loop has found its buffers: in a loop that moves them itself not always where their own memory is.
    """
    module, n = f.module, f.fresh()
    names = movers(step)
    homes = dict(zip(names, begun, strict=True))
    wanted: dict[Any, list[str]] = {}  # those of one kind may lie in one another's memory
    for name in step["settled"]:
        buffer = module.buffers[name]
        wanted.setdefault((buffer.dtype, buffer.shape), []).append(name)
    for number, group in enumerate(wanted.values()):
        buffer = module.buffers[group[0]]
        places = _addresses(f, group)
        moved = [f.name(0, f"icmp ne ptr {place}, {homes[name]}", "m") for name, place in zip(group, places, strict=True)]
        some = moved[0]
        for one in moved[1:]:
            some = f.name(0, f"or i1 {some}, {one}", "m")
        words, _ = size_text(f, element_count(buffer.shape) * buffer.dtype.itemsize // component_size(buffer.dtype))
        pairs = list(zip([homes[name] for name in group], places, strict=True))
        _copy_together(f, f"{n}.{number}", some, words, memory(buffer.dtype), pairs)
    _place(f, names, [homes[name] for name in names])


def _copy_together(f: Function, label: str, some: str, count: str, kind: str, pairs: list[tuple[str, str]]) -> None:
    """Element by element all values are read before any is written: they may lie in each other's places."""
    f.emit(0, f"br i1 {some}, label %settle.{label}, label %settled.{label}")
    f.block(f"settle.{label}", 0)
    some = f.name(0, f"icmp sgt i64 {count}, 0", "m")
    f.emit(0, f"br i1 {some}, label %settling.{label}, label %settled.{label}")
    f.block(f"settling.{label}", 0)
    f.emit(0, f"%k.{label} = phi i64 [ 0, %settle.{label} ], [ %k.{label}.next, %settling.{label} ]")
    values: list[str] = []
    for _, source in pairs:
        place = f.name(0, f"getelementptr {kind}, ptr {source}, i64 %k.{label}", "p")
        values.append(f.name(0, f"load {kind}, ptr {place}", "x"))
    for (target, _), value in zip(pairs, values, strict=True):
        place = f.name(0, f"getelementptr {kind}, ptr {target}, i64 %k.{label}", "p")
        f.emit(0, f"store {kind} {value}, ptr {place}")
    f.emit(0, f"%k.{label}.next = add i64 %k.{label}, 1")
    more = f.name(0, f"icmp slt i64 %k.{label}.next, {count}", "m")
    f.emit(0, f"br i1 {more}, label %settling.{label}, label %settled.{label}")
    f.block(f"settled.{label}", 0)


def _leave_where_failed(f: Function, step: LibraryCall, begun: list[str], answer: str, n: int) -> None:
    """A failed call ends the program, a failed test the loop."""
    bad = f.name(0, f"icmp ne i32 {answer}, 0", "m")
    f.emit(0, f"br i1 {bad}, label %failed.{n}, label %on.{n}")
    f.block(f"failed.{n}", 0)
    _end_program(f, step, begun, answer)
    f.block(f"on.{n}", 0)
    told = f.name(0, "load i32, ptr %status, align 4", "x")
    wrong = f.name(0, f"icmp ne i32 {told}, 0", "m")
    f.emit(0, f"br i1 {wrong}, label %done.{n}, label %next.{n}")
    f.block(f"next.{n}", 0)


def _go_round(f: Function, step: LibraryCall, begun: list[str], rounds: str, n: int) -> None:
    """To the next round; a signal ends the program before it: arrays hold what has been written by then."""
    if emit_poll(f, rounds, step["body"], f"round.{n}"):
        _end_program(f, step, begun, str(interruption(f)))
    else:
        f.emit(0, f"br label %round.{n}")


def _end_program(f: Function, step: LibraryCall, begun: list[str], status: str) -> None:
    """End here; what has moved is brought home first. Nothing that is computed on the way is known elsewhere."""
    tables: list[dict[Any, Any]] = [f.sizes, f.indices]
    known = [(table, frozenset(table)) for table in tables]
    if step["settled"] or step["homes"]:
        _settle(f, step, begun)
    for table, names in known:
        for name in [name for name in table if name not in names]:
            del table[name]
    if f.module.streams:
        f.emit(0, "fence seq_cst")
    f.emit(0, f"ret i32 {status}")


def _round_function(outer: Function, step: LibraryCall, symbol: str, emit_steps: EmitSteps) -> str:
    f = Function(outer.module)
    emit_steps(f, step["body"])
    taken = ", ".join([f"ptr %{name}" for name in CONTEXT])
    fence = ["fence seq_cst"] if outer.module.streams else []
    lines = ["entry:", *f.entry, *f.scopes[0].lines, *fence, "ret i32 0"]
    return f"define internal i32 {symbol}({taken}) nounwind {{\n" + "\n".join(lines) + "\n}"
