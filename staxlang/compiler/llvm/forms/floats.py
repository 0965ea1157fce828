"""Floating-point operations as LLVM text: f32 and f64 (half and bf16 compute in f32, but for those that only look at the bits)."""

from __future__ import annotations

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

FLOAT_ROWS: dict[str, str] = {
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
    "remainder": _DIVMOD + """
        %y = fadd T %m, %b
        %z = select M %k, T %y, T %m
        %o = call T @llvm.copysign.T(T #0.0, T %b)
        %e = fcmp oeq T %m, #0.0
        %r = select M %e, T %o, T %z""",
    "floor_divide": _DIVMOD + """
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
    "ldexp": """
        %e0 = call S @llvm.smax.S(S %b, S #S-4400)
        %e1 = call S @llvm.smin.S(S %e0, S #S4400)
        %r = call T @llvm.ldexp.T.S(T %a, S %e1)""",
}

# Operations on the bits; %a and %b are of the integer type as wide as the float. Done in the float's own format, also for half and bf16.
_KEY = """
    %sa = ashr I %a, #SHIFT
    %ma = and I %sa, #REST
    %ka = xor I %a, %ma
    %sb = ashr I %b, #SHIFT
    %mb = and I %sb, #REST
    %kb = xor I %b, %mb
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
    "nextafter": _KEY + """
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
}

FREXP_ROWS: dict[str, str] = {
    "scaled": """
        %tiny = and I %a, #INFBITS
        %subnormal = icmp eq I %tiny, #I0
    """,
}
