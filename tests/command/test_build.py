"""`stax build`: the command's words, what it writes, what it refuses."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest

from staxlang.command.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shared libraries are linked and loaded as on Linux")

TEXT = '''
kernel scaled(x: f64[N, D], k: float) -> f64[N, D]:
    """Each element times k."""
    return x * k

kernel total(x: T[N, D], w: T[M, D]) where T: float, N <= M:
    return sum(x, axis=0) + sum(w, axis=0)
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.stx"
    path.write_text(TEXT)
    return path


def test_a_library(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = file.with_name("libk.so")
    words = ["build", str(file), "-o", str(output), "--header", str(file.with_name("kk.h"))]
    for suffix, dtype in (("wide", "f64"), ("narrow", "f32")):
        words += ["--spec", f"total:{suffix}.x={dtype}[N, D]", "--spec", f"total:{suffix}.w={dtype}[M,D]"]
    assert main(words) == 0
    assert capsys.readouterr().out.split() == [str(output), str(file.with_name("kk.h"))]
    header = file.with_name("kk.h").read_text()
    assert "int32_t k_total_narrow(const float *x" in header and "int32_t k_total_wide(const double *x" in header
    loaded = ctypes.CDLL(str(output))
    x, out = np.arange(6.0).reshape(2, 3), np.empty((2, 3))
    shape = (ctypes.c_int64 * 2)(2, 3)
    pointers = [ctypes.c_void_p(one.ctypes.data) for one in (x, out)]
    assert loaded.k_scaled(pointers[0], shape, None, ctypes.c_double(3.0), pointers[1], shape) == 0
    np.testing.assert_array_equal(out, x * 3)


def test_one_kernel_to_object_files_with_a_fixed_value(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = file.with_name("k.o")
    assert main(["build", str(file), "-o", str(output), "-k", "scaled", "--spec", "scaled.k=2.0", "--target", "x86-64"]) == 0
    written = capsys.readouterr().out.split()
    assert all(Path(path).exists() for path in written) and any(path.endswith("k_scaled.o") for path in written)
    assert "double k" not in file.with_name("k.h").read_text()


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ([], 1, "--spec 'total.x=f32[N, D]'"),
        (["-k", "scale"], 2, "did you mean `scaled`?"),
        (["-k", "scaled", "--spec", "scaled.k"], 2, "KERNEL.PARAMETER=TYPE"),
        (["-k", "scaled", "--spec", "scaled.k=what is it"], 2, "cannot be read"),
        (["-k", "scaled", "--spec", "total.x=f32[N, D]"], 2, "none of the kernels to build"),
        (["-k", "scaled", "--target", "pdp11"], 2, "x86-64-v3"),
        (["-k", "scaled", "--target", "x86-64-v2,avx9"], 2, "no target or processor feature `avx9`"),
    ],
)
def test_refusals(file: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, text: str) -> None:
    output = file.with_name("libk.so")
    assert main(["build", str(file), "-o", str(output), *words]) == code
    told = capsys.readouterr().err
    assert text in told and "Traceback" not in told
    assert not output.exists()


def test_no_such_folder(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(file), "-o", str(file.parent / "no" / "libk.so")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
