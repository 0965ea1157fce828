"""Wrong calls, wrong options, what cannot be compiled: the diagnostic of each, the built-in kind it is, and that nothing has changed."""

import logging
import random
import traceback
import warnings

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f64
from staxlang.runtime.kernel import Kernel
from tests.runtime.agreement import check

X = np.linspace(-2, 3, 48).reshape(6, 8)
N, D, K = stax.dims("N D K")


@stax.kernel
def add(x, y, *, k=1):
    return x + y * k


def expect_error(code, kind, call, *args, **kwargs):
    with pytest.raises(kind) as caught:
        call(*args, **kwargs)
    error = caught.value
    assert isinstance(error, stax.StaxError) and error.code == code, (error.code, str(error))
    for diagnostic in error.diagnostics:
        assert len(diagnostic.render().splitlines()) <= 12
    return str(error)


@pytest.mark.parametrize(
    ("args", "kwargs", "code"),
    [
        ((X,), {}, "missing-argument"),
        ((X, X, X), {}, "too-many-arguments"),
        ((X, X), {"z": 1}, "unknown-keyword"),
        ((X, X), {"x": X}, "duplicate-argument"),
    ],
)
def test_arity(args, kwargs, code):
    before = add.stats().versions
    message = expect_error(code, TypeError, add, *args, **kwargs)
    assert add.stats().versions == before
    assert "add(x, y, *, k=1)   is defined at" in message and f":{add.__wrapped__.__code__.co_firstlineno}" in message


def test_a_wrong_call_shows_the_line_of_the_call():
    def wrong():
        return add(X, z=3)

    lines = expect_error("unknown-keyword", TypeError, wrong).splitlines()
    line = wrong.__code__.co_firstlineno + 1
    assert lines[1].endswith(f"test_misuse.py:{line}:16")
    assert lines[3] == f"{line} |         return add(X, z=3)" and lines[4].rpartition("| ")[2] == " " * 15 + "^" * 11
    for call in (
        lambda: stax.kernel(fastmath=True), lambda: stax.kernel(fast_math=1), lambda: stax.kernel(3), lambda: add.show("ir", X, X),
        lambda: add(np.array(["a"]), X), lambda: add(np.ma.masked_array(X), X), lambda: add.lower(stax.spec(("N",), "f9"), X),
    ):  # fmt: skip
        with pytest.raises(stax.StaxError) as caught:
            call()
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.span is not None and diagnostic.span.source.name == __file__, str(caught.value)
        assert diagnostic.span.line in (call.__code__.co_firstlineno, call.__code__.co_firstlineno + 1)
        assert "^" in str(caught.value)
        own = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__) if "staxlang" in frame.filename]
        assert len(own) <= 3, own
    with pytest.raises(stax.StaxError, match=r"did you mean `fast_math`\?"):
        stax.kernel(fastmath=True)


def test_a_wrong_call_of_an_operation_outside_of_kernels_shows_the_users_line():
    with pytest.raises(stax.StaxError) as caught:
        stax.softmax(X, axis=5)
    assert caught.value.code == "axis-out-of-range" and "        stax.softmax(X, axis=5)" in str(caught.value)
    assert "test_misuse.py" in str(caught.value) and "<stax.softmax>" not in str(caught.value)


def test_a_size_that_does_not_fit_says_what_symbols_are_in_this_call():
    @stax.kernel
    def f(x: Tensor[f64, N, D], y):
        return x + y

    message = expect_error("broadcast-mismatch", ValueError, f, X, np.ones(7))
    assert f"D is the last axis of parameter x (line {f.__wrapped__.__code__.co_firstlineno + 1}), 8 in this call" in message
    assert "`x` has 1 axis;" in expect_error("annotated-rank", ValueError, f, X[0], X)
    assert "`x` is f64[8] here" in expect_error("annotated-rank", ValueError, f, X[0], X)
    with pytest.raises(stax.StaxError) as caught:  # nothing has a value there
        f.lower(Tensor[f64, N, D], stax.spec(("M",), "f64"))
    assert "in this call" not in str(caught.value)


def test_mismatching_sizes_name_their_origins():
    message = expect_error("broadcast-mismatch", ValueError, add, X, np.ones(7))
    assert "^" in message and "test_misuse.py" in message
    check(add, X, X)
    expect_error("broadcast-mismatch", ValueError, add, X, np.ones((5, 8)))
    check(add, X, X)


