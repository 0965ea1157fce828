"""CPU time of compilations in one process: the first kernel, the next ones, and what the stages before LLVM take of it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

SCRIPT = '''
import json, statistics, time
start = time.process_time()
import numpy as np
from staxlang import kernel
from staxlang.runtime import native
imported = time.process_time() - start
spent = {"llvm": 0.0}

def counted(function):
    def call(*arguments):
        start = time.process_time()
        made = function(*arguments)
        spent["llvm"] += time.process_time() - start
        return made
    return call

def relu_sum(x, w):
    return (np.maximum(x + w, 0) * 2).sum(axis=-1)

def axpb(x, w):
    return x * 2 + w

def shifted(x, w):
    return np.where(x > w, x - w, 0.0).max(axis=1)

def waves(x, w):
    return np.sin(x) + np.exp(w)

def columns(x):
    return x.sum(axis=0)

def call(function, *arguments):
    made, spent["llvm"] = kernel(function), 0.0
    start = time.process_time()
    made(*arguments)
    return time.process_time() - start, made

a, b = np.ones((64, 128), np.float32), np.ones((64, 128), np.float32)
native.compile_text = counted(native.compile_text)
first, _ = call(relu_sum, a, b)
call(axpb, a, b)
following, stages = [], []
for function, dtype in ((axpb, "f8"), (shifted, "f4"), (relu_sum, "f8"), (waves, "f4"), (relu_sum, "i4"), (shifted, "f8")):
    following.append(call(function, a.astype(dtype), b.astype(dtype))[0])
    if function is relu_sum:
        stages.append(following[-1] - spent["llvm"])
_, made = call(columns, a)
start = time.process_time()
made(np.ones((65, 129), np.float32))
symbolic = time.process_time() - start
print(json.dumps({
    "import": imported, "first": first, "stages": statistics.mean(stages), "next": statistics.median(following), "most": max(following),
    "symbolic": symbolic,
}))
'''


def once() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "compiling.py")  # a kernel's source is read from its file
        with open(script, "w") as file:
            file.write(SCRIPT)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"STAX_CACHE_DIR": f"{folder}/cache"}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout)


def measure(rounds: int) -> dict[str, float]:
    """Medians of fresh processes that find nothing on disk."""
    runs = [once() for _ in range(rounds)]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}
