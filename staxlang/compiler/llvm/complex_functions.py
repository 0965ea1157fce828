"""Functions of complex numbers through those of their components."""

from __future__ import annotations

import math
from collections.abc import Callable

from staxlang.base.dtypes import BOOL, DType, real_of
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import number

Apply = Callable[[Function, str, tuple[Value, ...], DType], Value]


class Numbers:
    """Arithmetic on component values: `n.mul(a, b)`, `n("exp", a)`, constants by `n.of(0.5)`."""

    def __init__(self, f: Function, dtype: DType, apply: Apply) -> None:
        self.f, self.dtype, self.component, self.apply = f, dtype, real_of(dtype), apply

    def __call__(self, op: str, *operands: Value) -> Value:
        return self.apply(self.f, op, operands, self.component)

    def test(self, op: str, *operands: Value) -> Value:
        return self.apply(self.f, op, operands, BOOL)

    def of(self, value: float) -> Value:
        return Value(number(value, self.component), self.component, 1, 0)

    def add(self, a: Value, b: Value) -> Value:
        return self("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self("subtract", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self("multiply", a, b)

    def div(self, a: Value, b: Value) -> Value:
        return self("divide", a, b)

    def choose(self, condition: Value, a: Value, b: Value) -> Value:
        return self("where", condition, a, b)

    def parts(self, z: Value) -> tuple[Value, Value]:
        return (
            Value(z.text, self.component, z.lanes, z.level, z.varying, z.reads),
            Value(z.imag, self.component, z.lanes, z.level, z.varying, z.reads),
        )

    def join(self, real: Value, imag: Value) -> Value:
        lanes = max(real.lanes, imag.lanes)
        real, imag = self.f.widen(real, lanes), self.f.widen(imag, lanes)
        reads = real.reads if imag.reads is None else imag.reads if real.reads is None else real.reads | imag.reads
        return Value(real.text, self.dtype, lanes, max(real.level, imag.level), real.varying or imag.varying, reads, imag.text)


# Where parts are infinite or NaN, results are those of C's Annex G, as NumPy's. What is chosen is mostly an operand of a function that
# is computed anyway.


def _is_infinite(n: Numbers, x: Value) -> Value:
    return n.test("equal", n("absolute", x), n.of(math.inf))


def _is_zero(n: Numbers, x: Value) -> Value:
    return n.test("equal", x, n.of(0.0))


def _either(n: Numbers, a: Value, b: Value) -> Value:
    return n.test("logical_or", a, b)


def _both(n: Numbers, a: Value, b: Value) -> Value:
    return n.test("logical_and", a, b)


def _is_wild(n: Numbers, x: Value) -> Value:
    """Infinite or NaN."""
    return n.test("logical_not", n.test("isfinite", x))


def _absolute(n: Numbers, z: Value) -> Value:
    return n("hypot", *n.parts(z))


def _sign(n: Numbers, z: Value) -> Value:
    parts = n.parts(z)
    nothing, one = n.of(0.0), n.of(1.0)
    far = [_is_infinite(n, part) for part in parts]
    alone = n.test("not_equal", *far)  # one part is infinite: the other one is nothing beside it
    x, y = [n.choose(alone, n.choose(own, n("copysign", one, part), nothing), part) for own, part in zip(far, parts, strict=True)]
    size = n("hypot", x, y)
    zero = _is_zero(n, size)
    return n.join(*[n.choose(zero, nothing, n.div(part, size)) for part in (x, y)])  # 0 without a sign, as NumPy's


def _reciprocal(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    wide = n.test("greater_equal", n("absolute", x), n("absolute", y))
    big, small = n.choose(wide, x, y), n.choose(wide, y, x)
    ratio = n.div(small, big)
    scale = n.add(big, n.mul(small, ratio))
    one = n.of(1.0)
    return n.join(n.div(n.choose(wide, one, ratio), scale), n.div(n("negative", n.choose(wide, ratio, one)), scale))


def _extreme(comparison: str, keep_nan: bool) -> Callable[[Numbers, Value, Value], Value]:
    """By real part, then imaginary part. keep_nan: a NaN comes out, else the other operand."""

    def extreme(n: Numbers, a: Value, b: Value) -> Value:
        first = n.test("logical_or", n.test(comparison, a, b), n.test("isnan", a if keep_nan else b))
        return n.apply(n.f, "where", (first, a, b), n.dtype)

    return extreme


def _turned(n: Numbers, size: Value, angle: Value) -> Value:
    return n.join(n.mul(size, n("cos", angle)), n.mul(size, n("sin", angle)))


def _exp(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    return _grown(n, n("exp", x), x, y)


def _grown(n: Numbers, size: Value, x: Value, y: Value) -> Value:
    """A number of this size, an exponential of x, at the angle y."""
    first, second = n.parts(_turned(n, size, y))
    real, wild = _is_zero(n, y), _both(n, _is_wild(n, y), _is_infinite(n, x))
    first = n.choose(_either(n, real, wild), size, first)
    second = n.choose(_both(n, wild, _is_zero(n, size)), n("copysign", size, y), second)
    return n.join(first, n.choose(real, y, second))


def _exp2(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    return _grown(n, n("exp2", x), x, n.mul(y, n.of(0.6931471805599453)))


def _expm1(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    half = n("sin", n.mul(y, n.of(0.5)))
    real = n.sub(n.mul(n("expm1", x), n("cos", y)), n.mul(n.of(2.0), n.mul(half, half)))
    return n.join(real, n.mul(n("exp", x), n("sin", y)))


def _log_size(n: Numbers, x: Value, y: Value) -> Value:
    """log |z|; near 1 from |z|^2 - 1 without cancellation."""
    ax, ay = n("absolute", x), n("absolute", y)
    big, small = n("maximum", ax, ay), n("minimum", ax, ay)
    size = n("hypot", x, y)
    close = n.test("logical_and", n.test("greater", size, n.of(0.5)), n.test("less", size, n.of(2.0)))
    above = n.add(n.mul(n.sub(big, n.of(1.0)), n.add(big, n.of(1.0))), n.mul(small, small))
    return n.choose(close, n.mul(n.of(0.5), n("log1p", above)), n("log", size))


def _log(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    return n.join(_log_size(n, x, y), n("arctan2", y, x))


def _scaled_log(scale: float) -> Callable[[Numbers, Value], Value]:
    def scaled(n: Numbers, z: Value) -> Value:
        x, y = n.parts(_log(n, z))
        return n.join(n.mul(x, n.of(scale)), n.mul(y, n.of(scale)))

    return scaled


def _log1p(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    more = n.add(x, n.of(1.0))
    close = n.test("less", n.add(n("absolute", x), n("absolute", y)), n.of(0.5))
    above = n.add(n.mul(x, n.add(x, n.of(2.0))), n.mul(y, y))
    real = n.choose(close, n.mul(n.of(0.5), n("log1p", above)), _log_size(n, more, y))
    return n.join(real, n("arctan2", y, more))


def _sqrt(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    half = n.of(0.5)
    t = n("sqrt", n.add(n.mul(half, n("absolute", x)), n.mul(half, n("hypot", x, y))))
    other = n.div(n("absolute", y), n.add(t, t))
    zero = n.test("equal", t, n.of(0.0))
    far = _is_infinite(n, y)
    t, other = n.choose(far, n.of(math.inf), t), n.choose(zero, n.of(0.0), n.choose(far, n.of(math.inf), other))
    right = n.test("greater_equal", x, n.of(0.0))
    return n.join(n.choose(right, t, other), n("copysign", n.choose(right, other, t), y))


def _power(n: Numbers, a: Value, b: Value) -> Value:
    """exp(b log a), and 0 ** b by cases."""
    ax, ay = n.parts(a)
    bx, by = n.parts(b)
    lx, ly = n.parts(_log(n, a))
    exponent = n.sub(n.mul(bx, lx), n.mul(by, ly))
    angle = n.add(n.mul(bx, ly), n.mul(by, lx))
    rx, ry = n.parts(_grown(n, n("exp", exponent), exponent, angle))
    zero = n.test("logical_and", n.test("equal", ax, n.of(0.0)), n.test("equal", ay, n.of(0.0)))
    none = n.test("logical_and", n.test("equal", bx, n.of(0.0)), n.test("equal", by, n.of(0.0)))
    grows = n.test("greater", bx, n.of(0.0))
    special = n.choose(grows, n.of(0.0), n.of(float("nan")))
    rx, ry = n.choose(zero, special, rx), n.choose(zero, special, ry)
    return n.join(n.choose(none, n.of(1.0), rx), n.choose(none, n.of(0.0), ry))


def _sinh_parts(n: Numbers, x: Value, y: Value) -> tuple[Value, Value]:
    real, imag = n.mul(n("sinh", x), n("cos", y)), n.mul(n("cosh", x), n("sin", y))
    wild = _is_wild(n, y)
    real = n.choose(_both(n, _is_infinite(n, x), wild), n.of(math.inf), n.choose(_both(n, _is_zero(n, x), wild), x, real))
    return real, n.choose(_is_zero(n, y), y, imag)


def _cosh_parts(n: Numbers, x: Value, y: Value) -> tuple[Value, Value]:
    real, imag = n.mul(n("cosh", x), n("cos", y)), n.mul(n("sinh", x), n("sin", y))
    wild = _is_wild(n, y)
    real = n.choose(_both(n, _is_infinite(n, x), wild), n.of(math.inf), real)
    imag = n.choose(_both(n, _is_zero(n, x), wild), n.of(0.0), imag)
    return real, n.choose(_is_zero(n, y), n.mul(n("copysign", n.of(1.0), x), y), imag)


def _sin(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    real, imag = _sinh_parts(n, y, x)
    return n.join(imag, real)


def _cos(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    real, imag = _cosh_parts(n, y, x)
    return n.join(real, n("negative", imag))


def _sinh(n: Numbers, z: Value) -> Value:
    return n.join(*_sinh_parts(n, *n.parts(z)))


def _cosh(n: Numbers, z: Value) -> Value:
    return n.join(*_cosh_parts(n, *n.parts(z)))


def _tanh_parts(n: Numbers, x: Value, y: Value) -> tuple[Value, Value]:
    """tanh(x + iy) = (T (1 + t^2) + i t (1 - T^2)) / (1 + T^2 t^2) with T = tanh x, t = tan y; 1 - T^2 as 1 / cosh^2."""
    tx, ty = n("tanh", x), n("tan", y)
    near = n.div(n.of(1.0), n("cosh", x))
    square = n.mul(ty, ty)
    below = n.add(n.of(1.0), n.mul(n.mul(tx, tx), square))
    real, imag = n.div(n.mul(tx, n.add(n.of(1.0), square)), below), n.div(n.mul(ty, n.mul(near, near)), below)
    wild = _both(n, _is_infinite(n, x), _is_wild(n, y))
    imag = n.choose(_is_zero(n, y), y, n.choose(wild, n("copysign", n.of(0.0), y), imag))
    return n.choose(_either(n, _is_zero(n, x), wild), tx, real), imag


def _tanh(n: Numbers, z: Value) -> Value:
    return n.join(*_tanh_parts(n, *n.parts(z)))


def _tan(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    imag, real = _tanh_parts(n, y, x)
    return n.join(real, imag)


# Inverse functions: W. Kahan, "Branch cuts for complex elementary functions" (1987).


def _roots(n: Numbers, z: Value) -> tuple[Value, Value, Value, Value]:
    """The parts of sqrt(1 - z) and of sqrt(1 + z)."""
    x, y = n.parts(z)
    minus = _sqrt(n, n.join(n.sub(n.of(1.0), x), n("negative", y)))
    plus = _sqrt(n, n.join(n.add(n.of(1.0), x), y))
    return (*n.parts(minus), *n.parts(plus))


def _arcsin_parts(n: Numbers, z: Value) -> tuple[Value, Value]:
    x, y = n.parts(z)
    mx, my, px, py = _roots(n, z)
    far = _either(n, _is_infinite(n, x), _is_infinite(n, y))
    beside = n.choose(far, n("absolute", y), n.sub(n.mul(mx, px), n.mul(my, py)))
    real = n("arctan2", x, n.choose(_is_zero(n, x), n.of(1.0), beside))
    imag = n("arcsinh", n.sub(n.mul(mx, py), n.mul(my, px)))
    return real, n.choose(far, n("copysign", n.of(math.inf), y), imag)


def _arcsin(n: Numbers, z: Value) -> Value:
    return n.join(*_arcsin_parts(n, z))


def _arccos(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    mx, my, px, py = _roots(n, z)
    far = _either(n, _is_infinite(n, x), _is_infinite(n, y))
    imag = n("arcsinh", n.sub(n.mul(px, my), n.mul(py, mx)))
    imag = n.choose(far, n("copysign", n.of(math.inf), n("negative", y)), imag)
    return n.join(_half_angle(n, mx, px, far, n("absolute", y), x, n.of(1.0)), imag)


def _half_angle(n: Numbers, y: Value, x: Value, far: Value, far_y: Value, far_x: Value, upright: Value) -> Value:
    """Twice the angle of (x, y); of infinite operands their own angle, and that of a number without a real part."""
    own = _either(n, far, _is_zero(n, far_x))
    angle = n("arctan2", n.choose(own, n.choose(far, far_y, upright), y), n.choose(own, far_x, x))
    return n.mul(n.choose(own, n.of(1.0), n.of(2.0)), angle)


def _arcsinh(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    real, imag = _arcsin_parts(n, n.join(n("negative", y), x))
    return n.join(imag, n("negative", real))


def _arccosh(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    mx, my = n.parts(_sqrt(n, n.join(n.sub(x, n.of(1.0)), y)))
    px, py = n.parts(_sqrt(n, n.join(n.add(x, n.of(1.0)), y)))
    far = _either(n, _is_infinite(n, x), _is_infinite(n, y))
    real = n("arcsinh", n.add(n.mul(mx, px), n.mul(my, py)))
    return n.join(n.choose(far, n.of(math.inf), real), _half_angle(n, my, px, far, y, x, n("copysign", n.of(1.0), y)))


def _arctanh_parts(n: Numbers, x: Value, y: Value) -> tuple[Value, Value]:
    less = n.sub(n.of(1.0), x)
    square = n.mul(y, y)
    below = n.add(n.mul(less, less), square)
    real = n.mul(n.of(0.25), n("log1p", n.div(n.mul(n.of(4.0), x), below)))
    far = _either(n, _is_infinite(n, x), _is_infinite(n, y))
    real = n.choose(_either(n, far, _is_zero(n, x)), n("copysign", n.of(0.0), x), real)
    turned = n.choose(n.test("isnan", y), y, n("copysign", n.of(0.0), y))  # at the angle pi or -pi
    angle = n("arctan2", n.choose(far, turned, n.add(y, y)), n.choose(far, n.of(-1.0), n.sub(n.mul(less, n.add(n.of(1.0), x)), square)))
    return real, n.mul(n.of(0.5), angle)


def _arctanh(n: Numbers, z: Value) -> Value:
    return n.join(*_arctanh_parts(n, *n.parts(z)))


def _arctan(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    real, imag = _arctanh_parts(n, n("negative", y), x)
    return n.join(imag, n("negative", real))


def _rint(n: Numbers, z: Value) -> Value:
    x, y = n.parts(z)
    return n.join(n("rint", x), n("rint", y))


COMPLEX_FUNCTION_ROWS: dict[str, Callable[..., Value]] = {
    "absolute": _absolute, "sign": _sign, "reciprocal": _reciprocal, "rint": _rint,
    "maximum": _extreme("greater_equal", True), "minimum": _extreme("less_equal", True),
    "fmax": _extreme("greater_equal", False), "fmin": _extreme("less_equal", False),
    "exp": _exp, "exp2": _exp2, "expm1": _expm1, "log": _log, "log1p": _log1p,
    "log2": _scaled_log(1.4426950408889634), "log10": _scaled_log(0.4342944819032518), "sqrt": _sqrt,
    "power": _power, "float_power": _power,
    "sin": _sin, "cos": _cos, "tan": _tan, "sinh": _sinh, "cosh": _cosh, "tanh": _tanh,
    "arcsin": _arcsin, "arccos": _arccos, "arctan": _arctan, "arcsinh": _arcsinh, "arccosh": _arccosh, "arctanh": _arctanh,
}  # fmt: skip
