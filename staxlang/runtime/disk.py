"""The cache on disk: payloads by content key. A damaged, foreign or unreadable entry is a miss; the folder is private and bounded."""

from __future__ import annotations

import itertools
import os
import stat
import sys
from typing import Final

from staxlang.base.digests import blake2b
from staxlang.runtime import late

_MAGIC: Final = b"STAX\x01\n"
_DIGEST: Final = 16
_HEADER: Final = len(_MAGIC) + _DIGEST + 8
_SUFFIX: Final = ".stax"
_counter = itertools.count()


def digest(*parts: str | bytes) -> str:
    """A 128-bit key of texts; where one ends and the next begins counts."""
    state = blake2b(digest_size=_DIGEST)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def user_cache_folder() -> str:
    """Where the system's users keep caches."""
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "staxlang")
    if sys.platform == "win32":
        return os.path.join(home, "AppData", "Local", "staxlang", "Cache")
    return os.path.join(home, ".cache", "staxlang")


class Store:
    """Payloads on disk under keys (hexadecimal digests). Safe among threads and processes: entries appear whole, by renaming.

    Nothing here raises for trouble with the disk: the first trouble gives one warning, and the store then stands aside.
    """

    def __init__(self, folder: str | None = None, limit: int = 512 << 20) -> None:
        self.folder = os.path.expanduser(folder) if folder else user_cache_folder()
        self.limit = limit
        self.hits = 0
        self.misses = 0
        self._ready: bool | None = None  # None: the folder has not been looked at
        self._read_only = False
        self._warned = False
        self._written = -1  # bytes written since the folder was last measured; -1: never measured

    # ---- reading ----

    def get(self, key: str) -> bytes | None:
        payload = self._read(self._path(key)) if self._usable() else None
        if payload is None:
            self.misses += 1
        else:
            self.hits += 1
        return payload

    def _read(self, path: str) -> bytes | None:
        try:
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            if not self._trusted(status, path) or not stat.S_ISREG(status.st_mode):
                return None
            data = os.read(handle, status.st_size + 1)
        except OSError:
            return None
        finally:
            os.close(handle)
        payload = _checked(data)
        if payload is None:
            self._discard(path)
        elif not self._read_only:
            _touch(path)
        return payload

    def _trusted(self, status: os.stat_result, path: str) -> bool:
        """Object code is code: nothing that another user owns or may write is loaded."""
        if sys.platform == "win32":
            return True
        if status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022:
            return True
        self._warn(f"{path} belongs to another user or can be written by others; it is not used")
        return False

    # ---- writing ----

    def put(self, key: str, payload: bytes) -> None:
        if not self._usable(create=True) or self._read_only:
            return
        data = _MAGIC + blake2b(payload, digest_size=_DIGEST).digest() + len(payload).to_bytes(8, "little") + payload
        path = self._path(key)
        temporary = os.path.join(self.folder, f"new-{os.getpid()}-{next(_counter)}-{os.urandom(4).hex()}")
        try:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, path)
            except BaseException:
                self._discard(temporary)
                raise
        except OSError as problem:
            self._unwritable(problem)
            self._read_only = True
            return
        self._bound(len(data))

    def _bound(self, added: int) -> None:
        """Keep the folder under its limit: the entries that were used least recently go."""
        if self._written < 0 or self._written + added > self.limit // 16:
            entries = self.entries()
            total = sum(size for _, size, _ in entries)
            self._written = 0
            for path, size, _ in sorted(entries, key=lambda entry: entry[2]):
                if total <= self.limit:
                    break
                self._discard(path)
                total -= size
        else:
            self._written += added

    # ---- the folder ----

    def entries(self) -> list[tuple[str, int, float]]:
        """(path, bytes, time of last use) of each entry."""
        found: list[tuple[str, int, float]] = []
        for group in _listed(self.folder):
            if len(group.name) == 2 and group.is_dir(follow_symlinks=False):
                for entry in _listed(group.path):
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    if entry.name.endswith(_SUFFIX):
                        found.append((entry.path, status.st_size, status.st_mtime))
        return found

    def clear(self) -> int:
        """Remove all entries; how many there were."""
        entries = self.entries()
        for path, _, _ in entries:
            self._discard(path)
        return len(entries)

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, key[:2], key[2:] + _SUFFIX)

    def _usable(self, create: bool = False) -> bool:
        if self._ready is None or (create and not self._ready):
            self._ready = self._prepare(create)
        return self._ready

    def _prepare(self, create: bool) -> bool:
        try:
            if create:
                os.makedirs(self.folder, 0o700, exist_ok=True)
            status = os.stat(self.folder)
        except OSError as problem:
            if create and not self._read_only:
                self._read_only = True
                self._unwritable(problem)
            return False
        return stat.S_ISDIR(status.st_mode) and self._trusted(status, self.folder)

    def _unwritable(self, problem: OSError) -> None:
        if not self._warned:
            self._warned = True
            late.warn_of("cache-unwritable", path=self.folder, reason=f"{problem.strerror or problem}; going on without it")

    def _warn(self, text: str) -> None:
        if not self._warned:
            self._warned = True
            late.warn(text)

    def _discard(self, path: str) -> None:
        try:
            os.unlink(path)
        except OSError:
            pass


def _checked(data: bytes) -> bytes | None:
    """The payload of an entry's bytes, None where its length or hash is not right."""
    if len(data) < _HEADER or not data.startswith(_MAGIC):
        return None
    start = len(_MAGIC)
    expected, length = data[start : start + _DIGEST], int.from_bytes(data[start + _DIGEST : _HEADER], "little")
    payload = data[_HEADER:]
    if len(payload) != length or blake2b(payload, digest_size=_DIGEST).digest() != expected:
        return None
    return payload


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _touch(path: str) -> None:
    try:
        os.utime(path)
    except OSError:
        pass
