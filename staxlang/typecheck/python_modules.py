"""functools, itertools, dataclasses and typing on abstract values: `PYTHON_ROWS` maps the function object (builtins too) to its meaning."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import dataclasses
import functools
import itertools
import typing
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from staxlang.typecheck import operators
from staxlang.typecheck.containers import Builtin, arity, items
from staxlang.typecheck.operator_module import OPERATOR_ROWS
from staxlang.typecheck.python_builtins import BUILTINS
from staxlang.typecheck.values import (
    PLACES,
    ArrayValue,
    IteratorValue,
    ObjectValue,
    PartialValue,
    RangeValue,
    RecordValue,
    StaticValue,
    Value,
)  # fmt: skip

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

Arguments = list[Value]
Keywords = dict[str, Value]


def _partial(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    if not args:
        call.error("missing-argument", function="functools.partial", name="func")
    return PartialValue(args[0], list(args[1:]), dict(kwargs))


def _reduce(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "functools.reduce", 2, 3)
    values = items(call, args[1], call.text(1))
    if len(args) == 3:
        values.insert(0, args[2])
    if not values:
        call.error("static-error", error="TypeError: reduce() of an empty sequence without a first value")
    total = values[0]
    for value in values[1:]:
        total = call.call(args[0], [total, value])
    return total


def _replace(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, {}, "dataclasses.replace", 1, 1)
    record = args[0]
    if isinstance(record, ObjectValue):
        names = [field.name for field in dataclasses.fields(record.object)]
        record = RecordValue(type(record.object), {name: call.context.attribute(call, record, name) for name in names})
    if type(record) is not RecordValue:
        call.error("bad-argument", argument="the first argument", operation="dataclasses.replace", expected="a dataclass instance",
                   given=call.describe(record))  # fmt: skip
    for name in kwargs:
        if name not in record.fields:
            call.error("unknown-keyword", function="dataclasses.replace", name=name)
    return RecordValue(record.cls, {**record.fields, **kwargs}, record.ordered)


def _accumulate(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "itertools.accumulate", 1, 2, "initial")
    values = items(call, args[0], call.text(0))
    if "initial" in kwargs:
        values.insert(0, kwargs["initial"])
    sums: list[Value] = []
    for value in values:
        if sums:
            value = operators.binary(call, "+", sums[-1], value) if len(args) == 1 else call.call(args[1], [sums[-1], value])
        sums.append(value)
    return IteratorValue(sums, "accumulate")


def _sequences(name: str, function: Callable[..., Iterable[Any]], *numbers: int) -> Callable[[Any, Arguments, Keywords], Value]:
    """A function of itertools that only rearranges elements; the arguments at `numbers` are static integers."""

    def run(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
        given = [
            call.static_int(value, f"an argument of `itertools.{name}`") if index in numbers else items(call, value, call.text(index))
            for index, value in enumerate(args)
        ]
        named = {key: call.static_int(value, key) for key, value in kwargs.items()}
        limit = call.context.unroll_limit
        try:
            found = list(itertools.islice(function(*given, **named), limit + 1))
        except TypeError as error:
            call.error("static-error", error=f"TypeError: {error}")
        if len(found) > limit:
            call.error("unroll-limit", count=f"more than {limit}", limit=str(limit), setting="static_loop_limit")
        return IteratorValue([tuple(item) if isinstance(item, list) else item for item in found], name)

    return run


def _product(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    everything = _sequences("product", itertools.product)
    if kwargs or not all(type(one) is RangeValue or (type(one) is ArrayValue and one.rank) for one in args):
        return everything(call, args, kwargs)
    return IteratorValue(lambda: everything(call, args, kwargs).items, PLACES, tuple(args))


def _repeat(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "itertools.repeat", 2, 2)
    return IteratorValue([args[0]] * call.static_int(args[1], "times"), "repeat")


def _cast(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "typing.cast", 2, 2)
    return args[1]


def _is_dataclass(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "dataclasses.is_dataclass", 1, 1)
    value = args[0]
    cls = value.cls if type(value) is RecordValue else value.object if isinstance(value, ObjectValue) else operators.plain_object(value)
    return StaticValue(dataclasses.is_dataclass(cls))


PYTHON_ROWS: dict[Any, Builtin] = {
    **OPERATOR_ROWS,
    **BUILTINS,
    functools.partial: Builtin("functools.partial", _partial),
    functools.reduce: Builtin("functools.reduce", _reduce),
    dataclasses.replace: Builtin("dataclasses.replace", _replace),
    dataclasses.is_dataclass: Builtin("dataclasses.is_dataclass", _is_dataclass),
    typing.cast: Builtin("typing.cast", _cast),
    itertools.accumulate: Builtin("itertools.accumulate", _accumulate),
    itertools.repeat: Builtin("itertools.repeat", _repeat),
    itertools.product: Builtin("itertools.product", _product),
    itertools.chain: Builtin("itertools.chain", _sequences("chain", itertools.chain)),
    itertools.pairwise: Builtin("itertools.pairwise", _sequences("pairwise", itertools.pairwise)),
    itertools.combinations: Builtin("itertools.combinations", _sequences("combinations", itertools.combinations, 1)),
    itertools.permutations: Builtin("itertools.permutations", _sequences("permutations", itertools.permutations, 1)),
    itertools.islice: Builtin("itertools.islice", _sequences("islice", itertools.islice, 1, 2, 3)),
}
