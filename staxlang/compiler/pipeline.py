"""The optimizing passes in their order, in rounds to a fixed point: captured Graph in, Graph for lowering out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.compiler.graph import Graph, GraphError, topological, verify
from staxlang.compiler.passes.contractions import CONTRACTION_ROWS
from staxlang.compiler.passes.cse import CSE_ROWS
from staxlang.compiler.passes.deadcode import drop_dead_code
from staxlang.compiler.passes.decompose import DECOMPOSE_ROWS
from staxlang.compiler.passes.driver import RuleTable, Trace, apply_rules
from staxlang.compiler.passes.externs import prune_externs
from staxlang.compiler.passes.fold import FOLD_ROWS
from staxlang.compiler.passes.lift_rows import lift_definitions
from staxlang.compiler.passes.masked import MASKED_ROWS, SELECTIONS
from staxlang.compiler.passes.normalize import NORMALIZE_ROWS
from staxlang.compiler.passes.products import PRODUCT_ROWS
from staxlang.compiler.passes.regions import annotate_regions
from staxlang.compiler.passes.sizes import settle_sizes

if TYPE_CHECKING:
    from staxlang.compiler.passes import loops, rereads, selections
else:
    loops = deferred("staxlang.compiler.passes.loops")
    rereads = deferred("staxlang.compiler.passes.rereads")
    selections = deferred("staxlang.compiler.passes.selections")

PASS_ROWS: tuple[tuple[str, RuleTable], ...] = (
    ("normalize", NORMALIZE_ROWS),
    ("fold", FOLD_ROWS),
    ("decompose", DECOMPOSE_ROWS),
    ("contractions", {**CONTRACTION_ROWS, **PRODUCT_ROWS}),
    ("masked update", MASKED_ROWS),
    ("common subexpressions", CSE_ROWS),
)
ROUND_LIMIT = 16


def optimize(
    graph: Graph,
    basis: frozenset[str] | None = None,
    record: Callable[[str, Graph], None] | None = None,
    check: bool = False,
) -> tuple[Graph, Trace]:
    """The graph after rounds of all passes until one changes nothing, and the trace of the rules that fired. Before the first round
    definitions by index notation become tensors, and sizes that guards make equal one.

    `basis`: rows that the engine has forms for (None: all); others are expanded. `record(pass, graph)` sees the graph after each pass that
    changed it; `check` verifies it there.
    """
    trace = Trace()
    if any(node.op == "loop" for node in topological(graph.roots)):
        graph = loops.optimize_loops(graph, lambda region: _optimized(region, basis, trace))
    graph = settle_sizes(lift_definitions(graph))
    for trace.rounds in range(1, ROUND_LIMIT + 1):
        count = len(trace.fired)
        for stage, table in PASS_ROWS:
            after = apply_rules(graph, stage, table, trace, basis)
            if after is not graph:
                graph = after
                _observe(stage, graph, record, check)
        graph = drop_dead_code(graph)
        if len(trace.fired) == count:  # nothing more is put back under its mask
            if all(node.op not in SELECTIONS for node in topological(graph.roots)):
                break
            after = apply_rules(graph, "selections", selections.SELECTION_ROWS, trace, basis)
            if after is graph:
                break
            graph = after
            _observe("selections", graph, record, check)
    else:
        last = trace.fired[-1]
        raise GraphError(f"rewriting does not end within {ROUND_LIMIT} rounds; the last rule was {last}")
    graph = prune_externs(graph)
    if any(node.op == "update" for node in topological(graph.roots)):
        graph = rereads.reread_updates(graph)
    graph = annotate_regions(graph)
    _observe("regions", graph, record, check)
    return graph, trace


def _optimized(region: Graph, basis: frozenset[str] | None, trace: Trace) -> Graph:
    """A loop's round; what fired there is told with the rest."""
    made, inner = optimize(region, basis)
    trace.fired += inner.fired
    return made


def _observe(stage: str, graph: Graph, record: Callable[[str, Graph], None] | None, check: bool) -> None:
    if check:
        verify(graph)
    if record is not None:
        record(stage, graph)
