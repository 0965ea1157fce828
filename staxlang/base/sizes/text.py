"""Sizes to text: readable Python (`N + 1`, `2*D`, `(N - 1)//2`, `i % 4`) that `parse_size` reads back.

It comes before the module that defines sizes, so it takes them as `Any` and builds new ones through `rebuild`.
"""

from __future__ import annotations

from typing import Any

Part = tuple[int, str]  # a sign or count, and what it multiplies; "" for the number alone


def size_text(size: Any) -> str:
    """The text of a size."""
    if isinstance(size, int):
        return str(size)
    parts: list[Part] = []
    size = _take_modulos(size, parts)
    size = _take_shifted_fraction(size, parts)
    terms = _terms(size)
    ordered = sorted(((m, c) for m, c in terms.items() if m), key=_reading_order)
    parts = [(count, _product_text(monomial)) for monomial, count in ordered] + parts
    parts.sort(key=lambda part: part[0] < 0)  # `D - N` rather than `-N + D`; stable otherwise
    if () in terms:
        first = terms[()] > 0 and all(count < 0 for count, _ in parts)  # `7 - N`
        parts.insert(0 if first else len(parts), (terms[()], ""))
    text = ""
    for count, factor in parts:
        amount = abs(count)
        piece = str(amount) if not factor else factor if amount == 1 else f"{amount}*{_factor(factor)}"
        text += (f" - {piece}" if count < 0 else f" + {piece}") if text else (f"-{_first(piece)}" if count < 0 else piece)
    return text or "0"


def _terms(size: Any) -> dict[Any, int]:
    if isinstance(size, int):
        return {(): size} if size else {}
    return size.terms


def _reading_order(term: Any) -> Any:
    return -len(term[0]), [atom.key for atom in term[0]]


def _factor(text: str) -> str:
    """As one factor of a product: `//` and `%` bind as `*` does, from the left, so they need parentheses."""
    return f"({text})" if _open_operators(text) else text


def _first(text: str) -> str:
    """After a leading minus: `-a//b` would be `(-a)//b`."""
    return f"({text})" if any(op in _open_operators(text) for op in ("//", "%", "+", "-")) else text


def _open_operators(text: str) -> list[str]:
    """The operators of a text outside its parentheses."""
    found: list[str] = []
    depth = 0
    for position, c in enumerate(text):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif depth == 0 and c in "+-*/%":
            found.append("//" if text[position : position + 2] == "//" else c)
    return found


def _operand(size: Any) -> str:
    text = str(size)
    return f"({text})" if _open_operators(text) else text


def _product_text(monomial: Any) -> str:
    if len(monomial) == 1:
        return atom_text(monomial[0])
    return "*".join(_factor(atom_text(atom)) for atom in monomial)


def atom_text(atom: Any) -> str:
    """The text of an atom: a name, `a//b`, `min(...)`, `max(...)`."""
    if atom.kind == "symbol":
        return atom.name
    if atom.kind == "floordiv":
        return f"{_operand(atom.parts[0])}//{_operand(atom.parts[1])}"
    return f"{atom.kind}({', '.join(map(str, atom.parts))})"


def _divisions(size: Any) -> list[Any]:
    found: dict[Any, None] = {}
    for monomial in _terms(size):
        for atom in monomial:
            if atom.kind == "floordiv":
                found[atom] = None
    return sorted(found, key=lambda atom: atom.key)


def _take_shifted_fraction(size: Any, parts: list[Part]) -> Any:
    """`(N + 1)//2 - 1` reads `(N - 1)//2`."""
    terms = _terms(size)
    constant = terms.get((), 0)
    if constant >= 0:
        return size
    for atom in _divisions(size):
        a, b = atom.parts
        if terms.get((atom,)) == 1 and isinstance(b, int):
            parts.append((1, f"{_operand(a + constant * b)}//{b}"))
            return size.rebuild({m: c for m, c in terms.items() if m and m != (atom,)})
    return size


def _take_modulos(size: Any, parts: list[Part]) -> Any:
    """Take `k*(a - b*(a//b))` out as `k*(a % b)` where that leaves less behind."""
    for atom in _divisions(size):
        if isinstance(size, int):
            break
        a, b = atom.parts
        times = _multiple_of(size, a)
        if times == 0:
            continue
        division = size.rebuild({(atom,): 1})
        rest = size - times * (a - b * division)
        if len(_terms(rest)) >= len(size.terms) or _weight(rest, atom) >= _weight(size, atom):
            continue
        remainder = f"{_operand(a)} % {_operand(b)}"
        if isinstance(times, int):
            parts.append((times, remainder))
        elif len(times.terms) == 1:
            ((monomial, count),) = times.terms.items()
            parts.append((count, f"{_product_text(monomial) if len(monomial) > 1 else _factor(_product_text(monomial))}*({remainder})"))
        else:
            parts.append((1, f"({times})*({remainder})"))
        size = rest
    return size


def _weight(size: Any, atom: Any) -> tuple[int, int]:
    counts = [abs(c) for m, c in _terms(size).items() if atom in m]
    return len(counts), sum(counts)


def _multiple_of(size: Any, a: Any) -> Any:
    """The k for which k*a has the terms of `size` that a's leading term divides."""
    terms = [(m, c) for m, c in _terms(a).items() if m]
    if not terms:
        return 0
    lead, coefficient = min(terms, key=_reading_order)
    found: dict[Any, int] = {}
    for monomial, count in size.terms.items():
        left = list(monomial)
        if all(atom in left and (left.remove(atom) or True) for atom in lead) and count % coefficient == 0:
            if not any(atom.kind == "floordiv" for atom in left):
                found[tuple(left)] = count // coefficient
    return size.rebuild(found)
