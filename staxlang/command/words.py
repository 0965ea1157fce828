"""Amounts and counts, as people read them."""

from __future__ import annotations


def amount(count: int) -> str:
    """Bytes with a unit.

    >>> amount(512), amount(1 << 20)
    ('512 B', '1.0 MB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def counted(count: int, one: str, more: str | None = None) -> str:
    """`1 kernel`, `3 kernels`."""
    return f"{count} {one if count == 1 else more or one + 's'}"
