"""A slip's situation passes through here: is it a bracket that is never closed, is closed by another sign, or closes nothing?"""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.diagnostics import Note, diagnose
from staxlang.parser.stx_parser import Unexpected, parse
from staxlang.parser.stx_repair import Slip, margin_of, without_header
from staxlang.parser.stx_situation import BLOCK_WORDS, OPENERS, Situation
from staxlang.parser.stx_tokens import DEDENT, END, NEWLINE, OTHER, Token

# What begins a statement and cannot continue an expression, so that it does not belong into an open bracket.
_STATEMENT_WORDS = frozenset({"return", "assert", "break", "continue", "pass", "while", "with", "def", "elif"})
_CLOSERS = frozenset(OPENERS.values())
_MOST_TRIED = 80  # places for a closing bracket
_MOST_READ = 10_000  # characters that are read to find it


def bracket_slip(now: Situation) -> Slip | None:
    if now.token.kind in _CLOSERS:
        return _closer(now)
    if not now.open:
        return None
    layout = _Layout(now)
    for number in reversed(now.open):
        last = layout.last_line(now.tokens[number])
        if last < now.line or now.token.kind in (DEDENT, END, NEWLINE) or not layout.is_closed(number, last):
            return _never_closed(now, layout, number, last)
    return None


def _closer(now: Situation) -> Slip | None:
    """An unexpected closing bracket."""
    content, closer = now.content, now.token.kind
    before, after = content[: now.column - 1], content[now.column :]
    if not now.open:
        return Slip(diagnose("syntax-error", now.span(), message=f"`{closer}` closes no bracket"), now.line, before + after)
    opener = now.tokens[now.open[-1]]
    if OPENERS[opener.kind] == closer:
        return None
    right = OPENERS[opener.kind]
    if len(now.open) > 1 and OPENERS[now.tokens[now.open[-2]].kind] == closer:
        return Slip(diagnose("never-closed", now.of(opener), bracket=opener.kind), now.line, before + right + content[now.column - 1 :])
    note = Note(now.of(opener), f"`{opener.kind}` opens here")
    slip = diagnose("mismatched-bracket", now.span(), [note], opener=opener.kind, closer=closer, right=right)
    return Slip(slip, now.line, before + right + after)


# ---- brackets that are never closed ----


class _Layout:
    """What lines and brackets say of the place where a bracket that is open should have been closed."""

    def __init__(self, now: Situation) -> None:
        self.now = now
        self.closers = _closers(now.tokens)
        self.complete = not any(token.kind == OTHER for token in now.tokens)  # else nobody knows what follows
        self.header_ends: set[int] = set()  # lines that end with a colon, where the statement has a block
        if now.first.kind in BLOCK_WORDS:
            ends = {token.end_line: token.kind for token in now.tokens if token.text}
            self.header_ends = {line for line, kind in ends.items() if kind == ":"}
        self.known: dict[int, int] = {}

    def last_line(self, opener: Token) -> int:
        """The last line that can belong into a bracket: before the first that is not indented deeper than the opener's, or begins as only
        a statement does; of a header its own last line."""
        if opener.line not in self.known:
            self.known[opener.line] = self._last_line(opener.line)
        return self.known[opener.line]

    def _last_line(self, first: int) -> int:
        now, last = self.now, first
        margin = margin_of(now.lines[first - 1])
        for number, row in enumerate(now.lines[first:], first + 1):
            if last in self.header_ends or (row.strip() and margin_of(row) <= margin and row.strip()[0] not in ")]}"):
                break
            last = number if row.strip() else last
        if now.token.kind in _STATEMENT_WORDS and margin_of(now.content) == now.column - 1:
            return min(last, now.line - 1)
        return last

    def is_closed(self, number: int, last: int) -> bool:
        """Whether some bracket closes an opener up to a line; also where a text has no tokens from some place on."""
        closer = self.closers.get(number)
        return closer.line <= last if closer is not None else not self.complete and self.now.tokens[-1].line <= last


def _closers(tokens: Sequence[Token]) -> dict[int, Token]:
    """The token that closes each opening bracket, of whatever kind."""
    found: dict[int, Token] = {}
    stack: list[int] = []
    for number, token in enumerate(tokens):
        if token.kind in OPENERS:
            stack.append(number)
        elif token.kind in _CLOSERS and stack:
            found[stack.pop()] = token
    return found


def _never_closed(now: Situation, layout: _Layout, number: int, last: int) -> Slip:
    """`last` is the last line that can belong into the bracket. It is closed where its statement can be read then."""
    opener = now.tokens[number]
    diagnostic = diagnose("never-closed", now.of(opener), bracket=opener.kind)
    places = [token for token in now.tokens[number:] if token.end_line <= last and token.text]
    if any(other != number and not layout.is_closed(other, last) for other in now.open):  # they come next
        place = places[-2] if places[-1].kind == ":" and now.first.kind in BLOCK_WORDS and len(places) > 1 else places[-1]
        return Slip(diagnostic, place.end_line, _with_closer(now, opener, place))
    first = now.first.line
    end = min([line for line in layout.header_ends if line >= last], default=last)
    rows = now.lines[first - 1 : end]
    half = min(_MOST_TRIED, _MOST_READ // (sum(map(len, rows)) + 1)) // 2
    for place in reversed(places if len(places) <= 2 * half else [*places[:half], *places[len(places) - half :]]):
        row = _with_closer(now, opener, place)
        if _can_be_read([*rows[: place.end_line - first], row, *rows[place.end_line - first + 1 :]]):
            return Slip(diagnostic, place.end_line, row)
    return Slip(diagnostic, first, text=without_header(now.lines, end - 1) if first == 1 else None)


def _with_closer(now: Situation, opener: Token, place: Token) -> str:
    """A line with the closing bracket behind a token."""
    row = now.lines[place.end_line - 1]
    return row[: place.end_column - 1] + OPENERS[opener.kind] + row[place.end_column - 1 :]


def _can_be_read(rows: Sequence[str]) -> bool:
    """Whether lines are a statement: what else it needs, a block or an `if`, stands for it."""
    margin = " " * margin_of(rows[0])
    word = rows[0].strip()
    ahead = ["def f():", f"{margin}if true:", f"{margin}    pass"] if word.startswith(("elif", "else")) else ["def f():"]
    text = "\n".join([*(ahead if margin else ()), *rows, ""])
    for more in ("", f"{margin}    pass\n"):
        try:
            parse(text + more)
        except Unexpected:
            continue
        return True
    return False
