"""The thread pool: every index once, nested and concurrent regions, fork, thread counts, placement, the process's end."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from staxlang.compiler.llvm.pool import EXPORTED, pool_text
from tests.llvm.harness import Compiled, host

BODIES = """
declare void @stax_parallel(ptr, ptr, i64, i64)
declare i64 @syscall(i64, ...)
; counts[i] += 1, threads[i] = the thread's id
define void @count(ptr %context, i64 %begin, i64 %end) {
entry:
  %counts = load ptr, ptr %context
  %t1 = getelementptr ptr, ptr %context, i64 1
  %threads = load ptr, ptr %t1
  %id = call i64 (i64, ...) @syscall(i64 GETTID)
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %counts, i64 %i
  %old = atomicrmw add ptr %at, i64 1 seq_cst
  %where = getelementptr i64, ptr %threads, i64 %i
  store i64 %id, ptr %where
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
; a region inside each index of a region
define void @nested(ptr %context, i64 %begin, i64 %end) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  call void @stax_parallel(ptr @count, ptr %context, i64 100, i64 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @spend(ptr %context, i64 %begin, i64 %end) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %inner_done ]
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %k1, %inner ]
  call void asm sideeffect "", ""()
  %k1 = add i64 %k, 1
  %busy = icmp slt i64 %k1, 100000
  br i1 %busy, label %inner, label %inner_done
inner_done:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @region(ptr %f, ptr %context, i64 %extent, i64 %grain) {
  call void @stax_parallel(ptr %f, ptr %context, i64 %extent, i64 %grain)
  ret void
}
"""
GETTID = {"x86_64": 186, "aarch64": 178}
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's thread ids")


class Pool:
    def __init__(self, portable: bool = False) -> None:
        triple = host()[0]
        bodies = BODIES.replace("GETTID", str(GETTID.get(triple.split("-")[0], 186)))
        compiled = Compiled(bodies, [pool_text(triple, portable)])
        self.compiled = compiled
        pool, code = (part.addresses for part in compiled.codes)
        self.bodies = {name: code[name] for name in ("count", "nested", "spend")}
        self.parallel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(code["region"])
        self.threads = ctypes.CFUNCTYPE(None, ctypes.c_int)(pool["stax_pool_threads"])
        self.workers = ctypes.CFUNCTYPE(ctypes.c_int)(pool["stax_pool_workers"])
        self.stop = ctypes.CFUNCTYPE(None)(pool["stax_pool_stop"])
        self.reset = ctypes.CFUNCTYPE(None)(pool["stax_pool_reset"])
        assert all(name in pool for name in EXPORTED)

    def count(self, extent: int, grain: int = 1, body: str = "count") -> tuple[np.ndarray, np.ndarray]:
        counts, threads = np.zeros(max(extent, 100), np.int64), np.zeros(max(extent, 100), np.int64)
        context = np.array([counts.ctypes.data, threads.ctypes.data], np.uint64)
        self.parallel(self.bodies[body], context.ctypes.data, extent, grain)
        return counts, threads


@pytest.fixture(params=["futex", "condition variable"])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    made = Pool(request.param != "futex")
    made.threads(2)
    yield made
    made.stop()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_index_once(pool: Pool, threads: int) -> None:
    pool.threads(threads)
    for extent in (1, 2, 7, 100, 10007):
        for grain in (0, 1, 3, 100, 100000):
            counts, _ = pool.count(extent, grain)
            assert (counts[:extent] == 1).all() and not counts[extent:].any()
    assert pool.workers() == threads - 1


def test_many_small_regions(pool: Pool) -> None:
    total = np.zeros(100, np.int64)
    for _ in range(5000):
        total += pool.count(100)[0]
    assert (total == 5000).all()


@linux
def test_workers_take_part(pool: Pool) -> None:
    """Long enough regions run on both threads; one thread when told so."""
    seen: set[int] = set()
    deadline = time.monotonic() + 20
    while len(seen) < 2 and time.monotonic() < deadline:
        seen |= set(pool.count(3_000_000)[1].tolist())
    assert len(seen) == 2 and threading.get_native_id() in seen
    pool.threads(1)
    assert set(pool.count(100_000)[1].tolist()) == {threading.get_native_id()}


def test_nested_regions_run_inline(pool: Pool) -> None:
    counts, _ = pool.count(50, 1, "nested")
    assert (counts[:100] == 50).all()


def test_python_threads_at_once(pool: Pool) -> None:
    wrong: list[int] = []

    def run() -> None:
        for extent in range(1, 400):
            counts, _ = pool.count(extent)
            if not (counts[:extent] == 1).all():
                wrong.append(extent)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong and not any(thread.is_alive() for thread in threads)


@linux
@pytest.mark.parametrize("told", [True, False])
def test_fork(pool: Pool, told: bool) -> None:
    """A child runs regions: with workers of its own where it was told of the fork, else on its own thread."""
    pool.count(1000)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        if told:
            pool.reset()
        good = all((pool.count(1000)[0] == 1).all() for _ in range(50))
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert (pool.count(1000)[0] == 1).all()


def test_stop_and_start_again(pool: Pool) -> None:
    pool.count(1000)
    assert pool.workers() == 1
    pool.stop()
    assert pool.workers() == 0
    assert (pool.count(1000)[0] == 1).all()
    assert pool.workers() == 1


def test_sleeping_workers_wake(pool: Pool) -> None:
    for _ in range(3):
        pool.count(1000)
        time.sleep(0.05)
    assert (pool.count(1000)[0] == 1).all()


@linux
def test_workers_stay_off_the_callers_cpu() -> None:
    pool = Pool()
    pool.threads(2)
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("one CPU")
    before = set(os.listdir("/proc/self/task"))
    home = min(allowed)
    try:
        os.sched_setaffinity(0, {home})  # of this thread: the region's caller
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            pool.count(100_000)
            workers = {int(task) for task in set(os.listdir("/proc/self/task")) - before}
            if workers and all(home not in os.sched_getaffinity(worker) for worker in workers):
                break
        assert workers and all(os.sched_getaffinity(worker) == allowed - {home} for worker in workers)
    finally:
        os.sched_setaffinity(0, allowed)
        pool.stop()


def test_the_process_ends_while_workers_sleep() -> None:
    folder = Path(__file__).parent
    start = f"import sys; sys.path[:0] = [{str(folder.parent.parent)!r}]\nfrom tests.llvm.test_pool import Pool\n"
    script = start + "pool = Pool(); pool.threads(3); pool.count(1000); print('done')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=folder.parent.parent)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def test_other_systems_have_a_text() -> None:
    text = pool_text("arm64-apple-darwin23")
    assert "pthread_cond_wait" in text and "syscall" not in text
    assert "@syscall(i64 98," in pool_text("aarch64-unknown-linux-gnu")
