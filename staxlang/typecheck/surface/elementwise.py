"""Rows of the operation table as NumPy's ufuncs: out=, where=, dtype=, casting=; the methods reduce, accumulate, outer, at."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.dtypes import BOOL, I64, DType, concrete, integer_bounds, promote
from staxlang.base.operations import OPERATIONS, loop_for, result_type
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order, scalars
from staxlang.typecheck.complex_parts import part_of
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.mutation import fits
from staxlang.typecheck.surface.arguments import absent, array_of, check_cast, dtype_of, expand, is_scalar_like, number_or_array, only
from staxlang.typecheck.surface.output import into
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted
from staxlang.typecheck.values import NONE, TRUE, ArrayValue, ScalarValue, StaticValue, Value
from staxlang.typecheck.views import shape_text

_OPTIONS = frozenset(("out", "where", "dtype", "casting", "order", "subok", "signature"))

def casting_of(call: CallContext, operation: str, kwargs: dict[str, Value]) -> str:
    """The rule that `casting=` names."""
    given = kwargs.get("casting", StaticValue("same_kind"))
    only(call, operation, "casting", given, "same_kind", "no", "equiv", "safe", "unsafe")
    return str(call.static(given, "casting"))


class UfuncMeaning:
    """A row of the operation table, called as a ufunc."""

    __slots__ = ("arity", "name", "row")

    def __init__(self, name: str, row: str) -> None:
        self.name = name
        self.row = row
        self.arity = OPERATIONS[row].arity

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        arity = self.arity
        if not kwargs and len(args) == arity:
            return call.pointwise(self.row, [value if call.is_numeric(value) else array_of(call, value) for value in args])
        if not arity <= len(args) <= arity + 1:
            call.error("wrong-arity", operation=self.name, expected=arity, given=len(args))
        for name in kwargs:
            if name not in _OPTIONS:
                call.error("unknown-keyword", function=self.name, name=name)
        out = args[arity] if len(args) > arity else kwargs.get("out", NONE)
        return self._with_options(call, args[:arity], out, kwargs)

    def _with_options(self, call: CallContext, args: list[Value], out: Value, kwargs: dict[str, Value]) -> Value:
        operands = [number_or_array(call, value) for value in args]
        casting, order = casting_of(call, self.name, kwargs), kwargs.get("order", StaticValue("K"))
        only(call, self.name, "order", order, "K", "C", "F", "A")
        only(call, self.name, "subok", kwargs.get("subok", TRUE), True, False)
        only(call, self.name, "signature", kwargs.get("signature", NONE), None)
        dtype = dtype_of(call, kwargs.get("dtype", NONE))
        if dtype is not None or casting != "same_kind":
            operands, dtype = self._in_loop(call, operands, dtype, casting)
        result = self._in_order(call, operands, call.pointwise(self.row, operands, dtype), str(call.static(order, "order")))
        return self.placed(call, result, out, kwargs.get("where", TRUE), casting)

    def _in_loop(self, call: CallContext, operands: list[Value], dtype: DType | None, casting: str) -> tuple[list[Value], DType | None]:
        """The operands and the dtype to compute in, for the loop that `dtype=` asks for; they must be castable to it."""
        given = tuple([call.type_of(operand).dtype for operand in operands])
        weak = not all(one.weak or one is BOOL for one in given)  # Python's numbers take the dtype of what stands beside them
        given = given if weak else tuple(map(concrete, given))
        operation = OPERATIONS[self.row]
        try:
            loop = result_type(operation, given)[0] if dtype is None else loop_for(operation, given, dtype)[0]
        except TypeError as problem:
            types = ", ".join(map(call.describe, operands))
            call.error("no-such-operation", operation=call.operation_text(), types=types, reason=str(problem))
        for one, into_ in zip(given, loop, strict=True):
            if operation.dtype_rule != "logical" and (not one.weak or casting != "no"):
                check_cast(call, one, into_, casting, self.name)
        if dtype is None or operation.dtype_rule == "ldexp":
            return [call.cast(operands[0], loop[0]), *operands[1:]] if dtype is not None else operands, None
        return operands, None if dtype is BOOL or (loop[0].kind not in "fc" and loop[0] is not dtype) else loop[0]

    def _in_order(self, call: CallContext, operands: list[Value], result: Value, order: str) -> Value:
        """The result as `order=` has it lie in memory."""
        if order == "K" or not isinstance(result, ArrayValue) or result.rank < 2:
            return result
        arrays = [one for one in operands if isinstance(one, ArrayValue)]
        column_major = order == "F" or (order == "A" and all(memory_order.is_column_major(call, one) for one in arrays))
        axes = memory_order.normal(range(result.rank)) if column_major else None
        return call.array(call.handle(result), result.type, order=axes)

    def placed(self, call: CallContext, result: Value, out: Value, where: Value, casting: str) -> Value:
        """The result, or `out` with it, where the mask `where` is true."""
        target: Value = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if not (type(where) is StaticValue and where.value is True):
            return self._masked(call, result, array_of(call, where, "where"), target, casting)
        if isinstance(target, ArrayValue):
            result = self._spread(call, array_of(call, result), target)
        return into(call, result, target, self.name, casting)

    def _spread(self, call: CallContext, result: ArrayValue, target: ArrayValue) -> ArrayValue:
        """The result repeated to the shape of `out`, as far as NumPy's broadcasting does that."""
        missing = target.rank - result.rank
        pairs = zip(result.shape, target.shape[max(missing, 0) :], strict=False)
        if missing < 0 or not all(fits(call, mine, theirs, "it goes into `out`") for mine, theirs in pairs):
            call.error("out-mismatch", given=shape_text(target.shape), expected=shape_text(result.shape))
        return broadcasted(call, result, target.shape)

    def _masked(self, call: CallContext, result: Value, mask: ArrayValue, target: Value, casting: str) -> Value:
        """`where=`: elements of `out` stay where the mask is false; without `out` they are 0 (in NumPy: anything)."""
        if mask.dtype is not BOOL:
            call.error("dtype-mismatch", operation=self.name, expected="a bool mask as `where`", given=call.describe(mask))
        if not isinstance(target, ArrayValue):
            dtype = call.type_of(result).dtype
            return call.cast(call.pointwise("where", (mask, result, StaticValue(False if dtype is BOOL else 0))), dtype)
        check_cast(call, call.type_of(result).dtype, target.dtype, casting, self.name)
        chosen = call.pointwise("where", (mask, call.cast(array_of(call, result), target.dtype), target))
        return into(call, broadcasted(call, array_of(call, chosen), target.shape), target, self.name, casting)

    def __repr__(self) -> str:
        return f"meaning {self.name}"


