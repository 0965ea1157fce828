"""A text passes through here, and its brackets come out: which are open where. Strings and comments are stepped over."""

from __future__ import annotations

import re

from staxlang.base.records import NamedTuple

SCAN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|[(\[{]|[)\]}]|\n', re.DOTALL
)
CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Bracket(NamedTuple):
    """An opening bracket; line and column count from 1."""

    sign: str
    line: int
    column: int


def open_brackets(text: str, line: int, column: int) -> list[Bracket]:
    """The brackets that are open just before a place, outermost first. A wrong closer closes the innermost."""
    stack: list[Bracket] = []
    row, start = 1, 0
    for found in SCAN.finditer(text):
        sign = found[0]
        if row > line or (row == line and found.start() - start + 1 >= column):
            break
        if sign in CLOSERS:
            stack.append(Bracket(sign, row, found.start() - start + 1))
        elif sign in ")]}" and stack:
            stack.pop()
        if "\n" in sign:
            row += sign.count("\n")
            start = found.start() + sign.rfind("\n") + 1
    return stack


def line_depths(text: str) -> list[int]:
    """For each line, how many brackets and triple-quoted strings are open where it begins."""
    depths = [0]
    depth = 0
    for found in SCAN.finditer(text):
        sign = found[0]
        if sign == "\n":
            depths.append(depth)
        elif sign in CLOSERS:
            depth += 1
        elif sign in ")]}":
            depth = max(depth - 1, 0)
        else:
            depths += [depth + 1] * sign.count("\n")
    return depths
