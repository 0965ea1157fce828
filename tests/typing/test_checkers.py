"""Type checkers that know nothing of Stax find nothing wrong with annotated kernels."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).with_name("annotated_kernels.py")
ROOT = CORPUS.parents[2]


def test_pyright_has_nothing_to_say():
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(CORPUS)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    report = json.loads(found.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    assert [one["message"] for one in report["generalDiagnostics"] if one["severity"] == "error"] == []


def test_ruff_has_nothing_to_say():
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"
    command = [ruff, "check", "--isolated", "--select", "E,F,W,B,UP", "--line-length", "140", str(CORPUS)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stdout
