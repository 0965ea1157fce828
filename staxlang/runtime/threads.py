"""The thread pool of compiled programs: its size, and what a fork and the process's end do to it. Its code is compiler/llvm/pool.py."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from typing import Any, Final

from staxlang.compiler.llvm import pool
from staxlang.compiler.target import Target
from staxlang.runtime import late
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.machine import usable_cores
from staxlang.runtime.support import Support

# Where the pool's system calls do not exist, a region runs on the thread that reaches it.
SERIAL: Final = sys.platform == "win32"
EXPORTED: Final = ("stax_parallel",) if SERIAL else pool.EXPORTED

_SERIAL_TEXT = """
define void @stax_parallel(ptr %function, ptr %context, i64 %extent, i64 %grain) nounwind {
entry:
  %some = icmp sgt i64 %extent, 0
  br i1 %some, label %run, label %done
run:
  call void %function(ptr %context, i64 0, i64 %extent)
  br label %done
done:
  ret void
}
"""


class _Pool:
    """The process's pool once a program has needed it."""

    def __init__(self) -> None:
        self.wanted = 0  # 0: as the settings say
        self.functions: dict[str, Any] = {}

    def call(self, name: str, *arguments: int) -> Any:
        function = self.functions.get(name)
        return None if function is None else function(*arguments)


_pool: Final = _Pool()


def pool_text(target: Target) -> str:
    return _SERIAL_TEXT if SERIAL else pool.pool_text(target.triple)


def start(support: Support) -> None:
    """Take the pool into use: it is stopped at the process's end, and empty in the child of a fork."""
    if SERIAL or _pool.functions:
        return
    address = support.symbols.address
    for name in ("stax_pool_stop", "stax_pool_reset"):
        _pool.functions[name] = ctypes.CFUNCTYPE(None)(address(name))
    _pool.functions["stax_pool_workers"] = ctypes.CFUNCTYPE(ctypes.c_int32)(address("stax_pool_workers"))
    _pool.functions["stax_pool_threads"] = ctypes.CFUNCTYPE(None, ctypes.c_int32)(address("stax_pool_threads"))
    _pool.call("stax_pool_threads", get_num_threads())
    if environment_settings().log & {"threads", "all"}:
        late.logs().log("threads", f"calls may use {get_num_threads()} threads; {usable_cores()} cores are usable")
    os.register_at_fork(after_in_child=lambda: _pool.call("stax_pool_reset"))
    atexit.register(_pool.call, "stax_pool_stop")


def get_num_threads() -> int:
    """Threads that one kernel call may use, the caller's among them."""
    return _pool.wanted or environment_settings().threads or usable_cores()


def set_num_threads(count: int) -> None:
    """Let kernel calls use `count` threads from now on. Results do not depend on it.

    >>> import staxlang as stax
    >>> stax.set_num_threads(1)
    >>> stax.get_num_threads()
    1
    """
    if type(count) is not int or count < 1:
        late.raise_error("bad-threads", given=repr(count))
    _pool.wanted = count
    _pool.call("stax_pool_threads", count)


def workers() -> int:
    """Threads that the pool has started."""
    return _pool.call("stax_pool_workers") or 0
