"""Tensors in pieces and by their own elements: values, one kernel each, orders that are found, orders that there are not."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from staxlang.base.diagnostics import StaxError
from tests.index_notation.everywhere import body, check, check_native, kernel

RANDOM = np.random.default_rng(5)
DTYPES = ("f4", "f8", "i8")


def numbers(dtype: str, *shape: int) -> np.ndarray:
    values = RANDOM.normal(size=shape) * 2
    return np.asarray(np.round(values) if dtype[0] == "i" else values).astype(dtype)


def edit_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    d = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    d[0], d[:, 0] = np.arange(len(b) + 1), np.arange(len(a) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return d


EDIT = body(
    "a, b",
    "M = a.shape[0]",
    "N = b.shape[0]",
    "let d[0, j in 0..N + 1] = j",
    "let d[i in 1..M + 1, 0] = i",
    "let d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (1 if a[i - 1] != b[j - 1] else 0))",
    "return d",
)


def test_edit_distance() -> None:
    a, b = RANDOM.integers(0, 3, 9), RANDOM.integers(0, 3, 7)
    made = check(EDIT, (a, b), edit_distance(a, b), kernels=1)
    report = made.explain(a, b)
    assert report.bytes_moved == report.bytes_lower_bound
    for m, n in ((5, 6), (12, 3), (1, 1), (1, 8)):
        a, b = RANDOM.integers(0, 3, m), RANDOM.integers(0, 3, n)
        check_native(made, (a, b), edit_distance(a, b))


def test_edit_distance_of_nothing() -> None:
    a, b = np.zeros(0, np.int64), RANDOM.integers(0, 3, 4)
    check(EDIT, (a, b), edit_distance(a, b))
    check(EDIT, (b, a), edit_distance(b, a))


# ---- running totals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_running_totals_are_scans(dtype: str) -> None:
    x, y, z = numbers(dtype, 20), numbers(dtype, 20), numbers(dtype, 6, 7)
    cases: list[tuple[str, tuple[Any, ...], Any]] = [
        (body("x", "let s[0] = x[0]", "let s[i] = s[i - 1] + x[i]", "return s"), (x,), np.cumsum(x, dtype=dtype)),
        (body("x", "let s[0] = x[0]", "let s[i] = x[i] + s[i - 1]", "return s"), (x,), np.cumsum(x, dtype=dtype)),
        (body("x", "let s[0] = x[0]", "let s[i] = s[i - 1] * x[i]", "return s"), (x,), np.cumprod(x, dtype=dtype)),
        (body("x", "N = x.shape[0]", "let s[0] = 0", "let s[i in 1..N + 1] = s[i - 1] + x[i - 1]", "return s"), (x,),
         np.concatenate([[0], np.cumsum(x, dtype=dtype)]).astype(dtype)),
        (body("x, y", "let s[0] = x[0] * y[0]", "let s[i] = s[i - 1] + x[i] * y[i]", "return s"), (x, y), np.cumsum(x * y, dtype=dtype)),
        (body("x", "let s[0, j] = x[0, j]", "let s[i, j] = maximum(s[i - 1, j], x[i, j])", "return s"), (z,), np.maximum.accumulate(z, 0)),
        (body("x", "let s[j, 0] = x[j, 0]", "let s[j, i] = s[j, i - 1] + x[j, i]", "return s"), (z,), np.cumsum(z, 1, dtype=dtype)),
        (body("x", "let s[j, 0] = 2", "let s[j, i] = s[j, i - 1] + x[j, i]", "return s"), (z,),
         2 + np.cumsum(z, 1, dtype=dtype) - z[:, :1]),
    ]  # fmt: skip
    for text, args, wanted in cases:
        made = check(text, args, wanted, kernels=1, tolerance=1e-5)
        assert "scan(" in made.show("optimized", *args), text


def test_what_is_no_scan() -> None:
    """Another operation, another distance, another start: the definition as it is."""
    x = numbers("f8", 12)
    for step, meaning in (
        ("s[i - 1] - x[i]", lambda s, v: s - v), ("x[i] - s[i - 1]", lambda s, v: v - s),
        ("0.5 * s[i - 1] + x[i]", lambda s, v: 0.5 * s + v),
        ("s[i - 1] + s[i - 1] * x[i]", lambda s, v: s + s * v), ("tanh(s[i - 1]) + x[i]", lambda s, v: np.tanh(s) + v),
    ):  # fmt: skip
        text = body("x", "let s[0] = x[0]", f"let s[i] = {step}", "return s")
        made = check(text, (x,), np.array(list(accumulate(x, meaning))), kernels=1)
        assert "scan(" not in made.show("optimized", x)


# ---- linear recurrences, forwards and backwards --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_linear(dtype: str) -> None:
    a, x = numbers(dtype, 15), numbers(dtype, 15)
    wanted = x.copy()
    for i in range(1, 15):
        wanted[i] = a[i] * wanted[i - 1] + x[i]
    check(body("a, x", "let s[0] = x[0]", "let s[i] = a[i] * s[i - 1] + x[i]", "return s"), (a, x), wanted, kernels=1, tolerance=1e-4)
    made = check(body("a, x", "let s[i] = (a[i] * s[i - 1] if i > 0 else 0) + x[i]", "return s"), (a, x), wanted, kernels=1, tolerance=1e-4)
    for length in (15, 3, 1, 0, 30):
        part = a[:length] if length <= 15 else np.resize(a, length), np.resize(x, length)
        wanted = part[1].copy()
        for i in range(1, length):
            wanted[i] = part[0][i] * wanted[i - 1] + part[1][i]
        check_native(made, part, wanted, 1e-4)


def test_two_terms_back() -> None:
    wanted = [1, 1]
    for _ in range(28):
        wanted.append(wanted[-1] + wanted[-2])
    check(body("x", "let f[0] = x[0]", "let f[1] = x[0]", "let f[i in 2..30] = f[i - 1] + f[i - 2]", "return f"), (np.array([1]),),
          np.array(wanted), kernels=1)  # fmt: skip


def test_backwards() -> None:
    x = numbers("f8", 15)
    wanted = np.array(list(accumulate(x[::-1], lambda s, v: 0.5 * s + v)))[::-1]
    text = body("x", "N = x.shape[0]", "let s[N - 1] = x[N - 1]", "let s[i in 0..N - 1] = 0.5 * s[i + 1] + x[i]", "return s")
    made = check(text, (x,), wanted, kernels=1)
    check_native(made, (x[:4],), np.array(list(accumulate(x[3::-1], lambda s, v: 0.5 * s + v)))[::-1])


def test_several_at_once() -> None:
    x = numbers("f8", 15)
    a, b = x.copy(), np.ones(15)
    for i in range(1, 15):
        a[i] = 0.5 * b[i - 1] + x[i]
        b[i] = a[i] - a[i - 1]
    lines = "let a[0] = x[0]", "let b[0] = 1.0", "let a[i] = 0.5*b[i - 1] + x[i]", "let b[i] = a[i] - a[i - 1]"
    check(body("x", *lines, "return a, b"), (x,), (a, b), kernels=1)
    check(body("x", *lines, "return b"), (x,), b, kernels=1)
    wanted = a + b
    check(body("x", *lines, "return a + b"), (x,), wanted)


def test_names_of_indices_need_not_agree() -> None:
    x = numbers("f8", 9)
    a, b = x.copy(), x.copy()
    for i in range(1, 9):
        a[i] = b[i - 1]
        b[i] = a[i - 1] + x[i]
    lines = "let a[0] = x[0]", "let b[0] = x[0]", "let a[i] = b[i - 1]", "let b[n] = a[n - 1] + x[n]"
    check(body("x", *lines, "return a, b"), (x,), (a, b), kernels=1)


def test_rows_that_depend_on_rows() -> None:
    """Along the other axis nothing depends on anything: vectors run there, in any number of threads."""
    x = numbers("f8", 9, 70)
    wanted = np.array(list(accumulate(x, lambda s, v: 0.5 * s + v)))
    made = check(body("x", "let s[0, j] = x[0, j]", "let s[i, j] = 0.5*s[i - 1, j] + x[i, j]", "return s"), (x,), wanted, kernels=1)
    wide = numbers("f4", 5, 5000)
    check_native(made, (wide,), np.array(list(accumulate(wide, lambda s, v: np.float32(0.5) * s + v))), 1e-5)
    shifted = x.copy()
    for i in range(1, 9):
        shifted[i, 1:] = 0.5 * shifted[i - 1, :-1] + x[i, 1:]
    text = body("x", "let s[0, j] = x[0, j]", "let s[i, 0] = x[i, 0]", "let s[i, j] = 0.5*s[i - 1, j - 1] + x[i, j]", "return s")
    check(text, (x,), shifted, kernels=1)


def test_columns_that_depend_on_columns() -> None:
    x = numbers("f8", 9, 10)
    wanted = np.array(list(accumulate(x.T, lambda s, v: 0.5 * s + v))).T
    check(body("x", "let s[j, 0] = x[j, 0]", "let s[j, i] = 0.5*s[j, i - 1] + x[j, i]", "return s"), (x,), wanted, kernels=1)


def test_a_state_of_many_numbers() -> None:
    w, x = 0.3 * numbers("f8", 6, 6), numbers("f8", 8, 6)
    h = np.tanh(x)
    for t in range(1, 8):
        h[t] = np.tanh(w @ h[t - 1] + x[t])
    text = body("w, x", "let h[0, j] = tanh(x[0, j])", "let h[t, j] = tanh(sum[k] w[j, k]*h[t - 1, k] + x[t, j])", "return h")
    check(text, (w, x), h, kernels=1)


# ---- triangular systems --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_triangular_systems(dtype: str) -> None:
    lower = np.tril(numbers(dtype, 9, 9)) + 6 * np.eye(9, dtype=dtype)
    upper, b, many = lower.T.copy(), numbers(dtype, 9), numbers(dtype, 9, 40)
    made = check(body("l, b", "let x[i] = (b[i] - sum[j in 0..i] l[i, j]*x[j]) / l[i, i]", "return x"), (lower, b),
                 np.linalg.solve(lower, b), kernels=1, tolerance=1e-5)  # fmt: skip
    check_native(made, (lower[:4, :4].copy(), b[:4]), np.linalg.solve(lower[:4, :4], b[:4]), 1e-5)
    text = body("u, b", "N = b.shape[0]", "let x[i] = (b[i] - sum[j in i + 1..N] u[i, j]*x[j]) / u[i, i]", "return x")
    check(text, (upper, b), np.linalg.solve(upper, b), kernels=1, tolerance=1e-5)
    text = body("l, b", "let x[i, c] = (b[i, c] - sum[j in 0..i] l[i, j]*x[j, c]) / l[i, i]", "return x")
    made = check(text, (lower, many), np.linalg.solve(lower, many), kernels=1, tolerance=1e-5)
    wide = numbers(dtype, 9, 3000)
    check_native(made, (lower, wide), np.linalg.solve(lower, wide), 1e-4)


def test_triangular_factors() -> None:
    """Cholesky's factor, element by element, from the upper left."""
    a = numbers("f8", 7, 7)
    a = a @ a.T + 7 * np.eye(7)
    text = body(
        "a",
        "let l[i, j] = sqrt(a[i, i] - sum[k in 0..j] l[i, k]*l[i, k]) if i == j else "
        "(a[i, j] - sum[k in 0..j if i > j] l[i, k]*l[j, k]) / l[j, j] if j < i else 0.0",
        "return l",
    )
    check(text, (a,), np.linalg.cholesky(a), kernels=1)


