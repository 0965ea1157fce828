"""Shape manipulation, indexing and updates: the same programs under NumPy and as captured graphs, with constant and symbolic sizes."""

import numpy as np
import pytest
from surface_cases import check

X = (np.arange(3 * 5 * 7, dtype=np.float32).reshape(3, 5, 7) * 37 % 101) - 50
M = np.arange(5 * 7, dtype=np.float64).reshape(5, 7)
V = np.array([5, -3, 0, 8, 2, -7, 1], dtype=np.int32)
S = np.arange(9, dtype=np.int64).reshape(3, 3)
B = M > 12
K = np.array([2, 0, -1, 1])
U = np.array([4, 1, 0], dtype=np.uint8)
I2 = np.array([[0, 1], [2, -1]])
ONE = np.arange(5, dtype=np.float32).reshape(1, 5, 1)

SHAPES = """
x.reshape(15, 7) | x.reshape(3, 35) | x.reshape(-1) | x.reshape((7, -1)) | x.reshape(-1, 5) | x.reshape(3, -1, 7)
np.reshape(x, (105,))
x.reshape(21, 5) | x.reshape(105, 1) | x.reshape(1, 3, 5, 7) | x.T.reshape(-1) | x.T.reshape(35, 3) | x[::2].reshape(-1)
x[:, ::-1].reshape(15, 7)
np.reshape(x, (7, 15), order="F") | x.ravel() | x.ravel(order="F") | x.T.ravel() | x.flatten() | np.ravel(x.T)
m.reshape(x.shape[1], -1)
x.T | x.transpose() | x.transpose(2, 0, 1) | x.transpose((1, 0, 2)) | np.transpose(x, (-1, 0, 1)) | np.transpose(m) | v.T | x.mT
m.T.T
np.swapaxes(x, 0, 2) | x.swapaxes(-1, 1) | np.moveaxis(x, 0, -1) | np.moveaxis(x, (0, 1), (-1, 0)) | np.rollaxis(x, 2)
np.rollaxis(x, 1, 3)
np.expand_dims(x, 0) | np.expand_dims(x, -1) | np.expand_dims(m, (0, 2)) | np.squeeze(one) | one.squeeze(0) | one.squeeze((0, -1))
np.squeeze(one, axis=2)
np.atleast_1d(m) | np.atleast_2d(v) | np.atleast_3d(v) | np.atleast_3d(m) | np.atleast_2d(v, m) | np.atleast_1d(3.0)
np.atleast_3d(2)
np.broadcast_to(v, (5, 7)) | np.broadcast_to(one, (3, 5, 7)) | np.broadcast_arrays(v, m) | np.broadcast_to(2.5, (3,))
np.broadcast_shapes(m.shape, (3, 1, 7))
np.flip(x) | np.flip(x, 1) | np.flip(x, (0, -1)) | np.fliplr(m) | np.flipud(m) | np.rot90(m) | np.rot90(m, 2) | np.rot90(m, 3)
np.rot90(x, 1, (1, 2)) | np.rot90(m, -1)
np.diagonal(m) | m.diagonal(1) | m.diagonal(-2) | x.diagonal(1, 0, 2) | np.diagonal(x, axis1=1, axis2=2) | np.trace(m)
s.trace(1) | np.trace(x) | np.trace(x, axis1=2, axis2=0)
np.shape(x) | np.ndim(x) | np.size(x) | np.size(x, 1) | x.shape | x.ndim | x.size | len(x) | x.itemsize | x.nbytes
np.shape([[1, 2], [3, 4]]) | x.dtype
np.copy(x) | x.copy() | x.astype(np.float64) | x.astype("i4") | x.astype(int) | m.astype(np.float32, copy=False)
b.astype(np.int8) | np.astype(m, np.float16)
"""

