"""Extern operations in programs, `extern("linalg.svd", a)` of the standard library and users' own by their objects; demands on data."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.base.diagnostics import demanded
from staxlang.base.dtypes import I64
from staxlang.base.externs import DEMAND, Extern, find_extern
from staxlang.base.sizes import Condition
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.extern_operations import ExternOperation
from staxlang.typecheck.scalars import depends_on_data
from staxlang.typecheck.surface.arguments import array_of, nonzero_extent
from staxlang.typecheck.surface.reductions import all_
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import FALSE, NONE, TRUE, ArrayValue, SizeValue, StaticValue, Value


@spelled("word.extern")
def extern_word(call: CallContext, name: Value, /, *operands: Value, **options: Value) -> Value:
    """For the standard library: an extern operation by its name. Several results come as a tuple."""
    row = find_extern(call.static(name, "name"))
    if row is None:
        call.error("unknown-operation", name=f"extern {name!r}")
    return called(call, row, operands, options)


def called(call: CallContext, row: Extern, operands: tuple[Value, ...], options: dict[str, Value]) -> Value:
    """The results of an extern operation, an array or a tuple of arrays."""
    arrays = [array_of(call, value, f"operand {k}") for k, value in enumerate(operands)]
    types = tuple([call.type_of(array) for array in arrays])
    given = tuple(sorted([(key, _option(call, key, value)) for key, value in options.items()]))
    try:
        results = row.results(types, given)
    except Exception as problem:
        call.error("extern-refused", operation=row.name, reason=str(problem) or type(problem).__name__)
    handles = tuple([call.handle(array) for array in arrays])
    made = tuple([
        call.array(call.record("extern", handles, {"name": row.name, "options": given, "result": number}, type), type)
        for number, type in enumerate(results)
    ])  # fmt: skip
    return made[0] if len(made) == 1 else made


def applied(call: CallContext, name: str, *operands: ArrayValue, **options: Any) -> ArrayValue:
    """The one result of an operation of Stax's own, its options plain Python values."""
    row = find_extern(name)
    if row is None:
        raise LookupError(f"no extern operation is called {name!r}")
    result = called(call, row, operands, {key: StaticValue(value) for key, value in options.items()})
    assert isinstance(result, ArrayValue)
    return result


def _option(call: CallContext, name: str, value: Value) -> Any:
    """A size stays one, and so does a number of the data; anything else is needed now."""
    if isinstance(value, SizeValue) or depends_on_data(value):
        return call.size(value, f"`{name}`")
    return call.static(value, f"`{name}`")


@spelled("word.demand")
def demand(call: CallContext, condition: Value, requirement: Value, /) -> Value:
    """For the standard library: what must be true of the data, tested when the program runs; `requirement` says it to the user."""
    text = str(call.static(requirement, "requirement"))
    if type(condition) is StaticValue:
        if not condition.value:
            code, told = demanded(text)
            call.error(code, requirement=told)
        return NONE
    wrong = call.pointwise("where", (all_(call, array_of(call, condition)), StaticValue(0), StaticValue(1)))
    live = call.context.branches.live
    if live is not None:  # on the side of a branch that is not taken nothing is demanded
        wrong = call.pointwise("where", (live, wrong, StaticValue(0)))
    call.operation("assert_index", [call.cast(wrong, I64)], TensorType(I64, ()), extent=1, what=DEMAND + text)
    return NONE


@spelled("word.is_empty")
def is_empty(call: CallContext, size: Value, /) -> Value:
    """For the standard library: whether a size is 0; in checking, one that is not known is not."""
    return FALSE if nonzero_extent(call, call.size(size, "size"), "whether there is anything") else TRUE


_DIGITS = (4, 7, 10, 13, 17, 21, 26, 32)
_MOST_DIGITS = 40
"""No axis has so many elements that it takes more binary digits to count them."""


@spelled("word.binary_digits")
def binary_digits(call: CallContext, size: Value, /) -> Value:
    """For the standard library: how many binary digits hold a size. One that the user has named stays free: it has those that hold any."""
    extent = call.size(size, "size")
    if isinstance(extent, int):
        return StaticValue(extent.bit_length())
    free = call.is_rigid(extent) or call.context.hint(extent) is None
    for digits in _DIGITS:
        within = Condition("<", extent, 2**digits)
        if call.context.facts.decide(within) if free else call.decide(within, "the length of a search"):
            return StaticValue(digits)
    return StaticValue(_MOST_DIGITS)


class ExternMeaning:
    """What a user's extern operation is in a kernel: arguments by position are arrays, those by name options."""

    __slots__ = ("name", "operation")

    def __init__(self, operation: ExternOperation) -> None:
        self.name = operation.row.name
        self.operation = operation

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        operation = self.operation
        if operation.bound is not None:
            arrays = [array_of(call, value, f"operand {k}") for k, value in enumerate(args)]
            found = operation.bound([call.type_of(array) for array in arrays], call.same_size).diagnostics
            if found:
                call.error("extern-refused", operation=self.name, reason=found[0].message)
        return called(call, operation.row, tuple(args), kwargs)

    def __repr__(self) -> str:
        return f"meaning of extern {self.name}"
