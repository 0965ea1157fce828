"""Floating-point operations as LLVM text: f32 and f64 (half and bf16 compute in f32, but for those that only look at the bits)."""

from __future__ import annotations

import math
import re

_COMPARE = {
    "equal": "oeq", "not_equal": "une", "less": "olt", "less_equal": "ole", "greater": "ogt", "greater_equal": "oge",
}  # fmt: skip
_INTRINSIC = {"absolute": "fabs", "fabs": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "roundeven"}

# Python's floor division and modulo of floats, from the exact remainder %m (NumPy's npy_divmod, after CPython's float_divmod).
_DIVMOD = """
    %m = call T @stax.fmod.T(T %a, T %b)
    %x = fcmp une T %m, #0.0
    %p = fcmp olt T %b, #0.0
    %q = fcmp olt T %m, #0.0
    %w = xor M %p, %q
    %k = and M %x, %w
"""

PI = f"#{math.pi!r}"
# What fast_math allows: products and sums fused, divisors turned into reciprocals, signs of zero not kept, sums reordered.
FAST_ROWS: dict[str, str] = {
    op: f"%r = {instruction} reassoc nsz arcp contract T {operands}"
    for op, instruction, operands in (
        ("add", "fadd", "%a, %b"), ("subtract", "fsub", "%a, %b"), ("multiply", "fmul", "%a, %b"), ("divide", "fdiv", "%a, %b"),
        ("square", "fmul", "%a, %a"), ("reciprocal", "fdiv", "#1.0, %a"),
    )
}  # fmt: skip

FLOAT_ROWS: dict[str, str] = {
    "ldexp": "",  # by width, see `ldexp`
    "add": "%r = fadd T %a, %b",
    "subtract": "%r = fsub T %a, %b",
    "multiply": "%r = fmul T %a, %b",
    "divide": "%r = fdiv T %a, %b",
    "negative": "%r = fneg T %a",
    "square": "%r = fmul T %a, %a",
    "reciprocal": "%r = fdiv T #1.0, %a",
    **{op: f"%r = call T @llvm.{name}.T(T %a)" for op, name in _INTRINSIC.items()},
    "sign": """
        %p = fcmp ogt T %a, #0.0
        %n = fcmp olt T %a, #0.0
        %x = select M %n, T #-1.0, T #0.0
        %y = select M %p, T #1.0, T %x
        %u = fcmp uno T %a, %a
        %r = select M %u, T %a, T %y""",
    # A NaN of either operand comes out. `select(a > b, a, b)` is one instruction on x86 and gives b where either is NaN.
    "maximum": "%g = fcmp ogt T %a, %b\n %x = select M %g, T %a, T %b\n %u = fcmp uno T %a, %a\n %r = select M %u, T %a, T %x",
    "minimum": "%g = fcmp olt T %a, %b\n %x = select M %g, T %a, T %b\n %u = fcmp uno T %a, %a\n %r = select M %u, T %a, T %x",
    "maximum_of_constant": "%g = fcmp ogt T %a, %b\n %r = select M %g, T %a, T %b",  # a is the constant
    "minimum_of_constant": "%g = fcmp olt T %a, %b\n %r = select M %g, T %a, T %b",
    "fmax": "%g = fcmp ogt T %a, %b\n %x = select M %g, T %a, T %b\n %u = fcmp uno T %b, %b\n %r = select M %u, T %a, T %x",
    "fmin": "%g = fcmp olt T %a, %b\n %x = select M %g, T %a, T %b\n %u = fcmp uno T %b, %b\n %r = select M %u, T %a, T %x",
    **{op: f"%r = fcmp {predicate} T %a, %b" for op, predicate in _COMPARE.items()},
    "logical_and": "%x = fcmp une T %a, #0.0\n %y = fcmp une T %b, #0.0\n %r = and M %x, %y",
    "logical_or": "%x = fcmp une T %a, #0.0\n %y = fcmp une T %b, #0.0\n %r = or M %x, %y",
    "logical_xor": "%x = fcmp une T %a, #0.0\n %y = fcmp une T %b, #0.0\n %r = xor M %x, %y",
    "logical_not": "%r = fcmp oeq T %a, #0.0",
    "isnan": "%r = fcmp uno T %a, %a",
    "isinf": "%x = call T @llvm.fabs.T(T %a)\n %r = fcmp oeq T %x, #inf",
    "isfinite": "%x = call T @llvm.fabs.T(T %a)\n %r = fcmp one T %x, #inf",
    "copysign": "%r = call T @llvm.copysign.T(T %a, T %b)",
    "heaviside": """
        %p = fcmp ogt T %a, #0.0
        %x = select M %p, T #1.0, T #0.0
        %z = fcmp oeq T %a, #0.0
        %y = select M %z, T %b, T %x
        %u = fcmp uno T %a, %a
        %r = select M %u, T %a, T %y""",
    "fmod": "%r = call T @stax.fmod.T(T %a, T %b)",
    "remainder": _DIVMOD
    + """
        %y = fadd T %m, %b
        %z = select M %k, T %y, T %m
        %o = call T @llvm.copysign.T(T #0.0, T %b)
        %e = fcmp oeq T %m, #0.0
        %r = select M %e, T %o, T %z""",
    "floor_divide": _DIVMOD
    + """
        %s = fsub T %a, %m
        %d = fdiv T %s, %b
        %e = fsub T %d, #1.0
        %f = select M %k, T %e, T %d
        %g = call T @llvm.floor.T(T %f)
        %h = fsub T %f, %g
        %i = fcmp ogt T %h, #0.5
        %j = fadd T %g, #1.0
        %l = select M %i, T %j, T %g
        %c1 = fdiv T %a, %b
        %c2 = call T @llvm.copysign.T(T #0.0, T %c1)
        %c3 = fcmp une T %f, #0.0
        %c4 = select M %c3, T %l, T %c2
        %c5 = fcmp oeq T %b, #0.0
        %r = select M %c5, T %c1, T %c4""",
    "degrees": "%x = fdiv T #180.0, " + PI + "\n %r = fmul T %a, %x",  # the quotient is rounded to the dtype, as NumPy's
    "radians": "%x = fdiv T " + PI + ", #180.0\n %r = fmul T %a, %x",
}


