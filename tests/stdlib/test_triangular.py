"""Triangular systems and LU factors in kernels: against NumPy's general solutions, by what they are, against the meaning in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.externs import find_extern
from tests.index_notation.everywhere import in_all_forms as agree_in_all_forms
from tests.stdlib.against_numpy import agree, same
from tests.stdlib.matrices import DTYPES, Array, matrices

SYSTEMS = [
    ((4, 4), (4,)), ((4, 4), (4, 3)), ((3, 4, 4), (4, 2)), ((2, 1, 3, 3), (5, 3, 2)), ((0, 0), (0, 2)), ((1, 1), (1,)), ((0, 3, 3), (3, 1)),
    ((3, 3), (3, 0)), ((33, 33), (33, 5)),
]  # fmt: skip
RECTANGLES = [(4, 4), (5, 3), (3, 5), (2, 3, 4), (2, 3, 2, 2), (0, 0), (0, 3), (3, 0), (2, 0, 3), (1, 1), (30, 20)]


def triangle(a: Array, lower: bool, trans: str, unit: bool) -> Array:
    """The matrix that `solve_triangular` works with."""
    found = np.tril(a) if lower else np.triu(a)
    if unit:
        found[..., range(a.shape[-1]), range(a.shape[-1])] = 1
    return found if trans == "N" else np.swapaxes(found if trans == "T" else np.conj(found), -1, -2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", SYSTEMS)
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_systems(shapes: tuple[Any, Any], dtype: str, lower: bool) -> None:
    @stax.kernel
    def solved(a: Any, b: Any) -> Any:
        return [stax.solve_triangular(a, b, trans, lower, unit_diagonal=unit) for trans in ("N", "T", "C") for unit in (False, True)]

    a, b = matrices(31, shapes[0], dtype) / 8, matrices(32, shapes[1], dtype)
    a[..., range(a.shape[-1]), range(a.shape[-1])] += 2
    before = a.copy(), b.copy()
    ways = [(trans, unit) for trans in ("N", "T", "C") for unit in (False, True)]
    for (trans, unit), got in zip(ways, solved(a, b), strict=True):
        same(got, np.linalg.solve(triangle(a, lower, trans, unit), b), f"{trans} {unit}", factor=3000.0)
    assert solved.stats().route == "native"
    assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])


@pytest.mark.parametrize("dtype", (*DTYPES, "i8"))
@pytest.mark.parametrize("shape", RECTANGLES)
def test_elimination(shape: tuple[int, ...], dtype: str) -> None:
    @stax.kernel
    def factors(a: Any) -> Any:
        return stax.lu(a), stax.lu(a, permute_l=True), stax.lu_factor(a)

    a = matrices(33, shape, dtype)
    (p, left, u), (moved, again), (packed, pivots) = factors(a)
    assert factors.stats().route == "native"
    wide = a if a.dtype.kind in "fc" else a.astype("f8")
    count = min(shape[-2:])
    assert p.shape[-2:] == (shape[-2], shape[-2]) and left.shape[-2:] == (shape[-2], count) and u.shape[-2:] == (count, shape[-1])
    assert {left.dtype, u.dtype, packed.dtype} == {wide.dtype} and p.dtype == wide.real.dtype and pivots.dtype == np.int64
    same(p @ left @ u, wide, factor=300.0)
    same((moved, again), (p @ left, u), factor=4.0)
    assert np.array_equal(np.tril(left), left) and np.array_equal(np.triu(u), u)
    assert np.all(np.abs(left) <= (1.5 if dtype in ("c8", "c16") else 1))
    meaning = find_extern("linalg.lu")
    assert meaning is not None
    turned, exchanged = meaning.eager(np.swapaxes(wide, -1, -2))
    same((packed, pivots), (np.swapaxes(turned, -1, -2), exchanged), factor=300.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_from_factors(dtype: str) -> None:
    @stax.kernel
    def solved(a: Any, b: Any, h: Any) -> Any:
        found = stax.lu_factor(a)
        lower, upper = np.linalg.cholesky(h), np.linalg.cholesky(h, upper=True)
        by_lu = stax.lu_solve(found, b), stax.lu_solve(found, b, trans=1), stax.lu_solve(found, b, 2), stax.lu_solve(found, b[:, 0])
        by_cholesky = stax.cho_solve((lower, True), b), stax.cho_solve((upper, False), b[:, 0]), stax.cho_solve(stax.cho_factor(h), b)
        return *by_lu, *by_cholesky

    for n in (1, 4, 9):
        a, b = matrices(34, (n, n), dtype) + 4 * np.eye(n, dtype=dtype), matrices(35, (n, 2), dtype)
        h = a @ a.conj().T + np.eye(n, dtype=dtype)
        general = np.linalg.solve(a, b), np.linalg.solve(a.T, b), np.linalg.solve(a.T.conj(), b), np.linalg.solve(a, b[:, 0])
        same(solved(a, b, h), (*general, *[np.linalg.solve(h, one) for one in (b, b[:, 0], b)]), factor=3000.0)
    assert solved.stats().route == "native"


def test_all_forms_of_a_program() -> None:
    @stax.kernel
    def everything(a: Any, b: Any) -> Any:
        return *stax.lu(a), stax.solve_triangular(a[:3, :3], b), stax.lu_solve(stax.lu_factor(a[:3]), b)

    for dtype in ("f8", "c8"):
        arrays = [matrices(36, (4, 3), dtype) + 2 * np.eye(4, 3, dtype=dtype), matrices(37, (3, 2), dtype)]
        lowered = everything.lower(*[stax.spec(array.shape, array.dtype) for array in arrays])
        tolerance = 1e-12 if dtype == "f8" else 1e-4
        agree_in_all_forms(lowered.captured, arrays, everything(*arrays), True, tolerance)


@pytest.mark.parametrize("dtype", (*DTYPES, "i4"))
def test_exponentials(dtype: str) -> None:
    """Against eigenvalues' exponentials in Hermitian matrices, small and large; rotations; nilpotent ones; batches of different norms."""
    exponential = stax.kernel(lambda a: stax.expm(a))
    for n, scale in ((1, 1.0), (4, 0.01), (4, 1.0), (5, 6.0)):
        a = matrices(50, (3, n, n), "c16" if dtype in ("c8", "c16") else "f8")
        a = ((a + np.conj(np.swapaxes(a, -1, -2))) * scale * np.array([1.0, 0.1, -1.0])[:, np.newaxis, np.newaxis]).astype(dtype)
        w, v = np.linalg.eigh(a.astype(np.result_type(dtype, "f8")))
        wanted = (v * np.exp(w)[:, np.newaxis, :]) @ np.conj(np.swapaxes(v, -1, -2))
        got = exponential(a)
        assert got.dtype == (a.dtype if a.dtype.kind in "fc" else np.dtype("f8")) and exponential.stats().route == "native"
        for one, other in zip(got, wanted, strict=True):
            same(one, other.astype(one.dtype), factor=500.0, terms=1 + round(scale))
    angles = np.array([0.3, 2.0, 40.0])
    turning = np.zeros((3, 2, 2))
    turning[:, 0, 1], turning[:, 1, 0] = -angles, angles
    wanted = np.stack([np.cos(angles), -np.sin(angles), np.sin(angles), np.cos(angles)], axis=-1).reshape(3, 2, 2)
    same(exponential(turning), wanted, factor=100.0)
    same(exponential(np.diag([1.0, 1.0], 1)), np.array([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]), factor=4.0)
    assert exponential(np.zeros((0, 0))).shape == (0, 0) and exponential(np.zeros((0, 2, 2))).shape == (0, 2, 2)
    assert np.isnan(exponential(np.array([[np.nan, 1.0], [0.0, 0.0]]))).all()


def test_what_is_refused() -> None:
    @stax.kernel
    def solved(a: Any, b: Any) -> Any:
        return stax.solve_triangular(a, b)

    a = np.triu(np.ones((3, 3)))
    a[1, 1] = 0
    with pytest.raises(np.linalg.LinAlgError, match="singular matrix"):
        solved(a, np.ones(3))
    with pytest.raises(stax.StaxError, match="solve_triangular` takes operands that fit together, and their extents are 3 and"):
        solved(a, np.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match="takes square matrices, and these are"):
        solved(np.ones((2, 3)), np.ones(2))
    with pytest.raises(stax.StaxError, match="trans is"):
        stax.kernel(lambda a: stax.solve_triangular(a, a, "X"))(a)
    with pytest.raises(ValueError, match="illegal value of a pivot"):
        stax.kernel(lambda a, p: stax.lu_solve((a, p), a))(np.eye(3), np.array([0, 7, 2]))
    agree("lu", lambda a: np.linalg.qr(a), ("f(a)",), {"a": np.ones(3)})
