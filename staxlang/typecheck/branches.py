"""Branches that stay in the program: both sides are evaluated, and what they leave behind is chosen between when the program runs.

A side that leaves by `return`, `break` or `continue` while the other goes on becomes an `Exit`: its state waits for the place where the
ways meet again - the end of the function, of the loop, of the round.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from staxlang.base.types import TensorType
from staxlang.typecheck.branching import Choice
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.frames import BREAK, CONTINUE, RETURN, Frame, Signal
from staxlang.typecheck.joins import Snapshot, restore, snapshot
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import DEFAULT_DTYPE, Converted, kind_of
from staxlang.typecheck.values import (
    NEVER,
    UNKNOWN,
    ArrayValue,
    FunctionValue,
    MeaningValue,
    ObjectValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Storage,
    Value,
)

Held = dict[Storage, Handle]


class Exit:
    """A way that has left, and the state it left in. `held`: storages that have changed since, with what they held at the exit."""

    __slots__ = ("held", "live", "names", "value")

    def __init__(self, live: ArrayValue, names: Snapshot, held: Held, value: Value) -> None:
        self.live = live
        self.names = names
        self.held = held
        self.value = value


class _Side:
    """What one side of a branch came to: its result, its names, what it wrote, and what says whether its end is reached."""

    __slots__ = ("held", "live", "names", "result", "returned", "start")

    def __init__(self, result: Any, start: ArrayValue, live: ArrayValue | None, names: Snapshot, held: Held, returned: Value) -> None:
        self.result = result
        self.start = start
        self.live = start if live is None else live
        self.names = names
        self.held = held
        self.returned = returned


# ---- the two sides ----


def branch(call: CallContext, test: ArrayValue, then: Callable[[], Signal], otherwise: Callable[[], Signal]) -> Signal:
    """Statements on either side of a condition. Gives how the frame goes on."""
    frame: Frame = call.frame
    before = snapshot(frame)
    live = call.context.branches.live
    first = _side(call, _both(call, live, test), before, then)
    second = _side(call, _both(call, live, call.pointwise("logical_not", (test,))), before, otherwise)
    if first.result == second.result:
        if first.result is RETURN:
            frame.owner.returned = chosen(call, test, (first.returned, first.held), (second.returned, second.held))
        else:
            _meet_names(call, test, before, (first.names, first.held), (second.names, second.held))
        _meet_storages(call, test, first.held, second.held)
        call.context.branches.live = _either(call, first, second, live)
        return first.result
    leaves, stays = (first, second) if _ORDER[first.result] > _ORDER[second.result] else (second, first)
    made = Exit(leaves.live, leaves.names, leaves.held, leaves.returned)
    call.context.branches.journals.append(made.held)
    if leaves.result is RETURN:
        frame.owner.ways.append(made)
    else:
        frame.owner.exits.append((leaves.result, made))
    restore(frame, stays.names)
    for storage, handle in stays.held.items():
        call.context.branches.put(storage, handle)
    call.context.branches.live = stays.live
    return stays.result


_ORDER: Mapping[Signal, int] = {None: 0, CONTINUE: 1, BREAK: 2, RETURN: 3}


def choose(call: CallContext, test: ArrayValue, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """An expression on either side of a condition. Sides of different types are an error."""
    frame: Frame = call.frame
    before = snapshot(frame)
    live = call.context.branches.live
    first = _side(call, _both(call, live, test), before, then)
    second = _side(call, _both(call, live, call.pointwise("logical_not", (test,))), before, otherwise)
    value = chosen(call, test, (first.result, first.held), (second.result, second.held))
    _meet_names(call, test, before, (first.names, first.held), (second.names, second.held))
    _meet_storages(call, test, first.held, second.held)
    return value


def _side(call: CallContext, live: ArrayValue, before: Snapshot, run: Callable[[], Any]) -> _Side:
    """Evaluate one side, note what it came to, and take everything back."""
    branches = call.context.branches
    frame: Frame = call.frame
    outer = branches.live
    journal: Held = {}
    branches.journals.append(journal)
    branches.live = live
    try:
        result = run()
        held = {storage: storage.handle for storage in journal}
        side = _Side(result, live, branches.live, snapshot(frame), held, frame.owner.returned)
    finally:
        _close(call, journal)
        branches.live = outer
    for storage, handle in journal.items():
        branches.put(storage, handle)
    restore(frame, before)
    return side


def _close(call: CallContext, journal: Held) -> None:
    journals = call.context.branches.journals
    journals[:] = [one for one in journals if one is not journal]


def _both(call: CallContext, one: ArrayValue | None, other: ArrayValue) -> ArrayValue:
    return other if one is None else call.to_array(call.pointwise("logical_and", (one, other)))


def _either(call: CallContext, first: _Side, second: _Side, before: ArrayValue | None) -> ArrayValue | None:
    """Whether the place behind a branch is reached: as before it, unless a way has left inside."""
    if first.live is first.start and second.live is second.start:
        return before
    return call.to_array(call.pointwise("logical_or", (first.live, second.live)))


# ---- where ways meet ----


def meet_returns(frame: Frame, value: Value) -> Value:
    """What a function returns, by the way that was taken; and what is in the memory that its ways have written."""
    call = CallContext(frame.context, frame.returned_at or frame.span(frame.function.tree), None, frame)
    ways, frame.ways = frame.ways, []
    for way in reversed(ways):
        _close(call, way.held)
        value = chosen(call, way.live, (way.value, way.held), (value, {}))
        _meet_storages(call, way.live, way.held, {})
    call.context.branches.live = frame.live
    return value


def rejoin(frame: Frame, call: CallContext, way: Exit) -> None:
    """Go on with the state that the frame is in, or with that of a way that has left, as the program will have it."""
    branches = call.context.branches
    _close(call, way.held)
    now = snapshot(frame)
    _meet_names(call, way.live, now, (way.names, way.held), (now, {}))
    _meet_storages(call, way.live, way.held, {})
    branches.live = None if branches.live is None else call.to_array(call.pointwise("logical_or", (branches.live, way.live)))


def leave(call: CallContext, way: Exit) -> None:
    """What a way that has left wrote is what memory holds, where it was taken."""
    _close(call, way.held)
    _meet_storages(call, way.live, way.held, {})


def end(frame: Frame, live: ArrayValue, on: ArrayValue | None, value: Value) -> None:
    """The program has returned `value` where `live` holds; it goes on where `on` does."""
    made = Exit(live, snapshot(frame), {}, value)
    frame.context.branches.journals.append(made.held)
    frame.owner.ways.append(made)
    frame.context.branches.live = on


def switch(frame: Frame, call: CallContext, signal: str, way: Exit) -> None:
    """The way that the frame is on leaves; go on with another that has left before."""
    branches = call.context.branches
    _close(call, way.held)
    live = branches.live if branches.live is not None else way.live
    made = Exit(live, snapshot(frame), {}, frame.owner.returned)
    branches.journals.append(made.held)
    for storage, handle in way.held.items():
        branches.put(storage, handle)
    restore(frame, way.names)
    branches.live = way.live
    if signal is RETURN:
        frame.owner.ways.append(made)
    else:
        frame.owner.exits.append((signal, made))


def _meet_storages(call: CallContext, test: ArrayValue, left: Held, right: Held) -> None:
    for storage in {**left, **right}:
        one, two = left.get(storage, storage.handle), right.get(storage, storage.handle)
        if one is two:
            handle = one
        else:
            type_ = TensorType(storage.type.dtype, storage.type.shape)
            handle = call.handle(call.pointwise("where", (test, call.array(one, type_), call.array(two, type_))))
        if handle is not storage.handle:
            call.context.branches.put(storage, handle)


def _meet_names(call: CallContext, test: ArrayValue, before: Snapshot, one: tuple[Snapshot, Held], two: tuple[Snapshot, Held]) -> None:
    """Names and containers for either of two states. A name whose sides disagree is not bound: using it is the error."""
    (first, held), (second, other) = one, two
    branches = call.context.branches
    frame: Frame = call.frame
    for key, (items, mine) in first.lists.items():
        theirs = second.lists[key][1] if key in second.lists else before.lists[key][1] if key in before.lists else mine
        if len(mine) != len(theirs):
            _mismatch(call, f"a list of {len(mine)}", f"one of {len(theirs)}")
        items[:] = [chosen(call, test, (left, held), (right, other)) for left, right in zip(mine, theirs, strict=True)]
    for key, (entries, mine) in first.dicts.items():
        theirs = second.dicts[key][1] if key in second.dicts else before.dicts[key][1] if key in before.dicts else mine
        if mine.keys() != theirs.keys():
            _mismatch(call, f"keys {', '.join(map(str, mine))}", ", ".join(map(str, theirs)))
        entries.update({name: chosen(call, test, (mine[name], held), (theirs[name], other)) for name in mine})
    for (current, mine), (_, theirs) in zip(first.names, second.names, strict=True):
        current.clear()
        for name in {**mine, **theirs}:
            left, right = mine.get(name), theirs.get(name)
            if left is None or right is None:
                branches.lost[(id(frame.owner), name)] = None
                continue
            try:
                value = select(call, test, (left, held), (right, other))
            except _Mismatch as mismatch:
                branches.lost[(id(frame.owner), name)] = (mismatch.left, mismatch.right)
                continue
            current[name] = value


# ---- one of two values ----


class _Mismatch(Exception):
    """Two values that no value of one type can stand for."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(left, right)
        self.left, self.right = left, right


