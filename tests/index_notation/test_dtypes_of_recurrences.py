"""A tensor that reads its own elements has the dtype that it begins with, where nothing wider comes in."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax

BODIES = {
    "0.5 * e[n - 1]": lambda x, e, n: 0.5 * e[n - 1],
    "max(x[n], 0.5 * e[n - 1])": lambda x, e, n: max(x[n], 0.5 * e[n - 1]),
    "x[n] + 0.5 * e[n - 1]": lambda x, e, n: x[n] + 0.5 * e[n - 1],
    "x[n] + e[n - 1]": lambda x, e, n: x[n] + e[n - 1],
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("body", BODIES)
def test_floats_stay_as_they_are(body: str, dtype: str) -> None:
    module = stax.load_text(f"kernel f(x: T[N]) -> T[N] where N > 1:\n    let e[0] = x[0]\n    let e[n in 1..N] = {body}\n    return e\n")
    x = np.random.default_rng(1).random(9).astype(dtype)
    expected = x.copy()
    for n in range(1, 9):
        expected[n] = BODIES[body](x, expected, n)
    got = module.f(x)
    assert got.dtype == x.dtype and module.f.stats().route == "native"
    np.testing.assert_allclose(got, expected, rtol=2e-3 if dtype == "f2" else 1e-6)


def test_what_is_wider_widens() -> None:
    module = stax.load_text("kernel f(x: T[N], w: f64[N]):\n    let e[0] = x[0]\n    let e[n in 1..N] = w[n] * e[n - 1]\n    return e\n")
    assert module.f(np.ones(4, "f4"), np.ones(4)).dtype == np.float64
    module = stax.load_text("kernel f(x: T[N]):\n    let e[0] = x[0]\n    let e[n in 1..N] = 0.5 * e[n - 1]\n    return e\n")
    assert module.f(np.full(4, 8)).tolist() == [8.0, 4.0, 2.0, 1.0]
