"""Updates of arguments become steps: after all run-time checks, in place where nobody needs the old value any more, else a copy back."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.records import replace
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.fuse import dependences, touched
from staxlang.compiler.loops.ir import Buffer, BufferView, Definition, LibraryCall, LoopProgram
from staxlang.compiler.loops.kept import movers
from staxlang.compiler.node import Node

Steps = list[Definition | LibraryCall]


def with_updates(program: LoopProgram, ex: Expressions) -> tuple[LoopProgram, list[str]]:
    """The program with its updates as definitions that write the inputs' buffers, and in words what was copied."""
    if not program.updates:
        return program, []
    inputs = {buffer.position: buffer.name for buffer in program.buffers.values() if buffer.role == "input"}
    steps, checked = _checks_first(program, ex)
    back: list[tuple[str, str]] = []
    notes: list[str] = []
    sources = [buffer for _, buffer in program.updates]
    for position, buffer in program.updates:
        target = inputs[position]
        made = None
        if sources.count(buffer) == 1 and target not in sources:
            made = _in_place(steps, buffer, target, program, checked, ex)
        if made is None:
            back.append((target, buffer))
            notes.append(f"{target} is copied back: its new value ({buffer}) is made while the old one is still needed, or to be checked")
        else:
            steps = made
    written = {target for target, _ in back}
    for buffer in [buffer for _, buffer in back]:
        if buffer in written:  # an argument that gets another one's old value
            saved = ex.fresh("t")
            ex.buffers[saved] = replace(row_major(ex.buffers[buffer]), name=saved, role="temporary", position=-1)
            steps.append(_copy(saved, buffer, ex))
            back = [(one, saved if other == buffer else other) for one, other in back]
    steps += [_copy(target, buffer, ex) for target, buffer in back]
    return replace(program, buffers=ex.buffers, steps=tuple(steps), updates=(), checked=checked), notes


def _checks_first(program: LoopProgram, ex: Expressions) -> tuple[Steps, int]:
    """The steps with those that check something, and what they need, in front; how many these are.

    A call that fails must have changed no argument: what writes to one comes behind them.
    """
    steps: Steps = list(program.steps)
    checking = [k for k, step in enumerate(steps) if _may_fail(step, ex)]
    if not checking:
        return steps, 0
    found = [touched(step, ex) for step in steps]
    before = dependences([reads for reads, _ in found], [writes for _, writes in found])
    needed = 0
    for k in checking:
        needed |= before[k] | 1 << k
    needed = _with_whole_walks(needed, steps, before)
    first = [step for k, step in enumerate(steps) if needed >> k & 1]
    return first + [step for k, step in enumerate(steps) if not needed >> k & 1], len(first)


def _with_whole_walks(needed: int, steps: Steps, before: list[int]) -> int:
    """The steps (bits), with all definitions that are one kernel with one of them."""
    groups = [step.walk.group if isinstance(step, Definition) and step.walk is not None else None for step in steps]
    while True:
        wanted = {group for k, group in enumerate(groups) if group is not None and needed >> k & 1}
        more = needed
        for k, group in enumerate(groups):
            if group in wanted:
                more |= before[k] | 1 << k
        if more == needed:
            return needed
        needed = more


def _may_fail(step: Definition | LibraryCall, ex: Expressions) -> bool:
    if isinstance(step, LibraryCall):
        return step.kind == "extern" or (step.kind == "loop" and any(_may_fail(one, ex) for one in step["body"].steps))
    return any(map(ex.checks, (step.body, *step.indirect)))


def row_major(buffer: Buffer) -> Buffer:
    strides: list[Size] = []
    step: Size = 1
    for extent in reversed(buffer.shape):
        strides.append(step)
        step = step * extent
    return replace(buffer, strides=tuple(reversed(strides)))


def _copy(target: str, source: str, ex: Expressions) -> Definition:
    ranges = tuple([(ex.fresh("i"), extent) for extent in ex.buffers[target].shape])
    at = tuple([symbol(name) for name, _ in ranges])
    return Definition(target, ranges, at, ex.load(source, at))


def _in_place(steps: Steps, buffer: str, target: str, program: LoopProgram, checked: int, ex: Expressions) -> Steps | None:
    """The steps with `buffer` made in the argument's memory; None where the old value is still needed."""
    if program.buffers[buffer].role != "temporary" or program.buffers[buffer].dtype is not program.buffers[target].dtype:
        return None
    writers = [k for k, step in enumerate(steps) if buffer in touched(step, ex)[1]]
    if not writers or writers[0] < checked or any(getattr(steps[k], "walk", None) is not None for k in writers):
        return None
    if not all(_can_rename(step, buffer, target, program) for step in steps if isinstance(step, LibraryCall)):
        return None
    first = steps[writers[0]]
    dropped = writers[0] if isinstance(first, Definition) and _is_copy(first, target) else -1
    readers = [k for k, step in enumerate(steps) if k != dropped and target in touched(step, ex)[0]]
    began = writers[1] if dropped >= 0 and len(writers) > 1 else writers[0]
    if any(k > began for k in readers):  # the step that begins to write may read: see `_writing`
        return None
    made: Steps = []
    for k, step in enumerate(steps):
        if k == dropped:
            continue
        if isinstance(step, LibraryCall):
            made.append(_renamed_call(step, buffer, target, ex) if _calls_with(step, (buffer,)) else step)
        elif k in writers:
            made += _writing(step, buffer, target, ex)
        else:
            made.append(_renamed(step, buffer, target, ex))
    return made


