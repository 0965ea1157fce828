"""A captured Graph to loaded code: looked up by content in this process and on disk before anything is optimized; else built, once."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from staxlang.base.deferred import deferred
from staxlang.base.externs import DEMAND, DIVISION, RAISED
from staxlang.base.records import NamedTuple
from staxlang.base.recursion import make_room
from staxlang.base.settings import Settings
from staxlang.base.sizes import Size, parse_size, symbols
from staxlang.base.spans import Span
from staxlang.compiler.finite import NOT_FINITE
from staxlang.compiler.graph import Graph, fingerprint, topological
from staxlang.compiler.kept_loops import regions_of, symbols_in
from staxlang.compiler.llvm.entry_plan import EntryPlan
from staxlang.compiler.llvm.program import Emission, emit
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Kernel, LoopProgram, Schedule
from staxlang.compiler.loops.kept import all_definitions
from staxlang.compiler.loops.schedule import schedule, size_symbols
from staxlang.compiler.loops.work import call_work
from staxlang.compiler.lower import lower
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Trace
from staxlang.compiler.pipeline import optimize
from staxlang.compiler.target import Target
from staxlang.runtime import identity, late
from staxlang.runtime.disk import digest
from staxlang.runtime.forks import Mutex, compiling
from staxlang.runtime.ground import Ground
from staxlang.runtime.loader import LoadError
from staxlang.runtime.matching import Matched
from staxlang.runtime.plans import evaluate
from staxlang.runtime.program_loading import (
    DIVISOR,
    EXPONENT,
    EXTERN,
    FINITE,
    INDEX,
    INTERRUPT,
    MASK,
    REQUIRED,
    WRITTEN,
    Stored,
    load_program,
)
from staxlang.runtime.running import Array
from staxlang.runtime.support import build
from staxlang.runtime.versions import Program
from staxlang.typecheck.index_notation.scope import MARK

if TYPE_CHECKING:
    from staxlang.compiler.loops import report as loops_report
else:
    loops_report = deferred("staxlang.compiler.loops.report")

_INDEX: Final = re.compile(r"i\d+")  # the subscripts of views


class Stages(NamedTuple):
    """Every stage of one compilation."""

    optimized: Graph
    trace: Trace
    loops: LoopProgram
    schedule: Schedule
    emission: Emission


class Built(NamedTuple):
    """A program and what its entry has to give it: size symbols in order, bytes of scratch, work (a size), texts of run-time checks."""

    program: Program | ReferenceProgram
    sizes: tuple[str, ...]
    arena: Size
    work: Size
    checks: tuple[str, ...]
    stored: Stored


def stages(
    graph: Graph, target: Target, settings: Settings, name: str, record: Callable[[str, Graph], None] | None = None, polls: bool = True
) -> Stages:
    """Optimize, lower, schedule and emit a graph: pure data all the way. `polls`: the program runs under the interpreter."""
    _make_room(graph)
    optimized, trace = optimize(graph, None, record)
    loops = lower(optimized)
    planned = schedule(loops, target, settings)
    return Stages(optimized, trace, loops, planned, emit(planned, target, name, settings.fast_math, polls))


def _make_room(graph: Graph) -> None:
    """Passes nest as deep as a graph's longest chain: a long program must not meet Python's limit."""
    depths: dict[Node, int] = {}
    for node in topological(graph.roots):
        depths[node] = 1 + max([depths[operand] for operand in node.operands], default=0)
    make_room(2000 + 40 * max(depths.values(), default=0))


class ReferenceProgram:
    """A graph run by NumPy, one operation at a time: the engine `reference`."""

    def __init__(self, graph: Graph, fingerprint: str) -> None:
        self.graph = graph
        self.fingerprint = fingerprint

    @staticmethod
    def symbols(graph: Graph) -> tuple[str, ...]:
        """All size symbols of the graph's nodes, those of its loops included."""
        counted: set[str] = set()  # how many elements masks choose, and rounds: known when the program runs
        for node in (one for part in (graph, *regions_of(graph)) for one in topological((*part.inputs, *part.roots))):
            if node.op == "compress":
                counted |= symbols(node["count"])
            elif node.op == "loop":
                counted.add(node["index"])
        found = symbols_in(graph) - counted
        return tuple(sorted(name for name in found if not _INDEX.fullmatch(name) and not name.startswith(MARK)))

    def execute(self, plan: EntryPlan, slots: list[Any], matched: Matched) -> list[Array]:
        objects, env, _ = matched
        sizes = dict(zip(self.symbols(self.graph), (evaluate(size, env) for size in plan.sizes), strict=True))
        inputs = [np.asarray(objects[place]) for place in plan.arrays]
        made = late.reference().run_graph(self.graph, inputs, [objects[place] for place, _ in plan.scalars], sizes)
        return [_in_order(array, output.order) for array, output in zip(made, plan.outputs, strict=True)]


def _in_order(array: Array, order: tuple[int, ...]) -> Array:
    """An output with its axes as results have them; the program's are as they lie in memory, outermost first."""
    outer = order[::-1]
    return array.transpose([outer.index(axis) for axis in range(array.ndim)]) if order else array


