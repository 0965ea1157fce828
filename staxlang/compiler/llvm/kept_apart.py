"""Loops that stay in the program, whose rounds depend on no other, shared out among the threads of the pool.

A share has the counters, the round's temporaries and the state of its checks to itself, on its own stack. Of the rounds that fail the first
one is told, as if they had run in order: a share ends at its first failure, and those of earlier rounds run to their ends.
"""

from __future__ import annotations

from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.module import CONTEXT, Module
from staxlang.compiler.llvm.sharing import PARALLEL, grain, scratch_of
from staxlang.compiler.loops.apart import outlasting
from staxlang.compiler.loops.ir import LibraryCall
from staxlang.compiler.loops.work import loop_work

_NONE = (1 << 64) - 1


def emit_shared(f: Function, step: LibraryCall, round: str, failing: bool) -> None:
    """The rounds by the pool. `round` is the function of one; `failing`: it has checks."""
    module = f.module
    n = module.fresh()
    symbol = f"@{module.name}.rounds.{n}"
    module.functions.append(_share(module, step, symbol, round, failing))
    module.externals[PARALLEL] = None
    first, context = f"%first.{n}", f"%context.r{n}"
    f.entry += [f"{first} = alloca i64, align 8", f"{context} = alloca [{len(CONTEXT) + 1} x ptr], align 8"]
    f.emit(0, f"store i64 {_NONE}, ptr {first}, align 8")
    for k, text in enumerate([*[f"%{name}" for name in CONTEXT], first]):
        place = f.name(0, f"getelementptr ptr, ptr {context}, i64 {k}", "p")
        f.emit(0, f"store ptr {text}, ptr {place}, align 8")
    extent = size_text(f, step["extent"])[0]
    share = grain(f, loop_work(step, 0), step["extent"])
    f.emit(0, f"call void @stax_parallel(ptr {symbol}, ptr {context}, i64 {extent}, i64 {share})")
    if failing:
        _tell_first(f, first, n)
    for name in outlasting(step):
        f.forget(module.root(module.buffers[name]))


def _tell_first(f: Function, first: str, n: int) -> None:
    """The check that failed in the earliest round, where one has."""
    found = f.name(0, f"load i64, ptr {first}, align 8", "x")
    none = f.name(0, f"icmp eq i64 {found}, {_NONE}", "m")
    f.emit(0, f"br i1 {none}, label %fine.r{n}, label %told.r{n}")
    f.block(f"told.r{n}", 0)
    code = f.name(0, f"trunc i64 {found} to i32", "x")
    f.emit(0, f"store i32 {code}, ptr %status, align 4")
    f.emit(0, f"br label %fine.r{n}")
    f.block(f"fine.r{n}", 0)


def _share(module: Module, step: LibraryCall, symbol: str, round: str, failing: bool) -> str:
    """The function of rounds begin .. end: (context, begin, end)."""
    f = Function(module)
    count, size = len(module.symbols), scratch_of(step) or 1
    f.entry += [f"%sizes = alloca [{count} x i64], align 8", f"%scratch = alloca [{size} x i8], align 64", "%status = alloca i32, align 4"]
    given: dict[str, str] = {}
    for k, name in enumerate((*CONTEXT, "first")):
        place = f.name(0, f"getelementptr ptr, ptr %context, i64 {k}", "p")
        given[name] = f.name(0, f"load ptr, ptr {place}, align 8", "p")
    for k in range(count):
        source, target = [f.name(0, f"getelementptr i64, ptr {base}, i64 {k}", "p") for base in (given["sizes"], "%sizes")]
        f.emit(0, f"store i64 {f.name(0, f'load i64, ptr {source}, align 8', 'x')}, ptr {target}, align 8")
    start = size_text(f, module.places[step.outs[-1].buffer].offset)[0]
    before = f.name(0, f"sub i64 0, {start}", "x")
    arena = f.name(0, f"getelementptr i8, ptr %scratch, i64 {before}", "p")
    slot = f.name(0, f"getelementptr i64, ptr %sizes, i64 {module.symbols[step['index']]}", "p")
    arguments = {**given, "sizes": "%sizes", "arena": arena, "status": "%status"}
    call = f"call i32 {round}({', '.join([f'ptr {arguments[name]}' for name in CONTEXT])})"
    lines = ["entry:", *f.entry, *f.scopes[0].lines, "store i32 0, ptr %status, align 4", "br label %round"]
    lines += ["round:", "%number = phi i64 [ %begin, %entry ], [ %following, %next ]", f"store i64 %number, ptr {slot}, align 8"]
    lines += [f"%answer = {call}", *(_leave(given["first"]) if failing else ("br label %next",)), "next:"]
    lines += ["%following = add i64 %number, 1", "%more = icmp slt i64 %following, %end", "br i1 %more, label %round, label %done", "done:"]
    lines += [*(["fence seq_cst"] if module.streams else []), "ret void"]
    return f"define internal void {symbol}(ptr %context, i64 %begin, i64 %end) nounwind {{\n" + "\n".join(lines) + "\n}"


def _leave(first: str) -> list[str]:
    """End the share where a check of the round has failed; the earliest round of all is kept."""
    return [
        "%told = load i32, ptr %status, align 4", "%wrong = icmp ne i32 %told, 0", "br i1 %wrong, label %failed, label %next",
        "failed:", "%which = zext i32 %told to i64", "%high = shl i64 %number, 32", "%both = or i64 %high, %which",
        f"%old = atomicrmw umin ptr {first}, i64 %both seq_cst", "br label %done",
    ]  # fmt: skip
