"""Which loops stay in the program, and what a frame goes on with after them."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from staxlang.base.dtypes import I64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, minimum
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import binding, branches, names, scalars
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.counts import settled
from staxlang.typecheck.expressions import bind
from staxlang.typecheck.frames import RETURN, After, Frame, Signal, bindings, bound_by
from staxlang.typecheck.kept.aliases import Outcome, tie
from staxlang.typecheck.kept.carries import Unfit
from staxlang.typecheck.kept.checkpoint import Checkpoint
from staxlang.typecheck.kept.outcomes import Plan, condition_value
from staxlang.typecheck.kept.rounds import Attempt
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import ArrayValue, IteratorValue, RangeValue, ScalarValue, SizeValue, StaticValue, Value, size_value

# A loop of so few rounds is unrolled.
FEW_ROUNDS = 3

Round = Callable[[], Signal]
Block = Callable[[Frame, tuple[Any, ...]], Signal]


class Kept(NamedTuple):
    """What a frame does after a loop that stays in the program: its `else`."""

    after: After


def _nothing() -> Signal:
    return None


class Walk(NamedTuple):
    """What a `for` goes over: how many elements there are, and the element of a round."""

    extent: Size
    item: Callable[[Size], Value]


def walk_of(call: CallContext, value: Value) -> Walk | None:
    """None for what is no range and no array: only lists and their like, whose elements are known one by one."""
    if type(value) is RangeValue:
        step = scalars.peek(call.context, value.step)
        if type(value.step) is not StaticValue or not isinstance(step, int) or step == 0:
            return None
        start, stop = _as_size(call, value.start), _as_size(call, value.stop)
        if start is None or stop is None:
            return None
        return _range_walk(call, start, stop, step, value.step)
    if type(value) is ArrayValue and value.rank:
        return Walk(value.shape[0], partial(_row, call, value))
    if type(value) is IteratorValue and value.source is not None:
        return _joint_walk(call, value)
    return None


def _joint_walk(call: CallContext, value: IteratorValue) -> Walk | None:
    """What `enumerate` and `zip` go over: a tuple in each round, until the shortest part ends; `reversed` begins with the last one."""
    source: tuple[Value, ...] = value.source or ()
    if value.kind == "reversed":
        walk = walk_of(call, source[0])
        return None if walk is None else _turned(walk)
    numbered = value.kind == "enumerate"
    walks = [walk_of(call, part) for part in source[numbered:]]
    known = [walk for walk in walks if walk is not None]
    if len(known) < len(walks):
        return None

    def item(number: Size) -> Value:
        parts = tuple([walk.item(number) for walk in known])
        return (size_value(number + source[0].value), *parts) if numbered else parts

    return Walk(minimum(*[walk.extent for walk in known]), item)


def _turned(walk: Walk) -> Walk:
    def item(number: Size) -> Value:
        return walk.item(walk.extent - 1 - number)

    return Walk(walk.extent, item)


def _range_walk(call: CallContext, start: Size, stop: Size, step: int, given: Value) -> Walk:
    def item(number: Size) -> Value:
        return size_value(start + step * number)

    return Walk(binding.range_length(call, RangeValue(size_value(start), size_value(stop), given)), item)


def _row(call: CallContext, array: ArrayValue, number: Size) -> Value:
    return names.subscript(call, array, size_value(number))


class Counted(NamedTuple):
    """What a `for` goes over whose bounds are data: how many integers there are, and the one of a round."""

    rounds: ArrayValue
    item: Callable[[Size], Value]


def _counted(call: CallContext, value: Value) -> Counted | None:
    """A range whose bounds the data tells; None for any other, and where there is no loop around (the bounds are asked for then)."""
    if type(value) is not RangeValue or type(value.step) is not StaticValue:
        return None
    if not isinstance(value.step.value, int) or value.step.value == 0:
        return None
    if not scalars.depends_on_data(value.start) and not scalars.depends_on_data(value.stop):
        return None
    if _is_counted(call, value.start) and _is_counted(call, value.stop):
        return None
    step: int = value.step.value
    start, stop = (call.array(call.handle(call.cast(call.to_array(part), I64)), TensorType(I64, ())) for part in (value.start, value.stop))
    room = call.pointwise("subtract", (stop, start) if step > 0 else (start, stop))
    rounds = call.pointwise("floor_divide", (call.pointwise("add", (room, StaticValue(abs(step) - 1))), StaticValue(abs(step))))

    def item(number: Size) -> Value:
        passed = call.pointwise("multiply", (call.array(call.size_handle(number), start.type), StaticValue(step)))
        handle = call.handle(call.pointwise("add", (start, passed)))
        return ScalarValue("int", scalars.Converted(handle, start.type, call.span, "the number of a round"))

    return Counted(call.to_array(rounds), item)


def _as_size(call: CallContext, value: Value) -> Size | None:
    if type(value) is SizeValue:
        return value.size
    if type(value) is StaticValue:
        return value.value if isinstance(value.value, int) else None
    if type(value) is ArrayValue:
        return value.extent
    return binding.formula_size(call.context, value, call.span, True) if type(value) is ScalarValue and value.kind == "int" else None


def _is_counted(call: CallContext, value: Value) -> bool:
    """Whether a bound is made of sizes, and of numbers of elements that masks choose: an index below it is known to be in range."""
    formula = value.formula if type(value) is ScalarValue else None
    if type(formula) is scalars.Converted:
        return formula.handle in call.context.counts.of and settled(call.context, call.context.counts.of[formula.handle])
    if type(formula) is scalars.Computed:
        return all(_is_counted(call, operand) for operand in formula.operands)
    return type(value) in (StaticValue, SizeValue)


def keep_for(frame: Frame, node: tree.For, value: Value, round: Round, block: Block) -> Kept | None:
    """None: the loop is to be unrolled."""
    context = frame.context
    call = frame.call(node.iterable)
    if not context.recorder.keeps_loops or context.indices.active:
        return None
    known = _static_length(value)
    if known is not None and (known <= FEW_ROUNDS or frame.library):
        return None
    bound, steps = _bindings(node.body)
    targets = bound_by(node.target)
    counted = _counted(call, value)
    if counted is not None:
        plan = Plan(frame, call, None, lambda number: bind(frame, node.target, counted.item(number)), round, bound, steps, targets)
        plan.count, plan.first = counted.rounds, call.to_array(call.pointwise("less", (StaticValue(0), counted.rounds)))
        kept = _kept_or_told(frame, call, node, lambda: plan, block, bool(context.loops.active), False)
        if kept is not None:
            return kept
    walk = walk_of(call, value)
    if walk is None or walk.extent == 0:
        return None
    if call.hint(walk.extent) == 0 and call.decide(Condition("<", 0, walk.extent), "a loop runs") is False:
        return Kept(lambda: block(frame, node.otherwise))

    def make(first: int) -> Plan:
        def begin(number: Size) -> None:
            bind(frame, node.target, walk.item(number + first))

        return Plan(frame, call, walk.extent - first, begin, round, bound, steps, targets)

    def find() -> Outcome:
        return _peeled(frame, call, walk.extent, make, lambda: bind(frame, node.target, walk.item(0)), round)

    try:
        outcome = _attempted(frame, find, isinstance(walk.extent, int))
    except (Problem, Unknowable, Unfit) as problem:
        return _give_up(call, walk, problem)
    if outcome is None:
        return None
    return _go_on(frame, call, outcome, node.otherwise, block)


def _static_length(value: Value) -> int | None:
    if type(value) is RangeValue and all(type(part) is StaticValue for part in (value.start, value.stop, value.step)):
        parts = [part.value for part in (value.start, value.stop, value.step)]
        return len(range(*parts)) if all(isinstance(part, int) for part in parts) and parts[2] else None
    if type(value) is ArrayValue and value.rank and isinstance(value.shape[0], int):
        return value.shape[0]
    if type(value) is IteratorValue and value.source is not None:
        lengths = [_static_length(part) for part in value.source[value.kind == "enumerate" :]]
        known = [length for length in lengths if length is not None]
        return min(known) if len(known) == len(lengths) else None
    return None


def _attempted(frame: Frame, find: Callable[[], Outcome], short: bool) -> Outcome | None:
    """The loop's outcome. Everything is as it was where the loop cannot be kept, and (None) where it is `short` and better unrolled."""
    check = Checkpoint(frame)
    try:
        outcome = find()
    except (Problem, Unknowable, Unfit):
        check.go_back()
        raise
    if short and _unrolls(frame, outcome):
        check.go_back()
        return None
    check.close()
    return outcome


