"""Tokens of lark pass through here and get their places in the file; small questions about lark's trees."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark import Tree as Parsed

from staxlang.base.records import record
from staxlang.base.spans import Source, Span

_LAYOUT = ("_NEWLINE", "_INDENT", "_DEDENT")


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

    def token(self, token: Token) -> Span:
        line, column = token.line or 1, token.column or 1
        return self.span((line, column), (token.end_line or line, token.end_column or column + len(token)))


def child_trees(node: Parsed[Token]) -> list[Any]:
    return [child for child in node.children if isinstance(child, Parsed)]


def named_part(node: Parsed[Token], name: str) -> Any:
    """The child of a rule, or None."""
    return next((child for child in node.children if isinstance(child, Parsed) and child.data == name), None)


def name_tokens(node: Parsed[Token]) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token) and child.type == "NAME"]


def first_token(node: Any) -> Token:
    while not isinstance(node, Token):
        node = node.children[0]
    return node


def last_token(node: Any) -> Token:
    """The last token that is not layout."""
    while not isinstance(node, Token):
        node = next(child for child in reversed(node.children) if not (isinstance(child, Token) and child.type in _LAYOUT))
    return node
