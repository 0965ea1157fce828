"""Element types pass through here: their names, NumPy's promotion (NEP 50, Python scalars included), casting rules, bounds."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from staxlang.base.records import record


@record
class DType:
    """An element type. One object per name, so equality is identity.

    kind: 'b' bool, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex; bits: of storage (8 for bool, 128 for c128).
    A weak dtype is a Python number's: a kind without a width (its bits are those it gets where nothing else decides).
    """

    name: str
    kind: str
    bits: int
    weak: bool = False

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.bits >> 3

    @property
    def numpy(self) -> np.dtype[Any]:
        """NumPy's dtype, in native byte order; of a weak dtype, that of its default width."""
        found = _NUMPY.get(self.name)
        if found is None:
            found = _NUMPY[self.name] = _bfloat16() if self.name == "bf16" else np.dtype(_NUMPY_NAMES[self.name])
        return found

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


BOOL = DType("bool", "b", 8)
I8, I16, I32, I64 = (DType(f"i{bits}", "i", bits) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"u{bits}", "u", bits) for bits in (8, 16, 32, 64))
F16, F32, F64 = (DType(f"f{bits}", "f", bits) for bits in (16, 32, 64))
BF16 = DType("bf16", "f", 16)
C64, C128 = DType("c64", "c", 64), DType("c128", "c", 128)
WEAK_INT = DType("int", "i", 64, weak=True)
WEAK_FLOAT = DType("float", "f", 64, weak=True)
WEAK_COMPLEX = DType("complex", "c", 128, weak=True)

DTYPES: dict[str, DType] = {d.name: d for d in (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128)}
WEAK_DTYPES: dict[str, DType] = {d.name: d for d in (WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX)}

# The families that annotations name.
int_: frozenset[DType] = frozenset((I8, I16, I32, I64, U8, U16, U32, U64))
float_: frozenset[DType] = frozenset((F16, BF16, F32, F64))
complex_: frozenset[DType] = frozenset((C64, C128))
number: frozenset[DType] = int_ | float_ | complex_

_KIND_RANK = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}
_NUMPY_NAMES = {
    "bool": "bool", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
    "int": "int64", "float": "float64", "complex": "complex128",
    **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)}, **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)},
}  # fmt: skip
_NUMPY: dict[str, np.dtype[Any]] = {}
_FROM_NUMPY: dict[np.dtype[Any], DType | None] = {}
_BY_KIND_AND_SIZE = {(d.kind, d.itemsize): d for d in DTYPES.values() if d is not BF16}
_DEFAULTS = {WEAK_INT: I64, WEAK_FLOAT: F64, WEAK_COMPLEX: C128}
_WEAK_OF = {"i": WEAK_INT, "u": WEAK_INT, "f": WEAK_FLOAT, "c": WEAK_COMPLEX}
_PROMOTED: dict[tuple[DType, DType], DType] = {}


def _named(name: str) -> DType:
    return DTYPES.get(name) or WEAK_DTYPES[name]


def _bfloat16() -> np.dtype[Any]:
    try:
        import ml_dtypes  # noqa: PLC0415 (an optional extra)  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ImportError("NumPy has no bfloat16 of its own: install the package ml_dtypes", name="ml_dtypes") from None
    return np.dtype(ml_dtypes.bfloat16)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def numpy_or_own(dtype: DType) -> Any:
    """NumPy's dtype, to be compared with others; where the package that has it is not installed, no array is of it: it equals itself."""
    try:
        return dtype.numpy
    except ImportError:
        return dtype


