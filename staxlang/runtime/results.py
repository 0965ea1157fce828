"""The evaluator's result structure to the plan's result tree, which the native entry and the Python entry both follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.base.types import TensorType, row_major_strides
from staxlang.runtime.containers import DictMaker, ListMaker, RangeMaker, RecordMaker
from staxlang.runtime.planning import PlanBuilder
from staxlang.runtime.signature import class_of
from staxlang.typecheck.results import (
    InputArray,
    InputNumber,
    ObjectResult,
    OutputArray,
    OutputNumber,
    RangeResult,
    RecordResult,
    Result,
    SizeResult,
    StaticResult,
)


class ResultTree:
    """Builds one plan's tree. `types` are the input arrays' by leaf position, `outputs` the program's."""

    def __init__(
        self, builder: PlanBuilder, types: dict[int, TensorType], outputs: tuple[TensorType, ...], arguments: dict[str, Any]
    ) -> None:
        self.builder = builder
        self.types = types
        self.outputs = outputs
        self.arguments = arguments

    def node(self, result: Result) -> tuple[Any, ...]:
        if isinstance(result, OutputArray):
            return self._output(result)
        if isinstance(result, InputArray):
            return self._input(result)
        if isinstance(result, OutputNumber):
            return ("number", result.output, result.kind)
        if isinstance(result, InputNumber):
            return ("object", self.builder.leaf_places[result.position])
        if isinstance(result, SizeResult):
            return ("size", result.size)
        if isinstance(result, StaticResult):
            return ("static", self.builder.slot(result.value))
        if isinstance(result, ObjectResult):
            return ("object", self.builder.at(result.getter, self.arguments))
        if type(result) is tuple:
            return ("tuple", tuple(self.node(part) for part in result))
        make, parts = _maker(result)
        return ("build", self.builder.slot(make), tuple(self.node(part) for part in parts))

    def _output(self, result: OutputArray) -> tuple[Any, ...]:
        if result.scalar:
            return ("scalar", result.output)
        stored = self.outputs[result.output]
        slot = self.builder.slot(stored.dtype.numpy)
        if result.placement is not None and not (result.order and result.writable):
            offset, strides = result.placement
            return ("part", result.output, slot, result.type.shape, strides, offset, result.writable)
        if result.writable:
            return ("array", result.output)
        return ("part", result.output, slot, result.type.shape, row_major_strides(result.type.shape), 0, False)

    def _input(self, result: InputArray) -> tuple[Any, ...]:
        place = self.builder.leaf_places[result.position]
        if result.placement is None:
            return ("object", place)
        offset, strides = result.placement
        dtype = self.types[result.position].dtype
        return ("view", place, self.builder.slot(dtype.numpy), result.type.shape, strides, offset, result.writable)


def _maker(result: Any) -> tuple[Callable[..., Any], list[Result]]:
    """(what makes the container of its parts, the parts)."""
    if isinstance(result, RangeResult):
        return RangeMaker(), list(result.parts)
    if class_of(result) is list:
        return ListMaker(), list(result)
    if class_of(result) is dict:
        return DictMaker(tuple(result)), list(result.values())
    assert isinstance(result, RecordResult)
    names = tuple(name for name, _ in result.fields)
    return RecordMaker(result.cls, names, result.ordered), [part for _, part in result.fields]
