"""Decomposition: composites that no dedicated lowering is kept for, and operations that the engine has no form for.

What would lose accuracy in parts (log1p, expm1, sigmoid, softplus, logaddexp, hyperbolics, erf) belongs to every engine's basis.
"""

from __future__ import annotations

from staxlang.base.operations import OPERATIONS
from staxlang.compiler.graph import Graph, rebuild
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.compiler.passes.expansion import expand

# They stay whole until lowering chooses their numerical form (lowering/composites.py).
KEPT_COMPOSITES = frozenset(("softmax", "log_softmax", "mean", "var", "std", "layer_norm", "logsumexp", "attention"))


def open_composite(rewriting: Rewriting, node: Node) -> Node | None:
    return None if node["name"] in KEPT_COMPOSITES else inline(node)


def inline(node: Node) -> Node:
    """The composite's body on its operands."""
    region: Graph = node["region"]
    mapping = dict(zip(region.inputs, node.operands, strict=True))
    number: int = node["result"]
    return rebuild((region.outputs[number],), mapping, region.interner)[0]


def expand_row(rewriting: Rewriting, node: Node) -> Node | None:
    """A row by its expansion text, where the engine's basis lacks it."""
    if rewriting.basis is None or node.op in rewriting.basis:
        return None
    text = OPERATIONS[node.op].expansion
    return None if text is None else expand(rewriting, text, node)


DECOMPOSE_ROWS: dict[str, tuple[Rule, ...]] = {
    name: (Rule("expansion", expand_row),) for name, row in OPERATIONS.items() if row.expansion is not None
}
DECOMPOSE_ROWS["composite"] = (Rule("open-composite", open_composite),)
