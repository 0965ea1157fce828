"""The functions of the array API standard, as kernels of one operation each, against NumPy's: all dtypes, special cases, every function."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import staxlang.array_api_adapter as xp
from tests.coverage.calls import FIXED, RECORDS, arrays
from tests.coverage.test_table import compare
from tests.stdlib.against_numpy import compiled

Array = np.ndarray[Any, Any]
REAL = ("float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *SIGNED, *UNSIGNED, *REAL, *COMPLEX)


# ---- the namespace ----


def test_the_namespace_has_what_the_standard_names() -> None:
    for name in xp.__dir__():
        assert hasattr(xp, name)
    for extension in (xp.linalg, xp.fft):
        assert all(callable(getattr(extension, name)) for name in dir(extension))
    with pytest.raises(AttributeError, match="the array API has no 'matrix'"):
        xp.matrix  # noqa: B018
    with pytest.raises(AttributeError, match="has no 'matrix'"):
        xp.linalg.matrix  # noqa: B018
    assert xp.__array_api_version__ == "2024.12" and xp.float32 is np.float32 and xp.pi == np.pi


EXTENSIONS = [f"{part}.{name}" for part, names in (("linalg", xp.LINALG), ("fft", xp.FFT)) for name in names.split()]
CREATED = {"bool": "?", "real": "f8", "integer": "i4", "complex": "c16"}


@pytest.mark.parametrize("name", [*sorted(xp.FUNCTIONS - set(xp.ELEMENTWISE.split())), *EXTENSIONS])
def test_a_function_is_numpys(name: str) -> None:
    """By the calls of the table of coverage."""
    part, _, own = name.rpartition(".")
    mine, theirs = (getattr(getattr(home, part) if part else home, own) for home in (xp, np))
    taken = 0
    for dtype in CREATED.values():
        for text in RECORDS.get(f"np.{name}", ("f(x)",)):
            left, _, right = text.partition(" => ")
            given = {**arrays(dtype), **FIXED, "np": np}
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    wanted = eval(right or left, {**given, "f": theirs})
            except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
                continue
            compare(eval(left, {**given, "f": mine}), wanted, f"{name}: {left} of {dtype}")
            taken += 1
    assert taken
    if hasattr(mine, "stats"):
        assert mine.stats().fallbacks == 0


# ---- elementwise: special cases ----


def numbers(dtype: str) -> Array:
    """Signed zeros, infinities, NaN, ends of the range, and some between."""
    kind = np.dtype(dtype)
    if dtype == "bool":
        return np.array([False, True])
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        return np.unique(np.array([ends.min, ends.max, 0, 1, 2, 7, ends.max // 2, *([-1, -3] if kind.kind == "i" else [])], dtype))
    if kind.kind == "f":
        ends = np.finfo(kind)
        parts = [0.0, 1.0, 0.5, 1.5, 2.0, 3.0, 7.25, np.inf, ends.max, ends.tiny]
        return np.array([*parts, *(-part for part in parts), np.nan], dtype)
    parts = [0.0, -0.0, 1.0, -2.5]
    return np.array([complex(a, b) for a, b in itertools.product(parts, parts)], dtype)


def unary() -> list[str]:
    return [name for name in xp.ELEMENTWISE.split() if name != "clip" and getattr(getattr(np, name), "nin", 1) == 1]


def binary() -> list[str]:
    return [name for name in xp.ELEMENTWISE.split() if getattr(getattr(np, name), "nin", 1) == 2]


def assert_alike(got: Array, want: Array, what: str, signs: bool = True) -> None:
    """The same dtype and shape; the same special values, with `signs` those of zeros; numbers within a few units in the last place."""
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got.dtype, want.dtype)
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want, what)
        return
    for part in ("real", "imag") if want.dtype.kind == "c" else ("real",):
        mine, theirs = getattr(got, part), getattr(want, part)
        np.testing.assert_array_equal(np.isnan(mine), np.isnan(theirs), f"{what}: NaN")
        whole = ~np.isnan(theirs)
        exact = whole & (np.isinf(theirs) | ((theirs == 0) & signs))
        np.testing.assert_array_equal(mine[exact], theirs[exact], f"{what}: zeros and infinities")
        np.testing.assert_array_equal(np.signbit(mine[exact]), np.signbit(theirs[exact]), f"{what}: their signs")
        few = 8 * np.finfo(theirs.dtype).eps
        size = np.abs(want[whole & ~exact]) * few if want.dtype.kind == "c" else 0
        np.testing.assert_array_less(
            np.abs(mine[whole & ~exact] - theirs[whole & ~exact]) - size,
            np.abs(theirs[whole & ~exact]) * few + np.finfo(theirs.dtype).tiny,
            f"{what}: numbers",
        )


def by_numpy(name: str, *operands: Array) -> Array | None:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(getattr(np, name)(*operands))
    except TypeError:
        return None


def check_in_all_dtypes(name: str, cases: dict[str, tuple[Array, ...]], signs: bool = True) -> None:
    """One kernel with the operation in each dtype that has it; of some dtypes the adapter's own kernel too."""
    wanted = {dtype: want for dtype, operands in cases.items() if (want := by_numpy(name, *operands)) is not None}
    given = {f"{letter}_{dtype}": one for dtype in wanted for letter, one in zip("xy", cases[dtype], strict=False)}
    calls = [f"np.{name}({', '.join(f'{letter}_{dtype}' for letter, _ in zip('xy', cases[dtype], strict=False))})" for dtype in wanted]
    kernel = compiled(f"({', '.join(calls)},)", list(given), {"np": np})
    for (dtype, want), got in zip(wanted.items(), kernel(**given), strict=True):
        assert_alike(np.asarray(got), want, f"{name} of {dtype}", signs)
        if dtype in ("float32", "uint8", "complex128"):
            assert_alike(np.asarray(getattr(xp, name)(*cases[dtype])), want, f"{name} of {dtype} by the adapter", signs)
    assert kernel.stats().fallbacks == 0


