"""Loops that stay in the program, opened: rounds become an index of ordinary definitions, as far as their dependences allow.

Where no round touches what another one writes, each definition of a round is made for all rounds at once: then fusion, vectors and threads
treat it as array code. Where rounds depend on each other, a round of single elements becomes a walk in order, which runs in one kernel.
What is neither stays a loop. The elements that are written, and in which order each one is, are the same in all cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from staxlang.base.records import NamedTuple, record, replace
from staxlang.base.sizes import Size, nonnegative, symbol, symbols
from staxlang.base.types import element_count, row_major_strides
from staxlang.compiler.loops.apart import are_apart
from staxlang.compiler.loops.dependence import Access, accesses, carried, told
from staxlang.compiler.loops.expressions import Expressions, replace_symbols, subexpressions
from staxlang.compiler.loops.ir import Buffer, Definition, LibraryCall, LoopProgram, Range, Walk
from staxlang.compiler.loops.kept import is_loop, made_inside, movers
from staxlang.compiler.loops.units import CHEAP_EXPANDED
from staxlang.compiler.node import Node

# Temporaries of all rounds together are no larger than an array that the loop works on, and so many elements.
SLACK = 4096
# A value is not written into others where these become longer than so many nodes.
LARGEST_BODY = 300


@record
class Opened:
    """Definitions in place of a loop, the buffers that its rounds made for themselves, those of them that are made for run-time checks
    only, and what has been decided, in words."""

    steps: tuple[Definition, ...]
    buffers: dict[str, Buffer]
    checks: tuple[str, ...]
    notes: tuple[str, ...]


class Closed(NamedTuple):
    """Why a loop stays one."""

    reason: str


def with_open_loops(program: LoopProgram, ex: Expressions) -> tuple[LoopProgram, list[str]]:
    """The program with loops opened where that is possible, and in words what was done and what was not."""
    steps: list[Definition | LibraryCall] = []
    notes: list[str] = []
    checked, checks = program.checked, dict.fromkeys(program.checks)
    opening = _Opening(ex)
    for number, step in enumerate(program.steps):
        made = opening.opened(step) if is_loop(step) else None
        if isinstance(made, Opened):
            ex.buffers.update(made.buffers)
            for name in made.buffers:
                ex.take(name)
            steps += made.steps
            notes += made.notes
            checks.update(dict.fromkeys(made.checks))
            checked += len(made.steps) - 1 if number < program.checked else 0
            continue
        if isinstance(made, Closed) and isinstance(step, LibraryCall):
            step, note = _left(step, made)
            notes.append(note)
        steps.append(step)
    return replace(program, buffers=ex.buffers, steps=tuple(steps), checked=checked, checks=tuple(checks)), notes


def _left(step: LibraryCall, closed: Closed) -> tuple[LibraryCall, str]:
    """A loop that stays one, whether its rounds may run at the same time, and what is told of it."""
    apart = are_apart(step)
    attributes: tuple[tuple[str, Any], ...] = tuple([(key, apart if key == "apart" else value) for key, value in step.attributes])
    beside = "; its rounds are independent: threads share them" if apart else ""
    return replace(step, attributes=attributes), f"{title(step)} stays a loop: {closed.reason}{beside}"


def title(step: LibraryCall) -> str:
    """What a reader calls a loop: by its counter, and how often it runs."""
    rounds = "while its condition holds" if step["extent"] is None else f"of {step['extent']} rounds"
    return f"{step['index']}, {rounds},"


class _Opening:
    """One run. `groups` counts the walks that are made."""

    __slots__ = ("ex", "groups", "sizes")

    def __init__(self, ex: Expressions) -> None:
        self.ex = ex
        self.groups = -1
        self.sizes: dict[Node, int] = {}

    def opened(self, step: LibraryCall) -> Opened | Closed:
        """The loop's definitions; or why it stays a loop."""
        if step["extent"] is None or step["go"] is not None:
            return Closed("only the run knows when it ends")
        if movers(step):
            return Closed("arrays change places after each round")
        index, extent = step["index"], step["extent"]
        body: LoopProgram = step["body"]
        private = dict(made_inside(step))
        checks = list(body.checks)
        steps: list[Definition] = []
        notes: list[str] = []
        for one in body.steps:
            if isinstance(one, LibraryCall):
                made = self.opened(one) if is_loop(one) else Closed(f"it calls {one.title}")
                if isinstance(made, Closed):
                    return Closed(f"inside, {made.reason}" if is_loop(one) else made.reason)
                steps += made.steps
                private |= made.buffers
                checks += made.checks
                notes += made.notes
            else:
                steps.append(one)
        reason = _shape_problem(steps, private, index)
        if reason:
            return Closed(reason)
        steps = self._forwarded(steps, private, checks)
        private = _used(private, steps)
        found = [one for step_ in steps for one in accesses(step_) if one.buffer not in private]
        kept = carried(found, index, extent)
        if not kept:
            notes.append(f"{title(step)} has independent rounds: an index of what it computes")
            return self._side_by_side(steps, Opened((), private, tuple(checks), tuple(notes)), index, extent)
        over = (*step_ranges(steps), (index, extent))
        reason = told(kept[0], over[::-1])
        walked = self._in_order(steps, private, index, extent)
        if walked is None:
            return Closed(reason)
        notes.append(f"{title(step)} runs in order: {reason}")
        return Opened(tuple(walked), private, tuple(checks), tuple(notes))

    def _forwarded(self, steps: Sequence[Definition], private: Mapping[str, Buffer], checks: Sequence[str]) -> list[Definition]:
        """The definitions with a round's own values written into what reads them, where these read the same as they do."""
        writers = Counter([one.buffer for one in steps])
        left, made = list(steps), list[Definition]()
        for number, step in enumerate(steps):
            step = left[number]
            alone = step.buffer in private and writers[step.buffer] == 1 and step.buffer not in checks
            readers = [k for k, one in enumerate(left) if any(load["buffer"] == step.buffer for load in self.ex.loads(one.body))]
            if not alone or not self._is_value(step, private) or not self._stays(left, number, readers):
                made.append(step)
                continue
            bodies = [self._written_in(left[k].body, step) for k in readers]
            if any(
                body is None or self._size(body) > LARGEST_BODY or self._overtakes(left[k], body)
                for k, body in zip(readers, bodies, strict=True)
            ):
                made.append(step)
                continue
            for k, body in zip(readers, bodies, strict=True):
                left[k] = left[k] if body is None else replace(left[k], body=body)
        return made

    def _overtakes(self, step: Definition, body: Node) -> bool:
        """Whether a definition with this body may read at one point what it has written at another."""
        made = replace(step, body=body)
        if not self._reads_elsewhere(made):
            return False
        found = [one for one in accesses(made) if one.buffer == step.buffer]
        return any(carried([_without_range(one, name) for one in found], name, extent) for name, extent in step.ranges)

    def _is_value(self, step: Definition, private: Mapping[str, Buffer]) -> bool:
        """Whether a definition makes a value element by element, cheap enough to be made wherever it is read."""
        if step.walk is not None or self.ex.reduces(step.body):
            return False
        extents = tuple([extent for _, extent in step.ranges])
        whole = step.subscripts == tuple([symbol(name) for name, _ in step.ranges]) and extents == private[step.buffer].shape
        return whole and (not step.ranges or self.ex.cost(step.body) <= CHEAP_EXPANDED)

    def _written_in(self, body: Node, step: Definition) -> Node | None:
        """An expression with a value in place of loads of it; None where it is read at subscripts that are data."""
        table: dict[Node, Node] = {}
        for load in self.ex.loads(body):
            if load["buffer"] == step.buffer:
                if load.operands:
                    return None
                places = zip([name for name, _ in step.ranges], load["subscripts"], strict=True)
                table[load] = self.ex.substitute(step.body, dict(places))
        return self.ex.replace(body, table)

    def _size(self, node: Node) -> int:
        """The nodes of an expression that is written out, where shared parts count each time."""
        found = self.sizes.get(node)
        if found is None:
            found = self.sizes[node] = 1 + sum([self._size(operand) for operand in node.operands])
        return found

    def _stays(self, steps: Sequence[Definition], number: int, readers: Sequence[int]) -> bool:
        """Whether what a definition reads is the same until its value has been read for the last time."""
        read = {load["buffer"] for load in self.ex.loads(steps[number].body)}
        walks = [None if one.walk is None else one.walk.group for one in steps]
        walked = {walks[k] for k in readers} - {None}
        ends = [k + 1 for k, group in enumerate(walks) if group in walked]  # a walk's definitions are made together, point by point
        return not any(one.buffer in read for one in steps[number + 1 : max([*readers, *ends], default=number)])

    # ---- independent rounds ----

    def _side_by_side(self, steps: Sequence[Definition], round: Opened, index: str, extent: Size) -> Opened | Closed:
        """Each definition for all rounds; what a round keeps for itself gets an axis for the rounds."""
        grown = {one.name: _grown(one, extent) for one in round.buffers.values() if one.role == "temporary"}
        if grown and not self._has_room(steps, grown):
            return Closed("its rounds would need more memory together than the arrays that they work on")
        own = (self.ex.fresh("round"), extent)
        made = [self._for_all_rounds(step, grown, index, own) for step in steps]
        return replace(round, steps=tuple(made), buffers={**round.buffers, **grown})

    def _has_room(self, steps: Sequence[Definition], grown: Mapping[str, Buffer]) -> bool:
        """Whether no temporary of all rounds is larger than some array that the program has anyway."""
        outside = {one.buffer for step in steps for one in accesses(step)} - grown.keys()
        rooms = [element_count(self.ex.buffers[name].shape) for name in outside if name in self.ex.buffers]
        return all(any(nonnegative(room + SLACK - element_count(one.shape)) for room in rooms) for one in grown.values())

    def _for_all_rounds(self, step: Definition, grown: Mapping[str, Buffer], index: str, own: Range) -> Definition:
        name = symbol(own[0])
        mapping: dict[str, Size] = {index: name}

        def moved(root: Node) -> Node:
            table = {
                node: self.ex.make("load", node.operands, node.type, buffer=node["buffer"], subscripts=(name, *node["subscripts"]))
                for node in self.ex.loads(root) if node["buffer"] in grown and not node.operands
            }  # fmt: skip
            return self.ex.substitute(self.ex.replace(root, table) if table else root, mapping)

        subscripts = tuple([replace_symbols(one, mapping) for one in step.subscripts])
        if step.buffer in grown:
            subscripts = (name, *subscripts)
        walk = step.walk
        if walk is not None:
            walk = replace(walk, apart=(own[0], *walk.apart))
        made = replace(step, ranges=(own, *step.ranges), subscripts=subscripts, body=moved(step.body), walk=walk)
        if walk is None and self._reads_elsewhere(made):
            made = replace(made, walk=Walk(self._group(), 0, (), tuple([one for one, _ in made.ranges])))
        return made

    def _reads_elsewhere(self, step: Definition) -> bool:
        """Whether a definition reads its own buffer at other places than it writes."""
        return any(one["buffer"] == step.buffer and one["subscripts"] != step.subscripts for one in self.ex.loads(step.body))

    def _group(self) -> int:
        self.groups -= 1
        return self.groups

    # ---- rounds in order ----

    def _in_order(
        self, steps: Sequence[Definition], private: Mapping[str, Buffer], index: str, extent: Size
    ) -> list[Definition] | None:
        """The definitions as one walk: all of a round's at each point. None where a round is more than a point, or a walk."""
        first = steps[0]
        written = {one.buffer for one in steps}
        if not any(load["buffer"] in written for one in steps for load in self.ex.loads(one.body)):
            return None
        own = (self.ex.fresh("round"), extent)
        mapping: dict[str, Size] = {index: symbol(own[0])}
        if all(not one.ranges for one in steps):
            walk = Walk(self._group(), 0, (own[0],), ())
        elif first.walk is not None and all(one.walk == first.walk and one.ranges == first.ranges for one in steps):
            apart = self._still_apart(steps, private, first.walk.apart, (index, extent))
            walk = Walk(self._group(), 0, (own[0], *[name for name, _ in first.ranges if name not in apart]), apart)
        elif len(steps) == 1 and first.walk is None:
            apart = self._still_apart(steps, private, tuple([name for name, _ in first.ranges]), (index, extent))
            walk = Walk(self._group(), 0, (own[0],), apart)
        else:
            return None
        return [
            replace(
                one, ranges=(own, *one.ranges), subscripts=tuple([replace_symbols(part, mapping) for part in one.subscripts]),
                body=self.ex.substitute(one.body, mapping), walk=walk,
            )
            for one in steps
        ]  # fmt: skip

    def _still_apart(
        self, steps: Sequence[Definition], private: Mapping[str, Buffer], names: Sequence[str], own: Range
    ) -> tuple[str, ...]:
        """The indices along which nothing depends on anything in all rounds together."""
        found = [_with_range(one, own) for step in steps for one in accesses(step)]
        if any(one.buffer in private for one in found):
            return ()
        extents = {name: extent for step in steps for name, extent in step.ranges}
        return tuple([name for name in names if not carried([_without_range(one, name) for one in found], name, extents[name])])


