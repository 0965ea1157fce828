"""Updates on either side of a branch become one chain of updates, each of which keeps what is there where its side is not taken.

    where(c, update(b, v), b)                ->  update(b, where(c, v, b at that place))
    where(c, update(b, v), update(b, w))     ->  both, one after the other; or, at one place, update(b, where(c, v, w))
    where(c, scatter(b, v, i), b)            ->  scatter(b, where(c, v, gather(b, i)), i)

An index has been checked where the scatter is made, whatever the condition: the language clamps those of a side that is not taken.
What a side writes may read what it has written before. It then reads the new chain's state, which is the same one where the side is
taken, and of no account where it is not: so the old chain is not kept beside the new one.

So an assignment under a condition writes its element, and not a choice between two whole arrays. And an element
that is set in a part of an array is set in the array itself:

    update(b, scatter(b at a part, v, i))    ->  scatter(b, v, the part's subscripts and i)
"""

from __future__ import annotations

from collections.abc import Iterator

from staxlang.base.dtypes import I64
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.graph import remake
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting
from staxlang.typecheck.views import index, index_name

FAR = 200
_MOVABLE = frozenset(("view", "cast", "copy", "gather", "update", "scatter", *OPERATIONS))


def overwritten_update(rewriting: Rewriting, node: Node) -> Node | None:
    """What is written anew at once need not have been written."""
    base, value = node.operands
    if base.op != "update" or base["subscripts"] != node["subscripts"] or base["shape"] != node["shape"]:
        return None
    return _update(rewriting, node, base.operands[0], value)


def updates_of_branches(rewriting: Rewriting, node: Node) -> Node | None:
    """A choice, by one condition for all elements, between two states of one array."""
    condition, left, right = node.operands
    test = _single(condition)
    if test is None:
        return None
    mine, theirs = _chain(left), _chain(right)
    common = next((one for one in mine if one in theirs), None)
    if common is None or (common is left and common is right):
        return None
    first, second = mine[: mine.index(common)][::-1], theirs[: theirs.index(common)][::-1]
    if not all(map(_is_link, (*first, *second))):
        return None
    made = common
    states: dict[Node, Node] = {}
    while first and second and _same_place(first[0], second[0]):
        one, other = first.pop(0), second.pop(0)
        value = _chosen(rewriting, test, _moved(rewriting, one.operands[1], states), _moved(rewriting, other.operands[1], states))
        made = _written(rewriting, one, made, value)
        states[one] = states[other] = made
    met = made  # what both sides have written at one place is in it: neither finds the common state there
    for links, taken in ((first, True), (second, False)):
        reached = {**states, common: made} if made is not common and met is common else dict(states)
        for one in links:
            old, value = _read(rewriting, one, made), _moved(rewriting, one.operands[1], reached)
            made = _written(rewriting, one, made, _chosen(rewriting, test, value, old) if taken else _chosen(rewriting, test, old, value))
            reached[one] = made
    return made


def _is_link(node: Node) -> bool:
    """An update, or the setting of a single element."""
    return node.op == "update" or (node.op == "scatter" and node["mode"] == "set" and not node.operands[1].type.shape)


def _read(rewriting: Rewriting, like: Node, base: Node) -> Node:
    """What is there that a link writes."""
    if like.op == "update":
        return rewriting.view(base, like["shape"], like["subscripts"])
    type = like.operands[1].type
    return rewriting.make("gather", (base, *like.operands[2:]), type, axes=like["axes"], position=like["position"])


def _written(rewriting: Rewriting, like: Node, base: Node, value: Node) -> Node:
    if like.op == "update":
        return _update(rewriting, like, base, value)
    return rewriting.make("scatter", (base, value, *like.operands[2:]), like.type, **dict(like.attributes))


def _moved(rewriting: Rewriting, value: Node, states: dict[Node, Node]) -> Node:
    """A value that reads other states of the array; itself where that could fail, or where it is far to them."""
    if not states:
        return value
    oldest = min(node.number for node in states)  # what is older than a node does not depend on it
    order: list[Node] = []
    for node in _above((value,), oldest, frozenset(states)):
        order.append(node)
        if len(order) > FAR:
            return value
    moved = dict(states)
    for node in order:
        operands = tuple([moved.get(one, one) for one in node.operands])
        if operands == node.operands:
            continue
        indexes = len(node["axes"]) if node.op in ("gather", "scatter") else 0
        if node.op not in _MOVABLE or (indexes and operands[-indexes:] != node.operands[-indexes:]):
            return value
        moved[node] = remake(node, operands, rewriting.interner)
    return moved.get(value, value)


def _above(roots: tuple[Node, ...], oldest: int, ends: frozenset[Node]) -> Iterator[Node]:
    """What values are made of, operands first: down to nodes of a number, and to some others."""
    seen: set[Node] = set()
    stack = [(node, False) for node in roots]
    while stack:
        node, entered = stack.pop()
        if entered:
            yield node
        elif node not in seen and node not in ends and node.number > oldest:
            seen.add(node)
            stack.append((node, True))
            stack += [(one, False) for one in node.operands]


def _single(condition: Node) -> Node | None:
    """The 0-d condition that an array of conditions repeats."""
    while condition.op == "view" and condition.type.shape:
        condition = condition.operands[0]
    return None if condition.type.shape else condition


def _chain(node: Node) -> list[Node]:
    """A value and the older states of the array that it is an update of."""
    found = [node]
    while _is_link(node):
        node = node.operands[0]
        found.append(node)
    return found


def _same_place(one: Node, other: Node) -> bool:
    if one.op != other.op:
        return False
    if one.op == "scatter":
        return one.operands[2:] == other.operands[2:] and one.attributes == other.attributes
    return one["subscripts"] == other["subscripts"] and one["shape"] == other["shape"]


def _update(rewriting: Rewriting, like: Node, base: Node, value: Node) -> Node:
    return rewriting.make("update", (base, value), TensorType(base.type.dtype, base.type.shape), **dict(like.attributes))


def _chosen(rewriting: Rewriting, test: Node, one: Node, other: Node) -> Node:
    return rewriting.pointwise("where", rewriting.view(test, one.type.shape, ()), one, other, dtype=one.type.dtype)


# ---- elements of parts ----


def element_of_part(rewriting: Rewriting, node: Node) -> Node | None:
    """An element that is set in a part of an array is set in the array itself: the part need not be a value of its own."""
    base, value = node.operands
    if value.op != "scatter" or value["mode"] != "set" or value.operands[1].type.shape:
        return None
    part, element, *found = value.operands
    subscripts: tuple[Size, ...] = node["subscripts"]
    if part.op != "view" or part.operands[0] is not base or part["subscripts"] != subscripts or part.type.shape != node["shape"]:
        return None
    rank = len(node["shape"])
    if sorted(value["axes"]) != list(range(rank)):
        return None
    chosen = {index(axis): place for axis, place in zip(value["axes"], found, strict=True)}
    own = {index_name(axis) for axis in range(rank)}
    places: list[Node] = []
    for subscript in subscripts:
        if subscript in chosen:
            places.append(chosen[subscript])
        elif isinstance(subscript, int):
            places.append(rewriting.make("constant", (), TensorType(I64, ()), value=subscript))
        elif own.isdisjoint(symbols(subscript)):
            places.append(rewriting.make("size", (), TensorType(I64, ()), value=subscript))
        else:
            return None
    axes = tuple(range(len(subscripts)))
    return rewriting.make("scatter", (base, element, *places), base.type, axes=axes, position=0, mode="set")
