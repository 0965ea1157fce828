"""Source text and places in it, as carried by every tree node, graph node and diagnostic."""

from __future__ import annotations

from staxlang.base.records import record


@record
class Source:
    """A piece of source text. `first_line` is the number, in its file, of the text's first line."""

    name: str
    text: str
    first_line: int = 1

    def line(self, number: int) -> str:
        """The text of a line by its number in the file, without its end; empty where there is none."""
        lines = self.text.split("\n")  # not splitlines, which also splits at form feeds and the like inside strings
        index = number - self.first_line
        return lines[index].rstrip("\r") if 0 <= index < len(lines) else ""


@record
class Span:
    """Lines count from 1 in the file; columns from 0 in characters (not bytes); the end is exclusive."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    def __repr__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column + 1}"
