"""The type of each graph operation's result: written once, used by whoever records an operation and by the graph's verifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from staxlang.base.dtypes import BOOL, I64, DType, real_of
from staxlang.base.externs import find_extern
from staxlang.base.operations import OPERATIONS, result_type
from staxlang.base.sizes import Condition, Facts, Size, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck.views import index_name


class IllegalOperation(ValueError):
    """An operation whose operands, attributes or declared type do not fit: a defect of whoever made it, never of a user's program."""


NO_FACTS = Facts()
Operands = Sequence[TensorType]
Attributes = Mapping[str, Any]
Rule = Callable[[str, Operands, Attributes, Facts, "TensorType | None"], TensorType]


def infer(op: str, operands: Operands, attributes: Attributes, facts: Facts = NO_FACTS, declared: TensorType | None = None) -> TensorType:
    """The type of `op`'s result. `declared` is the type it is said to have: needed where operands do not tell it (inputs, constants, view,
    cast, composite). Raises IllegalOperation where anything is not as the operation demands, or differs from `declared`.
    """
    rule = _RULES.get(op) or (_pointwise if op in OPERATIONS else None)
    if rule is None:
        raise IllegalOperation(f"{op} is not an operation of the graph")
    result = rule(op, operands, attributes, facts, declared)
    if declared is not None and result is not declared:
        _demand(result.dtype is declared.dtype, op, f"its result is {result.dtype}, not {declared.dtype}")
        _demand(same_shape(result.shape, declared.shape, facts), op, f"its result is {result}, not {declared}")
        return declared
    return result


def same_shape(first: Sequence[Size], second: Sequence[Size], facts: Facts) -> bool:
    return len(first) == len(second) and all(same_size(a, b, facts) for a, b in zip(first, second, strict=True))


def same_size(first: Size, second: Size, facts: Facts) -> bool:
    if first == second:
        return True
    if isinstance(first, int) and isinstance(second, int):
        return False
    return facts.decide(Condition("==", first, second)) is True


def _demand(holds: bool, op: str, otherwise: str) -> None:
    if not holds:
        raise IllegalOperation(f"{op}: {otherwise}")


def _attribute(op: str, attributes: Attributes, name: str) -> Any:
    if name not in attributes:
        raise IllegalOperation(f"{op}: the attribute {name} is missing")
    return attributes[name]


def _arity(op: str, operands: Operands, count: int) -> None:
    _demand(len(operands) == count, op, f"{count} operands wanted, {len(operands)} given")


def _axis(op: str, axis: Any, rank: int) -> int:
    _demand(isinstance(axis, int) and 0 <= axis < rank, op, f"axis {axis!r} of {rank} axes")
    return axis


def _axes(op: str, axes: Any, rank: int) -> tuple[int, ...]:
    _demand(type(axes) is tuple, op, f"axes {axes!r} are not a tuple")
    found: tuple[int, ...] = tuple([_axis(op, axis, rank) for axis in axes])
    _demand(len(set(found)) == len(found), op, f"axes {found} are not different")
    return found


