"""Values that are written into their readers: what they cost is known at once, the expressions are put together where one is kept.

Each definition is walked once for each place that reads it, with the indices it has there, however long the chain that it stands in.
"""

from __future__ import annotations

from collections.abc import Mapping

from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.expressions import COST_ROWS, Expressions, lone_symbol, replace_symbols, subexpressions
from staxlang.compiler.loops.ir import Definition
from staxlang.compiler.node import Node

MOST_COST = 1 << 20


class Content:
    """What an expression holds with all that is written into it.

    cost: as `Expressions.cost`. size: the same with shared parts counted once. loads: the different loads. checks: whether it has run-time
    checks.
    """

    __slots__ = ("body", "checks", "cost", "loads", "size")

    def __init__(self, body: Node, cost: int, size: int, loads: Mapping[Node, None], checks: bool) -> None:
        self.body, self.cost, self.size, self.loads, self.checks = body, cost, size, loads, checks


class Inlining:
    """The definitions that are written into their readers, by buffer."""

    __slots__ = ("_contents", "_definitions", "_values", "ex")

    def __init__(self, ex: Expressions) -> None:
        self.ex = ex
        self._definitions: dict[str, Definition] = {}
        self._contents: dict[str, Content] = {}
        self._values: dict[tuple[str, tuple[Size, ...]], Node] = {}

    def add(self, definition: Definition, content: Content) -> None:
        """From now on readers get the definition's value instead of a load of it."""
        self._definitions[definition.buffer] = Definition(definition.buffer, definition.ranges, definition.subscripts, content.body)
        self._contents[definition.buffer] = content

    # ---- asking ----

    def content(self, body: Node) -> Content:
        """What a definition's body holds."""
        ex = self.ex
        inner = [load for load in ex.loads(body) if load["buffer"] in self._definitions]
        if any(load.operands for load in inner):
            body, inner = self.expanded(body, {}), []
        if not inner:
            nodes = list(subexpressions((body,)))
            size = sum([_own_cost(node) for node in nodes])
            return Content(body, ex.cost(body), size, dict.fromkeys(ex.loads(body)), any(node.op == "assert_index" for node in nodes))
        loads: dict[Node, None] = {}
        for load in ex.loads(body):
            content = self._contents.get(load["buffer"])
            loads.update({load: None} if content is None else self._moved(load, content.loads))
        costs: dict[Node, int] = {}
        size, checks = 0, False
        for node in subexpressions((body,)):
            content = self._contents.get(node["buffer"]) if node.op == "load" else None
            if content is not None:
                costs[node] = content.cost
                size += content.size
                checks = checks or content.checks
                continue
            size += _own_cost(node)
            checks = checks or node.op == "assert_index"
            costs[node] = min(MOST_COST, _own_cost(node) + sum([costs[operand] for operand in node.operands]))
        return Content(body, costs[body], size, loads, checks)

    def _moved(self, load: Node, loads: Mapping[Node, None]) -> Mapping[Node, None]:
        """The loads of the value that a load stands for."""
        mapping = self._mapping(load["buffer"], load["subscripts"])
        return {self.ex.substitute(one, mapping): None for one in loads} if mapping else loads

    def _mapping(self, buffer: str, subscripts: tuple[Size, ...]) -> dict[str, Size]:
        ranges = self._definitions[buffer].ranges
        return {name: one for (name, _), one in zip(ranges, subscripts, strict=True) if lone_symbol(one) != name}

    # ---- putting together ----

    def expanded(self, body: Node, mapping: Mapping[str, Size]) -> Node:
        """The expression with values in place of loads of them, its indices replaced."""
        ex = self.ex
        inner = [load for load in ex.loads(body) if load["buffer"] in self._definitions]
        if any(load.operands for load in inner):
            table: dict[Node, Node] = {}
            for load in inner:  # those inside the indices of others come first
                if load.operands:
                    own = tuple([symbol(name) for name, _ in self._definitions[load["buffer"]].ranges])
                    value = self._value(load["buffer"], own)
                    indirect = tuple([ex.replace(operand, table) for operand in load.operands])
                    table[load] = ex.index(value, self._mapping(load["buffer"], load["subscripts"]), indirect, {})
                else:
                    table[load] = self._value(load["buffer"], load["subscripts"])
            return ex.substitute(ex.replace(body, table), mapping)
        memo = {load: self._value(load["buffer"], tuple([replace_symbols(one, mapping) for one in load["subscripts"]])) for load in inner}
        if not memo:
            return ex.substitute(body, mapping)
        return self._put(body, mapping, memo)

    def _value(self, buffer: str, subscripts: tuple[Size, ...]) -> Node:
        """The value of a definition at subscripts."""
        found = self._values.get((buffer, subscripts))
        if found is None:
            found = self.expanded(self._definitions[buffer].body, self._mapping(buffer, subscripts))
            self._values[buffer, subscripts] = found
        return found

    def _put(self, node: Node, mapping: Mapping[str, Size], memo: dict[Node, Node]) -> Node:
        found = memo.get(node)
        if found is None:
            operands = tuple([self._put(operand, mapping, memo) for operand in node.operands])
            found = memo[node] = self.ex.moved(node, operands, mapping)
        return found


def _own_cost(node: Node) -> int:
    return COST_ROWS.get(node.op, 1)
