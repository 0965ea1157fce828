"""log and what is built on it: log2, log10, log1p, softplus, logaddexp, arcsinh, arccosh, arctanh.

Method: x = 2^k m with m in [sqrt 1/2, sqrt 2); log m by a polynomial in f = m - 1 (f32) or in s = f / (2 + f) (f64)
(as in FDLIBM's e_log.c, Sun Microsystems 1993; own fits).
"""

from __future__ import annotations

import math

from staxlang.compiler.llvm.math import coefficients as table
from staxlang.compiler.llvm.math.code import Code
from staxlang.compiler.llvm.math.exponential import LN2_PARTS, exp2, exp_nonpositive

# bits of sqrt(1/2), digits of the fraction, smallest normal number, what lifts subnormal numbers, and by how many powers
FORMAT = {32: (0x3F3504F3, 23, 1.1754943508222875e-38, 2.0**24, 24.0), 64: (0x3FE6A09E667F3BCD, 52, 2.2250738585072014e-308, 2.0**54, 54.0)}
LOG2_E_PARTS = {32: (1.44269502162933349609, 1.9259629911e-8), 64: (1.4426950408889634, 2.0355273740931033e-17)}
LOG10_E_PARTS = {32: (0.434294492006301879883, -1.0103050118e-8), 64: (0.4342944819032518, 1.098319650216765e-17)}
# log10 2 with trailing zeros, so that k * high is exact, and the rest.
LOG10_2_PARTS = {32: (0.301025390625, 4.605038981195214e-06), 64: (0.3010299956640665, -8.532344317057107e-14)}


def unusual(code: Code, x: str) -> str:
    """Whether any lane is not a positive, normal, finite number (an i1)."""
    return code.some(unusual_lanes(code, x))


def unusual_lanes(code: Code, x: str) -> str:
    digits, normal = FORMAT[code.bits][1:3]
    least = round(math.log2(normal)) + (1 << (code.bits - digits - 2)) - 1 << digits
    infinite = (1 << (code.bits - digits - 1)) - 1 << digits
    return code.compare_whole("uge", code.integer("sub", code.to_bits(x), code.whole(least)), code.whole(infinite - least))


def lifted_usual(code: Code, x: str, one: int, rare: str) -> tuple[str, str]:
    """Positive finite x without subnormal numbers, and the bits that count as 2**0 for `Code.exponent`: `one`, of numbers that were
    multiplied more. Subnormal numbers are looked for only if `rare` is set."""
    _, digits, normal, lift, powers = FORMAT[code.bits]

    def lifted() -> tuple[str, str]:
        small = code.compare("lt", x, code.const(normal))
        start = code.select_whole(small, code.whole(one + (int(powers) << digits)), code.whole(one))
        return code.select(small, code.mul(x, code.const(lift)), x), start

    usual, start = code.rarely(rare, [(code.type, x), (code.integers, code.whole(one))], lifted)
    return usual, start


def split_usual(code: Code, x: str, rare: str) -> tuple[str, str]:
    """(k, m - 1) for positive finite x, k a whole float; subnormal numbers are looked for only if `rare` is set."""
    root = FORMAT[code.bits][0]
    usual, one = lifted_usual(code, x, root, rare)
    k, fraction = code.exponent(code.to_bits(usual), one)
    return k, code.sub(code.from_bits(code.integer("add", fraction, code.whole(root))), code.const(1.0))


def tail(code: Code, f: str) -> str:
    """log(1 + f) - f, f in [sqrt 1/2 - 1, sqrt 2 - 1]."""
    if code.bits == 32:
        square = code.mul(f, f)
        cube = code.mul(square, f)
        return code.fma(cube, code.polynomial(f, table.LOG_F32), code.mul(square, code.const(-0.5)))
    s = code.div(f, code.add(f, code.const(2.0)))
    z = code.mul(s, s)
    r = code.mul(z, code.polynomial(z, table.LOG_F64))
    half = code.mul(code.mul(f, f), code.const(0.5))
    return code.fma(s, code.add(half, r), code.neg(half))


def edges(code: Code, x: str, y: str) -> str:
    """log's special values: -inf at 0, NaN below, inf at inf; NaN stays (y is whatever came out for those)."""
    y = code.select(code.compare("lt", x, code.const(float("inf"))), y, x)
    y = code.select(code.compare("eq", x, code.const(0.0)), code.const(float("-inf")), y)
    return code.select(code.compare("lt", x, code.const(0.0)), code.const(float("nan")), y)


def log(code: Code, x: str) -> str:
    high, low = LN2_PARTS[code.bits]
    rare = unusual(code, x)
    k, f = split_usual(code, x, rare)
    small = code.fma(k, code.const(low), tail(code, f))
    y = code.fma(k, code.const(high), code.add(f, small))
    return code.rarely(rare, [(code.type, y)], lambda: [edges(code, x, y)])[0]


