"""Linear algebra as extern operations: NumPy's functions say what they mean, its loops over LAPACK do them in compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.externs.exponential import EXPONENTIAL_ROWS
from staxlang.base.externs.extern import Extern, Pruned
from staxlang.base.externs.flop_counts import Count, cubes, rectangle, reflected, solved
from staxlang.base.externs.triangular import TRIANGULAR_ROWS
from staxlang.base.sizes import Size, minimum
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]
_SINGULAR = "Singular matrix"
_NO_SVD = "SVD did not converge"
_NO_EIGENVALUES = "Eigenvalues did not converge"


def _real(dtype: DType) -> DType:
    """The dtype of a complex dtype's parts."""
    return DTYPES[{"c64": "f32", "c128": "f64"}.get(dtype.name, dtype.name)]


def _complex(dtype: DType) -> DType:
    return DTYPES[{"f32": "c64", "f64": "c128"}.get(dtype.name, dtype.name)]


# ---- types of results ----


def _same(a: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _solution(a: TensorType, b: TensorType) -> TensorType:
    return TensorType(b.dtype, b.shape)


def _number(a: TensorType) -> TensorType:
    return TensorType(a.dtype, a.shape[:-2])


def _sign_and_logarithm(a: TensorType) -> tuple[TensorType, TensorType]:
    return _number(a), TensorType(_real(a.dtype), a.shape[:-2])


def _qr_raw(a: TensorType) -> tuple[TensorType, TensorType]:
    return _same(a), TensorType(a.dtype, (*a.shape[:-2], _rank(a)))


def _rank(a: TensorType) -> Size:
    """The greatest rank that matrices of these sizes can have."""
    return minimum(*a.shape[-2:])


def _reflected(h: TensorType, tau: TensorType, complete: bool = False) -> TensorType:
    return TensorType(h.dtype, (*h.shape[:-1], h.shape[-2] if complete else tau.shape[-1]))


def _svd(a: TensorType, full: bool = True) -> tuple[TensorType, TensorType, TensorType]:
    batch, (rows, columns), rank = a.shape[:-2], a.shape[-2:], _rank(a)
    u, vh = (*batch, rows, rows if full else rank), (*batch, columns if full else rank, columns)
    return TensorType(a.dtype, u), _svdvals(a), TensorType(a.dtype, vh)


def _svdvals(a: TensorType) -> TensorType:
    return TensorType(_real(a.dtype), (*a.shape[:-2], _rank(a)))


def _eigh(a: TensorType, upper: bool = False) -> tuple[TensorType, TensorType]:
    return _eigvalsh(a), _same(a)


def _eigvalsh(a: TensorType, upper: bool = False) -> TensorType:
    return TensorType(_real(a.dtype), a.shape[:-1])


def _eig(a: TensorType) -> tuple[TensorType, TensorType]:
    return _eigvals(a), TensorType(_complex(a.dtype), a.shape)


def _eigvals(a: TensorType) -> TensorType:
    return TensorType(_complex(a.dtype), a.shape[:-1])


def _lstsq(a: TensorType, b: TensorType, rcond: TensorType) -> tuple[TensorType, ...]:
    real, columns = _real(a.dtype), b.shape[-1]
    return TensorType(a.dtype, (a.shape[-1], columns)), TensorType(real, (columns,)), TensorType(DTYPES["i32"], ()), _svdvals(a)


# ---- meanings ----


def _cholesky(a: Array, upper: bool = False) -> Array:
    return np.linalg.cholesky(a, upper=upper)


def _slogdet(a: Array) -> tuple[Any, ...]:
    return tuple(np.linalg.slogdet(a))


def _inv_or_nan(a: Array) -> Array:
    result = np.full(a.shape, np.nan, a.dtype)
    for place in np.ndindex(a.shape[:-2]):
        with suppress(np.linalg.LinAlgError):
            result[place] = np.linalg.inv(a[place])
    return result


def _factored(a: Array) -> tuple[Array, Array]:
    h, tau = np.linalg.qr(a, mode="raw")
    return np.swapaxes(h, -1, -2), tau


def _product_of_reflections(h: Array, tau: Array, complete: bool = False) -> Array:
    """H_1 H_2 .. H_k with H_i = I - tau_i v_i v_i^H, v_i the part of h's column i below its diagonal, with a 1 there (LAPACK's xORGQR)."""
    rows, count = h.shape[-2], tau.shape[-1]
    q = np.zeros((*h.shape[:-1], rows if complete else count), h.dtype)
    q[..., range(count), range(count)] = 1
    if complete:
        q[..., range(rows), range(rows)] = 1
    for i in reversed(range(count)):
        v = np.concatenate([np.zeros_like(h[..., :i, i]), np.ones_like(h[..., :1, i]), h[..., i + 1 :, i]], axis=-1)[..., np.newaxis]
        q -= tau[..., i, np.newaxis, np.newaxis] * v @ (np.conj(np.swapaxes(v, -1, -2)) @ q)
    return q


def _singular_factors(a: Array, full: bool = True) -> tuple[Array, ...]:
    return tuple(np.linalg.svd(a, full_matrices=full))


def _singular_values(a: Array) -> Array:
    return np.linalg.svd(a, compute_uv=False)


def _hermitian_eigen(a: Array, upper: bool = False) -> tuple[Array, ...]:
    return tuple(np.linalg.eigh(a, "U" if upper else "L"))


def _hermitian_eigenvalues(a: Array, upper: bool = False) -> Array:
    return np.linalg.eigvalsh(a, "U" if upper else "L")


def _eigen(a: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind), vectors.astype(kind)


def _eigenvalues(a: Array) -> Array:
    return np.linalg.eigvals(a).astype(np.result_type(a.dtype, np.complex64))


def _least_squares(a: Array, b: Array, rcond: Array) -> tuple[Any, ...]:
    """Where NumPy gives no sums of squared residuals (dependent columns, or no more rows than columns), they are NaN, or 0."""
    x, residuals, rank, s = np.linalg.lstsq(a, b, float(rcond))
    if residuals.shape != b.shape[1:]:
        rows, columns = a.shape
        residuals = np.full(b.shape[1:], 0.0 if rank == columns == rows else np.nan, s.dtype)
    return x, residuals, np.asarray(rank, np.int32), s


# ---- cheaper calls ----


def _prune_svd(used: frozenset[int], options: Mapping[str, Any]) -> Pruned | None:
    return Pruned("linalg.svdvals", {}, {1: 0}) if used == frozenset((1,)) else None


def _prune_eigh(used: frozenset[int], options: Mapping[str, Any]) -> Pruned | None:
    return Pruned("linalg.eigvalsh", dict(options), {0: 0}) if used == frozenset((0,)) else None


def _asked(
    name: str, doc: str, result: Callable[..., Any], eager: Callable[..., Any], failure: str, operands: tuple[int, ...], flops: Count
) -> tuple[Extern, Extern]:
    """An operation twice: for programs, and for a data gate, whose results the program behind the gate finds there."""
    return (
        Extern(f"linalg.{name}", result, eager, doc, native=name, failure=failure, overwrites=operands, flops=flops),
        Extern(
            f"linalg.{name}_asked", result, eager, f"{doc} They are kept for the next call.", native=f"{name}_asked", failure=failure,
            overwrites=operands, flops=flops,
        ),
    )  # fmt: skip


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern(
        "linalg.cholesky", _same, _cholesky, "The triangular factor L of a positive definite matrix, a = L @ L.H; upper: its transpose.",
        native="cholesky", flops=cubes(1 / 3), failure="Matrix is not positive definite",
    ),
    Extern(
        "linalg.solve", _solution, np.linalg.solve, "The matrices x with a @ x = b, of matrices a and b in equal batches.",
        native="solve", flops=solved, failure=_SINGULAR,
    ),
    Extern("linalg.inv", _same, np.linalg.inv, "The inverses of matrices.", native="inv", flops=cubes(2), failure=_SINGULAR),
    Extern("linalg.det", _number, np.linalg.det, "The determinants of matrices.", native="det", flops=cubes(2 / 3)),
    Extern(
        "linalg.slogdet", _sign_and_logarithm, _slogdet, "Signs of determinants and logarithms of their absolute values.",
        native="slogdet", flops=cubes(2 / 3),
    ),
    Extern(
        "linalg.inv_or_nan", _same, _inv_or_nan, "The inverses of matrices, NaN where there is none.", native="inv_or_nan", flops=cubes(2),
    ),
    Extern(
        "linalg.qr_raw", _qr_raw, _factored, "LAPACK's form of a = Q R: R above the diagonal, Householder's vectors below; their factors.",
        native="qr_raw", flops=rectangle(2, -2 / 3), overwrites=(0,),
    ),
    Extern(
        "linalg.qr_q", _reflected, _product_of_reflections, "The product of the reflections that qr_raw gives: the columns of Q.",
        native="reflected", flops=reflected,
    ),
    Extern(
        "linalg.svd", _svd, _singular_factors, "The singular value decomposition a = U diag(s) Vh; full: of all rows and columns.",
        native="svd", flops=rectangle(6, 20), failure=_NO_SVD, prune=_prune_svd,
    ),
    Extern(
        "linalg.svdvals", _svdvals, _singular_values, "The singular values of matrices, greatest first.",
        native="svdvals", flops=rectangle(4, -4 / 3), failure=_NO_SVD,
    ),
    Extern(
        "linalg.eigh", _eigh, _hermitian_eigen, "Eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read.",
        native="eigh", flops=cubes(9), failure=_NO_EIGENVALUES, prune=_prune_eigh,
    ),
    Extern(
        "linalg.eigvalsh", _eigvalsh, _hermitian_eigenvalues, "The eigenvalues of Hermitian matrices, of which one triangle is read.",
        native="eigvalsh", flops=cubes(4 / 3), failure=_NO_EIGENVALUES,
    ),
    *_asked("eig", "Eigenvalues and eigenvectors, complex.", _eig, _eigen, _NO_EIGENVALUES, (0,), cubes(25)),
    *_asked("eigvals", "Eigenvalues, complex.", _eigvals, _eigenvalues, _NO_EIGENVALUES, (0,), cubes(10)),
    *_asked(
        "lstsq", "The x of least |a x - b|, sums of squared residuals, the rank of a, its singular values.", _lstsq, _least_squares,
        "SVD did not converge in Linear Least Squares", (0, 1, 2), rectangle(4, 8),
    ),
    *TRIANGULAR_ROWS,
    *EXPONENTIAL_ROWS,
)  # fmt: skip
