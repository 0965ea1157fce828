"""Sorting, partitions, quantiles, sets and counts in kernels against NumPy's: every dtype, axes, odd shapes, NaN, zeros of both signs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.llvm.ordering import SIZES, order_call, read_order
from staxlang.runtime import libraries
from staxlang.runtime.orders import find_order
from tests.index_notation.everywhere import in_all_forms as agree_in_all_forms
from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, agree, signs

DTYPES = (*INTEGERS, *FLOATS, *COMPLEX)
SHAPES = ((0,), (1,), (2,), (17,), (200,), (3, 0), (0, 3), (5, 7), (2, 3, 4))


def numbers(dtype: str, shape: tuple[int, ...], seed: int = 0, zeros: tuple[float, float] = (0.0, -0.0)) -> np.ndarray[Any, Any]:
    """Few different numbers, so that some are equal; among floats NaN, infinities, zeros of both signs.

    Which of two zeros is a quantile is not said by NumPy: tests of quantiles take `zeros` of one sign.
    """
    generator = np.random.default_rng((seed, *shape))
    values: Any = generator.integers(-20, 20, shape)
    if dtype[0] in "fc":
        special = generator.choice([np.nan, np.inf, -np.inf, *zeros, 0.5, 3.0], shape)
        values = np.where(generator.random(shape) < 0.4, special, values)
    if dtype[0] == "c":
        imaginary = generator.choice([np.nan, *zeros, 1.0, -1.0], shape, p=[0.1, 0.3, 0.2, 0.2, 0.2])
        full = np.empty(shape, dtype)
        full.real, full.imag = values, imaginary
        return full
    return (values > 0 if dtype == "?" else np.abs(values) if dtype[0] == "u" else values).astype(dtype)


# ---- sorting ----

SORTS = ("f(x)", "f(x, axis=0)", "f(x, None)", "f(x, kind='stable')", "f(x, -1, 'heapsort')", "f(x, stable=True)", "f(x, kind='mergesort')",
         "f(x[::-1])", "f(x[..., ::2])", "f(x.T)", "f(x.T, axis=0)", "f(x, axis=-2)", "f(x, 9)")  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorting(name: str, dtype: str) -> None:
    for shape in SHAPES:
        agree(name, getattr(np, name), SORTS, {"x": numbers(dtype, shape)}, factor=0)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_what_cannot_be_sorted(name: str) -> None:
    texts = ("f(x)", "f(x, 0)", "f(x, None)", "f(y, kind='bubble')", "f(y, order='a')", "f(y, kind='stable', stable=True)", "f(y, axis=1)")
    agree(name, getattr(np, name), texts, {"x": np.float64(3), "y": np.arange(3.0)})


def test_methods() -> None:
    @stax.kernel
    def both(x, y):
        x.sort()
        y.T.sort(axis=0, kind="stable")
        return x.argsort(0), np.sort([3, 1, 2])

    x, y = numbers("f8", (6, 5)), numbers("i4", (4, 3))
    mine = x.copy(), y.copy()
    places, three = both(*mine)
    assert both.stats().route == "native"
    np.testing.assert_array_equal(mine[0], np.sort(x))
    np.testing.assert_array_equal(mine[1], np.sort(y))
    np.testing.assert_array_equal(places, np.sort(x).argsort(0))
    np.testing.assert_array_equal(three, [1, 2, 3])


def test_results_lie_in_memory_as_numpys() -> None:
    def several(x):
        y = x.transpose(1, 2, 0)
        sorts = [f(z, axis=k) for f in (np.sort, np.argsort) for z in (x, y) for k in (0, 1, 2)]
        parts = [f(z, 1, axis=k) for f in (np.partition, np.argpartition) for z in (x, y) for k in (0, 1, 2)]
        tenth = [f(x, [0.1, 0.5], axis=k) for f in (np.quantile, np.nanquantile) for k in (0, 1, 2)]
        rest = np.median(x, 0), np.median(x, 1), np.lexsort((x, x), 0), np.isin(y, [1.0, 2.0]), np.searchsorted(x[0, 0], y)
        return *sorts, *parts, *tenth, *rest

    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    for number, (got, want) in enumerate(zip(stax.kernel(several)(x), several(x), strict=True)):
        assert got.strides == want.strides, number


def test_bf16_is_ordered_as_f32() -> None:
    @stax.kernel
    def several(x):
        return (
            np.sort(x), np.argsort(x, 0, stable=True), np.partition(x, 2), np.median(x), np.nanmedian(x, axis=0),
            np.quantile(x, 0.3, axis=1), np.nanquantile(x, 0.3), stax.unique(x, size=30, fill_value=1),
        )  # fmt: skip

    wide = numbers("f4", (5, 40), 2, zeros=(0.0, 0.0))
    narrow = wide.astype(ml_dtypes.bfloat16)
    wanted = [
        np.sort(wide), np.argsort(wide, 0, stable=True), np.sort(wide), np.median(wide), np.nanmedian(wide, axis=0),
        np.quantile(wide, 0.3, axis=1), np.nanquantile(wide, 0.3), np.concatenate([np.unique(wide), np.ones(30)])[:30],
    ]  # fmt: skip
    for got, want in zip(several(narrow), wanted, strict=True):
        dtype = np.int64 if np.asarray(want).dtype == np.int64 else ml_dtypes.bfloat16
        assert np.asarray(got).dtype == dtype
        np.testing.assert_array_equal(np.asarray(got, "f4"), np.asarray(want).astype(dtype).astype("f4"))


def test_places_of_equal_elements_keep_their_order() -> None:
    @stax.kernel
    def order(x):
        return np.argsort(x, kind="stable")

    x = np.random.default_rng(0).integers(0, 3, 5000)
    assert np.array_equal(order(x), np.argsort(x, kind="stable"))
    assert np.array_equal(order(x.astype("f4")), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_engines(engine: str) -> None:
    @stax.kernel
    def f(x):
        return np.sort(x * 2, axis=0), np.argsort(x + 1)

    x = numbers("f8", (5, 6))
    lowered = f.lower(stax.spec(("N", 6), "f8"))
    values, places = lowered.compile(engine)(x)
    np.testing.assert_array_equal(values, np.sort(x * 2, axis=0))
    np.testing.assert_array_equal(signs(values, "real"), signs(np.sort(x * 2, axis=0), "real"))
    np.testing.assert_array_equal(places, np.argsort(x + 1))


# ---- partitions ----


def is_partition(got: np.ndarray[Any, Any], x: np.ndarray[Any, Any], kth: Any) -> None:
    """What NumPy promises of rows: the same elements, the kth ones where sorting puts them, none greater before and none less behind."""
    ordered = np.sort(x)
    np.testing.assert_array_equal(np.sort(got), ordered)
    for k in np.atleast_1d(kth) % x.shape[-1]:
        np.testing.assert_array_equal(got[..., k], ordered[..., k])
        np.testing.assert_array_equal(np.sort(got[..., :k]), ordered[..., :k])


@pytest.mark.parametrize("dtype", DTYPES)
def test_partitions(dtype: str) -> None:
    @stax.kernel
    def several(x, k):
        return (
            np.partition(x, 3), np.partition(x, k), np.partition(x.T, 2, axis=0).T, np.partition(x[..., ::-2], (0, -1)),
            np.argpartition(x, 3), x.argpartition(k, axis=-1), np.partition(x, 1, axis=None),
        )  # fmt: skip

    for shape in ((7,), (3, 20), (2, 3, 4), (2, 9000)):
        x = numbers(dtype, shape, 1)
        for k in (np.array([1, 3]), np.array([-1, 0], "i4")):
            found = several(x, k)
            assert several.stats().route == "native"
            for got, kth in zip(found[:2], (3, k), strict=True):
                is_partition(got, x, kth)
            is_partition(found[2], x, 2)
            is_partition(found[3], x[..., ::-2], (0, -1))
            for got, kth in zip(found[4:6], (3, k), strict=True):
                is_partition(np.take_along_axis(x, got, -1), x, kth)
            is_partition(found[6], x.ravel(), 1)


def test_partition_in_place_and_what_is_refused() -> None:
    @stax.kernel
    def f(x, k):
        x.partition(k)
        return x[..., 0]

    x = numbers("f8", (4, 9))
    mine = x.copy()
    assert np.array_equal(f(mine, 0), np.sort(x)[:, 0], equal_nan=True)
    is_partition(mine, x, 0)
    for y in (mine, np.zeros((2, 9), "i1"), np.zeros((2, 10000))):
        with pytest.raises(ValueError, match=r"kth(\(=\d*\))? out of bounds"):
            f(y, y.shape[-1])
    for name in ("partition", "argpartition"):
        agree(name, getattr(np, name), ("f(x, 1.0)", "f(x, True)", "f(x, 0, 5)", "f(x, 0, kind='fast')", "f(x, 0, order='a')"), {"x": x})
    agree("argpartition", np.argpartition, ("f(s, 0)", "f(s, 0, None)"), {"s": np.float64(3)})
    agree("partition", np.partition, ("f(s, 0)",), {"s": np.float64(3)})


@pytest.mark.parametrize("dtype", DTYPES)
def test_several_keys(dtype: str) -> None:
    arrays = {"x": numbers(dtype, (3, 8)), "y": numbers("i2", (3, 8)), "z": numbers("f4", (3, 8))}
    texts = ("f((x, y))", "f([y, x, z])", "f((x, y[0]))", "f((x, y), axis=0)", "f(x)", "f((x[0],))", "f((x[0, 0], y[0, 0]))", "f(())")
    agree("lexsort", np.lexsort, texts, arrays)
    agree("sort_complex", np.sort_complex, ("f(x)", "f(x[:, ::-1])", "f(x.T)", "f(x[0, 0])"), arrays, factor=0)


# ---- quantiles ----

POSITIVE = (0.0, 0.0)

METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
    "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
)  # fmt: skip


def finite(x: Any) -> Any:
    return np.nan_to_num(x, posinf=9, neginf=-9)


@pytest.mark.parametrize("dtype", DTYPES)
def test_medians(dtype: str) -> None:
    texts = ("f(x)", "f(x, axis=0)", "f(x, axis=-1)", "f(x, axis=(0, -1))", "f(x, 0, keepdims=True)", "f(x, keepdims=True)", "f(x[::2].T)",
             "f(x, axis=())", "f(x, axis=4)", "f(x.copy(), overwrite_input=True)")  # fmt: skip
    for shape in ((1,), (6,), (0,), (3, 0), (0, 3), (4, 5), (5, 2, 3)):
        for clean in (False, True):
            x = numbers(dtype, shape, 2, POSITIVE)
            if dtype[0] == "c":
                x = np.where(np.isinf(x.real), 4, x).astype(dtype)
            agree("median", np.median, texts, {"x": finite(x) if clean and dtype != "?" else x}, factor=0)
    if dtype[0] != "c":
        for shape in ((1,), (6,), (4, 5), (5, 2, 3), (2, 700)):
            agree("nanmedian", np.nanmedian, texts, {"x": numbers(dtype, shape, 2, POSITIVE)}, factor=0)


@pytest.mark.parametrize("dtype", ["i1", "i4", "u2", "i8", *FLOATS])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles(method: str, dtype: str) -> None:
    texts = tuple(f"f(x, {rest}, method='{method}')" for rest in (
        "0.3", "q", "q, axis=0", "q, axis=(1, 0), keepdims=True", "0.77, axis=-1", "[0, 1], axis=1", "1", "h, axis=0",
        "q.reshape(5, 1)", "1.0, 1, keepdims=True",
    ))  # fmt: skip
    for shape, nan in (((4, 5), False), ((2, 1), False), ((3, 8), True)):
        x = numbers(dtype, shape, 3, POSITIVE)
        q, h = np.array([0, 0.1, 0.5, 0.9, 1]), np.float32([0.2])
        arrays = {"x": x if nan or dtype[0] != "f" else finite(x), "q": q, "h": h}
        agree("quantile", np.quantile, texts, arrays, factor=0)
        agree("nanquantile", np.nanquantile, texts, arrays, factor=0)


def test_percentiles() -> None:
    x = numbers("f4", (6, 7), 4, POSITIVE)
    q, r = np.array([3, 50, 99]), np.float32([12.5, 50])
    arrays = {"x": finite(x), "y": x, "q": q, "r": r, "t": numbers("?", (5,))}
    texts = ("f(x, 30)", "f(y, 30.0, axis=1)", "f(x, q, axis=0)", "f(x, r)", "f(x, [25, 75], 1, keepdims=True)", "f(t, 50, method='lower')")
    for name in ("percentile", "nanpercentile"):
        agree(name, getattr(np, name), (*texts, "f(t, 50)", "f(x, 50, method='mean')", "f(x + 1j, 50)"), arrays, factor=0)


def test_weighted_quantiles() -> None:
    w, v = np.abs(numbers("i4", (6, 7), 9)), np.arange(1.0, 8)
    arrays = {"x": numbers("f8", (6, 7), 4, POSITIVE), "i": numbers("i4", (6, 7)), "w": w, "v": v}
    texts = tuple(f"f({x}, {rest}, method='inverted_cdf')" for x in "xi" for rest in (
        "[0.3], weights=w", "[0.2, 0.5], axis=0, weights=w", "0.5, axis=1, weights=v", "0.5, 1, weights=w, keepdims=True",
        "[0.5], weights=v",
    ))  # fmt: skip
    agree("quantile", np.quantile, (*texts, "f(x, 0.5, weights=w)"), arrays, factor=0)
    agree("nanquantile", np.nanquantile, [text for text in texts if "weights=v" not in text], arrays, factor=0)


def test_parts_out_of_range() -> None:
    @stax.kernel
    def f(x, q):
        return np.quantile(x, q), np.nanquantile(x, q, axis=0)

    @stax.kernel
    def g(x, q):
        return np.percentile(x, q)

    x = np.arange(12.0).reshape(3, 4)
    assert f(x, 0.5)[0] == 5.5
    for q in (1.5, -0.1, np.array([0.5, np.nan])):
        with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
            f(x, q)
        with pytest.raises(ValueError, match=r"Percentiles must be in the range \[0, 100\]"):
            g(x, q * 100)
    with pytest.raises(IndexError, match="there are no quantiles of nothing"):
        f(x[:0], 0.5)


# ---- rows in machine code ----


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["quicksort", "stable", "heapsort"])
def test_many_rows_are_shared_out(kind: str, dtype: str) -> None:
    """So many elements that threads take part."""
    if kind != "quicksort" and dtype not in ("i2", "f8"):
        return
    x = numbers(dtype, (60, 30, 40), 7)
    texts = [f"f({x}, kind='{kind}')" for x in ("x", "x, axis=1", "x[::-2, ::3], 0", "x[:, :, ::3]")]
    agree("sort", np.sort, texts, {"x": x}, factor=0)
    agree("argsort", np.argsort, texts, {"x": x})


def test_a_program_that_sorts_calls_no_python() -> None:
    calls = [(name, dtype, kind) for name in ("sort", "argsort") for dtype in SIZES for kind in ("quicksort", "stable")]
    symbols = {order_call(name, dtype, {"kind": kind}, 2) for name, dtype, kind in calls}
    assert None not in symbols and all(find_order(call) for call in symbols if call is not None)
    assert all(read_order(call.symbol) == call for call in symbols if call is not None)


def test_rows_of_nothing_have_no_address() -> None:
    for dtype in DTYPES:
        x = np.zeros((3, 0), dtype)
        for text in ("f(x)", "f(x[:, ::2])", "f(x[:, ::2], axis=0)", "f(x, None)"):
            for name in ("sort", "argsort"):
                agree(name, getattr(np, name), (text,), {"x": x})


def test_without_numpys_routines_python_sorts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NumPy of another binary interface: the same results, by its functions."""
    monkeypatch.setattr(libraries.orders, "find_order", lambda call: None)
    x = np.random.default_rng(0).normal(size=(3, 4, 5, 2, 2))  # of a rank that no other test has sorted
    agree("sort", np.sort, ("f(x)", "f(x, 0)"), {"x": x}, factor=0)
    agree("argsort", np.argsort, ("f(x)", "f(x, 0)"), {"x": x})


