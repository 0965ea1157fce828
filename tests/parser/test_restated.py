"""The law of the two notations: a Python kernel printed as .stx, parsed and compiled has the graph of the Python kernel."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks.programs.stax_programs as benchmarks
import staxlang as stax
from staxlang import Tensor, f32, float_
from staxlang.base.spans import Source
from staxlang.parser.printer import to_stx
from staxlang.parser.stx import read_module
from tests.typing import annotated_kernels

N, D, K = stax.dims("N D K")
EXAMPLES = sorted((Path(__file__).parents[2] / "examples/stx").glob("*.stx"))
X = stax.spec(("N", "D"), "f4")
SQUARE = stax.spec(("N", "N"), "f8")
V = stax.spec(("N",), "f8")
SMALL = stax.spec((3, 4), "f8")
NAMED = "scale"


# ---- kernels ----


def centered(v: Any, axis: Any, keep: bool = True) -> Any:
    return v - v.mean(axis, keepdims=keep)


def twice(function: Any, v: Any) -> Any:
    return function(function(v))


def broadcasting(x, y):
    return x[:, None] * y[None, :] + np.outer(y, y) - x.reshape(-1, 1)


def slices(x):
    return x[1:, ::2] + x[:-1, ::2], x[::-1], x[..., 0], x[-1]


def stencil(x):
    y = x.copy()
    y[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return y


def reductions(x):
    whole = x.sum(), np.min(x), x.argmax(1)
    return whole, np.sum(x, axis=0), x.mean(axis=-1, keepdims=True), np.max(x, 1), np.amax(x, axis=0, keepdims=True)


def booleans(x):
    return np.any(x > 0), np.all(x < 1, axis=0), np.count_nonzero(x), np.logical_and(x > 0, x < 1), ~(x > 0) | (x != 0)


def helpers(x):
    return centered(x, 0) + twice(lambda v: v * 2 + 1, centered(x, axis=1))


def recursion(x, depth: int = 3):
    return halved(x, 3)


def halved(x, depth):
    return x if depth == 0 else halved(x * 0.5, depth - 1)


def static_loops(x):
    total = np.zeros_like(x)
    for k in range(4):
        if k % 2 == 0:
            continue
        total += x**k
    for k, (name, weight) in enumerate(zip(("a", "b"), (0.5, 2.0), strict=True)):
        total = total + weight * k if name == "b" else total - weight
    return total


def containers(x):
    parts = {"low": x.min(), "all": [x, (x + 1, x * 2)]}
    first, *rest = parts["all"]
    return {**parts, "rest": rest[0][1], "count": len(parts)}, first


def chosen(x):
    return np.where(x > 0, np.sqrt(np.abs(x)), -x), np.clip(x, 0, 1), np.maximum(x, 0.5), np.select([x > 1], [x], 0.0)


def of_scalars(v, flag):
    first, last = v[0], v[-1]
    least = np.where(first < last, first, last)
    return least, least + 1, np.where(flag, 1.0, 2.0), np.where(v > 0, first, 0), np.clip(first, 0, 1), np.round(last), stax.relu(first)


def product(x, w):
    return x @ w, np.dot(x, w), np.matmul(x, w).T, (x @ w).swapaxes(0, 1)


def in_place(x, y):
    x += y
    x[0] *= 2
    x[:, 1:] -= y[:, 1:]
    y[y > 1] = 0
    np.add(x, 1, out=x)


def keywords(x, *, axis=0, shift=1.5, name="mean"):
    return x.mean(axis=axis) + shift if name == "mean" else x.sum(axis=axis)


def einsums(a, b):
    return np.einsum("ij,jk->ik", a, b), np.einsum("ii", a), np.tensordot(a, b, axes=1), np.einsum("ij->ji", b)


def notation(a, b):
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    return np.array([[sum(a[i, k] * b[k, j] for k in range(inner)) for j in range(columns)] for i in range(rows)])


def notation_of_few(a):
    return np.array([a[k] * k for k in range(3)]), sum(a[k] for k in range(3)), [a[k] for k in range(2)]


def filtered(x):
    return sum(x[k] for k in range(len(x)) if x[k] > 0), max(abs(x[k]) for k in range(x.shape[0]))


def elements(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = np.where(x[i, j] > 0, x[i, j] * 2, i - j)
    return out


def iterated(x, n):
    k = 0
    while k < n:
        x = np.cos(x)
        k += 1
    return x


def branches(x, k):
    if k > 0:
        return x * k
    elif x.ndim == 2:
        x = x + 1
    return x - k


def mapped(x, *rest, **options):
    return [part + options.get("shift", 0) for part in (x, *rest)], {name: value for name, value in options.items() if name != "skip"}


def dtypes(x):
    return x.astype(np.float64), np.float32(2) * x, np.zeros((3,), dtype=np.int32), np.asarray(x, dtype=bool), x.dtype == np.float32


def constants(x):
    return x * np.pi + np.e - np.inf * (x > math.pi), x[np.newaxis, ...], -0.0 * x, 1e300, 3j * x, b"", NAMED


def errstate(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    return y


def hidden_words(x):
    exp = np.exp(x)
    mean = np.mean(exp)
    sum = exp.sum()
    return exp - mean + np.exp(sum) + np.mean(x) + np.sum(exp, axis=0)


def checked(x, y):
    assert x.shape[0] == y.shape[0], "lengths differ"
    length: int = x.shape[0]
    return (x + y) / length


def walrus(x):
    return (half := x / 2) + half, [m := x.max(), m + 1]


def shapes(x):
    return np.concatenate([x, x * 2]), np.stack([x, x], axis=1), np.tile(x, (2, 1)), np.pad(x, 1), np.roll(x, 1), np.cumsum(x, axis=1)


def spectrum(x):
    return np.linalg.norm(x, axis=1), np.trace(x), np.diag(x), np.tril(x), np.linspace(0, 1, 7), np.arange(x.shape[0])


def neural(x):
    return stax.softmax(x), stax.gelu(x), stax.layer_norm(x), np.var(x, axis=1, dtype=np.float64), stax.erf(x)


def chances(x):
    return x + stax.random.normal(7, x.shape), stax.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x)


def annotated(x: Tensor[f32, N, D], w: Tensor[f32, D, 2 * K], scale: float = 2.0) -> Tensor[f32, N, 2 * K]:
    """Documented.

    In several lines.
    """
    return x @ w * scale + N + K


def families(x: Tensor[float_, ..., N], flags: np.ndarray, mask: Tensor[bool, N] | None = None) -> Any:
    return x * flags if mask is None else x[..., mask]


def nested_functions(x):
    def scaled(v, by=3):
        def inner():
            return v * by

        return inner()

    return scaled(x) + scaled(x, by=2) + (lambda v, *, k=1: v + k)(x, k=4)


def formatted(x):
    table = {f"{name}_{k:02d}": x * k for k, name in enumerate("ab")}
    return table["a_00"] + table["b_01"]


def unpacked(x, pair):
    (first, second), *_ = pair, 1
    low, high = x.min(), x.max()
    return first * low + second * high


def chained(x, k):
    return (0 < x) & (x <= 1), k if 0 < k < 5 else -k, not k, k is None, k in (1, 2)


KERNELS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (broadcasting, (V, V), {}), (slices, (X,), {}), (stencil, (SQUARE,), {}), (reductions, (X,), {}), (booleans, (X,), {}),
    (helpers, (X,), {}), (recursion, (V,), {}), (static_loops, (X,), {}), (containers, (X,), {}), (chosen, (X,), {}),
    (of_scalars, (V, np.bool_(True)), {}),
    (product, (SQUARE, SQUARE), {}), (in_place, (SQUARE, SQUARE), {}), (keywords, (SMALL,), {}),
    (keywords, (SMALL,), {"axis": 1, "shift": 2.5}), (einsums, (SQUARE, SQUARE), {}),
    (notation, (stax.spec((20, 30), "f8"), stax.spec((30, 17), "f8")), {}), (notation, (SQUARE, SQUARE), {}),
    (notation_of_few, (stax.spec((3,), "f8"),), {}), (filtered, (V,), {}), (elements, (SMALL,), {}), (iterated, (V, 5), {}),
    (branches, (X, 2), {}), (branches, (X, -2), {}), (mapped, (V, V), {"shift": 2}), (dtypes, (X,), {}), (constants, (V,), {}),
    (errstate, (V,), {}), (hidden_words, (X,), {}), (checked, (V, V), {}), (walrus, (X,), {}), (shapes, (SMALL,), {}),
    (spectrum, (SQUARE,), {}), (neural, (X,), {}), (chances, (V,), {}), (annotated, (X, stax.spec(("D", 6), "f4"), 1.5), {}),
    (families, (V, V), {}), (nested_functions, (V,), {}), (formatted, (V,), {}), (unpacked, (X, (1.5, 2)), {}),
    (chained, (V, 3), {}), (lambda x: x * 2 + np.tanh(x), (V,), {}), (lambda x, y=2: x**y, (V,), {}),
]  # fmt: skip


def restated(kernel: Any) -> Any:
    """The kernel that its text in .stx makes; the text is its own form."""
    text = kernel.to_stx()
    module = stax.load_text(text)
    tree, slips = read_module(Source("restated.stx", text))
    assert (to_stx(tree), [slip for slip in slips if slip.severity == "error"]) == (text, [])
    (made,) = [value for value in vars(module).values() if isinstance(value, stax.Kernel)]
    return made


@pytest.mark.parametrize("function, specs, more", KERNELS, ids=[f"{function.__name__}-{k}" for k, (function, *_) in enumerate(KERNELS)])
def test_the_same_graph(function: Any, specs: tuple[Any, ...], more: dict[str, Any]) -> None:
    kernel = stax.kernel(function)
    made, wanted = restated(kernel).lower(*specs, **more), kernel.lower(*specs, **more)
    assert made.fingerprint == wanted.fingerprint
    assert repr(made._capture.evaluation.result) == repr(wanted._capture.evaluation.result)  # arrays, NumPy scalars, numbers, views


def test_checked_operations_are_the_same() -> None:
    """What `errstate` covers is not tested for NaN, in either notation."""
    kernel = stax.kernel(errstate, checked=True)
    made = stax.kernel(restated(kernel), checked=True)
    assert made.lower(V).fingerprint == kernel.lower(V).fingerprint != stax.kernel(lambda x: np.log(x), checked=True).lower(V).fingerprint


GATHERED = [
    (module, name) for module in (benchmarks, annotated_kernels) for name, one in vars(module).items() if isinstance(one, stax.Kernel)
]


@pytest.mark.parametrize("module, name", GATHERED, ids=[name for _, name in GATHERED])
def test_kernels_of_the_project_are_read_back(module: Any, name: str) -> None:
    """Every kernel of a module: its text makes a kernel with the same parameters."""
    kernel = getattr(module, name)
    ours, made = inspect.signature(kernel).parameters, inspect.signature(restated(kernel)).parameters
    assert [(one.name, one.kind) for one in made.values()] == [(one.name, one.kind) for one in ours.values()]
    assert [one.default for one in made.values()] == [one.default for one in ours.values()]


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_stx_programs_are_printed_and_read_again(path: Path) -> None:
    first, again = stax.load(path), None
    for kernel in [value for value in vars(first).values() if isinstance(value, stax.Kernel)]:
        text = kernel.to_stx()
        again = again or stax.load_text(text)
        assert to_stx(read_module(Source("again.stx", text))[0]) == text
        assert to_stx(getattr(again, kernel.__name__).__wrapped__.__stx__.tree) == to_stx(kernel.__wrapped__.__stx__.tree)
    assert again is not None


# ---- what has no form ----

SCALE = 2.0
TABLE = np.arange(3.0)


class Config:
    scale = 2


def with_default(x, k=2):
    return x * k


REFUSED = [
    (lambda x: x * SCALE, "`SCALE` is a number of the Python module, read again at each call: make it a parameter"),
    (lambda x: x * TABLE, "`TABLE` is an array of the Python module: make it a parameter"),
    (lambda x: x * Config.scale, "`Config.scale` is an attribute of a Python object, of which .stx knows nothing"),
    (lambda x: math.sqrt(x), "`math.sqrt` has no word in .stx"),
    (lambda x: sum(x), "`sum` has no word in .stx"),
    (lambda x: np.add.reduce(x), "`np.add.reduce` is an attribute of a Python object, of which .stx knows nothing"),
    (lambda x: with_default(x), "the default of `k` in `with_default` is a number, which is read at each call"),
    (lambda x: nowhere(x), "the name `nowhere` is not defined"),  # noqa: F821
    (lambda x, mean: np.mean(x) + mean, "the parameter `mean` hides the word `mean`, which the function needs: rename it"),
]


@pytest.mark.parametrize("function, reason", REFUSED, ids=[reason.split("`")[1] for _, reason in REFUSED])
def test_what_stx_has_no_words_for_is_refused(function: Any, reason: str) -> None:
    with pytest.raises(stax.StaxError) as failure:
        stax.kernel(function).to_stx()
    assert f"has no form in .stx: {reason}" in str(failure.value)
