"""Sorting, partitions, quantiles, sets and counts in kernels against NumPy's: every dtype, axes, odd shapes, NaN, zeros of both signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, agree, signs

DTYPES = (*INTEGERS, *FLOATS, *COMPLEX)
SHAPES = ((0,), (1,), (2,), (17,), (200,), (3, 0), (0, 3), (5, 7), (2, 3, 4))


def numbers(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray[Any, Any]:
    """Few different numbers, so that some are equal; among floats NaN, infinities, zeros of both signs."""
    generator = np.random.default_rng((seed, *shape))
    values: Any = generator.integers(-20, 20, shape)
    if dtype[0] in "fc":
        special = generator.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 3.0], shape)
        values = np.where(generator.random(shape) < 0.4, special, values)
    if dtype[0] == "c":
        imaginary = generator.choice([np.nan, 0.0, -0.0, 1.0, -1.0], shape, p=[0.1, 0.3, 0.2, 0.2, 0.2])
        full = np.empty(shape, dtype)
        full.real, full.imag = values, imaginary
        return full
    return (values > 0 if dtype == "?" else np.abs(values) if dtype[0] == "u" else values).astype(dtype)


# ---- sorting ----

SORTS = ("f(x)", "f(x, axis=0)", "f(x, None)", "f(x, kind='stable')", "f(x, -1, 'heapsort')", "f(x, stable=True)", "f(x, kind='mergesort')",
         "f(x[::-1])", "f(x[..., ::2])", "f(x.T)", "f(x.T, axis=0)", "f(x, axis=-2)", "f(x, 9)")  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorting(name: str, dtype: str) -> None:
    for shape in SHAPES:
        agree(name, getattr(np, name), SORTS, {"x": numbers(dtype, shape)}, factor=0)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_what_cannot_be_sorted(name: str) -> None:
    texts = ("f(x)", "f(x, 0)", "f(x, None)", "f(y, kind='bubble')", "f(y, order='a')", "f(y, kind='stable', stable=True)", "f(y, axis=1)")
    agree(name, getattr(np, name), texts, {"x": np.float64(3), "y": np.arange(3.0)})


def test_methods() -> None:
    @stax.kernel
    def both(x, y):
        x.sort()
        y.T.sort(axis=0, kind="stable")
        return x.argsort(0), np.sort([3, 1, 2])

    x, y = numbers("f8", (6, 5)), numbers("i4", (4, 3))
    mine = x.copy(), y.copy()
    places, three = both(*mine)
    assert both.stats().route == "native"
    np.testing.assert_array_equal(mine[0], np.sort(x))
    np.testing.assert_array_equal(mine[1], np.sort(y))
    np.testing.assert_array_equal(places, np.sort(x).argsort(0))
    np.testing.assert_array_equal(three, [1, 2, 3])


def test_places_of_equal_elements_keep_their_order() -> None:
    @stax.kernel
    def order(x):
        return np.argsort(x, kind="stable")

    x = np.random.default_rng(0).integers(0, 3, 5000)
    assert np.array_equal(order(x), np.argsort(x, kind="stable"))
    assert np.array_equal(order(x.astype("f4")), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_engines(engine: str) -> None:
    @stax.kernel
    def f(x):
        return np.sort(x * 2, axis=0), np.argsort(x + 1)

    x = numbers("f8", (5, 6))
    lowered = f.lower(stax.spec(("N", 6), "f8"))
    values, places = lowered.compile(engine)(x)
    np.testing.assert_array_equal(values, np.sort(x * 2, axis=0))
    np.testing.assert_array_equal(signs(values, "real"), signs(np.sort(x * 2, axis=0), "real"))
    np.testing.assert_array_equal(places, np.argsort(x + 1))