def chosen(call: CallContext, test: ArrayValue, one: tuple[Value, Held], two: tuple[Value, Held]) -> Value:
    """`select`, where sides of different types are an error."""
    try:
        return select(call, test, one, two)
    except _Mismatch as mismatch:
        _mismatch(call, mismatch.left, mismatch.right)


def select(call: CallContext, test: ArrayValue, one: tuple[Value, Held], two: tuple[Value, Held]) -> Value:
    """`one` where the test holds, else `two`; each with what the memory holds on its side."""
    left, right = one[0], two[0]
    if left is NEVER or right is NEVER:
        return right if left is NEVER else left
    if left is right or left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN if right is UNKNOWN else left
    if type(left) is ArrayValue and type(right) is ArrayValue:
        return _select_arrays(call, test, one, two)
    kinds = kind_of(left), kind_of(right)
    if kinds[0] is not None and kinds[0] == kinds[1]:
        return _select_numbers(call, test, left, right, kinds[0])
    if isinstance(left, (tuple, list)) and type(left) is type(right) and len(left) == len(right):
        parts = [select(call, test, (a, one[1]), (b, two[1])) for a, b in zip(left, right, strict=True)]
        return tuple(parts) if isinstance(left, tuple) else parts
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return {key: select(call, test, (left[key], one[1]), (right[key], two[1])) for key in left}
    if type(left) is RecordValue and type(right) is RecordValue and left.cls is right.cls and left.fields.keys() == right.fields.keys():
        fields = {name: select(call, test, (value, one[1]), (right.fields[name], two[1])) for name, value in left.fields.items()}
        return RecordValue(left.cls, fields, left.ordered, left.path)
    if _is_same(left, right):
        return left
    elements = call.context.indices.active or (call.context.loops.active and _is_number(left) and _is_number(right))
    if elements and kinds[0] is not None and kinds[1] is not None:  # of Python's numbers the wider kind
        return _select_numbers(call, test, left, right, max(kinds[0], kinds[1], key=_KINDS.index))
    if elements and call.is_numeric(left) and call.is_numeric(right):  # they promote as under `where`
        return call.pointwise("where", (test, left, right))
    raise _Mismatch(call.describe(left), call.describe(right))