def step_ranges(steps: Sequence[Definition]) -> tuple[Range, ...]:
    """The indices of the definition that has most of them, innermost first."""
    return max([one.ranges[::-1] for one in steps], key=len, default=())


def _shape_problem(steps: Sequence[Definition], private: Mapping[str, Buffer], index: str) -> str:
    """What keeps definitions from having the rounds as an index."""
    for step in steps:
        if step.mode != "set" or step.indirect:
            return f"{step.buffer} is written at subscripts that are data"
        if step.body.op == "scan":
            return "a round holds running totals"
        reduced = [one for node in subexpressions((step.body,)) if node.op == "reduce" for one in node["ranges"]]
        if any(index in symbols(extent) for _, extent in (*step.ranges, *reduced)):
            return "the extents in a round depend on its number"
    for one in private.values():
        if any(index in symbols(extent) for extent in one.shape):
            return "the extents in a round depend on its number"
        if one.role not in ("temporary", "constant"):
            return "a round reads from outside"
    return ""


def _used(private: Mapping[str, Buffer], steps: Sequence[Definition]) -> dict[str, Buffer]:
    names = {one.buffer for step in steps for one in accesses(step)}
    return {name: one for name, one in private.items() if name in names}


def _grown(buffer: Buffer, extent: Size) -> Buffer:
    shape = (extent, *buffer.shape)
    return replace(buffer, shape=shape, strides=row_major_strides(shape))


def _with_range(access: Access, own: Range) -> Access:
    return replace(access, ranges=(own, *access.ranges))


def _without_range(access: Access, name: str) -> Access:
    return replace(access, ranges=tuple([one for one in access.ranges if one[0] != name]))
