"""Dtypes to LLVM type texts and Python numbers to constant texts: the spelling that all emitters of this room share."""

from __future__ import annotations

import struct

from staxlang.base.dtypes import DType

# In registers a bool is i1 and a bf16 its bits; in memory a bool is a byte. A complex number is two of its components.
ELEMENT_ROWS: dict[str, str] = {
    "bool": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64",
    "f16": "half", "bf16": "i16", "f32": "float", "f64": "double", "c64": "float", "c128": "double",
}  # fmt: skip
MEMORY_ROWS: dict[str, str] = {**ELEMENT_ROWS, "bool": "i8"}
SUFFIX_ROWS: dict[str, str] = {"half": "f16", "float": "f32", "double": "f64"}
BITS_ROWS: dict[str, int] = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "half": 16, "float": 32, "double": 64}


def vector(element: str, lanes: int) -> str:
    """The type of `lanes` elements; one element is a scalar."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def suffix(element: str, lanes: int) -> str:
    """The overload suffix of an intrinsic on that type.

    >>> suffix("float", 16), suffix("i32", 1)
    ('v16f32', 'i32')
    """
    short = SUFFIX_ROWS.get(element, element)
    return short if lanes == 1 else f"v{lanes}{short}"


def element(dtype: DType) -> str:
    """The LLVM type of a value (of a complex value: of a component) in a register."""
    return ELEMENT_ROWS[dtype.name]


def memory(dtype: DType) -> str:
    """The LLVM type of an element (of a complex element: of a component) in memory."""
    return MEMORY_ROWS[dtype.name]


def component_size(dtype: DType) -> int:
    """Bytes of an element in memory (of a complex element: of a component)."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def splat(text: str, kind: str, lanes: int) -> str:
    """A constant's text in every lane."""
    return text if lanes == 1 else f"splat ({kind} {text})"


def lane_numbers(kind: str, lanes: int, step: int = 1, start: int = 0) -> str:
    """The constant <start, start + step, ...>."""
    return "<" + ", ".join(f"{kind} {start + step * k}" for k in range(lanes)) + ">"


def permutation(order: list[int]) -> str:
    """A shufflevector mask."""
    return f"<{len(order)} x i32> <" + ", ".join(f"i32 {k}" for k in order) + ">"


def float_text(value: float, kind: str) -> str:
    """A float constant, bit for bit; `value` is rounded to the type first."""
    if kind == "half":
        return f"0xH{struct.unpack('<H', struct.pack('<e', _within(value, 65504.0, 65520.0)))[0]:04X}"
    if kind == "float":
        value = struct.unpack("<f", struct.pack("<f", _within(value, 3.4028234663852886e38, 3.4028235677973366e38)))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _within(value: float, largest: float, overflow: float) -> float:
    """`struct` refuses what rounds to infinity, so round it here."""
    if abs(value) <= largest or value != value:
        return value
    if abs(value) < overflow:
        return largest if value > 0 else -largest
    return float("inf") if value > 0 else float("-inf")


def bfloat_bits(value: float) -> int:
    """The bits of a bf16 nearest to value (ties to even), as a signed 16-bit number."""
    value = struct.unpack("<f", struct.pack("<f", _within(value, 3.4028234663852886e38, 3.4028235677973366e38)))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    short = (bits >> 16 | 0x40) if value != value else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (short & 0xFFFF) - (0x10000 if short & 0x8000 else 0)


def number(value: complex, dtype: DType) -> str:
    """A constant of the dtype in a register. Of a complex dtype: pass its components with the component's dtype.

    >>> from staxlang.base.dtypes import F32, I8, BOOL
    >>> number(1.0, F32), number(300, I8), number(True, BOOL)
    ('0x3FF0000000000000', '44', 'true')
    """
    kind = dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if isinstance(value, complex):
        value = value.real
    if kind in "iu":
        bits = dtype.bits
        whole = int(value) & ((1 << bits) - 1)
        return str(whole - (1 << bits) if whole >> (bits - 1) else whole)
    if dtype.name == "bf16":
        return str(bfloat_bits(float(value)))
    return float_text(float(value), ELEMENT_ROWS[dtype.name])
