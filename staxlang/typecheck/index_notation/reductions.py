"""`sum[k] body` and its like: reductions over index variables, in any expression."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.index_notation.bodies import as_element, ranges_of, under
from staxlang.typecheck.values import ArrayValue, Value


def reduction(frame: Frame, node: tree.Reduction) -> Value:
    call = frame.call(node)

    def run(inner: Frame) -> ArrayValue:
        return as_element(inner.call(node.body), inner.evaluate(node.body), node.kind)

    given, body = under(frame, node, node.indexes, run)
    type_ = TensorType(body.type.dtype, body.type.shape)
    made = call.record("fold", (call.handle(body),), {"kind": node.kind, "ranges": ranges_of(given)}, type_)
    return call.array(made, type_)
