"""Names that exchange arrays which others know as well - arguments, say - and write them: names go round, memory does not.

What a round computes with is what each name stands for, so that is what the loop carries; what it gives is what each array holds in the
end. Which array a name then stands for, the number of rounds tells.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, floordiv
from staxlang.base.types import TensorType
from staxlang.typecheck import branches
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.kept.carries import Held, Unfit
from staxlang.typecheck.kept.memory import is_private
from staxlang.typecheck.values import ArrayValue, StaticValue, Storage, Value

if TYPE_CHECKING:
    from staxlang.typecheck.joins import Snapshot
    from staxlang.typecheck.kept.rounds import Trial

COUNT = TensorType(I64, ())


def turns_of(trial: Trial, start: dict[str, Value]) -> dict[str, str]:
    """Names that go round among arrays known elsewhere: each with the name whose array it has at the round's end."""
    before, frame = trial.attempt.before, trial.frame
    whole = {name: value for name, value in start.items() if _is_whole(trial, name, value)}
    own: dict[Storage, str] = {value.storage: name for name, value in whole.items()}
    after: dict[str, str] = {}
    for name in whole:
        end = frame.locals.get(name)
        if type(end) is ArrayValue and end.subscripts is None and end.storage in own:
            after[name] = own[end.storage]
    found: dict[str, str] = {}
    for name in after:
        cycle = _cycle(name, after)
        arrays = [before[one] for one in cycle]
        if len(cycle) > 1 and not all(is_private(frame, one) for one in arrays) and len({one.storage for one in arrays}) == len(cycle):
            found[name] = after[name]
    return found


def _is_whole(trial: Trial, name: str, value: Value) -> bool:
    """Whether a name carries an array, and stood for all of an array's memory before the loop."""
    carry, before = trial.attempt.carries.get(name), trial.attempt.before.get(name)
    if not isinstance(carry, Held) or carry.scalar or type(value) is not ArrayValue or type(before) is not ArrayValue:
        return False
    if before.subscripts is not None or before.storage.type.shape != before.shape:
        return False
    return not any(choice.made.storage is before.storage for choice in trial.context.branches.choices)


def _cycle(name: str, after: dict[str, str]) -> list[str]:
    """The names that a name's array goes through until it is back; empty where it never is."""
    cycle = [name]
    while len(cycle) <= len(after):
        following = after.get(cycle[-1])
        if following is None:
            return []
        if following == name:
            return cycle
        cycle.append(following)
    return []


def check_turns(trial: Trial, start: dict[str, Value]) -> None:
    """Raises Unfit where a round reaches the arrays by other ways than by the names that exchange them."""
    attempt = trial.attempt
    for name in attempt.turns:
        storage = attempt.before[name].storage
        parameter = trial.parameters[storage]
        if storage.handle is not parameter or trial.context.recorder.reads(trial.token, parameter):
            raise Unfit(f"`{name}` exchanges its array with another name, and the array has a third one", peel=True)
        made = [start[one] for one in _cycle(name, attempt.turns)]
        if is_written(trial, name, start) and any(one.readonly or not one.storage.writable for one in made):
            raise Unfit(f"`{name}` exchanges arrays that are written with one that must not be", peel=True)


def left_before_turning(trial: Trial, start: dict[str, Value], names: Snapshot) -> bool:
    """Whether a round has been left before its names were exchanged; Unfit where in the middle of that."""
    held = next(saved for current, saved in names.names if current is trial.frame.locals)
    turns = trial.attempt.turns
    ends = [(_storage(held.get(name)), start[name].storage, start[other].storage) for name, other in turns.items()]
    if all(end is before for end, before, _ in ends):
        return True
    if not all(end is after for end, _, after in ends):
        raise Unfit("it is left while names are being exchanged", peel=True)
    return False


def _storage(value: Value) -> Storage | None:
    return value.storage if type(value) is ArrayValue else None


def is_written(trial: Trial, name: str, start: dict[str, Value]) -> bool:
    """Whether a round writes one of the arrays that a name goes round with."""
    return any(start[one].storage in trial.journal for one in _cycle(name, trial.attempt.turns))


def turned(call: CallContext, before: dict[str, Value], turns: dict[str, str], name: str, rounds: Size | ArrayValue) -> Value:
    """The array that a name stands for after so many rounds."""
    cycle = [name]
    while turns[cycle[-1]] != name:
        cycle.append(turns[cycle[-1]])
    arrays: list[Any] = [before[one] for one in cycle]
    count = len(cycle)
    if isinstance(rounds, ArrayValue):
        place = call.pointwise("remainder", (rounds, StaticValue(count)))
    else:
        left = rounds - count * floordiv(rounds, count)
        if isinstance(left, int):
            return arrays[left]
        place = call.array(call.size_handle(left), COUNT)
    value: Value = arrays[-1]
    for number in range(count - 2, -1, -1):
        test = call.to_array(call.pointwise("equal", (place, StaticValue(number))))
        value = branches.chosen(call, test, (arrays[number], {}), (value, {}))
    return value
