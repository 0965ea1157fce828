"""Masks: `z[m] = f(a[m], b[m], z[m])` with one mask becomes `where(m, f(a, b, z), z)`, `f(a[m]).sum()` a sum of `where(m, f(a), 0)`.

`compress(x, mask, count=)` is `x[mask]`, its first extent the size symbol `count`; `masked_update(z, mask, value)` is z after
`z[mask] = value`.
"""

from __future__ import annotations

import math

import numpy as np

from staxlang.base.dtypes import DType
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Condition, Size, substitute, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.typecheck.views import compose, index, index_name, indices


def masked_update(rewriting: Rewriting, node: Node) -> Node | None:
    base, mask, value = node.operands
    shape = base.type.shape
    whole = _whole(rewriting, value, mask, shape, {})
    if whole is None:
        return None
    condition = rewriting.view(mask, shape, indices(len(mask.type.shape)))
    return rewriting.make("where", (condition, whole, base), node.type)


def _whole(rewriting: Rewriting, node: Node, mask: Node, shape: tuple[Size, ...], done: dict[Node, Node | None]) -> Node | None:
    """The value over all places, of which `node` has the masked ones; None where it is not pointwise over the mask."""
    if node not in done:
        done[node] = _whole_value(rewriting, node, mask, shape, done)
    return done[node]


def _whole_value(rewriting: Rewriting, node: Node, mask: Node, shape: tuple[Size, ...], done: dict[Node, Node | None]) -> Node | None:
    if node.op == "compress":
        return node.operands[0] if node.operands[1] is mask and node.operands[0].type.shape == shape else None
    if node.op == "view":
        turned = _inside(rewriting, node)
        return _whole_view(rewriting, node, mask, shape, done) if turned is None else _whole(rewriting, turned, mask, shape, done)
    if node.op == "gather":
        return _whole_gather(rewriting, node, mask, shape, done)
    if node.op not in OPERATIONS and node.op != "cast":
        return None
    operands: list[Node] = []
    for operand in node.operands:
        made = _whole(rewriting, operand, mask, shape, done)
        if made is None:
            return None
        operands.append(made)
    return rewriting.make(node.op, tuple(operands), TensorType(node.type.dtype, shape))


def _whole_gather(rewriting: Rewriting, node: Node, mask: Node, shape: tuple[Size, ...], done: dict[Node, Node | None]) -> Node | None:
    """What is read at subscripts that a mask has chosen: the same read at each place, at 0 where the mask is false."""
    base, *chosen = node.operands
    places = mask.type.shape
    if node["position"] or any(len(one.type.shape) != 1 for one in chosen):
        return None
    if not all(_readable(rewriting, base.type.shape[axis], places) for axis in node["axes"]):
        return None
    indexes: list[Node] = []
    for one in chosen:
        whole = _whole(rewriting, one, mask, places, done)
        if whole is None:
            return None
        indexes.append(_where_chosen(rewriting, mask, whole))
    return rewriting.make("gather", (base, *indexes), TensorType(node.type.dtype, shape), axes=node["axes"], position=0)


def _where_chosen(rewriting: Rewriting, mask: Node, whole: Node) -> Node:
    return rewriting.make("where", (mask, whole, rewriting.constant(0, whole.type)), whole.type)


def _readable(rewriting: Rewriting, extent: Size, places: tuple[Size, ...]) -> bool:
    """Whether there is a first element along an axis wherever there is a place of the mask."""
    return extent != 0 and (extent in places or rewriting.facts.decide(Condition("<", 0, extent)) is True)


def masked_check(rewriting: Rewriting, node: Node) -> Node | None:
    """A test of subscripts that a mask has chosen: of those where it is true."""
    (operand,) = node.operands
    chosen = _chosen(operand)
    if chosen is None or len(node.type.shape) != 1:
        return None
    mask = chosen.operands[1]
    shape = mask.type.shape
    if not _readable(rewriting, node["extent"], shape):
        return None
    whole = _whole(rewriting, operand, mask, shape, {})
    if whole is None:
        return None
    kept = _where_chosen(rewriting, mask, whole)
    made = rewriting.make("assert_index", (kept,), kept.type, **dict(node.attributes))
    return rewriting.make("compress", (made, mask), node.type, count=chosen["count"])


