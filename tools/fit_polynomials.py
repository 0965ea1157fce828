"""Fits the polynomials of `staxlang/compiler/llvm/math` and writes `coefficients.py` there.

    python tools/fit_polynomials.py

Each is the polynomial of least maximum weighted error (the exchange algorithm of E. Remez, "Sur le calcul effectif des polynomes
d'approximation de Tchebichef", C. R. Acad. Sci. 199, 1934), found in 80-digit arithmetic. The leading coefficients are then rounded to
the format one after the other, and those that remain are fitted again around the rounded ones.
"""

from pathlib import Path

import numpy as np
from mpmath import mp, mpf

mp.dps = 80
TARGET = Path(__file__).parents[1] / "staxlang" / "compiler" / "llvm" / "math" / "coefficients.py"


def remez(function, weight, low, high, degree, rounds=12):
    """Coefficients c0..c_degree minimizing max |weight(x) * (function(x) - sum c_k x^k)| over [low, high]."""
    low, high, count = mpf(low), mpf(high), degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (40 * count)) for i in range(40 * count + 1)]
    values = [(function(x), weight(x)) for x in grid]
    coefficients, worst = [], mpf(0)
    for _ in range(rounds):
        rows, right = [], []
        for i, x in enumerate(points):
            rows.append([x**k for k in range(degree + 1)] + [(-1) ** i / weight(x)])
            right.append(function(x))
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix(right))
        coefficients = [solution[k] for k in range(degree + 1)]
        errors = [w * (f - mp.polyval(coefficients[::-1], x)) for x, (f, w) in zip(grid, values, strict=True)]
        worst = max(abs(e) for e in errors)
        extrema = []  # one largest error per run of equal sign
        for x, e in zip(grid, errors, strict=True):
            if extrema and (e > 0) == (extrema[-1][1] > 0):
                if abs(e) > abs(extrema[-1][1]):
                    extrema[-1] = (x, e)
            else:
                extrema.append((x, e))
        while len(extrema) > count:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        if len(extrema) < count:
            break
        points = [x for x, _ in extrema]
        if worst / min(abs(e) for _, e in extrema) < mpf("1.01"):
            break
    return coefficients, worst


def rounded(function, weight, low, high, degree, dtype, fixed=2):
    """The same with coefficients of `dtype`: the first `fixed` are rounded before the rest is fitted around them."""
    known = []
    for k in range(min(fixed, degree)):
        shifted = lambda x, known=tuple(known), k=k: (function(x) - sum(c * x**j for j, c in enumerate(known))) / x**k
        pulled = lambda x, k=k: weight(x) * abs(x) ** k
        edge = low if low > 0 or k == 0 else (high - low) * mpf("1e-6")
        coefficients, _ = remez(shifted, pulled, edge if low == 0 else low, high, degree - k)
        known.append(mpf(float(dtype(float(coefficients[0])))))
    k = len(known)
    shifted = lambda x: (function(x) - sum(c * x**j for j, c in enumerate(known))) / x**k
    coefficients, worst = remez(
        shifted, lambda x: weight(x) * abs(x) ** k, low if low > 0 or k == 0 else high * mpf("1e-6"), high, degree - k
    )
    return [float(dtype(float(c))) for c in [*known, *coefficients]], worst


def safe(function, at_zero):
    return lambda x: function(x) if x != 0 else mpf(at_zero)


