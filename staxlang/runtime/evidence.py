"""What has been seen of extents and strides: constants at first, symbolic where a second value has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from staxlang.base.records import NamedTuple
from staxlang.base.settings import Settings
from staxlang.runtime.signature import Item

SYMBOLIC: Final = None

Evidence = dict[tuple[str, int, str, int], int | None]
"""For each (path, rank, "shape" or "strides", axis): the one value that was seen there, or SYMBOLIC."""


class Observed(NamedTuple):
    """What a call adds to the evidence, and its extents as text: numbers, `*` where symbolic."""

    seen: Evidence
    text: str


def observe(items: Sequence[Item], evidence: Evidence, settings: Settings) -> Observed:
    """The extents of a call's arrays under a kernel's evidence."""
    seen: Evidence = {}
    texts: list[str] = []
    for item in items:
        if item.kind == "array":
            rank = item.value.ndim
            for axis, extent in enumerate(item.value.shape):
                symbolic = decide(seen, evidence, (item.path, rank, "shape", axis), extent, settings.sizes)
                texts.append("*" if symbolic else str(extent))
            texts.append(";")
    return Observed(seen, " ".join(texts))


def decide(seen: Evidence, evidence: Evidence, place: tuple[str, int, str, int], value: int, policy: str) -> bool:
    """Whether the value at a place is a symbol in this capture; notes in `seen` what the place has shown by then."""
    known = evidence.get(place, value)
    seen[place] = value if known == value else SYMBOLIC
    if policy == "static":
        return False
    return policy == "symbolic" or known is SYMBOLIC or known != value
