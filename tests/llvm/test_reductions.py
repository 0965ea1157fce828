"""Reductions in registers: every kind and dtype, lanes, unrolled copies, tails, several axes, empty axes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.sizes import minimum
from tests.llvm.harness import Sketch, host_target
from tests.llvm.test_access import numbers

LENGTHS = (0, 1, 7, 15, 16, 17, 33, 64, 100, 1001)
KINDS = {
    "sum": ("i32", "i64", "f32", "f64", "c64", "u16"), "prod": ("i32", "f64", "c128"), "min": ("i8", "u16", "f16", "f32", "f64", "bool"),
    "max": ("i32", "f32", "f64", "i64", "bool"), "any": ("bool", "f32"), "all": ("bool", "i32"), "count": ("bool", "f64"),
    "argmin": ("f32", "i64", "bool"), "argmax": ("f32", "f64", "i8"),
}  # fmt: skip
RESULTS = {"any": "bool", "all": "bool", "count": "i64", "argmin": "i64", "argmax": "i64"}
FUNCTIONS = {
    "sum": np.sum,
    "prod": np.prod,
    "min": np.min,
    "max": np.max,
    "any": np.any,
    "all": np.all,
    "count": np.count_nonzero,
    "argmin": np.argmin,
    "argmax": np.argmax,
}


def rows_kernel(kind: str, dtype: str, width: int, unroll: int, result: str, vector_bytes: int = 64):
    """y[i] = kind over j of x[i, j]."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", dtype, (n, m)), s.output("y", result, (n,))
    loop = s.vector(j, m, width, unroll) if width > 1 else s.serial(j, m)
    inner = s.nest([loop], accumulators=[s.accumulator("r", kind, s.load(x, i, j), result, position=j)])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(y, (i,), s.local("r", result))))
    return s.compile(host_target(vector_bytes=min(vector_bytes, host_target().vector_bytes)))


@pytest.mark.parametrize("vector_bytes", [64, 32, 16])
@pytest.mark.parametrize(("kind", "dtype"), [(kind, dtype) for kind, dtypes in KINDS.items() for dtype in dtypes])
def test_rows(kind: str, dtype: str, vector_bytes: int) -> None:
    result = RESULTS.get(kind, dtype)
    for width, unroll in ((16, 4), (8, 1), (1, 1)) if vector_bytes == 64 else ((8, 3),):
        program = rows_kernel(kind, dtype, width, unroll, result, vector_bytes)
        for length in LENGTHS:
            data = numbers(dtype, (3, length), length)
            if kind == "prod":
                data = (np.real(data) % 3 + 1).astype(data.dtype)
                if dtype[0] == "c":
                    data = np.exp(1j * np.real(data)).astype(data.dtype)
                elif dtype == "f64":
                    data = np.exp(np.cos(data))
            if length == 0 and kind in ("min", "max", "argmin", "argmax"):
                continue
            want = np.array([FUNCTIONS[kind](row) for row in data])
            got = np.zeros(3, numbers(result, 0).dtype)
            program(data, got, N=3, M=length)
            if dtype in ("f64", "c64", "c128") and kind in ("sum", "prod"):
                np.testing.assert_allclose(got, want, rtol=1e-6 if dtype == "c64" else 1e-12)
            else:
                np.testing.assert_array_equal(got, want.astype(got.dtype), f"{width} {length}")


@pytest.mark.parametrize("kind", ["min", "max", "argmin", "argmax"])
def test_nan_wins_and_the_first_comes_first(kind: str) -> None:
    result = RESULTS.get(kind, "f32")
    for width, unroll in ((16, 4), (16, 1), (1, 1)):
        program = rows_kernel(kind, "f32", width, unroll, result)
        for length in (1, 5, 40, 200):
            rng = np.random.default_rng(length)
            cases = [rng.normal(size=length).astype(np.float32) for _ in range(5)]
            cases[1][rng.integers(length)] = np.nan
            cases[2][rng.integers(0, length, 3)] = np.nan
            cases[3][:] = 1.0
            cases[4][:] = -np.inf if kind.endswith("max") else np.inf
            data = np.array(cases)
            got = np.zeros(5, numbers(result, 0).dtype)
            program(data, got, N=5, M=length)
            np.testing.assert_array_equal(got, [FUNCTIONS[kind](row) for row in data])


def test_empty_rows() -> None:
    for kind, want in (("sum", 0.0), ("prod", 1.0), ("min", np.inf), ("max", -np.inf)):
        program = rows_kernel(kind, "f32", 16, 2, "f32")
        got = np.full(3, 7, np.float32)
        program(np.zeros((3, 0), np.float32), got, N=3, M=0)
        assert (got == want).all() and not np.signbit(got[0] if kind != "max" else 1.0)


