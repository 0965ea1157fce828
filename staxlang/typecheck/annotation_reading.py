"""Annotations read: from Python objects (Tensor[...], NDArray, jaxtyping by its attributes, unions, containers) and from Trees."""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import dataclasses
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.dtypes import DTYPES, DType, as_dtype, complex_, from_numpy
from staxlang.base.dtypes import float_ as float_family
from staxlang.base.dtypes import int_ as int_family
from staxlang.base.dtypes import number as number_family
from staxlang.base.sizes import Size, is_subscript_name, parse_size, symbol, symbols
from staxlang.base.spans import Source, Span
from staxlang.base.suggestions import did_you_mean
from staxlang.parser import tree
from staxlang.parser.python import parse_python
from staxlang.typecheck import notation
from staxlang.typecheck.annotations import (
    ANY,
    Annotation,
    Axis,
    ContainerAnnotation,
    RecordAnnotation,
    ScalarAnnotation,
    TensorAnnotation,
    UnionAnnotation,
)  # fmt: skip
from staxlang.typecheck.notation import Dim, Rest, TensorForm, UnionForm, dtype_of_class, family_of_class, size_of_dim

Lookup = Callable[[str], Any]
"""A name's object; raises NameError where it is not bound."""

_SCALARS: dict[Any, str] = {int: "int", float: "float", complex: "complex", bool: "bool", str: "str", type(None): "None", None: "None"}
_UNIONS = (types.UnionType, UnionForm)
_FAMILIES: dict[str, frozenset[DType]] = {
    "float": float_family, "int": int_family, "number": number_family, "complex": complex_, "bool": frozenset((DTYPES["bool"],)),
}  # fmt: skip
_ABSTRACT: dict[type, frozenset[DType]] = {
    np.floating: frozenset(d for d in DTYPES.values() if d.kind == "f"), np.integer: int_family, np.complexfloating: complex_,
    np.signedinteger: frozenset(d for d in DTYPES.values() if d.kind == "i"), np.number: number_family,
    np.unsignedinteger: frozenset(d for d in DTYPES.values() if d.kind == "u"),
    np.inexact: frozenset(d for d in DTYPES.values() if d.kind in "fc"), np.generic: frozenset(DTYPES.values()),
}  # fmt: skip


class BadAnnotation(Exception):
    """An annotation that cannot be read, with the reason."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{text}: {reason}")
        self.text = text
        self.reason = reason

    def diagnostic(self, span: Span | None) -> Diagnostic:
        return diagnose("bad-annotation", span, text=self.text, reason=self.reason)


class TypeParameter:
    """A PEP 695 parameter, or a dtype variable of .stx: a size or a dtype, by where it stands."""

    __slots__ = ("dtypes", "name")

    def __init__(self, name: str, dtypes: frozenset[DType] | None = None) -> None:
        self.name = name
        self.dtypes = dtypes

    def __repr__(self) -> str:
        return self.name


# ---- objects ----


def read(annotation: Any, lookup: Lookup | None = None) -> Annotation:
    """A Python object as an annotation. What says nothing about arrays or numbers is ANY. Raises BadAnnotation.

    `lookup` gives the names in texts inside (`list["Tensor[f32, N]"]`); without it those say nothing.
    """
    if isinstance(annotation, (str, typing.ForwardRef)):
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        return ANY if lookup is None else read_text(text, lookup)
    scalar = _scalar(annotation)
    if scalar is not None:
        return scalar
    if isinstance(annotation, TensorForm):
        return _tensor(annotation)
    if isinstance(annotation, _UNIONS) or typing.get_origin(annotation) is typing.Union:
        members = annotation.members if isinstance(annotation, UnionForm) else typing.get_args(annotation)
        return UnionAnnotation(tuple(read(member, lookup) for member in members))
    dtypes = _dtypes(annotation) if isinstance(annotation, type) else None
    if dtypes is not None:
        return TensorAnnotation(dtypes, (), text=getattr(annotation, "__name__", str(annotation)))
    if annotation is np.ndarray:
        return TensorAnnotation(None, None, text="np.ndarray")
    if isinstance(getattr(annotation, "dim_str", None), str) and hasattr(annotation, "dtypes"):
        return _jaxtyping(annotation)
    return _generic(annotation, lookup)


def _scalar(annotation: Any) -> Annotation | None:
    try:
        kind = _SCALARS.get(annotation)
    except TypeError:  # not hashable
        return None
    return None if kind is None else ScalarAnnotation(kind)


def _generic(annotation: Any, lookup: Lookup | None) -> Annotation:
    """list[..], tuple[..], NDArray[..], Annotated[..], type aliases, dataclasses."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is np.ndarray:
        return TensorAnnotation(_numpy_dtypes(arguments), None, text=str(annotation))
    if origin is typing.Annotated:
        return read(arguments[0], lookup)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return ContainerAnnotation("tuple", (read(arguments[0], lookup),), True)
        return ContainerAnnotation("tuple", tuple(read(argument, lookup) for argument in arguments if argument != ()))
    if origin in (list, set, frozenset) or (isinstance(origin, type) and origin.__module__ == "collections.abc" and len(arguments) == 1):
        return ContainerAnnotation("list", (read(arguments[0], lookup),))
    if origin is dict or (isinstance(origin, type) and origin.__name__ in ("Mapping", "MutableMapping")):
        return ContainerAnnotation("dict", (read(arguments[-1], lookup),))
    value = getattr(annotation, "__value__", None)
    if value is not None and type(annotation).__name__ == "TypeAliasType":
        return read(value, lookup)
    if isinstance(annotation, type) and (dataclasses.is_dataclass(annotation) or hasattr(annotation, "_fields")):
        return RecordAnnotation(annotation, _field)
    return ANY


