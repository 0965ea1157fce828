"""Pooling to a size, interpolation, transposed convolution and channels as places, natively, against loops in NumPy in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import FLOATS, Array, draw
from tests.stdlib.test_nn import check


def windows(extent: int, count: int) -> list[slice]:
    return [slice(math.floor(k * extent / count), math.ceil((k + 1) * extent / count)) for k in range(count)]


def pooled(x: Array, sizes: tuple[int, ...], function: Callable[..., Any]) -> Array:
    """The last axes, one after the other."""
    for k, count in enumerate(reversed(sizes)):
        axis = -1 - k
        x = np.stack([function(np.moveaxis(x, axis, 0)[one], axis=0) for one in windows(x.shape[axis], count)], axis)
    return x


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [(1, 1), (3, 4), (7, 3), (9, 12), (2, 9)])
def test_adaptive_pooling(dtype: str, size: tuple[int, int]) -> None:
    variants: dict[str, Callable[..., Any]] = {
        f"stax.adaptive_avg_pool2d(x, {size})": lambda x: pooled(x, size, np.mean),
        f"stax.adaptive_max_pool2d(x, {size})": lambda x: pooled(x, size, np.max),
        f"stax.adaptive_avg_pool1d(x, {size[1]})": lambda x: pooled(x, size[1:], np.mean),
        f"stax.adaptive_max_pool1d(x, {size[1]})": lambda x: pooled(x, size[1:], np.max),
        f"stax.adaptive_avg_pool2d(x[0], {size[0]})": lambda x: pooled(x[0], (size[0], size[0]), np.mean),
    }
    check(variants, dtype, {"x": draw("f8", 2, 3, 7, 9)}, factor=8)


def resampled(x: Array, count: int, mode: str, ratio: float | None = None, align: bool = False) -> Array:
    """The last axis, element by element."""
    n = x.shape[-1]
    columns = []
    for i in range(count):
        if mode == "nearest":
            column = x[..., min(i * n // count if ratio is None else math.floor(i * ratio), n - 1)]
        elif mode == "nearest-exact":
            column = x[..., min((2 * i + 1) * n // (2 * count) if ratio is None else math.floor((i + 0.5) * ratio), n - 1)]
        else:
            place = i * (n - 1) / max(count - 1, 1) if align else (i + 0.5) * (n / count if ratio is None else ratio) - 0.5
            if mode == "linear":
                column = sum(x[..., k] * max(0.0, 1 - abs(min(max(place, 0), n - 1) - k)) for k in range(n))
            else:
                low = math.floor(place)
                column = sum(x[..., min(max(k, 0), n - 1)] * cubic(abs(place - k)) for k in range(low - 1, low + 3))
        columns.append(column)
    return np.stack(columns, -1)


def cubic(t: float, a: float = -0.75) -> float:
    return (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "cubic"])
@pytest.mark.parametrize("size", [(5, 13), (14, 3), (7, 9), (1, 1)])
def test_interpolate(dtype: str, mode: str, size: tuple[int, int]) -> None:
    def both(x: Array, sizes: tuple[int, int], ratios: tuple[Any, Any] = (None, None), align: bool = False) -> Array:
        x = resampled(x.swapaxes(-1, -2), sizes[0], mode, ratios[0], align).swapaxes(-1, -2)
        return resampled(x, sizes[1], mode, ratios[1], align)

    variants: dict[str, Callable[..., Any]] = {
        f"stax.interpolate(x, {size}, mode='{mode}')": lambda x: both(x, size),
        f"stax.interpolate(x[..., 0], {size[0]}, mode='{mode}')": lambda x: resampled(x[..., 0], size[0], mode),
        f"stax.interpolate(x, scale_factor=2, mode='{mode}')": lambda x: both(x, (14, 18), (0.5, 0.5)),
        f"stax.interpolate(x, scale_factor=(1.5, 0.7), mode='{mode}')": lambda x: both(x, (10, 6), (1 / 1.5, 1 / 0.7)),
    }
    if "nearest" not in mode:
        variants[f"stax.interpolate(x, {size}, mode='{mode}', align_corners=True)"] = lambda x: both(x, size, align=True)
    check(variants, dtype, {"x": draw("f8", 2, 2, 7, 9)}, factor=16)


def test_three_axes_and_other_names() -> None:
    x = draw("f4", 1, 2, 3, 4, 5)
    assert np.array_equal(stax.interpolate(x, (6, 4, 2), mode="trilinear"), stax.interpolate(x, [6, 4, 2], mode="linear"))
    assert np.array_equal(stax.interpolate(x[0], 7, mode="bilinear"), stax.interpolate(x[0], 7, mode="linear"))
    for arguments in ({}, {"size": 3, "scale_factor": 2}, {"size": (2, 2)}, {"size": 3, "mode": "best"}):
        with pytest.raises(stax.StaxError):
            stax.interpolate(x, **arguments)


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "c16"])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_channels_as_places(dtype: str, factor: int) -> None:
    x = draw(dtype, 2, 5 * factor * factor, 3, 4)
    want = np.empty((2, 5, 3 * factor, 4 * factor), x.dtype)
    for a in range(factor):
        for b in range(factor):
            want[:, :, a::factor, b::factor] = x[:, a * factor + b :: factor * factor]
    assert np.array_equal(stax.pixel_shuffle(x, factor), want) and stax.pixel_shuffle(x, factor).dtype == x.dtype
    assert np.array_equal(stax.pixel_unshuffle(want, factor), x) and np.array_equal(stax.pixel_shuffle(x[0], factor), want[0])
    with pytest.raises(stax.StaxError, match=r"multiple|divide"):
        stax.pixel_shuffle(x, 7)


def spread(
    x: Array, w: Array, stride: tuple[int, int], padding: tuple[int, int], more: tuple[int, int], groups: int, dilation: tuple[int, int]
) -> Array:
    """Each element times the filter, added where it belongs."""
    n, c, h, width = x.shape
    each, p, q = w.shape[1:]
    y = np.zeros(
        (
            n,
            each * groups,
            (h - 1) * stride[0] + dilation[0] * (p - 1) + more[0] + 1,
            (width - 1) * stride[1] + dilation[1] * (q - 1) + more[1] + 1,
        )
    )
    for channel in range(c):
        first = channel // (c // groups) * each
        for i in range(h):
            for j in range(width):
                rows = slice(i * stride[0], i * stride[0] + dilation[0] * (p - 1) + 1, dilation[0])
                columns = slice(j * stride[1], j * stride[1] + dilation[1] * (q - 1) + 1, dilation[1])
                y[:, first : first + each, rows, columns] += x[:, channel, i, j, None, None, None] * w[channel]
    return y[:, :, padding[0] : y.shape[2] - padding[0], padding[1] : y.shape[3] - padding[1]]


TRANSPOSED = [
    ((1, 1), (0, 0), (0, 0), 1, (1, 1)), ((2, 2), (1, 1), (1, 1), 1, (1, 1)),
    ((3, 1), (0, 1), (2, 0), 2, (2, 1)), ((2, 3), (1, 0), (0, 2), 4, (1, 3)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("stride", "padding", "more", "groups", "dilation"), TRANSPOSED)
def test_conv_transpose(dtype: str, stride: Any, padding: Any, more: Any, groups: int, dilation: Any) -> None:
    words = f"bias=b, stride={stride}, padding={padding}, output_padding={more}, groups={groups}, dilation={dilation}"
    first = f"bias=b, stride={stride[1]}, padding={padding[1]}, output_padding={more[1]}, groups={groups}, dilation={dilation[1]}"

    def row(x: Array, w: Array) -> Array:
        return spread(x[:, :, None], w[:, :, None], (1, stride[1]), (0, padding[1]), (0, more[1]), groups, (1, dilation[1]))[:, :, 0]

    variants: dict[str, Callable[..., Any]] = {
        f"stax.conv_transpose2d(x, w, {words})": lambda x, w, b: spread(x, w, stride, padding, more, groups, dilation) + b[:, None, None],
        f"stax.conv_transpose2d(x, w, groups={groups})": lambda x, w, b: spread(x, w, (1, 1), (0, 0), (0, 0), groups, (1, 1)),
        f"stax.conv_transpose1d(x[:, :, 0], w[:, :, 1], {first})": lambda x, w, b: row(x[:, :, 0], w[:, :, 1]) + b[:, None],
    }
    arrays = {"x": draw("f8", 2, 4, 5, 6, scale=1.0), "w": draw("f8", 4, 8 // groups, 3, 2, seed=1, scale=1.0), "b": draw("f8", 8, seed=2)}
    check(variants, dtype, arrays, factor=16)


def test_it_is_the_transpose_of_the_convolution() -> None:
    """<conv(x), y> = <x, conv_transpose(y)>."""
    x, w, y = draw("f8", 3, 11), draw("f8", 5, 3, 4, seed=1), draw("f8", 5, 5, seed=2)
    forward = stax.conv1d(x, w, stride=2, padding=1)
    back = stax.conv_transpose1d(y, w, stride=2, padding=1, output_padding=1)
    assert forward.shape == y.shape and back.shape == x.shape
    np.testing.assert_allclose((forward * y).sum(), (x * back).sum(), rtol=1e-13)
