"""What a row of the corpus is, and makers of arguments. The corpus is read by the tests of this folder and by the benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np


class Program(NamedTuple):
    """A plain NumPy function and what it is called with.

    `inputs(n)` makes the arguments of a size, the same ones each time. Results of floats may differ by `rtol` of the largest magnitude
    in their array (sums are reassociated), by nothing where it is 0. `copies`: how many copies `explain` may report, None where it is
    not asked. `needs` says what the language lacks for the row to run. `versions` are those that calls with several sizes make.
    """

    function: Callable[..., Any]
    inputs: Callable[[int], tuple[Any, ...]]
    small: int
    large: int
    rtol: float = 1e-12
    copies: int | None = None
    needs: str = ""
    versions: int = 2
    keywords: Mapping[str, Any] = {}
    step: int = 1

    @property
    def name(self) -> str:
        return self.function.__name__


def rng(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed or (0,))


def uniform(*shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
    return (rng(seed, *shape).random(shape) * (high - low) + low).astype(dtype)


def integers(*shape: int, low: int = 0, high: int = 10, dtype: Any = np.int64, seed: int = 0) -> np.ndarray:
    return rng(seed, *shape).integers(low, high, shape).astype(dtype)


def spread(*shape: int, seed: int = 0) -> np.ndarray:
    """Complex numbers of the unit square."""
    return uniform(*shape, low=-1, seed=seed) + 1j * uniform(*shape, low=-1, seed=seed + 1)


def dominant(n: int, seed: int = 0) -> np.ndarray:
    """A matrix that elimination without pivots can bear."""
    return uniform(n, n, low=-1, seed=seed) + n * np.eye(n)


def positive(n: int, seed: int = 0) -> np.ndarray:
    """A symmetric positive definite matrix."""
    factor = uniform(n, n, low=-1, seed=seed)
    return factor @ factor.T + n * np.eye(n)
