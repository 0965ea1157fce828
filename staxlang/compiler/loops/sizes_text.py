"""A size to Python source with other names for its symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.base.sizes import Size


def python_size(size: Size, name_of: Callable[[str], str]) -> str:
    """Python text that computes the size where each symbol is called `name_of(symbol)`."""
    if isinstance(size, int):
        return str(size)
    parts: list[str] = []
    constant = 0
    for monomial, count in sorted(size.terms.items(), key=lambda term: (term[1] < 0, [a.key for a in term[0]])):
        if not monomial:
            constant = count
            continue
        factors = "*".join([_atom(atom, name_of) for atom in monomial])
        text = factors if abs(count) == 1 else f"{abs(count)}*{factors}"
        parts.append(f"- {text}" if count < 0 else f"+ {text}")
    if constant:
        parts.append(f"- {-constant}" if constant < 0 else f"+ {constant}")
    text = " ".join(parts)
    return text[2:] if text[0] == "+" else f"-{text[2:]}"


def _atom(atom: Any, name_of: Callable[[str], str]) -> str:
    if atom.kind == "symbol":
        return name_of(atom.name)
    parts = [python_size(part, name_of) for part in atom.parts]
    if atom.kind == "floordiv":
        return f"(({parts[0]})//({parts[1]}))"
    return f"{atom.kind}({', '.join(parts)})"
