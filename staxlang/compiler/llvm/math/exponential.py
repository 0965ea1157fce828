"""exp and what is built on it: exp2, expm1, tanh, sigmoid, sinh, cosh.

Method: n = rint(x log2 e), r = x - n ln 2 with ln 2 in two parts, e^r - 1 by a polynomial, scaling by 2^n
(P. T. P. Tang, "Table-driven implementation of the exponential function in IEEE floating-point arithmetic", ACM TOMS 15, 1989,
without the table).
"""

from __future__ import annotations

from staxlang.compiler.llvm.math import coefficients as table
from staxlang.compiler.llvm.math.code import WHOLE_FROM, Code

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
# ln 2 with trailing zeros, so that n * high is exact, and the rest.
LN2_PARTS = {32: (0.693145751953125, 1.42860677e-06), 64: (0.6931471803691238, 1.9082149292705877e-10)}
# Beyond these the result is 0 or infinite whatever the argument.
RANGE = {32: (-104.5, 89.0), 64: (-746.0, 710.0)}


def reduced(code: Code, x: str, less: int = 0, below: bool = False) -> tuple[str, str]:
    """(2^(n - less) as `scale` takes it, r) with x = n ln 2 + r, |r| <= ln 2 / 2, for x within the format's exponents."""
    high, low = LN2_PARTS[code.bits]
    n, power = code.nearest(x, LOG2_E, less, below)
    r = code.fma(n, code.const(-high), x)
    return power, code.fma(n, code.const(-low), r)


def expm1_polynomial(code: Code, r: str) -> str:
    """e^r - 1 for |r| <= ln 2 / 2."""
    q = code.polynomial(r, table.EXP_F32 if code.bits == 32 else table.EXP_F64)
    return code.fma(code.mul(r, r), q, r)


def exp_fraction(code: Code, r: str) -> str:
    """e^r for |r| <= ln 2 / 2 in f64; what 1 + r loses is given back."""
    q = code.polynomial(r, table.EXP_F64)
    high, low = code.fast_two_sum(code.const(1.0), r)
    return code.add(high, code.fma(code.mul(r, r), q, low))


def _scaled(code: Code, r: str, power: str, below: bool = False) -> str:
    """2^n e^r"""
    if code.bits == 32:
        square = code.mul(r, r)
        return code.scale_grown(code.fma(square, code.pairs(r, square, table.EXP_F32), r), power, below)
    return code.scale(exp_fraction(code, r), power, below)


def exp(code: Code, x: str) -> str:
    power, r = reduced(code, code.clamp(x, *RANGE[code.bits]))
    return _scaled(code, r, power)


def exp_nonpositive(code: Code, x: str) -> str:
    """exp of what is not greater than 0, or NaN: nothing overflows, and one factor scales."""
    power, r = reduced(code, code.at_least(x, RANGE[code.bits][0]), below=True)
    return _scaled(code, r, power, below=True)


def exp_of_sum(code: Code, high: str, low: str) -> str:
    """e^(high + low) for f64, |low| at most the rounding error of |high|."""
    power, r = reduced(code, code.clamp(high, *RANGE[code.bits]))
    r, left = code.two_sum(r, low)
    tail = code.fma(code.mul(r, r), code.polynomial(r, table.EXP_F64), left)
    one, lost = code.fast_two_sum(code.const(1.0), r)
    return code.scale(code.add(one, code.add(lost, tail)), power)


def exp2(code: Code, x: str) -> str:
    low, high = RANGE[code.bits]
    x = code.clamp(x, low * 1.4427 - 1, high * 1.4427 + 1)
    n, power = code.nearest(x)
    f = code.sub(x, n)
    r = code.mul(f, code.const(LN2))
    error = code.fma(f, code.const(LN2), code.neg(r))
    if code.bits == 64:
        error = code.fma(f, code.const(2.3190468138462996e-17), error)
    p = code.add(expm1_polynomial(code, r), error)
    return code.scale_grown(p, power)


def _expm1(code: Code, x: str) -> str:
    """e^x - 1 up to the sign of zero; 2 (2^(n-1) p + (2^(n-1) - 1/2)) does not overflow before the result does."""
    power, r = reduced(code, code.clamp(x, *RANGE[code.bits]), less=1)
    s = code.scale(code.const(1.0), power)
    t = code.sub(s, code.const(0.5))
    if code.bits == 32:
        half = code.fma(s, expm1_polynomial(code, r), t)
    else:
        p, lost = code.fast_two_sum(r, code.mul(code.mul(r, r), code.polynomial(r, table.EXP_F64)))
        total, rest = code.two_sum(code.mul(s, p), t)
        half = code.add(total, code.fma(s, lost, rest))
    return code.add(half, half)


