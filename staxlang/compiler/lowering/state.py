"""The loop program while it is being made: buffers, steps, and how a value of the graph is read at given subscripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from staxlang.base.dtypes import BOOL, I64, DType
from staxlang.base.sizes import Size, symbols
from staxlang.base.spans import Span
from staxlang.base.types import row_major_strides
from staxlang.compiler.graph import Graph, GraphError
from staxlang.compiler.loops.ir import Buffer, Definition, LibraryCall, Range
from staxlang.compiler.node import Interner, Node
from staxlang.typecheck.views import compose, index_name, indices

Subscripts = tuple[Size, ...]
_RESERVED = re.compile(r"(?:i|r|t|out)\d+")


class Lowering:
    """`stored` maps a graph node to the buffer that holds its value. Nodes without one (views, constants, scalars, sizes, iota)
    are read through: see `read`."""

    __slots__ = (
        "buffers", "carried", "copies", "counts", "graph", "homes", "interner", "mirrors", "nested", "open", "parts_first",
        "results_of_pieces", "roots", "saved_first", "spans", "steps", "stored",
    )  # fmt: skip

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.interner = Interner()
        self.buffers: dict[str, Buffer] = {}
        self.steps: list[Definition | LibraryCall] = []
        self.stored: dict[Node, str] = {}
        self.copies: dict[tuple[Node, tuple[int, ...] | None], str] = {}  # copies of views with axes in an order, made for library calls
        self.roots = frozenset(graph.roots)
        self.homes: dict[Node, str] = {}  # buffers that a node's value must be made in: results, storages updated in place
        self.counts = {"r": 0, "t": 0}
        self.open: frozenset[Node] = frozenset()  # values for one point of a tensor in pieces: part of its definitions
        self.carried: frozenset[str] = frozenset()  # buffers that a loop's values live in: what is made in them was found with care
        self.nested: frozenset[Node] = frozenset()  # joined arrays that are part of another one, and written there
        self.parts_first: set[Node] = set()  # updates whose new part is complete before it is written
        self.saved_first: dict[Node, list[Node]] = {}  # of updates: views of their base that are stored before it changes
        self.mirrors: set[Node] = set()  # updates in whose buffer is, outside of their part, what their base holds there
        self.results_of_pieces: tuple[Node, ...] = ()
        self.spans: dict[Span, None] = {}  # of the graph node that is being lowered

    # ---- buffers ----

    def fresh(self, prefix: str) -> str:
        number = self.counts[prefix]
        self.counts[prefix] = number + 1
        return f"{prefix}{number}"

    def add_buffer(self, name: str, dtype: DType, shape: tuple[Size, ...], role: Any, position: int = -1, **rest: Any) -> str:
        strides = rest.pop("strides", None)
        self.buffers[name] = Buffer(name, dtype, shape, row_major_strides(shape) if strides is None else strides, role, position, **rest)
        return name

    def input_name(self, path: str) -> str:
        """A readable buffer name for an argument that the user calls `path`."""
        name = re.sub(r"\W+", "_", path).strip("_") or "x"
        while name in self.buffers or _RESERVED.fullmatch(name) or name[0].isdigit():
            name = f"_{name}" if name[0].isdigit() else f"{name}_"
        return name

    def buffer_for(self, node: Node) -> str:
        """The buffer that a node's value goes to: its home, or a new temporary."""
        name = self.homes.get(node)
        if name is None:
            name = self.add_buffer(self.fresh("t"), node.type.dtype, node.type.shape, "temporary")
        return name

    # ---- definitions ----

    def define(self, node: Node, body: Node) -> None:
        """Stores a node's value: the body over the node's own indices `i0`, `i1`, .."""
        name = self.stored[node] = self.buffer_for(node)
        shape = node.type.shape
        if self.spans:
            self.interner.spans.setdefault(body, self.spans)
        self.steps.append(Definition(name, self.ranges(shape), indices(len(shape)), body))

    def ranges(self, shape: Sequence[Size]) -> tuple[Range, ...]:
        return tuple([(index_name(axis), extent) for axis, extent in enumerate(shape)])

    def store(self, node: Node) -> str:
        """The buffer of a node's value; what is read through otherwise gets one."""
        name = self.stored.get(node)
        if name is None:
            self.define(node, self.read(node, indices(len(node.type.shape))))
            name = self.stored[node]
        return name

    # ---- expressions ----

    def make(self, op: str, operands: tuple[Node, ...], dtype: DType, **attributes: Any) -> Node:
        return self.interner.make(op, operands, dtype, **attributes)

    def size(self, value: Size) -> Node:
        if isinstance(value, int):
            return self.interner.make("const", (), I64, value=value)
        return self.interner.make("size", (), I64, value=value)

    def cast(self, value: Node, dtype: DType) -> Node:
        return value if value.type is dtype else self.interner.make("cast", (value,), dtype)

    def less(self, left: Size, right: Size) -> Node:
        return self.interner.make("less", (self.size(left), self.size(right)), BOOL)

    def load(self, buffer: str, subscripts: Subscripts, indirect: tuple[Node, ...] = ()) -> Node:
        return self.interner.make("load", indirect, self.buffers[buffer].dtype, buffer=buffer, subscripts=subscripts)

    def read(self, node: Node, subscripts: Subscripts, indirect: tuple[Node, ...] = ()) -> Node:
        """The element of a graph value at subscripts (in which `$k` stands for `indirect[k]`)."""
        while True:
            buffer = self.stored.get(node)
            if buffer is not None:
                used = indirect if indirect and any(s[0] == "$" for one in subscripts for s in _names(one)) else ()
                return self.load(buffer, subscripts, used)
            if node.op != "view":
                return READ_ROWS[node.op](self, node, subscripts, indirect)
            subscripts = compose(node["subscripts"], subscripts)
            node = node.operands[0]


def _names(size: Size) -> frozenset[str]:
    return frozenset() if isinstance(size, int) else symbols(size)


def constant_value(value: Any, dtype: DType) -> Any:
    """A Python number of the kind that the dtype has."""
    kind = dtype.kind
    return bool(value) if kind == "b" else int(value) if kind in "iu" else float(value) if kind == "f" else complex(value)


def _read_constant(state: Lowering, node: Node, subscripts: Subscripts, indirect: tuple[Node, ...]) -> Node:
    dtype = node.type.dtype
    return state.interner.make("const", (), dtype, value=constant_value(node["value"], dtype))


def _read_size(state: Lowering, node: Node, subscripts: Subscripts, indirect: tuple[Node, ...]) -> Node:
    return state.cast(state.size(node["value"]), node.type.dtype)


def _read_iota(state: Lowering, node: Node, subscripts: Subscripts, indirect: tuple[Node, ...]) -> Node:
    axis: int = node["axis"]
    place = subscripts[axis]
    if any(name[0] == "$" for name in _names(place)):
        raise GraphError(f"{node!r} is read at an indirect subscript and must be stored first")
    return state.cast(state.size(place), node.type.dtype)


def _read_place(state: Lowering, node: Node, subscripts: Subscripts, indirect: tuple[Node, ...]) -> Node:
    (value,) = compose((node["value"],), subscripts)
    if any(name[0] == "$" for name in _names(value)):
        raise GraphError(f"{node!r} is read at an indirect subscript and must be stored first")
    return state.cast(state.size(value), node.type.dtype)


ReadRow = Callable[[Lowering, Node, Subscripts, tuple[Node, ...]], Node]
READ_ROWS: dict[str, ReadRow] = {"constant": _read_constant, "size": _read_size, "iota": _read_iota, "place": _read_place}
