"""What is proved of all rounds from the call's own sizes: guards on them, not on the rounds."""

import numpy as np

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
