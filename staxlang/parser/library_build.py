"""The standard library's sources pass through here and are stored as Trees: the build step, and what stale Trees need."""

from __future__ import annotations

import marshal
import os
from collections.abc import Mapping
from typing import Any

from staxlang.base.diagnostics import Diagnostic, raise_diagnostics
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.encoding import encode
from staxlang.parser.items import Item, item_name, split_items
from staxlang.parser.library import FORMAT, STORED, Entry, entry_name, read_sources
from staxlang.parser.stored import FOLDER, content_hash, store
from staxlang.parser.stx import read_item


def parse_definition(source: Source) -> Any:
    """The Tree of a text that holds one definition; raises StaxError."""
    diagnostics: list[Diagnostic] = []
    found = read_item(source, Item(1, source.text), diagnostics)
    if diagnostics:
        raise_diagnostics(diagnostics)
    if not isinstance(found, tree.Function):
        raise ValueError(f"{source.name}:{source.first_line}: the standard library holds functions only")
    return found


def scan(sources: Mapping[str, str]) -> dict[str, Entry]:
    """The definitions of all files by name, found by a cheap scan, not parsed."""
    return {name: entry for file, text in sources.items() for name, entry in _scan_file(file, text).items()}


def _scan_file(file: str, text: str) -> dict[str, Entry]:
    """The definitions of one file, found by a cheap scan, not parsed."""
    found: dict[str, Entry] = {}
    for item in split_items(text):
        name = item_name(item)
        if name is not None:
            found[entry_name(file, name)] = Entry(file, item.text, item.line, b"")
    return found


def build_trees() -> dict[str, Entry]:
    """Parse all definitions of the standard library and store them; returns them by name. Raises StaxError at a slip.

    The grammar's tables are stored on the way.
    """
    sources = read_sources()
    entries: dict[str, Entry] = {}
    for file, text in sources.items():
        for name, entry in _scan_file(file, text).items():
            if name in entries:
                raise ValueError(f"the standard library defines `{name}` twice: in {entries[name].file} and in {file}")
            parsed = parse_definition(Source(os.path.join(FOLDER, file), entry.text, entry.line))
            entries[name] = entry._replace(data=marshal.dumps(encode(parsed), 4))
    hashes = {file: content_hash(text.encode()) for file, text in sources.items()}
    data = marshal.dumps((FORMAT, hashes, {name: tuple(entry) for name, entry in entries.items()}), 4)
    store(STORED, data)
    return entries
