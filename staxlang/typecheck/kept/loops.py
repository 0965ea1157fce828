"""Which loops stay in the program, and what a frame goes on with after them."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

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
from staxlang.typecheck.expressions import bind
from staxlang.typecheck.frames import RETURN, Frame, Signal, bound_by, children
from staxlang.typecheck.kept.carries import Unfit
from staxlang.typecheck.kept.outcomes import Outcome, Plan, condition_value
from staxlang.typecheck.kept.rounds import Attempt
from staxlang.typecheck.kept.scope import Checkpoint
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import ArrayValue, IteratorValue, RangeValue, ScalarValue, SizeValue, StaticValue, Value, size_value

# A loop of so few rounds is unrolled.
FEW_ROUNDS = 3

Round = Callable[[], Signal]
Block = Callable[[Frame, tuple[Any, ...]], Signal]


class Kept(NamedTuple):
    """What a frame does after a loop that stays in the program: its `else`."""

    after: Callable[[], Signal]


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
    """What `enumerate` and `zip` go over: a tuple in each round, until the shortest part ends."""
    source: tuple[Value, ...] = value.source or ()
    numbered = value.kind == "enumerate"
    walks = [walk_of(call, part) for part in source[numbered:]]
    known = [walk for walk in walks if walk is not None]
    if len(known) < len(walks):
        return None

    def item(number: Size) -> Value:
        parts = tuple([walk.item(number) for walk in known])
        return (size_value(number + source[0].value), *parts) if numbered else parts

    return Walk(minimum(*[walk.extent for walk in known]), item)


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
    if not depends_on_data(value.start) and not depends_on_data(value.stop):
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
    return binding.formula_size(call.context, value, call.span) if type(value) is ScalarValue and value.kind == "int" else None


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
        return _kept_or_told(frame, node, lambda: plan, source_text(node.iterable), block, bool(context.loops.active))
    walk = walk_of(call, value)
    if walk is None or walk.extent == 0:
        return None
    if call.hint(walk.extent) == 0 and call.decide(Condition("<", 0, walk.extent), "a loop runs") is False:
        return Kept(lambda: block(frame, node.otherwise))

    def make(first: int) -> Plan:
        def begin(number: Size) -> None:
            bind(frame, node.target, walk.item(number + first))

        return Plan(frame, call, walk.extent - first, begin, round, bound, steps, targets)

    try:
        outcome = _run(frame, make, lambda: bind(frame, node.target, walk.item(0)), round, walk.extent, call)
    except (Problem, Unknowable, Unfit) as problem:
        return _give_up(call, walk, problem, source_text(node.iterable))
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


def _run(
    frame: Frame, make: Callable[[int], Plan], begin: Callable[[], None], round: Round, extent: Size, call: CallContext
) -> Outcome | None:
    """The loop's outcome; where the first round differs from the others, it stands before the loop. None: it is better unrolled."""
    check = Checkpoint(frame)
    taken = branches.everything(frame)
    try:
        outcome = Attempt(make(0)).run()
    except Unfit as problem:
        if not problem.peel or not _has_round(call, extent):
            raise
        begin()
        if round() is not None or frame.owner.exits:
            branches.put_back(frame, taken)
            check.go_back()
            raise
        rest = extent - 1
        if call.hint(rest) == 0 and call.decide(Condition("<", 0, rest), "a loop runs on") is False:
            frame.context.branches.journals[:] = check.saved["journals"]
            return Outcome()
        try:
            outcome = Attempt(make(1)).run()
        except BaseException:
            branches.put_back(frame, taken)
            check.go_back()
            raise
    if isinstance(extent, int) and _unrolls(frame, outcome):
        branches.put_back(frame, taken)
        check.go_back()
        return None
    frame.context.branches.journals[:] = check.saved["journals"]
    return outcome


def _has_round(call: CallContext, extent: Size) -> bool:
    return call.decide(Condition("<", 0, extent), "a loop runs") is True


def _give_up(call: CallContext, walk: Walk, problem: Problem | Unknowable | Unfit, text: str) -> None:
    """The loop cannot stay in the program. It is unrolled, unless that would be too long: then the reason is told."""
    count = call.hint(walk.extent)
    if count is not None and (count <= call.context.unroll_limit or (isinstance(walk.extent, int) and not isinstance(problem, Problem))):
        return
    _tell(call, problem, text)


