"""Temporaries get their places in the arena: lifetimes over the kernels' order, reuse of what is dead, symbolic offsets."""

from __future__ import annotations

from staxlang.base.sizes import Size
from staxlang.base.types import element_count
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Allocation, Kernel, LibraryCall, LoopProgram, Nest, Schedule, Statement, Store
from staxlang.compiler.node import Node

ALIGNMENT = 64


def plan_memory(program: LoopProgram, steps: list[Kernel | LibraryCall], notes: tuple[str, ...]) -> Schedule:
    """The schedule with every temporary placed."""
    lifetimes = lifetimes_of(program, steps)
    allocations: list[Allocation] = []
    end: Size = 0
    free: list[tuple[Size, Size]] = []  # (offset, bytes)
    dying: list[tuple[int, Size, Size]] = []
    for buffer, (first, last) in sorted(lifetimes.items(), key=lambda one: one[1]):
        found = program.buffers[buffer]
        size = aligned(element_count(found.shape) * found.dtype.itemsize)
        for item in [item for item in dying if item[0] < first]:
            dying.remove(item)
            free.append(item[1:])
        fitting = next((place for place in free if place[1] == size), None)
        if fitting is None and isinstance(size, int):
            larger = [place for place in free if isinstance(place[1], int) and place[1] >= size]
            fitting = min(larger, key=lambda place: place[1]) if larger else None
        if fitting is None:
            fitting = end, size
            end = end + size
        else:
            free.remove(fitting)
        allocations.append(Allocation(buffer, fitting[0], size))
        dying.append((last, *fitting))
    return Schedule(program, tuple(steps), tuple(allocations), end, (), notes)


def aligned(size: Size) -> Size:
    return (size + (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT


def lifetimes_of(program: LoopProgram, steps: list[Kernel | LibraryCall]) -> dict[str, tuple[int, int]]:
    """(first step, last step) of each temporary that a step touches; to the end for what is written back."""
    found: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(steps):
        for buffer in touched_by(step):
            if buffer in program.buffers and program.buffers[buffer].role == "temporary":
                first = found.get(buffer, (number, number))[0]
                found[buffer] = first, number
    for _, buffer in program.updates:
        if buffer in found:
            found[buffer] = found[buffer][0], len(steps)
    return found


def touched_by(step: Kernel | LibraryCall) -> list[str]:
    """Buffers that a step reads or writes, each once."""
    if isinstance(step, LibraryCall):
        return list(dict.fromkeys([view.buffer for view in (*step.operands, step.out)]))
    found: dict[str, None] = {}
    for statement in step.body:
        _touch(statement, found)
    return list(found)


def _touch(statement: Statement, found: dict[str, None]) -> None:
    values: list[Node] = []
    if isinstance(statement, Nest):
        for one in statement.body:
            _touch(one, found)
        values = [one.value for one in statement.accumulators]
    else:
        values = [statement.value]
        if isinstance(statement, Store):
            found[statement.buffer] = None
            values += statement.indirect
    for node in subexpressions(values):
        if node.op == "load":
            found[node["buffer"]] = None
