"""A slip's situation passes through here: is it one that has a name - a word of Python, another spelling, a missing colon, a lost block?"""

from __future__ import annotations

import unicodedata

from staxlang.base.diagnostics import diagnose
from staxlang.base.suggestions import closest
from staxlang.parser.stx_repair import Slip, margin_of, shifted
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
    "then": ":", "do": ":", "otherwise": "else",
    "\N{MULTIPLICATION SIGN}": "*", "\N{DIVISION SIGN}": "/", "\N{MINUS SIGN}": "-", "\N{DOT OPERATOR}": "*", "\N{MIDDLE DOT}": "*",
    "\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{RIGHTWARDS ARROW}": "->",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"', "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{EN DASH}": "-", "\N{EM DASH}": "-",
}  # fmt: skip
DTYPES = frozenset({"bool", "bf16", *(f"{kind}{bits}" for kind in "iuf" for bits in (8, 16, 32, 64)), "c64", "c128", "float", "int"})
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
    elif now.number == now.start + 1 and now.first.text in ("elseif", "elsif"):
        found, first = now.first.text, now.first
        slip = diagnose("python-spelling", now.of(first), help="write `elif`", found=found, right="`elif`")
        return Slip(slip, now.line, now.content[: first.column - 1] + "elif" + now.content[first.end_column - 1 :])
    elif not found and before is not None and now.number > 1:
        twice = now.tokens[now.number - 2]
        if before.kind in ("+", "-") and twice.kind == before.kind and twice.end_column == before.column:
            right = f"{before.kind}= 1"
            mended = now.content[: twice.column - 1] + right + now.content[before.end_column - 1 :]
            slip = diagnose("python-spelling", now.of(twice, before), help=f"write `{right}`", found=before.kind * 2, right=f"`{right}`")
            return Slip(slip, now.line, mended)
    right = "->" if found == "=>" and "->" in now.accepted else SPELLING_ROWS.get(found)
    if right is None or (right in (":", "else") and right not in now.accepted) or (right == ":" and now.first.kind not in BLOCK_WORDS):
        return None
    word = right + (" " if found == "!" else "")
    slip = diagnose("python-spelling", now.of(first, now.token), help=f"write `{right}`", found=found, right=f"`{right}`")
    mended = _replaced(now, word, first)
    if right in "\"'":  # quotation marks come in pairs
        mended = "".join([SPELLING_ROWS[sign] if SPELLING_ROWS.get(sign, "") in ("'", '"') else sign for sign in mended])
    return Slip(slip, now.line, mended)


def equals(now: Situation) -> Slip | None:
    """`=` where a condition compares."""
    if now.token.kind != "=" or now.after.kind == NEWLINE or now.before is None or now.before.kind not in _ENDS:
        return None
    facts = now.first.kind in ("kernel", "def") and not now.open and any(token.kind == "where" for token in now.tokens[: now.number])
    if now.first.kind not in _CONDITION_WORDS and not facts and not now.accepted & {")", "]"}:
        return None
    return Slip(diagnose("equals-in-condition", now.span()), now.line, _replaced(now, "=="))


def header(now: Situation) -> Slip | None:
    """A header without its colon, with `{`, `=` or nothing after `->`."""
    first, before = now.first, now.before
    if before is not None and before.text == "where" and now.number > 1 and now.tokens[now.number - 2].kind == "->":
        before = now.tokens[now.number - 2]  # `-> where N > 2` reads as a type that is called `where`
        mended = now.content[: before.column - 1] + now.content[before.end_column :]
        return Slip(diagnose("missing-type", now.of(before)), before.line, mended)
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
        advice = f"nothing above opens a block: indent it by {above} spaces"
        if now.after.kind in _OPERATORS:
            advice = "put the expression in parentheses to go on in the next line"
        at = now.place.span((now.line, 1), (now.line, max(margin, 1) + 1))
        slip = diagnose("inconsistent-indentation", at, help=advice)
        if now.after.kind in _OPERATORS and now.after.kind not in ("+", "-"):
            return Slip(slip, now.line)
        return Slip(slip, now.line, text=shifted(now.lines, number, above - margin))
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
    elif now.after.text in TOP_WORDS:
        advice = f"leave `{word.text}` out: `kernel` makes what others may call, `def` what they may not"
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
    what = "a comma or an operator" if "+" in now.accepted else "a comma"
    return Slip(diagnose("missing-comma", now.span(), what=what, found=f"`{now.found}`"), before.end_line, mended)


