"""The matrix product of a BLAS that is in the process already: the one NumPy carries, under the names that its builds use."""

from __future__ import annotations

import ctypes
import glob
import os
from typing import Any, Final

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.library import OUTSIDE
from staxlang.compiler.llvm.products import plain_products


class Blas(NamedTuple):
    """The routines of `library.OUTSIDE` by the symbol that each is called by; `wide`: their integers have 64 bits."""

    symbols: dict[str, int]
    wide: bool


_NAMES: Final = (  # prefix and suffix around `cblas_dgemm`, 64-bit integers
    ("scipy_", "64_", True),
    ("", "64_", True),
    ("scipy_", "", False),
    ("", "", False),
)


def find() -> Blas | None:
    """NumPy's BLAS; None where none can be found."""
    for library in _libraries():
        for prefix, suffix, wide in _NAMES:
            try:
                found = {f"stax_cblas_{one}": _address(library, f"{prefix}cblas_{one}{suffix}") for one in OUTSIDE}
            except ValueError:
                continue
            return Blas(found, wide)
    return None


def find_routine(name: str) -> tuple[int, bool] | None:
    """(address, whether its integers have 64 bits) of a function of NumPy's BLAS and LAPACK, `cblas_dtrsm` or `dgetrf_`."""
    for library in _libraries():
        for prefix, suffix, wide in _NAMES:
            try:
                return _address(library, f"{prefix}{name}{suffix}"), wide
            except ValueError:
                continue
    return None


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


def own_loops() -> str:
    """The product functions as plain loops: right, not fast; for a NumPy whose BLAS cannot be called."""
    return plain_products(("f32", "f64", "c64", "c128"))
