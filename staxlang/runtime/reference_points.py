"""Index notation run by NumPy, point after point: what stands under index symbols is computed where it is needed, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np

from staxlang.base.sizes import Size, evaluate, symbols
from staxlang.compiler.loops.meaning import COMBINE_ROWS, arg_step, neutral
from staxlang.compiler.node import Node
from staxlang.compiler.open_nodes import free_symbols, making

Array = np.ndarray[Any, Any]
Env = dict[str, int]
Ranges = Sequence[tuple[str, Size, Size]]


class Run(Protocol):
    """What an execution of a graph offers: `sizes`, and `node`, which computes a node of its operands' values."""

    sizes: dict[str, int]

    def node(self, node: Node, operands: list[Any]) -> Any: ...


class Points:
    """The open nodes of one graph: each is computed for the values of the symbols that it depends on."""

    __slots__ = ("free", "making", "memo", "run", "tensors", "values")

    def __init__(self, run: Run, order: Sequence[Node], values: Mapping[Node, Any]) -> None:
        self.run, self.values = run, values
        self.free = free_symbols(order)
        self.making = making(order)
        self.memo: dict[tuple[Any, ...], Any] = {}
        self.tensors: dict[int, Array] = {}

    def is_open(self, node: Node) -> bool:
        return bool(self.free[node] or self.making[node])

    def value(self, node: Node, env: Env) -> Any:
        if not self.is_open(node):
            return self.values[node]
        if node.op == "own":
            return self.tensors[node["number"]]
        if self.making[node]:  # what it reads changes
            return self._value(node, env)
        key = node, *[env[name] for name in sorted(self.free[node])]
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._value(node, env)
        return found

    def _value(self, node: Node, env: Env) -> Any:
        row = POINT_ROWS.get(node.op)
        if row is not None:
            return row(self, node, env)
        return self.at(node, [self.value(operand, env) for operand in node.operands], env)

    def at(self, node: Node, operands: list[Any], env: Env) -> Any:
        """The node's own row, with index symbols among the sizes."""
        before = self.run.sizes
        self.run.sizes = {**before, **env}
        try:
            return self.run.node(node, operands)
        finally:
            self.run.sizes = before

    def number(self, size: Size, env: Env) -> int:
        return evaluate(size, {**self.run.sizes, **env})

    def points(self, ranges: Ranges, env: Env) -> Iterator[Env]:
        """The values of the symbols, the last one running fastest; ranges may depend on the symbols before."""
        if not ranges:
            yield env
            return
        (name, start, stop), *rest = ranges
        for place in range(self.number(start, env), self.number(stop, env)):
            yield from self.points(rest, {**env, name: place})


def _where(points: Points, node: Node, env: Env) -> Any:
    """Only the side that is chosen is computed: reads on the other may lie outside of their arrays."""
    condition = points.value(node.operands[0], env)
    if np.all(condition):
        return points.value(node.operands[1], env)
    if not np.any(condition):
        return points.value(node.operands[2], env)
    return points.at(node, [condition, *[points.value(operand, env) for operand in node.operands[1:]]], env)


def _bordered(points: Points, node: Node, env: Env) -> Any:
    base, fill = node.operands
    places = [points.number(one, env) for one in node["subscripts"] if symbols(one).isdisjoint(_own_axes(node))]
    array = points.value(base, env)
    loose: tuple[int, ...] = node["loose"]
    if len(places) == len(node["subscripts"]) and any(not 0 <= places[axis] < array.shape[axis] for axis in loose):
        return points.value(fill, env)
    return points.at(node, [array, points.value(fill, env)], env)


def _own_axes(node: Node) -> frozenset[str]:
    return frozenset([f"i{axis}" for axis in range(len(node.type.shape))])


def _define(points: Points, node: Node, env: Env) -> Array:
    body, ranges = node.operands[0], node["ranges"]
    starts = [points.number(start, env) for _, start, _ in ranges]
    rank = len(node.type.shape) - len(ranges)
    shape = tuple([points.number(extent, env) for extent in node.type.shape])
    result = np.empty(shape, node.type.dtype.numpy)
    for point in points.points(ranges, env):
        place = tuple([point[name] - start for (name, _, _), start in zip(ranges, starts, strict=True)])
        result[(slice(None),) * rank + place] = points.value(body, point)
    return result


def _fold(points: Points, node: Node, env: Env) -> Any:
    body = node.operands[0]
    kind: str = node["kind"]
    values = (points.value(body, point) for point in points.points(node["ranges"], env))
    dtype = node.type.dtype.numpy
    if kind in ("argmin", "argmax"):
        return _position(kind, list(values))
    total: Any = neutral(kind, dtype)
    for value in values:
        total = np.add(total, np.asarray(value, np.int64)) if kind == "count" else COMBINE_ROWS[kind](total, value)
    shape = tuple([points.number(extent, env) for extent in node.type.shape])
    return np.broadcast_to(np.asarray(total).astype(dtype), shape)


def _position(kind: str, values: list[Any]) -> Array:
    stacked = np.stack([np.asarray(value) for value in values]) if values else np.zeros(1)
    result = np.empty(stacked.shape[1:], np.int64)
    for place in np.ndindex(result.shape):
        state: tuple[Any, Any] = (np.int64(0), None)
        for position, value in enumerate(stacked[(slice(None), *place)]):
            state = arg_step(kind, state, value, position)
        result[place] = state[0]
    return result


def _pieces(points: Points, node: Node, env: Env) -> Array:
    """All tensors of the pieces, stage by stage; the walk is in the order that the node promises."""
    owns: tuple[int, ...] = node["owns"]
    outer = dict(points.tensors)
    for number, (dtype, shape) in zip(owns, node["types"], strict=True):
        points.tensors[number] = np.full(tuple([points.number(one, env) for one in shape]), 107, dtype.numpy)
    stages: tuple[tuple[tuple[int, ...], Ranges, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = node["stages"]
    for pieces, ranges, order, _, down in stages:
        for point in _in_order(points, ranges, order, down, env):
            for piece in pieces:
                which, subscripts = node["parts"][piece]
                place = tuple([points.number(one, point) for one in subscripts])
                points.tensors[owns[which]][place] = points.value(node.operands[piece], point)
    result = points.tensors[owns[node["result"]]]
    points.tensors = outer
    return result


def _in_order(points: Points, ranges: Ranges, order: Sequence[str], down: Sequence[str], env: Env) -> Iterator[Env]:
    spans: dict[str, Sequence[int]] = {}
    for name, start, stop in ranges:
        span = range(points.number(start, env), points.number(stop, env))
        spans[name] = span[::-1] if name in down else span
    names = [*order, *[name for name, _, _ in reversed(ranges) if name not in order]]  # any order will do along the others
    for places in product(*[spans[name] for name in names]):
        yield {**env, **dict(zip(names, places, strict=True))}


POINT_ROWS: dict[str, Callable[[Points, Node, Env], Any]] = {
    "where": _where,
    "bordered": _bordered,
    "define": _define,
    "fold": _fold,
    "pieces": _pieces,
}
CLOSING = frozenset(("define", "fold", "pieces"))
