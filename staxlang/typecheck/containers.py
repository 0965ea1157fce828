"""Python's containers and static objects: their elements, their methods, iteration over everything that a static loop can walk."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from staxlang.base.sizes import Condition
from staxlang.typecheck import binding, names, operators, scalars
from staxlang.typecheck.operators import class_method
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.values import (
    NONE,
    UNKNOWN,
    ArgumentDict,
    ArgumentList,
    ArrayValue,
    BoundMethod,
    IteratorValue,
    MeaningValue,
    NamespaceValue,
    ObjectValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SliceValue,
    StaticValue,
    Value,
    known,
    size_value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext


class Builtin:
    """A meaning made of a Python function of this package: `run(call, args, kwargs)`."""

    __slots__ = ("name", "run")

    def __init__(self, name: str, run: Callable[[Any, list[Value], dict[str, Value]], Value]) -> None:
        self.name = name
        self.run = run

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Any) -> Value:
        return self.run(call, args, kwargs)


def arity(call: CallContext, args: list[Value], kwargs: dict[str, Value], name: str, least: int, most: int, *keywords: str) -> None:
    """The diagnostics for a wrong number of arguments and unknown keywords."""
    if len(args) < least:
        call.error("missing-argument", function=name, name=f"{len(args) + 1}")
    if len(args) > most:
        call.error("too-many-arguments", function=name, expected=most, given=len(args))
    for keyword in kwargs:
        if keyword not in keywords:
            call.error("unknown-keyword", function=name, name=keyword)


# ---- iteration ----


def items(call: CallContext, value: Value, what: str) -> list[Value]:
    """The elements of anything that a static loop can walk; its length is fixed by a guard where it is symbolic."""
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, dict):
        return [StaticValue(key) for key in value]
    kind = type(value)
    if kind is RangeValue:
        return [StaticValue(number) for number in _static_range(call, value, what)]
    if kind is IteratorValue:
        taken, value.items = value.items, []
        return taken
    if kind is ArrayValue:
        return _rows(call, value, what)
    if kind is RecordValue and value.ordered:
        return list(value.fields.values())
    if kind is StaticValue and isinstance(value.value, (str, bytes, range, frozenset)):
        found = value.value
        return [StaticValue(item) for item in (sorted(found, key=repr) if isinstance(found, frozenset) else found)]
    if kind is ScalarValue or (kind is StaticValue and isinstance(value.value, np.generic)):
        call.error("not-iterable", what=f"{what} ({call.describe(value)})")
    if isinstance(value, ObjectValue):
        if isinstance(value.object, enum.EnumMeta):
            return [StaticValue(member) for member in value.object]
        return items(call, call.context.container(call, value), what)
    if value is UNKNOWN:
        raise Unknowable
    call.error("not-iterable", what=f"{what} ({call.describe(value)})")


def _static_range(call: CallContext, value: RangeValue, what: str) -> range:
    why = call.context.loops.unrolling(what, call.span)
    parts = [binding.static_int(call, part, why) for part in (value.start, value.stop, value.step)]
    if parts[2] == 0:
        call.error("zero-step", what="range()")
    return range(*parts)


def _rows(call: CallContext, array: ArrayValue, what: str) -> list[Value]:
    if not array.type.shape:
        call.error("not-iterable", what=f"{what} ({call.describe(array)})")
    extent = array.type.shape[0]
    length = scalars.fixed_size(call.context, extent, call.span, call.context.loops.unrolling(what, call.span))
    if length is None:
        raise Unknowable
    if length > call.context.unroll_limit:
        call.error("unroll-limit", count=str(length), limit=str(call.context.unroll_limit), setting="static_loop_limit")
    return [names.subscript(call, array, StaticValue(index)) for index in range(length)]


# ---- elements ----


def subscript(call: CallContext, value: Value, index: Value) -> Value:
    """`value[index]`."""
    kind = type(value)
    if call.context.checking and (value is UNKNOWN or not known(index)):
        return UNKNOWN
    if kind is ArrayValue:
        return names.subscript(call, value, binding.unpacked(call, index))
    if isinstance(value, (tuple, list)):
        return _element(call, value, index)
    if isinstance(value, dict):
        return _entry(call, value, index)
    if kind is RecordValue:
        if value.ordered:
            return _element(call, tuple(value.fields.values()), index)
    elif kind is RangeValue:
        return _range_element(call, value, index)
    elif kind is StaticValue:
        if isinstance(value.value, (str, bytes, range)):
            return _static_element(call, value.value, index)
        if isinstance(value.value, np.generic):
            return names.subscript(call, call.to_array(value), binding.unpacked(call, index))
        if isinstance(value.value, type):  # list[int], Tensor[...]: only annotations use it
            return value
    elif kind is MeaningValue and isinstance(value.object, type):
        return value
    elif kind is NamespaceValue and value.name == "flags" and type(index) is StaticValue:  # x.flags["C_CONTIGUOUS"]
        found = value.find(str(index.value))
        if found is not None:
            return found
    elif isinstance(value, ObjectValue):
        meaning = names.indexed(value.object)
        return _captured_element(call, value, index) if meaning is None else meaning.apply(call, [index], {}, call.span)
    function = class_method(value, "__getitem__")
    if function is not None:
        return call.call(BoundMethod(function, value), [index])
    call.error("not-subscriptable", what=f"{call.text(0)} ({call.describe(value)})", span=call.argument_span(0))


def _element(call: CallContext, value: Any, index: Value) -> Value:
    if type(index) is SliceValue:
        part = value[binding.static(call, index, "a slice of a Python sequence")]
        return list(part) if isinstance(value, list) else part
    number = binding.static_int(call, index, f"the index of a {'tuple' if isinstance(value, tuple) else 'list'}")
    if not -len(value) <= number < len(value):
        call.error("position-out-of-range", index=str(number), length=str(len(value)), span=call.argument_span(1))
    return value[number]


def _entry(call: CallContext, value: dict[Any, Value], index: Value) -> Value:
    key = binding.static(call, index, "a dictionary's key")
    try:
        found = value.get(key)
    except TypeError:
        call.error("unhashable-key", given=call.describe(index), span=call.argument_span(1))
    if found is None:
        keys = ", ".join(map(repr, list(value)[:8])) or "none"
        call.error("missing-key", key=repr(key), span=call.argument_span(1), help=f"its keys are {keys}")
    return found


def _static_element(call: CallContext, value: Any, index: Value) -> Value:
    place = binding.static(call, index, "an index")
    try:
        return StaticValue(value[place])
    except IndexError:
        call.error("position-out-of-range", index=str(place), length=str(len(value)), span=call.argument_span(1))
    except TypeError:
        call.error("not-an-integer", what="the index", given=call.describe(index), span=call.argument_span(1))


def _range_element(call: CallContext, value: RangeValue, index: Value) -> Value:
    whole = binding.static(call, value, "a range")
    part = whole[binding.static(call, index, "the index of a range")]
    if isinstance(part, range):
        return RangeValue(StaticValue(part.start), StaticValue(part.stop), StaticValue(part.step))
    return StaticValue(part)


def _captured_element(call: CallContext, value: ObjectValue, index: Value) -> Value:
    """An element of a captured container: only that element is captured."""
    owner = value.object
    if type(owner) in (tuple, list, dict) and type(index) is not SliceValue:
        key = binding.static(call, index, "an index into a captured container")
        if type(owner) is not dict:
            call.context.content(value.getter, "type", type(owner), call.span)
        try:
            found = owner[key]
        except (LookupError, TypeError):
            return subscript(call, call.context.container(call, value), index)
        return call.context.lift(call.context, found, value.getter.step("item", key), call.span)
    function = class_method(value, "__getitem__")
    if function is not None:
        return call.call(BoundMethod(function, value), [index])
    return subscript(call, call.context.container(call, value), index)


def assign(call: CallContext, value: Value, index: Value, new: Value) -> None:
    """`value[index] = new`."""
    if type(value) is ArrayValue:
        if call.context.checking and not (known(new) and known(index)):
            return
        names.assign_subscript(call, value, binding.unpacked(call, index), new)
    elif value is UNKNOWN:
        return
    elif type(value) is list:
        if type(index) is SliceValue:
            value[binding.static(call, index, "a slice of a list")] = items(call, new, "the assigned value")
            return
        number = binding.static_int(call, index, "the index of a list")
        if not -len(value) <= number < len(value):
            call.error("position-out-of-range", index=str(number), length=str(len(value)), span=call.argument_span(1))
        value[number] = new
    elif type(value) is dict:
        value[binding.static(call, index, "a dictionary's key")] = new
    elif isinstance(value, (ArgumentList, ArgumentDict, ObjectValue)):
        refuse_change(call, value)
    else:
        function = class_method(value, "__setitem__")
        if function is None:
            call.error("not-writable", what=f"an item of {call.text(0)} ({call.describe(value)})", span=call.argument_span(0))
        call.call(BoundMethod(function, value), [index, new])


def refuse_change(call: CallContext, value: Value) -> None:
    """A container or object that lives outside of the kernel is about to be changed."""
    name = str(value.getter) if isinstance(value, ObjectValue) else call.text(0)
    call.error("captured-mutation", what=call.text(), name=name)


# ---- methods ----


def method(call: CallContext, value: Value, name: str) -> Value | None:
    """A method of a Python container or static object, bound to it; None where it has no such method."""
    table = (
        TUPLE_METHODS if isinstance(value, tuple) or (type(value) is RecordValue and value.ordered)
        else LIST_METHODS if isinstance(value, list)
        else DICT_METHODS if isinstance(value, dict)
        else None
    )  # fmt: skip
    if table is not None:
        run = table.get(name)
        if run is None:
            return None
        if name in CHANGING and isinstance(value, (ArgumentList, ArgumentDict)):
            refuse_change(call, value)
        return BoundMethod(MeaningValue(Builtin(name, run)), value)
    if type(value) is StaticValue and isinstance(value.value, (str, bytes, int, float, complex, frozenset)) and not name.startswith("_"):
        plain = getattr(value.value, name, None)
        if plain is None:
            return None
        if callable(plain):
            return MeaningValue(Builtin(name, lambda call, args, kwargs: _static_method(call, plain, args, kwargs)))
        return StaticValue(plain)
    return None


def _static_method(call: CallContext, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a str, int, ... on static arguments."""
    what = f"an argument of `{call.operation_text()}`"
    given = [binding.static(call, item, what) for item in args]
    named = {key: binding.static(call, item, what) for key, item in kwargs.items()}
    try:
        result = function(*given, **named)
    except Exception as error:
        static_error(call, error)
    return lowered(result)


