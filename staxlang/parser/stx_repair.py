"""Broken .stx lines pass through here and come out mended, or blanked, so that the lines after them can be read."""

from __future__ import annotations

import re

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.records import NamedTuple
from staxlang.base.spans import Source, Span
from staxlang.parser.brackets import line_depths
from staxlang.parser.items import Item
from staxlang.parser.stx_places import Place

_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"(?:kernel|def)[ \t]+[^\W\d]\w*")
_LOST = "(*_, **__):"


class Slip(NamedTuple):
    """A diagnostic, the line it is about (from 1 in the parsed text), and what mends it, where that is known: a new text of that line, or
    of all."""

    diagnostic: Diagnostic
    line: int
    mended: str | None = None
    text: str | None = None


def indentation_slips(source: Source, item: Item) -> tuple[str, list[Diagnostic]]:
    """The item with tabs in its indentation replaced by spaces, and a diagnostic for the first of them.

    What stands inside brackets and long strings is no indentation.
    """
    if "\t" not in item.text:
        return item.text, []
    lines = item.text.split("\n")
    depths = line_depths(item.text)
    slips: list[Diagnostic] = []
    margins = [0]
    for number, line in enumerate(lines):
        margin = line[: len(line) - len(line.lstrip())]
        if depths[number] or margin == line or line.lstrip()[0] == "#":
            continue
        wide = len(margin.expandtabs(4))
        if "\t" in margin:
            if not slips:
                row = source.first_line + item.line - 1 + number
                column = margin.index("\t")
                slips.append(diagnose("tab-indentation", Span(source, row, column, row, column + 1)))
            before = next((row for row in reversed(lines[:number]) if row.strip()), "")
            opens = before.rstrip().endswith(":")
            if wide not in margins and len(margin.expandtabs(8)) in margins and not opens:
                wide = len(margin.expandtabs(8))
            elif opens and wide <= margins[-1]:
                wide = margins[-1] + 4
            lines[number] = " " * wide + line[len(margin) :]
        while margins[-1] > wide:
            margins.pop()
        if margins[-1] < wide:
            margins.append(wide)
    return "\n".join(lines), slips


def uneven_line(text: str, place: Place) -> Slip:
    """A line whose indentation is that of no block above it."""
    margins = [0]
    depths = line_depths(text)
    lines = text.split("\n")
    for number, row in enumerate(lines):
        if not row.strip() or row.lstrip()[0] == "#" or depths[number]:
            continue
        margin = margin_of(row)
        if margin > margins[-1]:
            margins.append(margin)
        deeper, known = margins[-1], frozenset(margins)
        while margin < margins[-1]:
            deeper = margins.pop()
        if margin != margins[-1]:
            span = place.span((number + 1, 1), (number + 1, margin + 1))
            fitting = f"{margins[-1]} or {deeper}" if margins[-1] else f"{deeper}"
            slip = diagnose("inconsistent-indentation", span, help=f"indent it by {fitting} spaces")
            return Slip(slip, number + 1, text=shifted(lines, number, deeper - margin, known))
    return Slip(diagnose("inconsistent-indentation", place.span((1, 1), (1, 2))), 1)


def shifted(lines: list[str], number: int, by: int, known: frozenset[int] = frozenset()) -> str:
    """The text with a line, and those after it that are indented at least as deep, moved to the right or the left.

    `known` are the margins of the blocks above: a line that has one of them is where it belongs.
    """
    margin = margin_of(lines[number])
    depths = line_depths("\n".join(lines))
    found = lines[:number]
    moving = True
    for place, row in enumerate(lines[number:], number):
        code = row.strip()
        if moving and code and (margin_of(row) < margin or margin_of(row) in known) and not depths[place]:
            moving = False
        found.append(" " * (margin_of(row) + by) + row.lstrip() if moving and code and margin_of(row) + by >= 0 else row)
    return "\n".join(found)


def margin_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def repair(text: str, slip: Slip) -> str | None:
    """The text with the slip's line mended, or blanked where nobody knows how; None where the rest makes no sense without it."""
    if slip.text is not None:
        return slip.text
    lines = text.split("\n")
    index = slip.line - 1
    if slip.mended is not None:
        lines[index] = slip.mended
        return "\n".join(lines)
    depths = line_depths(text)
    first = index
    while first > 0 and depths[first]:
        first -= 1
    last = index
    while last + 1 < len(lines) and depths[last + 1] and margin_of(lines[last + 1]) > margin_of(lines[first]):
        last += 1
    if first == 0:
        return without_header(lines, last)
    margin = margin_of(lines[first])
    following = next((row for row in lines[last + 1 :] if row.strip()), "")
    word = _WORD.match(lines[first].lstrip())
    lines[first : last + 1] = [" " * margin + ("if true:" if margin_of(following) > margin else "pass")] + [""] * (last - first)
    if word and word[0] in ("try", "except", "finally"):
        _blank_handlers(lines, last + 1, margin)
    elif word and word[0] == "match":
        for number in range(last + 1, len(lines)):
            if margin_of(lines[number]) > margin and lines[number].lstrip().startswith("case "):
                lines[number] = " " * margin_of(lines[number]) + "if true:"
    return "\n".join(lines)


def without_header(lines: list[str], last: int) -> str | None:
    """A definition whose header, down to the line `last` (from 0), cannot be read: its name with parameters that say nothing, so that its
    block is read. None where it has no name, or no block."""
    name = _DEFINED.match(lines[0])
    following = next((row for row in lines[last + 1 :] if row.strip()), "")
    if name is None or not margin_of(following):
        return None
    return "\n".join([name[0] + _LOST, *[""] * last, *lines[last + 1 :]])


def is_without_header(text: str) -> bool:
    return text.partition("\n")[0].endswith(_LOST)


def _blank_handlers(lines: list[str], start: int, margin: int) -> None:
    """`except` and `finally` belong to the `try` that was reported already."""
    for number in range(start, len(lines)):
        row = lines[number]
        word = _WORD.match(row.lstrip())
        if (
            row.strip()
            and margin_of(row) <= margin
            and (word is None or word[0] not in ("except", "finally", "else") or margin_of(row) < margin)
        ):
            return
        if word and margin_of(row) == margin:
            lines[number] = " " * margin + "if true:"
