"""Which rounds of a loop touch the same elements: distances between accesses of one buffer, from their subscripts as affine maps.

Two accesses of one buffer, one of which writes, depend on each other where they meet in an element. The distance of a dependence is how
many rounds lie between them. What is not proved counts as a meeting: subscripts that are data, or that are not affine in the indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from staxlang.base.records import NamedTuple, record
from staxlang.base.sizes import Interval, Size, SizeExpression, bounds, linear_in, nonnegative, substitute, symbol, symbols
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Definition, Range
from staxlang.compiler.node import Node


@record
class Access:
    """The elements `buffer[subscripts]` that a definition reads or writes, each of its own indices over its range."""

    buffer: str
    subscripts: tuple[Size, ...]
    ranges: tuple[Range, ...]
    writes: bool


@record
class Dependence:
    """A meeting of accesses in different rounds: the second one's round comes `distance` rounds after the first one's (None: unknown)."""

    first: Access
    second: Access
    distance: int | None


class Span(NamedTuple):
    """How many rounds may lie between two accesses that meet: from low to high, None where there is no known end."""

    low: int | None
    high: int | None


ANY = Span(None, None)


def accesses(step: Definition) -> list[Access]:
    """What a definition reads and writes."""
    nodes = list(subexpressions((step.body, *step.indirect)))
    reduced = tuple([one for node in nodes if node.op == "reduce" for one in node["ranges"]])
    ranges = (*step.ranges, *reduced)
    found = [_read(node, ranges) for node in nodes if node.op == "load"]
    return [*found, Access(step.buffer, step.subscripts, step.ranges, True)]


def _read(node: Node, ranges: tuple[Range, ...]) -> Access:
    return Access(node["buffer"], node["subscripts"], ranges, False)


def carried(found: Sequence[Access], index: str, extent: Size) -> list[Dependence]:
    """The dependences between different rounds of the loop over `index`, among these accesses of its body."""
    made: list[Dependence] = []
    for place, one in enumerate(found):
        for other in found[place:]:
            if one.buffer == other.buffer and (one.writes or other.writes):
                span = meeting(one, other, index, extent)
                if span is not None and span != (0, 0):
                    made.append(_directed(one, other, span))
    return made


def _directed(one: Access, other: Access, span: Span) -> Dependence:
    if span.low is None or span.low != span.high:
        return Dependence(one, other, None)
    return Dependence(one, other, span.low) if span.low > 0 else Dependence(other, one, -span.low)


def meeting(one: Access, other: Access, index: str, extent: Size) -> Span | None:
    """How many rounds after `one` the access `other` may touch the same element; None: they never meet, in no round."""
    renamed: dict[str, Size] = {name: symbol(_later(name)) for name, _ in other.ranges}
    renamed[index] = symbol(_later(index))  # in the ranges of the second access, which is in a round of its own
    ranges = {name: Interval(0, extent - 1) for name in (index, _later(index))}
    ranges |= {name: Interval(0, size - 1) for name, size in one.ranges}
    ranges |= {_later(name): Interval(0, _moved(size, renamed) - 1) for name, size in other.ranges}
    del renamed[index]
    span = ANY
    if len(one.subscripts) != len(other.subscripts):
        return span
    for mine, theirs in zip(one.subscripts, other.subscripts, strict=True):
        found = _between(mine, _moved(theirs, renamed), index, ranges)
        if found is None:
            return None
        span = _both(span, found)
        if span.low is not None and span.high is not None and span.low > span.high:
            return None
    if isinstance(extent, int):
        far = (span.low is not None and span.low >= extent) or (span.high is not None and span.high <= -extent)
        return None if far else span
    return span


def _later(name: str) -> str:
    """The second access's own index of a name that both have."""
    return f"other.{name}"


def _moved(size: Size, mapping: Mapping[str, Size]) -> Size:
    return size if isinstance(size, int) else substitute(size, mapping)


def _both(one: Span, other: Span) -> Span:
    lows = [low for low in (one.low, other.low) if low is not None]
    highs = [high for high in (one.high, other.high) if high is not None]
    return Span(max(lows, default=None), min(highs, default=None))


