"""Where a loop's carried values lie from round to round.

A round makes a value where the present one lies, or, where that is still needed, in the buffer of another carried value that is not, or
in a spare one. Buffers then change places: the next round finds each value under its own name at another address, and nothing is copied.
What is small is copied sooner than its address is looked up.
"""

from __future__ import annotations

from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, SizeExpression, evaluate, symbols
from staxlang.base.types import element_count
from staxlang.compiler.graph import Graph, topological, users
from staxlang.compiler.kept_loops import loop_key
from staxlang.compiler.loops.ir import Buffer
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.lowering.updates import COMPLETE, NEVER_WRITTEN, UPDATE_OPS, readers_through_views, reads_only_at, written_base
from staxlang.compiler.node import Node
from staxlang.compiler.passes.normalize import beside
from staxlang.typecheck.views import indices

SMALL = 512
"""Bytes up to which a value is copied: its address would cost as much."""
_NOMINAL = 1000  # what a symbolic extent is taken for where parts are compared with wholes


class Spare(NamedTuple):
    """A further buffer for the `number`-th carried value. `mirror`: it holds, outside of what a round writes, what the value holds."""

    buffer: str
    number: int
    mirror: bool


class Places:
    """Which values of a round are made over older states of what the loop carries, and what has to be made before them."""

    def __init__(
        self, outer: Lowering, inner: Lowering, region: Graph, order: list[Node], places: list[str], fixed: dict[int, int]
    ) -> None:
        self.outer, self.inner, self.region, self.places = outer, inner, region, places
        self.fixed = fixed  # of values that move as the program says: in whose buffer they go on
        self.readers = users(order)
        self.first: dict[Any, tuple[Node, ...]] = {}  # of a node that writes over a value (or a loop): what else reads that
        self.homes: dict[Node, str] = {}
        self.claims: dict[int, str] = {}  # the buffer that a carried value is made in for the next round
        self.taken: set[str] = set()
        self.spares: list[Spare] = []

    def operands_of(self, node: Node) -> tuple[Node, ...]:
        own = node.operands[::-1] if node.op in UPDATE_OPS else node.operands
        return (*self.first.get(_step(node), ()), *own)

    # ---- who gets which buffer ----

    def find(self) -> None:
        """Settles where each value is made that need not be copied."""
        given = list(self.region.inputs[: len(self.places)])
        made = self.region.outputs
        for number, other in self.fixed.items():
            if made[number] is given[other] or not self._claim(number, other):
                self._take(number, self.places[other])
        for number, node in enumerate(made):
            if node is given[number] and number not in self.claims:
                self._take(number, self.places[number])
        for number, node in enumerate(made):
            if node in given and self._changes(number, given.index(node)):
                self._take(number, self.places[given.index(node)])
        for number in self._open():
            self._mirror(number)
        for number in self._open():
            root = _root(made[number])
            if root not in given or not self._claim(number, given.index(root)):
                self._claim(number, number)
        for number in self._open():
            if not any(self._claim(number, other) for other in range(len(given))) and _is_large(self._buffer(number)):
                self._take(number, self._add_spare(number, False))
                if made[number].op not in NEVER_WRITTEN and made[number] not in self.homes and made.count(made[number]) == 1:
                    chain = self._over_nothing(made[number])
                    self.homes.update(dict.fromkeys(chain, self.claims[number]))

    def moves(self) -> tuple[tuple[str, str], ...]:
        """(buffer, which one's memory it has in the next round)."""
        found = [(place, self.claims[number]) for number, place in enumerate(self.places) if number in self.claims]
        left = [place for place in self.places if place not in self.taken]
        for spare in self.spares:
            own = self.places[spare.number] if spare.mirror else None
            place = own or next(one for one in left if _alike(self.inner.buffers[one], self.inner.buffers[spare.buffer]))
            if own is None:
                left.remove(place)
            found.append((spare.buffer, place))
        return tuple([(name, source) for name, source in found if name != source])

    def _open(self) -> list[int]:
        return [number for number in range(len(self.places)) if number not in self.claims]

    def _buffer(self, number: int) -> Buffer:
        return self.inner.buffers[self.places[number]]

    def _take(self, number: int, place: str) -> None:
        self.claims[number] = place
        self.taken.add(place)

    def _changes(self, number: int, other: int) -> bool:
        """Whether a value may go on in the buffer of another one, which nobody has taken."""
        if number in self.claims or self.places[other] in self.taken:
            return False
        if other == number or self.fixed.get(number) == other:
            return True
        return _is_large(self._buffer(number)) and _alike(self._buffer(number), self._buffer(other))

    def _add_spare(self, number: int, mirror: bool) -> str:
        like = self._buffer(number)
        name = self.outer.add_buffer(self.outer.fresh("t"), like.dtype, like.shape, "temporary")
        self.spares.append(Spare(name, number, mirror))
        return name

    def _claim(self, number: int, other: int) -> bool:
        """Whether a value can be made over what another buffer holds now (or its own); then it will be."""
        made = self.region.outputs[number]
        if not self._changes(number, other) or self.region.outputs.count(made) > 1:
            return False
        before, parts = dict(self.first), set(self.inner.parts_first)
        chain = self._chain(self.region.inputs[other], made)
        if chain is None or any(one in self.homes for one in chain):
            self.first, self.inner.parts_first = before, parts
            return False
        self.homes.update(dict.fromkeys(chain, self.places[other]))
        self._take(number, self.places[other])
        return True

    def _mirror(self, number: int) -> None:
        """Updates of the same parts in each round that read other elements than they write: into a second buffer, alike outside."""
        made, parameter = self.region.outputs[number], self.region.inputs[number]
        place = self.places[number]
        if place in self.taken or not _is_large(self._buffer(number)) or self.region.outputs.count(made) > 1:
            return
        chain = self._fixed_updates(parameter, made)
        if not chain or any(one in self.homes for one in chain) or not _most_of(chain, self._buffer(number)):
            return
        last = chain[-1]
        if reads_only_at(last.operands[1], parameter, last["subscripts"], indices(len(last["shape"])), set()):
            return
        self.taken.add(place)
        self._take(number, self._add_spare(number, True))
        self.homes.update(dict.fromkeys(chain, self.claims[number]))
        self.inner.mirrors.add(last)

    def _fixed_updates(self, parameter: Node, made: Node) -> list[Node]:
        """The updates from a carried value's next state back to the present one, all of parts that are the same in each round."""
        chain: list[Node] = []
        node = made
        while node.op == "update" and not any(mentions_size(one, str(parameter["loop"])) for one in (*node["subscripts"], *node["shape"])):
            chain.append(node)
            node = node.operands[0]
            if node is parameter:
                return chain
            others = [reader for reader in self.readers[node] if reader is not chain[-1]]
            if node in self.inner.roots or not all(self._reads_beside(reader, chain) for reader in others):
                return []
        return []

    def _reads_beside(self, reader: Node, updates: list[Node]) -> bool:
        """Whether a value that is written on is read only where that writes nothing: elsewhere its buffer holds what is older."""
        if reader.op != "view" or reader in self.inner.roots:
            return False
        return all(beside(update, reader["subscripts"], reader.type.shape, self.region.facts) for update in updates)

    # ---- one value over another ----

    def _chain(self, parameter: Node, made: Node) -> list[Node] | None:
        """The nodes from a carried value's next state back to what is written over the present one; None where that is still needed."""
        chain: list[Node] = []
        node = made
        while node.op in UPDATE_OPS or node.op == "loop":
            base = written_base(node)
            if base is parameter:
                return [*chain, node] if self._free(base, node) else None
            if base.op in NEVER_WRITTEN or base in self.inner.roots or not self._free(base, node):
                break
            chain.append(node)
            node = base
        if node.op in NEVER_WRITTEN or (parameter in self.readers and not self._free(parameter, node)):
            return None
        return [*chain, node]

    def _over_nothing(self, made: Node) -> list[Node]:
        """The nodes that are made one over the other, the first one in a buffer that holds nothing."""
        chain = [made]
        while made.op in UPDATE_OPS or made.op == "loop":
            base = written_base(made)
            if base.op in NEVER_WRITTEN or base in self.inner.roots or base in self.homes or not self._free(base, made):
                break
            made = base
            chain.append(made)
        return chain

    def _free(self, base: Node, node: Node) -> bool:
        """Whether `node` may write over `base`: everything else that reads it can be made before. (So can an update's new part, where it
        reads more than it writes.)"""
        found = readers_through_views(base, self.readers, self.inner.roots)
        if found is None or base in self.region.outputs:
            return False
        if node.op == "loop":
            found = {reader for reader in found if _step(reader) != _step(node)}
            places = [place for place, operand in enumerate(node.operands) if _viewed(operand) is base]
            if places and (places != [node["result"]] or node.operands[places[0]] is not base):
                return False
        others = tuple([reader for reader in self.readers if reader in found and reader is not node])
        if any(_step(one) == _step(node) for one in topological(others, self.operands_of)):
            return False
        if not self._reads_as_it_writes(base, node):
            return False
        self.first[_step(node)] = (*self.first.get(_step(node), ()), *others)
        return True

    def _reads_as_it_writes(self, base: Node, node: Node) -> bool:
        if node.op == "loop":
            return True
        if node.op == "scatter":
            return self.readers[base].count(node) == 1 and node.operands[0] is base
        if node.op == "update":
            if not reads_only_at(node.operands[1], base, node["subscripts"], indices(len(node["shape"])), set()):
                self.inner.parts_first.add(node)
            return True
        if node.op in COMPLETE:
            return base not in topological(node.operands)
        at = indices(len(node.type.shape))
        return reads_only_at(node, base, at, at, set())


