"""Ranges of index variables, from the subscripts that they are used in."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from staxlang.base.diagnostics import Note
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Interval, Size, bounds, floordiv, linear_in, minimum
from staxlang.base.sizes.expression import only_atom
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.index_notation.scope import Index, Use


class Bound(NamedTuple):
    """What the reads of one axis say: the index's values lie below `stop`."""

    stop: Size
    use: Use


def find_ranges(call: CallContext, wanted: Sequence[Index], uses: Sequence[Use]) -> list[Index]:
    """Gives each index without a range the one that its uses say. Those of which none says anything yet come back."""
    left = [index for index in wanted if index.stop is None]
    while left:
        found = [index for index in left if _find(call, index, uses)]
        if not found:
            break
        left = [index for index in left if index.stop is None]
    return left


def require_ranges(call: CallContext, wanted: Sequence[Index]) -> None:
    """The diagnostic for an index whose range nothing tells."""
    for index in wanted:
        if index.stop is None:
            call.error("index-range-unknown", span=index.span, name=index.name)


def _find(call: CallContext, index: Index, uses: Sequence[Use]) -> bool:
    """Sets an index's range, if its uses tell it by now.

    An axis that is read at the index only, and nowhere else, says the range; without such, axes that are read at an offset say the
    largest range that stays inside. What stands under conditions on indices counts where there is nothing else.
    """
    mine = [use for use in uses if index in call.context.indices.among(use.subscript)]
    free = _groups([use for use in mine if not use.guarded])
    plain = [group for group in free if _is_plain(index, group)]
    found = [Bound(group[0].extent, group[0]) for group in plain] if plain else _bounds(call, index, free)
    if found is None:
        return False
    if not found:
        found = [Bound(use.extent, use) for use in mine if use.subscript == index.size]
    if not found:
        return False
    first = found[0]
    for other in found[1:]:
        if not call.same_size(first.stop, other.stop, f"the range of {index.name}"):
            _disagree(call, index, first, other)
    index.stop = at_least(call, next((one.stop for one in found if isinstance(one.stop, int)), first.stop), index.start)
    return True


def _groups(uses: Sequence[Use]) -> list[list[Use]]:
    """The uses of each axis of each array."""
    found: dict[object, list[Use]] = {}
    for use in uses:
        found.setdefault((use.array, use.axis), []).append(use)
    return list(found.values())


def _is_plain(index: Index, group: Sequence[Use]) -> bool:
    return all(use.subscript == index.size for use in group)


def at_least(call: CallContext, stop: Size, start: Size) -> Size:
    """The end of a range, which does not lie before its start."""
    if isinstance(stop, int) and isinstance(start, int):
        return max(stop, start)
    return start if call.decide(Condition("<=", start, stop), "the range of an index") is False else stop


def _bounds(call: CallContext, index: Index, groups: Sequence[Sequence[Use]]) -> list[Bound] | None:
    """One bound for each axis that is read at the index. None: another index has to be found first."""
    made: list[Bound] = []
    for group in groups:
        if any(other.stop is None for use in group for other in call.context.indices.among(use.subscript) if other is not index):
            return None
        stops = [(stop, use) for use in group if (stop := _stop(call, index, use.subscript, use.extent)) is not None]
        if not stops:
            continue
        least, which = stops[0]
        for stop, use in stops[1:]:
            smaller = _smaller(call, stop, least)
            least, which = smaller, use if smaller == stop else which
        made.append(Bound(least, which))
    return made


def _smaller(call: CallContext, one: Size, other: Size) -> Size:
    least = minimum(one, other)
    if isinstance(least, int) or least in (one, other):
        return least
    ordered = call.decide(Condition("<=", one, other), "the range of an index")
    return least if ordered is None else one if ordered else other


def _stop(call: CallContext, index: Index, subscript: Size, extent: Size) -> Size | None:
    """The first value of the index from 0 for which the subscript leaves the axis; None where that cannot be told."""
    if subscript == index.size:
        return extent
    quotient = only_atom(subscript)
    if quotient is not None and quotient.kind == "floordiv":
        above, below = quotient.parts
        return _stop(call, index, above, extent * below) if isinstance(below, int) and below > 0 else None
    parts = linear_in(subscript, (index.symbol,))
    step = None if parts is None else parts[0].get(index.symbol)
    if parts is None or step is None:
        return None
    facts, rest = call.context.facts, parts[1]
    ranges = {other.symbol: Interval(other.start, _last(other)) for other in call.context.indices.among(rest)}
    if facts.nonnegative(step - 1):
        greatest = bounds(rest, ranges, facts).high
        return None if greatest is None else floordiv(extent - 1 - greatest, step) + 1
    if facts.nonnegative(-step - 1):
        least = bounds(rest, ranges, facts).low
        return None if least is None else floordiv(least, -step) + 1
    return None


def _last(index: Index) -> Size:
    assert index.stop is not None
    return index.stop - 1


def _disagree(call: CallContext, index: Index, first: Bound, second: Bound) -> NoReturn:
    notes: list[Note] = []
    for one in (first, second):
        origin = call.context.origin(one.use.extent, one.use.array[0].source)
        known = "" if origin is None else f"   {origin.text}"
        notes.append(Note(one.use.span, f"axis {one.use.axis} of `{one.use.text}` says 0..{one.stop}{known}"))
    call.error("index-range-differs", span=index.span, name=index.name, left=first.stop, right=second.stop, notes=notes)
