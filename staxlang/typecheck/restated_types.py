"""A Python function's annotations pass through here and come out as the types of a .stx header."""

from __future__ import annotations

from typing import Any

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.records import record
from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.literals import Unprintable
from staxlang.parser.moving import moved
from staxlang.parser.python import parse_python
from staxlang.typecheck.annotation_reading import TYPE_NAMES, dtypes_of
from staxlang.typecheck.annotations import (
    Annotation,
    AnyAnnotation,
    Axis,
    ContainerAnnotation,
    RecordAnnotation,
    ScalarAnnotation,
    TensorAnnotation,
    UnionAnnotation,
)  # fmt: skip
from staxlang.typecheck.notation import Rest
from staxlang.typecheck.signatures import read_signature, scope_lookup, tensors


@record
class Types:
    """What a header says: the types of parameters by name, the result's, the names that they bind, and what is said of dtype variables."""

    parameters: dict[str, Any] = {}
    returns: Any = None
    type_parameters: tuple[str, ...] = ()
    facts: tuple[Any, ...] = ()
    sizes: frozenset[str] = frozenset()


def typed(node: tree.Function, function: Any) -> Types:
    """The header's types of a function's annotations. Raises Unprintable for classes of the user's, and for what cannot be read."""
    signature = read_signature(node, scope_lookup(function))
    if signature.diagnostics:
        raise Unprintable(f"the annotations of `{node.name}` cannot be read: {signature.diagnostics[0].message}")
    writer = _Writer(node)
    texts = {name: writer.text(annotation) for name, annotation in signature.parameters.items()}
    returns = writer.text(signature.returns)
    parameters = {name: writer.parsed(text) for name, text in texts.items() if text is not None}
    every = (*signature.parameters.values(), signature.returns)
    own = {one.name for one in node.parameters}
    sizes = {name for tensor in tensors(*every) for name in tensor.sizes}
    rests = {f"*{axis.name}" for tensor in tensors(*every) for axis in tensor.axes or () if isinstance(axis, Rest) and axis.name}
    for name in sorted(sizes):
        if name in own or name in TYPE_NAMES:
            raise Unprintable(f"the size `{name}` has the name of a parameter or a type: rename it")
    listed = tuple(sorted((*sizes, *rests, *writer.variables)))
    facts = tuple([writer.fact(name, dtypes) for name, dtypes in sorted(writer.variables.items()) if dtypes is not None])
    return Types(parameters, None if returns is None else writer.parsed(returns), listed, facts, frozenset(sizes))


class _Writer:
    """Annotations to text; `variables` collects the dtype variables."""

    def __init__(self, node: tree.Function) -> None:
        self.node = node
        self.variables: dict[str, frozenset[DType] | None] = {}

    def text(self, annotation: Annotation) -> str | None:
        """None where nothing is said."""
        if isinstance(annotation, AnyAnnotation):
            return None
        if isinstance(annotation, TensorAnnotation):
            return self.tensor(annotation)
        if isinstance(annotation, ScalarAnnotation):
            return annotation.kind
        if isinstance(annotation, UnionAnnotation):
            members = [self.text(member) for member in annotation.members]
            return None if None in members else " | ".join([member for member in members if member is not None])
        if isinstance(annotation, ContainerAnnotation):
            return self.container(annotation)
        assert isinstance(annotation, RecordAnnotation)
        raise Unprintable(f"the type `{annotation}` is a class, of which .stx has none")

    def container(self, annotation: ContainerAnnotation) -> str:
        parts = [self.text(item) or "any" for item in annotation.items]
        kind = "list" if annotation.kind == "sequence" else annotation.kind
        if kind == "tuple" and annotation.repeated:
            parts.append("...")
        return f"{kind}[{', '.join(['str', *parts] if kind == 'dict' else parts)}]" if parts else kind

    def tensor(self, annotation: TensorAnnotation) -> str | None:
        if annotation.dtypes is None and annotation.axes is None and annotation.variable is None:
            return None
        axes = ", ".join([_axis(axis) for axis in annotation.axes]) if annotation.axes is not None else "..."
        head = self.head(annotation)
        return " | ".join([f"{one}[{axes}]" if axes else one for one in head])

    def head(self, annotation: TensorAnnotation) -> list[str]:
        dtypes = annotation.dtypes
        if annotation.variable is not None:
            known = self.variables.setdefault(annotation.variable, dtypes)
            if known != dtypes:
                raise Unprintable(f"the dtype variable `{annotation.variable}` stands for several sets of dtypes")
            return [annotation.variable]
        if dtypes is None:
            number = sum(name.startswith("Any") for name in self.variables) + 1
            self.variables[f"Any{number}"] = None
            return [f"Any{number}"]
        return _class_words(dtypes)

    def parsed(self, text: str) -> Any:
        """The Tree of a type's text, at the function's place."""
        statement: Any = parse_python(Source("<annotation>", text)).items[0]
        return _placed(statement.value, self.node.span)

    def fact(self, name: str, dtypes: frozenset[DType]) -> Any:
        span = self.node.span
        return tree.Compare(span, tree.Name(span, name), ("in",), (self.parsed(" | ".join(_class_words(dtypes))),))


def _class_words(dtypes: frozenset[DType]) -> list[str]:
    """The words for a set of dtypes: a class, or one after the other."""
    for word in ("float", "int", "complex", "number"):
        if len(dtypes) > 1 and dtypes_of(tree.Name(_NOWHERE, word), _nothing) == dtypes:
            return [word]
    order = list(DTYPES)
    return sorted([dtype.name for dtype in dtypes], key=order.index)


_NOWHERE = Span(Source("<annotation>", ""), 1, 0, 1, 0)


def _nothing(name: str) -> Any:
    raise NameError(name)


def _axis(axis: Axis) -> str:
    if axis is None:
        return "_"
    if isinstance(axis, Rest):
        return f"*{axis.name}" if axis.name else "..."
    return str(axis)


def _placed(node: Any, span: Span) -> Any:
    return moved(node, span.source, span.line - node.span.line)
