"""`import staxlang.importer`: Python's import statement finds .stx files; run in processes of their own, as users do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.modules.test_load import NN, write

HEAD = "import staxlang.importer\nimport numpy as np\n"


def python(folder: Path, text: str, *more: str, fails: bool = False) -> str:
    write(folder, "main.py", HEAD + text)
    done = subprocess.run([sys.executable, *(more or ("main.py",))], cwd=folder, capture_output=True, text=True, timeout=300)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_import(tmp_path) -> None:
    write(tmp_path, "nn.stx", NN)
    text = """
import sys, inspect, pickle, linecache
import nn
from nn import softmax, EPS
assert nn is sys.modules["nn"] and nn.__file__.endswith("nn.stx") and nn.__spec__.loader.name == "nn"
assert nn.__doc__ == "Row-wise building blocks." and softmax.__module__ == "nn" and EPS == 1e-6
assert softmax(np.zeros(4)).tolist() == [0.25] * 4 and softmax.stats().route == "native"
assert "kernel softmax" in inspect.getsource(nn)
assert pickle.loads(pickle.dumps(softmax)) is softmax
try:
    from nn import sofmax
except ImportError as problem:
    print(problem)
try:
    from nn import _half
except ImportError as problem:
    print("private too")
from nn import *
assert smooth is nn.smooth
print("fine")
"""
    out = python(tmp_path, text)
    assert "sofmax" in out and "private too" in out and out.rstrip().endswith("fine")


def test_packages(tmp_path) -> None:
    write(tmp_path, "pack/__init__.py", "from . import blocks\nfrom .blocks import twice\n")
    write(tmp_path, "pack/blocks.stx", "from .base import one\nkernel twice(x): return one(x) * 2\n")
    write(tmp_path, "pack/base.stx", "kernel one(x): return x + 1\n")
    write(tmp_path, "whole/__init__.stx", "from .inner import f\nkernel g(x): return f(x) + 1\n")
    write(tmp_path, "whole/inner.stx", "kernel f(x): return x * 3\n")
    write(tmp_path, "space/deep/leaf.stx", "kernel h(x): return x * 5\n")
    text = """
import pack.base, whole, whole.inner, space.deep.leaf
x = np.ones(1)
assert pack.twice(x)[0] == 4 and pack.blocks.twice is pack.twice and pack.base.one(x)[0] == 2
assert whole.g(x)[0] == 4 and whole.__path__ and whole.inner.f(x)[0] == 3 and whole.f(x)[0] == 3
assert space.deep.leaf.h(x)[0] == 5
assert pack.blocks.twice.__module__ == "pack.blocks" and pack.base.one(x)[0] == pack.blocks.one(x)[0]
"""
    assert python(tmp_path, text) == ""


def test_python_comes_first_and_folders_last(tmp_path) -> None:
    write(tmp_path, "both.py", "who = 'python'\n")
    write(tmp_path, "both.stx", "const who = 'stx'\n")
    write(tmp_path, "data.stx", "const who = 'stx'\n")
    write(tmp_path, "data/readme.txt", "a folder of the same name\n")
    assert python(tmp_path, "import both, data\nprint(both.who, data.who)\n") == "python stx\n"


def test_reload(tmp_path) -> None:
    write(tmp_path, "nn.stx", NN)
    write(tmp_path, "use.stx", "from nn import halves\nkernel f(x): return halves(x, 0)\n")
    text = f"""
import importlib, nn, use
from pathlib import Path
x = np.ones(1)
first, kernel = nn.halves(x, 0)[0], nn.softmax
assert importlib.reload(nn) is nn and nn.softmax is kernel
Path("nn.stx").write_text({NN.replace("x / 2", "x / 4").replace("kernel smooth", "kernel smoother")!r})
assert importlib.reload(nn) is nn and nn.softmax is not kernel
assert (first, nn.halves(x, 0)[0]) == (0.5, 0.25) and not hasattr(nn, "smooth") and nn.smoother
assert use.f(x)[0] == 0.5
importlib.reload(use)
assert use.f(x)[0] == 0.25
Path("nn.stx").write_text("kernel f(x: return x")
try:
    importlib.reload(nn)
except SyntaxError:
    assert nn.halves(x, 0)[0] == 0.25
    print("kept")
"""
    assert python(tmp_path, text) == "kept\n"


@pytest.mark.parametrize(
    ("files", "kind", "holds"),
    [
        ({"bad": "kernel f(x)\n    return x\n"}, "SyntaxError", ("missing-colon", "bad.stx:1", "^")),
        ({"bad": "from nowhere import f\n"}, "ImportError", ("module-not-found", "bad.stx:1:1", "^^^")),
        ({"bad": "import other\n", "other": "import bad\n"}, "ImportError", ("import-cycle", "bad.stx -> other.stx -> bad.stx")),
        ({"bad": "from math import sin\n"}, "ImportError", ("import-of-python",)),
    ],
)
def test_errors(tmp_path, files: dict[str, str], kind: str, holds: tuple[str, ...]) -> None:
    for name, text in files.items():
        write(tmp_path, f"{name}.stx", text)
    out = python(tmp_path, f"try:\n    import bad\nexcept {kind} as problem:\n    print(type(problem).__mro__)\n    raise\n", fails=True)
    assert all(text in out for text in holds), out
    assert "staxlang/parser" not in out and "staxlang/runtime" not in out and "staxlang/typecheck" not in out, out
    again = python(tmp_path, "import bad\n", fails=True)
    assert all(text in again for text in holds), again


def test_a_stx_file_is_no_program(tmp_path) -> None:
    write(tmp_path, "nn.stx", NN)
    out = python(tmp_path, "import runpy\nrunpy.run_module('nn')\n", fails=True)
    assert "stax run" in out


def test_under_pytest(tmp_path) -> None:
    write(tmp_path, "nn.stx", NN)
    write(tmp_path, "bad.stx", "kernel f(x)\n    return x\n")
    head = "import numpy as np\nimport staxlang.importer\nimport nn\n"
    write(tmp_path, "test_nn.py", f"{head}\ndef test_it():\n    assert nn.softmax(np.zeros(2))[0] == 0.5\n")
    write(tmp_path, "test_bad.py", "import staxlang.importer\nimport bad\n\ndef test_it():\n    assert bad\n")
    assert "1 passed" in python(tmp_path, "", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nn.py")
    out = python(tmp_path, "", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bad.py", fails=True)
    assert all(text in out for text in ("test_bad.py", "missing-colon", "bad.stx:1", "kernel f(x)")), out


def test_importing_it_loads_nothing_heavy(tmp_path) -> None:
    heavy = "('numpy', 'lark', 'llvmlite', 'staxlang.runtime')"
    text = f"import sys, staxlang.importer\nprint([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
