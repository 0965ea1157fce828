"""The driver of rewriting: one pass of a rule table over a graph, operands before users, and the trace of what fired."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from staxlang.base.dtypes import DType
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Facts, Size
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError, inherit_spans, remake, topological
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.passes.chains import UpdateChains
from staxlang.typecheck.views import indices

Rewrite = Callable[["Rewriting", Node], "Node | None"]
"""A rule: the replacement of a node, or None where it does not match. The replacement has the node's dtype and shape, and its value."""

ALIASES = frozenset(("input", "parameter", "view"))


class Rule(NamedTuple):
    """A named rule. It must keep value, dtype, shape and aliasing."""

    name: str
    rewrite: Rewrite


RuleTable = Mapping[str, tuple[Rule, ...]]


class Fired(NamedTuple):
    """One application of a rule: in which round, by which pass, on which operation, at which lines of the user's program."""

    round: int
    stage: str
    rule: str
    op: str
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        place = f" (line {', '.join(map(str, self.lines))})" if self.lines else ""
        return f"round {self.round}: {self.stage}: {self.rule} on {self.op}{place}"


class Trace:
    """What rewriting did. `rounds` counts the last one too, in which nothing changed."""

    __slots__ = ("fired", "rounds")

    def __init__(self) -> None:
        self.fired: list[Fired] = []
        self.rounds = 0

    def __str__(self) -> str:
        return "\n".join([*map(str, self.fired), f"{self.rounds} rounds, the last without change"])


class Rewriting:
    """What rules may ask for and use to build: the interner, the facts, which nodes are results."""

    __slots__ = ("basis", "chains", "facts", "interner", "outputs")

    def __init__(self, graph: Graph, basis: frozenset[str] | None = None) -> None:
        self.interner: Interner = graph.interner
        self.facts: Facts = graph.facts
        self.outputs = frozenset(graph.outputs)
        self.basis = basis
        self.chains = UpdateChains()

    def make(self, op: str, operands: tuple[Node, ...], type: TensorType, **attributes: Any) -> Node:
        return self.interner.make(op, operands, type, **attributes)

    def pointwise(self, op: str, *operands: Node, dtype: DType | None = None) -> Node:
        """A row on operands of one shape; the result has the first operand's dtype unless said otherwise."""
        first = operands[0].type
        return self.interner.make(op, operands, TensorType(dtype or first.dtype, first.shape))

    def constant(self, value: Any, like: TensorType) -> Node:
        """A number in every place of an array of a type."""
        scalar = self.interner.make("constant", (), TensorType(like.dtype, ()), value=value)
        return self.view(scalar, like.shape, ()) if like.shape else scalar

    def view(self, node: Node, shape: tuple[Size, ...], subscripts: tuple[Size, ...]) -> Node:
        """A view; the node itself where it would be the whole of it."""
        type = node.type
        if shape == type.shape and subscripts == indices(len(shape)) and type.layout is None:
            return node
        return self.interner.make("view", (node,), TensorType(type.dtype, shape), subscripts=subscripts)

    def cast(self, node: Node, dtype: DType) -> Node:
        return node if node.type.dtype is dtype else self.interner.make("cast", (node,), TensorType(dtype, node.type.shape))


def apply_rules(graph: Graph, stage: str, table: RuleTable, trace: Trace, basis: frozenset[str] | None = None) -> Graph:
    """One pass: each node, after its operands, is rewritten by the rules of its operation until none of them matches."""
    rewriting = Rewriting(graph, basis)
    interner, outputs, get_rules = graph.interner, rewriting.outputs, table.get
    mapping: dict[Node, Node] = {}
    changed = False
    for node in topological(graph.roots):
        current = node
        if changed:
            operands = tuple([mapping[o] for o in node.operands])
            if operands != node.operands:
                current = remake(node, operands, interner)
        rules = get_rules(current.op)
        if rules is not None:
            is_output = node in outputs
            for _ in range(64):
                count = len(interner)
                found = _first_match(rewriting, current, rules, is_output)
                if found is None:
                    break
                rule, made = found
                trace.fired.append(Fired(trace.rounds, stage, rule.name, current.op, lines_of(graph, current)))
                _pass_spans_on(current, made, interner, count)
                current = made
                rules = get_rules(current.op)
                if rules is None:
                    break
            else:
                raise GraphError(f"{stage}: the rule {trace.fired[-1].rule} does not come to an end on {current!r}")
        mapping[node] = current
        if current is not node:
            changed = True
    if not changed:
        return graph
    return graph._replace(
        outputs=tuple([mapping[n] for n in graph.outputs]),
        updates=tuple([(position, mapping[n]) for position, n in graph.updates]),
        pending=(),
        checks=tuple(dict.fromkeys([made for n in graph.checks if (made := _check_in(mapping[n])).op == n.op])),
    )


def _check_in(node: Node) -> Node:
    """A check that has been made one of all places of a mask is looked for under what the mask chooses of it."""
    return node.operands[0] if node.op == "compress" else node


def _first_match(rewriting: Rewriting, node: Node, rules: tuple[Rule, ...], is_output: bool) -> tuple[Rule, Node] | None:
    for rule in rules:
        made = rule.rewrite(rewriting, node)
        if made is not None and made is not node and not (is_output and made.op in ALIASES and is_alias(made)):
            return rule, made
    return None


def _pass_spans_on(old: Node, made: Node, interner: Interner, first: int) -> None:
    """The replacement, and every node that was made for it (numbered from `first`), comes from the same lines."""
    if old not in interner.spans:
        return
    inherit_spans(old, made, interner)
    waiting = [made]
    while waiting:
        for operand in waiting.pop().operands:
            if operand.number >= first and operand not in interner.spans:
                inherit_spans(old, operand, interner)
                waiting.append(operand)


def is_alias(node: Node) -> bool:
    """Is it an input, or a view of one?"""
    while node.op == "view":
        node = node.operands[0]
    return node.op in ("input", "parameter")


def lines_of(graph: Graph, node: Node) -> tuple[int, ...]:
    return tuple(sorted({span.line for span in graph.interner.spans.get(node, ())}))
