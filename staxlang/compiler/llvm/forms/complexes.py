"""Complex operations as LLVM text over components: T is the component's type, %ar %ai the parts of a, %r and %s those of the result."""

from __future__ import annotations

_OWN: dict[str, str] = {
    "add": "%r = fadd T %ar, %br\n %s = fadd T %ai, %bi",
    "subtract": "%r = fsub T %ar, %br\n %s = fsub T %ai, %bi",
    "multiply": """
        %x1 = fmul T %ar, %br
        %x2 = fmul T %ai, %bi
        %r = fsub T %x1, %x2
        %x3 = fmul T %ar, %bi
        %x4 = fmul T %ai, %br
        %s = fadd T %x3, %x4""",
    # Smith's division (R. L. Smith, Algorithm 116, CACM 1962): scaled by the larger component of the divisor, as NumPy does it.
    "divide": """
        %pr = call T @llvm.fabs.T(T %br)
        %pi = call T @llvm.fabs.T(T %bi)
        %swap = fcmp olt T %pr, %pi
        %big = select M %swap, T %bi, T %br
        %small = select M %swap, T %br, T %bi
        %both = fadd T %pr, %pi
        %zero = fcmp oeq T %both, #0.0
        %one = select M %zero, T #1.0, T %big
        %q0 = fdiv T %small, %one
        %q = select M %zero, T #0.0, T %q0
        %m = fmul T %small, %q
        %d = fadd T %big, %m
        %i = fdiv T #1.0, %d
        %u1 = fmul T %ar, %q
        %u2 = fmul T %ai, %q
        %r1 = fadd T %ar, %u2
        %r2 = fadd T %u1, %ai
        %r3 = select M %swap, T %r2, T %r1
        %s1 = fsub T %ai, %u1
        %s2 = fsub T %u2, %ar
        %s3 = select M %swap, T %s2, T %s1
        %r4 = fmul T %r3, %i
        %s4 = fmul T %s3, %i
        %r5 = fdiv T %ar, %pr
        %s5 = fdiv T %ai, %pr
        %r = select M %zero, T %r5, T %r4
        %s = select M %zero, T %s5, T %s4""",
    "negative": "%r = fneg T %ar\n %s = fneg T %ai",
    "positive": "%r = fadd T %ar, #-0.0\n %s = fadd T %ai, #-0.0",
    "conjugate": "%r = fadd T %ar, #-0.0\n %s = fneg T %ai",
    "square": """
        %x1 = fmul T %ar, %ar
        %x2 = fmul T %ai, %ai
        %r = fsub T %x1, %x2
        %x3 = fmul T %ar, %ai
        %s = fadd T %x3, %x3""",
    "real": "%r = fadd T %ar, #-0.0",
    "imag": "%r = fadd T %ai, #-0.0",
    "equal": "%x = fcmp oeq T %ar, %br\n %y = fcmp oeq T %ai, %bi\n %r = and M %x, %y",
    "not_equal": "%x = fcmp une T %ar, %br\n %y = fcmp une T %ai, %bi\n %r = or M %x, %y",
    "isnan": "%r = fcmp uno T %ar, %ai",
    "isinf": """
        %x = call T @llvm.fabs.T(T %ar)
        %y = call T @llvm.fabs.T(T %ai)
        %u = fcmp oeq T %x, #inf
        %w = fcmp oeq T %y, #inf
        %r = or M %u, %w""",
    "isfinite": """
        %x = call T @llvm.fabs.T(T %ar)
        %y = call T @llvm.fabs.T(T %ai)
        %u = fcmp one T %x, #inf
        %w = fcmp one T %y, #inf
        %r = and M %u, %w""",
    "logical_not": "%x = fcmp oeq T %ar, #0.0\n %y = fcmp oeq T %ai, #0.0\n %r = and M %x, %y",
    "where": "%r = select M %ar, T %br, T %cr\n %s = select M %ar, T %bi, T %ci",
}
_NONZERO = """
    %ax = fcmp une T %ar, #0.0
    %ay = fcmp une T %ai, #0.0
    %p = or M %ax, %ay
    %bx = fcmp une T %br, #0.0
    %by = fcmp une T %bi, #0.0
    %q = or M %bx, %by
"""


def _order(strict: str, last: str) -> str:
    """NumPy orders complex numbers by real part, then imaginary part."""
    return f"""
        %x = fcmp {strict} T %ar, %br
        %n1 = fcmp uno T %ai, %bi
        %n = xor M %n1, #Mtrue
        %g = and M %x, %n
        %e = fcmp oeq T %ar, %br
        %y = fcmp {last} T %ai, %bi
        %w = and M %e, %y
        %r = or M %g, %w"""


COMPLEX_ROWS: dict[str, str] = {
    **_OWN,
    **{f"logical_{op}": _NONZERO + f"%r = {op} M %p, %q" for op in ("and", "or", "xor")},
    "less": _order("olt", "olt"),
    "less_equal": _order("olt", "ole"),
    "greater": _order("ogt", "ogt"),
    "greater_equal": _order("ogt", "oge"),
}
