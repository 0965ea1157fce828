"""Index notation as tensors: a value with free index symbols becomes the array of its values over just those indices that it depends on.

So nothing that does not depend on an index is computed again for it, a read is a view and costs nothing, and everything that is known
about tensors - fusion, contractions, common subexpressions - holds for definitions by index notation as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from staxlang.base.dtypes import DType
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts, Interval, Size, bounds, index_range, substitute, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError, inherit_spans, topological
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.open_nodes import making
from staxlang.typecheck.index_notation.scope import MARK
from staxlang.typecheck.views import index, index_name, indices


class Lifted(NamedTuple):
    """`node` has an axis for each of `symbols`, in their order, before the value's own axes."""

    node: Node
    symbols: tuple[str, ...]


class Box(NamedTuple):
    """An index variable's values: from `low`, `extent` of them; `start..stop` is its range, which may depend on other indices."""

    low: Size
    extent: Size
    start: Size
    stop: Size


Row = Callable[["Lifting", Node], Lifted]


def lift_graph(graph: Graph, rows: Mapping[str, Row]) -> Graph:
    """The graph without definitions and folds by index symbols; pending nodes are left out."""
    order = topological((*graph.inputs, *graph.scalars, *graph.roots))
    # A check may stand in a definition that nobody reads: pending nodes tell the ranges of its indices.
    ranges = bound_ranges(topological((*graph.roots, *graph.pending)) if graph.checks else order)
    if not ranges:
        return graph
    lifting = Lifting(graph, order, ranges, rows)
    for node in order:
        if not lifting.making[node]:  # what reads a tensor in the making is looked at where that is made
            lifting.lift(node)
    done = lifting.done
    return graph._replace(
        outputs=tuple([done[node].node for node in graph.outputs]),
        updates=tuple([(position, done[node].node) for position, node in graph.updates]),
        pending=(),
        checks=tuple(dict.fromkeys([done[node].node for node in graph.checks if node in done])),
    )


def bound_ranges(order: Iterable[Node]) -> dict[str, tuple[str, Size, Size]]:
    """The ranges (symbol, start, stop) that nodes bind, those in the bodies of composites included."""
    found: dict[str, tuple[str, Size, Size]] = {}
    for node in order:
        if node.op in ("define", "fold"):
            found.update({one[0]: one for one in node["ranges"]})
        elif node.op == "pieces":
            found.update({one[0]: one for stage in node["stages"] for one in stage[1]})
        elif node.op == "composite":
            found.update(bound_ranges(topological(node["region"].outputs)))
    return found


