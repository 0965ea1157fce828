"""power, cbrt and hypot.

power: log |x| in two parts, from a table of 128 reciprocals and a polynomial, times y, exponentiated with both parts;
f32 is computed in f64 (after S. Nagy, "Optimized mathematical functions", Arm 2018, in own form).
"""

from __future__ import annotations

from staxlang.compiler.llvm.math import coefficients as table
from staxlang.compiler.llvm.math.code import WHOLE_FROM, Code
from staxlang.compiler.llvm.math.exponential import LN2_PARTS, exp_of_sum
from staxlang.compiler.llvm.math.logarithm import FORMAT, lifted_usual, split_usual, unusual, unusual_lanes

LN2_42 = (0.6931471805598903, 5.497923018708371e-14)  # ln 2 with 42 bits after the point, and the rest
SQUARES = (0x05E0000000000000, 0x7E00000000000000)  # bits of f64: sums of squares between lose nothing that counts, and are finite
HALVED_FROM = 53  # parts of [1, 2) from here on are taken as halves, see tools/fit_polynomials.py


def _lookup(code: Code, name: str, values: tuple[float, ...], index: str) -> str:
    symbol = f"@stax_{name}"
    code.module[f"{symbol} = internal unnamed_addr constant [{len(values)} x double] [{', '.join(_double(v) for v in values)}]"] = None
    if code.width == 1:
        place = code.emit(f"getelementptr double, ptr {symbol}, i64 {index}")
        return code.emit(f"load double, ptr {place}")
    pointers = f"<{code.width} x ptr>"
    place = code.emit(f"getelementptr double, ptr {symbol}, {code.integers} {index}")
    name = f"@llvm.masked.gather.v{code.width}f64.v{code.width}p0"
    # In the form that loads of arrays have too: LLVM's parser crashes on a module that calls one name in two forms.
    code.module[f"declare {code.type} {name}({pointers}, {code.masks}, {code.type})"] = None
    return code.emit(f"call {code.type} {name}({pointers} align 8 {place}, {code.masks} splat (i1 true), {code.type} poison)")


def _double(value: float) -> str:
    return "double " + Code(64, 1, str, False).const(value)


def log_in_two_parts(code: Code, x: str, rare: str) -> tuple[str, str]:
    """log x as a sum, to about 65 bits, for positive x; infinite or NaN where x is 0, infinite or NaN. `rare`: some x is not usual."""
    one = 1022 << 52 | HALVED_FROM << 45
    usual, start = lifted_usual(code, x, one, rare)
    bits = code.to_bits(usual)
    index = code.integer("and", code.integer("lshr", bits, code.whole(45)), code.whole(127))
    k, _ = code.exponent(bits, start)
    m = code.from_bits(code.integer("or", code.integer("and", bits, code.whole((1 << 52) - 1)), code.whole(1023 << 52)))
    r = code.fma(m, _lookup(code, "log_inverse", table.LOG_TABLE_INVERSE, index), code.const(-1.0))
    base = code.fma(k, code.const(LN2_42[0]), _lookup(code, "log_high", table.LOG_TABLE_HIGH, index))
    base_low = code.fma(k, code.const(LN2_42[1]), _lookup(code, "log_low", table.LOG_TABLE_LOW, index))
    square, square_low = code.two_product(r, r)
    half, half_low = code.mul(square, code.const(-0.5)), code.mul(square_low, code.const(-0.5))
    cubic = code.mul(code.mul(square, r), code.polynomial(r, table.LOG_TABLE_F64))
    total, low1 = code.two_sum(base, r)
    total, low2 = code.two_sum(total, half)
    low = code.add(code.add(low1, low2), code.add(code.add(base_low, half_low), cubic))
    high, low = code.fast_two_sum(total, low)

    def edges() -> tuple[str, str]:
        at_zero = code.compare("eq", x, code.const(0.0))
        bad = code.logic("or", at_zero, code.compare("eq", x, code.const(float("inf"))))
        bad = code.logic("or", bad, code.compare("unordered", x, x))
        edge = code.select(at_zero, code.const(float("-inf")), x)
        return code.select(bad, edge, high), code.select(bad, code.const(0.0), low)

    high, low = code.rarely(rare, [(code.type, high), (code.type, low)], edges)
    return high, low


