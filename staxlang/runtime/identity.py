"""What makes code on disk valid for this process besides its own key: the compiler's text, the interpreter, NumPy, the machine."""

from __future__ import annotations

import os
import sys
from functools import lru_cache

import numpy as np

from staxlang import __version__
from staxlang.compiler.target import Target
from staxlang.runtime.disk import digest

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@lru_cache(maxsize=1)
def compiler() -> str:
    """Changes with every file of the package, by name, length and time: a source checkout never runs the code of an older compiler."""
    facts: list[str] = []
    for folder, folders, files in os.walk(_PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith((".py", ".stx", ".bin")):
                path = f"{folder}/{name}"
                status = os.stat(path)
                facts.append(f"{path[len(_PACKAGE) :]} {status.st_size} {status.st_mtime_ns}")
    python = f"{sys.implementation.cache_tag} {sys.hexversion}"
    return digest("\n".join(facts), __version__, python, np.__version__)


@lru_cache(maxsize=8)
def machine(target: Target) -> str:
    return digest(repr(target))
