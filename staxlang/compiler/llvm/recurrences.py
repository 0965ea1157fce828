"""Serial loops that read what they wrote one step, or a few steps, before: such elements stay in registers from step to step, as do
numbers that each step changes.

A step that reads its predecessor's result back from memory waits for the store; that is longer than most steps take.
"""

from __future__ import annotations

from staxlang.base.records import record, replace
from staxlang.base.sizes import Size, substitute, symbol, symbols
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.loops.ir import Buffer, Let, Loop, Nest, Store
from staxlang.compiler.node import Node

# Elements of so many steps before are carried.
FARTHEST = 4


@record
class Link:
    """What a store writes is read by `loads[k]` k + 1 steps later (None: by nobody). `fixed`: every step writes the same element."""

    store: Store
    buffer: Buffer
    loads: tuple[Node | None, ...]
    fixed: bool = False


def links(f: Function, nest: Nest, loop: Loop) -> list[Link]:
    """Of an innermost serial loop: its stores whose elements are read again in the next steps, outside of conditions."""
    stores = [one for one in nest.body if isinstance(one, Store)]
    if loop.kind == "vector" or f.lanes is not None or nest.accumulators or any(isinstance(one, Nest) for one in nest.body):
        return []
    roots = [f.module.root(f.module.buffers[one.buffer]) for one in stores]
    read: dict[Node, None] = {}
    for statement in nest.body:
        if not isinstance(statement, Nest):
            read.update(dict.fromkeys(_unconditional(statement.value)))
    found: list[Link] = []
    for store, root in zip(stores, roots, strict=True):
        buffer = f.module.buffers[store.buffer]
        if store.mode != "set" or store.indirect or roots.count(root) != 1 or buffer.dtype.kind not in "biuf":
            continue
        if all(loop.index not in symbols(one) for one in store.subscripts):
            same = _at(read, store, store.subscripts)
            if same is not None:
                found.append(Link(store, buffer, (same,), True))
            continue
        loads = tuple([_of_step(read, store, loop, back) for back in range(1, FARTHEST + 1)])
        farthest = max([back + 1 for back, load in enumerate(loads) if load is not None], default=0)
        if farthest:
            found.append(Link(store, buffer, loads[:farthest]))
    return found


def _of_step(read: dict[Node, None], store: Store, loop: Loop, back: int) -> Node | None:
    """The load of what the store has written so many steps before."""
    subscripts = tuple([substitute(one, {loop.index: symbol(loop.index) - back}) for one in store.subscripts])
    return _at(read, store, subscripts)


def _at(read: dict[Node, None], store: Store, subscripts: tuple[Size, ...]) -> Node | None:
    same = [one for one in read if one["buffer"] == store.buffer and not one.operands and one["subscripts"] == subscripts]
    return same[0] if same else None


def _unconditional(root: Node) -> list[Node]:
    """The loads of an expression that every step does: not those under conditions."""
    found: list[Node] = []
    waiting, seen = [root], {root}
    while waiting:
        node = waiting.pop()
        if node.op == "load":
            found.append(node)
        for operand in node.operands[:1] if node.op == "guard" else node.operands:
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return found


def before_first(f: Function, link: Link, loop: Loop) -> list[Value]:
    """The elements that the first step reads, nearest first: they are in memory, or between elements that are."""
    made: list[Value] = []
    for back in range(1, len(link.loads) + 1):
        at = link.store.subscripts
        if not link.fixed:
            at = tuple([substitute(one, {loop.index: loop.start - back}) for one in at])
        value = memory.load(f, link.buffer, at, {})
        made.append(Value(value.text, value.dtype, 1, f.level, False, None, value.imag))
    return made


def late_last(f: Function, statement: Let | Store, kept: list[Link]) -> Let | Store:
    """Of an extreme's operands the one that waits for the step before comes last: only the first is tested for NaN, beside the comparison,
    and that need not wait."""
    interner = f.module.schedule.program.interner
    late = {load for link in kept for load in link.loads if load is not None}
    done: dict[Node, Node] = {}

    def turned(node: Node) -> Node:
        found = done.get(node)
        if found is None:
            operands = tuple([turned(one) for one in node.operands])
            if node.op in ("maximum", "minimum") and node.type.kind == "f" and operands[0] in late and operands[1] not in late:
                operands = operands[::-1]
            found = node if operands == node.operands else interner.make(node.op, operands, node.type, **dict(node.attributes))
            if not late.isdisjoint(operands):
                late.add(found)
            done[node] = found
        return found

    value = turned(statement.value)
    return statement if value is statement.value else replace(statement, value=value)


def take(f: Function, link: Link, values: list[Value]) -> None:
    """From now on, in this step, the loads are these values."""
    for load, value in zip(link.loads, values, strict=True):
        if load is not None:
            f.remember(f.memo, load, Value(value.text, value.dtype, 1, f.level, False, None, value.imag))
