"""Doc comments pass through here and come out as examples: what stands behind `>>>`, and what should come of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from staxlang.base.records import NamedTuple

_MARK, _MORE = ">>>", "..."


class Example(NamedTuple):
    """An example: its text in .stx, what is expected (empty: nothing), the line in the file."""

    owner: str
    text: str
    expected: str
    line: int


def examples_of(function: Any, source: str, first_line: int = 1) -> list[Example]:
    """The examples in a definition's doc comment. `source` is the text of its file, from `first_line` on."""
    doc: str | None = function.doc
    if not doc or _MARK not in doc:
        return []
    lines = source.split("\n")
    start, end = function.span.line - first_line, function.span.end_line - first_line + 1
    places = [number + first_line for number, line in enumerate(lines[:end]) if number >= start and line.lstrip(" \"'").startswith(_MARK)]
    found = list(_split(doc.split("\n")))
    places += [function.span.line] * (len(found) - len(places))
    return [Example(function.name, text, expected, line) for (text, expected), line in zip(found, places, strict=False)]


def _split(lines: list[str]) -> Iterator[tuple[str, str]]:
    """(text, expected) of each example."""
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        place += 1
        if not line.startswith(_MARK):
            continue
        text = [line[len(_MARK) :].removeprefix(" ")]
        while place < len(lines) and _is_more(lines[place]):
            text.append(lines[place].strip()[len(_MORE) :].removeprefix(" "))
            place += 1
        expected: list[str] = []
        while place < len(lines) and lines[place].strip() and not lines[place].strip().startswith(_MARK):
            expected.append(lines[place].strip())
            place += 1
        yield "\n".join(text), "\n".join(expected)


def _is_more(line: str) -> bool:
    stripped = line.strip()
    return stripped == _MORE or stripped.startswith(_MORE + " ")
