"""Orders as extern operations: sorting, partitions and order statistics along the last axis, as NumPy's own routines do them."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import I64
from staxlang.base.externs.extern import Extern
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _same(a: TensorType, *more: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _places(a: TensorType, *more: TensorType, **options: Any) -> TensorType:
    return TensorType(I64, a.shape)


# ---- sorting ----


def _sort(a: Array, kind: Any = "quicksort") -> Array:
    return np.sort(a, -1, kind)


def _sort_into(outs: list[Array], a: Array, kind: Any = "quicksort") -> None:
    outs[0][...] = a
    outs[0].sort(-1, kind)


def _argsort(a: Array, kind: Any = "quicksort") -> Array:
    return np.argsort(a, -1, kind)


def _rows_type(a: TensorType) -> TensorType:
    return TensorType(I64, a.shape[:1])


def _rows(a: Array) -> Array:
    return np.asarray(np.lexsort(a.T[::-1]) if a.shape[1] else range(a.shape[0]), np.int64)


# ---- places of what is true ----


def _chosen_type(mask: TensorType, *, fill: Size, size: Size) -> TensorType:
    return TensorType(I64, (size,))


def _chosen(mask: Array, *, fill: int, size: int) -> Array:
    result = np.full(size, fill, np.int64)
    found = np.flatnonzero(mask)[:size]
    result[: found.size] = found
    return result


# ---- partitions ----


def _partition(a: Array, kth: Array) -> Array:
    return np.partition(a, kth, -1)


def _partition_into(outs: list[Array], a: Array, kth: Array) -> None:
    outs[0][...] = a
    outs[0].partition(kth, -1)


def _argpartition(a: Array, kth: Array) -> Array:
    return np.argpartition(a, kth, -1)


# ---- order statistics ----

_FEW = 4
"""Up to so many order statistics are found by partitions, more by sorting."""


def _selected_type(a: TensorType, places: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, (*a.shape[:-1], *places.shape))


def _select(a: Array, places: Array, refusal: str, also: tuple[int, ...] = ()) -> Array:
    """The elements that each row has at these places when it is sorted. Places out of range are refused in the words of `refusal`.

    Which one of equal numbers (zeros of two signs) comes to a place is a matter of the other places of the partition: `also` are those
    that NumPy takes into it.
    """
    if places.size and not 0 <= places.min() <= places.max() < a.shape[-1]:
        raise ValueError(refusal)
    different = np.unique(places)
    if different.size > _FEW:
        return np.sort(a, -1)[..., places]
    return np.partition(a, [*different.tolist(), *also], -1)[..., places]


def _weighted_type(a: TensorType, weights: TensorType, q: TensorType, **options: Any) -> TensorType:
    return TensorType(a.dtype, (*q.shape, *a.shape[:-1]))


def _weighted(a: Array, weights: Array, q: Array, skip: bool) -> Array:
    quantile = np.nanquantile if skip else np.quantile
    return np.asarray(quantile(a, q, -1, method="inverted_cdf", weights=weights))


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern("sort.sort", _same, _sort, "The elements of each row in increasing order, NaN last.", _sort_into, native="sort"),
    Extern("sort.argsort", _places, _argsort, "The places of each row's elements in increasing order, NaN last.", native="argsort"),
    Extern("sort.rows", _rows_type, _rows, "The places of a matrix's rows in increasing order, compared from their first element on."),
    Extern("sort.places", _chosen_type, _chosen, "The first `size` places where a vector of bools is true, then `fill`.", native="places"),
    Extern("sort.partition", _same, _partition, "Each row with the kth elements in their sorted places, less before.", _partition_into),
    Extern("sort.argpartition", _places, _argpartition, "The places of each row's elements in a partition."),
    Extern("sort.select", _selected_type, _select, "The elements of each row that sorting would put at these places."),
    Extern("sort.weighted", _weighted_type, _weighted, "The quantiles of each row's elements by their weights."),
)
