"""`checked=True`: what makes NaN or infinity of finite numbers is an error at its line; everything else is as without it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

GOOD, ZERO, BIG = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 3.0]), np.array([1.0, 1e200, 3.0])


def logarithm(x: Any) -> Any:
    y = x + 1
    z = np.log(x)  # here
    return (y * z).sum()


def quotient(x: Any) -> Any:
    y = x.sum()
    return y, 1 / x  # here


def unused(x: Any) -> Any:
    np.log(x)  # here
    return x


def product(x: Any) -> Any:
    w = x * x  # here
    return w - w


def total(x: Any) -> Any:
    return (x * 1e150).sum() * (x[1] * 1e155)  # here


def narrowed(x: Any) -> Any:
    return x.astype(np.float32) * 2  # here


def matrix(x: Any) -> Any:
    return x @ x  # here


def updated(x: Any) -> Any:
    x /= x[1]  # here
    return x


ROWS = (
    (logarithm, ZERO), (quotient, ZERO), (unused, ZERO), (product, BIG), (total, BIG), (narrowed, BIG), (matrix, BIG), (updated, ZERO),
)  # fmt: skip


@pytest.mark.parametrize(("function", "bad"), ROWS, ids=lambda one: getattr(one, "__name__", ""))
def test_the_line_is_named(function: Callable[..., Any], bad: Any) -> None:
    kernel = stax.kernel(checked=True)(function)
    for _ in range(2):
        with np.errstate(all="ignore"):
            expected = function(GOOD.copy())
        got = kernel(GOOD.copy())
        for one, other in zip(*((made if isinstance(made, tuple) else (made,)) for made in (got, expected)), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
        mine = bad.copy()
        with pytest.raises(FloatingPointError) as caught:
            kernel(mine)
        assert caught.value.code == "not-finite" and "# here" in str(caught.value), str(caught.value)
        assert np.array_equal(mine, bad)
        with np.errstate(all="ignore"):
            stax.kernel(function)(bad.copy())
    assert kernel.stats().route == "native"


def test_what_was_not_finite_before_is_no_error() -> None:
    @stax.kernel(checked=True)
    def f(x: Any) -> Any:
        return np.log(x) * 2 + x.sum(), np.isnan(x), np.where(x > 1, x, np.nan)

    x = np.array([1.0, np.nan, np.inf])
    with np.errstate(all="ignore"):
        for got, expected in zip(f(x), f.__wrapped__(x), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_under_errstate_and_in_the_library_nothing_is_tested() -> None:
    @stax.kernel(checked=True)
    def f(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            y = np.where(x > 0, np.log(x), 0)
        return y, stax.softmax(x)

    with np.errstate(all="ignore"):
        for got, expected in zip(f(ZERO), (np.where(ZERO > 0, np.log(ZERO), 0), stax.softmax(ZERO)), strict=True):
            np.testing.assert_allclose(got, expected)


def test_a_side_that_is_not_taken_is_not_tested() -> None:
    @stax.kernel(checked=True, branches="inside")
    def f(x: Any) -> Any:
        if x.min() > 0:
            x = np.log(x)
        return x

    assert np.array_equal(f(ZERO), ZERO)
    with pytest.raises(FloatingPointError):
        stax.kernel(checked=True, branches="inside")(lambda x: np.log(x) if x.max() > 0 else x)(ZERO)


def test_in_the_reference_engine() -> None:
    with pytest.raises(FloatingPointError):
        stax.kernel(checked=True, engine="reference")(logarithm)(ZERO)


def test_from_disk(tmp_path: Any) -> None:
    text = "import numpy as np, staxlang as stax\n@stax.kernel(checked=True)\ndef f(x):\n    return np.log(x)\n"
    (tmp_path / "program.py").write_text(text + "f(np.ones(3))\ntry:\n    f(np.zeros(3))\nexcept FloatingPointError as e:\n    print(e)\n")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    variables = {**os.environ, "PYTHONPATH": root, "STAX_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=120)
        assert "not-finite" in done.stdout and "np.log(x)" in done.stdout, done.stderr
