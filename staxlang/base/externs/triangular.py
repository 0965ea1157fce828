"""Extern operations on triangular matrices: substitution, and elimination with exchanged rows (LU), said in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES
from staxlang.base.externs.extern import Extern
from staxlang.base.externs.flop_counts import rectangle, substituted
from staxlang.base.sizes import Size, minimum
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


# ---- types of results ----


def _solution(a: TensorType, b: TensorType, **options: Any) -> TensorType:
    return TensorType(b.dtype, b.shape)


def _factors(turned: TensorType) -> tuple[TensorType, TensorType]:
    pivots = TensorType(DTYPES["i64"], (*turned.shape[:-2], minimum(*turned.shape[-2:])))
    return TensorType(turned.dtype, turned.shape), pivots


def _order(pivots: TensorType, rows: Size = 0) -> TensorType:
    return TensorType(pivots.dtype, (*pivots.shape[:-1], rows))


# ---- meanings ----


def _substituted(a: Array, b: Array, lower: bool = False, trans: str = "N", unit_diagonal: bool = False) -> Array:
    """Row after row: x_i = (b_i - sum of a_ij x_j over the rows j that are known) / a_ii."""
    if trans != "N":
        a = np.swapaxes(a, -1, -2)
        a, lower = np.conj(a) if trans == "C" else a, not lower
    x = np.array(b)
    count = a.shape[-1]
    if not unit_diagonal and np.any(np.diagonal(a, axis1=-2, axis2=-1) == 0):
        raise np.linalg.LinAlgError("singular matrix: a triangular one with a zero on its diagonal")
    for i in range(count) if lower else reversed(range(count)):
        known = slice(0, i) if lower else slice(i + 1, count)
        rest = x[..., i, :] - (a[..., i : i + 1, known] @ x[..., known, :])[..., 0, :]
        x[..., i, :] = rest if unit_diagonal else rest / a[..., i, i][..., np.newaxis]
    return x


def _eliminated(turned: Array) -> tuple[Array, Array]:
    """Column after column; the greatest element below the diagonal (by |re| + |im|, as in LAPACK) changes places with the one on it."""
    factors = np.swapaxes(turned, -1, -2).copy()
    rows, columns = factors.shape[-2:]
    steps = min(rows, columns)
    pivots = np.zeros((*factors.shape[:-2], steps), np.int64)
    for place in np.ndindex(factors.shape[:-2]):
        one = factors[place]
        for k in range(steps):
            column = one[k:, k]
            found = pivots[(*place, k)] = k + int(np.argmax(np.abs(column.real) + np.abs(column.imag)))
            one[[k, found]] = one[[found, k]]
            if one[k, k] != 0:
                one[k + 1 :, k] /= one[k, k]
                one[k + 1 :, k + 1 :] -= np.outer(one[k + 1 :, k], one[k, k + 1 :])
    return np.swapaxes(factors, -1, -2).copy(), pivots


def _exchanged(pivots: Array, rows: int = 0) -> Array:
    order = np.zeros((*pivots.shape[:-1], rows), np.int64) + np.arange(rows)
    if np.any((pivots < 0) | (pivots >= rows)):
        raise ValueError("illegal value of a pivot: no row has that number")
    for place in np.ndindex(pivots.shape[:-1]):
        for k, other in enumerate(pivots[place]):
            order[(*place, [k, other])] = order[(*place, [other, k])]
    return order


TRIANGULAR_ROWS: tuple[Extern, ...] = (
    Extern(
        "linalg.solve_triangular", _solution, _substituted, "The x with a @ x = b of triangular a; the other triangle is not read.",
        native="trsm", flops=substituted, failure="singular matrix", overwrites=(0, 1),
    ),
    Extern(
        "linalg.lu", _factors, _eliminated, "L, below the diagonal, and U of transposed matrices, transposed; the exchanged rows.",
        native="getrf", flops=rectangle(1, -1 / 3), overwrites=(0,),
    ),
    Extern(
        "linalg.row_order", _order, _exchanged, "The row that stands in each place after rows have been exchanged one after the other.",
        native="pivots", overwrites=(0,),
    ),
)  # fmt: skip
