"""Comprehensions over ranges in Python kernels: the same values as under NumPy, without unrolling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.runtime.agreement import check

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=40)
M = RANDOM.normal(size=(20, 25))


def product(a: Any, b: Any) -> Any:
    rows, inner = a.shape
    columns = b.shape[1]
    return np.array([[sum(a[i, k] * b[k, j] for k in range(inner)) for j in range(columns)] for i in range(rows)])


def test_a_product_is_one_library_call() -> None:
    made = stax.kernel(product)
    a, b = RANDOM.normal(size=(20, 30)), RANDOM.normal(size=(30, 25))
    check(made, a, b)
    assert "contract(" in made.show("optimized", a, b) and len(made.explain(a, b).kernels) == 1
    for rows in (21, 40):
        a = RANDOM.normal(size=(rows, 30))
        np.testing.assert_allclose(made(a, b), a @ b)
    assert made.stats().versions == 2  # the second for any number of rows


def shifted(x: Any) -> Any:
    return np.array([x[i - 1] if i > 0 else 0.0 for i in range(len(x))])


def wrapped(x: Any) -> Any:
    return np.array([x[i - 1] for i in range(len(x))])


def differences(x: Any) -> Any:
    return np.array([x[i + 1] - x[i] for i in range(len(x) - 1)], dtype=np.float32)


def every_second(x: Any) -> Any:
    return np.asarray([x[2 * i] for i in range(len(x) // 2)])


def steps(x: Any) -> Any:
    return np.asarray([x[i] for i in range(1, len(x), 3)])


def backwards(x: Any) -> Any:
    return np.asarray([x[i] for i in range(len(x) - 1, -1, -1)])


def pairs(x: Any) -> Any:
    return sum(x[i] * x[j] for i in range(len(x)) for j in range(i))


def filtered(x: Any) -> Any:
    return sum(x[i] for i in range(len(x)) if x[i] > 0)


def twice_filtered(x: Any) -> Any:
    return sum(x[i] for i in range(len(x)) if x[i] > 0 if i % 2 == 0)


def counted(x: Any) -> Any:
    return sum(1 for i in range(len(x)) if x[i] > 0)


def squares(x: Any) -> Any:
    return sum(i * i for i in range(len(x)))


def greatest(x: Any) -> Any:
    return max(x[i] for i in range(len(x)))


def some(x: Any) -> Any:
    return any(x[i] > 2 for i in range(len(x)))


def every(x: Any) -> Any:
    return all(x[i] > -10 for i in range(len(x)))


def few(x: Any) -> Any:
    return np.array([x[i] for i in range(3)])


def parts(x: Any) -> Any:
    return np.array([x[: i + 1].sum() for i in range(len(x))])


def tuples(x: Any) -> Any:
    return np.array([(x[i], i)[0] for i in range(len(x))])


def positions(x: Any) -> Any:
    return np.array([i for i in range(len(x))])  # noqa: C416


def of_arrays(x: Any) -> Any:
    return np.array([i * x for i in range(30)])


def a_list(x: Any) -> Any:
    return [x[i] * 2 for i in range(len(x))]


@pytest.mark.parametrize("function", [
    shifted, wrapped, differences, every_second, steps, backwards, pairs, filtered, twice_filtered, counted, squares, greatest, some,
    every, few, parts, tuples, positions, of_arrays, a_list,
], ids=lambda function: function.__name__)  # fmt: skip
def test_as_under_numpy(function: Any) -> None:
    check(stax.kernel(function), X)


@pytest.mark.parametrize("dtype", ["i1", "u2", "?", "f2", "f4"])
def test_sums_are_pythons(dtype: str) -> None:
    """The dtype of the elements, as `0 + x[0] + x[1] + ..` has it; of bool an integer."""
    x = (RANDOM.normal(size=30) > 0).astype(dtype)
    made = stax.kernel(lambda x: sum(x[i] for i in range(len(x))))
    got, wanted = made(x), sum(x[i] for i in range(len(x)))
    assert got == wanted and got.dtype == wanted.dtype


def test_elements_that_are_arrays() -> None:
    check(stax.kernel(lambda x: np.array([x[i] for i in range(len(x))])), M)
    check(stax.kernel(lambda x: np.array([[x[i] * j for j in range(4)] for i in range(len(x))])), M)


def test_long_ones_are_not_unrolled() -> None:
    x = RANDOM.normal(size=100_000)
    made = stax.kernel(lambda x: np.array([x[i] * 2 if x[i] > 0 else -x[i] for i in range(len(x))]))
    np.testing.assert_array_equal(made(x), np.where(x > 0, x * 2, -x))
    assert len(made.explain(x).kernels) == 1


def test_what_has_no_such_form_tells_why() -> None:
    made = stax.kernel(lambda x: np.array([x[i - 1] for i in range(len(x))]))
    with pytest.raises(IndexError, match="is not proved to lie in"):
        made(np.ones(100_000))
