"""`stax.random`'s distributions, orders and choices: against their probabilities, the same on any number of threads, what they refuse."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.test_random import LIMIT, N, kolmogorov, registered

normal_cdf = statistics.NormalDist().cdf
Array = np.ndarray[Any, Any]


def gamma_cdf(x: float, a: float) -> float:
    """Of whole and half `a`, from the value at 1 or 1/2 up."""
    if a == int(a):
        return 1 - math.exp(-x) * sum(x**k / math.factorial(k) for k in range(int(a)))
    value, term = math.erf(math.sqrt(x)), 0.5
    while term < a:
        value -= x**term * math.exp(-x) / math.gamma(term + 1)
        term += 1
    return value


def beta_cdf(x: float, a: int, b: int) -> float:
    return sum(math.comb(a + b - 1, j) * x**j * (1 - x) ** (a + b - 1 - j) for j in range(a, a + b))


def wald_cdf(x: float, m: float, s: float) -> float:
    r = math.sqrt(s / x)
    return normal_cdf(r * (x / m - 1)) + math.exp(2 * s / m) * normal_cdf(-r * (x / m + 1))


def student_cdf(x: float) -> float:
    """Of 4 degrees of freedom."""
    r = 1 + x * x / 4
    return 0.5 + 0.375 * x / math.sqrt(r) * (1 - x * x / (12 * r))


def vonmises_cdf(kappa: float) -> Callable[[float], float]:
    """By the integral of its density, around 0."""
    at = np.linspace(-math.pi, math.pi, 4001)
    density = np.exp(kappa * (np.cos(at) - 1))
    parts = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return lambda x: float(np.interp(x, at, parts / parts[-1]))


CONTINUOUS: dict[str, tuple[str, str, Callable[[float], float]]] = {
    "rayleigh": ("rayleigh", "1, N, 2.0", lambda x: -math.expm1(-x * x / 8)),
    "weibull": ("weibull", "2, 1.5, N, 2.0", lambda x: -math.expm1(-((x / 2) ** 1.5))),
    "pareto": ("pareto", "3, 3.0, N", lambda x: 1 - (1 + x) ** -3),
    "power": ("power", "4, 2.5, N", lambda x: x**2.5),
    "triangular": ("triangular", "55, -1.0, 0.0, 3.0, N", lambda x: (x + 1) ** 2 / 4 if x < 0 else 1 - (3 - x) ** 2 / 12),
    "maxwell": ("maxwell", "6, N, 2.0", lambda x: gamma_cdf(x * x / 8, 1.5)),
    "student_t": ("student_t", "7, 4.0, N", student_cdf),
    "cauchy as t": ("student_t", "8, 1.0, N", lambda x: 0.5 + math.atan(x) / math.pi),
    "wald": ("wald", "9, 3.0, 2.0, N", lambda x: wald_cdf(x, 3, 2)),
    "gamma": ("gamma", "10, 3.0, N, 2.0", lambda x: gamma_cdf(x / 2, 3)),
    "vonmises": ("vonmises", "56, 0.0, 2.0, N", vonmises_cdf(2.0)),
    "vonmises of 0": ("vonmises", "57, 0.0, 0.0, N", vonmises_cdf(0.0)),
    "vonmises of 200": ("vonmises", "58, 0.0, 200.0, N", vonmises_cdf(200.0)),
    "gamma of 1/2": ("gamma", "11, 0.5, N", lambda x: gamma_cdf(x, 0.5)),
    "gamma of 1": ("gamma", "12, 1.0, N", lambda x: gamma_cdf(x, 1)),
    "gamma of 7.5": ("gamma", "13, 7.5, N", lambda x: gamma_cdf(x, 7.5)),
    "chisquare": ("chisquare", "14, 3.0, N", lambda x: gamma_cdf(x / 2, 1.5)),
    "f": ("f", "15, 2.0, 7.0, N", lambda x: 1 - (1 + 2 * x / 7) ** -3.5),
    "beta": ("beta", "16, 2, 3, N", lambda x: beta_cdf(x, 2, 3)),
    "beta of 1/2": ("beta", "17, 0.5, 0.5, N", lambda x: 2 / math.pi * math.asin(math.sqrt(min(x, 1.0)))),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", sorted(CONTINUOUS))
def test_distribution(name: str, dtype: Any) -> None:
    function, arguments, cdf = CONTINUOUS[name]
    x = eval(f"f({arguments}, dtype=dtype)", {"f": getattr(stax.random, function), "N": N, "dtype": dtype})
    assert x.dtype == dtype and x.shape == (N,) and np.isfinite(x).all()
    assert kolmogorov(x, cdf) < LIMIT


def test_half_precision() -> None:
    for name, (function, arguments, _) in CONTINUOUS.items():
        x = eval(f"f({arguments}, dtype=dtype)", {"f": getattr(stax.random, function), "N": 7, "dtype": np.float16})
        assert x.dtype == np.float16 and x.shape == (7,), name


def fits(x: Array, chances: Array) -> bool:
    """Whether counts of 0, 1, .. are those of these probabilities (the rest together), by the chi-square statistic."""
    wanted = np.append(chances, 1 - chances.sum()) * x.size
    counted = np.bincount(np.minimum(x, chances.size), minlength=chances.size + 1)
    enough = wanted >= 5
    wanted, counted = np.append(wanted[enough], wanted[~enough].sum() + 1e-9), np.append(counted[enough], counted[~enough].sum())
    free = enough.sum() - 1
    return bool(((counted - wanted) ** 2 / np.maximum(wanted, 1)).sum() < free + 4 * math.sqrt(2 * free) + 4)


def poisson_chances(rate: float) -> Array:
    k = range(int(rate + 12 * math.sqrt(rate) + 12))
    return np.array([math.exp(j * math.log(rate) - rate - math.lgamma(j + 1)) for j in k])


def binomial_chances(n: int, p: float) -> Array:
    return np.array(
        [
            math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p))
            for k in range(n + 1)
        ]
    )


@pytest.mark.parametrize("rate", [0.01, 0.7, 3.5, 9.5, 15.9, 16.0, 35.5, 400.0])
def test_poisson(rate: float) -> None:
    x = stax.random.poisson(21, rate, N)
    assert x.dtype == np.int64 and x.min() >= 0 and fits(x, poisson_chances(rate))


def test_poisson_of_many_rates() -> None:
    rates = np.array([0.0, 0.5, 12.0, 17.0, 1e3, 1e6])
    x = stax.random.poisson(22, rates, (N, 6)).astype(float)
    assert not x[:, 0].any()
    np.testing.assert_allclose(x[:, 1:].mean(0), rates[1:], atol=0, rtol=5 / math.sqrt(N * 0.5))
    np.testing.assert_allclose(x[:, 1:].var(0), rates[1:], rtol=0.05)
    for k in (1, 2, 3):
        assert fits(x[:, k].astype(int), poisson_chances(rates[k]))


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (20, 0.25), (15, 0.99), (40, 0.5), (500, 0.01), (200, 0.75), (1000, 0.4)])
def test_binomial(n: int, p: float) -> None:
    x = stax.random.binomial(23, n, p, N)
    assert x.dtype == np.int64 and x.min() >= 0 and x.max() <= n and fits(x, binomial_chances(n, p))


def test_binomial_at_the_ends_and_of_arrays() -> None:
    n, p = np.array([0, 5, 5, 30, 1000]), np.array([0.5, 0.0, 1.0, 0.5, 0.5])
    x = stax.random.binomial(24, n, p, (N, 5))
    assert (x[:, 0] == 0).all() and (x[:, 1] == 0).all() and (x[:, 2] == 5).all()
    assert fits(x[:, 3], binomial_chances(30, 0.5)) and fits(x[:, 4], binomial_chances(1000, 0.5))


@pytest.mark.parametrize("p", [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.1, 0.1, 0.8]])
def test_multinomial(p: list[float]) -> None:
    x = stax.random.multinomial(59, 40, np.array(p), N)
    assert x.dtype == np.int64 and x.shape == (N, 3) and x.min() >= 0 and (x.sum(-1) == 40).all()
    for k, share in enumerate(p):
        assert fits(x[:, k], binomial_chances(40, share)) if 0 < share < 1 else (x[:, k] == 40 * share).all()
    for wrong in ([0.5, 0.6, 0.1], [-0.1, 0.6, 0.5]):
        with pytest.raises(stax.StaxError, match="multinomial"):
            stax.random.multinomial(59, 40, np.array(wrong))


def test_angles_around_any_mean() -> None:
    mu, kappa = np.array([0.0, 3.0, -2.0]), np.array([1e7, 4.0, 1.0])
    x = stax.random.vonmises(60, mu, kappa, (N, 3))
    assert x.min() >= -np.pi and x.max() <= np.pi
    assert kolmogorov((x[:, 1] - 3.0 + np.pi) % (2 * np.pi) - np.pi, vonmises_cdf(4.0)) < LIMIT
    assert abs(x[:, 0].std() * math.sqrt(1e7) - 1) < 0.05
    with pytest.raises(stax.StaxError, match="vonmises: kappa is not negative"):
        stax.random.vonmises(60, 0.0, np.float64(-1.0))


def test_waiting() -> None:
    x = stax.random.geometric(25, 0.3, N)
    assert x.dtype == np.int64 and x.min() == 1 and fits(x - 1, 0.3 * 0.7 ** np.arange(60))
    assert (stax.random.geometric(25, np.array([1.0, 1.0])) == 1).all()
    x = stax.random.negative_binomial(26, 5, 0.4, N)
    chances = np.array([math.comb(k + 4, k) * 0.4**5 * 0.6**k for k in range(80)])
    assert x.dtype == np.int64 and fits(x, chances)


def test_signs() -> None:
    x = stax.random.rademacher(27, N)
    assert x.dtype == np.int64 and set(x.tolist()) == {-1, 1} and abs(x.mean()) < 4 / math.sqrt(N)
    assert stax.random.rademacher(1, (2, 3), dtype=np.float32).dtype == np.float32 and stax.random.rademacher(1) in (-1, 1)


def test_small_parameters() -> None:
    """Gamma numbers that underflow, and their ratios, which do not."""
    x = stax.random.gamma(28, 1e-3, N)
    assert (x >= 0).all() and (x == 0).any() and abs(x.mean() - 1e-3) < 5 * math.sqrt(1e-3 / N)
    y = stax.random.beta(29, 1e-3, 1e-3, N)
    assert ((y >= 0) & (y <= 1)).all() and abs(y.mean() - 0.5) < 4 * 0.5 / math.sqrt(N)
    assert stax.random.gamma(28, np.array([0.0, 2.0]))[0] == 0


def test_dirichlet() -> None:
    alpha = np.array([1.0, 2.0, 3.0])
    x = stax.random.dirichlet(30, alpha, (N,))
    assert x.shape == (N, 3) and x.dtype == np.float64
    np.testing.assert_allclose(x.sum(1), 1, rtol=1e-14)
    for k in range(3):
        assert kolmogorov(x[:, k], lambda v, k=k: beta_cdf(v, k + 1, 5 - k)) < LIMIT
    tiny = stax.random.dirichlet(31, np.full(4, 1e-4), 50, dtype=np.float32)
    assert tiny.shape == (50, 4) and tiny.dtype == np.float32 and np.isfinite(tiny).all()
    np.testing.assert_allclose(tiny.sum(1), 1, rtol=1e-6)


def test_parameters_broadcast() -> None:
    x = stax.random.gamma(32, np.array([1.0, 100.0]), scale=np.array([[1.0], [1000.0]]))
    assert x.shape == (2, 2) and x[1, 1] > 10_000
    assert stax.random.poisson(32, np.full((3, 1), 2.0), (3, 4)).shape == (3, 4)
    with pytest.raises(stax.StaxError):
        stax.random.gamma(32, np.ones(3), (2,))


# ---- one result, however it is computed ----

DRAWS: dict[str, str] = {
    "geometric": "key, 0.3, shape", "rayleigh": "key, shape", "weibull": "key, 1.5, shape", "pareto": "key, 2.0, shape",
    "power": "key, 2.0, shape", "triangular": "key, 0.0, 1.0, 4.0, shape", "maxwell": "key, shape", "student_t": "key, 3.0, shape",
    "wald": "key, 1.0, 2.0, shape", "gamma": "key, 0.7, shape", "beta": "key, 0.5, 2.0, shape", "poisson": "key, 40.0, shape",
    "binomial": "key, 100, 0.4, shape", "rademacher": "key, shape", "vonmises": "key, 0.0, 2.0, shape",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_threads_and_symbolic_sizes_change_nothing(name: str) -> None:
    function = getattr(stax.random, name)
    kernel = stax.kernel(registered(f"def draw(key, x):\n    shape = x.shape\n    return f({DRAWS[name]})\n", {"f": function}))
    lowered = kernel.lower(np.uint64(3), stax.spec(("N", "M"), np.float64)).compile()
    for shape in ((1, 1), (3, 7), (250, 101)):
        x = np.empty(shape)
        stax.set_num_threads(1)
        want = eval(f"f({DRAWS[name]})", {"f": function, "key": 3, "shape": shape})
        assert want.shape == shape
        stax.set_num_threads(4)
        assert np.array_equal(kernel(3, x), want) and np.array_equal(lowered(np.uint64(3), x), want)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0


def test_a_number_belongs_to_its_place() -> None:
    """What is drawn by rejection does not depend on how many are drawn."""
    for name, arguments in (("gamma", "0.7"), ("poisson", "40.0"), ("binomial", "100, 0.4"), ("beta", "2.0, 3.0")):
        draw = eval(f"lambda n: f(5, {arguments}, n)", {"f": getattr(stax.random, name)})
        assert np.array_equal(draw(1000)[:7], draw(7))


# ---- orders and choices ----


def test_permutations_are_equally_likely() -> None:
    counts = dict.fromkeys(itertools.permutations(range(4)), 0)
    for key in range(2400):
        counts[tuple(stax.random.permutation(key, 4).tolist())] += 1
    assert sum((n - 100) ** 2 / 100 for n in counts.values()) < 23 + 4 * math.sqrt(46)


def test_permutation() -> None:
    order = stax.random.permutation(41, 1000)
    assert order.dtype == np.int64 and np.array_equal(np.sort(order), np.arange(1000)) and not np.array_equal(order, np.arange(1000))
    x = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(stax.random.permutation(41, x), x[stax.random.permutation(41, 4)])
    assert np.array_equal(stax.random.permutation(41, x, axis=1), x[:, stax.random.permutation(41, 3)])
    assert np.array_equal(stax.random.permutation(41, np.array(["1", "0"]) == "1"), np.array([True, False])[stax.random.permutation(41, 2)])
    y = x.copy()
    assert stax.random.shuffle(41, y, axis=-1) is None and np.array_equal(y, stax.random.permutation(41, x, axis=1))
    assert stax.random.permutation(41, 0).shape == (0,) and stax.random.permutation(41, np.zeros((0, 2))).shape == (0, 2)


def test_choice() -> None:
    a = np.array([10.0, 20.0, 30.0])
    x = stax.random.choice(42, a, N)
    assert x.dtype == a.dtype and fits((x / 10 - 1).astype(int), np.full(2, 1 / 3))
    p = np.array([0.2, 0.5, 0.3])
    x = stax.random.choice(43, a, (N,), p=p)
    assert fits((x / 10 - 1).astype(int), p[:2])
    assert np.array_equal(stax.random.choice(43, 3, N, p=2 * p), (x / 10 - 1).astype(int))
    assert not (stax.random.choice(44, 3, N, p=[0.5, 0.0, 0.5]) == 1).any()
    assert stax.random.choice(45, a) in a and stax.random.choice(45, 5, (2, 3)).shape == (2, 3)
    table = np.arange(12).reshape(3, 4)
    columns = stax.random.choice(46, table, 2, axis=1)
    assert columns.shape == (3, 2) and np.array_equal(columns, table[:, stax.random.choice(46, 4, 2)])


def test_choice_without_replacement() -> None:
    x = stax.random.choice(47, 50, 20, replace=False)
    assert len(set(x.tolist())) == 20 and set(x.tolist()) <= set(range(50))
    with pytest.raises(stax.StaxError, match="not so many"):
        stax.random.choice(47, 5, 6, replace=False)
    p = np.array([0.1, 0.2, 0.3, 0.4])
    pairs = np.array([stax.random.choice(key, 4, 2, replace=False, p=p) for key in range(3000)])
    assert (pairs[:, 0] != pairs[:, 1]).all()
    wanted = np.array([p[i] * p[j] / (1 - p[i]) if i != j else 0 for i in range(4) for j in range(4)])
    counted = np.bincount(pairs[:, 0] * 4 + pairs[:, 1], minlength=16)
    used = wanted > 0
    assert ((counted - 3000 * wanted)[used] ** 2 / (3000 * wanted[used])).sum() < 11 + 4 * math.sqrt(22)


def test_orthogonal_matrices() -> None:
    q = stax.random.orthogonal(48, 5, (2000,))
    assert q.shape == (2000, 5, 5) and q.dtype == np.float64
    np.testing.assert_allclose(q @ q.swapaxes(-1, -2), np.broadcast_to(np.eye(5), q.shape), atol=1e-13)
    assert np.abs(q.mean(0)).max() < 5 / math.sqrt(5 * 2000) and abs((np.linalg.det(q) > 0).mean() - 0.5) < 4 * 0.5 / math.sqrt(2000)
    assert kolmogorov(stax.random.orthogonal(49, 2, (N,))[:, 0, 1], lambda v: 0.5 + math.asin(max(-1, min(1, v))) / math.pi) < LIMIT
    assert stax.random.orthogonal(48, 3, dtype=np.float32).dtype == np.float32


def test_points_of_a_ball() -> None:
    x = stax.random.ball(50, 3, (N,))
    assert x.shape == (N, 3) and kolmogorov(np.sqrt((x * x).sum(1)), lambda r: r**3) < LIMIT
    assert np.abs(x.mean(0)).max() < 4 * math.sqrt(0.2 / N)
    assert kolmogorov(x[:, 0], lambda v: 0.5 + 0.75 * v - 0.25 * v**3) < LIMIT
