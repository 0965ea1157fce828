"""Linear algebra as extern operations: NumPy's functions say what they mean, its loops over LAPACK do them in compiled programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.externs.extern import Extern
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]
_SINGULAR = "Singular matrix"


def _real(dtype: DType) -> DType:
    """The dtype of a complex dtype's parts."""
    return DTYPES[{"c64": "f32", "c128": "f64"}.get(dtype.name, dtype.name)]


# ---- types of results ----


def _same(a: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _solution(a: TensorType, b: TensorType) -> TensorType:
    return TensorType(b.dtype, b.shape)


def _number(a: TensorType) -> TensorType:
    return TensorType(a.dtype, a.shape[:-2])


def _sign_and_logarithm(a: TensorType) -> tuple[TensorType, TensorType]:
    return _number(a), TensorType(_real(a.dtype), a.shape[:-2])


# ---- meanings ----


def _cholesky(a: Array, upper: bool = False) -> Array:
    return np.linalg.cholesky(a, upper=upper)


def _slogdet(a: Array) -> tuple[Any, ...]:
    return tuple(np.linalg.slogdet(a))


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern(
        "linalg.cholesky", _same, _cholesky, "The triangular factor L of a positive definite matrix, a = L @ L.H; upper: its transpose.",
        native="cholesky", failure="Matrix is not positive definite",
    ),
    Extern(
        "linalg.solve", _solution, np.linalg.solve, "The matrices x with a @ x = b, of matrices a and b in equal batches.",
        native="solve", failure=_SINGULAR,
    ),
    Extern("linalg.inv", _same, np.linalg.inv, "The inverses of matrices.", native="inv", failure=_SINGULAR),
    Extern("linalg.det", _number, np.linalg.det, "The determinants of matrices.", native="det"),
    Extern(
        "linalg.slogdet", _sign_and_logarithm, _slogdet, "Signs of determinants and logarithms of their absolute values.", native="slogdet",
    ),
)  # fmt: skip
