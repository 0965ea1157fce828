"""A text passes through here, and its brackets come out: which are open where. Strings and comments are stepped over."""

from __future__ import annotations

import re
from typing import NamedTuple

SCAN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|[(\[{]|[)\]}]|\n', re.DOTALL
)


class Bracket(NamedTuple):
    sign: str
    line: int
    column: int


def open_brackets(text: str, before_line: int) -> list[Bracket]:
    """The brackets that are open where a line (from 1) begins, outermost first, and those it opens itself."""
    stack: list[Bracket] = []
    line, start = 1, 0
    for found in SCAN.finditer(text):
        sign = found[0]
        if sign in "([{":
            stack.append(Bracket(sign, line, found.start() - start + 1))
        elif sign in ")]}":
            if stack:
                stack.pop()
        if "\n" in sign:
            line += sign.count("\n")
            start = found.start() + sign.rfind("\n") + 1
            if line > before_line:
                break
    return stack


def line_depths(text: str) -> list[int]:
    """For each line, how many brackets and triple-quoted strings are open where it begins."""
    depths = [0]
    depth = 0
    for found in SCAN.finditer(text):
        sign = found[0]
        if sign == "\n":
            depths.append(depth)
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(depth - 1, 0)
        else:
            depths += [depth + 1] * sign.count("\n")
    return depths
