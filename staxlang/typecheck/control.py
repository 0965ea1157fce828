"""Branches and loops: decided ones are taken, static loops unrolled; in checking, what is not decided is walked both ways and joined."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from staxlang.base.deferred import deferred
from staxlang.base.sizes import Condition, symbol
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import binding, branches, containers
from staxlang.typecheck.context import source_text
from staxlang.typecheck.expressions import bind, count_iterations, test_value
from staxlang.typecheck.frames import BREAK, CONTINUE, RETURN, After, Frame, Signal
from staxlang.typecheck.joins import Snapshot, join_states, restore, snapshot
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import UNKNOWN, ArrayValue, RangeValue, ScalarValue, SizeValue, StaticValue, Storage, Value

if TYPE_CHECKING:
    from staxlang.typecheck.index_notation import guards
    from staxlang.typecheck.kept import loops, nests
else:
    guards = deferred("staxlang.typecheck.index_notation.guards")
    loops = deferred("staxlang.typecheck.kept.loops")
    nests = deferred("staxlang.typecheck.kept.nests")


def block(frame: Frame, statements: tuple[Any, ...]) -> Signal:
    """Statements in order, until one leaves."""
    for statement in statements:
        signal = frame.execute(statement)
        if signal is not None:
            return signal
    return None


# ---- if ----


def if_(frame: Frame, node: tree.If) -> Signal:
    value = test_value(frame, node.test)
    if type(value) is StaticValue and type(value.value) is bool:
        return block(frame, node.then if value.value else node.otherwise)
    call, text = frame.call(node.test), source_text(node.test)
    if frame.context.indices.active:
        test = guards.test_of(call, value)
        if test is not None:
            return guards.branch(frame, node, test, lambda: block(frame, node.then), lambda: block(frame, node.otherwise))
    if frame.context.branches.keeps and not frame.context.checking:
        kept = binding.kept_condition(call, value, text)
        if kept is not None:
            return branches.branch(call, kept, lambda: block(frame, node.then), lambda: block(frame, node.otherwise))
    answer = call.truth(value, text)
    if answer is not None:
        return block(frame, node.then if answer else node.otherwise)
    return _both(frame, node.then, node.otherwise, _conditions(frame, value))


def _conditions(frame: Frame, value: Value) -> tuple[Condition | None, Condition | None]:
    """What an undecided test on integers says about sizes on either side."""
    condition = binding.condition_of(frame.context, value, None) if type(value) is ScalarValue else None
    return (None, None) if condition is None else (condition, condition.negation)


def _both(frame: Frame, then: tuple[Any, ...], otherwise: tuple[Any, ...], known: tuple[Condition | None, Condition | None]) -> Signal:
    """Walk both sides from the same state, and go on with what holds after either."""
    before = snapshot(frame)
    facts = frame.context.facts
    first = _side(frame, then, known[0])
    after_first = snapshot(frame)
    frame.context.facts = facts
    restore(frame, before)
    second = _side(frame, otherwise, known[1])
    frame.context.facts = facts
    after_second = snapshot(frame)
    return _merge(frame, (first, after_first), (second, after_second))


def _side(frame: Frame, statements: tuple[Any, ...], known: Condition | None) -> Signal:
    if known is not None:
        frame.context.assume(known)
    return block(frame, statements)


def _merge(frame: Frame, one: tuple[Signal, Snapshot], two: tuple[Signal, Snapshot]) -> Signal:
    (first, after_first), (second, after_second) = one, two
    if first == second:
        if first is not RETURN:
            join_states(frame, after_first, after_second)
        return first
    for signal, after in (one, two):
        if signal in (BREAK, CONTINUE):
            frame.owner.exits.append((signal, after))
    # Go on with the side that falls through; where neither does, with one that stays in the loop.
    for signal, after in (one, two):
        if signal is None:
            restore(frame, after)
            return None
    for signal, after in (one, two):
        if signal in (BREAK, CONTINUE):
            restore(frame, after)
            return CONTINUE
    return RETURN


# ---- for ----


def loop(walk: Callable[[Frame, Any], Signal | After]) -> Callable[[Frame, Any], Signal]:
    """A loop with its own ways out: `break` and `continue` under undecided branches leave states for it, not for a loop around it."""

    def run(frame: Frame, node: Any) -> Signal:
        owner = frame.owner
        outer, owner.exits = owner.exits, []
        try:
            signal = walk(frame, node)
        finally:
            owner.exits = outer
        return signal() if callable(signal) else signal

    return run


def for_(frame: Frame, node: tree.For) -> Signal | After:
    text = source_text(node.iterable)
    call = frame.call(node.iterable)
    value = frame.evaluate(node.iterable)
    if frame.context.checking and not _is_static(frame, value):
        return _open_loop(frame, node, value)
    nest = nests.nest_of(frame, node, value)
    if nest is not None:
        return frame.execute(nest)
    if not frame.context.checking:
        kept = loops.keep_for(frame, node, value, lambda: _round(frame, node.body), block)
        if kept is not None:
            return kept.after
    try:
        values = containers.items(call, value, text)
    except Unknowable:
        return _open_loop(frame, node, value)
    count_iterations(frame, node.iterable, len(values))
    for item in values:
        bind(frame, node.target, item)
        signal = _round(frame, node.body)
        if signal is BREAK:
            return _after_loop(frame, node, ())
        if signal is RETURN:
            return _after_loop(frame, node, (), RETURN)
    return _after_loop(frame, node, node.otherwise)


def _round(frame: Frame, body: tuple[Any, ...]) -> Signal:
    """One round of an unrolled loop; `continue` ends it like its last statement does."""
    signal = block(frame, body)
    exits = frame.owner.exits
    if exits:  # the ways on that `continue` under branches both of whose sides were walked has left behind
        left = [state for kind, state in exits if kind is CONTINUE]
        exits[:] = [(kind, state) for kind, state in exits if kind is BREAK]
        if left and signal in (BREAK, RETURN) and not frame.context.checking:
            branches.switch(frame, frame.call(body[-1]), signal, left.pop())
            signal = None
        for state in left:
            _rejoin(frame, state, body[-1])
    return None if signal is CONTINUE else signal


def _rejoin(frame: Frame, state: Any, node: Any) -> None:
    if type(state) is Snapshot:
        join_states(frame, snapshot(frame), state)
    else:
        branches.rejoin(frame, frame.call(node), state)


def _after_loop(frame: Frame, node: Any, otherwise: tuple[Any, ...], signal: Signal = None) -> Signal:
    """The loop's `else`, and the ways out that breaks took under branches both of whose sides were walked."""
    if signal is None:
        signal = block(frame, otherwise)
    exits = frame.owner.exits
    if not exits:
        return signal
    states = [state for _, state in exits]
    exits.clear()
    if signal is RETURN:
        state = states.pop()
        if type(state) is Snapshot:
            restore(frame, state)
        else:
            branches.switch(frame, frame.call(node), signal, state)
    for state in states:
        _rejoin(frame, state, node)
    return None


