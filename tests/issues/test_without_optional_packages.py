"""What a plain installation has, NumPy, llvmlite and lark, is enough: no optional package is asked for where its arrays are not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
    import sys
    for name in ("ml_dtypes", "torch", "scipy", "triton", "jax", "cupy", "pygls", "mpmath", "hypothesis"):
        sys.modules[name] = None  # importing it fails
    import numpy as np, staxlang as stax

    X = np.random.default_rng(0).normal(size=(6, 8))
    SQUARE = X[:, :6] @ X[:, :6].T + np.eye(6)
    FUNCTIONS = {
        "sort": lambda x: np.sort(x, -1), "argsort": lambda x: np.argsort(x, 0), "median": lambda x: np.median(x, axis=1),
        "quantile": lambda x: np.quantile(x, [0.1, 0.5]), "partition": lambda x: np.partition(x, 3, -1)[:, 3],
        "searchsorted": lambda x: np.searchsorted(np.sort(x[0]), x), "unique": lambda x: stax.unique(np.rint(x), size=4)[:1],
        "fft": lambda x: np.fft.fft(x), "rfft": lambda x: np.fft.irfft(np.fft.rfft(x)), "histogram": lambda x: np.histogram(x, 5)[0],
        "matrix_power": lambda x: np.linalg.matrix_power(x @ x.T, 3), "solve": lambda x: np.linalg.solve(x @ x.T + np.eye(6), x),
        "svd": lambda x: np.linalg.svd(x)[1], "softmax": lambda x: stax.softmax(x), "var": lambda x: np.var(x, 1),
        "pad": lambda x: np.pad(x, 2),
        "half": lambda x: x.astype(np.float16).sum(1), "dtypes": lambda x: x.astype("f4") if x.dtype == np.float64 else x,
        "promotion": lambda x: np.result_type(x.dtype, np.float32) == np.float64,
        "interp": lambda x: np.interp(x, [-1.0, 0, 1], [0.0, 1, 4]),
        "cumsum": lambda x: np.cumsum(x, 1), "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
        "convolve": lambda x: np.convolve(x[0], x[1]),
    }
    for name, function in FUNCTIONS.items():
        kernel = stax.kernel(function)
        got = kernel(X)
        if name not in ("softmax", "unique"):
            np.testing.assert_allclose(got, function(X), rtol=1e-3 if name == "half" else 1e-9, atol=1e-9, err_msg=name)
        assert kernel.stats().route == "native"
        assert stax.kernel(function, engine="reference")(X) is not None
    try:
        stax.kernel(lambda x: x.astype(stax.bf16))(X)
    except stax.StaxError as problem:
        print(problem)
"""


def test_nothing_but_what_is_installed_is_needed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("error[missing-package]: bf16 needs the package ml_dtypes"), done.stdout
    assert "stax.bf16" in done.stdout and "pip install ml_dtypes" in done.stdout
