"""Division of a vector loop's lanes by one number: the same bits as NumPy's, for usual, extreme and adversarial pairs."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.compiler.llvm.division import HIGH, LEAST, LOW
from tests.llvm.harness import Program, Sketch, host_target


def division(dtype: str) -> Program:
    """y[i, j] = x[i, j] / s[i]."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, d, y = s.input("x", dtype, (n, m)), s.input("s", dtype, (n,)), s.output("y", dtype, (n, m))
    body = s.store(y, (i, j), s.op("divide", s.load(x, i, j), s.load(d, i)))
    s.kernel(s.nest([s.serial(i, n), s.vector(j, m, 8, 2)], body))
    return s.compile(host_target())


@pytest.fixture(scope="module")
def divide() -> Program:
    return division("f64")


def agree(divide: Program, a: np.ndarray, s: np.ndarray) -> None:
    got = np.zeros_like(a)
    divide(a, s, got, N=len(a), M=a.shape[1])
    with np.errstate(all="ignore"):
        want = a / s[:, None]
    same = (got.view(np.int64) == want.view(np.int64)) | (np.isnan(got) & np.isnan(want))
    if not same.all():
        row, column = np.argwhere(~same)[0]
        raise AssertionError(f"{a[row, column].hex()} / {s[row].hex()}: {got[row, column].hex()}, not {want[row, column].hex()}")


def powers(rng: np.random.Generator, low: int, high: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.ldexp(rng.uniform(1, 2, shape), rng.integers(low, high, shape))


def test_the_route_is_taken() -> None:
    if host_target().vector_bytes < 64:
        pytest.skip("machines without masks divide")
    assert "divided." in division("f64").emission.text
    assert "divided." not in division("f32").emission.text


@pytest.mark.parametrize(("low", "high"), [(-3, 3), (-30, 30), (-1000, 60), (-1070, 1020)])
def test_random_numbers(divide: Program, low: int, high: int) -> None:
    rng = np.random.default_rng(high)
    for _ in range(5):
        s = powers(rng, max(low, -1020), high, (50,))
        a = powers(rng, low, high, (50, 10_001)) * rng.choice([-1.0, 1.0], (50, 10_001))
        agree(divide, a, s)


def test_quotients_next_to_the_middle_of_two_numbers(divide: Program) -> None:
    """a = (q + half an ulp) s, rounded, and its neighbours: the quotient is as near to a tie as it can be."""
    rng = np.random.default_rng(7)
    digits = 1 << 53
    for _ in range(20):
        s = rng.integers(digits // 2, digits, 20)
        ends = np.array([digits - 1, digits - 2, digits // 2, digits // 2 + 1])
        s[:4] = ends
        rows: list[np.ndarray] = []
        for divisor in s.tolist():
            q = [int(v) for v in rng.integers(digits // 2, digits, 500)] + ends.tolist()
            exact = [(2 * v + 1) * divisor for v in q]
            near = [((e >> (e.bit_length() - 53)) + step) for e in exact for step in (-1, 0, 1)]
            rows.append(np.array([float(min(max(v, 1), digits - 1)) for v in near]))
        agree(divide, np.array(rows), s.astype(np.float64))
        agree(divide, np.array(rows) * 2.0**-900, s.astype(np.float64) * 2.0**-20)


def test_products_that_divide_evenly(divide: Program) -> None:
    rng = np.random.default_rng(8)
    s, q = rng.integers(1, 1 << 26, 100).astype(np.float64), rng.integers(-(1 << 26), 1 << 26, (100, 5001)).astype(np.float64)
    agree(divide, q * s[:, None], s)


def test_ends_of_the_range(divide: Program) -> None:
    numbers = [0.0, 5e-324, 1e-320, 2.2250738585072014e-308, LEAST, LOW, HIGH, 1e-300, 1e300, 1.7976931348623157e308]
    numbers += [np.inf, np.nan, 1.0, 3.0]
    with np.errstate(over="ignore"):
        numbers += [np.nextafter(v, 0) for v in numbers] + [np.nextafter(v, np.inf) for v in numbers]
    whole = np.array(numbers + [-v for v in numbers])
    divisors = np.concatenate([whole, whole * 0.3])
    agree(divide, np.tile(np.concatenate([whole, whole / 3.0, whole * 0.7]), (len(divisors), 1)), divisors)
    for place in range(17):  # one odd lane among usual ones
        a = np.full((len(whole), 17), 5.0)
        a[:, place] = whole
        agree(divide, a, np.full(len(whole), 7.0))
