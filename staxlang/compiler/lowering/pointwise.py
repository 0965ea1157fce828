"""Pointwise operations, casts, copies and reductions as definitions."""

from __future__ import annotations

from staxlang.base.dtypes import BF16, F16, F32, DType
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index, index_name, indices

_WELFORD_PARTS = {"welford_mean": "mean", "welford_m2": "m2"}
_ROUNDING_KINDS = frozenset(("sum", "prod", "welford_mean", "welford_m2"))


def accumulation_dtype(dtype: DType) -> DType:
    """half and bfloat16 accumulate in float32 and are rounded once."""
    return F32 if dtype is F16 or dtype is BF16 else dtype


def lower_pointwise(state: Lowering, node: Node) -> None:
    """Any row of the operation table: operands have the result's shape."""
    subscripts = indices(len(node.type.shape))
    operands = tuple([state.read(operand, subscripts) for operand in node.operands])
    state.define(node, state.interner.make(node.op, operands, node.type.dtype))


def lower_cast(state: Lowering, node: Node) -> None:
    state.define(node, state.cast(state.read(node.operands[0], indices(len(node.type.shape))), node.type.dtype))


def lower_copy(state: Lowering, node: Node) -> None:
    state.define(node, state.read(node.operands[0], indices(len(node.type.shape))))


def lower_assert_index(state: Lowering, node: Node) -> None:
    value = state.read(node.operands[0], indices(len(node.type.shape)))
    state.define(node, state.make("assert_index", (value,), node.type.dtype, extent=node["extent"], what=node.get("what", "index")))


def lower_reduce(state: Lowering, node: Node) -> None:
    """Kept axes are the definition's indices, reduced ones the reduction's own."""
    (operand,) = node.operands
    axes: tuple[int, ...] = node["axes"]
    kind: str = node["kind"]
    dtype: DType = node.type.dtype
    subscripts: list[Size] = []
    ranges: list[tuple[str, Size]] = []
    kept = 0
    spans: dict[int, tuple[Size, Size]] = dict(zip(axes, node.get("spans") or (), strict=False))
    for axis, extent in enumerate(operand.type.shape):
        if axis in axes:
            start, stop = spans.get(axis, (0, extent))
            name = state.fresh("r")
            ranges.append((name, stop - start))
            subscripts.append(start + symbol(name))
        else:
            subscripts.append(index(kept))
            kept += 1
    if not ranges:  # over no axes: each element is a reduction of one value
        ranges.append((state.fresh("r"), 1))
    body = state.read(operand, tuple(subscripts))
    if kind in _ROUNDING_KINDS:
        accumulated = accumulation_dtype(dtype)
        body = state.cast(body, accumulated)
    else:
        accumulated = dtype
    if kind in _WELFORD_PARTS:
        value = state.make("reduce", (body,), accumulated, kind="welford", ranges=tuple(ranges), part=_WELFORD_PARTS[kind])
    else:
        value = state.make("reduce", (body,), accumulated, kind=kind, ranges=tuple(ranges), part=None)
    state.define(node, state.cast(value, dtype))


def lower_scan(state: Lowering, node: Node) -> None:
    (operand,) = node.operands
    dtype = node.type.dtype
    body = state.read(operand, indices(len(node.type.shape)))
    state.define(node, state.make("scan", (state.cast(body, dtype),), dtype, kind=node["kind"], index=index_name(node["axis"])))