def mentions_size(size: Size, name: str) -> bool:
    return isinstance(size, SizeExpression) and name in symbols(size)


def _is_large(buffer: Buffer) -> bool:
    size = element_count(buffer.shape) * buffer.dtype.itemsize
    return bool(buffer.shape) and (not isinstance(size, int) or size > SMALL)


def _alike(one: Buffer, other: Buffer) -> bool:
    return one.dtype is other.dtype and one.shape == other.shape and one.strides == other.strides


def _most_of(chain: list[Node], buffer: Buffer) -> bool:
    """Whether updates write about all of a buffer, so that a second one of its kind costs less than what they would write twice."""
    sizes = [element_count(node["shape"]) for node in chain]
    whole = element_count(buffer.shape)
    names = {name for size in (*sizes, whole) if isinstance(size, SizeExpression) for name in symbols(size)}
    nominal = dict.fromkeys(names, _NOMINAL)
    return 2 * max([evaluate(size, nominal) for size in sizes]) >= evaluate(whole, nominal)


def _root(node: Node) -> Node:
    """What a chain of updates has begun with."""
    while node.op in UPDATE_OPS:
        node = node.operands[0]
    return node


def _viewed(node: Node) -> Node:
    while node.op == "view":
        node = node.operands[0]
    return node


def _step(node: Node) -> Any:
    """What is made in one step with a node: itself, or all results of a loop."""
    return loop_key(node) if node.op == "loop" else node
