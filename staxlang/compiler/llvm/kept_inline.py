"""Loops that stay in the program, of scalar code: written where they stand, with the numbers that they carry in registers.

A loop is written so if its rounds, and those of loops inside of it, are kernels that run on one thread. A number (a buffer without axes)
is held in a register if all that writes it stands at the top of kernels; memory gets its value after the outermost such loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.blocks import Carried, run_if, run_loop
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.module import Module
from staxlang.compiler.llvm.nests import all_positive
from staxlang.compiler.llvm.polls import POLL, interruption, rounds_between
from staxlang.compiler.loops.ir import Kernel, LibraryCall, Nest, Schedule, Statement, Store
from staxlang.compiler.loops.kept import is_loop, movers

EmitSteps = Callable[[Function, Schedule], None]
_NO_END = (1 << 63) - 1


def can_inline(module: Module, step: LibraryCall) -> bool:
    """Whether a loop, with all loops inside of it, is scalar code of one thread."""
    if movers(step) or any(step is one for one in module.loops_shared):
        return False
    for one in step["body"].steps:
        if isinstance(one, LibraryCall):
            if not is_loop(one) or not can_inline(module, one):
                return False
        elif any(isinstance(part, Nest) and part.loops[0].kind == "parallel" and module.target.threads_pay(one.work) for part in one.body):
            return False
    return True


def emit_inline(f: Function, step: LibraryCall, emit_steps: EmitSteps) -> None:
    """The rounds until the last, until one begins with a false condition or has failed, or until a signal comes."""
    module, outermost = f.module, not f.candidates
    if outermost:
        f.candidates = _numbers(module, step)
    roots = [module.root(module.buffers[view.buffer]) for view in step.outs[:-1]]
    held = [root for root in dict.fromkeys(roots) if root in f.candidates]
    go = None if step["go"] is None else module.root(module.buffers[step["go"]])
    for root in held:
        if root not in f.registers:
            f.registers[root] = memory.load(f, module.buffers[root], (), {})
    carried: Carried = [f.registers[root] for root in held]
    writes = frozenset([module.root(module.buffers[store.buffer]) for store in _stores(step)])
    end = str(_NO_END) if step["extent"] is None else size_text(f, step["extent"])[0]
    condition = None if step["extent"] is None else all_positive(f, [step["extent"]])
    if go is not None:
        first = _truth(f, go)
        condition = first if condition is None else f.name(f.level, f"and i1 {condition}, {first}", "m")

    def inside() -> None:
        run_loop(f, "0", end, 1, carried, writes, lambda index: _round(f, step, index, held, carried, emit_steps), lambda: _stop(f, go))

    known = f.memo, f.guarded, f.locals
    f.memo, f.guarded, f.locals = {}, {}, {}  # a round has its own names
    run_if(f, condition, carried, writes, inside)
    f.memo, f.guarded, f.locals = known
    f.registers.update(zip(held, carried, strict=True))
    for root in writes:
        f.forget(root)
    if outermost:
        for root in held:
            _bring_home(f, root)
        f.registers.clear()
        f.candidates = frozenset()


def _round(f: Function, step: LibraryCall, index: str, held: list[str], carried: Carried, emit_steps: EmitSteps) -> None:
    f.indices[step["index"]] = index, f.level
    before = dict(f.registers)
    f.registers.update(zip(held, carried, strict=True))
    emit_steps(f, step["body"])
    carried[:] = [f.registers[root] for root in held]
    if f.module.polls:
        _poll(f, index, step["body"])
    f.registers.clear()
    f.registers.update(before)
    f.registers.update(zip(held, carried, strict=True))
    del f.indices[step["index"]]


def _truth(f: Function, root: str) -> str:
    found = f.registers.get(root)
    return (memory.load(f, f.module.buffers[root], (), {}) if found is None else found).text


def _stop(f: Function, go: str | None) -> str | None:
    """An i1: no round follows."""
    over = None if go is None else f.name(f.level, f"xor i1 {_truth(f, go)}, true", "m")
    if any("ptr %status monotonic" in line for line in f.scopes[-1].lines):
        told = f.name(f.level, "load i32, ptr %status, align 4", "x")
        wrong = f.name(f.level, f"icmp ne i32 {told}, 0", "m")
        over = wrong if over is None else f.name(f.level, f"or i1 {over}, {wrong}", "m")
    return over


def _poll(f: Function, index: str, body: Schedule) -> None:
    """After some rounds ask whether a signal has come; the program ends then."""
    n = f.fresh()
    f.entry += [f"%due.{n} = alloca i64, align 8", f"store i64 0, ptr %due.{n}, align 8"]
    f.module.externals[f"declare i32 @{POLL}(ptr)"] = None
    most = rounds_between(body) - 1
    every = f.name(f.level, f"and i64 {index}, {most}", "x")
    time = f.name(f.level, f"icmp eq i64 {every}, {most}", "m")
    f.emit(f.level, f"br i1 {time}, label %poll.{n}, label %on.{n}")
    f.block(f"poll.{n}")
    answer = f.name(f.level, f"call i32 @{POLL}(ptr %due.{n})", "x")
    told = f.name(f.level, f"icmp ne i32 {answer}, 0", "m")
    f.emit(f.level, f"br i1 {told}, label %interrupted.{n}, label %on.{n}")
    f.block(f"interrupted.{n}")
    if f.module.streams:
        f.emit(f.level, "fence seq_cst")
    f.emit(f.level, f"ret i32 {interruption(f)}")
    f.block(f"on.{n}")


def _bring_home(f: Function, root: str) -> None:
    where = memory.access(f, f.module.buffers[root], (), {})
    value = f.registers[root]
    memory.store(f, where, Value(value.text, f.module.buffers[root].dtype, 1, f.level, False, None, value.imag))
    f.forget(root)


# ---- which numbers are held ----------------------------------------------------------------------------------------


def _kernels(step: LibraryCall) -> Iterator[Kernel]:
    for one in step["body"].steps:
        if isinstance(one, LibraryCall):
            yield from _kernels(one)
        else:
            yield one


def _within(statement: Statement) -> Iterator[Store]:
    if isinstance(statement, Nest):
        for one in statement.body:
            yield from _within(one)
    elif isinstance(statement, Store):
        yield statement


def _stores(step: LibraryCall) -> Iterator[Store]:
    for kernel in _kernels(step):
        for statement in kernel.body:
            yield from _within(statement)


def _numbers(module: Module, step: LibraryCall) -> frozenset[str]:
    """The roots of buffers without axes that only statements at the top of kernels write."""
    top = [store for kernel in _kernels(step) for store in kernel.body if isinstance(store, Store)]
    plain = {id(store) for store in top if store.mode == "set" and not store.subscripts and not store.indirect}
    refused = {module.root(module.buffers[store.buffer]) for store in _stores(step) if id(store) not in plain}
    found = {module.root(module.buffers[store.buffer]) for store in top}
    return frozenset([root for root in found - refused if not module.buffers[root].shape and root not in module.tiles])
