"""Writes the pages that come from tables: docs/errors/ from the catalogue of diagnostics, docs/operations.md from the operations,
docs/numpy.md from what NumPy's names mean.

    python docs/build_reference.py           # write them
    python docs/build_reference.py --check   # only say which are not up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from numpy_page import numpy_version, page

from staxlang.base.catalogue import CATALOGUE, SUBJECTS, DiagnosticKind
from staxlang.base.operations import OPERATIONS, Operation

DOCS = Path(__file__).resolve().parent
ACCURACY = {"exact": "exact", "correct": "correctly rounded", "default": "2.5 ULP in f32, 1.5 ULP in f64"}


def error_page(kind: DiagnosticKind) -> str:
    """The page of one diagnostic."""
    advice = f"**What to do:** {kind.help}.\n\n" if kind.help else ""
    raised = f"An error; raised as `{kind.raises.__name__}`." if kind.severity == "error" else "A warning."
    wrong, right = (f"```python\n{text}\n```\n" for text in (kind.failing, kind.repaired))
    return (
        f"# {kind.code}\n\n    {kind.severity}[{kind.code}]: {kind.template}\n\n{raised}\n\n{kind.explanation}\n\n{advice}"
        f"Gives it:\n\n{wrong}\nDoes not:\n\n{right}"
    )


def error_index() -> str:
    """The table of contents of the diagnostics, by subject."""
    parts = [
        "# Errors and warnings\n\nEach message starts with its code, `error[code]`. Exceptions are of the built-in kind named here and of "
        "`stax.StaxError` too;\ntheir `diagnostics` hold code, place, notes and advice.\n"
    ]
    for subject, rows in SUBJECTS.items():
        lines = [f"| [{row.code}]({row.code}.md) | {_cell(row.template)} | {row.raises.__name__} |" for row in rows]
        parts.append(f"## {subject}\n\n| code | message | kind |\n|---|---|---|\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def operations_page() -> str:
    """All scalar operations in one table."""
    head = (
        "# Operations\n\nEvery scalar operation, as declared in `staxlang/base/operations`. Shapes are broadcast and dtypes promoted as "
        "NumPy does; everything else\nin NumPy's surface and in `stax` is made of these and of the structural operations.\n\n"
        "| operation | meaning | example | spellings | accuracy | derivative |\n|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(map(_operation_line, OPERATIONS.values())) + "\n"


def _operation_line(row: Operation) -> str:
    call, value = row.example.split(" -> ")
    derivative = row.derivative if isinstance(row.derivative, str) else ", ".join(f"`{text}`" for text in row.derivative)
    spellings = ", ".join(f"`{spelling}`" for spelling in row.spellings)
    cells = [f"`{row.name}`", row.doc, f"`{call}` is `{value}`", spellings, ACCURACY[row.accuracy], derivative]
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "&#124;")


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    found = {DOCS / "errors" / f"{kind.code}.md": error_page(kind) for kind in CATALOGUE.values()}
    found |= {DOCS / "errors" / "index.md": error_index(), DOCS / "operations.md": operations_page()}
    table = DOCS / "numpy.md"
    if not table.exists() or f"NumPy {numpy_version()}'s" in table.read_text(encoding="utf-8") or "--numpy" in sys.argv:
        found[table] = page()  # another NumPy has other names: its table is made on demand, `--numpy`
    return found


def stale() -> list[str]:
    """The pages that differ from the tables, and pages of codes that are gone."""
    wanted = pages()
    old = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    gone = [path for path in (DOCS / "errors").glob("*.md") if path not in wanted]
    return sorted(str(path.relative_to(DOCS)) for path in (*old, *gone))


def write() -> None:
    """Write all pages; remove those of codes that are gone."""
    wanted = pages()
    (DOCS / "errors").mkdir(exist_ok=True)
    for path in (DOCS / "errors").glob("*.md"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(f"not up to date: {page}" for page in stale()))
    write()