def fits():
    f32, f64 = np.float32, np.float64
    ln2 = mp.log(2)
    # exp(r) = 1 + r + r^2 q(r): one interval for both signs, so the weight must not vanish inside it; degree from the next Taylor term.
    q = lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > mpf("1e-12") else mpf(1) / 2 + r / 6
    wq = lambda r: r**2
    half = ln2 / 2 * mpf("1.0001")
    yield "EXP_F32", *fitted(q, wq, -half, half, 4, f32)
    yield "EXP_F64", *fitted(q, wq, -half, half, 9, f64)
    # log(1 + f) = f - f^2/2 + f^3 p(f), f in [sqrt(1/2) - 1, sqrt(2) - 1]
    p = lambda f: (mp.log(1 + f) - f + f**2 / 2) / f**3 if abs(f) > mpf("1e-12") else mpf(1) / 3 - f / 4
    low, high = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1
    yield "LOG_F32", *fitted(p, lambda f: f**3 / mp.log(1 + f) if f != 0 else f**2, low, high, 7, f32)
    # log(1 + f) = 2 s + s R(s^2), s = f / (2 + f)
    big = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    r = lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2) / z
    r0 = safe(r, mpf(2) / 3)
    yield "LOG_F64", *fitted(r0, lambda z: z, big * mpf("1e-8"), big, 6, f64)
    # log2(1 + f) = f p(f) on the same f, and 2^r = 1 + r q(r): for f32's pow, whose logarithm needs some 33 bits
    p2 = lambda f: mp.log(1 + f) / f / ln2 if abs(f) > mpf("1e-12") else (1 - f / 2) / ln2
    yield "LOG2_F32_IN_F64", *fitted(p2, lambda f: 1 / p2(f), low, high, 11, f64)
    power = lambda r: (mpf(2) ** r - 1) / r if abs(r) > mpf("1e-12") else ln2
    yield "EXP2_F32_IN_F64", *fitted(power, lambda r: r, -mpf("0.5001"), mpf("0.5001"), 5, f64)
    # sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2), |r| <= pi/4
    top = (mp.pi / 4 * mpf("1.0001")) ** 2
    s = safe(lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / (z * mp.sqrt(z)), -mpf(1) / 6)
    c = safe(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24)
    tiny = top * mpf("1e-8")
    yield "SIN_F32", *fitted(s, lambda z: z, tiny, top, 2, f32)
    yield "COS_F32", *fitted(c, lambda z: z**2, tiny, top, 2, f32)
    yield "SIN_F64", *fitted(s, lambda z: z, tiny, top, 5, f64)
    yield "COS_F64", *fitted(c, lambda z: z**2, tiny, top, 5, f64)
    # atan t = t + t^3 A(t^2), |t| <= tan(pi/8)
    edge = mp.tan(mp.pi / 8) ** 2 * mpf("1.0001")
    a = safe(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / (z * mp.sqrt(z)), -mpf(1) / 3)
    yield "ATAN_F32", *fitted(a, lambda z: z, edge * mpf("1e-8"), edge, 4, f32)
    yield "ATAN_F64", *fitted(a, lambda z: z, edge * mpf("1e-8"), edge, 10, f64)
    # asin x = x + x^3 B(x^2), |x| <= 1/2
    b = safe(lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / (z * mp.sqrt(z)), mpf(1) / 6)
    yield "ASIN_F32", *fitted(b, lambda z: z, mpf("1e-9"), mpf("0.25001"), 5, f32)
    yield "ASIN_F64", *fitted(b, lambda z: z, mpf("1e-9"), mpf("0.25001"), 12, f64)
    # erf x = x (1 + E(x^2)) below the switch; above it erf x = 1 - p(x)^4
    e = safe(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 2 / mp.sqrt(mp.pi) - 1)
    yield "ERF_INNER_F32", *fitted(e, lambda z: mpf(1), mpf("1e-9"), mpf("0.9277") ** 2, 5, f32)
    outer = lambda x: mp.erfc(x) ** mpf("0.25")
    yield "ERF_OUTER_F32", *fitted(outer, lambda x: 4 * outer(x) ** 3, mpf("0.9277"), mpf("4.0"), 8, f32)
    yield "ERF_INNER_F64", *fitted(e, lambda z: mpf(1), mpf("1e-9"), mpf(1), 11, f64)
    # f64: erfc x = exp(-x^2) h(t) / (1 + 2x), t = (x - 2) / (x + 2), x >= 1/2: h is nearly constant, so that its sum does not cancel
    back = lambda t: 2 * (1 + t) / (1 - t)
    h = lambda t: mp.erfc(back(t)) * mp.exp(back(t) ** 2) * (1 + 2 * back(t))
    near, far = (mpf(1) / 2 - 2) / (mpf(5) / 2), (mpf(28) - 2) / 30
    yield "ERFC_F64", *fitted(h, lambda t: 1 / h(t), near, far, 25, f64)
    # tan r = r + r^3 T(r^2), |r| <= pi/4
    t = safe(lambda z: (mp.tan(mp.sqrt(z)) - mp.sqrt(z)) / (z * mp.sqrt(z)), mpf(1) / 3)
    yield "TAN_F32", *fitted(t, lambda z: z, tiny, top, 6, f32)
    # 1 / cbrt m, m in [1, 2): a first guess for what converges quadratically in f32, with the sixth power in f64
    root = lambda m: 1 / mp.cbrt(m)
    yield "CBRT_INVERSE_F32", *fitted(root, mp.cbrt, mpf(1), mpf(2), 4, f32)
    yield "CBRT_INVERSE_F64", *fitted(root, mp.cbrt, mpf(1), mpf(2), 3, f64)
    # log(1 + r), |r| < 1/128, beyond r - r^2/2, for pow
    w = lambda r: (mp.log(1 + r) - r + r**2 / 2) / r**3 if abs(r) > mpf("1e-12") else mpf(1) / 3 - r / 4
    yield "LOG_TABLE_F64", *fitted(w, lambda r: r**3 if r != 0 else mpf("1e-30"), -mpf(1) / 127, mpf(1) / 127, 4, f64)


