"""GraphRecorder: what the evaluator tells about a program becomes graph nodes; data gates are answered by running their slice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from staxlang.base.deferred import deferred
from staxlang.base.sizes import Facts, Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.finite import finite_check
from staxlang.compiler.graph import NO_FACTS, Gate, Graph, GraphError, plain, rebuild, slice_graph, topological
from staxlang.compiler.lowering.checks import CHECKS, read_in_full
from staxlang.compiler.node import Interner, Node
from staxlang.typecheck.recorder import Opened, Recorder

if TYPE_CHECKING:
    from staxlang.compiler import closed, kept_loops
else:
    closed = deferred("staxlang.compiler.closed")
    kept_loops = deferred("staxlang.compiler.kept_loops")

GateAnswer = bool | int | float | complex
RunGate = Callable[[Graph, "Span | None", str, "str | None"], GateAnswer]
"""Computes the one 0-d output of a sliced graph from the arguments of the call that is being captured. The last: what it counts."""


LOOP_NODES = 10_000
"""What a loop inside of another counts: the two stay together."""


class GraphRecorder:
    """The recorder of one capture (see typecheck/recorder.py). Handles are nodes.

    `run_gate` computes the value of a data gate from its slice. It gets the graph as recorded, nothing optimized away.
    """

    __slots__ = ("_answers", "_checks", "_closed", "_facts", "asks", "declared", "gates", "interner", "recorded", "run_gate", "watched")

    checking = False

    def __init__(self, run_gate: RunGate, interner: Interner | None = None, facts: Callable[[], Facts] | None = None) -> None:
        self.interner = Interner() if interner is None else interner
        self.run_gate = run_gate
        self.asks = True
        self.declared: dict[str, dict[int, Node]] = {"input": {}, "scalar": {}}
        self.recorded: dict[Node, None] = {}
        self.gates: list[Gate] = []
        self._answers: dict[Node, GateAnswer] = {}
        self._closed: dict[Node, bool] = {}
        self._checks: dict[Node, None] = {}  # without those that a gate's replay makes
        self.watched: Callable[[Span | None], tuple[bool, Node | None]] | None = None  # checked mode, see `_watch`
        self._facts = facts  # what is known about sizes by now: the evaluation's context knows, see `facts_from`

    def facts_from(self, facts: Callable[[], Facts]) -> None:
        """Where slices and the graph take the facts about sizes from."""
        self._facts = facts

    # ---- the Recorder protocol ----

    def record(self, op: str, operands: tuple[Node, ...], attributes: Mapping[str, Any], type: TensorType, span: Span | None) -> Node:
        node = self.interner.make(op, operands, type, span, **attributes)
        self.recorded[node] = None
        if op in self.declared:
            self.declared[op][node["position"]] = node
        elif op in CHECKS:
            self._checks[node] = None
        elif self.watched is not None:
            self._watch(node, span)
        return node

    def _watch(self, node: Node, span: Span | None) -> None:
        """In checked mode a check beside each operation. `watched` says of a place whether it is looked at, and whether it is reached."""
        assert self.watched is not None
        looked_at, live = self.watched(span)
        check = finite_check(self.interner, node, span, len(self.interner), live) if looked_at else None
        if check is not None:
            self._checks[check] = None

    def composite(
        self,
        name: str,
        operands: tuple[Node, ...],
        attributes: Mapping[str, Any],
        types: tuple[TensorType, ...],
        span: Span | None,
        open: Callable[[Recorder, tuple[Node, ...]], Opened],
    ) -> tuple[Node, ...]:
        """The function whole, with its body beside it as a region over parameters. `options` are its other arguments, as far as they are
        plain numbers and texts (the region holds what all of them did)."""
        nodes = _make_composite(self, name, operands, attributes, types, span, open)
        self.recorded.update(dict.fromkeys(nodes))
        if self.watched is not None:
            for node in nodes:
                self._watch(node, span)
        return nodes

    def keep(self, node: Node) -> None:
        """Counts a node that was made beside `record` as recorded."""
        self.recorded[node] = None
        if node.op in CHECKS:
            self._checks[node] = None

    def sources(self, handle: Node) -> frozenset[int]:
        return frozenset([node["position"] for node in topological((handle,)) if node.op == "input"])

    def trial(self) -> Callable[[], None]:
        """Inputs stay, and gates with what they were answered from."""
        recorded, checks = len(self.recorded), len(self._checks)

        def undo() -> None:
            for held, count in ((self.recorded, recorded), (self._checks, checks)):
                for node in list(held)[count:]:
                    del held[node]

        return undo

    keeps_loops = True

    def mark(self) -> tuple[int, int]:
        return len(self.recorded), len(self._checks)

    def measure(self, since: tuple[int, int]) -> tuple[int, bool]:
        nodes = [node for node in list(self.recorded)[since[0] :] if node.op != "parameter"]
        count = LOOP_NODES if any(node.op == "loop" for node in nodes) else len(nodes)
        return count, any(one.type.shape for node in nodes for one in (node, *node.operands))

    def inputs_since(self, since: tuple[int, int]) -> frozenset[int]:
        found = [operand for node in list(self.recorded)[since[0] :] for operand in node.operands]
        return frozenset([operand["position"] for operand in found if operand.op == "input"])

    def reads(self, since: tuple[int, int], handle: Node) -> bool:
        return any(handle in node.operands for node in list(self.recorded)[since[0] :])

    def loop(
        self, since: tuple[int, int], parameters: list[Node], before: list[Node], after: list[Node],
        index: str, extent: Size | None, conditional: bool, span: Span | None, moves: tuple[int, ...] = (),
    ) -> tuple[Node, ...]:  # fmt: skip
        checks = tuple(list(self._checks)[since[1] :])
        body = kept_loops.Body(tuple(parameters), tuple(before), tuple(after), checks)
        facts = NO_FACTS if self._facts is None else self._facts()
        nodes = kept_loops.loop_nodes(self.interner, body, index, extent, conditional, facts, span, moves)
        for held, count in ((self.recorded, since[0]), (self._checks, since[1])):
            for node in list(held)[count:]:
                del held[node]
        self.recorded.update(dict.fromkeys(nodes))
        if checks and nodes:
            self._checks[nodes[0]] = None
        return nodes

    def closed(self, handle: Node) -> Node | None:
        if handle not in self._closed:
            self._closed[handle] = closed.is_closed(handle)
        return handle if self._closed[handle] else None

    def gate(self, operand: Node, type: TensorType, span: Span | None, what: str, counts: str | None = None) -> GateAnswer:
        """The value of a 0-d node now. Asked again, the same node gives the same answer without another run."""
        known = self._answers.get(operand)
        if known is None:
            sliced = slice_graph(self.graph(()), (operand,))
            known = self._answers[operand] = self.run_gate(sliced, span, what, counts)
            self.gates.append(Gate(sliced, known, what, span, counts))
            for node in read_in_full((operand,), sliced.facts, folded=False) & self._checks.keys():
                del self._checks[node]
        return known

    # ---- what was recorded ----

    def graph(self, outputs: Iterable[Node], updates: Iterable[tuple[int, Node]] = ()) -> Graph:
        """The graph so far. `updates` are (leaf position of an input, its new value). Every recorded node is still in it (`pending`)."""
        inputs = self.declared["input"]
        order = {position: place for place, position in enumerate(sorted(inputs))}
        return Graph(
            self.interner,
            tuple([inputs[position] for position in sorted(inputs)]),
            tuple(outputs),
            tuple([(order[position], node) for position, node in updates]),
            tuple(self.gates),
            NO_FACTS if self._facts is None else self._facts(),
            tuple([node for _, node in sorted(self.declared["scalar"].items())]),
            tuple(self.recorded),
            checks=tuple(self._checks),
        )


class _RegionRecorder:
    """Records a composite's body. Its gates are answered outside, with the actual operands in the parameters' place."""

    __slots__ = ("actual", "outer")

    checking = False

    def __init__(self, outer: GraphRecorder | _RegionRecorder, actual: dict[Node, Node]) -> None:
        self.outer = outer
        self.actual = actual

    @property
    def asks(self) -> bool:
        return self.outer.asks

    @property
    def interner(self) -> Interner:
        return self.outer.interner

    def record(self, op: str, operands: tuple[Node, ...], attributes: Mapping[str, Any], type: TensorType, span: Span | None) -> Node:
        if op in ("input", "scalar"):  # a captured array or number that only the body reads: declared outside
            return self.outer.record(op, operands, attributes, type, span)
        node = self.interner.make(op, operands, type, span, **attributes)
        if op in CHECKS:  # also where the composite is not used
            self.keep(node)
        return node

    def composite(
        self,
        name: str,
        operands: tuple[Node, ...],
        attributes: Mapping[str, Any],
        types: tuple[TensorType, ...],
        span: Span | None,
        open: Callable[[Recorder, tuple[Node, ...]], Opened],
    ) -> tuple[Node, ...]:
        return _make_composite(self, name, operands, attributes, types, span, open)

    def keep(self, node: Node) -> Node:
        """The node with the actual operands, recorded outside. (A region's own nodes live as long as its results need them.)"""
        (inlined,) = rebuild((node,), dict(self.actual), self.interner)
        self.outer.keep(inlined)
        return inlined

    def sources(self, handle: Node) -> frozenset[int]:
        (inlined,) = rebuild((handle,), dict(self.actual), self.interner)
        return self.outer.sources(inlined)

    def trial(self) -> Callable[[], None]:
        return self.outer.trial()

    keeps_loops = False

    def mark(self) -> tuple[int, int]:
        return self.outer.mark()

    def measure(self, since: tuple[int, int]) -> tuple[int, bool]:
        return self.outer.measure(since)

    def inputs_since(self, since: tuple[int, int]) -> frozenset[int]:
        return self.outer.inputs_since(since)

    def reads(self, since: tuple[int, int], handle: Node) -> bool:
        return self.outer.reads(since, handle)

    def loop(
        self, since: tuple[int, int], parameters: list[Node], before: list[Node], after: list[Node],
        index: str, extent: Size | None, conditional: bool, span: Span | None, moves: tuple[int, ...] = (),
    ) -> tuple[Node, ...]:  # fmt: skip
        raise GraphError("a composite's body cannot hold a loop")

    def closed(self, handle: Node) -> Node | None:
        return self.outer.closed(self.keep(handle))

    def gate(self, operand: Node, type: TensorType, span: Span | None, what: str, counts: str | None = None) -> GateAnswer:
        return self.outer.gate(self.keep(operand), type, span, what, counts)


def _make_composite(
    recorder: GraphRecorder | _RegionRecorder,
    name: str,
    operands: tuple[Node, ...],
    attributes: Mapping[str, Any],
    types: tuple[TensorType, ...],
    span: Span | None,
    open: Callable[[Recorder, tuple[Node, ...]], Opened],
) -> tuple[Node, ...]:
    make = recorder.interner.make
    parameters = tuple([make("parameter", (), plain(type), position=k) for k, type in enumerate(types)])
    inner = _RegionRecorder(recorder, dict(zip(parameters, operands, strict=True)))
    results = open(inner, parameters)
    region = Graph(recorder.interner, parameters, tuple([handle for handle, _ in results]))
    options = tuple([(key, value) for key, value in sorted(attributes.items()) if _is_plain(value)])
    return tuple([
        make("composite", operands, plain(type), span, name=name, region=region, result=number, options=options)
        for number, (_, type) in enumerate(results)
    ])


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))  # pyright: ignore[reportUnknownArgumentType]
    return value is None or isinstance(value, (bool, int, float, complex, str))
