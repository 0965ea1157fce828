"""The page docs/numpy.md: what becomes of each of NumPy's names in a kernel. `docs/build_reference.py` writes it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from staxlang.typecheck.coverage import EXTERN, NATIVE, REFUSED, Entry, entries

_STATES = {NATIVE: "native", EXTERN: "extern", REFUSED: "refused"}
_HEAD = """# NumPy in kernels

Every function, ufunc, class and index object of NumPy {version}'s main namespace, of `np.linalg` and `np.fft`, every method and attribute
of arrays, and what becomes of it in a kernel. The page is made from the tables that programs are compiled by; `tests/coverage` runs each
name against NumPy.

- **native**: machine code, fused with what stands around it. Where only shapes and types are concerned (`reshape`, `dtype`) there is none.
- **extern**: through an extern operation: NumPy's own routine, called with the arrays where they lie. The call is made from machine code,
  without Python, where nothing else is said; one "by NumPy itself" calls NumPy's function in Python.
- **refused**: a diagnostic at the line of the call, with the advice that is given here.

Results may be as long as the data wants them: `x[m]`, `np.unique`, `np.nonzero`, `np.repeat` by counts, `np.zeros(n)` with `n` of data.
Their sizes are [counted before the program runs](language.md#sizes-that-depend-on-data).

| | native | extern | refused |
|---|---|---|---|
{counts}
"""


def page() -> str:
    """The whole text."""
    found = entries()
    lines = [_counted(group, rows) for group, rows in found.items()]
    lines.append(_counted("all", tuple(row for rows in found.values() for row in rows)))
    parts = [_HEAD.format(version=numpy_version(), counts="\n".join(lines))]
    parts += [_section(group, rows) for group, rows in found.items()]
    return "\n".join(parts)


def numpy_version() -> str:
    """The part of it that says which names there are."""
    return ".".join(np.__version__.split(".")[:2])


def _counted(group: str, rows: tuple[Entry, ...]) -> str:
    count = Counter(row.state for row in rows)
    return f"| {group} | " + " | ".join(str(count[state]) for state in _STATES) + " |"


def _section(group: str, rows: tuple[Entry, ...]) -> str:
    return f"## {group}\n\n| name | state | route, or what to use instead |\n|---|---|---|\n" + "\n".join(map(_line, rows)) + "\n"


def _line(row: Entry) -> str:
    names = ", ".join(f"`{name}`" for name in row.names)
    return f"| {names} | {_STATES[row.state]} | {row.route.replace('|', '&#124;')} |"
