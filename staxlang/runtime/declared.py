"""What a kernel's annotations say about one call. Where it has none, nothing of their reading is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size
from staxlang.base.spans import Span
from staxlang.runtime import late
from staxlang.runtime.signature import Item
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.evaluator import Evaluation

if TYPE_CHECKING:
    from staxlang.typecheck.signatures import Signature


class Declared(NamedTuple):
    """`shapes`: by path, the declared size of each axis, None where nothing is said. `conditions`: what solving for a symbol relied on.

    `values` gives the declared names' values at this call; `hints` those of the symbols that the shapes use; `solved` the names that
    are expressions of those symbols.
    """

    shapes: dict[str, tuple[Size | None, ...]]
    sizes: dict[str, Size]
    hints: dict[str, int]
    names: frozenset[str]
    conditions: tuple[Condition, ...]
    signature: Signature | None
    solved: dict[str, Size]


NOTHING = Declared({}, {}, {}, frozenset(), (), None, {})


def declared(tree: Any, function: FunctionType, items: Sequence[Item]) -> Declared:
    """What a function's annotations say about the objects of a call. Raises the diagnostics of what they forbid."""
    stx = function.__dict__.get("__stx__")
    if stx is not None and stx.header is None:
        return NOTHING
    if tree.returns is None and all(parameter.annotation is None for parameter in tree.parameters):
        return NOTHING
    return late.annotated().declared(tree, function, items)


def check_results(made: Declared, evaluation: Evaluation, name: str, span: Span | None, context: EvaluationContext) -> None:
    """Results against the declared ones. Sizes that only happen to be equal at this call become a guard. Raises what differs."""
    if made.signature is not None:
        late.annotated().check_results(made, evaluation, name, span, context)
