"""Calls that NumPy refuses, each refused as the same kind of exception, with a text of its own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import staxlang as stax
from tests.stdlib.against_numpy import compiled, kinds

GIVEN = {
    "g": np.arange(12.0).reshape(3, 4), "v": np.arange(4.0), "t": np.ones((2, 3, 4)), "i": np.array([0, 1, 2]), "e": np.zeros((0, 3)),
    "z": np.array(2.0), "c": np.arange(4.0) + 1j, "s": np.eye(3),
}  # fmt: skip
WRONG = [
    text.strip()
    for text in r"""
np.linspace(0, 1, -1) | np.meshgrid(v, v, indexing="zz") | np.diag(t) | np.diag(z) | np.rot90(g, 1, (0, 0)) | np.rot90(g, 1, (0, )) |
np.cross(v, v) | np.linalg.norm(t, axis=(0, 1, 2)) | np.linalg.norm(v, ord="fro") | np.linalg.norm(g, ord=3) | np.cov(t) |
np.select([v>0], [v, v]) | np.diff(v, -1) | np.diff(z) | np.gradient(v, edge_order=3) | np.gradient(g, 1, 2, 3) | np.gradient(v[:1]) |
np.convolve(v, v, "zz") | np.sort(v, order="f") | np.sort(v, kind="zz") | np.sort(v, kind="stable", stable=True) | np.lexsort(()) |
np.lexsort((v, v[:2])) | np.partition(v, 1, kind="zz") | np.partition(v, 9) | np.partition(v, 1.5) | np.partition(v, i*1.0) |
np.quantile(v, g.reshape(2, 2, 3)/20) | np.quantile(v, 0.5, method="zz") | np.quantile(v, 1.5) | np.quantile(v, 0.5, weights=v) |
np.quantile(e, 0.5) | np.percentile(v, 101) | np.diag_indices_from(v) | np.diag_indices_from(g) |
np.unravel_index(i, (3, 3), order="Z") | np.unravel_index(v, (3, 3)) | np.unravel_index(20, (3, 3)) | np.unravel_index(i*9, (3, 3)) |
np.ravel_multi_index((i, i), (3, 3, 3)) | np.ravel_multi_index((i*4, i), (3, 3)) | np.ravel_multi_index((v, v), (3, 3)) |
np.ravel_multi_index((i, i), (3, 3), mode="zz") | np.choose(v, [v, v]) | np.choose(i, [i, i]) | np.insert(v, 9, 1) |
np.insert(v, [1, 9], 1) | np.resize(v, (-1, )) | np.nanargmax(v*np.nan) | np.packbits(v) | np.packbits(i, bitorder="zz") |
np.unpackbits(i) | np.delete(v, 9) | np.delete(v, -9) | np.delete(v, [1, 9]) | np.pad(v, 1, mode="zz") | np.pad(v, -1) |
np.pad(v, (1, 2, 3)) | np.ix_(g, v) | np.searchsorted(v, 1, side="zz") | np.searchsorted(g, 1) | np.digitize(c, v) |
np.digitize(v, [0, 2, 1]) | np.interp(v, c, v) | np.interp(v, v, v, period=0) | np.interp(v, v, v[:2]) |
np.piecewise(v, [v>0], [1, 2, 3]) | np.bincount(g.astype(int)) | np.bincount(v) | np.bincount(i-1) | np.bincount(i, weights=v) |
np.histogram(v, range=(2, 1)) | np.histogram(v, range=(0, np.inf)) | np.histogram(v, bins=g) | np.histogram(v, bins=[2, 1]) |
np.histogram(v, bins=0) | np.histogram(v, bins=2.5) | np.histogram(v, weights=v[:2]) | np.histogramdd(g, bins=(2, 2)) |
np.histogramdd(t) | np.apply_along_axis(np.sum, 0, z) | np.asarray_chkfinite(v/0) | np.compress(g>1, v) | np.compress([True]*9, v) |
np.polyfit(v, v, -1) | np.polyder(v, -1) | np.polyint(v, -1) | np.fft.fft(v, axis=3) | np.fft.fft(v, n=0) | np.fft.fft(v, norm="zz") |
np.fft.fftn(g, axes=(0, 5)) | np.fft.fftn(g, s=(1, 2), axes=(0, )) | np.fft.rfft(c) | np.fft.fftfreq(0) | np.fft.fftfreq(2.5) |
np.linalg.qr(g, mode="zz") | np.linalg.eigh(s, UPLO="Z") | np.linalg.lstsq(v, v) | np.linalg.lstsq(g, v) | np.linalg.inv(g) |
np.linalg.inv(v) | np.linalg.solve(s, v) | np.linalg.det(g) | np.linalg.cholesky(g) | np.linalg.matrix_power(s, 1.5) |
np.linalg.matrix_power(g, 2) | np.linalg.cond(e) | np.linalg.tensorsolve(g, v) | np.linalg.tensorinv(g, 0) | np.linalg.tensorinv(g, 1) |
np.average(g, weights=v) | np.average(g, axis=0, weights=v) | np.average(g, axis=0, weights=g[:2]) | np.take(v, 9) | np.take(v, i*9) |
np.take(v, i, mode="zz") | np.take(g, i, axis=5) | np.take_along_axis(g, i, 0) | np.take_along_axis(g, g, 0) | np.repeat(v, -1) |
np.repeat(v, [1, 2]) | np.tile(v, -1) | np.split(v, 3) | np.array_split(v, 0) | np.concatenate([]) | np.concatenate([v, g]) |
np.concatenate([v, v], axis=1) | np.concatenate(3) | np.stack([]) | np.stack([v, i]) | np.stack([v, v], axis=3) | np.hstack([v, g]) |
np.vstack([v, i]) | np.reshape(v, (3, )) | np.reshape(v, (-1, -1)) | np.reshape(v, (-1, 0)) | np.reshape(v, 2.5) |
np.transpose(g, (0, )) | np.transpose(g, (0, 0)) | np.transpose(g, (0, 5)) | np.moveaxis(g, 0, 5) | np.moveaxis(g, (0, 1), (0, )) |
np.swapaxes(g, 0, 5) | np.squeeze(g, 0) | np.squeeze(g, 5) | np.expand_dims(g, 5) | np.expand_dims(g, (0, 0)) |
np.broadcast_to(v, (3, )) | np.broadcast_to(g, (4, )) | np.broadcast_arrays(v, i) | np.roll(g, 1, axis=5) |
np.roll(g, (1, 2), axis=(0, 1, 1)) | np.flip(g, 5) | np.arange() | np.zeros(-1) | np.zeros(2.5) | np.zeros((2, -1)) | np.full((2, ), v) |
np.eye(-1) | np.eye(2.5) | np.identity(-1) | np.ones("a") | np.dot(v, i) | np.dot(g, g) | np.matmul(g, g) | np.matmul(v, z) |
np.matmul(z, z) | np.vdot(v, i) | np.inner(v, i) | np.tensordot(g, g, 1) | np.tensordot(g, g, axes=([0], [5])) |
np.einsum("ij, jk", g, g) | np.einsum("ij", v) | np.einsum("i->j", v) | np.trace(v) | np.diagonal(v) | np.diagonal(g, axis1=0, axis2=0) |
np.diagonal(g, axis1=0, axis2=5) | np.tril(z) | np.linalg.outer(g, v) | np.linalg.cross(v, v) | np.linalg.trace(v) |
np.linalg.vector_norm(v, axis=2) | np.linalg.matrix_norm(v) | np.linalg.vecdot(v, i) | np.vecdot(v, i) | np.clip(v, 0, 1, 2, 3, 4) |
np.where(v>0, v) | np.where(v>0, v, i) | np.unstack(z) | np.unwrap(c) | np.trapezoid(v, i) | np.vander(g) | np.roots(g) |
np.geomspace(0, 1, 3) | np.logspace(0, 1, -2) | np.nan_to_num(v, nan="a") | np.round(v, 1.5) | np.isclose(v, i) | np.allclose(v, i) |
np.fill_diagonal(v, 1) | np.argsort(v, axis=3) | np.sort(z) | np.max(v[:0]) | np.argmax(v[:0]) | np.sum(v, axis=1) |
np.sum(v, axis=1.5) | np.sum(g, axis=(0, 0)) | np.count_nonzero(v, axis=3) | v[9] | v[1.5] | g[0, 1, 2] | v["a"] | g[..., ...] |
v[v>0, 1] | g[v>0] | v[i*9] | v[:, None, :] | v.reshape(3) | v.foo | v+i | v@i | ~v | v<<1 | np.add(v) | np.add(v, v, v, v) | np.sin() |
np.sin(v, v, v) | np.sin(v, foo=1) | np.sum(v, foo=1) | np.exp("a") | np.add(v, "a") | np.add(v, None) | np.power(i, -1) | i**-1 |
np.left_shift(v, 1) | v.astype("zz") | v.sum(axis="a") | float(v) | int(g) | bool(v)
""".replace("\n", " ").split(" | ")
]


@pytest.mark.parametrize("part", range(4))
def test_wrong_calls_are_refused_as_in_numpy(part: int) -> None:
    texts = WRONG[part::4]
    assert len(texts) > 40
    for text in texts:
        with warnings.catch_warnings(), pytest.raises((ValueError, TypeError, IndexError, ZeroDivisionError, AttributeError)) as theirs:
            warnings.simplefilter("ignore")
            eval(text, {"np": np, **GIVEN})
        with pytest.raises(stax.StaxError) as mine:
            compiled(text, list(GIVEN), {"np": np})(**GIVEN)
        assert kinds(theirs.value) <= kinds(mine.value), f"{text}: {theirs.value!r}, {mine.value!r}"
        assert mine.value.code not in ("compilation-failed", "out-of-memory"), text
        assert len(str(mine.value).split("\n")) <= 12, mine.value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("np.diag(t)", "in `diag` of the standard library (v: f64[2, 3, 4])"),
        ("np.linalg.cross(v, v)", "in the standard library (x1: f64[4], x2: f64[4])"),
        ("np.vecdot(v, i)", "an operand: f64[1, 4]   4 is the only axis of parameter v (line 1)"),
        ("np.sin()", "`np.sin` takes 1 operand and got 0"),
        ('np.exp("a")', "the operand of `np.exp` must be an array or numbers, not str"),
        ("np.delete(v, -9)", "there is no place -9 along an axis of 4 elements"),
        ("np.fft.fft(v, axis=3)", "axis 3 is out of range for an array of 1 axis"),
        ("np.sum(v, where=g > 1)", "the mask `where` has shape (3, 4) and does not broadcast to the array's (4,)"),
        ("np.apply_along_axis(np.sum, 0, z)", "return np.apply_along_axis(np.sum, 0, z)"),
    ],
)
def test_texts_say_what_was_given(text: str, says: str) -> None:
    with pytest.raises(stax.StaxError) as problem:
        compiled(text, list(GIVEN), {"np": np})(**GIVEN)
    assert says in str(problem.value), problem.value
