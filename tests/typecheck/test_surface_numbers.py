"""Ufuncs, reductions, creation, products, dtypes and Python's mathematics: under NumPy and as captured graphs."""


import numpy as np
import pytest
from surface_cases import check

rng = np.random.default_rng(7)
X = rng.standard_normal((3, 5, 7)).astype(np.float32)
M = rng.standard_normal((5, 7))
V = np.array([5, -3, 0, 8, 2, -7, 1], dtype=np.int32)
S = rng.integers(-9, 9, (3, 3))
B = M > 0
H = rng.standard_normal((3, 5)).astype(np.float16)
C = (rng.standard_normal((3, 5)) + 1j * rng.standard_normal((3, 5))).astype(np.complex64)
U = np.array([[1, 2, 250], [4, 0, 9]], dtype=np.uint8)
EVERY = {"x": X, "m": M, "v": V, "s": S, "b": B, "h": H, "c": C, "u": U, "k": 3, "r": 2.5, "p": -4}


def arguments(text):
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    return {name: value for name, value in EVERY.items() if name in words}


def cases(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


UFUNCS = """
np.add(x, 1) | np.add(m, v) | np.subtract(x, m) | np.multiply(u, 2) | np.divide(v, 2) | np.true_divide(u, u) | np.power(m, 2)
np.float_power(v, 2) | np.mod(v, 3) | np.floor_divide(v, 2)
np.exp(x) | np.exp(v) | np.exp(h) | np.exp(u) | np.sqrt(u) | np.log1p(np.abs(m)) | np.sin(x) | np.arctan2(m, v) | np.hypot(m, 1)
np.tanh(h) | np.cbrt(m) | np.square(v) | np.reciprocal(m)
np.maximum(x, 0) | np.minimum(m, v) | np.fmax(x, 0) | np.sign(v) | np.absolute(c) | np.abs(v) | np.fabs(v) | np.floor(x)
np.ceil(m) | np.trunc(m) | np.fix(m) | np.rint(x) | np.conj(c) | np.angle(c)
np.isnan(x) | np.isfinite(v) | np.signbit(m) | np.logical_and(b, m > 1) | np.logical_not(v) | np.logical_or(v, 0)
np.bitwise_and(v, 3) | np.invert(u) | ~v | ~b | np.left_shift(v, 2) | v >> 1 | np.gcd(v, 6)
np.equal(v, 0) | np.greater(x, m) | m >= v | m == 1 | v != 0 | b & (m < 1) | b | ~b | b ^ b | np.copysign(m, -1)
np.heaviside(m, 0.5) | np.deg2rad(m) | np.rad2deg(x) | np.ldexp(x, 2) | np.nextafter(x, 0)
x + m | x * 2 | x * 2.5 | v * 2.5 | u + 1 | u * 1.5 | h + 1 | h * h[0] | v / 2 | v // 2 | v % 3 | v ** 2 | 2 ** m | -v | +m
abs(x) | x + True | b + b | b * 2 | m - v | 1 / m | 1 - u | x @ x.mT | c * 2 | c + 1j | u - u
x * k | v * k | v * r | x * r | k * u | x + k - r | m ** k | v + p | np.multiply(m, k) | np.add(k, r) | np.sqrt(r)
np.maximum(k, 2) | np.exp(k) | np.power(k, 2) | x > k | np.where(m > r, m, k) | m * k * k
np.add(m, 1, dtype=np.float32, casting="unsafe") | np.add(v, v, dtype=np.float64) | np.multiply(x, m, dtype=np.float64)
np.sqrt(v, dtype=np.float32, casting="unsafe") | np.equal(m, 0, dtype=bool)
np.add.outer(v, v) | np.multiply.outer(v, m) | np.subtract.outer(v, v[:3]) | np.add.reduce(m) | np.add.reduce(m, axis=1)
np.multiply.reduce(v) | np.maximum.reduce(m, axis=None) | np.minimum.reduce(x, axis=(0, 2)) | np.add.accumulate(m)
np.multiply.accumulate(v)
np.logical_and.reduce(b) | np.logical_or.reduce(b, axis=1) | np.divmod(v, 3) | np.modf(m) | np.frexp(x) | divmod(v, 3)
round(m[0, 0], 1) | np.round(m, 2) | np.round(v, -1) | m.round() | np.around(x, 1) | np.round(u, -1) | np.float64(2).round()
np.clip(m, -0.5, 0.5) | m.clip(0) | np.clip(v, None, 3) | np.clip(u, -1, 300) | np.clip(v, 0, 2.5) | x.clip(-1, 1)
np.clip(m, v, 9) | np.clip(x, min=0) | np.clip(m, min=0, max=1) | np.clip(m, -r, r) | np.clip(v, p, k)
np.where(b, m, 0) | np.where(b, v, m) | np.where(v, v, 1) | np.where(m > 0, x, 2) | np.where(True, m, 1) | np.where(b, 1, 2)
np.where(b, 1.0, u[0, 0]) | np.real(c) | c.imag | m.real | m.imag | c.real * 2 | np.imag(v) | m.conj() | c.conjugate()
np.nan_to_num(m) | np.isclose(m, m) | np.allclose(m, m + 1e-12) | np.array_equal(m, m) | np.sinc(m)
np.select([m > 1, m > 0], [m, v], 9) | np.iscomplexobj(c) | np.isrealobj(m) | np.isscalar(3) | np.iscomplex(c) | np.isreal(m)
np.isposinf(m)
np.logaddexp(m, 0) | np.expm1(x) | np.log2(np.abs(m)) | np.log10(np.abs(x)) | np.exp2(x) | np.spacing(x) | np.positive(m)
np.negative(v) | np.bitwise_count(u) | np.lcm(v, 4) | np.float_power(x, 2) | np.remainder(m, 0.3) | np.fmod(v, 3)
"""

REDUCTIONS = """
np.sum(x) | x.sum(0) | x.sum(axis=(0, 2)) | x.sum(-1, keepdims=True) | np.sum(v) | np.sum(b) | np.sum(u) | np.sum(h)
np.sum(h, axis=1) | np.sum(c) | np.sum(m, dtype=np.float32) | np.sum(v, dtype=np.int8) | np.sum(m, initial=5) | np.sum(m, where=b)
np.sum(m, axis=0, where=b, initial=1)
np.sum([1, 2, 3]) | np.sum([v, v], axis=0) | np.sum(m, axis=()) | np.sum(3.5) | np.sum(m[0, 0]) | np.sum(b, dtype=bool)
np.sum(x, dtype="f8", axis=1) | np.sum(m.T, axis=0) | np.sum(m[:, ::-1], 1) | np.sum(m[:0]) | np.sum(m[:, :0], axis=1)
np.prod(v) | np.prod(x, axis=1) | v.prod() | np.prod(b) | np.prod(u, axis=0) | np.prod(m, initial=2.0)
np.prod(m, where=b, axis=1) | np.prod([2, 3]) | np.prod(m.shape) | np.prod(x.shape[1:])
np.max(x) | x.max(axis=(0, 1)) | np.amax(m, 0) | m.min(1, keepdims=True) | np.amin(v) | np.max(b) | np.min(b, axis=0)
np.max(m, initial=3) | np.min(m, where=b, initial=9) | np.max(u) | np.max([3, 1]) | np.max(m, axis=-1, initial=0.0)
np.max(h, axis=0) | np.ptp(m) | np.ptp(m, axis=0) | np.ptp(v, keepdims=True)
np.any(b) | np.all(b) | b.any(1) | b.all(axis=0, keepdims=True) | np.any(v) | np.all(m, axis=1) | np.any(m > 2)
np.any(b, where=b) | np.all(b, axis=0, where=~b) | np.count_nonzero(v) | np.count_nonzero(m, axis=1)
np.count_nonzero(b, keepdims=True) | any([True, False])
np.argmax(m) | np.argmin(m) | m.argmax(1) | np.argmin(x, axis=0) | np.argmax(v, keepdims=True)
np.argmax(m, axis=0, keepdims=True) | np.argmax(b) | np.argmin(5) | m.argmin() | np.argmax(m.T) | np.argmax([3, 9, 2])
np.mean(x) | m.mean() | x.mean(axis=1) | np.mean(v) | np.mean(b) | np.mean(h) | np.mean(h, axis=1)
np.mean(m, axis=(0, 1), keepdims=True) | np.mean(m, dtype=np.float32) | np.mean(v, dtype=np.float32) | np.mean(m, where=b)
np.mean(u, axis=0) | np.mean([1, 2]) | np.mean(c) | np.average(m) | np.average(m, axis=0, weights=np.arange(5.0))
np.var(x) | np.var(m, axis=0) | m.var(axis=1, ddof=1) | np.std(x, axis=-1) | m.std() | np.std(v) | np.var(h) | np.var(c)
np.std(m, axis=1, keepdims=True) | np.var(m, where=b) | np.std(u, axis=0, ddof=1) | np.var(m, dtype=np.float32)
np.var(m, correction=1)
np.nansum(m) | np.nanmean(m, axis=0) | np.nanmax(m) | np.nanstd(m) | np.cumsum(m) | np.cumsum(m, axis=1) | v.cumsum()
np.cumprod(v) | np.cumprod(m, 0) | np.cumsum(b) | np.cumsum(u, axis=1) | np.cumsum(v, dtype=np.float32) | np.cumulative_sum(v)
np.cumulative_sum(m, axis=1, include_initial=True) | np.cumsum(h, axis=0)
np.trace(m) | np.linalg.norm(m) | np.linalg.norm(m, axis=1) | np.linalg.norm(v) | np.linalg.norm(m, 1)
np.linalg.norm(x, axis=(1, 2)) | np.diff(m).sum() | np.gradient(m) | np.gradient(v, 2.0) | np.trapezoid(m, dx=0.5) | np.cov(m)
np.corrcoef(m) | np.nancumsum(v)
"""

CREATION = """
np.zeros(3) | np.zeros((2, 3), dtype=np.float32) | np.ones((2,), int) | np.full((2, 2), 7) | np.full(3, 2.5, dtype="i4")
np.full((2, 3), [1, 2, 3]) | np.zeros_like(m) | np.ones_like(v, dtype=float) | np.full_like(u, 3) | np.zeros_like(m, shape=(2,))
np.zeros(m.shape) | np.ones(m.shape[0], bool)
np.arange(5) | np.arange(2, 9, 3) | np.arange(9, 2, -2) | np.arange(3.0) | np.arange(0, 1, 0.25) | np.arange(5, dtype=np.float32)
np.arange(0.5, 3) | np.arange(m.shape[1]) | np.arange(k) | np.arange(k, k + 4) | np.arange(0)
np.arange(1, 2, 0.3, dtype=np.float32) | np.arange(3, dtype=np.uint8) | np.arange(5, 2) | np.arange(x.shape[0], x.shape[2])
np.linspace(0, 1, 5) | np.linspace(0, 1, 5, endpoint=False) | np.linspace(1, 10, 4, dtype=int) | np.linspace(0, r, 6)
np.linspace(0, 1, 3, retstep=True) | np.logspace(0, 2, 3) | np.geomspace(1, 100, 3) | np.linspace(0, 1, k)
np.linspace(v[:3], m[:3, 0], 4)
np.array([1, 2, 3]) | np.array([[1.5, 2], [3, 4]]) | np.array([1, 2], dtype=np.float32) | np.array([v[0], v[1]])
np.array([[m[0, 0], 1], [2, m[1, 1]]]) | np.array(3) | np.array(m) | np.array([True, False]) | np.array([]) | np.array([v, v])
np.array([1, 2j]) | np.array(m, ndmin=3) | np.array([[]]) | np.array([k, 2, r]) | np.array([m.sum(), 1])
np.asarray(m) | np.asarray([1, 2]) | np.asarray(v, dtype=float) | np.asarray(2.5) | np.asarray((v, v)) | np.ascontiguousarray(m.T)
np.float32(2.5) | np.float32(m) | np.int64(k) | np.float64(v) | np.uint8(3) | np.int32(m[0, 0] * 10) | np.bool_(v) | np.float16(x)
np.complex64(m) | np.float32(k) * m | np.float64(r) * x
np.eye(3)[1] | np.identity(2) | np.tri(3) | np.dtype("f4") | np.result_type(m, v) | np.result_type(x, 1.0)
np.promote_types(np.int8, np.uint8) | np.finfo(np.float32).eps | np.finfo(m.dtype).max | np.iinfo(np.int16).min
np.issubdtype(m.dtype, np.floating) | np.can_cast(np.int32, np.float32) | m.dtype == np.float64 | m.dtype.kind
np.pi * m | np.e + m | np.inf + m | m * np.nan | np.ones(3) * np.finfo(np.float64).eps | np.size(m) * 2 | m.astype(v.dtype)
np.ones(3, dtype=m.dtype) | np.indices((2, 2)) | np.meshgrid(v, v)[0] | np.vander(v[:3]) | np.hanning(5)
np.mgrid[0:3, 0:4] | np.mgrid[0 : m.shape[0], 1:5:2] | np.ogrid[:3, 2:5] | np.mgrid[0:1:5j] | np.r_[m[0], 1, 2] | np.r_[0:3, v]
np.c_[m, m] | np.c_[v, v] | np.c_[v[:5], m] | np.r_[1.5, v] | np.r_[v, 0, v] | m[np.s_[1:, ::2]]
"""

PRODUCTS = """
m @ v | m @ m.T | v @ m.T | v @ v | x @ m.T | m @ x.mT | x[0] @ x[1].T | np.matmul(m, m.T) | np.dot(m, v) | np.dot(v, v)
m.dot(m.T) | np.dot(m, 2) | np.dot(x, m.T) | np.dot(m, x.transpose(0, 2, 1)) | np.inner(m, v) | np.inner(m, m) | np.outer(v, v)
np.outer(m, v) | np.vdot(m, m) | np.vdot(c, c) | b @ b.T | h @ h.T | s @ s | u @ u.T | c @ c.T
np.tensordot(m, m.T, 1) | np.tensordot(m, m, 2) | np.tensordot(x, m, axes=([1, 2], [0, 1])) | np.tensordot(m, v, axes=1)
np.tensordot(v, v, 0) | np.tensordot(m, m, axes=(0, 0)) | np.vecdot(m, m) | np.matvec(m, v) | np.vecmat(v, m.T) | np.kron(s, s)
np.cross(s, s + 1) | np.linalg.multi_dot([m, m.T, m]) | np.linalg.matrix_power(s, 3) | v @ x.mT | x @ v
np.einsum("ij,kj->ik", m, m) | np.einsum("ij->ji", m) | np.einsum("ij->", m) | np.einsum("ii->i", s) | np.einsum("ii", s)
np.einsum("bij,bkj->bik", x, x) | np.einsum("i,j->ij", v, v) | np.einsum("ij,j", m, v) | np.einsum("...j,j->...", x, v)
np.einsum("ij,jk,kl->il", s, s, s) | np.einsum("ij,ij->ij", m, m) | np.einsum("i,i", v, v) | np.einsum("bij->b", x)
np.einsum("...ij->...ji", x)
np.einsum(m, [0, 1], v, [1], [0]) | np.einsum("ij,ik->jk", m, m) | np.einsum("abc,cd->abd", x, m.T) | np.einsum("ij,j->j", m, v)
np.einsum("i->", b[0]) | np.einsum("ij,ij->", b, b) | np.einsum("ijk,jil->kl", np.ones((2, 3, 4)), np.ones((3, 2, 5)))
np.einsum("a...,a...->a...", x, x) | np.convolve(v, v) | np.convolve(m[0], v[:3], "same") | np.correlate(m[0], m[1], "full")
np.polyval([1, 2, 3], m)
"""

PYTHON = """
math.sqrt(2) | math.sqrt(k) | math.exp(r) | math.sin(r) * m | m * math.pi | math.floor(r) | math.ceil(p / 3) | math.log(k)
math.log(k, 2) | math.log(8, 2) | math.pow(k, 2) | math.hypot(k, r) | math.isnan(r) | math.gcd(12, 18) | math.gcd(k, 6)
math.prod([k, 2, 4]) | math.fsum([1, r]) | math.factorial(5) | math.comb(5, 2)
math.sqrt(m[0, 0] ** 2) | math.erf(r) | math.atan2(k, r) | math.trunc(r) | math.copysign(k, -1) | math.inf | math.tau
math.isinf(k) | math.degrees(r) | math.prod(m.shape) | math.isclose(1.0, 1.0) | math.tanh(m.sum()) | math.fabs(p) | math.modf(2.5)
math.isqrt(17) | math.floor(m.max() * 3)
len(m) | abs(p) | abs(m[0, 0]) | min(k, 2) | max(k, r) | sum([1, 2, k]) | round(2.567, 1) | pow(k, 2) | pow(2, 5) | divmod(17, k)
int(r) | float(k) | m.sum().item() * 2 | int(v.sum()) + 1 | float(m[0, 0]) | bool(v[0]) | m.tolist()[0][1] | s.tolist()
complex(k, 2) | v[0].item()
operator.add(m, 1) | operator.mul(k, 2) | operator.getitem(m, 0) | functools.reduce(operator.mul, m.shape) | operator.lt(k, 2)
operator.neg(m) | operator.contains((1, 2), 2) | operator.matmul(m, v) | operator.not_(k) | operator.truediv(v, r) | operator.iadd(k, 2)
"""


@pytest.mark.parametrize("text", cases(UFUNCS))
def test_ufuncs(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(REDUCTIONS))
def test_reductions(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(CREATION))
def test_creation(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(PRODUCTS))
def test_products(text):
    check(text, **arguments(text))


@pytest.mark.parametrize("text", cases(PYTHON))
def test_python(text):
    check(text, **arguments(text))
