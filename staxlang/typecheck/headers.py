"""Headers of .stx definitions at a call: parameters checked, declared sizes and dtypes bound to names, facts tested, results checked."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from staxlang.base.diagnostics import Diagnostic, Note, diagnose
from staxlang.base.dtypes import DType, from_numpy
from staxlang.base.records import replace
from staxlang.base.sizes import Size, compare, symbol
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import names, notation
from staxlang.typecheck.annotations import ANY, Annotation, Binding, Leaf, TensorAnnotation, bind, check_result, element
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.frames import children
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.signatures import Signature, dtype_fact
from staxlang.typecheck.values import (
    UNKNOWN,
    ArrayValue,
    FunctionValue,
    MeaningValue,
    ObjectValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Value,
    size_value,
)


def divisor_of_facts(function: tree.Function) -> int:
    """What the sizes of a definition may have to be multiples of: the least multiple of the numbers behind `%` in its facts."""
    found = 1
    waiting: list[Any] = list(function.facts)
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Binary) and node.op == "%" and isinstance(node.right, tree.Constant) and type(node.right.value) is int:
            found = math.lcm(found, abs(node.right.value) or 1)
        waiting.extend(children(node))
    return found


# ---- values as annotations see them ----


def leaves(annotation: Annotation, value: Value, path: str, span: Span | None) -> Iterator[Leaf]:
    """A value, and what it holds, beside what is declared of it. Nothing is said of what is unknown."""
    if annotation is ANY:
        return
    given = given_of(value)
    if given is not None:
        yield Leaf(path, annotation, given, span)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(element(annotation, key), item, f"{path}[{key!r}]", span)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from leaves(element(annotation, index), item, f"{path}[{index}]", span)


def given_of(value: Value) -> TensorType | str | None:
    """What a value is, in the words of annotations; None where it is not known."""
    kind = type(value)
    if kind is ArrayValue:
        return TensorType(value.type.dtype, value.type.shape)
    if kind is StaticValue:
        return _given_static(value.value)
    if kind is SizeValue:
        return "int"
    if kind is ScalarValue:
        return value.kind
    if value is UNKNOWN:
        return None
    if isinstance(value, (FunctionValue, MeaningValue)):
        return "function"
    if kind is RecordValue:
        return value.cls.__name__
    if isinstance(value, ObjectValue):
        return type(value.object).__name__
    return next((cls.__name__ for cls in (tuple, list, dict) if isinstance(value, cls)), "object")


def _given_static(value: Any) -> TensorType | str:
    dtype = from_numpy(value.dtype) if isinstance(value, np.generic) else None
    return TensorType(dtype, ()) if dtype is not None else "None" if value is None else type(value).__name__


# ---- entering ----


def enter(call: CallContext, frame: Any, inlined: bool) -> None:
    """Bind what a header declares, in a frame whose parameters are bound. Raises the diagnostic of what the call does not meet.

    `inlined`: the call stands in a program, at the place of `call`; else the arguments are the program's own.
    """
    function: FunctionValue = frame.function
    signature = function.header.signature
    if signature.diagnostics:
        _refuse(call, signature.diagnostics)
    given: list[Leaf] = []
    for index, parameter in enumerate(function.tree.parameters):
        annotation = signature.parameters.get(parameter.name, ANY)
        span = _argument_span(call, index, parameter) if inlined else parameter.span
        given.extend(leaves(annotation, frame.locals[parameter.name], parameter.name, span))
        frame.locals[parameter.name] = _converted(call, annotation, frame.locals[parameter.name])
    known = {} if inlined else {**{name: symbol(name) for name in call.context.rigid}, **call.context.declared}
    binding = bind(given, _same(call, function), known)
    if binding.diagnostics:
        _refuse(call, _at_definition(binding.diagnostics, function) if inlined else binding.diagnostics)
    _name_sizes(call, frame, signature, binding)
    frame.declared = binding
    for fact in function.tree.facts:
        if dtype_fact(fact) is None:
            _test(call, frame, fact, binding, inlined)


def _refuse(call: CallContext, findings: tuple[Diagnostic, ...]) -> None:
    """Raise the first; in checking, tell of all."""
    for finding in findings[:-1] if call.checking else ():
        call.context.report(finding)
    raise Problem(findings[-1] if call.checking else findings[0])


def _argument_span(call: CallContext, index: int, parameter: tree.Parameter) -> Span | None:
    """The place of what is passed for a parameter; the whole call where that is not plain to see."""
    node = call.tree
    if type(node) is not tree.Call or any(isinstance(one, tree.Starred) for one in node.arguments):
        return call.span
    for keyword in node.keywords:
        if keyword.name == parameter.name:
            return keyword.value.span
    return node.arguments[index].span if index < len(node.arguments) and parameter.kind != "keyword" else call.span


def _same(call: CallContext, function: FunctionValue) -> Any:
    def same(left: Size, right: Size) -> bool:
        return call.same_size(left, right, f"the header of {function.name}")

    return same


def _at_definition(findings: tuple[Diagnostic, ...], function: FunctionValue) -> tuple[Diagnostic, ...]:
    note = Note(function.tree.span, f"`{function.name}` is defined here")
    return tuple([replace(finding, notes=(*finding.notes, note)) for finding in findings])


def _converted(call: CallContext, annotation: Annotation, value: Value) -> Value:
    """A Python number for `x: f32` is an f32. (One for `n: i32` stays a number, which can be an extent.)"""
    if not isinstance(annotation, TensorAnnotation) or annotation.axes != () or annotation.dtypes is None or len(annotation.dtypes) != 1:
        return value
    (dtype,) = annotation.dtypes
    if dtype.kind not in "fc":
        return value
    if type(value) is StaticValue and type(value.value) in (int, float, complex) and dtype.name != "bf16":
        return StaticValue(dtype.numpy.type(value.value))
    if type(value) in (StaticValue, ScalarValue, SizeValue) and given_of(value) in ("int", "float", "complex"):
        made = call.cast(value, dtype)
        made.scalar = True
        return made
    return value


def _name_sizes(call: CallContext, frame: Any, signature: Signature, binding: Binding) -> None:
    """Declared sizes, groups of axes and dtypes as names in the body. A size with the name of a parameter is that parameter's value."""
    bound: dict[str, Value] = frame.locals
    parameters = {parameter.name for parameter in frame.function.tree.parameters}
    for name, size in binding.sizes.items():
        if name in parameters:
            _equal_parameter(call, frame, name, size)
        elif name in signature.sizes:
            bound[name] = size_value(size)
    for name, extents in binding.rests.items():
        if name not in parameters:
            bound[name] = tuple([size_value(extent) for extent in extents])
    for name, dtype in binding.dtypes.items():
        if name not in parameters:
            bound[name] = _dtype_value(dtype)
    if call.checking:  # an argument that is not known binds nothing
        for name in signature.names - bound.keys():
            bound[name] = UNKNOWN