def from_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The DType of a NumPy dtype; None for one that Stax has no counterpart of (foreign byte order, long double, strings, ...)."""
    try:
        return _FROM_NUMPY[dtype]
    except KeyError:
        pass
    found = BF16 if dtype.name == "bfloat16" else _BY_KIND_AND_SIZE.get((dtype.kind, dtype.itemsize)) if dtype.isnative else None
    if dtype.kind == "f" and dtype.itemsize == 8 and dtype.char == "g":  # long double is double on some platforms
        found = F64
    if len(_FROM_NUMPY) < 256:
        _FROM_NUMPY[dtype] = found
    return found


def as_dtype(value: Any) -> DType | None:
    """What NumPy would take `value` for as a `dtype=` argument (np.float32, "float32", float, a DType, ...); None if not a dtype here."""
    if type(value) is DType:
        return concrete(value)
    try:
        return from_numpy(np.dtype(value)) if value is not None else None
    except TypeError:
        return None


def of_python(value: object) -> DType | None:
    """The dtype of a Python number: BOOL or a weak one. None for anything else."""
    return _OF_PYTHON.get(type(value))


_OF_PYTHON: dict[type, DType] = {bool: BOOL, int: WEAK_INT, float: WEAK_FLOAT, complex: WEAK_COMPLEX}


def concrete(dtype: DType) -> DType:
    """The dtype itself, or the default width of a weak one: i64, f64, c128."""
    return _DEFAULTS[dtype] if dtype.weak else dtype


def promote(*dtypes: DType) -> DType:
    """The dtype that operands of these dtypes meet in: `concrete(promote(...))` is NumPy's `result_type`.

    Where all are Python numbers the result is weak again.

    >>> promote(F32, I64), promote(F32, WEAK_FLOAT), promote(I8, WEAK_FLOAT), promote(WEAK_INT, WEAK_FLOAT)
    (f64, f32, f64, float)
    """
    if len(dtypes) == 2:
        a, b = dtypes
        if a is b:
            return a
        found = _PROMOTED.get((a, b))
        if found is None:
            found = _PROMOTED[a, b] = _promote_pair(a, b)
        return found
    if len(dtypes) == 1:
        return dtypes[0]
    # Promotion is not associative: the strongest category comes first (i16, u16, f32 meet in f32), weak ones last.
    ordered = sorted(dtypes, key=lambda d: (d.weak, -_KIND_RANK[d.kind], -d.bits))
    return reduce(promote, ordered)


def _promote_pair(a: DType, b: DType) -> DType:
    if a.weak and b.weak:
        return max(a, b, key=lambda d: _KIND_RANK[d.kind])
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        if _KIND_RANK[weak.kind] <= _KIND_RANK[strong.kind] or (weak.kind == "i" and strong.kind == "u"):
            return strong
        if weak.kind == "c" and strong.kind == "f":
            return C128 if strong.bits == 64 else C64
        return concrete(weak)
    if _KIND_RANK[a.kind] < _KIND_RANK[b.kind]:
        a, b = b, a
    if b.kind == "b":
        return a
    if a.kind == b.kind:
        return F32 if a.bits == b.bits else a if a.bits > b.bits else b  # f16 and bf16 meet in f32
    return _PROMOTE_KINDS[a.kind](a, b)


def _signed_with_unsigned(a: DType, b: DType) -> DType:
    if a.bits > b.bits:
        return a
    return F64 if b.bits == 64 else DTYPES[f"i{2 * b.bits}"]


def _float_with_integer(a: DType, b: DType) -> DType:
    # The narrowest float that holds the integers: 8 bits fit f16 and bf16, 16 bits f32, more count as f64.
    needed = 16 if b.bits == 8 else 32 if b.bits == 16 else 64
    return a if a.bits >= needed else F32 if needed == 32 else F64


def _complex_with_real(a: DType, b: DType) -> DType:
    component = 64 if b.bits > 32 or (b.kind != "f" and b.bits > 16) else 32
    return a if a.bits >= 2 * component else C128


_PROMOTE_KINDS = {"i": _signed_with_unsigned, "f": _float_with_integer, "c": _complex_with_real}


def can_cast(source: DType, target: DType, casting: str = "safe") -> bool:
    """NumPy's `can_cast`; a weak source counts as fitting any dtype of its kind or a stronger one.

    >>> can_cast(I64, F64), can_cast(F64, F32), can_cast(F64, F32, "same_kind"), can_cast(F64, I64, "same_kind")
    (True, False, True, False)
    """
    if casting == "unsafe" or source is target:
        return True
    if casting in ("no", "equiv"):
        return False
    if source.weak or casting == "same_kind":
        ranks = _KIND_RANK[source.kind], _KIND_RANK[target.kind]
        if ranks[0] <= ranks[1] or (source.weak and source.kind == "i" and target.kind == "u"):
            return True
    return not source.weak and promote(source, target) is target


def integer_bounds(dtype: DType) -> tuple[int, int]:
    """The least and greatest value of an integer (or bool) dtype.

    >>> integer_bounds(I8)
    (-128, 127)
    """
    if dtype.kind == "b":
        return 0, 1
    return (0, (1 << dtype.bits) - 1) if dtype.kind == "u" else (-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)


def fits(value: object, dtype: DType) -> bool:
    """Whether a Python number may meet an array of this dtype: a Python integer must lie within an integer dtype's bounds."""
    if dtype.kind not in "iu" or dtype.weak or not isinstance(value, int) or isinstance(value, bool):
        return True
    low, high = integer_bounds(dtype)
    return low <= operator.index(value) <= high


def weak_of(dtype: DType) -> DType:
    """The weak dtype of a dtype's kind; bool stays bool (Python has it)."""
    return _WEAK_OF.get(dtype.kind, BOOL)


def real_of(dtype: DType) -> DType:
    """The component dtype of a complex dtype; any other dtype itself."""
    return (WEAK_FLOAT if dtype.weak else F32 if dtype.bits == 64 else F64) if dtype.kind == "c" else dtype


def complex_of(dtype: DType) -> DType:
    """The complex dtype that NumPy gives to values of this dtype."""
    return dtype if dtype.kind == "c" else promote(dtype, C64)
