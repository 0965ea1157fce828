"""Text for people passes through here: results to the standard output, all else to the standard error; colors and progress on terminals."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TextIO

from staxlang.base.diagnostics import StaxError
from staxlang.base.settings import wants_color

_CODES = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "bold": "1", "dim": "2"}
_SEVERITY = re.compile(r"^(error|warning)(\[[a-z0-9-]+\])", re.MULTILINE)
_MARGIN = re.compile(r"^( *(?:-->|\||=)|\d+ \|)", re.MULTILINE)
_CARETS = re.compile(r"(\^+(?: \.\.\.)?)$", re.MULTILINE)
_PATIENCE = 0.4  # seconds before a wait is told of
_FRAMES = "|/-\\"


class Terminal:
    """Where a command writes to."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self.out = out
        self.err = err
        self.out_color = wants_color(_is_terminal(out))
        self.err_color = wants_color(_is_terminal(err))
        self.interactive = _is_terminal(err)
        self._lock = threading.Lock()

    # ---- the standard output ----

    def say(self, text: str = "") -> None:
        """A result: a line, or several."""
        self.out.write(_printable(text, self.out) + "\n")

    def paint(self, text: str, *styles: str) -> str:
        """A piece of a line for `say`, colored where the output is a terminal."""
        return _painted(text, styles) if self.out_color else text

    def colored(self, text: str) -> str:
        """A diagnostic for `say`: files below the current folder are named from there."""
        text = _shortened(text)
        return self._colored(text) if self.out_color else text

    # ---- the standard error ----

    def note(self, text: str) -> None:
        self._err(_painted(text, ("dim",)) if self.err_color else text)

    def complain(self, text: str) -> None:
        """A fault that has no diagnostic."""
        self._err(f"{_painted('error', ('bold', 'red')) if self.err_color else 'error'}: {text}")

    def warn(self, text: str) -> None:
        if "warning[" in text:
            self._err(self._colored_err(text))
        else:
            self._err(f"{_painted('warning', ('yellow',)) if self.err_color else 'warning'}: {text}")

    def diagnostics(self, problem: StaxError) -> None:
        self._err(self._colored_err(str(problem)))

    def defect(self, problem: BaseException) -> None:
        """Something that Stax should have said in better words."""
        frame = problem.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        place = f" ({frame.tb_frame.f_code.co_filename}:{frame.tb_lineno})" if frame is not None else ""
        advice = "This is a defect of Stax: please report it with the command that led here."
        self.complain(f"{type(problem).__name__}: {problem}{place}\n{advice}")

    def _colored_err(self, text: str) -> str:
        text = _shortened(text)
        return self._colored(text) if self.err_color else text

    def _colored(self, text: str) -> str:
        text = _CARETS.sub(lambda found: _painted(found[1], ("red",)), text)
        text = _MARGIN.sub(lambda found: _painted(found[1], ("blue",)), text)
        return _SEVERITY.sub(lambda found: _painted(found[1], ("bold", "red" if found[1] == "error" else "yellow")) + found[2], text)

    def _err(self, text: str) -> None:
        with self._lock:
            self.err.write(_printable(text, self.err) + "\n")
            self.err.flush()

    # ---- waiting ----

    @contextmanager
    def waiting(self, what: str) -> Generator[None, None, None]:
        """Tell on a terminal, in a line that goes away again, what takes long."""
        if not self.interactive:
            yield
            return
        done = threading.Event()
        thread = threading.Thread(target=self._tell, args=(what, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _tell(self, what: str, done: threading.Event) -> None:
        start = time.monotonic()
        shown = 0
        while not done.wait(_PATIENCE if not shown else 0.1):
            shown += 1
            line = f"{_FRAMES[shown % len(_FRAMES)]} {what} ({time.monotonic() - start:.1f} s)"
            with self._lock:
                self.err.write(f"\r\x1b[2K{line[:100]}")
                self.err.flush()
        if shown:
            with self._lock:
                self.err.write("\r\x1b[2K")
                self.err.flush()

    # ---- tables ----

    def rows(self, rows: list[tuple[str, str]], indent: str = "") -> None:
        """Two columns."""
        width = max((len(name) for name, _ in rows), default=0)
        for name, value in rows:
            first, *more = value.split("\n")
            self.say(f"{indent}{self.paint(name.ljust(width), 'cyan')}  {first}".rstrip())
            for line in more:
                self.say(f"{indent}{' ' * width}  {line}".rstrip())


def _shortened(text: str) -> str:
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return text
    return text.replace(folder.rstrip(os.sep) + os.sep, "") if len(folder) > 1 else text


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def _painted(text: str, styles: tuple[str, ...]) -> str:
    return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m" if text else text


def _printable(text: str, stream: TextIO) -> str:
    """The text with what the stream's encoding cannot say escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding, "replace")
