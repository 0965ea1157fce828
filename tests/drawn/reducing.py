"""A program that fails, without the lines that it fails without."""

from __future__ import annotations

from collections.abc import Callable

from tests.drawn.generator import Drawn


def reduced(drawn: Drawn, fails: Callable[[Drawn], bool]) -> Drawn:
    """Lines are taken away one after the other (with the block below them), as long as it still fails in the same way."""
    lines = drawn.body.splitlines()
    changed = True
    while changed:
        changed = False
        for place in range(len(lines) - 2, 0, -1):
            if lines[place].strip() == "w += 1":  # what ends a `while`
                continue
            attempt = drawn._replace(body="\n".join(lines[:place] + lines[_end(lines, place) :]) + "\n")
            if fails(attempt):
                lines, changed = attempt.body.splitlines(), True
    return drawn._replace(body="\n".join(lines) + "\n")


def _end(lines: list[str], place: int) -> int:
    """Where the statement that begins at a line ends."""
    depth = _depth(lines[place])
    end = place + 1
    while end < len(lines) and _depth(lines[end]) > depth:
        end += 1
    return end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
