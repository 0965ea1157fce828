"""What stands under index variables is evaluated: twice where ranges have to be found - once to see the uses, once for good."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from staxlang.base.sizes import Condition, Size, symbol
from staxlang.parser import tree
from staxlang.typecheck.context import CallContext, EvaluationContext
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.index_notation.ranges import at_least, find_ranges, require_ranges
from staxlang.typecheck.index_notation.scope import Index, since
from staxlang.typecheck.values import ArrayValue, SizeValue, Value

Run = Callable[[Frame], Any]


def under(frame: Frame, node: Any, binders: Sequence[tree.Binder], run: Run) -> tuple[list[Index], Any]:
    """The index variables of binders with their ranges, and what `run` gives in a frame where they are bound.

    While the ranges of indices outside are searched for, those of these may stay open.
    """
    indices = frame.context.indices
    count = indices.count
    given = [made_index(frame, binder) for binder in binders]
    if indices.searching or all(index.stop is not None for index in given):
        return given, bound(frame, given, run)
    call = frame.call(node)
    with searching(frame):
        bound(frame, given, run)
        find_ranges(call, [index for index in indices.active.values() if index.stop is None], indices.uses)
    require_ranges(call, given)
    indices.count = count + len(given)  # so that what is made again gets the same names
    return given, bound(frame, given, run)


@contextmanager
def searching(frame: Frame) -> Generator[bool]:
    """What is evaluated inside is evaluated for the uses of indices only. Gives whether no search was going on."""
    indices = frame.context.indices
    outermost = not indices.searching
    before, uses = dict(indices.active), indices.uses
    undo = frame.context.recorder.trial()
    indices.searching += 1
    try:
        yield outermost
    finally:
        indices.searching -= 1
        if outermost:  # bounds of the indices outside may depend on those inside
            indices.active = before
            indices.uses = []
            undo()
        else:
            indices.uses = uses


def made_index(frame: Frame, binder: tree.Binder) -> Index:
    """The index variable of a binder, with its range where that is given."""
    indices = frame.context.indices
    if binder.start is None or binder.stop is None:
        return indices.make(binder.name, frame.span(binder))
    start = frame.call(binder.start).size(frame.evaluate(binder.start), f"the start of the range of {binder.name}")
    stop = frame.call(binder.stop).size(frame.evaluate(binder.stop), f"the end of the range of {binder.name}")
    return indices.make(binder.name, frame.span(binder), start, at_least(frame.call(binder), stop, start))


def bound(frame: Frame, given: Sequence[Index], run: Run, names: Mapping[str, Index] | None = None) -> Any:
    """`run` in a frame in which the indices have their names (or others); what is learned about them is forgotten afterwards."""
    context = frame.context
    facts = context.facts
    _enter(frame, given)
    said = [one for index in given for one in _range_conditions(index)]
    empty = not all(_assumed(context, one) for one in said)
    context.indices.empty += empty
    inner = frame.inner()
    inner.locals.update({name: SizeValue(index.size) for name, index in (names or {index.name: index for index in given}).items()})
    try:
        return run(inner)
    finally:
        context.indices.empty -= empty
        _leave(frame, given)
        context.facts = since(facts, context.facts, said)


def _enter(frame: Frame, given: Sequence[Index]) -> None:
    frame.context.indices.active.update({index.symbol: index for index in given})


def _leave(frame: Frame, given: Sequence[Index]) -> None:
    indices = frame.context.indices
    if not indices.searching:  # bounds of other indices may depend on these
        for index in given:
            del indices.active[index.symbol]


def _range_conditions(index: Index) -> list[Condition]:
    if index.stop is None:
        return []
    return [Condition("<=", index.start, index.size), Condition("<", index.size, index.stop)]


def _assumed(context: EvaluationContext, condition: Condition) -> bool:
    """Takes an index's range for a fact. False where it has no values."""
    try:
        context.assume(condition)
    except ValueError:
        return False
    return True


def element(frame: Frame, node: tree.TensorDefinition) -> Value:
    """The right side of a definition for one point: `value where condition else otherwise`."""
    if node.condition is None or node.otherwise is None:
        return frame.evaluate(node.value)
    return frame.evaluate(tree.Conditional(node.span, node.condition, node.value, node.otherwise))


def as_element(call: CallContext, value: Value, what: str) -> ArrayValue:
    """The value for one point as an array of the program."""
    if not call.is_numeric(value):
        call.error("not-numeric", given=call.describe(value))
    return call.to_array(value)


def extents(given: Sequence[Index]) -> tuple[Size, ...]:
    return tuple([extent(index) for index in given])


def extent(index: Index) -> Size:
    """The number of values; a symbol of its own while it is not known."""
    return index.stop - index.start if index.stop is not None else symbol(f"{index.symbol}.extent")


def ranges_of(given: Sequence[Index]) -> tuple[tuple[str, Size, Size], ...]:
    """Indices as an attribute of a graph's node: (symbol, start, stop)."""
    return tuple([(index.symbol, index.start, index.start + extent(index)) for index in given])
