"""Bounds of sizes over loop indices: the least and greatest value when each index runs through its range."""

from __future__ import annotations

from collections.abc import Mapping

from staxlang.base.records import record
from staxlang.base.sizes.expression import Atom, Size, SizeExpression, floordiv, maximum, minimum, of_atom
from staxlang.base.sizes.proof import NOTHING_KNOWN, Known, prove_nonnegative, split_by_atom
from staxlang.base.sizes.queries import substitute, symbols


@record
class Interval:
    """From low to high, both inclusive; None where there is no known bound."""

    low: Size | None
    high: Size | None

    def __str__(self) -> str:
        return f"{'-oo' if self.low is None else self.low} .. {'oo' if self.high is None else self.high}"


Ranges = Mapping[str, Interval]


def index_range(extent: Size, start: Size = 0) -> Interval:
    """The range of a loop index that runs over `extent` values."""
    return Interval(start, start + extent - 1)


def interval_of(size: Size, ranges: Ranges, known: Known = NOTHING_KNOWN) -> Interval:
    """Bounds of `size`, free of the names in `ranges`; those listed later may depend on the earlier ones."""
    if symbols(size).isdisjoint(ranges):
        return Interval(size, size)
    low = lower_bound(size, ranges, known)
    high = lower_bound(-size, ranges, known)
    return Interval(low, None if high is None else -high)


def lower_bound(size: Size, ranges: Ranges, known: Known = NOTHING_KNOWN) -> Size | None:
    """The least value of `size` over the ranges, or something not above it; None where nothing is known.

    A size has no value where a divisor is 0: a bound is of the values that there are.
    """
    if not isinstance(size, SizeExpression) or symbols(size).isdisjoint(ranges):
        return size
    size, ranges = _without_remainders(size, dict(ranges), known)
    size, ranges = _with_names_for_atoms(size, ranges, known)
    for name in reversed(list(ranges)):
        if not isinstance(size, SizeExpression) or name not in symbols(size):
            continue
        atom = next((atom for monomial in size.terms for atom in monomial if atom.kind == "symbol" and atom.name == name), None)
        coefficient, rest = split_by_atom(size, atom) if atom is not None else (None, size)
        if coefficient is None:  # a power of the index, or an index inside an atom that has no bounds
            return None
        end = _end_for(coefficient, ranges[name], ranges, known)
        if end is None:
            return None
        size = rest + coefficient * end
        del ranges[name]
        if _atoms_over(size, ranges):  # the end divides an earlier index, which may also occur beside it
            return lower_bound(size, ranges, known)
    return size


def _end_for(coefficient: Size, interval: Interval, ranges: Ranges, known: Known) -> Size | None:
    """Which end of the interval makes coefficient*index least."""
    least = lower_bound(coefficient, ranges, known)
    if least is not None and prove_nonnegative(least, known):
        return interval.low
    most = lower_bound(-coefficient, ranges, known)
    if most is not None and prove_nonnegative(most, known):
        return interval.high
    return None


def _fresh(prefix: str, ranges: dict[str, Interval]) -> SizeExpression:
    number = len(ranges)
    while f"{prefix}{number}" in ranges:
        number += 1
    return of_atom(Atom("symbol", f"{prefix}{number}", (), True))


def _atoms_over(size: Size, names: Mapping[str, object]) -> list[Atom]:
    """The atoms of a size, other than symbols, that depend on the names; small constant divisors first."""
    if not isinstance(size, SizeExpression):
        return []
    found = {
        atom: None
        for monomial in size.terms
        for atom in monomial
        if atom.kind != "symbol" and not all(symbols(part).isdisjoint(names) for part in atom.parts)
    }

    def order(atom: Atom) -> tuple[bool, int, str]:
        divisor = atom.parts[1]
        return (True, 0, atom.key) if isinstance(divisor, SizeExpression) else (False, divisor, atom.key)

    return sorted(found, key=order)


def _without_remainders(size: Size, ranges: dict[str, Interval], known: Known) -> tuple[Size, dict[str, Interval]]:
    """Where an index occurs beside `(index + c)//b`, write it as b*quotient + remainder: both are then independent."""
    for _ in range(8):
        for atom in _atoms_over(size, ranges):
            changed = _quotient_and_remainder(atom, size, ranges, known) if atom.kind == "floordiv" else None
            if changed is not None:
                size, ranges = changed
                break
        else:
            break
    return size, ranges


