"""Values that are written to parts of one array: in one loop where the parts do not meet, in their order where they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

X = np.random.default_rng(0).standard_normal(5000)


def run(function: Any, *arrays: Any) -> Any:
    kernel = stax.kernel(function)
    want = function(*(array.copy() for array in arrays))
    got = kernel(*(array.copy() for array in arrays))
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)
    assert kernel.stats().route == "native"
    return kernel.explain(*arrays)


def test_parts_of_one_value_are_made_in_one_loop() -> None:
    def parts(x):
        e = np.exp(x) + np.sin(x)
        return np.concatenate([e * 2, e - 1, np.sqrt(np.abs(e))])

    report = run(parts, X)
    assert len(report.kernels) == 1 and report.bytes_moved == report.bytes_lower_bound


def test_parts_in_one_loop_for_any_size() -> None:
    def parts(x):
        e = np.exp(x) + np.sin(x)
        return np.concatenate([e * 2, e - 1])

    kernel = stax.kernel(parts)
    for extent in (7, 300, 5000, 0, 1):
        np.testing.assert_allclose(kernel(X[:extent]), parts(X[:extent]), rtol=1e-13, atol=1e-13)
    assert len(kernel.explain(X[:300]).kernels) == 1 and kernel.stats().versions == 2


def test_parts_that_meet_keep_their_order() -> None:
    def overlapping(x):
        e = np.exp(x) + np.sin(x)
        out = np.empty(x.shape[0] + 1)
        out[:-1] = e * 2
        out[1:] = e - 1
        out[3:9] = out[0:6] * 3
        return out

    assert len(run(overlapping, X).kernels) > 1


def test_a_part_that_is_read_again() -> None:
    def again(x):
        e = np.exp(x) + np.sin(x)
        out = np.concatenate([e * 2, e - 1])
        return out, out[::-1] + 1

    kernel = stax.kernel(again)
    for got, want in zip(kernel(X), again(X), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_along_an_axis(axis: int) -> None:
    def parts(x):
        e = np.exp(x) + np.sin(x)
        return np.concatenate([e, e * e + x, e - x], axis=axis)

    assert run(parts, X.reshape(50, 100)).kernels


def test_parts_of_an_argument() -> None:
    def written(x, y):
        e = np.exp(x) + np.sin(x)
        y[: x.shape[0]] = e
        y[x.shape[0] :] = e * 2
        return y

    assert run(written, X, np.zeros(10000)).kernels


# ---- another shape of a value ----


def test_a_result_of_another_shape_is_made_where_it_belongs() -> None:
    def shapes(x, w):
        product = x @ w
        return product.reshape(5, -1), product.T, np.concatenate([x, 2 * x]).ravel()

    kernel = stax.kernel(shapes)
    x, w = X[:1000].reshape(50, 20), X[:600].reshape(20, 30)
    for got, want in zip(kernel(x, w), shapes(x, w), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    report = kernel.explain(x, w)
    assert [one.name for one in report.kernels] == ["gemm", "k1"] and report.copies == ()

    lowered = kernel.lower(stax.spec(("N", 20), np.float64), stax.spec((20, 30), np.float64))
    for engine in ("cpu", "reference"):
        for got, want in zip(lowered.compile(engine)(x, w), shapes(x, w), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_a_result_of_another_shape_that_is_written_on() -> None:
    def changed(x, w):
        product = x @ w
        flat = product.reshape(-1)
        flat[3:7] = 0
        return flat.reshape(3, -1), product[:1]

    kernel = stax.kernel(changed)
    x, w = X[:600].reshape(30, 20), X[:600].reshape(20, 30)
    for got, want in zip(kernel(x, w), changed(x, w), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
