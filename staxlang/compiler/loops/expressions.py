"""Loop expressions pass through here: what they depend on, what they load, what they cost; substitution of subscripts and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import Any

from staxlang.base.dtypes import BOOL, I64, DType
from staxlang.base.sizes import Size, SizeExpression, substitute, symbol, symbols
from staxlang.compiler.loops.ir import Buffer, Range
from staxlang.compiler.node import Interner, Node

Names = frozenset[str]
_NONE: Names = frozenset()

# About how many simple vector instructions an operation takes; what is not listed takes one.
COST_ROWS: dict[str, int] = {
    "const": 0, "local": 0, "size": 0, "load": 1, "cast": 1,
    **dict.fromkeys(("divide", "reciprocal", "sqrt"), 5),
    **dict.fromkeys(("floor_divide", "remainder", "fmod", "gcd", "lcm", "heaviside", "nextafter", "spacing", "ldexp"), 12),
    **dict.fromkeys(("exp", "exp2", "log", "log2", "log10", "sigmoid"), 14),
    **dict.fromkeys(("expm1", "log1p", "sin", "cos", "tanh", "erf", "softplus", "logaddexp", "logaddexp2", "cbrt", "hypot"), 22),
    **dict.fromkeys(("tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "arcsinh", "arccosh", "arctanh", "erfc"), 30),
    **dict.fromkeys(("power", "float_power"), 45),
}  # fmt: skip


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {"less": lt, "less_equal": le, "greater": gt, "greater_equal": ge}


class Expressions:
    """The expressions of one schedule in the making, with memories of what was asked about them."""

    __slots__ = ("_address", "_cost", "_counter", "_free", "_loads", "_reduces", "_taken", "buffers", "interner", "walked")

    def __init__(self, interner: Interner, buffers: dict[str, Buffer]) -> None:
        self.interner = interner
        self.buffers = buffers
        self.walked = 0  # nodes that were made anew with other indices
        self._free: dict[Node, Names] = {}
        self._loads: dict[Node, tuple[Node, ...]] = {}
        self._reduces: dict[Node, tuple[Node, ...]] = {}
        self._cost: dict[Node, int] = {}
        self._counter: dict[str, int] = {}
        self._taken = set(buffers)
        for buffer in buffers.values():
            for size in (*buffer.shape, *buffer.strides):
                self._taken |= symbols(size)
        self._address: dict[tuple[str, tuple[Size, ...]], Size] = {}

    # ---- making ----

    def fresh(self, prefix: str) -> str:
        """A name that nothing else in the schedule has."""
        while True:
            number = self._counter.get(prefix, 0)
            self._counter[prefix] = number + 1
            name = f"{prefix}{number}"
            if name not in self._taken:
                return name

    def take(self, name: str) -> None:
        """Let no fresh name be this one."""
        self._taken.add(name)

    def make(self, op: str, operands: tuple[Node, ...], dtype: DType, **attributes: Any) -> Node:
        return self.interner.make(op, operands, dtype, **attributes)

    def local(self, name: str, dtype: DType) -> Node:
        return self.interner.make("local", (), dtype, name=name)

    def const(self, value: Any, dtype: DType) -> Node:
        return self.interner.make("const", (), dtype, value=value)

    def size(self, value: Size) -> Node:
        return self.const(value, I64) if isinstance(value, int) else self.interner.make("size", (), I64, value=value)

    def load(self, buffer: str, subscripts: tuple[Size, ...]) -> Node:
        return self.interner.make("load", (), self.buffers[buffer].dtype, buffer=buffer, subscripts=subscripts)

    def cast(self, value: Node, dtype: DType) -> Node:
        if value.type is dtype:
            return value
        if value.op == "const" and value.type is I64 and dtype.kind == "f":
            return self.const(float(dtype.numpy.type(value["value"])), dtype)
        return self.interner.make("cast", (value,), dtype)

    # ---- asking ----

    def free(self, node: Node) -> Names:
        """Names of the indices and sizes that a value depends on (those bound by a reduction inside are not)."""
        found = self._free.get(node)
        if found is None:
            found = self._free[node] = self._find_free(node)
        return found

    def _find_free(self, node: Node) -> Names:
        if node.op == "const" or node.op == "local":
            return _NONE
        if node.op == "size":
            return symbols(node["value"])
        found = _NONE
        for operand in node.operands:
            found |= self.free(operand)
        if node.op == "load":
            for subscript in node["subscripts"]:
                if not isinstance(subscript, int):
                    found |= symbols(subscript)
            if node.operands:
                found = frozenset([name for name in found if name[0] != "$"])
        elif node.op == "reduce":
            ranges = node["ranges"]
            found -= {name for name, _ in ranges}
            for _, extent in ranges:
                found |= symbols(extent)
        return found

    def loads(self, node: Node) -> tuple[Node, ...]:
        """The different loads in an expression, in order of appearance."""
        found = self._loads.get(node)
        if found is None:
            found = self._loads[node] = self._gather(node, "load", self.loads)
        return found

    def checks(self, node: Node) -> bool:
        """Whether a run-time check is made in an expression."""
        return any(one.op == "assert_index" for one in subexpressions((node,)))

    def reduces(self, node: Node) -> tuple[Node, ...]:
        """The different reductions in an expression; one inside another comes before it."""
        found = self._reduces.get(node)
        if found is None:
            found = self._reduces[node] = self._gather(node, "reduce", self.reduces)
        return found

    def _gather(self, node: Node, op: str, again: Any) -> tuple[Node, ...]:
        if not node.operands:
            return (node,) if node.op == op else ()
        if len(node.operands) == 1 and node.op != op:
            return again(node.operands[0])
        found: dict[Node, None] = {}
        for operand in node.operands:
            found.update(dict.fromkeys(again(operand)))
        if node.op == op:
            found[node] = None
        return tuple(found)

    def cost(self, node: Node) -> int:
        """About how many simple instructions an element of this value takes (shared parts counted each time they are used)."""
        found = self._cost.get(node)
        if found is None:
            found = min(1 << 20, COST_ROWS.get(node.op, 1) + sum([self.cost(operand) for operand in node.operands]))
            self._cost[node] = found
        return found

    def address(self, buffer: str, subscripts: tuple[Size, ...]) -> Size:
        """Element number in the buffer as one size over loop indices; `$k` in it where it is indirect."""
        key = (buffer, subscripts)
        found = self._address.get(key)
        if found is None:
            found = 0
            for subscript, stride in zip(subscripts, self.buffers[buffer].strides, strict=True):
                if subscript != 0:
                    found = found + subscript * stride
            self._address[key] = found
        return found

    # ---- rewriting ----

    def can_index(self, node: Node, names: Iterable[str]) -> bool:
        """Whether `index` works: the named indices are used in loads only, not as numbers or in extents."""
        wanted = frozenset(names)
        for one in subexpressions((node,)):
            if one.op == "size" and not wanted.isdisjoint(symbols(one["value"])):
                return False
            if one.op == "reduce" and any(not wanted.isdisjoint(symbols(extent)) for _, extent in one["ranges"]):
                return False
        return True

    def index(self, node: Node, mapping: Mapping[str, Size], indirect: tuple[Node, ...], memo: dict[Node, Node]) -> Node:
        """`substitute` where `$k` in the mapping stands for the value of `indirect[k]`."""
        if self.free(node).isdisjoint(mapping):
            return node
        found = memo.get(node)
        if found is not None:
            return found
        operands = tuple([self.index(operand, mapping, indirect, memo) for operand in node.operands])
        if node.op == "load":
            own = len(operands)
            shifted = {f"${k}": symbol(f"${k + own}") for k in range(len(indirect))}
            moved = {name: substitute(size, shifted) for name, size in mapping.items()}
            subscripts = tuple([replace_symbols(one, moved) for one in node["subscripts"]])
            used = any(name[0] == "$" for one in subscripts for name in symbols(one))
            found = self.make("load", (*operands, *indirect) if used else operands, node.type, buffer=node["buffer"], subscripts=subscripts)
        elif node.op in ("size", "reduce"):
            found = self._substitute(self.with_operands(node, operands), mapping, {})
        else:
            found = self.with_operands(node, operands)
        memo[node] = found
        return found

    def substitute(self, node: Node, mapping: Mapping[str, Size], memo: dict[Node, Node] | None = None) -> Node:
        """The expression with indices replaced by sizes, all at once. `memo` may be shared by calls with the same mapping."""
        if not mapping or self.free(node).isdisjoint(mapping):
            return node
        return self._substitute(node, mapping, {} if memo is None else memo)

    def _substitute(self, node: Node, mapping: Mapping[str, Size], memo: dict[Node, Node]) -> Node:
        if self.free(node).isdisjoint(mapping):
            return node
        found = memo.get(node)
        if found is not None:
            return found
        operands = tuple([self._substitute(operand, mapping, memo) for operand in node.operands]) if node.operands else ()
        found = memo[node] = self.moved(node, operands, mapping)
        return found

    def moved(self, node: Node, operands: tuple[Node, ...], mapping: Mapping[str, Size]) -> Node:
        """The node on operands whose indices are replaced already, its own replaced."""
        self.walked += 1
        make = self.interner.make
        if node.op == "load":
            subscripts = tuple([replace_symbols(one, mapping) for one in node["subscripts"]])
            return make("load", operands, node.type, buffer=node["buffer"], subscripts=subscripts)
        if node.op == "size":
            return self.size(replace_symbols(node["value"], mapping))
        if node.op == "reduce":
            ranges = tuple([(name, replace_symbols(extent, mapping)) for name, extent in node["ranges"]])
            return make("reduce", operands, node.type, kind=node["kind"], ranges=ranges, part=node["part"])
        return self.simpler(make(node.op, operands, node.type, **dict(node.attributes)))

    def simpler(self, node: Node) -> Node:
        """The node, or what it is by conditions that its operands have decided: without the branches that they do not take.

        An element of an array that is put together, read at a known place, is the part that stands there.
        """
        operands = node.operands
        if node.op in _COMPARISONS:
            if operands[0].op == "const" == operands[1].op:
                return self.const(_COMPARISONS[node.op](operands[0]["value"], operands[1]["value"]), BOOL)
        elif node.op in ("guard", "where"):
            if operands[0].op == "const":
                return operands[1] if operands[0]["value"] else operands[2]
        elif node.op in ("logical_and", "logical_or"):
            for one, other in (operands, operands[::-1]):
                if one.op == "const":
                    return other if bool(one["value"]) is (node.op == "logical_and") else one
        return node

    def replace(self, node: Node, table: Mapping[Node, Node], memo: dict[Node, Node] | None = None) -> Node:
        """The expression with whole sub-expressions replaced (outermost first)."""
        if memo is None:
            memo = {}
        found = table.get(node)
        if found is not None:
            return found
        if not node.operands:
            return node
        found = memo.get(node)
        if found is None:
            operands = tuple([self.replace(operand, table, memo) for operand in node.operands])
            found = node if operands == node.operands else self.with_operands(node, operands)
            memo[node] = found
        return found

    def with_operands(self, node: Node, operands: tuple[Node, ...]) -> Node:
        return self.interner.make(node.op, operands, node.type, **dict(node.attributes))


def replace_symbols(size: Size, mapping: Mapping[str, Size]) -> Size:
    """`substitute` with the common case, a lone index, made quick."""
    if not isinstance(size, SizeExpression):
        return size
    names = symbols(size)
    if len(names) == 1:
        (name,) = names
        value = mapping.get(name)
        if value is None:
            return size
        if size is symbol(name):
            return value
    return substitute(size, mapping)


def lone_symbol(size: Size) -> str | None:
    """The name of the symbol that a size is, None for anything else."""
    if not isinstance(size, SizeExpression) or len(size.terms) != 1:
        return None
    ((monomial, count),) = size.terms.items()
    return monomial[0].name if count == 1 and len(monomial) == 1 and monomial[0].kind == "symbol" else None


def extent_of(ranges: Iterable[Range]) -> Size:
    """The number of points of a space."""
    total: Size = 1
    for _, extent in ranges:
        total = total * extent
    return total


def subexpressions(roots: Iterable[Node], seen: set[Node] | None = None) -> Iterator[Node]:
    """Every different node under the roots, operands before the nodes that use them; not those that are in `seen`, which grows."""
    if seen is None:
        seen = set()
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend([(operand, False) for operand in reversed(node.operands) if operand not in seen])
