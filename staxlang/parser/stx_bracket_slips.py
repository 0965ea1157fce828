"""A slip's situation passes through here: is it a bracket that is never closed, is closed by another sign, or closes nothing?"""

from __future__ import annotations

from staxlang.base.diagnostics import Note, diagnose
from staxlang.parser.stx_repair import Slip, margin_of
from staxlang.parser.stx_situation import BLOCK_WORDS, OPENERS, Situation
from staxlang.parser.stx_tokens import DEDENT, END, NEWLINE, Token

# What begins a statement and cannot continue an expression, so that it does not belong into an open bracket.
_STATEMENT_WORDS = frozenset({"return", "assert", "break", "continue", "pass", "while", "with", "def", "elif"})


def bracket_slip(now: Situation) -> Slip | None:
    if now.token.kind in (")", "]", "}"):
        return _closer(now)
    at_end = now.token.kind in (DEDENT, END, NEWLINE)
    begins_line = margin_of(now.content) == now.column - 1
    for number in reversed(now.open):
        opener = now.tokens[number]
        last = _last_deeper_line(now, opener, len(now.lines) if at_end else now.line)
        if last is None and (at_end or (now.token.kind in _STATEMENT_WORDS and begins_line)):
            last = len(now.lines) - 1 if at_end else now.line - 1
        if last is not None:
            return _never_closed(now, opener, last)
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


def _last_deeper_line(now: Situation, opener: Token, end: int) -> int | None:
    """The line before the first that is not indented deeper than the opener's; None where all are, up to line `end`."""
    margin = margin_of(now.lines[opener.line - 1])
    last = opener.line
    for number in range(opener.line + 1, end + 1):
        row = now.lines[number - 1]
        if row.strip():
            if margin_of(row) <= margin and row.strip()[0] not in ")]}":
                return last
            last = number
    return None


def _never_closed(now: Situation, opener: Token, last: int) -> Slip:
    """`last` is the last line that can belong into the bracket; a header's bracket ends with the header."""
    diagnostic = diagnose("never-closed", now.of(opener), bracket=opener.kind)
    content = now.lines[opener.line - 1]
    on_line = [token for token in now.tokens if token.line == opener.line and token.text]
    if on_line[0].kind in BLOCK_WORDS and on_line[-1].kind == ":":
        cut = on_line[-1].column - 1
        return Slip(diagnostic, opener.line, content[:cut] + OPENERS[opener.kind] + content[cut:])
    while last > opener.line and not now.lines[last - 1].strip():
        last -= 1
    row = now.lines[last - 1]
    cut = max([token.end_column - 1 for token in now.tokens if token.end_line == last and token.text], default=len(row))
    return Slip(diagnostic, last, row[:cut] + OPENERS[opener.kind] + row[cut:])
