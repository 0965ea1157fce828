"""`kernel.lower(*specs)`: a program for types instead of arguments - its graph, guards and bindings - and what an engine makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from staxlang.base.diagnostics import StaxError, diagnose, raise_diagnostics
from staxlang.base.settings import Settings
from staxlang.base.sizes import Size, symbol, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, fingerprint
from staxlang.compiler.graph_text import print_graph
from staxlang.compiler.kept_loops import symbols_in
from staxlang.compiler.loops.printer import print_loops
from staxlang.compiler.lower import lower as lower_to_loops
from staxlang.compiler.passes.driver import Trace
from staxlang.compiler.pipeline import optimize
from staxlang.parser.printer import to_python
from staxlang.runtime import annotated, late
from staxlang.runtime.binding import Binder
from staxlang.runtime.compilation import Compiler, KernelCapture
from staxlang.runtime.declared import Declared, declared
from staxlang.runtime.foreign import taken
from staxlang.runtime.ground import Ground
from staxlang.runtime.matching import Difference, Matched
from staxlang.runtime.originals import with_originals
from staxlang.runtime.signature import NUMBERS, Item, Prepared, prepare
from staxlang.runtime.specs import Specified, specify
from staxlang.runtime.versions import Version
from staxlang.typecheck.annotations import TensorAnnotation
from staxlang.typecheck.evaluator import Evaluation, kernel_function
from staxlang.typecheck.guards import ContentGuard, FrozenScalar, Guard, ShapeGuard, SizeBinding
from staxlang.typecheck.headers import divisor_of_facts
from staxlang.typecheck.values import FunctionValue

if TYPE_CHECKING:
    from staxlang.runtime.programs import Programs

ENGINES = ("cpu", "reference")
ORDERS = 200  # of numbers for symbols that are tried


def lower(kernel: Any, specs: tuple[Any, ...], more: dict[str, Any], fixed: bool = False) -> Lowered:
    """The Lowered program of a kernel for these specs. Raises the diagnostics of what cannot be lowered.

    `fixed`: numbers that are given as values are constants of the program.
    """
    function = kernel.__wrapped__
    binder = Binder(function)
    value = kernel_function(function)
    signature = annotated.signature_of(value.tree, function)
    if signature.diagnostics:
        raise_diagnostics(signature.diagnostics)
    given = taken(binder.name_at, specs, more)
    if given is not None:
        specs, more = given.args, given.kwargs
    order = 0
    while True:
        specified = specify(binder, specs, more, signature.parameters, divisor_of_facts(value.tree), order)
        try:
            return _lowered(kernel, binder, value, specified, fixed)
        except StaxError as problem:  # `where N <= M` holds for some of the orders in which symbols get their numbers
            order += 1
            if problem.code != "broken-fact" or order == ORDERS:
                raise


def _lowered(kernel: Any, binder: Binder, value: FunctionValue, specified: Specified, fixed: bool) -> Lowered:
    prepared = prepare(specified.values)
    if fixed:
        numbers = (*NUMBERS.values(), "bool")
        items = [item._replace(kind="static") if item.kind in numbers and item.path not in specified.valueless else item
                 for item in prepared.items]  # fmt: skip
        prepared = prepared._replace(items=items)
    said = _together(declared(value.tree, kernel.__wrapped__, prepared.items), specified, prepared)
    capture = _captured(value, kernel.settings, prepared, said, specified, share=False)
    if capture.needs_sharing():
        capture = _captured(value, kernel.settings, prepared, said, specified, share=True)
    return Lowered(kernel, binder, value, capture, specified)


def _together(mine: Declared, specified: Specified, prepared: Prepared) -> Declared:
    """What the function's annotations and the specs say. Where both speak of a parameter, the function's symbols name its sizes."""
    others = {path: annotation for path, annotation in specified.annotations.items() if path not in mine.shapes}
    theirs = annotated.declared_at(others, prepared.items)
    hints = {**theirs.hints, **mine.hints}
    extents = {item.path: item.value.shape for item in prepared.items if item.kind == "array"}
    shapes = {**theirs.shapes, **mine.shapes}
    for path in specified.annotations.keys() & mine.shapes.keys():
        axes = zip(mine.shapes[path], specified.annotations[path].axes or (), strict=True)
        shapes[path] = tuple([_own(path, k, hints, extents[path][k]) if one is None and wide != extents[path][k] else one
                              for k, (one, wide) in enumerate(axes)])  # fmt: skip
    return Declared(
        shapes,
        mine.sizes,
        hints,
        mine.names | theirs.names,
        (*theirs.conditions, *mine.conditions),
        mine.signature,
        {**theirs.solved, **mine.solved},
    )


def _own(path: str, axis: int, hints: dict[str, int], extent: int) -> Size:
    """The symbol of an extent that the function's annotation leaves open."""
    name = f"{path}.shape[{axis}]"
    hints[name] = extent
    return symbol(name)


