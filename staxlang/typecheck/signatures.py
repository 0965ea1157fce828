"""A function's declared types, read from its Tree: what its parameters and its result are said to be."""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from typing import Any

from staxlang.base.diagnostics import Diagnostic
from staxlang.base.records import record
from staxlang.parser import tree
from staxlang.typecheck.annotation_reading import TYPE_NAMES, BadAnnotation, Lookup, TypeParameter, dtypes_of, read_text, read_tree
from staxlang.typecheck.annotations import ANY, Annotation, ContainerAnnotation, TensorAnnotation, UnionAnnotation
from staxlang.typecheck.notation import Rest


@record
class Signature:
    """A function's declared types: parameters that have one, the result, and what could not be read."""

    parameters: dict[str, Annotation]
    returns: Annotation
    sizes: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


    @property
    def names(self) -> frozenset[str]:
        """All names that the parameters' types bind: sizes, groups of axes, dtypes."""
        found = set(self.sizes)
        for tensor in tensors(*self.parameters.values()):
            found |= {axis.name for axis in tensor.axes or () if isinstance(axis, Rest) and axis.name}
            found |= {tensor.variable} if tensor.variable is not None else set()
        return frozenset(found)


NOTHING_SAID = Signature({}, ANY, frozenset(), ())


def read_signature(function: tree.Function, lookup: Lookup, stx: bool = False) -> Signature:
    """The annotations of a definition's Tree. `lookup` gives the objects that its names are bound to."""
    diagnostics: list[Diagnostic] = []
    parameters = {name: TypeParameter(name) for name in map(_unstarred, function.type_parameters)}
    if stx:  # `n: int, x: T[n]`
        parameters |= {one.name: TypeParameter(one.name) for one in function.parameters if one.name not in TYPE_NAMES}
    for name, kind in filter(None, map(dtype_fact, function.facts)) if stx else ():
        try:
            parameters[name] = TypeParameter(name, dtypes_of(kind, lookup))
        except BadAnnotation as bad:
            diagnostics.append(bad.diagnostic(kind.span))

    def one(expression: Any) -> Annotation:
        if expression is None:
            return ANY
        try:
            if isinstance(expression, tree.Constant) and isinstance(expression.value, str):
                return read_text(expression.value, lookup)
            return read_tree(expression, lookup, parameters, stx)
        except BadAnnotation as bad:
            diagnostics.append(bad.diagnostic(expression.span))
            return ANY

    declared = {parameter.name: one(parameter.annotation) for parameter in function.parameters if parameter.annotation is not None}
    returns = one(function.returns)
    sizes = frozenset(name for annotation in declared.values() for name in names_in(annotation))
    return Signature(declared, returns, sizes, tuple(diagnostics))


def dtype_fact(fact: Any) -> tuple[str, Any] | None:
    """The variable and the class in `T: float` of a header, as the parser gives it; None for another fact."""
    if isinstance(fact, tree.Compare) and fact.ops == ("in",) and isinstance(fact.left, tree.Name):
        return fact.left.id, fact.rights[0]
    return None


def _unstarred(name: str) -> str:
    return name.lstrip("*")


def tensors(*annotations: Annotation) -> Iterator[TensorAnnotation]:
    """The types of arrays in annotations."""
    for annotation in annotations:
        if isinstance(annotation, TensorAnnotation):
            yield annotation
        elif isinstance(annotation, UnionAnnotation):
            yield from tensors(*annotation.members)
        elif isinstance(annotation, ContainerAnnotation):
            yield from tensors(*annotation.items)


def names_in(annotation: Annotation) -> frozenset[str]:
    """The size symbols that an annotation names."""
    return frozenset().union(*(tensor.sizes for tensor in tensors(annotation)))


def scope_lookup(function: Any, local: Mapping[str, Any] | None = None) -> Lookup:
    """Names as a Python function's annotations see them: the scope it was defined in, its closure, its module, builtins."""
    code = function.__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))

    def lookup(name: str) -> Any:
        if local is not None and name in local:
            return local[name]
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:
                raise NameError(name) from None
        if name in function.__globals__:
            return function.__globals__[name]
        found = getattr(builtins, name, None)
        if found is None and name != "None":
            raise NameError(name)
        return found

    return lookup
