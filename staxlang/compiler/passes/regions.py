"""Region annotation: which nodes form one chain of pointwise work. It changes nothing but the annotation."""

from __future__ import annotations

from staxlang.base.operations import OPERATIONS
from staxlang.compiler.graph import Graph, topological
from staxlang.compiler.node import Node

_POINTWISE = frozenset(("cast", "view", "copy", *OPERATIONS))


def annotate_regions(graph: Graph) -> Graph:
    """The graph with its `regions`: groups of connected pointwise nodes (views and casts in between count), in order."""
    leader: dict[Node, Node] = {}

    def find(node: Node) -> Node:
        while leader[node] is not node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    order = [node for node in topological(graph.roots) if node.op in _POINTWISE]
    for node in order:
        leader[node] = node
        for operand in node.operands:
            if operand in leader:
                leader[find(operand)] = find(node)
    groups: dict[Node, list[Node]] = {}
    for node in order:
        groups.setdefault(find(node), []).append(node)
    return graph._replace(regions=tuple([tuple(group) for group in groups.values()]))
