"""Python's builtin functions on abstract values: `BUILTINS` maps the function object to its meaning."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.dtypes import BOOL, C128, F64, I64, DType
from staxlang.base.sizes import maximum, minimum
from staxlang.base.types import TensorType
from staxlang.typecheck import binding, branches, containers, operators, scalars
from staxlang.typecheck.containers import Builtin, arity, items
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.python_objects import OBJECT_ROWS
from staxlang.typecheck.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    ArrayValue,
    BoundMethod,
    IteratorValue,
    RangeValue,
    ScalarValue,
    SizeValue,
    SliceValue,
    StaticValue,
    Value,
    size_value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

Arguments = list[Value]
Keywords = dict[str, Value]
_ZERO, _ONE = StaticValue(0), StaticValue(1)


# ---- numbers ----


def _convert(kind: str) -> Callable[[Any, Arguments, Keywords], Value]:
    plain = {"int": int, "float": float, "complex": complex}[kind]
    dtype: DType = {"int": I64, "float": F64, "complex": C128}[kind]

    def convert(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
        if len(args) != 1 or kwargs:
            return _static_call(plain)(call, args, kwargs)
        value = args[0]
        if type(value) is ArrayValue:
            return element(call, value, kind, dtype)
        if type(value) is SizeValue:
            return value if kind == "int" else ScalarValue(kind, scalars.Computed("cast", (value,)))
        if type(value) is ScalarValue:
            return value if value.kind == kind else ScalarValue(kind, scalars.Computed("cast", (value,)))
        return _static_call(plain)(call, args, kwargs)

    return convert


def element(call: CallContext, array: ArrayValue, kind: str, dtype: DType) -> Value:
    """The one element of an array as a Python number. It stays in the program until its value is needed."""
    if array.type.dtype.kind == "c" and kind != "complex":
        call.error("dtype-mismatch", operation=kind, expected="a real array", given=call.describe(array))
    for extent in array.type.shape:
        if not call.same_size(extent, 1, f"`{call.text()}` takes one element"):
            call.error("not-a-scalar", what=f"`{call.text()}`", type=call.describe(array))
    flat = call.view(array, (), (0,) * array.rank) if array.rank else array
    type_ = TensorType(dtype, ())
    handle = call.handle(call.cast(flat, dtype))
    return ScalarValue(kind, scalars.Converted(handle, type_, call.span, call.text()))


def item(call: CallContext, array: ArrayValue) -> Value:
    """`.item()`: the element as the Python number of its own kind."""
    kind = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[array.type.dtype.kind]
    return element(call, array, kind, {"bool": BOOL, "int": I64, "float": F64, "complex": C128}[kind])


def _bool(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "bool", 0, 1)
    if not args:
        return FALSE
    value = args[0]
    if type(value) is ArrayValue and value.type.dtype is BOOL:
        return element(call, value, "bool", BOOL)
    if type(value) is ScalarValue:
        return value if value.kind == "bool" else ScalarValue("bool", scalars.Computed("not_equal", (value, _ZERO)))
    answer = call.truth(value, call.text(0))
    return UNKNOWN if answer is None else TRUE if answer else FALSE


def _abs(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "abs", 1, 1)
    value = args[0]
    kind = type(value)
    if kind is ArrayValue or (kind is StaticValue and isinstance(value.value, np.generic)):
        return call.pointwise("absolute", (value,))
    if kind is SizeValue:
        return size_value(maximum(value.size, -value.size))
    if kind is ScalarValue:
        kinds = {"complex": "float", "bool": "int", "int": "int", "float": "float"}
        return ScalarValue(kinds[value.kind], scalars.Computed("absolute", (value,)))
    function = operators.class_method(value, "__abs__")
    return _static_call(abs)(call, args, kwargs) if function is None else call.call(BoundMethod(function, value), [])


def _round(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "round", 1, 2, "ndigits")
    value = args[0]
    digits = args[1] if len(args) > 1 else kwargs.get("ndigits", NONE)
    none = type(digits) is StaticValue and digits.value is None
    if type(value) is ArrayValue:
        rounded = call.call(call.context.attribute(call, value, "round"), [] if none else [digits])
        number = none and value.rank == 0 and value.type.dtype.kind in "iuf" and type(rounded) is ArrayValue
        return element(call, rounded, "int", I64) if number else rounded  # a number of NumPy's rounds to one of Python's
    if type(value) is ScalarValue and none:
        rounded = ScalarValue("float", scalars.Computed("rint", (value,)))
        return value if value.kind == "int" else ScalarValue("int", scalars.Computed("cast", (rounded,)))
    if type(value) is SizeValue and none:
        return value
    return _static_call(round)(call, args, kwargs)


def _extreme(name: str) -> Callable[[Any, Arguments, Keywords], Value]:
    """min and max: of numbers as Python compares them, without asking for a value where the answer can stay in the program."""
    smaller = name == "min"

    def extreme(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
        for keyword in kwargs:
            if keyword not in ("key", "default"):
                call.error("unknown-keyword", function=name, name=keyword)
        values = items(call, args[0], f"the argument of `{name}`") if len(args) == 1 else args
        if not values:
            if "default" in kwargs:
                return kwargs["default"]
            call.error("static-value", error=f"ValueError: {name}() of an empty sequence")
        if "key" in kwargs:
            return containers.ordered(call, values, {"key": kwargs["key"], "reverse": FALSE if smaller else TRUE})[0]
        best = values[0]
        for value in values[1:]:
            best = _better(call, best, value, smaller)
        return best

    return extreme


def _better(call: CallContext, best: Value, value: Value, smaller: bool) -> Value:
    """One step of min or max: `value` if it compares better, else `best`."""
    if best is UNKNOWN or value is UNKNOWN:
        return UNKNOWN
    kinds = scalars.kind_of(best), scalars.kind_of(value)
    one = type(best)
    two = type(value)
    integers = kinds[0] in ("int", "bool") and kinds[1] in ("int", "bool")
    if integers and (one is SizeValue or two is SizeValue) and one is not ScalarValue and two is not ScalarValue:
        pair = binding.as_size(call, best, "min"), binding.as_size(call, value, "min")
        return size_value(minimum(*pair) if smaller else maximum(*pair))
    test = operators.comparison(call, "<" if smaller else ">", value, best)
    if type(test) is ScalarValue and kinds[0] == kinds[1] and kinds[0] is not None:
        row = "where" if kinds[0] != "int" else "minimum" if smaller else "maximum"
        operands = (test, value, best) if row == "where" else (best, value)
        return ScalarValue(kinds[0], scalars.Computed(row, operands))
    if type(test) is ArrayValue and not test.type.shape and one is ArrayValue and two is ArrayValue and best.type == value.type:
        return call.pointwise("where", (test, value, best))
    kept = binding.kept_condition(call, test, call.text())
    if kept is not None:
        return branches.chosen(call, kept, (value, {}), (best, {}))
    answer = call.truth(test, call.text())
    return UNKNOWN if answer is None else value if answer else best


def _sum(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "sum", 1, 2, "start")
    total = args[1] if len(args) > 1 else kwargs.get("start", _ZERO)
    for value in items(call, args[0], "the argument of `sum`"):
        total = operators.binary(call, "+", total, value)
    return total


def _pow(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "pow", 2, 3)
    return _static_call(pow)(call, args, kwargs) if len(args) == 3 else operators.binary(call, "**", *args)


def _divmod(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "divmod", 2, 2)
    return operators.binary(call, "//", *args), operators.binary(call, "%", *args)


# ---- sequences ----


def _range(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "range", 1, 3)
    for index, value in enumerate(args):
        kind = type(value)
        ok = kind is SizeValue or (kind is ScalarValue and value.kind in ("int", "bool")) or value is UNKNOWN
        if not ok and not (kind is StaticValue and isinstance(value.value, (int, np.integer))) and kind is not ArrayValue:
            call.error("not-an-integer", what="an argument of `range`", given=call.describe(value), span=call.argument_span(index))
    args = [_bound(call, value) if type(value) is ArrayValue else value for value in args]
    start, stop = (_ZERO, args[0]) if len(args) == 1 else (args[0], args[1])
    return RangeValue(start, stop, args[2] if len(args) > 2 else _ONE)


def _bound(call: CallContext, value: ArrayValue) -> Value:
    """A bound that is data stays what it is: a loop over such a range may stay in the program."""
    plain = value.dtype.kind in "iu" and not value.shape and value.extent is None
    return value if plain and call.context.recorder.keeps_loops else size_value(binding.as_size(call, value, "range"))


def _len(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "len", 1, 1)
    return containers.length(call, args[0])


def _enumerate(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "enumerate", 1, 2, "start")
    first = call.static_int(args[1] if len(args) > 1 else kwargs.get("start", _ZERO), "the start of `enumerate`")

    def numbered() -> list[Value]:
        return [(StaticValue(index), value) for index, value in enumerate(items(call, args[0], call.text(0)), first)]

    source = (StaticValue(first), args[0]) if _may_stay(call, args[:1]) else None
    return IteratorValue(numbered() if source is None else numbered, "enumerate", source)


def _may_stay(call: CallContext, parts: list[Value]) -> bool:
    """Whether a loop over several things at once may stay in the program: over arrays and ranges."""
    known = all((type(one) is ArrayValue and one.rank) or type(one) is RangeValue or getattr(one, "source", None) for one in parts)
    return bool(parts) and known and call.context.recorder.keeps_loops


def _zip(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "zip", 0, sys.maxsize, "strict")
    if not kwargs and len({id(one) for one in args if type(one) is IteratorValue}) in (0, len(args)) and _may_stay(call, args):
        return IteratorValue(lambda: _zipped(call, args, kwargs), "zip", tuple(args))
    return IteratorValue(_zipped(call, args, kwargs), "zip")


def _zipped(call: CallContext, args: Arguments, kwargs: Keywords) -> list[Value]:
    # One iterator given twice is taken from in turn, as in `zip(it, it)`.
    taken: dict[int, Iterator[Value]] = {}
    columns: list[Iterator[Value]] = []
    for index, value in enumerate(args):
        if type(value) is not IteratorValue or id(value) not in taken:
            taken[id(value)] = iter(items(call, value, call.text(index)))
        columns.append(taken[id(value)])
    strict = "strict" in kwargs and bool(call.static(kwargs["strict"], "strict"))
    try:
        return list(zip(*columns, strict=strict))
    except ValueError as error:
        containers.static_error(call, error)


def _reversed(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "reversed", 1, 1)

    def turned() -> list[Value]:
        return items(call, args[0], call.text(0))[::-1]

    stays = type(args[0]) is not IteratorValue and _may_stay(call, args)
    return IteratorValue(turned, "reversed", tuple(args)) if stays else IteratorValue(turned(), "reversed")


def _map(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "map", 2, sys.maxsize)
    columns = [items(call, value, call.text(index + 1)) for index, value in enumerate(args[1:])]
    return IteratorValue([call.call(args[0], list(row)) for row in zip(*columns, strict=False)], "map")


def _filter(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "filter", 2, 2)
    plain = type(args[0]) is StaticValue and args[0].value is None
    kept: list[Value] = []
    for value in items(call, args[1], call.text(1)):
        answer = call.truth(value if plain else call.call(args[0], [value]), call.text(0))
        if answer is None:
            raise Unknowable
        if answer:
            kept.append(value)
    return IteratorValue(kept, "filter")


def _sorted(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "sorted", 1, 1, "key", "reverse")
    return containers.ordered(call, items(call, args[0], call.text(0)), kwargs)


def _tuple(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "tuple", 0, 1)
    return tuple(items(call, args[0], call.text(0))) if args else ()


def _list(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "list", 0, 1)
    return items(call, args[0], call.text(0)) if args else []


def _dict(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    if len(args) > 1:
        call.error("too-many-arguments", function="dict", expected=1, given=len(args))
    return {**(containers.mapping(call, args[0]) if args else {}), **kwargs}


def _set(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "set", 0, 1)
    values = items(call, args[0], call.text(0)) if args else []
    return StaticValue(frozenset(call.static(value, "an element of a set") for value in values))


def _iter(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "iter", 1, 1)
    return args[0] if type(args[0]) is IteratorValue else IteratorValue(items(call, args[0], call.text(0)), "iterator")


def _next(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "next", 1, 2)
    if type(args[0]) is not IteratorValue:
        call.error("not-iterable", what=f"{call.text(0)} ({call.describe(args[0])}) is no iterator and")
    if args[0].items:
        return args[0].items.pop(0)
    if len(args) > 1:
        return args[1]
    call.error("static-error", error="StopIteration")


def _all(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    return _quantified(call, args, kwargs, "all", False)


def _any(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    return _quantified(call, args, kwargs, "any", True)


def _quantified(call: CallContext, args: Arguments, kwargs: Keywords, name: str, stops: bool) -> Value:
    arity(call, args, kwargs, name, 1, 1)
    if type(args[0]) is ArrayValue and args[0].rank == 1:
        return _bool(call, [call.call(call.context.attribute(call, args[0], name), [])], {})
    unknown = False
    for value in items(call, args[0], call.text(0)):
        answer = call.truth(value, call.text(0))
        if answer is stops:
            return StaticValue(stops)
        unknown = unknown or answer is None
    return UNKNOWN if unknown else StaticValue(not stops)


def _slice(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "slice", 1, 3)
    parts = [None if type(value) is StaticValue and value.value is None else value for value in args]
    return SliceValue(None, parts[0], None) if len(parts) == 1 else SliceValue(parts[0], parts[1], parts[2] if len(parts) > 2 else None)


def _print(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    """Shows what is known when compiling: once for each version, as it is compiled."""
    shown: list[Any] = []
    for index, value in enumerate(args):
        if type(value) is ArrayValue or type(value) is ScalarValue:
            call.error("print-of-data", what=f"`{call.text(index)}` ({call.describe(value)})", span=call.argument_span(index))
        shown.append(value.size if type(value) is SizeValue else call.static(value, "what `print` shows"))
    options = {name: call.static(value, name) for name, value in kwargs.items() if name in ("sep", "end")}
    if not call.checking:
        print(*shown, **options)
    return NONE


def _static_call(function: Callable[..., Any]) -> Callable[[Any, Arguments, Keywords], Value]:
    """A pure builtin on static arguments."""

    def run(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
        given = [call.static(value, f"an argument of `{function.__name__}`") for value in args]
        named = {name: call.static(value, f"an argument of `{function.__name__}`") for name, value in kwargs.items()}
        if any(not _is_plain(value) for value in given):
            call.error("not-static", what=f"an argument of `{function.__name__}`", given=", ".join(map(call.describe, args)))
        try:
            return containers.lowered(function(*given, **named))
        except Exception as error:
            containers.static_error(call, error)

    return run


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list, frozenset)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(_is_plain(part) for pair in value.items() for part in pair)
    return type(value).__module__ in ("builtins", "numpy", "enum", "staxlang.base.dtypes") or isinstance(value, (np.generic, np.dtype))


def _refused(name: str) -> Callable[[Any, Arguments, Keywords], Value]:
    code, field = ("unsupported-eval", "what") if name in ("eval", "exec", "compile") else ("unsupported-builtin", "name")
    if name in ("setattr", "delattr", "open", "input", "breakpoint", "exit", "quit"):
        code, field = "side-effect", "what"

    def run(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
        fields: dict[str, Any] = {field: name}
        call.error(code, **fields)

    return run


_STATIC_NAMES = ("str", "repr", "format", "ord", "chr", "bin", "hex", "oct", "ascii", "bytes")
_REFUSED_NAMES = (
    "eval", "exec", "compile", "globals", "locals", "vars", "dir", "id", "hash", "super", "memoryview", "bytearray", "object", "property",
    "staticmethod", "classmethod", "__import__", "setattr", "delattr", "open", "input", "breakpoint", "aiter", "anext",
)  # fmt: skip
_RUN: Mapping[str, Callable[[Any, Arguments, Keywords], Value]] = {
    "int": _convert("int"), "float": _convert("float"), "complex": _convert("complex"), "bool": _bool, "abs": _abs, "round": _round,
    "min": _extreme("min"), "max": _extreme("max"), "sum": _sum, "pow": _pow, "divmod": _divmod, "range": _range, "len": _len,
    "enumerate": _enumerate, "zip": _zip, "reversed": _reversed, "map": _map, "filter": _filter, "sorted": _sorted, "tuple": _tuple,
    "list": _list, "dict": _dict, "set": _set, "frozenset": _set, "iter": _iter, "next": _next, "all": _all, "any": _any, "slice": _slice,

    "print": _print, **OBJECT_ROWS,
    **{name: _static_call(getattr(builtins, name)) for name in _STATIC_NAMES},
    **{name: _refused(name) for name in _REFUSED_NAMES},
}  # fmt: skip
BUILTINS: dict[Any, Builtin] = {getattr(builtins, name): Builtin(name, run) for name, run in _RUN.items()}
