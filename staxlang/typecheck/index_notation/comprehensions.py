"""Index notation as Python writes it: `np.array([[.. for j in range(n)] for i in range(m)])`, `sum(.. for k in range(n))`.

A comprehension over ranges that is long, or whose length only the call tells, becomes a definition or a reduction by index variables.
A short one, or one that has no such form, is unrolled as ever.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from staxlang.base.dtypes import BF16, BOOL, F16, F32, I64
from staxlang.base.sizes import Condition, Size
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import binding, scalars
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.index_notation import guards
from staxlang.typecheck.index_notation.bodies import as_element, bound, extents, ranges_of
from staxlang.typecheck.index_notation.ranges import at_least
from staxlang.typecheck.index_notation.reductions import Chosen, filtered, fold, reduced
from staxlang.typecheck.index_notation.scope import Index
from staxlang.typecheck.kept.checkpoint import Checkpoint
from staxlang.typecheck.problems import Problem
from staxlang.typecheck.python_builtins import BUILTINS
from staxlang.typecheck.values import ArrayValue, MeaningValue, RangeValue, ScalarValue, StaticValue, Value, size_value
from staxlang.typecheck.views import index as axis_index

FEW = 16
"""So many values are written out one by one, which lets them be constants, and folds them into what stands around."""

_REDUCTIONS = {builtins.sum: "sum", builtins.max: "max", builtins.min: "min", builtins.any: "any", builtins.all: "all"}


_WORDS = {"array": np.array, "asarray": np.asarray, **{function.__name__: function for function in _REDUCTIONS}}


def in_pythons_words(node: tree.Call, function: Value) -> Value:
    """What is called. In .stx, words that reduce arrays are Python's functions where they stand before a generator, as are `array` and
    `asarray` before a comprehension."""
    if type(function) is not MeaningValue or function.object is not None or len(node.arguments) != 1:
        return function
    found = _WORDS.get(function.meaning.name) if type(node.arguments[0]) is tree.Comprehension else None
    if found is None:
        return function
    meaning = BUILTINS[found] if found in _REDUCTIONS else function.meaning
    return MeaningValue(meaning, found)


def as_tensor(frame: Frame, node: tree.Call, function: Value, plainly: Callable[[], Value]) -> Value | None:
    """The value of a call of `np.array` or a reduction with one comprehension for its argument; None where it is no such call.

    `plainly` evaluates the call as any other: where index notation has no form for it, and it is short enough to be unrolled.
    """
    if type(function) is not MeaningValue or len(node.arguments) != 1 or type(node.arguments[0]) is not tree.Comprehension:
        return None
    source = node.arguments[0]
    if function.object in (np.array, np.asarray):
        make: Callable[[], Value] = lambda: _array(frame, node, function, source)
        wanted = "list"
    elif _hashable(function.object) in _REDUCTIONS and not node.keywords:
        make = lambda: _reduction(frame, node, _REDUCTIONS[function.object], source)
        wanted = "generator"
    else:
        return None
    if source.kind != wanted or not _is_long(frame, source):
        return None
    return _attempt(frame, make, plainly)


def _hashable(value: Any) -> Any:
    return value if callable(value) else None


def _attempt(frame: Frame, make: Callable[[], Value], plainly: Callable[[], Value]) -> Value:
    check = Checkpoint(frame)
    try:
        made = make()
    except Problem as problem:
        check.go_back()  # what was asked of the call, too: else the second walk would rely on it without asking
        try:
            return plainly()
        except Problem as other:
            raise (problem if other.diagnostic.code == "unroll-limit" else other) from None
    check.close()
    return made


# ---- which comprehensions ----


def _is_long(frame: Frame, source: tree.Comprehension) -> bool:
    """Whether all clauses are over ranges, with names for targets, and their points more than a few."""
    count = _points(frame, source)
    return count is not None and count > FEW


def _points(frame: Frame, source: tree.Comprehension) -> int | None:
    """How many values a nest of comprehensions gives; a large number where only the call tells. None: it is not over ranges."""
    total = 1
    for clause in source.clauses:
        if type(clause.target) is not tree.Name or not _is_range(clause.iterable) or (source.kind == "list" and clause.conditions):
            return None
        total *= _length(frame, clause.iterable)
    if source.kind == "list" and len(source.clauses) != 1:
        return None
    inner = source.element
    if source.kind == "list" and type(inner) is tree.Comprehension:
        more = _points(frame, inner) if inner.kind == "list" else None
        return None if more is None else total * more
    return total


def _is_range(node: Any) -> bool:
    return type(node) is tree.Call and type(node.function) is tree.Name and node.function.id == "range" and not node.keywords


def _length(frame: Frame, node: Any) -> int:
    """The number of values of a range; many where it depends on more than is known here."""
    try:
        value = frame.evaluate(node)
    except Problem:  # it depends on a variable of a clause outside
        return FEW + 1
    if type(value) is not RangeValue:
        return FEW + 1
    parts = [part.value for part in (value.start, value.stop, value.step) if type(part) is StaticValue and type(part.value) is int]
    return len(range(*parts)) if len(parts) == 3 and parts[2] != 0 else FEW + 1


# ---- what they become ----


def _array(frame: Frame, node: tree.Call, function: MeaningValue, source: tree.Comprehension) -> Value:
    call = frame.call(node)
    made = _defined(frame, source, call)
    keywords = {keyword.name: frame.evaluate(keyword.value) for keyword in node.keywords if keyword.name is not None}
    return function.meaning.apply(call, [made], keywords, call.span) if keywords else made


def _defined(frame: Frame, source: tree.Comprehension, call: CallContext) -> ArrayValue:
    given: list[Index] = []

    def run(inner: Frame, node: Any) -> ArrayValue:
        if type(node) is tree.Comprehension and node.kind == "list":
            return _clauses(inner, node.clauses, given, lambda last: run(last, node.element))
        return as_element(inner.call(node), inner.evaluate(node), "np.array")

    body = run(frame, source)
    type_ = TensorType(body.dtype, (*extents(given), *body.shape))
    made = call.record("define", (call.handle(body),), {"ranges": ranges_of(given)}, TensorType(body.dtype, (*body.shape, *extents(given))))
    if not body.rank:
        return call.array(made, type_, scalar=False)
    return _axes_last(call, made, type_, len(given))


def _axes_last(call: CallContext, handle: Any, type_: TensorType, lead: int) -> ArrayValue:
    """The body's own axes stand behind those of the indices, as nested lists of arrays have them."""
    rank = len(type_.shape)
    own = rank - lead
    source = call.array(handle, TensorType(type_.dtype, (*type_.shape[lead:], *type_.shape[:lead])), scalar=False)
    order = tuple([axis_index(axis + lead) for axis in range(own)] + [axis_index(axis) for axis in range(lead)])
    return call.array(call.handle(call.view(source, type_.shape, order)), type_, scalar=False)