def _peeled(frame: Frame, call: CallContext, extent: Size, make: Callable[[int], Plan], begin: Callable[[], None], round: Round) -> Outcome:
    """The loop's outcome; where the first round differs from the others, it stands before the loop."""
    try:
        return Attempt(make(0)).run()
    except Unfit as problem:
        if not problem.peel or not _has_round(call, extent):
            raise
        begin()
        if round() is not None or frame.owner.exits:
            raise
    rest = extent - 1
    if call.hint(rest) == 0 and call.decide(Condition("<", 0, rest), "a loop runs on") is False:
        return Outcome()
    return Attempt(make(1)).run()


def _has_round(call: CallContext, extent: Size) -> bool:
    return call.decide(Condition("<", 0, extent), "a loop runs") is True


def _give_up(call: CallContext, walk: Walk, problem: Problem | Unknowable | Unfit) -> None:
    """The loop cannot stay in the program. It is unrolled, unless that would be too long: then the reason is told."""
    count = call.hint(walk.extent)
    if count is not None and (count <= call.context.unroll_limit or (isinstance(walk.extent, int) and not isinstance(problem, Problem))):
        call.context.loops.unrolled[call.span] = _reason(problem)
        return
    _tell(call, problem)


def _tell(call: CallContext, problem: Problem | Unknowable | Unfit) -> None:
    if isinstance(problem, Problem):
        raise problem
    call.error("kept-loop", what=f"`{source_text(call.tree)}`", reason=_reason(problem))


