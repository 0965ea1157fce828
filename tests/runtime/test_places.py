"""argmin and argmax as users call them: every length of the chunks that are searched, ties, NaN, other axes."""

import numpy as np
import pytest

import staxlang as stax
from tests.runtime.agreement import check

LENGTHS = [1, 2, 31, 33, 127, 129, 1000, 4095, 4096, 4097, 8191, 16385, 70001]


def drawn(dtype: str, length: int) -> list[np.ndarray]:
    rng = np.random.default_rng(length)
    real = np.dtype(dtype)
    some = (rng.random(length) * 1000).astype(real) if real.kind != "b" else rng.random(length) < 0.5
    cases = [some, (rng.random(length) * 5).astype(real), np.ones(length, real), np.sort(some), np.sort(some)[::-1].copy()]
    if real.kind == "f":
        odd = some.copy()
        odd[rng.integers(0, length, 2)] = np.nan
        cases += [odd, np.full(length, -np.inf, real), np.full(length, np.inf, real)]
    return cases


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1", "i2", "f2", "?"])
def test_every_length(dtype):
    @stax.kernel
    def places(x):
        return np.argmax(x), np.argmin(x)

    for length in LENGTHS:
        for x in drawn(dtype, length):
            check(places, x)
    assert places.stats().route == "native"


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "?"])
def test_rows_and_views(dtype):
    @stax.kernel
    def places(x):
        return np.argmax(x, axis=1), np.argmin(x, axis=-1), np.argmax(x), np.argmin(x[:, ::2], axis=1), np.argmax(x.T, axis=1)

    for length in (1, 7, 33, 100, 300, 5000):
        for x in drawn(dtype, length):
            check(places, np.stack([x, np.roll(x, 3), x[::-1], np.roll(x, length // 2)]))
    assert places.stats().route == "native"


def test_first_that_holds():
    @stax.kernel
    def first(x, limit):
        return np.argmax(x > limit), np.argmin(x <= limit), np.argmax((x > limit).reshape(-1, 2), axis=0), np.any(x > limit)

    x = np.arange(100_000.0)
    for limit in (-1.0, 0.0, 77.5, 65_535.0, 99_998.0, 1e9):
        check(first, x, limit)
    assert first.stats().route == "native"
