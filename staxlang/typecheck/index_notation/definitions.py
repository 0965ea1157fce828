"""`let name[subscripts] = value`: tensors by index notation."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.frames import Frame, Signal
from staxlang.typecheck.index_notation.bodies import as_element, extents, ranges_of, under
from staxlang.typecheck.values import ArrayValue, Value


def definition(frame: Frame, node: tree.TensorDefinition) -> Signal:
    frame.locals[node.name] = _defined(frame, node)
    return None


def _defined(frame: Frame, node: tree.TensorDefinition) -> Value:
    if not node.subscripts:
        return frame.evaluate(node.value)
    binders: list[Any] = [one for one in node.subscripts if type(one) is tree.Binder]
    call = frame.call(node)

    def run(inner: Frame) -> ArrayValue:
        return as_element(inner.call(node.value), inner.evaluate(node.value), node.name)

    given, body = under(frame, node, binders, run)
    type_ = TensorType(body.type.dtype, (*body.type.shape, *extents(given)))
    made = call.record("define", (call.handle(body),), {"ranges": ranges_of(given)}, type_)
    return call.array(made, type_, scalar=False)
