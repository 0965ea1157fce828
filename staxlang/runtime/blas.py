"""The matrix product of a BLAS that is in the process already: the one NumPy carries, under the names that its builds use."""

from __future__ import annotations

import ctypes
import glob
import os
from typing import Any, Final

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.library import OUTSIDE
from staxlang.compiler.llvm.products import complex_products


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
    real = [_LOOPS.replace("NAME", name).replace("KIND", kind) for name, kind in (("f32", "float"), ("f64", "double"))]
    return "\n".join([*real, complex_products()])


_LOOPS: Final = """
define void @stax_gemm_NAME(i32 %oa, i32 %ob, i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, ptr %b, i64 %ldb, ptr %c, i64 %ldc) nounwind {
entry:
  %ta = icmp ne i32 %oa, 0
  %tb = icmp ne i32 %ob, 0
  %arow = select i1 %ta, i64 1, i64 %lda
  %acol = select i1 %ta, i64 %lda, i64 1
  %brow = select i1 %tb, i64 1, i64 %ldb
  %bcol = select i1 %tb, i64 %ldb, i64 1
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i1, %nextrow ]
  %morerows = icmp slt i64 %i, %m
  br i1 %morerows, label %columns, label %done
columns:
  %j = phi i64 [ 0, %rows ], [ %j1, %store ]
  %morecolumns = icmp slt i64 %j, %n
  br i1 %morecolumns, label %inner, label %nextrow
inner:
  %p = phi i64 [ 0, %columns ], [ %p1, %step ]
  %sum = phi KIND [ 0.0, %columns ], [ %total, %step ]
  %moreinner = icmp slt i64 %p, %k
  br i1 %moreinner, label %step, label %store
step:
  %ai = mul i64 %i, %arow
  %ap = mul i64 %p, %acol
  %ao = add i64 %ai, %ap
  %aa = getelementptr KIND, ptr %a, i64 %ao
  %av = load KIND, ptr %aa
  %bp = mul i64 %p, %brow
  %bj = mul i64 %j, %bcol
  %bo = add i64 %bp, %bj
  %ba = getelementptr KIND, ptr %b, i64 %bo
  %bv = load KIND, ptr %ba
  %product = fmul contract KIND %av, %bv
  %total = fadd contract KIND %sum, %product
  %p1 = add i64 %p, 1
  br label %inner
store:
  %ci = mul i64 %i, %ldc
  %co = add i64 %ci, %j
  %ca = getelementptr KIND, ptr %c, i64 %co
  store KIND %sum, ptr %ca
  %j1 = add i64 %j, 1
  br label %columns
nextrow:
  %i1 = add i64 %i, 1
  br label %rows
done:
  ret void
}
"""
