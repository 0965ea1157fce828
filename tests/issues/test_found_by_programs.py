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
