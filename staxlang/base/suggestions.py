"""Names that were probably meant: the nearest of known names to one that is unknown."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that differs least from the name, by at most a third of its letters; None if there is none.

    >>> closest("fastmath", ["fast_math", "checked"]), closest("axes", ["axis", "dtype"]), closest("xyz", ["axis"])
    ('fast_math', 'axis', None)
    """
    best: str | None = None
    allowed = max(1, (len(name) + 1) // 3) if len(name) > 1 else 0  # of one letter, only the other case
    for candidate in sorted(candidates, key=lambda one: (one[:1].isupper() != name[:1].isupper(), one)):
        if abs(len(candidate) - len(name)) > allowed or candidate == name:
            continue
        far = 0 if candidate.lower() == name.lower() else _distance(name.lower(), candidate.lower(), allowed)
        if far <= allowed:
            best, allowed = candidate, far - 1
            if far == 0:
                break
    return best


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Advice for a diagnostic's `help`; None where nothing is near.

    >>> did_you_mean("lenght", ["length", "size"])
    'did you mean `length`?'
    """
    found = closest(name, candidates)
    return None if found is None else f"did you mean `{found}`?"


def _distance(a: str, b: str, most: int) -> int:
    """Edits (insert, delete, change, swap of neighbours) from a to b, or more than `most`."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        following = [i]
        for j, y in enumerate(b, 1):
            edits = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                edits = min(edits, before[j - 2] + 1)
            following.append(edits)
        if min(following) > most:
            return most + 1
        before, row = row, following
    return row[-1]
