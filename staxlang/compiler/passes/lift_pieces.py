"""Tensors in pieces: what does not depend on their own elements is lifted, the rest stays as it is for one point."""

from __future__ import annotations

from typing import Any

from staxlang.base.dtypes import DType
from staxlang.base.sizes import Condition, Interval, Size, SizeExpression, substitute, symbol, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.graph import GraphError, inherit_spans, topological
from staxlang.compiler.node import Node
from staxlang.compiler.open_nodes import free_symbols
from staxlang.compiler.passes.lift import Box, Lifted, Lifting
from staxlang.compiler.passes.lift_scans import lift_scan
from staxlang.typecheck.index_notation.scope import MARK
from staxlang.typecheck.views import index

Ranges = tuple[tuple[str, Size, Size], ...]
Names = tuple[str, ...]


def lift_pieces(lifting: Lifting, node: Node) -> Lifted:
    """Index symbols from outside become axes of the tensors, along which nothing depends on anything."""
    scan = lift_scan(lifting, node)
    if scan is not None:
        return scan
    made = _Pieces(lifting, node)
    return Lifted(made.node(), made.outside)


class _Pieces:
    """One node on the way. `names` are new names of index symbols, counted from 0 in each node, so that they are part of no identity."""

    __slots__ = ("lifting", "memo", "names", "outside", "types", "whole")

    def __init__(self, lifting: Lifting, node: Node) -> None:
        self.lifting, self.whole = lifting, node
        self.memo: dict[Node, Node] = {}
        self.outside = self._outside()
        self.types: dict[int, TensorType] = {}
        extents = lifting.extents(self.outside)
        for number, (dtype, shape) in zip(node["owns"], node["types"], strict=True):
            self.types[number] = TensorType(dtype, (*extents, *shape))
        self.names: dict[str, Size] = {}
        for name in self.outside:
            self._rename(name)
        for stage in node["stages"]:
            for name, _, _ in stage[1]:
                self._rename(name)

    def _outside(self) -> tuple[str, ...]:
        """The index symbols that the bodies depend on and the stages do not bind."""
        free = free_symbols(topological((self.whole,)))[self.whole]
        return tuple(sorted(free, key=self.lifting.order.__getitem__))

    def _rename(self, name: str) -> None:
        if name not in self.names:
            box = self.lifting.boxes[name]
            signed = self.lifting.facts.nonnegative(box.low) is not True
            self.names[name] = symbol(f"{MARK}{len(self.names)}]", signed)

    def node(self) -> Node:
        whole, lifting = self.whole, self.lifting
        bodies = tuple([self.element(body) for body in whole.operands])
        lead = tuple([self.names[name] - lifting.boxes[name].low for name in self.outside])
        parts = tuple([(number, (*lead, *self.renamed(subscripts))) for number, subscripts in whole["parts"]])
        around: Ranges = tuple([self._range(name, box.low, box.low + box.extent) for name, box in self._boxes()])
        stages = tuple([self._stage(around, *stage) for stage in whole["stages"]])
        owns: tuple[int, ...] = whole["owns"]
        types: tuple[tuple[DType, tuple[Size, ...]], ...] = tuple([(self.types[one].dtype, self.types[one].shape) for one in owns])
        result: int = whole["result"]
        return lifting.make(
            "pieces", bodies, self.types[owns[result]], owns=tuple(range(len(owns))), types=types, parts=parts, stages=stages, result=result
        )

    def _stage(self, around: Ranges, numbers: Names, ranges: Ranges, order: Names, apart: Names, down: Names) -> tuple[Any, ...]:
        free = (*[name for name, _, _ in around], *self._texts(apart))
        return numbers, (*around, *[self._range(*one) for one in ranges]), self._texts(order), free, self._texts(down)

    def _boxes(self) -> list[tuple[str, Box]]:
        return [(name, self.lifting.boxes[name]) for name in self.outside]

    def _range(self, name: str, start: Size, stop: Size) -> tuple[str, Size, Size]:
        return str(self.names[name]), self.renamed(start), self.renamed(stop)

    def _texts(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([str(self.names[name]) for name in names])

    def renamed(self, value: Any) -> Any:
        """An attribute in the new names."""
        if isinstance(value, SizeExpression):
            return substitute(value, self.names)
        return tuple([self.renamed(one) for one in value]) if type(value) is tuple else value  # pyright: ignore[reportUnknownVariableType]

    # ---- for one point ----

    def element(self, node: Node) -> Node:
        """The value for one point: of what depends on no tensor in the making, an element of its lifted form."""
        found = self.memo.get(node)
        if found is None:
            found = self.memo[node] = self._element(node)
            inherit_spans(node, found, self.lifting.interner)
        return found

    def _element(self, node: Node) -> Node:
        lifting = self.lifting
        if node.op == "size":
            return lifting.make("size", (), node.type, value=self.renamed(node["value"])) if not isinstance(node["value"], int) else node
        if not lifting.making[node]:
            one = lifting.done[node]
            own = [index(axis) for axis in range(len(node.type.shape))]
            return lifting.view(one.node, node.type.shape, (*[self._place(name) for name in one.symbols], *own))
        if node.op == "view":
            return self._own_read(node)
        if node.op == "fold":
            for name, _, _ in node["ranges"]:
                self._rename(name)
            ranges = tuple([self._range(*one) for one in node["ranges"]])
            return lifting.make("fold", (self.element(node.operands[0]),), node.type, kind=node["kind"], ranges=ranges)
        if node.op in ("own", "pieces", "define", "composite"):
            raise GraphError(f"{node!r} depends on a tensor in the making")
        attributes = {key: self.renamed(value) for key, value in node.attributes}
        return lifting.make(node.op, tuple([self.element(operand) for operand in node.operands]), node.type, **attributes)

    def _place(self, name: str) -> Size:
        self._rename(name)
        return self.names[name] - self.lifting.boxes[name].low

    def _own_read(self, node: Node) -> Node:
        """An element of a tensor in the making; a fill where its subscripts leave it (what is there is never used)."""
        lifting, base = self.lifting, node.operands[0]
        if base.op != "own":
            raise GraphError(f"{node!r} reads a tensor in the making in another way than by elements")
        own = lifting.make("own", (), self.types[base["number"]], number=self.whole["owns"].index(base["number"]))
        lead = [self._place(name) for name in self.outside]
        ranges = lifting.intervals()
        loose = [axis for axis, one in enumerate(node["subscripts"]) if not self._within(one, base.type.shape[axis], ranges)]
        subscripts = (*lead, *self.renamed(node["subscripts"]))
        if not loose:
            return lifting.make("view", (own,), node.type, subscripts=subscripts)
        axes = tuple([len(lead) + axis for axis in loose])
        fill = lifting.zero(node.type.dtype)
        return lifting.make("bordered", (own, fill), node.type, subscripts=subscripts, loose=axes)

    def _within(self, subscript: Size, extent: Size, ranges: dict[str, Interval]) -> bool:
        facts = self.lifting.facts
        low, high = Condition("<=", 0, subscript), Condition("<", subscript, extent)
        if symbols(subscript).isdisjoint(ranges):
            return True
        return facts.decide(low, ranges) is True and facts.decide(high, ranges) is True
