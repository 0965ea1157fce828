"""Conditions under index variables: they stay in the program, and what they say about indices is known where they hold."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Condition
from staxlang.base.types import TensorType
from staxlang.typecheck import binding, branches, operators
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.frames import Frame, Signal
from staxlang.typecheck.index_notation.scope import since
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.scalars import DEFAULT_DTYPE, Computed, Converted, kind_of
from staxlang.typecheck.values import FALSE, TRUE, UNKNOWN, ArrayValue, ScalarValue, SizeValue, StaticValue, Value

_ZERO = StaticValue(0)
_WIDER = ("bool", "int", "float", "complex")


def test_of(call: CallContext, value: Value) -> Value | None:
    """A condition that stays in the program - a bool of numbers, or of arrays - None where it is decided now."""
    if value is UNKNOWN:
        raise Unknowable
    kind = type(value)
    if kind is ArrayValue:
        if value.dtype is BOOL:
            return value
        return call.to_array(call.pointwise("not_equal", (value, _ZERO)))
    if kind is SizeValue:
        return ScalarValue("bool", Computed("not_equal", (value, _ZERO))) if call.context.indices.among(value.size) else None
    if kind is not ScalarValue or not _is_open(call, value):
        return None
    return value if value.kind == "bool" else ScalarValue("bool", Computed("not_equal", (value, _ZERO)))


def _is_open(call: CallContext, value: Value) -> bool:
    """Whether a number depends on an index, or on data that may."""
    if type(value) is SizeValue:
        return bool(call.context.indices.among(value.size))
    if type(value) is not ScalarValue:
        return False
    formula = value.formula
    return type(formula) is Converted or (type(formula) is Computed and any(_is_open(call, operand) for operand in formula.operands))


# ---- and, or, not, chains of comparisons ----


def logical(frame: Frame, node: Any) -> Value:
    """`a and b`, `a or b`: the second is evaluated where the first leaves it open."""
    value = frame.evaluate(node.values[0])
    for part, after in zip(node.values, node.values[1:], strict=False):
        call = frame.call(part)
        test = test_of(call, value)
        if test is None:
            answer = call.truth(value, source_text(part))
            if answer is None:
                raise Unknowable
            if answer is (node.op == "or"):
                return value
            value = frame.evaluate(after)
            continue
        with holding(frame, call, test, node.op == "and"):
            second = frame.evaluate(after)
        value = combined(frame.call(node), "logical_and" if node.op == "and" else "logical_or", test, second)
    return value


def combined(call: CallContext, row: str, first: Value, second: Value) -> Value:
    other = test_of(call, second)
    if other is None:
        answer = call.truth(second)
        if answer is None:
            raise Unknowable
        neutral = row == "logical_and"
        return first if answer is neutral else TRUE if answer else FALSE
    parts = [_as_number(call, one) for one in (first, other)]
    if any(type(part) is ArrayValue for part in parts):
        return call.pointwise(row, parts)
    return ScalarValue("bool", Computed(row, tuple(parts)))


def _as_number(call: CallContext, test: Value) -> Value:
    """A 0-d condition on data as a number, so that it can stand in a formula."""
    if type(test) is ArrayValue and not test.rank:
        return ScalarValue("bool", Converted(call.handle(test), TensorType(BOOL, ()), call.span, call.text()))
    return test


def negated(call: CallContext, value: Value) -> Value | None:
    """`not value`, where that stays in the program."""
    test = test_of(call, value)
    if test is None:
        return None
    return call.pointwise("logical_not", (test,)) if type(test) is ArrayValue else ScalarValue("bool", Computed("logical_not", (test,)))


def chain(frame: Frame, node: Any, index: int, left: Value, test: Value) -> Value:
    """The rest of a chain of comparisons, from the one numbered `index`, whose left side is evaluated."""
    call = frame.call(node)
    with holding(frame, call, test, True):
        right = frame.evaluate(node.rights[index])
        one = operators.comparison(call, node.ops[index], left, right)
    whole = combined(call, "logical_and", test, one)
    if index + 1 == len(node.ops) or whole is FALSE:
        return whole
    return chain(frame, node, index + 1, right, whole)


# ---- what holds ----


@contextmanager
def holding(frame: Frame, call: CallContext, test: Value, answer: bool, checks: bool = True) -> Generator[None]:
    """Where the test has this answer: its facts are known, run-time `checks` are made only there."""
    context = frame.context
    indices, facts, live = context.indices, context.facts, context.branches.live
    said = conditions(call, test, answer)
    empty = 0
    for condition in said:
        try:
            context.assume(condition)
        except ValueError:  # it never holds
            empty = 1
    guards = any(indices.among(one.left) or indices.among(one.right) for one in said)
    indices.guards += guards
    indices.empty += empty
    if checks:
        context.branches.live = _reached(call, live, test, answer)
    try:
        yield
    finally:
        indices.guards -= guards
        indices.empty -= empty
        if checks:
            context.branches.live = live
        context.facts = since(facts, context.facts, said)


def _reached(call: CallContext, live: ArrayValue | None, test: Value, answer: bool) -> ArrayValue | None:
    if type(test) is ArrayValue and test.rank:  # it is another condition for each element
        return live
    here = as_bool(call, test)
    if not answer:
        here = call.to_array(call.pointwise("logical_not", (here,)))
    return here if live is None else call.to_array(call.pointwise("logical_and", (live, here)))


def as_bool(call: CallContext, test: Value) -> ArrayValue:
    """A condition as an array of the program."""
    return test if type(test) is ArrayValue else call.array(call.handle(test), TensorType(BOOL, ()))


def conditions(call: CallContext, test: Value, answer: bool) -> list[Condition]:
    """What is known about sizes where a test has this answer."""
    if type(test) is not ScalarValue or type(test.formula) is not Computed:
        return []
    row, operands = test.formula.row, test.formula.operands
    if row == "logical_not":
        return conditions(call, operands[0], not answer)
    if row in ("logical_and", "logical_or"):
        if answer is (row == "logical_or"):
            return []
        return [one for operand in operands for one in conditions(call, operand, answer)]
    found = binding.condition_of(call.context, test, None)
    return [] if found is None else [found if answer else found.negation]


# ---- two sides ----


def branch(frame: Frame, node: Any, test: Value, then: Callable[[], Signal], otherwise: Callable[[], Signal]) -> Signal:
    """`if` in a function that index notation calls: both sides stay in the program."""
    call = frame.call(node.test)

    def side(run: Callable[[], Signal], answer: bool) -> Callable[[], Signal]:
        def known() -> Signal:
            with holding(frame, call, test, answer, checks=False):
                return run()

        return known

    return branches.branch(call, as_bool(call, test), side(then, True), side(otherwise, False))


def conditional(frame: Frame, node: Any, test: Value, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """`then` where the test holds, else `otherwise`; each is evaluated with what is known there."""
    call = frame.call(node)
    with holding(frame, call, test, True):
        first = then()
    with holding(frame, call, test, False):
        second = otherwise()
    return chosen(call, test, first, second)


def chosen(call: CallContext, test: Value, first: Value, second: Value) -> Value:
    if first is UNKNOWN or second is UNKNOWN:
        return UNKNOWN
    condition = as_bool(call, test)
    kinds = kind_of(first), kind_of(second)
    if kinds[0] is None or kinds[1] is None or condition.rank:
        return call.pointwise("where", (condition, first, second))
    kind = max(kinds[0], kinds[1], key=_WIDER.index)
    type_ = TensorType(DEFAULT_DTYPE[kind], ())
    parts = [call.cast(one, type_.dtype) for one in (first, second)]
    made = call.handle(call.pointwise("where", (condition, *parts)))
    return ScalarValue(kind, Converted(made, type_, call.span, call.text()))
