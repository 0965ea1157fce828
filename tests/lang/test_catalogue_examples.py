"""Every row of the catalogue: its failing example gives exactly this diagnostic, its repaired example none."""

from __future__ import annotations

import linecache
import warnings

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.catalogue import CATALOGUE, DiagnosticKind
from staxlang.base.diagnostics import MAX_LINES, StaxError, StaxWarning

ROWS = [kind for kind in CATALOGUE.values() if kind.runs]


def execute(text: str, name: str) -> None:
    """Run an example as a file of its own, so that its functions have a source."""
    file = f"<example {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        exec(compile(text, file, "exec"), {"np": np, "stax": stax, "__name__": "__main__"})
    finally:
        linecache.cache.pop(file, None)


@pytest.mark.parametrize("kind", ROWS, ids=lambda kind: kind.code)
def test_the_failing_example_gives_the_diagnostic(kind: DiagnosticKind) -> None:
    if kind.severity == "warning":
        with pytest.warns(StaxWarning) as warned:
            execute(kind.failing, kind.code)
        assert any(f"[{kind.code}]" in str(one.message) for one in warned)
        return
    with pytest.raises(StaxError) as caught:
        execute(kind.failing, kind.code)
    assert caught.value.code == kind.code, str(caught.value)
    assert isinstance(caught.value, kind.raises)
    for diagnostic in caught.value.diagnostics:
        assert len(diagnostic.render().splitlines()) <= MAX_LINES


@pytest.mark.parametrize("kind", ROWS, ids=lambda kind: kind.code)
def test_the_repaired_example_runs(kind: DiagnosticKind) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StaxWarning)
        with np.errstate(all="ignore"):
            execute(kind.repaired, f"{kind.code} repaired")
    assert kind.repaired
