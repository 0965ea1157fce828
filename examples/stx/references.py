"""What the programs beside this file compute, in NumPy, with inputs to compare them on: `CASES[program][kernel]` is (inputs, reference)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

rng = np.random.default_rng(7)
Case = tuple[tuple[Any, ...], Callable[..., Any]]
CASES: dict[str, dict[str, Case]] = {}


def case(program: str, kernel: str, *inputs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the function below as the reference of a kernel."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.setdefault(program, {})[kernel] = (inputs, function)
        return function

    return register


erf = np.vectorize(math.erf)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- transformer ----


def _attention(q: Any, k: Any, v: Any) -> Any:
    n, d = q.shape[-2:]
    score = q @ np.swapaxes(k, -1, -2) / np.sqrt(d)
    return softmax(np.where(np.tril(np.ones((n, n), bool)), score, -np.inf)) @ v


@case("transformer", "attention", *rng.standard_normal((3, 4, 32, 16)))
def attention(q: Any, k: Any, v: Any) -> Any:
    return _attention(q, k, v)


@case(
    "transformer", "block", rng.standard_normal((24, 32)), rng.random((2, 32)), rng.random((2, 32)), rng.standard_normal((32, 96)) / 6,
    rng.standard_normal((32, 32)) / 6, rng.standard_normal((32, 64)) / 6, rng.standard_normal((64, 32)) / 8, 4,
)  # fmt: skip
def block(x: Any, gain: Any, shift: Any, wqkv: Any, wo: Any, w1: Any, w2: Any, heads: int) -> Any:
    def normalized(x: Any, k: int) -> Any:
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain[k] + shift[k]

    n, d = x.shape
    q, k, v = (normalized(x, 0) @ wqkv).reshape(n, 3, heads, d // heads).transpose(1, 2, 0, 3)
    x = x + _attention(q, k, v).transpose(1, 0, 2).reshape(n, d) @ wo
    h = normalized(x, 1) @ w1
    return x + 0.5 * h * (1 + erf(h / np.sqrt(2))) @ w2


# ---- n-body ----

_bodies = (rng.standard_normal((40, 3)), rng.standard_normal((40, 3)), rng.random(40) * 1e11)


@case("nbody", "accelerations", _bodies[0], _bodies[2], 0.05)
def accelerations(x: Any, mass: Any, softening: float) -> Any:
    d = x[None] - x[:, None]
    r2 = (d**2).sum(-1) + softening**2
    return (6.674e-11 * mass[:, None] * d / r2[..., None] ** 1.5).sum(1)


@case("nbody", "step", *_bodies, 0.01, 0.05)
def nbody_step(x: Any, v: Any, mass: Any, dt: float, softening: float) -> Any:
    half = v + accelerations(x, mass, softening) * dt / 2
    moved = x + half * dt
    return moved, half + accelerations(moved, mass, softening) * dt / 2


@case("nbody", "energy", *_bodies, 0.05)
def nbody_energy(x: Any, v: Any, mass: Any, softening: float) -> Any:
    r = np.sqrt(((x[None] - x[:, None]) ** 2).sum(-1) + softening**2)
    pairs = mass[:, None] * mass / r
    return 0.5 * (mass[:, None] * v**2).sum(), -0.5 * 6.674e-11 * (pairs.sum() - np.trace(pairs))


# ---- smoothed particles ----

_particles = (rng.random((50, 2)), rng.random(50) + 0.5)


@case("sph", "density", *_particles, 0.2)
def density(x: Any, mass: Any, h: float) -> Any:
    q = np.sqrt(((x[:, None] - x) ** 2).sum(-1)) / h
    w = np.where(q < 1, 1 - 1.5 * q**2 + 0.75 * q**3, np.where(q < 2, 0.25 * (2 - q) ** 3, 0)) * 10 / (7 * np.pi)
    return (mass * w).sum(1) / h**2


@case("sph", "forces", *_particles, 0.2, 3.0, 20.0)
def forces(x: Any, mass: Any, h: float, stiffness: float, rest: float) -> Any:
    rho = density(x, mass, h)
    p = stiffness * (rho - rest)
    d = x[:, None] - x
    r = np.sqrt((d**2).sum(-1))
    q = r / h
    slope = np.where(q < 1, -3 * q + 2.25 * q**2, np.where(q < 2, -0.75 * (2 - q) ** 2, 0)) * 10 / (7 * np.pi)
    push = mass * ((p / rho**2)[:, None] + p / rho**2) * slope / h**3
    np.fill_diagonal(r, 1)
    return -(push[..., None] * d / r[..., None]).sum(1)


# ---- images ----

_picture = rng.random((41, 37))


@case("image", "blur", _picture)
def blur(x: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 1), (3, 3)).sum((2, 3))
    return windows / np.lib.stride_tricks.sliding_window_view(np.pad(np.ones_like(x), 1), (3, 3)).sum((2, 3))


@case("image", "sobel", _picture)
def sobel(x: Any) -> Any:
    gx = (x[:-2, 2:] - x[:-2, :-2]) + 2 * (x[1:-1, 2:] - x[1:-1, :-2]) + (x[2:, 2:] - x[2:, :-2])
    gy = (x[2:, :-2] - x[:-2, :-2]) + 2 * (x[2:, 1:-1] - x[:-2, 1:-1]) + (x[2:, 2:] - x[:-2, 2:])
    return np.hypot(gx, gy)


@case("image", "correlate", _picture, rng.standard_normal((5, 3)))
def correlate(x: Any, w: Any) -> Any:
    return np.einsum("ijab,ab->ij", np.lib.stride_tricks.sliding_window_view(x, w.shape), w)


@case("image", "equalized", rng.integers(0, 200, (30, 20)).astype(np.uint8))
def equalized(x: Any) -> Any:
    share = np.cumsum(np.bincount(x.ravel(), minlength=256)) / x.size
    return (share[x] * 255).astype(np.uint8)


# ---- heat ----


@case("heat", "step", _picture, 0.2)
def heat_step(u: Any, rate: float) -> Any:
    v = u.copy()
    v[1:-1, 1:-1] += rate * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return v


@case("heat", "steps", _picture, 0.2)
def heat_steps(u: Any, rate: float) -> Any:
    for _ in range(8):
        u = heat_step(u, rate)
    return u


@case("heat", "implicit", _picture, 0.3)
def heat_implicit(u: Any, rate: float) -> Any:
    def applied(u: Any) -> Any:
        p = np.pad(u, 1)
        return u - rate * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)

    x = u
    r = u - applied(x)
    p, rr = r, (r * r).sum()
    for _ in range(10):
        q = applied(p)
        alpha = rr / (p * q).sum()
        x, r = x + alpha * p, r - alpha * q
        new = (r * r).sum()
        p, rr = r + new / rr * p, new
    return x


# ---- k-means ----

_points = rng.standard_normal((200, 5))


@case("kmeans", "assign", _points, _points[:7])
def assign(x: Any, centres: Any) -> Any:
    return ((x[:, None] - centres) ** 2).sum(-1).argmin(1)


@case("kmeans", "update", _points, rng.integers(0, 6, 200), _points[:7])
def kmeans_update(x: Any, label: Any, centres: Any) -> Any:
    return np.stack([x[label == k].mean(0) if (label == k).any() else centres[k] for k in range(len(centres))])


@case("kmeans", "rounds", _points, _points[:7])
def rounds(x: Any, centres: Any) -> Any:
    for _ in range(4):
        label = assign(x, centres)
        centres = kmeans_update(x, label, centres)
    return centres, label


# ---- Black-Scholes ----

_options = (rng.random(300) * 50 + 50, rng.random(300) * 50 + 50, rng.random(300) * 2 + 0.1, 0.03, rng.random(300) * 0.4 + 0.1)


@case("black_scholes", "price", *_options)
def price(spot: Any, strike: Any, years: Any, rate: float, volatility: Any) -> Any:
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    discounted = strike * np.exp(-rate * years)
    call = spot * 0.5 * (1 + erf(d1 / np.sqrt(2))) - discounted * 0.5 * (1 + erf((d1 - root) / np.sqrt(2)))
    return call, call - spot + discounted


@case("black_scholes", "greeks", *_options)
def greeks(spot: Any, strike: Any, years: Any, rate: float, volatility: Any) -> Any:
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    bell = np.exp(-d1 * d1 / 2) / np.sqrt(2 * np.pi)
    late = rate * strike * np.exp(-rate * years) * 0.5 * (1 + erf((d1 - root) / np.sqrt(2)))
    theta = -spot * bell * volatility / (2 * np.sqrt(years)) - late
    return 0.5 * (1 + erf(d1 / np.sqrt(2))), bell / (spot * root), spot * bell * np.sqrt(years), theta


# ---- Kalman ----

_f = np.array([[1, 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
_h = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]])
_spread = rng.standard_normal((30, 4, 4))


@case("kalman", "step", rng.standard_normal((30, 4)), _spread @ _spread.swapaxes(1, 2), rng.standard_normal((30, 2)), _f, np.eye(4) / 10,
      _h, np.eye(2) / 5)  # fmt: skip
def kalman_step(x: Any, p: Any, z: Any, f: Any, q: Any, h: Any, r: Any) -> Any:
    x, p = x @ f.T, f @ p @ f.T + q
    gain = p @ h.T @ np.linalg.inv(h @ p @ h.T + r)
    y = z - x @ h.T
    return x + (gain @ y[..., None])[..., 0], p - gain @ h @ p


# ---- FFT ----


@case("fft", "transform", *rng.standard_normal((2, 10, 256)))
def transform(re: Any, im: Any) -> Any:
    out = np.fft.fft(re + 1j * im)
    return out.real, out.imag


# ---- convolutional network ----


def _convolve(x: Any, w: Any, b: Any, pad: int) -> Any:
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], (2, 3))
    return np.einsum("ncijpq,fcpq->nfij", windows, w, optimize=True) + b[:, None, None]


@case("convnet", "convolve", rng.standard_normal((3, 4, 12, 10)), rng.standard_normal((6, 4, 3, 3)), rng.standard_normal(6), 1)
def convolve(x: Any, w: Any, b: Any, pad: int) -> Any:
    return _convolve(x, w, b, pad)


@case("convnet", "pooled", rng.standard_normal((3, 4, 12, 10)))
def pooled(x: Any) -> Any:
    b, c, h, w = x.shape
    return x.reshape(b, c, h // 2, 2, w // 2, 2).max((3, 5))


@case(
    "convnet", "network", rng.random((5, 1, 28, 28)), rng.standard_normal((8, 1, 5, 5)) / 5, rng.standard_normal(8),
    rng.standard_normal((16, 8, 5, 5)) / 14, rng.standard_normal(16), rng.standard_normal((10, 784)) / 28, rng.standard_normal(10),
)  # fmt: skip
def network(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    y = pooled(np.maximum(_convolve(x, w1, b1, 2), 0))
    y = pooled(np.maximum(_convolve(y, w2, b2, 2), 0))
    return y.reshape(len(x), -1) @ w3.T + b3


@case("convnet", "loss", rng.standard_normal((20, 10)), rng.integers(0, 10, 20))
def loss(scores: Any, label: Any) -> Any:
    return -np.log(softmax(scores))[np.arange(len(label)), label].mean()


# ---- waves ----

_waves = (rng.random((20, 30)), rng.random((20, 30)), rng.random((20, 30)))


@case("wave", "step", *_waves, 0.1, rng.random((20, 30)) / 10)
def wave_step(u: Any, before: Any, speed: Any, dt: float, damping: Any) -> Any:
    inside = np.s_[1:-1, 1:-1]
    laplace = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[inside]
    after = np.zeros_like(u)
    after[inside] = u[inside] + (1 - damping[inside]) * (u[inside] - before[inside]) + (speed[inside] * dt) ** 2 * laplace
    return after


@case("wave", "energy", *_waves, 0.1)
def wave_energy(u: Any, before: Any, speed: Any, dt: float) -> Any:
    tension = ((speed[:, :-1] * np.diff(u, axis=1)) ** 2).sum() + ((speed[:-1] * np.diff(u, axis=0)) ** 2).sum()
    return 0.5 * (((u - before) / dt) ** 2).sum(), 0.5 * tension


# ---- life, Mandelbrot ----

_alive = rng.random((17, 23)) > 0.6


@case("life", "generation", _alive)
def generation(alive: Any) -> Any:
    n = sum(np.roll(alive, (a, b), (0, 1)).astype(int) for a in (-1, 0, 1) for b in (-1, 0, 1))
    return (n == 3) | (alive & (n == 4))


@case("life", "generations", _alive)
def generations(alive: Any) -> Any:
    for _ in range(4):
        alive = generation(alive)
    return alive


@case("mandelbrot", "escape", np.linspace(-2, 0.6, 40), np.linspace(-1.2, 1.2, 30))
def escape(x: Any, y: Any) -> Any:
    c = x + 1j * y[:, None]
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(50):
        inside = z.real**2 + z.imag**2 <= 4
        z[inside] = z[inside] ** 2 + c[inside]
        count += inside
    return count


# ---- sound ----

_sound = rng.standard_normal((3, 500))


@case("audio", "biquad", _sound, np.array([0.2, 0.3, 0.1]), np.array([-0.5, 0.2]))
def biquad(x: Any, b: Any, a: Any) -> Any:
    y = np.zeros_like(x)
    for n in range(x.shape[1]):
        for k in range(3):
            if n >= k:
                y[:, n] += b[k] * x[:, n - k] - (a[k - 1] * y[:, n - k] if k else 0)
    return y


@case("audio", "envelope", _sound, 0.95)
def envelope(x: Any, decay: float) -> Any:
    e = np.abs(x)
    for n in range(1, x.shape[1]):
        e[:, n] = np.maximum(e[:, n], decay * e[:, n - 1])
    return e


@case("audio", "panned", _sound[0], rng.random(500))
def panned(x: Any, angle: Any) -> Any:
    return np.stack([x * np.cos(angle), x * np.sin(angle)])


# ---- sequences ----

_words = (rng.integers(0, 4, 30), rng.integers(0, 4, 25))


@case("sequences", "edit_distance", *_words)
def edit_distance(a: Any, b: Any) -> Any:
    d = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return d[-1, -1]


@case("sequences", "common", *_words)
def common(a: Any, b: Any) -> Any:
    c = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            c[i, j] = c[i - 1, j - 1] + 1 if a[i - 1] == b[j - 1] else max(c[i - 1, j], c[i, j - 1])
    return c[-1, -1]


@case("sequences", "warping", rng.standard_normal(30), rng.standard_normal(20))
def warping(x: Any, y: Any) -> Any:
    c = np.full((len(x) + 1, len(y) + 1), np.inf)
    c[0, 0] = 0
    for i in range(len(x)):
        for j in range(len(y)):
            c[i + 1, j + 1] = min(c[i, j + 1], c[i + 1, j], c[i, j]) + abs(x[i] - y[j])
    return c[-1, -1]


# ---- solvers ----

_matrix = rng.standard_normal((20, 20)) + 12 * np.eye(20)
_diagonals = (rng.random(50), rng.random(50) + 3, rng.random(50), rng.random(50))


@case("solvers", "lower", _matrix, rng.random(20))
def lower(triangle: Any, b: Any) -> Any:
    return np.linalg.solve(np.tril(triangle), b)


@case("solvers", "tridiagonal", *_diagonals)
def tridiagonal(a: Any, b: Any, c: Any, d: Any) -> Any:
    return np.linalg.solve(np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1), d)


@case("solvers", "jacobi", _matrix, rng.random(20), np.zeros(20))
def jacobi(m: Any, b: Any, x: Any) -> Any:
    diagonal = np.diag(m)
    for _ in range(10):
        x = (b - m @ x + diagonal * x) / diagonal
    return x


# ---- graphs ----

_edges = (rng.integers(0, 25, 100), rng.integers(0, 30, 100))


@case("graph", "rank", *_edges, np.bincount(_edges[0], minlength=30), 0.85)
def rank(source: Any, target: Any, links: Any, damping: float) -> Any:
    n = len(links)
    r = np.ones(n) / n
    for _ in range(16):
        flow = np.bincount(target, r[source] / links[source], n)
        r = (1 - damping) / n + damping * (flow + r[links == 0].sum() / n)
    return r


@case("graph", "layer", rng.standard_normal((30, 6)), *_edges, *rng.standard_normal((2, 6, 8)), rng.standard_normal(8))
def layer(x: Any, source: Any, target: Any, own: Any, near: Any, b: Any) -> Any:
    total = np.zeros_like(x)
    np.add.at(total, target, x[source])
    number = np.bincount(target, minlength=len(x))
    return np.maximum(x @ own + total / np.maximum(number, 1)[:, None] @ near + b, 0)


# ---- regression ----

_samples = (rng.standard_normal((100, 5)), (rng.random(100) > 0.4).astype(float))


@case("regression", "descend", *_samples, np.zeros(5), 0.3, 0.01)
def descend(x: Any, y: Any, w: Any, rate: float, ridge: float) -> Any:
    for _ in range(16):
        w = w - rate * (x.T @ (1 / (1 + np.exp(-x @ w)) - y) / len(x) + ridge * w)
    return w


@case("regression", "quality", *_samples, rng.standard_normal(5))
def quality(x: Any, y: Any, w: Any) -> Any:
    score = x @ w
    return (np.logaddexp(0, score) - y * score).mean(), ((score > 0) == (y > 0.5)).mean()


# ---- rays ----

_directions = rng.standard_normal((60, 3)) * 0.3 + [0, 0, 1]
_directions /= np.linalg.norm(_directions, axis=1, keepdims=True)
_scene = (np.zeros(3), _directions, rng.standard_normal((5, 3)) + [0, 0, 5], rng.random(5) + 0.3)


@case("rays", "nearest", *_scene)
def nearest(origin: Any, direction: Any, centre: Any, radius: Any) -> Any:
    to = centre - origin
    along = direction @ to.T
    beside = (to**2).sum(1) - along**2
    half = np.sqrt(np.maximum(radius**2 - beside, 0))
    hit = np.where((beside < radius**2) & (along > half), along - half, np.inf)
    return hit.min(1), hit.argmin(1)


@case("rays", "shaded", *_scene, np.array([0.6, 0.6, -0.52]))
def shaded(origin: Any, direction: Any, centre: Any, radius: Any, light: Any) -> Any:
    distance, which = nearest(origin, direction, centre, radius)
    seen = distance < np.inf
    point = origin + np.where(seen, distance, 0)[:, None] * direction
    normal = (point - centre[which]) / radius[which][:, None]
    return np.where(seen, np.maximum(normal @ light, 0), 0)


# ---- portfolio ----

_returns = rng.standard_normal((60, 7)) / 100


@case("portfolio", "covariance", _returns)
def covariance(returns: Any) -> Any:
    return np.cov(returns, rowvar=False)


@case("portfolio", "risk", _returns, rng.random(7))
def risk(returns: Any, weights: Any) -> Any:
    return weights @ returns.mean(0), np.sqrt(weights @ np.cov(returns, rowvar=False) @ weights)


@case("portfolio", "drawdown", np.exp(np.cumsum(rng.standard_normal(200) / 50)))
def drawdown(prices: Any) -> Any:
    peak = np.maximum.accumulate(prices)
    return ((peak - prices) / peak).max()


# ---- lattices ----


@case("lattice", "sweep", rng.choice([-1, 1], (16, 18)), 1, rng.random((16, 18)), 0.4)
def sweep(spin: Any, colour: int, chance: Any, beta: float) -> Any:
    near = sum(np.roll(spin, shift, axis) for shift in (-1, 1) for axis in (0, 1))
    chosen = (np.add.outer(np.arange(16), np.arange(18)) % 2 == colour) & (chance < np.exp(-beta * 2 * spin * near))
    return np.where(chosen, -spin, spin)


_cx, _cy = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1]), np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
_weights = np.array([4 / 9, *[1 / 9] * 4, *[1 / 36] * 4])


@case("lattice", "collide", rng.random((9, 12, 15)) + 0.5, _cx, _cy, _weights, 1.2)
def collide(f: Any, cx: Any, cy: Any, w: Any, omega: float) -> Any:
    rho = f.sum(0)
    ux, uy = np.tensordot(cx, f, 1) / rho, np.tensordot(cy, f, 1) / rho
    cu = 3 * (cx[:, None, None] * ux + cy[:, None, None] * uy)
    after = f + omega * (w[:, None, None] * rho * (1 + cu + cu**2 / 2 - 1.5 * (ux**2 + uy**2)) - f)
    return np.stack([np.roll(after[k], (cy[k], cx[k]), (0, 1)) for k in range(9)])


# ---- attention ----


@case("attention", "embedded", rng.integers(0, 50, (3, 8)), rng.standard_normal((50, 6)), rng.standard_normal((10, 6)))
def embedded(tokens: Any, table: Any, position: Any) -> Any:
    return table[tokens] + position[: tokens.shape[1]]


@case("attention", "local", *rng.standard_normal((3, 20, 8)), 4)
def local(q: Any, k: Any, v: Any, reach: int) -> Any:
    away = np.subtract.outer(np.arange(len(q)), np.arange(len(q)))
    return softmax(np.where((away >= 0) & (away <= reach), q @ k.T / np.sqrt(q.shape[1]), -np.inf)) @ v


@case("attention", "linear", *rng.standard_normal((2, 20, 8)), rng.standard_normal((20, 5)))
def linear(q: Any, k: Any, v: Any) -> Any:
    return np.einsum("nd,nde->ne", q, np.cumsum(np.einsum("nd,ne->nde", k, v), 0))