class Programs:
    """The process's programs by content key."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.target = ground.target
        self.store = ground.store
        self.compiled = 0  # programs that were really built in this process
        self.disk_hits = 0
        self._known: dict[str, Built] = {}
        self._mutex = Mutex()

    def key(self, graph: Graph, settings: Settings) -> str:
        changing = f"fast_math={settings.fast_math} checked={settings.checked}"
        return fingerprint(graph, digest(changing, identity.compiler(), identity.machine(self.target)))

    def get(self, graph: Graph, settings: Settings) -> Built:
        """The program of a graph: from this process, from disk, or built now. One thread builds a given key; others wait for it."""
        key = self.key(graph, settings)
        if settings.engine == "reference":
            return Built(ReferenceProgram(graph, key), ReferenceProgram.symbols(graph), 0, 0, (), ())
        found = self._known.get(key)
        if found is None:
            with compiling, self._mutex.lock:
                found = self._known.get(key)
                if found is None:
                    found = self._known[key] = self._stored(key) or self._build(key, graph, settings)
        return found

    def _stored(self, key: str) -> Built | None:
        data = self.store.get(digest("program", key)) if self.store is not None else None
        if data is None:
            return None
        try:
            built = self._load(key, marshal.loads(data))
        except (LoadError, ValueError, EOFError, TypeError):
            return None
        self.disk_hits += 1
        return built

    def _build(self, key: str, graph: Graph, settings: Settings) -> Built:
        made = stages(graph, self.target, settings, f"p{key}")
        if settings.log:
            _log(made, graph, self.target, settings)
        data = build(made.emission.text, self.target)
        work: Size = 0
        for step in made.schedule.steps:
            work = work + (step.work if isinstance(step, Kernel) else call_work(step))
        checks = tuple(check_text(made, number) for number in range(len(made.emission.checks)))
        sizes = size_symbols(made.schedule)
        stored = (data, made.emission.externals, sizes, _text(made.schedule.arena_bytes), _text(work), checks)
        built = self._load(key, stored)
        self.compiled += 1
        if self.store is not None:
            self.store.put(digest("program", key), marshal.dumps(stored))
        return built

    def _load(self, key: str, stored: Stored) -> Built:
        program = load_program(self.ground.support, self.target, self.store, key, stored)
        _, _, sizes, arena, work, checks = stored
        return Built(program, tuple(sizes), _size(arena), _size(work), checks, stored)


def _log(made: Stages, graph: Graph, target: Target, settings: Settings) -> None:
    """What `STAX_LOG` asks to know of a program that is built: the rules that fired, and what became one kernel and what did not."""
    places = [span for node in graph.roots for span in graph.interner.spans.get(node, ())]
    where = f"{places[-1].source.name}:{places[-1].line}" if places else "a program"
    told: dict[str, Callable[[], Iterable[str]]] = {
        "passes": lambda: str(made.trace).splitlines(),
        "fusion": lambda: _fused(made, target),
    }
    for topic, lines in told.items():
        if settings.log & {topic, "all"}:
            for line in lines():
                late.logs().log(topic, f"{where}: {line}")


def _fused(made: Stages, target: Target) -> tuple[str, ...]:
    count = len(made.schedule.steps)
    return (f"{count} kernel{'s' * (count != 1)}", *loops_report.report(made.schedule, target).notes)


def check_text(made: Stages, number: int) -> str:
    """What the run-time check of a program says when it fails, for a process that has only the program's code."""
    node, span = check_of(made, number)
    if node.op == "interrupt":
        return INTERRUPT
    if node.get("what") == "exponent":
        return EXPONENT
    if node.get("what", "").startswith(DIVISION):
        return f"{DIVISOR}{node['what'].removeprefix(DIVISION)} {place_text(span)}"
    if node.get("what", "").startswith(DEMAND):
        return REQUIRED + node["what"].removeprefix(DEMAND)
    if node.get("what", "").startswith(RAISED):
        return WRITTEN + node["what"].removeprefix(RAISED)
    if node.get("what", "").startswith(NOT_FINITE):
        return f"{FINITE}{place_text(span)}"
    if node.get("what") == "mask":
        return MASK
    if node.op == "extern_check":
        return f"{EXTERN}{node['name']} {place_text(span)}"
    return f"{INDEX}{node.get('axis', 0)} {node.get('extent', '?')}\n{place_text(span) if span is not None else 'an index'}"


def place_text(span: Span | None) -> str:
    """A place in the source, in words."""
    return f"{span.source.line(span.line).strip()} ({span.source.name}:{span.line})" if span is not None else "the program"


def check_of(made: Stages, number: int) -> tuple[Node, Span | None]:
    """A program's run-time check and its place in the source. (What was inlined has no span; the definition that it came from has.)"""
    node = made.emission.checks[number]
    bodies = [step.body for step in all_definitions(made.loops)]
    like = (other for other in subexpressions(bodies) if other.op == node.op and other.attributes == node.attributes)
    spans = [span for one in (node, *like) for span in made.loops.interner.spans.get(one, ())]
    return node, spans[0] if spans else None


def _text(size: Size) -> int | str:
    return size if isinstance(size, int) else str(size)


def _size(text: int | str) -> Size:
    return text if isinstance(text, int) else parse_size(text)
