"""A loop program becomes units: definitions with names of their own, pointwise values written into their readers where that pays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from staxlang.base.records import record
from staxlang.base.sizes import Size, substitute, symbol, symbols
from staxlang.compiler.loops.expressions import Expressions, lone_symbol, subexpressions
from staxlang.compiler.loops.growth import Growth, covers
from staxlang.compiler.loops.inlining import Content, Inlining
from staxlang.compiler.loops.ir import Definition, LibraryCall, LoopProgram, Range, Walk
from staxlang.compiler.node import Node

# A value this cheap (in instructions, loads aside) is computed again by each reader rather than kept.
CHEAP = 3
# A value no dearer than this is computed again when it is read over more points than it has.
CHEAP_EXPANDED = 6
# Work that several sites of one reader may repeat between them.
REPEATED = 16
# A grown value (one larger than all that it is computed from) of so many instructions is computed again by each reader: to write and
# read an element of an array that no cache holds takes as long.
CHEAP_GROWN = 24
# A value of more instructions than this is kept: a longer body is no faster, and compiles in more than proportional time.
LARGEST_BODY = 600


@record
class Unit:
    """One definition that is kept: `buffer[subscripts] over ranges = body`, index names unique in the schedule, no axis of extent 1."""

    number: float  # its place in the program's order
    buffer: str
    ranges: tuple[Range, ...]
    subscripts: tuple[Size, ...]
    body: Node
    mode: Literal["set", "add", "multiply", "min", "max"] = "set"
    indirect: tuple[Node, ...] = ()
    walk: Walk | None = None

    @property
    def indices(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.ranges])


Step = Unit | LibraryCall


class _Uses:
    """Who reads and writes each buffer, by number of step."""

    __slots__ = ("ends", "kept", "reads", "sites", "writes")

    def __init__(self, program: LoopProgram, ex: Expressions) -> None:
        self.reads: dict[str, list[int]] = {}
        self.writes: dict[str, list[int]] = {}
        self.sites: dict[str, dict[tuple[int, Node], None]] = {}
        self.kept = {*program.outputs, *program.checks} | {buffer for _, buffer in program.updates}
        self.ends = _ends(program)
        for number, step in enumerate(program.steps):
            if isinstance(step, LibraryCall):
                for view in step.outs:
                    self.writes.setdefault(view.buffer, []).append(number)
                for view in step.operands:
                    self.reads.setdefault(view.buffer, []).append(number)
                    self.kept.add(view.buffer)
                continue
            self.writes.setdefault(step.buffer, []).append(number)
            for root in (step.body, *step.indirect):
                for load in ex.loads(root):
                    buffer = load["buffer"]
                    self.reads.setdefault(buffer, []).append(number)
                    self.sites.setdefault(buffer, {})[number, load] = None

    def end_of(self, number: int) -> int:
        """The number before which a step is done: a walk's definitions are made together, point by point."""
        return self.ends.get(number, number)

    def written_between(self, buffers: Iterable[str], first: int, last: int) -> bool:
        return any(first < number < last for buffer in buffers for number in self.writes.get(buffer, ()))


def _ends(program: LoopProgram) -> dict[int, int]:
    """Of each definition of a walk the number after its last one."""
    last: dict[int, int] = {}
    walks = {number: step.walk.group for number, step in enumerate(program.steps) if isinstance(step, Definition) and step.walk is not None}
    for number, group in walks.items():
        last[group] = number + 1
    return {number: last[group] for number, group in walks.items()}


def make_units(program: LoopProgram, ex: Expressions) -> list[Step]:
    """The program's steps in order; what is inlined or read by nobody is gone."""
    uses = _Uses(program, ex)
    growth = Growth(program, ex)
    inlining = Inlining(ex)
    steps: list[Step] = []
    names: dict[tuple[int, int, str], str] = {}
    for number, step in enumerate(program.steps):
        if isinstance(step, LibraryCall):
            steps.append(step)
            continue
        if step.buffer not in uses.kept and step.buffer not in uses.reads and program.buffers[step.buffer].role == "temporary":
            continue
        if _is_overwritten(number, step.buffer, program, uses, ex):
            continue
        content = _inlined(number, step, inlining, program, uses, growth)
        if content is not None:
            inlining.add(step, content)
        else:
            steps.append(_unit(number, step, inlining, names, ex))
    return steps


def _is_overwritten(number: int, buffer: str, program: LoopProgram, uses: _Uses, ex: Expressions) -> bool:
    """Whether nobody reads what a step writes before another one writes all of it anew."""
    after = [later for later in uses.writes[buffer] if later > number]
    step = program.steps[after[0]] if after and number not in uses.ends else None
    if not isinstance(step, Definition) or step.mode != "set" or step.indirect or not covers(step, ex):
        return False
    return not any(number < reader <= after[0] for reader in uses.reads.get(buffer, ()))


def _unit(number: int, step: Definition, inlining: Inlining, names: dict[tuple[int, int, str], str], ex: Expressions) -> Unit:
    """The unit of a definition; `names` are those of indices that definitions of one stage share."""
    mapping: dict[str, Size] = {}
    ranges: list[Range] = []
    for name, extent in step.ranges:
        if extent == 1:
            mapping[name] = 0
        else:
            own = ex.fresh("i") if step.walk is None else _shared(step.walk, name, names, ex)
            mapping[name] = symbol(own)
            ranges.append((own, extent))
    subscripts = tuple([one if isinstance(one, int) else _mapped(one, mapping) for one in step.subscripts])
    body = step.body
    if body.op == "scan":
        scanned = lone_symbol(mapping[body["index"]]) or ""  # no name: an axis of extent 1
        body = ex.make("scan", (inlining.expanded(body.operands[0], mapping),), body.type, kind=body["kind"], index=scanned)
    else:
        body = drop_unit_reductions(inlining.expanded(body, mapping), ex)
    indirect = tuple([inlining.expanded(node, mapping) for node in step.indirect])
    return Unit(number, step.buffer, tuple(ranges), subscripts, body, step.mode, indirect, _walk(step.walk, mapping))


