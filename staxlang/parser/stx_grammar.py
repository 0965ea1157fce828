"""The grammar's tables pass through here. They are stored: lark needs a second or two to make them, and 0.1 s to be imported."""

from __future__ import annotations

import functools
import importlib
import marshal
from pathlib import Path
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.parser.stored import content_hash, in_checkout, load_stored, store

GRAMMAR = Path(__file__).with_name("stx.lark")
TABLES = "_grammar.bin"
_FORMAT = b"3"  # of what is stored; another one makes it stale


class Rule(NamedTuple):
    """A rule: its name, the name of the nodes it makes, how many parts it has, which of them are repetitions that lend their children,
    whether a single child stands for the node, and whether it always does."""

    name: str
    node: str
    length: int
    lent: tuple[int, ...]
    single: bool
    unit: bool


class Tables(NamedTuple):
    """What the parser and the scanner need of the grammar.

    `states`: for each state what a kind of token does there: n >= 0 shifts and goes to state n, n < 0 reduces by rule ~n.
    `gotos`: for each state the next one after a rule's name. `starts`: the first and the last state of each start.
    `words` and `signs` are the terminals of fixed text, whose kind is their text; `patterns` are the others, by name.
    """

    states: list[dict[str, int]]
    gotos: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, tuple[int, int]]
    words: list[str]
    signs: list[str]
    patterns: dict[str, str]


@functools.cache
def tables() -> Tables:
    """The tables of the grammar as it is."""
    text = GRAMMAR.read_bytes()
    key = content_hash(_FORMAT + text.replace(b"\r\n", b"\n"))
    stored = load_stored(TABLES)
    if stored is not None and bytes(stored[: len(key)]) == key:
        return _read(marshal.loads(stored[len(key) :]))
    # The only importer of lark: a second of a process's time, which only stale tables are worth.
    built = importlib.import_module("staxlang.parser.stx_tables").build_tables(text.decode())
    if in_checkout():
        store_tables(key, built)
    return _read(built)


def _read(data: Any) -> Tables:
    found = Tables(*data)
    return found._replace(rules=[Rule(*rule) for rule in found.rules])


def store_tables(key: bytes, built: tuple[Any, ...]) -> None:
    store(TABLES, key + marshal.dumps(built, 4))
