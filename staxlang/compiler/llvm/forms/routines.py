"""Private functions that forms call: loops until every lane is done (exact fmod, integer power, greatest common divisor)."""

from __future__ import annotations

import re

from staxlang.base.dtypes import F64, U8, U16, U32, U64, DType
from staxlang.compiler.llvm.forms.template import compile_form
from staxlang.compiler.llvm.types import suffix, vector

_DTYPES: dict[str, DType] = {"f64": F64, "i8": U8, "i16": U16, "i32": U32, "i64": U64}

# fmod by division: while x >= y, t = y * 2^k is at most 2^53 times smaller than x, q = trunc(x / t) is off by at most one, and
# x - q*t (fused) is exact, since it is a multiple of t's last bit and not larger than t.
_FMOD = """
entry:
    %x0 = call T @llvm.fabs.T(T %a)
    %y0 = call T @llvm.fabs.T(T %b)
    %s1 = fcmp ult T %x0, #inf
    %s2 = fcmp une T %y0, #0.0
    %s3 = and M %s1, %s2
    %s4 = fcmp uno T %a, %b
    %s5 = xor M %s4, #Mtrue
    %fine = and M %s3, %s5
    %finite = fcmp olt T %y0, #inf
    %go = and M %fine, %finite
    %x1 = select M %go, T %x0, T #0.0
    %y = select M %go, T %y0, T #1.0
    %yi = bitcast T %y to I
    %zeros = call I @llvm.ctlz.I(I %yi, i1 false)
    %small = sub I #I12, %zeros
    %biased = lshr I %yi, #I52
    %tiny = icmp eq I %biased, #I0
    %ey = select M %tiny, I %small, I %biased
    %low = add I %ey, #I52
    br label %loop
loop:
    %x = phi T [ %x1, %entry ], [ %next, %loop ]
    %xi = bitcast T %x to I
    %ex = lshr I %xi, #I52
    %gap = sub I %ex, %low
    %k = call I @llvm.smax.I(I %gap, I #I0)
    %k1 = lshr I %k, #I1
    %k2 = sub I %k, %k1
    %b1 = add I %k1, #I1023
    %b2 = add I %k2, #I1023
    %p1 = shl I %b1, #I52
    %p2 = shl I %b2, #I52
    %f1 = bitcast I %p1 to T
    %f2 = bitcast I %p2 to T
    %t1 = fmul T %y, %f1
    %t = fmul T %t1, %f2
    %q0 = fdiv T %x, %t
    %q = call T @llvm.trunc.T(T %q0)
    %nq = fneg T %q
    %rest = call T @llvm.fma.T(T %nq, T %t, T %x)
    %under = fcmp olt T %rest, #0.0
    %back = fadd T %rest, %t
    %next = select M %under, T %back, T %rest
    %more = fcmp oge T %next, %y
    any %more, %loop, %done
done:
    %o1 = select M %fine, T %x0, T #nan
    %o2 = select M %go, T %next, T %o1
    %r = call T @llvm.copysign.T(T %o2, T %a)
    ret T %r
"""
_POWER = """
entry:
    <exponent>
    br label %loop
loop:
    %p = phi T [ #1, %entry ], [ %p1, %loop ]
    %x = phi T [ %a, %entry ], [ %x1, %loop ]
    %e = phi T [ %e0, %entry ], [ %e1, %loop ]
    %bit = and T %e, #1
    %odd = icmp ne T %bit, #0
    %m = mul T %p, %x
    %p1 = select M %odd, T %m, T %p
    %x1 = mul T %x, %x
    %e1 = lshr T %e, #1
    %more = icmp ne T %e1, #0
    any %more, %loop, %done
done:
    <result>
    ret T %r
"""
_SIGNED_RESULT = """
    %one = icmp eq T %a, #1
    %minus = icmp eq T %a, #-1
    %low = and T %b, #1
    %twice = shl T %low, #1
    %sign = sub T #1, %twice
    %n1 = select M %minus, T %sign, T #0
    %n2 = select M %one, T #1, T %n1
    %r = select M %negative, T %n2, T %p1
"""
# Stein's binary algorithm: only shifts and subtractions.
_GCD = """
entry:
    %either = or T %a, %b
    %za = icmp eq T %a, #0
    %zb = icmp eq T %b, #0
    %zero = or M %za, %zb
    %u0 = select M %zero, T #1, T %a
    %v0 = select M %zero, T #1, T %b
    %w0 = or T %u0, %v0
    %shift = call T @llvm.cttz.T(T %w0, i1 true)
    %ub = call T @llvm.cttz.T(T %u0, i1 true)
    %u1 = lshr T %u0, %ub
    br label %loop
loop:
    %u = phi T [ %u1, %entry ], [ %u2, %loop ]
    %v = phi T [ %v0, %entry ], [ %v2, %loop ]
    %run = icmp ne T %v, #0
    %v1 = select M %run, T %v, T #1
    %vb = call T @llvm.cttz.T(T %v1, i1 true)
    %vo = lshr T %v1, %vb
    %lo = call T @llvm.umin.T(T %u, T %vo)
    %hi = call T @llvm.umax.T(T %u, T %vo)
    %d = sub T %hi, %lo
    %u2 = select M %run, T %lo, T %u
    %v2 = select M %run, T %d, T #0
    %more = icmp ne T %v2, #0
    any %more, %loop, %done
done:
    %g = shl T %u2, %shift
    %r = select M %zero, T %either, T %g
    ret T %r
"""
_LCM = """
entry:
    %g = call T @stax.gcd.T(T %a, T %b)
    %one = call T @llvm.umax.T(T %g, T #1)
    %q = udiv T %a, %one
    %r = mul T %q, %b
    ret T %r
"""
ROUTINE_ROWS: dict[str, str] = {
    "fmod": _FMOD,
    "power.unsigned": _POWER.replace("<exponent>", "%e0 = or T %b, #0").replace("<result>", "%r = or T %p1, #0"),
    "power.signed": _POWER.replace("<exponent>", "%negative = icmp slt T %b, #0\n %e0 = select M %negative, T #0, T %b").replace(
        "<result>", _SIGNED_RESULT
    ),
    "gcd": _GCD,
    "lcm": _LCM,
}
_NAME = re.compile(r"(.*)\.(?:v(\d+))?([if]\d+)")
_LABEL = re.compile(r"^\s*(\w+):$", re.M)
_ANY = re.compile(r"any (%[\w.]+), (%\w+), (%\w+)")


def routine(name: str) -> tuple[str, tuple[str, ...]]:
    """The definition of `@stax.<name>` (such as `gcd.v16i32`) and the names of those that it calls."""
    match = _NAME.fullmatch(name)
    assert match is not None
    lanes, short = int(match[2] or 1), match[3]
    dtype = _DTYPES[short]
    form = ROUTINE_ROWS[match[1]]
    labels = set(_LABEL.findall(form))
    template = compile_form(form, dtype, dtype, lanes)
    text = template.text.format(n=0, a="%a", b="%b")
    for label in labels:
        text = text.replace(f"%{label}.0", f"%{label}")
    mask = vector("i1", lanes)

    def branch(found: re.Match[str]) -> str:
        if lanes == 1:
            return f"br i1 {found[1]}, label {found[2]}, label {found[3]}"
        test = f"%any = call i1 @llvm.vector.reduce.or.{suffix('i1', lanes)}({mask} {found[1]})"
        return f"{test}\n  br i1 %any, label {found[2]}, label {found[3]}"

    kind = vector({"f64": "double"}.get(short, short), lanes)
    text = _ANY.sub(branch, text)
    return f"define internal {kind} @stax.{name}({kind} %a, {kind} %b) nounwind {{\n{text}\n}}", template.needs
