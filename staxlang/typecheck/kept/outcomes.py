"""What a loop that stays in the program comes to: its round recorded, and the names and memory after it."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import BOOL, I64
from staxlang.base.sizes import Condition, Size, substitute
from staxlang.base.types import TensorType
from staxlang.typecheck import binding, branches
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.expressions import test_value
from staxlang.typecheck.frames import BREAK, Frame, Signal
from staxlang.typecheck.kept.aliases import Outcome, meet_aliases, outlives
from staxlang.typecheck.kept.carries import Held, Number, Stepped, Unfit, handle_of, same, start_size
from staxlang.typecheck.kept.turns import COUNT, is_written, left_before_turning, turned
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import kind_of
from staxlang.typecheck.values import NEVER, ArrayValue, StaticValue, Value, size_value

if TYPE_CHECKING:
    from staxlang.typecheck.kept.rounds import Trial

BOOLEAN = TensorType(BOOL, ())
LeftBehind = tuple[str, ArrayValue, Callable[[Handle], None]]


class Plan:
    """A loop to be kept: its rounds, how a round begins, what it does. `test` is the tree of a `while`'s condition."""

    __slots__ = ("begin", "bound", "call", "certain", "count", "extent", "first", "frame", "index", "round", "steps", "targets", "test")

    def __init__(
        self, frame: Frame, call: CallContext, extent: Size | None, begin: Callable[[Size], None], round: Callable[[], Signal],
        bound: frozenset[str], steps: frozenset[str], targets: frozenset[str] = frozenset(), test: Any = None,
        first: ArrayValue | None = None,
    ) -> None:  # fmt: skip
        self.frame, self.call, self.extent = frame, call, extent
        self.index = frame.context.loops.make()
        self.begin, self.round, self.test = begin, round, test
        self.bound, self.steps, self.targets = bound, steps, targets
        self.first = first
        self.certain = False  # whatever the data, there is a first round
        self.count: ArrayValue | None = None  # the number of rounds, where the data tells it before the loop