def _field(cls: type, name: str) -> Annotation:
    """A field's annotation; a text is read in the module of the class that declares it."""
    for base in cls.__mro__:
        own = inspect.get_annotations(base)
        if name in own:
            space = vars(sys.modules.get(base.__module__, types))

            def lookup(wanted: str, space: Mapping[str, Any] = space) -> Any:
                if wanted not in space:
                    raise NameError(wanted)
                return space[wanted]

            try:
                return read(own[name], lookup)
            except BadAnnotation:
                return ANY
    return ANY


def _numpy_dtypes(arguments: Sequence[Any]) -> frozenset[DType] | None:
    """The dtype in np.ndarray[shape, np.dtype[np.float32]]."""
    inner = typing.get_args(arguments[1]) if len(arguments) > 1 else ()
    if not inner or inner[0] is Any:
        return None
    if isinstance(inner[0], type):
        return _dtypes(inner[0])
    return None


def _dtypes(value: Any) -> frozenset[DType] | None:
    """The dtypes that an object names: f32, float_, np.float32, np.floating, np.dtype("f4"), a DType."""
    if isinstance(value, DType):
        return frozenset((value,))
    own, family = dtype_of_class(value), family_of_class(value)
    if own is not None or family is not None:
        return frozenset((own,)) if own is not None else family
    if isinstance(value, type):
        if value in _ABSTRACT:
            return _ABSTRACT[value]
        found = as_dtype(value) if issubclass(value, np.generic) else None
        return None if found is None else frozenset((found,))
    found = from_numpy(value) if isinstance(value, np.dtype) else None
    return None if found is None else frozenset((found,))


def _tensor(form: TensorForm) -> TensorAnnotation:
    text = repr(form)
    if not form.parameters:
        raise BadAnnotation(text, "it needs a dtype")
    first, *rest = form.parameters
    dtypes, variable = _declared_dtype(first, text)
    if rest == [()]:
        rest = []
    axes = [one for part in rest for one in _axes(part, text)]
    if sum(isinstance(axis, Rest) for axis in axes) > 1:
        raise BadAnnotation(text, "only one `...` or `*B` can stand in it")
    return TensorAnnotation(dtypes, tuple(axes), variable, text)


