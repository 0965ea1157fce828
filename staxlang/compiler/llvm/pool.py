"""The thread pool as the text of an LLVM module: fork-join over tiles of a range, with workers that spin a while and then sleep.

Exported:
    void stax_parallel(ptr function, ptr context, i64 extent, i64 grain)   function(context, begin, end) over parts of 0 .. extent; one
                                                                            part where grain >= extent
    void stax_pool_threads(i32 count)    threads that a region may use, the caller's among them; workers start at the first region
    i32  stax_pool_workers()             workers that have been started
    void stax_pool_stop()                ends the workers and waits for them; a later region starts new ones
    void stax_pool_reset()               in the child of a fork: there are no workers

A region sets the job's fields and opens it; caller and workers claim tiles by an atomic add. A worker announces itself (active += 1)
before it looks whether the job is open, the caller closes the job before it waits for active == 0: so it never waits for a worker that
has not begun, and no worker sees a job's fields change. A second thread's region, or one inside a region, runs on its own thread.
"""

from __future__ import annotations

EXPORTED = ("stax_parallel", "stax_pool_threads", "stax_pool_workers", "stax_pool_stop", "stax_pool_reset")
MOST_WORKERS = 255
SPINS = 2000  # pauses before a worker sleeps: about 80 microseconds on a Zen 4
PLACED = 16  # up to this many workers are moved off the caller's CPU

_STATE = """
@stax.busy = internal global i32 0, align 64        ; a region is running
@stax.limit = internal global i32 1, align 4        ; threads that a region may use
@stax.started = internal global i32 0, align 4      ; workers that exist
@stax.stopping = internal global i32 0, align 4
@stax.function = internal global ptr null, align 64 ; the job
@stax.context = internal global ptr null, align 8
@stax.extent = internal global i64 0, align 8
@stax.tile = internal global i64 1, align 8
@stax.open = internal global i32 0, align 64
@stax.next = internal global i64 0, align 64        ; where the next tile begins
@stax.active = internal global i32 0, align 64      ; workers inside the job
@stax.generation = internal global i32 0, align 64  ; counts jobs; workers sleep on it
@stax.sleepers = internal global i32 0, align 64
@stax.threads = internal global [255 x i64] zeroinitializer, align 64
@stax.ids = internal global [255 x i32] zeroinitializer, align 64
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
"""

_TILES = """
define internal void @stax.take() nounwind {
entry:
  %function = load ptr, ptr @stax.function, align 8
  %context = load ptr, ptr @stax.context, align 8
  %extent = load i64, ptr @stax.extent, align 8
  %tile = load i64, ptr @stax.tile, align 8
  br label %claim
claim:
  %begin = atomicrmw add ptr @stax.next, i64 %tile seq_cst
  %some = icmp slt i64 %begin, %extent
  br i1 %some, label %run, label %done
run:
  %after = add i64 %begin, %tile
  %end = call i64 @llvm.smin.i64(i64 %after, i64 %extent)
  call void %function(ptr %context, i64 %begin, i64 %end)
  br label %claim
done:
  ret void
}

define internal ptr @stax.worker(ptr %number) nounwind {
entry:
  %index = ptrtoint ptr %number to i64
  %order = trunc i64 %index to i32
  call void @stax.settle(i64 %index)
  br label %fresh
fresh:
  %seen = phi i32 [ -1, %entry ], [ %current, %again ]
  br label %watch
watch:
  %spins = phi i32 [ 0, %fresh ], [ %more, %spin ]
  %now = load atomic i32, ptr @stax.generation seq_cst, align 4
  %new = icmp ne i32 %now, %seen
  br i1 %new, label %look, label %spin
spin:
  call void @stax.pause()
  %more = add i32 %spins, 1
  %tired = icmp ugt i32 %more, SPINS
  br i1 %tired, label %sleep, label %watch
sleep:
  %s1 = atomicrmw add ptr @stax.sleepers, i32 1 seq_cst
  call void @stax.wait(i32 %seen)
  %s2 = atomicrmw sub ptr @stax.sleepers, i32 1 seq_cst
  br label %woken
woken:
  %latest = load atomic i32, ptr @stax.generation seq_cst, align 4
  %changed = icmp ne i32 %latest, %seen
  br i1 %changed, label %look, label %sleep
look:
  %current = phi i32 [ %now, %watch ], [ %latest, %woken ]
  %stopping = load atomic i32, ptr @stax.stopping seq_cst, align 4
  %stop = icmp ne i32 %stopping, 0
  br i1 %stop, label %leave, label %join
join:
  %a1 = atomicrmw add ptr @stax.active, i32 1 seq_cst
  %open = load atomic i32, ptr @stax.open seq_cst, align 4
  %limit = load atomic i32, ptr @stax.limit monotonic, align 4
  %place = add i32 %order, 1
  %mine = icmp slt i32 %place, %limit
  %usable = select i1 %mine, i32 %open, i32 0
  %work = icmp ne i32 %usable, 0
  br i1 %work, label %take, label %again
take:
  call void @stax.take()
  br label %again
again:
  %a2 = atomicrmw sub ptr @stax.active, i32 1 seq_cst
  br label %fresh
leave:
  ret ptr null
}
"""

