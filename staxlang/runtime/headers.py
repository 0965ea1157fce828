"""Where CPython and NumPy keep what the native entry reads: offsets, dtype words, C-API addresses, measured and tested here."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from staxlang.compiler.llvm.entry_plan import HeaderLayout

_API_INDEX: Final = {"PyArray_Type": 2, "stax_numpy_scalar": 60, "stax_numpy_new": 94, "stax_numpy_set_base": 282}
ARRAY_FLAGS, ARRAY_HANDLER, DICT_TAG = 64, 88, 24

# Names of base.dtypes to the type characters of NumPy that hold them (two of the same width are one dtype for the language).
_CHARACTERS: Final = {
    "bool": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "il", "u32": "IL", "i64": "lq", "u64": "LQ",
    "f16": "e", "f32": "f", "f64": "d", "c64": "F", "c128": "D",
}  # fmt: skip

# NumPy's type characters to names of base.dtypes.
DTYPE_NAMES: Final = {
    character: name for name, characters in _CHARACTERS.items() for character in characters
    if np.dtype(character).itemsize == (1 if name == "bool" else int(name[1:]) // 8)
}  # fmt: skip

BFLOAT16: Final = "bfloat16"  # of ml_dtypes; its number in this process is not known beforehand, so calls with it are matched in Python


def dtype_name(dtype: np.dtype[Any]) -> str | None:
    """The name in base.dtypes of a NumPy dtype, its byte order aside; None where kernels do not take it."""
    return DTYPE_NAMES.get(dtype.char) or ("bf16" if dtype.name == BFLOAT16 else None)


def word(address: int, offset: int = 0) -> int:
    """64 bits of memory, signed."""
    return ctypes.c_int64.from_address(address + offset).value


def _int32(address: int, offset: int = 0) -> int:
    return ctypes.c_int32.from_address(address + offset).value


def dtype_words(layout: HeaderLayout) -> dict[str, tuple[int, ...]]:
    """The kind/type/byteorder/number words of each native dtype's descriptors."""
    found: dict[str, tuple[int, ...]] = {}
    for character, name in DTYPE_NAMES.items():
        found[name] = (*found.get(name, ()), word(id(np.dtype(character)), layout.descr_word))
    return found


def numpy_symbols() -> dict[str, int]:
    """Addresses of what the entries call in NumPy."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(_multiarray()._ARRAY_API, None)
    return {name: ctypes.c_void_p.from_address(table + 8 * index).value or 0 for name, index in _API_INDEX.items()}


def _multiarray() -> Any:
    """NumPy's core module, which holds the capsule of its C API (documented, but without a typed name; NumPy 1 has it elsewhere)."""
    core: Any = getattr(np, "_core", None) or getattr(np, "core")  # noqa: B009
    return core._multiarray_umath


def layout() -> HeaderLayout:
    """The offsets for this interpreter. Dicts carry a version tag up to CPython 3.13; later all names are looked up at each call."""
    tagged = sys.version_info < (3, 14) and _tag_works(DICT_TAG)
    return HeaderLayout(dict_tag=DICT_TAG if tagged else 0)


def _tag_works(offset: int) -> bool:
    """Does the word change with every change of a name's value, and with nothing else?"""
    names: dict[str, Any] = {"a": 1, "b": 2}
    seen = [word(id(names), offset)]
    for value in (5, 6.0, None):
        names["a"] = value
        seen.append(word(id(names), offset))
    names["c"] = 3
    seen.append(word(id(names), offset))
    del names["c"]
    seen.append(word(id(names), offset))
    still = names["a"], word(id(names), offset)
    return len(set(seen)) == len(seen) and still[1] == seen[-1]


def supported() -> str:
    """Empty where the native entry can be used; else the reason why not."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little":
        return "it needs CPython on a 64-bit little-endian machine"
    if "free-threading" in sys.version:
        return "this interpreter has no global lock"
    if object.__basicsize__ != 16:
        return "this interpreter's objects have another header"
    for what, holds in _TESTS:
        try:
            good = holds(HeaderLayout())
        except Exception:  # a test that cannot even be made says the same as one that fails
            good = False
        if not good:
            return f"{what} is laid out differently than expected"
    return ""


def _array_holds(at: HeaderLayout) -> bool:
    array = np.zeros((5, 7, 3), np.float32)[1:4, ::-2]
    here = id(array)
    dims, strides = word(here, at.array_dims), word(here, at.array_strides)
    return (
        word(here, at.type) == id(np.ndarray)
        and word(here, at.array_data) == array.__array_interface__["data"][0]
        and _int32(here, at.array_rank) == 3
        and tuple(word(dims, 8 * k) for k in range(3)) == array.shape
        and tuple(word(strides, 8 * k) for k in range(3)) == array.strides
        and word(here, at.array_descr) == id(array.dtype)
        and _int32(here, at.array_flags) == array.flags.num
    )


def _descriptor_holds(at: HeaderLayout) -> bool:
    swapped = np.dtype(np.float32).newbyteorder()
    text = word(id(np.dtype(np.float32)), at.descr_word).to_bytes(8, "little")
    other = word(id(swapped), at.descr_word).to_bytes(8, "little")
    return text[:3] == b"ff=" and int.from_bytes(text[4:], "little") == np.dtype(np.float32).num and other[2:3] in (b">", b"<")


def _handler_holds(at: HeaderLayout) -> bool:
    owner, view = np.empty(8), np.empty(8)[1:]
    capsule = word(id(owner), ARRAY_HANDLER)
    kind = cast("Any", type(_multiarray()._ARRAY_API))
    return bool(capsule) and word(capsule, at.type) == id(kind) and word(id(view), ARRAY_HANDLER) == 0


def _numbers_hold(at: HeaderLayout) -> bool:
    number, both, scalar = 1.5, complex(2.5, -3.5), np.float64(4.25)
    real = ctypes.c_double.from_address
    return (
        real(id(number) + at.value).value == 1.5
        and (real(id(both) + at.value).value, real(id(both) + at.value + 8).value) == (2.5, -3.5)
        and real(id(scalar) + at.value).value == 4.25
    )


def _containers_hold(at: HeaderLayout) -> bool:
    first, second = object(), object()
    pair, items, names = (first, second), [first, second], {"a": 1, "b": 2, "c": 3}
    cell = (lambda: first).__closure__
    assert cell is not None
    start = word(id(items), at.list_items)
    return (
        word(id(pair), at.var_size) == word(id(items), at.var_size) == 2
        and word(id(pair), at.tuple_items) == word(start) == id(first)
        and word(id(pair), at.tuple_items + 8) == word(start, 8) == id(second)
        and word(id(names), at.dict_size) == 3
        and word(id(cell[0]), at.value) == id(first)
    )


_TESTS: Final[tuple[tuple[str, Callable[[HeaderLayout], bool]], ...]] = (
    ("numpy.ndarray", _array_holds),
    ("numpy.dtype", _descriptor_holds),
    ("an array's memory handler", _handler_holds),
    ("a number", _numbers_hold),
    ("a container", _containers_hold),
)
