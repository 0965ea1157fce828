"""Bytes that the build step keeps beside the standard library pass through here: prebuilt Trees, the grammar's tables."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.digests import blake2b

if TYPE_CHECKING:
    import zlib
else:
    zlib = deferred("zlib")

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stdlib")
_CHECK = 4  # bytes of the checksum at the end


def content_hash(data: bytes) -> bytes:
    """What tells an edited text from the one that was built."""
    return blake2b(data, digest_size=16).digest()


def load_stored(name: str) -> memoryview | None:
    """What was stored under a name; None where there is nothing, or it is damaged."""
    try:
        with open(os.path.join(FOLDER, name), "rb") as opened:
            data = opened.read()
    except OSError:
        return None
    content = memoryview(data)[:-_CHECK]
    return content if _checksum(content) == data[-_CHECK:] else None


def _checksum(content: memoryview | bytes) -> bytes:
    # Against damage, not against forgery: a tenth of a hash's time, on the path of every process that uses the library.
    return zlib.crc32(content).to_bytes(_CHECK, "little")


def store(name: str, data: bytes) -> None:
    """Keep bytes under a name. A folder that cannot be written to is left as it is."""
    path = os.path.join(FOLDER, name)
    scratch = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):
        with open(scratch, "wb") as opened:
            opened.write(data + _checksum(data))
        os.replace(scratch, path)


def in_checkout() -> bool:
    """Whether this is a source checkout, where what is stale is built again and stored for the next process."""
    return os.path.exists(os.path.join(os.path.dirname(os.path.dirname(FOLDER)), "pyproject.toml"))
