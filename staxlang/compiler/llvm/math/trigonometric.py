"""sin, cos, tan and their inverses.

Method: x = n pi/2 + r, |r| <= pi/4, with pi/2 in three parts (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980);
lanes too large for that take another path, with as many digits of 2/pi as the exponent asks for
(M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983).
"""

from __future__ import annotations

from staxlang.compiler.llvm.math import coefficients as table
from staxlang.compiler.llvm.math.code import WHOLE_FROM, Code

TWO_OVER_PI = 0.6366197723675814
HALF_PI_F32 = (1.5707855224609375, 1.0804389603435993e-05, -5.564431554416771e-11)  # 17, 17 and 24 bits
HALF_PI_F64 = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)  # 33, 33 and 53 bits
LIMIT = {32: 8192.0, 64: 524288.0}
HALF_PI = {32: (1.57079637050628662109375, -4.37113900018624283e-8), 64: (1.5707963267948966, 6.123233995736766e-17)}
QUARTER_PI = {32: (0.785398185253143310546875, -2.18556950009312141e-8), 64: (0.7853981633974483, 3.061616997868383e-17)}
PI = {32: (3.1415927410125732421875, -8.74227800037248566e-8), 64: (3.141592653589793, 1.2246467991473532e-16)}


def reduced(code: Code, x: str) -> tuple[str, str, str]:
    """(integers whose last two digits are n's, r, what r lost)."""
    shift = code.const(WHOLE_FROM[code.bits])
    shifted = code.fma(x, code.const(TWO_OVER_PI), shift)
    n = code.sub(shifted, shift)
    if code.bits == 32:
        r = code.fma(n, code.const(-HALF_PI_F32[0]), x)
        before = code.fma(n, code.const(-HALF_PI_F32[1]), r)
        r = code.fma(n, code.const(-HALF_PI_F32[2]), before)
        lost = code.fma(n, code.const(-HALF_PI_F32[2]), code.sub(before, r))
    else:
        first = code.fma(n, code.const(-HALF_PI_F64[0]), x)
        r, lost = code.two_sum(first, code.mul(n, code.const(-HALF_PI_F64[1])))
        r, lost = code.fast_two_sum(r, code.fma(n, code.const(-HALF_PI_F64[2]), lost))
    large = code.compare("gt", code.unary("fabs", x), code.const(LIMIT[code.bits]))
    return _with_large(code, x, large, code.to_bits(shifted), r, lost)


def _with_large(code: Code, x: str, large: str, n: str, r: str, lost: str) -> tuple[str, str, str]:
    """The same values but for the large lanes, computed by a function that is called only if there is one."""
    here, slow, join = (code.fresh().lstrip("%") for _ in range(3))
    code.lines += [f"br label %{here}", f"{here}:"]
    code.lines += [f"br i1 {code.some(large)}, label %{slow}, label %{join}", f"{slow}:"]
    function = _large_function(code)
    triple = f"{{{code.integers}, {code.type}, {code.type}}}"
    got = code.emit(
        f"call {triple} {function}({code.type} {x}, {code.masks} {large}, {code.integers} {n}, {code.type} {r}, {code.type} {lost})"
    )
    parts = [code.emit(f"extractvalue {triple} {got}, {k}") for k in range(3)]
    code.lines += [f"br label %{join}", f"{join}:"]
    merged = [
        code.emit(f"phi {kind} [{old}, %{here}], [{new}, %{slow}]")
        for kind, old, new in zip((code.integers, code.type, code.type), (n, r, lost), parts, strict=True)
    ]
    return merged[0], merged[1], merged[2]


