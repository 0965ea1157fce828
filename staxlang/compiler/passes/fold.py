"""Constant folding: numbers only. Views of constants stay views; no array is ever built."""

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.operations import OPERATIONS, evaluate_constant
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.compiler.passes.driver import Rewriting, Rule


def fold_pointwise(rewriting: Rewriting, node: Node) -> Node | None:
    """A row on numbers, as NumPy computes it in their dtype."""
    values = [splat(operand) for operand in node.operands]
    if any(value is None for value in values):
        return None
    operation = OPERATIONS[node.op]
    value = evaluate_constant(operation, values, [o.type.dtype for o in node.operands])
    return rewriting.constant(value, node.type)


def fold_cast(rewriting: Rewriting, node: Node) -> Node | None:
    value = splat(node.operands[0])
    if value is None:
        return None
    return rewriting.constant(convert(value, node.operands[0].type.dtype, node.type.dtype), node.type)


def fold_size(rewriting: Rewriting, node: Node) -> Node | None:
    value = node["value"]
    return rewriting.make("constant", (), TensorType(node.type.dtype, ()), value=value) if isinstance(value, int) else None


def fold_where(rewriting: Rewriting, node: Node) -> Node | None:
    condition, left, right = node.operands
    chosen = splat(condition)
    return None if chosen is None else left if chosen else right


def convert(value: bool | int | float | complex, source: DType, target: DType) -> bool | int | float | complex:
    """A number cast as NumPy's astype does it."""
    return source.numpy.type(value).astype(target.numpy).item()


_FOLD = Rule("fold", fold_pointwise)
FOLD_ROWS: dict[str, tuple[Rule, ...]] = dict.fromkeys(OPERATIONS, (_FOLD,))
FOLD_ROWS["where"] = (Rule("fold-where", fold_where),)
FOLD_ROWS["cast"] = (Rule("fold-cast", fold_cast),)
FOLD_ROWS["size"] = (Rule("fold-size", fold_size),)
