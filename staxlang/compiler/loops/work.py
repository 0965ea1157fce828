"""How much a kernel does, as a size: what the run-time test for threads compares."""

from __future__ import annotations

from staxlang.base.sizes import Size, substitute, symbols
from staxlang.compiler.loops.expressions import Expressions, subexpressions
from staxlang.compiler.loops.ir import Kernel, Nest, Statement
from staxlang.compiler.node import Node


def work_of(kernel: Kernel, ex: Expressions) -> Size:
    """About the bytes moved / 4 plus the vector instructions / 6 of all iterations."""
    total: Size = 0
    for statement in kernel.body:
        total = total + _work(statement, ex)
    return total


def _work(statement: Statement, ex: Expressions) -> Size:
    if not isinstance(statement, Nest):
        roots = (statement.value,)
        return _amount(roots, ex)
    total: Size = 0
    values: list[Node] = [one.value for one in statement.accumulators]
    for one in statement.body:
        if isinstance(one, Nest):
            total = total + _work(one, ex)
        else:
            values.append(one.value)
    if values:
        total = total + _amount(values, ex)
    for loop in reversed(statement.loops):
        total = _summed(total, loop.index) * _whole(loop.extent)
    return total


def _summed(amount: Size, index: str) -> Size:
    """An amount that depends on an enclosing index (the last block is shorter) taken at the first iteration."""
    return substitute(amount, {index: 0}) if index in symbols(amount) else amount


def _whole(extent: Size) -> Size:
    return extent


def _amount(values: tuple[Node, ...] | list[Node], ex: Expressions) -> int:
    moved = instructions = 0
    for node in subexpressions(values):
        if node.op == "load":
            moved += node.type.itemsize
        else:
            instructions += ex.cost(node) - sum([ex.cost(operand) for operand in node.operands])
    moved += sum([value.type.itemsize for value in values])
    return max(1, moved // 4 + instructions // 6)
