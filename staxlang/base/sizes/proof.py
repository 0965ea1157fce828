"""Proofs that a size is not negative, from inequalities that are known; a search of bounded depth that may give up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations

from staxlang.base.sizes.expression import Atom, Monomial, Size, SizeExpression, monomial_without, nonnegative, size_of

DEPTH = 4
ATTEMPTS = 48


class Known:
    """Sizes that are known to be >= 0, found by the terms that they have. Immutable; equal where the same is known in the same order."""

    __slots__ = ("_by_term", "_hash", "facts")

    def __init__(self, facts: Iterable[Size] = ()) -> None:
        self.facts: tuple[SizeExpression, ...] = tuple(dict.fromkeys(f for f in facts if isinstance(f, SizeExpression)))
        self._by_term: dict[tuple[Monomial, bool], tuple[SizeExpression, ...]] = {}
        self._hash: int | None = None
        for fact in self.facts:
            self._enter(fact)

    def _enter(self, fact: SizeExpression) -> None:
        for monomial, count in fact.terms.items():
            key = monomial, count > 0
            self._by_term[key] = (*self._by_term.get(key, ()), fact)

    def __bool__(self) -> bool:
        return bool(self.facts)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Known) and self.facts == other.facts)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.facts)
        return self._hash

    def with_fact(self, fact: Size) -> Known:
        if not isinstance(fact, SizeExpression) or fact in self.facts:
            return self
        made = Known()
        made.facts, made._by_term = (*self.facts, fact), dict(self._by_term)
        made._enter(fact)
        return made

    def reducing(self, size: SizeExpression, monomial: Monomial, positive: bool) -> Iterator[tuple[SizeExpression, int, Monomial]]:
        """(fact, coefficient, factor): taking factor times the fact from the size works against this term of it."""
        for length in range(len(monomial), -1, -1):
            for part in dict.fromkeys(combinations(monomial, length)):
                facts = self._by_term.get((part, positive), ())
                if not facts:
                    continue
                factor = monomial_without(monomial, part) or ()
                # By its constant alone a fact helps only where another term of it meets one of the size's too.
                met = None if part else _met(size, factor)
                for fact in facts:
                    if met is None or any(fact.terms.get(other, 0) > 0 for other in met):
                        yield fact, fact.terms[part], factor


def _met(size: SizeExpression, factor: Monomial) -> list[Monomial]:
    """The monomials that, times the factor, are terms of the size with a positive count."""
    rests = (monomial_without(monomial, factor) for monomial, count in size.terms.items() if monomial and count > 0)
    return [rest for rest in rests if rest is not None]


NOTHING_KNOWN = Known()


def prove_nonnegative(size: Size, known: Known = NOTHING_KNOWN, depth: int = DEPTH) -> bool:
    """Whether `size >= 0` follows from what is known (False: not found).

    >>> from staxlang.base.sizes import parse_size
    >>> prove_nonnegative(parse_size("N - 4*(N//4)")), prove_nonnegative(parse_size("N - M"))
    (True, False)
    """
    if not isinstance(size, SizeExpression):
        return size >= 0
    return nonnegative(size) or _found(size, known, depth)


@lru_cache(8192)
def _found(size: SizeExpression, known: Known, depth: int) -> bool:
    """A search, remembered: passes ask the same of each round of an unrolled loop."""
    return _Search(known).prove(size, depth)


class _Search:
    """One proof's memory: what was tried, how much is left."""

    __slots__ = ("known", "left", "tried")

    def __init__(self, known: Known) -> None:
        self.known, self.tried, self.left = known, set[Size](), ATTEMPTS

    def prove(self, size: Size, depth: int) -> bool:
        if not isinstance(size, SizeExpression):
            return size >= 0
        if nonnegative(size):
            return True
        if depth == 0 or self.left == 0 or size in self.tried:
            return False
        self.tried.add(size)
        self.left -= 1
        return self._by_atoms(size, depth - 1) or (bool(self.known) and self._by_facts(size, depth - 1))

    def _by_atoms(self, size: SizeExpression, depth: int) -> bool:
        for atom in {atom: None for monomial in size.terms for atom in monomial if atom.kind != "symbol"}:
            coefficient, rest = split_by_atom(size, atom)
            if coefficient is None:
                continue
            positive = nonnegative(coefficient)
            if not positive and not nonnegative(-coefficient):
                continue
            proved = self._by_division if atom.kind == "floordiv" else self._by_extreme
            if proved(atom, coefficient, rest, positive, depth):
                return True
        return False

    def _by_division(self, atom: Atom, coefficient: Size, rest: Size, positive: bool, depth: int) -> bool:
        a, b = atom.parts
        if not self.prove(b, depth):
            return False
        if positive:  # b*(a//b) >= a - b + 1; and a//b >= 0 for a >= 0
            if self.prove(rest, depth) and self.prove(a, depth):
                return True
            return self.prove(b * rest + coefficient * (a - b + 1), depth)
        return self.prove(b * rest + coefficient * a, depth)  # b*(a//b) <= a

    def _by_extreme(self, atom: Atom, coefficient: Size, rest: Size, positive: bool, depth: int) -> bool:
        any_will_do = positive == (atom.kind == "max")
        results = (self.prove(rest + coefficient * part, depth) for part in atom.parts)
        return any(results) if any_will_do else all(results)

    def _by_facts(self, size: SizeExpression, depth: int) -> bool:
        """Take multiples of facts away, so that a term vanishes that keeps the size from being seen to be >= 0."""
        for monomial, count in size.terms.items():
            if count > 0 and _seen(monomial):
                continue
            for fact, times, factor in self.known.reducing(size, monomial, count > 0):
                # Both sides are multiplied by positive numbers; it is enough that what is left is not negative.
                if _seen(factor) and self.prove(size * abs(times) - fact * size_of({factor: abs(count)}), depth):
                    return True
                if self.left == 0:
                    return False
        return False


def _seen(monomial: Monomial) -> bool:
    for atom in monomial:
        if not atom.nonnegative:
            return False
    return True


def split_by_atom(size: SizeExpression, atom: Atom) -> tuple[Size | None, Size]:
    """(c, r) with size = c*atom + r; c is None where the atom occurs to a higher power."""
    coefficient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, count in size.terms.items():
        if atom in monomial:
            left = monomial_without(monomial, (atom,)) or ()
            if atom in left:
                return None, size
            coefficient[left] = count
        else:
            rest[monomial] = count
    return size_of(coefficient), size_of(rest)