def _shared(walk: Walk, name: str, names: dict[tuple[int, int, str], str], ex: Expressions) -> str:
    key = walk.group, walk.stage, name
    if key not in names:
        names[key] = ex.fresh("i")
    return names[key]


def _walk(walk: Walk | None, mapping: dict[str, Size]) -> Walk | None:
    """The walk over the unit's indices; those of extent 1 are gone."""
    if walk is None:
        return None
    order, apart = [tuple([str(mapping[name]) for name in part if mapping[name] != 0]) for part in (walk.order, walk.apart)]
    return Walk(walk.group, walk.stage, order, apart)


def _mapped(subscript: Size, mapping: dict[str, Size]) -> Size:
    name = lone_symbol(subscript)
    if name is not None:
        return mapping.get(name, subscript)
    return substitute(subscript, mapping)


def drop_unit_reductions(body: Node, ex: Expressions) -> Node:
    """Reduced axes of extent 1 become the subscript 0; a reduction over one element is that element."""
    table: dict[Node, Node] = {}
    for node in ex.reduces(body):
        ranges: tuple[Range, ...] = node["ranges"]
        if all(extent != 1 for _, extent in ranges):
            continue
        left = tuple([one for one in ranges if one[1] != 1])
        if not left and node["kind"] not in ("sum", "prod", "min", "max"):
            left = ranges[:1]
        gone = {name: 0 for name, _ in ranges if name not in {kept for kept, _ in left}}
        operand = ex.substitute(node.operands[0], gone)
        if left == ranges:
            continue
        table[node] = operand if not left else ex.make(
            "reduce", (operand,), node.type, kind=node["kind"], ranges=left, part=node.get("part")
        )
    return ex.replace(body, table) if table else body


def _inlined(
    number: int, step: Definition, inlining: Inlining, program: LoopProgram, uses: _Uses, growth: Growth
) -> Content | None:
    """What the step's value holds, where it is to be computed by its readers."""
    ex = growth.ex
    buffer = program.buffers[step.buffer]
    if buffer.role != "temporary" or step.buffer in uses.kept or len(uses.writes[step.buffer]) > 1 or step.indirect:
        return None
    if step.body.op == "scan" or ex.reduces(step.body) or step.walk is not None:
        return None
    content = inlining.content(step.body)
    if content.size > LARGEST_BODY:
        return None
    if number < program.checked and content.checks:  # made before arguments are written to, and not again
        return None
    sites = uses.sites[step.buffer]
    if any(load.operands for _, load in sites):
        if content.cost > CHEAP_EXPANDED or not ex.can_index(inlining.expanded(step.body, {}), dict(step.ranges)):
            return None
    last = max([uses.end_of(reader) for reader, _ in sites])
    if uses.written_between({load["buffer"] for load in content.loads}, number, last):
        return None
    if any(_moves_within(step, content, load, program.steps[reader]) for reader, load in sites):
        return None
    return content if _pays(step, content, sites, program, growth) else None


def _moves_within(step: Definition, content: Content, load: Node, reader: Definition | LibraryCall) -> bool:
    """Whether the reader, with the value written into it, would read the buffer that it writes at other places than it writes."""
    own = [inner for inner in content.loads if isinstance(reader, Definition) and inner["buffer"] == reader.buffer]
    if not own or not isinstance(reader, Definition):
        return False
    mapping = {name: subscript for (name, _), subscript in zip(step.ranges, load["subscripts"], strict=True)}
    return any(
        inner.operands or tuple([_mapped(one, mapping) for one in inner["subscripts"]]) != reader.subscripts for inner in own
    )


def _pays(
    step: Definition, content: Content, sites: dict[tuple[int, Node], None], program: LoopProgram, growth: Growth
) -> bool:
    """Whether computing the value at its readers costs no more than keeping it."""
    large = [load for load in content.loads if program.buffers[load["buffer"]].shape]
    work = content.cost - len(large)
    if work <= CHEAP and len(large) <= 1:
        return True
    if work <= REPEATED and all(extent == 1 for _, extent in step.ranges):  # one value: readers make it before their loops
        return True
    expands = any(_expands(step, load, program, reader) for reader, load in sites)
    if not expands and content.size - len(content.loads) <= CHEAP_GROWN and growth.grows(step.buffer):
        return True
    if len({reader for reader, _ in sites}) > 1:
        return False
    if expands:
        return work <= CHEAP_EXPANDED and len(large) <= 2
    return len(sites) == 1 or work * len(sites) <= REPEATED


def _expands(step: Definition, load: Node, program: LoopProgram, reader: int) -> bool:
    """Whether a site reads the value over more points than it has: some index of the reader is not in the subscripts."""
    definition = program.steps[reader]
    assert isinstance(definition, Definition)
    names = {name for name, extent in definition.ranges if extent != 1}
    for node in _reductions_around(definition):
        names |= {name for name, extent in node["ranges"] if extent != 1}
    used: set[str] = set()
    for subscript in load["subscripts"]:
        used |= symbols(subscript)
    return not names <= used


def _reductions_around(definition: Definition) -> list[Node]:
    """The reductions of a definition before inlining: at most one, near the root, but where it is a piece of a tensor."""
    if definition.walk is not None:
        return [node for node in subexpressions((definition.body,)) if node.op == "reduce"]
    found: list[Node] = []
    node = definition.body
    while node.op in ("cast", "reduce"):
        if node.op == "reduce":
            found.append(node)
        node = node.operands[0]
    return found