def _is_static(frame: Frame, value: Value) -> bool:
    """Is the number of rounds known in checking?"""
    if value is UNKNOWN:
        return False
    if type(value) is ArrayValue:
        return bool(value.type.shape) and isinstance(value.type.shape[0], int)
    return type(value) is not RangeValue or all(type(part) is StaticValue for part in (value.start, value.stop, value.step))


def _open_loop(frame: Frame, node: tree.For, value: Value) -> Signal:
    """In checking, an unknown number of rounds: the body from a state that stands for any round."""
    return _any_rounds(frame, node, node.body, lambda: bind(frame, node.target, _any_item(frame, value)), node.otherwise)


def _any_item(frame: Frame, value: Value) -> Value:
    if type(value) is ArrayValue and value.type.shape:
        type_ = TensorType(value.type.dtype, value.type.shape[1:])
        return ArrayValue(Storage(type_, type_), type_, None, not type_.shape)
    if type(value) is RangeValue:
        frame.context.iterations += 1
        return SizeValue(symbol(f"_{frame.context.iterations}", signed=True))
    return UNKNOWN


def _any_rounds(frame: Frame, node: Any, body: tuple[Any, ...], begin: Callable[[], None], otherwise: tuple[Any, ...]) -> Signal:
    before = snapshot(frame)
    for _ in range(3):  # types settle: each round can only lose knowledge
        begin()
        signal = _round(frame, body)
        after = snapshot(frame)
        if signal is RETURN or signal is BREAK:
            restore(frame, before)
            if signal is BREAK:
                join_states(frame, before, after)
            break
        join_states(frame, before, after)
        before = snapshot(frame)
    return _after_loop(frame, node, otherwise)


