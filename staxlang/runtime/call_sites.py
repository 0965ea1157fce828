"""The line of the user's program that has called into Stax, as a place for a diagnostic."""

from __future__ import annotations

import inspect
import linecache
from itertools import islice
from types import FrameType

from staxlang.base.spans import Source, Span

_COMMAND = "staxlang.command"


def call_site() -> Span | None:
    """The call in the innermost frame that is neither Stax's own nor the import system's; None where its text is not to be had, or where
    a command was given in a shell."""
    frame = inspect.currentframe()
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(_COMMAND):
            return None
        if name.partition(".")[0] not in ("staxlang", "importlib"):
            return _span(frame)
        frame = frame.f_back
    return None


def _span(frame: FrameType) -> Span | None:
    code = frame.f_code
    line, end_line, start, end = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None, None, None, None))
    if line is None or end_line is None or start is None or end is None:
        return None
    lines = [text.rstrip("\n") for text in linecache.getlines(code.co_filename, frame.f_globals)[line - 1 : end_line]]
    if len(lines) <= end_line - line:
        return None
    first, last = (len(text.encode()[:at].decode(errors="replace")) for text, at in ((lines[0], start), (lines[-1], end)))
    return Span(Source(code.co_filename, "\n".join(lines), line), line, first, end_line, last)
