"""An element less the greatest of all such elements is not positive: softmax's exponentials. A reduction is noted, its readers ask."""

from __future__ import annotations

from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Accumulator, Nest
from staxlang.compiler.node import Node


def note_greatest(f: Function, accumulator: Accumulator, nest: Nest, found: Value) -> None:
    """`found` is the greatest of the accumulator's values over the nest's loops, until a buffer they were loaded from is stored to."""
    if found.dtype.kind != "f" or found.lanes != 1 or found.text[0] != "%":
        return
    loads = [node for node in subexpressions((accumulator.value,)) if node.op == "load"]
    reads = frozenset([f.module.root(f.module.buffers[node["buffer"]]) for node in loads])
    f.remember(f.memo, _key(found.text), Value(found.text, found.dtype, 1, f.level, False, reads))
    f.greatest[found.text] = accumulator.value, tuple([(loop.index, loop.start, loop.extent) for loop in nest.loops])


def not_above(f: Function, node: Node, operands: tuple[Value, ...]) -> bool:
    """Whether a difference is that of an element and the greatest, and so not positive, or NaN."""
    if node.op != "subtract" or operands[1].text not in f.greatest or _key(operands[1].text) not in f.memo:
        return False
    element, loops = f.greatest[operands[1].text]
    return element is node.operands[0] and all(f.ranges.get(index) == (start, extent) for index, start, extent in loops)


def _key(text: str) -> tuple[str, str]:
    return "greatest", text
