"""A slip's situation passes through here: is it one of index notation - of `let`, a range, a reduction, a guard?"""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.diagnostics import diagnose
from staxlang.parser.stx_repair import Slip
from staxlang.parser.stx_situation import OPENERS, Situation
from staxlang.parser.stx_tokens import NEWLINE, OTHER, Token
from staxlang.parser.tree import REDUCTION_KINDS

# What may stand after `let name[...]` by mistake, and what to write instead.
_LEFT_ROWS: dict[str, str] = {
    ".": "a definition makes a tensor of its own name; parts of another value are assigned without `let`",
    "(": "subscripts stand in square brackets: `let {name}[i] = ...`",
    ",": "define one tensor in each `let`",
    ":": "leave the type out; it follows from the value",
    "[": "write all subscripts in one bracket: `let {name}[i, j] = ...`",
    "==": "write `=`", ":=": "write `=`", NEWLINE: "write what it is: `let {name} = ...`",
}  # fmt: skip
_SIGNS = frozenset({"==", ":="})


def guard_without_else(now: Situation) -> Slip | None:
    if now.first.kind != "LET" or "else" not in now.accepted or now.token.kind != NEWLINE:
        return None
    where = next((token for token in now.tokens[now.start : now.number] if token.kind == "where"), None)
    if where is None:
        return None
    end = now.column - 1
    slip = diagnose("missing-else", now.of(where), name=now.tokens[now.start + 1].text)
    return Slip(slip, now.line, now.content[:end] + " else 0" + now.content[end:])


def left_of_definition(now: Situation) -> Slip | None:
    """`let` with something else than a name and its subscripts before `=`."""
    if now.first.kind == "NAME" and now.first.text == "let" and now.number == now.start + 1 and now.token.kind not in ("=", NEWLINE):
        return Slip(diagnose("bad-definition", now.span(), help="write `let name = ...` or `let name[i, j] = ...`"), now.line)
    if now.first.kind != "LET" or now.open or now.token.kind == OTHER:
        return None
    if any(token.kind in ("=", "AUGMENTED") for token in now.tokens[now.start : now.number]):
        return None
    name = now.tokens[now.start + 1].text
    advice = _LEFT_ROWS.get(now.token.kind, "write `let {name} = ...` or `let {name}[i, j] = ...`").format(name=name)
    mended = None
    if now.token.kind in _SIGNS:
        mended = now.content[: now.column - 1] + "=" + now.content[now.token.end_column - 1 :]
    return Slip(diagnose("bad-definition", now.span(), help=advice), now.line, mended)


def range_of_index(now: Situation) -> Slip | None:
    """In the brackets that bind indices: another sign than `..` between a range's ends, `=` for `in`, one end only."""
    bound = _binding_bracket(now)
    if bound is None:
        return None
    inside = now.tokens[bound + 1 : now.number]
    part = _parts(inside)[-1]
    content, kind = now.content, now.token.kind
    before, after = content[: now.column - 1], content[now.token.end_column - 1 :]
    if len(part) == 1 and part[0].kind == "NAME" and kind in ("=", ":"):
        return Slip(diagnose("bad-range", now.span(), help=f"write `{part[0].text} in start..stop`"), now.line, before + " in " + after)
    if len(part) < 3 or part[1].kind != "in" or now.open[-1] != bound:
        return None
    if any(token.kind == ".." for token in part):
        if kind == "..":
            return Slip(diagnose("bad-range", now.span(), help="leave the step out, and write it in the subscripts: `x[2 * i]`"), now.line)
        if kind == "=" and part[-1].kind == "..":
            advice = "the end is not part of a range: write `stop + 1`"
            return Slip(diagnose("bad-range", now.span(), help=advice), now.line, before + after)
        return None
    start = _text(now, part[2:])
    if kind in (":", "..."):
        stop = now.after.text if now.after.kind in ("NAME", "NUMBER") else "stop"
        return Slip(diagnose("bad-range", now.span(), help=f"write `{start}..{stop}`"), now.line, before + ".." + after)
    if kind in ("]", ",", "if"):
        return _one_end(now, part, start)
    return None


def _one_end(now: Situation, part: Sequence[Token], text: str) -> Slip:
    """`i in N` and `i in range(...)`."""
    first, last = part[2], part[-1]
    span = now.of(first, last)
    written = f"0..{text}"
    if first.text == "range" and len(part) > 4 and part[3].kind == "(":
        texts = [_text(now, end) for end in _parts(part[4:-1]) if end]
        if len(texts) > 2:
            return Slip(diagnose("bad-range", span, help="leave the step out, and write it in the subscripts: `x[2 * i]`"), now.line)
        written = "..".join(texts if len(texts) == 2 else ["0", *texts])
    content = now.lines[first.line - 1]
    mended = content[: first.column - 1] + written + content[last.end_column - 1 :] if first.line == last.end_line == now.line else None
    return Slip(diagnose("bad-range", span, help=f"write `{written}`"), now.line, mended)


