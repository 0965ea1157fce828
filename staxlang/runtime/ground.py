"""What all kernels of a process stand on: target, disk store, native support, programs. Made when the first call misses."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from staxlang.base.settings import Settings
from staxlang.compiler.target import Target
from staxlang.runtime import headers, identity, late
from staxlang.runtime.disk import Store
from staxlang.runtime.forks import Mutex
from staxlang.runtime.machine import detect
from staxlang.runtime.support import Support

_mutex: Final = Mutex()
_grounds: Final[dict[tuple[Any, ...], Ground]] = {}
_stores: Final[dict[tuple[str | None, int], Store]] = {}
_reason: str | None = None


class _Making:
    """The process's Support. Where the disk does not have it, a thread makes it (and so loads llvmlite) while the caller's goes on with
    evaluating; both need the processor for about as long."""

    def __init__(self, target: Target, store: Store | None) -> None:
        self._target = target
        self._store = store
        self._support: Support | None = None
        self._problem: BaseException | None = None
        self._thread: Any = None
        stored = Support.stored(target, store, identity.compiler())
        if stored is not None:
            self._support = stored
            stored.set_miss_function(_missed)
        else:
            self._thread = import_module("threading").Thread(target=self._make, name="stax-support")
            self._thread.start()

    def _make(self) -> None:
        try:
            made = Support.built(self._target, self._store, identity.compiler())
            made.set_miss_function(_missed)
            self._support = made
        except BaseException as problem:  # raised again in the thread that waits
            self._problem = problem

    def get(self) -> Support:
        if self._support is None and self._thread is not None:
            self._thread.join()
        if self._support is None and self._problem is None:  # the process was forked meanwhile: its child has no such thread
            self._make()
        if self._support is None:
            raise RuntimeError("the support module could not be made") from self._problem
        return self._support


class Ground:
    """The state shared by kernels whose settings ask for the same machine and cache."""

    def __init__(self, target: Target, store: Store | None, making: _Making) -> None:
        self.target = target
        self.store = store
        self.making = making
        self.native = not unfit()
        self._programs: Any = None

    @property
    def support(self) -> Support:
        return self.making.get()

    @property
    def programs(self) -> Any:
        """Programs by content (loads the compiler)."""
        if self._programs is None:
            self._programs = late.programs().Programs(self)
        return self._programs

    @staticmethod
    def get(settings: Settings) -> Ground:
        key = (settings.isa, settings.threads, settings.cache_enabled, settings.cache_dir, settings.cache_size_limit)
        found = _grounds.get(key)
        if found is None:
            with _mutex.lock:
                found = _grounds.get(key)
                if found is None:
                    found = _grounds[key] = _make(settings)
        return found

    @staticmethod
    def clock() -> int:
        """The process's call counter, by which native entries note their last hit."""
        for ground in _grounds.values():
            return headers.word(ground.support.address("stax_clock"))
        return 0


def _make(settings: Settings) -> Ground:
    target = detect(settings.isa, settings.threads)
    store = store_for(settings)
    first = next(iter(_grounds.values()), None)
    return Ground(target, store, first.making if first is not None else _Making(target, store))


def _missed(kernel: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Where native code goes on when no entry of a kernel fits."""
    return type(kernel).__call__(kernel, *args, **kwargs)


def store_for(settings: Settings) -> Store | None:
    """The disk cache of these settings; None where it is switched off."""
    if not settings.cache_enabled:
        return None
    key = (settings.cache_dir, settings.cache_size_limit)
    if key not in _stores:
        _stores[key] = Store(settings.cache_dir, settings.cache_size_limit)
    return _stores[key]


def unfit() -> str:
    """Why the native entry cannot be used here (one warning); empty where it can."""
    global _reason
    if _reason is None:
        _reason = headers.supported()
        if _reason:
            late.warn_of("native-entry-off", reason=_reason)
    return _reason
