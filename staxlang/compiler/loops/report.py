"""What a schedule moves: bytes of each kernel and of all beside the lower bound, what is kept in memory and why, what was not fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from staxlang.base.records import record, replace
from staxlang.base.sizes import Size, evaluate, minimum, substitute, symbols
from staxlang.base.types import element_count
from staxlang.compiler.loops.cluster import Cluster
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.ir import Kernel, LibraryCall, LoopProgram, Schedule
from staxlang.compiler.loops.kept import is_loop
from staxlang.compiler.loops.memory import touched_by
from staxlang.compiler.loops.schedule import grouped, needed_outside, stored_by
from staxlang.compiler.loops.units import Unit, covers
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target


@record
class Traffic:
    """Bytes that one kernel or library call reads and writes, by buffer; a buffer that several passes over a row read counts once."""

    name: str
    computes: tuple[str, ...]  # the buffers whose values it computes
    reads: tuple[tuple[str, Size], ...]
    writes: tuple[tuple[str, Size], ...]

    @property
    def bytes(self) -> Size:
        return total([size for _, size in (*self.reads, *self.writes)])


@record
class Materialized:
    """A temporary that goes through memory."""

    buffer: str
    bytes: Size
    why: str


@record
class Report:
    """Sizes are symbolic; `at` gives numbers."""

    kernels: tuple[Traffic, ...]
    lower_bound: Size  # bytes of the inputs that are read (the parts that are) and of all that has to be written
    materialized: tuple[Materialized, ...]
    copies: tuple[str, ...]
    scratch: Size  # bytes of the arena
    notes: tuple[str, ...]  # decisions in words: fused, not fused and why

    @property
    def bytes(self) -> Size:
        return total([one.bytes for one in self.kernels])

    def at(self, sizes: Mapping[str, int]) -> dict[str, object]:
        """The same with numbers for given sizes."""
        return {
            "kernels": [(one.name, evaluate(one.bytes, sizes)) for one in self.kernels],
            "bytes": evaluate(self.bytes, sizes),
            "lower_bound": evaluate(self.lower_bound, sizes),
            "scratch": evaluate(self.scratch, sizes),
            "materialized": [(one.buffer, evaluate(one.bytes, sizes), one.why) for one in self.materialized],
            "copies": list(self.copies),
            "notes": list(self.notes),
        }


def total(sizes: Iterable[Size]) -> Size:
    found: Size = 0
    for size in sizes:
        found = found + size
    return found


def report(planned: Schedule, target: Target) -> Report:
    """What the schedule does to memory. Made from the program again, so that scheduling itself need not collect it."""
    program = planned.program
    written: set[str] = set()
    for step in program.steps:
        written.update([view.buffer for view in step.outs] if isinstance(step, LibraryCall) else [step.buffer])
    buffers = {name: one for name, one in program.buffers.items() if one.role != "temporary" or name in written}
    ex = Expressions(program.interner, buffers)  # without what scheduling added, so that it is added under the same names
    groups, _ = grouped(program, ex, target)
    outside = needed_outside(groups, program, ex)
    kernels: list[Traffic] = []
    copies: list[str] = []
    reasons: dict[str, list[str]] = {}
    for group, step in zip(groups, planned.steps, strict=True):
        if isinstance(group, LibraryCall):
            kernels.append(_of_loop(step, ex, target) if is_loop(step) else _of_call(group, ex))
            if is_loop(step):
                copies += [f"in each round of {step['index']}, {one}" for one in report(step["body"], target).copies]
            for view in group.operands:
                reasons.setdefault(view.buffer, []).append(f"{group.title} reads it")
            continue
        name = getattr(step, "name", "kernel")
        made = _of_cluster(name, group, stored_by(group, outside, ex), ex)
        kernels.append(_with_chunks(made, step, program) if isinstance(step, Kernel) else made)
        for buffer, _ in made.reads:
            reasons.setdefault(buffer, []).append(f"{name} reads it")
        for unit in group.units:
            if unit.body.op == "load" and not unit.body.operands and covers(unit, ex):
                copies.append(f"{unit.buffer} is a copy of {unit.body['buffer']}, or of a part of it")
    kept = tuple([
        Materialized(one.buffer, one.bytes, "; ".join(reasons.get(one.buffer, ["results of chunks"]))) for one in planned.allocations
    ])  # fmt: skip
    return Report(tuple(kernels), _lower_bound(program, groups, ex), kept, tuple(copies), planned.arena_bytes, planned.notes)


def _of_loop(step: LibraryCall, ex: Expressions, target: Target) -> Traffic:
    """What all rounds move, each taken to be like the one in the middle; of a loop whose end only its data knows, what one round moves."""
    inner = report(step["body"], target)
    first: dict[str, Size] = {step["index"]: 0 if step["extent"] is None else step["extent"] // 2}
    rounds: Size = 1 if step["extent"] is None else step["extent"]
    reads = total([_at_first(size, first) for one in inner.kernels for _, size in one.reads]) * rounds
    writes = total([_at_first(size, first) for one in inner.kernels for _, size in one.writes]) * rounds
    made = tuple([view.buffer for view in step.outs])
    return Traffic(step.title, made, ((made[0], reads),), ((made[0], writes),))


def _at_first(size: Size, first: Mapping[str, Size]) -> Size:
    return size if isinstance(size, int) else substitute(size, first)


def _of_call(step: LibraryCall, ex: Expressions) -> Traffic:
    reads, writes = [
        tuple([(view.buffer, element_count(view.shape) * ex.buffers[view.buffer].dtype.itemsize) for view in views])
        for views in (step.operands, step.outs)
    ]
    return Traffic(step.title, tuple([view.buffer for view in step.outs]), reads, writes)


def _of_cluster(name: str, group: Cluster, stored: frozenset[str], ex: Expressions) -> Traffic:
    made = {unit.buffer for unit in group.units}
    reads: dict[str, Size] = {}
    writes: dict[str, Size] = {}
    for unit in group.units:
        for load, size in loads_of(unit, ex):
            buffer = load["buffer"]
            if ex.buffers[buffer].role != "scalar" and (buffer not in made or ex.buffers[buffer].role == "input"):
                reads[buffer] = larger(reads.get(buffer, 0), size)
        if unit.buffer in stored:
            writes[unit.buffer] = writes.get(unit.buffer, 0) + written_by(unit, ex)
            if unit.mode != "set":
                reads[unit.buffer] = larger(reads.get(unit.buffer, 0), written_by(unit, ex))
    return Traffic(name, tuple([unit.buffer for unit in group.units]), tuple(reads.items()), tuple(writes.items()))


def _with_chunks(made: Traffic, step: Kernel, program: LoopProgram) -> Traffic:
    """The traffic with the results of chunks, which the kernel writes and reads itself."""
    known = {name for name, _ in (*made.reads, *made.writes)} | set(made.computes)
    parts: list[tuple[str, Size]] = []
    for name in touched_by(step):
        buffer = program.buffers.get(name)
        if buffer is not None and buffer.role == "temporary" and name not in known:
            parts.append((name, element_count(buffer.shape) * buffer.dtype.itemsize))
    return replace(made, reads=(*made.reads, *parts), writes=(*made.writes, *parts)) if parts else made


def loads_of(unit: Unit, ex: Expressions) -> Iterable[tuple[Node, Size]]:
    """Each load of a unit with the bytes of the different elements that it reads."""
    extents = dict(unit.ranges)
    roots = (unit.body, *unit.indirect)
    for root in roots:
        for node in ex.reduces(root):
            extents.update(node["ranges"])
    for load in dict.fromkeys([load for root in roots for load in ex.loads(root)]):
        names = ex.free(load)
        points = element_count(tuple([extent for name, extent in extents.items() if name in names]))
        buffer = ex.buffers[load["buffer"]]
        inner = symbols(points) & extents.keys()
        whole = element_count(buffer.shape)
        yield load, (whole if inner else minimum(points, whole)) * buffer.dtype.itemsize


def written_by(unit: Unit, ex: Expressions) -> Size:
    """Bytes that a unit writes."""
    buffer = ex.buffers[unit.buffer]
    return minimum(element_count(tuple([extent for _, extent in unit.ranges])), element_count(buffer.shape)) * buffer.dtype.itemsize


def larger(one: Size, other: Size) -> Size:
    """The larger of two sizes where that is known, else the later one: an estimate of a union."""
    if isinstance(one, int) and isinstance(other, int):
        return max(one, other)
    return one if one == other or minimum(one, other) == other else other


def _lower_bound(program: LoopProgram, groups: list[Cluster | LibraryCall], ex: Expressions) -> Size:
    """Bytes of inputs and constants that somebody reads, and of results and updated arguments."""
    reads: dict[str, Size] = {}
    writes: dict[str, Size] = {}
    for group in groups:
        if isinstance(group, LibraryCall):
            call = _of_call(group, ex)
            items = [*call.reads]
            writes |= {buffer: size for buffer, size in call.writes if ex.buffers[buffer].role == "output"}
        else:
            items = [(load["buffer"], size) for unit in group.units for load, size in loads_of(unit, ex)]
            for unit in group.units:
                if ex.buffers[unit.buffer].role in ("output", "input"):
                    writes[unit.buffer] = larger(writes.get(unit.buffer, 0), written_by(unit, ex))
        for buffer, size in items:
            if ex.buffers[buffer].role in ("input", "constant"):
                reads[buffer] = larger(reads.get(buffer, 0), size)
    for buffer in program.outputs:
        found = ex.buffers[buffer]
        writes[buffer] = element_count(found.shape) * found.dtype.itemsize
    return total([*reads.values(), *writes.values()])