def range_elsewhere(now: Situation) -> Slip | None:
    """`..` where there is no index to bind."""
    if now.token.kind != "..":
        return None
    start = now.before.text if now.before is not None and now.before.kind in ("NAME", "NUMBER") else "start"
    stop = now.after.text if now.after.kind in ("NAME", "NUMBER") else "stop"
    if now.open and now.tokens[now.open[-1]].kind == "[":
        advice = f"a slice is written `{start}:{stop}`"
    elif any(token.kind == "for" for token in now.tokens[now.start : now.number]):
        advice = f"a loop runs over `range({start}, {stop})`"
    else:
        advice = "ranges stand in the brackets of `let` and of reductions: `sum[k in 0..N] ...`"
    return Slip(diagnose("bad-range", now.span(), help=advice), now.line)


def reduction_bracket(now: Situation) -> Slip | None:
    """`sum[for k in ...]`, `sum[k for k in ...]` and `sum[k]: ...`."""
    content = now.content
    if now.token.kind == "for" and now.open:
        opener = now.open[-1]
        name = now.tokens[opener - 1] if opener else None
        if now.tokens[opener].kind != "[" or name is None or name.text not in REDUCTION_KINDS:
            return None
        index = now.after.text if now.after.kind == "NAME" else "k"
        advice = f"write `{name.text}[{index} in 0..N] ...`, or `{name.text}[{index}] ...` where the range follows from the uses"
        first = now.tokens[opener + 1]
        mended = None
        if opener + 2 >= now.number and first.line == now.line:
            mended = content[: first.column - 1] + content[now.token.end_column - 1 :].lstrip()
        return Slip(diagnose("bad-reduction", now.span(), help=advice, what="`for`"), now.line, mended)
    if now.token.kind == ":" and now.before is not None and now.before.kind == "]" and not now.open:
        depth, number = 1, now.number - 2
        while number > now.start and depth:
            depth += (now.tokens[number].kind in OPENERS.values()) - (now.tokens[number].kind in OPENERS)
            number -= 1
        name = now.tokens[number]
        if name.text in REDUCTION_KINDS:
            mended = content[: now.column - 1] + content[now.token.end_column - 1 :]
            return Slip(diagnose("bad-reduction", now.span(), help="the body follows the bracket", what="`:`"), now.line, mended)
    return None


def guard_elsewhere(now: Situation) -> Slip | None:
    """`where` after an assignment, and `max=` in one."""
    if now.token.text == "where" and now.first.kind == "NAME" and any(t.kind == "=" for t in now.tokens[now.start : now.number]):
        advice = "write `let` before the name to define a tensor by its subscripts, or `a if condition else b`"
        return Slip(diagnose("bad-definition", now.span(), help=advice), now.line)
    if now.token.text in ("max", "min") and now.after.kind == "=" and not now.open and now.first.kind == "NAME":
        left = _text(now, now.tokens[now.start : now.number])
        advice = f"write `{left} = {now.token.text}({left}, ...)`, or `let {left} {now.token.text}= ...` in index notation"
        return Slip(diagnose("bad-definition", now.span(), help=advice), now.line)
    return None


def _binding_bracket(now: Situation) -> int | None:
    """The number of the innermost open `[` that binds indices: after a reduction's word, or after the name of a definition."""
    for number in reversed(now.open):
        if now.tokens[number].kind == "[" and number:
            before = now.tokens[number - 1]
            if before.kind == "REDUCE" or before.text in REDUCTION_KINDS or now.tokens[max(number - 2, 0)].kind == "LET":
                return number
    return None


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """Cut at the commas outside of brackets."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in OPENERS) - (token.kind in OPENERS.values())
        if token.kind == "," and not depth:
            found.append([])
        else:
            found[-1].append(token)
    return found


def _text(now: Situation, tokens: Sequence[Token]) -> str:
    """The text of tokens of one line."""
    return now.lines[tokens[0].line - 1][tokens[0].column - 1 : tokens[-1].end_column - 1].strip() if tokens else ""


INDEX_SLIPS = (guard_without_else, left_of_definition, range_of_index, reduction_bracket, range_elsewhere, guard_elsewhere)
