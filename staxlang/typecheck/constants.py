"""Consts of .stx files: an expression goes in, and the static value that it is comes out."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any, NoReturn

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.spans import Span
from staxlang.parser import tree
from staxlang.typecheck import headers, notation
from staxlang.typecheck.annotation_reading import BadAnnotation, Lookup, read_tree
from staxlang.typecheck.annotations import bind
from staxlang.typecheck.context import EvaluationContext, source_text
from staxlang.typecheck.evaluator import frame_in
from staxlang.typecheck.named_operations import named_operation
from staxlang.typecheck.operation_names import OPERATION_NAMES
from staxlang.typecheck.problems import Problem
from staxlang.typecheck.recorder import TypeRecorder
from staxlang.typecheck.surface.dtypes import DTypeMeaning
from staxlang.typecheck.values import ArgumentDict, ArgumentList, FunctionValue, MeaningValue, Scope, StaticValue, Value


class _NothingRecorded(TypeRecorder):
    """A recorder for what must be known without a program."""

    __slots__ = ()

    checking = False

    def record(self, op: str, operands: Any, attributes: Any, type: Any, span: Span | None) -> NoReturn:
        raise Problem(diagnose("not-constant", span, what="it makes an array"))

    def composite(self, name: str, operands: Any, attributes: Any, types: Any, span: Span | None, open: Any) -> NoReturn:
        raise Problem(diagnose("not-constant", span, what="it makes an array"))

    def gate(self, operand: Any, type: Any, span: Span | None, what: str, counts: str | None = None) -> NoReturn:
        raise Problem(diagnose("not-constant", span, what="it makes an array"))


def compute(expression: Any, scope: Scope) -> Value:
    """The static value of an expression. Raises the diagnostic of one that is not known now."""
    context = EvaluationContext(_NothingRecorded())
    try:
        value = frame_in(context, scope, expression.span).evaluate(expression)
    except Problem as problem:
        raise_diagnostics([problem.diagnostic])
    return _settled(value, expression)


def _settled(value: Value, expression: Any) -> Value:
    """The value with its lists and dicts made such that no program changes them."""
    if isinstance(value, tuple):
        return tuple([_settled(item, expression) for item in value])
    if isinstance(value, list):
        return ArgumentList([_settled(item, expression) for item in value])
    if isinstance(value, dict):
        return ArgumentDict({key: _settled(item, expression) for key, item in value.items()})
    if isinstance(value, (StaticValue, FunctionValue, MeaningValue)):
        return value
    raise_diagnostics(diagnose("not-constant", expression.span, what=f"`{source_text(expression)}` is not"))


def check(statement: tree.AnnotatedAssign, name: str, value: Value, lookup: Lookup) -> None:
    """A const against its annotation. Raises the diagnostic where it is of another kind."""
    span = statement.annotation.span
    try:
        annotation = read_tree(statement.annotation, lookup, stx=True)
    except BadAnnotation as bad:
        raise_diagnostics(bad.diagnostic(span))
    findings = bind(headers.leaves(annotation, value, name, span)).diagnostics
    if findings:
        raise_diagnostics(findings)


def plain(value: Value) -> Any:
    """The Python object that a static value is: numbers, texts, tuples, lists; operations and dtypes as `stax.*` has them.

    A function of a .stx file is its FunctionValue.
    """
    if isinstance(value, StaticValue):
        return value.value
    if isinstance(value, tuple):
        return tuple([plain(item) for item in value])
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, MeaningValue):
        meaning: Any = value.meaning
        if value.object is not None:
            return value.object
        if isinstance(meaning, DTypeMeaning):
            return getattr(notation, "bool_" if meaning.dtype.name == "bool" else meaning.dtype.name)
        return named_operation(meaning.name)
    if isinstance(value, FunctionValue) and value.library and value.name in OPERATION_NAMES:
        return named_operation(value.name)
    return value