JOINS = """
np.concatenate([m, m]) | np.concatenate((m, m), axis=1) | np.concatenate([m, x[0]], axis=-1) | np.concatenate([v, v], axis=None)
np.concatenate([m, b], 0)
np.concatenate([v, [1.5, 2]]) | np.concatenate([m, m], dtype=np.float32) | np.stack([v, v]) | np.stack([m, m], axis=-1)
np.stack([m, m, m], 1) | np.stack((v, v.astype(float)), axis=1)
np.hstack([m, m]) | np.hstack([v, v]) | np.vstack([v, v]) | np.vstack([m, v]) | np.dstack([m, m]) | np.dstack([v, v])
np.column_stack([v, v]) | np.column_stack([m.T, v])
np.split(m, 5) | np.split(v, [2, 5]) | np.split(m, [1, 3], axis=1) | np.array_split(v, 3) | np.array_split(m, 4, axis=0)
np.vsplit(m, 5) | np.hsplit(m, 7) | np.dsplit(x, 7) | np.array_split(v, [0, 4, 9])
np.pad(m, 2) | np.pad(v, (1, 2)) | np.pad(m, ((1, 0), (2, 3)), constant_values=4) | np.pad(v, 2, constant_values=(5, 6))
np.pad(m, ((1, 2), (2, 1)), constant_values=((1, 2), (3, 4)))
np.pad(v, 3, mode="edge") | np.pad(m, ((2, 1), (0, 3)), "edge") | np.pad(v, 4, "reflect") | np.pad(m, 2, "reflect")
np.pad(v, (3, 7), "symmetric") | np.pad(m, ((1, 2), (3, 0)), "wrap") | np.pad(v, (2, 0), "wrap") | np.pad(m, 0)
np.repeat(v, 3) | np.repeat(m, 2, axis=0) | m.repeat(3, 1) | np.repeat(m, 2) | np.repeat(s, [2, 0, 3], axis=1) | np.repeat(4, 3)
np.tile(v, 3) | np.tile(m, (2, 1)) | np.tile(v, (2, 2)) | np.tile(m, 2) | np.tile(m, (2, 1, 3))
np.roll(v, 2) | np.roll(v, -3) | np.roll(m, 1) | np.roll(m, 2, axis=1) | np.roll(m, (1, -2), axis=(0, 1)) | np.roll(v, 9)
np.roll(m, -1, axis=0) | np.roll(v, 0)
np.meshgrid(v, s[0]) | np.meshgrid(v, s[0], indexing="ij") | np.meshgrid(v, s[0], sparse=True) | np.diff(v) | np.diff(m, axis=0)
np.diff(m, n=2) | np.diff(b, axis=0) | np.diff(v, prepend=3) | np.diff(m, axis=0, append=m[:1]) | np.ediff1d(v)
np.tril(m) | np.triu(m) | np.tril(m, 1) | np.triu(x, -1) | np.tri(4) | np.tri(3, 5, 1) | np.eye(4) | np.eye(3, 5, k=1)
np.eye(3, k=-1, dtype=np.float32) | np.identity(4) | np.diag(v) | np.diag(m) | np.diag(m, 1) | np.diag(v, -2)
np.diagflat(m[:1, :3])
np.append(v, v) | np.append(m, m, axis=1) | np.kron(s, s[:2]) | np.cross(s, s[::-1]) | np.indices((2, 3)) | np.ix_([0, 2], [1, 3])
np.block([[s, s], [s, s]])
"""

INDEXING = """
x[0] | x[-1] | x[1, 2] | x[1, 2, 3] | x[1][2][3] | x[..., 0] | x[0, ...] | x[:, 1] | x[1:, :3] | x[::2, ::-1] | x[::-1] | x[-2:]
x[:-1, 1:-1] | x[5:] | x[:100] | x[3:1] | x[-1:0:-2] | x[4::-3]
x[None] | x[:, None] | x[..., None] | x[np.newaxis, 0, :, None] | m[1:, None, ::2] | m[()] | x[..., 1:3] | x[2, ..., -1]
m[1:3][:, 2:4][1] | v[::3] | v[-100:2] | v[2:-2] | x[:, 2:2]
v[k] | m[k] | m[:, k] | x[k % 3] | x[:, k] | x[..., k] | m[i2] | x[i2, 1] | x[0, k] | x[k[:2], k[:2]] | x[:, k[:2], k[:2]]
x[k[:2], :, k[:2]] | x[0, :, k] | x[:, 0, k] | x[:, k[:2], 1:4, None]
m[[0, 2]] | m[[0, -1], [1, 2]] | m[:, [3, 1, 1]] | x[[0, 1], None, [1, 2]] | m[u] | m[k, 1:4] | m[1:4, k] | x[k[:3, None] % 3, k]
v[[[0, 1], [2, -1]]] | m[range(3)] | m[[], :] | v[[]] | x[None, [0, 2], 1] | x[0, [1, 2], None, 3] | m[(0, 1), (2, 3)]
m[np.array(2)] | m[np.argmax(v)] | v[np.argmax(v)] | x[np.argmin(v) - 5, 1:3] | v[k[0]] | m[k[1], k[2]] | x[int(k[0])]
m[len(k) - 1] | m[m.shape[0] - 1] | x[x.shape[0] // 2]
np.take(v, k) | np.take(m, k, axis=1) | m.take([0, 3], axis=0) | np.take(m, i2) | np.take(v, [9, -9], mode="wrap")
np.take(v, [9, -9], mode="clip") | np.take(m, 2, axis=0) | v.take(i2)
np.take_along_axis(m, np.argmax(m, axis=1)[:, None], axis=1) | np.take_along_axis(s, s[:1] % 3, axis=0)
np.take_along_axis(v, k, None) | np.take_along_axis(m, np.argmin(m, 0, keepdims=True), 0)
[row for row in s] | [a + b for a, b in zip(s, s[::-1])] | sum(s) | max(v[0], v[3]) | min(m[0, 1], m[0, 0])
"""


