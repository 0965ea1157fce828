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
    folders = [_PACKAGE]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[-3:] == ".py" or name[-4:] in (".stx", ".bin"):
                    status = entry.stat()
                    facts.append(f"{entry.path[len(_PACKAGE) :]} {status.st_size} {status.st_mtime_ns}")
                elif name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    facts.sort()
    python = f"{sys.implementation.cache_tag} {sys.hexversion}"
    return digest("\n".join(facts), __version__, python, np.__version__)


@lru_cache(maxsize=8)
def machine(target: Target) -> str:
    return digest(repr(target))
