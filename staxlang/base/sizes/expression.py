"""Symbolic sizes as values: canonical integer polynomials over symbols, floor divisions, minima and maxima; their arithmetic.

A size is an int or a `SizeExpression`; a constant is always a plain int. `a % b` is represented as `a - b*(a//b)`, so that
`M*(i//M) + i%M` is `i` without a rule for it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from typing import Any, Union

from staxlang.base.sizes.text import size_text

SYMBOL_PATTERN = r"(?:\$\d+|[^\W\d]\w*)(?:\.[^\W\d]\w*|\[-?\d+\]|\[(?:'[^']*'|\"[^\"]*\")\])*"
_SYMBOL = re.compile(SYMBOL_PATTERN)


class Atom:
    """What a polynomial is over. Equal by `key`, which is the same text in every process.

    kind: symbol (name), floordiv (two parts), min, max (parts). `nonnegative`: known without any fact.
    """

    __slots__ = ("_hash", "key", "kind", "name", "nonnegative", "parts")

    def __init__(self, kind: str, name: str, parts: tuple[Size, ...], nonnegative: bool) -> None:
        self.kind, self.name, self.parts, self.nonnegative = kind, name, parts, nonnegative
        if kind == "symbol":
            self.key = name if nonnegative else name + "~"
        else:
            self.key = f"~{kind}({','.join(map(_canonical_text, parts))})"  # `~` sorts after every name
        self._hash = hash(self.key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Atom and self.key == other.key)

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> tuple[Any, ...]:
        return Atom, (self.kind, self.name, self.parts, self.nonnegative)


Monomial = tuple[Atom, ...]  # sorted by key, an atom as often as its power; () is the constant's
Terms = dict[Monomial, int]
_key = operator.attrgetter("key")


class SizeExpression:
    """A size that depends on at least one symbol. Immutable; equality is structural.

    >>> n, m = symbol("N"), symbol("M")
    >>> (n + 1) * 2 - n - n, m * (n // m) + n % m == n, (4 * n + 2) // 2
    (2, True, 2*N + 1)
    """

    __slots__ = ("cached_hash", "cached_symbols", "cached_text", "terms")

    terms: Terms
    cached_hash: int
    cached_symbols: frozenset[str] | None
    cached_text: str | None

    def __hash__(self) -> int:
        found = self.cached_hash
        if found == 0:
            found = self.cached_hash = hash(frozenset(self.terms.items()))
        return found

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is SizeExpression and self.terms == other.terms)

    def __bool__(self) -> bool:
        raise TypeError(f"the size {self} has no truth value while it is symbolic; ask Facts.decide")

    def __str__(self) -> str:
        if self.cached_text is None:
            self.cached_text = size_text(self)
        return self.cached_text

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_items, (tuple(self.terms.items()),)

    @staticmethod
    def rebuild(terms: Terms) -> Size:
        """The size with other terms (no zeros among them)."""
        return size_of(terms)

    def __add__(self, other: Size) -> Size:
        if type(other) is int:
            return _plus_constant(self.terms, other) if other else self
        if type(other) is SizeExpression:
            return _sum(self.terms, other.terms)
        number = _integer(other)
        return NotImplemented if number is None else self + number

    __radd__ = __add__

    def __neg__(self) -> Size:
        return _wrap({monomial: -count for monomial, count in self.terms.items()})

    def __pos__(self) -> Size:
        return self

    def __sub__(self, other: Size) -> Size:
        if type(other) is int:
            return _plus_constant(self.terms, -other) if other else self
        if type(other) is SizeExpression:
            return 0 if self is other else _difference(self.terms, other.terms)
        number = _integer(other)
        return NotImplemented if number is None else self - number

    def __rsub__(self, other: int) -> Size:
        return -self + other

    def __mul__(self, other: Size) -> Size:
        if type(other) is int:
            if other == 1:
                return self
            return _wrap({monomial: count * other for monomial, count in self.terms.items()}) if other else 0
        if type(other) is SizeExpression:
            return _product(self.terms, other.terms)
        number = _integer(other)
        return NotImplemented if number is None else self * number

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Size:
        return floordiv(self, other) if isinstance(other, (int, SizeExpression)) else NotImplemented

    def __rfloordiv__(self, other: int) -> Size:
        return floordiv(other, self)

    def __mod__(self, other: Any) -> Size:
        return modulo(self, other) if isinstance(other, (int, SizeExpression)) else NotImplemented

    def __rmod__(self, other: int) -> Size:
        return modulo(other, self)

    def __pow__(self, power: int) -> Size:
        if type(power) is not int or power < 0:
            return NotImplemented
        result: Size = 1
        for _ in range(power):
            result = self * result
        return result


Size = Union[int, SizeExpression]  # noqa: UP007 (a runtime value that isinstance and older tools read)
_new = SizeExpression.__new__
_SYMBOLS: dict[tuple[str, bool], SizeExpression] = {}


def _integer(value: Any) -> int | None:
    return operator.index(value) if hasattr(value, "__index__") else None


def _wrap(terms: Terms) -> SizeExpression:
    """An expression of terms that are known to be no constant and to hold no zero."""
    made = _new(SizeExpression)
    made.terms, made.cached_hash, made.cached_symbols, made.cached_text = terms, 0, None, None
    return made


def size_of(terms: Terms) -> Size:
    """The size with these terms; zeros must be gone."""
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return _wrap(terms)


def _from_items(items: tuple[tuple[Monomial, int], ...]) -> Size:
    return size_of(dict(items))


def terms_of(size: Size) -> Terms:
    """A size as terms (do not change them)."""
    if isinstance(size, SizeExpression):
        return size.terms
    return {(): int(size)} if size else {}


def is_subscript_name(name: str) -> bool:
    """Whether a name is one of those of subscripts - `i0`, `i1`, .. of axes, `r0`, .. of reductions - and so no name of a size.

    >>> is_subscript_name("i0"), is_subscript_name("i"), is_subscript_name("r12")
    (True, False, True)
    """
    return name[:1] in ("i", "r") and name[1:].isdigit()


def symbol(name: str, signed: bool = False) -> SizeExpression:
    """The size called `name`: a non-negative integer, or any integer where `signed`.

    Names are identifiers, `$0`, and paths such as `x.shape[0]`.
    """
    found = _SYMBOLS.get((name, signed))
    if found is None:
        if not _SYMBOL.fullmatch(name):
            raise ValueError(f"{name!r} cannot name a size")
        found = _SYMBOLS[name, signed] = _wrap({(Atom("symbol", name, (), not signed),): 1})
    return found


def of_atom(atom: Atom) -> SizeExpression:
    """The size that is just this atom."""
    return _wrap({(atom,): 1})


def _plus_constant(terms: Terms, constant: int) -> Size:
    total = dict(terms)
    value = total.get((), 0) + constant
    if value:
        total[()] = value
    else:
        del total[()]
    return _wrap(total)


def _sum(left: Terms, right: Terms) -> Size:
    if len(left) < len(right):
        left, right = right, left
    total = dict(left)
    for monomial, count in right.items():
        value = total.get(monomial, 0) + count
        if value:
            total[monomial] = value
        else:
            del total[monomial]
    return size_of(total)


def _difference(left: Terms, right: Terms) -> Size:
    total = dict(left)
    for monomial, count in right.items():
        value = total.get(monomial, 0) - count
        if value:
            total[monomial] = value
        else:
            del total[monomial]
    return size_of(total)


def _product(left: Terms, right: Terms) -> Size:
    total: Terms = {}
    for m1, c1 in left.items():
        for m2, c2 in right.items():
            monomial = (m1 if not m2 else m2 if not m1 else tuple(sorted(m1 + m2, key=_key)))
            value = total.get(monomial, 0) + c1 * c2
            if value:
                total[monomial] = value
            else:
                del total[monomial]
    return size_of(total)


def _monomial_order(monomial: Monomial) -> tuple[int, tuple[str, ...]]:
    return len(monomial), tuple([atom.key for atom in monomial])


def _canonical_text(size: Size) -> str:
    if not isinstance(size, SizeExpression):
        return str(size)
    ordered = sorted(size.terms.items(), key=lambda term: _monomial_order(term[0]))
    return "+".join([f"{count}*{'*'.join([atom.key for atom in monomial])}" for monomial, count in ordered])


def nonnegative(size: Size) -> bool:
    """Whether the size is seen to be >= 0 without any fact (False: not seen)."""
    if not isinstance(size, SizeExpression):
        return size >= 0
    for monomial, count in size.terms.items():
        if count < 0:
            return False
        for atom in monomial:
            if not atom.nonnegative:
                return False
    return True


# ---- floor division ------------------------------------------------------------------------------------------------


@lru_cache(4096)
def floordiv(a: Size, b: Size) -> Size:
    """`a // b`, rounded down. What b divides is taken out, shared factors are cancelled, divisions in divisions are merged.

    A symbolic divisor is taken to be non-zero.
    """
    if not isinstance(b, SizeExpression):
        if not isinstance(a, SizeExpression):
            return int(a) // int(b)
        if b == 1:
            return a
        if b == 0:
            raise ZeroDivisionError(f"division of the size {a} by zero")
        return _divided_by_constant(a.terms, b) if b > 0 else _divided_by_constant((-a).terms, -b)  # type: ignore[union-attr]
    if a == 0:
        return 0
    quotient, rest = _divide_out(terms_of(a), b.terms)
    if not rest:
        return size_of(quotient)
    rest, divisor = _cancel_factors(rest, b.terms)
    below = size_of(divisor)
    fraction: Size
    if isinstance(below, SizeExpression):
        fraction = _floordiv_atom(size_of(rest), below)
    else:
        fraction = floordiv(size_of(rest), below)
    return fraction + size_of(quotient) if quotient else fraction


def modulo(a: Size, b: Size) -> Size:
    """`a % b`, with b's sign."""
    if not isinstance(a, SizeExpression) and not isinstance(b, SizeExpression):
        return a % b
    return a - b * floordiv(a, b)


def _floordiv_atom(a: Size, b: Size) -> Size:
    if not isinstance(a, SizeExpression) and not isinstance(b, SizeExpression):
        return a // b
    return of_atom(Atom("floordiv", "", (a, b), nonnegative(a) and nonnegative(b)))


def _divided_by_constant(terms: Terms, b: int) -> Size:
    quotient: Terms = {}
    rest: Terms = {}
    constant, shared = 0, b
    for monomial, count in terms.items():
        if not monomial:
            constant = count
            continue
        whole = count // b if count >= 0 else -(-count // b)  # rounded to zero: what is left keeps the term's sign
        if whole:
            quotient[monomial] = whole
        left = count - whole * b
        if left:
            rest[monomial] = left
            shared = gcd(shared, left)
    if not rest:
        return size_of(quotient) + constant // b
    if shared > 1:  # floor((g*A + c) / (g*b)) = floor((A + floor(c/g)) / b)
        rest, constant, b = {m: c // shared for m, c in rest.items()}, constant // shared, b // shared
        if b == 1:
            return size_of(quotient) + size_of(rest) + constant
    sign = 1
    if rest[max(rest, key=_monomial_order)] < 0:  # one form for a fraction and its opposite: floor(-A/b) = -floor((A+b-1)/b)
        rest, constant, sign = {m: -c for m, c in rest.items()}, b - 1 - constant, -1
    whole, constant = divmod(constant, b)
    return size_of(quotient) + sign * (_fraction(rest, constant, b) + whole)


def _fraction(rest: Terms, constant: int, b: int) -> Size:
    """(rest + constant) // b for reduced parts; a single division by a constant inside is merged."""
    if len(rest) == 1:
        ((monomial, count),) = rest.items()
        if count == 1 and len(monomial) == 1 and monomial[0].kind == "floordiv":
            a, inner = monomial[0].parts
            if not isinstance(inner, SizeExpression) and inner > 0:
                return floordiv(a + constant * inner, b * inner)
    return _floordiv_atom(_plus_constant(rest, constant) if constant else _wrap(rest), b)


def _divide_out(terms: Terms, divisor: Terms) -> tuple[Terms, Terms]:
    """(q, r) with terms = q*divisor + r; q takes only what leaves fewer terms behind."""
    lead = max(divisor, key=_monomial_order)
    coefficient = divisor[lead]
    quotient: Terms = {}
    rest = dict(terms)
    for _ in range(4 * len(terms) + 8):
        found = None
        for monomial, count in rest.items():
            if count % coefficient == 0:
                left = monomial_without(monomial, lead)
                if left is not None and (found is None or _monomial_order(monomial) > _monomial_order(found[0])):
                    found = monomial, left, count // coefficient
        if found is None:
            break
        _, factor, times = found
        quotient[factor] = quotient.get(factor, 0) + times
        rest = terms_of(size_of(rest) - size_of({factor: times}) * size_of(divisor))
    if len(divisor) > 1 and len(rest) >= len(terms):
        return {}, terms
    return {m: c for m, c in quotient.items() if c}, rest


def monomial_without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """The monomial divided by a factor; None where it is not one."""
    left = list(monomial)
    for atom in factor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _cancel_factors(rest: Terms, divisor: Terms) -> tuple[Terms, Terms]:
    monomials = [*rest, *divisor]
    shared = list(min(monomials, key=len))
    for monomial in monomials:
        left = list(monomial)
        kept: list[Atom] = []
        for atom in shared:
            if atom in left:
                left.remove(atom)
                kept.append(atom)
        shared = kept
    number = gcd(*rest.values(), *divisor.values())
    if divisor[max(divisor, key=_monomial_order)] < 0:  # one form: a / -b is -a / b
        number = -number
    if not shared and number == 1:
        return rest, divisor
    factor = tuple(shared)

    def cancelled(terms: Terms) -> Terms:
        return {monomial_without(m, factor) or (): c // number for m, c in terms.items()}

    return cancelled(rest), cancelled(divisor)


# ---- minimum and maximum -------------------------------------------------------------------------------------------


def minimum(*sizes: Size) -> Size:
    """The least of sizes; what is known to be larger than another falls away."""
    return _extreme("min", sizes)


def maximum(*sizes: Size) -> Size:
    """The greatest of sizes."""
    return _extreme("max", sizes)


def _extreme(kind: str, sizes: Iterable[Size]) -> Size:
    kept: list[Size] = []
    for size in _flattened(kind, sizes):
        # `worse(x, y)`: x can never be the only winner against y.
        if any(_loses(kind, size, other) for other in kept):
            continue
        kept = [other for other in kept if not _loses(kind, other, size)]
        kept.append(size)
    if not kept:
        raise ValueError(f"{kind} of no sizes")
    if len(kept) == 1:
        return kept[0]
    kept.sort(key=_canonical_text)
    seen = any(map(nonnegative, kept)) if kind == "max" else all(map(nonnegative, kept))
    return of_atom(Atom(kind, "", tuple(kept), seen))


def _flattened(kind: str, sizes: Iterable[Size]) -> Iterable[Size]:
    for size in sizes:
        atom = only_atom(size)
        if atom is not None and atom.kind == kind:
            yield from atom.parts
        else:
            yield size


def _loses(kind: str, size: Size, other: Size) -> bool:
    return nonnegative(size - other) if kind == "min" else nonnegative(other - size)


def only_atom(size: Size) -> Atom | None:
    """The atom that a size consists of, if it is one."""
    if isinstance(size, SizeExpression) and len(size.terms) == 1:
        ((monomial, count),) = size.terms.items()
        if count == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def rebuild_atom(atom: Atom, parts: tuple[Size, ...]) -> Size:
    """A division, minimum or maximum of other parts."""
    if atom.kind == "symbol":
        return of_atom(atom)
    return floordiv(parts[0], parts[1]) if atom.kind == "floordiv" else _extreme(atom.kind, parts)