class Lifting:
    """One run: `done` has what each node has become. `boxes` are the values of all index symbols, the outermost first."""

    __slots__ = ("boxes", "done", "facts", "interner", "making", "order", "rows")

    def __init__(self, graph: Graph, order: Sequence[Node], found: Mapping[str, tuple[str, Size, Size]], rows: Mapping[str, Row]) -> None:
        self.rows = rows
        self.interner: Interner = graph.interner
        self.facts: Facts = graph.facts
        self.done: dict[Node, Lifted] = {}
        self.making = making(order)
        self.boxes: dict[str, Box] = {}
        self.order: dict[str, int] = {}
        for name in sorted(found, key=_number):
            self._enter(*found[name])

    def _enter(self, name: str, start: Size, stop: Size) -> None:
        low, high = start, stop
        ranges = self.intervals()
        if not symbols(start).isdisjoint(self.boxes) or not symbols(stop).isdisjoint(self.boxes):
            least, greatest = bounds(start, ranges, self.facts).low, bounds(stop, ranges, self.facts).high
            if least is None or greatest is None:
                raise GraphError(f"the range {start}..{stop} of {name} has no bounds")
            low, high = least, greatest
        self.order[name] = len(self.boxes)
        self.boxes[name] = Box(low, high - low, start, stop)

    def intervals(self) -> dict[str, Interval]:
        return {name: Interval(box.start, box.stop - 1) for name, box in self.boxes.items()}

    # ---- lifting ----

    def lift(self, node: Node) -> Lifted:
        """What a node has become, after its operands."""
        found = self.done.get(node)
        if found is None:
            count = len(self.interner)
            found = self.done[node] = self._lifted(node)
            if found.node.number >= count:
                inherit_spans(node, found.node, self.interner)
        return found

    def _lifted(self, node: Node) -> Lifted:
        row = self.rows.get(node.op)
        if row is not None:
            return row(self, node)
        operands = [self.done[operand] for operand in node.operands]
        free = self.symbols_of(operands)
        if free:
            raise GraphError(f"{node!r} depends on index symbols, and has no form as a tensor over them")
        return Lifted(self.remake(node, [one.node for one in operands]), ())

    def remake(self, node: Node, operands: Sequence[Node]) -> Node:
        """A node without free symbols on what its operands have become."""
        if tuple(operands) == node.operands:
            return node
        return self.interner.make(node.op, tuple(operands), node.type, **dict(node.attributes))

    # ---- symbols ----

    def symbols_of(self, parts: Sequence[Lifted | Size]) -> tuple[str, ...]:
        """The index symbols that values and sizes depend on, in the order of all axes."""
        found: set[str] = set()
        for one in parts:
            if isinstance(one, Lifted):
                found |= set(one.symbols)
            elif not isinstance(one, int):
                found |= symbols(one) & self.boxes.keys()
        return tuple(sorted(found, key=self.order.__getitem__))

    def depends(self, name: str) -> frozenset[str]:
        """The index symbols that a symbol's range depends on."""
        box = self.boxes[name]
        return (symbols(box.start) | symbols(box.stop)) & self.boxes.keys()

    def extents(self, names: Sequence[str]) -> tuple[Size, ...]:
        return tuple([self.boxes[name].extent for name in names])

    def subscripts_for(self, names: Sequence[str]) -> dict[str, Size]:
        """Each symbol as a size over the axes that stand for the symbols in this order."""
        return {name: self.boxes[name].low + index(axis) for axis, name in enumerate(names)}

    def shifted(self, size: Size, names: Sequence[str]) -> Size:
        """A size over own axes and symbols as one over the axes of a lifted value."""
        if isinstance(size, int):
            return size
        mapping = self.subscripts_for(names)
        for name in symbols(size):
            if name[0] == "i" and name[1:].isdigit():
                mapping[name] = index(int(name[1:]) + len(names))
        return substitute(size, mapping)

    # ---- making ----

    def make(self, op: str, operands: tuple[Node, ...], type: TensorType, **attributes: Any) -> Node:
        return self.interner.make(op, operands, type, **attributes)

    def view(self, node: Node, shape: tuple[Size, ...], subscripts: tuple[Size, ...]) -> Node:
        """A view; the node itself where it would be the whole of it."""
        if shape == node.type.shape and subscripts == indices(len(shape)) and node.type.layout is None:
            return node
        return self.make("view", (node,), TensorType(node.type.dtype, shape), subscripts=subscripts)

    def aligned(self, one: Lifted, names: tuple[str, ...]) -> Node:
        """The value with axes for all of `names`, repeated along those that it does not depend on."""
        if one.symbols == names:
            return one.node
        own = one.node.type.shape[len(one.symbols) :]
        places = {name: index(axis) for axis, name in enumerate(names)}
        subscripts = (*[places[name] for name in one.symbols], *[index(len(names) + k) for k in range(len(own))])
        return self.view(one.node, (*self.extents(names), *own), subscripts)

    def read(self, base: Node, shape: tuple[Size, ...], subscripts: tuple[Size, ...], axes: Sequence[int]) -> Node:
        """A view whose subscripts into `axes` may leave the base; what is there then is never used, as the program tests a condition."""
        ranges = {index_name(axis): index_range(extent) for axis, extent in enumerate(shape)}
        loose = tuple([axis for axis in axes if not self._within(subscripts[axis], base.type.shape[axis], ranges)])
        if not loose or any(extent == 0 for extent in shape):
            return self.view(base, shape, subscripts)
        fill = self.zero(base.type.dtype)
        return self.make("bordered", (base, fill), TensorType(base.type.dtype, shape), subscripts=subscripts, loose=loose)

    def _within(self, subscript: Size, extent: Size, ranges: dict[str, Interval]) -> bool:
        low, high = Condition("<=", 0, subscript), Condition("<", subscript, extent)
        return self.facts.decide(low, ranges) is True and self.facts.decide(high, ranges) is True

    def zero(self, dtype: DType) -> Node:
        value = {"b": False, "f": 0.0, "c": 0j}.get(dtype.kind, 0)
        return self.make("constant", (), TensorType(dtype, ()), value=value)

    def pointwise(self, op: str, *operands: Node, dtype: DType | None = None) -> Node:
        first = operands[0].type
        return self.make(op, operands, TensorType(dtype or first.dtype, first.shape))


def _number(name: str) -> tuple[int, str]:
    return int(name[len(MARK) : -1]), name
