"""What a row of the catalogue of diagnostics is."""

from __future__ import annotations

from staxlang.base.records import NamedTuple


class DiagnosticKind(NamedTuple):
    """One kind of finding.

    template and help take fields in braces. failing and repaired are whole Python (or .stx) texts in which `np`, `stax` and
    `from staxlang import *` are known; the first gives this diagnostic, the second does not. `runs` is False where an example
    cannot be executed everywhere (a missing file, a full disk, another machine).
    """

    code: str
    raises: type[Exception]
    template: str
    explanation: str
    failing: str
    repaired: str
    help: str = ""
    severity: str = "error"
    runs: bool = True

    @property
    def fields(self) -> frozenset[str]:
        """The names that the template and the help need."""
        return frozenset(_names(self.template)) | frozenset(_names(self.help))


def _names(template: str) -> list[str]:
    found: list[str] = []
    position = template.find("{")
    while position >= 0:
        if template[position : position + 2] == "{{":
            position += 2
        else:
            end = template.index("}", position)
            found.append(template[position + 1 : end].split(":")[0].split("!")[0].split(".")[0].split("[")[0])
            position = end + 1
        position = template.find("{", position)
    return found
