"""Functions as NumPy users write them, unchanged under `stax.kernel`: each gives what it gives under NumPy, as native code."""

import functools
import operator

import numpy as np
import pytest

import staxlang as stax

rng = np.random.default_rng(0)
normal = rng.standard_normal


def layer_norm(x, g, b, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    sd = x.var(-1, keepdims=True)
    return (x - mu) / np.sqrt(sd + eps) * g + b


def attention(q, k, v, mask=None):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s = s - s.max(axis=-1, keepdims=True)
    w = np.exp(s)
    w /= w.sum(axis=-1, keepdims=True)
    return np.einsum("bhqk,bhkd->bhqd", w, v)


def life(b):
    n = sum(np.roll(np.roll(b, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((b == 1) & (n == 2))).astype(b.dtype)


def pairwise(a, b):
    d = a[:, None, :] - b[None, :, :]
    return np.sqrt((d**2).sum(-1)), np.argmin((d * d).sum(-1), axis=1)


def hist(idx, n=16):
    h = np.zeros(n, dtype=np.int64)
    np.add.at(h, idx, 1)
    return h


def conv(x, k):
    H, W = x.shape
    kh, kw = k.shape
    out = np.zeros((H - kh + 1, W - kw + 1), x.dtype)
    for i in range(kh):
        for j in range(kw):
            out += k[i, j] * x[i : i + H - kh + 1, j : j + W - kw + 1]
    return out


def size_prod(x):
    return x.reshape(x.shape[0], functools.reduce(operator.mul, x.shape[1:])).sum(1), x.reshape(-1, np.prod(x.shape[1:])).mean(0)


def ops(x):
    return operator.add(x, 1), operator.matmul(x, x.T), operator.getitem(x, 0), operator.neg(x)


def black(S, K, T, r, sig):
    d1 = (np.log(S / K) + (r + sig**2 / 2) * T) / (sig * np.sqrt(T))
    d2 = d1 - sig * np.sqrt(T)
    cdf = lambda z: 0.5 * (1 + np.tanh(0.7978845608 * (z + 0.044715 * z**3)))
    return S * cdf(d1) - K * np.exp(-r * T) * cdf(d2)


def onehot(y, n=10):
    o = np.zeros((y.size, n), np.float32)
    o[np.arange(y.size), y] = 1
    return o


def ce(logits, y):
    z = logits - logits.max(1, keepdims=True)
    lp = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -lp[np.arange(len(y)), y].mean()


def normalize(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(x / np.linalg.norm(x, axis=1, keepdims=True))


def mandel(c, n=20):
    z = np.zeros_like(c)
    out = np.zeros(c.shape, np.int32)
    for _ in range(n):
        m = np.abs(z) < 2
        z = np.where(m, z * z + c, z)
        out[m] += 1
    return out


def moving(x, w):
    return np.convolve(x, np.ones(w) / w, mode="valid")


def movw(x):
    return np.lib.stride_tricks.sliding_window_view(x, 5).mean(-1)


def pca_cov(x):
    xc = x - x.mean(0)
    return xc.T @ xc / (len(x) - 1), np.cov(x, rowvar=False)


def jacobi(u):
    u = u.copy()
    for _ in range(3):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def triu_mask(n_like):
    n = n_like.shape[0]
    m = np.triu(np.ones((n, n)), k=1).astype(bool)
    return np.where(m, -1e9, n_like)


def meshy(x, y):
    X, Y = np.meshgrid(x, y)
    return np.sin(X) * np.cos(Y)


def bn(x):
    axes = (0, 2, 3)
    m = np.mean(x, axis=axes, keepdims=True)
    v = np.var(x, axis=axes, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5)


def pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def cumret(p):
    return np.cumprod(1 + np.diff(p) / p[:-1]) - 1


def clipgrad(g, m=1.0):
    n = np.sqrt(sum(np.sum(a**2) for a in g))
    s = min(1.0, m / (n + 1e-6))
    return [a * s for a in g]


CASES = [
    (layer_norm, normal((4, 8)), normal(8), normal(8)),
    (attention, normal((2, 2, 5, 3)), normal((2, 2, 6, 3)), normal((2, 2, 6, 3))),
    (attention, normal((2, 2, 5, 3)), normal((2, 2, 6, 3)), normal((2, 2, 6, 3)), rng.random((5, 6)) > 0.3),
    (life, (rng.random((9, 11)) > 0.6).astype(np.int32)),
    (pairwise, normal((5, 3)), normal((4, 3))),
    (hist, rng.integers(0, 16, 50)),
    (conv, normal((9, 8)), normal((3, 3))),
    (size_prod, normal((3, 4, 5))),
    (ops, normal((3, 4))),
    (black, rng.random(9) + 1, rng.random(9) + 1, rng.random(9) + 0.1, 0.02, 0.3),
    (onehot, rng.integers(0, 10, 7)),
    (ce, normal((5, 4)), rng.integers(0, 4, 5)),
    (normalize, np.array([[3.0, 4], [0, 0]])),
    (mandel, normal((6, 6)) + 1j * normal((6, 6))),
    (moving, normal(20), 3),
    (movw, normal(20)),
    (pca_cov, normal((9, 4))),
    (jacobi, normal((8, 9))),
    (triu_mask, normal((5, 5))),
    (meshy, normal(4), normal(3)),
    (bn, normal((2, 3, 4, 4))),
    (pool, normal((2, 3, 4, 6))),
    (cumret, rng.random(9) + 1),
    (clipgrad, [normal(3), normal((2, 2))]),
]


def agree(mine, theirs):
    if isinstance(theirs, (tuple, list)):
        assert type(mine) is type(theirs) and len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            agree(a, b)
        return
    a, b = np.asarray(mine), np.asarray(theirs)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_program(case):
    function, *arguments = case
    kernel = stax.kernel(function)
    agree(kernel(*arguments), function(*arguments))
    agree(kernel(*arguments), function(*arguments))
    stats = kernel.stats()
    assert (stats.route, stats.versions, stats.fallbacks) == ("native", 1, 0)
