"""Values that NumPy refuses - integers to negative powers, writes to scalars and to shared elements, odd arguments - natively too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax

ROOT = Path(__file__).resolve().parents[2]
X = np.arange(1, 4)


def code_of(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(stax.StaxError) as caught:
        stax.kernel(**options)(function)(*arguments)
    return caught.value.code


# ---- integers to negative powers ----


def raised_in_place(x):
    x **= -2
    return x


@pytest.mark.parametrize(
    "function",
    [lambda x: x**-1, lambda x: np.power(x, -2), lambda x: x ** np.int64(-1), lambda x: (x > 1) ** -1, lambda x: 2 ** (-x),
     raised_in_place],
)
@pytest.mark.parametrize("engine", [None, "reference"])
def test_a_negative_power_of_integers(function: Any, engine: str | None) -> None:
    with pytest.raises(ValueError, match="negative"):
        function(X.copy())
    with pytest.raises(ValueError, match="negative power"):
        stax.kernel(engine=engine)(function)(X.copy())


def test_an_exponent_given_at_the_call() -> None:
    kernel = stax.kernel(lambda x, k: x**k)
    for k in (0, 1, 2, 5):
        assert np.array_equal(kernel(X, k), X**k)
    assert kernel.stats().compilations == 1
    with pytest.raises(stax.StaxError, match="negative power k"):
        kernel(X, -1)
    assert np.array_equal(kernel(X, 3), X**3)
    assert np.array_equal(kernel(X * 1.0, -1), (X * 1.0) ** -1)


def test_exponents_from_data_are_tested_when_the_program_runs() -> None:
    kernel = stax.kernel(lambda x, k: x**k)
    for dtype in (np.int8, np.int32, np.int64, np.uint8):
        base, exponents = X.astype(dtype), np.array([0, 2, 1], dtype)
        got, want = kernel(base, exponents), base**exponents
        assert np.array_equal(got, want) and got.dtype == want.dtype
    with pytest.raises(stax.StaxError) as caught:
        kernel(X, np.array([2, 0, -1]))
    assert caught.value.code == "negative-power" and isinstance(caught.value, ValueError)
    assert kernel.stats().route == "native"
    assert np.array_equal(kernel(X, np.array([2, 0, 1])), [1, 1, 3])


def test_floats_take_any_power() -> None:
    for function in (lambda x: x**-1.0, lambda x: (x * 1.0) ** -2, lambda x: np.float_power(x, -1), lambda x: x.shape[0] ** -1 * x):
        np.testing.assert_allclose(stax.kernel(function)(X), function(X), rtol=1e-15)


def test_on_the_side_of_a_branch_that_is_not_taken() -> None:
    def f(x, k):
        if k.sum() >= 0:
            return x**k
        return x

    kernel = stax.kernel(branches="inside")(f)
    assert np.array_equal(kernel(X, np.array([1, 2, 0])), [1, 4, 1])
    assert np.array_equal(kernel(X, np.array([1, -2, 0])), X)
    with pytest.raises(stax.StaxError, match="negative power"):
        kernel(X, np.array([5, -1, 0]))


PROCESS = """
import numpy as np, staxlang as stax
@stax.kernel
def f(x, k):
    return x ** k
x = np.arange(1, 4)
print(f(x, np.array([1, 2, 0])), f.stats().disk_hits)
try:
    f(x, np.array([1, -2, 0]))
except stax.StaxError as problem:
    print(problem.code)
"""


def test_programs_from_disk_say_it_too(fresh_cache: Path, tmp_path: Path) -> None:
    script = tmp_path / "powers.py"
    script.write_text(PROCESS)
    runs = [
        subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout.split("\n")
        for _ in range(2)
    ]
    assert [run[:2] for run in runs] == [["[1 4 1] 0", "negative-power"], ["[1 4 1] 1", "negative-power"]]


# ---- writes ----


def test_scalars_cannot_be_written_to() -> None:
    def whole(x):
        y = x[0]
        y[...] = 1
        return y

    def empty(x):
        y = x.sum()
        y[()] = 3
        return x

    def masked(x):
        y = x[0]
        y[y > 0] = 3
        return x

    for function in (whole, empty, masked):
        with pytest.raises((TypeError, IndexError)):
            function(X.copy())
        assert code_of(function, X.copy()) == "immutable-scalar"


def test_scalars_change_by_rebinding_and_arrays_of_no_axes_in_place() -> None:
    def rebound(x):
        y = x[0]
        y += 5
        return y, x

    def in_place(x):
        y = x[0, ...]
        y[...] = 5
        return x

    def subscript(x):
        x[0] += 5
        return x

    for function in (rebound, in_place, subscript):
        got, want = stax.kernel(function)(X.copy()), function(X.copy())
        for one, other in zip(got, want, strict=True):
            assert np.array_equal(one, other)


def fill(x):
    x[...] = 1
    return x


def test_elements_that_share_memory_are_not_written() -> None:
    """A broadcast array is read-only in NumPy; one that was made writable by strides has no defined result."""
    with pytest.raises(ValueError, match="read-only"):
        fill(np.broadcast_to(np.ones(3), (2, 3)))
    assert code_of(fill, np.broadcast_to(np.ones(3), (2, 3))) == "read-only"
    stride = np.lib.stride_tricks.as_strided
    memory = np.zeros(5)
    assert code_of(fill, stride(memory, (2, 3), (0, 8))) == "overlapping-write"
    assert code_of(fill, stride(memory, (3, 3), (8, 8))) == "overlapping-write"
    assert np.array_equal(memory, np.zeros(5))
    kernel = stax.kernel(fill)
    kernel(np.zeros((2, 3)))
    with pytest.raises(stax.StaxError):
        kernel(stride(memory, (2, 3), (0, 8)))
    assert np.array_equal(kernel(stride(memory, (2, 2), (16, 8))), np.ones((2, 2)))  # strided, but each element has its place


# ---- arguments ----


def test_the_number_that_a_reduction_starts_with() -> None:
    for function in (
        lambda x: x.sum(initial="a"), lambda x: x.max(initial="a"), lambda x: x.sum(initial=[1, 2]), lambda x: np.prod(x, initial=x),
        lambda x: x.min(initial={}),
    ):  # fmt: skip
        assert code_of(function, X) == "bad-argument"
    for function in (lambda x: x.sum(initial=None), lambda x: x.max(initial=None), lambda x: x.sum(initial=2), lambda x: x.max(initial=9)):
        assert stax.kernel(function)(X) == function(X)
    with pytest.raises(ValueError):
        np.zeros(0).sum(initial=None)
    assert code_of(lambda x: x.sum(initial=None), np.zeros(0)) == "empty-reduction"


def test_functions_without_a_source() -> None:
    space: dict[str, Any] = {}
    exec("def g(x):\n    return x + 1", space)
    g = space["g"]
    with pytest.raises(TypeError, match="the source of `g` cannot be found"):
        stax.kernel(g)(X)
    assert code_of(lambda x: g(x), X) == "source-unavailable"
