"""Modules of .stx in odd places: names of Python's, many threads, other processes, files that change or go while they are used."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import staxlang as stax
from tests.modules.test_load import NN, write

X = np.linspace(-1.0, 1.0, 6)


def test_a_file_with_the_name_of_a_python_module(tmp_path) -> None:
    for name in ("math", "numpy", "operator"):
        path = write(tmp_path, f"{name}.stx", "kernel sin(x): return x + 1\n")
        odd = stax.load(path)

        @stax.kernel
        def use(x):
            return odd.sin(x)  # noqa: B023

        assert np.array_equal(use(X), X + 1)
        write(tmp_path, f"{name}.stx", "kernel sin(x): return x + 2\n")
        odd = stax.load(path)
        assert np.array_equal(use(X), X + 2)


def test_names_that_python_keeps_for_itself() -> None:
    m = stax.load_text("""
const type = 2
kernel print(match, case=type): return match * case
kernel list(x): return print(x) + 1
kernel kernel(where, const=1): return where + const
""")
    assert np.array_equal(m.print(X), X * 2) and np.array_equal(m.list(X), X * 2 + 1) and np.array_equal(m.kernel(X), X + 1)


def test_lambdas_and_shared_lists_in_consts() -> None:
    m = stax.load_text("""
const scale = 3
const act = lambda x, k=2: x * k + scale
const acts = {"a": act, "b": exp}
kernel f(x): return act(x) + acts["b"](x)
kernel g(x, h=act): return h(x)
""")
    np.testing.assert_allclose(m.f(X), X * 2 + 3 + np.exp(X))
    np.testing.assert_allclose(m.g(X), X * 2 + 3)
    assert m.act(2.0) == 7.0 and m.act(2.0, 1) == 5.0


def test_all_kinds_of_parameters() -> None:
    m = stax.load_text("""
kernel f(a, /, b, *rest, c=1, d=none, **more):
    total = a + b * 10 + c * 100
    for r in rest:
        total = total + r * 1000
    for k in more:
        total = total + more[k] * 10000
    return total if d is none else total + d
""")
    assert str(m.f.__signature__) == "(a, /, b, *rest, c=1, d=None, **more)"
    assert m.f(1, 2) == m.f.__wrapped__(1, 2) == 121
    assert m.f(1, b=2, c=3) == 321 and m.f(1, 2, 3, 4, d=5) == 7126 and m.f(1, 2, z=1) == m.f.__wrapped__(1, 2, z=1) == 10121
    with pytest.raises(TypeError, match="missing-argument"):
        m.f(a=1, b=2)


def test_many_threads_load_and_call(tmp_path) -> None:
    path = write(tmp_path, "nn.stx", NN)
    found: list[object] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            module = stax.load(path)
            found.append(module)
            for n in range(2, 6):
                assert np.allclose(module.softmax(np.zeros(n)), 1 / n)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == [] and len(set(map(id, found))) == 1


def _called(kernel: object) -> list[float]:
    return kernel(np.zeros(4)).tolist()  # type: ignore[operator]


def test_kernels_go_to_other_processes(tmp_path) -> None:
    nn = stax.load(write(tmp_path, "nn.stx", NN))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_called, (nn.softmax,)) == [0.25] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system with fork")
def test_after_a_fork(tmp_path) -> None:
    path = write(tmp_path, "nn.stx", NN)
    text = f"""
import os, numpy as np, staxlang as stax
nn = stax.load({str(path)!r})
nn.softmax(np.zeros(4))
child = os.fork()
if child == 0:
    good = stax.load({str(path)!r}) is nn and nn.softmax(np.zeros((3, 4))).tolist() == [[0.25] * 4] * 3
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    assert subprocess.run([sys.executable, "-c", text], timeout=300).returncode == 0


def test_a_file_that_goes_away_or_is_broken_keeps_its_module(tmp_path, monkeypatch) -> None:
    path = write(tmp_path, "nn.stx", NN)
    monkeypatch.chdir(tmp_path)
    nn = stax.load("nn.stx")
    monkeypatch.chdir("/")
    path.write_text("kernel f(x:\n")
    with pytest.raises(SyntaxError):
        stax.load(path)
    assert np.allclose(nn.softmax(np.zeros(4)), 0.25)  # compiled now, of the text that was loaded
    path.unlink()
    with pytest.raises(FileNotFoundError):
        stax.load(path)
    assert np.array_equal(nn.halves(np.ones(2), 0), [0.5, 0.5])
    with pytest.raises(stax.StaxError, match=r"(?s)annotated-rank.*17 \| kernel halves|kernel halves"):
        nn.halves(np.ones((2, 2)))


def test_an_edit_between_two_processes_is_seen_by_python_kernels_on_disk(tmp_path, fresh_cache) -> None:
    path = write(tmp_path, "nn.stx", "kernel f(x): return g(x)\ndef g(x): return x + 1\n")
    write(tmp_path, "main.py", """
import numpy as np, staxlang as stax
nn = stax.load("nn.stx")

@stax.kernel
def use(x):
    return nn.f(x) * 2

print(use(np.ones(1))[0], use.stats().disk_hits)
""")

    def run() -> str:
        done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
        return done.stdout.strip()

    assert run() == "4.0 0"
    assert run() == "4.0 1"
    path.write_text("kernel f(x): return g(x)\ndef g(x): return x + 2\n")
    assert run() == "6.0 0"


def test_functions_of_the_library_run_from_a_module(tmp_path) -> None:
    path = write(tmp_path, "m.stx", "from nn import relu\nimport random\nconst act = relu\nkernel f(x, g=exp): return g(x)\n")
    text = f"import numpy as np, staxlang as stax\nm = stax.load({str(path)!r})\n"
    text += "print(m.relu(np.ones(1)), m.act(np.ones(1)), m.random.uniform(1, 2).shape, m.f.__defaults__[0](np.zeros(1)))"
    for _ in range(2):  # the second time consts and defaults come from the store
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=True)
        assert done.stdout == "[1.] [1.] (2,) [1.]\n"


def test_a_damaged_store_of_trees_is_read_anew(tmp_path, fresh_cache) -> None:
    path = write(tmp_path, "nn.stx", NN)
    text = f"import numpy as np, staxlang as stax\nprint(stax.load({str(path)!r}).softmax(np.zeros(2)))"

    def run() -> str:
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=True).stdout

    assert run() == "[0.5 0.5]\n"
    for entry in Path(fresh_cache).rglob("*.stax"):
        data = bytearray(entry.read_bytes())
        data[-1] ^= 1
        entry.write_bytes(bytes(data))
    assert run() == "[0.5 0.5]\n"


def test_long_chains_and_wide_modules(tmp_path) -> None:
    for number in range(60):
        write(tmp_path, f"m{number}.stx", f"from m{number + 1} import f as inner\nkernel f(x): return inner(x) + 1\n")
    write(tmp_path, "m60.stx", "kernel f(x): return x\n")
    assert np.array_equal(stax.load(tmp_path / "m0.stx").f(X), X + 60)
    wide = "".join(f"kernel k{number}(x, a={number}): return x * a + c{number}\nconst c{number} = {number}\n" for number in range(300))
    m = stax.load_text(wide)
    assert len(m.__all__) == 600 and np.array_equal(m.k299(X), X * 299 + 299)