def _large_function(code: Code) -> str:
    """Defines, once a module, the function that reduces the marked lanes of a vector, one after the other through memory."""
    for line in (_SCALAR, _digits()):
        code.module[line] = None
    name = f"@stax_large_angles_f{code.bits}x{code.width}"
    triple = f"{{{code.integers}, {code.type}, {code.type}}}"
    element, whole = ("float", "i32") if code.bits == 32 else ("double", "i64")
    bytes_mask = "i8" if code.width == 1 else f"<{code.width} x i8>"
    narrow = code.bits == 32
    stored = [("x", code.type), ("n", code.integers), ("r", code.type), ("l", code.type)]
    body = [
        f"define internal {triple} {name}({code.type} %x, {code.masks} %large, {code.integers} %n, "
        f"{code.type} %r, {code.type} %l) noinline {{",
        "entry:",
        f"  %m = zext {code.masks} %large to {bytes_mask}",
        f"  %pm = alloca {bytes_mask}",
        f"  store {bytes_mask} %m, ptr %pm",
    ]
    for value, kind in stored:
        body += [f"  %p{value} = alloca {kind}", f"  store {kind} %{value}, ptr %p{value}"]
    body += [
        "  br label %lane",
        "lane:",
        "  %k = phi i64 [0, %entry], [%k1, %next]",
        "  %am = getelementptr i8, ptr %pm, i64 %k",
        "  %b = load i8, ptr %am",
        "  %here = trunc i8 %b to i1",
        "  br i1 %here, label %do, label %next",
        "do:",
        f"  %ax = getelementptr {element}, ptr %px, i64 %k",
        f"  %e = load {element}, ptr %ax",
        "  %w = fpext float %e to double" if narrow else "  %w = fadd double %e, -0.0",
        "  %t = call {i64, double, double} @stax_large_angle(double %w)",
    ]
    for part, (value, wide, kind) in enumerate((("n", "i64", whole), ("r", "double", element), ("l", "double", element))):
        body.append(f"  %t{part} = extractvalue {{i64, double, double}} %t, {part}")
        if narrow:
            body.append(f"  %c{part} = {'trunc' if part == 0 else 'fptrunc'} {wide} %t{part} to {kind}")
        body += [
            f"  %a{value} = getelementptr {kind}, ptr %p{value}, i64 %k",
            f"  store {kind} %{'c' if narrow else 't'}{part}, ptr %a{value}",
        ]
    body += [
        "  br label %next",
        "next:",
        "  %k1 = add i64 %k, 1",
        f"  %more = icmp ult i64 %k1, {code.width}",
        "  br i1 %more, label %lane, label %done",
        "done:",
    ]
    before = "poison"
    for part, (value, kind) in enumerate(stored[1:]):
        body += [f"  %v{value} = load {kind}, ptr %p{value}", f"  %o{part} = insertvalue {triple} {before}, {kind} %v{value}, {part}"]
        before = f"%o{part}"
    body += [f"  ret {triple} %o2", "}"]
    code.module["\n".join(body)] = None
    return name


def _digits() -> str:
    words = ", ".join(f"i64 {w if w < 1 << 63 else w - (1 << 64)}" for w in (0, *table.TWO_OVER_PI))
    return f"@stax_two_over_pi = internal unnamed_addr constant [{len(table.TWO_OVER_PI) + 1} x i64] [{words}]"