@pytest.mark.parametrize("name", unary())
def test_special_cases_of_one_operand(name: str) -> None:
    check_in_all_dtypes(name, {dtype: (numbers(dtype),) for dtype in ALL})


@pytest.mark.parametrize("name", binary())
def test_special_cases_of_two_operands(name: str) -> None:
    cases: dict[str, tuple[Array, ...]] = {}
    for dtype in ALL:
        one = numbers(dtype)
        x, y = (part.ravel().copy() for part in np.meshgrid(one, one, indexing="ij"))
        kind = np.dtype(dtype).kind
        if "shift" in name and kind in "iu":
            y = np.abs(y % np.array(np.dtype(dtype).itemsize * 8, dtype))
        if name == "pow" and kind in "iu":
            y = np.abs(y % np.array(7, dtype))
        if name == "pow" and kind == "c":
            x, y = x[np.abs(x) > 0], y[np.abs(x) > 0]
        cases[dtype] = x, y
    check_in_all_dtypes(name, cases, name != "pow")


PAIRS = [("int8", "uint8"), ("int16", "uint32"), ("int32", "float32"), ("bool", "uint16"), ("uint8", "float32"), ("float32", "float64"),
         ("float64", "complex64"), ("int64", "complex64"), ("complex64", "complex128"), ("uint64", "int64"), ("int8", "int64")]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), [*PAIRS, *((b, a) for a, b in PAIRS)])
def test_promotion(left: str, right: str) -> None:
    """The common dtype of two: the standard's table, and NumPy's where the standard has none."""
    x, y = numbers(left)[:2], numbers(right)[:2]
    with np.errstate(all="ignore"):
        assert_alike(np.asarray(xp.multiply(x, y)), np.multiply(x, y), f"{left} * {right}")
    assert xp.result_type(x, y) == np.result_type(x, y)
    assert xp.can_cast(np.dtype(left), np.dtype(right)) == np.can_cast(np.dtype(left), np.dtype(right))


@pytest.mark.parametrize("dtype", ALL[:-2])
def test_orders_downwards(dtype: str) -> None:
    """Of equal elements the first one comes first, upwards and downwards."""
    x = (np.arange(24) * 7 % 5).reshape(4, 6).astype(dtype)
    for axis in (0, 1, -1):
        down = xp.argsort(x, axis=axis, descending=True)
        for rows, places in zip(np.moveaxis(x, axis, -1), np.moveaxis(down, axis, -1), strict=True):
            assert places.tolist() == sorted(range(rows.size), key=lambda k, rows=rows: -int(rows[k]))
        assert_alike(xp.sort(x, axis=axis, descending=True), np.take_along_axis(x, down, axis), dtype)
        assert_alike(xp.argsort(x, axis=axis), np.argsort(x, axis=axis, stable=True), dtype)


def test_what_the_namespace_says_of_itself() -> None:
    info = xp.__array_namespace_info__()
    assert info.default_device() == "cpu" and info.dtypes()["float32"] == np.dtype("float32")
    assert set(info.capabilities()) == {"boolean indexing", "data-dependent shapes", "max dimensions"}


def test_clip() -> None:
    for dtype in (*SIGNED, *UNSIGNED, *REAL):
        x = numbers(dtype)
        for bounds in ({"min": 1, "max": 2}, {"max": 1}, {"min": 2}, {}, {"min": x[::-1].copy(), "max": x[0]}):
            assert_alike(np.asarray(xp.clip(x, **bounds)), np.asarray(np.clip(x, **bounds)), f"clip of {dtype} {bounds}", False)


COMPLEX_FUNCTIONS = (
    "sqrt exp expm1 exp2 log log1p log10 log2 sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh square reciprocal "
    "sign absolute angle"
).split()  # fmt: skip


@pytest.mark.parametrize("dtype", COMPLEX)
def test_infinite_parts_and_not_numbers(dtype: str) -> None:
    """The table of C's Annex G, which the standard repeats. What sign a zero has beside NaN is not said."""
    parts = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan]
    z = np.zeros(49, dtype)
    z.real, z.imag = (one.ravel() for one in np.meshgrid(parts, parts))
    kernel = compiled("(" + ", ".join(f"np.{name}(z)" for name in COMPLEX_FUNCTIONS) + ")", ["z"], {"np": np})
    results = kernel(z)
    assert kernel.stats().fallbacks == 0
    for name, got in zip(COMPLEX_FUNCTIONS, results, strict=True):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(z)
        for part in ("real", "imag"):
            mine, theirs = getattr(got, part), getattr(want, part)
            np.testing.assert_allclose(mine, theirs, 1e-5, 0, True, f"{name} of {dtype}")
            told = (theirs == 0) & ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(mine[told]), np.signbit(theirs[told]), f"{name} of {dtype}: signs")
