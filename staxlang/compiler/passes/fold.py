"""Constant folding: numbers, and index arrays of a few elements. Views of constants stay views; no large array is ever built."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import DType
from staxlang.base.operations import OPERATIONS, evaluate_constant
from staxlang.base.sizes import Condition
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.compiler.passes.driver import Rewriting, Rule

SMALL_BYTES = 1024


def fold_pointwise(rewriting: Rewriting, node: Node) -> Node | None:
    """A row on numbers, as NumPy computes it in their dtype."""
    values = [splat(operand) for operand in node.operands]
    if any(value is None for value in values):
        return _fold_small(rewriting, node)
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
    if chosen is None and condition.op == "constant_array":
        first = condition["data"][:1]
        chosen = any(first) if condition["data"] == first * len(condition["data"]) else None
    return None if chosen is None else left if chosen else right


def fold_assert_index(rewriting: Rewriting, node: Node) -> Node | None:
    """Constant indices that are in range for every extent that there can be."""
    operand, extent = node.operands[0], node["extent"]
    if operand.op == "constant_array":
        array = _array(operand)
        low, high = (int(array.min()), int(array.max())) if array.size else (0, -1)
    else:
        low = high = splat(operand)
    if low is None or low < 0:
        return None
    return operand if rewriting.facts.decide(Condition("<", high, extent)) else None


def _fold_small(rewriting: Rewriting, node: Node) -> Node | None:
    """A row on constant arrays of a few elements and numbers."""
    operands: list[Any] = []
    for operand in node.operands:
        number = splat(operand)
        if number is not None:
            operands.append(operand.type.dtype.numpy.type(number))
        elif operand.op == "constant_array" and len(operand["data"]) <= SMALL_BYTES:
            operands.append(_array(operand))
        else:
            return None
    with np.errstate(all="ignore"):
        result = np.asarray(OPERATIONS[node.op].reference(*operands)).astype(node.type.dtype.numpy)
    return rewriting.make("constant_array", (), node.type, data=result.tobytes())


def _array(node: Node) -> np.ndarray[Any, Any]:
    return np.frombuffer(node["data"], node.type.dtype.numpy).reshape(node.type.shape)


def convert(value: bool | int | float | complex, source: DType, target: DType) -> bool | int | float | complex:
    """A number cast as NumPy's astype does it."""
    return source.numpy.type(value).astype(target.numpy).item()


_FOLD = Rule("fold", fold_pointwise)
FOLD_ROWS: dict[str, tuple[Rule, ...]] = dict.fromkeys(OPERATIONS, (_FOLD,))
FOLD_ROWS["where"] = (Rule("fold-where", fold_where),)
FOLD_ROWS["cast"] = (Rule("fold-cast", fold_cast),)
FOLD_ROWS["assert_index"] = (Rule("fold-assert-index", fold_assert_index),)
FOLD_ROWS["size"] = (Rule("fold-size", fold_size),)