def _reason(problem: Problem | Unknowable | Unfit) -> str:
    if isinstance(problem, Problem):
        return f"in any round: {problem.diagnostic.message}"
    return problem.reason if isinstance(problem, Unfit) else "a round needs a value that only the run knows"


def keep_while(frame: Frame, node: tree.While, value: Value, round: Round, block: Block) -> Kept | None:
    """None: the loop is to be unrolled, as far as static values lead."""
    context = frame.context
    static = type(value) is StaticValue
    if not context.recorder.keeps_loops or context.indices.active or (static and frame.library):
        return None
    bound, steps = _bindings(node.body)
    call = frame.call(node.test)

    def make() -> Plan:
        first = condition_value(frame, node.test, value)
        plan = Plan(frame, call, None, lambda number: None, round, bound, steps, test=node.test, first=first)
        plan.certain = static  # one that is false is no loop
        return plan

    return _kept_or_told(frame, call, node, make, block, scalars.depends_on_data(value), static)


def _kept_or_told(
    frame: Frame, call: CallContext, node: tree.For | tree.While, make: Callable[[], Plan], block: Block, needed: bool, short: bool
) -> Kept | None:
    """A loop whose rounds cannot be counted when compiling. `needed`: it cannot be unrolled; `short`: it may be better unrolled."""
    try:
        outcome = _attempted(frame, lambda: Attempt(make()).run(), short)
    except (Problem, Unknowable, Unfit) as problem:
        if not needed:
            return None
        _tell(call, problem)
        raise
    if outcome is None:
        return None
    return _go_on(frame, call, outcome, node.otherwise, block)


def _unrolls(frame: Frame, outcome: Outcome) -> bool:
    """Whether a loop of that many rounds is better unrolled: where it is short, or where it computes with numbers only."""
    rounds = outcome.rounds
    if not isinstance(rounds, int):
        return False
    return rounds * outcome.nodes <= frame.context.loops.limit or (not outcome.arrays and rounds <= frame.context.unroll_limit)


# ---- after the loop ----


def _go_on(frame: Frame, call: CallContext, outcome: Outcome, otherwise: tuple[Any, ...], block: Block) -> Kept:
    context = frame.context
    for storage, handle in outcome.storages:
        context.branches.put(storage, handle)
        storage.written = call.span
        if storage.source is not None:
            context.written[storage.source.position] = None
    tie(call, outcome)
    for name, value in outcome.names.items():
        if value is None:
            frame.locals.pop(name, None)
            context.branches.lost[(id(frame.owner), name)] = None
        else:
            frame.locals[name] = value
    for name, parts in outcome.tuples.items():
        before: Any = frame.locals.pop(name, (None,) * len(parts))
        held = [frame.locals.pop(part, None) if part in outcome.names else old for part, old in zip(parts, before, strict=True)]
        if None in held or None in [outcome.names.get(part, 0) for part in parts]:
            context.branches.lost[(id(frame.owner), name)] = None
        else:
            frame.locals[name] = tuple(held)
    for name, make in outcome.turned.items():
        frame.locals[name] = make()
    live = context.branches.live
    if outcome.endless and outcome.broken is None and outcome.returned is not None and live is None:
        frame.owner.returned = outcome.value
        return Kept(lambda: RETURN)
    if outcome.returned is not None:
        on = call.to_array(call.pointwise("logical_not", (outcome.returned,)))
        on = on if live is None else call.to_array(call.pointwise("logical_and", (live, on)))
        branches.end(frame, outcome.returned, on, outcome.value)
    if not otherwise:
        return Kept(_nothing)
    if outcome.broken is None:
        return Kept(lambda: block(frame, otherwise))
    went = call.to_array(call.pointwise("logical_not", (outcome.broken,)))
    return Kept(lambda: branches.branch(call, went, lambda: block(frame, otherwise), _nothing))


# ---- what the body binds ----


def _bindings(body: tuple[Any, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The names that statements bind; and those that they only add to, once in each round."""
    counts = Counter([name for statement in body for name in bindings(statement)])
    steps = {
        statement.target.id
        for statement in body
        if type(statement) is tree.AugmentedAssign and statement.op in ("+", "-") and type(statement.target) is tree.Name
    }
    steps |= {
        statement.targets[0].id
        for statement in body
        if type(statement) is tree.Assign and len(statement.targets) == 1 and type(statement.targets[0]) is tree.Name
        and type(statement.value) is tree.Binary and statement.value.op in ("+", "-")
    }  # fmt: skip
    return frozenset(counts), frozenset([name for name in steps if counts[name] == 1])
