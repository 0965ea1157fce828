"""Graph: the captured program as interned nodes; its order, its laws (`verify`), its text and its fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from staxlang.base.digests import blake2b
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.open_nodes import free_symbols, making
from staxlang.typecheck.shapes import IllegalOperation, infer, same_shape

NO_FACTS = Facts()


class Gate(NamedTuple):
    """A data gate that evaluation went through: its slice computes the value again (guard replay), `outcome` is what it was. `counts`: the
    counted size that the value is; the program holds for any."""

    slice: Graph
    outcome: bool | int | float | complex
    what: str
    span: Span | None = None
    counts: str | None = None


class Graph(NamedTuple):
    """`outputs` and `updates` (index into `inputs`, the new value) as functions of `inputs` and `scalars`, for all sizes that
    satisfy `facts`.

    The attribute `position` of an input or scalar is the place of its leaf among all leaves of the call; `inputs` and `scalars` are
    ordered by it, and a program's arrays and scalars are counted by the place in these tuples.
    Outputs are values: each is written to memory of its own. Which result of a call is an argument, or a view of another result, is said
    by the evaluation's storages and is no business of the graph; yet no rewriting makes an output out of an input or of a view of one,
    so that nobody who looks at the graph can take the one for the other. `copy` is the identity that survives as an operation there.
    `checks` are nodes that a run has to compute for what they test: a program that fails is to fail although nobody reads the value.
    `pending` are nodes recorded during capture whose use is not known yet: they are alive until dead-code elimination drops the field.
    Inside a composite the inputs are `parameter` nodes; `composite(operands.., name=, region=, result=k)` is the region's k-th output.
    `regions` are the groups of nodes that annotation found to be one chain of pointwise work (for `explain`).
    """

    interner: Interner
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    updates: tuple[tuple[int, Node], ...] = ()
    gates: tuple[Gate, ...] = ()
    facts: Facts = NO_FACTS
    scalars: tuple[Node, ...] = ()
    pending: tuple[Node, ...] = ()
    regions: tuple[tuple[Node, ...], ...] = ()
    checks: tuple[Node, ...] = ()

    def __eq__(self, other: object) -> bool:
        """The same program over the same nodes; gates, facts and annotations do not count."""
        return self is other or (type(other) is Graph and _identity(self) == _identity(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_identity(self))

    @property
    def roots(self) -> tuple[Node, ...]:
        """What must be computed: outputs, then the updates' values, then checks."""
        if not self.updates and not self.checks:
            return self.outputs
        return (*self.outputs, *(node for _, node in self.updates), *self.checks)


def _identity(graph: Graph) -> tuple[Any, ...]:
    return id(graph.interner), graph.inputs, graph.outputs, graph.updates, graph.scalars, graph.checks


def topological(roots: Iterable[Node], operands_of: Callable[[Node], tuple[Node, ...]] = attrgetter("operands")) -> list[Node]:
    """Every node that the roots need, operands before their users, in an order that depends on structure only.

    `operands_of` may give a node's operands in another order, in which they are to be visited.
    """
    order: list[Node] = []
    seen: set[Node] = set()
    for root in roots:
        if root in seen:
            continue
        stack: list[tuple[Node, Iterator[Node]]] = [(root, iter(operands_of(root)))]
        seen.add(root)
        while stack:
            node, rest = stack[-1]
            for operand in rest:
                if operand not in seen:
                    seen.add(operand)
                    stack.append((operand, iter(operands_of(operand))))
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


def rebuild(roots: Iterable[Node], mapping: dict[Node, Node], interner: Interner) -> list[Node]:
    """The roots with nodes replaced as `mapping` says (which is completed on the way), made anew in the interner; spans go along."""
    roots = list(roots)
    for node in topological(roots):
        if node not in mapping:
            mapping[node] = remake(node, tuple([mapping[o] for o in node.operands]), interner)
    return [mapping[root] for root in roots]


def remake(node: Node, operands: tuple[Node, ...], interner: Interner) -> Node:
    """The same operation on other operands."""
    if operands == node.operands:
        return node
    made = interner.make(node.op, operands, node.type, **dict(node.attributes))
    inherit_spans(node, made, interner)
    return made


def inherit_spans(old: Node, new: Node, interner: Interner) -> None:
    spans = interner.spans.get(old)
    if spans and new is not old:
        interner.spans.setdefault(new, {}).update(spans)


def slice_graph(graph: Graph, nodes: tuple[Node, ...]) -> Graph:
    """The backward slice that computes only `nodes` (a guard replay). Taken from the graph as recorded: dead-code elimination
    drops `pending`, and with it the nodes that only a gate reads; a node that is gone cannot be sliced."""
    held = live(graph)
    for node in nodes:
        if node not in held:
            raise GraphError(f"{node!r} is not in the graph any more: a gate's slice is taken before dead code is removed")
    return graph._replace(outputs=nodes, updates=(), gates=(), pending=(), checks=())


class GraphError(Exception):
    """A broken law of the graph: a bug in Stax, never the user's fault."""


# ---- the laws ------------------------------------------------------------------------------------------------------

