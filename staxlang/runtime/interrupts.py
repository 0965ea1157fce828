"""Signals while programs run: what a handler raises (KeyboardInterrupt, mostly) waits for its thread until the program has ended."""

from __future__ import annotations

import ctypes
import threading
from typing import Final, NoReturn

from staxlang.compiler.llvm.polls import INTERRUPTED
from staxlang.runtime.support import Support

_raised: Final[dict[int, BaseException]] = {}


def note(problem: BaseException) -> None:
    """Called by programs, with the GIL."""
    _raised[threading.get_ident()] = problem


_NOTE: Final = ctypes.py_object(note)


def provide(support: Support) -> None:
    """Let the polling function know whom to tell."""
    support.symbols.update({INTERRUPTED: ctypes.addressof(_NOTE)})


def raise_noted() -> NoReturn:
    """Raise what ended a program of this thread."""
    raise _raised.pop(threading.get_ident(), None) or KeyboardInterrupt


def raise_if_noted() -> None:
    """The same where something did; a program may have failed otherwise."""
    if threading.get_ident() in _raised:
        raise_noted()
