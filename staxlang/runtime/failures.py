"""The status of a program whose run-time check failed, as the diagnostic of that check with its place in the source."""

from __future__ import annotations

from typing import NoReturn

from staxlang.base.diagnostics import demanded, diagnose, diagnose_raised, raise_diagnostics, written_exception
from staxlang.base.externs import DEMAND, DIVISION, RAISED
from staxlang.base.settings import Settings
from staxlang.compiler.finite import NOT_FINITE
from staxlang.compiler.graph import Graph
from staxlang.compiler.target import Target
from staxlang.runtime import externs, interrupts
from staxlang.runtime.programs import check_of, place_text, stages


def raise_failed_check(graph: Graph, target: Target, settings: Settings, status: int) -> NoReturn:
    """Stages are made anew: they say which check has this status."""
    node, span = check_of(stages(graph, target, settings, "check"), status - 1)
    if node.op == "interrupt":
        interrupts.raise_noted()
    if node.op == "extern_check":
        externs.raise_failed(node["name"], place_text(span), span)
    if node.get("what") == "exponent":
        raise_diagnostics([diagnose("negative-power", span, power="taken from data")])
    if node.get("what") == "mask":
        raise_diagnostics([diagnose("assign-mismatch", span, value="(another number, ...)", target="(chosen by the mask, ...)")])
    if node.get("what", "").startswith(DIVISION):
        raise_diagnostics([diagnose("division-by-zero", span, operation=node["what"].removeprefix(DIVISION))])
    if node.get("what", "").startswith(DEMAND):
        code, requirement = demanded(node["what"].removeprefix(DEMAND))
        raise_diagnostics([diagnose(code, span, requirement=requirement)])
    if node.get("what", "").startswith(RAISED):
        raise_diagnostics([diagnose_raised(*written_exception(node["what"].removeprefix(RAISED)), span)])
    if node.get("what", "").startswith(NOT_FINITE):
        raise_diagnostics([diagnose("not-finite", span, expression=place_text(span))])
    expression = span.source.line(span.line).strip() if span is not None else "an index"
    fields = {"index": "taken from data", "axis": node.get("axis", 0), "extent": node.get("extent", "?"), "expression": expression}
    raise_diagnostics([diagnose("index-out-of-range-at-run", span, **fields)])
