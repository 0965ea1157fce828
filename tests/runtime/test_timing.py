"""`explain` gives each kernel's estimated and measured seconds: of a run beside the program's own, which changes nothing of the call's."""

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.target import Target
from staxlang.runtime import timing


def rows(x, y):
    y[...] = y + x.sum(axis=0)
    return np.sort(x, axis=1), x @ x.T


def rounds(x):
    for _ in range(200):
        x = np.sin(x) + 1
    return x


def picked(x, i):
    return x[i] * 2


def test_each_kernel_has_its_time():
    kernel = stax.kernel(rows)
    x, y = np.random.default_rng(0).random((40, 50)), np.ones(50)
    before = x.copy(), y.copy()
    report = kernel.explain(x, y)
    assert np.array_equal(x, before[0]) and np.array_equal(y, before[1])
    assert len(report.kernels) > 2 and all(one.estimated > 0 and one.measured is not None and one.measured >= 0 for one in report.kernels)
    assert str(report).count(" estimated") == str(report).count(" measured") == len(report.kernels)
    assert report.to_dict()["kernels"][0]["measured"] == report.kernels[0].measured
    assert kernel.stats().calls == 0 and "<th>measured</th>" in report.to_html()


def test_loops_that_stay_and_symbolic_sizes():
    kernel = stax.kernel(rounds)
    for n in (10, 1000, 3):
        assert all(one.measured is not None for one in kernel.explain(np.ones(n)).kernels)


def test_where_it_cannot_be_run():
    """A run-time check that fails, an array that its copy does not lie like: nothing is raised, nothing measured."""
    kernel, x = stax.kernel(picked), np.ones(10)
    assert [one.measured for one in kernel.explain(x, np.array([70])).kernels] == [None] * len(kernel.explain(x, np.array([70])).kernels)
    assert all(one.measured is not None for one in kernel.explain(x, np.array([3])).kernels)
    spread = np.ones((40, 100))[:, ::2]
    assert all(one.measured is None and one.estimated > 0 for one in stax.kernel(rows).explain(spread, np.ones(50)).kernels)
    assert stax.kernel(picked, engine="reference").explain(x, np.array([3])).kernels[0].measured is None


@pytest.mark.parametrize("bytes_, work, lanes, parallel", [(1 << 30, 1, 8, False), (8, 1 << 30, 8, False), (8, 1 << 30, 8, True)])
def test_estimates_grow_with_bytes_and_work(bytes_, work, lanes, parallel):
    target = Target(cores=2)
    one = timing.estimated(bytes_, work, lanes, parallel, target)
    assert timing.estimated(2 * bytes_, 2 * work, lanes, parallel, target) == pytest.approx(2 * one)
    assert timing.estimated(bytes_, work, lanes, False, target) >= one
