"""What is measured: a row per workload, with its inputs and the bytes that any implementation must move."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Workload:
    """`program` names a function in each of benchmarks/programs/*.py; `inputs` makes its arguments; `bytes` is inputs plus outputs."""

    name: str
    program: str
    group: str
    inputs: Callable[[], tuple[np.ndarray, ...]]
    bytes: int
    flops: int = 0


def _random(*shape: int, dtype: str = "f4", low: float = -1.0, high: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(shape, dtype=np.float32) * (high - low) + low).astype(dtype)


def _row(
    name: str, program: str, group: str, shapes: list[tuple[int, ...]], out: int, dtype: str = "f4", flops: int = 0, **how: float
) -> Workload:
    size = np.dtype(dtype).itemsize
    moved = sum(int(np.prod(s)) for s in shapes) * size + out
    return Workload(
        name, program, group, lambda: tuple(_random(*s, dtype=dtype, seed=k, **how) for k, s in enumerate(shapes)), moved, flops
    )


def _mathematics(function: str, low: float, high: float) -> list[Workload]:
    rows = []
    for dtype in ("f4", "f8"):
        for n, group in ((1 << 14, "functions, in cache"), (1 << 24, "functions, in memory")):
            out = n * np.dtype(dtype).itemsize
            rows.append(
                _row(f"{function} {'f32' if dtype == 'f4' else 'f64'} [{n}]", function, group, [(n,)], out, dtype, low=low, high=high)
            )
    return rows


BIG = 1 << 24

WORKLOADS: list[Workload] = [
    _row("relu(x+w)*2 sum rows [64,128]", "relu_sum", "small", [(64, 128)] * 2, 64 * 4),
    _row("relu(x+w)*2 sum rows [4096,4096]", "relu_sum", "rows", [(4096, 4096)] * 2, 4096 * 4),
    _row("softmax [64,128]", "softmax", "small", [(64, 128)], 64 * 128 * 4),
    _row("softmax [4096,4096]", "softmax", "rows", [(4096, 4096)], BIG * 4),
    _row("log-softmax [4096,4096]", "log_softmax", "rows", [(4096, 4096)], BIG * 4),
    _row("layer norm [8192,1024]", "layer_norm", "rows", [(8192, 1024), (1024,), (1024,)], 8192 * 1024 * 4),
    _row("gelu (erf) [16M]", "gelu_erf", "chains", [(BIG,)], BIG * 4),
    _row("gelu (tanh) [16M]", "gelu_tanh", "chains", [(BIG,)], BIG * 4),
    _row("chain of 20 [16M]", "chain", "chains", [(BIG,)], BIG * 4),
    _row("x*2+w [16M]", "axpb", "chains", [(BIG,)] * 2, BIG * 4),
    _row("x*2+w [4096]", "axpb", "small", [(4096,)] * 2, 4096 * 4),
    _row("sum [16M]", "total", "reductions", [(BIG,)], 4),
    _row("sum rows [4096,4096]", "sum_rows", "reductions", [(4096, 4096)], 4096 * 4),
    _row("sum columns [4096,4096]", "sum_columns", "reductions", [(4096, 4096)], 4096 * 4),
    _row("max rows [4096,4096]", "max_rows", "reductions", [(4096, 4096)], 4096 * 4),
    _row("argmax rows [4096,4096]", "argmax_rows", "reductions", [(4096, 4096)], 4096 * 8),
    _row("mean and var rows [4096,4096]", "mean_var", "reductions", [(4096, 4096)], 2 * 4096 * 4),
    _row("var of all [16M]", "variance", "reductions", [(BIG,)], 4),
    _row("logsumexp rows [4096,4096]", "logsumexp", "reductions", [(4096, 4096)], 4096 * 4),
    _row("x + x.T [4096,4096]", "plus_transposed", "layouts", [(4096, 4096)], BIG * 4),
    _row("x[:, ::2] * 2 [4096,4096]", "strided", "layouts", [(4096, 4096)], BIG * 2),
    _row("matmul [1024,1024]", "matmul", "products", [(1024, 1024)] * 2, 1024 * 1024 * 4, flops=2 * 1024**3),
    _row("x @ x.T [1500,1500]", "gram", "products", [(1500, 1500)], 1500 * 1500 * 4, flops=1500**3),
    _row("matmul + bias, gelu [512,512]", "linear_gelu", "products", [(512, 512), (512, 512), (512,)], 512 * 512 * 4, flops=2 * 512**3),
    *(
        row
        for function, low, high in (
            ("exp", -10, 10),
            ("log", 0.01, 10),
            ("tanh", -4, 4),
            ("erf", -3, 3),
            ("sin", -20, 20),
        )
        for row in _mathematics(function, low, high)
    ),
]

# Against NumPy alone, from one element to a hundred million: no size may be slower.
SIZES = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
SWEPT = ["axpb", "total", "gelu_tanh", "exp"]


def _columns(n: int) -> int:
    return max(1, round(math.sqrt(n)))


def _square(n: int) -> tuple[int, int]:
    return n // _columns(n), _columns(n)


def _mask(*shape: int) -> np.ndarray:
    return _random(*shape) > 0


# NumPy's functions that are more than arithmetic: what each takes of about n elements, a tenth of a million and a million among others.
FUNCTIONS: dict[str, Callable[[int], tuple[np.ndarray, ...]]] = {
    "flatnonzero": lambda n: (_mask(n),),
    "nonzero": lambda n: (_mask(*_square(n)),),
    "argwhere": lambda n: (_mask(*_square(n)),),
    "convolve": lambda n: (_random(n, dtype="f8"), _random(5, dtype="f8", seed=1)),
    "argmax_rows": lambda n: (_random(n // 100, 100),),
    "argmax_columns": lambda n: (_random(*_square(n)),),
    "repeat": lambda n: (_random(n // 4),),
    "pad": lambda n: (_random(*_square(n)),),
    "sort": lambda n: (_random(n),),
    "sort_rows": lambda n: (_random(*_square(n)),),
    "argsort": lambda n: (_random(n),),
    "median": lambda n: (_random(*_square(n)),),
    "cumsum": lambda n: (_random(n, dtype="f8"),),
    "transposed": lambda n: (_random(*_square(n), dtype="f8"),),
    "stacked": lambda n: (_random(n // 2), _random(n // 2, seed=1)),
    "log2": lambda n: (_random(n, low=0.01, high=10),),
    "power": lambda n: (_random(n, low=0.01, high=10), _random(n, seed=1)),
    "cbrt": lambda n: (_random(n),),
    "sinh": lambda n: (_random(n),),
    "tanh": lambda n: (_random(n),),
}
FUNCTION_SIZES = [1_000, 10_000, 100_000, 1_000_000]


def function(program: str, n: int) -> Workload:
    return Workload(f"{program} [{n}]", program, "functions", lambda: FUNCTIONS[program](n), 0)


def swept(program: str, n: int) -> Workload:
    arguments = 2 if program == "axpb" else 1
    return _row(f"{program} [{n}]", program, "sizes", [(n,)] * arguments, 4 if program == "total" else 4 * n)
