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


def test_an_argument_that_gets_its_own_elements_back_is_written():
    """Beside another one in the same memory they would not be its own any more: such calls are refused, not answered wrongly."""

    @stax.kernel
    def exchange(x, z):
        z[...], x[...] = x, z
        return x

    x = np.arange(4.0)
    assert exchange(x, x.copy()) is x and x.tolist() == [0, 1, 2, 3]
    with pytest.raises(stax.StaxError, match="written-together"):
        exchange(x, x[::-1])


def test_a_result_of_one_row_goes_into_all_of_out():
    """Where an extent is a symbol that is 1 at the call, too."""

    def f(x, y):
        np.multiply(y, 2, out=x)
        np.add(y[:1], x, out=x[::-1])

    kernel = stax.kernel(sizes="symbolic")(f)
    for rows in (1, 3):
        mine, plain = np.zeros((3, 2)), np.zeros((3, 2))
        kernel(mine, np.arange(2.0 * rows).reshape(rows, 2)), f(plain, np.arange(2.0 * rows).reshape(rows, 2))
        np.testing.assert_array_equal(mine, plain)


def test_scalars_stay_scalars():
    @stax.kernel
    def f(x):
        s = x[0]
        return np.reshape(s, ()), s.reshape(()), np.flip(s), np.flip(x[1:2].reshape(())), np.squeeze(s), s.T

    x = np.arange(3.0)
    assert [type(one) for one in f(x)] == [type(one) for one in f.__wrapped__(x)]


def test_what_a_loop_carries_is_no_place_for_its_temporaries():
    """`a @ p` is made before `r` is read: it must not lie in the memory in which `r` waits for the round."""

    def f(a, b):
        r = b.copy()
        p = r.copy()
        for _ in range(40):
            ap = a @ p
            r -= 1 / (p @ ap) * ap
            p = r + 0.5 * p
        return r, p

    random = np.random.default_rng(0)
    a = random.random((10, 10)) + 10 * np.eye(10)
    for got, expected in zip(stax.kernel(sizes="symbolic")(f)(a, a[0]), f(a, a[0]), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_sides_of_a_branch_that_are_of_one_type_are_not_one_value():
    """Two symbols, and tuples of different lengths: neither side is taken for the other."""

    def longer_axis(x):
        if x.sum() > 0:
            n = x.shape[0]
        else:
            n = x.shape[1]
        return n * x[0, 0], n

    kernel = stax.kernel(branches="inside", sizes="symbolic")(longer_axis)
    for x in (np.ones((2, 3)), -np.ones((2, 3)), -np.ones((4, 3))):
        assert kernel(x) == longer_axis(x)

    @stax.kernel
    def early(x, y):
        for _ in range(100):
            x[0] += 1
            if y.sum() > 0:
                return x, 1
        return x, 2, y

    with pytest.raises(stax.StaxError, match="branch-mismatch"):
        early(np.ones(2), np.arange(3.0) - 9)


@pytest.mark.parametrize("engine", [None, "reference"])
def test_a_number_that_is_a_size_in_a_loop_alone(engine):
    def f(y, n, k):
        for _ in range(40):
            y[-n:] += 1
            if k > 1:
                y[n - 1] *= 0.5
        return y

    for n in (2, 1):
        np.testing.assert_array_equal(stax.kernel(engine=engine)(f)(np.arange(3.0), n, 4), f(np.arange(3.0), n, 4))