def _can_rename(step: LibraryCall, buffer: str, target: str, program: LoopProgram) -> bool:
    """Whether a call may have the argument in the place of a buffer: a loop that does not read the argument itself, and in whose rounds
    the one is as good as the other."""
    if not _calls_with(step, (buffer, target)):
        return True
    if step.kind != "loop" or _calls_with(step, (target,)):
        return False
    alike = program.buffers[buffer].strides == program.buffers[target].strides
    if not alike and buffer in movers(step):
        return False
    inner = [one for one in step["body"].steps if isinstance(one, LibraryCall)]
    return all(_can_rename(one, buffer, target, program) or (alike and one.kind != "loop") for one in inner)


def _renamed_call(step: LibraryCall, buffer: str, target: str, ex: Expressions) -> LibraryCall:
    found = ex.buffers[target]

    def view(one: BufferView) -> BufferView:
        if one.buffer != buffer:
            return one
        return BufferView(target, found.shape, found.strides) if step.kind == "loop" else replace(one, buffer=target)

    attributes = step.attributes
    if step.kind == "loop":
        body: LoopProgram = step["body"]
        steps = tuple([
            _renamed(one, buffer, target, ex) if isinstance(one, Definition)
            else _renamed_call(one, buffer, target, ex) if _calls_with(one, (buffer,)) else one
            for one in body.steps
        ])  # fmt: skip
        buffers = {(target if name == buffer else name): (found if name == buffer else one) for name, one in body.buffers.items()}
        outputs = tuple([target if name == buffer else name for name in body.outputs])
        body = replace(body, buffers=buffers, steps=steps, outputs=outputs)
        changed = {
            "body": body, "go": target if step["go"] == buffer else step["go"],
            "moves": tuple([(target if one == buffer else one, target if other == buffer else other) for one, other in step["moves"]]),
            **{key: tuple([target if one == buffer else one for one in step[key]]) for key in ("settled", "homes")},
        }  # fmt: skip
        attributes = tuple([(key, changed.get(key, value)) for key, value in step.attributes])
    return LibraryCall(step.kind, tuple(map(view, step.outs)), tuple(map(view, step.operands)), attributes)


def _writing(step: Definition, buffer: str, target: str, ex: Expressions) -> Steps:
    """A definition of the argument's memory; through a temporary where it reads the argument at other places than it writes."""
    moved = _renamed(step, buffer, target, ex)
    if all(load["subscripts"] == step.subscripts and not load.operands for load in _loads(moved, target, ex)) and not step.indirect:
        return [moved]
    if not _loads(moved, target, ex):
        return [moved]
    part = ex.fresh("t")
    shape = tuple([extent for _, extent in step.ranges])
    ex.buffers[part] = row_major(Buffer(part, moved.body.type, shape, (), "temporary"))
    at = tuple([symbol(name) for name, _ in step.ranges])
    ranges = tuple([(ex.fresh("i"), extent) for _, extent in step.ranges])
    mapping: dict[str, Size] = {old: symbol(new) for (old, _), (new, _) in zip(step.ranges, ranges, strict=True)}
    first = Definition(part, ranges, tuple(mapping.values()), ex.substitute(moved.body, mapping))
    return [first, replace(moved, body=ex.load(part, at))]


def _renamed(step: Definition, buffer: str, target: str, ex: Expressions) -> Definition:
    """The definition with the argument in place of the buffer that held its new value."""
    table = {
        load: ex.make("load", load.operands, load.type, buffer=target, subscripts=load["subscripts"]) for load in _loads(step, buffer, ex)
    }
    memo: dict[Node, Node] = {}
    body = ex.replace(step.body, table, memo)
    indirect = tuple([ex.replace(node, table, memo) for node in step.indirect])
    return replace(step, buffer=target if step.buffer == buffer else step.buffer, body=body, indirect=indirect)


def _loads(step: Definition, buffer: str, ex: Expressions) -> list[Node]:
    return [load for root in (step.body, *step.indirect) for load in ex.loads(root) if load["buffer"] == buffer]


def _is_copy(step: Definition, source: str) -> bool:
    """Whether a definition is just the whole source."""
    body = step.body
    at = tuple([symbol(name) for name, _ in step.ranges])
    return body.op == "load" and body["buffer"] == source and body["subscripts"] == at and step.subscripts == at and step.mode == "set"


def _calls_with(step: LibraryCall, buffers: Sequence[str]) -> bool:
    return any(view.buffer in buffers for view in (*step.outs, *step.operands))
