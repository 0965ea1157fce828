"""`np.polynomial`'s series in kernels against NumPy: values, matrices, derivatives and integrals of power series."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree_in_numpy, draw

VALUES = ("polynomial.polyval", "chebyshev.chebval", "legendre.legval", "laguerre.lagval", "hermite.hermval", "hermite_e.hermeval")
MATRICES = (
    "polynomial.polyvander", "chebyshev.chebvander", "legendre.legvander", "laguerre.lagvander", "hermite.hermvander",
    "hermite_e.hermevander",
)  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16"])
def test_values(name: str, dtype: str) -> None:
    arrays = {"x": draw(dtype, 2, 3, scale=1.0), "c": draw(dtype, 5, seed=1), "t": draw(dtype, 4, 3, seed=2), "d": draw("f8", 3, seed=3)}
    texts = [
        f"np.polynomial.{name}({one})"
        for one in ("x, c", "x, c[:1]", "x, c[:2]", "x, d", "x, t", "x[0], t, tensor=False", "0.5, c", "2, t", "x[:0], c")
    ]
    agree_in_numpy(texts, 64.0, 8, **arrays)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_matrices(name: str, dtype: str) -> None:
    agree_in_numpy(
        [f"np.polynomial.{name}(x, {deg})" for deg in (0, 1, 2, 5, -1)] + [f"np.polynomial.{name}(2.5, 3)"],
        32.0,
        6,
        x=draw(dtype, 2, 3, scale=1.0),
    )


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_derivatives_and_integrals(dtype: str) -> None:
    p = "np.polynomial.polynomial."
    texts = [f"{p}polyder({one})" for one in ("c", "c, 2", "c, 0", "c, 5", "c, 9", "t, axis=1", "c, scl=3", "c, -1")]
    texts += [
        f"{p}polyint({one})"
        for one in (
            "c",
            "c, 3",
            "c, 0",
            "c, 2, [1, 2]",
            "c, 2, 5",
            "c, lbnd=2",
            "t, axis=1",
            "c, 2, scl=-2, lbnd=1",
            "c, 1, [1, 2]",
            "c, -1",
        )
    ]
    agree_in_numpy(texts, 32.0, 6, c=draw(dtype, 5), t=draw(dtype, 3, 4, seed=1))


def test_a_spectral_derivative() -> None:
    """The coefficients of exp in Chebyshev polynomials, from its values, give exp again."""
    k = np.arange(20)
    x = np.cos(np.pi * (k + 0.5) / 20)

    @stax.kernel
    def again(values, x, at):
        c = np.polynomial.chebyshev.chebvander(x, 19).T @ values * (2 / 20)
        c[0] = c[0] / 2
        return np.polynomial.chebyshev.chebval(at, c)

    at = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(again(np.exp(x), x, at), np.exp(at), rtol=1e-14)
    assert again.stats().route == "native" and again.stats().fallbacks == 0