_KINDS = ("bool", "int", "float", "complex")


def _is_number(value: Value) -> bool:
    """A number of Python's or of NumPy's."""
    return kind_of(value) is not None or (type(value) is ArrayValue and value.scalar)


def _is_same(left: Value, right: Value) -> bool:
    if type(left) is not type(right):
        return False
    if type(left) is FunctionValue:
        return left.tree is right.tree and left.scope is right.scope
    if type(left) is ObjectValue:
        return left.object is right.object
    if type(left) is MeaningValue:
        return left.meaning is right.meaning
    if type(left) is not StaticValue:  # containers of other lengths, ranges, slices: each is its own
        return False
    one, two = left.value, right.value
    return type(one) is type(two) and (one is two or (type(one) is str and one == two))


def _select_arrays(call: CallContext, test: ArrayValue, one: tuple[ArrayValue, Held], two: tuple[ArrayValue, Held]) -> Value:
    (left, held), (right, other) = one, two
    if left.storage is right.storage and left.subscripts == right.subscripts:
        return left
    if left.dtype is not right.dtype or left.rank != right.rank:
        raise _Mismatch(call.describe(left), call.describe(right))
    if not all(call.same_size(a, b, "both sides of a branch give it") for a, b in zip(left.shape, right.shape, strict=True)):
        raise _Mismatch(call.describe(left), call.describe(right))
    type_ = TensorType(left.dtype, left.shape)
    parts = (call.array(_read(call, left, held), type_), call.array(_read(call, right, other), type_))
    made = call.to_array(call.pointwise("where", (test, *parts)))
    made.scalar = left.scalar and right.scalar
    if not made.scalar:
        made.readonly = any(part.scalar or part.readonly or not part.storage.writable for part in (left, right))
        for part, on in ((left, True), (right, False)):
            if not part.scalar:
                call.context.branches.choices.append(Choice(test, on, part, made))
    return made


def _read(call: CallContext, value: ArrayValue, held: Held) -> Handle:
    """What an array holds on a side."""
    storage = value.storage
    now = storage.handle
    storage.handle = held.get(storage, now)
    try:
        return call.handle(value)
    finally:
        storage.handle = now


def _select_numbers(call: CallContext, test: ArrayValue, left: Value, right: Value, kind: str) -> Value:
    if type(left) is StaticValue is type(right) and left.value == right.value and repr(left.value) == repr(right.value):
        return left
    if type(left) is SizeValue is type(right) and left.size == right.size:
        return left
    dtype = DEFAULT_DTYPE[kind]
    type_ = TensorType(dtype, ())
    parts = [call.cast(call.array(call.handle(one), TensorType(DEFAULT_DTYPE[kind_of(one) or kind], ())), dtype) for one in (left, right)]
    handle = call.handle(call.pointwise("where", (test, *parts)))
    return ScalarValue(kind, Converted(handle, type_, call.span, "a number chosen by a branch"))


def _mismatch(call: CallContext, left: str, right: str) -> NoReturn:
    call.error("branch-mismatch", left=left, right=right)
