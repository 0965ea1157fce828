"""Concrete nodes and tokens of a .stx item pass through here and get their places in the file; small questions about them."""

from __future__ import annotations

from typing import Any

from staxlang.base.records import record
from staxlang.base.spans import Source, Span
from staxlang.parser.stx_parser import Parsed
from staxlang.parser.stx_tokens import Token


@record
class Place:
    """Where a parsed text lies in its file: what to add to its lines, and to the columns of its first line."""

    source: Source
    lines: int
    columns: int

    def at(self, line: int, column: int) -> tuple[int, int]:
        return line + self.lines, column - 1 + (self.columns if line == 1 else 0)

    def span(self, start: tuple[int, int], end: tuple[int, int]) -> Span:
        return Span(self.source, *self.at(*start), *self.at(*end))

    def of(self, part: Token | Parsed) -> Span:
        """The place of a token or a node."""
        line, end_line = part.line, part.end_line
        first = self.columns - 1 if line == 1 else -1
        last = self.columns - 1 if end_line == 1 else -1
        return Span(self.source, line + self.lines, part.column + first, end_line + self.lines, part.end_column + last)


def child_trees(node: Parsed) -> list[Any]:
    return [child for child in node.children if child.__class__ is Parsed]


def named_part(node: Parsed, name: str) -> Any:
    """The child of a rule, or None."""
    return next((child for child in node.children if child.__class__ is Parsed and child.data == name), None)


def name_tokens(node: Parsed) -> list[Token]:
    return [child for child in node.children if child.__class__ is Token and child.kind == "NAME"]