def outer(row: str) -> Callable[..., Value]:
    """The row on all pairs of elements: the first operand's axes, then the second's."""

    def apply(call: CallContext, a: Value, b: Value, dtype: Value = NONE, out: Value = NONE) -> Value:
        first, second = array_of(call, a), array_of(call, b)
        lifted = expand(call, first, *range(first.rank, first.rank + second.rank)) if second.rank else first
        return into(call, call.pointwise(row, (lifted, second), dtype_of(call, dtype)), out, f"{row}.outer")

    return apply


# ---- several results ----


def _in_two(name: str, arity: int) -> Callable[..., Value]:
    """A ufunc with two results, a function of the library, with the options that all ufuncs have."""

    def apply(call: CallContext, *args: Value, **kwargs: Value) -> Value:
        if not arity <= len(args) <= arity + 2:
            call.error("wrong-arity", operation=f"np.{name}", expected=arity, given=len(args))
        for option in kwargs:
            if option not in _OPTIONS:
                call.error("unknown-keyword", function=f"np.{name}", name=option)
        casting = casting_of(call, f"np.{name}", kwargs)
        outs = args[arity:] or kwargs.get("out", NONE)
        outs = (NONE, NONE) if not isinstance(outs, tuple) else (*outs, NONE)[:2]
        operands, dtype = [number_or_array(call, one) for one in args[:arity]], dtype_of(call, kwargs.get("dtype", NONE))
        if dtype is not None:
            for operand in operands:
                check_cast(call, call.type_of(operand).dtype, dtype, casting, f"np.{name}")
            operands = [call.cast(operand, dtype) for operand in operands]
        results = call.library(name, operands)
        assert isinstance(results, tuple)
        ufunc, mask = UfuncMeaning(f"np.{name}", "add"), kwargs.get("where", TRUE)
        return tuple([ufunc.placed(call, one, out, mask, casting) for one, out in zip(results, outs, strict=True)])

    return apply


spelled("np.divmod")(_in_two("divmod", 2))
spelled("np.modf")(_in_two("modf", 1))
spelled("np.frexp")(_in_two("frexp", 1))


# ---- choosing ----


@spelled("np.where", "stax.where", "word.where")
def where(call: CallContext, condition: Value, /, x: Value = NONE, y: Value = NONE) -> Value:
    if absent(x) and absent(y):
        return call.library("nonzero", [condition])
    chosen = _chosen(call, condition, x, y)
    return call.copy(chosen) if isinstance(chosen, ArrayValue) and chosen.scalar else chosen  # a 0-d array, where a ufunc gives a scalar


def _chosen(call: CallContext, condition: Value, x: Value, y: Value) -> Value:
    if absent(x) or absent(y):
        call.error("not-accepted", requirement="`np.where` takes both of x and y, or neither of them")
    mask = truth_of(call, number_or_array(call, condition, "the condition"))
    one, other = number_or_array(call, x), number_or_array(call, y)
    return call.pointwise("where", (mask, _wrapped(call, one, other), _wrapped(call, other, one)))