def test_kinds_of_arguments():
    expect_error("unsupported-array", TypeError, add, np.array(["a"]), X)
    expect_error("unsupported-array", TypeError, add, np.array([object()]), X)
    expect_error("unsupported-subclass", TypeError, add, np.ma.masked_array(X), X)

    class Foreign:
        def __dlpack__(self):
            raise AssertionError("nobody asked for it")

    class Tabular:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError("nobody asked for it")

    assert "does not read" in expect_error("unsupported-argument", TypeError, add, X, Foreign())
    assert "np.asarray(y)" in expect_error("unsupported-argument", TypeError, add, X, Tabular())


def test_annotations():
    @stax.kernel
    def project(x: Tensor[f64, N, D], w: Tensor[f64, D, 2 * K], bias: Tensor[f64, ..., K + 1], k: int = 1) -> Tensor[f64, N, 2 * K]:
        return x @ w * k

    for n in (2, 3, 4):
        check(project, np.ones((n, 3)), np.ones((3, 2 * n)), np.ones((5, n + 1)))
    assert project.stats().compilations == 1  # symbols from the first call on
    good = np.ones((2, 3)), np.ones((3, 4)), np.ones(3)
    check(project, *good)
    before = project.stats()
    expect_error("annotated-size", ValueError, project, np.ones((2, 3)), np.ones((2, 4)), np.ones(3))
    assert "2*K" in expect_error("annotated-size", ValueError, project, np.ones((2, 3)), np.ones((3, 5)), np.ones(3))
    expect_error("annotated-size", ValueError, project, np.ones((2, 3)), np.ones((3, 4)), np.ones(4))
    expect_error("annotated-rank", ValueError, project, np.ones(3), np.ones((3, 4)), np.ones(3))
    expect_error("annotated-dtype", TypeError, project, np.ones((2, 3), np.float32), np.ones((3, 4)), np.ones(3))
    expect_error("annotated-kind", TypeError, project, *good, k=2.5)
    assert project.stats().versions == before.versions


def test_declared_result():
    @stax.kernel
    def turn(x: Tensor[f64, N, D]) -> Tensor[f64, D, N]:
        return x

    assert turn(np.ones((3, 3))).shape == (3, 3)  # at these sizes it is what it says
    expect_error("result-mismatch", TypeError, turn, np.ones((2, 3)))


def test_failing_twice_gives_the_same_error_twice():
    @stax.kernel
    def f(x):
        return x.reshape(5, 7)

    first = expect_error("reshape-mismatch", ValueError, f, X)
    assert expect_error("reshape-mismatch", ValueError, f, X) == first
    assert f.stats().versions == 0 and f.stats().compilations == 0
    check(f, np.arange(35.0))


def test_reshape_is_inferred_anew():
    @stax.kernel
    def f(x):
        return x.reshape(-1, 2)

    for n in (4, 8, 6, 2):
        check(f, np.arange(float(n)))
    expect_error("reshape-mismatch", ValueError, f, np.arange(5.0))
    check(f, np.arange(10.0))


def test_a_failed_call_changes_nothing():
    @stax.kernel
    def f(x, y):
        x += 1
        return x + y

    x = X.copy()
    expect_error("broadcast-mismatch", ValueError, f, x, np.ones(5))
    np.testing.assert_array_equal(x, X)


def test_index_out_of_range_at_run_time():
    @stax.kernel
    def f(x, k):
        return np.take(x, k)

    x = np.arange(5.0)
    check(f, x, np.array([0, 4, -5, 2]))
    for bad in ([5, 0], [0, -6]):
        for _ in range(2):
            message = expect_error("index-out-of-range-at-run", IndexError, f, x, np.array(bad))
        assert "np.take(x, k)" in message
    check(f, x, np.array([1, 1, 1, 1]))


@pytest.mark.parametrize(
    ("options", "code", "kind"),
    [
        ({"fastmath": True}, "unknown-option", TypeError),
        ({"fast_math": 1}, "bad-option", ValueError),
        ({"fallback": "jax"}, "bad-option", ValueError),
        ({"max_versions": 0}, "bad-option", ValueError),
        ({"engine": "tpu"}, "bad-option", ValueError),
        ({"strict": True, "fallback": "numpy"}, "option-conflict", ValueError),
    ],
)
def test_options_are_checked_at_decoration(options, code, kind):
    expect_error(code, kind, lambda: stax.kernel(**options)(lambda x: x))


