"""Meanings of the rows that NumPy has no function for, written with NumPy and math."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def _by_element(function: Callable[[float], float]) -> Callable[[Any], Any]:
    apply = np.frompyfunc(function, 1, 1)

    def reference(x: Any) -> Any:
        x = np.asarray(x)
        dtype = x.dtype if x.dtype.kind not in "biu" else np.dtype(np.float64)
        result = np.asarray(apply(x.astype(np.float64))).astype(dtype)
        return result if x.ndim else result[()]

    reference.__name__ = function.__name__
    return reference


erf = _by_element(math.erf)
erfc = _by_element(math.erfc)


def sigmoid(x: Any) -> Any:
    """exp(min(x, 0)) / (1 + exp(-|x|)): neither overflows nor loses small results."""
    x = np.asarray(x)
    one = x.dtype.type(1) if x.dtype.kind == "f" else np.float64(1)
    return np.exp(np.minimum(x, x.dtype.type(0))) / (one + np.exp(-np.abs(x)))


def softplus(x: Any) -> Any:
    x = np.asarray(x)
    return np.logaddexp(x, x.dtype.type(0))


def frexp_mantissa(x: Any) -> Any:
    return np.frexp(x)[0]


def frexp_exponent(x: Any) -> Any:
    return np.frexp(x)[1]
