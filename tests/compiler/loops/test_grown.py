"""Values larger than all that they are made of (pairwise distances, outer products) are computed where they are reduced, not kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64

EXAMPLES = Path(__file__).parents[3] / "examples/stx"
if str(EXAMPLES) not in sys.path:
    sys.path.insert(0, str(EXAMPLES))

from references import CASES  # noqa: E402


def pull(x, mass):
    d = x[None, :, :] - x[:, None, :]
    r2 = (d * d).sum(axis=-1) + 0.01
    return ((mass[None, :] / (r2 * np.sqrt(r2)))[:, :, None] * d).sum(axis=1)


def nearest(x, mass):
    """The least distance to a body, and the greatest weighted one."""
    r = np.sqrt(((x[:, None] - x[None, :]) ** 2).sum(axis=2))
    return (r + np.eye(x.shape[0], dtype=x.dtype)).min(axis=1), (r * mass).max(axis=1)


def smoothed(x, mass):
    q = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)) / 0.5
    return (mass * np.where(q < 1, 1 - q * q, np.where(q < 2, 2 - q, 0))).sum(axis=1)


def inside(x, mass):
    """How many others lie in a box around each: a short `all`."""
    return (np.abs(x[:, None] - x[None, :]) < 0.5).all(axis=2).sum(axis=1) * (mass > 0)


def moments(x, mass):
    """A column of three for each row: the cost of the shared factor is in one of them only."""
    k = np.exp(-np.abs(x[:, 0][:, None] - x[:, 1][None, :]))
    return (k[:, :, None] * (x[None, :, :] + mass[:, None, None])).sum(axis=1)


PROGRAMS = [pull, nearest, smoothed, inside, moments]
BYTES = {pull: 1.0, nearest: 1.5, smoothed: 1.0, inside: 1.0, moments: 1.0}


def bodies(n: int, dtype: str = "f8", seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 3)).astype(dtype), random.random(n).astype(dtype)


def parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def same(got: Any, want: Any, tolerance: float) -> None:
    for one, other in zip(parts(got), parts(want), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", PROGRAMS, ids=[one.__name__ for one in PROGRAMS])
@pytest.mark.parametrize("n", [1, 2, 7, 64, 301])
def test_values_for_odd_sizes(program: Any, n: int) -> None:
    kernel = stax.kernel(program)
    x, mass = bodies(n)
    same(kernel(x, mass), program(x, mass), 1e-11)
    assert kernel.stats().route == "native"


@pytest.mark.parametrize("dtype, tolerance", [("f4", 1e-4), ("f2", 2e-2), ("i4", 0), ("i8", 0)])
@pytest.mark.parametrize("program", [pull, smoothed, moments], ids=["pull", "smoothed", "moments"])
def test_values_of_dtypes(program: Any, dtype: str, tolerance: float) -> None:
    random = np.random.default_rng(1)
    whole = random.integers(-9, 9, (33, 3)).astype(dtype), random.integers(1, 5, 33).astype(dtype)
    x, mass = bodies(33, dtype) if dtype[0] == "f" else whole
    kernel = stax.kernel(program)
    same(kernel(x, mass), program(x, mass), max(tolerance, 1e-11))
    assert kernel.stats().route == "native"


def test_values_of_an_empty_set() -> None:
    for program in (pull, smoothed, inside, moments):
        same(stax.kernel(program)(*bodies(0)), program(*bodies(0)), 0)


@pytest.mark.parametrize("program", PROGRAMS, ids=[one.__name__ for one in PROGRAMS])
def test_values_of_views_and_special_numbers(program: Any) -> None:
    x, mass = bodies(80)
    views = [(x[::2], mass[1::2]), (x[::-1], mass[::-1]), (np.asfortranarray(x), mass), (x[:, ::-1], mass)]
    kernel = stax.kernel(program)
    for one in views:
        same(kernel(*one), program(*one), 1e-11)
    x[3, 1], x[9, 0], mass[5] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        same(kernel(x, mass), program(x, mass), 1e-11)


@pytest.mark.parametrize("program", PROGRAMS, ids=[one.__name__ for one in PROGRAMS])
def test_nothing_is_kept(program: Any) -> None:
    """One kernel, and no more bytes than those of arguments and results."""
    x, mass = bodies(300)
    report = stax.kernel(program).explain(x, mass)
    assert len(report.kernels) == 1 and report.bytes_moved <= BYTES[program] * report.bytes_lower_bound


@pytest.mark.parametrize("program", PROGRAMS, ids=[one.__name__ for one in PROGRAMS])
def test_schedules_mean_the_same(program: Any) -> None:
    """The schedule by its oracle, and as the Python that it prints."""
    lowered = stax.kernel(program).lower(stax.spec((11, 3), "f8"), stax.spec((11,), "f8"))
    planned = schedule(lower(lowered.graph), x86_64())
    arrays = [np.ascontiguousarray(one) for one in bodies(11)]
    want = parts(program(*bodies(11)))
    for run in (execute, oracle.run):
        for one, other in zip(run(planned, arrays, [], {}), want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_results_do_not_depend_on_threads() -> None:
    kernel = stax.kernel(pull)
    x, mass = bodies(900)
    first = kernel(x, mass)
    before = stax.get_num_threads()
    try:
        for threads in (1, 2, 3):
            stax.set_num_threads(threads)
            assert np.array_equal(kernel(x, mass), first)
    finally:
        stax.set_num_threads(before)


LEAST = [("nbody", "accelerations", 1, 1.0), ("nbody", "energy", 1, 1.1), ("nbody", "step", 4, 3.0), ("sph", "density", 1, 1.0),
         ("sph", "forces", 4, 3.1)]  # fmt: skip


@pytest.mark.parametrize("program, name, kernels, factor", LEAST)
def test_programs_in_index_notation(program: str, name: str, kernels: int, factor: float) -> None:
    """Kernels, and bytes beside the least: counts that do not vary."""
    kernel = getattr(stax.load(EXAMPLES / f"{program}.stx"), name)
    inputs, _ = CASES[program][name]
    report = kernel.explain(*inputs)
    assert len(report.kernels) <= kernels and report.bytes_moved <= factor * report.bytes_lower_bound


def test_what_is_dear_or_small_is_kept() -> None:
    """A costly value that is read over more points than it has is not computed again at each of them."""

    def many(x, y):
        table = np.exp(x[:, None]) * np.tanh(y[None, :]) ** 0.3
        return (table[:, :, None] - x[None, None, :]).max(axis=1)

    x, y = np.random.default_rng(0).random((2, 150))
    kernel = stax.kernel(many)
    same(kernel(x, y), many(x, y), 1e-11)
    flops = sum(one.flops for one in kernel.explain(x, y).kernels)
    assert flops < 150**3 * 8


@pytest.mark.parametrize("dtype, tolerance", [("f4", 1e-3), ("f8", 1e-10)])
@pytest.mark.parametrize("rows, columns, terms", [(200, 300, 3), (300, 200, 1), (150, 170, 4), (1, 900, 2), (0, 40, 3)])
def test_products_of_few_terms_are_values(rows: int, columns: int, terms: int, dtype: str, tolerance: float) -> None:
    """A product of matrices with few terms is computed where its elements are reduced; a library call would write all of them."""

    def near(a, b):
        return ((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * (a @ b.T)).min(axis=1)

    random = np.random.default_rng(2)
    a, b = random.standard_normal((rows, terms)).astype(dtype), random.standard_normal((columns, terms)).astype(dtype)
    kernel = stax.kernel(near)
    same(kernel(a, b), near(a, b), tolerance)
    same(kernel(a[::-1], b[:, ::-1]), near(a[::-1], b[:, ::-1]), tolerance)
    report = kernel.explain(a, b)
    assert terms == 1 or rows < 2 or all(one.name != "gemm" for one in report.kernels)
    assert rows < 2 or report.bytes_moved <= 2.5 * report.bytes_lower_bound


def test_products_of_many_terms_are_calls() -> None:
    a, b = np.random.default_rng(2).standard_normal((2, 200, 16))
    kernel = stax.kernel(lambda a, b: (a @ b.T).max(axis=1))
    same(kernel(a, b), (a @ b.T).max(axis=1), 1e-10)
    assert any(one.name == "gemm" for one in kernel.explain(a, b).kernels)


def test_long_programs_of_grown_values() -> None:
    """Hundreds of values, each larger than what the first is made of, and each read twice: as many kernels as ever, no recursion."""

    def long(x, y):
        a, b = x[:, None] - y[None, :], x[:, None] + y[None, :]
        for k in range(400):
            a, b = np.minimum(a + k, b), b - a * 0.5
        return (a + b).sum(axis=1)

    x, y = np.random.default_rng(3).random((2, 6))
    kernel = stax.kernel(long)
    np.testing.assert_allclose(kernel(x, y), long(x, y), rtol=1e-9)
    assert len(kernel.explain(x, y).kernels) < 20
