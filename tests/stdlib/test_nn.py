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

    variants: dict[str, Callable[..., Any]] = {
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

    rows: dict[str, Callable[[Array, Array], Array]] = {
        "mse_loss(x, t": lambda x, t: (x - t) ** 2,
        "l1_loss(x, t": lambda x, t: np.abs(x - t),
        "huber_loss(x, t": lambda x, t: huber(x - t, 1.0),
        "huber_loss(x, t, delta=0.5": lambda x, t: huber(x - t, 0.5),
        "smooth_l1_loss(x, t, beta=2.0": lambda x, t: huber(x - t, 2.0) / 2.0,
        "log_cosh_loss(x, t": lambda x, t: np.log(np.cosh(x - t)),
        "hinge_loss(x, np.sign(t)": lambda x, t: np.maximum(0, 1 - np.sign(t) * x),
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
        f"stax.cross_entropy(x, t, label_smoothing=0.1, {r})": lambda x, t, q, w: soft(x, np.eye(4)[t], 0.1),
    }
    check(variants, dtype, arrays, factor=16)


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
