"""User programs under pyright: exactly the errors that their comments name, and the types that they say are revealed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_name("programs.py")


def test_pyright_says_what_the_comments_say() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(PROGRAMS)],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = {"error": {}, "information": {}, "warning": {}}
    for one in json.loads(run.stdout)["generalDiagnostics"]:
        found[one["severity"]][one["range"]["start"]["line"]] = one["message"].split("\n")[0]
    lines = PROGRAMS.read_text().splitlines()
    revealed = {k: line.split("# ")[1] for k, line in enumerate(lines) if line.strip().startswith("reveal_type")}
    errors = {k: line.split("# error: ")[1] for k, line in enumerate(lines) if "# error: " in line}
    assert {k: re.sub(r'^Type of ".*" is "(.*)"$', r"\1", text) for k, text in found["information"].items()} == revealed
    assert found["error"] == errors
    assert found["warning"] == {}
