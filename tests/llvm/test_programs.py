"""Whole programs: parallel nests through the pool, several kernels with temporaries, matrix products through BLAS, what emission costs."""

from __future__ import annotations

import ctypes
import time

import numpy as np
import pytest

from staxlang.base.sizes import minimum
from staxlang.compiler.llvm.library import gemm_text
from staxlang.compiler.llvm.pool import pool_text
from staxlang.compiler.llvm.program import emit
from staxlang.compiler.loops.ir import BufferView, LibraryCall, Schedule
from staxlang.runtime import blas
from tests.llvm.harness import Program, Sketch, host, host_target

SERIAL = """
@regions = global i64 0
define void @stax_parallel(ptr %f, ptr %context, i64 %extent, i64 %grain) {
entry:
  %some = icmp sgt i64 %extent, 0
  br i1 %some, label %run, label %none
none:
  ret void
run:
  %least = call i64 @llvm.smax.i64(i64 %grain, i64 1)
  %shared = icmp slt i64 %least, %extent
  br i1 %shared, label %share, label %alone
alone:
  call void %f(ptr %context, i64 0, i64 %extent)
  ret void
share:
  %old = load i64, ptr @regions
  %new = add i64 %old, 1
  store i64 %new, ptr @regions
  %half = sdiv i64 %extent, 2
  call void %f(ptr %context, i64 %half, i64 %extent)
  call void %f(ptr %context, i64 0, i64 %half)
  ret void
}
"""


def regions(program: Program) -> int:
    return ctypes.c_int64.from_address(program.compiled.codes[0].addresses["regions"]).value


def parallel_rows() -> Sketch:
    """y[i, :] = x[i, :] / sum(x[i, :]) * (largest of z), rows in parallel."""
    s = Sketch()
    n, m = s.size("N"), s.size("M")
    i, j, k, l = (s.size(c) for c in "ijkl")
    x, z, y = s.input("x", "f64", (n, m)), s.input("z", "f64", (n,)), s.output("y", "f64", (n, m))
    top = s.nest([s.vector(l, n, 8, 2)], accumulators=[s.accumulator("top", "max", s.load(z, l))])
    total = s.nest([s.vector(j, m, 8, 4)], accumulators=[s.accumulator("total", "sum", s.load(x, i, j))])
    scale = s.let("scale", s.op("divide", s.local("top", "f64"), s.local("total", "f64")))
    scaled = s.nest([s.vector(k, m, 8, 2)], s.store(y, (i, k), s.op("multiply", s.load(x, i, k), s.local("scale", "f64"))))
    s.kernel(top, s.nest([s.parallel(i, n)], total, scale, scaled), work=n * m)
    return s


@pytest.mark.parametrize("pool", [True, False])
def test_parallel_rows(pool: bool) -> None:
    target = host_target(parallel_work=1000, cores=2)
    library = pool_text(host()[0]) if pool else SERIAL
    program = parallel_rows().compile(target, [library])
    if pool:
        ctypes.CFUNCTYPE(None, ctypes.c_int)(program.compiled.codes[0].addresses["stax_pool_threads"])(2)
    for shape in ((0, 3), (3, 0), (1, 1), (5, 10), (400, 33), (1, 5000), (33, 1001)):
        rng = np.random.default_rng(1)
        data, weights = rng.random(shape) + 1, rng.random(shape[0])
        got = np.zeros(shape)
        before = 0 if pool else regions(program)
        program(data, weights, got, N=shape[0], M=shape[1])
        if not pool:
            assert regions(program) - before == (1 if shape[0] > 1 and shape[0] * shape[1] >= 1000 else 0)
        if got.size:
            np.testing.assert_allclose(got, data * (weights.max() / data.sum(1))[:, None], rtol=1e-14)
    if pool:
        ctypes.CFUNCTYPE(None)(program.compiled.codes[0].addresses["stax_pool_stop"])()


def test_parallel_is_not_wanted_below_the_threshold() -> None:
    s = parallel_rows()
    assert "stax_parallel" not in emit(s.schedule(), host_target(cores=1), "k").text
    s = Sketch()
    i = s.size("i")
    x, y = s.input("x", "f32", (64,)), s.output("y", "f32", (64,))
    s.kernel(s.nest([s.parallel(i, 64)], s.store(y, (i,), s.load(x, i))), work=128)
    emission = emit(s.schedule(), host_target(), "k")
    assert "stax_parallel" not in emission.text and emission.externals == ()


