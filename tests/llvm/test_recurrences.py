"""Serial loops keep in registers what the next steps read: values, and how often memory is read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import staxlang as stax

MODULE = stax.load_text("""
kernel one(x: T[N]) -> T[N] where T: number, N >= 1:
    let s[0] = x[0]
    let s[i] = 2 * s[i - 1] - x[i] * s[i - 1] + 1
    return s

kernel second(x: T[N]) -> T[N] where T: number, N >= 2:
    let s[0] = x[0]
    let s[1] = x[1]
    let s[i] = x[i] - s[i - 2]
    return s

kernel third(x: T[N], c: float) -> T[N] where T: float, N >= 3:
    let s[i in 0..3] = x[i]
    let s[i in 3..N] = c * s[i - 1] - 0.25 * s[i - 3] + x[i] * x[i - 2]
    return s

kernel follower(x: T[C, N], decay: float) -> T[C, N] where T: float, N >= 1:
    let e[c, 0] = abs(x[c, 0])
    let e[c, n] = max(abs(x[c, n]), decay * e[c, n - 1])
    return e

kernel least(x: T[N]) -> T[N] where T: float, N >= 1:
    let e[0] = x[0]
    let e[n] = min(0.5 * e[n - 1] + 1, x[n])
    return e

kernel distance(a: i64[M], b: i64[N]) -> i64[M + 1, N + 1] where M > 0, N > 0:
    let d[0, j in 0..N + 1] = j
    let d[i in 1..M + 1, 0] = i
    let d[i in 1..M + 1, j in 1..N + 1] = min(min(d[i-1, j] + 1, d[i, j-1] + 1), d[i-1, j-1] + where(a[i-1] == b[j-1], 0, 1))
    return d
""")
RANDOM = np.random.default_rng(0)


def one(x):
    s = x.copy()
    for i in range(1, len(x)):
        s[i] = 2 * s[i - 1] - x[i] * s[i - 1] + 1
    return s


def second(x):
    s = x.copy()
    for i in range(2, len(x)):
        s[i] = x[i] - s[i - 2]
    return s


def third(x, c):
    s = x.copy()
    c, quarter = x.dtype.type(c), x.dtype.type(0.25)
    for i in range(3, len(x)):
        s[i] = c * s[i - 1] - quarter * s[i - 3] + x[i] * x[i - 2]
    return s


def follower(x, decay):
    e = np.abs(x)
    for n in range(1, x.shape[1]):
        e[:, n] = np.maximum(e[:, n], x.dtype.type(decay) * e[:, n - 1])
    return e


def least(x):
    e = x.copy()
    for n in range(1, len(x)):
        e[n] = np.minimum(x.dtype.type(0.5) * e[n - 1] + 1, x[n])
    return e


def distance(a, b):
    d = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return d


def data(dtype: str, *shape: int) -> Any:
    if dtype[0] == "f":
        return RANDOM.random(shape).astype(dtype)
    return RANDOM.integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 17, 300])
def test_one_and_two_steps_back(dtype: str, n: int) -> None:
    x = np.abs(data(dtype, n))
    tolerance = {"f8": 1e-13, "f4": 1e-5, "f2": 2e-2}.get(dtype, 0)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(MODULE.one(x), one(x), rtol=tolerance, atol=tolerance)
        if n > 1:
            np.testing.assert_allclose(MODULE.second(x), second(x), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 40])
def test_three_steps_back(dtype: str, n: int) -> None:
    x = data(dtype, n)
    np.testing.assert_allclose(MODULE.third(x, 0.3), third(x, 0.3), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_extremes_pass_on_nan_from_either_side(dtype: str) -> None:
    x = RANDOM.standard_normal((5, 60)).astype(dtype)
    x[1, 0], x[2, 30], x[3, 59], x[4, 20] = np.nan, np.nan, np.inf, -np.inf
    for rows in (x, x[:, ::-1], x[::2], np.asfortranarray(x)):
        np.testing.assert_allclose(MODULE.follower(rows, 0.7), follower(rows, 0.7), rtol=1e-6)
        for row in rows:
            np.testing.assert_allclose(MODULE.least(row), least(row), rtol=1e-6)


@pytest.mark.parametrize("m, n", [(1, 1), (1, 9), (9, 1), (13, 20)])
def test_tables_that_are_filled_by_neighbours(m: int, n: int) -> None:
    a, b = RANDOM.integers(0, 3, m), RANDOM.integers(0, 3, n)
    assert np.array_equal(MODULE.distance(a, b), distance(a, b))


def test_in_place_loops_over_elements() -> None:
    def relaxed(u, f):
        for i in range(1, u.shape[0] - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i])
        return u

    def two(a, b):
        for i in range(1, a.shape[0]):
            a[i] = b[i - 1] * 0.5 + a[i]
            b[i] = a[i] - b[i - 1]
        return a, b

    kernel = stax.kernel(relaxed)
    u, f = RANDOM.random((2, 50))
    np.testing.assert_allclose(kernel(u.copy(), f), relaxed(u.copy(), f), rtol=1e-12)
    pair = stax.kernel(two)
    for got, want in zip(pair(u.copy(), f.copy()), two(u.copy(), f.copy()), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def carrying(text: str) -> list[str]:
    """The loops that carry numbers from step to step, without loops inside them."""
    blocks = re.split(r"(?m)^(?=[a-z]+\.\d+:$)", text)
    return [block for block in blocks if block.startswith("loop.") and "phi double" in block]


CARRIED = [("one", (np.ones(50),)), ("second", (np.ones(50),)), ("follower", (np.ones((2, 50)), 0.5)), ("least", (np.ones(50),))]


@pytest.mark.parametrize("name, args", CARRIED, ids=[name for name, _ in CARRIED])
def test_steps_read_only_what_is_new(name: str, args: Any) -> None:
    """In the loop of a recurrence: one load for the argument, none for the element before."""
    (loop,) = carrying(getattr(MODULE, name).show("llvm", *args))
    assert loop.count("= load double") == 1 and loop.count("store double") == 1
