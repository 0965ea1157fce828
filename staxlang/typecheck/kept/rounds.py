"""One round of a loop that stays in the program, evaluated for any round: repeated until what it carries is known, then recorded."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from staxlang.base.sizes import Condition, Interval, Size, floordiv, linear_in, maximum, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck import binding
from staxlang.typecheck.expressions import test_value
from staxlang.typecheck.frames import BREAK, RETURN, children
from staxlang.typecheck.joins import snapshot
from staxlang.typecheck.kept.aliases import Outcome
from staxlang.typecheck.kept.carries import Carry, Held, Number, Stepped, Unfit, between, first_guess, fits, handle_of, same, start_size
from staxlang.typecheck.kept.checkpoint import Checkpoint
from staxlang.typecheck.kept.memory import check_memory, is_private
from staxlang.typecheck.kept.outcomes import Plan, Recording
from staxlang.typecheck.kept.scope import learned
from staxlang.typecheck.kept.turns import check_turns, turns_of
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import kind_of
from staxlang.typecheck.values import ArrayValue, ScalarValue, SizeValue, Storage, Value, size_value, storage_mark

TRIES = 12


class Attempt:
    """The search for what a loop carries."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.frame, self.context, self.call = plan.frame, plan.frame.context, plan.call
        self.before = dict(plan.frame.locals)
        names = sorted(plan.bound - plan.targets)
        self.tuples = {name: _tuple_parts(name, self.before[name]) for name in names if _is_record(self.before.get(name))}
        for name, parts in self.tuples.items():
            self.before |= dict(zip(parts, self.before.pop(name), strict=True))
        self.storages: dict[Storage, None] = {}
        self.carries: dict[str, Carry] = {}
        self.turns: dict[str, str] = {}  # names that exchange arrays known elsewhere: whose array each has after a round
        self.loose = False  # the number of rounds has been found from the condition, wrongly
        self.temporary: set[str] = set(plan.targets)  # bound before, but a round binds them before it reads them
        parts = [part for one in self.tuples.values() for part in one]
        for name in sorted([*((plan.bound - plan.targets) & self.before.keys()), *parts]):
            guess = first_guess(self.before[name], name in plan.steps)
            if guess is not None:
                self.carries[name] = guess

    def run(self) -> Outcome:
        """Raises Problem, Unknowable or Unfit where the loop cannot be kept; then nothing has changed."""
        for _ in range(TRIES):
            trial = Trial(self)
            try:
                outcome = trial.run()
            except BaseException:
                trial.check.go_back()
                if not self._guesses():
                    raise
                continue
            if outcome is not None:
                trial.keep()
                return outcome
            trial.check.go_back()
        raise Unfit("what it carries from round to round does not settle")

    def _guesses(self) -> bool:
        """Whether a guess may have been the reason of a failure; it is given up."""
        found = [name for name, carry in self.carries.items() if isinstance(carry, Stepped)]
        for name in found:
            self.carries[name] = Number("int")
        return bool(found)


