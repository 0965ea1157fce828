"""Extern operations of which some results are not used: the cheaper call that gives the others takes their place."""

from __future__ import annotations

from typing import Any

from staxlang.base.externs import find_extern
from staxlang.compiler.graph import Graph, inherit_spans, rebuild, topological
from staxlang.compiler.node import Node


def prune_externs(graph: Graph) -> Graph:
    """The graph with each call of an extern operation in its cheapest form (`svd` without u and vh becomes `svdvals`)."""
    calls: dict[Any, list[Node]] = {}
    for node in topological(graph.roots):
        if node.op == "extern":
            calls.setdefault((node.operands, node["name"], node["options"]), []).append(node)
    mapping: dict[Node, Node] = {}
    for nodes in calls.values():
        _prune(graph, nodes, mapping)
    if not mapping:
        return graph
    return _rebuilt(graph, mapping)


def _prune(graph: Graph, nodes: list[Node], mapping: dict[Node, Node]) -> None:
    first = nodes[0]
    row = find_extern(first["name"])
    used = frozenset([node["result"] for node in nodes])
    found = None if row is None or row.prune is None else row.prune(used, dict(first["options"]))
    if found is None:
        return
    options = tuple(sorted(found.options.items()))
    for node in nodes:
        number = found.results[node["result"]]
        made = graph.interner.make("extern", node.operands, node.type, name=found.name, options=options, result=number)
        inherit_spans(node, made, graph.interner)
        mapping[node] = made


def _rebuilt(graph: Graph, mapping: dict[Node, Node]) -> Graph:
    """The graph with nodes replaced. (A replacement's own operands may have to be replaced as well.)"""
    replaced = dict(mapping)
    table: dict[Node, Node] = {}
    for node in topological(graph.roots):
        if node in replaced:
            made = replaced[node]
            operands = tuple([table.get(operand, operand) for operand in made.operands])
            table[node] = graph.interner.make("extern", operands, made.type, **dict(made.attributes))
            inherit_spans(made, table[node], graph.interner)
        else:
            (table[node],) = rebuild((node,), table, graph.interner)
    return graph._replace(
        outputs=tuple([table[node] for node in graph.outputs]),
        updates=tuple([(position, table[node]) for position, node in graph.updates]),
        checks=tuple([table[node] for node in graph.checks]),
        pending=(),
    )
