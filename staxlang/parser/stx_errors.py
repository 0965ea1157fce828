"""What the parser did not expect passes through here and becomes a diagnostic in the user's terms, with a mended text to go on with."""

from __future__ import annotations

from staxlang.base.diagnostics import diagnose
from staxlang.parser.stx_bracket_slips import bracket_slip
from staxlang.parser.stx_index_slips import INDEX_SLIPS
from staxlang.parser.stx_parser import MOST_DEPTH, Unexpected
from staxlang.parser.stx_places import Place
from staxlang.parser.stx_repair import Slip, uneven_line
from staxlang.parser.stx_situation import Situation, situation_of
from staxlang.parser.stx_slips import SLIPS, STATEMENT_SLIPS
from staxlang.parser.stx_tokens import DEDENT, END, INDENT, NEWLINE, UNEVEN

# What a kind of token is called in a message; words and signs are shown as they are.
KIND_ROWS: dict[str, str] = {
    NEWLINE: "the end of the line", INDENT: "an indented block", DEDENT: "the end of the block", END: "the end of the file",
    "NAME": "a name", "NUMBER": "a number", "STRING": "a string", "BYTES": "a string", "FSTRING": "a string", "AUGMENTED": "`+=`",
    "COMBINED": "`max=`", "LET": "`let`", "REDUCE": "a reduction",
}  # fmt: skip
_EXPRESSION_STARTS = frozenset({"NAME", "NUMBER", "("})
_OPERATORS = frozenset({"+", "-", "/", "%"})
_GROUPS = ((frozenset({"NAME", "*", "**"}), "a parameter"), (frozenset({"NAME", ".", "..", "..."}), "the name of a module"))
_AFTER_EXPRESSIONS = frozenset({")", "]", "}", ":", ",", NEWLINE, "else"})


def explain(error: Unexpected, text: str, place: Place) -> Slip:
    """The slip behind an unexpected token, which has a known cause or is told as what was found and what could come."""
    if error.token.kind == UNEVEN:
        return uneven_line(text, place)
    now = situation_of(error, text, place)
    if error.deep:
        return Slip(diagnose("nested-too-deep", now.span(), limit=str(MOST_DEPTH)), now.line)
    for recognize in (bracket_slip, *STATEMENT_SLIPS, *INDEX_SLIPS, *SLIPS):
        slip = recognize(now)
        if slip is not None:
            return slip
    return Slip(diagnose("expected-token", now.span(), help=now.advice(), expected=_expectation(now), found=_found(now)), now.line)


def _expectation(now: Situation) -> str:
    accepted = set(now.accepted)
    names: list[str] = []
    if "else" in accepted and now.token.kind == NEWLINE:
        return "`else`"
    if "in" in accepted and "not" not in accepted:  # that of a loop, not an operator
        return "`in`"
    if accepted >= _EXPRESSION_STARTS:
        names.append("an expression")
        accepted &= {")", "]", "}", ":", NEWLINE}
    elif accepted >= _OPERATORS:
        names.append("an operator")
        accepted &= _AFTER_EXPRESSIONS
    for kinds, what in _GROUPS:
        if accepted >= kinds:
            names.append(what)
            accepted -= kinds | {"/"}
    names += sorted({KIND_ROWS.get(kind, f"`{kind}`") for kind in accepted})
    if len(names) > 5:
        names = [*names[:4], "..."]
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else (names or ["something else"])[0]


def _found(now: Situation) -> str:
    if now.found == "`":
        return "a backtick"
    return f"`{now.found}`" if now.found else KIND_ROWS.get(now.token.kind, "the end")