# ---- while ----


def while_(frame: Frame, node: tree.While) -> Signal | After:
    rounds = 0
    text = source_text(node.test)
    call = frame.call(node.test)
    while True:
        value = test_value(frame, node.test)
        if not frame.context.checking and rounds == 0 and not _never(value):
            kept = loops.keep_while(frame, node, value, lambda: _round(frame, node.body), block)
            if kept is not None:
                return kept.after
        answer = call.truth(value, text)
        if answer is None:
            return _any_rounds(frame, node, node.body, lambda: None, node.otherwise)
        if not answer:
            return _after_loop(frame, node, node.otherwise)
        rounds += 1
        count_iterations(frame, node.test, rounds)
        signal = _round(frame, node.body)
        if signal is BREAK:
            return _after_loop(frame, node, ())
        if signal is RETURN:
            return _after_loop(frame, node, (), RETURN)


def _never(value: Value) -> bool:
    return type(value) is StaticValue and not value.value


def break_(frame: Frame, node: tree.Break) -> Signal:
    return BREAK


def continue_(frame: Frame, node: tree.Continue) -> Signal:
    return CONTINUE


# ---- checking: one statement's error does not hide the next ----


def guarded(execute: Callable[[Frame, Any], Signal]) -> Callable[[Frame, Any], Signal]:
    """A statement in checking: its diagnostic is kept, the names that it would have bound are unknown, and evaluation goes on."""

    def run(frame: Frame, node: Any) -> Signal:
        try:
            return execute(frame, node)
        except Problem as problem:
            if frame.library:  # it is about the user's call, which has no result then: one diagnostic is enough
                raise
            frame.context.report(problem.diagnostic)
        except Unknowable:
            pass
        _forget(frame, node)
        if type(node) is tree.Return:
            frame.owner.results.append(UNKNOWN)
            return RETURN
        return None

    return run


def _forget(frame: Frame, node: Any) -> None:
    targets = node.targets if type(node) is tree.Assign else [node.target] if type(node) in _WITH_TARGET else []
    for target in targets:
        _unknown(frame, target)
    if type(node) is tree.Function:
        frame.locals[node.name] = UNKNOWN


def _unknown(frame: Frame, target: Any) -> None:
    kind = type(target)
    if kind is tree.Name:
        frame.locals[target.id] = UNKNOWN
    elif kind is tree.TupleExpression or kind is tree.ListExpression:
        for part in target.elements:
            _unknown(frame, part)
    elif kind is tree.Starred:
        _unknown(frame, target.value)


_WITH_TARGET = frozenset({tree.AugmentedAssign, tree.AnnotatedAssign, tree.For})

CONTROL: Mapping[type, Callable[[Frame, Any], Signal]] = {
    tree.If: if_, tree.For: loop(for_), tree.While: loop(while_), tree.Break: break_, tree.Continue: continue_,
}  # fmt: skip
