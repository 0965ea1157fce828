"""Linear algebra as extern operations: NumPy's functions say what they mean, LAPACK does them in compiled programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.externs.extern import Extern
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _same(a: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _cholesky(a: Array, upper: bool = False) -> Array:
    return np.linalg.cholesky(a, upper=upper)


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern(
        "linalg.cholesky", _same, _cholesky, "The triangular factor L of a positive definite matrix, a = L @ L.H; upper: its transpose.",
        native="cholesky", failure="Matrix is not positive definite",
    ),
)  # fmt: skip
