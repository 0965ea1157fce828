"""The one evaluator of the language: a function's Tree and abstract arguments go in; what it records, decides and returns comes out."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from staxlang.base.diagnostics import Diagnostic, diagnose, raise_diagnostics
from staxlang.base.records import record
from staxlang.base.sizes import Facts
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.parser.library import library_function
from staxlang.typecheck import attributes, branches, calls, captures, containers, expressions, statements
from staxlang.typecheck.arguments import Entry, announce, leaves
from staxlang.typecheck.captures import LibraryScope
from staxlang.typecheck.context import CallContext, EvaluationContext
from staxlang.typecheck.control import guarded
from staxlang.typecheck.frames import Frame, Rules
from staxlang.typecheck.guards import Capture, FrozenScalar, Gate, Guard, SizeBinding
from staxlang.typecheck.problems import Problem, Unknowable, plain_advice
from staxlang.typecheck.recorder import Handle, Recorder
from staxlang.typecheck.results import Result, Results
from staxlang.typecheck.values import UNKNOWN, ArrayValue, FunctionValue, Scope, Storage, Value

RULES = Rules(expressions.EXPRESSIONS, statements.STATEMENTS)
CHECKING_RULES = Rules(expressions.EXPRESSIONS, {kind: guarded(run) for kind, run in statements.STATEMENTS.items()})

_library: dict[str, FunctionValue | None] = {}


@record
class Evaluation:
    """What an evaluation found.

    `result` is the structure of what is returned (results.py) over `outputs`; `updates` are the inputs that were written to, by position,
    with what they hold at the end. `guards` are shape guards, frozen scalars and content guards in the order they were met; `sizes` binds
    size symbols to integer arguments. `value` is the abstract result (for the checker), `facts` what is known about sizes at the end.
    `late_reads`: (input, input) where the first was read when the second had been written to.
    """

    result: Result | None
    outputs: tuple[tuple[Handle, TensorType], ...]
    updates: tuple[tuple[int, Handle, TensorType], ...]
    guards: tuple[Guard, ...]
    captures: tuple[Capture, ...]
    gates: tuple[Gate, ...]
    sizes: tuple[SizeBinding, ...]
    diagnostics: tuple[Diagnostic, ...]
    facts: Facts
    value: Value
    late_reads: tuple[tuple[int, int], ...]

    @property
    def frozen(self) -> tuple[FrozenScalar, ...]:
        return tuple(guard for guard in self.guards if isinstance(guard, FrozenScalar))


def evaluate(
    function: FunctionValue, arguments: Mapping[str, Value], recorder: Recorder, context: EvaluationContext | None = None
) -> Evaluation:
    """Walk a function with abstract arguments, one per parameter, telling the recorder of every tensor operation.

    The arguments are made by arguments.py. In capture the first error is raised, with all diagnostics found so far; in checking
    (`recorder.checking`) all are collected and the evaluation always ends.
    """
    context = context if context is not None else EvaluationContext(recorder)
    _prepare(context)
    announce(context, arguments)
    try:
        entry = Entry(context, captures.lift)
        bound = {name: entry.enter(value) for name, value in arguments.items()}
        _note_parameters(context, function, bound)
        value, place = _run(context, function, bound)
        results = Results(CallContext(context, function.tree.span))
        result = results.take(value, place) if not context.checking else None
    except Problem as problem:
        context.report(problem.diagnostic)
        if not context.checking:
            raise_diagnostics(context.diagnostics)
        return _evaluation(context, None, None, {}, UNKNOWN)
    except RecursionError:
        context.report(diagnose("recursion-limit", function.tree.span, function=function.name, limit=str(context.depth_limit)))
        if not context.checking:
            raise_diagnostics(context.diagnostics)
        return _evaluation(context, None, None, {}, UNKNOWN)
    return _evaluation(context, result, results, entry.storages, value)


def _run(context: EvaluationContext, function: FunctionValue, bound: Mapping[str, Value]) -> tuple[Value, Span | None]:
    try:
        return calls.start(CHECKING_RULES if context.checking else RULES, context, function, bound)
    except Unknowable:
        return UNKNOWN, None


def _prepare(context: EvaluationContext) -> None:
    """Give the context its ways back into the evaluator."""
    context.invoke = calls.invoke
    context.library = library
    context.attribute = attributes.attribute
    context.iterate = containers.items
    context.container = _container
    context.function = captures.function_value
    context.lift = captures.lift
    context.choose = branches.choose


def _container(call: CallContext, value: Value) -> Value:
    """A captured container's elements; a diagnostic for an object that is none."""
    found = captures.expand(call.context, value, call.span)
    if found is None:
        subscripted = type(call.tree) is tree.Subscript
        text = call.text(0) if subscripted else call.text(1) if type(call.tree) is tree.Compare else call.text()
        advice = plain_advice(getattr(value, "object", None), text)
        call.error("not-subscriptable" if subscripted else "not-iterable", what=f"{text} ({call.describe(value)})", help=advice)
    return found


def library(name: str) -> FunctionValue | None:
    """A function of the standard library, kept for the process: its Tree does not change."""
    if name not in _library:
        found = library_function(name)
        scope = LibraryScope(name.rpartition(".")[0], inside=True)
        _library[name] = None if found is None else FunctionValue(found, scope, {}, library=True)
    return _library[name]


def kernel_function(function: FunctionType) -> FunctionValue:
    """A Python function as a kernel: its source found and parsed. Raises the diagnostic where there is none."""
    try:
        return captures.function_value(function)
    except Problem as problem:
        raise_diagnostics([problem.diagnostic])


def frame_in(context: EvaluationContext, scope: Scope, span: Span) -> Frame:
    """A frame for expressions that stand in no function, with the names of a scope."""
    _prepare(context)
    return Frame(context, RULES, FunctionValue(tree.Function(span, "const", (), ()), scope, {}), None, None)


def _note_parameters(context: EvaluationContext, function: FunctionValue, bound: Mapping[str, Value]) -> None:
    """Where sizes come from: the axes of the parameters, at their lines."""
    for parameter in function.tree.parameters:
        if parameter.name not in bound:
            continue
        for leaf in leaves(bound[parameter.name]):
            if type(leaf) is ArrayValue and leaf.storage.source is not None:
                source = leaf.storage.source
                context.note_origins(leaf.type.shape, f"parameter {source.path}", parameter.span, source)


def _evaluation(
    context: EvaluationContext, result: Result | None, results: Results | None, storages: Mapping[Any, Storage], value: Value
) -> Evaluation:
    written = [storage for storage in (*storages.values(), *context.storages.values()) if storage.written is not None]
    changed = [storage for storage in written if storage.handle is not storage.original]
    if changed or context.checking:  # what holds its own elements again is written too: they may be memory of what has changed
        changed = written
    updates = tuple([(one.source.position, one.handle, TensorType(one.type.dtype, one.type.shape)) for one in changed])
    return Evaluation(
        result,
        tuple(results.outputs) if results is not None else (),
        updates,
        tuple(context.guards),
        tuple(context.captures),
        tuple(context.gates),
        tuple(context.sizes),
        tuple(context.diagnostics),
        context.facts,
        value,
        tuple(context.late_reads),
    )
