"""Programs of users as type checkers see them: diagnostics and revealed types stand in comments. Read by pyright, not run."""

# ruff: noqa: E501, F821
# pyright: standard

import dataclasses

import numpy as np

import staxlang as stax
from staxlang import Tensor, f32, f64, i32, softmax

N, D, K = stax.dims("N D K")

LOWERED = stax.kernel(lambda x: x * 2).lower(stax.spec((N, 4), np.float32))


@stax.kernel
def project(x: Tensor[f32, N, D], w: Tensor[f32, D, K]) -> Tensor[f32, N, K]:
    return stax.relu(x @ w + 1) * 2


@stax.kernel(fast_math=True, fallback="numpy")
def attention(q: Tensor[f32, N, D], k: Tensor[f32, N, D], v: Tensor[f32, N, D], eps: float = 1e-5) -> Tensor[f32, N, D]:
    scores = stax.softmax(q @ k.T, axis=-1)
    normal = stax.layer_norm(scores @ v, eps=eps)
    half = stax.where(normal > 0, normal, 0.0)
    return stax.sigmoid(normal) + stax.maximum(normal, 0) + half + stax.sum(normal, axis=0) + stax.clip(normal, 0, 1)


@stax.kernel
def counts(x: Tensor[i32, N]) -> Tensor[f64, N]:
    return stax.exp(x)


@stax.kernel
def pair(x: Tensor[f32, N]) -> tuple[Tensor[f32, N], Tensor[f32, ()]]:
    return stax.log_softmax(x), stax.mse_loss(x, x * 2)


@stax.kernel
def untyped(x, k=2):
    return softmax(x) * k


@dataclasses.dataclass
class Layer:
    w: Tensor[f32, D, K]

    @stax.kernel
    def apply(self, x: Tensor[f32, N, D]) -> Tensor[f32, N, K]:
        return x @ self.w


def uses_numpy() -> None:
    x, w = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    y = project(x, w)
    reveal_type(y)  # ndarray[tuple[Any, ...], dtype[Any]]
    reveal_type(softmax(x))  # ndarray[tuple[Any, ...], dtype[Any]]
    reveal_type(stax.isclose(x, x))  # ndarray[tuple[Any, ...], dtype[numpy.bool[builtins.bool]]]
    reveal_type(stax.allclose(x, x))  # bool
    print(y.shape, attention(x, x, x, eps=0.1).sum(), pair(x[0])[0], untyped(x, k=3), counts(np.arange(3)))
    print(project.stats().hits, project.explain(x, w).bytes_moved, project.show("llvm", x, w), project.explain_misses())
    q, r = stax.divmod(x, 2)
    print(q, r, stax.add(x, 1), stax.eye(3), stax.linspace(0.0, 1.0, 5), stax.meshgrid(x[0], x[1])[0])
    print(stax.cross_entropy([[0.0, 1.0]], [1]), LOWERED.fingerprint, LOWERED.compile("cpu")(x), stax.cond(True, np.sin, np.cos, x))


def uses_arrays(x: Tensor[f32, N, D], w: Tensor[f32, D, K], layer: Layer) -> None:
    reveal_type(project(x, w))  # f32
    reveal_type(softmax(x))  # f32
    reveal_type(stax.isnan(x))  # bool_
    reveal_type(pair(x[0]))  # tuple[f32, f32]
    reveal_type(layer.apply(x))  # f32
    reveal_type(project)  # Kernel[(x: f32, w: f32), f32]


def slips(x: Tensor[f32, N, D]) -> None:
    stax.sofmax(x)  # error: "sofmax" is not a known attribute of module "staxlang"
    softmax(x, axis="last")  # error: Argument of type "Literal['last']" cannot be assigned to parameter "axis" of type "_Axis" in function "softmax"
    stax.kernel(fastmath=True)  # error: No overloads for "kernel" match the provided arguments
