"""What is proved of all rounds from the call's own sizes: guards on them, not on the rounds."""

import numpy as np
import pytest

import staxlang as stax


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def lower_times(a, b):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i, :i] @ b[:i]
    return out


def test_two_sizes_that_changed_together():
    """Nothing says that both extents are equal, but that the shapes of each round fit needs only their order."""
    kernel = stax.kernel(lu)
    for n in (6, 30, 41, 17):
        a = np.random.default_rng(n).normal(size=(n, n)) + n * np.eye(n)
        ours, theirs = a.copy(), a.copy()
        kernel(ours)
        lu(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    assert kernel.stats().compilations == 2
    assert str(kernel.show("graph", a)).count("= loop(") == 3  # not one for each row


def test_another_order_of_the_sizes_is_another_version():
    kernel = stax.kernel(lower_times)
    draw = np.random.default_rng(0)
    for n, columns, length in ((5, 5, 5), (9, 9, 9), (9, 20, 12), (9, 8, 8), (12, 20, 11), (30, 31, 32)):
        a, b = draw.normal(size=(n, columns)), draw.normal(size=length)
        np.testing.assert_allclose(kernel(a, b), lower_times(a, b), rtol=1e-12)


def thomas(lower, diagonal, upper, right):
    n = diagonal.size
    c, d = np.zeros(n), np.zeros(n)
    c[0], d[0] = upper[0] / diagonal[0], right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i] * d[i - 1]) / pivot
    for i in reversed(range(n - 1)):
        d[i] -= c[i] * d[i + 1]
    return d


def trmm(a, b):
    for i in range(b.shape[0]):
        b[i, :] += a[i + 1 :, i] @ b[i + 1 :, :]
    return b


def backwards(x):
    out = np.zeros(len(x))
    s = 0.0
    for k, row in enumerate(reversed(x)):
        s = 0.5 * s + row.max() * k
        out[k] = s
    return out


def test_places_of_arrays_of_one_length():
    """Four arrays: that the places of a round are inside follows from the order of their lengths; none is tested when it runs."""
    kernel = stax.kernel(thomas)
    draw = np.random.default_rng(1)
    for n in (12, 90, 35):
        given = draw.normal(size=n), 5 + draw.normal(size=n), draw.normal(size=n), draw.normal(size=n)
        np.testing.assert_allclose(kernel(*given), thomas(*given), rtol=1e-12)
    assert kernel.stats().compilations == 2
    assert "assert_index" not in str(kernel.show("graph", *given))
    with pytest.raises(IndexError):
        kernel(given[0][:-2], *given[1:])


def test_sizes_in_which_the_rounds_cancel():
    kernel = stax.kernel(trmm)
    draw = np.random.default_rng(2)
    for n in (8, 120, 75):
        a, b = draw.normal(size=(n, n)), draw.normal(size=(n, n + 2))
        np.testing.assert_allclose(kernel(a, b.copy()), trmm(a, b.copy()), rtol=1e-9)
    assert kernel.stats().compilations == 2
    assert str(kernel.show("graph", a, b)).count("= loop(") == 1


def test_reversed_stays():
    kernel = stax.kernel(backwards)
    for n in (3, 50, 200):
        x = np.random.default_rng(n).normal(size=(n, 4))
        np.testing.assert_allclose(kernel(x), backwards(x), rtol=1e-12)
    assert kernel.stats().compilations == 2


def test_stencils_in_turns_write_each_part_once():
    """Of two sweeps, each over the other's result, nothing is kept besides the two arrays: 4 walks over memory in a round."""

    def turns(a, b, n):
        for _ in range(n):
            b[1:-1] = (a[:-2] + 2 * a[1:-1] + a[2:]) / 4
            a[1:-1] = (b[:-2] + 2 * b[1:-1] + b[2:]) / 4

    kernel = stax.kernel(turns)
    ours = [np.random.default_rng(k).normal(size=3000) for k in range(2)]
    theirs = [one.copy() for one in ours]
    kernel(*ours, 30)
    turns(*theirs, 30)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    report = kernel.explain(*ours, 30)
    assert not report.copies and report.bytes_moved <= 30 * 4 * ours[0].nbytes


def test_why_a_loop_is_unrolled():
    """A version for each number of rounds says what keeps the loop from staying."""

    @stax.kernel
    def multiples(p, n):
        for i in range(2, n):
            if p[i]:
                p[i * i :: i] = False
        return p

    for n in (5, 6):
        multiples(np.ones(40, bool), n)
    assert "the loop over range(2, n) is unrolled, as in any round: the step of a slice" in multiples.explain_misses()[1]
