"""Constant folding: numbers, and index arrays of a few elements. Views of constants stay views; no large array is ever built."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import I64, DType
from staxlang.base.operations import OPERATIONS, evaluate_constant
from staxlang.base.sizes import Condition, Size, bounds
from staxlang.base.sizes import index_range as index_interval
from staxlang.base.types import TensorType, element_count
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.typecheck.views import index_name

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
    """Indices that are in range for every extent that there can be: constants, positions, results of argmin and argmax."""
    reach = index_range(node.operands[0])
    if reach is None or reach[0] < 0:
        return None
    within = reach[1] == node["extent"] or rewriting.facts.decide(Condition("<=", reach[1], node["extent"])) is True
    return node.operands[0] if within else None


def index_range(node: Node) -> tuple[int, Size] | None:
    """Least value, and what all values are below, of an integer array; None where nothing is known."""
    while node.op == "view":
        node = node.operands[0]
    if node.op == "place":
        ranges = {index_name(axis): index_interval(extent) for axis, extent in enumerate(node.type.shape)}
        reach = bounds(node["value"], ranges)
        return (reach.low, reach.high + 1) if isinstance(reach.low, int) and reach.high is not None else None
    if node.op == "constant_array":
        array = _array(node)
        return (int(array.min()), int(array.max()) + 1) if array.size else (0, 0)
    if node.op == "constant":
        return node["value"], node["value"] + 1
    if node.op == "iota":
        axis: int = node["axis"]
        return 0, node.type.shape[axis]
    if node.op == "reduce" and node["kind"] in ("argmin", "argmax"):
        shape = node.operands[0].type.shape
        return 0, element_count(tuple([shape[axis] for axis in node["axes"]]))
    return None


def index_not_negative(rewriting: Rewriting, node: Node) -> Node | None:
    """`i < 0` (of NumPy's wrapping of negative indices) where i counts from 0."""
    index, bound = node.operands
    if index.type.dtype is not I64 or splat(bound) != 0:
        return None
    reach = index_range(index)
    return rewriting.constant(False, node.type) if reach is not None and reach[0] >= 0 else None


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
FOLD_ROWS["less"] = (_FOLD, Rule("index-not-negative", index_not_negative))
FOLD_ROWS["where"] = (Rule("fold-where", fold_where),)
FOLD_ROWS["cast"] = (Rule("fold-cast", fold_cast),)
FOLD_ROWS["assert_index"] = (Rule("fold-assert-index", fold_assert_index),)
FOLD_ROWS["size"] = (Rule("fold-size", fold_size),)