def ldexp(bits: int, exponent_bits: int) -> str:
    """x * 2^n by factors of two that are in range; x is scaled up before it may become subnormal, so that it is rounded once."""
    least, digits, bias = (-126, 24, 127) if bits == 32 else (-1022, 53, 1023)
    lines = ["%e0 = call N @llvm.smax.N(N %b, N #N-4400)", "%n0 = call N @llvm.smin.N(N %e0, N #N4400)"]
    lines.append(_to_exponent(bits, exponent_bits))
    value = "%a"
    for k in range(2):
        up, down = -least, least + digits
        lines += [
            f"%big{k} = icmp sgt I %p{k}, #I{up}", f"%low{k} = icmp slt I %p{k}, #I{least}",
            f"%f{k} = select M %big{k}, T #{2.0**up!r}, T #1.0", f"%g{k} = select M %low{k}, T #{2.0**down!r}, T %f{k}",
            f"%s{k} = select M %big{k}, I #I{up}, I #I0", f"%t{k} = select M %low{k}, I #I{down}, I %s{k}",
            f"%v{k} = fmul T {value}, %g{k}", f"%p{k + 1} = sub I %p{k}, %t{k}",
        ]  # fmt: skip
        value = f"%v{k}"
    lines += [
        f"%q0 = call I @llvm.smax.I(I %p2, I #I{least})", f"%q = call I @llvm.smin.I(I %q0, I #I{bias})", f"%w = add I %q, #I{bias}",
        f"%x = shl I %w, #I{digits - 1}", "%y = bitcast I %x to T", f"%r = fmul T {value}, %y",
    ]  # fmt: skip
    return "\n".join(lines).replace("N", "S" if exponent_bits == 32 else "L")


def _to_exponent(bits: int, exponent_bits: int) -> str:
    if bits == exponent_bits:
        return "%p0 = or I %n0, #I0"
    return "%p0 = sext N %n0 to I" if bits > exponent_bits else "%p0 = trunc N %n0 to I"


def in_double(text: str) -> str:
    """The same with the exact remainder taken in f64 (which holds all f32, subnormal ones as normal numbers)."""
    call = re.search(r"(%\w) = call T @stax.fmod.T\(T %a, T %b\)", text)
    if call is None:
        return text
    lines = f"%da = fpext T %a to D\n %db = fpext T %b to D\n %dm = call D @stax.fmod.D(D %da, D %db)\n {call[1]} = fptrunc D %dm to T"
    return text.replace(call[0], lines)


