"""The thread pool of compiled programs: its module, its size, and what a fork or the process's end does to it."""

from __future__ import annotations

from typing import Final

from staxlang.compiler.target import Target
from staxlang.runtime.support import Support

EXPORTED: Final = ("stax_parallel",)

_SERIAL = """
define void @stax_parallel(ptr %function, ptr %context, i64 %extent, i64 %grain) nounwind {
  call void %function(ptr %context, i64 0, i64 %extent)
  ret void
}
"""


def pool_text(target: Target) -> str:
    return _SERIAL


def start(support: Support, target: Target) -> None:
    """Nothing to start where everything runs on the caller's thread."""
