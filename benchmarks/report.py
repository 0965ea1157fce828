"""Tables of what was measured, as Markdown that reads well in a terminal too."""

from __future__ import annotations


def table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(str(r[k])) for r in [head, *rows]) for k in range(len(head))]
    line = lambda row: "| " + " | ".join(str(v).ljust(w) if k == 0 else str(v).rjust(w) for k, (v, w) in enumerate(zip(row, widths))) + " |"
    rule = "|" + "|".join("-" * (w + 2) if k == 0 else "-" * (w + 1) + ":" for k, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.0f} ns"


def ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
