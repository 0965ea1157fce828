"""A record for each of NumPy's names: calls that show it. `f` is the name; arrays are those of `arrays`, once for each dtype.

`f(x)` is what is called where nothing is written here. `mine => theirs` is for a call that NumPy knows in other words.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

DTYPES = {"r": "f8", "n": "i4", "b": "?", "z": "c16"}
"""Real, integer, bool, complex."""

Array = np.ndarray[Any, Any]


def arrays(dtype: str) -> dict[str, Array]:
    """x, y: matrices; v, w: vectors; s, h: square matrices that can be inverted, h is positive definite; u: two different numbers."""
    made: dict[str, Any] = {
        "x": [[3, -1, 0, 2], [5, 4, -2, 1], [0, 7, 1, -3]], "y": [[1, 2, 5, 1], [3, 1, 1, 2], [2, 2, 1, 4]],
        "v": [4, -1, 2, 0], "w": [1, 3, 2, 5], "u": [1, 0, 1, 0],
        "s": [[5, 1, 0, 2], [1, 6, 2, 0], [0, 2, 7, 1], [3, 0, 1, 4]], "h": [[6, 1, 0, 2], [1, 7, 2, 0], [0, 2, 8, 1], [2, 0, 1, 5]],
    }  # fmt: skip
    if dtype == "?":
        made["s"] = made["h"] = np.eye(4)
    made = {name: np.array(numbers).astype(dtype) for name, numbers in made.items()}
    if dtype == "f8":
        made["x"], made["v"] = made["x"] + 0.25, made["v"] + 0.5
    if dtype == "c16":
        made["x"], made["v"], made["s"] = made["x"] + 1j * made["y"], made["v"] - 0.5j * made["w"], made["s"] + 0.25j * made["s"].T
        made["h"] = made["h"] + 1j * np.triu(made["h"], 1) - 1j * np.tril(made["h"], -1)
    return made


FIXED = {
    "i": np.array([2, 0, 1]), "j": np.array([[0, 3, 1, 2], [1, 1, 0, 3], [2, 0, 3, 1]]),
    "m": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, False]]),
    "c": np.array([True, False, True, True]), "k": np.array([1, 3, 5, 9]), "q": np.array([200, 7, 0, 255], np.uint8),
}  # fmt: skip
"""Arrays of their own dtypes: subscripts i and j, masks m and c, increasing numbers k, bytes q."""

_ROWS = """
all any argmax argmin cumsum cumprod prod sum max min mean std var ptp median: f(x) | f(x, axis=1)
nansum nanprod nancumsum nancumprod nanmax nanmin nanmean nanstd nanvar nanmedian nanargmax nanargmin: f(x) | f(x, axis=1)
amax amin count_nonzero: f(x) | f(x, axis=1)
average: f(x) | f(x, 0, weights=y[:, 0])
cumulative_sum cumulative_prod: f(x, axis=1) | f(v, include_initial=True)
quantile nanquantile: f(x, 0.25) | f(x, [0.1, 0.5], axis=1)
percentile nanpercentile: f(x, 25) | f(x, [10, 50], axis=1)
allclose isclose array_equal array_equiv: f(x, y) | f(x, x)
append: f(v, w) | f(x, y, axis=0)
apply_along_axis: f(np.cumsum, 1, x) | f(lambda row: row.sum(), 0, x)
apply_over_axes: f(np.sum, x, (0, 1))
arange: f(7) | f(1, 9, 2) | f(0.0, 1.0, 0.25)
argpartition: np.take_along_axis(x, f(x, 2), -1)[:, 2]
argsort sort: f(x) | f(x, axis=0) | f(x, stable=True)
array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite: f(x) | f([1, 2, 3])
require: f(x) | f(x, np.complex128, 'F') | f(x[::2], requirements=['C', 'W']) | f(x.T, None, ('F_CONTIGUOUS', 'OWNDATA'))
array_split: f(x, 3, 1)
split: f(x, 2, 1)
hsplit: f(x, 2)
dsplit: f(x[:, None], 2)
vsplit: f(x.T, 2)
astype: f(x, np.complex64) | f(y, np.float32)
atleast_1d atleast_2d atleast_3d: f(x) | f(v) | f(2)
bartlett blackman hamming hanning: f(7)
kaiser: f(7, 5.0)
bincount: f(i) | f(i, minlength=6)
block: f([[x, y], [y, x]]) | f([v, w])
broadcast_arrays: f(x, v)
broadcast_shapes: f((3, 1), (4,))
broadcast_to: f(v, (3, 4))
c_: f[v, w]
r_: f[v, w] | f[0:3, 7]
mgrid ogrid: f[0:3, 1:5:2]
s_ index_exp: x[f[1:, ::2]]
can_cast: f(np.int32, np.float64)
choose: f(i, x[:, :3]) | f(i, [v[:3], w[:3], 7])
clip: f(x, -1, 2) | f(x, None, y)
column_stack dstack hstack vstack: f([x, y]) | f([v, w])
common_type: f(x, y)
compress: f(c, v) | f([True, False, True], w).mean()
extract: f(m, x)
concatenate concat: f([x, y]) | f((x, y), axis=1) | f([x, y], axis=None)
stack: f([x, y]) | f([x, y], axis=-1)
convolve: f(v, w) | f(v, w[:2], "valid") | f(v, w, mode="same")
correlate: f(v, w) | f(v, w[:3], "full")
copy: f(x) | f(x, order="F")
copyto: (f(x, y), x) | (f(x, y, where=m), x)
corrcoef cov: f(x) | f(v, w)
cross: f(x[:, :3], y[:, :3])
delete: f(v, 1) | f(x, [0, 2], axis=1) | f(v, v > 0) | f(x, i, axis=0)
diag: f(v) | f(x, 1)
diag_indices: f(3)
diag_indices_from: f(s)
diagflat: f(v, 1)
diagonal: f(x) | f(x, 1)
diff: f(x) | f(v, 2) | f(x, axis=0, prepend=0)
digitize: f(y, k)
divmod: f(x, y) | f(x, y, where=m, out=(x * 1, x * 1)) | f(y, 2, dtype=np.float64)
modf frexp: f(x) | f(x, where=m, out=(x * 1.0, x * 1.0))
dot matmul: f(x, y.T) | f(v, w)
inner: f(x, y) | f(v, w)
dtype: f("f4") | f(np.int16)
ediff1d: f(x) | f(v, to_end=1, to_begin=[2, 3])
einsum: f("ij,kj->ik", x, y) | f("ij->j", x) | f("ii", s) | f("i,i", v, w)
ndarray: f((2, 3)).shape
empty: f((2, 3)).shape | f(3, dtype=np.int8).dtype
empty_like: f(x).shape | f(x).dtype
errstate: (lambda: np.sqrt(x))()
expand_dims: f(x, 1) | f(x, (0, 2))
eye: f(3) | f(2, 4, k=1, dtype=x.dtype)
fill_diagonal: (f(x, 7), x) | (f(s, v), s)
finfo: f(x.dtype).eps
iinfo: f(x.dtype).max
fix: f(x)
flatnonzero nonzero: f(u)
argwhere: f(u)
flip: f(x) | f(x, 1)
format_float_positional format_float_scientific: len(f(0.25))
base_repr binary_repr: len(f(5)) + int(f(6)[0])
mintypecode: len(f(["d", "f"]))
typename: len(f("d"))
fromfunction: f(lambda a, b: a + b, (3, 4)) | f(lambda a: a * 2, (3,), dtype=int)
fromiter: f([1, 2, 3], dtype=x.dtype) | f((2 * n for n in range(4)), float)
full: f((2, 3), 7) | f(3, 2.5, dtype=x.dtype)
full_like: f(x, 1)
geomspace logspace: f(1.0, 8.0, 4)
linspace: f(0, 1, 5) | f(v, w, 3) | f(0, 1, 4, endpoint=False, retstep=True)
gradient: f(v) | f(x)
histogram: f(y, 4) | f(y, bins=[0, 1, 2, 6], density=True)
histogram2d: f(y[0].real, y[1].real, 3)
histogram_bin_edges: f(y, 5)
histogramdd: f(y[:, :2].real, 2)
i0: f(y)
identity: f(3)
indices: f((2, 3)) | f((2,), sparse=True)
insert: f(v, 1, 5) | f(v, v > 0, 5) | f(x, [1, 3], y[:, :2], axis=1)
interp: f(y, k, w) | f(2.5, k, w, left=0.0)
intersect1d union1d setxor1d: f(u, w)
setdiff1d: f(k, u)
isdtype: f(x.dtype, "real floating")
isfortran: f(x) | f(s.T)
isin: f(x, v) | f(x, v, invert=True)
isscalar: f(2.5) | f(x)
issubdtype: f(x.dtype, np.floating)
iterable: f(x) | f(3)
ix_: f([0, 2], [1, 3]) | x[f([0, 2], [1, 3])]
kron: f(x[:2, :2], y)
outer: f(v, w)
lexsort: f((v, w)) | f(y)
may_share_memory shares_memory: f(x, x) | f(x, x[1:])
meshgrid: f(v, w) | f(v, w, indexing="ij", sparse=True)
min_scalar_type: f(200) | f(x)
moveaxis: f(x, 0, 1)
rollaxis: f(x, 1)
swapaxes: f(x, 0, 1)
permute_dims transpose: f(x) | f(x, (1, 0))
matrix_transpose: f(x)
nan_to_num: f(x / (y - 1)) | f(x, nan=3.0)
ndenumerate: [e * n[1] for n, e in f(x)]
ndindex: [n[0] + n[1] for n in f(2, 3)] | list(f((2,)))
ones zeros: f((2, 3)) | f(3, dtype=x.dtype)
ones_like zeros_like: f(x) | f(x, dtype=np.float32)
packbits: f(m) | f(m, axis=1)
unpackbits: f(q) | f(q, count=5, bitorder="little")
pad: f(x, 1) | f(x, ((1, 2), (0, 1)), mode="edge") | f(v, 2, mode="reflect")
partition: f(x, 2)[:, 2] | f(v, 1)[1]
piecewise: f(x, [x == 0, x != 0], [1, lambda a: a * 2]) | f(x, [m], [2, 3])
place: (f(x, m, [7, 8]), x)
poly: f(v)
polyadd polysub polymul: f(v, w)
polydiv: f(v, w[:2])
polyder: f(v) | f(v, 2)
polyint: f(v) | f(v, 2, 3)
polyfit: f(k, v, 1)
polyval: f(v, x)
roots: np.sort_complex(f(w)) | np.sort_complex(f([1, -6, 11, -6]))
promote_types result_type: f(np.int8, x.dtype)
put: (f(x, [0, -1], [7, 8]), x)
put_along_axis: (f(x, j[:, :2], 7, axis=1), x) | (f(x, i[:2, None] * 0, y[:2, :1], axis=0), x)
putmask: (f(x, m, y), x) | (f(x, m, [7, 8]), x)
ravel: f(x) | f(x, order="F")
ravel_multi_index: f((i, i), (3, 4))
unravel_index: f(i, (2, 2)) | f(5, (2, 3))
repeat: f(x, 2) | f(x, 2, axis=1) | f(i, abs(i))
reshape: f(x, (2, 6)) | f(x, -1, order="F")
resize: f(x, (5, 3)) | f(v, 9)
roll: f(x, 1) | f(x, -1, axis=1)
rot90: f(x) | f(x, 2)
round around: f(x) | f(x, 1)
row_stack: f([v, w])
searchsorted: f(k, y) | f(k, v, side="right")
select: f([x == 1, m], [x, y], 7) | f([m, ~m], [1, x])
size ndim shape: f(x)
sort_complex: f(v) | f(x)
squeeze: f(x[:, None]) | f(x[None], 0)
take: f(x, i) | f(x, [0, -1], axis=1) | f(x, [9], mode="wrap")
take_along_axis: f(x, j, axis=1) | f(x, i[None, :1], 0)
tensordot: f(x, y, 2) | f(x, y, axes=([1], [1]))
tile: f(x, 2) | f(v, (2, 3))
trace: f(s) | f(x, 1)
trapezoid: f(x) | f(v, w)
trim_zeros: f(u) | f(u, "b")
tri: f(3) | f(2, 3, k=1)
tril triu: f(x) | f(s, 1)
tril_indices triu_indices: f(3, 1)
tril_indices_from triu_indices_from: f(s)
unique: f(u)
unique_values: np.sort(f(u))
unique_all unique_counts unique_inverse: tuple(f(u))
unstack: f(x) | f(x, axis=1)
unwrap: f(x)
vander: f(v) | f(v, 3, increasing=True)
vdot: f(v, w)
vecdot: f(v, w) | f(x, y, axis=0, keepdims=True) | f(x, v, w[:3] * v[0])
matvec: f(x, v) | f(x, v, w[:3] * v[0])
vecmat: f(v, s) | f(v, s, dtype=np.complex128)
vectorize: f(lambda a, b: a + b)(x, y) | f(lambda a: a * a, otypes=[np.complex128])(v) | f(lambda a: 1 if a == 0 else a)(v)
where: f(m, x, y) | f(x, 1, y) | f(m)
ldexp: f(x, i[0]) | f(y, 3)

