"""Attention and places in sequences, natively, against their formulas in float64: masks, heads, dropout, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import FLOATS, Array, draw
from tests.stdlib.test_nn import check, near, softmax


def attention(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """Heads, if there are any, one by one."""
    if q.ndim > 3 and q.shape[-3] != k.shape[-3]:
        each = q.shape[-3] // k.shape[-3]
        k, v = np.repeat(k, each, -3), np.repeat(v, each, -3)
    scores = q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    return np.where(np.isneginf(scores.max(-1, keepdims=True)), 0, softmax(scores)) @ v


NAME = "stax.scaled_dot_product_attention"


@pytest.mark.parametrize("dtype", FLOATS)
def test_grouped_heads(dtype: str) -> None:
    arrays = {
        "q": draw("f8", 2, 6, 4, 8, scale=1.0), "k": draw("f8", 2, 3, 5, 8, scale=1.0, seed=1), "v": draw("f8", 2, 3, 5, 7, seed=2),
        "m": draw("?", 2, 6, 4, 5, seed=3), "a": draw("f8", 1, 4, 5, seed=4),
    }  # fmt: skip
    variants: dict[str, Callable[..., Any]] = {
        f"{NAME}(q, k, v, enable_gqa=True)": lambda q, k, v, m, a: attention(q, k, v),
        f"{NAME}(q, k, v, m, enable_gqa=True)": lambda q, k, v, m, a: attention(q, k, v, m),
        f"{NAME}(q, k, v, m[:, :1], enable_gqa=True)": lambda q, k, v, m, a: attention(q, k, v, m[:, :1]),
        f"{NAME}(q, k, v, m[0, 0], enable_gqa=True)": lambda q, k, v, m, a: attention(q, k, v, m[0, 0]),
        f"{NAME}(q, k, v, a, True, enable_gqa=True)": lambda q, k, v, m, a: attention(q, k, v, a, True),
        f"{NAME}(q, k[:, :1], v[:, :1])": lambda q, k, v, m, a: attention(q, k[:, :1], v[:, :1]),
    }
    check(variants, dtype, arrays, factor=32)


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(stax.StaxError, match="must divide those of the query"):
        stax.scaled_dot_product_attention(np.ones((4, 2, 3)), np.ones((3, 2, 3)), np.ones((3, 2, 3)), enable_gqa=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_row_that_sees_nothing_gives_zeros(dtype: str) -> None:
    q, k, v = (draw(dtype, 3, 4, seed=seed) for seed in (1, 2, 3))
    mask = np.array([[True, False, True], [False, False, False], [True, True, True]])
    for given in (mask, np.where(mask, 0, -np.inf).astype(dtype)):
        got = stax.scaled_dot_product_attention(q, k, v, given)
        assert not got[1].any() and np.isfinite(got).all()
        near(got[[0, 2]], attention(*(x.astype(float) for x in (q, k, v)), mask)[[0, 2]], dtype, "other rows", factor=32)


def test_dropout_of_shares() -> None:
    q, k, v = draw("f8", 2, 50, 8, scale=1.0), draw("f8", 2, 40, 8, scale=1.0, seed=1), np.broadcast_to(np.eye(40), (2, 40, 40))
    plain = stax.scaled_dot_product_attention(q, k, v)
    dropped = stax.scaled_dot_product_attention(q, k, v, dropout_rate=0.25, dropout_key=3)
    gone = dropped == 0
    np.testing.assert_allclose(dropped[~gone], plain[~gone] / 0.75, rtol=1e-14)
    assert abs(gone.mean() - 0.25) < 4 * np.sqrt(0.25 * 0.75 / gone.size)
    assert np.array_equal(gone, stax.dropout(plain, 0.25, 3) == 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("groups", [4, 2])
def test_multi_head_attention(dtype: str, groups: int) -> None:
    def formula(x: Array, y: Array, wq: Array, wk: Array, wv: Array, wo: Array, b: Array, mask: Any = None, causal: bool = False) -> Array:
        def heads(z: Array, count: int) -> Array:
            return z.reshape(*z.shape[:-1], count, -1).swapaxes(-2, -3)

        found = attention(heads(x @ wq + b[:16], 4), heads(y @ wk + b[: 4 * groups], groups), heads(y @ wv, groups), mask, causal)
        return found.swapaxes(-2, -3).reshape(*x.shape[:-1], -1) @ wo + b[:5]

    arrays = {
        "x": draw("f8", 2, 6, 9, scale=1.0), "y": draw("f8", 2, 7, 3, scale=1.0, seed=1), "wq": draw("f8", 9, 16, seed=2, scale=0.3),
        "wk": draw("f8", 3, 4 * groups, seed=3, scale=0.3), "wv": draw("f8", 3, 2 * groups, seed=4, scale=0.3),
        "wo": draw("f8", 8, 5, seed=5, scale=0.3), "b": draw("f8", 16, seed=6, scale=0.3), "m": draw("?", 6, 7, seed=7),
    }  # fmt: skip
    biases = f"query_bias=b, key_bias=b[:{4 * groups}], output_bias=b[:5]"
    text = f"stax.multi_head_attention(x, y, y, wq, wk, wv, wo, 4, key_heads={groups}, {biases}"
    variants: dict[str, Callable[..., Any]] = {
        f"{text})": lambda x, y, wq, wk, wv, wo, b, m: formula(x, y, wq, wk, wv, wo, b),
        f"{text}, mask=m)": lambda x, y, wq, wk, wv, wo, b, m: formula(x, y, wq, wk, wv, wo, b, m),
        f"{text}, is_causal=True)": lambda x, y, wq, wk, wv, wo, b, m: formula(x, y, wq, wk, wv, wo, b, None, True),
    }
    check(variants, dtype, arrays, factor=64)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rotary_embedding(dtype: str) -> None:
    def turned(x: Array, places: Array, base: float, first: list[int], second: list[int]) -> Array:
        """Pair i as a complex number times a turn."""
        angles = places[..., None] * base ** (-2.0 * np.arange(len(first)) / x.shape[-1])
        pairs = (x[..., first] + 1j * x[..., second]) * np.exp(1j * angles)
        result = np.empty_like(x)
        result[..., first], result[..., second] = pairs.real, pairs.imag
        return result

    low, high, even, odd = [0, 1, 2, 3], [4, 5, 6, 7], [0, 2, 4, 6], [1, 3, 5, 7]
    p = np.array([0, 5, 100, 3, 2, 9])
    variants: dict[str, Callable[..., Any]] = {
        "stax.rotary_embedding(x)": lambda x, p: turned(x, np.arange(6), 10000, low, high),
        "stax.rotary_embedding(x, base=500.0, interleaved=True)": lambda x, p: turned(x, np.arange(6), 500, even, odd),
        "stax.rotary_embedding(x, p)": lambda x, p: turned(x, p, 10000, low, high),
        "stax.rotary_embedding(x, np.stack([p, p + 1])[:, None])": lambda x, p: turned(x, np.stack([p, p + 1])[:, None], 10000, low, high),
    }
    check(variants, dtype, {"x": draw("f8", 2, 3, 6, 8), "p": p}, factor=16)
