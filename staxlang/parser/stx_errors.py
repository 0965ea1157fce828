"""lark's errors pass through here and become diagnostics in the user's terms, with a mended text so that parsing can go on."""

from __future__ import annotations

import re
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.indenter import DedentError

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.spans import Span
from staxlang.parser.brackets import CLOSERS, Bracket, open_brackets
from staxlang.parser.stx_grammar import terminal_text
from staxlang.parser.stx_places import Place
from staxlang.parser.stx_repair import Slip, margin_of, uneven_line

_WORD = re.compile(r"\w+")
_BLOCK_WORDS = frozenset({"kernel", "def", "if", "elif", "else", "for", "while", "with"})
_CONDITION_WORDS = frozenset({"if", "elif", "while", "assert", "return"})
# What begins a statement and cannot continue an expression, so that it does not belong into an open bracket.
_STATEMENT_WORDS = frozenset({"return", "assert", "break", "continue", "pass", "while", "with", "def", "elif"})
_BARE_FACT = re.compile(r"\bwhere\s+(?:[^#]*,\s*)?([^\W\d]\w*)\s*:\s*(?:#.*)?$")
_TOP_WORDS = frozenset({"kernel", "def", "const", "import", "from"})

# Words of Python that .stx does not have, and what to write instead.
PYTHON_WORD_ROWS: dict[str, str] = {
    "try": "test the condition with `if` or `where`; nothing is raised inside a kernel",
    "except": "test the condition with `if` or `where`; nothing is raised inside a kernel",
    "finally": "test the condition with `if` or `where`; nothing is raised inside a kernel",
    "raise": "use `assert condition, message`",
    "class": "write functions, and pass values as parameters",
    "yield": "collect the values in a list and return it",
    "async": "make it an ordinary function",
    "await": "call the kernel from the coroutine instead",
    "global": "return the new value",
    "nonlocal": "return the new value",
    "del": "leave the line out; names end with their function",
    "match": "write `if` and `elif`",
    "import": "imports stand at the top of the file",
    "from": "imports stand at the top of the file",
    "@": "write `kernel` for what others may call, `def` for what they may not",
}
# Spellings of Python and its neighbours, and those of .stx.
SPELLING_ROWS: dict[str, str] = {
    "True": "`true`", "False": "`false`", "None": "`none`", "null": "`none`", "&&": "`and`", "||": "`or`", "!": "`not`", "<>": "`!=`",
    "++": "`+= 1`", "--": "`-= 1`", "else if": "`elif`", "elseif": "`elif`", "elsif": "`elif`",
}  # fmt: skip
_KERNEL_SPELLINGS = frozenset({"kernal", "kernl", "Kernel", "fn", "func", "function", "fun", "fct", "proc", "define"})
_CONSTANT_SPELLINGS = frozenset({"let", "var", "val", "constant", "Const", "final", "static"})

# What a terminal is called in a message; those not listed are shown as they are written.
TERMINAL_ROWS: dict[str, str] = {
    "_NEWLINE": "the end of the line", "_INDENT": "an indented block", "_DEDENT": "the end of the block", "$END": "the end of the file",
    "NAME": "a name", "NUMBER": "a number", "STRING": "a string", "BYTES": "a string", "FSTRING": "a string",
}  # fmt: skip
_EXPRESSION_STARTS = frozenset({"NAME", "NUMBER", "LPAR"})
_OPERATORS = frozenset({"PLUS", "MINUS", "SLASH", "PERCENT"})


def explain(error: Exception, text: str, place: Place) -> Slip:
    """The slip behind an error of lark, which has a known cause or is told as what was found and what could come."""
    if isinstance(error, DedentError) or not isinstance(error, UnexpectedInput):
        return uneven_line(text, place)
    line, column = _position(error, text)
    lines = text.split("\n")
    content = lines[line - 1]
    found = _found(error, content, column)
    span = place.span((line, column), (line, column + max(len(found), 1)))
    first = _WORD.match(content.lstrip())
    known = (
        _bracket(error, found, text, line, column, place)
        or _python_word(found, content, column, line, place)
        or _fact(content, line, column, place)
        or _spelling(found, content, column, line, place)
        or _equals(error, found, content, first[0] if first else "", column, line, span)
        or _colon(error, content, first[0] if first else "", column, line, place)
        or _block(error, lines, line, span, place)
        or _top(content, line, column, place)
        or _literal(found, line, span)
    )
    if known:
        return known
    return Slip(diagnose("expected-token", span, expected=_expectation(error), found=_name(error, found)), line)


def _token(error: Any) -> Token | None:
    """The token that could not come; None where not even a token could be read."""
    found: Any = error
    return found.token if isinstance(error, UnexpectedToken) else None


def _kind(error: Any) -> str:
    token = _token(error)
    return token.type if token is not None else ""


