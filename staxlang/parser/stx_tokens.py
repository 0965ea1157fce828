"""The text of a .stx item passes through here and comes out as tokens, with its lines and blocks."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.parser.stx_grammar import tables
from staxlang.parser.tree import REDUCTION_KINDS

NEWLINE, INDENT, DEDENT, END = "_NEWLINE", "_INDENT", "_DEDENT", "$END"
UNEVEN = "uneven"  # the kind of a line's start whose indentation is that of no block
OTHER = "other"  # the kind of what is no token: a sign of another language, a string without its end

# Python's words that are none of .stx; no name is spelled so, so that a kernel can move between the two.
RESERVED = frozenset((
    "True", "False", "None", "try", "except", "finally", "raise", "class", "yield", "async", "await", "global", "nonlocal", "del", "as",
))  # fmt: skip
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_OPENERS.values())
# What can begin the body of a reduction. A sign or a bracket there would be an operator or a subscript of a name.
_BODY_KINDS = frozenset(("NAME", "NUMBER", "STRING", "FSTRING", "BYTES", "(", "~", "true", "false", "none", "REDUCE"))
_TAB = 8


class Token:
    """A kind (a terminal of the grammar; of words and signs their text), a text and its place: lines and columns from 1.

    The end of a line or block has the end of the text before it, so that the end of a node is that of its last child.
    """

    __slots__ = ("column", "end_column", "end_line", "kind", "line", "text")

    depth = 0

    def __init__(self, kind: str, text: str, line: int, column: int, end_line: int, end_column: int) -> None:
        self.kind = kind
        self.text = text
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r}, {self.line}:{self.column})"


class Comment(NamedTuple):
    """A comment: its text with the `#`, its place, and how many tokens stand before it."""

    text: str
    line: int
    column: int
    tokens: int


@functools.cache
def _scanner() -> Any:
    """One pattern for all tokens, each in a group of its name, after the blanks before it."""
    patterns = tables().patterns
    strings = "|".join([f"(?P<{name}>{patterns[name]})" for name in ("FSTRING", "BYTES", "STRING")])
    signs = "|".join([re.escape(sign) for sign in tables().signs])
    # Signs of other languages are one piece, so that they can be told as one.
    return re.compile(
        rf"[ \t\f]*(?:(?P<NAME>{patterns['NAME']}(?![\"'\w]))|(?P<AUGMENTED>{patterns['AUGMENTED']})|(?P<other>&&|\|\||<>|===|=>|/\*)"
        rf"|(?P<NUMBER>{patterns['NUMBER']})|(?P<sign>{signs})|(?P<newline>\n)|(?P<comment>#[^\n]*)|{strings}|(?P<joined>\\[ \t\f]*\n)"
        rf"|(?P<word>{patterns['NAME']})|(?P<rest>[^\n]))"
    )


def tokenize(text: str, comments: list[Comment] | None = None) -> list[Token]:
    """All tokens of an item, which ends with a line end, and an END. Comments are appended to `comments`, where given.

    Nothing is refused here: what is no token has the kind OTHER, and ends what is read.
    """
    found: list[Token] = []
    words = _words()
    margins = [0]
    open_ = 0  # brackets
    line, start = 1, 0  # the line, and the offset of column 1
    before = (1, 1)  # where the last token ended
    match = _scanner().scanner(text).match
    while piece := match():
        kind: str = piece.lastgroup
        first, end = piece.span(kind)
        if kind == "comment":
            if comments is not None:
                comments.append(Comment(piece[kind], line, first - start + 1, len(found)))
            continue
        if kind == "newline" or kind == "joined":
            if kind == "newline" and not open_ and found and found[-1].kind != NEWLINE:
                found.append(Token(NEWLINE, "", *before, *before))
            line += 1
            start = end
            continue
        column = first - start + 1
        if not open_ and (not found or found[-1].kind == NEWLINE):
            _layout(found, margins, text[start:first], (line, column), before)
        word: str = piece[kind]
        before = (line, end - start + 1)
        if kind == "NAME" or kind == "word":
            if word.isascii():
                kind = words.get(word, "NAME")
            else:
                kind = "NAME" if word.isidentifier() else OTHER
                word = unicodedata.normalize("NFKC", word)
        elif kind == "sign":
            kind = word
            if word in _OPENERS:
                open_ += 1
            elif word in _CLOSERS and open_:
                open_ -= 1
        elif kind == "rest" or kind == "other":
            kind = OTHER
        elif "\n" in word:
            before = (line + word.count("\n"), end - text.rfind("\n", 0, end))
            start = end - before[1] + 1
        found.append(Token(kind, word, line, column, *before))
        line = before[0]
        if kind == OTHER:
            break
    _finish(found, margins, before)
    _mark_soft_words(found)
    return found


def _finish(found: list[Token], margins: list[int], end: tuple[int, int]) -> None:
    """The ends of the last line, of the open blocks and of the text."""
    if found and found[-1].kind != NEWLINE:
        found.append(Token(NEWLINE, "", *end, *end))
    found += [Token(DEDENT, "", *end, *end) for _ in margins[1:]]
    found.append(Token(END, "", *end, *end))


@functools.cache
def _words() -> dict[str, str]:
    """The kinds of the words that are no names. Soft words are names until the parser asks for them."""
    return {word: word for word in (*tables().words, *RESERVED) if word not in SOFT_WORDS}


# Words where the grammar can have them, names elsewhere.
SOFT_WORDS = {"kernel": "kernel", "const": "const", "where": "where", "max": "COMBINED", "min": "COMBINED"}


def _layout(found: list[Token], margins: list[int], blanks: str, here: tuple[int, int], before: tuple[int, int]) -> None:
    """Open or close blocks for a line that begins with these blanks."""
    margin = len(blanks.replace("\f", "").expandtabs(_TAB))
    if margin > margins[-1]:
        if found:  # a text's first line makes no block
            margins.append(margin)
            found.append(Token(INDENT, "", *here, *here))
        else:
            margins[0] = margin
        return
    while margin < margins[-1] and len(margins) > 1:
        margins.pop()
        found.append(Token(DEDENT, "", *before, *before))
    if margin != margins[-1]:
        found.append(Token(UNEVEN, "", *here, *here))


def _mark_soft_words(tokens: list[Token]) -> None:
    """`let` before a name, and reductions: `sum[k, ...]` with a term after it."""
    names = [place for place, token in enumerate(tokens) if token.kind == "NAME" and token.text in _SOFT]
    if not names:
        return
    closers = matching_brackets(tokens)
    for place in reversed(names):  # the body of a reduction may begin with another
        token, following = tokens[place], tokens[place + 1]
        if token.text == "let":
            if following.kind == "NAME" and (not place or tokens[place - 1].kind in (NEWLINE, INDENT, DEDENT, ":", ";")):
                token.kind = "LET"
            continue
        closer = closers.get(place + 1)
        if closer is None or following.kind != "[" or tokens[place + 2].kind != "NAME" or (place and tokens[place - 1].kind == "."):
            continue
        if tokens[closer + 1].kind in _BODY_KINDS and not _is_guard(tokens, closer + 1, closers):
            token.kind = "REDUCE"


def _is_guard(tokens: list[Token], place: int, closers: dict[int, int]) -> bool:
    """Whether a name is the `where` of a guard, not that of a call `where(condition, a, b)`."""
    if tokens[place].text != "where":
        return False
    depth = 0
    for token in tokens[place + 1 : closers.get(place + 1, place + 1)]:
        depth += (token.kind in _OPENERS) - (token.kind in _CLOSERS)
        if depth == 1 and token.kind == ",":
            return False
    return True


_SOFT = frozenset(("let", *REDUCTION_KINDS))


def matching_brackets(tokens: list[Token]) -> dict[int, int]:
    """The place of each opening bracket's closer, where it has one of its kind."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind in _OPENERS:
            stack.append(place)
        elif token.kind in _CLOSERS and stack:
            opener = stack.pop()
            if _OPENERS[tokens[opener].kind] == token.kind:
                found[opener] = place
    return found
