"""A slip's situation passes through here: is it one that has a name - a word of Python, another spelling, a missing colon, a lost block?"""

from __future__ import annotations

import unicodedata

from staxlang.base.diagnostics import diagnose
from staxlang.base.suggestions import closest
from staxlang.parser.stx_repair import Slip, margin_of
from staxlang.parser.stx_situation import BLOCK_WORDS, LAYOUT, TOP_WORDS, Situation
from staxlang.parser.stx_tokens import INDENT, NEWLINE, OTHER, Token

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
    "True": "true", "False": "false", "None": "none", "null": "none", "nil": "none", "AND": "and", "OR": "or", "NOT": "not", "&&": "and",
    "||": "or", "!": "not", "<>": "!=", "===": "==", "=>": ">=", "else if": "elif", "elseif": "elif", "elsif": "elif",
    "then": ":", "do": ":",
    "\N{MULTIPLICATION SIGN}": "*", "\N{DIVISION SIGN}": "/", "\N{MINUS SIGN}": "-", "\N{DOT OPERATOR}": "*", "\N{MIDDLE DOT}": "*",
    "\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{RIGHTWARDS ARROW}": "->",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"', "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{EN DASH}": "-", "\N{EM DASH}": "-",
}  # fmt: skip
_KERNEL_SPELLINGS = frozenset({"kernal", "kernl", "Kernel", "fn", "func", "function", "fun", "fct", "proc", "define"})
_CONSTANT_SPELLINGS = frozenset({"let", "var", "val", "constant", "Const", "final", "static"})
_CONDITION_WORDS = frozenset({"if", "elif", "while", "assert", "return"})
_STARTS = frozenset({"NAME", "NUMBER", "STRING", "FSTRING", "BYTES", "true", "false", "none", "(", "[", "{", "not", "lambda", "REDUCE"})
_ENDS = frozenset({"NAME", "NUMBER", "STRING", "FSTRING", "BYTES", "true", "false", "none", ")", "]", "}", "..."})
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "and", "or"})


def _replaced(now: Situation, text: str, first: Token | None = None) -> str:
    """The line with a text instead of the unexpected token, or of all from `first` to it."""
    return now.content[: (first or now.token).column - 1] + text + now.content[now.token.end_column - 1 :]


def python_word(now: Situation) -> Slip | None:
    """A statement of Python, told by its first word or by the word that was found."""
    first = now.first
    at_margin = first.column == 1
    if first.text in TOP_WORDS and at_margin:
        return None
    token = first if first.text in PYTHON_WORD_ROWS else now.token
    if token.text == "match" and not (token is first and now.content.rstrip().endswith(":")):
        return None
    if token.text not in PYTHON_WORD_ROWS or (token.text == "@" and token is not first):
        return None
    return Slip(diagnose("python-only", now.of(token), help=PYTHON_WORD_ROWS[token.text], what=token.text), token.line)


def bare_fact(now: Situation) -> Slip | None:
    """`where N:` says nothing about N; `where T: float and N > 2` joins what commas separate."""
    if now.first.kind not in ("kernel", "def") or not any(token.kind == "where" for token in now.tokens[now.start : now.number]):
        return None
    name = now.tokens[now.number - 2]
    if now.token.kind == NEWLINE and now.tokens[now.number - 1].kind == ":" and name.kind == "NAME":
        now = now._replace(number=now.number - 1, token=now.tokens[now.number - 1])
    elif now.token.kind == ":" and now.tokens[now.number - 1].kind == "NAME":
        name = now.tokens[now.number - 1]
    elif now.token.kind in ("and", "or", "&") and now.token.kind not in now.accepted:
        slip = diagnose("expected-token", now.span(), help="separate facts by commas", expected="`,`", found=f"`{now.found}`")
        return Slip(slip, now.line, _replaced(now, ","))
    else:
        return None
    if now.tokens[now.tokens.index(name) - 1].kind not in ("where", ","):
        return None
    message = f"`where {name.text}` says nothing about `{name.text}`"
    advice = f"write a comparison of sizes, or a class of dtypes such as `{name.text}: float`"
    where = next(token for token in now.tokens[now.start :] if token.kind == "where")
    content = now.lines[name.line - 1]
    mended = content[: where.column - 1].rstrip() + ":" if where.line == name.line else None
    return Slip(diagnose("syntax-error", now.of(name), help=advice, message=message), name.line, mended)


