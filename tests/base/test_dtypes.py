"""dtypes against NumPy: promotion over all pairs and triples, weak ones included; casting; bounds."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

from staxlang.base import dtypes
from staxlang.base.dtypes import (
    BF16,
    BOOL,
    C64,
    C128,
    DTYPES,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U64,
    WEAK_COMPLEX,
    WEAK_DTYPES,
    WEAK_FLOAT,
    WEAK_INT,
    DType,
    as_dtype,
    can_cast,
    concrete,
    fits,
    from_numpy,
    integer_bounds,
    of_python,
    promote,
)  # fmt: skip

CONCRETE = [dtype for dtype in DTYPES.values() if dtype is not BF16]
WEAK = {WEAK_INT: 1, WEAK_FLOAT: 1.0, WEAK_COMPLEX: 1j}


def by_numpy(*operands: DType) -> DType | None:
    return from_numpy(np.result_type(*(WEAK.get(dtype, dtype.numpy) for dtype in operands)))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_promotion_is_numpys(count: int) -> None:
    for operands in itertools.product([*CONCRETE, *WEAK], repeat=count):
        assert concrete(promote(*operands)) is by_numpy(*operands), operands


def test_python_numbers_among_themselves_stay_weak() -> None:
    assert promote(WEAK_INT, WEAK_FLOAT) is WEAK_FLOAT
    assert promote(WEAK_INT, WEAK_COMPLEX, WEAK_FLOAT) is WEAK_COMPLEX
    assert promote(BOOL, WEAK_INT) is I64


def test_bfloat16_promotes_like_a_float_of_eight_bits_of_precision() -> None:
    assert [promote(BF16, other) for other in (BOOL, I8, U8, WEAK_INT, WEAK_FLOAT)] == [BF16] * 5
    assert promote(BF16, F16) is F32 and promote(BF16, F32) is F32 and promote(BF16, I16) is F32
    assert promote(BF16, F64) is F64 and promote(BF16, I32) is F64
    assert promote(BF16, C64) is C64 and promote(BF16, WEAK_COMPLEX) is C64


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_is_numpys(casting: str) -> None:
    for source, target in itertools.product(CONCRETE, repeat=2):
        assert can_cast(source, target, casting) == np.can_cast(source.numpy, target.numpy, casting), (source, target)


def test_weak_numbers_cast_to_their_kind_and_above() -> None:
    assert can_cast(WEAK_INT, U8) and can_cast(WEAK_INT, F16) and not can_cast(WEAK_FLOAT, I64) and not can_cast(WEAK_COMPLEX, F64)


def test_numpy_and_back() -> None:
    for dtype in CONCRETE:
        assert from_numpy(dtype.numpy) is dtype
        assert dtype.itemsize == dtype.numpy.itemsize
    assert from_numpy(np.dtype(np.longlong)) is I64
    assert from_numpy(np.dtype(">f4" if np.little_endian else "<f4")) is None
    for strange in ("U3", "S3", "O", "M8[s]", "m8[s]", "V4", "f4,f4"):
        assert from_numpy(np.dtype(strange)) is None


@pytest.mark.parametrize(
    "given, expected",
    [
        (np.float32, F32), ("float32", F32), ("f4", F32), ("i8", I64), (float, F64), (int, I64), (bool, BOOL), (complex, C128),
        (F16, F16), (WEAK_INT, I64), (np.dtype("u1"), U8), ("datetime64[s]", None), ("no such", None), (None, None),
    ],
)  # fmt: skip
def test_what_numpy_takes_for_a_dtype(given: object, expected: DType | None) -> None:
    assert as_dtype(given) is expected


def test_bfloat16_says_what_it_needs() -> None:
    try:
        found = BF16.numpy
    except ImportError as error:
        assert "ml_dtypes" in str(error)
    else:
        assert from_numpy(found) is BF16


def test_one_object_for_each_name() -> None:
    for dtype in [*DTYPES.values(), *WEAK_DTYPES.values()]:
        assert pickle.loads(pickle.dumps(dtype)) is dtype and copy.deepcopy(dtype) is dtype and str(dtype) == dtype.name
    with pytest.raises(AttributeError):
        F32.bits = 64  # type: ignore[misc]


def test_python_numbers_have_weak_dtypes() -> None:
    assert [of_python(value) for value in (True, 1, 1.0, 1j, "1", np.float64(1))] == [BOOL, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX, None, None]


@pytest.mark.parametrize("dtype", [dtype for dtype in CONCRETE if dtype.kind in "iu"])
def test_bounds_are_numpys(dtype: DType) -> None:
    low, high = integer_bounds(dtype)
    info = np.iinfo(dtype.numpy)
    assert (low, high) == (info.min, info.max)
    assert fits(low, dtype) and fits(high, dtype) and not fits(low - 1, dtype) and not fits(high + 1, dtype)
    assert fits(2.5, dtype) and fits(True, dtype)


def test_families() -> None:
    assert I8 in dtypes.int_ and U64 in dtypes.int_ and F16 in dtypes.float_ and BF16 in dtypes.float_
    assert BOOL not in dtypes.number and C64 in dtypes.number
    assert dtypes.real_of(C64) is F32 and dtypes.real_of(I8) is I8 and dtypes.complex_of(F64) is C128 and dtypes.complex_of(F16) is C64