# ---- pieces --------------------------------------------------------------------------------------------------------


def test_pieces_without_order() -> None:
    x = numbers("f8", 9)
    text = body("x", "N = x.shape[0]", "let s[0] = 0.0", "let s[i in 1..N + 1] = x[i - 1]", "return s")
    check(text, (x,), np.concatenate([[0.0], x]), kernels=1)
    d = np.diff(x, prepend=0.0)
    check(body("x", "let d[0] = x[0]", "let d[i] = x[i] - x[i - 1]", "return d"), (x,), d, kernels=1)
    border = np.pad(numbers("f8", 3, 4), 1, constant_values=7.0)
    text = body(
        "x", "M = x.shape[0]", "N = x.shape[1]", "let p[0, j in 0..N + 2] = 7.0", "let p[M + 1, j in 0..N + 2] = 7.0",
        "let p[i in 1..M + 1, 0] = 7.0", "let p[i in 1..M + 1, N + 1] = 7.0",
        "let p[i in 1..M + 1, j in 1..N + 1] = x[i - 1, j - 1]", "return p",
    )  # fmt: skip
    check(text, (border[1:-1, 1:-1].copy(),), border, kernels=1)


def test_dtypes_of_pieces() -> None:
    x = numbers("f4", 6)
    check(body("x", "let s[0] = 0", "let s[i] = s[i - 1] + x[i]", "return s"), (x,), np.cumsum(np.r_[np.float32(0), x[1:]], dtype="f4"))
    check(body("x", "let s[0] = 0", "let s[i] = s[i - 1] + 1.0*x[i]", "return s"), (x,), np.cumsum(np.r_[np.float32(0), x[1:]], dtype="f4"))
    check(body("k", "let s[0] = k[0]", "let s[i] = 0.5*s[i - 1] + k[i]", "return s"), (np.arange(5),),
          np.array(list(accumulate(np.arange(5.0), lambda s, v: 0.5 * s + v))))  # fmt: skip


