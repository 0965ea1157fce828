"""An unexpected token passes through here and comes out with all that those who recognize slips ask about it."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.records import NamedTuple
from staxlang.base.spans import Span
from staxlang.base.suggestions import did_you_mean
from staxlang.parser.stx_parser import Unexpected
from staxlang.parser.stx_places import Place
from staxlang.parser.stx_repair import margin_of
from staxlang.parser.stx_tokens import DEDENT, END, INDENT, NEWLINE, Token

LAYOUT = frozenset({NEWLINE, INDENT, DEDENT, END})
OPENERS = {"(": ")", "[": "]", "{": "}"}
TOP_WORDS = frozenset({"kernel", "def", "const", "import", "from"})
BLOCK_WORDS = frozenset({"kernel", "def", "if", "elif", "else", "for", "while", "with"})
_STATEMENT_WORDS = ("return", "if", "elif", "else", "for", "while", "with", "assert", "break", "continue", "pass", "def", "let")
_STARTERS = LAYOUT | {";"}
_MOST_SHOWN = 40


class Situation(NamedTuple):
    """The unexpected token, its number among the tokens, its line in the text and its column there (both from 1), the kinds of tokens
    that could come, the brackets that are open, and the number of the token with which its statement begins."""

    token: Token
    tokens: Sequence[Token]
    number: int
    accepted: frozenset[str]
    lines: list[str]
    line: int
    column: int
    place: Place
    open: tuple[int, ...]
    start: int

    @property
    def content(self) -> str:
        """The line of the unexpected token."""
        return self.lines[self.line - 1]

    @property
    def found(self) -> str:
        """The token's text, in one line and not too long; empty for the ends of lines and blocks."""
        text = self.token.text.split("\n")[0]
        return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."

    @property
    def first(self) -> Token:
        """The first token of the statement."""
        return self.tokens[self.start]

    @property
    def before(self) -> Token | None:
        """The token before; None at the start of a text."""
        return self.tokens[self.number - 1] if self.number else None

    @property
    def after(self) -> Token:
        return self.tokens[min(self.number + 1, len(self.tokens) - 1)]

    def span(self) -> Span:
        """The place of the unexpected token, at least one column wide."""
        width = max(self.token.end_column - self.token.column if self.token.end_line == self.token.line else len(self.found), 1)
        return self.place.span((self.line, self.column), (self.line, self.column + width))

    def of(self, first: Token, last: Token | None = None) -> Span:
        """The place from one token to another."""
        end = last or first
        return self.place.span((first.line, first.column), (end.end_line, end.end_column))

    def advice(self) -> str | None:
        """The word that the statement was probably meant to begin with."""
        place = self.number - self.start
        if self.first.kind != "NAME" or place not in (1, 2) or (place == 2 and self.tokens[self.start + 1].kind != ":"):
            return None
        return "write `print(...)`" if self.first.text == "print" else did_you_mean(self.first.text, _STATEMENT_WORDS)


def situation_of(error: Unexpected, text: str, place: Place) -> Situation:
    tokens, number = error.tokens, error.place
    lines = text.split("\n")
    token = error.token
    line, column = token.line, token.column
    if token.kind in (DEDENT, END):
        line, column = token.end_line, token.end_column
    elif token.kind == INDENT:
        column = margin_of(lines[line - 1]) + 1
    start = number
    open_: list[int] = []
    for earlier, other in enumerate(tokens[:number]):
        if other.kind in OPENERS:
            open_.append(earlier)
        elif other.kind in (")", "]", "}") and open_:
            open_.pop()
    floor = open_[0] if open_ else number
    while start > 0 and (start > floor or tokens[start - 1].kind not in _STARTERS):
        start -= 1
    return Situation(token, tokens, number, error.accepted, lines, line, column, place, tuple(open_), start)