def _position(error: UnexpectedInput, text: str) -> tuple[int, int]:
    """Line and column of the error; the end of a file, and of a block, is behind the last line's text."""
    at_end = _kind(error) in ("$END", "_DEDENT")
    line, column = error.line, error.column
    if _kind(error) == "_INDENT":  # the token begins at the line end before it
        lines = text.split("\n")
        line = next((number for number in range(line + 1, len(lines) + 1) if lines[number - 1].strip()), line)
        return line, margin_of(lines[line - 1]) + 1
    if at_end or line < 1:
        lines = text.rstrip().split("\n")
        return len(lines), len(lines[-1]) + 1
    return line, column


def _found(error: UnexpectedInput, content: str, column: int) -> str:
    if _kind(error) in ("_NEWLINE", "_INDENT", "_DEDENT", "$END"):
        return ""
    rest = content[column - 1 :]
    word = _WORD.match(rest)
    if word:
        return word[0]
    if rest[:2] in ("&&", "||", "<>", "++", "--", "!="):
        return rest[:2]
    token = _token(error)
    return rest[:1] if token is None else str(token).split("\n")[0]


def _accepted(error: UnexpectedInput) -> set[str]:
    """The terminals that could really come; in a merged LALR state the table lists more."""
    if isinstance(error, UnexpectedToken):
        return set(error.accepts or error.expected)
    return set(error.allowed or ()) if isinstance(error, UnexpectedCharacters) else set()


# ---- known causes ----


def _bracket(error: UnexpectedInput, found: str, text: str, line: int, column: int, place: Place) -> Slip | None:
    """A bracket that is never closed, is closed by the wrong sign, or closes nothing."""
    stack = open_brackets(text, line, column)
    lines = text.split("\n")
    if found in (")", "]", "}"):
        content = lines[line - 1]
        if not stack:
            span = place.span((line, column), (line, column + 1))
            mended = content[: column - 1] + content[column:]
            return Slip(diagnose("syntax-error", span, message=f"`{found}` closes no bracket"), line, mended)
        opener = stack[-1]
        if CLOSERS[opener.sign] == found:
            return None
        mended = content[: column - 1] + CLOSERS[opener.sign] + content[column - 1 :]
        return Slip(_never_closed(opener, place), line, mended)
    at_end = _kind(error) in ("$END", "_DEDENT")
    for opener in reversed(stack):
        later = lines[opener.line :] if at_end else lines[opener.line : line]
        margin = margin_of(lines[opener.line - 1])
        shallow = any(row.strip() and margin_of(row) <= margin and row.strip()[0] not in ")]}" for row in later)
        if shallow or at_end or (found in _STATEMENT_WORDS and margin_of(lines[line - 1]) == column - 1):
            return Slip(_never_closed(opener, place), opener.line, _closed(lines[opener.line - 1], opener))
    return None


def _never_closed(opener: Bracket, place: Place) -> Diagnostic:
    span = place.span((opener.line, opener.column), (opener.line, opener.column + 1))
    return diagnose("never-closed", span, bracket=opener.sign)


def _closed(content: str, opener: Bracket) -> str:
    """The opener's line with the closer at its end, before the colon of a header."""
    code = _code(content)
    first = _WORD.match(code.lstrip())
    body = code.rstrip(":") if first and first[0] in _BLOCK_WORDS else code
    return body + CLOSERS[opener.sign] + content[len(body) :]


def _python_word(found: str, content: str, column: int, line: int, place: Place) -> Slip | None:
    start = len(content) - len(content.lstrip())
    first = _WORD.match(content, start)
    word = "@" if content[start : start + 1] == "@" else first[0] if first else ""
    if word in _TOP_WORDS and start == 0:
        return None
    if word == "match" and not content.rstrip().endswith(":"):
        return None
    if word not in PYTHON_WORD_ROWS:
        word, start = found, column - 1
    if word not in PYTHON_WORD_ROWS:
        return None
    span = place.span((line, start + 1), (line, start + 1 + len(word)))
    return Slip(diagnose("python-only", span, help=PYTHON_WORD_ROWS[word], what=word), line)


def _fact(content: str, line: int, column: int, place: Place) -> Slip | None:
    """`where N:` says nothing about N."""
    named = _BARE_FACT.search(content)
    if named is None or column <= named.start(1):
        return None
    span = place.span((line, named.start(1) + 1), (line, named.end(1) + 1))
    message = (
        f"`where {named[1]}` says nothing about `{named[1]}`; write a comparison of sizes, or a class of dtypes such as `{named[1]}: float`"
    )
    return Slip(diagnose("syntax-error", span, message=message), line, content[: content.rindex("where")].rstrip() + ":")


def _spelling(found: str, content: str, column: int, line: int, place: Place) -> Slip | None:
    before = content[: column - 1].rstrip()
    start = column - 1
    if found == "if" and before.endswith("else"):
        found, start = "else if", before.rfind("else")
    elif found in ("&", "|") and content[start - 1 : start] == found:
        found, start = found * 2, start - 1
    elif not found and before[-2:] in ("++", "--"):
        found, start = before[-2:], len(before) - 2
    right = SPELLING_ROWS.get(found)
    if right is None:
        return None
    end = column + 1 if found == "else if" else start + len(found)
    span = place.span((line, start + 1), (line, end + 1))
    word = right.strip("`") + (" " if found == "!" else "")
    return Slip(
        diagnose("python-spelling", span, help=f"write {right}", found=found, right=right), line, content[:start] + word + content[end:]
    )


