"""`kernel.lower(*specs)` and `lowered.compile(engine)`: programs for types, without data; what they serve and what they refuse."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f32, f64

N, D, K = stax.dims("N D K")
ROOT = Path(__file__).resolve().parents[2]


@stax.kernel
def project(x: Tensor[f32, N, D], w: Tensor[f32, D, K]) -> Tensor[f32, N, K]:
    return stax.relu(x @ w + 1)


@stax.kernel
def rows(x, scale):
    return (x * scale).sum(-1), x.shape[0]


def draw(*shape: int, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def code_of(run: Any, *args: Any, **more: Any) -> str:
    with pytest.raises(stax.StaxError) as caught:
        run(*args, **more)
    return caught.value.code


# ---- lowering ----


def test_annotations_are_specs() -> None:
    lowered = project.lower()
    assert isinstance(lowered, stax.Lowered)
    assert str(lowered.inputs["x"]) == "f32[N, D]" and str(lowered.inputs["w"]) == "f32[D, K]"
    assert "contract(" in lowered.text and str(lowered) == lowered.text == lowered.show("optimized")
    assert project.stats().compilations == 0
    for stage in ("tree", "graph", "trace", "loops"):
        assert lowered.show(stage)
    assert "project" in repr(lowered) and lowered.fingerprint in repr(lowered)


def test_specs_in_all_their_forms() -> None:
    for spec in (stax.spec((N, 4), np.float64), stax.spec(("N", 4), "f8"), stax.spec((N, 4), f64), Tensor[f64, N, 4]):
        assert str(rows.lower(spec, 2.0).inputs["x"]) == "f64[N, 4]"
    assert str(rows.lower(stax.spec((None, 4), "f64"), float).inputs["x"]) == "f64[x.shape[0], 4]"
    assert str(rows.lower(draw(3, 4), scale=1).inputs["x"]) == "f64[3, 4]"
    assert str(rows.lower(stax.spec((2 * N, N), np.float32), 1).inputs["x"]) == "f32[2*N, N]"
    assert repr(stax.spec((N, 2 * D), np.int8)) == "Tensor[i8, N, 2*D]"


def test_no_memory_of_the_shapes_size_is_needed() -> None:
    lowered = rows.lower(stax.spec((1 << 28, 1 << 12), np.float64), 2.0)
    assert "f64[268435456, 4096]" in str(lowered.inputs["x"])


def test_equal_structure_has_equal_fingerprints() -> None:
    a, b = rows.lower(stax.spec((3, 4), "f4"), 1.0), rows.lower(draw(3, 4, dtype=np.float32), 7.5)
    assert a.fingerprint == b.fingerprint
    others = [rows.lower(stax.spec(shape, dtype), 1.0) for shape, dtype in (((3, 5), "f4"), ((3, 4), "f8"), ((N, 4), "f4"))]
    assert len({a.fingerprint, *(other.fingerprint for other in others)}) == 4


def test_fingerprints_are_equal_in_every_process(tmp_path: Path) -> None:
    script = tmp_path / "lowering.py"
    script.write_text(
        "import numpy as np, staxlang as stax\n@stax.kernel\ndef f(x):\n    return np.tanh(x) + x.sum()\n"
        "print(f.lower(stax.spec(('N', 3), np.float32)).fingerprint)\n"
    )
    found = {
        subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
        for _ in range(2)
    }
    assert len(found) == 1 and len(found.pop().strip()) == 32


WEIGHTS = np.arange(4.0)


def test_bindings_and_guards_are_told() -> None:
    @stax.kernel
    def f(x, n, k):
        return x[:n] * WEIGHTS, x.sum(axis=k)

    lowered = f.lower(stax.spec((N, 4), np.float64), int, 0)
    assert lowered.bindings == ("WEIGHTS",)
    assert any("n <= N" in guard for guard in lowered.guards) and any("k == 0" in guard for guard in lowered.guards)


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Config:
    w: Any
    scale: float


def test_specs_within_containers() -> None:
    @stax.kernel
    def f(xs, d, pair, config):
        return xs[0] + xs[1] * d["k"] + pair.a - pair.b, config.w * config.scale

    array, number = stax.spec((N,), np.float64), 2.0
    compiled = f.lower([array, array], {"k": float}, Pair(array, array), Config(array, number)).compile()
    x = [draw(5) + k for k in range(5)]
    arguments = ([x[0], x[1]], {"k": 3.0}, Pair(x[2], x[3]), Config(x[4], 0.5))
    for got, want in zip(compiled(*arguments), f.__wrapped__(*arguments), strict=True):
        np.testing.assert_allclose(got, want)


# ---- running ----


@pytest.mark.parametrize("engine", [None, "cpu", "reference"])
def test_compiled_programs_serve_all_sizes(engine: Any) -> None:
    compiled = rows.lower(stax.spec((None, None), np.float64), float).compile(engine)
    for shape in ((3, 4), (1, 1), (0, 5), (7, 130)):
        x = draw(*shape)
        total, count = compiled(x, 1.5)
        np.testing.assert_allclose(total, (x * 1.5).sum(-1), rtol=1e-13, atol=1e-13)
        assert count == shape[0]
    assert compiled.engine == (engine or "cpu")


def test_compiling_again_is_a_look_up() -> None:
    lowered = project.lower()
    assert lowered.compile() is lowered.compile("cpu")
    assert lowered.compile().fingerprint == project.lower().compile().fingerprint


def test_captured_arrays_are_read_at_each_call() -> None:
    global WEIGHTS
    compiled = stax.kernel(lambda x: x * WEIGHTS).lower(stax.spec((4,), "f8")).compile()
    x = draw(4)
    assert np.array_equal(compiled(x), x * WEIGHTS)
    WEIGHTS = WEIGHTS + 1
    assert np.array_equal(compiled(x), x * WEIGHTS)


def test_updates_views_and_other_layouts() -> None:
    @stax.kernel
    def f(x, y):
        x[1:] += y[:-1]
        return x, y[::-1]

    compiled = f.lower(stax.spec((N,), "f8"), stax.spec((N,), "f8")).compile()
    x, y = draw(6), draw(6) + 1
    want, view = x.copy(), y[::-1]
    want[1:] += y[:-1]
    got = compiled(x, y)
    assert got[0] is x and np.array_equal(x, want) and np.shares_memory(got[1], y) and np.array_equal(got[1], view)
    wide = np.zeros(12)
    wide[::2] = y
    assert np.array_equal(compiled(x.copy(), wide[::2])[1], view)  # read through a copy
    swapped = y.astype(">f8")
    assert np.array_equal(compiled(swapped, y)[0], y + np.r_[0, y[:-1]]) and np.array_equal(swapped, y + np.r_[0, y[:-1]])
    memory = draw(8)
    want = memory[:6].copy()
    want[1:] += memory[2:7]
    assert np.array_equal(compiled(memory[:6], memory[2:])[0], want)
    assert code_of(compiled, y, y) == "lowered-for-others"
    assert code_of(compiled, np.zeros(12)[::2], y) == "lowered-for-others"


def test_transposed_arrays_are_specs_with_their_layout() -> None:
    compiled = rows.lower(draw(4, 3).T, 2.0).compile()
    x = draw(4, 3)
    np.testing.assert_allclose(compiled(x.T, 3.0)[0], (x.T * 3.0).sum(-1))


def test_branches_in_the_program_need_no_data() -> None:
    @stax.kernel(branches="inside")
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    compiled = f.lower(stax.spec((N,), "f8")).compile()
    for x in (np.ones(3), -np.ones(5)):
        assert np.array_equal(compiled(x), f.__wrapped__(x))


# ---- what is refused ----


def test_specs_that_say_too_little_or_nonsense() -> None:
    for shape, dtype in (((3,), "q9"), (3.5, "f4"), ((-1,), "f4"), (("N+",), "f4"), ((3,), None), ((3,), object), ((3,), np.dtype("U3"))):
        assert code_of(stax.spec, shape, dtype) == "bad-spec"
    for vague in (Tensor[stax.float_, N], Tensor[f32, ...], Tensor[f32, "*B"]):
        assert code_of(rows.lower, vague, 1.0) == "bad-spec"
    assert code_of(rows.lower, stax.spec((N - 9000,), "f4"), 1.0) == "bad-spec"


def test_specs_that_are_no_arguments_of_the_kernel() -> None:
    array = stax.spec((3,), "f4")
    assert code_of(rows.lower) == "missing-argument"
    assert code_of(rows.lower, array, 1, 2) == "too-many-arguments"
    assert code_of(rows.lower, array, 1, x=array) == "duplicate-argument"
    assert code_of(rows.lower, array, 1, other=array) == "unknown-keyword"
    assert code_of(project.lower, stax.spec((N, D), "f8")) == "annotated-dtype"
    assert code_of(project.lower, stax.spec((N,), "f4")) == "annotated-rank"
    assert code_of(project.lower, stax.spec((2, 3), "f4"), stax.spec((4, 5), "f4")) == "annotated-size"


def test_what_needs_data_or_values() -> None:
    gated = stax.kernel(lambda x: x if x.sum() > 0 else -x)
    assert code_of(gated.lower, stax.spec((3,), "f8")) == "needs-data"
    frozen = stax.kernel(lambda x, k: x.sum(axis=k))
    assert code_of(frozen.lower, stax.spec((3, 4), "f8"), int) == "needs-value"
    assert frozen.lower(stax.spec((3, 4), "f8"), 1).compile()(np.ones((3, 4)), 1).shape == (3,)
    with pytest.raises(stax.StaxError, match="broadcast"):
        stax.kernel(lambda x, y: x + y).lower(stax.spec((N,), "f8"), stax.spec((D,), "f8"))


def test_calls_that_do_not_fit() -> None:
    compiled = project.lower(stax.spec((N, 4), "f4")).compile()
    x, w = draw(3, 4, dtype=np.float32), draw(4, 5, dtype=np.float32)
    np.testing.assert_allclose(compiled(x, w), np.maximum(x @ w + 1, 0), rtol=1e-5)
    assert code_of(compiled, x) == "missing-argument"
    assert code_of(compiled, x, w, w) == "too-many-arguments"
    assert code_of(compiled, x, w, w=w) == "duplicate-argument"
    assert code_of(compiled, x.astype(float), w) == "annotated-dtype"
    assert code_of(compiled, x[0], w) == "annotated-rank"
    assert code_of(compiled, x[:, :3].copy(), w[:3]) == "annotated-size"
    assert code_of(compiled, x, w[:3]) == "annotated-size"
    assert code_of(compiled, 3.0, w) == "annotated-kind"
    with pytest.raises(stax.StaxError, match="w") as caught:
        compiled(x, w[:3])
    assert isinstance(caught.value, ValueError)


def test_guards_and_numbers_that_do_not_fit() -> None:
    sliced = stax.kernel(lambda x: x[:4] if x.shape[0] > 4 else x).lower(stax.spec((N,), "f8")).compile()
    assert sliced(np.ones(9)).shape == (4,)
    with pytest.raises(stax.StaxError, match="4 < N") as caught:
        sliced(np.ones(3))
    assert caught.value.code == "lowered-for-others" and isinstance(caught.value, ValueError)
    axis = stax.kernel(lambda x, k: x.sum(axis=k)).lower(stax.spec((3, 4), "f8"), 1).compile()
    assert code_of(axis, np.ones((3, 4)), 0) == "lowered-for-others"
    assert code_of(rows.lower(stax.spec((N, 3), "f8"), float).compile(), np.ones((2, 3)), 2) == "lowered-for-others"


def test_engines_that_are_not_there() -> None:
    assert code_of(project.lower().compile, "cuda") == "engine-unavailable"
    assert code_of(project.lower().show, "asm") == "unknown-stage"
