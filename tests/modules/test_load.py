"""stax.load: .stx files as modules of Kernels - run natively, found again on disk, loaded anew when their text changes."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import staxlang as stax

NN = '''"""Row-wise building blocks."""

const EPS = 1e-6
const TAPS = (0.25, 0.5, 0.25)

def _half(x):
    return x / 2

kernel softmax(x: T[*B, D]) -> T[*B, D] where T: float:
    """Softmax over the last axis.

    >>> softmax([[0.0, 0.0]])
    [[0.5, 0.5]]
    """
    m = max(x, axis=-1, keepdims=true)
    e = exp(x - m)
    return e / sum(e, axis=-1, keepdims=true)

kernel halves(x: T[N], offset=2 * EPS, *, twice=false):
    """Half of it, or a quarter."""
    y = _half(x) + offset
    return _half(y) if twice else y

kernel smooth(x: f64[N]):
    return TAPS[0] * x[:-2] + TAPS[1] * x[1:-1] + TAPS[2] * x[2:]
'''


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def nn(tmp_path):
    return stax.load(write(tmp_path, "nn.stx", NN))


def test_kernels_run_natively(nn) -> None:
    for x in (np.random.rand(4, 5).astype("f4"), np.random.rand(2, 3, 4), np.random.rand(7)):
        np.testing.assert_allclose(nn.softmax(x), softmax(x), rtol=1e-6)
        assert nn.softmax(x).dtype == x.dtype
    stats = nn.softmax.stats()
    assert stats.route == "native" and stats.hits == 3 and stats.fallbacks == 0
    assert np.array_equal(nn.halves(np.arange(3.0)), np.arange(3.0) / 2 + 2e-6)
    assert np.array_equal(nn.halves(np.arange(3.0), 1, twice=True), (np.arange(3.0) / 2 + 1) / 2)
    x = np.random.rand(9)
    np.testing.assert_allclose(nn.smooth(x), 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], rtol=1e-15)


def test_a_declared_size_needs_one_version(nn) -> None:
    for n in (3, 4, 5):
        nn.smooth(np.ones(n))
    assert nn.smooth.stats().versions == 1


def test_the_module_is_one_for_python(nn, tmp_path) -> None:
    assert nn.__name__ == "nn" and nn.__doc__ == "Row-wise building blocks." and nn.__file__ == str(tmp_path / "nn.stx")
    assert {"softmax", "halves", "smooth", "EPS", "TAPS"} <= set(dir(nn)) and "_half" not in dir(nn)
    assert nn.__all__ == ["EPS", "TAPS", "softmax", "halves", "smooth"]
    assert nn.EPS == 1e-6 and nn.TAPS == (0.25, 0.5, 0.25)
    text = pydoc.render_doc(nn, renderer=pydoc.plaintext)
    assert "softmax(x: T[*B, D]) -> T[*B, D]" in text and "Softmax over the last axis." in text and "EPS = 1e-06" in text
    assert repr(nn) == f"<stax module 'nn' from '{tmp_path / 'nn.stx'}'>"
    with pytest.raises(AttributeError, match="private"):
        _ = nn._half
    with pytest.raises(AttributeError, match="did you mean `softmax`"):
        _ = nn.sofmax
    assert not hasattr(nn, "__path__")


def test_kernels_say_what_they_are(nn, tmp_path) -> None:
    assert isinstance(nn.softmax, stax.Kernel) and nn.softmax.__doc__.startswith("Softmax over")
    assert str(inspect.signature(nn.softmax)) == "(x: T[*B, D]) -> T[*B, D]"
    assert str(inspect.signature(nn.halves)) == "(x: T[N], offset=2e-06, *, twice=False)"
    assert repr(nn.halves) == "<stax kernel halves(x: T[N], offset=2e-06, *, twice=False)>"
    code = nn.softmax.__wrapped__.__code__
    assert (code.co_filename, code.co_firstlineno) == (str(tmp_path / "nn.stx"), 9)


def test_the_plain_function_runs_under_numpy(nn) -> None:
    x = np.random.rand(3, 4)
    np.testing.assert_allclose(nn.softmax.__wrapped__(x), softmax(x), rtol=1e-12)
    assert np.array_equal(nn.halves.__wrapped__(x[0], twice=True), (x[0] / 2 + 2e-6) / 2)


def test_explain_show_and_lower(nn) -> None:
    x = np.random.rand(30, 40)
    report = nn.softmax.explain(x)
    assert len(report.kernels) == 1 and set(report.kernels[0].source_lines) <= set(range(9, 19)) and report.route == "native"
    for stage in ("tree", "graph", "optimized", "loops", "schedule", "llvm", "asm"):
        assert nn.softmax.show(stage, x)
    lowered = nn.softmax.lower(stax.spec(("M", 8), np.float32))
    np.testing.assert_allclose(lowered.compile()(np.ones((3, 8), "f4")), np.full((3, 8), 0.125), rtol=1e-6)


def test_the_same_text_is_the_same_module(tmp_path) -> None:
    path = write(tmp_path, "nn.stx", NN)
    first = stax.load(path)
    assert stax.load(str(path)) is first
    write(tmp_path, "nn.stx", NN.replace("x / 2", "x / 4"))
    second = stax.load(path)
    assert second is not first and stax.load(path) is second
    assert first.halves(np.ones(2), 0)[0] == 0.5 and second.halves(np.ones(2), 0)[0] == 0.25
    write(tmp_path, "nn.stx", NN)
    assert stax.load(path).halves(np.ones(2), 0)[0] == 0.5


def test_options(tmp_path) -> None:
    path = write(tmp_path, "nn.stx", NN)
    checked = stax.load(path, checked=True)
    assert checked.softmax.settings.checked and checked is not stax.load(path) and checked is stax.load(path, checked=True)
    with pytest.raises(stax.StaxError, match="unknown-option"):
        stax.load(path, fastmath=True)
    with pytest.raises(stax.StaxError, match="no-python-function"):
        stax.load(path, fallback="numpy")
    assert stax.kernel(checked.softmax, fast_math=True)(np.zeros(2)).tolist() == [0.5, 0.5]


def test_kernels_and_modules_are_pickled_by_file(nn) -> None:
    assert pickle.loads(pickle.dumps(nn.softmax)) is nn.softmax
    assert pickle.loads(pickle.dumps(nn)) is nn
    assert copy.deepcopy(nn.softmax) is nn.softmax


def test_words_of_dtypes_compare_with_those_of_arrays() -> None:
    module = stax.load_text("kernel f(x):\n    return x.dtype == f64, f32 == x.dtype, x.dtype != bool, x.dtype in (i8, f64)\n")
    assert module.f(np.ones(3)) == (True, False, True, True)
    assert module.f(np.ones(3, "f4")) == (False, True, True, False)
    assert module.f(np.ones(3, bool)) == (False, False, False, False)


def test_texts() -> None:
    made = stax.load_text("const n = 3\nkernel scaled(x): return n * x\n")
    assert made.scaled(np.ones(2)).tolist() == [3.0, 3.0] and made.n == 3
    with pytest.raises(stax.StaxError, match="bad-argument"):
        stax.load_text(3)
    with pytest.raises(stax.StaxError, match="bad-argument"):
        stax.load(3)


RUN = """
import sys, numpy as np, staxlang as stax
nn = stax.load(sys.argv[1])
print(nn.softmax(np.zeros((2, 4), np.float32)).tolist()[0], nn.halves(np.ones(2), 0).tolist()[0])
print(nn.softmax.stats().disk_hits, nn.halves.stats().disk_hits, "lark" in sys.modules, "llvmlite" in sys.modules)
"""


def run(path: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", RUN, str(path)], capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.splitlines()


def test_another_process_compiles_nothing_and_parses_nothing(tmp_path, fresh_cache) -> None:
    path = write(tmp_path, "nn.stx", NN)
    assert run(path)[0] == "[0.25, 0.25, 0.25, 0.25] 0.5"
    assert run(path) == ["[0.25, 0.25, 0.25, 0.25] 0.5", "1 1 False False"]
    write(tmp_path, "nn.stx", NN.replace("x / 2", "x / 4"))  # what `halves` uses, not `softmax`
    result, state = run(path)
    assert result == "[0.25, 0.25, 0.25, 0.25] 0.25" and state.startswith("1 0 ")