class Recording:
    """A trial whose carried values fit, on its way to a loop of the program."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.plan, self.frame, self.context, self.call, self.attempt = trial.plan, trial.frame, trial.context, trial.call, trial.attempt

    def outcome(self, start: dict[str, Value], ways: int) -> Outcome:
        frame, call, context, attempt = self.frame, self.call, self.context, self.attempt
        self.start = start
        self.early: ArrayValue | None = None  # a round has been left before its names were exchanged
        outcome = Outcome()
        outcome.nodes, outcome.arrays = context.recorder.measure(self.trial.token)
        self._note_reads()
        outcome.rounds = self.plan.extent
        go = self._condition(outcome)
        broken = self._meet_breaks()
        returned, value = self._meet_returns(ways)
        ended = frame.locals
        carried: list[tuple[Handle, Handle, Handle]] = []  # before, parameter, after
        setters: list[Callable[[Handle], None]] = []
        conditional = go is not None or broken is not None or returned is not None
        if conditional:
            first, following = self._go(go, broken, returned)
            carried.append((first, self.trial.parameter("go", BOOLEAN), following))
            setters.append(lambda handle: None)
        turned = {attempt.before[name].storage for name in attempt.turns}
        for storage in attempt.storages:
            if storage in turned:
                continue
            carried.append((self.trial.journal[storage], self.trial.parameters[storage], storage.handle))
            setters.append(lambda handle, storage=storage: outcome.storages.append((storage, handle)))
        places = self._carry_names(outcome, carried, setters)
        for key, after, set_ in self._left_behind(outcome, conditional):
            before = self.trial.starts.get(key) if isinstance(attempt.carries.get(key), Stepped) else self._old(key, after)
            initial = self._nothing(after) if before is None else before
            carried.append((initial, self.trial.parameter(("left", key), after.type), call.handle(after)))
            setters.append(set_)
        for key, flag in (("broken", broken), ("returned", returned)):
            if flag is not None:
                false = call.constant(False, BOOL)
                carried.append((false, self.trial.parameter(key, BOOLEAN), call.handle(flag)))
                setters.append(lambda handle, key=key: setattr(outcome, key, call.array(handle, BOOLEAN)))
        if returned is not None:
            self._carry_result(outcome, value, carried, setters)
        self._meet_turns(outcome, carried, setters, conditional)
        moves = list(range(len(carried)))
        for name, other in attempt.turns.items():
            moves[places[name]] = places[other]
        handles = context.recorder.loop(
            self.trial.token, [one[1] for one in carried], [one[0] for one in carried], [one[2] for one in carried],
            str(self.plan.index), self.plan.extent, conditional, call.span, tuple(moves),
        )  # fmt: skip
        for handle, set_ in zip(handles, setters, strict=True):
            set_(handle)
        outcome.tuples = attempt.tuples
        outcome.names.update(dict.fromkeys(attempt.temporary & attempt.before.keys() - ended.keys()))
        meet_aliases(self.trial, outcome, start, ended, self._runs())
        return outcome

    def _carry_names(self, outcome: Outcome, carried: list[Any], setters: list[Any]) -> dict[str, int]:
        """What goes from round to round under a name. Gives each name's place among the carried values."""
        attempt, ended = self.attempt, self.frame.locals
        places: dict[str, int] = {}
        for name, carry in attempt.carries.items():
            if isinstance(carry, Stepped):
                continue
            if name not in ended:
                raise Unfit(f"`{name}` is of another type, or has no value, on one side of a branch")
            places[name] = len(carried)
            carried.append((self.trial.starts[name], self.trial.parameters[name], handle_of(self.call, carry, ended[name])))
            turning = name in attempt.turns
            setters.append(self._turn(outcome, name, self.start) if turning else self._setter(outcome, name, carry, ended[name]))
        return places

    def _turn(self, outcome: Outcome, name: str, start: dict[str, Value]) -> Callable[[Handle], None]:
        """What the memory holds that a name stood for before the loop."""
        storage = self.attempt.before[name].storage
        if not is_written(self.trial, name, start):
            return lambda handle: None
        return lambda handle: outcome.storages.append((storage, handle))

    def _meet_turns(self, outcome: Outcome, carried: list[Any], setters: list[Callable[[Handle], None]], conditional: bool) -> None:
        """Which array each name stands for after the loop that goes round; the rounds are counted where only the run knows them."""
        attempt, call = self.attempt, self.call
        if not attempt.turns:
            return
        count: list[Size | ArrayValue] = [] if conditional or self.plan.extent is None else [self.plan.extent]
        if not count:
            parameter = self.trial.parameter("rounds", COUNT)
            turn: Value = StaticValue(1)
            if self.early is not None:
                turn = call.pointwise("where", (self.early, StaticValue(0), StaticValue(1)))
            following = call.pointwise("add", (call.array(parameter, COUNT), turn))
            carried.append((call.constant(0, I64), parameter, call.handle(following)))
            setters.append(lambda handle: count.append(call.array(handle, COUNT)))
        before = {name: attempt.before[name] for name in attempt.turns}
        for name in attempt.turns:
            outcome.turned[name] = lambda name=name: turned(call, before, attempt.turns, name, count[0])

    def _condition(self, outcome: Outcome) -> ArrayValue | None:
        """Whether a `while` goes on after the round."""
        plan = self.plan
        if plan.count is not None:
            following = self.call.array(self.call.size_handle(plan.index + 1), plan.count.type)
            return self.call.to_array(self.call.pointwise("less", (following, plan.count)))
        if plan.test is None or plan.extent is not None:
            return None
        value = test_value(self.frame, plan.test)
        outcome.endless = type(value) is StaticValue and bool(value.value)
        return condition_value(self.frame, plan.test, value)

    def _go(self, go: ArrayValue | None, broken: ArrayValue | None, returned: ArrayValue | None) -> tuple[Handle, Handle]:
        """Whether the first round runs, and whether the next one does."""
        call = self.call
        live = self.trial.check.saved["live"]
        first: Value = StaticValue(True) if self.plan.first is None else self.plan.first
        if live is not None:
            first = call.pointwise("logical_and", (live, call.to_array(first)))
        following: Value = StaticValue(True) if go is None else go
        for flag in (broken, returned):
            if flag is not None:
                following = call.pointwise("logical_and", (call.to_array(following), call.pointwise("logical_not", (flag,))))
        if live is not None and go is not None:
            following = call.pointwise("logical_and", (live, call.to_array(following)))
        return call.handle(call.to_array(first)), call.handle(call.to_array(following))

    def _meet_breaks(self) -> ArrayValue | None:
        frame = self.frame
        exits = [way for kind, way in frame.owner.exits if kind is BREAK]
        frame.owner.exits.clear()
        flag: ArrayValue | None = None
        turning = {name: frame.locals.get(name) for name in self.attempt.turns}
        for way in exits:
            flag = self._or(flag, way.live)
            if turning and left_before_turning(self.trial, self.start, way.names):
                self.early = self._or(self.early, way.live)
            branches.rejoin(frame, self.call, way)
        frame.locals.update(turning)  # what these stand for after the loop is found by counting
        self.trial.take_apart()
        return flag

    def _or(self, flag: ArrayValue | None, other: ArrayValue) -> ArrayValue:
        return other if flag is None else self.call.to_array(self.call.pointwise("logical_or", (flag, other)))

    def _meet_returns(self, ways: int) -> tuple[ArrayValue | None, Value]:
        owner = self.frame.owner
        found, owner.ways[ways:] = owner.ways[ways:], []
        flag: ArrayValue | None = None
        value: Value = None
        for way in reversed(found):
            value = way.value if flag is None else branches.chosen(self.call, way.live, (way.value, way.held), (value, {}))
            flag = way.live if flag is None else self.call.to_array(self.call.pointwise("logical_or", (flag, way.live)))
            branches.leave(self.call, way)
        return flag, value

    def _note_reads(self) -> None:
        """What a round reads of inputs, a later round reads after all writes of this one."""
        unwritten = {self.attempt.before[name].storage for name in self.attempt.turns if not is_written(self.trial, name, self.start)}
        written = {one.source.position for one in self.attempt.storages if one.source is not None and one not in unwritten}
        if written:
            read = self.context.recorder.inputs_since(self.trial.token) | written
            late = [(one, other) for one in sorted(read) for other in sorted(written) if one != other]
            self.context.late_reads.update(dict.fromkeys(late))

    def _setter(self, outcome: Outcome, name: str, carry: Number | Held, like: Value) -> Callable[[Handle], None]:
        def set_(handle: Handle) -> None:
            outcome.names[name] = carry.value(self.call, handle, like)

        return set_

    def _left_behind(self, outcome: Outcome, conditional: bool) -> list[LeftBehind]:
        """Names that only the last round has left something in. What they hold has no meaning where there was no round."""
        plan, attempt, ended = self.plan, self.attempt, self.frame.locals
        found: list[LeftBehind] = []
        for name, value in ended.items():
            if name in attempt.tuples:
                continue
            carry = attempt.carries.get(name)
            if isinstance(carry, Stepped) and not conditional:
                assert plan.extent is not None
                first = start_size(self.call, attempt.before[name])
                assert first is not None and carry.step is not None
                outcome.names[name] = size_value(first + carry.step * plan.extent)
                continue
            if (carry is not None and not isinstance(carry, Stepped)) or same(value, attempt.before.get(name)):
                continue
            if name not in attempt.before and plan.extent is not None and not self._runs():
                outcome.names[name] = None
                continue
            kind = kind_of(value)
            size = start_size(self.call, value)
            counted = size is not None and not conditional and self.context.loops.among(size)
            if counted and size is not None and self._runs():
                assert plan.extent is not None
                outcome.names[name] = size_value(_last(size, str(plan.index), plan.extent))
            elif kind is not None and (type(value) is not StaticValue or not self._runs()):
                number = Number(kind)
                found.append((name, self.call.to_array(value, number.type.dtype), self._setter(outcome, name, number, value)))
            elif type(value) is not ArrayValue or outlives(self.trial, value):
                if name in attempt.before and not self._runs():
                    raise Unfit(f"`{name}` keeps what it is where it has no round")
                outcome.names[name] = value if type(value) is not tuple else None
            elif any(self.context.loops.among(extent) for extent in value.shape):
                outcome.names[name] = None
            else:
                held = Held(TensorType(value.dtype, value.shape), value.scalar)
                found.append((name, value, self._setter(outcome, name, held, value)))
        return found

    def _old(self, name: str, after: ArrayValue) -> Handle | None:
        """What a name held before the loop, which it still holds where there is no round. Where that is of another type, there is one."""
        if name not in self.attempt.before:
            return None
        value = self.attempt.before[name]
        if kind_of(value) is not None and kind_of(value) == kind_of(self.frame.locals.get(name)):
            return handle_of(self.call, Held(after.type, True), value)
        old = self.trial.olds.get(name)
        if old is not None and value.dtype is after.dtype and value.shape == after.shape:
            return old
        if not self._runs():
            raise Unfit(f"`{name}` has another type where it has no round")
        return None

    def _runs(self) -> bool:
        """Whether there is a first round: a guard, where it is not known. (In a round it is; what is known outside counts.)"""
        extent, inside = self.plan.extent, self.context.facts
        if extent is None:
            return self.plan.certain
        self.context.facts = self.trial.outer
        answer = self.call.decide(Condition("<", 0, extent), "a loop runs")
        self.trial.outer, self.context.facts = self.context.facts, inside
        return answer is True

    def _nothing(self, like: ArrayValue) -> Handle:
        zero = self.call.array(self.call.constant(False if like.dtype is BOOL else 0, like.dtype), TensorType(like.dtype, ()))
        return self.call.broadcast(zero, like.shape)

    def _carry_result(self, outcome: Outcome, value: Value, carried: list[Any], setters: list[Any]) -> None:
        """What a `return` inside of the loop gives."""
        if value is NEVER:
            outcome.value = value
            return
        parts = value if isinstance(value, tuple) else (value,)
        made: list[Value] = list(parts)
        for place, part in enumerate(parts):
            if kind_of(part) is not None:
                carry: Number | Held = Number(kind_of(part) or "float")
            elif type(part) is ArrayValue:
                carry = Held(TensorType(part.dtype, part.shape), part.scalar)
            elif type(part) is StaticValue:
                continue
            else:
                raise Unfit(f"it returns {self.call.describe(part)}")
            after = self.call.array(handle_of(self.call, carry, part), carry.type)

            def set_(handle: Handle, place: int = place, carry: Number | Held = carry, part: Value = part) -> None:
                made[place] = carry.value(self.call, handle, part)
                outcome.value = tuple(made) if isinstance(value, tuple) else made[0]

            carried.append((self._nothing(after), self.trial.parameter(("result", place), carry.type), self.call.handle(after)))
            setters.append(set_)
        outcome.value = tuple(made) if isinstance(value, tuple) else made[0]


def condition_value(frame: Frame, test: Any, value: Value) -> ArrayValue:
    """A condition as a 0-d bool of the program."""
    call = frame.call(test)
    if type(value) is StaticValue:
        return call.array(call.constant(bool(value.value), BOOL), BOOLEAN)
    kept = binding.kept_condition(call, value, source_text(test), always=True)
    if kept is None:
        raise Unfit("its condition is no number")
    return kept


def _last(size: Size, index: str, extent: Size) -> Size:
    return substitute(size, {index: extent - 1})
