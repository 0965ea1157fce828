"""A Python class to a type whose instances are called through native code: vectorcall in the object, bound as methods without Python.

The instances start without an entry; then calls go to the class's `__call__`.
"""

from __future__ import annotations

import ctypes
from types import FunctionType
from typing import Any, Final

_BASE_TYPE, _VECTORCALL, _METHOD = 1 << 10, 1 << 11, 1 << 17  # Py_TPFLAGS_BASETYPE, HAVE_VECTORCALL, METHOD_DESCRIPTOR
_TP_DESCR_GET, _TP_MEMBERS = 54, 72
_T_PYSSIZET, _READONLY = 19, 1


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_kept: Final[list[Any]] = []  # what the interpreter keeps pointers to


def native_type(base: type, name: str) -> tuple[type, int]:
    """A subtype of `base` (which defines `__call__`) whose instances hold, at the offset that is returned, the address of their entry."""
    offset = (base.__basicsize__ + 7) // 8 * 8
    slot_of = ctypes.pythonapi.PyType_GetSlot
    slot_of.restype, slot_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    bind = slot_of(FunctionType, _TP_DESCR_GET)  # a function's way to become a method looks at no field of the function
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _T_PYSSIZET, offset, _READONLY, None), _Member())
    slots = (_Slot * 3)(
        _Slot(_TP_DESCR_GET, bind),
        _Slot(_TP_MEMBERS, ctypes.cast(members, ctypes.c_void_p).value),
        _Slot(0, None),
    )
    spec = _Spec(f"{base.__module__}.{name}".encode(), offset + 8, 0, _BASE_TYPE | _VECTORCALL | _METHOD, slots)
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    made = make(ctypes.addressof(spec), (base,))
    _kept.extend((members, slots, spec))
    return made, offset


def set_entry(kernel: Any, offset: int, address: int) -> None:
    """Direct the calls of a kernel object to a native entry; 0: to its class's `__call__`."""
    ctypes.c_uint64.from_address(id(kernel) + offset).value = address
