"""Ranges without an integer, and probabilities that are not one for each choice, are refused as NumPy refuses them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax


@pytest.mark.parametrize("low, high", [(5, 5), (9, 5), (0, 0), (np.array([0, 3]), np.array([4, 3]))])
def test_no_integer_in_the_range(low: Any, high: Any) -> None:
    with pytest.raises(ValueError):
        np.random.default_rng(0).integers(low, high)
    with pytest.raises(ValueError, match="there are none from low up to high"):
        stax.random.integers(stax.random.key(0), low, high)


def test_the_last_one_with_endpoint() -> None:
    key = stax.random.key(0)
    assert stax.random.integers(key, 5, 5, 4, endpoint=True).tolist() == [5] * 4
    with pytest.raises(ValueError, match="there are none from low up to high"):
        stax.random.integers(key, 6, 5, 4, endpoint=True)


@pytest.mark.parametrize("a, p", [(3, [0.5, 0.5]), (2, [0.2, 0.3, 0.5]), (0, None)])
def test_choices_without_what_they_need(a: int, p: Any) -> None:
    with pytest.raises(ValueError):
        np.random.default_rng(0).choice(a, 3, p=p)
    with pytest.raises(ValueError):
        stax.random.choice(stax.random.key(0), a, 3, p=p)
