"""The programs of tests/programs under NumPy and as kernels. `python -m benchmarks.corpus PROGRAM 5` measures one in 5 rounds."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks import report
from tests.programs.corpus import PROGRAMS
from tests.programs.table import Program

FIRST_CALL = 0.3
"""Seconds of CPU time that a first call may take, compilation included."""


def timed(call: Callable[..., Any], row: Program, n: int, budget: float) -> float:
    """Seconds of one call. Programs write into their arguments, so that each call has its own, made beforehand."""
    once = _loop(call, row, [row.inputs(n)])
    count = max(1, min(200, int(budget / max(once, 1e-7))))
    return _loop(call, row, [row.inputs(n) for _ in range(count)])


def _loop(call: Callable[..., Any], row: Program, arguments: list[tuple[Any, ...]]) -> float:
    keywords = dict(row.keywords)
    started = time.perf_counter()
    for given in arguments:
        call(*given, **keywords)
    return (time.perf_counter() - started) / len(arguments)


def compared(kernel: Callable[..., Any], row: Program, n: int, rounds: int) -> tuple[float, float]:
    """(kernel, NumPy): medians of interleaved rounds."""
    mine, plain = [], []
    kernel(*row.inputs(n), **row.keywords)
    for _ in range(rounds):
        mine.append(timed(kernel, row, n, 0.01))
        plain.append(timed(row.function, row, n, 0.02))
    return statistics.median(mine), statistics.median(plain)


def one(name: str, rounds: int) -> dict[str, Any]:
    """CPU time of the first call; calls at both sizes, and what NumPy takes."""
    from staxlang import kernel as decorator  # noqa: PLC0415 - the process of a program that failed to import tells why

    row = next(row for row in PROGRAMS if row.name == name)
    arguments = row.inputs(row.small)
    warnings.simplefilter("ignore")
    kernel = decorator(row.function)
    started = time.process_time()
    kernel(*arguments, **row.keywords)
    first = time.process_time() - started
    return {"first": first, "small": compared(kernel, row, row.small, rounds), "large": compared(kernel, row, row.large, rounds)}


def measure(name: str, rounds: int) -> dict[str, Any]:
    """`one` in a fresh process, with nothing on disk from before."""
    dropped = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE")
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k not in dropped} | {"STAX_CACHE_DIR": folder}
        command = [sys.executable, "-m", "benchmarks.corpus", name, str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["the process ended"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def geometric(values: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def programs(only: str, rounds: int) -> str:
    """The table of all programs that run today, means, and which are slower than NumPy or slow to compile."""
    chosen = [row for row in PROGRAMS if not row.needs and (not only or any(part in row.name for part in only.split(",")))]
    measured = {}
    for row in chosen:
        measured[row.name] = result = measure(row.name, rounds)
        print("  ", row.name, result, file=sys.stderr)
    good = {name: result for name, result in measured.items() if "error" not in result}
    speed = {size: {name: r[size][1] / r[size][0] for name, r in good.items()} for size in ("small", "large")}
    rows = [_cells(row, measured[row.name]) for row in chosen]
    first = [r["first"] for r in good.values()]
    lines = [
        f"NumPy's time over the kernel's, geometric mean of {len(good)}: {geometric(list(speed['small'].values())):.2f} at small sizes, "
        f"{geometric(list(speed['large'].values())):.2f} at larger ones.",
        *(f"Slower than NumPy at {size} sizes: {_list(name for name, s in speed[size].items() if s < 1)}." for size in speed),
        f"First calls, CPU time: median {report.seconds(statistics.median(first or [math.nan]))}, above {FIRST_CALL} s: "
        f"{_list(name for name, r in good.items() if r['first'] > FIRST_CALL)}.",
    ]
    waiting = sum(bool(row.needs) for row in PROGRAMS)
    if waiting:
        lines.append(f"{waiting} programs of the corpus wait for the language.")
    head = ["program", "sizes", "small: stax", "numpy", "speedup", "larger: stax", "numpy", "speedup", "first call"]
    return "### Programs, unmodified\n\n" + "\n".join(lines) + f"\n\n{report.table(head, rows)}\n"


def _cells(row: Program, result: dict[str, Any]) -> list[str]:
    sizes = f"{row.small}, {row.large}"
    if "error" in result:
        return [row.name, sizes, "failed", *[""] * 6]
    cells = [row.name, sizes]
    for size in ("small", "large"):
        mine, plain = result[size]
        cells += [report.seconds(mine), report.seconds(plain), report.ratio(plain / mine)]
    return [*cells, report.seconds(result["first"])]


def _list(names: Any) -> str:
    return ", ".join(names) or "none"


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1], int(sys.argv[2]))))
