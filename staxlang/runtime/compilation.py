"""From a call that no version fits to a new version: evaluate, replay gates, build the program, plan the entry. Loaded on a miss."""

from __future__ import annotations

import os
from types import FunctionType
from typing import Any

import numpy as np

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.records import NamedTuple
from staxlang.base.recursion import make_room
from staxlang.base.settings import Settings
from staxlang.base.sizes import Condition, Size, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.capture import GraphRecorder
from staxlang.compiler.graph import Graph, fingerprint
from staxlang.compiler.llvm.entry_plan import EntryPlan, Output
from staxlang.runtime import late
from staxlang.runtime.arguments import Arguments, SizePolicy, abstract_arguments
from staxlang.runtime.declared import Declared, check_results, declared
from staxlang.runtime.disk import digest
from staxlang.runtime.evidence import Evidence
from staxlang.runtime.ground import Ground
from staxlang.runtime.matching import Matched, Matcher
from staxlang.runtime.planning import LEAF_KINDS, PlanBuilder, overlaps_itself
from staxlang.runtime.plans import encode
from staxlang.runtime.programs import Built, Programs
from staxlang.runtime.results import ResultTree
from staxlang.runtime.signature import Prepared
from staxlang.runtime.versions import GateStep, Version
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.counts import answer
from staxlang.typecheck.evaluator import Evaluation, evaluate, kernel_function
from staxlang.typecheck.guards import ContentGuard, FrozenScalar, ShapeGuard
from staxlang.typecheck.results import OutputArray, Result, leaves, sizes_of
from staxlang.typecheck.values import FunctionValue


class Captured(NamedTuple):
    """One capture, kept beside its version: what `explain` and `show` go back to."""

    graph: Graph
    evaluation: Evaluation
    tree: Any
    built: Built


class Compiler(NamedTuple):
    """What a compilation needs of its surroundings."""

    programs: Programs
    settings: Settings


def compile_version(
    ground: Ground, settings: Settings, function: Any, prepared: Prepared, evidence: Evidence, number: int
) -> tuple[Version, Evidence]:
    """The version for a call, and what its sizes add to the evidence. Raises diagnostics of what cannot be compiled; then nothing stays."""
    make_room(2000)
    compiler = Compiler(ground.programs, settings)
    value = kernel_function(function)
    said = declared(value.tree, function, prepared.items)
    capture = KernelCapture(function, compiler, prepared, evidence, said, share=False)
    capture.run(value)
    if capture.needs_sharing():
        capture = KernelCapture(function, compiler, prepared, evidence, said, share=True)
        capture.run(value)
    return capture.version(number, value), capture.policy.seen


