"""argmax and argmin down columns: the best of a few rows is found before its place meets the results."""

import numpy as np
import pytest

import staxlang as stax


def best(x):
    return x.argmax(axis=0)


def worst(x):
    return x.argmin(axis=0)


def middle(x):
    return x.argmax(axis=1), x.argmin(axis=(1))


SHAPES = ((1, 8), (3, 8), (7, 8), (8, 8), (9, 5), (12, 3), (100, 3), (1003, 8), (40000, 8), (300, 300))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f4", "f8", "f2", "?"])
@pytest.mark.parametrize("program", [best, worst], ids=lambda one: one.__name__)
def test_values(program, dtype):
    """Ties, NaN in some places, signed zeros."""
    kernel, rng = stax.kernel(program), np.random.default_rng(0)
    for shape in SHAPES:
        x = rng.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        if dtype[0] == "f":
            x[rng.random(shape) < 0.02] = np.nan
            x[rng.random(shape) < 0.02] = -0.0
        for _ in range(2):
            np.testing.assert_array_equal(kernel(x), program(x), strict=True)
    assert kernel.stats().route == "native"


def test_an_axis_between_others():
    kernel, rng = stax.kernel(middle), np.random.default_rng(0)
    for shape in ((3, 40, 8), (2, 5000, 8), (4, 33, 7)):
        x = rng.integers(0, 9, shape).astype("u1")
        for got, expected in zip(kernel(x), middle(x), strict=True):
            np.testing.assert_array_equal(got, expected, strict=True)


@pytest.mark.parametrize(("dtype", "together"), [("i4", 8), ("u1", 8), ("f4", 4)])
def test_places_are_touched_once_in_several_rows(dtype, together):
    text = stax.kernel(best).show("schedule", np.ones((1003, 8), dtype))
    whole = 1003 // together
    assert f"in range({whole}):" in text and f"in range({whole * together}, 1003):" in text, text
