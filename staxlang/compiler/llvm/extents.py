"""Sizes and subscripts to instructions: each partial sum is placed at the outermost loop level that has its symbols, and remembered."""

from __future__ import annotations

from collections.abc import Mapping

from staxlang.base.sizes import Size, SizeExpression, nonnegative
from staxlang.base.sizes.expression import Atom, Monomial, Terms, terms_of
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import lane_numbers

Indirect = Mapping[str, Value]  # the values of `$k`
NO_INDIRECT: Indirect = {}


def atom_symbols(atom: Atom) -> frozenset[str]:
    """The names that an atom depends on."""
    if atom.kind == "symbol":
        return frozenset((atom.name,))
    names: frozenset[str] = frozenset()
    for part in atom.parts:
        if isinstance(part, SizeExpression):
            for monomial in part.terms:
                for inner in monomial:
                    names |= atom_symbols(inner)
    return names


def size_text(f: Function, size: Size, indirect: Indirect = NO_INDIRECT) -> tuple[str, int]:
    """A size as an i64 (of the first lane, where it depends on the vector index) and the level where it is known."""
    if isinstance(size, int):
        return str(size), 0
    found = f.sizes.get(size) if not indirect else None
    if found is None:
        found = terms_text(f, size.terms, indirect)
        if not indirect:
            f.remember_size(size, *found)
    return found


def terms_text(f: Function, terms: Terms, indirect: Indirect = NO_INDIRECT) -> tuple[str, int]:
    """The sum of terms, outer levels first."""
    parts: list[tuple[int, str]] = []
    constant = 0
    for monomial, count in terms.items():
        if monomial:
            text, level = _monomial_text(f, monomial, count, indirect)
            parts.append((level, text))
        else:
            constant = count
    if not parts:
        return str(constant), 0
    parts.sort(key=lambda part: part[0])
    level, text = parts[0]
    if constant:
        text = f.name(level, f"add i64 {text}, {constant}", "x")
    for other, more in parts[1:]:
        level = other
        text = f.name(level, f"add i64 {text}, {more}", "x")
    return text, level


def _monomial_text(f: Function, monomial: Monomial, count: int, indirect: Indirect) -> tuple[str, int]:
    factors = [_atom_text(f, atom, indirect) for atom in monomial]
    if len(factors) > 1:
        factors.sort(key=lambda factor: factor[1])
    text, level = factors[0]
    if count != 1:
        key = (text, "times", count)
        found = f.sizes.get(key)
        text, level = found or f.remember_size(key, f.name(level, f"mul i64 {text}, {count}", "x"), level)
    for more, other in factors[1:]:
        key = (text, "times", more)
        found = f.sizes.get(key)
        text, level = found or f.remember_size(key, f.name(other, f"mul i64 {text}, {more}", "x"), other)
    return text, level


def _atom_text(f: Function, atom: Atom, indirect: Indirect) -> tuple[str, int]:
    if atom.kind == "symbol":
        name = atom.name
        if name[0] == "$":
            value = indirect[name]
            return value.text, value.level
        return f.indices.get(name) or f.module.size_symbol(f, name)
    found = f.sizes.get(atom) if not indirect else None
    if found is None and atom.kind == "floordiv" and not atom.nonnegative:
        found = _rounded_up(f, atom, indirect)
        if found is not None and not indirect:
            f.remember_size(atom, *found)
    if found is None:
        parts = [size_text(f, part, indirect) for part in atom.parts]
        level = max(part[1] for part in parts)
        if atom.kind == "floordiv":
            text = _floordiv_text(f, atom, parts[0][0], parts[1][0], level)
        else:
            text = parts[0][0]
            for more, _ in parts[1:]:
                text = f.name(level, f"call i64 @llvm.s{atom.kind}.i64(i64 {text}, i64 {more})", "x")
        found = text, level
        if not indirect:
            f.remember_size(atom, text, level)
    return found


