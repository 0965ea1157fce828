"""Threads, forks, interrupts, exhausted memory, a Python without the native entry: right results, no hang, no crash."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import staxlang as stax
from staxlang.runtime import compilation, dispatch, entries, ground, threads
from staxlang.runtime.kernel import Kernel
from staxlang.runtime.loader import LoadError
from tests.runtime.agreement import check

X = np.linspace(-2, 3, 48).reshape(6, 8)
BIG = np.random.default_rng(0).normal(size=(1200, 1200)).astype(np.float32)


def in_threads(count, work):
    problems = []

    def guarded(number):
        try:
            work(number)
        except BaseException as problem:
            problems.append(problem)

    running = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
    assert not problems and not any(thread.is_alive() for thread in running), problems


def test_threads_compile_one_version_once():
    @stax.kernel
    def f(x):
        return np.exp(x).sum(0)

    expected = np.exp(X).sum(0)
    barrier = threading.Barrier(6)

    def work(number):
        barrier.wait()
        for _ in range(50):
            np.testing.assert_allclose(f(X), expected)

    in_threads(6, work)
    assert f.stats().compilations == 1 and f.stats().calls == 300


def test_threads_with_different_arguments():
    @stax.kernel
    def f(x, k):
        if x.sum() > 0:
            return x * k
        return x - k

    def work(number):
        x = np.full((number + 1, 4), 1.0 if number % 2 else -1.0)
        for k in range(60):
            np.testing.assert_allclose(f(x, k), x * k if number % 2 else x - k)

    in_threads(6, work)
    assert f.stats().calls == 360


def test_large_work_from_several_threads_at_once():
    @stax.kernel
    def f(x):
        return np.exp(x * 2) + 1, x.sum(0)

    expected = f(BIG)

    def work(number):
        for _ in range(8):
            got = f(BIG)
            np.testing.assert_array_equal(got[0], expected[0])
            np.testing.assert_array_equal(got[1], expected[1])

    in_threads(4, work)


def test_results_do_not_depend_on_the_number_of_threads():
    @stax.kernel
    def f(x):
        return x.sum(), x.sum(0), x.sum(1), np.exp(x) / np.exp(x).sum(-1, keepdims=True)

    before = stax.get_num_threads()
    try:
        results = []
        for count in (1, 2, 3, 1):
            stax.set_num_threads(count)
            assert stax.get_num_threads() == count
            results.append([np.asarray(part).tobytes() for part in f(BIG)])
        assert all(result == results[0] for result in results)
    finally:
        stax.set_num_threads(before)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="positive integer"):
            stax.set_num_threads(wrong)


def test_fork():
    @stax.kernel
    def f(x):
        return np.exp(x) + 1

    expected = f(BIG)
    assert threads.SERIAL or threads.workers() >= 0
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if np.array_equal(f(BIG), expected):
                g = stax.kernel(lambda x: x * 3 + 2)
                code = 0 if np.allclose(g(BIG), BIG * 3 + 2) else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child of a fork hangs")
    assert status == 0
    np.testing.assert_array_equal(f(BIG), expected)


def test_interrupt_while_compiling(monkeypatch):
    @stax.kernel
    def f(x):
        return x + 1

    plain = compilation.compile_version

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(compilation, "compile_version", interrupted)
    with pytest.raises(KeyboardInterrupt):
        f(X)
    assert f.stats().versions == 0 and f.stats().compilations == 0
    monkeypatch.setattr(compilation, "compile_version", plain)
    check(f, X)
    assert f.stats().compilations == 1


def test_a_defect_of_the_compiler_is_reported_as_one(monkeypatch):
    @stax.kernel
    def f(x):
        return x - 1

    plain = compilation.compile_version

    def broken(*args):
        raise ZeroDivisionError("somewhere inside")

    monkeypatch.setattr(compilation, "compile_version", broken)
    with pytest.raises(stax.StaxError, match="somewhere inside") as caught:
        f(X)
    assert caught.value.code == "compilation-failed" and isinstance(caught.value.__cause__, ZeroDivisionError)
    monkeypatch.setattr(compilation, "compile_version", plain)
    check(f, X)


def test_exhausted_memory():
    @stax.kernel
    def f(x):
        return x[:, np.newaxis] + x[np.newaxis, :]

    check(f, np.arange(10.0))
    check(f, np.arange(11.0))
    huge = np.broadcast_to(np.float64(1), (1 << 26,))
    for _ in range(2):
        with pytest.raises(MemoryError):
            f(huge)
    check(f, np.arange(12.0))


def test_python_entry_where_the_native_one_cannot_be(monkeypatch):
    monkeypatch.setattr(ground, "_reason", "another layout")
    monkeypatch.setattr(ground, "_grounds", {})

    @stax.kernel
    def f(x, w, k=2):
        y = x * w + k
        if y.sum() > 0:
            return y, x, x.T, y[1:], [y.sum(), k], x.shape[0]
        return y

    check(f, X, X, calls=3, native=False)
    check(f, -X, X + 5, 3, native=False)
    check(f, X[:, ::2], X[:, ::2], native=False)
    version = f._dispatcher.versions[0]
    assert all(entry is None for entry in version.entries.values())
    assert f.stats().calls == 7


def test_reference_engine():
    @stax.kernel(engine="reference")
    def f(x, n):
        if x.sum() > 0:
            return x[::2] * n, x.T, x.reshape(-1)[:n]
        return x + np.arange(n)

    check(f, X + 2, 3, route="reference")
    check(f, X[:4] + 2, 5, route="reference")
    check(f, X - 5, 8, route="reference")


def test_exit_with_sleeping_workers(tmp_path):
    (tmp_path / "program.py").write_text(
        "import numpy as np, staxlang as stax\n"
        "f = stax.kernel(lambda x: np.exp(x) + 1)\n"
        "x = np.ones((2000, 2000)); f(x); f(x)\n"
        "from staxlang.runtime import threads; print('done', threads.workers())\n"
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stdout.startswith("done"), done.stderr


def test_more_compilations_than_the_process_may_have(monkeypatch):
    monkeypatch.setattr(dispatch, "_compilations", itertools.count(1))
    settings = stax.kernel(lambda x: x).settings.with_options(max_compilations=1, cache_enabled=False)
    first, second = Kernel(lambda x: x + 11, settings), Kernel(lambda x: x + 12, settings)
    check(first, X)
    with pytest.warns(stax.StaxWarning, match=r"compiled 1 versions.*explain_misses"):
        check(second, X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        check(second, X[:1])
    strict = Kernel(lambda x: x + 13, settings.with_options(strict=True))
    for _ in range(2):
        with pytest.raises(stax.StaxError, match="has compiled 1 programs, its limit") as caught:
            strict(X)
        assert caught.value.code == "max-compilations" and isinstance(caught.value, RuntimeError)
    assert strict.stats().compilations == 0
    check(first, X)


def test_an_entry_that_cannot_be_loaded_costs_the_way_through_python_and_nothing_else(monkeypatch):
    def broken(*_):
        raise LoadError("no such relocation")

    monkeypatch.setattr(entries.EntryMaker, "make", broken)
    kernel = stax.kernel(lambda x, k: (x * k, x[1:]))
    with pytest.warns(stax.StaxWarning, match=r"native-entry-off\].*no such relocation"):
        kernel(X, 2.0)
    check(kernel, X, 3.0, native=False)
    assert kernel.stats().route == "native" and kernel.stats().compilations == 1