def test_under_an_index_outside() -> None:
    """A function with a recurrence, called for each row: rows in parallel."""
    x = numbers("f8", 6, 9)
    helper = "def smooth(r):\n    let s[0] = r[0]\n    let s[i] = 0.5*s[i - 1] + r[i]\n    return s\n\n"
    wanted = np.array(list(accumulate(x.T, lambda s, v: 0.5 * s + v))).T
    check(helper + body("x", "let y[b, i in 0..9] = smooth(x[b])[i]", "return y"), (x,), wanted)


def test_definitions_in_any_order() -> None:
    x = numbers("f8", 4, 5)
    lines = "let y[i, j] = x[i, j] - m[i]", "let m[i] = mean[j] x[i, j]", "let z[i] = sum[j] y[i, j]*y[i, j]"
    wanted = ((x - x.mean(1, keepdims=True)) ** 2).sum(1)
    check(body("x", *lines, "return z"), (x,), wanted)


# ---- what has no order ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (("let s[0] = x[0]", "let s[i in 1..4] = s[4 - i] + x[i]"), "index-order", ("s[4 - i]", "s[i]")),
        (("let s[0] = x[0]", "let s[i in 1..4] = s[i] + x[i]"), "index-order", ("s[i]",)),
        (("let s[i] = s[i] + x[i]",), "index-order", ("s[i]",)),
        (("let s[0] = s[1]", "let s[1] = x[0]"), "index-order", ("s[1]", "s[0]")),
        (("let s[i in 0..3] = s[i + 1] + x[i]", "let s[3] = x[3]"), "index-order", ("s[i + 1]",)),
        (("let a[i] = b[i] + x[i]", "let b[i] = a[i]"), "index-order", ("b[i]", "a[i]")),
        (("let s[i in 1..4] = x[i]",), "index-undefined", ("s[0..1]",)),
        (("let s[0] = x[0]", "let s[i in 2..4] = x[i]"), "index-undefined", ("s[1]",)),
        (("let s[0, 0] = x[0]", "let s[0, j in 1..4] = x[j]", "let s[i in 1..4, j in 1..4] = x[i]"), "index-undefined", ("s[1..4, 0]",)),
        (("let s[0] = x[0]", "let s[0] = x[1]"), "index-defined-twice", ("s[0]",)),
        (("let s[i] = x[i]", "let s[i in 0..4] = x[i]"), "index-defined-twice", ("s[0..4]",)),
        (("let s[0] = x[0]", "let s[i, j] = x[i]"), "index-pieces", ("1 subscripts",)),
        (("let s[-1] = x[0]", "let s[i] = x[i]"), "index-pieces", ("N - 1",)),
        (("let s[0] = x[0]", "let s[i] = sum(s) + x[i]"), "index-own-whole", ("sum(s)",)),
        (("let s[0] = x[0]", "let s[i in 1..4] = s[i - 2] + x[i]"), "index-outside", ("i - 2", "1..4")),
    ],
)  # fmt: skip
def test_refused(lines: tuple[str, ...], code: str, words: tuple[str, ...]) -> None:
    made = kernel(body("x", *lines, "return s" if "let s" in lines[0] else "return a"))
    with pytest.raises(StaxError) as caught:
        made(np.arange(4.0))
    assert caught.value.code == code, caught.value
    for word in words:
        assert word in str(caught.value), caught.value


def test_both_places_are_named() -> None:
    made = kernel(body("x", "let s[0] = x[0]", "let s[i in 1..4] = s[4 - i] + x[i]", "return s"))
    with pytest.raises(StaxError, match=r"computed from it"):
        made(np.arange(4.0))