def _reduction(frame: Frame, node: tree.Call, kind: str, source: tree.Comprehension) -> Value:
    call = frame.call(node)
    given: list[Index] = []
    plain: list[str | None] = []

    def element(inner: Frame) -> Chosen:
        value = inner.evaluate(source.element)
        plain.append(scalars.kind_of(value))
        return Chosen(as_element(inner.call(source.element), value, kind), None)

    found = _clauses(frame, source.clauses, given, element)
    made = _summed(call, given, found) if kind == "sum" else call.to_array(reduced(call, kind, given, found))
    number = "bool" if kind in ("any", "all") else plain[-1]
    if kind == "sum" and number == "bool":
        number = "int"
    if number is None:
        return made
    dtype = scalars.DEFAULT_DTYPE[number]
    return ScalarValue(number, scalars.Converted(call.handle(call.cast(made, dtype)), TensorType(dtype, ()), call.span, call.text()))


def _summed(call: CallContext, given: Sequence[Index], found: Chosen) -> ArrayValue:
    """Python's sum begins with 0 and adds in the elements' own dtype."""
    own = I64 if found.body.dtype is BOOL else found.body.dtype
    working = F32 if own in (F16, BF16) else own
    return call.cast(fold(call, "sum", given, filtered(call, found, working, 0), working), own)


def _clauses(frame: Frame, clauses: Sequence[Any], given: list[Index], run: Callable[[Frame], Any]) -> Any:
    """`run` under the index variables of the clauses; a clause's conditions say where the element counts."""
    if not clauses:
        return run(frame)
    clause, *rest = clauses
    index, value = _index(frame, clause)
    given.append(index)

    def inside(inner: Frame) -> Any:
        inner.locals[clause.target.id] = size_value(value)
        return _where(inner, list(clause.conditions), lambda last: _clauses(last, rest, given, run))

    return bound(frame, [index], inside)


def _where(frame: Frame, conditions: list[Any], run: Callable[[Frame], Any]) -> Any:
    if not conditions:
        return run(frame)
    first, *rest = conditions
    call = frame.call(first)
    value = frame.evaluate(first)
    test = guards.test_of(call, value)
    if test is None:
        if call.truth(value, call.text()) is not False:
            return _where(frame, rest, run)
        test = call.array(call.constant(False, BOOL), TensorType(BOOL, ()))
    with guards.holding(frame, call, test, True):
        found: Chosen = _where(frame, rest, run)
    here = guards.as_bool(call, test)
    both = here if found.test is None else call.to_array(call.pointwise("logical_and", (here, found.test)))
    return Chosen(found.body, both)


def _index(frame: Frame, clause: Any) -> tuple[Index, Size]:
    """An index variable for a range, and what the clause's name is for each of its values."""
    call = frame.call(clause.iterable)
    value = frame.evaluate(clause.iterable)
    start, stop = call.size(value.start, "range"), call.size(value.stop, "range")
    step = binding.static_int(call, value.step, "the step of a range")
    indices, span = call.context.indices, frame.span(clause.target)
    if step == 1:
        made = indices.make(clause.target.id, span, start, at_least(call, stop, start))
        return made, made.size
    count = binding.range_length(call, value)
    if call.decide(Condition("<=", 0, count), "the length of a range") is False:
        count = 0
    made = indices.make(clause.target.id, span, 0, count)
    return made, start + step * made.size