def _dtype_value(dtype: DType) -> Value:
    meaning: Any = names.word(dtype.name if dtype.name != "bool" else "bool_")
    return MeaningValue(meaning, getattr(notation, dtype.name, notation.bool_))


def _equal_parameter(call: CallContext, frame: Any, name: str, size: Size) -> None:
    value = frame.locals[name]
    if value is UNKNOWN:
        return
    parameter = call.size(value, f"the parameter `{name}`")
    if not call.same_size(parameter, size, f"the header of {frame.function.name}"):
        path, axis = _axis_of(name, frame.function.header.signature) or ("an argument", 0)
        expected = f"{name}, which is {_shown(call, parameter)}"
        call.error("annotated-size", what=f"`{path}`", given=_shown(call, size), axis=axis, expected=expected)


def _shown(call: CallContext, size: Size) -> Size:
    """A size's value at this call, where it is known."""
    hint = call.hint(size)
    return size if hint is None else hint


def _test(call: CallContext, frame: Any, fact: Any, binding: Binding, inlined: bool) -> None:
    """One fact: decided like an assertion, hence a guard where it cannot be proved, and known from here on."""
    place = frame.call(fact)
    text = source_text(fact)
    try:
        answer = place.truth(frame.evaluate(fact), text)
    except Unknowable:
        return
    if answer is None:  # in checking: the caller has to see to it
        _assume(call, frame, fact)
    elif not answer:
        named = {name: size for name, size in binding.sizes.items() if name in _names_of(fact)}
        notes = [*_origins(call, frame, named), Note(fact.span, f"`{frame.function.name}` says so here")][: None if inlined else -1]
        raise Problem(diagnose("broken-fact", call.span if inlined else fact.span, notes, fact=text, function=frame.function.name))


def _assume(call: CallContext, frame: Any, fact: Any) -> None:
    """In checking: what follows a header takes its facts as given."""
    left = fact.left
    for op, right in zip(fact.ops, fact.rights, strict=True):
        sizes = [_size_of(frame.evaluate(side)) for side in (left, right)]
        if sizes[0] is not None and sizes[1] is not None and op in _RELATIONS:
            condition = compare(op, sizes[0], sizes[1])
            if call.context.facts.decide(condition) is None:
                call.context.assume(condition)
        left = right


_RELATIONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def _size_of(value: Value) -> Size | None:
    if type(value) is SizeValue:
        return value.size
    return value.value if type(value) is StaticValue and type(value.value) is int else None


def _names_of(expression: Any) -> frozenset[str]:
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Name):
            found.add(node.id)
        waiting.extend(children(node))
    return frozenset(found)


def _origins(call: CallContext, frame: Any, named: Mapping[str, Size]) -> list[Note]:
    """`N is 7, axis 0 of x` for the sizes that a fact speaks of."""
    found: list[Note] = []
    signature = frame.function.header.signature
    for name, size in named.items():
        where = _axis_of(name, signature)
        found.append(Note(None, f"{name} is {_shown(call, size)}{f', axis {where[1]} of `{where[0]}`' if where is not None else ''}"))
    return found


def _axis_of(name: str, signature: Signature) -> tuple[str, int] | None:
    """The first parameter's axis that a size stands alone on; counted from the end behind `*B`."""
    for path, annotation in signature.parameters.items():
        if isinstance(annotation, TensorAnnotation) and annotation.axes is not None:
            for place, axis in enumerate(annotation.axes):
                if axis == symbol(name):
                    starred = any(isinstance(one, notation.Rest) for one in annotation.axes[:place])
                    return path, place - len(annotation.axes) if starred else place
    return None


# ---- leaving ----


def leave(call: CallContext, frame: Any, value: Value) -> None:
    """A result against what the header declares. Raises what differs; in checking, tells of it."""
    function: FunctionValue = frame.function
    annotation = function.header.signature.returns
    binding: Binding | None = frame.declared
    if annotation is ANY or binding is None:
        return
    span = frame.returned_at or (function.tree.returns.span if function.tree.returns is not None else function.tree.span)
    same = _same(call, function)
    findings = [
        finding
        for leaf in leaves(annotation, value, "the result", span)
        for finding in check_result(leaf.annotation, leaf.given, binding, function.name, span, same)
    ]
    if findings and not call.checking:
        raise Problem(findings[0])
    for finding in findings:
        call.context.report(finding)
