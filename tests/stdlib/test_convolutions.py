"""Convolutions, pooling and embeddings of the standard library, natively, against loops in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]
rng = np.random.default_rng(0)


def correlated(x: Array, w: Array, stride: tuple[int, int], padding: tuple[int, int], dilation: tuple[int, int], groups: int) -> Array:
    """Window by window."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    filters, channels, p, q = w.shape
    high, wide = dilation[0] * (p - 1) + 1, dilation[1] * (q - 1) + 1
    rows, columns = (x.shape[2] - high) // stride[0] + 1, (x.shape[3] - wide) // stride[1] + 1
    y = np.zeros((x.shape[0], filters, rows, columns))
    for f in range(filters):
        first = f // (filters // groups) * channels
        for i in range(rows):
            for j in range(columns):
                top, left = i * stride[0], j * stride[1]
                window = x[:, first : first + channels, top : top + high : dilation[0], left : left + wide : dilation[1]]
                y[:, f, i, j] = (window * w[f]).sum((1, 2, 3))
    return y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [((1, 1), (0, 0), (1, 1), 1), ((2, 2), (1, 1), (1, 1), 1), ((1, 2), (2, 0), (2, 1), 2), ((1, 1), (1, 1), (1, 1), 4)],
)
def test_conv2d(stride: tuple[int, int], padding: tuple[int, int], dilation: tuple[int, int], groups: int, dtype: Any) -> None:
    @stax.kernel
    def convolved(x, w, b):
        return stax.conv2d(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups)

    x, w, b = (rng.standard_normal(s).astype(dtype) for s in ((2, 4, 9, 8), (8, 4 // groups, 3, 2), (8,)))
    right = correlated(x, w, stride, padding, dilation, groups) + b[:, None, None]
    y = convolved(x, w, b)
    assert y.dtype == dtype and convolved.stats().route == "native"
    np.testing.assert_allclose(y, right, rtol=1e-4 if dtype is np.float32 else 1e-12, atol=1e-5 if dtype is np.float32 else 1e-13)


def test_conv1d_and_more_leading_axes() -> None:
    @stax.kernel
    def convolved(x, w):
        return stax.conv1d(x, w, stride=2, padding=1)

    x, w = rng.standard_normal((2, 3, 5, 11)), rng.standard_normal((7, 5, 4))
    right = correlated(x.reshape(6, 5, 1, 11), w[:, :, None], (1, 2), (0, 1), (1, 1), 1).reshape(2, 3, 7, -1)
    np.testing.assert_allclose(convolved(x, w), right, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("window", "stride", "padding"), [(2, 2, 0), (3, 2, 1)])
def test_pooling(window: int, stride: int, padding: int) -> None:
    @stax.kernel
    def pooled(x):
        return stax.max_pool2d(x, window, stride, padding), stax.avg_pool2d(x, window, stride, padding)

    x = rng.standard_normal((2, 3, 9, 8))

    def windows(fill: float) -> Array:
        padded = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2), constant_values=fill)
        return np.lib.stride_tricks.sliding_window_view(padded, (window, window), (2, 3))[:, :, ::stride, ::stride]

    greatest, mean = pooled(x)
    np.testing.assert_array_equal(greatest, windows(-np.inf).max((4, 5)))
    np.testing.assert_allclose(mean, windows(0).mean((4, 5)), rtol=1e-13)


def test_pooling_of_rows() -> None:
    @stax.kernel
    def pooled(x):
        return stax.max_pool1d(x, 3), stax.avg_pool1d(x, 3, 1)

    x = rng.standard_normal((4, 11))
    greatest, mean = pooled(x)
    np.testing.assert_array_equal(greatest, x[:, :9].reshape(4, 3, 3).max(-1))
    np.testing.assert_allclose(mean, np.lib.stride_tricks.sliding_window_view(x, 3, 1).mean(-1), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_pooling_of_spread_windows_and_of_what_is_inside(dtype: str) -> None:
    x = rng.standard_normal((3, 9, 8)).astype(dtype)

    def windows(padding: int, dilation: int, fill: float) -> Array:
        padded = np.pad(x.astype(float), ((0, 0), (padding,) * 2, (padding,) * 2), constant_values=fill)
        wide = 2 * dilation + 1
        return np.lib.stride_tricks.sliding_window_view(padded, (wide, wide), (1, 2))[:, ::2, ::2, ::dilation, ::dilation]

    got = stax.max_pool2d(x, 3, 2, 1, dilation=2)
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(got, windows(1, 2, -np.inf).max((3, 4)))
    np.testing.assert_array_equal(
        stax.max_pool1d(x, 3, 2, 1, 2)[:, 4],
        np.max([np.pad(x[:, 4], ((0, 0), (1, 1)), constant_values=-np.inf)[:, k : k + 6 : 2] for k in (0, 2, 4)], 0),
    )
    inside = stax.avg_pool2d(x, 3, 2, 1, count_include_pad=False)
    assert inside.dtype == x.dtype
    bound = {"f2": 5e-3, "f4": 1e-6, "f8": 1e-14}[dtype]
    np.testing.assert_allclose(inside, np.nanmean(windows(1, 1, np.nan), (3, 4)), rtol=bound, atol=bound)
    row = np.nanmean(
        np.stack([np.pad(x[:, 4].astype(float), ((0, 0), (1, 1)), constant_values=np.nan)[:, k : k + 8 : 2] for k in (0, 1, 2)]), 0
    )
    np.testing.assert_allclose(stax.avg_pool1d(x[:, 4], 3, 2, 1, False), row, rtol=bound, atol=bound)


@pytest.mark.parametrize("dtype", ["i2", "f2", "f8", "c8"])
def test_embedding_in_every_dtype(dtype: str) -> None:
    table = rng.integers(0, 100, (6, 2, 3)).astype(dtype)
    for kind in ("i1", "i4", "i8", "u1"):
        index = np.array([[0, 5, 5], [1, 2, 0]], kind)
        got = stax.embedding(index, table.reshape(6, 6))
        assert got.dtype == table.dtype
        np.testing.assert_array_equal(got, table.reshape(6, 6)[index])


def test_embedding_reads_only_inside() -> None:
    @stax.kernel
    def looked_up(index, table):
        return stax.embedding(index, table)

    table = rng.standard_normal((5, 3))
    index = np.array([[0, 4], [-1, 2]])
    np.testing.assert_array_equal(looked_up(index, table), table[index])
    with pytest.raises(IndexError):
        looked_up(np.array([[0, 5], [0, 0]]), table)


@pytest.mark.parametrize("symbolic", [False, True])
def test_convolutions_are_products_of_matrices(symbolic: bool) -> None:
    """The windows are copied once, in rows as they lie, and a library multiplies them, straight into the result."""
    kernel = stax.kernel(lambda x, w: stax.conv2d(x, w, padding=1), sizes="symbolic" if symbolic else "static")
    x, w = rng.standard_normal((3, 8, 20, 24)).astype("f4"), rng.standard_normal((16, 8, 3, 3)).astype("f4")
    np.testing.assert_allclose(kernel(x, w), correlated(x, w, (1, 1), (1, 1), (1, 1), 1), rtol=1e-4, atol=1e-4)
    report = kernel.explain(x, w)
    names = [one.name for one in report.kernels]
    windows = 3 * 8 * 9 * 20 * 24 * 4
    moved = report.bytes_lower_bound + 2 * windows
    assert len(names) == 2 and "gemm" in names and report.bytes_moved <= moved + 3 * w.nbytes and not report.copies
    assert report.kernels[0].loops and "i" in report.kernels[0].loops[-1]


def test_convolutions_of_no_examples_and_of_one_image() -> None:
    w = rng.standard_normal((4, 2, 3, 3))
    assert stax.conv2d(np.ones((0, 2, 5, 6)), w, padding=1).shape == (0, 4, 5, 6)
    x = rng.standard_normal((2, 5, 6))
    np.testing.assert_allclose(stax.conv2d(x, w, padding=1), correlated(x[None], w, (1, 1), (1, 1), (1, 1), 1)[0], rtol=1e-12, atol=1e-12)
    assert stax.conv1d(np.ones((0, 2, 5)), w[:, :, 0], padding=1).shape == (0, 4, 5)


def test_a_view_with_axes_of_one_is_no_copy() -> None:
    kernel = stax.kernel(lambda a, b: (a @ b)[:, None, :, None])
    a, b = rng.standard_normal((40, 50)), rng.standard_normal((50, 60))
    np.testing.assert_allclose(kernel(a, b), (a @ b)[:, None, :, None], rtol=1e-12)
    report = kernel.explain(a, b)
    assert len(report.kernels) == 1 and not report.copies and report.bytes_moved == report.bytes_lower_bound


def in_space(x: Array, w: Array, stride: Any, padding: Any, dilation: Any, groups: int) -> Array:
    """Plane by plane of the filters' first axis."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (0, 0), (0, 0)))
    rows = (padded.shape[2] - dilation[0] * (w.shape[2] - 1) - 1) // stride[0] + 1
    planes = []
    for i in range(rows):
        taken = [padded[:, :, i * stride[0] + a * dilation[0]] for a in range(w.shape[2])]
        each = [correlated(one, w[:, :, a], stride[1:], padding[1:], dilation[1:], groups) for a, one in enumerate(taken)]
        planes.append(sum(each))
    return np.stack(planes, 2)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [((1, 1, 1), (0, 0, 0), (1, 1, 1), 1), ((2, 2, 2), (1, 1, 1), (1, 1, 1), 2), ((1, 2, 3), (2, 0, 1), (1, 2, 1), 1)],
)
def test_conv3d(stride: Any, padding: Any, dilation: Any, groups: int, dtype: str) -> None:
    x, w, b = (rng.standard_normal(s).astype(dtype) for s in ((2, 4, 5, 6, 7), (6, 4 // groups, 3, 2, 3), (6,)))
    right = in_space(x.astype(float), w.astype(float), stride, padding, dilation, groups) + b.astype(float)[:, None, None, None]
    y = stax.conv3d(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups)
    assert y.dtype == x.dtype
    bound = {"f2": 5e-2, "f4": 2e-5, "f8": 1e-12}[dtype]
    np.testing.assert_allclose(y, right, rtol=bound, atol=bound)
    np.testing.assert_allclose(stax.conv3d(x[0], w, groups=groups), stax.conv3d(x, w, groups=groups)[0], rtol=bound, atol=bound)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_pooling_in_space(dtype: str) -> None:
    x = rng.standard_normal((2, 5, 6, 7)).astype(dtype)

    def windows(padding: int, dilation: int, fill: float) -> Array:
        padded = np.pad(x.astype(float), ((0, 0), *(((padding,) * 2,) * 3)), constant_values=fill)
        found = np.lib.stride_tricks.sliding_window_view(padded, (dilation + 1,) * 3, (1, 2, 3))
        return found[:, ::2, ::2, ::2, ::dilation, ::dilation, ::dilation]

    bound = {"f2": 5e-3, "f4": 2e-6, "f8": 1e-14}[dtype]
    np.testing.assert_array_equal(stax.max_pool3d(x, 2, padding=1), windows(1, 1, -np.inf).max((4, 5, 6)))
    np.testing.assert_array_equal(stax.max_pool3d(x, 2, 2, 1, 2), windows(1, 2, -np.inf).max((4, 5, 6)))
    np.testing.assert_allclose(stax.avg_pool3d(x, 2, padding=1), windows(1, 1, 0).mean((4, 5, 6)), rtol=bound, atol=bound)
    inside = stax.avg_pool3d(x, (2, 2, 2), 2, (1, 1, 1), count_include_pad=False)
    assert inside.dtype == x.dtype
    np.testing.assert_allclose(inside, np.nanmean(windows(1, 1, np.nan), (4, 5, 6)), rtol=bound, atol=bound)


@pytest.mark.parametrize("width", [1, 2, 5, 8, 9])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_short_windows_of_vectors(mode, width):
    """Up to eight products are written out, and no longer copy of the vector is made: the bytes moved are the least, but for the ends."""
    convolve = stax.kernel(lambda x, w: (np.convolve(x, w, mode), np.correlate(x, w, mode)))
    rng = np.random.default_rng(width)
    for n in (1, width, 1001, 40_000):
        x, w = rng.random(n) - 0.5, rng.random(width) - 0.5
        for got, expected in zip(convolve(x, w), (np.convolve(x, w, mode), np.correlate(x, w, mode)), strict=True):
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)
    report = convolve.explain(x, w)
    assert width > 8 or report.bytes_moved < 1.01 * report.bytes_lower_bound + 4096