def _captured(
    function: FunctionValue, settings: Settings, prepared: Prepared, said: Declared, specified: Specified, share: bool
) -> KernelCapture:
    """The function walked for stand-ins. That one's value decided something is told first: other errors may follow from it."""
    no_engine = cast("Programs", None)
    capture = _Capture(function.python, Compiler(no_engine, settings), prepared, {}, said, share)
    try:
        capture.run(function)
    finally:
        for guard in capture.context.guards:
            if isinstance(guard, FrozenScalar) and guard.path in specified.valueless:
                given = specified.valueless[guard.path]
                raise_diagnostics([diagnose("needs-value", guard.span, path=guard.path, why=guard.why, given=given)])
    return capture


class _Capture(KernelCapture):
    """An evaluation for types: no data gate has an answer."""

    def run(self, function: FunctionValue) -> None:
        self.recorder.asks = False
        super().run(function)

    def _run_gate(self, sliced: Graph, span: Span | None, what: str, counts: str | None) -> NoReturn:
        raise_diagnostics([diagnose("needs-data", span, what=f"the size of `{what}`" if counts else f"`{what}`")])


class Lowered:
    """A kernel's program for given types. It needs no engine and holds no data.

    `graph` is the optimized graph and `text` its source; `fingerprint` identifies its structure, equally in every process; `inputs` are the
    types of the arrays by path; `bindings` the paths of what the program reads from around it at each call; `guards` what a call must meet
    besides its types.
    """

    def __init__(self, kernel: Any, binder: Binder, function: FunctionValue, capture: KernelCapture, specified: Specified) -> None:
        evaluation = capture.evaluation
        assert evaluation is not None
        self.name: str = kernel.__name__
        self.specified = specified
        self._settings: Settings = kernel.settings
        self._binder = binder
        self.function = function
        self._capture = capture
        self.captured: Graph = capture.recorder.graph(
            [handle for handle, _ in evaluation.outputs], [(position, handle) for position, handle, _ in evaluation.updates]
        )
        self.graph: Graph
        self.trace: Trace
        self.graph, self.trace = optimize(self.captured)
        self.fingerprint = fingerprint(self.graph)
        self.inputs: dict[str, TensorType] = {node["path"]: node.type for node in self.captured.inputs}
        self.bindings = tuple(str(one.getter) for one in capture.context.captures)
        self.guards = tuple(dict.fromkeys([_guard_text(guard) for guard in capture.context.guards]))
        self._compiled: dict[str, Compiled] = {}

    # What it was made of, for those who build on it.

    @property
    def evaluation(self) -> Evaluation:
        assert self._capture.evaluation is not None
        return self._capture.evaluation

    @property
    def guard_values(self) -> tuple[Guard, ...]:
        return tuple(self._capture.context.guards)

    @property
    def size_bindings(self) -> tuple[SizeBinding, ...]:
        return tuple(self._capture.context.sizes)

    @property
    def counted(self) -> tuple[str, ...]:
        """The user's expressions that have sizes of which only data tells how many elements they are, as far as the program needs them."""
        sizes = symbols_in(self.graph).union(*[symbols(extent) for _, type_ in self.evaluation.outputs for extent in type_.shape])
        return tuple([one.what for name, one in self._capture.context.counts.known.items() if name in sizes])

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._capture.prepared.items)

    @property
    def leaf_types(self) -> dict[int, TensorType]:
        """The arrays' types by leaf position."""
        return self._capture.arguments.types

    @property
    def text(self) -> str:
        return print_graph(self.graph)

    def show(self, stage: str = "optimized") -> str:
        """The text of an engine-free stage: tree, graph, trace, optimized, loops."""
        rows = {
            "tree": lambda: to_python(self.function.tree),
            "graph": lambda: print_graph(self.captured),
            "trace": lambda: str(self.trace),
            "optimized": lambda: self.text,
            "loops": lambda: print_loops(lower_to_loops(self.graph)),
        }
        if stage not in rows:
            late.raise_error("unknown-stage", stage=stage, stages=", ".join(rows))
        return rows[stage]()

    def compile(self, engine: str | None = None) -> Compiled:
        """The program on an engine, `cpu` or `reference`: built once, looked up by content in this process and on disk before that."""
        chosen = engine or self._settings.engine or "cpu"
        if chosen not in ENGINES:
            late.raise_error("engine-unavailable", engine=chosen, reason=f"engines are {' and '.join(ENGINES)}")
        found = self._compiled.get(chosen)
        if found is None:
            settings = self._settings.with_options(engine=chosen)
            self._capture.compiler = Compiler(Ground.get(settings).programs, settings)
            found = self._compiled[chosen] = Compiled(self, chosen, self._capture.version(1, self.function), self._binder)
        return found

    def __repr__(self) -> str:
        inputs = ", ".join(f"{path}: {type}" for path, type in self.inputs.items())
        return f"<lowered {self.name}({inputs}) {self.fingerprint}>"

    def __str__(self) -> str:
        return self.text


