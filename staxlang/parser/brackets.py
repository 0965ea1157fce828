"""A text passes through here, and its brackets and line ends come out. Strings and comments are stepped over."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

CLOSERS = {"(": ")", "[": "]", "{": "}"}
LONG: tuple[str, ...] = (
    r'"""(?:[^\\"]|\\.|"(?!""))*+(?:"""|(?P<open>\Z))',
    r"'''(?:[^\\']|\\.|'(?!''))*+(?:'''|(?P<other>\Z))",
)
"""The patterns of long strings, one for each kind of quotes; the named group where there is no end."""
_REST = r'"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|#[^\n]*|[(\[{]|[)\]}]'


@functools.cache
def _pattern(long: tuple[str, ...], ends: str) -> re.Pattern[str]:
    return re.compile("|".join([*long, _REST, ends]), re.DOTALL)


def scan(text: str, position: int = 0, ends: str = r"\n", long: list[str] | None = None) -> Iterator[tuple[str, int]]:
    """Brackets, line ends, strings and comments with their offsets, from a position on, in order.

    `ends` is the pattern of the line ends that count. A long string without an end is an empty string and a quote, so that it hides
    nothing behind it; the pattern of its kind is taken out of `long`, so that a later scan of the text's rest does not try it again.
    """
    long = list(LONG) if long is None else long
    while True:
        for found in _pattern(tuple(long), ends).finditer(text, position):
            if found.lastgroup is not None:  # this kind of quotes has no end from here on
                long[:] = [pattern for pattern in long if pattern[0] != text[found.start()]]
                position = found.start()
                break
            yield found[0], found.start()
        else:
            return


def line_depths(text: str) -> list[int]:
    """For each line, how many brackets and triple-quoted strings are open where it begins."""
    depths = [0]
    depth = 0
    for sign, _ in scan(text):
        if sign == "\n":
            depths.append(depth)
        elif sign in CLOSERS:
            depth += 1
        elif sign in ")]}":
            depth = max(depth - 1, 0)
        else:
            depths += [depth + 1] * sign.count("\n")
    return depths
