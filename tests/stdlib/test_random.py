"""stax.random: known answers of Philox, laws of keys and shapes, distributions against their probabilities with fixed keys."""

from __future__ import annotations

import ast
import itertools
import linecache
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.parser.library import namespace_names
from staxlang.runtime import operations
from staxlang.typecheck.named_operations import named_operation
from tests.stdlib.against_numpy import examples

NAMES = namespace_names("random")
EXAMPLES = examples("random")
N = 40_000
_count = itertools.count()
words = named_operation("random._words")
quantile = named_operation("random._quantile")


@pytest.fixture(autouse=True)
def all_threads() -> Any:
    before = stax.get_num_threads()
    yield
    stax.set_num_threads(before)


# ---- bits ----

KNOWN = [  # counter, key, words: the test vectors published with Random123
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]  # fmt: skip


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_philox_gives_the_published_words(counter: Any, key: Any, expected: Any) -> None:
    @stax.kernel
    def block(key, counter, stream, use):
        return words(key, counter, stream, use)

    found = block(np.uint64(key[0] | key[1] << 32), np.uint64(counter[0] | counter[1] << 32), np.uint64(counter[2]), np.uint64(counter[3]))
    assert tuple(int(word) for word in found) == expected and block.stats().route == "native"


def philox(counter: tuple[int, ...], key: int) -> list[int]:
    """The function in Python's integers."""
    x, k = list(counter), [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [b >> 32 ^ x[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 1001])
@pytest.mark.parametrize(("dtype", "per"), [("u4", 4), ("u8", 2), ("u2", 4), ("u1", 4)])
def test_bits_are_the_words_in_their_stated_order(n: int, dtype: str, per: int) -> None:
    rows = n // per
    places = [(i % rows, i // rows) if i < rows * per else (rows, i - rows * per) for i in range(n)]
    blocks = {block: philox((block, 0, 0, 0), 99) for block, _ in places}
    want = [blocks[b][k] if per == 4 else blocks[b][2 * k] | blocks[b][2 * k + 1] << 32 for b, k in places]
    got = stax.random.bits(99, n, dtype=np.dtype(dtype).type)
    assert got.dtype == np.dtype(dtype) and got.tolist() == [w & (256 ** np.dtype(dtype).itemsize - 1) for w in want]


def test_counters_beyond_32_bits() -> None:
    @stax.kernel
    def block(counter):
        return words(5, counter)

    assert [int(w) for w in block(np.uint64(3 << 32 | 17))] == philox((17, 3, 0, 0), 5)


# ---- keys ----


def test_keys() -> None:
    keys = stax.random.split(stax.random.key(1), 1000)
    assert keys.dtype == np.uint64 and len(set(keys.tolist())) == 1000
    assert len({int(stax.random.fold_in(keys[0], k)) for k in range(100)} | set(keys.tolist())) == 1100
    assert int(keys[3]) == philox((3, 0, 0, 1), 1)[0] | philox((3, 0, 0, 1), 1)[1] << 32
    assert int(stax.random.key(-1)) == 2**64 - 1
    a, b = (stax.random.normal(key, N) for key in keys[:2])
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(N)


def test_several_keys_are_refused() -> None:
    with pytest.raises(stax.StaxError, match="a key is one number"):
        stax.random.uniform(stax.random.split(1, 2), 3)


def test_keys_in_kernels() -> None:
    @stax.kernel
    def step(key, x):
        first, second = stax.random.split(key)
        return x + stax.random.normal(first, x.shape), stax.random.uniform(second)

    x = np.zeros((3, 5))
    first, second = stax.random.split(9)
    got, number = step(np.uint64(9), x)
    assert np.array_equal(got, stax.random.normal(first, (3, 5))) and number == stax.random.uniform(second)
    assert step.stats().route == "native" and step.stats().fallbacks == 0


# ---- one result, however it is computed ----

DRAWS: dict[str, str] = {
    "bits": "key, shape", "uniform": "key, shape, -1.0, 2.0", "bernoulli": "key, 0.3, shape", "normal": "key, shape, 1.0, 2.0",
    "lognormal": "key, shape, 0.5", "truncated_normal": "key, -1.0, 2.0, shape", "exponential": "key, shape, 2.0",
    "laplace": "key, shape, 1.0", "cauchy": "key, shape", "gumbel": "key, shape", "logistic": "key, shape, 0.0, 2.0",
    "integers": "key, -5, 20, shape",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_threads_and_symbolic_sizes_change_nothing(name: str) -> None:
    function = getattr(stax.random, name)
    space: dict[str, Any] = {"f": function}
    kernel = stax.kernel(registered(f"def draw(key, x):\n    shape = x.shape\n    return f({DRAWS[name]})\n", space))
    lowered = kernel.lower(np.uint64(3), stax.spec(("N", "M"), np.float64)).compile()
    for shape in ((1, 1), (3, 7), (64, 64), (250, 1001)):
        x = np.empty(shape)
        stax.set_num_threads(1)
        want = eval(f"f({DRAWS[name]})", {"f": function, "key": 3, "shape": shape})
        assert want.shape == shape
        stax.set_num_threads(4)
        assert np.array_equal(kernel(3, x), want) and np.array_equal(kernel(np.uint64(3), x), want)
        assert np.array_equal(lowered(np.uint64(3), x), want)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0


@pytest.mark.parametrize("name", sorted(set(DRAWS) - {"truncated_normal"}))  # whose body is too large for one
def test_a_draw_is_one_kernel_over_its_result(name: str) -> None:
    space: dict[str, Any] = {"f": getattr(stax.random, name)}
    kernel = stax.kernel(registered(f"def draw(key, x):\n    shape = x.shape\n    return f({DRAWS[name]})\n", space))
    report = kernel.explain(3, np.empty((100, 64)))
    assert len(report.kernels) == 1 and report.bytes_moved == report.bytes_lower_bound and not report.copies


def registered(text: str, space: dict[str, Any]) -> Any:
    """The function of a text, whose source is to be found."""
    file = f"<random {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), space)
    return space["draw"]


# ---- distributions ----


def kolmogorov(x: Any, cdf: Callable[[float], float]) -> float:
    """sqrt(n) times the greatest distance between the sample's distribution and the stated one."""
    x = np.sort(np.asarray(x, np.float64).ravel())
    p = np.array([cdf(float(v)) for v in x])
    n = x.size
    return float(max(np.max(np.arange(1, n + 1) / n - p), np.max(p - np.arange(n) / n)) * math.sqrt(n))


LIMIT = 1.63  # a right sample is farther off once in a hundred keys; the keys are fixed
normal_cdf = statistics.NormalDist().cdf
CONTINUOUS: dict[str, tuple[str, Callable[[float], float]]] = {
    "uniform": ("11, N, -1.0, 3.0", lambda x: (x + 1) / 4),
    "normal": ("12, N, 2.0, 3.0", lambda x: normal_cdf((x - 2) / 3)),
    "lognormal": ("13, N, 0.5, 0.7", lambda x: normal_cdf((math.log(x) - 0.5) / 0.7)),
    "exponential": ("14, N, 2.0", lambda x: -math.expm1(-x / 2)),
    "laplace": ("15, N, 1.0, 2.0", lambda x: 0.5 * math.exp((x - 1) / 2) if x < 1 else 1 - 0.5 * math.exp(-(x - 1) / 2)),
    "cauchy": ("16, N, 1.0, 2.0", lambda x: math.atan((x - 1) / 2) / math.pi + 0.5),
    "gumbel": ("17, N, 1.0, 2.0", lambda x: math.exp(-math.exp(-(x - 1) / 2))),
    "logistic": ("18, N, 1.0, 2.0", lambda x: 1 / (1 + math.exp(-(x - 1) / 2))),
    "truncated_normal": ("19, -0.5, 2.0, N", lambda x: (normal_cdf(x) - normal_cdf(-0.5)) / (normal_cdf(2) - normal_cdf(-0.5))),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", sorted(CONTINUOUS))
def test_distribution(name: str, dtype: Any) -> None:
    arguments, cdf = CONTINUOUS[name]
    x = eval(f"f({arguments}, dtype=dtype)", {"f": getattr(stax.random, name), "N": N, "dtype": dtype})
    assert x.dtype == dtype and x.shape == (N,) and np.isfinite(x).all()
    assert kolmogorov(x, cdf) < LIMIT


def test_half_precision() -> None:
    u = stax.random.uniform(1, N, dtype=np.float16)
    assert u.dtype == np.float16 and u.min() >= 0 and u.max() < 1 and abs(float(u.astype(float).mean()) - 0.5) < 0.01
    assert stax.random.normal(1, 5, dtype=np.float16).dtype == np.float16


def test_moments_and_independence() -> None:
    z = stax.random.normal(21, (4, N))
    assert np.all(np.abs(z.mean(1)) < 4 / math.sqrt(N)) and np.all(np.abs((z**2).mean(1) - 1) < 4 * math.sqrt(2 / N))
    assert np.all(np.abs((z**3).mean(1)) < 4 * math.sqrt(15 / N)) and np.all(np.abs((z**4).mean(1) - 3) < 4 * math.sqrt(96 / N))
    correlations = np.corrcoef(np.concatenate([z, z[:, ::-1]])) - np.eye(8)
    assert np.abs(correlations).max() < 5 / math.sqrt(N)
    u = stax.random.uniform(22, 4 * N)
    for lag in (1, 2, N, 2 * N):  # neighbours, and numbers of one block
        assert abs(np.corrcoef(u[:-lag], u[lag:])[0, 1]) < 5 / math.sqrt(2 * N)


def test_tails() -> None:
    """As many far out as there ought to be, in both dtypes."""
    for dtype in (np.float64, np.float32):
        z = np.abs(stax.random.normal(23, 4_000_000, dtype=dtype))
        for edge in (3.0, 4.0, 4.5):
            want = 4_000_000 * 2 * normal_cdf(-edge)
            assert abs(int((z > edge).sum()) - want) < 4 * math.sqrt(want)


def test_quantiles_of_the_normal_distribution() -> None:
    p = np.concatenate([10.0 ** -np.arange(1, 300, 7), np.linspace(0.001, 0.999, 500), 1 - 10.0 ** -np.arange(1, 15)])
    got = stax.kernel(lambda p: quantile(p))(p)
    np.testing.assert_allclose(got, [statistics.NormalDist().inv_cdf(v) for v in p], rtol=1e-13, atol=1e-15)


def test_truncated_far_out() -> None:
    for low, high in ((10.0, 11.0), (-31.0, -30.0), (-2.0, math.inf)):
        x = stax.random.truncated_normal(24, low, high, N)
        assert x.min() >= low and x.max() <= high and np.unique(x).size > 0.99 * N
    x = stax.random.truncated_normal(25, 8.0, 40.0, N)
    assert kolmogorov(x, lambda v: 1 - math.erfc(v / math.sqrt(2)) / math.erfc(8 / math.sqrt(2))) < LIMIT


def test_parameters_broadcast() -> None:
    low, high = np.array([[0.0], [10.0]]), np.array([1.0, 2.0, 3.0])
    x = stax.random.uniform(26, low=low, high=high + 10)
    assert x.shape == (2, 3) and (x >= low).all() and (x < high + 10).all()
    assert stax.random.normal(1, loc=np.zeros(4)).shape == (4,)
    assert stax.random.normal(1, (2, 4), loc=np.arange(4) * 1000.0)[:, 3].min() > 2900
    with pytest.raises(stax.StaxError, match="broadcast"):
        stax.random.normal(1, (3,), loc=np.zeros(4))


def test_bernoulli() -> None:
    x = stax.random.bernoulli(27, 0.3, N)
    assert x.dtype == np.bool_ and abs(x.mean() - 0.3) < 4 * math.sqrt(0.21 / N)
    assert stax.random.bernoulli(1, np.array([0.0, 1.0])).tolist() == [False, True]


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-3, 1), (0, 256)])
def test_integers_are_equally_likely(low: int, high: int) -> None:
    x = stax.random.integers(28, low, high, N)
    assert x.dtype == np.int64 and x.min() == low and x.max() == high - 1
    counts = np.bincount(x - low, minlength=high - low)
    chi = float(((counts - N / (high - low)) ** 2).sum() * (high - low) / N)
    assert abs(chi - (high - low - 1)) < 4 * math.sqrt(2 * (high - low - 1))


def test_integers_are_the_block_as_a_fraction_of_the_span() -> None:
    for low, high in ((0, 10), (-(2**62), 2**62), (5, 2**40), (-(2**63), 2**63 - 1)):
        x = stax.random.integers(29, low, high, 50)
        for i in range(50):
            block = sum(word << 32 * k for k, word in enumerate(philox((i, 0, 0, 0), 29)))
            assert int(x[i]) == low + (block * (high - low) >> 128)
    assert stax.random.integers(29, -(2**63), 2**63 - 1, 9, endpoint=True).min() < -(2**60)
    assert stax.random.integers(29, 5, shape=1000).max() == 4
    assert stax.random.integers(29, 1, 6, 1000, endpoint=True, dtype=np.int8).max() == 6


def test_categorical() -> None:
    p = np.array([0.1, 0.2, 0.7])
    x = stax.random.categorical(30, np.log(p), shape=(N,))
    assert x.shape == (N,) and np.abs(np.bincount(x) / N - p).max() < 4 * math.sqrt(0.25 / N)
    rows = np.array([[0.0, 50.0], [50.0, 0.0], [0.0, 50.0]])
    assert stax.random.categorical(31, rows).tolist() == [1, 0, 1]
    assert stax.random.categorical(31, rows.T, axis=0).tolist() == [1, 0, 1]


def test_multivariate_normal() -> None:
    cov = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
    x = stax.random.multivariate_normal(32, np.array([1.0, -2.0, 5.0]), cov, (N,))
    assert x.shape == (N, 3)
    np.testing.assert_allclose(x.mean(0), [1, -2, 5], atol=5 * math.sqrt(2 / N))
    np.testing.assert_allclose(np.cov(x.T), cov, atol=5 * math.sqrt(8 / N))
    with pytest.raises(np.linalg.LinAlgError):
        stax.random.multivariate_normal(32, np.zeros(3), -cov)


# ---- the namespace ----


@pytest.mark.parametrize(("name", "call", "expected"), EXAMPLES, ids=[call for _, call, _ in EXAMPLES])
def test_example(name: str, call: str, expected: str) -> None:
    got = eval(call, {one: getattr(stax.random, one) for one in NAMES})
    want = ast.literal_eval(expected.replace("true", "True").replace("false", "False").replace("none", "None"))
    np.testing.assert_array_equal(got, want)
    assert operations.kernel_of(f"random.{name}").stats().route == "native"


def test_the_namespace() -> None:
    assert set(dir(stax.random)) == set(NAMES) and "random" in dir(stax)
    with pytest.raises(AttributeError, match=r"did you mean `uniform`"):
        stax.random.unifrom  # noqa: B018
    assert "key" in (stax.random.uniform.__doc__ or "") + str(stax.random.uniform.__signature__)
    assert not hasattr(stax, "multivariate_normal")


def test_in_stx() -> None:
    text = "from random import normal, split\nimport random\nkernel f(key, x: f64[N]):\n"
    text += "    a, b = split(key)\n    return normal(a, (x.shape[0],)) + random.uniform(b, (x.shape[0],))\n"
    module = stax.load_text(text)
    first, second = stax.random.split(4)
    got = module.f(np.uint64(4), np.zeros(10))
    assert np.array_equal(got, stax.random.normal(first, 10) + stax.random.uniform(second, 10))


def test_numpys_generators_are_refused_with_advice() -> None:
    with pytest.raises(stax.StaxError, match=r"stax\.random\.normal\(key, shape\)"):
        stax.kernel(lambda x: x + np.random.normal(size=3))(np.ones(3))
