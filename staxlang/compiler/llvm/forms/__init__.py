"""The table of forms: an operation of base/operations and a class of dtypes to LLVM text; conversions beside it."""

from __future__ import annotations

import re
from functools import cache

from staxlang.base.dtypes import DType
from staxlang.compiler.llvm.forms.casts import cast_text
from staxlang.compiler.llvm.forms.complexes import COMPLEX_ROWS
from staxlang.compiler.llvm.forms.floats import BIT_ROWS, FLOAT_ROWS
from staxlang.compiler.llvm.forms.integers import BOOL_ROWS, INTEGER_ROWS, narrow_division
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
    FORM_ROWS.setdefault("imag", {}).update(i="%r = xor T %a, %a", u="%r = xor T %a, %a", f="%r = fsub T #0.0, #0.0", h="%r = xor I %a, %a")


_fill()


@cache
def in_float(op: str, operand: DType) -> bool:
    """Whether the operation on this dtype is done in f32 and rounded."""
    return operand.kind == "f" and operand.bits == 16 and "h" not in FORM_ROWS.get(op, ())


@cache
def form(op: str, operand: DType, result: DType, lanes: int) -> Template | None:
    """The operation's instructions; None where the table has none (mathematics, see `math`)."""
    row = FORM_ROWS.get(op)
    if row is None:
        return None
    kind = operand.kind
    if kind in "iu" and op in _DIVISIONS and lanes > 1 and operand.bits < 64:
        return compile_form(narrow_division(op, kind == "i", operand.bits), operand, result, lanes)
    if kind == "f" and (operand.bits == 16 or (op in BIT_ROWS and op not in FLOAT_ROWS)) and "h" in row:
        return compile_form(_on_bits(row["h"], operand, result), operand, result, lanes)
    text = row.get(kind)
    if text is None:
        return None
    if kind in "iu" and op == "bitwise_count":
        text = text.replace("%r", "%y") + _resized(operand, result)
    return compile_form(text, operand, result, lanes)


def _resized(source: DType, target: DType) -> str:
    if source.bits == target.bits:
        return "\n %r = or T %y, #0"
    return "\n %r = trunc T %y to R" if source.bits > target.bits else "\n %r = zext T %y to R"


def _on_bits(text: str, operand: DType, result: DType) -> str:
    """A form on the integer bits, between bitcasts (none for bf16, which is held as its bits)."""
    if element(operand)[0] == "i":
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
def cast_form(source: DType, target: DType, lanes: int) -> Template:
    """The conversion's instructions."""
    return compile_form(cast_text(source, target), source, target, lanes)
