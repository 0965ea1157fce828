"""Python's limit of recursion: deep enough for long programs, and seldom changed."""

from __future__ import annotations

import sys

STEP = 4096


def make_room(depth: int) -> None:
    """Let so many more calls nest. The limit only grows, and by doubling: other threads, and tests that watch it, should see it move
    once rather than at each compilation."""
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        depth += 1
        frame = frame.f_back
    if sys.getrecursionlimit() < depth:
        limit = STEP
        while limit < depth:
            limit *= 2
        sys.setrecursionlimit(limit)