# |x| = M 2^e. The product of M and the 192 digits of 2/pi that start where multiples of 4 end, modulo 2^192, is x's angle as a fraction
# of a full turn: two bits of quadrant, then the fraction of a quadrant, taken as a signed number of 126 bits.
_SCALAR = """define internal {i64, double, double} @stax_large_angle(double %x) noinline {
  %bits = bitcast double %x to i64
  %e0 = lshr i64 %bits, 52
  %e1 = and i64 %e0, 2047
  %finite = icmp ne i64 %e1, 2047
  %e2 = select i1 %finite, i64 %e1, i64 1075
  %m0 = and i64 %bits, 4503599627370495
  %m = or i64 %m0, 4503599627370496
  %p = sub i64 %e2, 1013
  %word = lshr i64 %p, 6
  %shift = and i64 %p, 63
  %a0 = getelementptr i64, ptr @stax_two_over_pi, i64 %word
  %a1 = getelementptr i64, ptr %a0, i64 1
  %a2 = getelementptr i64, ptr %a0, i64 2
  %a3 = getelementptr i64, ptr %a0, i64 3
  %d0 = load i64, ptr %a0
  %d1 = load i64, ptr %a1
  %d2 = load i64, ptr %a2
  %d3 = load i64, ptr %a3
  %w0 = call i64 @llvm.fshl.i64(i64 %d0, i64 %d1, i64 %shift)
  %w1 = call i64 @llvm.fshl.i64(i64 %d1, i64 %d2, i64 %shift)
  %w2 = call i64 @llvm.fshl.i64(i64 %d2, i64 %d3, i64 %shift)
  %mw = zext i64 %m to i128
  %b1 = zext i64 %w1 to i128
  %b2 = zext i64 %w2 to i128
  %t0 = mul i64 %m, %w0
  %t0w = zext i64 %t0 to i128
  %t0s = shl i128 %t0w, 64
  %t1 = mul i128 %mw, %b1
  %t2 = mul i128 %mw, %b2
  %t2s = lshr i128 %t2, 64
  %s0 = add i128 %t0s, %t1
  %s = add i128 %s0, %t2s
  %topw = lshr i128 %s, 126
  %top = trunc i128 %topw to i64
  %fraction = shl i128 %s, 2
  %halfw = lshr i128 %fraction, 127
  %half = trunc i128 %halfw to i64
  %q = add i64 %top, %half
  %hw = lshr i128 %fraction, 64
  %h = trunc i128 %hw to i64
  %l = trunc i128 %fraction to i64
  %l11 = lshr i64 %l, 11
  %hf = sitofp i64 %h to double
  %back0 = fptosi double %hf to i64
  %rest = sub i64 %h, %back0
  %restf = sitofp i64 %rest to double
  %lf = sitofp i64 %l11 to double
  %ls = fmul double %lf, 0x3CA0000000000000
  %low0 = fadd double %restf, %ls
  %sum = fadd double %hf, %low0
  %sub = fsub double %sum, %hf
  %err = fsub double %low0, %sub
  %f = fmul double %sum, 0x3BF0000000000000
  %fl = fmul double %err, 0x3BF0000000000000
  %r0 = fmul double %f, 0x3FF921FB54442D18
  %r0n = fneg double %r0
  %r1 = call double @llvm.fma.f64(double %f, double 0x3FF921FB54442D18, double %r0n)
  %r2 = call double @llvm.fma.f64(double %fl, double 0x3FF921FB54442D18, double %r1)
  %rl = call double @llvm.fma.f64(double %f, double 0x3C91A62633145C07, double %r2)
  %negative = icmp slt i64 %bits, 0
  %r0m = fneg double %r0
  %rlm = fneg double %rl
  %qm = sub i64 0, %q
  %rs = select i1 %negative, double %r0m, double %r0
  %rls = select i1 %negative, double %rlm, double %rl
  %qs = select i1 %negative, i64 %qm, i64 %q
  %nan = fsub double %x, %x
  %ra = select i1 %finite, double %rs, double %nan
  %o0 = insertvalue {i64, double, double} poison, i64 %qs, 0
  %o1 = insertvalue {i64, double, double} %o0, double %ra, 1
  %o2 = insertvalue {i64, double, double} %o1, double %rls, 2
  ret {i64, double, double} %o2
}
declare i64 @llvm.fshl.i64(i64, i64, i64)"""


def sine(code: Code, r: str, lost: str) -> str:
    z = code.mul(r, r)
    p = code.polynomial(z, table.SIN_F32 if code.bits == 32 else table.SIN_F64)
    cube = code.mul(z, r)
    if code.bits == 32:
        return code.fma(cube, p, r)
    corrected = code.fma(code.mul(z, code.const(-0.5)), lost, lost)
    return code.add(r, code.fma(cube, p, corrected))


def cosine(code: Code, r: str, lost: str) -> str:
    z = code.mul(r, r)
    p = code.polynomial(z, table.COS_F32 if code.bits == 32 else table.COS_F64)
    fourth = code.mul(z, z)
    if code.bits == 32:
        return code.fma(fourth, p, code.fma(z, code.const(-0.5), code.const(1.0)))
    half = code.mul(z, code.const(0.5))
    top = code.sub(code.const(1.0), half)
    rest = code.sub(code.sub(code.const(1.0), top), half)
    return code.add(top, code.fma(fourth, p, code.fma(code.neg(r), lost, rest)))


def _by_quadrant(code: Code, n: str, even: str, odd: str) -> str:
    swap = code.compare_whole("ne", code.integer("and", n, code.whole(1)), code.whole(0))
    value = code.select(swap, odd, even)
    sign = code.integer("shl", code.integer("and", n, code.whole(2)), code.whole(code.bits - 2))
    return code.from_bits(code.integer("xor", code.to_bits(value), sign))