def _log_of_base(code: Code, x: str, parts: tuple[float, float], per_power: tuple[float, float] | None) -> str:
    """log x times the constant whose two parts are given; `per_power` is log_b 2 in two parts (None: 1)."""
    rare = unusual(code, x)
    k, f = split_usual(code, x, rare)
    small = code.fma(f, code.const(parts[1]), code.mul(tail(code, f), code.const(parts[0])))
    if per_power is None:
        y = code.add(k, code.fma(f, code.const(parts[0]), small))
    else:
        small = code.fma(k, code.const(per_power[1]), small)
        y = code.fma(k, code.const(per_power[0]), code.fma(f, code.const(parts[0]), small))
    return code.rarely(rare, [(code.type, y)], lambda: [edges(code, x, y)])[0]


def log2(code: Code, x: str) -> str:
    return _log_of_base(code, x, LOG2_E_PARTS[code.bits], None)


def log10(code: Code, x: str) -> str:
    return _log_of_base(code, x, LOG10_E_PARTS[code.bits], LOG10_2_PARTS[code.bits])


def log1p(code: Code, x: str) -> str:
    """log(u) + c / u with u = 1 + x rounded and c what rounding lost."""
    high, low = LN2_PARTS[code.bits]
    one = code.const(1.0)
    u = code.add(x, one)
    lost = code.select(code.compare("ge", code.unary("fabs", x), one), code.sub(one, code.sub(u, x)), code.sub(x, code.sub(u, one)))
    rare = unusual(code, u)
    k, f = split_usual(code, u, rare)
    small = code.fma(k, code.const(low), code.add(tail(code, f), code.div(lost, u)))
    y = code.fma(k, code.const(high), code.add(f, small))
    y = code.rarely(rare, [(code.type, y)], lambda: [edges(code, u, y)])[0]
    return code.select(code.compare("eq", x, code.const(0.0)), x, y)


def softplus(code: Code, x: str) -> str:
    """log(1 + e^x) = max(x, 0) + log1p(e^-|x|)."""
    e = exp_nonpositive(code, code.neg(code.unary("fabs", x)))
    positive = code.select(code.compare("gt", x, code.const(0.0)), x, code.const(0.0))
    return code.add(positive, log1p(code, e))


def logaddexp(code: Code, a: str, b: str) -> str:
    larger = code.select(code.compare("gt", a, b), a, b)
    distance = code.neg(code.unary("fabs", code.sub(a, b)))
    value = code.add(larger, log1p(code, exp_nonpositive(code, distance)))
    # Equal infinities: their difference is NaN, their sum's logarithm is the same infinity.
    same = code.compare("eq", a, b)
    value = code.select(same, code.add(a, code.const(0.6931471805599453)), value)
    return code.select(code.compare("unordered", a, b), code.add(a, b), value)


def logaddexp2(code: Code, a: str, b: str) -> str:
    larger = code.select(code.compare("gt", a, b), a, b)
    distance = code.neg(code.unary("fabs", code.sub(a, b)))
    value = code.fma(log1p(code, exp2(code, distance)), code.const(1.4426950408889634), larger)
    value = code.select(code.compare("eq", a, b), code.add(a, code.const(1.0)), value)
    return code.select(code.compare("unordered", a, b), code.add(a, b), value)


def arcsinh(code: Code, x: str) -> str:
    """log1p(t + t^2 / (1 + sqrt(1 + t^2))), t = |x|; log t + ln 2 where t^2 would overflow."""
    t = code.unary("fabs", x)
    large = code.compare("gt", t, code.const(1e8))
    bounded = code.select(large, code.const(1.0), t)
    square = code.mul(bounded, bounded)
    root = code.unary("sqrt", code.add(square, code.const(1.0)))
    near = log1p(code, code.add(bounded, code.div(square, code.add(root, code.const(1.0)))))
    return code.copysign(code.select(large, code.add(log(code, t), code.const(0.6931471805599453)), near), x)


def arccosh(code: Code, x: str) -> str:
    """log1p(t + sqrt(2 t + t^2)), t = x - 1."""
    large = code.compare("gt", x, code.const(1e8))
    t = code.sub(code.select(large, code.const(2.0), x), code.const(1.0))
    near = log1p(code, code.add(t, code.unary("sqrt", code.fma(t, t, code.add(t, t)))))
    value = code.select(large, code.add(log(code, x), code.const(0.6931471805599453)), near)
    return code.select(code.compare("lt", x, code.const(1.0)), code.const(float("nan")), value)


def arctanh(code: Code, x: str) -> str:
    """log1p(2 t / (1 - t)) / 2, t = |x|."""
    t = code.unary("fabs", x)
    ratio = code.div(code.add(t, t), code.sub(code.const(1.0), t))
    return code.copysign(code.mul(log1p(code, ratio), code.const(0.5)), x)
