"""Linear algebra in kernels against NumPy's: values, dtypes, batches, strides, empty arrays, what fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree

DTYPES = ("f4", "f8", "c8", "c16")
SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 0, 3, 3), (0, 0), (40, 40)]


def matrices(seed: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng((seed, *shape))
    values = generator.standard_normal(shape)
    if dtype.startswith("c"):
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(dtype)


def positive(seed: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    m = matrices(seed, shape, dtype)
    return m @ np.conj(np.swapaxes(m, -1, -2)) + np.eye(shape[-1], dtype=dtype) * shape[-1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky(shape: tuple[int, ...], dtype: str) -> None:
    a = positive(1, shape, dtype)
    texts = ("f(a)", "f(a, upper=True)", "f(a.swapaxes(-1, -2))", "f(a[::-1])" if len(shape) > 2 else "f(a + 0)", "f(a) @ np.ones(a.shape)")
    agree("cholesky", np.linalg.cholesky, texts, {"a": a}, factor=50, terms=shape[-1] + 1)


def test_what_is_no_matrix_is_refused() -> None:
    agree("cholesky", np.linalg.cholesky, ("f(a)",), {"a": np.ones((2, 3))})
    agree("cholesky", np.linalg.cholesky, ("f(a)",), {"a": np.ones(3)})
    agree("cholesky", np.linalg.cholesky, ("f(a)",), {"a": np.eye(3, dtype=np.float16)})
    agree("cholesky", np.linalg.cholesky, ("f(a)",), {"a": np.eye(3, dtype=np.int8) * 4})


def test_a_matrix_that_is_not_positive_definite() -> None:
    @stax.kernel
    def factor(a):
        return np.linalg.cholesky(a)

    with pytest.raises(np.linalg.LinAlgError, match="Matrix is not positive definite") as caught:
        factor(-np.eye(3))
    assert isinstance(caught.value, stax.StaxError) and "return np.linalg.cholesky(a)" in str(caught.value)
