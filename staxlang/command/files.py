"""Words that name files or folders pass through here and come out as .stx files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.parser.modules import SUFFIX

_SKIPPED = frozenset(("__pycache__", "node_modules"))


def stx_files(words: Iterable[str]) -> list[str]:
    """The files that are named, and those below folders that are named. Raises the diagnostic of a folder that has none."""
    found: dict[str, None] = {}
    for word in words:
        if os.path.isdir(word):
            inside = list(_below(word))
            if not inside:
                raise_diagnostics(diagnose("file-not-found", None, path=os.path.join(word, "*" + SUFFIX)))
            found.update(dict.fromkeys(inside))
        else:
            found[word] = None
    return list(found)


def _below(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from [os.path.join(place, name) for name in sorted(names) if name.endswith(SUFFIX)]