class KernelCapture:
    """One evaluation of a function for one call, and the plans made of it."""

    def __init__(
        self, function: Any, compiler: Compiler, prepared: Prepared, evidence: Evidence, said: Declared, share: bool
    ) -> None:
        self.function = function
        self.compiler = compiler
        self.prepared = prepared
        self.said = said
        self.policy = SizePolicy(evidence, compiler.settings, said.shapes, said.hints)
        self.share = share
        self.arguments: Arguments = abstract_arguments(prepared.values, prepared.items, self.policy, share)
        self.recorder = GraphRecorder(self._run_gate)
        settings = compiler.settings
        self.context = EvaluationContext(self.recorder, unroll_limit=settings.static_loop_limit, depth_limit=settings.recursion_limit)
        self.context.arguments = prepared.values
        self.context.loops.limit = settings.unroll_limit
        self.context.branches.inside = compiler.settings.branches == "inside"
        self.context.rigid |= said.names
        self.context.declared.update(said.solved)
        self.context.hints.update(said.hints)
        self.context.capture_type = self._capture_type
        self.recorder.facts_from(lambda: self.context.facts)
        if settings.checked:
            self.recorder.watched = self._watched
        self.gates: list[GateStep] = []
        self.above: list[str | None] = []  # of each gate the counted size that it gives
        self.evaluation: Evaluation | None = None

    def _watched(self, span: Span | None) -> tuple[bool, Any]:
        """Whether operations are tested for NaN and infinity: what the user wrote outside of `np.errstate`; and what says that they run."""
        live = self.context.branches.live
        own = span is not None and not span.source.name.startswith(_LIBRARY)
        return own and not self.context.quiet, None if live is None else live.storage.handle

    def run(self, function: FunctionValue) -> None:
        """Walk the function. Sizes that annotations had to be solved for are guards like those that the walk decides on."""
        for condition in self.said.conditions:
            self.context.assume(condition)
            self.context.guards.append(ShapeGuard(condition, function.tree.span, "an annotation"))
        self.evaluation = evaluate(function, self.arguments.values, self.recorder, self.context)
        check_results(self.said, self.evaluation, function.name, function.tree.span, self.context)

    def _capture_type(self, value: Any, dtype: Any, getter: Any) -> TensorType:
        """Captured arrays follow the same policy as arguments: constants first, symbols on evidence."""
        type_ = self.policy.type_of(str(getter), value, dtype)
        self.context.hints.update(self.policy.hints)
        return type_

    def needs_sharing(self) -> bool:
        """Is an array written to that is also passed in another place?"""
        assert self.evaluation is not None
        written = {position for position, _, _ in self.evaluation.updates}
        arrays = _leaf_arrays(self.prepared)
        return any(
            position in written and any(other is array and place != position for place, other in arrays.items())
            for position, array in arrays.items()
        )

    # ---- gates ----

    def _run_gate(self, sliced: Graph, span: Span | None, what: str, counts: str | None) -> Any:
        """Compile a gate's slice, run it on the arguments, and keep it as the replay of later calls. What it needs counted comes first."""
        built = self.compiler.programs.get(sliced, self.compiler.settings)
        self._count(self._counted_in(built))
        builder = self._builder(frozenset())
        (output,) = sliced.outputs
        plan = self._plan(builder, sliced, built, (output.type,), ("scalar", 0), gate=output.type.dtype.name)
        encoded, names = encode(plan, self._asked())
        before = [gate.key for gate in self.gates if gate.counts]
        key = digest(fingerprint(sliced), repr(encoded), *(repr(id(slot)) for slot in builder.slots), *before)
        line = span.line if span is not None else 0
        step = GateStep(key, encoded, builder.slots, names, built.program, None, what, line, counts is not None)
        matcher = Matcher(encoded, builder.slots, names, self.prepared.values)
        matched = matcher.match()
        assert isinstance(matched, Matched), matched
        matched = matcher.counted([gate.outcome for gate in self.gates])
        assert isinstance(matched, Matched), matched
        step.outcome = built.program.execute(encoded, builder.slots, matched)[0].item()
        step.native_plan, step.stored = plan, built.stored
        self.gates.append(step)
        self.above.append(counts)
        return step.outcome

    def _counted_in(self, built: Built, *more: Size) -> list[str]:
        """The counted sizes that a program, or these sizes, speak of."""
        found = set(built.sizes).union(*[symbols(size) for size in (built.arena, built.work, *more)])
        return [name for name in self.context.counts.known if name in found]

    def _count(self, names: list[str]) -> None:
        """Have these sizes counted before the program runs, where they are not yet."""
        for name in names:
            if name not in self.above and answer(self.context, name) is None:
                known = self.context.counts.known[name]
                raise_diagnostics(diagnose("mask-read", known.span))

    # ---- plans ----

    def _builder(self, written: frozenset[int]) -> PlanBuilder:
        """Places and guards by what the evaluation has met so far."""
        builder = PlanBuilder()
        values = self.prepared.values
        if type(self.function) is FunctionType:
            builder.add_function(self.function)
        builder.add_items(self.prepared.items, self.arguments.types, written)
        if self.share:
            builder.aliases(self.prepared.items)
        for capture in self.context.captures:
            builder.add_capture(capture, values, capture.position in written)
        for guard in self.context.guards:
            if isinstance(guard, ContentGuard):
                builder.add_content(guard, values)
            elif isinstance(guard, FrozenScalar):
                builder.freeze(guard)
        return builder

    def _refuse_overlapping_writes(self, written: frozenset[int], span: Span | None) -> None:
        """An array whose elements share memory (a broadcast one) cannot be written to."""
        for position, array in _leaf_arrays(self.prepared).items():
            if position in written and overlaps_itself(array):
                raise_diagnostics(diagnose("overlapping-write", span, type=self.arguments.types[position]))

    def _types(self) -> dict[int, TensorType]:
        return {**self.arguments.types, **{capture.position: capture.type for capture in self.context.captures}}

    def _plan(
        self,
        builder: PlanBuilder,
        graph: Graph,
        built: Built,
        outputs: tuple[TensorType, ...],
        result: tuple[Any, ...],
        gate: str | None = None,
        late: tuple[tuple[int, int], ...] = (),
        laid: Result | None = None,
    ) -> EntryPlan:
        positions = [(node["position"], node) for node in graph.scalars]
        places = builder.leaf_places
        return EntryPlan(
            positional=0,
            keywords=(),
            places=tuple(builder.places),
            symbols=tuple(builder.symbol(binding) for binding in self.context.sizes),
            conditions=self._conditions(),
            arrays=tuple(builder.leaf_places[node["position"]] for node in graph.inputs),
            scalars=tuple((builder.leaf_places[position], _SCALAR_KINDS[node.type.dtype.kind]) for position, node in positions),
            sizes=built.sizes,
            outputs=tuple(
                Output(type_.dtype.name, type_.dtype.itemsize, shape, builder.slot(type_.dtype.numpy), order)
                for type_, (shape, order) in zip(outputs, _placed(outputs, laid), strict=True)
            ),
            result=result,
            work=built.work,
            arena=built.arena,
            gate=gate,
            above=tuple(self.above),
            separate=self.compiler.settings.overlap == "assume-none",
            fail=builder.slot(_Failure(graph, self.compiler)) if built.checks else -1,
            slots=len(builder.slots),
            late=tuple([(places[one], places[other]) for one, other in late if one in places and other in places]),
        )

    def _conditions(self) -> tuple[Condition, ...]:
        return tuple(dict.fromkeys(guard.condition for guard in self.context.guards if isinstance(guard, ShapeGuard)))

    def _asked(self) -> dict[Condition, tuple[int, str]]:
        """The line and the reason of each shape guard."""
        guards = (guard for guard in self.context.guards if isinstance(guard, ShapeGuard) and guard.span is not None)
        return {guard.condition: (guard.span.line, guard.why) for guard in guards if guard.span is not None}

    def _program(self, evaluation: Evaluation) -> tuple[Graph, Built]:
        """The graph of what was evaluated, and its program; all sizes that they speak of are counted by gates."""
        outputs = [handle for handle, _ in evaluation.outputs]
        updates = [(position, handle) for position, handle, _ in evaluation.updates]
        told = [extent for _, type_ in evaluation.outputs for extent in type_.shape]
        told += [size for leaf in leaves(evaluation.result) for size in sizes_of(leaf)] if evaluation.result is not None else []
        while True:
            graph = self.recorder.graph(outputs, updates)
            built = self.compiler.programs.get(graph, self.compiler.settings)
            lacking = [name for name in self._counted_in(built, *told) if name not in self.above]
            if not lacking:
                return graph, built
            self._count(lacking)

    def version(self, number: int, tree: Any) -> Version:
        evaluation = self.evaluation
        assert evaluation is not None
        self._refuse_overlapping_writes(frozenset(position for position, _, _ in evaluation.updates), tree.tree.span)
        graph, built = self._program(evaluation)
        builder = self._builder(frozenset(position for position, _, _ in evaluation.updates))
        outputs = tuple(type_ for _, type_ in evaluation.outputs)
        assert evaluation.result is not None
        result = ResultTree(builder, self._types(), outputs, self.prepared.values).node(evaluation.result)
        plan = self._plan(builder, graph, built, outputs, result, late=evaluation.late_reads, laid=evaluation.result)
        encoded, names = encode(plan, self._asked())
        version = Version(number, encoded, builder.slots, names, built.program, tuple(self.gates))
        version.native_plan, version.stored = plan, built.stored
        version.source = Captured(graph, evaluation, tree, built)
        return version


