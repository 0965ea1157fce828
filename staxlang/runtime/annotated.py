"""A kernel's annotations against one call: wrong arguments are refused, declared sizes become the symbols of the arrays' shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from staxlang.base.diagnostics import raise_diagnostics
from staxlang.base.sizes import Condition, Size, SizeExpression, floordiv, linear_in, substitute, symbol, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.runtime.arguments import dtype_of
from staxlang.runtime.declared import Declared
from staxlang.runtime.signature import Item, class_of
from staxlang.typecheck.annotations import ANY, Annotation, Binding, Leaf, bind, check_result, element
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.evaluator import Evaluation
from staxlang.typecheck.signatures import NOTHING_SAID, Signature, read_signature, scope_lookup


def signature_of(tree: Any, function: FunctionType) -> Signature:
    """What a function's annotations say, or the header of the .stx definition that it stands for."""
    stx = function.__dict__.get("__stx__")
    if stx is None:
        return read_signature(tree, scope_lookup(function))
    return stx.header.signature if stx.header is not None else NOTHING_SAID


def declared(tree: Any, function: FunctionType, items: Sequence[Item]) -> Declared:
    """What a function's annotations say about the objects of a call. Raises the diagnostics of what they forbid."""
    signature = signature_of(tree, function)
    if signature.diagnostics:
        raise_diagnostics(signature.diagnostics)
    spans = {parameter.name: parameter.span for parameter in tree.parameters}
    annotations: list[Annotation] = []
    leaves: list[Leaf] = []
    top = ""
    for item in items:
        if item.parent < 0:
            top = item.path
            annotations.append(signature.parameters.get(top, ANY))
        else:
            annotations.append(element(annotations[item.parent], _key(items[item.parent], item)))
        if item.kind in _GIVEN or item.kind in ("array", "numpy scalar"):
            leaves.append(Leaf(item.path, annotations[-1], _given(item), spans.get(top)))
    # The evaluator itself holds a .stx definition's result to its header.
    return _bound(leaves, items, signature if "__stx__" not in function.__dict__ else None)


def declared_at(annotations: Mapping[str, Annotation], items: Sequence[Item]) -> Declared:
    """What annotations by path say about the objects of a call. Raises the diagnostics of what they forbid."""
    return _bound([Leaf(item.path, annotations[item.path], _given(item)) for item in items if item.path in annotations], items, None)


def _bound(leaves: Sequence[Leaf], items: Sequence[Item], signature: Signature | None) -> Declared:
    binding = bind(leaves)
    if binding.diagnostics:
        raise_diagnostics(binding.diagnostics)
    return _symbolic(binding.shapes, {**_values(binding.sizes), **_rests(binding.rests)}, items, signature)


_GIVEN = frozenset(("int", "float", "complex", "static", "object", "tuple", "list", "dict", "record"))


def _given(item: Item) -> TensorType | str:
    value = item.value
    if item.kind in ("array", "numpy scalar"):
        return TensorType(dtype_of(value), np.shape(value))
    return "None" if value is None else type(value).__name__


def _key(container: Item, item: Item) -> Any:
    if container.kind == "record" and isinstance(container.value, tuple):
        return container.value._fields[item.step[1]]  # pyright: ignore  (a named tuple)
    return item.step[1]


def _values(sizes: dict[str, Size]) -> dict[str, int]:
    return {name: int(size) for name, size in sizes.items() if isinstance(size, int)}


def _rests(rests: dict[str, tuple[Size, ...]]) -> dict[str, int]:
    return {f"{name}[{k}]": int(size) for name, sizes in rests.items() for k, size in enumerate(sizes) if isinstance(size, int)}


def _symbolic(
    shapes: dict[str, tuple[Size | None, ...]], values: dict[str, int], items: Sequence[Item], signature: Signature | None
) -> Declared:
    """Symbols alone on an axis are bound by it; one that only an expression determines is solved for: from 2*D given s, D = s//2."""
    alone = {str(size) for shape in shapes.values() for size in shape if isinstance(size, SizeExpression) and str(size) in values}
    solved: dict[str, Size] = {}
    hints = {name: value for name, value in values.items() if name in alone}
    conditions: list[Condition] = []
    result: dict[str, tuple[Size | None, ...]] = {}
    extents = {item.path: np.shape(item.value) for item in items if item.path in shapes}
    for path, shape in shapes.items():
        axes: list[Size | None] = []
        for axis, size in enumerate(shape):
            if isinstance(size, SizeExpression):
                unknown = [name for name in symbols(size) if name not in alone and name not in solved]
                size = substitute(size, solved)
                if unknown:
                    size = _solve(size, unknown[0], f"{path}.shape[{axis}]", solved, conditions)
                    hints[str(size)] = extents[path][axis]
            axes.append(size)
        result[path] = tuple(axes)
    sizes = {**{name: symbol(name) for name in alone}, **solved}
    return Declared(result, sizes, hints, frozenset(alone), tuple(conditions), signature, solved)


def _solve(size: Size, name: str, extent: str, solved: dict[str, Size], conditions: list[Condition]) -> Size:
    """The axis's own symbol, by which `name` is then expressed."""
    own = symbol(extent)
    found = linear_in(size, [name])
    assert found is not None  # bind has solved it for the numbers
    factors, rest = found
    solved[name] = floordiv(own - rest, factors[name])
    conditions.append(Condition("==", own, substitute(size, {name: solved[name]})))
    return own


def check_results(made: Declared, evaluation: Evaluation, name: str, span: Span | None, context: EvaluationContext) -> None:
    """Results against the declared ones. Sizes that only happen to be equal at this call become a guard. Raises what differs."""
    signature = made.signature
    assert signature is not None
    if signature.returns is ANY:
        return
    binding = Binding(dict(made.sizes), {}, {}, {}, ())

    def same(declared: Size, found: Size) -> bool:
        return context.decide(Condition("==", declared, found), span, f"the declared result of {name}") is True

    findings = [
        finding
        for annotation, found in _results(signature.returns, evaluation.result)
        for finding in check_result(annotation, found, binding, name, span, same)
    ]
    if findings:
        raise_diagnostics(findings)


def _results(annotation: Annotation, result: Any) -> list[tuple[Annotation, TensorType]]:
    """(annotation, type) of each array in a result."""
    kind = class_of(result)
    if kind is tuple or kind is list or kind is dict:
        parts = result.items() if kind is dict else enumerate(result)
        return [pair for key, part in parts for pair in _results(element(annotation, key), part)]
    type_ = getattr(result, "type", None)
    return [(annotation, type_)] if isinstance(type_, TensorType) else []
