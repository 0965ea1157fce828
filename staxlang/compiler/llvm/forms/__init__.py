"""The table of forms: an operation of base/operations and a class of dtypes to LLVM text; conversions beside it."""

from __future__ import annotations

import re
from functools import cache

from staxlang.base.dtypes import DType
from staxlang.compiler.llvm.forms.casts import cast_text
from staxlang.compiler.llvm.forms.complexes import COMPLEX_ROWS
from staxlang.compiler.llvm.forms.floats import BIT_ROWS, FAST_ROWS, FLOAT_ROWS, HALF_SPACING, in_double, ldexp
from staxlang.compiler.llvm.forms.integers import BOOL_ROWS, INTEGER_ROWS, mixed_comparison, narrow_division, reciprocal
from staxlang.compiler.llvm.forms.template import Template, compile_form
from staxlang.compiler.llvm.types import element

_COPY = frozenset(("positive", "conjugate", "real"))  # on real numbers
_INTEGER_COPY = _COPY | {"floor", "ceil", "trunc"}
_DIVISIONS = frozenset(("floor_divide", "remainder", "fmod"))

# op -> class of the operands' dtype -> text; 'i' and 'u' are integers, 'h' half and bf16 on their bits.
FORM_ROWS: dict[str, dict[str, str]] = {}


def _fill() -> None:
    for op, text in INTEGER_ROWS.items():
        signed, unsigned = text if isinstance(text, tuple) else (text, text)
        FORM_ROWS.setdefault(op, {}).update(i=signed, u=unsigned)
    for kind, rows in (("b", BOOL_ROWS), ("f", FLOAT_ROWS), ("h", BIT_ROWS), ("c", COMPLEX_ROWS)):
        for op, text in rows.items():
            FORM_ROWS.setdefault(op, {})[kind] = text
    FORM_ROWS["where"].update(dict.fromkeys("biufh", "%r = select M %a, T %b, T %c"))
    for op in _INTEGER_COPY:
        FORM_ROWS.setdefault(op, {}).update(b="%r = or T %a, %a", i="%r = or T %a, %a", u="%r = or T %a, %a")
    for op in _COPY:
        FORM_ROWS[op].update(f="%r = fadd T %a, #-0.0", h="%r = or I %a, %a")
    FORM_ROWS.setdefault("imag", {}).update(
        b="%r = xor T %a, %a", i="%r = xor T %a, %a", u="%r = xor T %a, %a", f="%r = fsub T #0.0, #0.0", h="%r = xor I %a, %a"
    )


_fill()


@cache
def in_float(op: str, operand: DType) -> bool:
    """Whether the operation on this dtype is done in f32 and rounded."""
    return operand.kind == "f" and operand.bits == 16 and "h" not in FORM_ROWS.get(op, ())


@cache
def form(op: str, operand: DType, result: DType, lanes: int, second: DType | None = None) -> Template | None:
    """The operation's instructions; None where the table has none (mathematics, see `math`).

    second: the second operand's dtype where it is another one (ldexp's exponent, comparisons of i64 with u64).
    """
    row = FORM_ROWS.get(op)
    if row is None:
        return None
    text = _by_width(op, operand, second, lanes, row)
    if text is None and operand.kind == "f" and "h" in row and (operand.bits == 16 or "f" not in row):
        text = _on_bits(op, row["h"], operand, result)
    if text is None:
        text = row.get(operand.kind)
    return None if text is None else compile_form(text, operand, result, lanes)


def _by_width(op: str, operand: DType, second: DType | None, lanes: int, row: dict[str, str]) -> str | None:
    """Forms that differ with the width of the dtype or with lanes."""
    kind = operand.kind
    if kind in "iu":
        if op in _DIVISIONS and lanes > 1 and operand.bits < 64:
            return narrow_division(op, kind == "i", operand.bits)
        if op == "reciprocal":
            return reciprocal(kind == "i", operand.bits)
        if second is not None:
            return mixed_comparison(op, kind == "i")
    if op == "ldexp":
        return ldexp(operand.bits, second.bits if second is not None else 32)
    if operand.name == "f32" and op in _DIVISIONS:
        return in_double(row["f"])
    return None


def _on_bits(op: str, text: str, operand: DType, result: DType) -> str:
    """A form on the integer bits, between bitcasts (none for bf16, which is held as its bits)."""
    if op == "nextafter" and operand.bits == 16:
        text = text.replace("%equal, I %b", "%equal, I %a")  # of equal zeros NumPy gives the first one in half precision
    if op == "spacing" and operand.name == "f16":
        text = HALF_SPACING
    if element(operand)[0] == "i" or op == "where":
        return text
    lines: list[str] = []
    for name in ("a", "b"):
        changed = re.sub(rf"%{name}\b", f"%bits_{name}", text)
        if changed != text:
            lines.append(f"%bits_{name} = bitcast T %{name} to I")
            text = changed
    if result.kind == "f":
        text = text.replace("%r = ", "%bits_r = ") + "\n %r = bitcast I %bits_r to T"
    return "\n".join([*lines, text])


@cache
def fast_form(op: str, operand: DType, lanes: int) -> Template | None:
    """The form of an operation on floats under fast_math; None where it has no other one."""
    text = FAST_ROWS.get(op)
    return None if text is None or operand.kind != "f" else compile_form(text, operand, operand, lanes)


@cache
def plain_division(op: str, dtype: DType, lanes: int) -> Template:
    """floor_divide, remainder or fmod of integers by the machine's division."""
    return compile_form(FORM_ROWS[op][dtype.kind], dtype, dtype, lanes)


@cache
def cast_form(source: DType, target: DType, lanes: int, soft: bool = False) -> Template:
    """The conversion's instructions; soft: on a machine without instructions for halves."""
    return compile_form(cast_text(source, target, soft), source, target, lanes)