def _wrapped(call: CallContext, value: Value, other: Value) -> Value:
    """An integer beside integers of a dtype that may not hold it: NumPy's `where` wraps it, as ufuncs do not."""
    dtype = call.type_of(other).dtype
    if dtype.weak or dtype.kind not in "iu":
        return value
    if isinstance(value, ScalarValue) and value.kind == "int":
        wide = call.array(scalars.handle(call.context, value, call.span), TensorType(I64, ()))
        return call.cast(wide, dtype)
    if isinstance(value, StaticValue) and type(value.value) is int and -(1 << 63) <= value.value < 1 << 64:
        low, high = integer_bounds(dtype)
        return StaticValue((value.value - low) % (high - low + 1) + low)
    return value


def truth_of(call: CallContext, value: Value) -> Value:
    """Elementwise truth of a condition."""
    if call.type_of(value).dtype is BOOL:
        return value
    return call.pointwise("not_equal", (value, StaticValue(0)))


@spelled("np.clip", "method.clip", "word.clip")
def clip(
    call: CallContext, a: Value, a_min: Value = NONE, a_max: Value = NONE, out: Value = NONE, *, min: Value = NONE, max: Value = NONE,
    dtype: Value = NONE, casting: Value = StaticValue("same_kind"),
) -> Value:  # fmt: skip
    low, high = a_min if absent(min) else min, a_max if absent(max) else max
    source = number_or_array(call, a)
    own = call.type_of(source).dtype
    low, high = _within(low, own, 0), _within(high, own, 1)
    bounds = [None if absent(one) else number_or_array(call, one, what) for one, what in ((low, "a_min"), (high, "a_max"))]
    common = dtype_of(call, dtype) or concrete(promote(own, *(call.type_of(one).dtype for one in bounds if one is not None)))
    result: Value = call.cast(source, common)
    for row, bound in zip(("maximum", "minimum"), bounds, strict=True):
        if bound is not None:
            result = call.pointwise(row, (result, bound))
    if result is a:
        result = call.copy(array_of(call, a))
    return into(call, result, out, "clip", str(call.static(casting, "casting")))


def _within(bound: Value, dtype: DType, end: int) -> Value:
    """A Python integer at or beyond the end of an integer dtype bounds nothing."""
    if dtype.kind in "iu" and not dtype.weak and type(bound) is StaticValue and type(bound.value) is int:
        limit = integer_bounds(dtype)[end]
        if bound.value >= limit if end else bound.value <= limit:
            return NONE
    return bound


@spelled("np.round", "np.around", "method.round", "method.__round__", "word.round")
def round_(call: CallContext, a: Value, decimals: Value = StaticValue(0), out: Value = NONE) -> Value:
    value = number_or_array(call, a)
    digits = 0 if absent(decimals) else call.static_int(decimals, "decimals")
    dtype = call.type_of(value).dtype
    if dtype.kind in "iu" and digits >= 0:
        source = array_of(call, value)
        order = memory_order.kept(call, [source], source.rank)
        return into(call, call.array(call.handle(source), TensorType(source.dtype, source.shape), order=order), out, "round")
    if digits == 0:
        return into(call, call.pointwise("rint", (value,)), out, "round")
    scale = StaticValue(10.0 ** abs(digits))
    first, last = ("multiply", "divide") if digits > 0 else ("divide", "multiply")
    scaled = call.pointwise("rint", (call.pointwise(first, (value, scale)),))
    result = call.pointwise(last, (scaled, scale))
    return into(call, call.cast(result, dtype) if dtype.kind in "iu" and not dtype.weak else result, out, "round")


def _part(call: CallContext, value: Value, part: str) -> Value:
    return part_of(call, value, part) if isinstance(value, ArrayValue) and not value.scalar else call.pointwise(part, (value,))


@spelled("attribute.real", "np.real", "word.real")
def real(call: CallContext, val: Value) -> Value:
    value = number_or_array(call, val)
    return _part(call, value, "real") if call.type_of(value).dtype.kind == "c" else value


@spelled("attribute.imag", "np.imag", "word.imag")
def imag(call: CallContext, val: Value) -> Value:
    value = number_or_array(call, val)
    dtype = call.type_of(value).dtype
    if dtype.kind == "c":
        return _part(call, value, "imag")
    if is_scalar_like(value):
        return StaticValue(0.0 if dtype.kind == "f" else 0)
    array = array_of(call, value)
    order = memory_order.kept(call, [array], array.rank)
    nothing = call.broadcast(call.cast(StaticValue(0), array.dtype), array.shape)
    made = call.array(nothing, TensorType(array.dtype, array.shape), order=order)
    made.readonly = True  # as NumPy's, which has no memory for it
    return made


@spelled("method.conj", "method.conjugate")
def conj(call: CallContext, a: Value) -> Value:
    """Of a real array: the array itself, as NumPy's method gives it."""
    return call.pointwise("conjugate", (a,)) if call.type_of(a).dtype.kind == "c" else a