_REGION = """
define void @stax_parallel(ptr %function, ptr %context, i64 %extent, i64 %grain) nounwind {
entry:
  %limit = load atomic i32, ptr @stax.limit monotonic, align 4
  %several = icmp sgt i32 %limit, 1
  %least = call i64 @llvm.smax.i64(i64 %grain, i64 1)
  %splits = icmp slt i64 %least, %extent
  %wanted = and i1 %several, %splits
  br i1 %wanted, label %claim, label %few
claim:
  %pair = cmpxchg ptr @stax.busy, i32 0, i32 1 seq_cst seq_cst
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %share, label %few
few:
  %some = icmp sgt i64 %extent, 0
  br i1 %some, label %alone, label %none
none:
  ret void
alone:
  call void %function(ptr %context, i64 0, i64 %extent)
  ret void
share:
  %started = load i32, ptr @stax.started, align 4
  %needed = sub i32 %limit, 1
  %short = icmp slt i32 %started, %needed
  br i1 %short, label %start, label %fill
start:
  call void @stax.start(i32 %started, i32 %needed)
  br label %fill
fill:
  call void @stax.place()
  %wide = sext i32 %limit to i64
  %parts = mul i64 %wide, 6
  %up = add i64 %extent, %parts
  %less = sub i64 %up, 1
  %even = udiv i64 %less, %parts
  %tile = call i64 @llvm.smax.i64(i64 %even, i64 %least)
  store ptr %function, ptr @stax.function, align 8
  store ptr %context, ptr @stax.context, align 8
  store i64 %extent, ptr @stax.extent, align 8
  store i64 %tile, ptr @stax.tile, align 8
  store atomic i64 0, ptr @stax.next seq_cst, align 8
  store atomic i32 1, ptr @stax.open seq_cst, align 4
  %generation = atomicrmw add ptr @stax.generation, i32 1 seq_cst
  %sleepers = load atomic i32, ptr @stax.sleepers seq_cst, align 4
  %asleep = icmp ne i32 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  call void @stax.wake()
  br label %work
work:
  call void @stax.take()
  store atomic i32 0, ptr @stax.open seq_cst, align 4
  br label %drain
drain:
  %spins = phi i32 [ 0, %work ], [ %next, %rest ]
  %active = load atomic i32, ptr @stax.active seq_cst, align 4
  %inside = icmp ne i32 %active, 0
  br i1 %inside, label %hold, label %close
hold:
  call void @stax.pause()
  %next = add i32 %spins, 1
  %long = icmp ugt i32 %next, 4000
  br i1 %long, label %yield, label %rest
yield:
  %y = call i32 @sched_yield()
  br label %rest
rest:
  br label %drain
close:
  store atomic i32 0, ptr @stax.busy seq_cst, align 4
  ret void
}
"""