def test_threads_do_not_change_a_sum() -> None:
    """Partial sums of fixed blocks, combined in order: the same bits for one thread and two."""
    s = Sketch()
    n, b, i, k = (s.size(c) for c in ("N", "b", "i", "k"))
    x, y = s.input("x", "f32", (n,)), s.output("y", "f32", ())
    blocks = (n + 4095) // 4096
    part = s.temporary("part", "f32", (blocks,))
    block = s.nest(
        [s.vector(i, minimum(4096, n - 4096 * b), 16, 4, start=4096 * b)], accumulators=[s.accumulator("p", "sum", s.load(x, i))]
    )
    s.kernel(s.nest([s.parallel(b, blocks)], block, s.store(part, (b,), s.local("p", "f32"))), work=n)
    s.kernel(
        s.nest([s.vector(k, blocks, 16, 4)], accumulators=[s.accumulator("t", "sum", s.load(part, k))]), s.store(y, (), s.local("t", "f32"))
    )
    program = s.compile(host_target(parallel_work=1), [pool_text(host()[0])])
    threads = ctypes.CFUNCTYPE(None, ctypes.c_int)(program.compiled.codes[0].addresses["stax_pool_threads"])
    data = np.random.default_rng(0).normal(size=1_000_003).astype(np.float32)
    found = set()
    for count in (1, 2, 3):
        threads(count)
        for _ in range(10):
            got = np.zeros((), np.float32)
            program(data, got, N=len(data))
            found.add(got.tobytes())
    assert len(found) == 1
    np.testing.assert_allclose(got, data.astype(float).sum(), rtol=1e-5)
    ctypes.CFUNCTYPE(None)(program.compiled.codes[0].addresses["stax_pool_stop"])()


@pytest.fixture(scope="module")
def library() -> str:
    return gemm_text(blas.find().wide)


def with_blas(schedule: Schedule, text: str) -> Program:
    return Program(schedule, None, [text], blas.find().symbols)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_matrix_products(dtype: str, turned: tuple[bool, bool], library: str) -> None:
    s = Sketch()
    n, m, k, g = s.size("N"), s.size("M"), s.size("K"), s.size("G")
    a = s.input("a", dtype, (g, k, n) if turned[0] else (g, n, k))
    b = s.input("b", dtype, (m, k) if turned[1] else (k, m))
    out = s.output("out", dtype, (g, n, m))
    first = BufferView(a, (g, n, k), (n * k, 1, n) if turned[0] else (n * k, k, 1))
    second = BufferView(b, (g, k, m), (0, 1, k) if turned[1] else (0, m, 1))
    s.steps.append(LibraryCall("gemm", (BufferView(out, (g, n, m), (n * m, m, 1)),), (first, second)))
    program = with_blas(s.schedule(), library)
    kind = np.float32 if dtype == "f32" else np.float64
    for batch, rows, columns, inner in ((1, 1, 1, 1), (2, 3, 5, 7), (3, 1, 4, 1), (2, 4, 1, 3), (2, 17, 9, 0), (0, 2, 2, 2), (2, 0, 3, 4)):
        rng = np.random.default_rng(0)
        left = rng.normal(size=(batch, rows, inner)).astype(kind)
        right = rng.normal(size=(inner, columns)).astype(kind)
        got = np.full((batch, rows, columns), 7, kind)
        held = (np.ascontiguousarray(left.swapaxes(1, 2)) if turned[0] else left, np.ascontiguousarray(right.T) if turned[1] else right)
        program(*held, got, G=batch, N=rows, M=columns, K=inner)
        np.testing.assert_allclose(got, left @ right, rtol=1e-4 if dtype == "f32" else 1e-12, atol=1e-5)


def chain_of(count: int) -> Sketch:
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, w, y = s.input("x", "f32", (n, m)), s.input("w", "f32", (m,)), s.output("y", "f32", (n, m))
    value = s.load(x, i, j)
    for k in range(count // 4):
        value = s.op("add", s.op("multiply", value, s.load(w, j)), s.const(0.5 + k, "f32"))
        value = s.op("maximum", s.op("tanh", value) if k == 1 else s.op("negative", value), s.const(0.0, "f32"))
    s.kernel(s.nest([s.parallel(i, n), s.vector(j, m, 16, 2)], s.store(y, (i, j), value)), work=n * m * count)
    return s


def test_emission_of_twenty_operations_is_quick() -> None:
    """Counted, not timed against a limit that a busy machine would miss: far below what LLVM takes."""
    schedule = chain_of(20).schedule()
    target = host_target()
    emit(schedule, target, "k")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        emission = emit(schedule, target, "k")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.02
    assert emission.text.count("\n") < 400