def test_masked_chain_keeps_what_is_past_the_end_out() -> None:
    """exp(0) is 1: lanes past the end must not count."""
    s = Sketch()
    m, j = s.size("M"), s.size("j")
    x, y = s.input("x", "f32", (m,)), s.output("y", "f32", ())
    s.kernel(
        s.nest([s.vector(j, m, 16, 2)], accumulators=[s.accumulator("r", "sum", s.op("exp", s.load(x, j)))]),
        s.store(y, (), s.local("r", "f32")),
    )
    program = s.compile()
    for length in LENGTHS:
        data = np.random.default_rng(0).normal(size=length).astype(np.float32)
        got = np.zeros((), np.float32)
        program(data, got, M=length)
        np.testing.assert_allclose(got, np.exp(data.astype(float)).sum(), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("width", [16, 1])
def test_welford(dtype: str, width: int) -> None:
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, mean, spread = s.input("x", dtype, (n, m)), s.output("mean", dtype, (n,)), s.output("m2", dtype, (n,))
    loop = s.vector(j, m, width, 2) if width > 1 else s.serial(j, m)
    inner = s.nest([loop], accumulators=[s.accumulator("w", "welford", s.load(x, i, j))])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(mean, (i,), s.local("w.mean", dtype)), s.store(spread, (i,), s.local("w.m2", dtype))))
    program = s.compile()
    for length in LENGTHS:
        data = (np.random.default_rng(0).normal(size=(4, length)) + 1000).astype(numbers(dtype, 0).dtype)
        got, square = np.zeros(4, data.dtype), np.zeros(4, data.dtype)
        program(data, got, square, N=4, M=length)
        if length == 0:
            assert (got == 0).all() and (square == 0).all()
            continue
        exact = data.astype(float)
        np.testing.assert_allclose(got, exact.mean(1), rtol=3e-7 if dtype == "f32" else 1e-14)
        tolerance = (2e-3 if dtype == "f32" else 1e-9) * max(1, length)
        np.testing.assert_allclose(square, exact.var(1) * length, atol=tolerance)


@pytest.mark.parametrize("width", [8, 1])
def test_logsumexp(width: int) -> None:
    s = Sketch()
    m, j = s.size("M"), s.size("j")
    x, y = s.input("x", "f64", (m,)), s.output("y", "f64", ())
    loop = s.vector(j, m, width, 2) if width > 1 else s.serial(j, m)
    s.kernel(s.nest([loop], accumulators=[s.accumulator("r", "logsumexp", s.load(x, j))]), s.store(y, (), s.local("r", "f64")))
    program = s.compile()
    for length in LENGTHS:
        data = np.random.default_rng(0).normal(size=length) * 300
        got = np.zeros(())
        program(data, got, M=length)
        want = -np.inf if length == 0 else data.max() + np.log(np.exp(data - data.max()).sum())
        np.testing.assert_allclose(got, want, rtol=1e-14)
    for special in ([-np.inf] * 5, [np.inf, 1.0], [np.nan, 1.0]):
        data, got = np.array(special), np.zeros(())
        program(data, got, M=len(special))
        np.testing.assert_array_equal(got, -np.inf if special[0] == -np.inf else special[0])


def test_over_two_loops_and_three_accumulators() -> None:
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", "i32", (n, m)), s.output("y", "i64", (3,))
    wide = s.cast(s.load(x, i, j), "i64")
    accumulators = [
        s.accumulator("a", "sum", wide), s.accumulator("b", "max", wide),
        s.accumulator("c", "argmin", s.load(x, i, j), "i64", position=i * m + j),
    ]  # fmt: skip
    stores = [s.store(y, (k,), s.local(name, "i64")) for k, name in enumerate("abc")]
    s.kernel(s.nest([s.serial(i, n), s.vector(j, m, 16, 2)], accumulators=accumulators), *stores)
    program = s.compile()
    for shape in ((1, 1), (5, 40), (40, 5), (3, 64)):
        data = numbers("i32", shape)
        got = np.zeros(3, np.int64)
        program(data, got, N=shape[0], M=shape[1])
        np.testing.assert_array_equal(got, [data.sum(), data.max(), data.argmin()])


