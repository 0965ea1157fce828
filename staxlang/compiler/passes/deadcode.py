"""Dead code: everything that no result and no update needs. Inputs stay in the signature."""

from __future__ import annotations

from staxlang.compiler.graph import Graph


def drop_dead_code(graph: Graph) -> Graph:
    """The graph without pending nodes, and without updates that write what is there already.

    After it, a node that only a data gate read is gone: slices for gates are taken before.
    """
    updates = tuple([(position, node) for position, node in graph.updates if node is not graph.inputs[position]])
    if not graph.pending and len(updates) == len(graph.updates):
        return graph
    return graph._replace(updates=updates, pending=())
