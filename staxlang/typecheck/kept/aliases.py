"""Which arrays the names of a loop stand for after it: what is written to one is seen under the other, or reading it is refused.

A loop gives each name that it carries a value of its own. In Python the name may be an array from before the loop: the one that it was,
where there is no round, or one that a round has left it with. Where it is known which, later writes go to both.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.typecheck.branching import Choice
from staxlang.typecheck.complex_parts import PartStorage
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.kept.carries import same
from staxlang.typecheck.kept.memory import is_private, known_elsewhere, may_be
from staxlang.typecheck.kept.scope import Left
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import ArrayValue, Storage, Value

if TYPE_CHECKING:
    from staxlang.typecheck.kept.rounds import Trial

MANY = 64


class Outcome:
    """What a loop comes to: of storages and names their values after it; whether a `break` has ended it, whether a `return` has."""

    __slots__ = (
        "arrays", "broken", "choices", "endless", "first", "left", "names", "nodes", "returned", "rounds", "storages", "tuples", "turned",
        "value",
    )  # fmt: skip

    def __init__(self) -> None:
        self.storages: list[tuple[Storage, Handle]] = []
        self.tuples: dict[str, tuple[str, ...]] = {}  # names of tuples: the names of their parts
        self.names: dict[str, Value | None] = {}
        self.turned: dict[str, Callable[[], Value]] = {}  # names that stand for one of several arrays, once these hold what they hold then
        self.broken: ArrayValue | None = None
        self.endless = False  # nothing but a `break` or a `return` ends it
        self.returned: ArrayValue | None = None
        self.value: Value = None
        self.nodes = 0
        self.rounds: Size | None = None  # None where only the run knows
        self.arrays = False
        self.first: ArrayValue | None = None  # whether there is a round; None where one is certain
        self.choices: list[tuple[bool, ArrayValue, ArrayValue]] = []  # with a first round or without: the array that a name's value is
        self.left: dict[Storage, tuple[str, set[Storage]]] = {}  # a name's value: other memory that it may be a part of in Python


def meet_aliases(trial: Trial, outcome: Outcome, start: dict[str, Value], ended: dict[str, Value], runs: bool) -> None:
    """Notes of each name what else it stands for. `runs`: there is a first round, for certain."""
    attempt = trial.attempt
    outcome.first = None if runs else trial.plan.first
    known = runs or trial.plan.first is not None
    first: dict[Storage, str] = {}
    made: dict[str, Any] = {name: value for name, value in outcome.names.items() if _is_made(value, ended.get(name))}
    for name, value in made.items():
        end: Any = ended[name]
        before: Any = attempt.before.get(name)
        apart = runs or type(before) is not ArrayValue or before.scalar or is_private(trial.frame, before)
        other = first.setdefault(end.storage, name)
        shared = other != name and same(end, ended[other])
        if shared and runs:
            outcome.names[name] = outcome.names[other]
            continue
        if not apart:
            _either(outcome, known, False, before, value, name)
        if shared:
            _either(outcome, known, True, made[other], value, name)
        elif other == name and outlives(trial, end):
            _either(outcome, known, True, end, value, name)
        elif other != name or known_elsewhere(trial, end, start):
            value.readonly = True
            carried = {key: one for key, one in start.items() if key in attempt.carries and type(one) is ArrayValue}
            own: dict[Storage, str] = {one.storage: key for key, one in carried.items()}
            for storage in may_be(trial, end):
                if storage in own:
                    _leave(outcome, name, value, attempt.before[own[storage]].storage)
                elif storage.number < trial.mark or storage.source is not None:
                    _leave(outcome, name, value, storage)
            if other != name:
                _leave(outcome, name, value, made[other].storage)
        for beside in made.keys() - {name}:
            if not same(end, ended[beside]) and _may_meet(trial, end, ended[beside]):
                _leave(outcome, name, value, made[beside].storage)


def _is_made(value: Value, end: Value) -> bool:
    """Whether a name has an array that the loop gives."""
    return type(end) is ArrayValue and type(value) is ArrayValue and value is not end and not value.scalar


def _may_meet(trial: Trial, one: ArrayValue, other: ArrayValue) -> bool:
    """Whether two names may end a round with one array: by choices that do not exclude each other."""
    mine, theirs = _cases(trial, one), _cases(trial, other)
    return any(
        storage is their_storage and not any((test, not on) in their_case for test, on in case)
        for storage, case in mine for their_storage, their_case in theirs
    )  # fmt: skip


def _cases(trial: Trial, value: ArrayValue) -> list[tuple[Storage, frozenset[tuple[Handle, bool]]]]:
    """The memory that an array may stand for, with what the tests are then. (Of very many cases the tests are left out.)"""
    found: list[tuple[Storage, frozenset[tuple[Handle, bool]]]] = [(value.storage, frozenset())]
    for choice in reversed(trial.context.branches.choices):
        case = (choice.test.storage.handle, choice.on)
        found += [(choice.part.storage, tests | {case}) for storage, tests in found if storage is choice.made.storage]
        if len(found) > MANY:
            return [(storage, frozenset()) for storage in may_be(trial, value)]
    return found


def _either(outcome: Outcome, known: bool, on: bool, part: ArrayValue, value: ArrayValue, name: str) -> None:
    """A name's value is another array where there is a first round (or where there is none)."""
    fits = part.dtype is value.dtype and part.shape == value.shape and type(part.storage) is not PartStorage
    if part.readonly or not part.storage.writable or not known or not fits:
        value.readonly = True
    if known and fits:
        outcome.choices.append((on, part, value))
    else:
        _leave(outcome, name, value, part.storage)


def _leave(outcome: Outcome, name: str, value: ArrayValue, memory: Storage) -> None:
    outcome.left.setdefault(value.storage, (name, set()))[1].add(memory)


def outlives(trial: Trial, value: ArrayValue) -> bool:
    """Whether an array is a view of memory from before the loop, the same one in each round."""
    sizes = (*value.shape, *(value.subscripts or ()))
    older = value.storage.number < trial.mark or value.storage.source is not None
    return older and not any(map(trial.context.loops.among, sizes))


def tie(call: CallContext, outcome: Outcome) -> None:
    """After the loop: writes to one go to the other, and what cannot be told which memory it is may be read until that is written."""
    first, choices = outcome.first, call.context.branches.choices
    for on, part, value in outcome.choices:
        test = first if first is not None else call.array(call.constant(True, BOOL), TensorType(BOOL, ()))
        choices.append(Choice(test, on, part, value))
    for storage, (name, memories) in outcome.left.items():
        held = [memory.whole.storage if type(memory) is PartStorage else memory for memory in memories]
        call.context.loops.left[storage] = Left(source_text(call.tree), name, {memory: memory.handle for memory in held})
