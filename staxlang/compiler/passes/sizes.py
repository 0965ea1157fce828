"""Known sizes put in: where guards say that two sizes are equal, the graph speaks of one of them only, so that equal loops look equal."""

from __future__ import annotations

from typing import Any

from staxlang.base.sizes import Facts, SizeExpression
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, inherit_spans, topological
from staxlang.compiler.node import Node


def settle_sizes(graph: Graph) -> Graph:
    """The graph with every size simplified by the equalities among its facts; pending nodes are left out."""
    if not any(condition.relation == "==" for condition in graph.facts.conditions):
        return graph
    return _settled(graph, graph.facts, {})


def _settled(graph: Graph, facts: Facts, mapping: dict[Node, Node]) -> Graph:
    interner = graph.interner
    for node in topological((*graph.inputs, *graph.scalars, *graph.roots)):
        if node in mapping:
            continue
        attributes = {key: _simplified(value, facts, mapping) for key, value in node.attributes}
        operands = tuple([mapping[o] for o in node.operands])
        made = mapping[node] = interner.make(node.op, operands, _type(node.type, facts), **attributes)
        inherit_spans(node, made, interner)
    return graph._replace(
        inputs=tuple([mapping[n] for n in graph.inputs]),
        scalars=tuple([mapping[n] for n in graph.scalars]),
        outputs=tuple([mapping[n] for n in graph.outputs]),
        updates=tuple([(place, mapping[n]) for place, n in graph.updates]),
        pending=(),
        checks=tuple([mapping[n] for n in graph.checks]),
    )


def _type(type: TensorType, facts: Facts) -> TensorType:
    shape = tuple([facts.simplify(extent) for extent in type.shape])
    layout = None if type.layout is None else tuple([facts.simplify(stride) for stride in type.layout])
    return type if shape == type.shape and layout == type.layout else TensorType(type.dtype, shape, layout)


def _simplified(value: Any, facts: Facts, mapping: dict[Node, Node]) -> Any:
    if isinstance(value, SizeExpression):
        return facts.simplify(value)
    if isinstance(value, Graph):
        return _settled(value, facts, mapping)
    if type(value) is tuple:
        return tuple([_simplified(item, facts, mapping) for item in value])  # pyright: ignore[reportUnknownVariableType]
    return value
