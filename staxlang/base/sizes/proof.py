"""Proofs that a size is not negative, from inequalities that are known; a search of bounded depth that may give up."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.sizes.expression import Atom, Monomial, Size, SizeExpression, monomial_without, nonnegative, size_of

DEPTH = 4
ATTEMPTS = 96


def prove_nonnegative(size: Size, known: Sequence[SizeExpression] = (), depth: int = DEPTH) -> bool:
    """Whether `size >= 0` follows from `fact >= 0` for each fact in `known` (False: not found).

    >>> from staxlang.base.sizes import parse_size
    >>> prove_nonnegative(parse_size("N - 4*(N//4)")), prove_nonnegative(parse_size("N - M"))
    (True, False)
    """
    return _Search(known).prove(size, depth)


class _Search:
    """One proof's memory: what was tried, how much is left."""

    __slots__ = ("known", "tried", "left")

    def __init__(self, known: Sequence[SizeExpression]) -> None:
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
        if not self._may_be(size):
            return False
        return self._by_atoms(size, depth - 1) or self._by_facts(size, depth - 1)

    def _may_be(self, size: SizeExpression) -> bool:
        """Whether anything could help with each negative term: a fact with that symbol, or an atom that has bounds of its own."""
        return bool(self.known) or any(atom.kind != "symbol" for monomial in size.terms for atom in monomial)

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
        for monomial, count in size.terms.items():
            if count > 0:
                continue
            for fact in self.known:
                for other, times in fact.terms.items():
                    factor = monomial_without(monomial, other) if times < 0 else None
                    if factor is None or not all([atom.nonnegative for atom in factor]):
                        continue
                    # |times|*size - |count|*factor*fact has lost the negative term; it is enough that this is not negative.
                    if self.prove(size * -times - fact * size_of({factor: -count}), depth):
                        return True
        return False


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
