"""Plain NumPy: run as it is for NumPy, and unchanged under `stax.kernel` for this project."""

import numpy as np


def relu_sum(x, w):
    return (np.maximum(x + w, 0) * 2).sum(-1)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    y = x - x.max(-1, keepdims=True)
    return y - np.log(np.exp(y).sum(-1, keepdims=True))


def layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    return centered / np.sqrt(variance + 1e-5) * weight + bias


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def chain(x):
    y = x
    for _ in range(10):
        y = y * 0.9 + 0.1
    return y


def axpb(x, w):
    return x * 2 + w


def total(x):
    return x.sum()


def sum_rows(x):
    return x.sum(-1)


def sum_columns(x):
    return x.sum(0)


def max_rows(x):
    return x.max(-1)


def argmax_rows(x):
    return x.argmax(-1)


def mean_var(x):
    return x.mean(-1), x.var(-1)


def variance(x):
    return x.var()


def logsumexp(x):
    m = x.max(-1, keepdims=True)
    return np.log(np.exp(x - m).sum(-1)) + m[:, 0]


def plus_transposed(x):
    return x + x.T


def strided(x):
    return x[:, ::2] * 2


def matmul(a, b):
    return a @ b


def gram(x):
    return x @ x.T


def linear_gelu(x, w, b):
    y = x @ w + b
    return 0.5 * y * (1 + np.tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)))


def exp(x):
    return np.exp(x)


def log(x):
    return np.log(x)


def tanh(x):
    return np.tanh(x)


def sin(x):
    return np.sin(x)


def flatnonzero(m):
    return np.flatnonzero(m)


def nonzero(m):
    return np.nonzero(m)


def argwhere(m):
    return np.argwhere(m)


def convolve(x, w):
    return np.convolve(x, w)


def argmax_columns(x):
    return x.argmax(0)


def repeat(x):
    return np.repeat(x, 4)


def pad(x):
    return np.pad(x, 2, mode="edge")


def sort(x):
    return np.sort(x)


def sort_rows(x):
    return np.sort(x, axis=-1)


def argsort(x):
    return np.argsort(x)


def median(x):
    return np.median(x, axis=-1)


def cumsum(x):
    return np.cumsum(x)


def transposed(x):
    return np.ascontiguousarray(x.T)


def stacked(x, y):
    return np.stack((x, y), axis=-1)


def log2(x):
    return np.log2(x)


def power(x, y):
    return x**y


def cbrt(x):
    return np.cbrt(x)


def sinh(x):
    return np.sinh(x)
