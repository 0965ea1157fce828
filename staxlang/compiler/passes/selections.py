"""Selections that are made: what no rule has put back under its mask. The places where a mask is true are found once for all that it
chooses; `x[mask]` reads there, `z[mask] = value` writes there.
"""

from __future__ import annotations

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType, element_count, row_major_strides
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.typecheck.reshaping import reshape
from staxlang.typecheck.views import compose, index, indices


def chosen_elements(rewriting: Rewriting, node: Node) -> Node:
    base, mask = node.operands
    shape = mask.type.shape
    rank = len(shape)
    places = _places(rewriting, mask, node["count"])
    axis = _own_subscript(base, rank)
    if axis is not None:
        return _along(rewriting, places, row_major_strides(shape)[axis], shape[axis], axis)
    flat = _flat(rewriting, base, rank)
    return rewriting.make("gather", (flat, places), node.type, axes=(0,), position=0)


def _own_subscript(node: Node, rank: int) -> int | None:
    """The axis along which each element is its own subscript."""
    subscripts = indices(len(node.type.shape))
    while node.op == "view":
        subscripts = compose(node["subscripts"], subscripts)
        node = node.operands[0]
    if node.op != "iota" or node.type.dtype is not I64:
        return None
    axis: int = node["axis"]
    found = subscripts[axis]
    return next((one for one in range(rank) if found == index(one)), None)


def written_elements(rewriting: Rewriting, node: Node) -> Node:
    base, mask, value = node.operands
    shape = mask.type.shape
    places = _places(rewriting, mask, value.type.shape[0])
    axes = tuple(range(len(shape)))
    steps = row_major_strides(shape)
    along = [_along(rewriting, places, steps[axis], shape[axis], axis) for axis in axes]
    return rewriting.make("scatter", (base, value, *along), node.type, axes=axes, position=0, mode="set")


def _places(rewriting: Rewriting, mask: Node, count: Size) -> Node:
    """The places, in the flattened mask, where it is true."""
    flat = _flat(rewriting, mask, len(mask.type.shape))
    options = (("fill", 0), ("size", count))
    return rewriting.make("extern", (flat,), TensorType(I64, (count,)), name="sort.places", options=options, result=0)


def _flat(rewriting: Rewriting, node: Node, rank: int) -> Node:
    """The first `rank` axes as one."""
    if rank == 1:
        return node
    shape = node.type.shape
    view = reshape(shape[:rank], (element_count(shape[:rank]),), rewriting.facts.decide)
    later = indices(len(shape) - rank + 1)[1:]
    return rewriting.view(node, (*view.shape, *shape[rank:]), (*view.subscripts, *later))


def _along(rewriting: Rewriting, places: Node, step: Size, extent: Size, axis: int) -> Node:
    """The subscripts along one of the mask's axes."""
    found = places if step == 1 else rewriting.pointwise("floor_divide", places, _number(rewriting, places, step))
    return rewriting.pointwise("remainder", found, _number(rewriting, places, extent)) if axis else found


def _number(rewriting: Rewriting, like: Node, size: Size) -> Node:
    if isinstance(size, int):
        return rewriting.constant(size, like.type)
    return rewriting.view(rewriting.make("size", (), TensorType(I64, ()), value=size), like.type.shape, ())


SELECTION_ROWS: dict[str, tuple[Rule, ...]] = {
    "compress": (Rule("chosen-elements", chosen_elements),),
    "masked_update": (Rule("written-elements", written_elements),),
}
