"""Form texts to ready-made instruction templates: types, constants and intrinsic suffixes filled in, names left open.

A form is LLVM assembly in which
    T  the operands' type      R  the result's type       M  the mask type (i1 lanes)
    I  integer as wide as T    F, D  float, double        H  half     J, S, L  i16, i32, i64: of as many lanes
    .T after `@llvm.name`      that type's overload suffix
    resize %y                  the last line: %r is the integer %y in the result's width
    #1  #-0.5  #inf            a constant of T;  #I5 of I, #D0.5 of D, ...; by name:
                               #BITS #SHIFT (bits - 1) #MIN #MAX #SIGN #REST #INFBITS #MANTISSA #BIAS #FRACTION #QUIET
    %a %b %c                   operands (of complex ones %ar %ai, ...); %r the result, %s its imaginary part; other names are temporary
"""

from __future__ import annotations

import re

from staxlang.base.dtypes import DType, integer_bounds
from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.types import BITS_ROWS, element, float_text, splat, suffix, vector

OPERAND_NAMES = ("a", "b", "c")
_OPERANDS = frozenset(("a", "b", "c", "ar", "ai", "br", "bi", "cr", "ci"))
_TOKEN = re.compile(
    r"\.(?P<suffix>[TRIFDHSLJ])\b|\b(?P<type>[TRMIFDHSLJ])\b|%(?P<name>[a-z]\w*)"
    r"|#(?P<named>[A-Z]{2,})|#(?P<kind>[TRMIFDHSLJ]?)(?P<number>-?(?:inf|nan|true|false|0x[0-9a-fA-F]+|\d[\d.]*(?:e[-+]?\d+)?))"
)
_PRIVATE = re.compile(r"@stax\.([\w.]+)")
_MANTISSA_ROWS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52, "c64": 23, "c128": 52}


class Template(NamedTuple):
    """`text.format(n=fresh number, a=..., b=...)` is the instructions; the result is `%r.n` (and `%s.n`)."""

    text: str
    needs: tuple[str, ...]  # private functions that it calls


def compile_form(form: str, operand: DType, result: DType, lanes: int) -> Template:
    """The form's text for one operand dtype, result dtype and number of lanes."""
    elements = _elements(operand, result)
    types = {letter: vector(kind, lanes) for letter, kind in elements.items()}
    suffixes = {letter: suffix(kind, lanes) for letter, kind in elements.items()}

    def fill(match: re.Match[str]) -> str:
        group = match.lastgroup
        if group == "suffix":
            return "." + suffixes[match["suffix"]]
        if group == "type":
            return types[match["type"]]
        if group == "name":
            name = match["name"]
            return f"{{{name}}}" if name in _OPERANDS else f"%{name}.{{n}}"
        if group == "named":
            kind, value = _named_constant(match["named"], operand, elements)
            return splat(str(value), kind, lanes)
        kind = elements[match["kind"] or "T"]
        return splat(_number(match["number"], kind), kind, lanes)

    lines = [line.strip() for line in form.strip().splitlines()]
    if lines[-1].startswith("resize "):
        lines[-1] = _resized(lines[-1].removeprefix("resize "), BITS_ROWS[elements["I"]], result.bits)
    text = _TOKEN.sub(fill, "\n  ".join([line for line in lines if line]))
    return Template(text, tuple(dict.fromkeys(_PRIVATE.findall(text))))


def _resized(name: str, source: int, target: int) -> str:
    if source == target:
        return f"%r = or I {name}, #I0"
    return f"%r = trunc I {name} to R" if source > target else f"%r = sext I {name} to R"


def _elements(operand: DType, result: DType) -> dict[str, str]:
    own = element(operand)
    return {
        "T": own, "R": element(result), "M": "i1", "I": f"i{BITS_ROWS[own]}",
        "F": "float", "D": "double", "H": "half", "S": "i32", "L": "i64", "J": "i16",
    }  # fmt: skip


def _number(text: str, kind: str) -> str:
    if kind[0] == "i":
        return text if text in ("true", "false") else str(int(text, 0))
    return float_text(float(text), kind)


def _named_constant(name: str, operand: DType, elements: dict[str, str]) -> tuple[str, int]:
    """(element type, value) of a constant that depends on the width."""
    bits = BITS_ROWS[elements["I"]]
    if name in ("BITS", "SHIFT"):
        return elements["I"], bits if name == "BITS" else bits - 1
    if name in ("MIN", "MAX"):
        low, high = integer_bounds(operand)
        return elements["T"], low if name == "MIN" else high
    if name == "SIGN":
        return elements["I"], -(1 << (bits - 1))
    if name == "REST":
        return elements["I"], (1 << (bits - 1)) - 1
    mantissa = _MANTISSA_ROWS[operand.name]
    values = {
        "INFBITS": (1 << (bits - 1)) - (1 << mantissa), "MANTISSA": mantissa, "BIAS": (1 << (bits - 2 - mantissa)) - 1,
        "FRACTION": (1 << mantissa) - 1, "QUIET": 1 << (mantissa - 1),
    }  # fmt: skip
    return elements["I"], values[name]
