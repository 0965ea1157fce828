"""Loops that stay in the program: a round is a function of its own, which finds the round's number among the sizes."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.memory import pointer
from staxlang.compiler.llvm.module import CONTEXT
from staxlang.compiler.loops.ir import LibraryCall, Schedule

EmitSteps = Callable[[Function, Schedule], None]


def emit_loop(f: Function, step: LibraryCall, emit_steps: EmitSteps) -> None:
    """The rounds, one after the other, until the last, or until one begins with a false condition or has failed."""
    module, n = f.module, f.fresh()
    symbol = f"@{module.name}.loop.{module.fresh()}"
    checks = len(module.checks)
    module.functions.append(_round_function(f, step, symbol, emit_steps))
    failing = len(module.checks) > checks
    slot = f.name(0, f"getelementptr i64, ptr %sizes, i64 {module.symbols[step['index']]}", "p")
    extent = None if step["extent"] is None else size_text(f, step["extent"])[0]
    go = None if step["go"] is None else pointer(f, module.buffers[step["go"]], {}, {})[0]
    f.emit(0, f"store i64 0, ptr {slot}, align 8")
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
    following = f.name(0, f"add i64 {number}, 1", "x")
    f.emit(0, f"store i64 {following}, ptr {slot}, align 8")
    if failing:
        _leave_where_failed(f, answer, n)
    f.emit(0, f"br label %round.{n}")
    f.block(f"done.{n}", 0)
    for view in step.outs:
        f.forget(module.root(module.buffers[view.buffer]))


def _leave_where_failed(f: Function, answer: str, n: int) -> None:
    """A failed call ends the program, a failed test the loop."""
    bad = f.name(0, f"icmp ne i32 {answer}, 0", "m")
    f.emit(0, f"br i1 {bad}, label %failed.{n}, label %on.{n}")
    f.block(f"failed.{n}", 0)
    if f.module.streams:
        f.emit(0, "fence seq_cst")
    f.emit(0, f"ret i32 {answer}")
    f.block(f"on.{n}", 0)
    told = f.name(0, "load i32, ptr %status, align 4", "x")
    wrong = f.name(0, f"icmp ne i32 {told}, 0", "m")
    f.emit(0, f"br i1 {wrong}, label %done.{n}, label %next.{n}")
    f.block(f"next.{n}", 0)


def _round_function(outer: Function, step: LibraryCall, symbol: str, emit_steps: EmitSteps) -> str:
    f = Function(outer.module)
    emit_steps(f, step["body"])
    taken = ", ".join([f"ptr %{name}" for name in CONTEXT])
    fence = ["fence seq_cst"] if outer.module.streams else []
    lines = ["entry:", *f.entry, *f.scopes[0].lines, *fence, "ret i32 0"]
    return f"define internal i32 {symbol}({taken}) nounwind {{\n" + "\n".join(lines) + "\n}"