linalg.cholesky: f(h) | f(h, upper=True)
linalg.cond: f(h) | f(s, 1)
linalg.cross: f(x[:, :3], y[:, :3])
linalg.det linalg.inv linalg.slogdet linalg.matrix_rank linalg.svdvals linalg.pinv: f(s) | f(h)
linalg.diagonal linalg.trace linalg.matrix_transpose linalg.matrix_norm: f(s) | f(x)
linalg.eig: abs(f(h)[1] @ f(h)[1].conj().T).sum() * 0 + np.sort(f(h)[0].real)
linalg.eigvals: np.sort(f(h).real)
linalg.eigh: f(h)[0] | abs(f(h)[1])
linalg.eigvalsh: f(h)
linalg.lstsq: f(s, v, rcond=None)[0] | f(x.T, v, rcond=None)[0]
linalg.matmul: f(x, y.T)
linalg.matrix_power: f(s, 3) | f(h, -1)
linalg.multi_dot: f([x, y.T, x])
linalg.norm: f(x) | f(v, 1) | f(x, 2) | f(x, axis=1)
linalg.outer linalg.vecdot: f(v, w)
linalg.qr: f(s) | f(x.T) | f(x, mode="r")
linalg.solve: f(s, v) | f(h, s)
linalg.svd: f(s)[1] | f(x, compute_uv=False) | f(x, full_matrices=False)[1]
linalg.tensordot: f(x, y, axes=2)
linalg.tensorinv: f(s.reshape(2, 2, 2, 2), 2)
linalg.tensorsolve: f(s.reshape(2, 2, 4), v.reshape(2, 2))
linalg.vector_norm: f(x) | f(x, axis=1, ord=1)

