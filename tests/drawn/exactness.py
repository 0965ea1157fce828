"""Probes of a program under NumPy while it is drawn: whether a value may decide something, or be cast to whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

# A dtype's fraction bits and magnitude up to which products and sums of a few such numbers have no rounding.
_BITS = {2: (3, 2.0**7), 4: (8, 2.0**13), 8: (16, 2.0**30)}


class Inexact(Exception):
    """Rounding may decide what this program does."""


def exact(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "fc":
        parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
        bits, most = _BITS[min(8, parts[0].dtype.itemsize)]
        for part in parts:
            finite = part[np.isfinite(part)].astype(np.float64)
            scaled = finite * 2**bits
            if (scaled != np.rint(scaled)).any() or (np.abs(finite) > most).any():
                raise Inexact
    return value


def castable(value: Any) -> Any:
    array = np.asarray(exact(value))
    if array.dtype.kind in "fc" and (not np.isfinite(array).all() or (np.abs(array) > 100).any() or (array.real < 0).any()):
        raise Inexact
    return value
