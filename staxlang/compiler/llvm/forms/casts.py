"""Conversions between dtypes as LLVM text: what NumPy's astype gives (out-of-range floats give what this machine's instructions give)."""

from __future__ import annotations

from staxlang.base.dtypes import DType

# bf16 is the upper half of an f32: rounded to nearest even on the bits (the hardware instruction flushes subnormals).
F32_TO_BF16 = """
    %u = bitcast F %a to S
    %h = lshr S %u, #S16
    %o = and S %h, #S1
    %p = add S %o, #S32767
    %q = add S %u, %p
    %s1 = lshr S %q, #S16
    %n = fcmp uno F %a, %a
    %k = or S %h, #S64
    %t = select M %n, S %k, S %s1
    %r = trunc S %t to R
"""
# The fence keeps LLVM from moving the rounding into what it is applied to, down to conversions (f64 to half) that only libgcc has.
F32_TO_HALF = "%fence = call F @llvm.arithmetic.fence.F(F %a)\n %r = fptrunc F %fence to R"
BF16_TO_F32 = """
    %x = zext T %a to S
    %y = shl S %x, #S16
    %r = bitcast S %y to F
"""
# f64 to a shorter format in two steps: the first rounds to odd, so that the second sees every bit that matters once.
F64_TO_ODD_F32 = """
    %f = fptrunc D %a to F
    %g = fpext F %f to D
    %i = bitcast F %f to S
    %fa = call D @llvm.fabs.D(D %a)
    %ga = call D @llvm.fabs.D(D %g)
    %big = fcmp ogt D %ga, %fa
    %less = fcmp olt D %ga, %fa
    %down = sext M %big to S
    %j = add S %i, %down
    %inexact = or M %big, %less
    %odd = zext M %inexact to S
    %l = or S %j, %odd
    %w = bitcast S %l to F
"""


def cast_text(source: DType, target: DType) -> str:
    """The form of a conversion; %a is the source, R the target's type."""
    kinds = source.kind + target.kind
    if target.kind == "b":
        if source.kind == "f":
            return "%x = and I %a, #REST\n %r = icmp ne I %x, #I0" if source.name == "bf16" else "%r = fcmp une T %a, #0.0"
        if source.kind == "c":
            return "%x = fcmp une T %ar, #0.0\n %y = fcmp une T %ai, #0.0\n %r = or M %x, %y"
        return "%r = icmp ne T %a, #0"
    if source.kind == "b":
        if target.kind == "f":
            return _from_f32(target, "%w = uitofp T %a to F") if target.name == "bf16" else "%r = uitofp T %a to R"
        return "%r = zext T %a to R"
    if kinds in ("ii", "iu", "ui", "uu"):
        if source.bits == target.bits:
            return "%r = or T %a, #0"
        return "%r = trunc T %a to R" if source.bits > target.bits else f"%r = {'s' if source.kind == 'i' else 'z'}ext T %a to R"
    if target.kind in "iu":
        return _to_integer(source, target)
    if source.kind in "iu":
        letter = "s" if source.kind == "i" else "u"
        if target.bits == 16:
            return _from_f32(target, f"%w = {letter}itofp T %a to F")
        return f"%r = {letter}itofp T %a to R"
    if kinds == "cc":
        way = "fpext" if target.bits > source.bits else "fptrunc"
        return f"%r = {way} T %ar to {_component(target)}\n %s = {way} T %ai to {_component(target)}"
    return _between_floats(source, target)


def _component(dtype: DType) -> str:
    return "F" if dtype.bits == 64 else "D"


def _from_f32(target: DType, lines: str) -> str:
    """A 16-bit float of the f32 that `lines` leave in %w."""
    if target.name == "bf16":
        return lines + F32_TO_BF16.replace("%a", "%w")
    return lines + "\n" + F32_TO_HALF.replace("%a", "%w")


def _to_f32(source: DType) -> str:
    """Lines that leave a 16-bit float's value in %w."""
    return BF16_TO_F32.replace("%r", "%w") if source.name == "bf16" else "%w = fpext T %a to F"


def _between_floats(source: DType, target: DType) -> str:
    if source.bits == 16:
        widened = _to_f32(source)
        if target.bits == 32:
            return widened.replace("%w", "%r")
        return _from_f32(target, widened) if target.bits == 16 else widened + "\n %r = fpext F %w to R"
    if target.bits == 16:
        if source.bits == 64:
            return _from_f32(target, F64_TO_ODD_F32)
        return F32_TO_BF16 if target.name == "bf16" else F32_TO_HALF
    return "%r = fpext T %a to R" if target.bits > source.bits else "%r = fptrunc T %a to R"


def _to_integer(source: DType, target: DType) -> str:
    lines, letter = ("", "%a") if source.bits != 16 else (_to_f32(source) + "\n", "%w")
    kind = "T" if source.bits != 16 else "F"
    if target.bits == 64:
        return lines + f"%r = fpto{'s' if target.kind == 'i' else 'u'}i {kind} {letter} to R"
    if target.bits == 32 and target.kind == "u":
        return lines + f"%l = fptosi {kind} {letter} to L\n %r = trunc L %l to R"
    if target.bits == 32:
        return lines + f"%r = fptosi {kind} {letter} to R"
    return lines + f"%l = fptosi {kind} {letter} to S\n %r = trunc S %l to R"
