"""A Schedule to the text of one LLVM module: its kernels and library calls in order, parallel loops as functions of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.records import record
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.module import CONTEXT, Module
from staxlang.compiler.llvm.nests import all_positive, emit_nest, emit_statement, symbols_of
from staxlang.compiler.llvm.types import element
from staxlang.compiler.loops.ir import Kernel, LibraryCall, Nest, Schedule, Statement, Store
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

if TYPE_CHECKING:
    from staxlang.compiler.llvm import externs, kept, library, sharing
else:
    externs, library = deferred("staxlang.compiler.llvm.externs"), deferred("staxlang.compiler.llvm.library")
    kept, sharing = deferred("staxlang.compiler.llvm.kept"), deferred("staxlang.compiler.llvm.sharing")

@record
class Emission:
    """A module's text and what its caller has to know.

    entry: the function's name. inputs: how many of `arrays` are inputs (outputs follow, in order of their positions).
    checks: of result 1 + k, the node of the check that failed. parallel, gemm: external symbols that it needs.
    """

    text: str
    entry: str
    inputs: int
    checks: tuple[Node, ...]
    externals: tuple[str, ...]


def emit_program(schedule: Schedule, target: Target, name: str) -> str:
    """LLVM IR that computes the schedule: `i32 @name(ptr arrays, ptr sizes, ptr scalars, ptr arena)`."""
    return emit(schedule, target, name).text


def emit(schedule: Schedule, target: Target, name: str, fast: bool = False, polls: bool = False, timed: bool = False) -> Emission:
    """The module of a schedule; `fast` lets arithmetic on floats be rewritten (fast_math); with `polls` signals of Python end its loops.

    `timed`: the processor's clock is read before each step and after the last, into `@name.times`.

    arrays: data pointers, inputs then outputs, each at element 0 of its view; sizes: i64 values of `size_symbols(schedule)`; scalars:
    8-byte slots (i64, double, bool as i64, two doubles for a complex number); arena: 64-byte aligned, `arena_bytes`. Returns 0, or
    1 + k where the k-th check failed.
    """
    module = Module(schedule, target, name, fast, polls)
    f = Function(module)
    if module.moving:
        kept.begin_moves(f, module.moving)
    if timed:
        _emit_timed(f, schedule)
    else:
        emit_steps(f, schedule)
    counters = len(module.symbols) - module.given
    lines = ["entry:", *f.entry, *(_room_behind("i64", "sizes", module.given, counters) if counters else ())]
    lines += _room_behind("ptr", "arrays", module.arrays, len(module.moving)) if module.moving else ()
    checked = bool(module.checks)
    lines.append("%status = alloca i32, align 4")
    if checked:
        lines.append("store i32 0, ptr %status, align 4")
    lines += f.scopes[0].lines
    if module.streams:
        lines.append("fence seq_cst")
    if checked:
        lines += ["%failed = load i32, ptr %status, align 4", "ret i32 %failed"]
    else:
        lines.append("ret i32 0")
    arrays, sizes = ".given" if module.moving else "", ".given" if counters else ""
    main = f"define i32 @{name}(ptr %arrays{arrays}, ptr %sizes{sizes}, ptr %scalars, ptr %arena) nounwind {{\n" + "\n".join(lines) + "\n}"
    parts = [f'target triple = "{target.triple}"', *module.globals.values(), *module.declarations(), *module.functions, main]
    parts += module.needs.values()
    if module.metadata:
        parts.append("!0 = !{i32 1}")
    return Emission("\n".join(parts) + "\n", name, module.inputs, tuple(module.checks), tuple(module.externals))


def emit_steps(f: Function, schedule: Schedule) -> None:
    """The kernels and calls of a program, or of a round of one of its loops."""
    for number, step in enumerate(schedule.steps):
        if number and number == schedule.checked:
            _end_failed(f)
        _emit_step(f, step)


def _emit_step(f: Function, step: Kernel | LibraryCall) -> None:
    if not isinstance(step, LibraryCall):
        emit_kernel(f, step)
    elif step.kind == "loop":
        kept.emit_loop(f, step, emit_steps)
    else:
        (externs.emit_extern if step.kind == "extern" else library.emit_call)(f, step)


def _emit_timed(f: Function, schedule: Schedule) -> None:
    name, count = f"@{f.module.name}.times", len(schedule.steps)
    f.module.globals["times"] = f"{name} = global [{count + 1} x i64] zeroinitializer, align 8"
    for number in range(count + 1):
        if number and number == schedule.checked:
            _end_failed(f)
        now = f.name(0, "call i64 @llvm.readcyclecounter()", "x")
        place = f.name(0, f"getelementptr i64, ptr {name}, i64 {number}", "p")
        f.emit(0, f"store volatile i64 {now}, ptr {place}, align 8")
        if number < count:
            _emit_step(f, schedule.steps[number])


def _room_behind(kind: str, name: str, given: int, more: int) -> list[str]:
    """What the caller has given, with room behind it: for the numbers of rounds, for addresses of what moves."""
    lines = [f"%{name} = alloca [{given + more} x {kind}], align 8"]
    for k in range(given):
        lines += [f"%{name}.{k}.from = getelementptr {kind}, ptr %{name}.given, i64 {k}"]
        lines += [f"%{name}.{k} = load {kind}, ptr %{name}.{k}.from, align 8"]
        lines += [f"%{name}.{k}.to = getelementptr {kind}, ptr %{name}, i64 {k}", f"store {kind} %{name}.{k}, ptr %{name}.{k}.to, align 8"]
    return lines


def _end_failed(f: Function) -> None:
    """Return here where a check has failed so far."""
    failed = f.name(0, "load i32, ptr %status, align 4", "x")
    some = f.name(0, f"icmp ne i32 {failed}, 0", "m")
    n = f.fresh()
    f.emit(0, f"br i1 {some}, label %end.{n}, label %on.{n}")
    f.block(f"end.{n}", 0)
    if f.module.streams:
        f.emit(0, "fence seq_cst")
    f.emit(0, f"ret i32 {failed}")
    f.block(f"on.{n}", 0)


def emit_kernel(f: Function, kernel: Kernel) -> None:
    for statement in kernel.body:
        if isinstance(statement, Nest) and statement.loops[0].kind == "parallel" and f.module.target.threads_pay(kernel.work):
            emit_parallel(f, kernel, statement)
        else:
            emit_statement(f, statement)


def emit_parallel(f: Function, kernel: Kernel, nest: Nest) -> None:
    """A nest whose first loop's iterations may be shared out: a function of (context, begin, end), and its call."""
    module = f.module
    captured = [name for name in dict.fromkeys(local_names(nest)) if name in f.locals]
    values = [f.locals[name][0] for name in captured]
    symbol = f"@{module.name}.{kernel.name}.{f.fresh()}"
    module.functions.append(_body_function(module, symbol, nest, dict(zip(captured, values, strict=True))))
    context = _context(f, values)
    module.externals[sharing.PARALLEL] = None
    share = sharing.grain(f, kernel.work, nest.loops[0].extent)
    f.emit(0, f"call void @stax_parallel(ptr {symbol}, ptr {context}, i64 {_runs(f, nest)}, i64 {share})")
    for root in module.writes(nest):
        f.forget(root)