def cases(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


def arguments(text):
    """The arrays that an expression names."""
    every = {"x": X, "m": M, "v": V, "s": S, "b": B, "k": K, "u": U, "i2": I2, "one": ONE}
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    return {name: array for name, array in every.items() if name in words}


@pytest.mark.parametrize("text", cases(SHAPES))
def test_shapes(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(JOINS))
def test_joins(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(INDEXING))
def test_indexing(text):
    check(text, **arguments(text))


UPDATES = [
    "x[0] = 1", "x[1, 2] = v", "x[..., 0] = 5", "x[:, 1:3] *= 2", "x[::2, ::-1] = 0", "m[1:3, ::2] = v[:4]", "m[:] = 3", "m[...] = v",
    "m += v",
    "m[k] = 7", "m[k] = v", "m[:, k] = 1", "m[k, k] = v[:4]", "m[[0, 2], 1:3] = 9", "x[0, k] = v", "m[k] += 1", "v[k] -= 3",
    "m[2] = m[1]", "m[1:] = m[:-1]",
    "m[b] = 0", "m[b] += 1", "m[~b] = -1", "m[m > 12] *= 2", "x[x < 0] = 0", "m[b] = 2.5", "v[v < 0] = 0", "v[v > 2] = 1",
    "m.T[0] = 1", "m.T[1:3, 2] = 4", "m[0, 0] = 1", "a = m[1:]\na[0] = 5\na *= 2", "a = m.T\na[:, 0] = 2",
    "a = m.reshape(-1)\na[3] = 9",
    "a = m[::2]\nb2 = a[:, 1:]\nb2[0] = 1\nm[0] += b2[1, 0]", "a = m.copy()\na[0] = 1\nm[1] = a[0]",
    "a = x.transpose(2, 0, 1)[0]\na += 1", "m.fill(3)", "np.fill_diagonal(m, 0)",
    "np.add.at(v, k, 5)", "np.add.at(m, [0, 0, 1], 1.0)", "np.maximum.at(v, k, 4)", "np.copyto(m, v)", "np.copyto(m, 0, where=b)",
    "np.putmask(m, b, 0)", "np.put_along_axis(m, k[:1, None] % 7 + np.zeros((5, 1), dtype=int), 0.0, axis=1)",
    "np.add(m, v, out=m)", "np.multiply(m, 2, out=m, where=b)", "np.sqrt(np.abs(m), m)", "np.sum(m, axis=0, out=m[0])",
    "np.exp(m * 0.01, out=m)", "np.clip(m, 3, 9, out=m)",
    "m[0], m[1] = m[1].copy(), m[0].copy()", "for r in range(3):\n    m[r] = m[r + 1] + r", "m[-1] = v.sum()", "m[0, 0] += m[1, 1]",
    "v[2] **= 2", "v[0] //= 2", "m[1] = [1, 2, 3, 4, 5, 6, 7]",
]  # fmt: skip


@pytest.mark.parametrize("text", UPDATES)
def test_updates(text):
    given = arguments(text)
    check(f"{text}\nreturn {', '.join(given)}", **given)
