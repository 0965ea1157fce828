"""A version whose conditions divide by a size is another program's where the size is 0: no error out of the search for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]


def rolled(x: Array) -> Any:
    return np.roll(x, 3)


def rolled_along(x: Array) -> Any:
    return np.roll(x, 2, axis=1)


def rolled_grid(x: Array) -> Any:
    return np.roll(x, (1, 5), axis=(0, 1))


@pytest.mark.parametrize("function", [rolled, rolled_along, rolled_grid])
def test_a_size_of_zero_after_others(function: Callable[..., Any]) -> None:
    kernel = stax.kernel(function)
    for shape in ((4, 5), (3, 1), (2, 7), (0, 3), (3, 0), (0, 0), (2, 7), (0, 9)):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        result = kernel(x)
        assert result.shape == shape and np.array_equal(result, function(x))
    assert kernel.stats().fallbacks == 0 and kernel.stats().route == "native"


def rows_like(x: Array, y: Array) -> Any:
    return x.reshape(-1, len(y)) + y


def test_rows_of_no_elements_are_refused_after_others() -> None:
    kernel = stax.kernel(rows_like)
    for n, m in ((4, 2), (9, 3), (0, 3), (4, 0), (10, 5)):
        x, y = np.arange(float(n)), np.ones(m)
        if m:
            assert np.array_equal(kernel(x, y), rows_like(x, y))
            continue
        with pytest.raises(ValueError, match="cannot reshape"):
            rows_like(x, y)
        with pytest.raises(ValueError, match="reshape-mismatch"):
            kernel(x, y)