def power(code: Code, x: str, y: str) -> str:
    size = code.unary("fabs", x)
    rare = _unusual(code, x, y)
    value = _power_of_size(code, size, y, rare) if code.bits == 64 else power_in_double(code, size, y, rare)
    return code.rarely(rare, [(code.type, value)], lambda: [_special(code, x, y, value)])[0]


def _unusual(code: Code, x: str, y: str) -> str:
    """Whether some x is not positive, normal and finite, or some y not finite: there are rules of their own (an i1)."""
    digits = FORMAT[code.bits][1]
    infinite = code.whole((1 << (code.bits - digits - 1)) - 1 << digits)
    unsigned = code.integer("and", code.to_bits(y), code.whole((1 << (code.bits - 1)) - 1))
    return code.some(code.logic("or", unusual_lanes(code, x), code.compare_whole("uge", unsigned, infinite)))


def _power_of_size(code: Code, size: str, y: str, rare: str) -> str:
    high, low = log_in_two_parts(code, size, rare)
    product, lost = code.two_product(y, high)
    lost = code.fma(y, low, lost)
    # Where the product is infinite or NaN, or y or the logarithm was, its error is meaningless.
    finite = code.compare("lt", code.unary("fabs", product), code.const(1e4))
    return exp_of_sum(code, product, code.select(finite, lost, code.const(0.0)))


def power_in_double(code: Code, size: str, y: str, rare: str) -> str:
    """|x|**y for f32: x is taken apart in f32, the logarithm of its fraction and the power of two are short polynomials in f64."""
    k, f = split_usual(code, size, rare)
    wide = code.other(64)
    wk, wf, wy = [wide.emit(f"fpext {code.type} {one} to {wide.type}") for one in (k, f, y)]
    logarithm = wide.fma(wf, wide.polynomial(wf, table.LOG2_F32_IN_F64), wk)

    def edges() -> list[str]:
        edge = code.select(code.compare("eq", size, code.const(0.0)), code.const(float("-inf")), size)
        inside = code.logic("and", code.compare("gt", size, code.const(0.0)), code.compare("lt", size, code.const(float("inf"))))
        return [wide.select(inside, logarithm, wide.emit(f"fpext {code.type} {edge} to {wide.type}"))]

    (logarithm,) = wide.rarely(rare, [(wide.type, logarithm)], edges)
    e = wide.clamp(wide.mul(wy, logarithm), -200.0, 200.0)
    shifted = wide.add(e, wide.const(WHOLE_FROM[64]))
    r = wide.sub(e, wide.sub(shifted, wide.const(WHOLE_FROM[64])))
    p = wide.mul(r, wide.polynomial(r, table.EXP2_F32_IN_F64))
    s = wide.from_bits(wide.integer("add", wide.integer("shl", wide.to_bits(shifted), wide.whole(52)), wide.whole(1023 << 52)))
    return code.emit(f"fptrunc {wide.type} {wide.fma(p, s, s)} to {code.type}")


def _special(code: Code, x: str, y: str, value: str) -> str:
    """IEEE 754's rules: sign for odd whole y, NaN for negative x and other y, 1 for x = 1, y = 0, and (-1)**inf."""
    one, zero = code.const(1.0), code.const(0.0)
    whole = code.compare("eq", code.unary("rint", y), y)
    half = code.mul(y, code.const(0.5))
    odd = code.logic("and", whole, code.compare("ne", code.unary("rint", half), half))
    flipped = code.select(odd, code.copysign(value, x), value)
    unreal = code.logic("and", code.compare("lt", x, zero), code.compare("ne", code.unary("rint", y), y))
    unreal = code.logic("and", unreal, code.compare("gt", x, code.const(float("-inf"))))
    flipped = code.select(unreal, code.const(float("nan")), flipped)
    endless = code.compare("eq", code.unary("fabs", y), code.const(float("inf")))
    unit = code.logic("or", code.compare("eq", x, one), code.compare("eq", y, zero))
    unit = code.logic("or", unit, code.logic("and", code.compare("eq", x, code.const(-1.0)), endless))
    return code.select(unit, one, flipped)