_CONTROL = """
define internal void @stax.start(i32 %have, i32 %want) nounwind {
entry:
  %all = alloca [16 x i64], align 16
  %before = alloca [16 x i64], align 16
  %f = call i32 @sigfillset(ptr %all)
  %b = call i32 @pthread_sigmask(i32 BLOCK, ptr %all, ptr %before)
  br label %next
next:
  %k = phi i32 [ %have, %entry ], [ %k1, %made ]
  %more = icmp slt i32 %k, %want
  br i1 %more, label %make, label %done
make:
  %index = sext i32 %k to i64
  %number = inttoptr i64 %index to ptr
  %place = getelementptr i64, ptr @stax.threads, i64 %index
  %failed = call i32 @pthread_create(ptr %place, ptr null, ptr @stax.worker, ptr %number)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %done, label %made
made:
  %k1 = add i32 %k, 1
  store i32 %k1, ptr @stax.started, align 4
  br label %next
done:
  %r = call i32 @pthread_sigmask(i32 SETMASK, ptr %before, ptr null)
  ret void
}

define void @stax_pool_threads(i32 %count) nounwind {
  %low = call i32 @llvm.smax.i32(i32 %count, i32 1)
  %high = call i32 @llvm.smin.i32(i32 %low, i32 256)
  store atomic i32 %high, ptr @stax.limit seq_cst, align 4
  call void @stax.look_around()
  ret void
}

define i32 @stax_pool_workers() nounwind {
  %started = load i32, ptr @stax.started, align 4
  ret i32 %started
}

define void @stax_pool_reset() nounwind {
  store i32 0, ptr @stax.started, align 4
  store i32 0, ptr @stax.stopping, align 4
  store i32 0, ptr @stax.open, align 4
  store i32 0, ptr @stax.active, align 4
  store i32 0, ptr @stax.sleepers, align 4
  call void @stax.forget()
  store atomic i32 0, ptr @stax.busy seq_cst, align 4
  ret void
}

define void @stax_pool_stop() nounwind {
entry:
  %pair = cmpxchg ptr @stax.busy, i32 0, i32 1 seq_cst seq_cst
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %end, label %done
end:
  store atomic i32 1, ptr @stax.stopping seq_cst, align 4
  %g = atomicrmw add ptr @stax.generation, i32 1 seq_cst
  call void @stax.wake()
  %started = load i32, ptr @stax.started, align 4
  br label %next
next:
  %k = phi i32 [ 0, %end ], [ %k1, %join ]
  %more = icmp slt i32 %k, %started
  br i1 %more, label %join, label %free
join:
  %index = sext i32 %k to i64
  %place = getelementptr i64, ptr @stax.threads, i64 %index
  %thread = load i64, ptr %place, align 8
  %j = call i32 @pthread_join(i64 %thread, ptr null)
  %k1 = add i32 %k, 1
  br label %next
free:
  store i32 0, ptr @stax.started, align 4
  store atomic i32 0, ptr @stax.stopping seq_cst, align 4
  call void @stax.forget()
  store atomic i32 0, ptr @stax.busy seq_cst, align 4
  br label %done
done:
  ret void
}
"""

# Linux: workers sleep on a futex, and run on the CPUs that the process may use other than the caller's. (A worker that is woken is put
# on the waker's CPU and stays there for milliseconds, which makes two threads as slow as one.) The masks hold 1024 CPUs.
_LINUX = """
@stax.allowed = internal global [16 x i64] zeroinitializer, align 64  ; the process's CPUs
@stax.others = internal global [16 x i64] zeroinitializer, align 64   ; without the caller's
@stax.cpu = internal global i32 -1, align 4                           ; the caller's CPU when workers were last placed
declare i64 @syscall(i64, ...)
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
declare i32 @sched_getcpu()

define internal void @stax.wait(i32 %seen) nounwind {
  %r = call i64 (i64, ...) @syscall(i64 FUTEX, ptr @stax.generation, i32 128, i32 %seen, ptr null)
  ret void
}

define internal void @stax.wake() nounwind {
  %r = call i64 (i64, ...) @syscall(i64 FUTEX, ptr @stax.generation, i32 129, i32 2147483647)
  ret void
}

define internal void @stax.look_around() nounwind {
  %r = call i32 @sched_getaffinity(i32 0, i64 128, ptr @stax.allowed)
  store i32 -1, ptr @stax.cpu, align 4
  ret void
}

define internal void @stax.forget() nounwind {
  call void @llvm.memset.p0.i64(ptr @stax.ids, i8 0, i64 1020, i1 false)
  store i32 -1, ptr @stax.cpu, align 4
  ret void
}

define internal void @stax.settle(i64 %index) nounwind {
entry:
  %id = call i64 (i64, ...) @syscall(i64 GETTID)
  %short = trunc i64 %id to i32
  %cpu = load atomic i32, ptr @stax.cpu seq_cst, align 4
  %placed = icmp sge i32 %cpu, 0
  br i1 %placed, label %move, label %tell
move:
  %r = call i32 @sched_setaffinity(i32 0, i64 128, ptr @stax.others)
  br label %tell
tell:
  %place = getelementptr i32, ptr @stax.ids, i64 %index
  store atomic i32 %short, ptr %place seq_cst, align 4
  ret void
}

define internal void @stax.place() nounwind {
entry:
  %limit = load atomic i32, ptr @stax.limit monotonic, align 4
  %few = icmp sle i32 %limit, PLACED
  br i1 %few, label %ask, label %done
ask:
  %cpu = call i32 @sched_getcpu()
  %last = load i32, ptr @stax.cpu, align 4
  %moved = icmp ne i32 %cpu, %last
  %known = icmp ult i32 %cpu, 1024
  %change = and i1 %moved, %known
  br i1 %change, label %compute, label %done
compute:
  call void @llvm.memcpy.p0.p0.i64(ptr @stax.others, ptr @stax.allowed, i64 128, i1 false)
  %word = lshr i32 %cpu, 6
  %wide = zext i32 %word to i64
  %at = getelementptr i64, ptr @stax.others, i64 %wide
  %bit = and i32 %cpu, 63
  %shift = zext i32 %bit to i64
  %one = shl i64 1, %shift
  %mask = xor i64 %one, -1
  %old = load i64, ptr %at, align 8
  %new = and i64 %old, %mask
  store i64 %new, ptr %at, align 8
  store atomic i32 %cpu, ptr @stax.cpu seq_cst, align 4
  %started = load i32, ptr @stax.started, align 4
  br label %next
next:
  %k = phi i32 [ 0, %compute ], [ %k1, %step ]
  %more = icmp slt i32 %k, %started
  br i1 %more, label %each, label %done
each:
  %index = sext i32 %k to i64
  %place = getelementptr i32, ptr @stax.ids, i64 %index
  %id = load atomic i32, ptr %place seq_cst, align 4
  %there = icmp ne i32 %id, 0
  br i1 %there, label %set, label %step
set:
  %r = call i32 @sched_setaffinity(i32 %id, i64 128, ptr @stax.others)
  br label %step
step:
  %k1 = add i32 %k, 1
  br label %next
done:
  ret void
}
"""