def sin(code: Code, x: str) -> str:
    n, r, lost = reduced(code, x)
    value = _by_quadrant(code, n, sine(code, r, lost), cosine(code, r, lost))
    return code.select(code.compare("eq", x, code.const(0.0)), x, value)


def cos(code: Code, x: str) -> str:
    n, r, lost = reduced(code, x)
    return _by_quadrant(code, code.integer("add", n, code.whole(1)), sine(code, r, lost), cosine(code, r, lost))


def tan(code: Code, x: str) -> str:
    """sin / cos, or -cos / sin, with both as a number and what it lost, and the quotient corrected (f64)."""
    n, r, lost = reduced(code, x)
    z = code.mul(r, r)
    swap = code.compare_whole("ne", code.integer("and", n, code.whole(1)), code.whole(0))
    if code.bits == 32:
        t = code.add(r, code.fma(code.mul(z, r), code.polynomial(z, table.TAN_F32), lost))
        y = code.div(code.select(swap, code.const(-1.0), t), code.select(swap, t, code.const(1.0)))
        return code.select(code.compare("eq", x, code.const(0.0)), x, y)
    s, s_low = code.fast_two_sum(
        r, code.fma(code.mul(z, r), code.polynomial(z, table.SIN_F64), code.fma(code.mul(z, code.const(-0.5)), lost, lost))
    )
    half = code.mul(z, code.const(0.5))
    z_low = code.fma(r, r, code.neg(z))
    top = code.sub(code.const(1.0), half)
    rest = code.fma(z_low, code.const(-0.5), code.sub(code.sub(code.const(1.0), top), half))
    c, c_low = code.fast_two_sum(top, code.fma(code.mul(z, z), code.polynomial(z, table.COS_F64), code.fma(code.neg(r), lost, rest)))
    over, over_low = code.select(swap, code.neg(c), s), code.select(swap, code.neg(c_low), s_low)
    under, under_low = code.select(swap, s, c), code.select(swap, s_low, c_low)
    y = code.div(over, under)
    left = code.add(code.fma(code.neg(y), under, over), code.fma(code.neg(y), under_low, over_low))
    y = code.add(y, code.div(left, under))
    return code.select(code.compare("eq", x, code.const(0.0)), x, y)


def _atan_core(code: Code, t: str) -> str:
    """atan(t) - t for |t| <= tan(pi/8)."""
    z = code.mul(t, t)
    return code.mul(code.mul(z, t), code.polynomial(z, table.ATAN_F32 if code.bits == 32 else table.ATAN_F64))


def arctan(code: Code, x: str) -> str:
    one, size, top = code.const(1.0), code.unary("fabs", x), code.const(1e17)
    size = code.select(code.compare("gt", size, top), top, size)  # there the result is pi/2 already, and infinity stays out of products
    middle = code.compare("gt", size, code.const(0.4142135623730950))
    far = code.compare("gt", size, code.const(2.414213562373095))
    top = code.select(far, code.const(-1.0), code.select(middle, code.sub(size, one), size))
    under = code.select(far, size, code.select(middle, code.add(size, one), one))
    base = code.select(far, code.const(HALF_PI[code.bits][0]), code.select(middle, code.const(QUARTER_PI[code.bits][0]), code.const(0.0)))
    low = code.select(far, code.const(HALF_PI[code.bits][1]), code.select(middle, code.const(QUARTER_PI[code.bits][1]), code.const(0.0)))
    t = code.div(top, under)
    if code.bits == 64:
        # What the quotient and the rounded x + 1 lost matters where pi/4 nearly cancels t.
        gone = code.select(middle, code.sub(size, code.sub(under, one)), code.const(0.0))
        gone = code.select(far, code.const(0.0), gone)
        rest = code.fma(code.neg(t), gone, code.fma(code.neg(t), under, top))
        low = code.add(low, code.div(rest, under))
    high, lost = code.fast_two_sum(base, t)
    flat = code.compare("le", size, code.const(0.4142135623730950))
    high, lost = code.select(flat, t, high), code.select(flat, code.const(0.0), lost)
    return code.copysign(code.add(high, code.add(lost, code.add(_atan_core(code, t), low))), x)


