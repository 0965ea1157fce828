"""The pages made from tables are those that the tables give."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "build_reference.py"


def test_the_generated_pages_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("build_reference", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stale() == [], "run `python docs/build_reference.py`"
