"""What a process loads before its first result: counted, never timed."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMPORT = "from staxlang import kernel\nimport numpy as np, sys, gc\nbefore = set(sys.modules)\n"
FIRST_CALL = """
def relu_sum(x, w):
    return (np.maximum(x + w, 0) * 2).sum(axis=-1)
x = np.ones((64, 128), np.float32)
assert (kernel(relu_sum)(x, x) == 512).all()
"""


@cache
def printed(script: Path, program: str, **environment: str) -> str:
    script.write_text(program)  # a kernel's source is read from its file
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "STAX_CACHE": "0", **environment}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True, env=variables)
    return done.stdout


def test_the_first_call_leaves_the_collector_as_it_was(tmp_path: Path) -> None:
    on = printed(tmp_path / "on.py", f"{IMPORT}{FIRST_CALL}print(gc.isenabled())")
    off = printed(tmp_path / "off.py", f"{IMPORT}gc.disable(){FIRST_CALL}print(gc.isenabled())")
    assert (on, off) == ("True\n", "False\n")


def test_a_first_call_loads_nothing_that_it_has_no_use_for(tmp_path: Path) -> None:
    loaded = set(printed(tmp_path / "loads.py", f"{IMPORT}{FIRST_CALL}print(*set(sys.modules) - before)").split())
    assert not loaded & {"lark", "llvmlite.binding", "scipy", "torch", "ml_dtypes", "pickle", "concurrent.futures"}
