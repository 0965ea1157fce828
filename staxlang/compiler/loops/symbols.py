"""A schedule's free size symbols: what the caller has to give numbers for."""

from __future__ import annotations

from collections.abc import Iterable

from staxlang.base.sizes import Size, SizeExpression, symbols
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import BufferView, Kernel, LibraryCall, Nest, Schedule, Statement, Store
from staxlang.compiler.loops.kept import all_steps
from staxlang.compiler.node import Node


def size_symbols(schedule: Schedule) -> tuple[str, ...]:
    """The names of the sizes that a schedule depends on, sorted; loop indices are not among them.

    Shapes and strides of all inputs and outputs count, whether code reads them or not.
    """
    found: set[str] = set()
    bound: set[str] = set()
    seen: set[Node] = set()
    for buffer in schedule.program.buffers.values():
        _add(found, (*buffer.shape, *buffer.strides))
    for step in all_steps(schedule):
        if isinstance(step, Kernel):
            _add(found, (step.work,))
            for statement in step.body:
                _statement(statement, found, bound, seen)
        else:
            _call(step, found)
            if step.kind == "loop":
                bound.add(step["index"])
    for allocation in schedule.allocations:
        _add(found, (allocation.offset, allocation.bytes))
    _add(found, (schedule.arena_bytes,))
    return tuple(sorted(name for name in found - bound if name[0] != "$"))


def _add(found: set[str], sizes: Iterable[Size]) -> None:
    for size in sizes:
        if not isinstance(size, int):
            found |= symbols(size)


def _call(step: LibraryCall, found: set[str]) -> None:
    views: tuple[BufferView, ...] = (*step.outs, *step.operands)
    for view in views:
        _add(found, (*view.shape, *view.strides, view.offset))
    if step.kind == "loop":
        _add(found, () if step["extent"] is None else (step["extent"],))
    if step.kind == "extern":
        _add(found, [value for _, value in step["options"] if isinstance(value, SizeExpression)])


def _statement(statement: Statement, found: set[str], bound: set[str], seen: set[Node]) -> None:
    if isinstance(statement, Nest):
        for loop in statement.loops:
            _add(found, (loop.extent, loop.start))
            bound.add(loop.index)
        for one in statement.body:
            _statement(one, found, bound, seen)
        for accumulator in statement.accumulators:
            _add(found, (accumulator.position,))
            _expression(accumulator.value, found, seen)
    elif isinstance(statement, Store):
        _add(found, statement.subscripts)
        for node in (statement.value, *statement.indirect):
            _expression(node, found, seen)
    else:
        _expression(statement.value, found, seen)


def _expression(root: Node, found: set[str], seen: set[Node]) -> None:
    for node in subexpressions((root,), seen):
        if node.op == "load":
            _add(found, node["subscripts"])
        elif node.op == "size":
            _add(found, (node["value"],))
        elif node.op == "assert_index":
            extent = node.get("extent")
            if extent is not None:
                _add(found, (extent,))
