"""NumPy's inner loops of linear algebra as addresses for native programs, read from its generalized ufuncs.

The part of PyUFuncObject that is read is public (numpy/ufuncobject.h); what can be compared with what Python says of the ufunc is compared.
Where a loop cannot be had - another layout, a renamed ufunc - the program calls NumPy's function through Python instead.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.lapack import FLAGS, INVALID, Call

_LETTERS: Final = {"f64": "d", "c128": "D"}
_DTYPES: Final = {"d": "f64", "D": "c128", "i": "i32"}


class _UFunc(ctypes.Structure):
    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__), ("nin", ctypes.c_int), ("nout", ctypes.c_int), ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int), ("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int), ("reserved", ctypes.c_int), ("name", ctypes.c_char_p), ("types", ctypes.POINTER(ctypes.c_char)),
    )  # fmt: skip


class Loop(NamedTuple):
    """An inner loop, what it is to be given as `data` (0: nothing), the dtypes of its arguments."""

    address: int
    data: int
    types: tuple[str, ...]


def find_loop(call: Call) -> Loop | None:
    """The loop for a call; None where this NumPy has none that is known here."""
    module = getattr(np.linalg, "_umath_linalg", None)
    name, signature = call.gufunc
    ufunc: Any = getattr(module, name, None)
    if not isinstance(ufunc, np.ufunc) or (ufunc.signature or "").replace(" ", "") != signature:
        return None
    numbers = [place for place, text in enumerate(ufunc.types) if text[0] == _LETTERS[call.dtype]]
    raw = _UFunc.from_address(id(ufunc))
    said = (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes)
    if not numbers or (raw.nin, raw.nout, raw.nargs, raw.ntypes) != said or raw.name != ufunc.__name__.encode():
        return None
    number = numbers[0]
    letters = ufunc.types[number].replace("->", "")
    codes = raw.types[number * ufunc.nargs : (number + 1) * ufunc.nargs]
    if list(codes) != [np.dtype(letter).num for letter in letters] or not set(letters) <= set(_DTYPES) or not raw.functions[number]:
        return None
    return Loop(raw.functions[number] or 0, (raw.data[number] or 0) if raw.data else 0, tuple([_DTYPES[letter] for letter in letters]))


@cache
def failures_are_told() -> bool:
    """Whether this NumPy's loops tell of failures by the floating-point flag "invalid": the inverse of 0 is asked for, and that of 2."""
    loop, flags = find_loop(Call("inv", 0, "f64", 0)), flag_functions()
    if loop is None or flags is None:
        return False
    invert = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop.address)
    clear, test = [ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(flags[name]) for name in FLAGS]
    numbers, dimensions, steps = (ctypes.c_double * 2)(), (ctypes.c_ssize_t * 2)(1, 1), (ctypes.c_ssize_t * 6)(*[8] * 6)
    first = ctypes.addressof(numbers)
    told: list[bool] = []
    for number in (0.0, 2.0):
        numbers[0] = number
        arguments = (ctypes.c_void_p * 2)(first, first + 8)  # the loop moves them on
        clear(INVALID)
        invert(ctypes.addressof(arguments), ctypes.addressof(dimensions), ctypes.addressof(steps), loop.data or None)
        told.append(bool(test(INVALID)))
    clear(INVALID)
    return told == [True, False] and numbers[1] == 0.5


def flag_functions() -> dict[str, int] | None:
    """The C library's functions on floating-point exceptions, which are in the process wherever NumPy's loops are."""
    try:
        library = ctypes.CDLL(np.linalg._umath_linalg.__file__)  # pyright: ignore
        return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in FLAGS}
    except (AttributeError, OSError, TypeError):
        return None
