"""Conversions between dtypes as LLVM text: what NumPy's astype gives (out-of-range floats give what this machine's instructions give)."""

from __future__ import annotations

import re

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
# The same without instructions for it (x86 before F16C). To f32: the bits as those of an f32 that is 2^112 times too small, scaled;
# from f32: the bit pattern rounded to nearest even, for subnormal halves by an addition that puts their last place at 2^-24.
SOFT_HALF_TO_F32 = """
    %hb = bitcast T %a to I
    %hx = zext I %hb to S
    %hm = and S %hx, #S32767
    %hs = shl S %hm, #S13
    %hf = bitcast S %hs to F
    %hv = fmul F %hf, #F5.192296858534828e33
    %hv1 = bitcast F %hv to S
    %hbig = icmp uge S %hm, #S31744
    %hi = or S %hs, #S2139095040
    %hv2 = select M %hbig, S %hi, S %hv1
    %hsign = sub S %hx, %hm
    %hsign1 = shl S %hsign, #S16
    %hv3 = or S %hv2, %hsign1
    %w = bitcast S %hv3 to F
"""
SOFT_F32_TO_HALF = """
    %gu = bitcast F %a to S
    %gm = and S %gu, #S2147483647
    %gs = xor S %gu, %gm
    %gs1 = lshr S %gs, #S16
    %go = lshr S %gm, #S13
    %go1 = and S %go, #S1
    %gr = add S %gm, #S-939520001
    %gr1 = add S %gr, %go1
    %gn = lshr S %gr1, #S13
    %ga = bitcast S %gm to F
    %gt = fadd F %ga, #F0.5
    %gt1 = bitcast F %gt to S
    %gt2 = sub S %gt1, #S1056964608
    %gsmall = icmp ult S %gm, #S947912704
    %gx = select M %gsmall, S %gt2, S %gn
    %glarge = icmp uge S %gm, #S1199570944
    %gy = select M %glarge, S #S31744, S %gx
    %gnan = icmp ugt S %gm, #S2139095040
    %gz0 = lshr S %gm, #S13
    %gz1 = and S %gz0, #S1023
    %gz2 = or S %gz1, #S32256
    %gz = select M %gnan, S %gz2, S %gy
    %gw = or S %gz, %gs1
    %gh = trunc S %gw to J
    %r = bitcast J %gh to R
"""
BF16_TO_F32 = """
    %bx = zext T %a to S
    %by = shl S %bx, #S16
    %w = bitcast S %by to F
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


def cast_text(source: DType, target: DType, soft: bool = False) -> str:
    """The form of a conversion; %a is the source, R the target's type. soft: the machine has no instructions for halves."""
    kinds = source.kind + target.kind
    if target.kind == "b":
        return _to_bool(source)
    if source.kind == "b":
        return f"%r = select T %a, R {_ONE_ROWS.get(target.name, '#R1.0')}, R #R0" if target.kind == "f" else "%r = zext T %a to R"
    if kinds in ("ii", "iu", "ui", "uu"):
        if source.bits == target.bits:
            return "%r = or T %a, #0"
        return "%r = trunc T %a to R" if source.bits > target.bits else f"%r = {'s' if source.kind == 'i' else 'z'}ext T %a to R"
    if target.kind in "iu":
        return _to_integer(source, target, soft)
    if source.kind in "iu":
        letter = "s" if source.kind == "i" else "u"
        if target.bits == 16:
            return _from_f32(target, f"%w = {letter}itofp T %a to F", soft)
        return f"%r = {letter}itofp T %a to R"
    if kinds == "cc":
        way = "fpext" if target.bits > source.bits else "fptrunc"
        return f"%r = {way} T %ar to {_component(target)}\n %s = {way} T %ai to {_component(target)}"
    return _between_floats(source, target, soft)


_ONE_ROWS = {"bf16": "#R16256"}


def _to_bool(source: DType) -> str:
    if source.kind == "f" and source.bits == 16:
        bits = "%k = or I %a, #I0" if source.name == "bf16" else "%k = bitcast T %a to I"
        return bits + "\n %x = and I %k, #REST\n %r = icmp ne I %x, #I0"
    if source.kind == "f":
        return "%r = fcmp une T %a, #0.0"
    if source.kind == "c":
        return "%x = fcmp une T %ar, #0.0\n %y = fcmp une T %ai, #0.0\n %r = or M %x, %y"
    return "%r = icmp ne T %a, #0"


def _component(dtype: DType) -> str:
    return "F" if dtype.bits == 64 else "D"


def _from_f32(target: DType, lines: str, soft: bool) -> str:
    """A 16-bit float of the f32 that `lines` leave in %w."""
    return lines + "\n" + re.sub(r"%a\b", "%w", _rounding(target, soft))


def _rounding(target: DType, soft: bool) -> str:
    return F32_TO_BF16 if target.name == "bf16" else SOFT_F32_TO_HALF if soft else F32_TO_HALF


def _to_f32(source: DType, soft: bool) -> str:
    """Lines that leave a 16-bit float's value in %w."""
    return BF16_TO_F32 if source.name == "bf16" else SOFT_HALF_TO_F32 if soft else "%w = fpext T %a to F"


def _between_floats(source: DType, target: DType, soft: bool) -> str:
    if source.bits == 16:
        widened = _to_f32(source, soft)
        if target.bits == 32:
            return re.sub(r"%w\b", "%r", widened)
        return _from_f32(target, widened, soft) if target.bits == 16 else widened + "\n %r = fpext F %w to R"
    if target.bits == 16:
        return _from_f32(target, F64_TO_ODD_F32, soft) if source.bits == 64 else _rounding(target, soft)
    return "%r = fpext T %a to R" if target.bits > source.bits else "%r = fptrunc T %a to R"


def _to_integer(source: DType, target: DType, soft: bool) -> str:
    lines, letter = ("", "%a") if source.bits != 16 else (_to_f32(source, soft) + "\n", "%w")
    kind = "T" if source.bits != 16 else "F"
    if target.bits == 64:
        return lines + f"%r = fpto{'s' if target.kind == 'i' else 'u'}i {kind} {letter} to R"
    if target.bits == 32 and target.kind == "u":
        return lines + f"%l = fptosi {kind} {letter} to L\n %r = trunc L %l to R"
    if target.bits == 32:
        return lines + f"%r = fptosi {kind} {letter} to R"
    return lines + f"%l = fptosi {kind} {letter} to S\n %r = trunc S %l to R"
