"""`np.pad` in all its modes, and the extremes so far of `accumulate`, in kernels against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import agree_in_numpy, draw

WIDTHS = ("2", "((1, 2), (3, 1))", "((7, 0), (5, 9))", "(0, 20)", "0", "[(0, 1), (0, 0)]")
OPTIONS = {
    "maximum": ("", ", stat_length=2", ", stat_length=((1, 9), (3, 2))"), "minimum": ("", ", stat_length=1"),
    "mean": ("", ", stat_length=(3, 1)"), "median": ("", ", stat_length=2"), "edge": ("",), "wrap": ("",),
    "reflect": ("", ", reflect_type='odd'"), "symmetric": ("", ", reflect_type='odd'"),
}  # fmt: skip


CASES = [
    (mode, dtype)
    for mode in OPTIONS
    for dtype in ("?", "i1", "i8", "u2", "f2", "f4", "f8", "c16")
    if mode != "median" or dtype not in ("?", "c16")
]


@pytest.mark.parametrize(("mode", "dtype"), CASES)
def test_modes(mode: str, dtype: str) -> None:
    odd = dtype != "?"  # NumPy has no difference of booleans
    texts = [f"np.pad(x, {width}, '{mode}'{more})" for width in WIDTHS for more in OPTIONS[mode] if odd or "odd" not in more]
    texts += [f"np.pad(x[:1], 2, '{mode}')", f"np.pad(x[0], 3, '{mode}')", f"np.pad(x[:0], ((2, 2), (0, 0)), '{mode}')"]
    agree_in_numpy(texts, 8.0, 4, x=draw(dtype, 3, 4))


def test_empty_widths() -> None:
    x = draw("f4", 3, 4)
    agree_in_numpy([f"np.pad(x[:0], ((0, 0), (1, 1)), '{mode}')" for mode in (*OPTIONS, "linear_ramp")], x=x)
    got = stax.pad(x, ((1, 2), (0, 3)), "empty")
    assert got.shape == (6, 7) and got.dtype == x.dtype and np.array_equal(got[1:4, :4], x)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
def test_ramps(dtype: str) -> None:
    more = ("", ", end_values=2.5", ", end_values=((1, 9), (3, -2))")
    agree_in_numpy([f"np.pad(x, {width}, 'linear_ramp'{one})" for width in WIDTHS for one in more], 8.0, 4, x=draw(dtype, 3, 4))


def test_ramps_of_integers() -> None:
    """Rounded down; a number that is whole but for rounding may come out one less in NumPy."""
    x = draw("i4", 3, 4, scale=50.0)
    got, want = stax.pad(x, ((3, 2), (5, 0)), "linear_ramp", end_values=7), np.pad(x, ((3, 2), (5, 0)), "linear_ramp", end_values=7)
    assert got.dtype == want.dtype and np.abs(got - want).max() <= 1 and np.array_equal(got[3:6, 5:], x)


def test_what_is_refused() -> None:
    x = np.ones((2, 3))
    with pytest.raises(stax.StaxError, match="stat_length is at least 1"):
        stax.pad(x, 1, "maximum", stat_length=0)
    for arguments in ((1, "middle"), (-1, "mean"), (((1, 2), (3, 4), (5, 6)), "edge")):
        with pytest.raises(stax.StaxError):
            stax.pad(x, *arguments)


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u2", "f2", "f4", "f8"])
def test_extremes_so_far(dtype: str) -> None:
    x = draw(dtype, 4, 7, nan=dtype.startswith("f"))
    texts = [
        f"np.{name}.accumulate(x{more})"
        for name in ("maximum", "minimum", "logical_or", "logical_and")
        for more in ("", ", axis=1", ", -1")
    ]
    texts += [
        "np.maximum.accumulate(x[::-1].T[:, :2])",
        "np.minimum.accumulate(x[:0])",
        "np.maximum.accumulate(x, 2)",
        "np.maximum.accumulate(x[0, 0])",
    ]
    agree_in_numpy([*texts, "np.maximum.accumulate(x, 0, np.float64)"], x=x)


def test_running_maximum_of_a_price() -> None:
    @stax.kernel
    def drawdown(price):
        return np.max(1 - price / np.maximum.accumulate(price))

    price = np.exp(np.cumsum(draw("f8", 1000, scale=0.01)))
    assert drawdown(price) == np.max(1 - price / np.maximum.accumulate(price)) and drawdown.stats().route == "native"


def pad_all(x, mode):
    return np.pad(x, 1, mode=mode)


def pad_sides(x, mode):
    return np.pad(x, ((2, 0), (3, 1)), mode=mode)


def pad_last(x, mode):
    return np.pad(x, ((0, 0), (0, 0), (2, 3)), mode=mode)


def pad_planes(x, mode):
    return np.pad(x, ((0, 0), (1, 2), (2, 1)), mode=mode)


def quarters(a, b, c, d):
    return np.block([[a, b], [c, d]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_sides_of_several_axes(mode: str) -> None:
    rng = np.random.default_rng(0)
    cases = [(pad_all, (5, 6)), (pad_all, (200, 300)), (pad_sides, (40, 1100)), (pad_all, (6, 7, 8)), (pad_last, (3, 4, 90)),
             (pad_planes, (3, 70, 80)), (pad_sides, (4, 4))]  # fmt: skip
    for program, shape in cases:
        kernel = stax.kernel(program)
        for dtype in ("f4", "u1"):
            x = rng.integers(0, 99, shape).astype(dtype)
            for given in (x, np.asfortranarray(x), x[::-1]):
                np.testing.assert_array_equal(kernel(given, mode), program(given, mode), strict=True)
        assert kernel.stats().route == "native"


def test_each_element_is_written_once() -> None:
    """Padding along two axes, and blocks of blocks, move no more than operands and result; what is joined first is no array of its own."""
    x = np.ones((300, 400), np.float32)
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        assert "1.00 times the lower bound" in str(stax.kernel(pad_all).explain(x, mode))
    kernel = stax.kernel(quarters)
    assert "1.00 times the lower bound" in str(kernel.explain(x, x, x, x))
    parts = [np.full(shape, k, np.float32) for k, shape in enumerate(((300, 400), (300, 90), (7, 90), (7, 400)))]
    np.testing.assert_array_equal(kernel(*parts), quarters(*parts), strict=True)
