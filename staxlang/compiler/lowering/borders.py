"""Views with a border: where a subscript leaves the base, a fill stands for the element."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Condition, Size, index_range
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index_name


def lower_bordered(state: Lowering, node: Node) -> None:
    base, fill = node.operands
    subscripts: tuple[Size, ...] = node["subscripts"]
    ranges = {index_name(axis): index_range(extent) for axis, extent in enumerate(node.type.shape)}
    facts = state.graph.facts
    conditions: list[Node] = []
    loose: tuple[int, ...] = node["loose"]
    for axis in loose:
        place, extent = subscripts[axis], base.type.shape[axis]
        if facts.decide(Condition("<=", 0, place), ranges) is not True:
            conditions.append(state.make("less_equal", (state.size(0), state.size(place)), BOOL))
        if facts.decide(Condition("<", place, extent), ranges) is not True:
            conditions.append(state.less(place, extent))
    value = state.read(base, subscripts)
    if conditions:
        condition = conditions[0]
        for other in conditions[1:]:
            condition = state.make("logical_and", (condition, other), BOOL)
        value = state.make("guard", (condition, value, state.read(fill, ())), node.type.dtype)
    state.define(node, value)
