"""Work that is shared out among threads: where, and how large a share is at least."""

from __future__ import annotations

from staxlang.base.sizes import Size
from staxlang.compiler.llvm.extents import divided, size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.loops.ir import LibraryCall, Schedule
from staxlang.compiler.loops.kept import is_loop
from staxlang.compiler.loops.work import loop_work
from staxlang.compiler.target import Target

PARALLEL = "declare void @stax_parallel(ptr, ptr, i64, i64)"
MOST_SCRATCH = 1 << 16  # bytes that a share keeps on its stack
TILES_PER_WORK = 4  # a tile of a parallel loop has at least this part of the work from which on threads pay


def shared_loops(schedule: Schedule, target: Target) -> list[LibraryCall]:
    """The loops that stay whose rounds are given to the pool: where these are independent and it is worth it, the outermost ones."""
    found: list[LibraryCall] = []
    for step in schedule.steps:
        if isinstance(step, LibraryCall) and is_loop(step):
            shared = step["apart"] and scratch_of(step) is not None and target.threads_pay(loop_work(step, 0))
            found += [step] if shared else shared_loops(step["body"], target)
    return found


def scratch_of(step: LibraryCall) -> int | None:
    """Bytes of a round's temporaries, where they fit on a stack."""
    (size,) = step.outs[-1].shape
    return size if isinstance(size, int) and size <= MOST_SCRATCH else None


def grain(f: Function, work: Size, extent: Size) -> str:
    """Iterations that a tile has at least, of `extent` that do so much work; all of them where threads would not pay."""
    target = f.module.target
    least = max(1, target.parallel_work // TILES_PER_WORK)
    if isinstance(work, int) and isinstance(extent, int):
        return str(max(1, least * extent // max(1, work)))
    whole, _ = size_text(f, extent)
    total, level = size_text(f, work)
    safe = total if isinstance(work, int) else f.name(level, f"call i64 @llvm.smax.i64(i64 {total}, i64 1)", "x")
    share = f.name(level, f"mul i64 {whole}, {least}", "x")
    share = divided(f, "udiv", share, safe, level)
    few = f.name(level, f"call i64 @llvm.smax.i64(i64 {share}, i64 1)", "x")
    if isinstance(work, int):
        return few
    enough = f.name(level, f"icmp sge i64 {total}, {target.parallel_work}", "x")
    return f.name(level, f"select i1 {enough}, i64 {few}, i64 {whole}", "x")
