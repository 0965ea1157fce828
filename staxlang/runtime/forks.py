"""What a fork of the process waits for, and what is free again in its child: that has all locks, but only the thread that forked."""

from __future__ import annotations

import os
import time
from _thread import RLock, get_ident
from typing import Any, Final
from weakref import WeakSet

_PATIENCE: Final = 5.0  # seconds; one whose end waits for the forking thread itself would never come
_PAUSE: Final = 0.0005


class Mutex:
    """`with mutex.lock:`, which no fork leaves locked in the child."""

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock: Any = RLock()
        _mutexes.add(self)


class _Compiling:
    """`with compiling:` around what no child could go on with: modules that are being imported, LLVM in the middle of its work."""

    def __init__(self) -> None:
        self._forking = RLock()  # held by a thread that forks, so that nothing new begins
        self._depths: dict[int, int] = {}  # of the threads that are inside

    def __enter__(self) -> None:
        thread = get_ident()
        if thread in self._depths:
            self._depths[thread] += 1
        else:
            with self._forking:
                self._depths[thread] = 1

    def __exit__(self, *problem: object) -> None:
        thread = get_ident()
        self._depths[thread] -= 1
        if not self._depths[thread]:
            del self._depths[thread]

    def before_fork(self) -> None:
        self._forking.acquire()
        end = time.monotonic() + _PATIENCE
        while any(thread != get_ident() for thread in list(self._depths)) and time.monotonic() < end:
            time.sleep(_PAUSE)

    def after_fork(self) -> None:
        self._forking.release()

    def in_child(self) -> None:
        own = self._depths.get(get_ident())
        self._depths = {} if own is None else {get_ident(): own}
        for mutex in list(_mutexes):
            if mutex.lock.acquire(False):
                mutex.lock.release()
            else:
                mutex.lock = RLock()
        self._forking.release()


_mutexes: Final[WeakSet[Mutex]] = WeakSet()
compiling: Final = _Compiling()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=compiling.before_fork, after_in_parent=compiling.after_fork, after_in_child=compiling.in_child)
