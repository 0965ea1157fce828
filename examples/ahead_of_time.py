"""Builds `examples/ahead/nn.stx` into a shared library, and calls it through ctypes and, where there is a C compiler, from C."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import staxlang as stax

HERE = Path(__file__).parent / "ahead"


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def shape(array: np.ndarray) -> ctypes.Array:
    return (ctypes.c_int64 * array.ndim)(*array.shape)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = stax.build(stax.load(HERE / "nn.stx"), folder / "libnn.so")
        if made.library is None:
            print(f"no linker here: {len(made.objects)} object files")
            return
        library = ctypes.CDLL(str(made.library))
        rng = np.random.default_rng(0)
        x, w, b = (rng.standard_normal(extents).astype(np.float32) for extents in ((1000, 64), (64, 32), (32,)))
        y = np.empty((1000, 32), np.float32)
        given = [part for one in (x, w, b) for part in (pointer(one), shape(one), None)]
        assert library.nn_layer(*given, pointer(y), shape(y)) == 0
        print(f"largest difference from NumPy: {np.abs(y - np.maximum(x @ w + b, 0)).max():.1e}")
        compiler = shutil.which("cc")
        if compiler is not None:
            program = folder / "main"
            include = ["-I", str(folder), str(HERE / "main.c"), str(made.library), f"-Wl,-rpath,{folder}"]
            subprocess.run([compiler, "-std=c99", "-o", str(program), *include], check=True)
            print(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()
