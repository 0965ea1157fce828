"""Conversions between every pair of dtypes, in lanes and as scalars, against NumPy's astype (within the range of the target)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from staxlang.base.dtypes import DTYPES, DType
from tests.llvm.harness import Sketch

NAMES = [name for name in DTYPES if name != "bf16"]
VALUES = [
    0,
    1,
    2,
    3,
    5,
    17,
    100,
    127,
    -1,
    -2,
    -3,
    -100,
    -128,
    200,
    255,
    1000,
    32767,
    -32768,
    65535,
    2**31 - 1,
    -(2**31),
    2**32 - 1,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
]
FRACTIONS = [
    0.5,
    1.5,
    2.5,
    -0.5,
    -1.5,
    0.1,
    2049.0,
    2051.0,
    65504.0,
    65519.99,
    65520.0,
    1e-8,
    6e-8,
    5.96e-8,
    1e38,
    3e38,
    3.5e38,
    1e300,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1 / 3,
]


def source_values(dtype: DType, target: DType) -> np.ndarray:
    kind = dtype.numpy
    if dtype.kind == "b":
        return np.array([True, False] * 20)
    if dtype.kind in "iu":
        info = np.iinfo(kind)
        return np.array([v for v in VALUES if info.min <= v <= info.max] * 2, kind)
    with np.errstate(all="ignore"):
        if target.kind in "iu":  # out of range there is no right answer
            info = np.iinfo(target.numpy)
            reals = [float(v) for v in VALUES if info.min <= v <= min(info.max, 2**62)] + [0.5, 1.5, 2.7]
            reals = [v for v in reals if abs(v) < 60000] if dtype.bits == 16 else reals
            made = np.array(reals * 2).astype(kind)
            limit = float(info.max)
            return made[(np.real(made) < limit) & (np.real(made) >= float(info.min))]
        return np.array(([float(v) for v in VALUES] + FRACTIONS) * 2).astype(kind)


@pytest.mark.parametrize("source", NAMES)
def test_cast(source: str) -> None:
    for target in NAMES:
        if target == source:
            continue
        for width in (16, 1):
            s = Sketch()
            n, i = s.size("N"), s.size("i")
            x, y = s.input("x", source, (n,)), s.output("y", target, (n,))
            loop = s.vector(i, n, width) if width > 1 else s.serial(i, n)
            s.kernel(s.nest([loop], s.store(y, (i,), s.cast(s.load(x, i), target))))
            program = s.compile()
            values = source_values(DTYPES[source], DTYPES[target])
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                want = values.astype(DTYPES[target].numpy)
            got = np.zeros(len(values), want.dtype)
            program(values, got, N=len(values))
            np.testing.assert_array_equal(got, want, f"{source} to {target} x{width}")
            if want.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Rounded to nearest even, by arithmetic: the oracle for the bit form."""
    wide = values.astype(np.float64)
    _, exponent = np.frexp(wide)
    unit = np.ldexp(1.0, np.maximum(exponent, -125) - 8)
    rounded = np.where(np.isfinite(wide), np.rint(wide / unit) * unit, wide)
    with np.errstate(all="ignore"):
        return rounded.astype(np.float32).view(np.uint32) >> 16


@pytest.mark.parametrize("width", [16, 1])
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_bf16(width: int, source: str) -> None:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    x, y, z = s.input("x", source, (n,)), s.output("y", "bf16", (n,)), s.output("z", "f32", (n,))
    loop = s.vector(i, n, width) if width > 1 else s.serial(i, n)
    short = s.cast(s.load(x, i), "bf16")
    s.kernel(s.nest([loop], s.store(y, (i,), s.op("multiply", short, s.const(3.0, "bf16"))), s.store(z, (i,), s.cast(short, "f32"))))
    program = s.compile()
    rng = np.random.default_rng(1)
    values = np.concatenate(
        [
            rng.normal(size=200),
            np.exp(rng.normal(size=200) * 30),
            [0.0, -0.0, np.inf, -np.inf, 1e-39, 1e-41, 3.4e38, 1.00390625, 1.01171875],
        ]
    )
    with np.errstate(all="ignore"):
        values = values.astype(s.buffers["x"].dtype.numpy)
    tripled, back = np.zeros(len(values), np.uint16), np.zeros(len(values), np.float32)
    program(values, tripled, back, N=len(values))
    want = (to_bf16(values).astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(back, want)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tripled, to_bf16(want.astype(np.float64) * 3))


def test_scalars_of_the_call() -> None:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    a, b = s.buffer("a", "f64", (), "scalar"), s.buffer("b", "i64", (), "scalar")
    c, d = s.buffer("c", "c128", (), "scalar"), s.buffer("d", "bool", (), "scalar")
    y, z = s.output("y", "f64", (n,)), s.output("z", "c128", (n,))
    total = s.op("add", s.op("add", s.load(a), s.cast(s.load(b), "f64")), s.cast(s.load(d), "f64"))
    s.kernel(s.nest([s.vector(i, n, 8)], s.store(y, (i,), total), s.store(z, (i,), s.load(c))))
    program = s.compile()
    real, whole = np.zeros(9), np.zeros(9, complex)
    program(real, whole, scalars=(1.5, -7, 2 - 3j, True), N=9)
    assert (real == -4.5).all() and (whole == 2 - 3j).all()