def cbrt(code: Code, x: str) -> str:
    """|x| = 2^(3q) m, m in [1, 8): a guess at 1 / cbrt m, for f64 bettered by a cubic step; m times its square, and one step of Newton's
    iteration with an exact residual. Nothing is divided."""
    digits = FORMAT[code.bits][1]
    one = (1 << (code.bits - digits - 2)) - 1 << digits
    size = code.unary("fabs", x)
    rare = unusual(code, size)
    usual, start = lifted_usual(code, size, one, rare)
    exponent, fraction = code.exponent(code.to_bits(usual), start)
    m = code.from_bits(code.integer("or", fraction, code.whole(one)))
    q = code.unary("floor", code.fma(exponent, code.const(1 / 3), code.const(1 / 6)))
    j = code.fma(q, code.const(-3.0), exponent)
    first, second = code.compare("eq", j, code.const(1.0)), code.compare("eq", j, code.const(2.0))
    r = code.polynomial(m, table.CBRT_INVERSE_F32 if code.bits == 32 else table.CBRT_INVERSE_F64)
    r = code.mul(r, code.select(second, code.const(2 ** (-2 / 3)), code.select(first, code.const(2 ** (-1 / 3)), code.const(1.0))))
    m = code.mul(m, code.select(second, code.const(4.0), code.select(first, code.const(2.0), code.const(1.0))))
    if code.bits == 64:
        off = code.fma(code.neg(code.mul(m, r)), code.mul(r, r), code.const(1.0))
        r = code.fma(code.mul(r, off), code.fma(off, code.const(2 / 9), code.const(1 / 3)), r)
    square = code.mul(r, r)
    y = code.mul(m, square)
    high, low = code.two_product(y, y)
    residual = code.fma(code.neg(low), y, code.fma(code.neg(high), y, m))
    y = code.fma(residual, code.mul(square, code.const(1 / 3)), y)
    value = code.copysign(code.scale_usual(y, q), x)

    def edges() -> list[str]:
        inside = code.logic("and", code.compare("gt", size, code.const(0.0)), code.compare("lt", size, code.const(float("inf"))))
        return [code.select(inside, value, x)]

    return code.rarely(rare, [(code.type, value)], edges)[0]


def hypot(code: Code, x: str, y: str) -> str:
    """sqrt(a^2 + b^2), a >= b, with one rounding fewer than products and sum have. Where squares might leave the format's range they are
    scaled by a power of two, out of the straight line."""
    ax, ay = code.unary("fabs", x), code.unary("fabs", y)
    swap = code.compare("lt", ax, ay)
    a, b = code.select(swap, ay, ax), code.select(swap, ax, ay)
    total = code.fma(b, b, code.mul(a, a))
    from_least = code.integer("sub", code.to_bits(total), code.whole(SQUARES[0]))
    rare = code.some(code.compare_whole("uge", from_least, code.whole(SQUARES[1] - SQUARES[0])))
    return code.rarely(rare, [(code.type, code.unary("sqrt", total))], lambda: [_scaled_hypot(code, a, b)])[0]


def _scaled_hypot(code: Code, a: str, b: str) -> str:
    """The same for any numbers, a >= b unless one of them is NaN."""
    infinite = code.const(float("inf"))
    large, small = code.compare("gt", a, code.const(1e150)), code.compare("lt", a, code.const(1e-140))
    factor = code.select(large, code.const(2.0**-600), code.select(small, code.const(2.0**600), code.const(1.0)))
    back = code.select(large, code.const(2.0**600), code.select(small, code.const(2.0**-600), code.const(1.0)))
    scaled, other = code.mul(a, factor), code.mul(b, factor)
    h = code.mul(code.unary("sqrt", code.fma(other, other, code.mul(scaled, scaled))), back)
    some = code.logic("or", code.compare("eq", a, infinite), code.compare("eq", b, infinite))
    return code.select(some, infinite, h)


def hypot_f32(code: Code, x: str, y: str) -> str:
    """f32 in f64, where nothing overflows and the sum of squares is nearly exact."""
    wide = code.other(64)
    wx, wy = (wide.emit(f"fpext {code.type} {v} to {wide.type}") for v in (x, y))
    h = wide.unary("sqrt", wide.fma(wx, wx, wide.mul(wy, wy)))
    infinite = wide.const(float("inf"))
    some = wide.logic("or", wide.compare("eq", wide.unary("fabs", wx), infinite), wide.compare("eq", wide.unary("fabs", wy), infinite))
    return code.emit(f"fptrunc {wide.type} {wide.select(some, infinite, h)} to {code.type}")


__all__ = ["LN2_PARTS", "cbrt", "hypot", "hypot_f32", "power"]
