"""What linear algebra asks of its operands, and the named tuples that some of its functions give: words for the standard library."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import DTYPES
from staxlang.base.sizes import Size
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import array_of
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import ArrayValue, RecordValue, StaticValue, Value

_FALSE, _TRUE = StaticValue(False), StaticValue(True)
_LAPACK = ("f32", "f64", "c64", "c128")


@spelled("word.matrices")
def matrices(call: CallContext, a: Value, operation: Value, square: Value = _FALSE) -> Value:
    """An operand of linear algebra in a dtype that LAPACK has: integers and booleans become f64. Its last two axes are matrices."""
    array, name = array_of(call, a), _spoken(call, operation)
    array = _in_lapack_dtype(call, array, name)
    if array.rank < 2:
        call.error("not-matrices", operation=name, rank=array.rank, notes=[_note(call, array)])
    rows, columns = array.shape[-2:]
    if call.static(square, "square") and not call.same_size(rows, columns, f"`{name}` takes square matrices"):
        call.error("not-square", operation=name, rows=rows, columns=columns, notes=_notes(call, array, rows, columns))
    return array


@spelled("word.lapack_numbers")
def lapack_numbers(call: CallContext, a: Value, operation: Value) -> Value:
    """An array of any rank in a dtype that LAPACK has."""
    return _in_lapack_dtype(call, array_of(call, a), _spoken(call, operation))


@spelled("word.same_extents")
def same_extents(call: CallContext, a: Value, axis: Value, b: Value, other: Value, operation: Value) -> Value:
    """An axis of one operand and an axis of the other have one extent, or the call is refused."""
    first, second = array_of(call, a), array_of(call, b)
    left, right = first.shape[call.static_int(axis, "axis")], second.shape[call.static_int(other, "axis")]
    name = _spoken(call, operation)
    if not call.same_size(left, right, f"`{name}` takes operands that fit together"):
        notes = [_note(call, first, left), _note(call, second, right)]
        call.error("extents-differ", operation=name, left=left, right=right, notes=notes)
    return _TRUE


@spelled("word.asks_data")
def asks_data(call: CallContext) -> Value:
    """Whether data can decide here what the program is: not in one that is made for types, nor where branches on data stay inside it."""
    context = call.context
    return StaticValue(context.recorder.asks and not context.branches.keeps and not context.indices.active)


def _spoken(call: CallContext, operation: Value) -> str:
    """A function's name as a user knows it."""
    name = str(call.static(operation, "operation"))
    return f"np.linalg.{name}" if hasattr(np.linalg, name) else f"stax.{name}"


def _in_lapack_dtype(call: CallContext, array: ArrayValue, name: str) -> ArrayValue:
    if array.dtype.name in _LAPACK:
        return array
    if array.dtype.kind in "fc" or array.dtype.numpy.kind not in "biu":
        call.error("no-lapack-dtype", operation=name, dtype=array.dtype.name, notes=[_note(call, array)])
    return call.cast(array, DTYPES["f64"])


def _notes(call: CallContext, array: ArrayValue, *sizes: Size) -> list[Note]:
    found = [_note(call, array, size) for size in sizes]
    return found[:1] if len({note.text for note in found}) == 1 else found


def _note(call: CallContext, array: ArrayValue, size: Size | None = None) -> Note:
    """An operand's type, with the origin of one of its sizes."""
    origin = None if size is None else call.context.origin(size, array.storage.source, array.storage.handle)
    text = f"the operand is {call.describe(array)}"
    return Note(None, text if origin is None else f"{text}   {origin.text}")


# ---- results ----


@cache
def _result_classes() -> dict[str, Any]:
    """The classes of NumPy's results, as they are in this NumPy (plain tuples in old ones)."""
    one = np.eye(1)
    makers: dict[str, Callable[[Any], Any]] = {
        "eig": np.linalg.eig, "eigh": np.linalg.eigh, "qr": np.linalg.qr, "slogdet": np.linalg.slogdet, "svd": np.linalg.svd,
    }  # fmt: skip
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        makers[name] = getattr(np, name, tuple)
    return {name: type(make(one)) for name, make in makers.items()}


@spelled("word.named_result")
def named_result(call: CallContext, name: Value, *items: Value) -> Value:
    """The named tuple that `np.linalg.<name>`, or `np.<name>`, gives."""
    cls = _result_classes()[str(call.static(name, "name"))]
    if not hasattr(cls, "_fields"):
        return items
    return RecordValue(cls, dict(zip(cls._fields, items, strict=True)), ordered=True)
