"""Boolean masks: updates put back where they came from, sums over what was chosen, and how many were chosen."""

import numpy as np
import pytest
from surface_cases import Captured, checked_type, function_of, same

from staxlang.base.diagnostics import StaxError
from staxlang.base.dtypes import BOOL, F64
from staxlang.base.sizes import symbol
from staxlang.base.types import tensor
from staxlang.compiler.graph import topological, verify
from staxlang.compiler.lower import lower
from staxlang.compiler.pipeline import optimize
from staxlang.runtime.reference import run_graph

rng = np.random.default_rng(3)
X = rng.standard_normal((5, 7))
Y = rng.standard_normal((5, 7))
V = rng.integers(-5, 5, 9).astype(np.int32)

PROGRAMS = {
    "division": "m = y > 0\nz = np.zeros_like(x)\nz[m] = x[m] / y[m]\nz[~m] = -1\nreturn z",
    "chain": "m = x > 0\nx[m] = np.exp(-x[m]) * 2 + np.where(x[m] > 1, 1.0, y[m])\nreturn x",
    "augmented": "m = x > 0\nx[m] *= y[m]\nx[m] += 1\nreturn x",
    "rows": "m = x[:, 0] > 0\nx[m] = y[m] * 2\nx[m] += y[0]\nreturn x",
    "numbers": "v[v < 0] = 0\nv[v > 3] -= 3\nv[v == 1] = 7.9\nreturn v",
    "sum": "return x[x > 0].sum(), np.sum(np.sqrt(x[x > 0]) * 2), x[x > 0].prod()",
    "mean": "return x[x > 0].mean(), (x[x > 0] + y[x > 0]).mean()",
    "truth": "return np.any(x[y > 0] > 1), np.all(x[y > 9] > 1), np.count_nonzero(v[v > 0] > 2)",
    "axes": "m = x[:, 0] > 0\nreturn x[m].sum(axis=0), x[m].mean(axis=0), x[m].sum()",
    "counts": "return len(x[x > 0]), x[x > 0].size, x[x > 9].shape[0], x[x[:, 0] > 0].shape, np.size(x[x > 0]) * 2",
    "integers": "return v[v > 0].sum(), v[v > 0].mean(), v[v < -9].sum()",
    "deviation": "return x[x > 0].std(), x[x > 0].var(ddof=1)",
    "sized": "return np.zeros(x[x > 0].size) + 1",
}


def arguments(text):
    return {
        name: value.copy()
        for name, value in {"x": X, "y": Y, "v": V}.items()
        if f"{name}[" in text or f"({name}" in text or f"{name} " in text
    }


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_with_masks(name, symbolic):
    text = PROGRAMS[name]
    given, mine = arguments(text), arguments(text)
    expected = function_of(text, *given)(**given)
    captured = Captured(function_of(text, *mine), mine, symbolic)
    graph, _ = optimize(captured.graph, check=True)
    verify(graph)
    operations = {node.op for node in topological(graph.roots)}
    assert "composite" in operations or not {"compress", "masked_update"} & operations
    lower(graph)
    captured.outputs = run_graph(graph, [value for _, value in captured.arrays], [], captured.sizes)
    same(captured.built(captured.evaluation.result), expected, name)
    for key, value in given.items():
        same(mine[key], value, f"{name}: {key} afterwards")


SELECTIONS = ["x[x > 0]", "x[x > 0].max()", "x[x > 0][0]", "np.cumsum(x[x > 0])"]


@pytest.mark.parametrize("text", SELECTIONS)
def test_what_has_a_size_of_its_own_reads_where_the_mask_is_true(text):
    captured = Captured(function_of(f"return {text}", "x", "y"), {"x": X.copy(), "y": Y.copy()})
    graph, _ = optimize(captured.graph, check=True)
    verify(graph)
    assert "compress" not in {node.op for node in topological(graph.roots)}
    lower(graph)
    same(captured.run(), eval(text, {"x": X, "y": Y, "np": np}), text)


def test_the_checker_says_nothing_of_masks_that_fit():
    for text in ("m[b] = 0\nreturn m", "m[b] += 1\nreturn m", "return m[b].sum(), m[b].shape, len(m[b])"):
        assert checked_type(text, m=tensor(F64, symbol("N"), 3), b=tensor(BOOL, symbol("N"), 3))[1] == ()


def test_what_masks_of_other_sizes_choose_does_not_fit():
    with pytest.raises(StaxError) as caught:
        Captured(function_of("return x[x > 0] + x[y > 0]", "x", "y"), {"x": X.copy(), "y": Y.copy()})
    assert caught.value.code == "broadcast-mismatch"
