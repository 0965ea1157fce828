"""The rules for the results of users' extern operations: a function of types, or a function's annotations."""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from staxlang.base.sizes import Size, SizeExpression
from staxlang.base.types import TensorType
from staxlang.typecheck.annotation_reading import read, read_text
from staxlang.typecheck.annotations import (
    Annotation,
    Binding,
    ContainerAnnotation,
    Leaf,
    Same,
    TensorAnnotation,
    bind,
    declared_shape,
)  # fmt: skip
from staxlang.typecheck.notation import Rest, TensorForm, dim_of_size
from staxlang.typecheck.signatures import scope_lookup


def bound(parameters: tuple[tuple[str, Annotation], ...], types: Sequence[TensorType], same: Same | None = None) -> Binding:
    """What operands' types make of the declared names."""
    return bind([Leaf(name, annotation, type) for (name, annotation), type in zip(parameters, types, strict=False)], same)


# ---- a function of types -------------------------------------------------------------------------------------------


class Operand:
    """An operand's type as a rule sees it: `shape` of ints and symbols (as of `stax.dims`), `dtype` as NumPy has it."""

    __slots__ = ("dtype", "ndim", "shape")

    def __init__(self, type: TensorType) -> None:
        self.shape = tuple([size if isinstance(size, int) else dim_of_size(size) for size in type.shape])
        self.dtype: np.dtype[Any] = type.dtype.numpy
        self.ndim = len(type.shape)

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


def rule_of_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule that a function of operands' types is; it gives operands as they came, specs (`stax.spec`), or a tuple of them."""

    def rule(*types: TensorType, **options: Any) -> tuple[TensorType, ...]:
        operands = [Operand(type) for type in types]
        found = function(*operands, **options)
        by_operand = {id(operand): type for operand, type in zip(operands, types, strict=True)}
        return tuple([_result(one, by_operand) for one in (found if isinstance(found, (tuple, list)) else (found,))])

    return rule


def _result(found: Any, by_operand: Mapping[int, TensorType]) -> TensorType:
    known = by_operand.get(id(found))
    if known is not None:
        return TensorType(known.dtype, known.shape)
    annotation = read(found) if isinstance(found, TensorForm) else None
    if isinstance(annotation, TensorAnnotation):
        made = _declared(annotation, Binding({}, {}, {}, {}, ()), fresh=True)
        if made is not None:
            return made
    raise TypeError(f"the rule gave {found!r}, which is neither an operand nor a spec with a dtype and all its sizes")


# ---- annotations ---------------------------------------------------------------------------------------------------


def declared_parameters(function: Callable[..., Any]) -> tuple[tuple[tuple[str, Annotation], ...], Annotation]:
    """What a function's annotations say of its parameters by position, and of its result."""
    lookup = scope_lookup(function)
    annotations: dict[str, Any] = dict(getattr(function, "__annotations__", {}))

    def one(name: str) -> Annotation:
        found = annotations.get(name)
        return read_text(found, lookup) if isinstance(found, str) else read(found if name in annotations else Any, lookup)

    names = [name for name, parameter in signature(function).parameters.items() if parameter.kind <= parameter.POSITIONAL_OR_KEYWORD]
    return tuple([(name, one(name)) for name in names]), one("return")


def rule_of_annotations(parameters: tuple[tuple[str, Annotation], ...], returns: Annotation) -> Callable[..., Any] | None:
    """The rule that annotations are; None where they do not say dtype and sizes of each result."""
    results = returns.items if isinstance(returns, ContainerAnnotation) and returns.kind == "tuple" and not returns.repeated else (returns,)
    if not all(isinstance(one, TensorAnnotation) and one.axes is not None and None not in one.axes for one in results):
        return None

    def rule(*types: TensorType, **options: Any) -> tuple[TensorType, ...]:
        leaves = [Leaf(name, annotation, type) for (name, annotation), type in zip(parameters, types, strict=False)]
        binding = bind(leaves, lambda a, b: not (isinstance(a, int) and isinstance(b, int)))
        if binding.diagnostics:
            raise TypeError(binding.diagnostics[0].message)
        made = [_declared(one, binding) for one in results if isinstance(one, TensorAnnotation)]
        if None in made:
            raise TypeError("the annotation of the result names sizes or dtypes that no operand gives")
        return tuple([one for one in made if one is not None])

    return rule


def _declared(annotation: TensorAnnotation, binding: Binding, fresh: bool = False) -> TensorType | None:
    """The type that an annotation says, its names replaced; `fresh`: names stand for themselves."""
    dtypes = annotation.dtypes
    dtype = binding.dtypes.get(annotation.variable or "") or (next(iter(dtypes)) if dtypes is not None and len(dtypes) == 1 else None)
    axes = annotation.axes or ()
    rank = sum([len(binding.rests.get(axis.name, ())) if isinstance(axis, Rest) else 1 for axis in axes])
    shape = axes if fresh else declared_shape(annotation, binding, rank)
    if dtype is None or shape is None:
        return None
    sizes: list[Size] = [size for size in shape if isinstance(size, (int, SizeExpression))]
    return TensorType(dtype, tuple(sizes)) if len(sizes) == len(shape) else None
