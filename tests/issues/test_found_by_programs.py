"""What programs of the corpus and drawn programs have found."""

import numpy as np
import pytest

import staxlang as stax


@pytest.mark.parametrize("options", [{}, {"sizes": "symbolic"}], ids=["constant", "symbolic"])
@pytest.mark.parametrize("length", [57, 20_000, 140_001])
def test_counts_beside_long_sums(length, options):
    """A floating sum is made in blocks; a count beside it adds its blocks up, it does not count them."""

    def f(x):
        return np.count_nonzero(x > 0), x.sum(), x.max(), (x > 2).any()

    x = np.random.default_rng(0).random(length) - 0.5
    got, expected = stax.kernel(**options)(f)(x), f(x)
    assert got[0] == expected[0] and got[2:] == expected[2:]
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-12, atol=1e-9)


def test_a_row_that_rounding_down_leaves_is_repeated():
    """`n // 2 == 1` is known, though it cannot be solved for n: the one row goes into both of `(n + 1) // 2`."""

    def f(z):
        z[::2] = z[1::2]
        z[::2] += z[1::2] * 2 - z[::2]
        return np.where(z[1::2] > 0, z[::2], 1)

    kernel = stax.kernel(sizes="symbolic")(f)
    for rows in (3, 2, 3):
        mine, plain = (np.arange(4.0 * rows).reshape(rows, 4) for _ in range(2))
        np.testing.assert_array_equal(kernel(mine), f(plain))
        np.testing.assert_array_equal(mine, plain)


def test_masks_beside_other_indices():
    """Written, changed in place and put back; what is chosen stands where the mask does."""

    def f(x, m, rows):
        x[:, m] = 0
        x[..., m] += 1
        x[1:, m] = x[1:, m] * np.arange(3.0)[:, None] + x[0, m]
        x[m, 0] -= 3
        x[rows, 1:] = x[rows, 1:][:, ::-1]
        x[0, m] = [5.0, 6.0]
        x[:, m, None] *= 2

    mask, rows = np.array([True, False, True, False]), np.array([False, True, True])
    kernel = stax.kernel(strict=True)(f)
    for other in (mask, ~mask):
        mine, plain = (np.arange(16.0).reshape(4, 4)[:3].copy() for _ in range(2))
        mine, plain = np.vstack([mine, mine[:1]]), np.vstack([plain, plain[:1]])
        kernel(mine, other, np.append(rows, False))
        f(plain, other, np.append(rows, False))
        np.testing.assert_array_equal(mine, plain)
    assert kernel.stats().route == "native"
