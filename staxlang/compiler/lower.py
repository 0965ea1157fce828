"""Graph to LoopProgram: each value a definition by subscripts; views become subscripts, numbers and sizes part of the bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.operations import OPERATIONS
from staxlang.compiler.graph import Graph, GraphError, topological
from staxlang.compiler.loops.ir import Definition, LoopProgram
from staxlang.compiler.lowering.borders import lower_bordered
from staxlang.compiler.lowering.checks import with_own_checks
from staxlang.compiler.lowering.composites import open_composites
from staxlang.compiler.lowering.contract import lower_contract
from staxlang.compiler.lowering.externs import lower_extern
from staxlang.compiler.lowering.pieces import lower_pieces, open_nodes
from staxlang.compiler.lowering.pointwise import (
    lower_assert_index,
    lower_cast,
    lower_copy,
    lower_pointwise,
    lower_reduce,
    lower_scan,
)
from staxlang.compiler.lowering.reshaped import reshaped
from staxlang.compiler.lowering.state import READ_ROWS, Lowering
from staxlang.compiler.lowering.structure import find_nested, lower_concatenate, lower_gather, lower_pad
from staxlang.compiler.lowering.updates import evaluation_order, find_homes, lower_scatter, lower_update
from staxlang.compiler.node import Node
from staxlang.typecheck.views import indices

if TYPE_CHECKING:
    from staxlang.compiler.lowering import loops
else:
    loops = deferred("staxlang.compiler.lowering.loops")

LoweringRow = Callable[[Lowering, Node], None]

LOWERING_ROWS: dict[str, LoweringRow] = {
    "cast": lower_cast,
    "copy": lower_copy,
    "assert_index": lower_assert_index,
    "reduce": lower_reduce,
    "scan": lower_scan,
    "concatenate": lower_concatenate,
    "pad": lower_pad,
    "gather": lower_gather,
    "scatter": lower_scatter,
    "update": lower_update,
    "contract": lower_contract,
    "bordered": lower_bordered,
    "pieces": lower_pieces,
    "extern": lower_extern,
}
_LATE = frozenset(("extern", "loop", "update", "scatter"))
_READ_THROUGH = frozenset(("view", *READ_ROWS))


def lower(graph: Graph, basis: frozenset[str] | None = None) -> LoopProgram:
    """The graph's loop program. Composites are opened here, in their numerically controlled form (rows not in `basis` expanded).

    Inputs keep their strides, results are row-major; every result gets a buffer of its own, also one that is an input or the same
    value twice. Nothing is fused here.
    """
    graph = _ready(graph, basis)
    state = Lowering(graph)
    _declare_inputs(state, graph)
    order = evaluation_order((*_asked_first(graph), *graph.roots))
    _declare_outputs(state, graph)
    _lower_nodes(state, order, partial(_ready, basis=basis))
    outputs = tuple([_store_result(state, node, position) for position, node in enumerate(graph.outputs)])
    updates = tuple([(position, _update_buffer(state, node)) for position, node in graph.updates])
    checks = tuple([state.stored[node] for node in graph.checks])
    shapes = tuple([node.type.shape for node in graph.outputs])
    return LoopProgram(state.interner, state.buffers, tuple(state.steps), outputs, updates, checks=checks, shapes=shapes)


def _asked_first(graph: Graph) -> list[Node]:
    """The checks that need no routine from outside: such a routine may not bear what they find, and would fail with words of its own."""
    if not graph.checks or all(node.op != "extern" for node in topological(graph.roots)):
        return []
    return [check for check in graph.checks if all(node.op not in _LATE for node in topological((check,)))]


def _ready(graph: Graph, basis: frozenset[str] | None) -> Graph:
    return with_own_checks(open_composites(graph, basis))


def _lower_nodes(state: Lowering, order: list[Node], settle: Callable[[Graph], Graph]) -> None:
    """The steps of a graph's nodes, operands first; `settle` readies the graphs of rounds."""
    state.results_of_pieces = tuple([node for node in order if node.op == "pieces"])
    if state.results_of_pieces:
        state.open = open_nodes(order)
    find_homes(state, order)
    state.nested |= find_nested(state, order)
    for node in order:
        if node in state.stored or node.op in _READ_THROUGH or node in state.open or node in state.nested:
            continue
        state.spans = state.graph.interner.spans.get(node, {})
        row = LOWERING_ROWS.get(node.op)
        if row is not None:
            row(state, node)
        elif node.op == "loop":
            loops.lower_loop(state, node, partial(_lower_nodes, settle=settle), settle)
        elif node.op in OPERATIONS:
            lower_pointwise(state, node)
        elif node.op == "constant_array":
            name = state.add_buffer(state.fresh("t"), node.type.dtype, node.type.shape, "constant", value=node["data"])
            state.stored[node] = name
        else:
            raise GraphError(f"{node!r} has no loop form")


def _declare_inputs(state: Lowering, graph: Graph) -> None:
    for role, nodes in (("input", graph.inputs), ("scalar", graph.scalars)):
        for position, node in enumerate(nodes):
            name = state.input_name(node.get("path", f"{role}{position}"))
            state.stored[node] = state.add_buffer(name, node.type.dtype, node.type.shape, role, position, strides=node.type.layout)


def _declare_outputs(state: Lowering, graph: Graph) -> None:
    """Each computed value that is a result is made in the result's buffer."""
    for position, node in enumerate(graph.outputs):
        if node in state.stored or node in state.homes or node.op in _READ_THROUGH or node.op == "constant_array":
            continue
        state.homes[node] = state.add_buffer(f"out{position}", node.type.dtype, node.type.shape, "output", position)
    for position, node in enumerate(graph.outputs):
        base = reshaped(node, graph.facts)
        if base is not None and base not in state.homes and base not in state.stored:
            state.homes[base] = state.add_buffer(f"out{position}", base.type.dtype, base.type.shape, "output", position)


def _store_result(state: Lowering, node: Node, position: int) -> str:
    name = f"out{position}"
    if name in state.buffers and state.stored.get(node) != name:  # it is made in another shape
        base = reshaped(node, state.graph.facts)
        if base is not None and state.stored.get(base) == name:
            return name
    if state.stored.get(node) != name:
        state.add_buffer(name, node.type.dtype, node.type.shape, "output", position)
        at = indices(len(node.type.shape))
        state.steps.append(Definition(name, state.ranges(node.type.shape), at, state.read(node, at)))
    return name


def _update_buffer(state: Lowering, node: Node) -> str:
    """The buffer with an input's new value, never another input's: several updates may exchange them."""
    buffer = state.stored.get(node)
    if buffer is not None and state.buffers[buffer].role in ("output", "temporary"):
        return buffer
    at = indices(len(node.type.shape))
    name = state.add_buffer(state.fresh("t"), node.type.dtype, node.type.shape, "temporary")
    state.steps.append(Definition(name, state.ranges(node.type.shape), at, state.read(node, at)))
    return name
