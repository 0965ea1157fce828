"""Running reductions along an axis, as the scheduler writes them: in lanes along contiguous elements, else one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.llvm.harness import Sketch, host_target

FUNCTIONS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
KINDS = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "u32": np.uint32, "f16": np.float16}


def scan(op: str, dtype: str, axis: int = 1) -> Sketch:
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", dtype, (n, m)), s.output("y", dtype, (n, m))
    value = s.op("add", s.load(x, i, j), s.const(0, dtype)) if dtype == "i64" else s.load(x, i, j)
    before = (i, j - 1) if axis == 1 else (i - 1, j)
    later = s.compare("less", s.value(0), s.value(j if axis == 1 else i))
    loops = [s.serial(i, n), s.serial(j, m)] if axis == 1 else [s.serial(j, m), s.serial(i, n)]
    combined = s.op(op, s.load(y, *before), value)
    s.kernel(s.nest(loops, s.store(y, (i, j), s.guard(later, combined, value))))
    return s


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("vector_bytes", [64, 32])
@pytest.mark.parametrize(("op", "dtype"), [(op, dtype) for op in FUNCTIONS for dtype in KINDS])
def test_scan(op: str, dtype: str, vector_bytes: int, axis: int) -> None:
    program = scan(op, dtype, axis).compile(host_target(vector_bytes=vector_bytes))
    assert ("shufflevector" in program.emission.text) == (axis == 1 and dtype != "f16")
    for shape in ((0, 3), (3, 0), (1, 1), (2, 7), (3, 16), (2, 17), (2, 1001)):
        rng = np.random.default_rng(1)
        data = rng.integers(1, 5, shape).astype(KINDS[dtype])
        if op == "multiply":
            data = rng.choice([1, 1, 1, 2 if dtype[0] in "iu" else -1], shape).astype(KINDS[dtype])
        if dtype[0] == "f" and data.size:
            data[0, 0] = -0.0
            data[-1, shape[1] // 2] = -0.0 if data.size == 1 else np.nan
        got = np.zeros_like(data)
        program(data, got, N=shape[0], M=shape[1])
        with np.errstate(all="ignore"):
            want = FUNCTIONS[op].accumulate(data, axis, dtype=data.dtype) if data.size else data
        np.testing.assert_array_equal(got, want)
        if data.size and dtype[0] == "f":
            assert np.signbit(got[0, 0])