def _pointwise(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    row = OPERATIONS[op]
    _arity(op, operands, row.arity)
    wanted, result = result_type(row, tuple(operand.dtype for operand in operands))
    for number, (operand, dtype) in enumerate(zip(operands, wanted, strict=True)):
        _demand(operand.dtype is dtype, op, f"operand {number} is {operand.dtype}, which must be cast to {dtype}")
        _demand(same_shape(operand.shape, operands[0].shape, facts), op, f"operands {operands[0]} and {operand} have different shapes")
    return TensorType(result, operands[0].shape)


def _leaf(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 0)
    if declared is None:
        raise IllegalOperation(f"{op}: its type must be given")
    for name in _LEAF_ATTRIBUTES[op]:
        _attribute(op, attributes, name)
    if op in ("scalar", "constant"):
        _demand(declared.shape == (), op, f"it is 0-d, not {declared}")
    if op == "constant_array":
        count = 1
        for extent in declared.shape:
            _demand(isinstance(extent, int), op, f"its shape is constant, not {declared}")
            count *= int(extent)  # type: ignore[arg-type]
        _demand(len(attributes["data"]) == count * declared.dtype.itemsize, op, f"{len(attributes['data'])} bytes are no {declared}")
    if op == "iota":
        _axis(op, attributes["axis"], declared.rank)
    return declared


_LEAF_ATTRIBUTES = {
    "input": ("position", "path"),
    "parameter": ("position",),
    "scalar": ("position", "path"),
    "constant": ("value",),
    "constant_array": ("data",),
    "iota": ("axis",),
    "own": ("number",),
    "place": ("value",),
}


def _size(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 0)
    _attribute(op, attributes, "value")
    return TensorType(I64, ())


def _cast(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    if declared is None:
        raise IllegalOperation("cast: its type must be given")
    return TensorType(declared.dtype, operands[0].shape)


def _copy(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    return TensorType(operands[0].dtype, operands[0].shape)


def _view(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    if declared is None:
        raise IllegalOperation("view: its type must be given")
    subscripts = _attribute(op, attributes, "subscripts")
    _check_subscripts(op, subscripts, operands[0].rank, declared.rank)
    return TensorType(operands[0].dtype, declared.shape)


def _check_subscripts(op: str, subscripts: tuple[Size, ...], base_rank: int, view_rank: int) -> None:
    _demand(type(subscripts) is tuple and len(subscripts) == base_rank, op, f"{base_rank} subscripts wanted, {subscripts!r} given")
    own = {index_name(axis) for axis in range(view_rank)}
    for one in subscripts:
        if not isinstance(one, int):
            foreign = {name for name in symbols(one) if _is_index(name)} - own
            _demand(not foreign, op, f"the subscript {one} uses {', '.join(sorted(foreign))} of a view with {view_rank} axes")


def _is_index(name: str) -> bool:
    return name[0] == "i" and name[1:].isdigit()


def _reduce(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    kind = _attribute(op, attributes, "kind")
    _demand(kind in _REDUCED_DTYPES, op, f"{kind!r} is not a kind of reduction")
    operand = operands[0]
    axes = _axes(op, _attribute(op, attributes, "axes"), operand.rank)
    if kind in ("any", "all", "count"):
        _demand(operand.dtype is BOOL, op, f"{kind} takes bool, not {operand.dtype}")
    if kind in ("sum", "prod", "welford_mean", "welford_m2"):
        _demand(operand.dtype is not BOOL, op, f"{kind} of bool: cast to i64 first")
    if kind in ("argmin", "argmax"):  # over several axes: the position in their row-major order
        _demand(bool(axes), op, f"{kind} over no axes")
    shape = tuple(extent for axis, extent in enumerate(operand.shape) if axis not in axes)
    return TensorType(_REDUCED_DTYPES[kind](operand.dtype), shape)


def _same(dtype: DType) -> DType:
    return dtype


_REDUCED_DTYPES: dict[str, Callable[[DType], DType]] = {
    "sum": _same,
    "prod": _same,
    "min": _same,
    "max": _same,
    "any": _same,
    "all": _same,
    "argmin": lambda dtype: I64,
    "argmax": lambda dtype: I64,
    "count": lambda dtype: I64,
    "welford_mean": _same,
    "welford_m2": real_of,
}


def _scan(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    kind = _attribute(op, attributes, "kind")
    _demand(kind in ("sum", "prod", "max", "min"), op, f"{kind!r} is not a kind of scan")
    _axis(op, _attribute(op, attributes, "axis"), operands[0].rank)
    return TensorType(operands[0].dtype, operands[0].shape)


def _concatenate(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _demand(bool(operands), op, "there is nothing to join")
    first = operands[0]
    axis = _axis(op, _attribute(op, attributes, "axis"), first.rank)
    total: Size = 0
    for operand in operands:
        _demand(operand.dtype is first.dtype, op, f"{first} and {operand} have different dtypes")
        _demand(operand.rank == first.rank, op, f"{first} and {operand} have different numbers of axes")
        others = (*operand.shape[:axis], first.shape[axis], *operand.shape[axis + 1 :])
        _demand(same_shape(others, first.shape, facts), op, f"{first} and {operand} differ beside axis {axis}")
        total = total + operand.shape[axis]
    return TensorType(first.dtype, (*first.shape[:axis], total, *first.shape[axis + 1 :]))


def _pad(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 2)
    base, fill = operands
    _demand(fill.shape == () and fill.dtype is base.dtype, op, f"the fill is {fill}, not a 0-d {base.dtype}")
    low, high = _attribute(op, attributes, "low"), _attribute(op, attributes, "high")
    _demand(len(low) == base.rank == len(high), op, f"low {low} and high {high} are not of {base.rank} axes")
    return TensorType(base.dtype, tuple(a + extent + b for a, extent, b in zip(low, base.shape, high, strict=True)))


def gathered_shape(shape: Sequence[Size], axes: Sequence[int], index_shape: Sequence[Size], position: int) -> tuple[Size, ...]:
    """The shape of NumPy's integer-array indexing: the axes indexed are gone, the index's own stand at `position`."""
    kept = [extent for axis, extent in enumerate(shape) if axis not in axes]
    return (*kept[:position], *index_shape, *kept[position:])


def _indexed(op: str, base: TensorType, indices: Operands, attributes: Attributes, facts: Facts) -> tuple[Size, ...]:
    axes = _axes(op, _attribute(op, attributes, "axes"), base.rank)
    _demand(len(indices) == len(axes) > 0, op, f"{len(axes)} axes, {len(indices)} indices")
    for one in indices:
        _demand(one.dtype is I64, op, f"an index is {one.dtype}, not i64")
        _demand(same_shape(one.shape, indices[0].shape, facts), op, f"indices {indices[0]} and {one} have different shapes")
    position = _attribute(op, attributes, "position")
    _demand(0 <= position <= base.rank - len(axes), op, f"position {position} in {base.rank - len(axes)} axes left")
    return gathered_shape(base.shape, axes, indices[0].shape, position)


def _gather(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    return TensorType(operands[0].dtype, _indexed(op, operands[0], operands[1:], attributes, facts))


def _scatter(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _demand(len(operands) >= 3, op, "a base, a value and indices wanted")
    base, value = operands[0], operands[1]
    mode = _attribute(op, attributes, "mode")
    _demand(mode in ("set", "add", "multiply", "min", "max"), op, f"{mode!r} is not a mode")
    _demand(value.dtype is base.dtype, op, f"the value is {value.dtype}, the base {base.dtype}")
    shape = _indexed(op, base, operands[2:], attributes, facts)
    _demand(same_shape(value.shape, shape, facts), op, f"the value is {value}, the indices choose {list(shape)}")
    return TensorType(base.dtype, base.shape)


def _update(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 2)
    base, value = operands
    shape = _attribute(op, attributes, "shape")
    _check_subscripts(op, _attribute(op, attributes, "subscripts"), base.rank, len(shape))
    _demand(value.dtype is base.dtype, op, f"the value is {value.dtype}, the base {base.dtype}")
    _demand(same_shape(value.shape, shape, facts), op, f"the value is {value}, the view {list(shape)}")
    return TensorType(base.dtype, base.shape)


def _assert_index(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 1)
    _attribute(op, attributes, "extent")
    _demand(operands[0].dtype is I64, op, f"an index is {operands[0].dtype}, not i64")
    return TensorType(I64, operands[0].shape)


def _contract(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 2)
    a, b = operands
    batch, contracted = _attribute(op, attributes, "batch"), _attribute(op, attributes, "contracted")
    _demand(a.dtype is b.dtype, op, f"operands {a} and {b} have different dtypes")
    _demand(min(a.rank, b.rank) >= batch + contracted, op, f"{batch} batch and {contracted} contracted axes of {a} and {b}")
    _demand(same_shape(a.shape[:batch], b.shape[:batch], facts), op, f"the batch axes of {a} and {b} differ")
    first, second = a.rank - contracted, b.rank - contracted
    _demand(same_shape(a.shape[first:], b.shape[second:], facts), op, f"the contracted axes of {a} and {b} differ")
    return TensorType(a.dtype, (*a.shape[:first], *b.shape[batch:second]))


def _compress(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 2)
    base, mask = operands
    _check_mask(op, base, mask, facts)
    return TensorType(base.dtype, (_attribute(op, attributes, "count"), *base.shape[mask.rank :]))


def _masked_update(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _arity(op, operands, 3)
    base, mask, value = operands
    _check_mask(op, base, mask, facts)
    _demand(value.dtype is base.dtype, op, f"the value is {value.dtype}, the base {base.dtype}")
    _demand(value.rank == base.rank - mask.rank + 1, op, f"the value is {value}, the base {base}, the mask {mask}")
    _demand(same_shape(value.shape[1:], base.shape[mask.rank :], facts), op, f"the value is {value}, the base {base}")
    return TensorType(base.dtype, base.shape)


def _check_mask(op: str, base: TensorType, mask: TensorType, facts: Facts) -> None:
    _demand(mask.dtype is BOOL, op, f"the mask is {mask}")
    _demand(same_shape(mask.shape, base.shape[: mask.rank], facts), op, f"the mask is {mask}, the base {base}")


def _extern(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    row = find_extern(_attribute(op, attributes, "name"))
    if row is None:
        raise IllegalOperation(f"extern: no operation is called {attributes['name']!r}")
    try:
        results: tuple[TensorType, ...] = row.results(tuple(operands), _attribute(op, attributes, "options"))
    except Exception as problem:
        raise IllegalOperation(f"extern {row.name}: {problem}") from problem
    number: int = _attribute(op, attributes, "result")
    _demand(0 <= number < len(results), op, f"{row.name} has {len(results)} results, not a result {number}")
    return results[number]


def _composite(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    _attribute(op, attributes, "name")
    if declared is None:
        raise IllegalOperation("composite: its type must be given")
    return declared


def _loop(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    carried: int = _attribute(op, attributes, "carried")
    _demand(declared is not None, op, "its type must be given")
    _demand(0 <= _attribute(op, attributes, "result") < carried <= len(operands), op, f"it carries {carried} values")
    assert declared is not None
    return declared


def _define(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    """The body for every value of the symbols in `ranges`: their extents come behind the body's own axes."""
    _arity(op, operands, 1)
    body = operands[0]
    return TensorType(body.dtype, (*body.shape, *[stop - start for _, start, stop in _ranges(op, attributes)]))


def _fold(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    """The body reduced over every value of the symbols in `ranges`."""
    _arity(op, operands, 1)
    _demand(bool(_ranges(op, attributes)), op, "no ranges")
    body = operands[0]
    line = {"kind": _attribute(op, attributes, "kind"), "axes": (body.rank,)}
    return _reduce(op, [TensorType(body.dtype, (*body.shape, 1))], line, facts, None)


def _ranges(op: str, attributes: Attributes) -> tuple[tuple[str, Size, Size], ...]:
    ranges: tuple[tuple[str, Size, Size], ...] = _attribute(op, attributes, "ranges")
    _demand(len({one[0] for one in ranges}) == len(ranges), op, f"{ranges!r} are not different ranges")
    return ranges


def _pieces(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    """One of the tensors that pieces define: operand k is the value of `parts[k]` = (which tensor, subscripts) for one point."""
    if declared is None:
        raise IllegalOperation("pieces: its type must be given")
    parts, stages = _attribute(op, attributes, "parts"), _attribute(op, attributes, "stages")
    _arity(op, operands, len(parts))
    result = _attribute(op, attributes, "result")
    _demand(0 <= result < len(_attribute(op, attributes, "owns")), op, f"no result {result}")
    _demand(sorted([one for stage in stages for one in stage[0]]) == list(range(len(parts))), op, "each piece is in one stage")
    for operand, (number, subscripts) in zip(operands, parts, strict=True):
        _demand(operand.shape == (), op, f"a piece is {operand} for one point")
        _demand(number != result or operand.dtype is declared.dtype, op, f"a piece is {operand}, the tensor {declared}")
        _demand(number != result or len(subscripts) == declared.rank, op, f"{len(subscripts)} subscripts into {declared}")
    return declared


def _bordered(op: str, operands: Operands, attributes: Attributes, facts: Facts, declared: TensorType | None) -> TensorType:
    """A view whose subscripts into the axes `loose` may leave the base: the fill is there."""
    _arity(op, operands, 2)
    base, fill = operands
    _demand(fill.shape == () and fill.dtype is base.dtype, op, f"the fill is {fill}, not a 0-d {base.dtype}")
    _axes(op, _attribute(op, attributes, "loose"), base.rank)
    return _view(op, operands[:1], attributes, facts, declared)


_RULES: dict[str, Rule] = {
    "input": _leaf,
    "parameter": _leaf,
    "scalar": _leaf,
    "constant": _leaf,
    "constant_array": _leaf,
    "iota": _leaf,
    "size": _size,
    "cast": _cast,
    "copy": _copy,
    "view": _view,
    "reduce": _reduce,
    "scan": _scan,
    "concatenate": _concatenate,
    "pad": _pad,
    "gather": _gather,
    "scatter": _scatter,
    "update": _update,
    "assert_index": _assert_index,
    "contract": _contract,
    "compress": _compress,
    "masked_update": _masked_update,
    "define": _define,
    "fold": _fold,
    "bordered": _bordered,
    "own": _leaf,
    "place": _leaf,
    "pieces": _pieces,
    "extern": _extern,
    "composite": _composite,
    "loop": _loop,
}
STRUCTURAL = frozenset(_RULES)
