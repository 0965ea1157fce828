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
_MOST_TRIED = 40  # places for a closing bracket, from either end


def bracket_slip(now: Situation) -> Slip | None:
    if now.token.kind in _CLOSERS:
        return _closer(now)
    for number in reversed(now.open):
        last = _last_line(now, now.tokens[number])
        if last < now.line or now.token.kind in (DEDENT, END, NEWLINE) or not _is_closed(now, number, last):
            return _never_closed(now, number, last)
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


def _last_line(now: Situation, opener: Token) -> int:
    """The last line that can belong into a bracket: before the first that is not indented deeper than the opener's, or begins as only
    a statement does; of a header its own last line."""
    margin = margin_of(now.lines[opener.line - 1])
    headers = _header_ends(now)
    last = opener.line
    for number, row in enumerate(now.lines[opener.line :], opener.line + 1):
        if last in headers or (row.strip() and margin_of(row) <= margin and row.strip()[0] not in ")]}"):
            break
        last = number if row.strip() else last
    if now.token.kind in _STATEMENT_WORDS and margin_of(now.content) == now.column - 1:
        return min(last, now.line - 1)
    return last


def _header_ends(now: Situation) -> set[int]:
    """The lines that end with a colon, where the statement has a block."""
    if now.first.kind not in BLOCK_WORDS:
        return set()
    ends = {token.end_line: token.kind for token in now.tokens if token.text}
    return {line for line, kind in ends.items() if kind == ":"}


def _is_closed(now: Situation, number: int, last: int) -> bool:
    """Whether some bracket closes an opener up to a line; also where a text has no tokens from some place on."""
    depth = 0
    for token in now.tokens[number:]:
        if token.line > last:
            return False
        depth += (token.kind in OPENERS) - (token.kind in _CLOSERS)
        if not depth or token.kind == OTHER:
            return True
    return False


def _never_closed(now: Situation, number: int, last: int) -> Slip:
    """`last` is the last line that can belong into the bracket. It is closed where its statement can be read then."""
    opener = now.tokens[number]
    diagnostic = diagnose("never-closed", now.of(opener), bracket=opener.kind)
    places = [token for token in now.tokens[number:] if token.end_line <= last and token.text]
    first = now.first.line
    end = min([line for line in _header_ends(now) if line >= last], default=last)
    tried = places if len(places) <= 2 * _MOST_TRIED else [*places[:_MOST_TRIED], *places[-_MOST_TRIED:]]
    for place in reversed(tried):
        row = _with_closer(now, opener, place)
        rows = [*now.lines[first - 1 : end]]
        rows[place.end_line - first] = row
        if _can_be_read(rows):
            return Slip(diagnostic, place.end_line, row)
    others = [other for other in now.open if other != number and not _is_closed(now, other, last)]
    if others:  # they come next
        place = places[-2] if places[-1].kind == ":" and now.first.kind in BLOCK_WORDS and len(places) > 1 else places[-1]
        return Slip(diagnostic, place.end_line, _with_closer(now, opener, place))
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