# Operations on the bits; %a and %b are of the integer type as wide as the float. Done in the float's own format, also for half and bf16.
_KEY = """
    %sa = ashr I %a, #SHIFT
    %ma = and I %sa, #REST
    %ka = xor I %a, %ma
    %sb = ashr I %b, #SHIFT
    %mb = and I %sb, #REST
    %kb = xor I %b, %mb
"""
# NumPy's half spacing is the distance to the next number above, so it is positive, and shorter at negative powers of two.
HALF_SPACING = """
    %m = and I %a, #REST
    %f0 = and I %a, #FRACTION
    %e0 = lshr I %m, #MANTISSA
    %power = icmp eq I %f0, #I0
    %negative = icmp slt I %a, #I0
    %edge = and M %power, %negative
    %less = sext M %edge to I
    %e1 = add I %e0, %less
    %e = call I @llvm.smax.I(I %e1, I #I0)
    %d = sub I %e, #MANTISSA
    %n = shl I %d, #MANTISSA
    %f = sub I %e, #I1
    %g = call I @llvm.umin.I(I %f, I #MANTISSA)
    %o = shl I #I1, %g
    %normal = icmp sgt I %d, #I0
    %x = select M %normal, I %n, I %o
    %zero = icmp eq I %e, #I0
    %y = select M %zero, I #I1, I %x
    %last = sub I #INFBITS, #I1
    %end = icmp eq I %a, %last
    %w = select M %end, I #INFBITS, I %y
    %finite = icmp slt I %m, #INFBITS
    %nan = or I #INFBITS, #QUIET
    %r = select M %finite, I %w, I %nan
"""
_FREXP = """
    %m = and I %a, #REST
    %e = lshr I %m, #MANTISSA
    %zeros = call I @llvm.ctlz.I(I %m, i1 false)
    %lead = sub I #BITS, #MANTISSA
    %lead1 = sub I %lead, #I1
    %shift0 = sub I %zeros, %lead1
    %shift = call I @llvm.umin.I(I %shift0, I #MANTISSA)
    %up = shl I %m, %shift
    %down = sub I #I1, %shift
    %tiny = icmp eq I %e, #I0
    %norm = select M %tiny, I %up, I %m
    %exponent = select M %tiny, I %down, I %e
    %some = icmp ne I %m, #I0
    %finite = icmp slt I %m, #INFBITS
    %plain = and M %some, %finite
"""
BIT_ROWS: dict[str, str] = {
    "negative": "%r = xor I %a, #SIGN",
    "absolute": "%r = and I %a, #REST",
    "fabs": "%r = and I %a, #REST",
    "copysign": "%x = and I %a, #REST\n %y = and I %b, #SIGN\n %r = or I %x, %y",
    "signbit": "%r = icmp slt I %a, #I0",
    "isnan": "%x = and I %a, #REST\n %r = icmp sgt I %x, #INFBITS",
    "isinf": "%x = and I %a, #REST\n %r = icmp eq I %x, #INFBITS",
    "isfinite": "%x = and I %a, #REST\n %r = icmp slt I %x, #INFBITS",
    "nextafter": _KEY
    + """
        %up = icmp slt I %ka, %kb
        %pos = icmp sgt I %a, #I-1
        %same = xor M %up, %pos
        %step = select M %same, I #I-1, I #I1
        %moved = add I %a, %step
        %za = and I %a, #REST
        %zero = icmp eq I %za, #I0
        %signb = and I %b, #SIGN
        %tiny = or I %signb, #I1
        %next = select M %zero, I %tiny, I %moved
        %zb = and I %b, #REST
        %both = or I %za, %zb
        %zeros = icmp eq I %both, #I0
        %like = icmp eq I %a, %b
        %equal = or M %zeros, %like
        %x = select M %equal, I %b, I %next
        %na = icmp sgt I %za, #INFBITS
        %nb = icmp sgt I %zb, #INFBITS
        %y = select M %nb, I %b, I %x
        %r = select M %na, I %a, I %y""",
    # 2^(exponent - mantissa bits), with x's sign; as bits that is an exponent field, or a single bit of a subnormal number.
    "spacing": """
        %m = and I %a, #REST
        %e = lshr I %m, #MANTISSA
        %d = sub I %e, #MANTISSA
        %n = shl I %d, #MANTISSA
        %f = sub I %e, #I1
        %g = call I @llvm.umin.I(I %f, I #MANTISSA)
        %o = shl I #I1, %g
        %normal = icmp sgt I %d, #I0
        %x = select M %normal, I %n, I %o
        %zero = icmp eq I %e, #I0
        %y = select M %zero, I #I1, I %x
        %last = sub I #INFBITS, #I1
        %end = icmp eq I %m, %last
        %w = select M %end, I #INFBITS, I %y
        %s0 = and I %a, #SIGN
        %nil = icmp eq I %m, #I0
        %s = select M %nil, I #I0, I %s0
        %z = or I %w, %s
        %finite = icmp slt I %m, #INFBITS
        %nan = or I #INFBITS, #QUIET
        %r = select M %finite, I %z, I %nan""",
    "frexp_mantissa": _FREXP
    + """
        %f = and I %norm, #FRACTION
        %h = sub I #BIAS, #I1
        %x = shl I %h, #MANTISSA
        %s = and I %a, #SIGN
        %y = or I %f, %x
        %z = or I %y, %s
        %r = select M %plain, I %z, I %a""",
    "frexp_exponent": _FREXP
    + """
        %h = sub I #BIAS, #I1
        %x = sub I %exponent, %h
        %y = select M %plain, I %x, I #I0
        resize %y""",
}
