"""What all kernels of a process stand on: target, disk store, native support, programs. Made when the first call misses."""

from __future__ import annotations

import threading
from typing import Any, Final

from staxlang.base.settings import Settings
from staxlang.compiler.target import Target
from staxlang.runtime import headers, identity, late
from staxlang.runtime.disk import Store
from staxlang.runtime.machine import detect
from staxlang.runtime.support import Support

_lock: Final = threading.Lock()
_grounds: Final[dict[tuple[Any, ...], Ground]] = {}
_stores: Final[dict[tuple[str | None, int], Store]] = {}
_reason: str | None = None


class Ground:
    """The state shared by kernels whose settings ask for the same machine and cache."""

    def __init__(self, target: Target, store: Store | None, support: Support) -> None:
        self.target = target
        self.store = store
        self.support = support
        self.native = not unfit()
        self._programs: Any = None

    @property
    def programs(self) -> Any:
        """Programs by content (loads the compiler)."""
        if self._programs is None:
            self._programs = late.programs().Programs(self.target, self.store, self.support)
        return self._programs

    @staticmethod
    def get(settings: Settings) -> Ground:
        key = (settings.isa, settings.threads, settings.cache_enabled, settings.cache_dir, settings.cache_size_limit)
        found = _grounds.get(key)
        if found is None:
            with _lock:
                found = _grounds.get(key)
                if found is None:
                    found = _grounds[key] = _make(settings)
        return found

    @staticmethod
    def clock() -> int:
        for ground in _grounds.values():
            return headers.word(ground.support.address("stax_clock"))
        return 0


def _make(settings: Settings) -> Ground:
    target = detect(settings.isa, settings.threads)
    store = store_for(settings)
    first = next(iter(_grounds.values()), None)
    if first is not None:
        return Ground(target, store, first.support)
    support = Support(target, store, identity.compiler())
    support.set_miss_function(_missed)
    return Ground(target, store, support)


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
