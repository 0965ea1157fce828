"""Rows, columns and blocks that change places in the argument's memory: only they are kept meanwhile, never the whole array."""

import numpy as np
import pytest

import staxlang as stax


def rows(a, i, j):
    kept = a[i].copy()
    a[i] = a[j]
    a[j] = kept


def columns(a, i, j):
    a[:, 0], a[:, -1] = a[:, -1].copy(), a[:, 0].copy()


def rows_by_numbers(a, i, j):
    a[[i, j]] = a[[j, i]]


def rows_and_columns(a, i, j):
    a[[i, j]] = a[[j, i]]
    a[:, 0], a[:, -1] = a[:, -1].copy(), a[:, 0].copy()
    first, last = a[0], a[-1]
    return last, first


def corner(a, i, j):
    kept = a[:2, :2].copy()
    a[:2, :2] = a[-2:, -2:]
    a[-2:, -2:] = kept.T


def three(a, i, j):
    a[0], a[1], a[2] = a[1].copy(), a[2].copy(), a[0].copy()
    return a[0] - a[1]


@pytest.mark.parametrize("function", [rows, columns, rows_by_numbers, rows_and_columns, corner, three], ids=lambda f: f.__name__)
def test_exchange(function):
    kernel = stax.kernel(function)
    for n in (7, 7, 9, 12):
        ours = np.random.default_rng(n).normal(size=(n, n + 1))
        theirs = ours.copy()
        got, expected = kernel(ours, 1, n - 2), function(theirs, 1, n - 2)
        np.testing.assert_array_equal(ours, theirs)
        if expected is not None:
            np.testing.assert_array_equal(got, expected)
    assert kernel.explain(np.zeros((400, 400)), 1, 5).bytes_moved < 100_000  # of 1.28 MB


def test_a_part_that_is_read_elsewhere_is_made_first():
    def shifted(a):
        a[1:] = a[:-1] + a[:-1, ::-1]
        return a

    def twice(a):
        b = a * 2
        b[:, ::2] = b[:, 1::2]
        b[::2] += b[1::2]
        return b

    for function in (shifted, twice):
        a = np.random.default_rng(0).normal(size=(8, 6))
        np.testing.assert_array_equal(stax.kernel(function)(a.copy()), function(a.copy()))
    assert stax.kernel(twice).explain(a).bytes_moved <= 6 * a.nbytes
