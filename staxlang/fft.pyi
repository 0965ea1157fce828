"""What type checkers see of `stax.fft`. By tools/build_stub.py."""

# ruff: noqa: E501

from typing import Any

def fft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The transform along `axis`: sums of `a[j] * exp(-2j * pi * j * k / n)`. The axis is cut, or filled with zeros, to `n` elements.

    `norm` "ortho" divides by sqrt(n), "forward" by n. The result is complex, c64 of f16, f32 and c64, else c128."""
def ifft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The inverse of `fft`: sums of `a[k] * exp(2j * pi * j * k / n)`, divided by n, or as `norm` says."""
def rfft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The transform of real numbers: of its coefficients the first n // 2 + 1; the others are conjugates of these."""
def irfft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The inverse of `rfft`: `n` real numbers, 2 * (m - 1) of m coefficients by default."""
def hfft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The transform, which is real, of `n` numbers of which the second half mirrors the conjugate first: n // 2 + 1 of them are given."""
def ihfft(a: Any, n: Any = None, axis: Any = ..., norm: Any = None, out: Any = None) -> Any: """The inverse of `hfft`: n // 2 + 1 numbers."""
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any: """The transform along all axes, or `axes`, with `s` points: the last one first. Of -1 an axis keeps its extent."""
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any: """The inverse of `fftn`."""
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any: """The transform of real numbers along all axes, or `axes`: `rfft` along the last one, then `fft` along the others."""
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any: """The inverse of `rfftn`: `ifft` along all axes but the last one, then `irfft` along that."""
def fft2(a: Any, s: Any = None, axes: Any = ..., norm: Any = None, out: Any = None) -> Any: """The transform along two axes."""
def ifft2(a: Any, s: Any = None, axes: Any = ..., norm: Any = None, out: Any = None) -> Any: """The inverse of `fft2`."""
def rfft2(a: Any, s: Any = None, axes: Any = ..., norm: Any = None, out: Any = None) -> Any: """The transform of real numbers along two axes."""
def irfft2(a: Any, s: Any = None, axes: Any = ..., norm: Any = None, out: Any = None) -> Any: """The inverse of `rfft2`."""
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any: """The frequencies of the coefficients of `fft` of n points at distance d: 0 and the positive ones, then the negative ones."""
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any: """The frequencies of the coefficients of `rfft` of n points at distance d."""
def fftshift(x: Any, axes: Any = None) -> Any: """The array with frequency 0 moved to the middle of each axis, or of `axes`."""
def ifftshift(x: Any, axes: Any = None) -> Any: """The inverse of `fftshift`."""
