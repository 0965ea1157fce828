"""Facts about sizes: what is assumed, what follows. "Don't know" (None) is an answer."""

from __future__ import annotations

from math import gcd

from staxlang.base.sizes.bounds import Interval, Ranges, interval_of, lower_bound
from staxlang.base.sizes.condition import Condition
from staxlang.base.sizes.expression import (
    Atom,
    Monomial,
    Size,
    SizeExpression,
    floordiv,
    modulo,
    monomial_without,
    of_atom,
    rebuild_atom,
    size_of,
)  # fmt: skip
from staxlang.base.sizes.proof import NOTHING_KNOWN, Known, prove_nonnegative, split_by_atom
from staxlang.base.sizes.queries import divisions, substitute, symbols

_NO_RANGES: dict[str, Interval] = {}


class Facts:
    """Conditions that hold, and what they imply. Immutable: `assume` gives a new value.

    >>> from staxlang.base.sizes import symbol
    >>> n, d = symbol("N"), symbol("D")
    >>> facts = Facts().assume(Condition("==", d, 2 * n))
    >>> facts.decide(Condition("<=", n, d)), facts.decide(Condition("==", n, 3)), facts.simplify(d - n)
    (True, None, N)
    """

    __slots__ = ("_answers", "_known", "_nonzero", "_simplified", "_solved", "_zero", "conditions")

    conditions: tuple[Condition, ...]

    def __init__(self, conditions: tuple[Condition, ...] = ()) -> None:
        self.conditions = ()
        self._solved: dict[str, Size] = {}
        self._known: Known = NOTHING_KNOWN
        self._zero: tuple[Size, ...] = ()  # equal to 0, but no symbol could be solved for
        self._nonzero: frozenset[Size] = frozenset()
        self._answers: dict[Condition, bool | None] = {}
        self._simplified: dict[Size, Size] = {}
        for condition in conditions:
            made = self.assume(condition)
            for name in Facts.__slots__:
                setattr(self, name, getattr(made, name))

    def __repr__(self) -> str:
        return f"Facts({', '.join(map(str, self.conditions))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and self.conditions == other.conditions

    def __hash__(self) -> int:
        return hash(self.conditions)

    def __reduce__(self) -> tuple[type[Facts], tuple[tuple[Condition, ...]]]:
        return Facts, (self.conditions,)

    @property
    def known(self) -> Known:
        """Sizes known to be >= 0."""
        return self._known

    # ---- assuming ----

    def assume(self, condition: Condition) -> Facts:
        """The facts with one more. ValueError where it contradicts them."""
        known = self.decide(condition)
        if known:
            return self
        if known is False:
            raise ValueError(f"{condition} contradicts {self}")
        made = Facts.__new__(Facts)
        made.conditions = (*self.conditions, condition)
        made._solved, made._known, made._zero, made._nonzero = self._solved, self._known, self._zero, self._nonzero
        made._answers, made._simplified = {}, {}
        left, right = self.simplify(condition.left), self.simplify(condition.right)
        made._add(condition.relation, left, right)
        return made

    def _add(self, relation: str, left: Size, right: Size) -> None:
        difference = right - left
        if relation == "==":
            self._add_equality(difference)
        elif relation == "!=":
            self._nonzero |= {difference, -difference}
            if prove_nonnegative(difference, self._known):
                self._add_known(difference - 1)
            elif prove_nonnegative(-difference, self._known):
                self._add_known(-difference - 1)
        else:
            least = difference - 1 if relation == "<" else difference
            if prove_nonnegative(-least, self._known):
                self._add_equality(least)
            else:
                self._add_known(least - 1 if least in self._nonzero else least)

    def _add_known(self, least: Size) -> None:
        self._known = self._known.with_fact(_tight(least))

    def _add_equality(self, difference: Size) -> None:
        solution = _solve(difference)
        if solution is None:
            self._zero = (*self._zero, difference)
            self._known = self._known.with_fact(difference).with_fact(-difference)
            return
        name, value, atom = solution
        mapping = {name: value}
        self._solved = {other: substitute(size, mapping) for other, size in self._solved.items()} | mapping
        renewed = [substitute(size, mapping) for size in self._known.facts]
        if atom.nonnegative:
            renewed.append(value)  # what the symbol was known to be, its value is
        self._known = Known(renewed)
        self._zero = tuple(substitute(size, mapping) for size in self._zero)
        self._nonzero = frozenset(substitute(size, mapping) for size in self._nonzero)

    # ---- asking ----

    def decide(self, condition: Condition, ranges: Ranges = _NO_RANGES) -> bool | None:
        """True or False where it follows from the facts (for every value of the indices in `ranges`); None where it does not."""
        left, right = condition.left, condition.right
        if not isinstance(left, SizeExpression) and not isinstance(right, SizeExpression):
            return condition.holds(_NO_RANGES)  # type: ignore[arg-type]
        if ranges:
            return self._decide(condition.relation, left, right, ranges)
        try:
            return self._answers[condition]
        except KeyError:
            answer = self._answers[condition] = self._decide(condition.relation, left, right, ranges)
            return answer

    def _decide(self, relation: str, left: Size, right: Size, ranges: Ranges) -> bool | None:
        difference = self.simplify(right - left, ranges)
        if relation == "==":
            return self._is_zero(difference, ranges)
        if relation == "!=":
            equal = self._is_zero(difference, ranges)
            return None if equal is None else not equal
        if relation == "<":
            difference = difference - 1
        if self.nonnegative(difference, ranges):
            return True
        return False if self.nonnegative(-difference - 1, ranges) else None

    def _is_zero(self, difference: Size, ranges: Ranges) -> bool | None:
        if not isinstance(difference, SizeExpression):
            return difference == 0
        if difference in self._nonzero:
            return False
        if difference in self._zero or -difference in self._zero:
            return True
        constant = difference.terms.get((), 0)
        if constant % gcd(*(count for monomial, count in difference.terms.items() if monomial)):
            return False
        if self.nonnegative(difference - 1, ranges) or self.nonnegative(-difference - 1, ranges):
            return False
        return None

    def is_one(self, size: Size) -> bool:
        """Whether a size is 1, by what it is or by what is known of it (which may be no more than that it is)."""
        return size == 1 if isinstance(size, int) else self.decide(Condition("==", size, 1)) is True

    def nonnegative(self, size: Size, ranges: Ranges = _NO_RANGES) -> bool:
        """Whether `size >= 0` follows."""
        if not isinstance(size, SizeExpression):
            return size >= 0
        least = lower_bound(size, ranges, self._known) if ranges else size
        return least is not None and prove_nonnegative(_tight(least), self._known)

    def simplify(self, size: Size, ranges: Ranges = _NO_RANGES) -> Size:
        """The size with solved symbols replaced, and divisions dropped whose outcome the facts and ranges give."""
        if not isinstance(size, SizeExpression):
            return size
        if not ranges:
            try:
                return self._simplified[size]
            except KeyError:
                pass
        result = substitute(size, self._solved) if self._solved else size
        for _ in range(4):
            changed = self._simplify_divisions(result, ranges)
            if changed == result:
                break
            result = changed
        if not ranges:
            self._simplified[size] = result
        return result

    def _simplify_divisions(self, size: Size, ranges: Ranges) -> Size:
        if not isinstance(size, SizeExpression) or not (self._known or ranges):
            return size
        for atom in sorted(divisions(size), key=lambda atom: len(atom.key)):
            value = self._division_value(atom, ranges)
            if value is not None:
                size = replace_atom(size, atom, value)
                if not isinstance(size, SizeExpression):
                    break
        return size

    def _division_value(self, atom: Atom, ranges: Ranges) -> Size | None:
        """(g*A + c)//(g*B) is A//B where 0 <= c < g."""
        a, b = atom.parts
        if not isinstance(a, SizeExpression):
            return 0 if self.nonnegative(b - a - 1, ranges) and a >= 0 else None
        for factor in _shared_factors(a, b):
            whole = size_of({m: c for m, c in a.terms.items() if _divisible(m, c, factor)})
            rest = a - whole
            if rest == 0 or not self.nonnegative(rest, ranges) or not self.nonnegative(factor - rest - 1, ranges):
                continue
            return floordiv(floordiv(whole, factor), floordiv(b, factor))
        return None