DECLARED_OPS = frozenset(("input", "scalar", "parameter"))


def verify(graph: Graph) -> None:
    """Raises GraphError unless each node's type is the one that its shape rule gives and each declared input is in its place."""
    for nodes, ops in ((graph.inputs, ("input", "parameter")), (graph.scalars, ("scalar",))):
        last = -1
        for node in nodes:
            if node.op not in ops or node["position"] <= last:
                raise GraphError(f"{node!r} is not in its place among the inputs")
            last = node["position"]
    declared = {*graph.inputs, *graph.scalars}
    order = topological((*graph.roots, *graph.pending))
    for node in order:
        _verify_node(node, graph.facts, declared)
    _verify_closed(graph, order)
    for position, node in graph.updates:
        target = graph.inputs[position].type
        if node.type.dtype is not target.dtype or not same_shape(node.type.shape, target.shape, graph.facts):
            raise GraphError(f"the update of input {position}, {target}, has type {node.type}")


def _verify_closed(graph: Graph, order: list[Node]) -> None:
    """Index symbols and tensors in the making are bound by a node above. (Pending nodes and checks may be of the body of one.)"""
    free, made = free_symbols(order), making(order)
    for node in (*graph.outputs, *[value for _, value in graph.updates]):
        if free[node] or made[node]:
            raise GraphError(f"{node!r} speaks of {', '.join(sorted(free[node])) or 'a tensor in the making'}, which nothing binds")


def _verify_node(node: Node, facts: Facts, declared: set[Node]) -> None:
    if not isinstance(node.type, TensorType):
        raise GraphError(f"{node!r} has no tensor type")
    if node.op in DECLARED_OPS and node not in declared:
        raise GraphError(f"{node!r} is used, but is no input of this graph")
    if node.op == "composite":
        region: Graph = node["region"]
        inside = declared.union(region.inputs)
        for inner in topological(region.outputs):
            _verify_node(inner, facts, inside)
        number: int = node["result"]
        wanted = region.outputs[number].type
        if [p.type for p in region.inputs] != [plain(o.type) for o in node.operands] or wanted != node.type:
            raise GraphError(f"{node!r} does not fit its region")
    if node.op == "loop":
        _verify_loop(node)
    try:
        infer(node.op, [o.type for o in node.operands], dict(node.attributes), facts, node.type)
    except IllegalOperation as problem:
        raise GraphError(f"{node!r}: {problem}") from problem


def _verify_loop(node: Node) -> None:
    """A loop's region is closed but for the symbol that counts rounds, and gives what it takes."""
    region: Graph = node["region"]
    inside = frozenset(region.inputs)
    for inner in topological(region.roots):
        _verify_node(inner, region.facts, set(inside))
    taken, given = [p.type for p in region.inputs], [made.type for made in region.outputs]
    fits = all(
        wanted.dtype is operand.type.dtype and same_shape(wanted.shape, operand.type.shape, region.facts)
        for wanted, operand in zip(taken, node.operands, strict=True)
    )
    closed = all(
        wanted.dtype is made.dtype and same_shape(wanted.shape, made.shape, region.facts)
        for wanted, made in zip(taken[: node["carried"]], given, strict=True)
    )
    if not fits or not closed:
        raise GraphError(f"{node!r} does not fit its region")


def plain(type: TensorType) -> TensorType:
    """The type without the stride pattern that inputs carry."""
    return TensorType(type.dtype, type.shape) if type.layout is not None else type


# ---- identity ------------------------------------------------------------------------------------------------------


def fingerprint(graph: Graph, extra: str = "") -> str:
    """128 bits of structure: equal for equal programs in every process; spans, paths in the user's words and gates do not count."""
    digest = blake2b(digest_size=16)
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
                inner = blake2b(digest_size=16)
                _feed(value, inner)
                attributes.append(f"{key}={inner.hexdigest()}")
            elif key != "path" and (key != "position" or node.op not in DECLARED_OPS):  # its place in the order says which input it is
                attributes.append(f"{key}={attribute_key(value)}")
        lines.append(f"{node.op}{[numbers[o] for o in node.operands]}{attributes}{node.type}")
    lines.append(f"{len(graph.inputs)} {len(graph.scalars)} {[numbers[n] for n in graph.outputs]}")
    lines.append(f"{[(position, numbers[n]) for position, n in graph.updates]}")
    if graph.checks:
        lines.append(f"checks {[numbers[n] for n in graph.checks]}")
    lines.append(";".join(sorted(map(condition_text, graph.facts.conditions))))
    digest.update("\n".join(lines).encode())


def attribute_key(value: Any) -> str:
    """A text that tells any two different attribute values apart, signed zeros and kinds of numbers included."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, complex):
        return f"complex({value.real.hex()}, {value.imag.hex()})"
    if isinstance(value, tuple):
        return f"({', '.join([attribute_key(item) for item in value])})"  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, (bool, int, str, bytes)) or value is None:
        return repr(value)
    return str(value)


def condition_text(condition: Condition) -> str:
    return f"{condition.left} {condition.relation} {condition.right}"