def _declared_dtype(value: Any, text: str) -> tuple[frozenset[DType] | None, str | None]:
    if value is Any or value is Ellipsis:
        return None, None
    if isinstance(value, TypeParameter):
        return value.dtypes, value.name
    if isinstance(value, typing.TypeVar):
        return _variable_dtypes(value), value.__name__
    if isinstance(value, str):
        found = DTYPES.get(value)
        if found is None:
            raise BadAnnotation(text, f"{value!r} is not a dtype")
        return frozenset((found,)), None
    if isinstance(value, _UNIONS):
        members = value.members if isinstance(value, UnionForm) else typing.get_args(value)
        return frozenset().union(*(_declared_dtype(member, text)[0] or frozenset() for member in members)), None
    if value in (int, float, complex, bool):
        return _FAMILIES[value.__name__], None
    dtypes = _dtypes(value)
    if dtypes is None:
        raise BadAnnotation(text, f"`{_named(value)}` is not a dtype")
    return dtypes, None


def _variable_dtypes(variable: Any) -> frozenset[DType] | None:
    parts = variable.__constraints__ or ((variable.__bound__,) if variable.__bound__ is not None else ())
    found: frozenset[DType] = frozenset()
    for part in parts:
        members = part.members if isinstance(part, UnionForm) else typing.get_args(part) if isinstance(part, types.UnionType) else (part,)
        for member in members:
            found |= _dtypes(member) or frozenset()
    return found or None


def _axes(value: Any, text: str) -> list[Axis]:
    """One parameter of Tensor[...]: usually one axis; a text may name several."""
    found = _axes_of(value, text)
    for axis in found:
        for name in () if axis is None or isinstance(axis, (int, Rest)) else sorted(symbols(axis)):
            if is_subscript_name(name):
                raise BadAnnotation(text, f"`{name}` names a subscript: give the size another name")
    return found


def _axes_of(value: Any, text: str) -> list[Axis]:
    if value is Ellipsis:
        return [Rest("")]
    if isinstance(value, Rest):
        return [value]
    if isinstance(value, bool) or isinstance(value, float):
        raise BadAnnotation(text, f"{value!r} is not a size")
    if isinstance(value, (int, np.integer)):
        if value < 0:
            raise BadAnnotation(text, f"the size {value} is negative")
        return [int(value)]
    if isinstance(value, Dim):
        return [_wildcard(size_of_dim(value))]
    if isinstance(value, (TypeParameter, typing.TypeVar)):
        return [symbol(value.name if isinstance(value, TypeParameter) else value.__name__)]
    if isinstance(value, str):
        return [
            _axis_of_text(part, text)
            for part in (value.replace(",", " ").split() if " " in value and not _has_operator(value) else [value])
        ]
    if isinstance(value, tuple) and all(isinstance(item, Rest) for item in value):
        return list(value)
    if isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], Dim):
        raise BadAnnotation(text, f'`dims` gives a tuple: write `({value[0]},) = dims("{value[0]}")`, or `{value[0]} = Dim("{value[0]}")`')
    raise BadAnnotation(text, f"`{_named(value)}` is not a size")


def _has_operator(text: str) -> bool:
    return any(sign in text for sign in "+-*/%(") and not text.lstrip().startswith("*")


def _axis_of_text(part: str, text: str) -> Axis:
    part = part.strip()
    if part == "_":
        return None
    if part == "...":
        return Rest("")
    if part.startswith("*") and part[1:].isidentifier():
        return Rest(part[1:])
    try:
        return _wildcard(parse_size(part))
    except (ValueError, ZeroDivisionError):
        raise BadAnnotation(text, f"{part!r} is not a size") from None


def _wildcard(size: Size | None) -> Axis:
    """`_` is anything."""
    return None if size is None or size == symbol("_") else size


