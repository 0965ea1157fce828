"""Known composites are opened here, at the last moment, in the numerical form that the compiler wants."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.sizes import Condition, Facts
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, inherit_spans, rebuild, remake, topological
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.passes.decompose import inline
from staxlang.compiler.pipeline import optimize
from staxlang.typecheck.views import index

Opening = Callable[[Node, Interner, Facts], Node]


def open_composites(graph: Graph, basis: frozenset[str] | None = None) -> Graph:
    """The graph without composite nodes, its new parts rewritten like the rest."""
    roots = graph.roots
    if not any(node.op == "composite" for node in topological(roots)):
        return graph
    mapping: dict[Node, Node] = {}
    opened = _open(list(roots), mapping, graph)
    count = len(graph.outputs)
    updates = tuple([(position, node) for (position, _), node in zip(graph.updates, opened[count:], strict=False)])
    checks = tuple(opened[count + len(updates) :])
    return optimize(graph._replace(outputs=tuple(opened[:count]), updates=updates, pending=(), checks=checks), basis)[0]


def _open(roots: list[Node], mapping: dict[Node, Node], graph: Graph) -> list[Node]:
    interner = graph.interner
    for node in topological(roots):
        if node in mapping:
            continue
        made = remake(node, tuple([mapping[o] for o in node.operands]), interner)
        if made.op == "composite":
            body = OPENING_ROWS.get(made["name"], open_plainly)(made, interner, graph.facts)
            inherit_spans(made, body, interner)
            (made,) = _open([body], {o: o for o in made.operands}, graph)  # composites inside the body
        mapping[node] = made
    return [mapping[root] for root in roots]


def open_plainly(node: Node, interner: Interner, facts: Facts) -> Node:
    """The library's own text: softmax and its like subtract the maximum there, so the form is under control already."""
    return inline(node)


def open_variance(node: Node, interner: Interner, facts: Facts) -> Node:
    """Variance over whole rows stays in two passes (the row is in cache); over anything else Welford's single pass reads memory once.

    Welford runs on the distances from the first element: with a mean that is large against the spread, its running mean would round
    away what it is to measure. Where there may be no first element, the two passes stay.
    """
    body = inline(node)
    mapping: dict[Node, Node] = {}
    for inner in topological((body,)):
        source = squared_deviations(inner)
        if source is not None and not _over_rows(inner, source) and not _may_be_empty(inner, source, facts):
            axes: tuple[int, ...] = inner["axes"]
            shape = source.type.shape
            first = tuple([0 if axis in axes else index(axis) for axis in range(len(shape))])
            spread = interner.make("view", (source,), TensorType(source.type.dtype, shape), subscripts=first)
            distance = interner.make("subtract", (source, spread), TensorType(source.type.dtype, shape))
            mapping[inner] = interner.make("reduce", (distance,), inner.type, kind="welford_m2", axes=axes)
    return rebuild((body,), mapping, interner)[0] if mapping else body


def squared_deviations(node: Node) -> Node | None:
    """x, where the node is the sum of (x - mean(x))**2 over the same axes; None otherwise. Sums and means may be kept composites."""
    if node.op != "reduce" or node["kind"] != "sum":
        return None
    square = node.operands[0]
    if square.op == "multiply" and square.operands[0] is square.operands[1]:
        deviation = square.operands[0]
    elif square.op == "square" or (square.op == "power" and _number(square.operands[1]) == 2):
        deviation = square.operands[0]
    else:
        return None
    if deviation.op != "subtract" or deviation.type.dtype.kind != "f":
        return None
    source, mean = deviation.operands
    return source if _is_mean_of(mean, source, node["axes"]) else None


def _is_mean_of(node: Node, source: Node, axes: tuple[int, ...]) -> bool:
    while node.op in ("view", "cast"):
        node = node.operands[0]
    if node.op == "composite" and node["name"] == "mean":
        region: Graph = node["region"]
        number: int = node["result"]
        return node.operands[0] is source and _is_mean_of(region.outputs[number], region.inputs[0], axes)
    if node.op != "divide":
        return False
    total = node.operands[0]
    while total.op in ("view", "cast"):
        total = total.operands[0]
    if total.op != "reduce" or total["kind"] != "sum" or total["axes"] != axes:
        return False
    summed = total.operands[0]
    return summed is source or (summed.op == "cast" and summed.operands[0] is source)


def _number(node: Node) -> object:
    while node.op in ("view", "cast"):
        node = node.operands[0]
    return node["value"] if node.op == "constant" else None


def _over_rows(reduction: Node, source: Node) -> bool:
    """Are the reduced axes the last ones, with others before them?"""
    rank, axes = len(source.type.shape), reduction["axes"]
    return len(axes) < rank and set(axes) == set(range(rank - len(axes), rank))


def _may_be_empty(reduction: Node, source: Node, facts: Facts) -> bool:
    return any(facts.decide(Condition("<", 0, source.type.shape[axis])) is not True for axis in reduction["axes"])


OPENING_ROWS: dict[str, Opening] = {"var": open_variance, "std": open_variance}