# Elsewhere (macOS): a condition variable, and the system places threads.
_POSIX = """
@stax.mutex = internal global [16 x i64] zeroinitializer, align 64
@stax.condition = internal global [16 x i64] zeroinitializer, align 64
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define internal void @stax.wait(i32 %seen) nounwind {
entry:
  %l = call i32 @pthread_mutex_lock(ptr @stax.mutex)
  br label %look
look:
  %now = load atomic i32, ptr @stax.generation seq_cst, align 4
  %same = icmp eq i32 %now, %seen
  br i1 %same, label %sleep, label %done
sleep:
  %w = call i32 @pthread_cond_wait(ptr @stax.condition, ptr @stax.mutex)
  br label %look
done:
  %u = call i32 @pthread_mutex_unlock(ptr @stax.mutex)
  ret void
}

define internal void @stax.wake() nounwind {
  %l = call i32 @pthread_mutex_lock(ptr @stax.mutex)
  %b = call i32 @pthread_cond_broadcast(ptr @stax.condition)
  %u = call i32 @pthread_mutex_unlock(ptr @stax.mutex)
  ret void
}

define internal void @stax.look_around() nounwind {
entry:
  %started = load i32, ptr @stax.started, align 4
  %none = icmp eq i32 %started, 0
  br i1 %none, label %make, label %done
make:
  call void @stax.forget()
  br label %done
done:
  ret void
}

define internal void @stax.forget() nounwind {
  %m = call i32 @pthread_mutex_init(ptr @stax.mutex, ptr null)
  %c = call i32 @pthread_cond_init(ptr @stax.condition, ptr null)
  ret void
}

define internal void @stax.settle(i64 %index) nounwind {
  ret void
}

define internal void @stax.place() nounwind {
  ret void
}
"""

_PAUSE_ROWS = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
    "arm64": "call void @llvm.aarch64.hint(i32 1)",
}
_FUTEX_ROWS = {"x86_64": (202, 186), "aarch64": (98, 178)}  # system call numbers: futex, gettid


def pool_text(triple: str, portable: bool = False) -> str:
    """The module for a system; portable: without what only Linux has.

    >>> "futex" in pool_text("x86_64-unknown-linux-gnu").lower(), "pthread_cond_wait" in pool_text("arm64-apple-darwin23")
    (False, True)
    """
    machine = triple.split("-")[0]
    pause = _PAUSE_ROWS.get(machine, "fence seq_cst")
    waits = f"define internal void @stax.pause() nounwind {{\n  {pause}\n  ret void\n}}\n"
    numbers = _FUTEX_ROWS.get(machine)
    if "linux" in triple and numbers is not None and not portable:
        system = _LINUX.replace("FUTEX", str(numbers[0])).replace("GETTID", str(numbers[1])).replace("PLACED", str(PLACED))
    else:
        system = _POSIX
    block, setmask = ("1", "3") if "darwin" in triple or "apple" in triple else ("0", "2")
    control = _CONTROL.replace("BLOCK", block).replace("SETMASK", setmask)
    tiles = _TILES.replace("SPINS", str(SPINS))
    return f'target triple = "{triple}"\n' + _STATE + waits + system + tiles + control + _REGION