def test_blocks_whose_extent_depends_on_the_loop_around() -> None:
    """Chunks of a long sum into partials, then their sum."""
    s = Sketch()
    n, b, i, k = (s.size(c) for c in ("N", "b", "i", "k"))
    x, y = s.input("x", "f64", (n,)), s.output("y", "f64", ())
    blocks = (n + 63) // 64
    part = s.temporary("part", "f64", (blocks,))
    inner = s.nest([s.vector(i, minimum(64, n - 64 * b), 8, 2, start=64 * b)], accumulators=[s.accumulator("p", "sum", s.load(x, i))])
    s.kernel(s.nest([s.serial(b, blocks)], inner, s.store(part, (b,), s.local("p", "f64"))))
    s.kernel(s.nest([s.serial(k, blocks)], accumulators=[s.accumulator("t", "sum", s.load(part, k))]), s.store(y, (), s.local("t", "f64")))
    program = s.compile()
    for length in (0, 1, 63, 64, 65, 1000):
        data = np.random.default_rng(0).normal(size=length)
        got = np.zeros(())
        program(data, got, N=length)
        np.testing.assert_allclose(got, data.sum(), atol=1e-12)


def test_reduction_inside_a_vector_loop() -> None:
    """Lanes over columns, a serial reduction over rows in each lane."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", "f32", (n, m)), s.output("y", "f32", (m,))
    inner = s.nest([s.serial(i, n)], accumulators=[s.accumulator("r", "sum", s.load(x, i, j))])
    s.kernel(s.nest([s.vector(j, m, 16, 2)], inner, s.store(y, (j,), s.local("r", "f32"))))
    program = s.compile()
    for shape in ((0, 5), (5, 40), (40, 5), (3, 64)):
        data = numbers("f32", shape)
        got = np.ones(shape[1], np.float32)
        program(data, got, N=shape[0], M=shape[1])
        np.testing.assert_array_equal(got, data.sum(0))


def test_softmax_rows() -> None:
    s = Sketch()
    n, m = s.size("N"), s.size("M")
    i, j, k, l = (s.size(c) for c in "ijkl")
    x, y = s.input("x", "f32", (n, m)), s.output("y", "f32", (n, m))
    top = s.nest([s.vector(j, m, 16, 4)], accumulators=[s.accumulator("top", "max", s.load(x, i, j))])
    power = s.op("exp", s.op("subtract", s.load(x, i, k), s.local("top", "f32")))
    total = s.nest([s.vector(k, m, 16, 2)], s.store(y, (i, k), power), accumulators=[s.accumulator("total", "sum", power)])
    scale = s.let("scale", s.op("divide", s.const(1, "f32"), s.local("total", "f32")))
    scaled = s.nest([s.vector(l, m, 16, 4)], s.store(y, (i, l), s.op("multiply", s.load(y, i, l), s.local("scale", "f32"))))
    s.kernel(s.nest([s.serial(i, n)], top, total, scale, scaled))
    program = s.compile(host_target())
    for shape in ((1, 1), (3, 7), (2, 33), (4, 1001)):
        data = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        got = np.zeros(shape, np.float32)
        program(data, got, N=shape[0], M=shape[1])
        exact = np.exp(data.astype(float) - data.max(1, keepdims=True))
        np.testing.assert_allclose(got, exact / exact.sum(1, keepdims=True), rtol=1e-6)


def test_dot_products() -> None:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    a, b, y = s.input("a", "f32", (n,)), s.input("b", "f32", (n,)), s.output("y", "f32", ())
    product = s.op("multiply", s.load(a, i), s.load(b, i))
    s.kernel(s.nest([s.vector(i, n, 16, 4)], accumulators=[s.accumulator("r", "sum", product)]), s.store(y, (), s.local("r", "f32")))
    program = s.compile()
    assert "llvm.fmuladd" in program.emission.text
    for length in LENGTHS:
        first, second = np.random.default_rng(0).normal(size=(2, length)).astype(np.float32)
        got = np.zeros((), np.float32)
        program(first, second, got, N=length)
        np.testing.assert_allclose(got, np.dot(first.astype(float), second.astype(float)), rtol=1e-5, atol=1e-5)


def test_sum_of_comparisons_is_a_count() -> None:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    x, y = s.input("x", "f32", (n,)), s.output("y", "i64", ())
    positive = s.cast(s.compare("greater", s.load(x, i), s.const(0.0, "f32")), "i64")
    s.kernel(s.nest([s.vector(i, n, 16, 2)], accumulators=[s.accumulator("r", "sum", positive)]), s.store(y, (), s.local("r", "i64")))
    program = s.compile()
    assert "ctpop" in program.emission.text
    for length in LENGTHS:
        data = np.random.default_rng(0).normal(size=length).astype(np.float32)
        got = np.zeros((), np.int64)
        program(data, got, N=length)
        assert got == (data > 0).sum()


def test_a_loop_around_one_that_only_asks_whether_to_end() -> None:
    """No whole vectors fit: what their lanes would hold is looked at, but never changed."""
    kernel = stax.kernel(lambda x, y: (x == y).all())
    for dtype in (np.float16, np.int8, np.float64):
        x = np.arange(3).astype(dtype)
        y = np.stack([x, x])
        assert kernel(x, y)
        y[1, 2] += 1
        assert not kernel(x, y)