class Trial:
    """One evaluation of the body."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.plan, self.frame, self.context, self.call = attempt.plan, attempt.frame, attempt.context, attempt.call
        self.check = Checkpoint(self.frame, alone=True)
        self.journal = self.check.journal
        self.mark = storage_mark()
        self.token = self.context.recorder.mark()
        self.outer = self.context.facts
        self.starts: dict[str, Handle] = {}  # of carried names: what they hold before the loop
        self.olds: dict[str, Handle] = {}  # of temporary names that are arrays before the loop: what these hold
        self.parameters: dict[Any, Handle] = {}

    def parameter(self, key: Any, type: TensorType) -> Handle:
        attributes = {"position": len(self.parameters), "loop": str(self.plan.index)}
        made = self.context.recorder.record("parameter", (), attributes, TensorType(type.dtype, type.shape), self.call.span)
        self.parameters[key] = made
        return made

    # ---- the state at a round's beginning ----

    def run(self) -> Outcome | None:
        """None: what is carried has turned out to be something else."""
        context, frame, plan = self.context, self.frame, self.plan
        branches_ = context.branches
        for name, carry in self.attempt.carries.items():
            held = Number("int") if isinstance(carry, Stepped) else carry
            self.starts[name] = handle_of(self.call, held, self.attempt.before[name])
        for name in self.attempt.temporary & self.attempt.before.keys():
            old = self.attempt.before[name]
            if type(old) is ArrayValue:
                self.olds[name] = self.call.handle(old)
        branches_.inside = True
        self._assume()
        for storage in self.attempt.storages:
            branches_.put(storage, self.parameter(storage, storage.type))
        for name in self.attempt.temporary:
            frame.locals.pop(name, None)
        for name, carry in self.attempt.carries.items():
            frame.locals[name] = self._start_of(name, carry)
        self._put_together()
        plan.begin(plan.index)
        start = dict(frame.locals)
        containers = snapshot(frame)
        if plan.test is not None:
            extent = self._assume_test()
            if extent is not None and plan.extent is None and not self.attempt.loose:
                plan.extent = extent
                return None
        ways = len(frame.owner.ways)
        signal = plan.round()
        if signal in (BREAK, RETURN):
            raise Unfit("every round leaves it")
        _containers_unchanged(containers, snapshot(frame))
        self.take_apart()
        if self._changed(start, dict(frame.locals)):
            return None
        turns = turns_of(self, start)
        if turns != self.attempt.turns:
            self.attempt.turns = turns
            self.attempt.storages.update(dict.fromkeys([self.attempt.before[name].storage for name in turns]))
            return None
        check_turns(self, start)
        check_memory(self, start)
        return Recording(self).outcome(start, ways)

    def _put_together(self) -> None:
        """A tuple of numbers is carried part by part."""
        frame, attempt = self.frame, self.attempt
        for name, parts in attempt.tuples.items():
            for part in parts:
                if part in attempt.before and part not in attempt.carries and part not in attempt.temporary:
                    frame.locals[part] = attempt.before[part]
            if all(part in frame.locals for part in parts):
                frame.locals[name] = tuple([frame.locals[part] for part in parts])
            else:
                frame.locals.pop(name, None)

    def take_apart(self) -> None:
        """The parts of tuples as a round, or a way out of it, has left them; those that the round has bound first among them."""
        for name in sorted(self.plan.bound - self.attempt.tuples.keys() - self.attempt.before.keys()):
            value = self.frame.locals.get(name)
            if _is_record(value):
                self.attempt.tuples[name] = _tuple_parts(name, value)
        for name, parts in self.attempt.tuples.items():
            value = self.frame.locals.get(name)
            if type(value) is not tuple or len(value) != len(parts):
                if parts[0] not in self.attempt.before and parts[0] not in self.attempt.carries:
                    continue  # this way out has not bound it
                raise Unfit(f"`{name}` is no tuple of {len(parts)} numbers after a round")
            self.frame.locals.update(zip(parts, value, strict=True))

    def _assume(self) -> None:
        plan, context = self.plan, self.context
        extent = plan.extent
        context.loops.active[str(plan.index)] = Interval(0, None if extent is None else extent - 1)
        if extent is not None:
            try:
                context.assume(Condition("<", plan.index, extent))
            except ValueError:
                raise Unfit("it has no rounds") from None

    def _assume_test(self) -> Size | None:
        """A round runs where the condition has held. Gives the number of rounds, where the condition alone tells it."""
        call = self.frame.call(self.plan.test)
        value = test_value(self.frame, self.plan.test)
        condition = binding.condition_of(self.context, value, call.span) if type(value) is ScalarValue else None
        if condition is not None:
            try:
                self.context.assume(condition)
            except ValueError:
                raise Unfit("its condition cannot hold") from None
        return None if condition is None else _rounds(condition, str(self.plan.index), self.context.loops.active)

    def _start_of(self, name: str, carry: Carry) -> Value:
        if not isinstance(carry, Stepped):
            before = self.attempt.before[name]
            made = carry.value(self.call, self.parameter(name, carry.type), before)
            if type(made) is ArrayValue and type(before) is ArrayValue and not before.scalar and not is_private(self.frame, before):
                self.context.loops.shared.add(made.storage)
            return made
        if carry.step is None:
            unknown = self.context.loops.make(signed=True)
            self.context.loops.active[str(unknown)] = Interval(None, None)
            return SizeValue(unknown)
        start = start_size(self.call, self.attempt.before[name])
        assert start is not None
        return size_value(start + carry.step * self.plan.index)

    # ---- what a round has changed ----

    def _changed(self, start: dict[str, Value], end: dict[str, Value]) -> bool:
        attempt = self.attempt
        again = False
        for storage in self.journal:
            if storage not in attempt.storages and (storage.number < self.mark or storage.source is not None):
                attempt.storages[storage] = None
                again = True
        lost = [name for name in attempt.before if name not in end and name not in attempt.temporary]
        if lost:
            raise Unfit(f"`{lost[0]}` is of another type, or has no value, on one side of a branch")
        for name, value in end.items():
            if name in attempt.temporary or name not in attempt.before or value is None:
                continue
            carry = attempt.carries.get(name)
            if carry is None:
                if not same(value, attempt.before[name]):
                    attempt.carries[name] = self._between(name, value)
                    again = True
            elif isinstance(carry, Stepped):
                again = self._stepped(name, carry, start[name], value) or again
            elif not fits(self.call, carry, value):
                self._refit(name, carry, value, end)
                again = True
        return again

    def _stepped(self, name: str, carry: Stepped, start: Value, end: Value) -> bool:
        first, last = start_size(self.call, start), start_size(self.call, end)
        step = None if first is None or last is None else last - first
        fixed = step is not None and (isinstance(step, int) or symbols(step).isdisjoint(self.context.loops.active))
        if fixed and step == carry.step:
            return False
        if self.plan.test is not None and self.plan.extent is not None:  # what the condition counted by is no counter
            self.plan.extent, self.attempt.loose = None, True
        self.attempt.carries[name] = Stepped(step) if fixed and carry.step is None else self._between(name, end)
        return True

    def _between(self, name: str, value: Value) -> Carry:
        try:
            return between(self.call, self.attempt.before[name], value)
        except Unfit as problem:
            raise Unfit(f"`{name}` changes from round to round, {problem.reason}", problem.peel) from None

    def _refit(self, name: str, carry: Number | Held, value: Value, end: dict[str, Value]) -> None:
        if not self._reads(name, end):
            del self.attempt.carries[name]
            self.attempt.temporary.add(name)
            return
        wider = self._between(name, value)
        if wider == carry:
            before, after = self.call.describe(self.attempt.before[name]), self.call.describe(value)
            raise Unfit(f"`{name}` is {before} before the loop and {after} after a round")
        self.attempt.carries[name] = wider

    def _reads(self, name: str, end: dict[str, Value]) -> bool:
        """Whether a round reads what a name has been left with."""
        parameter = self.parameters[name]
        if self.plan.test is not None and name in _names_in(self.plan.test):
            return True
        kept = any(_holds(one, parameter) for other, one in end.items() if other != name)
        return kept or self.context.recorder.reads(self.token, parameter)

    # ---- the end of a trial ----

    def keep(self) -> None:
        """The state as before the loop, but for what has been learned of the call."""
        context, saved = self.context, self.check.saved
        self.check.put_back()
        self.check.close()
        context.facts = learned(self.outer, context.facts, context.loops.active.keys() - saved["active"].keys())
        context.loops.active = dict(saved["active"])
        branches_ = context.branches
        branches_.live, branches_.inside = saved["live"], saved["inside"]
        branches_.choices[:] = saved["choices"]


def _is_record(value: Value) -> bool:
    """A tuple of numbers, Python's or NumPy's."""
    if type(value) is not tuple or not value:
        return False
    return not any(kind_of(one) is None and not (type(one) is ArrayValue and one.scalar) for one in value)


def _tuple_parts(name: str, value: Any) -> tuple[str, ...]:
    return tuple([f"{name}[{number}]" for number in range(len(value))])


def _names_in(node: Any) -> set[str]:
    found = {node.id} if type(node).__name__ == "Name" else set[str]()
    for child in children(node):
        found |= _names_in(child)
    return found


def _holds(value: Value, handle: Handle) -> bool:
    """Whether a value is made of another without an operation in between."""
    if type(value) is ArrayValue:
        return value.storage.handle is handle
    if type(value) is ScalarValue:
        formula = value.formula
        return getattr(formula, "handle", None) is handle or any(_holds(one, handle) for one in getattr(formula, "operands", ()))
    if isinstance(value, (tuple, list)):
        return any(_holds(one, handle) for one in value)
    return False


def _rounds(condition: Condition, index: str, active: Mapping[str, Any]) -> Size | None:
    """How often a condition holds that gets harder to meet by the same amount in each round; None for any other."""
    if condition.relation not in ("<", "<="):
        return None
    room = condition.right - condition.left - (1 if condition.relation == "<" else 0)  # it holds while this is not negative
    parts = linear_in(room, frozenset((index,)))
    if parts is None or index not in parts[0]:
        return None
    slope, start = parts[0][index], parts[1]
    inner = [name for name in active if name != index and not isinstance(start, int) and name in symbols(start)]
    if not isinstance(slope, int) or slope >= 0 or any(active[name].low is None for name in inner):
        return None
    return maximum(floordiv(start, -slope) + 1, 0)


def _containers_unchanged(before: Any, after: Any) -> None:
    for mine, theirs in ((before.lists, after.lists), (before.dicts, after.dicts)):
        for key, (_, saved) in mine.items():
            now = theirs[key][1] if key in theirs else saved
            items = zip(saved, now) if isinstance(saved, list) else [(saved.get(name), now.get(name)) for name in {**saved, **now}]
            if len(saved) != len(now) or not all(one is two for one, two in items):
                raise Unfit("it changes a list, a dict or an object")
