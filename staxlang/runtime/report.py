"""What `kernel.explain` gives: a version's kernels, the bytes they move beside the least possible, its guards, what was not fused."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from staxlang.base.externs import find_extern
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, evaluate
from staxlang.base.types import element_count
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Definition, Kernel, LibraryCall, Loop, Nest, Range, Statement
from staxlang.compiler.loops.report import Traffic
from staxlang.compiler.loops.report import report as schedule_report
from staxlang.compiler.loops.work import call_work
from staxlang.compiler.node import Node
from staxlang.runtime import timing
from staxlang.runtime.guard_texts import guard_texts, readable
from staxlang.runtime.matching import Matched
from staxlang.runtime.programs import Stages
from staxlang.runtime.signature import class_of
from staxlang.runtime.stages import Shown
from staxlang.runtime.versions import Version

_FREE_OPS = frozenset(("load", "const", "size", "local", "cast", "guard", "reduce"))


class KernelReport(NamedTuple):
    """One compiled loop nest (or library call). `loops` are words, outermost first; `vector_width` counts lanes, 1 where there are none.

    `estimated` and `measured` are seconds: what bytes and operations take on a machine like this, and the median of a few runs, each after
    the last (None: it could not be run so).
    """

    name: str
    source_lines: tuple[int, ...]
    bytes: int
    flops: int
    loops: tuple[str, ...]
    parallel: bool
    vector_width: int
    estimated: float = 0.0
    measured: float | None = None


class Report(NamedTuple):
    """The answer of `kernel.explain(*args)`; numbers are those of the arguments' sizes. Prints as text, draws itself in notebooks."""

    kernel: str
    route: str
    kernels: tuple[KernelReport, ...]
    bytes_moved: int
    bytes_lower_bound: int
    copies: tuple[str, ...]
    peak_bytes: int
    versions: tuple[str, ...]
    guards: tuple[str, ...]
    materialized: tuple[str, ...]
    not_fused: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers, ready for JSON."""
        plain: dict[str, Any] = {name: list(value) if class_of(value) is tuple else value for name, value in self._asdict().items()}
        return {**plain, "kernels": [one._asdict() for one in self.kernels]}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        ratio = self.bytes_moved / self.bytes_lower_bound if self.bytes_lower_bound else 1.0
        count = f"{len(self.kernels)} kernel{'s' * (len(self.kernels) != 1)}"
        yield f"{self.kernel}: {count}, {_amount(self.bytes_moved)} moved, {ratio:.2f} times the lower bound; runs {self.route}"
        for one in self.kernels:
            where = f", line{'s' * (len(one.source_lines) > 1)} {_ranges(one.source_lines)}" if one.source_lines else ""
            vector = f", {one.vector_width} lanes" if one.vector_width > 1 else ""
            yield f"  {one.name}{where}: {_amount(one.bytes)}, {one.flops} flops{vector}{', parallel' if one.parallel else ''}{_times(one)}"
            for loop in one.loops:
                yield f"      {loop}"
        for title, texts in (
            ("versions", self.versions),
            ("guards", self.guards),
            ("materialized", self.materialized),
            ("copies", self.copies),
            ("not fused", self.not_fused),
            ("notes", self.notes),
        ):
            if texts:
                yield f"  {title}:"
                for text in texts:
                    yield f"      {text}"
        yield f"  peak of temporaries and results: {_amount(self.peak_bytes)}"

    def to_html(self) -> str:
        """A table of the kernels, and the rest of the text below it."""
        head = "".join(f"<th>{title}</th>" for title in ("kernel", "lines", "bytes", "flops", "lanes", "parallel", "estimated", "measured"))
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in (
                one.name, _ranges(one.source_lines), one.bytes, one.flops, one.vector_width, "yes" if one.parallel else "no",
                _duration(one.estimated), "" if one.measured is None else _duration(one.measured),
            )) + "</tr>"
            for one in self.kernels
        )  # fmt: skip
        return f"<table><tr>{head}</tr>{rows}</table><pre>{html.escape(str(self))}</pre>"

    def _repr_html_(self) -> str:
        return self.to_html()


def explain(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
    """The report of the version that serves these arguments; it is compiled if there is none. A copy of it that looks at the clock between
    the kernels is run a few times, on copies of arrays that are written to."""
    version, matched = kernel._dispatcher.version_and_match(args, kwargs)
    shown, env = Shown(kernel, version), matched.env
    made = shown.stages
    sizes = {name: env[short] for short, name in ((f"s{k}", name) for k, name in enumerate(version.names)) if short in env}
    traffic = schedule_report(made.schedule, shown.ground.target)
    kernels = tuple(_kernel(one, step, made, sizes) for one, step in zip(traffic.kernels, made.schedule.steps, strict=True))
    kernels = _timed(kernels, version, matched, shown, sizes)
    outputs = [buffer for buffer in made.loops.buffers.values() if buffer.role == "output"]
    results = sum(_number(element_count(buffer.shape), sizes) * buffer.dtype.itemsize for buffer in outputs)
    not_fused = tuple(note for note in traffic.notes if "not fused" in note)
    return Report(
        kernel=kernel.__name__,
        route=kernel.stats().route,
        kernels=kernels,
        bytes_moved=_number(traffic.bytes, sizes),
        bytes_lower_bound=_number(traffic.lower_bound, sizes),
        copies=traffic.copies,
        peak_bytes=_number(traffic.scratch, sizes) + results,
        versions=tuple(_version_text(one) for one in kernel._dispatcher.versions),
        guards=guard_texts(version),
        materialized=tuple(f"{one.buffer}: {_amount(_number(one.bytes, sizes))}; {one.why}" for one in traffic.materialized),
        not_fused=not_fused,
        notes=tuple(note for note in traffic.notes if note not in not_fused),
    )


def _timed(
    kernels: tuple[KernelReport, ...], version: Version, matched: Matched, shown: Shown, sizes: Mapping[str, int]
) -> tuple[KernelReport, ...]:
    """The kernels with their seconds."""
    made, ground, settings = shown.stages, shown.ground, shown.kernel.settings
    writes = bool(shown.captured.evaluation.updates)
    if settings.engine == "reference":
        return kernels
    seconds = timing.measured(version, matched, made, ground, writes, settings.fast_math) or [None] * len(kernels)
    works = [_number(step.work if isinstance(step, Kernel) else call_work(step), sizes) for step in made.schedule.steps]
    return tuple([
        one._replace(estimated=timing.estimated(one.bytes, work, one.vector_width, one.parallel, ground.target), measured=took)
        for one, work, took in zip(kernels, works, seconds, strict=True)
    ])  # fmt: skip


def _times(one: KernelReport) -> str:
    took = "" if one.measured is None else f", {_duration(one.measured)} measured"
    speed = "" if one.measured is None or one.measured <= 0 else f" ({one.bytes / one.measured / 1e9:.3g} GB/s)"
    return f", {_duration(one.estimated)} estimated{took}{speed}" if one.estimated else ""


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _number(size: Size, sizes: Mapping[str, int]) -> int:
    return size if isinstance(size, int) else evaluate(size, sizes)


def _version_text(version: Version) -> str:
    where = ", ".join(f"{gate.path} {'is counted' if gate.counts else f'is {gate.outcome!r}'}" for gate in version.gates)
    arrays = [readable(f"{place.path}: {_type_text(place.check)}", version) for place in version.plan.places if place.check[0] == "array"]
    return f"{version.number}: {'; '.join([*arrays, *([where] if where else [])])} ({version.hits} calls)"


def _type_text(check: tuple[Any, ...]) -> str:
    _, dtype, shape, layout, _ = check
    return f"{dtype}[{', '.join(map(str, shape))}]" + ("" if layout is None else f" strides ({', '.join(map(str, layout))})")


# ---- one kernel ----------------------------------------------------------------------------------------------------


def _kernel(traffic: Traffic, step: Kernel | LibraryCall, made: Stages, sizes: Mapping[str, int]) -> KernelReport:
    definitions = _definitions(traffic, made)
    bodies = [one.body for one in definitions]
    lines = sorted({span.line for node in subexpressions(bodies) for span in made.loops.interner.spans.get(node, ())})
    if isinstance(step, LibraryCall):
        return _call(traffic, step, tuple(lines), made, sizes)
    flops = sum(_flops(one, sizes) for one in definitions)
    loops = list(_loops(step.body))
    width = max((loop.width for loop in loops if loop.kind == "vector"), default=1)
    parallel = any(loop.kind == "parallel" for loop in loops)
    words = _statements(step)
    return KernelReport(traffic.name, tuple(lines), _number(traffic.bytes, sizes), flops, words, parallel, width)


def _call(traffic: Traffic, step: LibraryCall, lines: tuple[int, ...], made: Stages, sizes: Mapping[str, int]) -> KernelReport:
    moved = _number(traffic.bytes, sizes)
    if step.kind == "loop":
        return _loop(traffic, step, made, sizes)
    if step.kind == "extern":
        spans = made.loops.interner.spans.get(step["check"], ())
        flops = _extern_flops(step, made, sizes)
        return KernelReport(traffic.name, tuple(sorted({span.line for span in spans})), moved, flops, (step.kind,), False, 1)
    return KernelReport(traffic.name, lines, moved, _gemm_flops(step, sizes), (step.kind,), True, 1)


def _loop(traffic: Traffic, step: LibraryCall, made: Stages, sizes: Mapping[str, int]) -> KernelReport:
    """A loop that stays in the program, with what it runs in each round."""
    inner = list(step["body"].steps)
    words = tuple([line for one in inner for line in (_statements(one) if isinstance(one, Kernel) else (one.title,))])
    loops = [loop for one in inner if isinstance(one, Kernel) for loop in _loops(one.body)]
    width = max((loop.width for loop in loops if loop.kind == "vector"), default=1)
    rounds = "rounds as long as its condition holds" if step["extent"] is None else f"{_number(step['extent'], sizes)} rounds"
    parallel = any(loop.kind == "parallel" for loop in loops)
    spans = [span for one in inner if isinstance(one, Kernel) for span in one.lines]
    lines = tuple(sorted(set(spans)))
    return KernelReport(traffic.name, lines, _number(traffic.bytes, sizes), 0, (rounds, *words), parallel, width)


def _statements(kernel: Kernel) -> tuple[str, ...]:
    return tuple(_nest_text(statement) for statement in kernel.body if isinstance(statement, Nest))


def _extern_flops(step: LibraryCall, made: Stages, sizes: Mapping[str, int]) -> int:
    row = find_extern(step["name"])
    if row is None or row.flops is None:
        return 0
    real = row.flops(*[tuple([_number(extent, sizes) for extent in view.shape]) for view in step.operands])
    return round(4 * real if made.loops.buffers[step.operands[0].buffer].dtype.kind == "c" else real)


def _definitions(traffic: Traffic, made: Stages) -> list[Definition]:
    """What a kernel computes: its buffers, and the values that were inlined into them (which have no buffer any more)."""
    kept = {buffer for buffer, _ in (*traffic.reads, *traffic.writes)} - set(traffic.computes)
    wanted = list(traffic.computes)
    found: list[Definition] = []
    for buffer in wanted:
        for one in made.loops.steps:
            if isinstance(one, Definition) and one.buffer == buffer:
                found.append(one)
                loads = [node["buffer"] for node in subexpressions((one.body,)) if node.op == "load"]
                wanted.extend(name for name in loads if name not in wanted and name not in kept)
    return found


def _gemm_flops(step: LibraryCall, sizes: Mapping[str, int]) -> int:
    each = 8 if step["dtype"].startswith("c") else 2
    return each * _number(element_count(step.out.shape) * step.operands[0].shape[-1], sizes)


def _flops(definition: Definition, sizes: Mapping[str, int]) -> int:
    points = _number(element_count(tuple(extent for _, extent in definition.ranges)), sizes)
    return points * _operations(definition.body, _in_the_middle(definition.ranges, sizes), set())


def _in_the_middle(ranges: Iterable[Range], sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes with indices in the middle of their ranges: extents that depend on them have their mean there."""
    found = dict(sizes)
    for name, extent in ranges:
        found[name] = max(0, _number(extent, found)) // 2
    return found


