"""Numba: explicit loops, parallel and fast-math as its users write them for speed; NumPy style where that is what one writes."""

import math

import numba
import numpy as np
from numba import prange

jit = numba.njit(parallel=True, fastmath=True, cache=False)


@jit
def relu_sum(x, w):
    out = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        s = np.float32(0)
        for j in range(x.shape[1]):
            s += max(x[i, j] + w[i, j], np.float32(0)) * np.float32(2)
        out[i] = s
    return out


@jit
def softmax(x):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = np.float32(0)
        for j in range(x.shape[1]):
            e = math.exp(x[i, j] - m)
            out[i, j] = e
            s += e
        r = np.float32(1) / s
        for j in range(x.shape[1]):
            out[i, j] *= r
    return out


@jit
def log_softmax(x):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = np.float32(0)
        for j in range(x.shape[1]):
            s += math.exp(x[i, j] - m)
        shift = m + np.float32(math.log(s))
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] - shift
    return out


@jit
def layer_norm(x, weight, bias):
    out = np.empty_like(x)
    n = x.shape[1]
    for i in prange(x.shape[0]):
        s = np.float32(0)
        for j in range(n):
            s += x[i, j]
        mean = s / np.float32(n)
        v = np.float32(0)
        for j in range(n):
            v += (x[i, j] - mean) * (x[i, j] - mean)
        r = np.float32(1) / np.float32(math.sqrt(v / np.float32(n) + np.float32(1e-5)))
        for j in range(n):
            out[i, j] = (x[i, j] - mean) * r * weight[j] + bias[j]
    return out


@jit
def gelu_erf(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = np.float32(0.5) * x[i] * (np.float32(1) + math.erf(x[i] * np.float32(0.7071067811865476)))
    return out


@jit
def gelu_tanh(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        v = x[i]
        out[i] = np.float32(0.5) * v * (np.float32(1) + math.tanh(np.float32(0.7978845608028654) * (v + np.float32(0.044715) * v * v * v)))
    return out


@jit
def chain(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        v = x[i]
        for _ in range(10):
            v = v * np.float32(0.9) + np.float32(0.1)
        out[i] = v
    return out


@jit
def axpb(x, w):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = x[i] * np.float32(2) + w[i]
    return out


@jit
def total(x):
    s = np.float32(0)
    for i in prange(x.size):
        s += x[i]
    return s


@jit
def sum_rows(x):
    out = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        s = np.float32(0)
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s
    return out


@jit
def max_rows(x):
    out = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        out[i] = m
    return out


@jit
def mean_var(x):
    mean, var = np.empty(x.shape[0], x.dtype), np.empty(x.shape[0], x.dtype)
    n = x.shape[1]
    for i in prange(x.shape[0]):
        s = np.float32(0)
        for j in range(n):
            s += x[i, j]
        mean[i] = s / np.float32(n)
        v = np.float32(0)
        for j in range(n):
            v += (x[i, j] - mean[i]) * (x[i, j] - mean[i])
        var[i] = v / np.float32(n)
    return mean, var


@jit
def plus_transposed(x):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] + x[j, i]
    return out


@jit
def matmul(a, b):
    return a @ b


@jit
def gram(x):
    return x @ x.T


def _pointwise(function):
    @jit
    def program(x):
        out = np.empty_like(x)
        for i in prange(x.size):
            out[i] = function(x[i])
        return out

    return program


exp, log, tanh, erf, sin, cos = (_pointwise(f) for f in (math.exp, math.log, math.tanh, math.erf, math.sin, math.cos))


def find(name):
    return globals()[name]
