"""JAX, under jax.jit, 64-bit types on."""

import jax
import jax.numpy as jnp
from jax.scipy.special import erf as jax_erf

jax.config.update("jax_enable_x64", True)

PROGRAMS = {
    "relu_sum": lambda x, w: (jnp.maximum(x + w, 0) * 2).sum(-1),
    "softmax": lambda x: jax.nn.softmax(x, axis=-1),
    "log_softmax": lambda x: jax.nn.log_softmax(x, axis=-1),
    "gelu_erf": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    "axpb": lambda x, w: x * 2 + w,
    "total": lambda x: x.sum(),
    "sum_rows": lambda x: x.sum(-1),
    "sum_columns": lambda x: x.sum(0),
    "max_rows": lambda x: x.max(-1),
    "argmax_rows": lambda x: x.argmax(-1),
    "mean_var": lambda x: (x.mean(-1), x.var(-1)),
    "variance": lambda x: x.var(),
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=-1),
    "plus_transposed": lambda x: x + x.T,
    "strided": lambda x: x[:, ::2] * 2,
    "matmul": lambda a, b: a @ b,
    "gram": lambda x: x @ x.T,
    "linear_gelu": lambda x, w, b: jax.nn.gelu(x @ w + b, approximate=True),
    "exp": jnp.exp, "log": jnp.log, "tanh": jnp.tanh, "erf": jax_erf, "sin": jnp.sin, "cos": jnp.cos,
}  # fmt: skip


def layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * weight + bias


def chain(x):
    for _ in range(10):
        x = x * 0.9 + 0.1
    return x


def find(name):
    return jax.jit(PROGRAMS.get(name) or globals()[name])


def convert(arrays):
    return tuple(jnp.asarray(a) for a in arrays)


def wait(result):
    return jax.block_until_ready(result)
