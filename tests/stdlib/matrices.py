"""Matrices to be worked on, and functions of them as kernels beside the same under NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import staxlang as stax
from tests.stdlib.against_numpy import same

Array = np.ndarray[Any, Any]
DTYPES = ("f4", "f8", "c8", "c16")


def matrices(seed: int, shape: tuple[int, ...], dtype: str) -> Array:
    generator = np.random.default_rng((seed, *shape))
    values: Any = generator.standard_normal(shape)
    if dtype.startswith("c"):
        values = values + 1j * generator.standard_normal(shape)
    return (values * 4 if dtype.startswith("i") else values).astype(dtype)


def positive(seed: int, shape: tuple[int, ...], dtype: str) -> Array:
    m = matrices(seed, shape, dtype)
    return m @ np.conj(np.swapaxes(m, -1, -2)) + np.eye(shape[-1], dtype=dtype) * shape[-1]


def agree_exactly(function: Any, *arrays: Array) -> Any:
    """As a kernel the function gives NumPy's results bit for bit, natively, and leaves the arrays alone. The kernel is returned."""
    kernel = stax.kernel(function)
    given = [array.copy() for array in arrays]
    results, wanted = kernel(*arrays), function(*arrays)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0
    same(results, wanted, function.__name__, factor=0.0)
    for one, array in zip(given, arrays, strict=True):
        assert np.array_equal(one, array, equal_nan=True)
    return kernel


def agree_closely(function: Any, *arrays: Array, factor: float = 200.0) -> None:
    """NumPy's results within rounding errors of the products that they are made of."""
    kernel = stax.kernel(function)
    results = kernel(*arrays)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0
    with np.errstate(all="ignore"):
        same(results, function(*arrays), function.__name__, factor)
