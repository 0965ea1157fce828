"""Names pass through here and the standard library's definitions come out, one at a time, from Trees that were built beforehand.

The sources are `staxlang/stdlib/*.stx`. Their Trees are stored in `_trees.bin` by the build step, `python -m staxlang.parser.library`, with
a hash of every file, so that no parsing is on a user's path. A file whose hash differs is parsed again.
"""

from __future__ import annotations

import functools
import importlib
import marshal
import os
from collections.abc import Mapping
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.encoding import CLASS_ROWS, decode, fields_of
from staxlang.parser.stored import FOLDER, content_hash, in_checkout, load_stored

STORED = "_trees.bin"

NAMESPACES = frozenset(("fft", "random"))
"""Files whose definitions are reached through the file's name only (`random.uniform`); all others are words of the language."""
_PARTS = {"distributions": "random"}
"""Files that are parts of such a namespace."""

# Part of the stored file: another layout of it, other classes of nodes or other namespaces make it stale.
FORMAT = f"2:{sorted(NAMESPACES)}{_PARTS}:" + ",".join(f"{kind.__name__}({' '.join(fields_of(kind))})" for kind in CLASS_ROWS)


class Entry(NamedTuple):
    """A definition: its file, its text and first line there, and its encoded Tree as `marshal` has it (empty: not parsed)."""

    file: str
    text: str
    line: int
    data: bytes


def library_function(name: str) -> tree.Function | None:
    """The definition of that name in the standard library, or None; `random.uniform` for one of a namespace.

    Private ones are found too: their names begin with `_`.
    """
    found = _known.get(name)
    if found is None:
        entry = library_index().get(name)
        if entry is None:
            return None
        found = _known[name] = _load(entry)
    return found


def library_names() -> tuple[str, ...]:
    """The names of the library's public functions but for those of namespaces, in the order of their files."""
    return tuple(name for name in library_index() if not name.startswith("_") and "." not in name)


def namespace_names(namespace: str) -> tuple[str, ...]:
    """The names of a namespace's public functions."""
    own = namespace + "."
    return tuple(name.removeprefix(own) for name in library_index() if name.startswith(own) and not name.startswith(own + "_"))


def entry_name(file: str, name: str) -> str:
    """The name under which a definition of a file is known."""
    module = _PARTS.get(file.removesuffix(".stx"), file.removesuffix(".stx"))
    return f"{module}.{name}" if module in NAMESPACES else name


_known: dict[str, tree.Function] = {}


@functools.cache
def library_index() -> Mapping[str, Entry]:
    """All definitions by name. Reads the stored Trees if they are those of the sources."""
    sources = read_sources()
    stored = _stored()
    hashes = {file: content_hash(text.encode()) for file, text in sources.items()}
    if stored is not None and stored[0] == hashes:
        return stored[1]
    if in_checkout():
        return _builder().build_trees()  # a source checkout: the next process need not parse again
    fresh: dict[str, Entry] = _builder().scan(sources)
    usable = stored[1] if stored is not None else {}
    return {name: usable[name] if name in usable and usable[name][:3] == entry[:3] else entry for name, entry in fresh.items()}


def _builder() -> Any:
    """The module that parses. Its import is 30 ms of a process's time, which only stale Trees are worth."""
    return importlib.import_module("staxlang.parser.library_build")


def read_sources() -> dict[str, str]:
    """The texts of the library's files by name."""
    found: dict[str, str] = {}
    for file in sorted(os.listdir(FOLDER)):
        if file.endswith(".stx"):
            with open(os.path.join(FOLDER, file), encoding="utf-8", newline="\n") as opened:
                found[file] = opened.read().replace("\r\n", "\n")
    return found


def _stored() -> tuple[dict[str, bytes], dict[str, Entry]] | None:
    """The hashes and entries that were stored; None where there are none, or they are of another format."""
    data = load_stored(STORED)
    if data is None:
        return None
    try:
        layout, hashes, entries = marshal.loads(data)
    except (ValueError, EOFError, TypeError):
        return None
    return (hashes, {name: Entry(*entry) for name, entry in entries.items()}) if layout == FORMAT else None


def _load(entry: Entry) -> tree.Function:
    source = Source(os.path.join(FOLDER, entry.file), entry.text, entry.line)
    if entry.data:
        return decode(marshal.loads(entry.data), source)
    return _builder().parse_definition(source)


if __name__ == "__main__":
    print(f"{len(_builder().build_trees())} definitions stored in {os.path.join(FOLDER, STORED)}")