def _placed(outputs: tuple[TensorType, ...], result: Result | None) -> list[tuple[tuple[Size, ...], tuple[int, ...]]]:
    """Each output's extents and the order of its axes in memory, as the leaf of the result wants them that is all of it."""
    found: list[tuple[tuple[Size, ...], tuple[int, ...]]] = [(type_.shape, ()) for type_ in outputs]
    for leaf in leaves(result) if result is not None else ():
        if isinstance(leaf, OutputArray) and leaf.order:
            found[leaf.output] = (leaf.type.shape, leaf.order)
    return found


_LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stdlib")
_SCALAR_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def _leaf_arrays(prepared: Prepared) -> dict[int, np.ndarray[Any, Any]]:
    found: dict[int, np.ndarray[Any, Any]] = {}
    position = -1
    for item in prepared.items:
        position += item.kind in LEAF_KINDS
        if item.kind == "array":
            found[position] = item.value
    return found


class _Failure:
    """Raises for a run-time check of a program that failed: the check is looked up in the program's stages only then."""

    is_failure = True

    def __init__(self, graph: Graph, compiler: Compiler) -> None:
        self.graph = graph
        self.compiler = compiler

    def __call__(self, status: int) -> None:
        late.failures().raise_failed_check(self.graph, self.compiler.programs.target, self.compiler.settings, status)
