"""Ranges of indices: inferred, given, refused with both places named; the same in a call and in the checker."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.diagnostics import StaxError
from staxlang.base.spans import Source
from staxlang.runtime.modules import linked
from staxlang.typecheck.checking import check_module
from tests.index_notation.everywhere import body, kernel


def shape_of(parameters: str, *lines: str, args: tuple[Any, ...]) -> tuple[int, ...]:
    return kernel(body(parameters, *lines))(*args).shape


@pytest.mark.parametrize(
    ("definition", "shape"),
    [
        ("let y[i] = x[i]", (9,)),
        ("let y[i] = x[i + 1]", (8,)),
        ("let y[i] = x[i] + x[i + 2]", (7,)),
        ("let y[i] = x[2*i]", (5,)),
        ("let y[i] = x[2*i + 1]", (4,)),
        ("let y[i] = x[3*i] + x[3*i + 2]", (3,)),
        ("let y[i] = x[8 - i]", (9,)),
        ("let y[i] = x[6 - 2*i]", (4,)),
        ("let y[i] = x[i // 2]", (18,)),
        ("let y[i] = sum[k] x[i + k] * w[k]", (7,)),
        ("let y[i] = sum[k] x[i + 2*k] * w[k]", (5,)),
        ("let y[i] = sum[k] x[2*i + k] * w[k]", (4,)),
        ("let y[k] = sum[i in 0..3] x[i + k]", (7,)),
        ("let y[i] = sum[k in 1..3] x[i + k]", (7,)),
        ("let y[i in 0..4] = x[i]", (4,)),
        ("let y[i in 0..x.shape[0] - 2] = x[i + 2]", (7,)),
        ("let y[i] = x[i] if i != 3 else 0.0", (9,)),
        ("let y[i] = sum[j if j != i] x[j] * (x[i] - x[j])", (9,)),
        ("let y[i, j] = x[i] * w[j]", (9, 3)),
        ("let y[j, i] = x[i] * w[j]", (3, 9)),
        ("let y[i, j] = x[i + j] where j < 3 else 0.0".replace("[i, j]", "[i in 0..7, j in 0..5]"), (7, 5)),
    ],
)
def test_inferred(definition: str, shape: tuple[int, ...]) -> None:
    assert shape_of("x, w", definition, "return y", args=(np.arange(9.0), np.ones(3))) == shape


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (("let y[i] = x[i] + w[i]",), "index-range-differs", ("9", "3", "axis 0 of `x`", "axis 0 of `w`", "parameter x", "parameter w")),
        (("let y[i] = x[i + 1] + w[i + 1]",), "index-range-differs", ("8", "2", "`x`", "`w`")),
        (("let y[i] = 2.0 * i",), "index-range-unknown", ("`i`", "i in 0..N")),
        (("let y[i] = x[i - 1] where i > 0 else 0.0",), "index-range-unknown", ("`i`",)),
        (("let y[i, j] = x[i + j]",), "index-range-unknown", ("`i`",)),
        (("return sum[k] 1.0",), "index-range-unknown", ("`k`",)),
        (("let y[i] = x[i] + x[i - 1]",), "index-outside", ("`i - 1`", "less than 0", "0..9", "by its uses")),
        (("let y[i in 0..9] = x[i + 1]",), "index-outside", ("`i + 1`", "may reach 9", "`i` runs over 0..9", "parameter x")),
        (("let y[i] = w[i] * x[3*i + 3]",), "index-outside", ("`3*i + 3`",)),
        (("let y[i in 0..9] = x[i - 1] where i > 1 else x[i - 1]",), "index-outside", ("`i - 1`",)),
        (("let y[i] = sum[k in 0..4] x[i] * w[k]",), "index-outside", ("`k`", "may reach 3", "0..4")),
        (("let y[i] = x[i, 0]",), "too-many-indices", ()),
        (("let y[i] = x[i].sum(axis=i)",), "index-decides", ()),
        (("let y[i] = zeros(i)[0] + x[i]",), "index-in-shape", ("`i`",)),
        (("let y[i in 0..4] = x",), "index-missing", ("`...`",)),
    ],
)
def test_refused(lines: tuple[str, ...], code: str, words: tuple[str, ...]) -> None:
    made = kernel(body("x, w", *lines, "return y"))
    with pytest.raises(StaxError) as caught:
        made(np.arange(9.0), np.ones(3))
    assert caught.value.code == code, caught.value
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))
    assert caught.value.diagnostics[0].span is not None


def test_the_place_is_shown() -> None:
    made = kernel(body("x, w", "let y[i] = x[i] + w[i]", "return y"))
    with pytest.raises(StaxError) as caught:
        made(np.ones(9), np.ones(3))
    text = str(caught.value)
    assert ":2:" in text and "^" in text and "(line 1)" in text, text


def test_guards_prove_reads() -> None:
    x = np.arange(9.0)
    for condition, meaning in (
        ("i > 0", lambda i: i > 0), ("not i == 0", lambda i: i != 0), ("0 < i", lambda i: i > 0), ("0 < i < 9", lambda i: i > 0),
        ("i >= 1 and x[i - 1] > 3.0", lambda i: i > 0 and i - 1 > 3), ("i > 2 or i == 1", lambda i: i > 2 or i == 1),
    ):  # fmt: skip
        made = kernel(body("x", f"let y[i in 0..9] = x[i - 1] where {condition} else -1.0", "return y"))
        if " or " in condition:  # says nothing of i by itself
            with pytest.raises(StaxError, match="i - 1"):
                made(x)
            continue
        np.testing.assert_array_equal(made(x), [x[i - 1] if meaning(i) else -1.0 for i in range(9)])


def test_extents_that_happen_to_agree_are_guarded() -> None:
    made = kernel(body("x, w", "let y[i] = x[i] * w[i]", "return y"))
    for length in (3, 4, 5):
        assert made(np.ones(length), np.ones(length)).shape == (length,)
    with pytest.raises(ValueError, match=r"differs|different"):
        made(np.ones(6), np.ones(7))


def test_what_is_proved_of_sizes_is_guarded() -> None:
    """`a[i, j]` for j < i lies inside where there are columns enough; a call with fewer is refused."""
    made = kernel(body("a", "let y[i] = sum[j in 0..i] a[i, j]", "return y"))
    for shape in ((3, 3), (4, 3), (5, 7)):
        a = np.ones(shape)
        np.testing.assert_array_equal(made(a), np.arange(shape[0]))
    with pytest.raises(IndexError, match="is not proved to lie in"):
        made(np.ones((5, 3)))


# ---- in the checker ------------------------------------------------------------------------------------------------


def found(text: str) -> list[str]:
    return [one.code for one in check_module(linked(lambda linker: linker.text("/nowhere/m.stx", _source(text))))]


def _source(text: str) -> Any:
    return Source("m.stx", text)


@pytest.mark.parametrize(
    ("header", "lines", "codes"),
    [
        ("x: f32[H, W]) -> f32[H - 2, W - 2] where H > 2, W > 2",
         "let y[i, j] = x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 2] + x[i + 2, j + 1]\nreturn y", []),
        ("a: T[M, K], b: T[K, N]) -> T[M, N] where T: float", "let c[i, j] = sum[k] a[i, k] * b[k, j]\nreturn c", []),
        ("a: i8[M]) -> i8[M", "let s[j in 0..M] = sum[i] a[i]\nreturn s", ["result-mismatch"]),  # in 64 bits, as NumPy
        ("a: f32[M, K], b: f32[K, N]) -> f32[N, M]", "let c[i, j] = sum[k] a[i, k] * b[k, j]\nreturn c", ["result-mismatch"]),
        ("a: f32[M, K], b: f32[J, N]", "let c[i, j] = sum[k] a[i, k] * b[k, j]\nreturn c", ["index-range-differs"]),
        ("x: f32[N]", "let y[i in 0..N] = x[i + 1]\nreturn y", ["index-outside"]),
        ("x: f32[N]) -> f32[N", "let s[0] = x[0]\nlet s[i] = s[i - 1] + x[i]\nreturn s", []),
        ("x: f32[N]", "let s[i in 1..N] = x[i]\nreturn s", ["index-undefined"]),
        ("x: f32[N]", "let y[i] = nothing + x[i]\nlet z[i] = y[i] + 1.0\nreturn z", ["unknown-name"]),
        ("x: f32[N], k: i64[N]) -> f32[N", "let y[i] = x[k[i]] if k[i] < N else 0.0\nreturn y", []),
        ("h: f32[B], k: i64[N], w: f32[N]", "let h[k[i]] += w[i]", []),
    ],
)  # fmt: skip
def test_checked_without_a_call(header: str, lines: str, codes: list[str]) -> None:
    head = header if ")" in header else header + ")"
    head = head + "]" if head.count("[") > head.count("]") else head
    text = f"kernel f({head}:\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    assert found(text) == codes


def test_names_of_indices_are_no_part_of_a_program() -> None:
    a, b = stax.spec((4, 5), np.float32), stax.spec((5, 6), np.float32)
    first = kernel(body("a, b", "let c[i, j] = sum[k] a[i, k] * b[k, j]", "return c")).lower(a, b)
    second = kernel(body("a, b", "let z[n, m] = sum[q] a[n, q] * b[q, m]", "return z")).lower(a, b)
    assert first.fingerprint == second.fingerprint
    x = stax.spec((9,), np.float32)
    first = kernel(body("x", "let s[0] = x[0]", "let s[i] = 0.5*s[i - 1] + x[i]", "return s")).lower(x)
    second = kernel(body("x", "let y[i] = x[i] + 1.0", "let t[0] = x[0]", "let t[n] = 0.5*t[n - 1] + x[n]", "return t")).lower(x)
    third = kernel(body("x", "let s[0] = x[0]", "let s[i] = 0.5*s[i - 1] - x[i]", "return s")).lower(x)
    assert first.fingerprint == second.fingerprint != third.fingerprint


def test_the_graph_is_printed_as_it_was_written() -> None:
    made = kernel(body("x", "let s[0] = x[0]", "let s[i] = 0.5*s[i - 1] + x[i]", "return s"))
    text = made.lower(stax.spec((9,), np.float32)).show("graph")
    assert "own(" in text and "pieces(" in text
