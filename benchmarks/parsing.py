"""A .stx file of a thousand lines: read in a fresh process, and again after edits of one definition."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

import staxlang

LINES = 1000
READ = """
import json, statistics, sys, time
start = time.perf_counter()
from staxlang.base.spans import Source
from staxlang.parser.stx import read_file
imported = time.perf_counter()
text = sys.stdin.read()
parsed = time.perf_counter()
file = read_file(Source("lib.stx", text))
file.module, file.diagnostics
cold = time.perf_counter() - parsed

def edited(texts, whole):
    times = []
    for changed in texts:
        start = time.perf_counter()
        file = read_file(Source("lib.stx", changed))
        file.diagnostics
        if whole:
            file.module
        times.append(time.perf_counter() - start)
    return statistics.median(times)

middle = file.items[len(file.items) // 2].item.text
letters = [text.replace(middle, middle.replace("return ", f"return {k} + ", 1)) for k in range(9)]
lines = [text.replace(middle, "\\n" * k + middle.replace("return ", f"return {k} + ", 1)) for k in range(1, 10)]
edits = {"edit": edited(letters, True), "lines": edited(lines, False), "placed": edited(lines[::-1], True)}
print(json.dumps({"import": imported - start, "cold": cold, **edits}))
"""


def text(lines: int = LINES) -> str:
    """The standard library's definitions, up to so many lines."""
    folder = Path(staxlang.__file__).parent / "stdlib"
    found: list[str] = []
    for path in sorted(folder.glob("*.stx")):
        found += path.read_text(encoding="utf-8").partition('"""\n')[2].strip("\n").split("\n") + [""]
    while found[lines] != "":
        lines += 1
    return "\n".join(found[:lines]) + "\n"


def measure(rounds: int) -> dict[str, float]:
    """Medians of fresh processes, in seconds."""
    runs = []
    for _ in range(rounds):
        done = subprocess.run([sys.executable, "-c", READ], input=text(), capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return {name: statistics.median(run[name] for run in runs) for name in ("import", "cold", "edit", "lines", "placed")}