def spelling(now: Situation) -> Slip | None:
    found, first = now.found, now.token
    before = now.before
    if first.kind == "if" and before is not None and before.kind == "else" and before is now.first:
        found, first = "else if", before
    elif found in ("else", "elif") and now.column > margin_of(now.content) + 1 and now.first.kind in BLOCK_WORDS and not now.open:
        slip = diagnose("syntax-error", now.span(), message=f"`{found}` begins a line of its own")
        return Slip(slip, now.line, now.content[: now.column - 1].rstrip())
    elif not found and before is not None and now.number > 1:
        twice = now.tokens[now.number - 2]
        if before.kind in ("+", "-") and twice.kind == before.kind and twice.end_column == before.column:
            right = f"{before.kind}= 1"
            mended = now.content[: twice.column - 1] + right + now.content[before.end_column - 1 :]
            slip = diagnose("python-spelling", now.of(twice, before), help=f"write `{right}`", found=before.kind * 2, right=f"`{right}`")
            return Slip(slip, now.line, mended)
    right = SPELLING_ROWS.get(found)
    if right is None or (right == ":" and (":" not in now.accepted or now.first.kind not in BLOCK_WORDS)):
        return None
    word = right + (" " if found == "!" else "")
    slip = diagnose("python-spelling", now.of(first, now.token), help=f"write `{right}`", found=found, right=f"`{right}`")
    return Slip(slip, now.line, _replaced(now, word, first))


def equals(now: Situation) -> Slip | None:
    """`=` where a condition compares."""
    if now.token.kind != "=" or now.after.kind == NEWLINE or (now.first.kind not in _CONDITION_WORDS and not now.accepted & {")", "]"}):
        return None
    return Slip(diagnose("equals-in-condition", now.span()), now.line, _replaced(now, "=="))


def header(now: Situation) -> Slip | None:
    """A header without its colon, with `{`, `=` or nothing after `->`."""
    first, before = now.first, now.before
    if before is not None and before.kind == "->" and now.token.kind in (":", NEWLINE, "where"):
        mended = now.content[: before.column - 1].rstrip() + now.content[before.end_column - 1 :]
        return Slip(diagnose("missing-type", now.of(before)), before.line, mended)
    if first.kind not in BLOCK_WORDS or ":" not in now.accepted or before is None:
        return None
    what = f"the condition of `{first.text}`"
    if first.text in ("kernel", "def"):
        what = "the header of the definition"
    elif first.text in ("for", "with"):
        what = f"the header of `{first.text}`"
    elif first.text == "else":
        what = "`else`"
    if now.token.kind == "{":
        lines = [*now.lines]
        lines[now.line - 1] = _replaced(now, ":")
        for number in range(len(lines) - 1, now.line - 1, -1):
            if lines[number].strip() == "}":
                lines[number] = ""
                break
        advice = "write `:`, and indent the lines of the block"
        return Slip(diagnose("missing-colon", now.span(), help=advice, what=what), now.line, text="\n".join(lines))
    if now.token.kind == "=" and first.text in ("kernel", "def"):
        return Slip(diagnose("missing-colon", now.span(), help="write `: return ...`", what=what), now.line, _replaced(now, ": return"))
    if now.token.kind not in (NEWLINE, INDENT, "return", "pass", "break", "continue", "assert"):
        return None
    end = before.end_column - 1
    content = now.lines[before.end_line - 1]
    span = now.place.span((before.end_line, end + 1), (before.end_line, end + 2))
    return Slip(diagnose("missing-colon", span, what=what), before.end_line, content[:end] + ":" + content[end:])


def block(now: Situation) -> Slip | None:
    """A block that is missing, or that nothing opens."""
    number = now.line - 1
    if now.token.kind == INDENT:
        margin = margin_of(now.lines[number])
        above = next((margin_of(row) for row in reversed(now.lines[:number]) if row.strip()), 0)
        advice = "put the expression in parentheses to go on in the next line" if now.after.kind in _OPERATORS else None
        at = now.place.span((now.line, 1), (now.line, max(margin, 1) + 1))
        return Slip(diagnose("inconsistent-indentation", at, help=advice), now.line, " " * above + now.lines[number].lstrip())
    if INDENT not in now.accepted or now.before is None:
        return None
    place = now.number - 1
    while place and now.tokens[place].kind in LAYOUT:
        place -= 1
    colon = now.tokens[place]
    while place and now.tokens[place - 1].kind not in LAYOUT:
        place -= 1
    word = now.tokens[place]
    what = f"`{word.text}`" if word.kind in BLOCK_WORDS and word.text not in ("kernel", "def") else "the header of the definition"
    content = now.lines[colon.line - 1]
    mended = content[: colon.end_column - 1] + " pass" + content[colon.end_column - 1 :]
    return Slip(diagnose("missing-block", now.span(), what=what), colon.line, mended)


def continued(now: Situation) -> Slip | None:
    """An expression that is cut off by its line's end, with its rest in the next one."""
    if now.token.kind != NEWLINE or now.after.kind != INDENT or now.before is None or now.before.kind not in _OPERATORS:
        return None
    advice = "put the expression in parentheses to go on in the next line"
    end = now.column - 1
    slip = diagnose("expected-token", now.span(), help=advice, expected="an expression", found="the end of the line")
    return Slip(slip, now.line, now.content[:end] + " \\")


