"""Discrete Fourier transforms along one axis as extern operations: NumPy's functions say what they mean, and do them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from staxlang.base.dtypes import C64, C128, F16, F32, F64, DType
from staxlang.base.externs.extern import Extern
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType

Array = np.ndarray[Any, Any]


def _real(a: TensorType) -> DType:
    """The dtype of a transform that is real: that of the parts of `a`; integers are taken as f64."""
    return a.dtype if a.dtype in (F16, F32) else F32 if a.dtype is C64 else F64


def _along(a: TensorType, axis: int, extent: Size) -> tuple[Size, ...]:
    place = axis % len(a.shape)
    return (*a.shape[:place], extent, *a.shape[place + 1 :])


def _complex(a: TensorType, *, n: Size, axis: int, norm: str | None) -> TensorType:
    return TensorType(C128 if _real(a) is F64 else C64, _along(a, axis, n))


def _half(a: TensorType, *, n: Size, axis: int, norm: str | None) -> TensorType:
    return TensorType(C128 if _real(a) is F64 else C64, _along(a, axis, n // 2 + 1))


def _back(a: TensorType, *, n: Size, axis: int, norm: str | None) -> TensorType:
    return TensorType(_real(a), _along(a, axis, n))


def _row(name: str, result: Callable[..., TensorType], doc: str) -> Extern:
    """NumPy's function of that name; its module is loaded when it is first called."""

    def eager(a: Array, *, n: int, axis: int, norm: str | None) -> Array:
        return getattr(np.fft, name)(_filled(a, axis), n, axis, norm)

    def into(outs: list[Array], a: Array, *, n: int, axis: int, norm: str | None) -> None:
        getattr(np.fft, name)(_filled(a, axis), n, axis, norm, out=outs[0])

    return Extern(f"fft.{name}", result, eager, doc, into=into)


def _filled(a: Array, axis: int) -> Array:
    """The operand, or a zero where it has nothing along the axis: there NumPy's `irfft` reads an element that does not exist."""
    return a if a.shape[axis] else np.zeros((*a.shape[: axis % a.ndim], 1, *a.shape[axis % a.ndim + 1 :]), a.dtype)


EXTERN_ROWS: tuple[Extern, ...] = (
    _row("fft", _complex, "The n coefficients of the transform along an axis that is cut, or filled with zeros, to n elements."),
    _row("ifft", _complex, "The inverse of `fft`."),
    _row("rfft", _half, "The n // 2 + 1 coefficients of frequencies that are not negative, of real numbers."),
    _row("irfft", _back, "The n real numbers of which `rfft` gives these coefficients."),
)
