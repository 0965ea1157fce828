"""The matrix product of a BLAS that is in the process already: the one NumPy carries, under the names that its builds use."""

from __future__ import annotations

import ctypes
import glob
import os
from typing import Any, Final, NamedTuple

import numpy as np

from staxlang.runtime import late


class Blas(NamedTuple):
    """Addresses of cblas_sgemm and cblas_dgemm; `wide`: their integers have 64 bits."""

    f32: int
    f64: int
    wide: bool


_NAMES: Final = (  # prefix and suffix around `cblas_?gemm`, 64-bit integers
    ("scipy_", "64_", True),
    ("", "64_", True),
    ("scipy_", "", False),
    ("", "", False),
)


def find() -> Blas:
    """NumPy's BLAS; raises `missing-package` where none can be found."""
    for library in _libraries():
        for prefix, suffix, wide in _NAMES:
            try:
                found = [_address(library, f"{prefix}cblas_{kind}gemm{suffix}") for kind in "sd"]
            except ValueError:
                continue
            return Blas(found[0], found[1], wide)
    late.raise_error("missing-package", what="a large matrix product", package="numpy with OpenBLAS (from PyPI or conda)")


def _libraries() -> list[ctypes.CDLL]:
    """NumPy's own libraries, then all symbols of the process (a system BLAS that NumPy is linked with)."""
    package = os.path.dirname(os.path.abspath(np.__file__))
    folders = (os.path.join(os.path.dirname(package), "numpy.libs"), os.path.join(package, ".dylibs"), os.path.join(package, ".libs"))
    paths = [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "*openblas*")))]
    found: list[ctypes.CDLL] = []
    for path in paths:
        try:
            found.append(ctypes.CDLL(path))
        except OSError:
            continue
    core: Any = getattr(np, "_core", None) or getattr(np, "core")  # noqa: B009  (NumPy 1 has it there)
    for path in (core._multiarray_umath.__file__, None):  # symbols of a library include those of what it is linked with
        try:
            found.append(ctypes.CDLL(path))
        except (OSError, TypeError):
            continue
    return found


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.addressof(ctypes.c_char.in_dll(library, name))