def comment_sign(now: Situation) -> Slip | None:
    """`//` and `/*` at the start of a line."""
    if now.token is not now.first or now.found not in ("//", "/*"):
        return None
    mended = "" if now.number else None
    return Slip(diagnose("python-spelling", now.span(), help="write `#`", found=now.found, right="`#`"), now.line, mended)


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
        slip = diagnose("syntax-error", now.span(), message="the string that starts here does not end")
        if now.content[now.column - 1 :].startswith(sign[-1] * 3):  # it has swallowed all that follows
            return Slip(slip, now.line, text="\n".join([*now.lines[: now.line - 1], now.content[: now.column - 1] + "pass", ""]))
        return Slip(slip, now.line)
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
    elif now.token.kind == "import" and now.before is not None and now.before.kind in (".", "..", "..."):
        dots = "".join([token.text for token in now.tokens[1 : now.number]])
        advice = f"write `import {dots}{now.after.text}`"
    elif now.token.kind in ("STRING", "/"):
        advice = "a module is named by its path with dots: `import folder.file`"
    if advice is None:
        return None
    expected = "a name" if now.token.kind != "," else "the end of the line"
    return Slip(diagnose("expected-token", now.span(), help=advice, expected=expected, found=f"`{now.found}`"), now.line)


def header_name(now: Situation) -> Slip | None:
    """A definition's name without parentheses after it; `kernel def`; a `const` of several names."""
    first = now.first
    if first.kind not in ("kernel", "def", "const"):
        return None
    if now.number == now.start + 1 and now.token.kind in TOP_WORDS:
        advice = f"write `{first.text}` or `{now.token.text}`, not both"
        return Slip(diagnose("expected-token", now.span(), help=advice, expected="a name", found=_shown(now)), now.line, _replaced(now, ""))
    if now.number != now.start + 2 or now.tokens[now.start + 1].kind != "NAME":
        return None
    name = now.tokens[now.start + 1].text
    if "(" in now.accepted:
        advice = f"parameters stand in parentheses: `{first.text} {name}(x, y):`"
        return Slip(diagnose("expected-token", now.span(), help=advice, expected="`(`", found=_shown(now)), now.line)
    if first.kind == "const" and now.token.kind in (",", "AUGMENTED", NEWLINE):
        advice = f"write `const {name} = value`" + (", a line for each name" if now.token.kind == "," else "")
        return Slip(diagnose("expected-token", now.span(), help=advice, expected="`=`", found=_shown(now)), now.line)
    return None


def parameter_type(now: Situation) -> Slip | None:
    """`x f32[N]`, `f32[N] x`, and `(x): f32[N]:` for the result."""
    before, first = now.before, now.first
    if first.kind not in ("kernel", "def") or before is None:
        return None
    inside = len(now.open) == 1 and now.tokens[now.open[0]].kind == "(" and now.open[0] == now.start + 2
    if inside and before.kind == "NAME" and now.token.kind == "[":
        slip = diagnose("expected-token", now.span(), help=f"the name comes first: `x: {before.text}[...]`", expected="`:`", found="`[`")
        return Slip(slip, now.line)
    if inside and before.kind == "NAME" and now.token.kind == "NAME" and (now.after.kind == "[" or now.found in DTYPES):
        content = now.lines[before.end_line - 1]
        end = before.end_column - 1
        span = now.place.span((before.end_line, end + 1), (before.end_line, end + 2))
        slip = diagnose("missing-colon", span, help=f"write `{before.text}: {now.found}`", what=f"the parameter `{before.text}`")
        return Slip(slip, before.end_line, content[:end] + ":" + content[end:])
    colons = [token for token in now.tokens[now.start : now.number] if token.kind == ":" and token.line == before.line]
    if now.token.kind == NEWLINE and before.kind == ":" and len(colons) > 1 and colons[-2].column > first.column and not now.open:
        result = colons[-2]
        if now.tokens[list(now.tokens).index(result) - 1].kind == ")":
            content = now.lines[result.line - 1]
            mended = content[: result.column - 1].rstrip() + " ->" + content[result.end_column - 1 :]
            slip = diagnose("expected-token", now.of(result), help="the type of the result follows `->`", expected="`->`", found="`:`")
            return Slip(slip, result.line, mended)
    return None


def number(now: Situation) -> Slip | None:
    """A number with letters or digits behind it."""
    before = now.before
    if before is None or before.kind != "NUMBER" or (before.end_line, before.end_column) != (now.line, now.column):
        return None
    if now.token.kind not in ("NAME", "NUMBER") and not now.found[:1].isalpha():
        return None
    text = before.text + now.found
    advice = f"write `{before.text} * {now.found}`" if now.found.isidentifier() and now.found[0] not in "_eExXbBoO" else None
    return Slip(diagnose("syntax-error", now.of(before, now.token), help=advice, message=f"`{text}` is not a number"), now.line)


def _shown(now: Situation) -> str:
    return f"`{now.found}`" if now.found else "the end of the line"


STATEMENT_SLIPS = (comment_sign, imports, python_word, top)
SLIPS = (
    header_name,
    parameter_type,
    number,
    bare_fact,
    spelling,
    equals,
    header,
    continued,
    block,
    lost_branch,
    nested_word,
    walrus,
    literal,
    comma,
)
