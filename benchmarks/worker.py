"""A peer's own process: reads one request a line, answers one line. `python -m benchmarks.worker PEER`."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback

from benchmarks.peers import PEERS
from benchmarks.workloads import FUNCTIONS, SWEPT, WORKLOADS, function, swept


def find_workload(name: str):
    for row in WORKLOADS:
        if row.name == name:
            return row
    program, _, size = name.partition(" [")
    if program in SWEPT:
        return swept(program, int(size.rstrip("]")))
    if program in FUNCTIONS:
        return function(program, int(size.rstrip("]")))
    raise KeyError(name)


class Worker:
    def __init__(self, peer: str) -> None:
        self.find, self.convert, self.wait = next(p for p in PEERS if p.name == peer).load()
        self.call = None
        self.repeats = 1

    def prepare(self, workload: str) -> dict:
        row = find_workload(workload)
        try:
            program = self.find(row.program)
        except (AttributeError, KeyError):
            return {"absent": True}
        arguments = self.convert(row.inputs())
        self.call = lambda: self.wait(program(*arguments))
        started = time.perf_counter()
        result = self.call()
        first = time.perf_counter() - started
        for _ in range(2):
            self.call()
        started = time.perf_counter()
        self.call()
        once = max(time.perf_counter() - started, 1e-8)
        self.repeats = max(1, min(20000, int(0.01 / once)))
        del result
        return {"first": first}

    def round(self) -> dict:
        call, repeats = self.call, self.repeats
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        return {"seconds": (time.perf_counter() - started) / repeats}

    def check(self) -> dict:
        """A few numbers of the result, so that nobody is fast by being wrong."""
        import numpy as np  # noqa: PLC0415 - a worker imports its peer first

        results = self.call()
        results = results if isinstance(results, tuple) else (results,)
        sums = []
        for r in results:
            a = np.asarray(r).astype(np.float64).ravel()
            sums += [float(a.sum()), float(a[0]), float(a[-1])]
        return {"sums": sums}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a peer prints must not mix with the answers
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request["do"])(*request.get("arguments", ()))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0], "trace": traceback.format_exc()}
        answer["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