fft.fftfreq fft.rfftfreq: f(8, 0.5)
fft.fftshift fft.ifftshift: f(x) | f(v)

.astype(): x.astype(np.complex128) | y.astype(np.int8)
.argpartition(): np.take_along_axis(x, x.argpartition(2), -1)[:, 2]
.choose(): i.choose(x[:, :3])
.clip(): x.clip(-1, 2) | x.clip(max=y)
.compress(): v.compress(c)
.diagonal(): x.diagonal() | x.diagonal(1)
.dot(): x.dot(y.T) | v.dot(w)
.fill(): (x.fill(2), x)
.item(): x[0, :1].item() | x.item(5) | x.item(1, 2)
.nonzero(): u.nonzero()
.partition(): (v.partition(1), v[1])
.put(): (x.put([0, -1], [7, 8]), x)
.repeat(): x.repeat(2) | x.repeat(2, axis=1)
.reshape(): x.reshape(2, 6) | x.reshape((-1,))
.round(): x.round() | x.round(1)
.searchsorted(): k.searchsorted(y)
.sort(): (x.sort(), x) | (v.sort(), v)
.argsort(): x.argsort() | x.argsort(axis=0)
.squeeze(): x[None].squeeze() | x[:, None].squeeze(1)
.swapaxes(): x.swapaxes(0, 1)
.take(): x.take(i) | x.take([1], axis=1)
.trace(): s.trace() | x.trace(1)
.transpose(): x.transpose() | x.transpose(1, 0)
.view(): v.view(np.uint8) | x.view(np.int8) | x.view()
.byteswap(): k.byteswap() | q.byteswap() | x.byteswap().byteswap()
.tolist(): x.tolist()
.flatten() .ravel(): x.NAME() | x.NAME("F")
.cumsum() .cumprod(): x.NAME() | x.NAME(axis=1)
.sum() .prod() .max() .min() .mean() .std() .var() .any() .all() .argmax() .argmin(): x.NAME() | x.NAME(axis=1)
.mT .T: x.NAME
.flags: (x.flags.c_contiguous, x.T.flags.f_contiguous, x.T.flags.c_contiguous, x.flags.writeable)
.flat: x.flat[5] | sum(x.flat[3:5]) | list(v.flat)
.device: x.device == "cpu"
.dtype: x.dtype
.strides: x.strides | x.T.strides | x[::2, 1:].strides