def _runs(f: Function, nest: Nest) -> str:
    """The first loop's extent, or 0 where another loop of the nest is empty (so the body's function has some iteration to run)."""
    own = {loop.index for loop in nest.loops}
    extent, level = size_text(f, nest.loops[0].extent)
    some = all_positive(f, [loop.extent for loop in nest.loops[1:] if not symbols_of(loop.extent) & own])
    return extent if some is None else f.name(level, f"select i1 {some}, i64 {extent}, i64 0", "x")


def _context(f: Function, values: list[Value]) -> str:
    """The context structure on the stack: the program's arguments, then captured locals in 8-byte slots."""
    slots = sum(2 if value.imag else 1 for value in values)
    f.count += 1
    context = f"%context.{f.count}"
    f.entry.append(f"{context} = alloca [{len(CONTEXT) + slots} x i64], align 8")
    texts = [("ptr", f"%{name}") for name in CONTEXT]
    for value in values:
        kind = element(value.dtype)
        texts += [(kind, text) for text in (value.text, value.imag) if text]
    for k, (kind, text) in enumerate(texts):
        place = f.name(0, f"getelementptr i64, ptr {context}, i64 {k}", "p") if k else context
        f.emit(0, f"store {kind} {text}, ptr {place}, align 8")
    return context


def _body_function(module: Module, symbol: str, nest: Nest, captured: dict[str, Value]) -> str:
    f = Function(module)
    slot = 0

    def next_slot(kind: str, name: str) -> str:
        nonlocal slot
        place = f.name(0, f"getelementptr i64, ptr %context, i64 {slot}", "p") if slot else "%context"
        slot += 1
        f.emit(0, f"{name} = load {kind}, ptr {place}, align 8")
        return name

    for name in CONTEXT:
        next_slot("ptr", f"%{name}")
    for name, value in captured.items():
        kind = element(value.dtype)
        texts = [next_slot(kind, f"%l.{f.fresh()}") if text else "" for text in (value.text, value.imag)]
        f.locals[name] = [Value(texts[0], value.dtype, 1, 0, imag=texts[1])]
    start, _ = size_text(f, nest.loops[0].start)
    bounds = "%begin", "%end"
    if start != "0":
        bounds = f.name(0, f"add i64 %begin, {start}", "x"), f.name(0, f"add i64 %end, {start}", "x")
    emit_nest(f, nest, bounds)
    fence = ["fence seq_cst"] if module.streams else []  # non-temporal stores are not ordered by what announces the tile's end
    lines = ["entry:", *f.entry, *f.scopes[0].lines, *fence, "ret void"]
    return f"define internal void {symbol}(ptr %context, i64 %begin, i64 %end) nounwind {{\n" + "\n".join(lines) + "\n}"


def local_names(nest: Nest) -> list[str]:
    """Names of locals that the nest's expressions mention, in order."""
    names: list[str] = []
    seen: set[Node] = set()
    waiting: list[Statement] = [nest]
    while waiting:
        statement = waiting.pop(0)
        roots: list[Node] = []
        if isinstance(statement, Nest):
            waiting += statement.body
            roots = [accumulator.value for accumulator in statement.accumulators]
        else:
            roots = [statement.value]
            if isinstance(statement, Store):
                roots += statement.indirect
        while roots:
            node = roots.pop()
            if node not in seen:
                seen.add(node)
                roots += node.operands
                if node.op == "local":
                    names.append(node["name"])
    return names
