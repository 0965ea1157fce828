"""Extern operations as library calls: operands where they lie, every result in a row-major buffer of its own."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL
from staxlang.base.externs import find_extern
from staxlang.compiler.graph import GraphError, topological
from staxlang.compiler.loops.ir import BufferView, Definition, LibraryCall
from staxlang.compiler.lowering.contract import strided
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.typecheck.views import indices

_ADDRESSED = frozenset(("input", "output", "temporary", "constant"))
"""Roles of buffers that have an address."""


def lower_extern(state: Lowering, node: Node) -> None:
    """One step for all results of the call that are alive; those that nobody reads get memory that is not read."""
    row = find_extern(node["name"])
    if row is None:
        raise GraphError(f"{node!r}: no such extern operation")
    alive = {other["result"]: other for other in topological(state.graph.roots) if _same_call(other, node)}
    operands = tuple([_operand(state, operand, place in row.overwrites) for place, operand in enumerate(node.operands)])
    outs: list[BufferView] = []
    for number, type in enumerate(row.results(tuple([operand.type for operand in node.operands]), node["options"])):
        own = alive.get(number)
        if own is None:
            buffer = state.add_buffer(state.fresh("t"), type.dtype, type.shape, "temporary")
        else:
            buffer = state.stored[own] = state.buffer_for(own)
        found = state.buffers[buffer]
        outs.append(BufferView(buffer, found.shape, found.strides))
    check = state.make("extern_check", (), BOOL, name=row.name, step=len(state.steps))
    if state.spans:
        state.interner.spans.setdefault(check, state.spans)
    attributes = (("name", row.name), ("options", node["options"]), ("native", row.native), ("check", check))
    state.steps.append(LibraryCall("extern", tuple(outs), operands, attributes))


def _same_call(one: Node, other: Node) -> bool:
    """Whether two nodes are results of one call."""
    return one.op == "extern" and one.operands == other.operands and one["name"] == other["name"] and one["options"] == other["options"]


def _operand(state: Lowering, node: Node, private: bool) -> BufferView:
    """A value as it lies; a row-major copy where it is no strided view of memory, or is to be `private`."""
    view = None if private else strided(state, node)
    if view is not None and state.buffers[view.buffer].role in _ADDRESSED:
        return view
    shape = node.type.shape
    buffer = state.add_buffer(state.fresh("t"), node.type.dtype, shape, "temporary")
    at = indices(len(shape))
    state.steps.append(Definition(buffer, state.ranges(shape), at, state.read(node, at)))
    return BufferView(buffer, shape, state.buffers[buffer].strides)