def lost_branch(now: Situation) -> Slip | None:
    """`else` and `elif` without their `if`."""
    if now.token.kind not in ("else", "elif") or now.token is not now.first:
        return None
    what = "`if`" if now.token.kind == "elif" else "`if`, `for` or `while`"
    ahead = "if true:" if now.token.kind == "else" else "if" + now.content[now.token.end_column - 1 :]
    return Slip(diagnose("lost-branch", now.span(), word=now.token.kind, what=what), now.line, now.content[: now.column - 1] + ahead)


def nested_word(now: Situation) -> Slip | None:
    """`kernel` and `const` inside a definition."""
    first = now.first
    if first.column == 1 or first.text not in ("kernel", "const") or now.number != now.start + 1 or now.token.kind != "NAME":
        return None
    kernel = first.text == "kernel"
    advice = "write `def`: a kernel stands at the margin" if kernel else "leave `const` out: names in a definition are its own"
    row = now.lines[first.line - 1]
    mended = row[: first.column - 1] + ("def " if kernel else "") + row[now.token.column - 1 :] if first.line == now.line else None
    slip = diagnose("expected-token", now.of(first), help=advice, expected="a statement", found=f"`{first.text}`")
    return Slip(slip, first.line, mended)


def top(now: Situation) -> Slip | None:
    """The first line of an item that begins with none of the words that may stand there."""
    if now.number or now.first.text in TOP_WORDS:
        return None
    content, word = now.content, now.token
    if now.column > 1:
        return Slip(diagnose("inconsistent-indentation", now.place.span((now.line, 1), (now.line, now.column))), now.line)
    advice = None
    if word.text in _KERNEL_SPELLINGS or (now.after.kind == "NAME" and closest(word.text, ("kernel",))):
        advice = f"write `kernel` instead of `{word.text}`"
    elif word.text in _CONSTANT_SPELLINGS:
        advice = f"write `const` instead of `{word.text}`"
    elif word.kind == "NAME" and now.after.kind in ("=", ":"):
        advice = f"write `const {content[: now.tokens[-3].end_column - 1] if len(now.tokens) > 3 else content}`"
    elif now.found == "//" or now.found == "/*":
        advice = "a comment begins with `#`"
    return Slip(diagnose("not-a-definition", now.span(), help=advice, found=f"`{now.found}`"), 1)


def comma(now: Situation) -> Slip | None:
    """Two expressions side by side inside brackets."""
    before = now.before
    if not now.open or "," not in now.accepted or now.token.kind not in _STARTS or before is None or before.kind not in _ENDS:
        return None
    row = now.lines[before.end_line - 1]
    mended = row[: before.end_column - 1] + "," + row[before.end_column - 1 :]
    return Slip(diagnose("missing-comma", now.span(), found=f"`{now.found}`"), before.end_line, mended)


def comment_sign(now: Situation) -> Slip | None:
    """`//` and `/*` at the start of a line."""
    if now.token is not now.first or now.found not in ("//", "/*"):
        return None
    return Slip(diagnose("python-spelling", now.span(), help="write `#`", found=now.found, right="`#`"), now.line, "")


def walrus(now: Situation) -> Slip | None:
    if now.token.kind != ":=" or now.open:
        return None
    return Slip(diagnose("python-spelling", now.span(), help="write `=`", found=":=", right="`=`"), now.line, _replaced(now, "="))


def literal(now: Situation) -> Slip | None:
    """A string without its end; a character that is none of the language."""
    if now.token.kind != OTHER:
        return None
    sign = now.token.text
    if sign[-1] in "\"'" or sign[:1] in "\"'":
        return Slip(diagnose("syntax-error", now.span(), message="the string that starts here does not end"), now.line)
    if sign == "?":
        advice = "write `a if condition else b`"
        return Slip(diagnose("bad-character", now.span(), help=advice, what="`?`"), now.line)
    if len(sign) == 1 and (not sign.isascii() or not sign.isprintable()):
        name = unicodedata.name(sign, "").lower()
        what = f"the character U+{ord(sign):04X}" + (f" ({name})" if name else "")
        unseen = sign.isspace() or not sign.isprintable()
        return Slip(diagnose("bad-character", now.span(), what=what), now.line, _replaced(now, " ") if unseen else None)
    return None


def imports(now: Situation) -> Slip | None:
    if now.first.kind not in ("import", "from") or now.first.column != 1:
        return None
    advice = None
    if now.token.kind == "*":
        advice = "name what is imported: `from module import a, b`"
    elif now.first.kind == "import" and now.token.kind == ",":
        advice = "write one `import` for each module"
    elif now.token.kind in ("STRING", "/"):
        advice = "a module is named by its path with dots: `import folder.file`"
    if advice is None:
        return None
    expected = "a name" if now.token.kind != "," else "the end of the line"
    return Slip(diagnose("expected-token", now.span(), help=advice, expected=expected, found=f"`{now.found}`"), now.line)


STATEMENT_SLIPS = (comment_sign, imports, python_word, top)
SLIPS = (bare_fact, spelling, equals, header, continued, block, lost_branch, nested_word, walrus, literal, comma)
