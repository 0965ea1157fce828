"""Graph: the captured program as interned nodes; its order, its laws (`verify`), its text and its fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from staxlang.base.sizes import Condition, Facts
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.node import Interner, Node
from staxlang.typecheck.shapes import infer

NO_FACTS = Facts()


@dataclass(frozen=True, slots=True)
class Gate:
    """A data gate that evaluation went through: its slice computes the value again (guard replay), `outcome` is what it was."""

    slice: Graph
    outcome: bool | int | float | complex
    what: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """`outputs` and `updates` (input position, its new value) as functions of `inputs` and `scalars`, for all sizes that satisfy `facts`.

    An output that is an `input` node is that very input (NumPy's `return x`); one that reaches an input through views only is a
    view of it. Where NumPy makes a new array of the same value, the graph says so by a `copy` node, and no rule takes a `copy`
    away that separates an output from an input.
    `pending` are nodes recorded during capture whose use is not known yet: they are alive until dead-code elimination drops the field.
    Inside a composite the inputs are `parameter` nodes.
    """

    interner: Interner
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    updates: tuple[tuple[int, Node], ...] = ()
    gates: tuple[Gate, ...] = field(default=(), compare=False)
    facts: Facts = field(default=NO_FACTS, compare=False)
    scalars: tuple[Node, ...] = ()
    pending: tuple[Node, ...] = field(default=(), compare=False)

    @property
    def roots(self) -> tuple[Node, ...]:
        """What must be computed: outputs, then the updates' values."""
        return (*self.outputs, *(node for _, node in self.updates)) if self.updates else self.outputs


def topological(roots: Iterable[Node]) -> list[Node]:
    """Every node that the roots need, operands before their users, in an order that depends on structure only."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in roots:
        if root in seen:
            continue
        stack: list[tuple[Node, Iterator[Node]]] = [(root, iter(root.operands))]
        seen.add(root)
        while stack:
            node, rest = stack[-1]
            for operand in rest:
                if operand not in seen:
                    seen.add(operand)
                    stack.append((operand, iter(operand.operands)))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def users(order: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node of an order the nodes that read it, once for each operand place."""
    found: dict[Node, list[Node]] = {}
    for node in order:
        found.setdefault(node, [])
        for operand in node.operands:
            found.setdefault(operand, []).append(node)
    return found


def live(graph: Graph) -> set[Node]:
    """The nodes that the graph holds: needed by roots, declared as inputs, or pending."""
    return set(topological((*graph.inputs, *graph.scalars, *graph.roots, *graph.pending)))


def slice_graph(graph: Graph, nodes: tuple[Node, ...]) -> Graph:
    """The backward slice that computes only `nodes` (a guard replay). Taken from the graph as recorded: dead-code elimination
    drops `pending`, and with it the nodes that only a gate reads; a node that is gone cannot be sliced."""
    held = live(graph)
    for node in nodes:
        if node not in held:
            raise GraphError(f"{node!r} is not in the graph any more: a gate's slice is taken before dead code is removed")
    return replace(graph, outputs=nodes, updates=(), gates=(), pending=())


class GraphError(Exception):
    """A broken law of the graph: a bug in Stax, never the user's fault."""


# ---- the laws ------------------------------------------------------------------------------------------------------

SOURCE_OPS = frozenset(("input", "scalar", "parameter", "size", "constant", "constant_array", "iota"))


def verify(graph: Graph) -> None:
    """Raises GraphError unless each node's type is the one that its shape rule gives and each declared input is in its place."""
    for position, node in enumerate(graph.inputs):
        if node.op not in ("input", "parameter") or node["position"] != position:
            raise GraphError(f"input {position} is {node!r}")
    for position, node in enumerate(graph.scalars):
        if node.op != "scalar" or node["position"] != position:
            raise GraphError(f"scalar {position} is {node!r}")
    declared = {*graph.inputs, *graph.scalars}
    for node in topological((*graph.roots, *graph.pending)):
        _verify_node(node, graph, declared)
    for position, node in graph.updates:
        target = graph.inputs[position].type
        if (node.type.dtype, node.type.shape) != (target.dtype, target.shape):
            raise GraphError(f"the update of input {position}, {target}, has type {node.type}")


def _verify_node(node: Node, graph: Graph, declared: set[Node]) -> None:
    if not isinstance(node.type, TensorType):
        raise GraphError(f"{node!r} has no tensor type")
    if node.op in ("input", "scalar", "parameter") and node not in declared:
        raise GraphError(f"{node!r} is used, but is no input of this graph")
    if node.op in SOURCE_OPS:
        if node.operands:
            raise GraphError(f"{node!r} takes no operands")
        if node.op in ("scalar", "size", "constant") and node.type.shape:
            raise GraphError(f"{node!r} must be 0-d")
        return
    if node.op == "composite":
        region: Graph = node["region"]
        verify(region)
        if [p.type for p in region.inputs] != [plain(o.type) for o in node.operands] or region.outputs[0].type != node.type:
            raise GraphError(f"{node!r} does not fit its region")
        return
    expected = infer(node.op, tuple(o.type for o in node.operands), dict(node.attributes), graph.facts, plain(node.type))
    if (expected.dtype, expected.shape) != (node.type.dtype, node.type.shape):
        raise GraphError(f"{node!r} should have type {expected}")


def plain(type: TensorType) -> TensorType:
    """The type without the stride pattern that inputs carry."""
    return TensorType(type.dtype, type.shape) if type.layout is not None else type


# ---- identity ------------------------------------------------------------------------------------------------------


def fingerprint(graph: Graph, extra: str = "") -> str:
    """128 bits of structure: equal for equal programs in every process; spans, paths in the user's words and gates do not count."""
    digest = hashlib.blake2b(digest_size=16)
    _feed(graph, digest)
    digest.update(extra.encode())
    return digest.hexdigest()


def _feed(graph: Graph, digest: Any) -> None:
    order = topological((*graph.inputs, *graph.scalars, *graph.roots))
    numbers = {node: number for number, node in enumerate(order)}
    lines: list[str] = []
    for node in order:
        attributes: list[str] = []
        for key, value in node.attributes:
            if isinstance(value, Graph):
                inner = hashlib.blake2b(digest_size=16)
                _feed(value, inner)
                attributes.append(f"{key}={inner.hexdigest()}")
            elif key != "path":
                attributes.append(f"{key}={attribute_key(value)}")
        lines.append(f"{node.op}{[numbers[o] for o in node.operands]}{attributes}{node.type}{_layout(node.type)}")
    lines.append(f"{len(graph.inputs)} {len(graph.scalars)} {[numbers[n] for n in graph.outputs]}")
    lines.append(f"{[(position, numbers[n]) for position, n in graph.updates]}")
    lines.append(";".join(sorted(map(condition_text, graph.facts.conditions))))
    digest.update("\n".join(lines).encode())


def _layout(type: TensorType) -> str:
    return "" if type.layout is None else "{" + ", ".join(map(str, type.layout)) + "}"


def attribute_key(value: Any) -> str:
    """A text that tells any two different attribute values apart, signed zeros and kinds of numbers included."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, complex):
        return f"complex({value.real.hex()}, {value.imag.hex()})"
    if isinstance(value, tuple):
        return f"({', '.join(map(attribute_key, value))})"
    if isinstance(value, (bool, int, str, bytes)) or value is None:
        return repr(value)
    return str(value)


def condition_text(condition: Condition) -> str:
    return f"{condition.left} {condition.relation} {condition.right}"