def _operations(root: Node, sizes: Mapping[str, int], seen: set[Node]) -> int:
    """Operations of one evaluation of an expression; a reduction's body counts once for each of its points."""
    if root in seen:
        return 0
    seen.add(root)
    if root.op == "reduce":
        inner = _in_the_middle(root["ranges"], sizes)
        points = max(0, _number(element_count(tuple(extent for _, extent in root["ranges"])), inner))
        return points * (1 + sum(_operations(operand, inner, set()) for operand in root.operands))
    own = 0 if root.op in _FREE_OPS or root.type.kind not in "fc" else 1
    return own + sum(_operations(operand, sizes, seen) for operand in root.operands)


def _loops(body: Iterable[Statement]) -> Iterator[Loop]:
    for statement in body:
        if isinstance(statement, Nest):
            yield from statement.loops
            yield from _loops(statement.body)


def _nest_text(nest: Nest) -> str:
    own = ", ".join(_loop_text(loop) for loop in nest.loops)
    inner = [_nest_text(statement) for statement in nest.body if isinstance(statement, Nest)]
    return f"{own}: {{ {' | '.join(inner)} }}" if inner else own


def _loop_text(loop: Loop) -> str:
    start = "" if loop.start == 0 else f"{loop.start} <= "
    vector = f" by {loop.width} lanes x {loop.unroll}" if loop.kind == "vector" else ""
    return f"{'' if loop.kind == 'vector' else loop.kind + ' '}{start}{loop.index} < {loop.extent}{vector}"


# ---- words ---------------------------------------------------------------------------------------------------------


def _amount(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"


def _ranges(lines: tuple[int, ...]) -> str:
    """12, 14-16"""
    parts: list[str] = []
    for line in lines:
        if parts and int(parts[-1].rpartition("-")[2]) == line - 1:
            parts[-1] = f"{parts[-1].partition('-')[0]}-{line}"
        else:
            parts.append(str(line))
    return ", ".join(parts)
