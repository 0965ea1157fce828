"""Concatenate, pad and gather as guarded, indirect or partial definitions."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I64
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.graph import users
from staxlang.compiler.loops.ir import Definition
from staxlang.compiler.lowering.state import Lowering, Subscripts, constant_value
from staxlang.compiler.node import Node
from staxlang.typecheck.views import index, indices

# Joined parts of short rows are chosen lane by lane; longer ones are written one after the other, each at its full speed.
# (A guard's lanes that do not count still have addresses; far outside of an array they cost hundreds of cycles.)
SHORT_ROW = 64
SHORT_ROW_INSIDE = 1024
# So few elements of a row are written from a loop of their own each, many rows at once: choosing would use as few lanes.
FEW = 4


def lower_concatenate(state: Lowering, node: Node) -> None:
    """A definition for each part, or one with guards, which can be fused into its readers."""
    if _is_chosen(state, node):
        _choose_parts(state, node, node["axis"], _starts(node))
    else:
        buffer = state.stored[node] = state.buffer_for(node)
        _write_parts(state, node, buffer, indices(len(node.type.shape)))


def _is_chosen(state: Lowering, node: Node) -> bool:
    """Whether an element finds its part, rather than that each part is written."""
    axis, shape = node["axis"], node.type.shape
    total = shape[axis]
    limit = SHORT_ROW if node in state.roots else SHORT_ROW_INSIDE
    return axis == len(shape) - 1 and isinstance(total, int) and (total > FEW or node not in state.roots) and total <= limit


def find_nested(state: Lowering, order: list[Node]) -> frozenset[Node]:
    """Joined arrays that only another joined array reads, once, and which is written in parts: theirs are parts of it."""
    joined = [node for node in order if node.op == "concatenate" and not _is_chosen(state, node)]
    if len(joined) < 2:
        return frozenset()
    readers = users(order)
    found: set[Node] = set()
    for node in joined:
        around = readers.get(node, [])
        if node not in state.roots and node not in state.homes and len(around) == 1 and around[0] in joined:
            if around[0].operands.count(node) == 1:
                found.add(node)
    return frozenset(found)


def _starts(node: Node) -> list[Size]:
    starts: list[Size] = []
    total: Size = 0
    for operand in node.operands:
        starts.append(total)
        total = total + operand.type.shape[node["axis"]]
    return starts


def _write_parts(state: Lowering, node: Node, buffer: str, places: Subscripts) -> None:
    """The parts into a buffer; `places`: where in it the element at the node's own indices lies."""
    axis: int = node["axis"]
    for operand, start in zip(node.operands, _starts(node), strict=True):
        target = (*places[:axis], places[axis] + start, *places[axis + 1 :])
        if operand in state.nested:
            _write_parts(state, operand, buffer, target)
        else:
            shape = operand.type.shape
            state.steps.append(Definition(buffer, state.ranges(shape), target, state.read(operand, indices(len(shape)))))


def _choose_parts(state: Lowering, node: Node, axis: int, starts: list[Size]) -> None:
    """A balanced tree of guards on the position along the axis: depth 2 log n for n parts."""
    dtype = node.type.dtype
    place = index(axis)
    zero = state.make("const", (), dtype, value=constant_value(0, dtype))

    def between(first: int, last: int) -> Node:
        if last - first == 1:
            subscripts = list(indices(len(node.type.shape)))
            subscripts[axis] = place - starts[first]
            return state.read(node.operands[first], tuple(subscripts))
        middle = (first + last) // 2
        # Only what stands under a guard's value is kept from running elsewhere, so the other side gets a guard of its own.
        after = state.make("less_equal", (state.size(starts[middle]), state.size(place)), BOOL)
        right = state.make("guard", (after, between(middle, last), zero), dtype)
        return state.make("guard", (state.less(place, starts[middle]), between(first, middle), right), dtype)

    state.define(node, between(0, len(node.operands)))


