"""Operations with a constant operand that have a shorter form: extremes, integer division."""

from __future__ import annotations

import numpy as np
import pytest

from tests.llvm.harness import Sketch


def with_constant(op: str, dtype: str, value: float, first: bool, width: int):
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    x, y = s.input("x", dtype, (n,)), s.output("y", dtype, (n,))
    operands = (s.const(value, dtype), s.load(x, i)) if first else (s.load(x, i), s.const(value, dtype))
    loop = s.vector(i, n, width) if width > 1 else s.serial(i, n)
    s.kernel(s.nest([loop], s.store(y, (i,), s.op(op, *operands))))
    return s.compile()


@pytest.mark.parametrize("op", ["maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "i32"])
@pytest.mark.parametrize("value", [0.0, -3.0, np.inf, np.nan])
def test_extremes(op: str, dtype: str, value: float) -> None:
    if dtype == "i32" and not np.isfinite(value):
        return
    kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32}[dtype]
    data = np.array([0.0, 1.0, -1.0, -3.0, -7.0, np.nan, np.inf, -np.inf] * 3) if dtype != "i32" else np.arange(-10, 10)
    data = data.astype(kind)
    for first in (False, True):
        for width in (16, 1):
            got = np.zeros_like(data)
            with_constant(op, dtype, value, first, width)(data, got, N=len(data))
            np.testing.assert_array_equal(got, getattr(np, op)(data, kind(value)))


@pytest.mark.parametrize("op", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "u8", "u32", "u64"])
def test_integer_division(op: str, dtype: str) -> None:
    kind = np.dtype(dtype.replace("i", "int").replace("u", "uint"))
    info = np.iinfo(kind)
    data = np.array([0, 1, 2, 3, 7, 100, info.max, info.min, info.max - 1, info.min + 1] + list(range(20, 60)), kind)
    for value in (0, 1, 2, 3, 7, 10, 16, 127, -1, -2, -3, -16):
        if value < 0 and dtype[0] == "u":
            continue
        for width in (16, 1):
            got = np.zeros_like(data)
            with_constant(op, dtype, value, False, width)(data, got, N=len(data))
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(got, getattr(np, op)(data, kind.type(value)), f"{value} x{width}")
