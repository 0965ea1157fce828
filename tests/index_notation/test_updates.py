"""`let h[bins[i]] += w[i]` and its like, against NumPy's ufunc.at."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.diagnostics import StaxError
from tests.index_notation.everywhere import body, check, kernel, same

RANDOM = np.random.default_rng(11)
BINS = RANDOM.integers(0, 8, 60)
STARTS = {"+": 0, "-": 0, "*": 1, "max": -9, "min": 9}
AT = {"+": np.add, "-": np.subtract, "*": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("op", STARTS)
def test_places_that_occur_several_times(op: str, dtype: str) -> None:
    w = np.round(RANDOM.normal(size=60) * 2).astype(dtype) if dtype == "i8" or op != "*" else (1 + RANDOM.random(60) / 8).astype(dtype)
    wanted = np.full(8, STARTS[op], dtype)
    AT[op].at(wanted, BINS, w)
    text = body("bins, w", f"h = full(8, {STARTS[op]}, dtype=w.dtype)", f"let h[bins[i]] {op}= w[i]", "return h")
    check(text, (BINS, w), wanted, tolerance=1e-4)


def test_histograms() -> None:
    check(body("bins", "h = zeros(8, dtype=i64)", "let h[bins[i]] += 1", "return h"), (BINS,), np.bincount(BINS, minlength=8))
    x = RANDOM.random(60)
    wanted = np.histogram(x, 5, (0.0, 1.0))[0].astype(np.int64)
    text = body("x", "h = zeros(5, dtype=i64)", "k = minimum((x * 5).astype(i64), 4)", "let h[k[i]] += 1", "return h")
    check(text, (x,), wanted)


def test_rows_at_places() -> None:
    x = RANDOM.normal(size=(60, 3))
    wanted = np.zeros((8, 3))
    np.add.at(wanted, BINS, x)
    check(body("bins, x", "h = zeros((8, 3))", "let h[bins[i], c] += x[i, c]", "return h"), (BINS, x), wanted)


def test_two_numbers_of_data() -> None:
    a, b, w = RANDOM.integers(0, 4, 50), RANDOM.integers(0, 5, 50), RANDOM.normal(size=50)
    wanted = np.zeros((4, 5))
    np.add.at(wanted, (a, b), w)
    check(body("a, b, w", "h = zeros((4, 5))", "let h[a[i], b[i]] += w[i]", "return h"), (a, b, w), wanted)


def test_sums_into_places_without_data() -> None:
    a, c = RANDOM.normal(size=(5, 6)), RANDOM.normal(size=5)
    check(body("a, c", "s = copy(c)", "let s[i] += a[i, k]", "return s"), (a, c), c + a.sum(1), kernels=1)
    check(body("a, c", "s = copy(c)", "let s[2] -= a[i, k]", "return s"), (a, c), np.where(np.arange(5) == 2, c - a.sum(), c))
    check(body("a", "s = copy(a)", "let s[i, j] *= i + 1", "return s"), (a,), a * np.arange(1, 6)[:, None])


def test_transposed_convolution() -> None:
    x, w = RANDOM.normal(size=7), RANDOM.normal(size=3)
    check(body("x, w", "y = zeros(x.shape[0] + w.shape[0] - 1)", "let y[i + k] += x[i] * w[k]", "return y"), (x, w), np.convolve(x, w))


def test_an_argument_is_written_to() -> None:
    made = kernel(body("h, bins, w", "let h[bins[i]] += w[i]"))
    h, w = np.ones(8), RANDOM.normal(size=60)
    wanted = h.copy()
    np.add.at(wanted, BINS, w)
    made(h, BINS, w)
    same(h, wanted)


def test_a_place_that_is_not_there() -> None:
    made = kernel(body("h, bins", "let h[bins[i]] += 1.0"))
    h = np.ones(8)
    with pytest.raises(IndexError, match="out of range"):
        made(h, BINS + 3)
    assert (h == 1).all()


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (("let x[i] /= 2.0",), "index-update"),
        (("let x[i, j] += 2.0",), "index-update"),
        (("let h[i] += x[i]",), "unknown-name"),
        (("let x[i + 1] += y[i]",), "index-outside"),
        (("let x[y[i]] += 1.0",), "bad-index"),
        (("h = zeros(4, dtype=i64)", "let h[i] += x[i]"), "cast-refused"),
        (("let x[i in 0..9] += 1.0",), "index-outside"),
    ],
)
def test_refused(lines: tuple[str, ...], code: str) -> None:
    made = kernel(body("x, y", *lines, "return x"))
    with pytest.raises(StaxError) as caught:
        made(np.ones(4), np.ones(4))
    assert caught.value.code == code, caught.value
