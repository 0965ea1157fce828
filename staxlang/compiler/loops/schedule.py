"""A LoopProgram becomes a Schedule: units, clusters, plans, kernels, memory, in that order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.records import replace
from staxlang.base.sizes import Size
from staxlang.compiler.loops.cluster import Cluster
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.fuse import fuse, touched
from staxlang.compiler.loops.ir import Kernel, LibraryCall, LoopProgram, Schedule
from staxlang.compiler.loops.kept import flattened, is_loop, names_inside, schedule_loop
from staxlang.compiler.loops.kernels import kernel_of
from staxlang.compiler.loops.memory import itself, plan_memory
from staxlang.compiler.loops.moments import split_moments
from staxlang.compiler.loops.symbols import size_symbols
from staxlang.compiler.loops.units import Step, make_units
from staxlang.compiler.loops.updates import with_updates
from staxlang.compiler.loops.walks import with_groups
from staxlang.compiler.loops.written_out import written_out
from staxlang.compiler.target import Target

if TYPE_CHECKING:
    from staxlang.compiler.loops import rounds
else:
    rounds = deferred("staxlang.compiler.loops.rounds")

__all__ = ["schedule", "size_symbols"]


def _scheduled_round(target: Target, prefix: str, program: LoopProgram, bound: Callable[[Size], Size]) -> Schedule:
    return schedule(program, target, None, prefix, bound)


def schedule(
    program: LoopProgram, target: Target, settings: object | None = None, prefix: str = "", bound: Callable[[Size], Size] = itself
) -> Schedule:
    """Kernels and library calls that compute the program's outputs on the target, in order; its updates are done by kernels, too.

    `prefix` begins the names of kernels: those of a loop's round are called after the loop. `bound` gives what extents are at most in a
    round: temporaries lie at the same places in each.
    """
    buffers = dict(program.buffers)
    ex = Expressions(program.interner, buffers)
    for name in names_inside(program):
        ex.take(name)
    program, copied = with_updates(program, ex)
    opened: list[str] = []
    if any(map(is_loop, program.steps)):
        program, opened = rounds.with_open_loops(program, ex)
    program = written_out(program, ex)
    groups, notes = grouped(program, ex, target)
    notes += copied + opened
    made: list[Kernel | LibraryCall] = []
    outside = needed_outside(groups, program, ex)
    read = read_by_others(groups, ex)
    for group in groups:
        if isinstance(group, LibraryCall):
            inside = partial(_scheduled_round, target, f"{prefix}k{len(made)}.")
            made.append(schedule_loop(group, inside, ex) if group.kind == "loop" else group)
            continue
        stored = stored_by(group, outside, ex)
        kernel = kernel_of(f"{prefix}k{len(made)}", group, stored, frozenset(stored & read), ex, target)
        made.append(kernel)
        if len(group.units) > 1:
            notes.append(f"{kernel.name}: {', '.join(unit.buffer for unit in group.units)} in one kernel")
    made_first = sum([_is_early(group, program) for group in groups]) if program.checked else 0
    planned = replace(plan_memory(replace(program, buffers=buffers), made, tuple(notes), ex, bound), checked=made_first)
    return flattened(planned, buffers) if any(map(is_loop, made)) else planned


def grouped(program: LoopProgram, ex: Expressions, target: Target) -> tuple[list[Cluster | LibraryCall], list[str]]:
    """The program's definitions gathered into those of one kernel each, in order; and in words what was not fused."""
    steps = with_groups(split_moments(make_units(program, ex), ex, target), ex)
    if not program.checked:
        return fuse(steps, ex, target)
    early, notes = fuse([step for step in steps if _is_early(step, program)], ex, target)
    late, more = fuse([step for step in steps if not _is_early(step, program)], ex, target)
    return early + late, notes + more


def _is_early(step: Step | Cluster, program: LoopProgram) -> bool:
    """Whether a step belongs to those that run before arguments are written to."""
    if isinstance(step, LibraryCall):
        return any(step is one for one in program.steps[: program.checked])
    first = step.units[0] if isinstance(step, Cluster) else step
    return ceil(first.number) < program.checked  # parts of a step have numbers a little less than its own


def stored_by(group: Cluster, outside: set[str], ex: Expressions) -> frozenset[str]:
    """The buffers that a cluster's kernel has to write."""
    return frozenset([unit.buffer for unit in group.units if unit.buffer in outside or ex.buffers[unit.buffer].role != "temporary"])


def read_by_others(groups: list[Cluster | LibraryCall], ex: Expressions) -> set[str]:
    """Buffers that a group reads which it has not written itself."""
    found: set[str] = set()
    for group in groups:
        if isinstance(group, LibraryCall):
            found |= {view.buffer for view in group.operands}
        else:
            reads: set[str] = set()
            for unit in group.units:
                reads |= touched(unit, ex)[0]
            found |= reads - {unit.buffer for unit in group.units}
    return found


def needed_outside(groups: list[Cluster | LibraryCall], program: LoopProgram, ex: Expressions) -> set[str]:
    """Buffers that a group other than the writing one reads or changes, or that must hold their value at the end."""
    needed = {*program.outputs, *program.checks} | {buffer for _, buffer in program.updates}
    writers: set[str] = set()
    for group in groups:
        if isinstance(group, LibraryCall):
            needed |= {view.buffer for view in group.operands}
            writers |= {view.buffer for view in group.outs}
            continue
        written = {unit.buffer for unit in group.units}
        needed |= written & writers
        writers |= written
        for unit in group.units:
            reads, _ = touched(unit, ex)
            needed |= reads - written
    return needed
