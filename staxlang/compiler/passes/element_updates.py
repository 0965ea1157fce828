"""An element that is set in a part of an array is set in the array itself: the part need not be a value of its own.

    update(b, scatter(b at a part, v, i))    ->  scatter(b, v, the part's subscripts and i)
"""

from __future__ import annotations

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting
from staxlang.typecheck.views import index, index_name


def element_of_part(rewriting: Rewriting, node: Node) -> Node | None:
    base, value = node.operands
    if value.op != "scatter" or value["mode"] != "set" or value.operands[1].type.shape:
        return None
    part, element, *found = value.operands
    subscripts: tuple[Size, ...] = node["subscripts"]
    if part.op != "view" or part.operands[0] is not base or part["subscripts"] != subscripts or part.type.shape != node["shape"]:
        return None
    rank = len(node["shape"])
    if sorted(value["axes"]) != list(range(rank)):
        return None
    chosen = {index(axis): place for axis, place in zip(value["axes"], found, strict=True)}
    own = {index_name(axis) for axis in range(rank)}
    places: list[Node] = []
    for subscript in subscripts:
        if subscript in chosen:
            places.append(chosen[subscript])
        elif isinstance(subscript, int):
            places.append(rewriting.make("constant", (), TensorType(I64, ()), value=subscript))
        elif own.isdisjoint(symbols(subscript)):
            places.append(rewriting.make("size", (), TensorType(I64, ()), value=subscript))
        else:
            return None
    axes = tuple(range(len(subscripts)))
    return rewriting.make("scatter", (base, element, *places), base.type, axes=axes, position=0, mode="set")