def test_what_is_no_function():
    expect_error("not-a-function", TypeError, stax.kernel, 3)
    expect_error("not-a-function", TypeError, stax.kernel, len)
    expect_error("unsupported-function", TypeError, stax.kernel, type("C", (), {}))

    async def coroutine(x):
        return x

    def generator(x):
        yield x

    expect_error("unsupported-function", TypeError, stax.kernel, coroutine)
    expect_error("unsupported-function", TypeError, stax.kernel, generator)


def test_strict_by_default_and_fallback_on_request():
    def noisy(x):
        return x * random.random()

    expect_error("unknown-call", TypeError, stax.kernel(noisy), X)
    kernel = stax.kernel(fallback="numpy")(noisy)
    with pytest.warns(stax.StaxWarning, match="random.random") as caught:
        assert kernel(X).shape == X.shape
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(X)
    stats = kernel.stats()
    assert (stats.route, stats.fallbacks, stats.compilations) == ("numpy", 2, 0)


def test_caps():
    def total(x, axis):
        return x.sum(axis=axis)

    x = np.ones((2, 3, 4))
    strict = stax.kernel(max_versions=2, strict=True)(total)
    check(strict, x, 0)
    check(strict, x, 1)
    assert "`axis` keeps changing" in expect_error("max-versions", RuntimeError, strict, x, 2)
    check(strict, x, 0)

    loose = stax.kernel(max_versions=2)(total)
    check(loose, x, 0)
    check(loose, x, 1)
    check(loose, x, 0)  # 1 is now the one used least recently
    with pytest.warns(stax.StaxWarning, match="`axis` keeps changing"):
        check(loose, x, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = loose.stats().compilations
        check(loose, x, 0)
        assert loose.stats().compilations == before
        check(loose, x, 1)
        check(loose, x, 2)
    assert loose.stats().versions == 2 and loose.stats().calls == 14


def test_reset():
    @stax.kernel
    def f(x):
        return x + 1

    check(f, X)
    f.reset()
    assert f.stats().versions == 0 and f.explain_misses() == []
    check(f, X)


def test_stages_can_be_shown():
    @stax.kernel
    def f(x, w):
        return (np.maximum(x + w, 0) * 2).sum(-1)

    marks = {
        "tree": "def f", "graph": "maximum", "optimized": "reduce", "loops": "sum[", "schedule": "def program",
        "llvm": "define i32", "asm": "ret",
    }  # fmt: skip
    for stage, mark in marks.items():
        assert mark in f.show(stage, X, X[0])
    assert "stages are tree, graph" in expect_error("unknown-stage", ValueError, f.show, "ir", X, X[0])
    assert f.stats().compilations == 1


def test_log_of_recompilations(caplog):
    def f(x, axis):
        return x.sum(axis=axis)

    kernel = Kernel(f, stax.kernel(f).settings.with_options(log=frozenset(("recompiles",))))
    with caplog.at_level(logging.INFO, logger="staxlang"):
        kernel(X, 0)
        kernel(X, 1)
    assert "axis == 0 (line" in caplog.text and "expected 0, got 1" in caplog.text


def test_log_of_what_a_compilation_did(caplog):
    topics = frozenset(("passes", "fusion", "cache", "compilation"))
    settings = stax.kernel(lambda x: x).settings.with_options(log=topics, cache_enabled=False)

    def logged(x):
        y = x * 1.0
        return np.exp(y).sum(0), (y / y.sum()).astype(np.float32)

    kernel = Kernel(logged, settings)
    with caplog.at_level(logging.INFO, logger="staxlang"):
        check(kernel, X)
    line = logged.__code__.co_firstlineno + 2
    texts = [record.getMessage() for record in caplog.records]
    fired = f"test_misuse.py:{line}: round 1: normalize: times-one on multiply"
    assert any(text.startswith("[passes] ") and fired in text for text in texts)
    assert any(text.startswith("[fusion] ") and f":{line}: {len(kernel.explain(X).kernels)} kernel" in text for text in texts)
    assert any(text.startswith("[compilation] logged: version 1 took ") for text in texts)
    assert not any(text.startswith("[recompiles]") for text in texts)


def test_report_prints_and_draws():
    report = add.explain(X, X)
    text = str(report)
    assert "1 kernel" in text and "x: f64[6, 8], row-major" in text
    assert report.to_html() == report._repr_html_() and "<table>" in report.to_html()
    assert report.to_dict()["kernels"][0]["vector_width"] >= 1
    line = add.__wrapped__.__code__.co_firstlineno + 2
    assert report.kernels[0].source_lines == (line,)
