"""NumPy's sorting routines as addresses for native programs, from the table of its C interface.

PyDataType_GetArrFuncs and the record that it gives are public and part of the binary interface of NumPy 2; what is found is tried on three
numbers. Where it cannot be had the program calls NumPy's function through Python instead.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from staxlang.base.dtypes import DTYPES
from staxlang.compiler.llvm.ordering import OrderCall

_ABI: Final = 0x02000000
_VERSION: Final = 0
_FUNCTIONS_OF: Final = 365
"""Places in the table: PyArray_GetNDArrayCVersion, PyDataType_GetArrFuncs."""
_SORTS: Final = 264
_ARGSORTS: Final = 288
"""Bytes into PyArray_ArrFuncs: 21 casts and 12 functions come before the three ways to sort, then the three for places."""


def find_order(call: OrderCall) -> int | None:
    """The address of NumPy's routine; None where this NumPy has none that is known here."""
    try:
        functions = _functions(np.dtype(DTYPES[call.dtype].numpy))
        start = _SORTS if call.routine == "sort" else _ARGSORTS
        address = ctypes.c_void_p.from_address(functions + start + 8 * call.kind).value if functions else None
        return address if address and _sorts(address, call) else None
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def _functions(dtype: np.dtype[Any]) -> int:
    """The address of a dtype's PyArray_ArrFuncs; 0 where the interface is another one."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    core: Any = getattr(np, "_core", None)
    table: int = pointer(core._multiarray_umath._ARRAY_API, None)
    if ctypes.PYFUNCTYPE(ctypes.c_uint)(_entry(table, _VERSION))() != _ABI:
        return 0
    return ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(_entry(table, _FUNCTIONS_OF))(dtype) or 0


def _entry(table: int, place: int) -> int:
    return ctypes.c_void_p.from_address(table + 8 * place).value or 0


def _sorts(address: int, call: OrderCall) -> bool:
    """Whether a routine does what it is taken for."""
    row = np.array([1, 0, 1], DTYPES[call.dtype].numpy)
    if call.routine == "sort":
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)(address)
        return function(row.ctypes.data, 3, None) == 0 and row.tolist() == [0, 1, 1]
    places = np.arange(3)
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)(address)
    return function(row.ctypes.data, places.ctypes.data, 3, None) == 0 and places[0] == 1