def _between(mine: Size, theirs: Size, index: str, ranges: Mapping[str, Interval]) -> Span | None:
    """The rounds between two accesses whose subscripts along one axis are equal; None where these never are."""
    if any(name[0] == "$" for one in (mine, theirs) for name in symbols(one)):
        return ANY
    parts = linear_in(theirs, (index,))
    if parts is None:
        apart = mine - _moved(theirs, {index: symbol(_later(index))})
        return None if _is_never_zero(apart, ranges) else ANY
    slope = parts[0].get(index, 0)
    if not symbols(slope).isdisjoint(ranges):
        return ANY
    difference = mine - theirs  # slope * (rounds between) where both subscripts are equal
    if slope == 0:
        return None if _is_never_zero(difference, ranges) or _misses(difference, 0, ranges) else ANY
    if isinstance(slope, int) and _misses(difference, slope, ranges):
        return None
    return _quotients(difference, slope, ranges)


def _is_never_zero(size: Size, ranges: Mapping[str, Interval]) -> bool:
    if isinstance(size, int):
        return size != 0
    found = bounds(size, ranges)
    return (found.low is not None and nonnegative(found.low - 1)) or (found.high is not None and nonnegative(-found.high - 1))


def _misses(difference: Size, slope: int, ranges: Mapping[str, Interval]) -> bool:
    """Whether no multiple of the slope is ever the difference, whatever integers the indices are."""
    parts = linear_in(difference, tuple(ranges))
    if parts is None or not isinstance(parts[1], int):
        return False
    divisor = slope
    for count in parts[0].values():
        if not isinstance(count, int):
            return False
        divisor = gcd(divisor, count)
    return parts[1] != 0 if divisor == 0 else parts[1] % divisor != 0


def _quotients(difference: Size, slope: Size, ranges: Mapping[str, Interval]) -> Span:
    """The integers that the difference can be of slopes."""
    found = bounds(difference, ranges) if isinstance(difference, SizeExpression) else Interval(difference, difference)
    low, high = found.low, found.high
    if low is None or high is None:
        return ANY
    if isinstance(slope, int):
        if slope < 0:
            low, high, slope = -high, -low, -slope
        first = -(-low // slope) if isinstance(low, int) else None
        last = high // slope if isinstance(high, int) else None
        if first is None and nonnegative(low + slope - 1):  # the quotient is no less than 0
            first = 0
        if last is None and nonnegative(slope - 1 - high):
            last = 0
        return Span(first, last)
    for sign in (1, -1):
        size = slope * sign
        if nonnegative(size - 1 - high) and nonnegative(low + size - 1):
            return Span(0, 0)
        if low == high == size:
            return Span(sign, sign)
    return ANY


# ---- in words ------------------------------------------------------------------------------------------------------


def vector(one: Access, other: Access, indices: Sequence[Range]) -> tuple[str, ...]:
    """The distance vector of two accesses over loops, outermost first: a number of rounds for each, `*` where it is not known."""
    made: list[str] = []
    for name, extent in indices:
        first, second = [_over(access, [own for own in indices if own[0] != name], name) for access in (one, other)]
        span = meeting(first, second, name, extent)
        made.append(str(span.low) if span is not None and span.low is not None and span.low == span.high else "*")
    return tuple(made)


def _over(access: Access, others: Sequence[Range], name: str) -> Access:
    """The access with the indices of other loops over their ranges."""
    known = {name, *[own for own, _ in others]}
    return Access(access.buffer, access.subscripts, (*others, *[one for one in access.ranges if one[0] not in known]), access.writes)


def told(found: Dependence, over: Sequence[Range]) -> str:
    """Why rounds have to run in order, in a reader's words."""
    first, second = ["written" if one.writes else "read" for one in (found.first, found.second)]
    distance = vector(found.first, found.second, over)
    if any("$" in name for one in (found.first, found.second) for size in one.subscripts for name in symbols(size)):
        return f"{found.first.buffer} is {first} and {second} at subscripts that are data"
    text = f"{found.first.buffer} is {first} in one round and {second} in another"
    return f"{text}, distance ({', '.join(distance)})"
