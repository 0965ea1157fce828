"""Methods of ufuncs as extern operations: NumPy's own loops, for rows that the compiler has no reduction or scatter of."""

from __future__ import annotations

from typing import Any

import numpy as np

from staxlang.base.externs.extern import Extern
from staxlang.base.operations import OPERATIONS
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _ufunc(row: str) -> Any:
    return OPERATIONS[row].reference


# ---- reductions ----


def _reduced_type(a: TensorType, *more: TensorType, row: str, axes: tuple[int, ...], given: tuple[str, ...] = ()) -> TensorType:
    return TensorType(a.dtype, tuple([extent for axis, extent in enumerate(a.shape) if axis not in axes]))


def _reduced(a: Array, *more: Array, row: str, axes: tuple[int, ...], given: tuple[str, ...] = ()) -> Array:
    """`given` names what the other operands are: a mask, the number to start with."""
    options: dict[str, Any] = dict(zip(given, more, strict=True))
    if "initial" in options:
        options["initial"] = options["initial"][()]
    return np.asarray(_ufunc(row).reduce(a, axes if len(axes) != 1 else axes[0], dtype=a.dtype, **options))


def _accumulated_type(a: TensorType, *, row: str, axis: int) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _accumulated(a: Array, *, row: str, axis: int) -> Array:
    return _ufunc(row).accumulate(a, axis, dtype=a.dtype)


def _accumulated_into(outs: list[Array], a: Array, *, row: str, axis: int) -> None:
    _ufunc(row).accumulate(a, axis, dtype=a.dtype, out=outs[0])


def _sections_type(a: TensorType, places: TensorType, *, row: str, axis: int) -> TensorType:
    return TensorType(a.dtype, (*a.shape[:axis], *places.shape, *a.shape[axis + 1 :]))


def _sections(a: Array, places: Array, *, row: str, axis: int) -> Array:
    return _ufunc(row).reduceat(a, places, axis, dtype=a.dtype)


def _sections_into(outs: list[Array], a: Array, places: Array, *, row: str, axis: int) -> None:
    _ufunc(row).reduceat(a, places, axis, dtype=a.dtype, out=outs[0])


# ---- at places ----


def _at_type(a: TensorType, places: TensorType, *more: TensorType, row: str) -> TensorType:
    return TensorType(a.dtype, a.shape)


def _at(a: Array, places: Array, *more: Array, row: str) -> Array:
    """`a` is a vector, a private copy; `places` are integers that are known to be in range."""
    _ufunc(row).at(a, places, *more)
    return a.copy()


EXTERN_ROWS: tuple[Extern, ...] = (
    Extern("ufunc.reduce", _reduced_type, _reduced, "A row of the table between all elements along axes, from the first on."),
    Extern("ufunc.accumulate", _accumulated_type, _accumulated, "What reduction of each beginning of an axis gives.", _accumulated_into),
    Extern("ufunc.reduceat", _sections_type, _sections, "The reductions of an axis' sections, which begin at places.", _sections_into),
    Extern("ufunc.at", _at_type, _at, "A vector after the row was applied at places, one after the other.", overwrites=(0,)),
)
