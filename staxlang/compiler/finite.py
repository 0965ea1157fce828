"""Checked mode: for an operation on floats, a run-time check that finite operands do not give NaN or infinity. Node in, check out."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I64
from staxlang.base.operations import OPERATIONS
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.node import Interner, Node

NOT_FINITE = "not-finite"
_CHECKED = frozenset(("cast", "reduce", "scan", "contract", "composite"))
_CHOOSING = frozenset(("where", "maximum", "minimum", "fmax", "fmin", "copysign", "negative", "absolute", "positive"))


def finite_check(interner: Interner, node: Node, span: Span | None, number: int, live: Node | None) -> Node | None:
    """The check of a node; None where it cannot go wrong so, or makes no floats. `live` is the 0-d bool of the branch that it stands in.

    `number` tells the checks of a program apart.
    """
    if node.type.dtype.kind not in "fc" or (node.op not in _CHECKED and (node.op not in OPERATIONS or node.op in _CHOOSING)):
        return None
    shape = node.type.shape
    bad = interner.make("logical_not", (_finite(interner, node),), TensorType(BOOL, shape), span)
    demands = [_of_operand(interner, node, operand) for operand in node.operands if operand.type.dtype.kind in "fc"]
    if live is not None:
        demands.append(_spread(interner, live, shape))
    for demand in demands:
        bad = interner.make("logical_and", (bad, demand), TensorType(BOOL, shape), span)
    count = interner.make("cast", (bad,), TensorType(I64, shape), span)
    return interner.make("assert_index", (count,), TensorType(I64, shape), span, extent=1, what=f"{NOT_FINITE} {number}")


def _finite(interner: Interner, node: Node) -> Node:
    return interner.make("isfinite", (node,), TensorType(BOOL, node.type.shape))


def _of_operand(interner: Interner, node: Node, operand: Node) -> Node:
    """Whether an operand is finite where an element of the result depends on it."""
    finite, shape = _finite(interner, operand), node.type.shape
    if node.op == "reduce":
        return interner.make("reduce", (finite,), TensorType(BOOL, shape), kind="all", axes=node["axes"])
    if operand.type.shape == shape and node.op != "scan" and node.op != "composite":
        return finite
    axes = tuple(range(len(operand.type.shape)))
    return _spread(interner, interner.make("reduce", (finite,), TensorType(BOOL, ()), kind="all", axes=axes) if axes else finite, shape)


def _spread(interner: Interner, node: Node, shape: tuple[object, ...]) -> Node:
    return interner.make("view", (node,), TensorType(BOOL, shape), subscripts=()) if shape else node  # pyright: ignore[reportArgumentType]
