"""Sets, places, counts and histograms in kernels against NumPy's; lengths that depend on data are said by `size` and `length`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree, compiled, same
from tests.stdlib.test_ordering_against_numpy import DTYPES, finite, numbers

Array = np.ndarray[Any, Any]


def natively(text: str, **arrays: Any) -> Any:
    kernel = compiled(text, list(arrays), {"np": np, "stax": stax})
    result = kernel(**arrays)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0
    return result


# ---- places ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_places(dtype: str) -> None:
    for shape in ((9,), (3, 4), (2, 3, 4), (0,), (3, 0)):
        x = numbers(dtype, shape)
        there = np.nonzero(x)
        count = len(there[0])
        for size in (count, count + 3, count // 2):
            calls = f"stax.nonzero(x, size={size}, fill_value=7), stax.flatnonzero(x, size={size}), np.argwhere(x, size={size})"
            got = natively(calls, x=x)
            kept = min(size, count)
            for mine, theirs in zip(got[0], there, strict=True):
                same(mine, np.concatenate([theirs[:kept], np.full(size - kept, 7)]))
            same(got[1], np.concatenate([np.flatnonzero(x)[:kept], np.zeros(size - kept, "i8")]))
            same(got[2], np.concatenate([np.argwhere(x)[:kept], np.zeros((size - kept, len(shape)), "i8")]))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 1003, 100_000])
def test_places_in_one_walk(count: int) -> None:
    """Blocks of bools with and without true ones, ends of blocks, less room than places, bools with a distance and backward."""
    calls = (
        "stax.flatnonzero(x, size={n}), stax.nonzero(x, size={n}, fill_value=-3), stax.argwhere(x[::-2], size={n}), "
        "stax.flatnonzero(x[::3] & x[::-3], size={n})"
    )
    for share in (0.0, 0.01, 0.5, 1.0):
        x = np.random.default_rng(count).random(count) < share
        whole = int(x.sum())
        for size in sorted({0, whole, max(whole - 3, 0), whole // 2, whole + 5}):
            got = natively(calls.format(n=size), x=x)
            same(got[0], filled(np.flatnonzero(x), size, 0))
            same(got[1][0], filled(np.flatnonzero(x), size, -3))
            same(got[2][:, 0], filled(np.flatnonzero(x[::-2]), size, 0))
            same(got[3], filled(np.flatnonzero(x[::3] & x[::-3]), size, 0))


def filled(places: Array, size: int, fill: int) -> Array:
    return np.concatenate([places[:size], np.full(max(size - len(places), 0), fill)])


def test_any_other_byte_is_true() -> None:
    x = np.array([0, 2, 255, 0, 128, 1, 0, 64, 4, 0, 16], np.uint8).view(bool)
    same(natively("stax.flatnonzero(x, size=8)", x=x), filled(np.flatnonzero(x), 8, 0))


@pytest.mark.parametrize("fill", ["-1", "True", "2.5", "np.int32(4)", "x.shape[0]", "np.arange(3)", "-2 ** 63", "2 ** 63 - 1"])
def test_fills(fill: str) -> None:
    x = np.array([[False, True], [False, False], [False, False]])
    values = eval(fill, {"np": np, "x": x})
    there = np.array([True, False, False])
    same(natively(f"stax.flatnonzero(x, size=3, fill_value={fill})", x=x), np.where(there, np.array([1, 6, 6]), values))
    same(natively(f"stax.nonzero(x[0], size=3, fill_value={fill})", x=x)[0], np.where(there, np.array([1, 6, 6]), values))


@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_places_in_loops_and_sides_of_branches(engine: Any) -> None:
    @stax.kernel(engine=engine)
    def total(x: Array, n: int) -> Any:
        places = np.zeros(n, np.int64)
        for k in range(x.shape[0]):
            if x[k, 0]:
                places = places + stax.flatnonzero(x[k], size=n, fill_value=100)  # type: ignore[attr-defined]
        return places

    for shape, n in (((3, 9), 4), ((50, 40), 30), ((51, 41), 31)):
        x = np.random.default_rng(n).random(shape) < 0.5
        same(total(x, n), sum((filled(np.flatnonzero(row), n, 100) for row in x if row[0]), np.zeros(n, "i8")))
    assert total.stats().fallbacks == 0


def test_places_of_a_negative_size() -> None:
    with pytest.raises(stax.StaxError, match="must not be negative: -1"):
        natively("stax.flatnonzero(x, size=-1)", x=np.ones(3, bool))


def test_places_are_built_ahead_of_time(tmp_path: Path) -> None:
    """The walk is part of the program: nothing outside is called."""

    @stax.kernel
    def first(x: Array) -> Any:
        return stax.flatnonzero(x, size=5), stax.argwhere(x, size=4)

    made = stax.build(first, tmp_path / "libfirst.so", specs={"first": [stax.spec(("N", "M"), "bool")]})
    assert [one.kernel for one in made.interfaces] == ["first"]


# ---- sets ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_different_elements(dtype: str) -> None:
    for shape in ((1,), (40,), (5, 6)):
        x = numbers(dtype, shape)
        for equal in (True, False):
            want = np.unique(x, True, True, True, equal_nan=equal)
            n = len(want[0])
            options = f"True, True, True, equal_nan={equal}"
            same(natively(f"stax.unique(x, {options}, size={n})", x=x), want, factor=0)
            short = natively(f"stax.unique(x, {options}, size={max(1, n - 2)})", x=x)
            same((short[0], short[1], short[3]), tuple(one[: max(1, n - 2)] for one in (want[0], want[1], want[3])), factor=0)
            long = natively(f"stax.unique(x, {options}, size={n + 2}, fill_value=1)", x=x)
            same(tuple(one[:n] for one in (long[0], long[1], long[3])), (want[0], want[1], want[3]), factor=0)
            assert (long[0][n:] == 1).all() and (long[3][n:] == 0).all()
            same(natively(f"stax.unique(x, equal_nan={equal}, size={n}), stax.unique(x, return_counts=True, size={n + 1})[1]", x=x)[0],
                 np.unique(x, equal_nan=equal), factor=-1)  # fmt: skip


def test_different_rows() -> None:
    x = np.random.default_rng(0).integers(0, 2, (20, 3))
    for axis in (0, 1, -1):
        want = np.unique(x, True, True, True, axis=axis)
        n = want[0].shape[axis]
        same(natively(f"stax.unique(x, True, True, True, axis={axis}, size={n})", x=x), want)


def test_results_by_name() -> None:
    x = numbers("i4", (30,))
    n = len(np.unique(x))
    same(natively(f"stax.unique_all(x, size={n})", x=x), np.unique_all(x))
    same(natively(f"stax.unique_counts(x, size={n})", x=x), np.unique_counts(x))
    same(natively(f"stax.unique_inverse(x, size={n})", x=x), np.unique_inverse(x))
    same(natively(f"stax.unique_counts(x, size={n}).counts", x=x), np.unique_counts(x).counts)
    same(natively(f"stax.unique_values(x, size={n})", x=x), np.sort(np.unique_values(x)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_membership(dtype: str) -> None:
    arrays = {"x": numbers(dtype, (4, 9)), "t": numbers(dtype, (3,), 1), "u": numbers(dtype, (50,), 2), "e": np.zeros(0, dtype)}
    agree("isin", np.isin, ("f(x, t)", "f(x, u)", "f(x, e)", "f(x, u, invert=True)", "f(x, [1, 2])", "f(e, u)", "f(x[:0], t)"), arrays)


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f8", "c16"])
def test_of_two_sets(dtype: str) -> None:
    a, b = finite(numbers(dtype, (25,))) if dtype[0] in "fc" else numbers(dtype, (25,)), numbers("i1", (4, 5), 1)
    for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
        want = getattr(np, name)(a, b)
        n = len(want)
        got = natively(f"stax.{name}(a, b, size={n + 3}, fill_value=1)", a=a, b=b)
        same(got, np.concatenate([want, np.ones(3, want.dtype)]))
    once = np.unique(a)[::-1].copy()
    want = np.setdiff1d(once, b, True)
    same(natively(f"stax.setdiff1d(a, b, True, size={len(want)})", a=once, b=b), want)


# ---- counts ----


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4"])
def test_counts(dtype: str) -> None:
    x = np.abs(numbers(dtype, (50,)).astype("i4")).astype(dtype)
    w = numbers("f4", (50,), 3)
    for length in (int(x.max()) + 1, 64):
        want = np.bincount(x, minlength=length), np.bincount(x, finite(w), minlength=length)
        calls = f"stax.bincount(x, length={length}), np.bincount(x, weights=w, length=2, minlength={length})"
        same(natively(calls, x=x, w=finite(w)), want)
    assert natively("stax.bincount(x, length=3)", x=x[:0]).tolist() == [0, 0, 0]


def test_counts_out_of_range() -> None:
    with pytest.raises(ValueError, match="bincount takes no negative integers"):
        natively("stax.bincount(x, length=3)", x=np.array([1, -1]))
    assert natively("stax.bincount(x, length=3)", x=np.array([1, 2])).tolist() == [0, 1, 1]
    with pytest.raises(IndexError):
        natively("stax.bincount(x, length=3)", x=np.array([1, 3]))
    assert natively("np.bincount(x, minlength=3)", x=np.array([1, 3])).tolist() == [0, 1, 0, 1]
    for text in ("f(x)", "f(y)", "f(y, x)"):
        agree("bincount", lambda x, w=None: np.bincount(x, w, 9), (text,), {"x": np.ones((2, 2)), "y": np.ones(3)})


BINS = ("f(x)", "f(x, 7)", "f(x, [-5, 0, 2, 9.5])", "f(x, e)", "f(x, 13, (0, 5))", "f(x, 13, (-3.3, 5.1))", "f(x, 5, (2, 2))",
        "f(x, 5, (3, 2))", "f(x, 0)", "f(x, [3, 1])", "f(x.reshape(10, -1), 3)", "f(x[:0], 3)", "f(x[:0], e)")  # fmt: skip
MORE = ("f(x, 5, density=True)", "f(x, 5, weights=w)", "f(x, e, weights=w, density=True)", "f(x, 4, weights=c)", "f(x, 4, weights=w[:3])",
        "f(x, e, weights=w + 1j)")  # fmt: skip


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "u1", "u4", "f2", "f4", "f8"])
def test_histograms(dtype: str) -> None:
    generator = np.random.default_rng(5)
    x = generator.normal(size=1000) * 10
    x = (np.abs(x) if dtype[0] == "u" else x).astype(dtype)
    e, w, c = np.array([-3, -1.5, 2, 7]), generator.random(1000), generator.integers(0, 5, 1000)
    agree("histogram", np.histogram, BINS, {"x": x, "e": e}, factor=0)
    agree("histogram", np.histogram, MORE, {"x": x, "e": e, "w": w, "c": c}, terms=20)
    agree("histogram_bin_edges", np.histogram_bin_edges, BINS, {"x": x, "e": e}, factor=0)


def test_edges_and_what_is_no_range() -> None:
    edges = {"x": np.array([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, np.nan, -0.1, 1.1])}
    agree("histogram", np.histogram, ("f(x, 10, (0, 1))", "f(x, [0, 0.1, 0.2, 0.3, 1])", "f(x, np.linspace(0, 1, 11))"), edges, factor=0)
    with pytest.raises(ValueError, match="not finite"):
        natively("np.histogram(x)", **edges)
    with pytest.raises(ValueError, match="must increase monotonically"):
        natively("np.histogram(x, e)", e=np.array([3.0, 1.0]), **edges)


def test_histograms_of_points() -> None:
    generator = np.random.default_rng(6)
    x, y, w, e = generator.normal(size=300), generator.random(300), generator.random(300), np.array([-1, -0.5, 0.25, 2])
    texts = ("f(x, y)", "f(x, y, (3, 4))", "f(x, y, [e, 3])", "f(x, y, e)", "f(x, y, 3, density=True)", "f(x, y, weights=w)",
             "f(x, y, 4, [[-1, 1], [0, 0.5]])")  # fmt: skip
    agree("histogram2d", np.histogram2d, texts, {"x": x, "y": y, "w": w, "e": e}, terms=10)
    points = np.stack([x, y, w], axis=1)
    for text in ("f(p, 3)[0]", "f(p, (2, 3, 4))[0]", "f((x, y), 4)[0]", "f(p, 3, density=True)[0]", "f(p, 3)[1][2]"):
        agree("histogramdd", np.histogramdd, (text,), {"p": points, "x": x, "y": y}, terms=10)


# ---- without lengths ----

ANY_LENGTH = {
    "np.median(x)": "f64[]", "np.median(x.astype(np.float16))": "f16[]", "np.nanmedian(x)": "f64[]", "np.quantile(x, [0.1, 0.5])": "f64[2]",
    "np.percentile(x, 33.0)": "f64[]", "np.nanquantile(x, 0.3)": "f64[]", "np.histogram(x, 5)[0]": "i64[5]",
    "np.histogram(x, 5)[1]": "f64[6]", "np.histogram2d(x, x, 4)[0]": "f64[4, 4]", "np.isin(x, x)": "bool[N]",
    "np.sort(x)": "f64[N]", "np.argsort(x)": "i64[N]",
    "np.searchsorted(np.sort(x), 0.5)": "i64[]", "np.lexsort((x, x))": "i64[N]",
}  # fmt: skip


@pytest.mark.parametrize("text", ANY_LENGTH)
def test_one_program_for_any_length(text: str) -> None:
    """Lengths that the user names stay free: no guard but for what is empty."""
    kernel = compiled(text, ["x"], {"np": np})
    lowered = kernel.lower(stax.spec(("N",), "f8"))
    assert [str(node.type) for node in lowered.graph.outputs] == [ANY_LENGTH[text]]
    program = lowered.compile("cpu")
    for length in (1, 2, 5, 6, 1000):
        x = np.random.default_rng(length).normal(size=length)
        same(program(x), eval(text, {"np": np, "x": x}), factor=0 if "2d" not in text else 1)
