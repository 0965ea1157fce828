"""The corpus, unmodified under the decorator in strict mode: results and arguments are NumPy's, natively, with few versions."""

import warnings

import numpy as np
import pytest

import staxlang as stax
from tests.programs.corpus import PROGRAMS
from tests.programs.table import Program

RUNNING = [row for row in PROGRAMS if not row.needs]


def same(where, got, expected, rtol):
    """Equal in type, dtype, shape and value; floats up to `rtol` of the largest magnitude beside them."""
    assert type(got) is type(expected), where
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected), where
        for place, (one, other) in enumerate(zip(got, expected)):
            same(f"{where}[{place}]", one, other, rtol)
    elif isinstance(expected, dict):
        same(f"{where}.keys()", list(got), list(expected), rtol)
        same(f"{where}.values()", list(got.values()), list(expected.values()), rtol)
    elif isinstance(expected, (np.ndarray, np.generic, float, complex)):
        got, expected = np.asarray(got), np.asarray(expected)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), where
        if expected.dtype.kind in "fc" and rtol:
            finite = np.abs(expected[np.isfinite(expected)])
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * finite.max(initial=0.0), err_msg=where)
        else:
            np.testing.assert_array_equal(got, expected, err_msg=where)
    else:
        assert got == expected, where


def owners(result, arguments):
    """For each array of a result, the arguments whose memory it lies in."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [owners(part, arguments) for part in result]
    if not isinstance(result, np.ndarray):
        return []
    return [place for place, one in enumerate(arguments) if isinstance(one, np.ndarray) and np.shares_memory(one, result)]


def agree(kernel, row: Program, n: int):
    mine, theirs = row.inputs(n), row.inputs(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = row.function(*theirs, **row.keywords)
    got = kernel(*mine, **row.keywords)
    same("result", got, expected, row.rtol)
    same("arguments", mine, theirs, row.rtol)
    assert owners(got, mine) == owners(expected, theirs)


@pytest.mark.parametrize("row", RUNNING, ids=lambda row: row.name)
def test_program(row):
    kernel = stax.kernel(strict=True)(row.function)
    for n in (row.small, row.small, row.small + row.step, row.small):
        agree(kernel, row, n)
    stats = kernel.stats()
    assert (stats.route, stats.fallbacks) == ("native", 0)
    assert stats.versions <= row.versions, kernel.explain_misses()
    if row.copies is not None:
        assert len(kernel.explain(*row.inputs(row.small), **row.keywords).copies) <= row.copies


def test_the_corpus():
    names = [row.name for row in PROGRAMS]
    assert len(set(names)) == len(names) and len(RUNNING) >= 150
    for row in PROGRAMS:  # what waits for the language is a program all the same
        if row.needs:
            row.function(*row.inputs(row.small), **row.keywords)
