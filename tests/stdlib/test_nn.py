"""Activations, normalizations, attention and losses, natively, against their formulas in float64: dtypes, axes, extremes, NaN, nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import FLOATS, Array, compiled, draw

RELATIVE = {"f2": 2e-3, "f4": 1e-6, "f8": 1e-13}
erf: Callable[[Any], Array] = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x: Array) -> Array:
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def softmax(x: Array, axis: Any = -1) -> Array:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x: Array, axis: Any = -1) -> Array:
    y = x - x.max(axis, keepdims=True)
    return y - np.log(np.exp(y).sum(axis, keepdims=True))


def elu(x: Array, alpha: float = 1.0) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def normalized(x: Array, axis: Any = -1, eps: float = 1e-5) -> Array:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def reduced(losses: Array, reduction: str) -> Any:
    return {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction](losses)


def near(got: Any, want: Any, dtype: str, what: str, factor: float = 4.0) -> None:
    want = np.asarray(want)
    assert np.asarray(got).dtype == np.dtype(dtype) and np.shape(got) == want.shape, (what, np.asarray(got).dtype, np.shape(got))
    bound = RELATIVE[dtype] * factor
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(np.asarray(got, np.float64), want.astype(dtype).astype(np.float64), rtol=bound, atol=bound, err_msg=what)


def check(variants: dict[str, Callable[..., Any]], dtype: str, arrays: dict[str, Array], factor: float = 4.0) -> None:
    """Each text, in one kernel, against its formula on the arrays in float64."""
    given = {name: value.astype(dtype) if value.dtype.kind == "f" else value for name, value in arrays.items()}
    kernel = compiled("(" + ", ".join(variants) + ",)", list(given), {"stax": stax, "np": np})
    results = kernel(**given)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0
    exact = {name: value.astype(np.float64) if value.dtype.kind == "f" else value for name, value in given.items()}
    with np.errstate(all="ignore"):
        for (text, formula), got in zip(variants.items(), results, strict=True):
            near(got, formula(*exact.values()), dtype, f"{text} in {dtype}", factor)


ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "stax.relu(x)": lambda x: np.where(x <= 0, 0, x),
    "stax.relu6(x)": lambda x: np.minimum(np.where(x <= 0, 0, x), 6),
    "stax.leaky_relu(x)": lambda x: np.where(x > 0, x, 0.01 * x),
    "stax.leaky_relu(x, 0.2)": lambda x: np.where(x > 0, x, 0.2 * x),
    "stax.elu(x)": elu,
    "stax.elu(x, alpha=0.5)": lambda x: elu(x, 0.5),
    "stax.celu(x, 2.0)": lambda x: np.where(x > 0, x, 2.0 * np.expm1(np.minimum(x, 0) / 2.0)),
    "stax.selu(x)": lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772),
    "stax.gelu(x)": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    "stax.gelu(x, approximate=True)": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "stax.silu(x)": lambda x: x * sigmoid(x),
    "stax.mish(x)": lambda x: x * np.tanh(softplus(x)),
    "stax.softsign(x)": lambda x: x / (1 + np.abs(x)),
    "stax.log_sigmoid(x)": lambda x: -softplus(-x),
    "stax.hardtanh(x)": lambda x: np.clip(x, -1, 1),
    "stax.hardtanh(x, -2.0, 0.5)": lambda x: np.clip(x, -2, 0.5),
    "stax.hard_sigmoid(x)": lambda x: np.clip(x + 3, 0, 6) / 6,
    "stax.hard_silu(x)": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "stax.prelu(x, 0.3)": lambda x: np.where(x > 0, x, 0.3 * x),
    "stax.threshold(x, 0.5, -2.0)": lambda x: np.where(x > 0.5, x, -2),
    "stax.hardshrink(x, 0.75)": lambda x: np.where(np.abs(x) > 0.75, x, 0 * x),
    "stax.softshrink(x)": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "stax.tanhshrink(x)": lambda x: x - np.tanh(x),
    "stax.sigmoid(x)": sigmoid,
    "stax.softplus(x)": softplus,
    "stax.erf(x)": erf,
    "stax.tanh(x)": np.tanh,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 17), (), (0, 4)])
def test_activations(dtype: str, shape: tuple[int, ...]) -> None:
    check(ACTIVATIONS, dtype, {"x": draw("f8", *shape)})


@pytest.mark.parametrize("dtype", FLOATS)
def test_activations_far_out_and_of_nan(dtype: str) -> None:
    """No overflow and no cancellation where the limit is finite; NaN stays NaN; zeros keep their slope."""
    x = np.array([0.0, -0.0, 1e-4, -1e-4, 20.0, -20.0, 90.0, -90.0, np.inf, np.nan])
    finite = {name: formula for name, formula in ACTIVATIONS.items() if "approximate" not in name or dtype != "f2"}
    check(finite, dtype, {"x": x[:8]})
    for name in ("relu", "elu", "selu", "softplus", "sigmoid", "log_sigmoid", "hardtanh", "gelu", "silu", "mish", "erf"):
        assert np.isnan(getattr(stax, name)(x.astype(dtype))[-1]), name
    assert stax.sigmoid(x.astype(dtype))[8] == 1 and stax.relu(x.astype(dtype))[8] == np.inf


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 16), (2, 3, 33), (4, 1), (1, 200)])
def test_rows(dtype: str, shape: tuple[int, ...]) -> None:
    variants: dict[str, Callable[..., Any]] = {
        "stax.softmax(x)": lambda x, w, b: softmax(x),
        "stax.softmax(x, axis=0)": lambda x, w, b: softmax(x, 0),
        "stax.softmax(x, (0, 1))": lambda x, w, b: softmax(x, (0, 1)),
        "stax.softmin(x, axis=0)": lambda x, w, b: softmax(-x, 0),
        "stax.log_softmax(x)": lambda x, w, b: log_softmax(x),
        "stax.log_softmax(x, axis=0)": lambda x, w, b: log_softmax(x, 0),
        "stax.logsumexp(x)": lambda x, w, b: np.log(np.exp(x).sum()),
        "stax.logsumexp(x, axis=-1, keepdims=True)": lambda x, w, b: np.log(np.exp(x).sum(-1, keepdims=True)),
        "stax.logsumexp(x, 0, b=w * w)": lambda x, w, b: np.log((w * w * np.exp(x)).sum(0)),
        "stax.layer_norm(x)": lambda x, w, b: normalized(x),
        "stax.layer_norm(x, w, b)": lambda x, w, b: normalized(x) * w + b,
        "stax.layer_norm(x, weight=w, eps=0.1, axis=-1)": lambda x, w, b: normalized(x, eps=0.1) * w,
        "stax.layer_norm(x, axis=(0, 1))": lambda x, w, b: normalized(x, (0, 1)),
        "stax.rms_norm(x)": lambda x, w, b: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
        "stax.normalize(x)": lambda x, w, b: x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), 1e-12),
        "stax.normalize(x, 1, axis=0, eps=0.5)": lambda x, w, b: x / np.maximum(np.abs(x).sum(0), 0.5),
        "stax.rms_norm(x, w, 0.01)": lambda x, w, b: x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.01) * w,
    }
    check(variants, dtype, {"x": draw("f8", *shape), "w": draw("f8", shape[-1], seed=1), "b": draw("f8", shape[-1], seed=2)}, factor=16)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_far_out(dtype: str) -> None:
    far = np.array([[1e4, 1e4 - 8, -1e4, 0.0], [-1e4, -1e4, -1e4, -1e4], [-np.inf, 0.0, 1.0, -np.inf]]).astype(dtype)
    got = stax.softmax(far)
    near(got, softmax(far.astype(float)), dtype, "softmax")
    near(stax.log_softmax(far[:2]), log_softmax(far[:2].astype(float)), dtype, "log_softmax")
    near(
        stax.logsumexp(far, axis=1), np.array([1e4 + math.log1p(math.exp(-8)), -1e4 + math.log(4), math.log1p(math.e)]), dtype, "logsumexp"
    )
    assert stax.logsumexp(np.full(3, -np.inf, dtype)) == -np.inf and stax.logsumexp(np.array([np.inf, 0], dtype)) == np.inf
    assert np.isnan(stax.softmax(np.array([1.0, np.nan], dtype))).all()
    large = np.array([[60000.0, 59000.0, 58000.0]]).astype(dtype)
    assert np.isfinite(stax.layer_norm(large)).all() and np.isfinite(stax.rms_norm(large)).all()
    assert stax.softmax(np.zeros((0, 3), dtype)).shape == (0, 3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_channels(dtype: str) -> None:
    def grouped(x: Array, groups: int) -> Array:
        parts = x.reshape(x.shape[0], groups, -1)
        return normalized(parts, -1).reshape(x.shape)

    def neighbours(x: Array, size: int) -> Array:
        squares = np.pad(x * x, ((0, 0), (size // 2, size - 1 - size // 2), (0, 0), (0, 0)))
        return np.stack([squares[:, c : c + size].mean(1) for c in range(x.shape[1])], 1)

    variants: dict[str, Callable[..., Any]] = {
        "stax.instance_norm(x)": lambda x, w, b: normalized(x, (2, 3)),
        "stax.instance_norm(x, w, b, 0.1)": lambda x, w, b: normalized(x, (2, 3), 0.1) * w[:, None, None] + b[:, None, None],
        "stax.local_response_norm(x, 3)": lambda x, w, b: x / (1 + 1e-4 * neighbours(x, 3)) ** 0.75,
        "stax.local_response_norm(x, 2, 0.5, 1.5, 2.0)": lambda x, w, b: x / (2 + 0.5 * neighbours(x, 2)) ** 1.5,
        "stax.group_norm(x, 2)": lambda x, w, b: grouped(x, 2),
        "stax.group_norm(x, 4, w, b)": lambda x, w, b: grouped(x, 4) * w[:, None, None] + b[:, None, None],
        "stax.group_norm(x, 1)": lambda x, w, b: grouped(x, 1),
        "stax.batch_norm(x, b, w * w)": lambda x, w, b: (x - b[:, None, None]) / np.sqrt((w * w)[:, None, None] + 1e-5),
        "stax.batch_norm(x, b, w * w, w, b, 0.5)": lambda x, w, b: (x - b[:, None, None])
        / np.sqrt((w * w)[:, None, None] + 0.5) * w[:, None, None] + b[:, None, None],
    }  # fmt: skip
    check(variants, dtype, {"x": draw("f8", 2, 4, 3, 5), "w": draw("f8", 4, seed=1), "b": draw("f8", 4, seed=2)}, factor=32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_products_and_attention(dtype: str) -> None:
    def attention(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False, scale: Any = None) -> Array:
        scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
        if causal:
            scores = np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), scores, -np.inf)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
        return softmax(scores) @ v

    arrays = {
        "q": draw("f8", 2, 4, 8, scale=1.0), "k": draw("f8", 2, 6, 8, scale=1.0, seed=1), "v": draw("f8", 2, 6, 3, seed=2),
        "m": draw("?", 4, 6, seed=3) | (np.arange(6) == 0), "a": draw("f8", 4, 6, seed=4),
    }  # fmt: skip
    name = "stax.scaled_dot_product_attention"
    variants: dict[str, Callable[..., Any]] = {
        f"{name}(q, k, v)": lambda q, k, v, m, a: attention(q, k, v),
        f"{name}(q, k, v, m)": lambda q, k, v, m, a: attention(q, k, v, m),
        f"{name}(q, k, v, mask=a)": lambda q, k, v, m, a: attention(q, k, v, a),
        f"{name}(q, k, v, is_causal=True)": lambda q, k, v, m, a: attention(q, k, v, causal=True),
        f"{name}(q, k, v, scale=0.3)": lambda q, k, v, m, a: attention(q, k, v, scale=0.3),
        "stax.linear(q, k[0].T)": lambda q, k, v, m, a: q @ k[0].T,
        "stax.linear(q, k[0].T, a[0])": lambda q, k, v, m, a: q @ k[0].T + a[0],
        "stax.glu(q)": lambda q, k, v, m, a: q[..., :4] * sigmoid(q[..., 4:]),
        "stax.glu(k, axis=1)": lambda q, k, v, m, a: k[:, :3] * sigmoid(k[:, 3:]),
        "stax.swiglu(q)": lambda q, k, v, m, a: q[..., :4] * sigmoid(q[..., :4]) * q[..., 4:],
        "stax.swiglu(k, axis=1)": lambda q, k, v, m, a: k[:, :3] * sigmoid(k[:, :3]) * k[:, 3:],
        "stax.cosine_similarity(q, q[::-1])": lambda q, k, v, m, a: (
            (q * q[::-1]).sum(-1) / np.sqrt((q * q).sum(-1) * (q[::-1] ** 2).sum(-1))
        ),
    }
    check(variants, dtype, arrays, factor=32)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u2"])
def test_one_hot(dtype: str) -> None:
    x = np.array([[0, 2, 1], [3, 2, 9]], dtype)
    want = (x[..., None] == np.arange(4)).astype(np.float32)
    assert np.array_equal(stax.one_hot(x, 4), want) and stax.one_hot(x, 4).dtype == np.float32
    assert np.array_equal(stax.one_hot(x, 4, dtype=np.int8), want.astype(np.int8))
    assert np.array_equal(stax.one_hot(x, 4, axis=0), np.moveaxis(want, -1, 0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_dropout(dtype: str) -> None:
    x = draw(dtype, 40, 50) + np.asarray(10, dtype)
    n = x.size
    for rate in (0.0, 0.3, 0.9, 1.0):
        got = stax.dropout(x, rate, 5)
        gone = got == 0
        assert got.dtype == x.dtype and abs(gone.mean() - rate) <= 4 * math.sqrt(rate * (1 - rate) / n)
        near(got[~gone], x[~gone].astype(float) / (1 - rate) if rate < 1 else x[~gone], dtype, f"dropout {rate}")
        assert np.array_equal(stax.dropout(x * 2, rate, 5) == 0, gone) and np.array_equal(stax.dropout(x, np.float64(rate), 5) == 0, gone)
    assert not np.array_equal(stax.dropout(x, 0.5, 5) == 0, stax.dropout(x, 0.5, 6) == 0)
    channels = stax.dropout(np.ones((8, 9, 3, 4), dtype), 0.5, 7, shared=(-2, -1))
    assert np.array_equal(channels, np.broadcast_to(channels[:, :, :1, :1], channels.shape)) and 0 < (channels == 0).mean() < 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_alpha_dropout(dtype: str) -> None:
    """What is kept is an affine map of `x`; mean and variance stay those of a standard normal distribution."""
    z = stax.random.normal(1, 100_000, dtype=np.float64).astype(dtype)
    got = stax.alpha_dropout(z, 0.2, 3).astype(float)
    assert got.shape == z.shape and stax.alpha_dropout(z, 0.2, 3).dtype == z.dtype
    low = -1.7580993408473766
    a = 1 / math.sqrt(0.8 * (1 + 0.2 * low * low))
    gone = np.abs(got - (a * low - a * 0.2 * low)) < 5e-3
    assert abs(gone.mean() - 0.2) < 0.01
    np.testing.assert_allclose(got[~gone], a * z[~gone].astype(float) - a * 0.2 * low, rtol=2e-2 if dtype == "f2" else 1e-5, atol=2e-3)
    assert abs(got.mean()) < 0.02 and abs(got.std() - 1) < 0.02


def test_results_that_share_a_value_do_not_overwrite_it() -> None:
    """The exponentials of both are the same values: they are kept in the result that is written last."""
    x = draw("f8", 4, 1)
    kernel = stax.kernel(lambda x: (stax.softmax(x, 0), stax.softmax(x, (0, 1)), stax.softmax(x, (0, 1)) * 2))
    one, two, three = kernel(x)
    want = softmax(x, 0)
    for got in (one, two, three / 2):
        np.testing.assert_allclose(got, want, rtol=1e-14)


# ---- losses ----

REDUCTIONS = ("mean", "sum", "none")


def pointwise_losses(reduction: str) -> dict[str, Callable[..., Any]]:
    def huber(d: Array, delta: float) -> Array:
        return np.where(np.abs(d) <= delta, 0.5 * d * d, delta * (np.abs(d) - 0.5 * delta))

    def poisson(m: Array, t: Array) -> Array:
        safe = np.maximum(t, 1)
        factorial = np.where(t > 1, safe * np.log(safe) - safe + 0.5 * np.log(2 * math.pi * safe), 0)
        return m - t * np.log(m + 1e-8) + factorial

    rows: dict[str, Callable[[Array, Array], Array]] = {
        "mse_loss(x, t": lambda x, t: (x - t) ** 2,
        "l1_loss(x, t": lambda x, t: np.abs(x - t),
        "huber_loss(x, t": lambda x, t: huber(x - t, 1.0),
        "huber_loss(x, t, delta=0.5": lambda x, t: huber(x - t, 0.5),
        "smooth_l1_loss(x, t, beta=2.0": lambda x, t: huber(x - t, 2.0) / 2.0,
        "log_cosh_loss(x, t": lambda x, t: np.log(np.cosh(x - t)),
        "hinge_loss(x, np.sign(t)": lambda x, t: np.maximum(0, 1 - np.sign(t) * x),
        "soft_margin_loss(x, np.sign(t)": lambda x, t: softplus(-np.sign(t) * x),
        "hinge_embedding_loss(x, np.sign(t), margin=2.0": lambda x, t: np.where(t > 0, x, np.maximum(0, 2 - x)),
        "margin_ranking_loss(x, t, np.sign(x + t), margin=0.5": lambda x, t: np.maximum(0, 0.5 - np.sign(x + t) * (x - t)),
        "poisson_nll_loss(x, np.abs(t)": lambda x, t: np.exp(x) - np.abs(t) * x,
        "poisson_nll_loss(np.abs(x), np.abs(t), log_input=False, full=True": lambda x, t: poisson(np.abs(x), np.abs(t)),
        "gaussian_nll_loss(x, t, t * t": lambda x, t: 0.5 * (np.log(np.maximum(t * t, 1e-6)) + (x - t) ** 2 / np.maximum(t * t, 1e-6)),
        "gaussian_nll_loss(x, t, np.exp(x[:1]), True, 0.5": lambda x, t: (
            0.5 * (np.log(np.maximum(np.exp(x[:1]), 0.5)) + (x - t) ** 2 / np.maximum(np.exp(x[:1]), 0.5)) + 0.5 * math.log(2 * math.pi)
        ),
    }
    return {f"stax.{text}, reduction='{reduction}')": lambda x, t, f=f: reduced(f(x, t), reduction) for text, f in rows.items()}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_distances(dtype: str, reduction: str) -> None:
    check(pointwise_losses(reduction), dtype, {"x": draw("f8", 4, 5), "t": draw("f8", 4, 5, seed=1)}, factor=16)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_probabilities(dtype: str, reduction: str) -> None:
    def entropy(p: Array, t: Array) -> Array:
        return -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))

    def focal(x: Array, t: Array, alpha: Any, gamma: float) -> Array:
        p = np.where(t == 1, sigmoid(x), sigmoid(-x))
        return -np.log(p) * (1 - p) ** gamma * (1 if alpha is None else np.where(t == 1, alpha, 1 - alpha))

    def divergence(p: Array, t: Array) -> Array:
        return np.where(t > 0, t * (np.log(np.where(t > 0, t, 1)) - p), 0)

    p = np.linspace(0.05, 0.95, 12).reshape(3, 4)
    arrays = {"x": draw("f8", 3, 4), "p": p, "t": np.round(np.random.default_rng(3).random((3, 4)), 2), "w": p[0] + 0.5}
    r = f"reduction='{reduction}'"
    variants: dict[str, Callable[..., Any]] = {
        f"stax.binary_cross_entropy(p, t, {r})": lambda x, p, t, w: reduced(entropy(p, t), reduction),
        f"stax.binary_cross_entropy(p, t, w, {r})": lambda x, p, t, w: reduced(entropy(p, t) * w, reduction),
        f"stax.binary_cross_entropy_with_logits(x, t, {r})": lambda x, p, t, w: reduced(softplus(-x) + (1 - t) * x, reduction),
        f"stax.binary_cross_entropy_with_logits(x, t, w, pos_weight=w * 2, {r})": lambda x, p, t, w: reduced(
            ((1 - t) * x + (1 + (2 * w - 1) * t) * softplus(-x)) * w, reduction
        ),
        f"stax.kl_div(np.log(p), t, {r})": lambda x, p, t, w: reduced(divergence(np.log(p), t), reduction),
        f"stax.kl_div(np.log(p), x, log_target=True, {r})": lambda x, p, t, w: reduced(np.exp(x) * (x - np.log(p)), reduction),
    }
    for a, g in ((0.25, 2.0), (None, 1.5)):
        variants[f"stax.focal_loss(x, np.round(t), {a}, {g}, {r})"] = lambda x, p, t, w, a=a, g=g: reduced(
            focal(x, np.round(t), a, g), reduction
        )
    variants[f"stax.multilabel_soft_margin_loss(x, t, w, {r})"] = lambda x, p, t, w: reduced(
        ((softplus(-x) + (1 - t) * x) * w).mean(-1), reduction
    )
    if reduction == "mean":
        variants["stax.kl_div(np.log(p), t, reduction='batchmean')"] = lambda x, p, t, w: divergence(np.log(p), t).sum() / 3
    check(variants, dtype, arrays, factor=16)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_classes(dtype: str, reduction: str) -> None:
    def nll(x: Array, t: Array, w: Any = None) -> Any:
        weights = np.ones(x.shape[-1]) if w is None else w
        losses = -np.take_along_axis(x, t[:, None], 1)[:, 0] * weights[t]
        return losses.sum() / weights[t].sum() if reduction == "mean" else reduced(losses, reduction)

    def soft(x: Array, q: Array, smooth: float = 0.0) -> Any:
        return reduced(-((q * (1 - smooth) + smooth / x.shape[-1]) * log_softmax(x)).sum(-1), reduction)

    def margins(x: Array, t: Array, power: int, margin: float, w: Array) -> Array:
        own = np.take_along_axis(x, t[:, None], 1)
        each = np.maximum(0, margin - own + x) ** power
        np.put_along_axis(each, t[:, None], 0, 1)
        return each.sum(1) / x.shape[1] * w[t]

    arrays = {
        "x": draw("f8", 5, 4),
        "t": np.array([0, 3, 1, 1, 2]),
        "q": softmax(draw("f8", 5, 4, seed=2)),
        "w": np.array([0.5, 1, 2, 0.25]),
    }
    r = f"reduction='{reduction}'"
    variants: dict[str, Callable[..., Any]] = {
        f"stax.nll_loss(stax.log_softmax(x), t, {r})": lambda x, t, q, w: nll(log_softmax(x), t),
        f"stax.nll_loss(stax.log_softmax(x), t, w, {r})": lambda x, t, q, w: nll(log_softmax(x), t, w),
        f"stax.cross_entropy(x, t, {r})": lambda x, t, q, w: nll(log_softmax(x), t),
        f"stax.cross_entropy(x, t, weight=w, {r})": lambda x, t, q, w: nll(log_softmax(x), t, w),
        f"stax.cross_entropy(x, q, {r})": lambda x, t, q, w: soft(x, q),
        f"stax.multi_margin_loss(x, t, {r})": lambda x, t, q, w: reduced(margins(x, t, 1, 1.0, np.ones(4)), reduction),
        f"stax.multi_margin_loss(x, t, 2, 0.5, w, {r})": lambda x, t, q, w: reduced(margins(x, t, 2, 0.5, w), reduction),
        f"stax.cross_entropy(x, t, label_smoothing=0.1, {r})": lambda x, t, q, w: soft(x, np.eye(4)[t], 0.1),
    }
    check(variants, dtype, arrays, factor=16)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_embeddings(dtype: str, reduction: str) -> None:
    def distance(a: Array, b: Array, power: float = 2) -> Array:
        return (np.abs(a - b + 1e-6) ** power).sum(-1) ** (1 / power)

    def likeness(a: Array, b: Array) -> Array:
        return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))

    def triplet(a: Array, p: Array, n: Array, margin: float, power: float = 2, swap: bool = False) -> Array:
        far = np.minimum(distance(a, n, power), distance(p, n, power)) if swap else distance(a, n, power)
        return np.maximum(0, distance(a, p, power) - far + margin)

    r = f"reduction='{reduction}'"
    variants: dict[str, Callable[..., Any]] = {
        f"stax.triplet_margin_loss(a, p, n, {r})": lambda a, p, n, t: reduced(triplet(a, p, n, 1.0), reduction),
        f"stax.triplet_margin_loss(a, p, n, 2.0, 1, swap=True, {r})": lambda a, p, n, t: reduced(triplet(a, p, n, 2.0, 1, True), reduction),
        f"stax.cosine_embedding_loss(a, p, t, 0.2, {r})": lambda a, p, n, t: reduced(
            np.where(t == 1, 1 - likeness(a, p), np.maximum(0, likeness(a, p) - 0.2)), reduction
        ),
        "stax.pairwise_distance(a, p)": lambda a, p, n, t: distance(a, p),
        "stax.pairwise_distance(a, p, 3, keepdims=True)": lambda a, p, n, t: distance(a, p, 3)[:, None],
    }
    arrays = {"a": draw("f8", 6, 5), "p": draw("f8", 6, 5, seed=1), "n": draw("f8", 6, 5, seed=2), "t": np.array([1, -1, 1, 1, -1, -1])}
    check(variants, dtype, arrays, factor=32)


def test_losses_far_out() -> None:
    x = np.array([-1000.0, -50.0, 0.0, 50.0, 1000.0])
    np.testing.assert_allclose(stax.binary_cross_entropy_with_logits(x, np.ones(5), reduction="none"), softplus(-x), rtol=1e-14)
    np.testing.assert_allclose(stax.log_cosh_loss(x, x * 0, reduction="none"), np.abs(x) - np.where(x == 0, 0, math.log(2)), rtol=1e-14)
    np.testing.assert_allclose(stax.binary_cross_entropy(np.array([0.0, 1.0]), np.array([1.0, 0.0]), reduction="none"), [100, 100])
    scores = np.array([[1000.0, 0.0], [0.0, 1000.0]])
    assert stax.cross_entropy(scores, np.array([0, 1])) == 0 and stax.cross_entropy(scores, np.array([1, 1])) == 500
    with pytest.raises(stax.StaxError, match="reduction"):
        stax.mse_loss(x, x, reduction="max")


def test_every_function_of_the_two_files_is_compared() -> None:
    text = Path(__file__).read_text()
    for file in ("nn", "losses"):
        source = (Path(stax.__file__).parent / "stdlib" / f"{file}.stx").read_text()
        names = re.findall(r"^kernel (\w+)", source, re.MULTILINE)
        assert [name for name in names if f"{name}(" not in text and f'"stax.{name}"' not in text] == []