def _tell(call: CallContext, problem: Problem | Unknowable | Unfit, text: str) -> None:
    if isinstance(problem, Problem):
        raise problem
    reason = problem.reason if isinstance(problem, Unfit) else "a round needs a value that only the run knows"
    call.error("kept-loop", what=f"`{text}`", reason=reason)


def keep_while(frame: Frame, node: tree.While, value: Value, round: Round, block: Block) -> Kept | None:
    """None: the loop is to be unrolled, as far as static values lead."""
    context = frame.context
    static = type(value) is StaticValue
    if not context.recorder.keeps_loops or context.indices.active or (static and frame.library):
        return None
    bound, steps = _bindings(node.body)
    call = frame.call(node.test)

    def make() -> Plan:
        first = condition_value(frame, node.test)
        return Plan(frame, call, None, lambda number: None, round, bound, steps, test=node.test, first=first)

    return _kept_or_told(frame, node, make, source_text(node.test), block, depends_on_data(value), static)


def _kept_or_told(
    frame: Frame, node: Any, make: Callable[[], Plan], text: str, block: Block, needed: bool = True, short: bool = False
) -> Kept | None:
    """A loop whose rounds cannot be counted when compiling. `needed`: it cannot be unrolled; `short`: it may be better unrolled."""
    check = Checkpoint(frame)
    taken = branches.everything(frame)
    call = frame.call(node)
    try:
        plan = make()
        call = plan.call
        outcome = Attempt(plan).run()
    except (Problem, Unknowable, Unfit) as problem:
        branches.put_back(frame, taken)
        check.go_back()
        if not needed:
            return None
        _tell(call, problem, text)
        raise
    if short and _unrolls(frame, outcome):
        branches.put_back(frame, taken)
        check.go_back()
        return None
    frame.context.branches.journals[:] = check.saved["journals"]
    return _go_on(frame, call, outcome, node.otherwise, block)


def _unrolls(frame: Frame, outcome: Outcome) -> bool:
    """Whether a loop of that many rounds is better unrolled: where it is short, or where it computes with numbers only."""
    rounds = outcome.rounds
    if not isinstance(rounds, int):
        return False
    return rounds * outcome.nodes <= frame.context.loops.limit or (not outcome.arrays and rounds <= frame.context.unroll_limit)


def depends_on_data(value: Value) -> bool:
    """Is the value computed from arrays, so that each round would be a data gate?"""
    if type(value) is ArrayValue:
        return True
    if type(value) is not ScalarValue:
        return False
    formula = value.formula
    if type(formula) is scalars.Converted:
        return True
    return type(formula) is scalars.Computed and any(depends_on_data(operand) for operand in formula.operands)


# ---- after the loop ----


def _go_on(frame: Frame, call: CallContext, outcome: Outcome, otherwise: tuple[Any, ...], block: Block) -> Kept:
    context = frame.context
    for storage, handle in outcome.storages:
        context.branches.put(storage, handle)
        storage.written = call.span
        if storage.source is not None:
            context.written[storage.source.position] = None
    for name, value in outcome.names.items():
        if value is None:
            frame.locals.pop(name, None)
            context.branches.lost[(id(frame.owner), name)] = None
        else:
            frame.locals[name] = value
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
    bound: set[str] = set()
    counts: dict[str, int] = {}
    for statement in body:
        _gather(statement, bound, counts)
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
    return frozenset(bound), frozenset([name for name in steps if counts.get(name) == 1])


def _gather(node: Any, bound: set[str], counts: dict[str, int]) -> None:
    kind = type(node)
    if kind is tree.Function or kind is tree.Lambda:
        return
    names_: frozenset[str] = frozenset()
    if kind is tree.Assign:
        names_ = frozenset([name for target in node.targets for name in bound_by(target)])
    elif kind is tree.AugmentedAssign or kind is tree.AnnotatedAssign or kind is tree.For or kind is tree.NamedExpression:
        names_ = bound_by(node.target)
    for name in names_:
        bound.add(name)
        counts[name] = counts.get(name, 0) + 1
    for child in children(node):
        _gather(child, bound, counts)

