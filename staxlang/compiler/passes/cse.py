"""Common subexpressions: equal nodes are one object by interning; what is left is one order for the operands of commutative rows."""

from __future__ import annotations

from staxlang.base.operations import OPERATIONS
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import is_splat
from staxlang.compiler.passes.driver import Rewriting, Rule


def order_operands(rewriting: Rewriting, node: Node) -> Node | None:
    """The value that was made first stands left; constants stay right."""
    left, right = node.operands
    if left.number <= right.number or is_splat(right):
        return None
    return rewriting.make(node.op, (right, left), node.type)


CSE_ROWS: dict[str, tuple[Rule, ...]] = {
    name: (Rule("order-operands", order_operands),) for name, row in OPERATIONS.items() if row.arity == 2 and "commutative" in row.flags
}