def _rounded_up(f: Function, atom: Atom, indirect: Indirect) -> tuple[str, int] | None:
    """-((-a) // b), the quotient rounded up, where a and b are seen not to be negative: an unsigned division."""
    above, below = atom.parts
    if isinstance(above, int) or not nonnegative(-above) or not nonnegative(below):
        return None
    size, level = size_text(f, -above, indirect)
    divisor, other = size_text(f, below, indirect)
    level = max(level, other)
    if not isinstance(below, int):
        divisor = f.name(level, f"call i64 @llvm.umax.i64(i64 {divisor}, i64 1)", "x")
    less = str(below - 1) if isinstance(below, int) else f.name(level, f"sub i64 {divisor}, 1", "x")
    more = f.name(level, f"add i64 {size}, {less}", "x")
    quotient = divided(f, "udiv", more, divisor, level)
    return f.name(level, f"sub i64 0, {quotient}", "x"), level


def _floordiv_text(f: Function, atom: Atom, above: str, below: str, level: int) -> str:
    divisor = atom.parts[1]
    if isinstance(divisor, int) and divisor > 0:
        if divisor & (divisor - 1) == 0:
            return f.name(level, f"ashr i64 {above}, {divisor.bit_length() - 1}", "x")
        if atom.nonnegative:
            return divided(f, "udiv", above, below, level)
    elif atom.nonnegative:  # a size of 0 must not trap where nothing of the result is used
        below = f.name(level, f"call i64 @llvm.umax.i64(i64 {below}, i64 1)", "x")
        return divided(f, "udiv", above, below, level)
    else:
        zero = f.name(level, f"icmp eq i64 {below}, 0", "x")
        below = f.name(level, f"select i1 {zero}, i64 1, i64 {below}", "x")
    quotient = divided(f, "sdiv", above, below, level)
    product = f.name(level, f"mul i64 {quotient}, {below}", "x")
    rest = f.name(level, f"sub i64 {above}, {product}", "x")
    signs = f.name(level, f"xor i64 {rest}, {below}", "x")
    unlike = f.name(level, f"icmp slt i64 {signs}, 0", "x")
    inexact = f.name(level, f"icmp ne i64 {rest}, 0", "x")
    down = f.name(level, f"and i1 {unlike}, {inexact}", "x")
    one = f.name(level, f"sext i1 {down} to i64", "x")
    return f.name(level, f"add i64 {quotient}, {one}", "x")


def divided(f: Function, division: str, above: str, below: str, level: int) -> str:
    """A quotient of sizes. LLVM puts a branch to a shorter division before a long one, unless the dividend looks like a hash, by its xor;
    where long ones are fast, the blocks of that are all that comes of it: a tenth of the time that LLVM takes for a small kernel."""
    if f.module.divides and below[0] == "%":
        above = f.name(level, f"xor i64 {above}, 0", "x")
    return f.name(level, f"{division} i64 {above}, {below}", "x")


# ---- sizes that differ from lane to lane ---------------------------------------------------------------------------


def varies(f: Function, terms: Terms, indirect: Indirect = NO_INDIRECT) -> bool:
    """Whether the terms differ between the lanes of the open vector loop."""
    if f.lanes is None:
        return False
    return any(_atom_varies(f, atom, indirect) for monomial in terms for atom in monomial)


def _atom_varies(f: Function, atom: Atom, indirect: Indirect) -> bool:
    assert f.lanes is not None
    for name in atom_symbols(atom):
        if name == f.lanes.index or (name[0] == "$" and indirect[name].lanes > 1):
            return True
    return False


def split_by_lanes(f: Function, terms: Terms, indirect: Indirect) -> tuple[Terms, Terms]:
    """(the terms that are the same in all lanes, the others)."""
    if f.lanes is None:
        return terms, {}
    same: Terms = {}
    other: Terms = {}
    for monomial, count in terms.items():
        target = other if any(_atom_varies(f, atom, indirect) for atom in monomial) else same
        target[monomial] = count
    return same, other


