"""Run-time checks whose values nobody reads in full: found in a graph, and made roots of their own, so that NumPy's error is not lost.

A check is a node that hands its operand on (`assert_index`). Where all of it is read on the way to a result, it is made there; `x[i]` that
is never used, `x[i][:1]` and `x[i].shape` need a pass over the indices that does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from staxlang.base.dtypes import I64
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Condition, Facts, Size, linear_in
from staxlang.base.types import TensorType, element_count, row_major_strides
from staxlang.compiler.graph import Graph, inherit_spans, topological
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index_name, indices

CHECKS = frozenset(("assert_index",))
_WHOLE = frozenset(("cast", "copy", "assert_index", "reduce", "scan", "concatenate", "extern"))  # read each element of each operand


def with_own_checks(graph: Graph) -> Graph:
    """The graph with reductions for roots in the place of checks that results do not make, and without the other checks."""
    if not graph.checks:
        return graph
    made = read_in_full((*graph.outputs, *(node for _, node in graph.updates)), graph.facts)
    roots = [node if node.op == "loop" else _reduced(graph, node) for node in graph.checks if node.op == "loop" or node not in made]
    return graph._replace(checks=tuple(roots))


def _reduced(graph: Graph, node: Node) -> Node:
    axes = tuple(range(len(node.type.shape)))
    found = graph.interner.make("reduce", (node,), TensorType(I64, ()), kind="max", axes=axes)
    inherit_spans(node, found, graph.interner)
    return found


def read_in_full(roots: Iterable[Node], facts: Facts, folded: bool = True) -> set[Node]:
    """The nodes of which every element is needed for the roots. (Of others, too, it may be; what cannot be told is left out.)

    `folded`: constants have been folded, so that a `where` that is still there reads both of its sides.
    """
    roots = tuple(roots)
    found = set(roots)
    for node in reversed(topological(roots)):
        if node in found:
            found.update([operand for place, operand in enumerate(node.operands) if _reads_all(node, place, facts, folded)])
    return found


def _reads_all(node: Node, place: int, facts: Facts, folded: bool) -> bool:
    op, shape = node.op, node.type.shape
    if op in OPERATIONS:
        return folded or op != "where" or place == 0
    if op == "view":
        return _covers(node, facts)
    if op in ("gather", "scatter"):  # an element of the indices is read for all elements of the axes beside
        if place == 0:
            return op == "scatter"
        if op == "scatter" and place == 1:
            return True
        moved = shape if op == "gather" else node.operands[1].type.shape
        rank, position = len(node.operands[-1].type.shape), node["position"]
        return _some((*moved[:position], *moved[position + rank :]), facts)
    if op == "contract":
        return _some(shape, facts) and _some(node.operands[0].type.shape, facts)
    return op in _WHOLE or op == "update" or (op == "pad" and place == 0 and _widens(node))


def _widens(node: Node) -> bool:
    return all(isinstance(width, int) and width >= 0 for width in (*node["low"], *node["high"]))


def _some(extents: Sequence[Size], facts: Facts) -> bool:
    """Whether none of the extents can be 0."""
    return all(facts.decide(Condition("<", 0, extent)) is True for extent in extents)


def _covers(node: Node, facts: Facts) -> bool:
    """Whether a view reads each element of its operand: by mixed radix, its places count through all of the operand's addresses."""
    shape, base = node.type.shape, node.operands[0].type.shape
    if shape == base and node["subscripts"] == indices(len(shape)):
        return True
    address: Size = 0
    for subscript, stride in zip(node["subscripts"], row_major_strides(base), strict=True):
        address = address + subscript * stride
    names = [index_name(axis) for axis in range(len(shape))]
    parts = linear_in(address, names)
    if parts is None:
        return False
    steps, start = parts
    left = {axis: steps[name] for axis, name in enumerate(names) if name in steps and shape[axis] != 1}
    if not _some([extent for axis, extent in enumerate(shape) if axis not in left], facts):
        return False
    span: Size = 1
    while left:
        axis = next((axis for axis, step in left.items() if step in (span, -1 * span)), None)
        if axis is None:
            return False
        if left.pop(axis) != span:
            start = start - (shape[axis] - 1) * span
        span = span * shape[axis]
    return start == 0 and span == element_count(base)
