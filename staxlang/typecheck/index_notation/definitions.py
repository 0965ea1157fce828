"""`let name[subscripts] = value`: tensors by index notation. Definitions that stand together are looked at together."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.frames import Frame, Signal, children, reads_unknown
from staxlang.typecheck.index_notation.bodies import as_element, element, extents, ranges_of, under
from staxlang.typecheck.index_notation.pieces import defined_together
from staxlang.typecheck.index_notation.updates import update
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import UNKNOWN, Value

Definitions = tuple[Any, ...]


def definition(frame: Frame, node: tree.TensorDefinition) -> Signal:
    """The first of definitions that stand together makes what all of them define."""
    if node.op:
        update(frame, node)
        return None
    for together in _components(_run(frame, node)):
        if frame.context.checking and any(reads_unknown(frame, one) for one in together):
            frame.locals.update({one.name: UNKNOWN for one in together})
            continue
        try:
            frame.locals.update(_made(frame, together))
        except (Problem, Unknowable) as problem:
            if not frame.context.checking:
                raise
            if isinstance(problem, Problem):
                frame.context.report(problem.diagnostic)
            frame.locals.update({one.name: UNKNOWN for one in together})
    return None


def _made(frame: Frame, together: Definitions) -> dict[str, Value]:
    node = together[0]
    if len(together) > 1 or not all(type(one) is tree.Binder or _is_leading(one) for one in node.subscripts) or _reads(node, node.name):
        return defined_together(frame, together)
    return {node.name: _defined(frame, node)}


def _defined(frame: Frame, node: tree.TensorDefinition) -> Value:
    if not node.subscripts:
        return element(frame, node)
    call = frame.call(node)
    binders: list[Any] = [one for one in node.subscripts if type(one) is tree.Binder]
    given, body = under(frame, node, binders, lambda inner: as_element(inner.call(node.value), element(inner, node), node.name))
    if body.rank and not _is_leading(node.subscripts[0]):
        call.error("index-missing", name=node.name, given=call.describe(body))
    for axis, index in enumerate(given):
        if not call.same_size(index.start, 0, f"the range of {index.name}"):
            places = [f"0..{index.start}" if place == axis else one.name for place, one in enumerate(given)]
            call.error("index-undefined", name=node.name, box=f"{node.name}[{', '.join(places)}]")
    type_ = TensorType(body.dtype, (*body.shape, *extents(given)))
    made = call.record("define", (call.handle(body),), {"ranges": ranges_of(given)}, type_)
    return call.array(made, type_, scalar=False)


def _is_leading(subscript: Any) -> bool:
    return type(subscript) is tree.Constant and subscript.value is ...


# ---- which definitions stand together ----


def _run(frame: Frame, node: tree.TensorDefinition) -> Definitions:
    """The definitions that follow one another from this one on; none where it is not the first of them."""
    function = frame.owner.function.tree
    runs = frame.context.indices.runs
    known = runs.get(id(function))
    if known is None:
        known = runs[id(function)] = {}
        _find_runs(function.body, known)
    return known.get(id(node), ())


def _find_runs(statements: Iterable[Any], known: dict[int, Definitions]) -> None:
    run: list[Any] = []
    for statement in (*statements, None):
        if type(statement) is tree.TensorDefinition and not statement.op:
            run.append(statement)
            continue
        if run:
            known[id(run[0])] = tuple(run)
            run = []
        if type(statement) is tree.TensorDefinition:
            known[id(statement)] = (statement,)
        for name in ("then", "otherwise", "body"):
            inner = getattr(statement, name, None)
            if isinstance(inner, tuple) and type(statement) is not tree.Function:
                _find_runs(inner, known)


def _components(run: Definitions) -> list[Definitions]:
    """The definitions of a run in groups: pieces of one tensor, and tensors that read each other; each group after those that it reads."""
    names = list(dict.fromkeys([node.name for node in run]))
    needs = {name: [other for other in names if any(_reads(node, other) for node in run if node.name == name)] for name in names}
    order: list[list[str]] = []
    _connect(names, needs, order)
    return [tuple([node for node in run if node.name in group]) for group in order]


def _connect(names: Sequence[str], needs: dict[str, list[str]], order: list[list[str]]) -> None:
    """Names that lead to each other in one group, groups after those that they need (Tarjan)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> None:
        numbers[name] = lowest[name] = len(numbers)
        stack.append(name)
        for other in needs[name]:
            if other not in numbers:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], numbers[other])
        if lowest[name] == numbers[name]:
            place = stack.index(name)
            order.append(stack[place:])
            del stack[place:]

    for name in names:
        if name not in numbers:
            visit(name)


def _reads(node: Any, name: str) -> bool:
    if type(node) is tree.Name:
        return node.id == name
    return any(_reads(child, name) for child in children(node))
