"""Arrays that a loop carries by name have memory of their own in each round: is that what the program says?

A name that is bound anew in each round stands for other memory from round to round. As long as that memory is only read, its values are
all that matters. Where it is written, nobody else may see it: not under another name, not as the memory from before the loop.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from staxlang.typecheck.frames import Frame
from staxlang.typecheck.kept.carries import Held, Unfit
from staxlang.typecheck.values import ArrayValue, RecordValue, Storage, Value

if TYPE_CHECKING:
    from staxlang.typecheck.kept.rounds import Trial


def check_memory(trial: Trial, start: dict[str, Value]) -> None:
    """Raises Unfit where carrying values alone would lose a write that another name sees."""
    names = [name for name, carry in trial.attempt.carries.items() if isinstance(carry, Held) and not carry.scalar]
    own = {start[name].storage: name for name in names if type(start.get(name)) is ArrayValue}
    turns = trial.attempt.turns
    for name in names:  # a name may be left with what another one was before the loop
        held = _storage(trial.frame.locals.get(name))
        if held is not None and held in own and name not in turns and not is_private(trial.frame, trial.attempt.before[own[held]]):
            raise Unfit(f"`{own[held]}` and `{name}` exchange arrays that are known elsewhere", peel=True)
    for name in names:
        first = _storage(trial.attempt.before[name])
        if first in trial.journal and first.handle is not trial.parameters.get(first):
            raise Unfit(f"`{name}` is another name of an array that the first round writes", peel=True)
    for name in _written_in_time(trial, names, start):
        end = trial.frame.locals.get(name)
        if name not in turns and (not is_private(trial.frame, trial.attempt.before[name]) or known_elsewhere(trial, end, start)):
            raise Unfit(f"`{name}` is written in place, and is another array from the second round on", peel=True)
    ends: dict[Storage, str] = {}
    for name in names:
        value = trial.frame.locals.get(name)
        if type(value) is not ArrayValue:
            continue
        storage = value.storage
        older = storage.number < trial.mark or storage.source is not None
        if older and value.subscripts is None and storage not in own and trial.plan.test is None and trial.plan.count is None:
            raise Unfit(f"`{name}` is an array from before the loop after its first round", peel=True)
        if older and storage in trial.journal:
            raise Unfit(f"`{name}` is a view of an array that the loop writes", peel=True)
        shared = ends.setdefault(storage, name) != name
        if (shared or value.subscripts is not None) and (storage in own or _written(trial, storage, names, start)):
            raise Unfit(f"`{name}` and `{ends[storage]}` share memory from the second round on", peel=True)


def _written_in_time(trial: Trial, names: list[str], start: dict[str, Value]) -> list[str]:
    """The names whose memory from before the loop a round writes, that one or, under another name by then, a later one."""
    memory = {name: _storage(start.get(name)) for name in names}
    found = [name for name in names if memory[name] in trial.journal]
    for name in found:  # grows on the way
        held = may_be(trial, trial.frame.locals.get(name))
        found += [other for other in names if other not in found and memory[other] in held]
    return found


def may_be(trial: Trial, value: Value) -> set[Storage]:
    """The memory that an array may stand for: its own, and that of the arrays between which branches have chosen it."""
    if type(value) is not ArrayValue:
        return set()
    found = {value.storage}
    for choice in reversed(trial.context.branches.choices):
        if choice.made.storage in found:
            found.add(choice.part.storage)
    return found


def known_elsewhere(trial: Trial, value: Value, start: dict[str, Value]) -> bool:
    """Whether an array that a round ends with may be one from before the loop, which others know as well: writes would have to reach it."""
    found = may_be(trial, value)
    own = {_storage(one): name for name, one in start.items() if name in trial.attempt.carries and type(one) is ArrayValue}
    for storage in found:
        if storage in own:
            if not is_private(trial.frame, trial.attempt.before[own[storage]]):
                return True
        elif storage.number < trial.mark or storage.source is not None:
            return True
    return False


def _storage(value: Value) -> Storage | None:
    return value.storage if type(value) is ArrayValue else None


def _written(trial: Trial, storage: Storage, names: list[str], start: dict[str, Value]) -> bool:
    """Whether the loop writes the memory of one of the names that end in this storage."""
    ended = [name for name in names if _storage(trial.frame.locals.get(name)) is storage]
    return any(_storage(start.get(name)) in trial.journal for name in ended)


def is_private(frame: Frame, value: Value) -> bool:
    """Whether nobody but one name of the loop's function knows an array's memory."""
    if type(value) is not ArrayValue or value.storage.source is not None or value.subscripts is not None:
        return False
    if value.storage in frame.context.loops.shared:
        return False
    if any(choice.made.storage is value.storage for choice in frame.context.branches.choices):  # it may be one of the arrays chosen from
        return False
    count = 0
    inside: Frame | None = frame
    while inside is not None:
        scope: Any = inside
        while isinstance(scope, Frame):
            count += sum(one is value.storage for held in scope.locals.values() for one in _storages(held))
            scope = scope.outer if scope.outer is not None else scope.function.scope
        inside = inside.caller
    return count <= 1


def _storages(value: Value) -> Iterator[Storage]:
    if type(value) is ArrayValue:
        yield value.storage
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _storages(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _storages(item)
    elif type(value) is RecordValue:
        for item in value.fields.values():
            yield from _storages(item)
