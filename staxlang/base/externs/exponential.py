"""The exponential of matrices, said in NumPy: scaling, a Pade approximant, squaring.

N. J. Higham, The Scaling and Squaring Method for the Matrix Exponential Revisited, SIAM J. Matrix Anal. Appl. 26 (2005), algorithm 2.3
with the approximant of degree 13.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.externs.extern import Extern
from staxlang.base.externs.flop_counts import cubes
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]
_LIMIT = 5.371920351148152
"""The 1-norm up to which the approximant is as exact as double precision."""
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0,
    670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip


def _exponential(a: Array) -> Array:
    norms = np.max(np.sum(np.abs(a), axis=-2), axis=-1, initial=0.0)
    finite = np.isfinite(norms)
    halvings = np.ceil(np.log2(np.maximum(np.where(finite, norms, 0.0) / _LIMIT, 1.0)))
    x = np.where(finite[..., np.newaxis, np.newaxis], a, 0) * 0.5 ** halvings[..., np.newaxis, np.newaxis]
    one = np.eye(a.shape[-1], dtype=a.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    b = _PADE
    odd = x @ (x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one)
    even = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    with np.errstate(all="ignore"):
        for k in range(int(np.max(halvings, initial=0.0))):
            result = np.where((k < halvings)[..., np.newaxis, np.newaxis], result @ result, result)
    return np.where(finite[..., np.newaxis, np.newaxis], result, np.nan).astype(a.dtype)


def _same(a: TensorType) -> TensorType:
    return TensorType(a.dtype, a.shape)


EXPONENTIAL_ROWS: tuple[Extern, ...] = (
    Extern("linalg.expm", _same, _exponential, "The exponential of matrices, the limit of (1 + a / n)^n.", flops=cubes(20)),
)  # fmt: skip