def test_it_is_not_built_ahead_of_time(tmp_path: Path) -> None:
    @stax.kernel
    def f(x):
        return np.sort(x)

    with pytest.raises(stax.StaxError, match="runs inside Python"):
        stax.build(f, tmp_path / "libf.so", specs={"f": [stax.spec(("N",), "f8")]})


# ---- searches ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_searches(dtype: str) -> None:
    v = numbers(dtype, (5, 6), 8)
    for length in (0, 1, 2, 3, 16, 17, 200):
        u = numbers(dtype, (length,), 9)
        arrays = {"a": np.sort(u), "v": v, "u": u, "s": np.argsort(u)}
        texts = ("f(a, v)", "f(a, v, 'right')", "f(a, v[0, 0])", "f(a, v.T, side='right')", "f(u, v, sorter=s)", "f(a[::2], v)",
                 "f(a, v, 'middle')")  # fmt: skip
        agree("searchsorted", np.searchsorted, texts, arrays)


def test_one_program_for_vectors_of_any_length() -> None:
    @stax.kernel
    def places(a, v):
        return np.searchsorted(a, v), np.digitize(v, a)

    lowered = places.lower(stax.spec(("N",), "f8"), stax.spec(("M",), "f8")).compile("cpu")
    for length in (2, 3, 10, 1000, 5000):
        a, v = np.sort(np.random.default_rng(0).normal(size=length)), np.random.default_rng(1).normal(size=77)
        found = lowered(a, v)
        np.testing.assert_array_equal(found[0], np.searchsorted(a, v))
        np.testing.assert_array_equal(found[1], np.digitize(v, a))
        np.testing.assert_array_equal(places(a, v)[0], np.searchsorted(a, v))


def test_all_forms_of_a_program() -> None:
    """Graph, reference engine, loops, schedules, their texts."""

    @stax.kernel
    def everything(x: Any, v: Any) -> Any:
        return (
            np.sort(x, 0) + 1, np.argsort(-x, kind="stable"), np.median(x), np.quantile(x, 0.3, axis=0), np.nanmedian(x, 1),
            np.searchsorted(v, x), np.lexsort((x[0], x[1])), np.partition(x, 0)[:, 0] + 1,
            np.median(x.astype(np.int8)), np.histogram(x, v)[0], np.isin(x, v),
        )  # fmt: skip

    for shape in ((5, 6), (2, 1), (2, 30)):
        arrays = [np.random.default_rng(3).normal(size=shape), np.arange(-3.0, 4.0)]
        lowered = everything.lower(*[stax.spec(array.shape, array.dtype) for array in arrays])
        agree_in_all_forms(lowered.captured, arrays, everything.__wrapped__(*arrays), True, 1e-12)
