"""Loops that stay in the program ask the interpreter now and then whether a signal has come: Ctrl-C ends them as it ends Python's own.

`i32 stax_poll(ptr due)` looks at the clock; the interpreter is asked every 50 ms, with the GIL, which takes a microsecond. What a signal's
handler raises is handed to `stax_interrupted`, and the answer is 1: the program ends, and whoever called it raises what was handed over.
`due` is the caller's: when to ask, 0 before the first call.
"""

from __future__ import annotations

import sys

from staxlang.base.dtypes import BOOL
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.loops.ir import Kernel, Schedule

POLL = "stax_poll"
INTERRUPTED = "stax_interrupted"
_BETWEEN = 50_000_000  # nanoseconds
_WORK = 1 << 16  # about as much work as may be done between two looks at the clock
_MOST = 1 << 12
_UNKNOWN = 8  # rounds between them where a round's work is not known

# Nanoseconds, of a clock that costs little and may be coarse. Where there is none, calls are counted.
_CLOCKS = {
    "linux": """
declare i32 @clock_gettime(i32, ptr) nounwind
define internal i64 @stax_now() nounwind {
  %time = alloca [2 x i64], align 8
  call i32 @clock_gettime(i32 6, ptr %time)
  %seconds = load i64, ptr %time, align 8
  %place = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %place, align 8
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}
""",
    "darwin": """
declare i64 @clock_gettime_nsec_np(i32) nounwind
define internal i64 @stax_now() nounwind {
  %now = call i64 @clock_gettime_nsec_np(i32 8)
  ret i64 %now
}
""",
    "": """
@stax_calls = internal global i64 0
define internal i64 @stax_now() nounwind {
  %now = atomicrmw add ptr @stax_calls, i64 50000 monotonic
  ret i64 %now
}
""",
}
_POLL = """
@stax_interrupted = external global ptr
declare i32 @PyGILState_Ensure() nounwind
declare void @PyGILState_Release(i32) nounwind
declare i32 @PyErr_CheckSignals() nounwind
declare void @PyErr_Fetch(ptr, ptr, ptr) nounwind
declare void @PyErr_NormalizeException(ptr, ptr, ptr) nounwind
declare i32 @PyException_SetTraceback(ptr, ptr) nounwind
declare ptr @PyObject_CallOneArg(ptr, ptr) nounwind
declare void @Py_DecRef(ptr) nounwind

define i32 @stax_poll(ptr %due) nounwind {
entry:
  %raised = alloca [3 x ptr], align 8
  %now = call i64 @stax_now()
  %when = load i64, ptr %due, align 8
  %later = icmp slt i64 %now, %when
  br i1 %later, label %on, label %set
set:
  %next = add i64 %now, BETWEEN
  store i64 %next, ptr %due, align 8
  %first = icmp eq i64 %when, 0
  br i1 %first, label %on, label %ask
ask:
  %state = call i32 @PyGILState_Ensure()
  %answer = call i32 @PyErr_CheckSignals()
  %none = icmp eq i32 %answer, 0
  br i1 %none, label %leave, label %take
take:
  %value.at = getelementptr ptr, ptr %raised, i64 1
  %trace.at = getelementptr ptr, ptr %raised, i64 2
  call void @PyErr_Fetch(ptr %raised, ptr %value.at, ptr %trace.at)
  call void @PyErr_NormalizeException(ptr %raised, ptr %value.at, ptr %trace.at)
  %value = load ptr, ptr %value.at, align 8
  %trace = load ptr, ptr %trace.at, align 8
  %some = icmp ne ptr %trace, null
  br i1 %some, label %traced, label %hand
traced:
  call i32 @PyException_SetTraceback(ptr %value, ptr %trace)
  br label %hand
hand:
  %function = load ptr, ptr @stax_interrupted, align 8
  %told = call ptr @PyObject_CallOneArg(ptr %function, ptr %value)
  call void @Py_DecRef(ptr %told)
  call void @Py_DecRef(ptr %value)
  call void @PyGILState_Release(i32 %state)
  ret i32 1
leave:
  call void @PyGILState_Release(i32 %state)
  br label %on
on:
  ret i32 0
}
"""


def poll_text(platform: str = sys.platform) -> str:
    """The module of the function for a system (`sys.platform`'s names)."""
    return _CLOCKS.get(platform, _CLOCKS[""]) + _POLL.replace("BETWEEN", str(_BETWEEN))


def emit_poll(f: Function, rounds: str, body: Schedule, following: str) -> bool:
    """After so many rounds: go on at the block `following`, or, where a signal has come, at the one that is open then. False: nobody asks,
    in programs that run outside of Python."""
    module = f.module
    if not module.polls:
        return False
    n = f.fresh()
    due = f"%due.{n}"
    f.entry += [f"{due} = alloca i64, align 8", f"store i64 0, ptr {due}, align 8"]
    module.externals[f"declare i32 @{POLL}(ptr)"] = None
    every = f.name(0, f"and i64 {rounds}, {rounds_between(body) - 1}", "x")
    time = f.name(0, f"icmp eq i64 {every}, 0", "m")
    f.emit(0, f"br i1 {time}, label %poll.{n}, label %{following}")
    f.block(f"poll.{n}", 0)
    answer = f.name(0, f"call i32 @{POLL}(ptr {due})", "x")
    told = f.name(0, f"icmp ne i32 {answer}, 0", "m")
    f.emit(0, f"br i1 {told}, label %interrupted.{n}, label %{following}")
    f.block(f"interrupted.{n}", 0)
    return True


def interruption(f: Function) -> int:
    """The state that a program ends with when a signal has come."""
    module = f.module
    node = module.schedule.program.interner.make("interrupt", (), BOOL)
    if node not in module.checks:
        module.checks.append(node)
    return 1 + module.checks.index(node)


def rounds_between(body: Schedule) -> int:
    """Rounds between two looks at the clock, a power of two; each one where loops and library calls take time."""
    work = [step.work for step in body.steps if isinstance(step, Kernel)]
    known = [one for one in work if isinstance(one, int)]
    if len(work) < len(body.steps):
        return 1
    if len(known) < len(work):
        return _UNKNOWN
    rounds = max(1, min(_MOST, _WORK // max(1, sum(known))))
    return 1 << (rounds.bit_length() - 1)
