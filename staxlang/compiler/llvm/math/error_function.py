"""erf and erfc: a polynomial near 0; beyond it 1 - p(x)^4 (f32) or e^(-x^2) h((x - 2) / (x + 2)) / (1 + 2x) (f64), own fits.

The mapping (x - 2) / (x + 2) is that of M. M. Shepherd, J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x",
Math. Comp. 36, 1981.
"""

from __future__ import annotations

from staxlang.compiler.llvm.math import coefficients as table
from staxlang.compiler.llvm.math.code import Code
from staxlang.compiler.llvm.math.exponential import exp_nonpositive


def _inner(code: Code, x: str) -> str:
    return code.fma(x, code.polynomial(code.mul(x, x), table.ERF_INNER_F32 if code.bits == 32 else table.ERF_INNER_F64), x)


def _erfc_beyond(code: Code, size: str) -> str:
    """erfc for size >= 1/2 (f64), with full relative accuracy: e^(-x^2) gets the rounding error of x^2 back."""
    top = code.const(28.0)
    size = code.select(code.compare("gt", size, top), top, size)
    two = code.const(2.0)
    h = code.polynomial(code.div(code.sub(size, two), code.add(size, two)), table.ERFC_F64)
    square, lost = code.two_product(size, size)
    h = code.div(h, code.fma(size, two, code.const(1.0)))
    return code.mul(exp_nonpositive(code, code.neg(square)), code.fma(code.neg(lost), h, h))


def erf(code: Code, x: str) -> str:
    size = code.unary("fabs", x)
    inner = _inner(code, x)
    if code.bits == 32:
        outer = _outer_f32(code, size)
        near = code.compare("lt", size, code.const(0.9277))
    else:
        outer = code.sub(code.const(1.0), _erfc_beyond(code, size))
        near = code.compare("lt", size, code.const(1.0))
    return code.select(near, inner, code.signed(outer, x))


def _outer_f32(code: Code, size: str) -> str:
    """1 - p^4 beyond the switch. p's terms cancel most near it: its first two are added last, by Horner's rule."""
    top = code.const(4.0)
    size = code.select(code.compare("gt", size, top), top, size)
    first, second, *others = table.ERF_OUTER_F32
    p = code.fma(size, code.fma(size, code.polynomial(size, others), code.const(second)), code.const(first))
    square = code.mul(p, p)
    return code.fma(code.neg(square), square, code.const(1.0))


def erfc(code: Code, x: str) -> str:
    size = code.unary("fabs", x)
    inner = code.sub(code.const(1.0), _inner(code, x))
    beyond = _erfc_beyond(code, size)
    outer = code.select(code.compare("lt", x, code.const(0.0)), code.sub(code.const(2.0), beyond), beyond)
    return code.select(code.compare("lt", size, code.const(0.5)), inner, outer)