def arctan2(code: Code, y: str, x: str) -> str:
    one, zero = code.const(1.0), code.const(0.0)
    up, across = code.unary("fabs", y), code.unary("fabs", x)
    steep = code.compare("gt", up, across)
    small, large = code.select(steep, across, up), code.select(steep, up, across)
    q = code.div(small, large)
    q = code.select(code.compare("eq", small, zero), zero, q)
    q = code.select(code.logic("and", code.compare("eq", small, large), code.compare("ne", small, zero)), one, q)
    middle = code.compare("gt", q, code.const(0.4142135623730950))
    t = code.select(middle, code.div(code.sub(q, one), code.add(q, one)), q)
    core = code.add(_atan_core(code, t), code.select(middle, code.const(QUARTER_PI[code.bits][1]), zero))
    base = code.select(middle, code.const(QUARTER_PI[code.bits][0]), zero)
    high, low = code.fast_two_sum(base, t)
    high, low = code.select(middle, high, t), code.add(code.select(middle, low, zero), core)
    backward = code.compare_whole("slt", code.to_bits(x), code.whole(0))
    high, low = _reflect(code, steep, HALF_PI[code.bits], high, low)
    high, low = _reflect(code, backward, PI[code.bits], high, low)
    value = code.copysign(code.add(high, low), y)
    return code.select(code.compare("unordered", x, y), code.add(x, y), value)


def _reflect(code: Code, where: str, whole: tuple[float, float], high: str, low: str) -> tuple[str, str]:
    """whole - (high + low) in the marked lanes."""
    total, lost = code.two_sum(code.const(whole[0]), code.neg(high))
    lost = code.add(lost, code.sub(code.const(whole[1]), low))
    return code.select(where, total, high), code.select(where, lost, low)


def _asin_parts(code: Code, x: str) -> tuple[str, str, str, str, str]:
    """(inside |x| <= 1/2, the argument's series of asin(t) = t + tail, t, tail, what t lost, |x|)."""
    size = code.unary("fabs", x)
    inside = code.compare("le", size, code.const(0.5))
    z = code.select(inside, code.mul(x, x), code.mul(code.const(0.5), code.sub(code.const(1.0), size)))
    root = code.unary("sqrt", z)
    t = code.select(inside, size, root)
    lost = code.const(0.0)
    if code.bits == 64:
        rest = code.div(code.fma(code.neg(root), root, z), code.add(root, root))
        rest = code.select(code.compare("eq", root, code.const(0.0)), code.const(0.0), rest)
        lost = code.select(inside, code.const(0.0), rest)
    tail = code.mul(code.mul(z, t), code.polynomial(z, table.ASIN_F32 if code.bits == 32 else table.ASIN_F64))
    return inside, t, tail, lost, size


def arcsin(code: Code, x: str) -> str:
    """Beyond 1/2: pi/2 - 2 asin(sqrt((1 - |x|) / 2)), with what the root lost."""
    inside, t, tail, lost, _ = _asin_parts(code, x)
    high, low = code.fast_two_sum(code.const(HALF_PI[code.bits][0]), code.mul(t, code.const(-2.0)))
    rest = code.fma(code.add(tail, lost), code.const(-2.0), code.const(HALF_PI[code.bits][1]))
    value = code.select(inside, code.add(t, tail), code.add(high, code.add(low, rest)))
    return code.copysign(value, x)


def arccos(code: Code, x: str) -> str:
    inside, t, tail, lost, _ = _asin_parts(code, x)
    negative = code.compare("lt", x, code.const(0.0))
    signed, signed_tail = code.select(negative, code.neg(t), t), code.select(negative, code.neg(tail), tail)
    high, low = code.fast_two_sum(code.const(HALF_PI[code.bits][0]), code.neg(signed))
    near = code.add(high, code.add(low, code.sub(code.const(HALF_PI[code.bits][1]), signed_tail)))
    double = code.add(code.add(t, t), code.mul(code.const(2.0), code.add(tail, lost)))
    high, low = code.fast_two_sum(code.const(PI[code.bits][0]), code.mul(t, code.const(-2.0)))
    far = code.add(high, code.add(low, code.fma(code.add(tail, lost), code.const(-2.0), code.const(PI[code.bits][1]))))
    return code.select(inside, near, code.select(negative, far, double))
