"""Views with a border: where a subscript leaves the base, a fill stands for the element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Condition, Interval, Size, index_range
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index_name

_NO_RANGES: dict[str, Interval] = {}


def lower_bordered(state: Lowering, node: Node) -> None:
    base, fill = node.operands
    subscripts: tuple[Size, ...] = node["subscripts"]
    ranges = {index_name(axis): index_range(extent) for axis, extent in enumerate(node.type.shape)}
    value = state.read(base, subscripts)
    state.define(node, bordered(state, value, base.type.shape, subscripts, node["loose"], state.read(fill, ()), ranges))


def bordered(
    state: Lowering, value: Node, shape: Sequence[Size], subscripts: Sequence[Size], loose: Sequence[int], fill: Node,
    ranges: Mapping[str, Interval] = _NO_RANGES,
) -> Node:  # fmt: skip
    """The value where the subscripts into the axes `loose` of a base of that shape lie in it, else the fill."""
    facts = state.graph.facts
    conditions: list[Node] = []
    for axis in loose:
        place, extent = subscripts[axis], shape[axis]
        if facts.decide(Condition("<=", 0, place), ranges) is not True:
            conditions.append(state.make("less_equal", (state.size(0), state.size(place)), BOOL))
        if facts.decide(Condition("<", place, extent), ranges) is not True:
            conditions.append(state.less(place, extent))
    if not conditions:
        return value
    condition = conditions[0]
    for other in conditions[1:]:
        condition = state.make("logical_and", (condition, other), BOOL)
    return state.make("guard", (condition, value, fill), value.type)
