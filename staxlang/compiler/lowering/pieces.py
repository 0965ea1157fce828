"""Tensors in pieces: a definition for each piece, in stages; values for one point become expressions by substitution of their indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from staxlang.base.dtypes import I64
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size, substitute, symbol
from staxlang.compiler.graph import GraphError
from staxlang.compiler.loops.ir import Definition, Range, Walk
from staxlang.compiler.lowering.borders import bordered
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.compiler.open_nodes import free_symbols, making
from staxlang.typecheck.views import index, index_name

Ranges = tuple[tuple[str, Size, Size], ...]
Names = tuple[str, ...]


def open_nodes(order: Sequence[Node]) -> frozenset[Node]:
    """The nodes that are values for one point."""
    made = making(order)
    return frozenset([node for node, names in free_symbols(order).items() if names or made[node]])


def lower_pieces(state: Lowering, node: Node) -> None:
    """All the tensors that the pieces define, in buffers of their own."""
    buffers: list[str] = []
    for number, (dtype, shape) in enumerate(node["types"]):
        result = _sibling(state, node, number)
        buffers.append(state.add_buffer(state.fresh("t"), dtype, shape, "temporary") if result is None else state.buffer_for(result))
        if result is not None:
            state.stored[result] = buffers[-1]
    group = len(state.steps)
    stages: tuple[tuple[tuple[int, ...], Ranges, Names, Names, Names], ...] = node["stages"]
    parts: tuple[tuple[int, tuple[Size, ...]], ...] = node["parts"]
    for number, (pieces, ranges, order, apart, down) in enumerate(stages):
        mapping, places = _indices(ranges, down)
        walk = Walk(group, number, tuple([places[name] for name in order]), tuple([places[name] for name in apart]))
        extents = tuple([(index_name(axis), stop - start) for axis, (_, start, stop) in enumerate(ranges)])
        for piece in pieces:
            own, subscripts = parts[piece]
            body = _Point(state, buffers, mapping).value(node.operands[piece])
            spans = state.graph.interner.spans.get(node.operands[piece])
            if spans:
                state.interner.spans.setdefault(body, spans)
            target = tuple([one if isinstance(one, int) else substitute(one, mapping) for one in subscripts])
            state.steps.append(Definition(buffers[own], extents, target, body, walk=walk))


def _sibling(state: Lowering, node: Node, number: int) -> Node | None:
    """The node that is another result of the same pieces."""
    if number == node["result"]:
        return node
    wanted = {**dict(node.attributes), "result": number}
    return next((one for one in state.results_of_pieces if one.operands == node.operands and dict(one.attributes) == wanted), None)


def _indices(ranges: Sequence[tuple[str, Size, Size]], down: Sequence[str]) -> tuple[dict[str, Size], dict[str, str]]:
    """The index symbols of a stage over the definition's own indices, and which index is whose."""
    mapping: dict[str, Size] = {}
    places: dict[str, str] = {}
    for axis, (name, start, stop) in enumerate(ranges):
        mapping[name] = stop - 1 - index(axis) if name in down else start + index(axis)
        places[name] = index_name(axis)
    return mapping, places


class _Point:
    """The expression of a value for one point. `mapping` says what the index symbols are."""

    __slots__ = ("buffers", "mapping", "memo", "state")

    def __init__(self, state: Lowering, buffers: Sequence[str], mapping: Mapping[str, Size]) -> None:
        self.state, self.buffers, self.mapping = state, buffers, dict(mapping)
        self.memo: dict[Node, Node] = {}

    def value(self, node: Node) -> Node:
        found = self.memo.get(node)
        if found is None:
            found = self.memo[node] = self._value(node)
        return found

    def _value(self, node: Node) -> Node:
        if node not in self.state.open:
            return self.state.read(node, ())
        row = POINT_ROWS.get(node.op)
        if row is not None:
            return row(self, node)
        if node.op not in OPERATIONS:
            raise GraphError(f"{node!r} has no form for one point")
        return self.state.make(node.op, tuple([self.value(operand) for operand in node.operands]), node.type.dtype)

    def at(self, size: Size) -> Size:
        return size if isinstance(size, int) else substitute(size, self.mapping)

    def load(self, base: Node, subscripts: tuple[Size, ...], indirect: tuple[Node, ...] = ()) -> Node:
        if base.op == "own":
            number: int = base["number"]
            return self.state.load(self.buffers[number], subscripts, indirect)
        return self.state.read(base, subscripts, indirect)


def _view(point: _Point, node: Node) -> Node:
    return point.load(node.operands[0], tuple([point.at(one) for one in node["subscripts"]]))


def _bordered(point: _Point, node: Node) -> Node:
    base, fill = node.operands
    subscripts = tuple([point.at(one) for one in node["subscripts"]])
    return bordered(point.state, point.load(base, subscripts), base.type.shape, subscripts, node["loose"], point.value(fill))


def _size(point: _Point, node: Node) -> Node:
    return point.state.cast(point.state.size(point.at(node["value"])), node.type.dtype)


def _cast(point: _Point, node: Node) -> Node:
    return point.state.cast(point.value(node.operands[0]), node.type.dtype)


def _copy(point: _Point, node: Node) -> Node:
    return point.value(node.operands[0])


def _fold(point: _Point, node: Node) -> Node:
    ranges: list[Range] = []
    inner = dict(point.mapping)
    for name, start, stop in node["ranges"]:
        own = point.state.fresh("r")
        first = start if isinstance(start, int) else substitute(start, inner)
        last = stop if isinstance(stop, int) else substitute(stop, inner)
        ranges.append((own, last - first))
        inner[name] = first + symbol(own)
    body = _Point(point.state, point.buffers, inner).value(node.operands[0])
    return point.state.make("reduce", (body,), node.type.dtype, kind=node["kind"], ranges=tuple(ranges), part=None)


def _assert_index(point: _Point, node: Node) -> Node:
    value = point.value(node.operands[0])
    return point.state.make("assert_index", (value,), I64, extent=node["extent"], what=node.get("what", "index"))


def _gather(point: _Point, node: Node) -> Node:
    """An element at subscripts that are data; all axes are indexed, for one point has no axes."""
    source, *indexes = node.operands
    axes: tuple[int, ...] = node["axes"]
    values = tuple([point.value(one) for one in indexes])
    subscripts = tuple([symbol(f"${axes.index(axis)}") for axis in range(len(source.type.shape))])
    return point.load(source, subscripts, values)


POINT_ROWS: dict[str, Callable[[_Point, Node], Node]] = {
    "view": _view,
    "bordered": _bordered,
    "size": _size,
    "cast": _cast,
    "copy": _copy,
    "fold": _fold,
    "assert_index": _assert_index,
    "gather": _gather,
}
