"""The text of a .stx file passes through here, cut into its top-level items by a cheap scan, without a parser."""

from __future__ import annotations

import re

from staxlang.base.records import NamedTuple

# Strings and comments are stepped over; what is left of interest is a line end before a line that starts at column 0.
_SCAN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|[(\[{]|[)\]}]|\n(?=[^\s#)\]}])',
    re.DOTALL,
)
_WORDS = re.compile(r"(?:kernel|def|const|import|from)\b")
_HEAD = re.compile(r"(kernel|def|const)\s+([^\W\d]\w*)")


class Item(NamedTuple):
    """A top-level item: its first line's number in the text, from 1, and its text with the line end."""

    line: int
    text: str


def split_items(text: str) -> list[Item]:
    """The items in order. Lines before the first that are blank or comments belong to none."""
    starts = [0] if text[:1] not in ("", "\n", " ", "\t", "#") else []
    depth = 0
    for found in _SCAN.finditer(text):
        sign = found[0]
        if sign == "\n":
            # A definition's word at the margin starts an item even inside a bracket that was never closed.
            if depth <= 0 or _WORDS.match(text, found.end()):
                starts.append(found.end())
                depth = 0
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
    before = text[: starts[0]] if starts else text
    if any(line.lstrip()[:1] not in ("", "#") for line in before.split("\n")):
        starts.insert(0, 0)  # indented lines that belong to nothing: an item, so that they are reported
    items: list[Item] = []
    line, position = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)]):
        line += text.count("\n", position, start)
        position = start
        items.append(Item(line, text[start:end].rstrip() + "\n"))
    return items


def is_definition(item: Item) -> bool:
    """Whether an item begins with a word that may stand at the margin."""
    return _WORDS.match(item.text) is not None


def item_name(item: Item) -> str | None:
    """The name that an item defines: a kernel, a def or a const."""
    found = _HEAD.match(item.text)
    return None if found is None else found[2]
