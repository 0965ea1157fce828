"""Reductions that may end before their loop does: any, all, and the first place where something holds."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import DTYPES
from tests.llvm.harness import Program, Sketch, host_target

LENGTHS = (0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 1001)
MISSING = (1 << 63) - 1


def truths(kind: str, unroll: int, vector_bytes: int) -> Program:
    """y[i] = kind over j of x[i, j]."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", "bool", (n, m)), s.output("y", "bool", (n,))
    inner = s.nest([s.vector(j, m, 8, unroll)], accumulators=[s.accumulator("r", kind, s.load(x, i, j), "bool")])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(y, (i,), s.local("r", "bool"))))
    return s.compile(host_target(vector_bytes=min(vector_bytes, host_target().vector_bytes)))


@pytest.mark.parametrize("vector_bytes", [64, 32])
@pytest.mark.parametrize(("kind", "unroll"), [("any", 4), ("any", 1), ("all", 4), ("all", 2)])
def test_one_odd_element_at_every_place(kind: str, unroll: int, vector_bytes: int) -> None:
    program = truths(kind, unroll, vector_bytes)
    for length in LENGTHS:
        data = np.zeros((length + 1, length), bool)
        data[np.arange(length), np.arange(length)] = True
        data = ~data if kind == "all" else data
        got = np.zeros(length + 1, bool)
        program(data, got, N=length + 1, M=length)
        np.testing.assert_array_equal(got, getattr(data, kind)(axis=1))


def search(unroll: int, guarded: bool) -> Program:
    """y[i] = the least of 10 + 3 j where x[i, j] > 0 (and j < M - 2), else the greatest integer."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y = s.input("x", "f64", (n, m)), s.output("y", "i64", (n,))
    none = s.const(MISSING, "i64")
    place = s.op("add", s.const(10, "i64"), s.value(3 * j))
    value = s.op("where", s.compare("greater", s.load(x, i, j), s.const(0.0, "f64")), place, none)
    if guarded:
        value = s.guard(s.compare("less", s.value(j), s.value(m - 2)), value, none)
    inner = s.nest([s.vector(j, m, 8, unroll)], accumulators=[s.accumulator("r", "min", value, "i64")])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(y, (i,), s.local("r", "i64"))))
    return s.compile(host_target())


@pytest.mark.parametrize("unroll", [1, 2, 4])
@pytest.mark.parametrize("guarded", [False, True])
def test_first_place(unroll: int, guarded: bool) -> None:
    program = search(unroll, guarded)
    rng = np.random.default_rng(unroll)
    for length in LENGTHS[1:]:
        data = np.where(rng.random((50, length)) < 2 / length, 1.0, -1.0)
        data[0] = -1.0
        got = np.zeros(50, np.int64)
        program(data, got, N=50, M=length)
        hit = data > 0
        if guarded:
            hit[:, max(length - 2, 0) :] = False
        np.testing.assert_array_equal(got, np.where(hit.any(axis=1), 10 + 3 * hit.argmax(axis=1), MISSING))


def test_the_places_are_not_carried() -> None:
    """Only the lanes that fulfil the condition and the index: no vector of places goes around the loop."""
    loop = search(4, False).emission.text
    assert "phi <8 x i1>" in loop
    assert "phi <8 x i64>" not in loop


def extremes(kind: str, dtype: str, unroll: int, vector_bytes: int) -> Program:
    """y[i] = the first place of the extreme of x[i, :], z[i] = the extreme."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y, z = s.input("x", dtype, (n, m)), s.output("y", "i64", (n,)), s.output("z", dtype, (n,))
    inner = s.nest([s.vector(j, m, 8, unroll)], accumulators=[s.accumulator("r", kind, s.load(x, i, j), "i64", position=j)])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(y, (i,), s.local("r", "i64")), s.store(z, (i,), s.local("r.value", dtype))))
    return s.compile(host_target(vector_bytes=min(vector_bytes, host_target().vector_bytes)))


@pytest.mark.parametrize("vector_bytes", [64, 32, 16])
@pytest.mark.parametrize("unroll", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u32", "i64", "u64", "i16"])
@pytest.mark.parametrize("kind", ["argmin", "argmax"])
def test_extreme_at_every_place(kind: str, dtype: str, unroll: int, vector_bytes: int) -> None:
    """One extreme, two equal ones, none better than the worst number; a NaN before it, after it, two of them."""
    program = extremes(kind, dtype, unroll, vector_bytes)
    rng, real = np.random.default_rng(unroll), DTYPES[dtype].numpy
    worst = (-np.inf if kind == "argmax" else np.inf) if real.kind == "f" else getattr(np.iinfo(real), "min" if kind == "argmax" else "max")
    for length in LENGTHS[1:-1]:
        data = rng.integers(1, 100, (3 * length + 2, length)).astype(real)
        k = np.arange(length)
        data[k, k] = data[length + k, k] = data[length + k, k[::-1]] = 0 if kind == "argmin" else 101
        data[-1] = worst
        data[-2] = np.arange(length)
        if real.kind == "f":
            data[2 * length + k, k] = np.nan
            data[2 * length + k, (k + 3) % length] = rng.choice([np.nan, np.inf, -np.inf], length)
        places, values = np.zeros(len(data), np.int64), np.zeros(len(data), real)
        program(data, places, values, N=len(data), M=length)
        expected = getattr(data, kind)(axis=1)
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(values, data[np.arange(len(data)), expected])