def _guard_text(guard: ShapeGuard | FrozenScalar | ContentGuard) -> str:
    line = f" (line {guard.span.line})" if guard.span is not None else ""
    if isinstance(guard, ShapeGuard):
        return f"{guard.condition}{line}"
    if isinstance(guard, FrozenScalar):
        return f"{guard.path} == {guard.value!r}{line}"
    return f"{guard.path} unchanged{line}"


class Compiled:
    """A lowered program on an engine. A call is checked against the specs and the guards; one that does not fit is an error."""

    def __init__(self, lowered: Lowered, engine: str, version: Version, binder: Binder) -> None:
        self.lowered = lowered
        self.engine = engine
        self.fingerprint: str = version.program.fingerprint
        self.__name__ = lowered.name
        self._version = version
        self._binder = binder
        self._annotations: dict[str, TensorAnnotation] = lowered.specified.annotations

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            given = taken(self._binder.name_at, args, kwargs)
            if given is not None:
                return given.back(self(*given.args, **given.kwargs))
            return self._run(prepare(self._binder.bind(args, kwargs).values))
        except late.diagnostics().StaxError as problem:
            raise problem.with_traceback(None) from problem.__cause__

    def _run(self, prepared: Prepared) -> Any:
        annotated.declared_at(self._annotations, prepared.items)
        declared(self.lowered.function.tree, self._binder.function, prepared.items)
        found = self._version.match(prepared.values, {})
        if not isinstance(found, Matched):
            prepared, found = self._with_copies(prepared, found)
        hidden = self._version.hidden_overlap(prepared) if prepared.copies else None
        if hidden is not None:
            late.raise_error(hidden[0], left=hidden[1], right=hidden[2])
        result = self._version.run(found)
        for copy, original in prepared.copies:
            if self._version.writes(copy, found):
                original[...] = copy
        return with_originals(result, prepared.copies)

    def _with_copies(self, prepared: Prepared, differences: list[Difference]) -> tuple[Prepared, Matched]:
        """The call with copies of arrays that overlap a written one, and of arrays that lie otherwise than the program reads them."""
        if all(difference.is_overlap for difference in differences):
            copied, found = prepared, self._version.match_apart(prepared)
        else:
            copied = _row_major(prepared)
            found = self._version.match(copied.values, {})
            if isinstance(found, Matched) and self._writes_to_copies(prepared, copied, found):
                found = differences
        if not isinstance(found, Matched):
            late.raise_error("lowered-for-others", differences="; ".join(map(str, differences)))
        return copied, found

    def _writes_to_copies(self, prepared: Prepared, copied: Prepared, found: Matched) -> bool:
        """Does the program write to a copy that was only made to be read?"""
        pairs = zip(prepared.items, copied.items, strict=True)
        made = [other.value for one, other in pairs if one.kind == "array" and one.value is not other.value]
        return any(self._version.writes(copy, found) for copy in made)

    def __repr__(self) -> str:
        return f"<compiled {self.lowered.name} on {self.engine} {self.fingerprint}>"


def _row_major(prepared: Prepared) -> Prepared:
    """The call with row-major copies of the arrays that lie otherwise."""
    arrays = [item.value for item in prepared.items if item.kind == "array" and not item.value.flags.c_contiguous]
    return prepared.replace({id(array): np.ascontiguousarray(array) for array in arrays})._replace(copies=prepared.copies)
