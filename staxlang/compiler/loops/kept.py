"""Loops that stay in the program, in a schedule: a round is scheduled like a program, and its temporaries live in a part of the arena."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeGuard

from staxlang.base.dtypes import U8
from staxlang.base.records import replace
from staxlang.base.sizes import Facts, Interval, Size, bounds, floordiv, maximum, minimum, nonnegative, symbols
from staxlang.base.sizes.expression import Atom, only_atom, size_of, terms_of
from staxlang.compiler.graph import GraphError
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.ir import Allocation, Buffer, BufferView, Definition, Kernel, LibraryCall, LoopProgram, Schedule

Steps = list[Kernel | LibraryCall]


def is_loop(step: object) -> TypeGuard[LibraryCall]:
    return isinstance(step, LibraryCall) and step.kind == "loop"


def movers(step: object) -> tuple[str, ...]:
    """The buffers that change places after each round of a loop."""
    return tuple([name for name, _ in step["moves"]]) if is_loop(step) else ()


def names_inside(program: LoopProgram) -> Iterator[str]:
    """The names of all buffers of the rounds of a program's loops."""
    for step in program.steps:
        if isinstance(step, LibraryCall) and step.kind == "loop":
            body: LoopProgram = step["body"]
            yield from body.buffers
            yield from names_inside(body)


def schedule_loop(step: LibraryCall, schedule: Callable[[LoopProgram, Callable[[Size], Size]], Schedule], ex: Expressions) -> LibraryCall:
    """The loop with its round scheduled; its last result is the memory that the round's temporaries need."""
    body: LoopProgram = step["body"]
    written = {view.buffer for view in step.outs}
    buffers = {name: _seen_inside(one, name in written) for name, one in ex.buffers.items()}
    buffers |= {name: one for name, one in body.buffers.items() if name not in buffers}
    inner = schedule(replace(body, buffers=buffers), partial(most, index=step["index"], extent=step["extent"]))
    placed = {one.buffer for one in inner.allocations} | {name for name, _ in inner.aliases}
    for name, one in inner.program.buffers.items():
        if name not in ex.buffers and (name in placed or one.role != "temporary"):  # else it was written into its readers
            ex.take(name)
            ex.buffers[name] = one
    scratch = ex.fresh("w")
    size = most(inner.arena_bytes, step["index"], step["extent"])
    ex.buffers[scratch] = Buffer(scratch, U8, (size,), (1,), "temporary")
    changed: dict[str, object] = {"body": inner}
    if not step["homes"] and all(ex.buffers[name].role == "temporary" for name in movers(step)):
        changed["settled"] = ()  # nobody but steps of this program looks for them
    attributes = tuple([(key, changed.get(key, value)) for key, value in step.attributes])
    return LibraryCall("loop", (*step.outs, BufferView(scratch, (size,), (1,))), step.operands, attributes)


def _seen_inside(buffer: Buffer, written: bool) -> Buffer:
    """A buffer that outlives the round, as the round's own scheduling is to see it."""
    if buffer.role in ("scalar", "constant"):
        return buffer
    return replace(buffer, role="output" if written else "input", position=-1)


def most(size: Size, index: str, extent: Size | None) -> Size:
    """At least what a size is in any round."""
    if isinstance(size, int) or index not in symbols(size):
        return size
    high = None if extent is None else bounds(size, {index: Interval(0, extent - 1)}, Facts()).high
    if high is None and extent is not None:
        found = _interval(size, index, extent)
        high = None if found is None else found[1]
    if high is None:
        raise GraphError(f"no bound is known for {size} in a loop of {extent} rounds")
    return high if nonnegative(high) else maximum(high, 0)