def _equals(error: UnexpectedInput, found: str, content: str, first: str, column: int, line: int, span: Span) -> Slip | None:
    if found != "=" or not isinstance(error, UnexpectedToken) or not _code(content[column:]):
        return None
    if first not in _CONDITION_WORDS and not {"RPAR", "RSQB"} & _accepted(error):
        return None
    return Slip(diagnose("equals-in-condition", span), line, content[: column - 1] + "=" + content[column - 1 :])


def _colon(error: UnexpectedInput, content: str, first: str, column: int, line: int, place: Place) -> Slip | None:
    """A header without its colon: at the end of its line, or before a statement's word."""
    kind = _kind(error)
    if first not in _BLOCK_WORDS or "COLON" not in _accepted(error):
        return None
    if kind not in ("_NEWLINE", "_INDENT", "RETURN", "PASS", "BREAK", "CONTINUE", "ASSERT"):
        return None
    end = len(_code(content)) if kind in ("_NEWLINE", "_INDENT") else len(content[: column - 1].rstrip())
    span = place.span((line, end + 1), (line, end + 2))
    what = (
        "the header of the definition" if first in ("kernel", "def") else f"`{first}`" if first == "else" else f"the condition of `{first}`"
    )
    if first in ("for", "with"):
        what = f"the header of `{first}`"
    return Slip(diagnose("missing-colon", span, what=what), line, content[:end] + ":" + content[end:])


def _block(error: UnexpectedInput, lines: list[str], line: int, span: Span, place: Place) -> Slip | None:
    if _kind(error) == "_INDENT":
        margin = margin_of(lines[line - 1])
        before = next((margin_of(row) for row in reversed(lines[: line - 1]) if row.strip()), 0)
        at = place.span((line, 1), (line, max(margin, 1) + 1))
        return Slip(diagnose("inconsistent-indentation", at), line, " " * before + lines[line - 1].lstrip())
    if "_INDENT" not in _accepted(error):
        return None
    header = next((number for number in range(line - 1, 0, -1) if lines[number - 1].strip()), line)
    if _code(lines[line - 1]).endswith(":"):
        header = line
    word = _WORD.match(lines[header - 1].lstrip())
    what = "the header of the definition" if word is None or word[0] in ("kernel", "def") else f"`{word[0]}`"
    return Slip(diagnose("missing-block", span, what=what), header, _code(lines[header - 1]) + " pass")


def _top(content: str, line: int, column: int, place: Place) -> Slip | None:
    """The first line of an item that begins with none of the words that may stand there."""
    margin = margin_of(content)
    if line == 1 and margin and column == margin + 1:
        return Slip(diagnose("inconsistent-indentation", place.span((1, 1), (1, column))), 1)
    first = _WORD.match(content)
    if line != 1 or column != 1 or (first and first[0] in _TOP_WORDS):
        return None
    word = first[0] if first else content[:1]
    span = place.span((1, 1), (1, 1 + len(word)))
    advice = None
    if word in _KERNEL_SPELLINGS:
        advice = f"write `kernel` instead of `{word}`"
    elif word in _CONSTANT_SPELLINGS:
        advice = f"write `const` instead of `{word}`"
    elif re.match(r"\w+\s*(?::[^=]*)?=(?!=)", content):
        advice = f"write `const {_code(content)}`"
    return Slip(diagnose("not-a-definition", span, help=advice, found=f"`{word}`"), 1)


def _literal(found: str, line: int, span: Span) -> Slip | None:
    if found in ('"', "'"):
        return Slip(diagnose("syntax-error", span, message="the string that starts here does not end"), line)
    return None


# ---- what was found, what could come ----


def _expectation(error: UnexpectedInput) -> str:
    accepted = _accepted(error)
    names: list[str] = []
    if accepted >= _EXPRESSION_STARTS:
        names.append("an expression")
        accepted = {name for name in accepted if name in ("RPAR", "RSQB", "RBRACE", "COLON", "_NEWLINE")}
    elif accepted >= _OPERATORS:
        names.append("an operator")
        accepted = {name for name in accepted if name in ("RPAR", "RSQB", "RBRACE", "COLON", "COMMA", "_NEWLINE", "ELSE")}
    names += sorted({_terminal(name) for name in accepted})
    if len(names) > 5:
        names = [*names[:4], "..."]
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else (names or ["something else"])[0]


def _terminal(name: str) -> str:
    known = TERMINAL_ROWS.get(name)
    if known:
        return known
    return f"`{terminal_text(name)}`"


def _name(error: UnexpectedInput, found: str) -> str:
    if found:
        return f"`{found}`"
    return TERMINAL_ROWS.get(_kind(error), "the end")


def _code(line: str) -> str:
    """The line without a comment at its end; a `#` in a string counts as one, which only matters for where a colon is put."""
    return line.split("#", 1)[0].rstrip()