def _inside(rewriting: Rewriting, node: Node) -> Node | None:
    """Axes in another order, of what is computed element by element: the same of what it is computed from."""
    (inner,) = node.operands
    subscripts = node["subscripts"]
    axes = indices(len(inner.type.shape))
    if (inner.op not in OPERATIONS and inner.op != "cast") or len(subscripts) != len(axes) or set(subscripts) != set(axes):
        return None
    operands = tuple([_view_of(rewriting, operand, node.type.shape, subscripts) for operand in inner.operands])
    return rewriting.make(inner.op, operands, node.type)


def _view_of(rewriting: Rewriting, node: Node, shape: tuple[Size, ...], subscripts: tuple[Size, ...]) -> Node:
    if node.op == "view":
        return rewriting.view(node.operands[0], shape, compose(node["subscripts"], subscripts))
    return rewriting.view(node, shape, subscripts)


def _whole_view(rewriting: Rewriting, node: Node, mask: Node, shape: tuple[Size, ...], done: dict[Node, Node | None]) -> Node | None:
    """A value that is the same in all masked places: repeated over the mask's axes. A view of the later axes of what a mask has chosen:
    the same view of the whole."""
    (inner,) = node.operands
    rank = len(mask.type.shape)
    moved: dict[str, Size] = {index_name(axis): index(axis + rank - 1) for axis in range(1, len(node.type.shape))}
    first, *later = node["subscripts"] or (0,)
    if first == index(0) and not any(index_name(0) in symbols(s) for s in later):
        whole = _whole(rewriting, inner, mask, (*mask.type.shape, *inner.type.shape[1:]), done)
        return whole and rewriting.view(whole, shape, (*indices(rank), *[substitute(s, moved) for s in later]))
    if any(index_name(0) in symbols(s) for s in node["subscripts"]):
        return None
    return rewriting.view(inner, shape, tuple([substitute(s, moved) for s in node["subscripts"]]))


def masked_reduction(rewriting: Rewriting, node: Node) -> Node | None:
    """`f(a[m], ..).sum()` is `where(m, f(a, ..), 0).sum()`: over the chosen places and any later axes."""
    axes: tuple[int, ...] = node["axes"]
    (operand,) = node.operands
    neutral = _neutral(node["kind"], operand.type.dtype)
    chosen = _chosen(operand)
    if neutral is None or 0 not in axes or chosen is None:
        return None
    mask = chosen.operands[1]
    rank = len(mask.type.shape)
    shape = (*mask.type.shape, *operand.type.shape[1:])
    whole = _whole(rewriting, operand, mask, shape, {})
    if whole is None:
        return None
    condition = rewriting.view(mask, shape, indices(rank))
    number = rewriting.constant(_PYTHON_ROWS[whole.type.dtype.kind](neutral), whole.type)
    kept = rewriting.make("where", (condition, whole, number), whole.type)
    moved = (*range(rank), *[axis + rank - 1 for axis in axes if axis])
    return rewriting.make("reduce", (kept,), node.type, kind=node["kind"], axes=moved)


def _neutral(kind: str, dtype: DType) -> int | float | bool | None:
    """What changes no result. (That there is a greatest element is tested apart: here it may be anything where there is none.)"""
    if kind not in ("max", "min"):
        return _NEUTRAL_ROWS.get(kind)
    if dtype.kind == "f":
        return -math.inf if kind == "max" else math.inf
    if dtype.kind not in "iu":
        return None
    limits = np.iinfo(dtype.numpy)
    return int(limits.min if kind == "max" else limits.max)


_PYTHON_ROWS: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_NEUTRAL_ROWS: dict[str, int | bool] = {"sum": 0, "prod": 1, "any": False, "all": True, "count": False}


def _chosen(node: Node) -> Node | None:
    """A `compress` that a value is computed from, place by place."""
    while node.op != "compress":
        if node.op == "gather":
            node = node.operands[1]
            continue
        if node.op not in OPERATIONS and node.op != "cast":
            return None
        following = next((operand for operand in node.operands if operand.op != "view"), None)
        if following is None:
            return None
        node = following
    return node


SELECTIONS = frozenset(("compress", "masked_update"))
"""Operations on the elements that a mask chooses, which are written out at last (`selections`)."""
MASKED_ROWS: dict[str, tuple[Rule, ...]] = {
    "masked_update": (Rule("masked-update", masked_update),),
    "reduce": (Rule("masked-reduction", masked_reduction),),
    "assert_index": (Rule("masked-check", masked_check),),
}
