"""Programs that users write, as graphs: with the NumPy function that says what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from staxlang.base.dtypes import F32, F64, I32, I64, U8
from staxlang.base.sizes import Size, evaluate
from staxlang.compiler.graph import Graph
from staxlang.compiler.node import Node
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build


@dataclass(frozen=True)
class Case:
    """A program over inputs of given shapes. `kernels` and `minimal` say what the scheduler is to reach."""

    name: str
    build: Callable[..., Graph]
    meaning: Callable[..., Any]
    inputs: tuple[tuple[Any, tuple[Size, ...]], ...]
    kernels: int = 1
    minimal: bool = True  # bytes moved equal the lower bound


def full(b: Build, node: Node, like: Node) -> Node:
    return b.broadcast(node, like.type.shape)


def const(b: Build, value: float, like: Node) -> Node:
    return b.constant(value, like)


def relu_sum(b: Build, x: Node, w: Node) -> list[Node]:
    y = b.op("maximum", b.op("add", x, w), const(b, 0.0, x))
    return [b.reduce(b.op("multiply", y, const(b, 2.0, y)), "sum", (1,))]


def softmax(b: Build, x: Node, axis: int = -1) -> list[Node]:
    axis %= len(x.type.shape)
    top = b.keepdims(b.reduce(x, "max", (axis,)), axis)
    e = b.op("exp", b.op("subtract", x, top))
    return [b.op("divide", e, b.keepdims(b.reduce(e, "sum", (axis,)), axis))]


def log_softmax(b: Build, x: Node) -> Node:
    top = b.keepdims(b.reduce(x, "max", (1,)), 1)
    shifted = b.op("subtract", x, top)
    total = b.reduce(b.op("exp", shifted), "sum", (1,))
    return b.op("subtract", shifted, b.keepdims(b.op("log", total), 1))


def cross_entropy(b: Build, x: Node, labels: Node) -> list[Node]:
    logp = log_softmax(b, x)
    n = x.type.shape[0]
    rows = b.iota((n,), 0)
    index = b.make("assert_index", (labels,), extent=x.type.shape[1])
    picked = b.make("gather", (logp, rows, index), axes=(0, 1), position=0)
    total = b.reduce(b.op("negative", picked), "sum", (0,))
    count = b.cast(b.make("size", (), type(x.type)(I64, ()), value=n), F32)
    return [b.op("divide", total, count)]


def mean_of(b: Build, x: Node, axes: tuple[int, ...]) -> Node:
    count: Size = 1
    for axis in axes:
        count = count * x.type.shape[axis]
    total = b.reduce(x, "sum", axes)
    number = b.cast(b.make("size", (), type(x.type)(I64, ()), value=count), x.type.dtype)
    return b.op("divide", total, full(b, number, total))


def variance(b: Build, x: Node, axes: tuple[int, ...]) -> Node:
    count: Size = 1
    for axis in axes:
        count = count * x.type.shape[axis]
    m2 = b.reduce(x, "welford_m2", axes)
    number = b.cast(b.make("size", (), type(x.type)(I64, ()), value=count), x.type.dtype)
    return b.op("divide", m2, full(b, number, m2))


def layer_norm(b: Build, x: Node, scale: Node, shift: Node) -> list[Node]:
    mean = b.keepdims(b.reduce(x, "welford_mean", (1,)), 1)
    var = b.keepdims(variance(b, x, (1,)), 1)
    away = b.op("subtract", x, mean)
    normal = b.op("divide", away, b.op("sqrt", b.op("add", var, const(b, 1e-5, var))))
    return [b.op("add", b.op("multiply", normal, scale), shift)]


def gelu(b: Build, x: Node) -> list[Node]:
    inner = b.op("multiply", const(b, math.sqrt(2 / math.pi), x), b.op("add", x, b.op("multiply", const(b, 0.044715, x),
                 b.op("multiply", x, b.op("multiply", x, x)))))  # fmt: skip
    return [b.op("multiply", b.op("multiply", const(b, 0.5, x), x), b.op("add", const(b, 1.0, x), b.op("tanh", inner)))]


def chain(b: Build, x: Node) -> list[Node]:
    for _ in range(10):
        x = b.op("multiply", b.op("add", x, const(b, 0.5, x)), const(b, 0.9, x))
    return [x]


def five_inputs(b: Build, x: Node, y: Node, n: Node, u: Node, w: Node) -> list[Node]:
    a = b.op("add", x, b.cast(y, F32))
    left = b.op("multiply", a, b.cast(n, F32))
    right = b.op("greater", b.op("add", b.cast(u, F32), w), a)
    return [left, right]


def norm_gradient(b: Build, x: Node, g: Node, scale: Node) -> list[Node]:
    """The gradients of the operand, of the scale and of the shift, by rows and by columns of the same data."""
    mean = b.keepdims(mean_of(b, x, (1,)), 1)
    away = b.op("subtract", x, mean)
    var = b.keepdims(mean_of(b, b.op("multiply", away, away), (1,)), 1)
    normal = b.op("divide", away, b.op("sqrt", b.op("add", var, const(b, 1e-5, var))))
    inner = b.op("multiply", g, scale)
    both = b.keepdims(mean_of(b, b.op("multiply", inner, normal), (1,)), 1)
    left = b.op("subtract", inner, b.op("add", b.keepdims(mean_of(b, inner, (1,)), 1), b.op("multiply", normal, both)))
    return [left, b.reduce(b.op("multiply", g, normal), "sum", (0,)), b.reduce(g, "sum", (0,))]


def norm_gradient_reference(x, g, scale):
    away = x - x.mean(1, keepdims=True)
    normal = away / np.sqrt((away * away).mean(1, keepdims=True) + np.float32(1e-5))
    inner = g * scale
    left = inner - (inner.mean(1, keepdims=True) + normal * (inner * normal).mean(1, keepdims=True))
    return [left, (g * normal).sum(0), g.sum(0)]


def ln_reference(x, s, t):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + np.float32(1e-5)) * s + t


def ce_reference(x, labels):
    x = x.astype(np.float64)
    top = x - x.max(1, keepdims=True)
    logp = top - np.log(np.exp(top).sum(1, keepdims=True))
    return np.float32(-logp[np.arange(len(x)), labels].sum() / len(x))


def soft_reference(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gelu_reference(x):
    return (0.5 * x * (1 + np.tanh(np.float32(math.sqrt(2 / math.pi)) * (x + np.float32(0.044715) * x * x * x)))).astype(np.float32)


def chain_reference(x):
    for _ in range(10):
        x = (x + np.float32(0.5)) * np.float32(0.9)
    return x


def cases(n: Size = 64, m: Size = 128) -> list[Case]:
    f = (F32, (n, m))
    row = (F32, (m,))
    return [
        Case("relu sum", relu_sum, lambda x, w: (np.maximum(x + w, 0) * 2).sum(1), (f, row)),
        Case("softmax", softmax, soft_reference, (f,)),
        Case("softmax over rows", lambda b, x: softmax(b, x, 0), lambda x: soft_reference(x, 0), (f,)),
        Case("log-softmax", lambda b, x: [log_softmax(b, x)], lambda x: np.log(soft_reference(x)), (f,)),
        Case("cross entropy", cross_entropy, ce_reference, (f, (I64, (n,)))),
        Case("layer norm", layer_norm, ln_reference, (f, row, row)),
        Case("gelu", gelu, gelu_reference, (f,)),
        Case("chain of 20", chain, chain_reference, (f,)),
        Case("five inputs, two results", five_inputs,
             lambda x, y, k, u, w: [(x + y.astype("f")) * k.astype("f"), (u.astype("f") + w) > x + y.astype("f")],
             (f, (F64, (n, m)), (I32, (n, m)), (U8, (n, m)), row)),
        Case("sum over rows", lambda b, x: [b.reduce(x, "sum", (0,))], lambda x: x.sum(0), (f,)),
        Case("mean of all", lambda b, x: [mean_of(b, x, (0, 1))], lambda x: x.mean(), (f,)),
        Case("variance of all", lambda b, x: [variance(b, x, (0, 1))], lambda x: x.var(), (f,)),
        Case("variance of rows", lambda b, x: [variance(b, x, (1,))], lambda x: x.var(1), (f,)),
        Case("variance of columns", lambda b, x: [variance(b, x, (0,))], lambda x: x.var(0), (f,)),
        Case("several reductions", lambda b, x: [b.reduce(x, "max", (1,)), b.reduce(x, "sum", (1,)), b.reduce(x, "argmax", (1,))],
             lambda x: [x.max(1), x.sum(1), x.argmax(1)], (f,)),
        Case("x + x.T", lambda b, x: [b.op("add", x, b.view(x, views.transpose(x.type.shape, (1, 0))))],
             lambda x: x + x.T, ((F32, (n, n)),)),
        Case("x.T * y", lambda b, x, y: [b.op("multiply", b.view(x, views.transpose(x.type.shape, (1, 0))), y)],
             lambda x, y: x.T * y, (f, (F32, (m, n)))),
        Case("pixels", lambda b, x, s: [b.op("multiply", x, s)], lambda x, s: x * s, ((F32, (n, m, 3)), (F32, (3,)))),
        Case("rows and columns", lambda b, x: [b.reduce(x, "sum", (1,)), b.reduce(x, "max", (0,)), b.reduce(x, "sum", (0, 1))],
             lambda x: [x.sum(1), x.max(0), x.sum()], (f,)),
        Case("gradient of a layer norm", norm_gradient, norm_gradient_reference, (f, f, row)),
        Case("argmin over rows", lambda b, x: [b.reduce(x, "argmin", (0,))], lambda x: x.argmin(0), (f,)),
    ]  # fmt: skip


def graph_of(case: Case) -> Graph:
    b = Build()
    nodes = [b.input(dtype, *shape) for dtype, shape in case.inputs]
    return b.graph(*case.build(b, *nodes))


def arrays_of(case: Case, sizes: dict[str, int], seed: int = 0) -> list[np.ndarray]:

    rng = np.random.default_rng(seed)
    made: list[np.ndarray] = []
    for dtype, shape in case.inputs:
        extents = tuple(evaluate(extent, sizes) for extent in shape)
        if dtype.kind == "f":
            made.append(rng.standard_normal(extents).astype(dtype.numpy))
        else:
            made.append(rng.integers(0, 5, extents).astype(dtype.numpy))
    return made
