"""Memory read in another way, as extern operations: elements' bytes as another dtype, bytes in the other order."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES
from staxlang.base.externs.extern import Extern
from staxlang.base.sizes import floordiv
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _viewed_type(a: TensorType, *, dtype: str) -> TensorType:
    target = DTYPES[dtype]
    before, after = a.dtype.itemsize, target.itemsize
    if before == after:
        return TensorType(target, a.shape)
    return TensorType(target, (*a.shape[:-1], floordiv(a.shape[-1] * before, after)))


def _viewed(a: Array, *, dtype: str) -> Array:
    return np.ascontiguousarray(a).view(DTYPES[dtype].numpy).reshape(_extents(a, dtype))


def _extents(a: Array, dtype: str) -> tuple[int, ...]:
    """A 0-d array stays one."""
    after = DTYPES[dtype].itemsize
    return a.shape if a.itemsize == after else (*a.shape[:-1], a.shape[-1] * a.itemsize // after)


def _same(a: TensorType) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _swapped(a: Array) -> Array:
    return a.byteswap()


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern("memory.view", _viewed_type, _viewed, "The elements' bytes as another dtype; where its size is another, along the last axis."),
    Extern("memory.byteswap", _same, _swapped, "Each element with its bytes in the opposite order."),
)
