"""The text of a .stx file passes through here, cut into its top-level items by a cheap scan, without a parser.

Of a text that has been cut before, only what has changed is scanned again.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from staxlang.base.records import NamedTuple
from staxlang.parser.brackets import CLOSERS, LONG, scan

_NO_STARTS = frozenset(("", "\n", " ", "\t", "\f", "#", ")", "]", "}"))  # what a line of an item before, or of none, begins with
_ENDS = r"\n(?=[^\n \t\f#)\]}])"  # a line end before another line
_END = re.compile(_ENDS)
_MOST_KNOWN = 4096  # pieces of texts whose scan is remembered
_LONGEST_KNOWN = 20_000  # characters of such a piece
_WORDS = re.compile(r"(?:kernel|def|const|import|from)\b")
_CERTAIN = re.compile(r"(?:kernel|def|const|import|from)[ \t]+[^\W\d]")  # a word with a name after it
_HEADER = re.compile(r"^(?:kernel|def)[ \t]+[^\W\d]\w*[ \t]*[\[(]", re.MULTILINE)
_HEAD = re.compile(r"(kernel|def|const)\s+([^\W\d]\w*)")


class Item(NamedTuple):
    """A top-level item: its first line's number in the text, from 1, and its text with the line end."""

    line: int
    text: str


def split_items(text: str) -> list[Item]:
    """The items in order. Lines before the first that are blank or comments belong to none."""
    starts = list(_starts(text))
    before = text[: starts[0]] if starts else text
    if any(line.lstrip()[:1] not in ("", "#") for line in before.split("\n")):
        starts.insert(0, 0)  # indented lines that belong to nothing: an item, so that they are reported
    items: list[Item] = []
    line, position = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)]):
        line += text.count("\n", position, start)
        position = start
        items.append(Item(line, _without_end(text[start:end])))
    return items


def _starts(text: str) -> Iterator[int]:
    """Where the items begin."""
    if text[:1] not in _NO_STARTS:
        yield 0
    position = 0
    long = list(LONG)
    while position < len(text):
        found = _END.search(text, position)
        end = found.end() if found is not None else len(text)
        if end - position > _LONGEST_KNOWN or not _stands_alone(text[position:end]):
            end = _next_start(text, position, long)
        if end < len(text):
            yield end
        position = end


@functools.lru_cache(_MOST_KNOWN)
def _stands_alone(piece: str) -> bool:
    """Whether the lines before the next one at the margin are an item, whatever comes then: no bracket and no string is open."""
    depth = 0
    long = list(LONG)
    for sign, _ in scan(piece, long=long):
        if sign in CLOSERS:
            depth += 1
        elif sign in ")]}":
            depth -= 1
    return depth <= 0 and len(long) == len(LONG) and not piece.endswith("\\\n")


def _next_start(text: str, start: int, long: list[str]) -> int:
    """Where the item ends that begins at `start`."""
    depth = 0
    for sign, position in scan(text, start, _ENDS, long):
        if sign == "\n":
            # A definition's word at the margin starts an item even inside a bracket that was never closed.
            if depth <= 0 or _CERTAIN.match(text, position + 1):
                return position + 1
        elif sign in CLOSERS:
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif lost := _lost_header(text, sign, position):
            return lost
    return len(text)


def _lost_header(text: str, string: str, position: int) -> int | None:
    """The header of a definition that a long string in the one before has swallowed, because it was never closed."""
    if string[-3:] not in ('"""', "'''") or text[position - 1 : position] in ("", "\n"):
        return None
    found = _HEADER.search(string)
    return position + found.start() if found else None


def _without_end(text: str) -> str:
    """The text of an item without the blank lines and the comments at the margin that follow it."""
    text = text.rstrip()
    while (cut := text.rfind("\n")) >= 0 and text[cut + 1] == "#":
        text = text[:cut].rstrip()
    return text + "\n"


def is_definition(item: Item) -> bool:
    """Whether an item begins with a word that may stand at the margin."""
    return _WORDS.match(item.text) is not None


def item_name(item: Item) -> str | None:
    """The name that an item defines: a kernel, a def or a const."""
    found = _HEAD.match(item.text)
    return None if found is None else found[2]
