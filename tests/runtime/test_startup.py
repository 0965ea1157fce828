"""What a process's first calls load and compile, counted: modules, LLVM compilations, disk hits. Times vary, these do not."""

import ctypes
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from staxlang.runtime import machine, native
from staxlang.runtime.engine import load_with_engine
from staxlang.runtime.loader import LoadError, Symbols

ROOT = Path(__file__).parents[2]

PROGRAM = """
    import json, sys
    import numpy as np
    by_numpy = set(sys.modules)
    import staxlang as stax

    @stax.kernel
    def first(x, w):
        return (np.maximum(x + w, 0) * 2).sum(-1)

    @stax.kernel
    def second(x, w):
        return (np.minimum(x * w, 3) - w).max(-1)

    by_import = set(sys.modules)
    x, w = np.ones((64, 128), np.float32), np.ones((64, 128), np.float32)
    assert (first(x, w) == 512).all()
    by_call = set(sys.modules)
    stats = first.stats()
    report = {
        "import": sorted(by_import - by_numpy), "call": sorted(by_call - by_import), "compilations": stats.compilations,
        "disk_hits": stats.disk_hits, "route": stats.route,
    }
    native = sys.modules.get("staxlang.runtime.native")
    if native is not None:
        compile_text, texts = native.compile_text, []
        native.compile_text = lambda text, *rest: texts.append(text) or compile_text(text, *rest)
        second(x, w)
        report["next"] = len(texts)
        del texts[:]
        second(x[:32], w[:32])  # another size: the version for all sizes, which has threads for the large ones
        report["symbolic"] = len(texts)
        del texts[:]
        first(x[:32], w[:32])
        report["symbolic, next"] = len(texts)
    print(json.dumps(report))
"""


def run(folder, **environment):
    script = folder / "script.py"
    script.write_text(textwrap.dedent(PROGRAM))
    given = {**os.environ, "PYTHONPATH": str(ROOT), "STAX_CACHE_DIR": str(folder / "cache"), "STAX_CACHE": "1", **environment}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, env=given, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def own(names):
    return [name for name in names if name.partition(".")[0] == "staxlang"]


def rooms(names, *rooms):
    return [name for name in own(names) if name.split(".")[1:2] and name.split(".")[1] in rooms]


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    return run(tmp_path_factory.mktemp("cold"), STAX_CACHE="0")


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warm")
    assert run(folder)["compilations"] == 1
    return run(folder)


def test_the_import_brings_in_little(cold):
    """Besides Stax's own modules only small ones of Python's, and of its own only what every call needs."""
    others = {name.partition(".")[0] for name in cold["import"]} - {"staxlang"}
    assert others <= {"__future__", "_blake2", "atexit", "gc", "mmap"}
    assert len(own(cold["import"])) <= 50
    assert rooms(cold["import"], "parser") == []
    assert [name for name in cold["import"] if name.startswith(("staxlang.base.sizes", "staxlang.base.operations"))] == []


def test_a_call_served_from_disk_loads_no_compiler(warm):
    assert (warm["compilations"], warm["disk_hits"], warm["route"]) == (0, 1, "native")
    assert rooms(warm["call"], "parser", "typecheck", "compiler") == []
    assert len(own(warm["call"])) <= 2
    loaded = {name.partition(".")[0] for name in (*warm["import"], *warm["call"])}
    assert loaded.isdisjoint({"llvmlite", "lark", "hashlib", "_hashlib", "dataclasses", "subprocess", "logging", "tempfile"})


def test_the_first_compilation_loads_what_it_needs(cold):
    """LLVM without llvmlite's Python layers; of the compiler's own modules not those of other subjects."""
    assert (cold["compilations"], cold["disk_hits"], cold["route"]) == (1, 0, "native")
    loaded = set(cold["call"])
    assert {"llvmlite", "staxlang.runtime.native", "staxlang.typecheck.evaluator"} <= loaded
    assert [name for name in loaded if name.startswith(("llvmlite.binding", "llvmlite.ir", "lark", "hashlib", "_hashlib"))] == []
    for subject in (
        "staxlang.compiler.llvm.mathematics", "staxlang.compiler.llvm.math", "staxlang.base.catalogue", "staxlang.runtime.annotated",
        "staxlang.typecheck.annotations", "staxlang.runtime.reference", "staxlang.runtime.libraries", "staxlang.compiler.llvm.pool",
        "staxlang.typecheck.index_notation.comprehensions", "staxlang.typecheck.index_notation.definitions", "staxlang.runtime.externs",
        "staxlang.compiler.llvm.externs", "staxlang.compiler.llvm.lapack", "staxlang.compiler.llvm.library",
    ):  # fmt: skip
        assert subject not in loaded, subject
    assert len(own(loaded)) <= 225


def test_a_version_is_two_modules_of_code_at_most(cold):
    """The program and its entry, which kernels of the same argument types share; what all entries share is compiled once, and so is the
    thread pool, where a program may need it."""
    assert cold["next"] == 1
    assert cold["symbolic"] == 3
    assert cold["symbolic, next"] == 2


def test_the_collector_is_as_it_was_before(tmp_path):
    """It rests while the compiler is loaded."""
    script = tmp_path / "script.py"
    lines = ("import gc, sys", "gc.disable() if sys.argv[1] == '0' else None", "from staxlang import kernel", "import numpy as np")
    script.write_text("\n".join([*lines, "kernel(lambda x: x + 1)(np.ones(3))", "print(gc.isenabled())"]))
    for enabled in "01":
        command = [sys.executable, str(script), enabled]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert done.stdout == f"{enabled == '1'}\n", done.stderr[-2000:]


# ---- LLVM ----


def test_the_host_is_llvmlites():
    assert native.host() == (llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


@pytest.mark.parametrize(
    ("text", "triple", "said"),
    [
        ("define bad", None, "expected type"),
        ("define i32 @f() {\n ret i32 %x\n}", None, "undefined value"),
        ("define i32 @f() {\n ret i32 0\n}", "none-of-these", "none-of-these"),
    ],
)
def test_what_llvm_refuses_is_said(text, triple, said):
    host, cpu, features = native.host()
    with pytest.raises(RuntimeError, match=said):
        native.compile_text(text, triple or host, cpu, features)


def test_assembly_names_the_function():
    assert "seven:" in native.assembly("define i32 @seven() {\n ret i32 7\n}", *native.host())


def test_llvmlites_engine_loads_an_object():
    text = "@outside = external global i8\ndefine ptr @{0}() {{\n ret ptr @outside\n}}\n"
    symbols = Symbols()
    symbols.add("outside", 4096)
    code = load_with_engine(native.compile_text(text.format("stax_engine_a"), *native.host()), symbols, ("stax_engine_a",))
    assert ctypes.CFUNCTYPE(ctypes.c_void_p)(code.addresses["stax_engine_a"])() == 4096
    with pytest.raises(LoadError, match="nowhere"):
        load_with_engine(native.compile_text(text.format("stax_engine_b"), *native.host()), symbols, ("nowhere",))


def test_only_the_first_processors_description_is_read(tmp_path):
    path = tmp_path / "cpuinfo"
    first = "".join([f"field {k} : {'x' * 90}\n" for k in range(40)])
    path.write_text(first + "\n" + "field : second\n" * 10_000)
    assert machine._first_paragraph(str(path)) + "\n" == first
    assert machine._first_paragraph(str(tmp_path / "none")) == ""
