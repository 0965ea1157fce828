"""What NumPy refuses is refused, at the line and for the reason; results of rarer dtypes are of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]
SHORT: Array = np.random.default_rng(0).integers(0, 256, (5, 9)).astype(np.uint8)


def parts(x: Array) -> Any:
    return np.modf(x)


@pytest.mark.parametrize("x", [SHORT, SHORT > 99, SHORT.astype(np.int32), SHORT.astype(np.uint64), SHORT.astype(np.float16), SHORT / -7])
def test_both_parts_of_modf_are_floats(x: Array) -> None:
    for found, expected in zip(stax.kernel(parts)(x), parts(x), strict=True):
        assert found.dtype == expected.dtype and np.array_equal(found, expected)


def of_complex_digitize(x: Array) -> Array:
    call: Any = np.digitize
    return call(x * (1 + 1j), [1.0, 2.0])


def of_complex_interp(x: Array) -> Array:
    call: Any = np.interp
    return call(x * (1 + 1j), [1.0, 2.0], [3.0, 4.0])


def power_of_a_row(x: Array) -> Any:
    return np.linalg.matrix_power(x[:2], 3)


def power_of_a_vector(x: Array) -> Any:
    return np.linalg.matrix_power(x[0], 0)


def bins_of_infinity(x: Array) -> Any:
    return np.histogram(x / 0.0, bins=7)


def bins_of_both_infinities(x: Array) -> Any:
    return np.histogram((x - x.mean()) / 0.0, bins=7)


@pytest.mark.parametrize(
    "function, text",
    [
        (of_complex_digitize, "may not be complex"),
        (of_complex_interp, "real numbers"),
        (power_of_a_row, "matrix_power` takes square matrices"),
        (power_of_a_vector, "matrix_power` takes arrays of at least two axes"),
        (bins_of_infinity, "not finite"),
        (bins_of_both_infinities, "not finite"),
    ],
)
def test_what_numpy_refuses(function: Callable[..., Any], text: str) -> None:
    x = np.arange(1.0, 13.0).reshape(3, 4)
    with pytest.raises((TypeError, ValueError)) as refused, np.errstate(all="ignore"):
        function(x)
    with pytest.raises(refused.type, match=text):
        stax.kernel(function)(x)


@pytest.mark.parametrize("dtype, least", [(np.uint8, 256), (np.uint8, 300), (np.bool_, 2)])
def test_counts_whose_length_minlength_says(dtype: Any, least: int) -> None:
    def counts(x: Array) -> Any:
        return np.bincount(x.ravel(), minlength=least), np.bincount(x.ravel(), x.ravel() / 2, least)

    x: Array = np.array(SHORT, dtype)
    for found, expected in zip(stax.kernel(counts)(x), counts(x), strict=True):
        assert found.dtype == expected.dtype and np.array_equal(found, expected)
