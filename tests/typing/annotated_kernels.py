"""Kernels with annotations, as a type checker sees them: nothing in here may be reported."""

from __future__ import annotations

import numpy as np

import staxlang as stax
from staxlang import Dim, Tensor, f16, f32, f64, i64

N, D, K = stax.dims("N D K")
B = Dim("B")
HEADS = 8
Matrix = Tensor[f32, N, D]


@stax.kernel
def project(x: Tensor[f32, N, D], w: Tensor[f32, D, K]) -> Tensor[f32, N, K]:
    return x @ w


@stax.kernel
def softmax(x: Tensor[f32, *B, D]) -> Tensor[f32, *B, D]:
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted / shifted.sum(axis=-1, keepdims=True)


@stax.kernel
def sizes(x: Tensor[f64, N + 1, 2 * D, N // 2], y: Tensor[f64, ..., 3], heads: Tensor[f16, HEADS, HEADS * D]) -> f64:
    total = 0.0
    for k in range(N):
        total += x[k].sum() / D
    return total + y.sum() + float(heads.sum())


@stax.kernel
def loop(out: Tensor[f32, N], x: Tensor[f32, N], index: Tensor[i64, N]) -> Tensor[f32, N]:
    for k in range(len(x)):
        out[k] = 2.0 * x[k] + 1 if (x[k] > 0).any() else -x[k]
    out *= 2
    out[index] += x
    return out


@stax.kernel
def lists(layers: list[Tensor[f32, D, D]], bias: Matrix | None = None) -> tuple[f32, i64]:
    first = layers[0]
    for layer in layers[1:]:
        first = first @ layer
    return (first if bias is None else first + bias), first.argmax()


def host() -> None:
    result = project(np.ones((2, 3), np.float32), np.ones((3, 4), np.float32))
    print(result.sum(), softmax(result))