def _quotient_and_remainder(
    atom: Atom, size: Size, ranges: dict[str, Interval], known: Known
) -> tuple[Size, dict[str, Interval]] | None:
    a, b = atom.parts
    names = symbols(a) & ranges.keys()
    if len(names) != 1 or not isinstance(a, SizeExpression):
        return None
    if not prove_nonnegative(b, known):  # a divisor is not 0, so it is at least 1
        return None
    (name,) = names
    index = next((m[0] for m, c in a.terms.items() if len(m) == 1 and m[0].kind == "symbol" and m[0].name == name and c == 1), None)
    if index is None or not symbols(b).isdisjoint(ranges):
        return None
    rest = a - of_atom(index)
    if name in symbols(rest):
        return None
    low, high = ranges[name].low, ranges[name].high
    if low is None or high is None:
        return None
    quotient, remainder = _fresh("?quotient", ranges), _fresh("?remainder", ranges)
    replaced = substitute(_with_atom(size, atom, quotient), {name: b * quotient + remainder - rest})
    replaced = _small_fractions(replaced, remainder, b)
    new = {other: interval for other, interval in ranges.items() if other != name}
    if any(name in symbols(end) for interval in new.values() for end in (interval.low, interval.high) if end is not None):
        return None
    new[str(quotient)] = Interval(floordiv(low + rest, b), floordiv(high + rest, b))
    new[str(remainder)] = Interval(0, b - 1)
    return replaced, new


def _small_fractions(size: Size, remainder: SizeExpression, b: Size) -> Size:
    """remainder//b is 0, as is remainder//(k*b); (b*q + remainder)//(k*b) is q//k."""
    for atom in _atoms_over(size, {str(remainder): None}):
        if atom.kind != "floordiv":
            continue
        above, below = atom.parts
        if remainder.terms.keys() <= getattr(above, "terms", {}).keys() and below % b == 0:
            whole = above - remainder
            if whole % b == 0:
                size = _with_atom(size, atom, floordiv(whole, below))
    return size


def _with_atom(size: Size, atom: Atom, value: Size) -> Size:
    """The size with one of its atoms replaced."""
    if not isinstance(size, SizeExpression):
        return size
    coefficient, rest = split_by_atom(size, atom)
    return size if coefficient is None else rest + coefficient * value


def _with_names_for_atoms(size: Size, ranges: dict[str, Interval], known: Known) -> tuple[Size, dict[str, Interval]]:
    """Give each division, minimum and maximum over the indices a name of its own, with its bounds."""
    for atom in _atoms_over(size, ranges):
        low, high = _atom_bounds(atom, ranges, known)
        name = _fresh("?part", ranges)
        ranges = {**ranges, str(name): Interval(low, high)}
        size = _with_atom(size, atom, name)
    return size, ranges


def _atom_bounds(atom: Atom, ranges: Ranges, known: Known) -> tuple[Size | None, Size | None]:
    parts = [interval_of(part, ranges, known) for part in atom.parts]
    if atom.kind == "floordiv":
        return _division_bounds(parts[0], parts[1], known)
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    known_lows, known_highs = [low for low in lows if low is not None], [high for high in highs if high is not None]
    if atom.kind == "min":
        return minimum(*known_lows) if len(known_lows) == len(lows) else None, minimum(*known_highs) if known_highs else None
    return maximum(*known_lows) if known_lows else None, maximum(*known_highs) if len(known_highs) == len(highs) else None


def _division_bounds(a: Interval, b: Interval, known: Known) -> tuple[Size | None, Size | None]:
    if b.low is None or not prove_nonnegative(b.low, known):
        return None, None
    if b.high == 0:  # there is no value, whatever the indices
        return None, None
    low: Size | None = None
    high: Size | None = None
    same = b.low == b.high
    if a.low is not None:
        if same:
            low = floordiv(a.low, b.low)
        elif prove_nonnegative(a.low, known):
            low = 0
    if a.high is not None:
        if same:
            high = floordiv(a.high, b.low)
        elif prove_nonnegative(a.high, known):
            high = a.high  # a divisor is at least 1
    return low, high
