"""Kernels of .stx text for tests: `kernel(text)` is the last kernel of the text."""

from __future__ import annotations

from typing import Any

import staxlang as stax


def kernel(text: str, **options: Any) -> Any:
    """The last kernel of a .stx text."""
    module = stax.load_text(text, **options)
    name = [line.split()[1].split("(")[0] for line in text.splitlines() if line.startswith("kernel ")][-1]
    return getattr(module, name)
