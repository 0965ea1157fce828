"""A lowered kernel to what C callers see of it: parameters, results, messages - and the graphs of the programs behind it."""

# A result's structure is made of Any: what isinstance narrows it to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import keyword
import re
from typing import Any

from staxlang.base.dtypes import I64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, symbol
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, rebuild
from staxlang.compiler.llvm.c_entry import CArray, CNumber, bare_symbol
from staxlang.compiler.node import Node
from staxlang.runtime import late
from staxlang.runtime.lowered import Lowered
from staxlang.typecheck.guards import FrozenScalar, ShapeGuard
from staxlang.typecheck.results import (
    InputArray,
    InputNumber,
    OutputArray,
    OutputNumber,
    RecordResult,
    SizeResult,
    StaticResult,
)  # fmt: skip

_NOT_A_NAME = re.compile(r"\W+")
_C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return "
    "short signed sizeof static struct switch typedef union unsigned void volatile while bool true false".split()
)
_NUMBERS = ("int", "float", "complex", "bool")


class Interface(NamedTuple):
    """`graph` computes the results in the order of `outputs`; `strided` is the same for arguments of any layout (None: no array has axes).
    `extent_messages` are the texts of comparisons that can fail, by (array, axis); `condition_messages` those of conditions on sizes."""

    name: str
    kernel: str
    doc: str
    order: tuple[CArray | CNumber, ...]
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    outputs: tuple[CArray, ...]
    extent_messages: dict[tuple[str, int], str]
    condition_messages: dict[Condition, str]
    graph: Graph
    strided: Graph | None
    strides: tuple[tuple[str, ...], ...]


def interface(lowered: Lowered, name: str) -> Interface:
    """What C sees of a kernel. Raises diagnostics for what has no form there."""
    evaluation = lowered.evaluation
    _refuse(lowered)
    names = _Names()
    parameters = _parameters(lowered, names)
    graph = lowered.captured
    nodes: list[Node] = []
    for leaf in _leaves(evaluation.result):
        node = _result(lowered, graph, leaf)
        if node is not None:
            nodes.append(node)
    out_names = [names.of("out" if len(nodes) == 1 else f"out{k}") for k in range(len(nodes))]
    outputs = tuple([CArray(one, node.type.dtype.name, node.type.shape) for one, node in zip(out_names, nodes, strict=True)])
    graph = graph._replace(outputs=tuple(nodes), pending=())
    arrays = tuple([parameters[node["position"]].name for node in graph.inputs])
    scalars = tuple([parameters[node["position"]].name for node in graph.scalars])
    order = tuple([parameters[position] for position in sorted(parameters)])
    strided = _with_strides(graph) if any(node.type.shape for node in graph.inputs) else None
    strides = tuple([_stride_names(node) for node in graph.inputs])
    guards = [guard for guard in lowered.guard_values if isinstance(guard, ShapeGuard)]
    return Interface(
        name, lowered.name, lowered.function.tree.doc or "", order, arrays, scalars, outputs, _extent_messages(name, order, outputs),
        _condition_messages(name, guards), graph, strided, strides,
    )  # fmt: skip


def _refuse(lowered: Lowered) -> None:
    def refuse(what: str, help: str) -> None:
        late.raise_error("not-buildable", kernel=lowered.name, what=what, help=help)

    if lowered.bindings:
        refuse(f"it reads `{lowered.bindings[0]}` from around it at each call", "pass that as a parameter")
    used = {node["position"] for node in lowered.captured.scalars}
    for guard in lowered.guard_values:
        if isinstance(guard, FrozenScalar) and guard.position in used:
            refuse(f"`{guard.path}` decides what is computed, and is a number of it too", "make two parameters of it")
    if lowered.captured.gates:
        refuse("a branch in it depends on data", "write it with `where`, or `cond`")
    for what in lowered.counted:
        refuse(f"the size of `{what}` depends on data", "give a size, `nonzero(x, size=n)`, or keep the array's own: `where(mask, x, 0)`")


