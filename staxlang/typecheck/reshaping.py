"""Reshape as a view: a shape and the shape it is read in give subscripts, affine wherever groups of axes allow it."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, SizeExpression, floordiv
from staxlang.typecheck.views import Answer, View, index

Span = tuple[int, int]
"""Axes from, and up to but not including."""


def product(sizes: Sequence[Size]) -> Size:
    result: Size = 1
    for one in sizes:
        result = result * one
    return result


class Misfit(NamedTuple):
    """A reshape that cannot be: the number of elements there is, and the number asked for (or its divisor, with a -1)."""

    have: Size
    want: Size
    inferred: bool


def resolve(shape: Sequence[Size], wanted: Sequence[Size], decide: Answer) -> tuple[Size, ...] | Misfit:
    """`wanted` with its one -1 replaced by what is left of the elements; the element counts are compared."""
    have = product(shape)
    unknown = [axis for axis, one in enumerate(wanted) if one == -1]
    if not unknown:
        want = product(wanted)
        if have == want or (not _known(have, want) and decide(Condition("==", have, want))):
            return tuple(wanted)
        return Misfit(have, want, False)
    rest = product([one for one in wanted if one != -1])
    left = _quotient(shape, [one for one in wanted if one != -1], have, rest, decide)
    if left is None:
        return Misfit(have, rest, True)
    return tuple(left if axis == unknown[0] else one for axis, one in enumerate(wanted))


def _quotient(shape: Sequence[Size], others: Sequence[Size], have: Size, rest: Size, decide: Answer) -> Size | None:
    """have / rest where it divides; common axes are cancelled first, so that `(N, D) -> (N, -1)` needs no decision."""
    kept = list(shape)
    for one in others:
        if one in kept:
            kept.remove(one)
        else:
            break
    else:
        if all(isinstance(one, int) is False or one != 0 for one in others):
            return product(kept)
    if isinstance(rest, int):
        if rest == 0:
            return None
        if isinstance(have, int):
            return None if have % rest else have // rest
    left = floordiv(have, rest)
    if left * rest == have or decide(Condition("==", have - left * rest, 0)):
        return left
    return None


def reshape(shape: Sequence[Size], wanted: Sequence[Size], prove: Answer) -> View:
    """Row-major reshape between shapes of equal element count (see `resolve`)."""
    if 0 in shape or 0 in wanted:  # no element: any subscripts do that use each index once
        places: Size = 0
        for axis in range(len(wanted)):
            places = places + index(axis)
        return View(tuple(wanted), (places, *(0,) * (len(shape) - 1)))
    subscripts: list[Size] = []
    for old, new in _groups(shape, wanted, prove):
        subscripts.extend(_read(shape[old[0] : old[1]], wanted[new[0] : new[1]], new[0]))
    return View(tuple(wanted), tuple(subscripts))


def merged_runs(shape: Sequence[Size], wanted: Sequence[Size], prove: Answer) -> list[Span]:
    """The runs of old axes that a reshape reads as one."""
    if 0 in shape:
        return []
    return [old for old, _ in _groups(shape, wanted, prove) if old[1] - old[0] > 1]


def _groups(shape: Sequence[Size], wanted: Sequence[Size], prove: Answer) -> list[tuple[Span, Span]]:
    """Runs of axes of both shapes with equal products, as short as can be told."""
    before, after = _prefixes(shape), _prefixes(wanted)
    groups: list[tuple[Span, Span]] = []
    old = new = 0
    while old < len(shape) or new < len(wanted):
        cut = _next_cut(before, after, old, new, prove)
        groups.append(((old, cut[0]), (new, cut[1])))
        old, new = cut
    return groups


def _prefixes(sizes: Sequence[Size]) -> list[Size]:
    result: list[Size] = [1]
    for one in sizes:
        result.append(result[-1] * one)
    return result


def _next_cut(before: Sequence[Size], after: Sequence[Size], old: int, new: int, prove: Answer) -> tuple[int, int]:
    """The nearest pair of places, past (old, new), at which the products of what lies before are equal."""
    for total in range(1, len(before) + len(after)):
        for step in range(total + 1):
            left, right = old + step, new + total - step
            if left >= len(before) or right >= len(after):
                continue
            if before[left] == after[right]:
                return left, right
            if not _known(before[left], after[right]) and step and total - step and prove(Condition("==", before[left], after[right])):
                return left, right
    return len(before) - 1, len(after) - 1


def _read(old: Sequence[Size], new: Sequence[Size], first: int) -> list[Size]:
    """Subscripts of the old axes of one group, from the new axes' indices i<first>, i<first+1>, .."""
    if not old:
        return []
    terms = _terms(new, first)
    result: list[Size] = []
    stride: Size = 1
    for axis in range(len(old) - 1, -1, -1):
        extent = old[axis]
        if extent == 1:
            result.append(0)
            continue
        quotient = _divide(terms, stride)
        outermost = all(one == 1 for one in old[:axis])
        result.append(_total(quotient) if outermost else _modulo(quotient, extent))
        stride = stride * extent
    result.reverse()
    return result


class Term(NamedTuple):
    """A subscript times a stride; `reach` is the number of values that this index and those after it can take together."""

    place: Size
    stride: Size
    reach: Size


def _terms(new: Sequence[Size], first: int) -> list[Term]:
    terms: list[Term] = []
    stride: Size = 1
    for axis in range(len(new) - 1, -1, -1):
        extent = new[axis]
        if extent != 1:
            terms.append(Term(index(first + axis), stride, stride * extent))
        stride = stride * extent
    terms.reverse()
    return terms


def _total(terms: Sequence[Term] | Size) -> Size:
    if isinstance(terms, (int, SizeExpression)):
        return terms
    result: Size = 0
    for term in terms:
        result = result + term.place * term.stride
    return result


def _divide(terms: Sequence[Term], divisor: Size) -> Sequence[Term] | Size:
    """The row-major index over a divisor: terms again where the strides of the leading ones are its multiples and the rest is less."""
    if divisor == 1:
        return terms
    leading: list[Term] = []
    for place, term in enumerate(terms):
        stride, reach = exact(term.stride, divisor), exact(term.reach, divisor)
        if stride is None:
            below = terms[place].reach
            fits = exact(divisor, below) is not None
            return leading if fits else floordiv(_total(terms), divisor)
        leading.append(Term(term.place, stride, reach if reach is not None else stride))
    return leading


def _modulo(quotient: Sequence[Term] | Size, extent: Size) -> Size:
    """The quotient modulo an extent: leading terms that are its multiples go, the others must be less."""
    if isinstance(quotient, (int, SizeExpression)):
        return quotient % extent
    kept = [term for term in quotient if exact(term.stride, extent) is None]
    if not kept:
        return 0
    total = _total(kept)
    return total if exact(extent, kept[0].reach) is not None else total % extent


def exact(size: Size, divisor: Size) -> Size | None:
    """size / divisor where the division leaves nothing for any sizes."""
    if isinstance(size, int) and isinstance(divisor, int):
        return size // divisor if divisor and size % divisor == 0 else None
    quotient = floordiv(size, divisor)
    return quotient if quotient * divisor == size else None


def _known(first: Size, second: Size) -> bool:
    return isinstance(first, int) and isinstance(second, int)
