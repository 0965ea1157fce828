"""Modules of .stx are checked here without being run: each definition is evaluated with the types that its header gives."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from staxlang.base.diagnostics import Diagnostic, Note
from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.records import replace
from staxlang.base.sizes import Size, symbol, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck import arguments, constants
from staxlang.typecheck.annotations import (
    ANY,
    Annotation,
    ContainerAnnotation,
    ScalarAnnotation,
    TensorAnnotation,
    UnionAnnotation,
)
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.evaluator import evaluate
from staxlang.typecheck.modules import Definition, Module, reachable
from staxlang.typecheck.notation import Rest
from staxlang.typecheck.recorder import TypeRecorder
from staxlang.typecheck.signatures import NOTHING_SAID, Signature, tensors
from staxlang.typecheck.values import NONE, UNKNOWN, Value

_REPRESENTATIVES = ("f32", "f64", "i64", "c64", "u8", "bool")
"""Of each kind of dtype one: what a class of dtypes promises is checked with those of them that are in it."""
_KINDS = {"i": "int", "u": "int", "f": "float", "c": "complex"}


def check_module(module: Module) -> list[Diagnostic]:
    """What is wrong in a module's definitions, in the order of the file. Nothing is said of what depends on a call that is not there."""
    own = [entry for entry in module.names.values() if isinstance(entry, Definition) and entry.module is module]
    kernels = [entry for entry in own if entry.tree.exported]
    called = {id(used) for kernel in kernels for used in reachable(kernel)}  # a `def` is checked with what it is called with
    found: dict[tuple[object, ...], Diagnostic] = {}
    for entry in [*kernels, *(entry for entry in own if id(entry) not in called)]:
        for finding in check_definition(entry):
            found.setdefault((finding.code, repr(finding.span), finding.message), finding)
    return sorted(found.values(), key=lambda one: (one.span.line, one.span.column) if one.span is not None else (0, 0))


def check_definition(definition: Definition) -> Iterator[Diagnostic]:
    """What is wrong in a definition: with its parameters as declared, then with the defaults of those that have one; for each dtype that
    a variable stands for."""
    header = definition.value.header
    signature = header.signature if header is not None else NOTHING_SAID
    if signature.diagnostics:
        yield from signature.diagnostics
        return
    told: set[tuple[str, str]] = set()
    for dtypes, said in _choices(definition, signature):
        for finding in _findings(definition, signature, dtypes):
            place = (finding.code, repr(finding.span))
            if place not in told:
                told.add(place)
                yield replace(finding, notes=(*finding.notes, Note(None, said))) if said else finding


def _findings(definition: Definition, signature: Signature, dtypes: Mapping[str, DType]) -> list[Diagnostic]:
    found = list(_evaluated(definition, signature, dtypes, defaulted=False))
    if any(one.default is not None for one in definition.tree.parameters):
        found += _evaluated(definition, signature, dtypes, defaulted=True)
    return found


def _choices(definition: Definition, signature: Signature) -> Iterator[tuple[dict[str, DType], str]]:
    """Dtypes for the variables of a header: the first of each class, then the others one at a time. A variable without a class is of the
    kind with which least is wrong."""
    variables: dict[str, frozenset[DType] | None] = {}
    for tensor in tensors(*signature.parameters.values(), signature.returns):
        if tensor.variable is not None:
            variables[tensor.variable] = variables.get(tensor.variable) or tensor.dtypes
    first = {name: representatives(dtypes)[0] for name, dtypes in variables.items()}
    open_ = [name for name, dtypes in variables.items() if dtypes is None][:_MOST_OPEN]
    tried = [{**first, **dict(zip(open_, chosen, strict=True))} for chosen in itertools.product(_OPEN, repeat=len(open_))]
    if len(tried) > 1:
        first = min(tried, key=lambda dtypes: len(_findings(definition, signature, dtypes)))
    yield first, ""
    for name, dtypes in variables.items():
        for dtype in representatives(dtypes)[1:]:
            yield {**first, name: dtype}, f"with {name} = {dtype.name}"


_OPEN = (DTYPES["f32"], DTYPES["i64"], DTYPES["f64"])
_MOST_OPEN = 3


def representatives(dtypes: frozenset[DType] | None) -> list[DType]:
    """One dtype of each kind in a class."""
    if dtypes is None:
        return [DTYPES["f32"]]
    found: dict[str, DType] = {}
    for name in (*_REPRESENTATIVES, *DTYPES):
        if DTYPES[name] in dtypes:
            found.setdefault(DTYPES[name].kind, DTYPES[name])
    return list(found.values())


def _evaluated(definition: Definition, signature: Signature, dtypes: Mapping[str, DType], defaulted: bool) -> tuple[Diagnostic, ...]:
    recorder = TypeRecorder()
    making = _Arguments(dtypes)
    values: dict[str, Value] = {}
    for parameter in definition.tree.parameters:
        annotation = signature.parameters.get(parameter.name, ANY)
        if parameter.default is not None and (defaulted or annotation is ANY):
            values[parameter.name] = constants.compute(parameter.default, definition.value.scope)
        else:
            values[parameter.name] = making.value(annotation, parameter.name)
    context = EvaluationContext(recorder, rigid=frozenset(making.rigid))
    return evaluate(definition.value, values, recorder, context).diagnostics


class _Arguments:
    """Abstract arguments of declared types. A group of axes `*B` stands for one axis."""

    def __init__(self, dtypes: Mapping[str, DType]) -> None:
        self.dtypes = dtypes
        self.rigid: set[str] = set()
        self.position = 0

    def value(self, annotation: Annotation, path: str) -> Value:
        if isinstance(annotation, TensorAnnotation):
            return self._tensor(annotation, path)
        if isinstance(annotation, ScalarAnnotation):
            if annotation.kind == "None":
                return NONE
            return arguments.scalar_argument(path, annotation.kind, self._take()) if annotation.kind in _KINDS.values() else UNKNOWN
        if isinstance(annotation, UnionAnnotation):
            given = [one for one in annotation.members if not (isinstance(one, ScalarAnnotation) and one.kind == "None")]
            return self.value(given[0], path) if given else NONE
        if isinstance(annotation, ContainerAnnotation) and annotation.kind == "tuple" and not annotation.repeated:
            return tuple([self.value(item, f"{path}[{index}]") for index, item in enumerate(annotation.items)])
        return UNKNOWN

    def _take(self) -> int:
        self.position += 1
        return self.position - 1

    def _tensor(self, annotation: TensorAnnotation, path: str) -> Value:
        dtype = self.dtypes[annotation.variable] if annotation.variable is not None else representatives(annotation.dtypes)[0]
        if annotation.axes is None:
            return UNKNOWN
        if annotation.axes == () and annotation.variable is None:  # a number
            return arguments.scalar_argument(path, _KINDS[dtype.kind], self._take()) if dtype.kind in _KINDS else UNKNOWN
        shape: list[Size] = []
        for place, axis in enumerate(annotation.axes):
            if isinstance(axis, Rest):
                name = f"{axis.name}[0]" if axis.name else f"{path}.shape[{place}]"
                shape.append(symbol(name))
                self.rigid.add(name)
            elif axis is None:
                shape.append(symbol(f"{path}.shape[{place}]"))
            else:
                shape.append(axis)
                self.rigid |= set() if isinstance(axis, int) else symbols(axis)
        made = arguments.array_argument(path, TensorType(dtype, tuple(shape)), self._take())
        made.scalar = not shape
        return made
