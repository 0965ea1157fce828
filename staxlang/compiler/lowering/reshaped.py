"""Results that are another shape of a value: the value is made in the result's memory, and nothing is copied."""

from __future__ import annotations

from staxlang.base.sizes import Condition, Facts, Size
from staxlang.base.types import element_count, row_major_strides
from staxlang.compiler.node import Node
from staxlang.typecheck.views import compose, indices

_MADE_ONCE = frozenset(("concatenate", "contract", "extern", "scan", "scatter", "update", "reduce"))
"""Operations whose values are not computed again by those who read them."""


def reshaped(node: Node, facts: Facts) -> Node | None:
    """The computed value whose elements, in their order, a view consists of."""
    if node.op != "view":
        return None
    shape = node.type.shape
    base, subscripts = node, indices(len(shape))
    while base.op == "view":
        subscripts = compose(base["subscripts"], subscripts)
        base = base.operands[0]
    if base.op not in _MADE_ONCE:
        return None
    own, given = element_count(shape), element_count(base.type.shape)
    if own != given and facts.decide(Condition("==", own, given)) is not True:
        return None
    place: Size = 0
    for subscript, stride in zip(subscripts, row_major_strides(base.type.shape), strict=True):
        place = place + subscript * stride
    for index, stride, extent in zip(indices(len(shape)), row_major_strides(shape), shape, strict=True):
        place = place - index * stride if extent != 1 else place  # along an axis of extent 1 there are no steps
    return base if place == 0 else None