def expm1(code: Code, x: str) -> str:
    return _small_as_it_is(code, x, _expm1(code, x))


def _small_as_it_is(code: Code, x: str, y: str) -> str:
    """x itself where it is too small to differ from its function: the sign of zero and subnormal digits stay."""
    return code.select(code.compare("lt", code.unary("fabs", x), code.const(2.0**-30 if code.bits == 32 else 2.0**-60)), x, y)


def tanh(code: Code, x: str) -> str:
    """q / (q + 2) with q = e^(2|x|) - 1: no cancellation. For f64 the quotient is corrected by the parts that rounding lost."""
    size = code.unary("fabs", x)
    top = code.const(10.0 if code.bits == 32 else 22.0)
    size = code.select(code.compare("gt", size, top), top, size)
    double = code.add(size, size)
    if code.bits == 32:
        half = _half_expm1(code, double)
        return code.copysign(code.div(half, code.add(half, code.const(1.0))), x)
    power, r = reduced(code, double)
    square = code.mul(r, r)
    q = code.polynomial(r, table.EXP_F64)
    p, p_low = code.fast_two_sum(r, code.mul(square, q))
    s = code.scale(code.const(1.0), power)
    q, q_low = code.two_sum(code.mul(s, p), code.sub(s, code.const(1.0)))
    q_low = code.fma(s, p_low, q_low)
    d, d_low = code.two_sum(q, code.const(2.0))
    d_low = code.add(d_low, q_low)
    inverse = code.div(code.const(1.0), d)
    y = code.mul(q, inverse)
    rest = code.fma(code.neg(y), d, q)
    rest = code.add(rest, code.fma(code.neg(y), d_low, q_low))
    return code.copysign(code.fma(rest, inverse, y), x)


def _half_expm1(code: Code, x: str) -> str:
    """(e^x - 1) / 2 in f32 for 0 <= x <= 20 or NaN; 2^(n-1) comes from the last bits of n + 1.5 * 2^23."""
    high, low = LN2_PARTS[32]
    shift = code.const(WHOLE_FROM[32])
    shifted = code.fma(x, code.const(LOG2_E), shift)
    n = code.sub(shifted, shift)
    r = code.fma(n, code.const(-low), code.fma(n, code.const(-high), x))
    exponent = code.integer("shl", code.to_bits(shifted), code.whole(23))
    s = code.from_bits(code.integer("add", exponent, code.whole(126 << 23)))
    return code.fma(s, expm1_polynomial(code, r), code.sub(s, code.const(0.5)))


def sigmoid(code: Code, x: str) -> str:
    """1 / (1 + e^-|x|) or, for negative x, e^-|x| / (1 + e^-|x|): no overflow, small values keep their digits."""
    e = exp_nonpositive(code, code.neg(code.unary("fabs", x)))
    top = code.select(code.compare("lt", x, code.const(0.0)), e, code.const(1.0))
    if code.bits == 32:
        return code.div(top, code.add(e, code.const(1.0)))
    under, lost = code.fast_two_sum(code.const(1.0), e)
    inverse = code.div(code.const(1.0), under)
    y = code.mul(top, inverse)
    rest = code.fma(code.neg(y), lost, code.fma(code.neg(y), under, top))
    return code.fma(rest, inverse, y)


def sinh(code: Code, x: str) -> str:
    """(q + q / (q + 1)) / 2 with q = e^|x| - 1; where e^|x| would overflow, e^(|x| - ln 2)."""
    size = code.unary("fabs", x)
    q = _expm1(code, size)
    near = code.mul(code.const(0.5), code.add(q, code.div(q, code.add(q, code.const(1.0)))))
    return _small_as_it_is(code, x, code.copysign(_with_large(code, size, near), x))


def cosh(code: Code, x: str) -> str:
    size = code.unary("fabs", x)
    e = exp(code, size)
    near = code.fma(code.const(0.5), e, code.div(code.const(0.5), e))
    return _with_large(code, size, near)


def _with_large(code: Code, size: str, near: str) -> str:
    """`near`, or e^size / 2 where e^-size no longer counts; a second exponential only where some lane is that large."""
    large = code.compare("gt", size, code.const(30.0))
    return code.rarely(code.some(large), [(code.type, near)], lambda: [code.select(large, _half_exp(code, size), near)])[0]


def _half_exp(code: Code, size: str) -> str:
    """e^size / 2 without overflow before the result's own."""
    power, r = reduced(code, code.clamp(size, -1.0, RANGE[code.bits][1] + 2), less=1)
    return _scaled(code, r, power)