def lane_coefficient(f: Function, varying: Terms) -> Terms | None:
    """c where the terms are c * (vector index), c the same in all lanes; None where they are not of that form."""
    assert f.lanes is not None
    index = f.lanes.index
    coefficient: Terms = {}
    for monomial, count in varying.items():
        rest = tuple(atom for atom in monomial if not (atom.kind == "symbol" and atom.name == index))
        if len(rest) != len(monomial) - 1 or any(index in atom_symbols(a) or any(n[0] == "$" for n in atom_symbols(a)) for a in rest):
            return None
        coefficient[rest] = coefficient.get(rest, 0) + count
    return coefficient


def lane_numbers_text(f: Function, size: Size, indirect: Indirect = NO_INDIRECT) -> tuple[str, int]:
    """A size per lane of the current part, as a vector of i64."""
    assert f.lanes is not None and f.part is not None
    width = f.lanes.width
    same, varying = split_by_lanes(f, terms_of(size), indirect)
    if not varying:
        text, level = terms_text(f, same, indirect)
        return f.splat(text, "i64", width, level), level
    coefficient = lane_coefficient(f, varying)
    kind = f"<{width} x i64>"
    if coefficient is not None and set(coefficient) <= {()}:
        step = coefficient[()]
        first, level = terms_text(
            f, {**terms_of(size), (): same.get((), 0) + step * f.part.shift} if f.part.shift else terms_of(size), indirect
        )
        wide = f.splat(first, "i64", width, level)
        return f.name(level, f"add {kind} {wide}, {lane_numbers('i64', width, step)}", "x"), level
    text, level = terms_text(f, same, indirect)
    wide = f.splat(text, "i64", width, level) if same else ""
    for monomial, count in varying.items():
        product = ""
        for atom in monomial:
            factor, other = _lane_atom(f, atom, indirect)
            level = max(level, other)
            product = f.name(level, f"mul {kind} {product}, {factor}", "x") if product else factor
        if count != 1:
            product = f.name(level, f"mul {kind} {product}, splat (i64 {count})", "x")
        wide = f.name(level, f"add {kind} {wide}, {product}", "x") if wide else product
    return wide, level


def _lane_atom(f: Function, atom: Atom, indirect: Indirect) -> tuple[str, int]:
    assert f.lanes is not None and f.part is not None
    width, kind = f.lanes.width, f"<{f.lanes.width} x i64>"
    if atom.kind == "symbol":
        if atom.name[0] == "$":
            value = f.widen(indirect[atom.name], width)
            return value.text, value.level
        if atom.name == f.lanes.index:
            text, level = f.indices[atom.name]
            wide = f.splat(text, "i64", width, level)
            return f.name(level, f"add {kind} {wide}, {lane_numbers('i64', width, 1, f.part.shift)}", "x"), level
        text, level = _atom_text(f, atom, indirect)
        return f.splat(text, "i64", width, level), level
    parts = [lane_numbers_text(f, part, indirect) for part in atom.parts]
    level = max(part[1] for part in parts)
    if atom.kind != "floordiv":
        text = parts[0][0]
        for more, _ in parts[1:]:
            text = f.name(level, f"call {kind} @llvm.s{atom.kind}.v{width}i64({kind} {text}, {kind} {more})", "x")
        return text, level
    divisor = atom.parts[1]
    if isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0:
        return f.name(level, f"ashr {kind} {parts[0][0]}, splat (i64 {divisor.bit_length() - 1})", "x"), level
    # Subscripts are below 2^52: a double's quotient rounds down to the right integer.
    real = f"<{width} x double>"
    above = f.name(level, f"sitofp {kind} {parts[0][0]} to {real}", "x")
    below = f.name(level, f"sitofp {kind} {parts[1][0]} to {real}", "x")
    quotient = f.name(level, f"fdiv {real} {above}, {below}", "x")
    floor = f.name(level, f"call {real} @llvm.floor.v{width}f64({real} {quotient})", "x")
    return f.name(level, f"fptosi {real} {floor} to {kind}", "x"), level