def static_error(call: CallContext, error: Exception) -> NoReturn:
    """What Python raised when a value known now was computed: reported as that kind of exception where it is a common one."""
    if isinstance(error, ZeroDivisionError):
        call.error("division-by-zero", operation=call.operation_text())
    call.error("static-value" if isinstance(error, ValueError) else "static-error", error=f"{type(error).__name__}: {error}")


def lowered(result: Any) -> Value:
    """A plain Python result as a value: containers elementwise."""
    if isinstance(result, tuple):
        return tuple(lowered(item) for item in result)
    if isinstance(result, list):
        return [lowered(item) for item in result]
    if isinstance(result, dict):
        return {key: lowered(item) for key, item in result.items()}
    return StaticValue(frozenset(result) if isinstance(result, set) else result)


def _receiver(args: list[Value]) -> Any:
    value = args[0]
    return tuple(value.fields.values()) if type(value) is RecordValue else value


def _position(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    for number, item in enumerate(_receiver(args)):
        if item is args[1] or operators.equal(call, item, args[1]):
            return StaticValue(number)
    call.error("static-error", error=f"{call.text(1)} is not in the sequence")


def _count(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return StaticValue(sum(1 for item in _receiver(args) if item is args[1] or operators.equal(call, item, args[1])))


def _append(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0].append(args[1])
    return NONE


def _extend(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0].extend(items(call, args[1], "the argument of extend"))
    return NONE


def _insert(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0].insert(binding.static_int(call, args[1], "the place to insert at"), args[2])
    return NONE


def _pop(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    number = binding.static_int(call, args[1], "the index of a list") if len(args) > 1 else -1
    if not -len(args[0]) <= number < len(args[0]):
        call.error("position-out-of-range", index=str(number), length=str(len(args[0])))
    return args[0].pop(number)


def _reverse(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0].reverse()
    return NONE


def _clear(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0].clear()
    return NONE


def _remove(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    del args[0][_position(call, args, kwargs).value]
    return NONE


def _sort(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    args[0][:] = ordered(call, args[0], kwargs)
    return NONE


def ordered(call: CallContext, values: list[Value], kwargs: dict[str, Value]) -> list[Value]:
    """sorted(values, key=, reverse=): by static keys."""
    key = kwargs.get("key", NONE)
    reverse = binding.static(call, kwargs["reverse"], "reverse") if "reverse" in kwargs else False
    plain = type(key) is StaticValue and key.value is None
    keys = [binding.static(call, item if plain else call.call(key, [item]), "a key to sort by") for item in values]
    try:
        order = sorted(range(len(values)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        static_error(call, error)
    return [values[index] for index in order]


def _copied_list(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return list(args[0])


def _keys(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return tuple(StaticValue(key) for key in args[0])


def _values(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return tuple(args[0].values())


def _items(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return tuple((StaticValue(key), item) for key, item in args[0].items())


def _get(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    found = args[0].get(binding.static(call, args[1], "a dictionary's key"))
    return found if found is not None else args[2] if len(args) > 2 else NONE


def _setdefault(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return args[0].setdefault(binding.static(call, args[1], "a dictionary's key"), args[2] if len(args) > 2 else NONE)


def _dict_pop(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    key = binding.static(call, args[1], "a dictionary's key")
    if key not in args[0] and len(args) > 2:
        return args[2]
    found = _entry(call, args[0], args[1])
    del args[0][key]
    return found


def _update(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    for other in args[1:]:
        args[0].update(mapping(call, other))
    args[0].update(kwargs)
    return NONE


def _copied_dict(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return dict(args[0])


def mapping(call: CallContext, value: Value) -> dict[Any, Value]:
    """What `dict(value)` or `**value` takes: a dict, or pairs."""
    if isinstance(value, ObjectValue):
        value = call.context.container(call, value)
    if isinstance(value, dict):
        return value
    made: dict[Any, Value] = {}
    for pair in items(call, value, "the pairs of a dict"):
        both = items(call, pair, "a pair of a dict")
        if len(both) != 2:
            call.error("unpack-mismatch", expected="2", given=str(len(both)))
        made[binding.static(call, both[0], "a dictionary's key")] = both[1]
    return made


Run = Callable[[Any, list[Value], dict[str, Value]], Value]
TUPLE_METHODS: Mapping[str, Run] = {"index": _position, "count": _count}
LIST_METHODS: Mapping[str, Run] = {
    "index": _position, "count": _count, "append": _append, "extend": _extend, "insert": _insert, "pop": _pop, "reverse": _reverse,
    "clear": _clear, "remove": _remove, "sort": _sort, "copy": _copied_list,
}  # fmt: skip
DICT_METHODS: Mapping[str, Run] = {
    "keys": _keys, "values": _values, "items": _items, "get": _get, "setdefault": _setdefault, "pop": _dict_pop, "update": _update,
    "copy": _copied_dict, "clear": _clear,
}  # fmt: skip
CHANGING = frozenset({"append", "extend", "insert", "pop", "reverse", "clear", "remove", "sort", "setdefault", "update", "popitem"})


def length(call: CallContext, value: Value) -> Value:
    """len(value)."""
    kind = type(value)
    if kind is ArrayValue:
        if not value.type.shape:
            call.error("no-length", given=call.describe(value), span=call.argument_span(0))
        return names.extent_value(call, value.type.shape[0])
    if isinstance(value, (tuple, list, dict)):
        return StaticValue(len(value))
    if kind is RecordValue and value.ordered:
        return StaticValue(len(value.fields))
    if kind is RangeValue:
        count = binding.range_length(call, value)
        if not isinstance(count, int):
            positive = call.decide(Condition("<=", 0, count), "the length of a range")
            if positive is False:
                return StaticValue(0)
        return size_value(count)
    if kind is StaticValue and isinstance(value.value, (str, bytes, frozenset, range)):
        return StaticValue(len(value.value))
    function = class_method(value, "__len__")
    if function is not None:
        return call.call(BoundMethod(function, value), [])
    if isinstance(value, ObjectValue):
        return length(call, call.context.container(call, value))
    if value is UNKNOWN:
        raise Unknowable
    call.error("no-length", given=call.describe(value), span=call.argument_span(0))