def _named(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


# ---- jaxtyping ----


def _jaxtyping(annotation: Any) -> TensorAnnotation:
    """`Float32[Array, "batch d+1"]`: its dtype names and its text of dimensions."""
    names = annotation.dtypes
    dtypes = None
    if isinstance(names, (list, tuple, set, frozenset)):
        found = [as_dtype(name) for name in names if isinstance(name, str)]
        dtypes = frozenset(dtype for dtype in found if dtype is not None) or None
    axes: list[Axis] = []
    for token in annotation.dim_str.split():
        axes.append(_jaxtyping_axis(token))
    return TensorAnnotation(dtypes, tuple(axes), text=f"{annotation.__name__}")


def _jaxtyping_axis(token: str) -> Axis:
    if token == "...":
        return Rest("")
    if token.startswith("*"):
        return Rest(token.strip("*#?_")) if "#" not in token else Rest("")
    _, given, value = token.partition("=")
    if given:
        return int(value) if value.isdigit() else _jaxtyping_axis(value)
    if token[0] in "#_?" or "{" in token:  # broadcastable, unchecked, per leaf, computed: anything
        return None
    try:
        return parse_size(token.removesuffix("()"))
    except ValueError:
        return None


# ---- Trees ----


def read_tree(expression: Any, lookup: Lookup, parameters: Mapping[str, TypeParameter] | None = None, stx: bool = False) -> Annotation:
    """An annotation as it is written. Names are looked up; nothing of the user's is called. Raises BadAnnotation.

    `parameters` are PEP 695 parameters. In .stx a dtype stands before its brackets and upper-case names are sizes.
    """
    value = _Evaluator(lookup, parameters or {}, stx).value(expression)
    return read(_type_of(value) if stx else value, lookup)


def _type_of(value: Any) -> Any:
    """A dtype variable of .stx where a type stands: a number of that dtype."""
    if isinstance(value, (Dim, TypeParameter)):
        return TensorForm((value if isinstance(value, TypeParameter) else TypeParameter(str(value)),), stx=True)
    return value


def dtypes_of(expression: Any, lookup: Lookup) -> frozenset[DType] | None:
    """The dtypes of a class in a header of .stx: `float`, `i32 | i64`, .. Raises BadAnnotation for what is none."""
    annotation = read_tree(expression, lookup, stx=True)
    members = annotation.members if isinstance(annotation, UnionAnnotation) else (annotation,)
    found: set[DType] = set()
    for member in members:
        if not isinstance(member, TensorAnnotation) or member.dtypes is None or member.axes:
            raise BadAnnotation(_text(expression), "a dtype variable is of a class of dtypes: float, int, number, complex, f32, ..")
        found |= member.dtypes
    return frozenset(found)


def read_text(text: str, lookup: Lookup) -> Annotation:
    """An annotation written as a text (`from __future__ import annotations`, or quotes)."""
    try:
        (statement,) = parse_python(Source("<annotation>", text)).items
    except (SyntaxError, ValueError):
        raise BadAnnotation(text, "it is not an expression") from None
    if not isinstance(statement, tree.ExpressionStatement):
        raise BadAnnotation(text, "it is not an expression")
    return read_tree(statement.value, lookup)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip


class _Evaluator:
    """Annotation expressions to objects."""

    def __init__(self, lookup: Lookup, parameters: Mapping[str, TypeParameter], stx: bool) -> None:
        self.lookup = lookup
        self.parameters = parameters
        self.stx = stx

    def value(self, node: Any) -> Any:
        row = _ROWS.get(type(node))
        if row is None:
            raise BadAnnotation(_text(node), "only names, numbers, brackets and arithmetic can stand in a type")
        return row(self, node)

    def name(self, node: Any) -> Any:
        if node.id in self.parameters:
            return self.parameters[node.id]
        if node.id == "_":
            return Dim("_")
        if self.stx:
            return self._stx_name(node.id)
        try:
            return self.lookup(node.id)
        except NameError:
            raise BadAnnotation(_text(node), f"the name `{node.id}` is not defined") from None

    def _stx_name(self, name: str) -> Any:
        found = getattr(notation, "bool_" if name == "bool" else name, None) if name in DTYPES else _FAMILY_CLASSES.get(name)
        if found is None:
            found = _STX_NAMES.get(name)
        if found is not None:
            return found
        try:
            return self.lookup(name)
        except NameError:
            pass
        if name[:1].isupper():
            return Dim(name)
        known = _NUMPY_DTYPES.get(name)
        near = f"did you mean `{known}`?" if known is not None else did_you_mean(name, TYPE_NAMES)
        raise BadAnnotation(name, near or "sizes and dtype variables begin with a capital letter, or are listed behind the kernel's name")

    def attribute(self, node: Any) -> Any:
        owner = self.value(node.value)
        if not isinstance(owner, (types.ModuleType, type)):
            raise BadAnnotation(_text(node), f"`{_named(owner)}` has no types in it")
        try:
            return getattr(owner, node.name)
        except AttributeError as error:
            raise BadAnnotation(_text(node), str(error)) from None

    def subscript(self, node: Any) -> Any:
        owner = self.value(node.value)
        items = node.index.elements if isinstance(node.index, tree.TupleExpression) else (node.index,)
        values = tuple(self.value(item) for item in items)
        if self.stx and (isinstance(owner, (Dim, TypeParameter)) or _dtypes(owner) is not None):
            head = TypeParameter(str(owner)) if isinstance(owner, Dim) else owner
            return TensorForm((head, *values), stx=True)
        if owner is notation.Tensor:
            return TensorForm(values)
        if self.stx:
            values = tuple(map(_type_of, values))
        try:
            return owner[values if len(values) != 1 or isinstance(node.index, tree.TupleExpression) else values[0]]
        except TypeError as error:
            raise BadAnnotation(_text(node), str(error)) from None

    def binary(self, node: Any) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if node.op == "|":
            return UnionForm((_type_of(left), _type_of(right)) if self.stx else (left, right))
        apply = _BINARY.get(node.op)
        if apply is None or (node.op == "**" and not (type(right) is int and 0 <= right <= notation.HIGHEST_POWER)):
            instead = "write `//`" if node.op == "/" else "write `_`, of which nothing is said"
            raise BadAnnotation(_text(node), f"`{node.op}` does not make a size: {instead}")
        try:
            return apply(_as_size(left), _as_size(right))
        except (TypeError, ZeroDivisionError) as error:
            raise BadAnnotation(_text(node), str(error)) from None

    def unary(self, node: Any) -> Any:
        if node.op != "-":
            raise BadAnnotation(_text(node), f"`{node.op}` does not make a size")
        return -_as_size(self.value(node.operand))

    def starred(self, node: Any) -> Any:
        inner = self.value(node.value)
        if isinstance(inner, (Dim, TypeParameter)):
            return Rest(str(inner))
        raise BadAnnotation(_text(node), "after `*` stands the name of several axes")

    def sequence(self, node: Any) -> Any:
        return tuple(self.value(item) for item in node.elements)

    def constant(self, node: Any) -> Any:
        return node.value


def _as_size(value: Any) -> Any:
    return Dim(value.name) if isinstance(value, TypeParameter) else value


_FAMILY_CLASSES: dict[str, Any] = {
    "float": notation.float_, "int": notation.int_, "number": notation.number, "complex": np.complexfloating,
}  # fmt: skip
_STX_NAMES: dict[str, Any] = {"str": str, "tuple": tuple, "list": list, "dict": dict, "function": types.FunctionType, "any": object}
TYPE_NAMES = frozenset((*DTYPES, *_FAMILY_CLASSES, *_STX_NAMES))
"""Words of types in .stx."""
_NUMPY_DTYPES = {dtype.numpy.name: dtype.name for dtype in DTYPES.values() if dtype.name != "bf16"}  # which NumPy may not have
_ROWS: dict[type, Callable[[_Evaluator, Any], Any]] = {
    tree.Name: _Evaluator.name, tree.Constant: _Evaluator.constant, tree.Attribute: _Evaluator.attribute,
    tree.Subscript: _Evaluator.subscript, tree.Binary: _Evaluator.binary, tree.Unary: _Evaluator.unary, tree.Starred: _Evaluator.starred,
    tree.TupleExpression: _Evaluator.sequence, tree.ListExpression: _Evaluator.sequence,
}  # fmt: skip


def _text(node: Any) -> str:
    span = node.span
    if span is None or span.end_line != span.line:
        return type(node).__name__
    return span.source.line(span.line)[span.column : span.end_column]