class _Names:
    """C identifiers, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, path: str) -> str:
        plain = _NOT_A_NAME.sub("_", path).strip("_") or "argument"
        if plain in _C_WORDS or keyword.iskeyword(plain) or plain[0].isdigit() or not plain.isascii():
            plain = f"{plain.encode('ascii', 'ignore').decode()}_"
        while plain in self._taken:
            plain += "_"
        self._taken.add(plain)
        return plain


def _parameters(lowered: Lowered, names: _Names) -> dict[int, CArray | CNumber]:
    """The arrays and numbers among the arguments, by leaf position."""
    frozen = {guard.position for guard in lowered.guard_values if isinstance(guard, FrozenScalar)}
    written = {position for position, _, _ in lowered.evaluation.updates}
    symbols = {binding.position: binding.symbol for binding in lowered.size_bindings}
    found: dict[int, CArray | CNumber] = {}
    position = -1
    for item in lowered.items:
        if item.kind in ("array", "numpy scalar"):
            position += 1
            type_ = lowered.leaf_types[position]
            found[position] = CArray(names.of(item.path), type_.dtype.name, type_.shape, position in written)
        elif item.kind in _NUMBERS:
            position += 1
            if position in frozen:
                continue  # the spec gave its value, and the program is one for that value
            kind = "bool" if isinstance(item.value, bool) else item.kind
            found[position] = CNumber(names.of(item.path), kind, symbols.get(position))
        elif item.kind == "object":
            late.raise_error("not-buildable", kernel=lowered.name, what=f"`{item.path}` is a Python object",
                             help="C callers pass arrays and numbers")  # fmt: skip
    return found


def _leaves(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in _leaves(part)]
    if isinstance(result, dict):
        return [leaf for part in result.values() for leaf in _leaves(part)]
    if isinstance(result, RecordResult):
        return [leaf for _, part in result.fields for leaf in _leaves(part)]
    return [result]


def _result(lowered: Lowered, graph: Graph, leaf: Any) -> Node | None:
    """The node whose value a result is; every one gets memory of its own. None for `None`."""
    make = graph.interner.make
    if isinstance(leaf, OutputArray):
        node = graph.outputs[leaf.output]
        return node if leaf.subscripts is None else _view(graph, node, leaf)
    if isinstance(leaf, InputArray):
        updated = dict(zip([position for position, _, _ in lowered.evaluation.updates], [node for _, node in graph.updates]))
        node = updated.get(leaf.position) or next(one for one in graph.inputs if one["position"] == leaf.position)
        if leaf.position in updated and leaf.subscripts is None:
            return None  # the caller has it: the argument itself
        return node if leaf.subscripts is None else _view(graph, node, leaf)
    if isinstance(leaf, OutputNumber):
        return graph.outputs[leaf.output]
    if isinstance(leaf, SizeResult):
        return make("size", (), TensorType(I64, ()), value=leaf.size)
    if isinstance(leaf, InputNumber):
        found = next((one for one in graph.scalars if one["position"] == leaf.position), None)
        if found is not None:
            return found
    if isinstance(leaf, StaticResult) and leaf.value is None:
        return None
    late.raise_error("not-buildable", kernel=lowered.name, what="it returns something that is neither an array nor computed",
                     help="return arrays and numbers")  # fmt: skip


def _view(graph: Graph, node: Node, leaf: OutputArray | InputArray) -> Node:
    plain = TensorType(leaf.type.dtype, leaf.type.shape)
    return graph.interner.make("view", (node,), plain, subscripts=leaf.subscripts)


def _stride_names(node: Node) -> tuple[str, ...]:
    return tuple([f"{node['path']}.strides[{axis}]" for axis in range(len(node.type.shape))])


def _with_strides(graph: Graph) -> Graph:
    """The graph over inputs whose strides are symbols."""
    mapping: dict[Node, Node] = {}
    for node in graph.inputs:
        if node.type.shape:
            layout = tuple([symbol(name, True) for name in _stride_names(node)])
            strided = TensorType(node.type.dtype, node.type.shape, layout)
            mapping[node] = graph.interner.make("input", (), strided, **dict(node.attributes))
    inputs = tuple([mapping.get(node, node) for node in graph.inputs])
    outputs, updated, checks = (
        tuple(rebuild(nodes, mapping, graph.interner)) for nodes in (graph.outputs, [node for _, node in graph.updates], graph.checks)
    )
    updates = tuple([(place, node) for (place, _), node in zip(graph.updates, updated, strict=True)])
    return graph._replace(inputs=inputs, outputs=outputs, updates=updates, checks=checks)


def _extent_messages(name: str, order: tuple[CArray | CNumber, ...], outputs: tuple[CArray, ...]) -> dict[tuple[str, int], str]:
    found: dict[tuple[str, int], str] = {}
    bound: dict[str, str] = {one.symbol: one.name for one in order if isinstance(one, CNumber) and one.symbol is not None}
    for one in (*order, *outputs):
        if not isinstance(one, CArray):
            continue
        for axis, size in enumerate(one.shape):
            alone = bare_symbol(size)
            if alone is not None and alone not in bound and one not in outputs:
                bound[alone] = f"{one.name}_shape[{axis}]"
                continue
            origin = f" ({alone} is {bound[alone]})" if alone is not None and alone in bound and bound[alone] != alone else ""
            found[one.name, axis] = f"{name}: {one.name}_shape[{axis}] is not {size}{origin}"
    return found


def _condition_messages(name: str, guards: list[ShapeGuard]) -> dict[Condition, str]:
    found: dict[Condition, str] = {}
    for guard in guards:
        line = f", line {guard.span.line} of {guard.span.source.name}" if guard.span is not None else ""
        found[guard.condition] = f"{name}: {guard.condition} does not hold ({guard.why}{line})"
    return found
