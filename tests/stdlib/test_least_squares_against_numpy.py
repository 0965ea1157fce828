"""Least squares, pseudo-inverses, ranks, norms and conditions in kernels against NumPy's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree, same
from tests.stdlib.matrices import DTYPES, Array, agree_closely, agree_exactly, matrices

OVERDETERMINED = [
    ((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 5), (3,)), ((3, 3), (3, 2)), ((0, 3), (0, 2)), ((3, 0), (3, 2)), ((5, 3), (5, 0)),
    ((0, 0), (0,)), ((40, 4), (40, 3)), ((1, 1), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("f4", "f4"), ("c16", "f4"), ("f4", "c8"), ("i8", "f8"), ("?", "i4")])
@pytest.mark.parametrize("shapes", OVERDETERMINED)
def test_least_squares(shapes: tuple[Any, Any], dtypes: tuple[str, str]) -> None:
    def fitted(a: Array, b: Array) -> Any:
        return np.linalg.lstsq(a, b), np.linalg.lstsq(a, b, rcond=0.3), np.linalg.lstsq(a[::-1], b[::-1], rcond=-1)

    agree_exactly(fitted, matrices(20, shapes[0], dtypes[0]), matrices(21, shapes[1], dtypes[1]))


def test_least_squares_with_dependent_columns() -> None:
    """The residuals' size depends on the rank: one kernel, asked for both in turn, gives NumPy's each time."""

    @stax.kernel
    def fitted(a: Any, b: Any, limit: Any) -> Any:
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=limit)
        return x, residuals.sum(), residuals, rank, s

    full, b = matrices(22, (6, 3), "f8"), matrices(23, (6, 2), "f8")
    dependent = full.copy()
    dependent[:, 2] = dependent[:, 1]
    for a, limit in ((full, 1e-10), (dependent, 1e-10), (full, 1e-12), (dependent, 1e-12), (full, 0.9)):
        same(fitted(a, b, limit), fitted.__wrapped__(a, b, limit), factor=4.0)
    assert fitted.stats().route == "native"


@pytest.mark.parametrize("dtype", (*DTYPES, "i4"))
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 3), (3, 3), (2, 3, 2, 2), (1, 1), (0, 3), (2, 3, 0), (0, 3, 2)])
def test_pseudo_inverses_ranks_and_norms(shape: tuple[int, ...], dtype: str) -> None:
    def inverses(a: Array) -> Any:
        return np.linalg.pinv(a), np.linalg.pinv(a, rtol=0.3), np.linalg.pinv(a, 0.3), np.linalg.pinv(a.swapaxes(-1, -2))

    def ranks(a: Array) -> Any:
        kinds = np.linalg.matrix_rank(a, tol=0.5), np.linalg.matrix_rank(a, rtol=0.5), np.linalg.matrix_rank(a, np.float32(0.2))
        return np.linalg.matrix_rank(a), *kinds

    def norms(a: Array) -> Any:
        nuclear = np.linalg.norm(a, "nuc", axis=(-1, -2), keepdims=True), np.linalg.matrix_norm(a, ord="nuc")
        return np.linalg.norm(a, 2, axis=(-2, -1)), np.linalg.norm(a, 2, (0, -1), True), *nuclear, np.linalg.matrix_norm(a, ord=2)

    def conditions(a: Array) -> Any:
        return np.linalg.cond(a), np.linalg.cond(a, 2), np.linalg.cond(a, p=-2), np.linalg.norm(a, -2, (-1, -2))

    a = matrices(24, shape, dtype)
    agree_closely(inverses, a)
    agree_exactly(ranks, a)
    agree_closely(norms, a, factor=8.0)
    if a.size:
        agree_closely(conditions, a, factor=8.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_needs_square_matrices(dtype: str) -> None:
    def powers(a: Array) -> Any:
        return np.linalg.matrix_power(a, -1), np.linalg.matrix_power(a, -3), np.linalg.matrix_power(a, 0), np.linalg.matrix_power(a, 5)

    def conditions(a: Array) -> Any:
        norms = np.linalg.cond(a, 1), np.linalg.cond(a, -1), np.linalg.cond(a, np.inf), np.linalg.cond(a, -np.inf)
        return *norms, np.linalg.cond(a, "fro"), np.linalg.cond(a, "nuc")

    def hermitian(a: Array) -> Any:
        return np.linalg.pinv(a, hermitian=True), np.linalg.matrix_rank(a, hermitian=True), np.linalg.pinv(a, rtol=None)

    for shape in ((3, 3), (2, 4, 4)):
        a = matrices(25, shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
        agree_closely(powers, a)
        agree_closely(conditions, a, factor=8.0)
        agree_closely(hermitian, a + np.conj(np.swapaxes(a, -1, -2)))


def test_conditions_of_singular_matrices() -> None:
    """Infinity, but for NaN in the matrix, in each matrix of a batch by itself."""

    def conditions(a: Array) -> Any:
        return np.linalg.cond(a, 1), np.linalg.cond(a, "fro"), np.linalg.cond(a[1], np.inf), np.linalg.cond(a[2], 1)

    spoiled = np.eye(3)
    spoiled[0, 1] = np.nan
    agree_closely(conditions, np.stack([np.eye(3), np.zeros((3, 3)), spoiled]))
    agree_closely(lambda a: np.linalg.cond(a), np.stack([np.eye(3), np.zeros((3, 3))]))


def test_ranks_of_vectors() -> None:
    agree("matrix_rank", np.linalg.matrix_rank, ("f(a)", "f(b)", "f(c)"), {"a": np.zeros(3), "b": np.ones(3), "c": np.float64(2)})


def test_systems_of_tensors() -> None:
    def solved(a: Array, b: Array, c: Array, d: Array) -> Any:
        return np.linalg.tensorsolve(a, b), np.linalg.tensorsolve(c, b, axes=(1,)), np.linalg.tensorinv(a), np.linalg.tensorinv(d, ind=1)

    a, b, c, d = matrices(26, (2, 3, 6), "f8"), matrices(27, (2, 3), "f8"), matrices(28, (2, 6, 3), "f8"), matrices(29, (6, 2, 3), "f4")
    agree_exactly(solved, a, b, c, d)
    agree("tensorinv", np.linalg.tensorinv, ("f(a)", "f(a, 0)", "f(a, 1)"), {"a": np.ones((2, 3, 4))})
    agree("tensorsolve", np.linalg.tensorsolve, ("f(a, b)",), {"a": np.ones((2, 3, 4)), "b": np.ones((2, 3))})


def test_refused_least_squares_and_conditions() -> None:
    arrays = {"a": np.eye(3), "b": np.ones(2), "c": np.ones((2, 3, 3))}
    agree("lstsq", np.linalg.lstsq, ("f(a, b)", "f(a[0], b)", "f(c, c)", "f(a, a[:2])"), arrays)
    texts = ("f(a)", "f(b, 1)", "f(a[:, :0])", "f(a[0])", "f(a, 7)", "f(a, 'x')")
    agree("condition_number", np.linalg.cond, texts, {"a": np.eye(3), "b": np.ones((2, 3))})
    agree("pinv", np.linalg.pinv, ("f(a, 0.1, rtol=0.2)", "f(a, hermitian=True)", "f(a[0])"), {"a": np.ones((2, 3))})
    agree("matrix_rank", np.linalg.matrix_rank, ("f(a, 0.1, rtol=0.2)", "f(a, hermitian=True)"), {"a": np.ones((2, 3))})
    agree("norm", np.linalg.norm, ("f(a, 'nuc')", "f(a[0], 'nuc')", "f(a, 3)", "f(a, 2)"), {"a": np.ones((2, 3))}, factor=8.0)
    agree("matrix_power", np.linalg.matrix_power, ("f(a, -1)", "f(a, 2)"), {"a": np.ones((2, 3))})


def test_what_a_gate_has_found_is_taken_only_for_the_same_operands() -> None:
    """Eigenvalues and solutions that wait for the program behind a data gate, asked for by threads in turn: each gets its own."""
    eigen = stax.kernel(lambda a: np.linalg.eig(a))
    fitted = stax.kernel(lambda a, b: np.linalg.lstsq(a, b)[:2])
    systems = [(matrices(40 + k, (6, 6), "f8"), matrices(60 + k, (9, 3), "f8"), matrices(80 + k, (9,), "f8")) for k in range(12)]
    systems = [(a + a.T if k % 2 else a, c, d) for k, (a, c, d) in enumerate(systems)]
    wanted = [(np.linalg.eig(a), np.linalg.lstsq(c, d)[:2]) for a, c, d in systems]
    for (a, c, d), (values, solution) in zip(systems, wanted, strict=True):
        same((eigen(a), fitted(c, d)), (values, solution), factor=0.0)

    def work(start: int) -> None:
        for k in range(120):
            place = (start + 5 * k) % len(systems)
            a, c, d = systems[place]
            same((eigen(a), fitted(c, d)), wanted[place], factor=0.0)

    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(work, start) for start in range(4)]:
            one.result()


def test_where_data_cannot_be_asked() -> None:
    """Branches inside the program, a program for types: complex eigenvalues, residuals of their full length."""

    def fitted(a: Array, c: Array, d: Array) -> Any:
        return *np.linalg.eig(a), np.linalg.eigvals(a), *np.linalg.lstsq(c, d)

    a, c, d = matrices(90, (4, 4), "f8"), matrices(91, (7, 3), "f8"), matrices(92, (7, 2), "f8")
    a = a + a.T
    wide = np.linalg.eig(a)[0] + 0j, np.linalg.eig(a)[1] + 0j, np.linalg.eigvals(a) + 0j
    inside = stax.kernel(branches="inside")(fitted)
    compiled = stax.kernel(fitted).lower(a, c, d).compile("cpu")
    for run in (inside, compiled):
        same(tuple(run(a, c, d)), (*wide, *np.linalg.lstsq(c, d)), factor=0.0)
    c[:, 2] = c[:, 1]
    x, residuals, rank, s = inside(a, c, d)[3:]
    wanted = np.linalg.lstsq(c, d)
    same((x, rank, s), (wanted[0], wanted[2], wanted[3]), factor=0.0)
    assert residuals.shape == (2,) and np.isnan(residuals).all()
