"""Questions asked of a size: which symbols, which value, which coefficients; and substitution."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from staxlang.base.sizes.expression import Atom, Monomial, Size, SizeExpression, Terms, of_atom, rebuild_atom, size_of

_NONE: frozenset[str] = frozenset()


def symbols(size: Size) -> frozenset[str]:
    """The names of the symbols that a size depends on."""
    if not isinstance(size, SizeExpression):
        return _NONE
    found = size.cached_symbols
    if found is None:
        names: set[str] = set()
        for monomial in size.terms:
            for atom in monomial:
                if atom.kind == "symbol":
                    names.add(atom.name)
                else:
                    for part in atom.parts:
                        names |= symbols(part)
        found = size.cached_symbols = frozenset(names)
    return found


def evaluate(size: Size, env: Mapping[str, int]) -> int:
    """The number that a size is when its symbols have the values in `env`. KeyError for a missing one, ZeroDivisionError as Python.

    >>> from staxlang.base.sizes import parse_size
    >>> evaluate(parse_size("(N - 1)//2 + 1"), {"N": 8})
    4
    """
    if not isinstance(size, SizeExpression):
        return size
    total = 0
    for monomial, count in size.terms.items():
        for atom in monomial:
            count *= env[atom.name] if atom.kind == "symbol" else _evaluate_atom(atom, env)
        total += count
    return total


_SAMPLES = (
    (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069, 1087, 1091, 1093, 1097),
    (5040, 10080, 15120, 20160, 25200, 30240, 35280, 40320, 45360, 50400, 55440, 60480, 65520, 70560, 75600, 80640),
)


def may_be_equal(left: Size, right: Size) -> bool:
    """Whether sizes are equal where their symbols are large, all different, and prime or with many divisors: `max(1, N)` and `N` are,
    `N` and `M` are not. What is not equal then is hardly meant to be.

    >>> from staxlang.base.sizes import parse_size
    >>> [may_be_equal(parse_size(text), parse_size("N")) for text in ("max(1, N)", "N//4*4", "M", "N + 1")]
    [True, True, False, False]
    """
    names = sorted(symbols(left) | symbols(right))
    if len(names) > len(_SAMPLES[0]):
        return False
    for sample in _SAMPLES:
        env = dict(zip(names, sample, strict=False))
        try:
            if evaluate(left, env) == evaluate(right, env):
                return True
        except ZeroDivisionError:
            continue
    return False


def _evaluate_atom(atom: Atom, env: Mapping[str, int]) -> int:
    values = [evaluate(part, env) for part in atom.parts]
    if atom.kind == "floordiv":
        return values[0] // values[1]
    return min(values) if atom.kind == "min" else max(values)


def substitute(size: Size, mapping: Mapping[str, Size]) -> Size:
    """The size with symbols replaced, all at once.

    >>> from staxlang.base.sizes import symbol
    >>> n, m = symbol("N"), symbol("M")
    >>> substitute(n * m + n, {"N": m, "M": 2})
    3*M
    """
    if not isinstance(size, SizeExpression) or not mapping or symbols(size).isdisjoint(mapping):
        return size
    if len(size.terms) == 1:
        ((monomial, count),) = size.terms.items()
        if count == 1 and len(monomial) == 1:
            return _substitute_atom(monomial[0], mapping)
    total: Size = 0
    kept: Terms = {}
    for monomial, count in size.terms.items():
        product: Size = count
        unchanged: list[Atom] = []
        for atom in monomial:
            if atom.kind == "symbol" and atom.name not in mapping:
                unchanged.append(atom)
            else:
                product = product * _substitute_atom(atom, mapping)
        if len(unchanged) == len(monomial):
            kept[monomial] = count
        else:
            total = total + (product * size_of({tuple(unchanged): 1}) if unchanged else product)
    return total + size_of(kept) if kept else total


def _substitute_atom(atom: Atom, mapping: Mapping[str, Size]) -> Size:
    if atom.kind == "symbol":
        return mapping[atom.name] if atom.name in mapping else of_atom(atom)
    return rebuild_atom(atom, tuple([substitute(part, mapping) for part in atom.parts]))


def linear_in(size: Size, names: Collection[str]) -> tuple[dict[str, Size], Size] | None:
    """(coefficient of each name that occurs, what is left), all free of the names; None where the size is not linear in them.

    >>> from staxlang.base.sizes import symbol
    >>> i, j, n = symbol("i"), symbol("j"), symbol("N")
    >>> linear_in(n * i + 2 * j + 1, ("i", "j"))
    ({'i': N, 'j': 2}, 1)
    """
    if not isinstance(size, SizeExpression) or symbols(size).isdisjoint(names):
        return {}, size
    coefficients: dict[str, Terms] = {}
    rest: Terms = {}
    for monomial, count in size.terms.items():
        name: str | None = None
        others: Monomial = ()
        for atom in monomial:
            if atom.kind == "symbol":
                if atom.name in names:
                    if name is not None:
                        return None
                    name = atom.name
                else:
                    others = (*others, atom)
            elif symbols(of_atom(atom)).isdisjoint(names):
                others = (*others, atom)
            else:
                return None
        if name is None:
            rest[monomial] = count
        else:
            coefficients.setdefault(name, {})[others] = count
    return {name: size_of(terms) for name, terms in coefficients.items()}, size_of(rest)


def divisions(size: Size) -> frozenset[Atom]:
    """The floor divisions in a size, inner ones included."""
    if not isinstance(size, SizeExpression):
        return frozenset()
    found: set[Atom] = set()
    for monomial in size.terms:
        for atom in monomial:
            if atom.kind == "floordiv":
                found.add(atom)
            for part in atom.parts:
                found |= divisions(part)
    return frozenset(found)