NARROW_BORDER = 64


def lower_pad(state: Lowering, node: Node) -> None:
    """Narrow borders by a guard, which can be fused into readers; wide ones as parts of their own."""
    if all(isinstance(width, int) and width <= NARROW_BORDER for width in (*node["low"], *node["high"])):
        _guard_border(state, node)
    else:
        _write_border(state, node)


def _write_border(state: Lowering, node: Node) -> None:
    """For each axis the two slabs beside what the axes before leave, then the middle: every element once."""
    operand, fill = node.operands
    buffer = state.stored[node] = state.buffer_for(node)
    low: tuple[Size, ...] = node["low"]
    high: tuple[Size, ...] = node["high"]
    inner, whole = operand.type.shape, node.type.shape
    at = indices(len(whole))
    value = state.read(fill, ())

    def slab(axis: int, start: Size, extent: Size) -> None:
        if extent != 0:
            shape = (*inner[:axis], extent, *whole[axis + 1 :])
            starts = (*low[:axis], start, *[0] * (len(whole) - axis - 1))
            target = tuple([place + first for place, first in zip(at, starts, strict=True)])
            state.steps.append(Definition(buffer, state.ranges(shape), target, value))

    for axis in range(len(whole)):
        slab(axis, 0, low[axis])
        slab(axis, low[axis] + inner[axis], high[axis])
    target = tuple([place + first for place, first in zip(at, low, strict=True)])
    state.steps.append(Definition(buffer, state.ranges(inner), target, state.read(operand, at)))


def _guard_border(state: Lowering, node: Node) -> None:
    operand, fill = node.operands
    conditions: list[Node] = []
    subscripts: list[Size] = []
    for axis, (extent, low, high) in enumerate(zip(operand.type.shape, node["low"], node["high"], strict=True)):
        place = index(axis)
        if low != 0:
            conditions.append(state.make("less_equal", (state.size(low), state.size(place)), BOOL))
        if high != 0:
            conditions.append(state.less(place, low + extent))
        subscripts.append(place - low)
    value = state.read(operand, tuple(subscripts))
    if conditions:
        condition = conditions[0]
        for other in conditions[1:]:
            condition = state.make("logical_and", (condition, other), BOOL)
        value = state.make("guard", (condition, value, state.read(fill, ())), node.type.dtype)
    state.define(node, value)


def indexed_subscripts(state: Lowering, shape_rank: int, node: Node, indexes: tuple[Node, ...]) -> tuple[Subscripts, tuple[Node, ...]]:
    """Subscripts into an array of `shape_rank` axes that index arrays select from, over the selection's indices; the values of `$k`."""
    axes: tuple[int, ...] = node["axes"]
    position: int = node["position"]
    index_rank = len(indexes[0].type.shape)
    at = tuple([index(position + k) for k in range(index_rank)])
    plain = [index(k) for k in range(shape_rank - len(axes) + index_rank) if not position <= k < position + index_rank]
    subscripts: list[Size] = []
    indirect: list[Node] = []
    for axis in range(shape_rank):
        if axis not in axes:
            subscripts.append(plain.pop(0))
            continue
        value = state.read(indexes[axes.index(axis)], at)
        if value.op in ("size", "const"):  # an index that is an affine function of the place needs no load
            subscripts.append(value["value"])
        else:
            subscripts.append(symbol(f"${len(indirect)}"))
            indirect.append(value if value.type is I64 else state.cast(value, I64))
    return tuple(subscripts), tuple(indirect)


def lower_gather(state: Lowering, node: Node) -> None:
    source = node.operands[0]
    subscripts, indirect = indexed_subscripts(state, len(source.type.shape), node, node.operands[1:])
    base = source
    while base.op == "view" and base not in state.stored:
        base = base.operands[0]
    if base.op in ("iota", "place"):
        state.store(source)
    state.define(node, state.read(source, subscripts, indirect))
