"""Numbers that configure shapes - strides, paddings - are fixed in a version: `fixed` of .stx."""

from __future__ import annotations

import numpy as np

import staxlang as stax
from tests.stdlib.test_convolutions import correlated, rng


def test_numbers_that_configure_are_fixed() -> None:
    """Outside of kernels too: each stride and padding has a version of its own, in which nothing about them is left to prove or test."""
    kernel = stax.kernel(lambda x, w, stride, padding: stax.conv2d(x, w, stride=stride, padding=padding))
    x, w = rng.standard_normal((2, 3, 9, 8)), rng.standard_normal((4, 3, 3, 2))
    for stride, padding in ((1, 0), (2, 1), (3, 2), (1, 1)):
        right = correlated(x, w, (stride,) * 2, (padding,) * 2, (1, 1), 1)
        np.testing.assert_allclose(kernel(x, w, stride, padding), right, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(stax.conv2d(x, w, stride=stride, padding=padding), right, rtol=1e-12, atol=1e-12)
    assert kernel.stats().versions == 4
    guards = [str(one) for one in kernel.explain(x, w, 2, 1).guards]
    assert any(one.startswith("stride == 2") for one in guards) and any(one.startswith("padding == 1") for one in guards)
    assert not any("//" in one for one in guards)


def test_fixed_in_stx() -> None:
    text = "    a, b = fixed((n, pair[0]))\n    return x[fixed(a):] * fixed(b) + fixed(x.shape[0]) + fixed(2.5)"
    module = stax.load_text(f"kernel f(x, n: int, pair):\n{text}")
    x = np.arange(6.0)
    for n in (0, 2, 5):
        np.testing.assert_array_equal(module.f(x, n, (3, 4)), x[n:] * 3 + 6 + 2.5)
    assert module.f.stats().versions == 3
