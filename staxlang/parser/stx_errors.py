"""lark's errors pass through here and become diagnostics in the user's terms, with a mended text so that parsing can go on."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.indenter import DedentError

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.spans import Source, Span
from staxlang.parser.brackets import line_depths, open_brackets
from staxlang.parser.items import Item
from staxlang.parser.stx_places import Place

_WORD = re.compile(r"\w+")
_BLOCK_WORDS = frozenset({"kernel", "def", "if", "elif", "else", "for", "while", "with"})
_CONDITION_WORDS = frozenset({"if", "elif", "while", "assert", "return"})
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


class Slip(NamedTuple):
    """A diagnostic, the line it is about (from 1 in the parsed text), and what mends it: a new text of that line, where one is known."""

    diagnostic: Diagnostic
    line: int
    mended: str | None = None


def indentation_slips(source: Source, item: Item) -> tuple[str, list[Diagnostic]]:
    """The item with tabs in its indentation replaced by spaces, and a diagnostic for the first of them."""
    if "\t" not in item.text:
        return item.text, []
    lines = item.text.split("\n")
    slips: list[Diagnostic] = []
    for number, line in enumerate(lines):
        margin = line[: len(line) - len(line.lstrip())]
        if "\t" in margin:
            if not slips:
                row = source.first_line + item.line - 1 + number
                column = margin.index("\t")
                slips.append(diagnose("tab-indentation", Span(source, row, column, row, column + 1)))
            lines[number] = margin.expandtabs(4) + line[len(margin) :]
    return "\n".join(lines), slips


def explain(error: Exception, text: str, place: Place) -> Slip:
    """The slip behind an error of lark, which has a known cause or is told as what was found and what could come."""
    if isinstance(error, DedentError) or not isinstance(error, UnexpectedInput):
        return _uneven(text, place)
    line, column = _position(error, text)
    lines = text.split("\n")
    content = lines[line - 1]
    found = _found(error, content, column)
    span = place.span((line, column), (line, column + max(len(found), 1)))
    first = _WORD.match(content.lstrip())
    known = (
        _unclosed(error, text, line, place)
        or _python_word(found, content, column, line, place)
        or _spelling(found, content, column, line, span)
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


def _unclosed(error: UnexpectedInput, text: str, line: int, place: Place) -> Slip | None:
    """A bracket is open at the error, and a line since is not indented deeper than the line that opened it."""
    if _kind(error) in ("$END", "_DEDENT"):
        line += 1
    lines = text.split("\n")
    for opener in reversed(open_brackets(text, line)):
        margin = _margin(lines[opener.line - 1])
        later = [row for row in lines[opener.line : line] if row.strip()]
        if any(_margin(row) <= margin and row.strip()[0] not in ")]}" for row in later) or line > len(lines) - (lines[-1] == ""):
            span = place.span((opener.line, opener.column), (opener.line, opener.column + 1))
            content = lines[opener.line - 1].rstrip()
            header = _WORD.match(content.lstrip())
            closer = {"(": ")", "[": "]", "{": "}"}[opener.sign]
            body = content.rstrip(":") if header and header[0] in _BLOCK_WORDS else content
            return Slip(diagnose("never-closed", span, bracket=opener.sign), opener.line, body + closer + content[len(body) :])
    return None


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


def _spelling(found: str, content: str, column: int, line: int, span: Span) -> Slip | None:
    if found == "if" and content[: column - 1].rstrip().endswith("else"):
        found = "else if"
    right = SPELLING_ROWS.get(found)
    if right is None:
        return None
    word = right.strip("`")
    start = column - 1
    if found == "else if":
        start = content[:start].rstrip().rfind("else")
        end = column + 1
    else:
        end = start + len(found)
    mended = None if found in ("++", "--") else f"{content[:start]}{word}{' ' if found == '!' else ''}{content[end:]}"
    return Slip(diagnose("python-spelling", span, help=f"write {right}", found=found, right=right), line, mended)


def _equals(error: UnexpectedInput, found: str, content: str, first: str, column: int, line: int, span: Span) -> Slip | None:
    if found != "=" or not isinstance(error, UnexpectedToken):
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
        margin = _margin(lines[line - 1])
        at = place.span((line, 1), (line, max(margin, 1) + 1))
        return Slip(diagnose("inconsistent-indentation", at), line)
    if "_INDENT" in _accepted(error):
        header = next((row for row in reversed(lines[: line - 1]) if row.strip()), "")
        word = _WORD.match(header.lstrip())
        return Slip(diagnose("missing-block", span, what=f"`{word[0]}`" if word else "the header"), line)
    return None


def _top(content: str, line: int, column: int, place: Place) -> Slip | None:
    """The first line of an item that begins with none of the words that may stand there."""
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


def _uneven(text: str, place: Place) -> Slip:
    """A line whose indentation is that of no block above it."""
    margins = [0]
    depths = line_depths(text)
    for number, row in enumerate(text.split("\n")):
        if not row.strip() or row.lstrip()[0] == "#" or depths[number]:
            continue
        margin = _margin(row)
        if margin > margins[-1]:
            margins.append(margin)
        while margin < margins[-1]:
            margins.pop()
        if margin != margins[-1]:
            span = place.span((number + 1, 1), (number + 1, margin + 1))
            return Slip(diagnose("inconsistent-indentation", span), number + 1, " " * margins[-1] + row.lstrip())
    return Slip(diagnose("inconsistent-indentation", place.span((1, 1), (1, 2))), 1)


# ---- what was found, what could come ----


def _expectation(error: UnexpectedInput) -> str:
    accepted = _accepted(error)
    names: list[str] = []
    if accepted >= _EXPRESSION_STARTS:
        names.append("an expression")
        accepted = {name for name in accepted if name in ("RPAR", "RSQB", "RBRACE", "COLON", "_NEWLINE")}
    elif accepted >= _OPERATORS:
        names.append("an operator")
        accepted = {name for name in accepted if name in ("RPAR", "RSQB", "RBRACE", "COLON", "COMMA", "_NEWLINE", "ELSE", "IN")}
    names += sorted({_terminal(error, name) for name in accepted})
    if len(names) > 5:
        names = [*names[:4], "..."]
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else (names or ["something else"])[0]


def _terminal(error: UnexpectedInput, name: str) -> str:
    known = TERMINAL_ROWS.get(name)
    if known:
        return known
    terminals: Any = getattr(error, "_terminals_by_name", None) or {}
    definition = terminals.get(name)
    return f"`{definition.pattern.value}`" if definition is not None else f"`{name.lower()}`"


def _name(error: UnexpectedInput, found: str) -> str:
    if found:
        return f"`{found}`"
    return TERMINAL_ROWS.get(_kind(error), "the end")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _code(line: str) -> str:
    """The line without a comment at its end; a `#` in a string counts as one, which only matters for where a colon is put."""
    return line.split("#", 1)[0].rstrip()


# ---- going on ----


def repair(text: str, slip: Slip) -> str | None:
    """The text with the slip's line mended, or blanked where nobody knows how; None where the rest makes no sense without it."""
    lines = text.split("\n")
    index = slip.line - 1
    if slip.mended is not None:
        lines[index] = slip.mended
        return "\n".join(lines)
    depths = line_depths(text)
    first = index
    while first > 0 and depths[first]:
        first -= 1
    if first == 0:
        return None
    last = index
    while last + 1 < len(lines) and depths[last + 1] and _margin(lines[last + 1]) > _margin(lines[first]):
        last += 1
    margin = _margin(lines[first])
    following = next((row for row in lines[last + 1 :] if row.strip()), "")
    word = _WORD.match(lines[first].lstrip())
    lines[first : last + 1] = [" " * margin + ("if true:" if _margin(following) > margin else "pass")] + [""] * (last - first)
    if word and word[0] in ("try", "except", "finally"):
        _blank_handlers(lines, last + 1, margin)
    return "\n".join(lines)


def _blank_handlers(lines: list[str], start: int, margin: int) -> None:
    """`except` and `finally` belong to the `try` that was reported already."""
    for number in range(start, len(lines)):
        row = lines[number]
        word = _WORD.match(row.lstrip())
        if (
            row.strip()
            and _margin(row) <= margin
            and (word is None or word[0] not in ("except", "finally", "else") or _margin(row) < margin)
        ):
            return
        if word and _margin(row) == margin:
            lines[number] = " " * margin + "if true:"