ufunc.reduce: np.add.reduce(x) | np.multiply.reduce(x, axis=1) | np.logical_xor.reduce(x, axis=None) | np.bitwise_xor.reduce(x)
ufunc.accumulate: np.add.accumulate(x) | np.maximum.accumulate(x, axis=1)
ufunc.reduceat: np.add.reduceat(v, [0, 2, 1]) | np.multiply.reduceat(x, [0, 3], axis=1)
ufunc.outer: np.add.outer(v, w) | np.subtract.outer(x, v)
ufunc.at: (np.add.at(v, [0, 0, 2], w[:3]), v) | (np.negative.at(v, [0, 1]), v)
"""


def _read(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in text.strip().split("\n"):
        head, _, calls = line.partition(": ")
        for name in head.split():
            found[name if name.startswith((".", "ufunc")) else f"np.{name}"] = tuple(calls.strip().split(" | "))
    return found


RECORDS = _read(_ROWS)


def calls_of(name: str, all_names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(the kernel's text, NumPy's text) of each call that shows a name; `all_names` are those of the same object."""
    known = next((RECORDS[one] for one in (name, *all_names) if one in RECORDS), None)
    if name.startswith("."):
        known = known or (f"x{name}",)
        plain = name.removeprefix(".").removesuffix("()")
        texts = [text.replace("NAME", plain) for text in known]
    else:
        texts = [re.sub(r"\bf(?=[(\[])", name, text) for text in known or ("f(x)",)]
    return tuple((left, right or left) for left, _, right in (text.partition(" => ") for text in texts))