def _tight(size: Size) -> Size:
    """Not negative where `size` is not: 3*i - 1 >= 0 says i - 1 >= 0 of integers."""
    if not isinstance(size, SizeExpression):
        return size
    constant = size.terms.get((), 0)
    shared = gcd(*(count for monomial, count in size.terms.items() if monomial))
    if shared == 1:
        return size
    return size_of({monomial: count // shared for monomial, count in size.terms.items() if monomial}) + constant // shared


def _solve(difference: Size) -> tuple[str, Size, Atom] | None:
    """(symbol, its value) from difference == 0, for a symbol that occurs once, with coefficient 1 or -1.

    The symbol that is longest, then last by name, is given up, so that short and early names stay.
    """
    if not isinstance(difference, SizeExpression):
        return None
    best: Atom | None = None
    for monomial, count in difference.terms.items():
        if len(monomial) != 1 or count not in (1, -1) or monomial[0].kind != "symbol":
            continue
        atom = monomial[0]
        if atom.name in symbols(difference - count * size_of({monomial: 1})):
            continue
        if best is None or (len(atom.name), atom.name) > (len(best.name), best.name):
            best = atom
    if best is None:
        return None
    coefficient, rest = split_by_atom(difference, best)
    return best.name, -rest if coefficient == 1 else rest, best


def _shared_factors(a: SizeExpression, b: Size) -> list[Size]:
    """Factors of b that may divide a part of a: b itself and what b shares with each term."""
    found: dict[Size, None] = {b: None}
    if isinstance(b, SizeExpression):
        if len(b.terms) != 1:
            return list(found)
        ((divisor, number),) = b.terms.items()
    else:
        divisor, number = (), b
    for monomial, count in a.terms.items():
        left = list(monomial)
        shared: list[Atom] = []
        for atom in divisor:
            if atom in left:
                left.remove(atom)
                shared.append(atom)
        factor = size_of({tuple(shared): gcd(number, count)})
        if factor != 1:
            found[factor] = None
    return list(found)


def _divisible(monomial: Monomial, count: int, factor: Size) -> bool:
    if not isinstance(factor, SizeExpression):
        return count % factor == 0
    if len(factor.terms) != 1:
        return False
    ((divisor, number),) = factor.terms.items()
    return count % number == 0 and monomial_without(monomial, divisor) is not None


def replace_atom(size: Size, atom: Atom, value: Size) -> Size:
    """The size with an atom replaced wherever it occurs, inside other atoms too."""
    if not isinstance(size, SizeExpression):
        return size
    total: Size = 0
    for monomial, count in size.terms.items():
        product: Size = count
        for factor in monomial:
            product = product * (value if factor == atom else _replace_inside(factor, atom, value))
        total = total + product
    return total


def _replace_inside(outer: Atom, atom: Atom, value: Size) -> Size:
    from_parts = tuple(replace_atom(part, atom, value) for part in outer.parts)
    return of_atom(outer) if from_parts == outer.parts else rebuild_atom(outer, from_parts)


def bounds(size: Size, ranges: Ranges, facts: Facts | None = None) -> Interval:
    """The least and greatest value of `size` when each index in `ranges` runs through its interval (both ends inclusive).

    Ends are sizes free of those indices; None where nothing is known. Later ranges may depend on earlier indices.

    >>> from staxlang.base.sizes import symbol
    >>> i, j, n = symbol("i"), symbol("j"), symbol("N")
    >>> print(bounds(n * i + j, {"i": Interval(0, 3), "j": Interval(0, n - 1)}))
    0 .. 4*N - 1
    """
    known = facts.known if facts is not None else NOTHING_KNOWN
    if facts is not None:
        size = facts.simplify(size, ranges)
    return interval_of(size, ranges, known)


def divides(divisor: Size, size: Size, facts: Facts | None = None) -> bool | None:
    """Whether `size` is a multiple of `divisor` for every value of its symbols: True, False (for none), None (not known).

    >>> from staxlang.base.sizes import symbol
    >>> n = symbol("N")
    >>> divides(2, 4 * n), divides(2, 4 * n + 1), divides(2, n)
    (True, False, None)
    """
    if facts is not None:
        divisor, size = facts.simplify(divisor), facts.simplify(size)
    remainder = modulo(size, divisor)
    if not isinstance(remainder, SizeExpression):
        return remainder == 0
    if not isinstance(divisor, SizeExpression) and not divisions(size):
        terms = size.terms if isinstance(size, SizeExpression) else {}
        if terms.get((), 0) % gcd(divisor, *(count for monomial, count in terms.items() if monomial)):
            return False
    if facts is not None:
        return facts.decide(Condition("==", remainder, 0))
    return None
