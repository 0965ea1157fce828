"""Running sums, products, extremes along contiguous elements: a serial recurrence done in lanes, by shuffles and a carry."""

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.sizes import symbol
from staxlang.base.sizes.expression import size_of
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.accumulators import neutral
from staxlang.compiler.llvm.blocks import Carried
from staxlang.compiler.llvm.expressions import apply_row, evaluate
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import element, number, permutation, splat
from staxlang.compiler.llvm.vectors import along, vector_loop
from staxlang.compiler.loops.ir import Loop, Nest, Store
from staxlang.compiler.node import Node

KIND_ROWS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}


def scanned(f: Function, nest: Nest) -> tuple[str, Node] | None:
    """(operation, value) of a nest whose innermost loop is `y[.., i] = i > 0 ? y[.., i - 1] op value : value`."""
    loop = nest.loops[-1]
    if loop.kind != "serial" or loop.start != 0 or nest.accumulators or len(nest.body) != 1 or not isinstance(nest.body[0], Store):
        return None
    if f.module.tail(nest) == "scalar":
        return None
    store = nest.body[0]
    guard = store.value
    if guard.op != "guard" or store.mode != "set" or store.indirect:
        return None
    condition, combined, first = guard.operands
    if combined.op not in KIND_ROWS or not _positive(condition, loop) or first.type.kind not in "iuf" or first.type.bits < 32:
        return None
    before, value = combined.operands
    if value is not first:
        before, value = value, before
    if value is not first or before.op != "load" or before["buffer"] != store.buffer or before.operands or _reads(value, store.buffer):
        return None
    index = symbol(loop.index)
    shifted = tuple([one - 1 if one == index else one for one in store.subscripts])
    if before["subscripts"] != shifted or sum(one == index for one in store.subscripts) != 1:
        return None
    offset = size_of(f.module.offset_terms(f.module.buffers[store.buffer], store.subscripts))
    return (combined.op, value) if along(f, loop, offset) else None


def _positive(condition: Node, loop: Loop) -> bool:
    """Whether the condition is `0 < index`."""
    if condition.op != "less":
        return False
    low, high = condition.operands
    zero = (low.op == "size" or low.op == "const") and low["value"] == 0
    return zero and high.op == "size" and high["value"] == symbol(loop.index)


def _reads(root: Node, buffer: str) -> bool:
    waiting, seen = [root], {root}
    while waiting:
        node = waiting.pop()
        if node.op == "load" and node["buffer"] == buffer:
            return True
        for operand in node.operands:
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return False


def scan_loop(f: Function, nest: Nest, op: str, value: Node, writes: frozenset[str]) -> None:
    """The innermost loop of such a nest; its extent is at least 1."""
    loop, store = nest.loops[-1], nest.body[0]
    assert isinstance(store, Store)
    dtype: DType = value.type
    width = max(2, f.module.target.lanes(dtype.itemsize))
    kind = KIND_ROWS[op]
    start = number(-0.0 if kind == "sum" and dtype.kind == "f" else neutral(kind, dtype), dtype)  # -0 + x is x for every x
    nothing = splat(start, element(dtype), width)
    carried: Carried = [Value(nothing, dtype, width, f.level, True)]

    def body() -> None:
        part = f.lanes.parts[0] if f.lanes is not None else None
        own = f.widen(evaluate(f, value, part), width)
        step = 1
        while step < width:
            own = apply_row(f, op, (_moved_up(f, own, step, nothing), own), dtype)
            step *= 2
        own = apply_row(f, op, (carried[0], own), dtype)
        where = memory.access(f, f.module.buffers[store.buffer], store.subscripts, {})
        memory.store(f, where, own)
        f.forget(f.module.root(f.module.buffers[store.buffer]))
        text = f"shufflevector {own.type} {own.text}, {own.type} poison, {permutation([width - 1] * width)}"
        carried[0] = Value(f.name(own.level, text), dtype, width, own.level, True)

    lanes = Loop(loop.index, loop.extent, "vector", loop.start, width, 1)
    vector_loop(f, lanes, nest, 1, carried, writes, body)


def _moved_up(f: Function, value: Value, step: int, nothing: str) -> Value:
    """Each lane's value in the lane `step` higher; the neutral element below."""
    lanes = [value.lanes if k < step else k - step for k in range(value.lanes)]
    text = f.name(value.level, f"shufflevector {value.type} {value.text}, {value.type} {nothing}, {permutation(lanes)}")
    return Value(text, value.dtype, value.lanes, value.level, True, value.reads)