def _interval(size: Size, index: str, extent: Size) -> tuple[Size, Size] | None:
    """Bounds by interval arithmetic, term by term: wide, but always right. None where a sign is not known."""
    low: Size = 0
    high: Size = 0
    for monomial, count in terms_of(size).items():
        least: Size = 1
        greatest: Size = 1
        for atom in monomial:
            found = _atom_interval(atom, index, extent)
            if found is None or (len(monomial) > 1 and not nonnegative(found[0])):
                return None
            least, greatest = least * found[0], greatest * found[1]
        least, greatest = (least, greatest) if count > 0 else (greatest, least)
        low, high = low + count * least, high + count * greatest
    return low, high


def _atom_interval(atom: Atom, index: str, extent: Size) -> tuple[Size, Size] | None:
    if atom.kind == "symbol":
        return (0, maximum(extent - 1, 0)) if atom.name == index else (size_of({(atom,): 1}), size_of({(atom,): 1}))
    parts = [_interval(part, index, extent) for part in atom.parts]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if atom.kind != "floordiv":
        pick = minimum if atom.kind == "min" else maximum
        return pick(*[low for low, _ in known]), pick(*[high for _, high in known])
    (low, high), (least, _) = known
    divisor = _positive(least)
    if divisor is None:
        return None
    return floordiv(minimum(low, 0), divisor), floordiv(maximum(high, 0), divisor)


def _positive(least: Size) -> Size | None:
    """A positive size that is at most this one."""
    if nonnegative(least - 1):
        return least
    own = only_atom(least)
    constants = [part for part in own.parts if isinstance(part, int)] if own is not None and own.kind == "max" else []
    return max(constants) if constants and max(constants) > 0 else None


def flattened(planned: Schedule, buffers: dict[str, Buffer]) -> Schedule:
    """The schedule with the places of what the rounds of its loops keep in memory, so that one table says where everything is."""
    places = {one.buffer: one.offset for one in planned.allocations}
    allocations: list[Allocation] = list(planned.allocations)
    aliases = list(planned.aliases)
    for step in planned.steps:
        if isinstance(step, LibraryCall) and step.kind == "loop":
            inner: Schedule = step["body"]
            start = places[step.outs[-1].buffer]
            index, extent = step["index"], step["extent"]
            allocations += [replace(one, offset=start + one.offset, bytes=most(one.bytes, index, extent)) for one in inner.allocations]
            aliases += inner.aliases
    program = replace(planned.program, buffers=buffers)
    return replace(planned, program=program, allocations=tuple(allocations), aliases=tuple(aliases))


def all_steps(schedule: Schedule) -> Iterator[Kernel | LibraryCall]:
    """A schedule's steps, each loop's before the steps of its round."""
    for step in schedule.steps:
        yield step
        if isinstance(step, LibraryCall) and step.kind == "loop":
            yield from all_steps(step["body"])


def all_definitions(program: LoopProgram) -> Iterator[Definition]:
    """A program's definitions, those of its loops' rounds included."""
    for step in program.steps:
        if isinstance(step, Definition):
            yield step
        elif step.kind == "loop":
            yield from all_definitions(step["body"])


def made_inside(step: LibraryCall) -> dict[str, Buffer]:
    """The buffers that a loop's round makes for itself, scheduled or not; those of loops inside of it are theirs."""
    body: LoopProgram | Schedule = step["body"]
    if isinstance(body, Schedule):
        names = [*[one.buffer for one in body.allocations], *[name for name, _ in body.aliases]]
        inner = {name for one in body.steps if is_loop(one) for name in made_inside(one)}
        return {name: body.program.buffers[name] for name in names if name not in inner}
    outside = {view.buffer for view in (*step.operands, *step.outs)}
    return {name: one for name, one in body.buffers.items() if name not in outside}


def all_inside(value: LoopProgram | Schedule) -> dict[str, Buffer]:
    """The buffers of all rounds of a program's loops."""
    found: dict[str, Buffer] = {}
    for step in value.steps:
        if isinstance(step, LibraryCall) and step.kind == "loop":
            found |= made_inside(step)
            found |= all_inside(step["body"])
    return found
