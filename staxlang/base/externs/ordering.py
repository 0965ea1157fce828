"""Orders as extern operations: sorting, partitions and searches along the last axis, as NumPy's own routines do them."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import I64
from staxlang.base.externs.extern import Extern
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _same(a: TensorType, *more: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _places(a: TensorType, *more: TensorType, **options: Any) -> TensorType:
    return TensorType(I64, a.shape)


def _sort(a: Array, kind: Any = "quicksort") -> Array:
    return np.sort(a, -1, kind)


def _sort_into(outs: list[Array], a: Array, kind: Any = "quicksort") -> None:
    outs[0][...] = a
    outs[0].sort(-1, kind)


def _argsort(a: Array, kind: Any = "quicksort") -> Array:
    return np.argsort(a, -1, kind)


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern("sort.sort", _same, _sort, "The elements of each row in increasing order, NaN last.", _sort_into),
    Extern("sort.argsort", _places, _argsort, "The places of each row's elements in increasing order, NaN last."),
)
