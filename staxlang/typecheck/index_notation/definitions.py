"""`let name[subscripts] = value`: tensors by index notation."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.frames import Frame, Signal
from staxlang.typecheck.index_notation.bodies import as_element, extents, ranges_of, under
from staxlang.typecheck.values import Value


def definition(frame: Frame, node: tree.TensorDefinition) -> Signal:
    frame.locals[node.name] = _defined(frame, node)
    return None


def _defined(frame: Frame, node: tree.TensorDefinition) -> Value:
    if not node.subscripts:
        return element(frame, node)
    call = frame.call(node)
    leading = _is_leading(node.subscripts[0])
    binders: list[Any] = [one for one in node.subscripts if type(one) is tree.Binder]
    given, body = under(frame, node, binders, lambda inner: as_element(inner.call(node.value), element(inner, node), node.name))
    if body.rank and not leading:
        call.error("index-missing", name=node.name, given=call.describe(body))
    type_ = TensorType(body.dtype, (*body.shape, *extents(given)))
    made = call.record("define", (call.handle(body),), {"ranges": ranges_of(given)}, type_)
    return call.array(made, type_, scalar=False)


def element(frame: Frame, node: tree.TensorDefinition) -> Value:
    """The right side for one point: `value where condition else otherwise`."""
    if node.condition is None or node.otherwise is None:
        return frame.evaluate(node.value)
    return frame.evaluate(tree.Conditional(node.span, node.condition, node.value, node.otherwise))


def _is_leading(subscript: Any) -> bool:
    return type(subscript) is tree.Constant and subscript.value is ...