def fitted(function, weight, low, high, degree, dtype):
    # Where the interval holds zero the absolute weight vanishes there; a floor keeps the linear system regular.
    floor = abs(weight(mpf(high))) * mpf("1e-9")
    careful = lambda x: max(abs(weight(x)), floor)
    return rounded(function, careful, low, high, degree, dtype, fixed=0)


def log_table(size=128):
    """For each part of [1, 2): 1/c rounded, c its middle, and log c in two parts; from sqrt 2 on the log is that of c/2."""
    inverses, high, low = [], [], []
    for i in range(size):
        middle = 1 + (mpf(i) + mpf(1) / 2) / size
        halved = middle > mp.sqrt(2)
        middle = middle / 2 if halved else middle
        # Nine bits: m * inverse - 1 is then exact in a fused step.
        inverse = mpf(1) if i == 0 or i == size - 1 else mpf(float(mp.nint(2**9 / middle)) / 2**9)
        value = -mp.log(inverse)
        inverses.append(float(inverse / 2 if halved else inverse))
        high.append(float(mp.nint(value * 2**42) / 2**42))  # 42 bits after the point: k ln 2 + high is exact
        low.append(float(value - mpf(high[-1])))
    return inverses, high, low


def digits_of_two_over_pi(words=20):
    """The binary digits of 2/pi after the point as 64-bit words, most significant first."""
    mp.prec = 64 * words + 64
    value, found = 2 / mp.pi, []
    for _ in range(words):
        value *= mpf(2) ** 64
        word = int(mp.floor(value))
        found.append(word)
        value -= word
    return found


def table(name, values):
    return [f"{name} = (", *("    " + ", ".join(values[i : i + 4]) + "," for i in range(0, len(values), 4)), ")"]


def main():
    lines = [
        '"""Polynomial coefficients, lowest power first, made by tools/fit_polynomials.py. Largest weighted error beside it."""',
        "# fmt: off",
        "",
    ]
    for name, coefficients, worst in fits():
        print(name, len(coefficients), mp.nstr(worst, 3), f"2^{float(mp.log(worst, 2)):.1f}", flush=True)
        lines.append(f"{name} = (  # {mp.nstr(worst, 3)}")
        lines.extend(f"    {c!r}," for c in coefficients)
        lines.append(")")
    for name, values in zip(("LOG_TABLE_INVERSE", "LOG_TABLE_HIGH", "LOG_TABLE_LOW"), log_table(), strict=True):
        lines += table(name, [repr(v) for v in values])
    lines += table("TWO_OVER_PI", [f"0x{w:016X}" for w in digits_of_two_over_pi()])
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
