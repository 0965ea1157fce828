"""Seconds of a program's kernels: what they are estimated to take on this machine, and what they took in a run beside the program's own."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from staxlang.compiler.llvm.program import emit
from staxlang.compiler.target import Target
from staxlang.runtime import late
from staxlang.runtime.ground import Ground
from staxlang.runtime.libraries import provide
from staxlang.runtime.matching import Matched
from staxlang.runtime.programs import Stages
from staxlang.runtime.running import execute, program_function
from staxlang.runtime.support import build, load
from staxlang.runtime.versions import Version

LANE: Final = 5e9  # simple operations a second of one lane of one core: two in a cycle
CACHE: Final = 4  # how many times faster than memory the caches are, roughly
PATIENCE: Final = 0.02  # seconds of repetitions


def estimated(bytes_: int, work: int, lanes: int, parallel: bool, target: Target) -> float:
    """The longer of what moving so many bytes and so much `work` (of the schedule) take."""
    speed = bandwidth() * (CACHE if bytes_ <= target.llc // 2 else 1)
    cores = target.cores if parallel and work >= target.parallel_work else 1
    return max(bytes_ / speed, work / (LANE * lanes * cores))


@lru_cache(maxsize=1)
def bandwidth() -> float:
    """Bytes a second, read and written, of a copy between arrays beyond the caches, by one thread; the best of five."""
    source = np.ones(1 << 22)
    target = np.zeros_like(source)
    return 2 * source.nbytes / min(_seconds(lambda: np.copyto(target, source)) for _ in range(5))


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measured(version: Version, matched: Matched, made: Stages, ground: Ground, writes: bool, fast: bool) -> tuple[float, ...] | None:
    """Medians of each step, by a program that reads the processor's clock between them, run on the call's arrays (`writes`: on copies).

    None where there is no such clock, where an array cannot be copied as it lies, and where a run-time check fails.
    """
    held = _copied(version, matched) if writes else matched
    if held is None or not ground.target.triple.startswith("x86_64") or not made.schedule.steps:
        return None
    emission = emit(made.schedule, ground.target, "timed", fast, polls=True, timed=True)
    provide(ground.support, ground.target, ground.store, emission.externals)
    code = load(build(emission.text, ground.target), ground.support.symbols, ("timed", "timed.times"))
    function, count = program_function(code.addresses["timed"]), len(made.schedule.steps)
    ticks = (ctypes.c_int64 * (count + 1)).from_address(code.addresses["timed.times"])
    failed: list[int] = []
    runs: list[tuple[float, list[int]]] = []

    def program(*tables: Any) -> int:
        failed.append(function(*tables))
        return 0

    end = time.perf_counter() + PATIENCE
    while not any(failed) and (len(runs) < 2 or (time.perf_counter() < end and len(runs) < 50)):
        execute(program, version.plan, version.slots, held)
        runs.append((time.perf_counter(), list(ticks)))
    (begin, first), (last, then) = runs[0], runs[-1]
    if any(failed):
        late.interrupts().raise_if_noted()
    if any(failed) or then[-1] <= first[-1]:
        return None
    each = (last - begin) / (then[-1] - first[-1])  # seconds of a tick, by what passed between the ends of two runs
    return tuple([each * statistics.median(run[k + 1] - run[k] for _, run in runs) for k in range(count)])


def _copied(version: Version, matched: Matched) -> Matched | None:
    """What a call holds with copies of its arrays; None where one lies in memory in another way than its copy."""
    objects = list(matched.objects)
    for place in version.plan.arrays:
        array = np.asarray(objects[place])
        objects[place] = np.array(array, order="K")
        if objects[place].strides != array.strides and array.size > 1:
            return None
    return Matched(objects, matched.env)
