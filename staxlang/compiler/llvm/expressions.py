"""Loop expressions to instructions: each node once per part, at the outermost loop level that has what it needs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from staxlang.base.deferred import deferred
from staxlang.base.dtypes import BF16, BOOL, C128, F16, F32, F64, I64, DType, real_of
from staxlang.base.sizes.expression import terms_of
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.division import divide, shared_divisor
from staxlang.compiler.llvm.extents import lane_numbers_text, size_text, varies
from staxlang.compiler.llvm.forms import cast_form, fast_form, form, in_float, plain_division
from staxlang.compiler.llvm.forms.template import OPERAND_NAMES, Template
from staxlang.compiler.llvm.function import Function, Part, Value
from staxlang.compiler.llvm.types import element, number, splat
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Buffer
from staxlang.compiler.node import Node

if TYPE_CHECKING:
    from staxlang.compiler.llvm import greatest
else:
    greatest = deferred("staxlang.compiler.llvm.greatest")

_LEAVES = frozenset(("const", "size", "local"))
MASKED = frozenset(("guard", "assert_index"))  # operations that give their operands other masks, or need their own


def evaluate(f: Function, root: Node, part: Part | None = None) -> Value:
    """The node's value for the current part."""
    if part is not None:
        f.part = part
    found = known(f, root)
    if found is not None:
        return found
    stack = [root]
    while stack:
        node = stack[-1]
        if known(f, node) is not None:
            stack.pop()
            continue
        if f.guard is not None and node.op not in _LEAVES and not _is_bounded(f, node):
            _unguarded(f, stack.pop())
            continue
        if node.op != "guard":
            waiting = [operand for operand in node.operands if known(f, operand) is None]
            if waiting:
                waiting.reverse()
                stack += waiting
                continue
        stack.pop()
        record(f, node, EVALUATORS.get(node.op, _row)(f, node))
    found = known(f, root)
    assert found is not None
    return found


def _unguarded(f: Function, node: Node) -> None:
    """Evaluate a value that needs no guard outside of the guards, where it is shared among them."""
    saved = f.guard, f.guarded
    f.guard, f.guarded = None, {}
    evaluate(f, node)
    f.guard, f.guarded = saved


def _is_bounded(f: Function, root: Node) -> bool:
    """Whether a value may be computed under its guard only: it tests an index, or reads what may lie outside of a buffer."""
    looked_at, bounded = f.module.looked_at, f.module.bounded
    for node in subexpressions((root,), looked_at):
        if any(operand in bounded for operand in node.operands) or _may_fail(f, node):
            bounded.add(node)
    return root in bounded


def _may_fail(f: Function, node: Node) -> bool:
    if node.op != "load":
        return node.op == "assert_index"
    shape = f.module.buffers[node["buffer"]].shape
    if len(shape) != len(node["subscripts"]):
        return True
    return not all(isinstance(n, int) and isinstance(k, int) and 0 <= k < n for k, n in zip(node["subscripts"], shape, strict=True))


def known(f: Function, node: Node) -> Value | None:
    """What was computed of the node for the current part, if anything."""
    found = f.memo.get(node)
    if found is None:
        if f.part is not None:
            found = f.part.memo.get(node)
        if found is None and f.guard is not None:
            found = f.guarded.get(node)
    return found


def record(f: Function, node: Node, value: Value) -> None:
    if f.guard is not None and value.reads:
        table = f.guarded  # its masked-off lanes hold nothing
    elif value.varying and f.part is not None:
        table = f.part.memo
    else:
        table = f.memo
    f.remember(table, node, value)


def combine(f: Function, template: Template, operands: tuple[Value, ...], dtype: DType, lanes: int) -> Value:
    """A form's instructions over operands that are already in the right number of lanes."""
    level = 0
    varying = False
    reads = None
    for value in operands:
        if value.level > level:
            level = value.level
        varying = varying or value.varying
        if value.reads is not None:
            reads = value.reads if reads is None else reads | value.reads
    f.count += 1
    n = f.count
    names: dict[str, str] = {}
    for letter, value in zip(OPERAND_NAMES, operands, strict=False):
        names[letter] = names[letter + "r"] = value.text
        names[letter + "i"] = value.imag
    for need in template.needs:
        f.module.need(need)
    f.scopes[level].lines.append(template.text.format(n=n, **names))
    return Value(f"%r.{n}", dtype, lanes, level, varying, reads, f"%s.{n}" if dtype.kind == "c" else "")


def _row(f: Function, node: Node) -> Value:
    operands = tuple([known(f, operand) for operand in node.operands])
    special = SPECIAL_ROWS.get(node.op)
    if special is not None and any(operand.op == "const" for operand in node.operands):
        return special(f, node, operands)  # type: ignore[arg-type]
    if node.op == "exp" and node.type in (F32, F64) and _never_above_zero(f, node.operands[0]):
        return apply_row(f, "exp_nonpositive", operands, node.type)  # type: ignore[arg-type]
    if node.op == "divide" and shared_divisor(f, node, operands):  # type: ignore[arg-type]
        return divide(f, *operands)  # type: ignore[arg-type]
    return apply_row(f, node.op, operands, node.type)  # type: ignore[arg-type]


def _never_above_zero(f: Function, node: Node) -> bool:
    operands = [known(f, operand) for operand in node.operands]
    return all(operands) and greatest.not_above(f, node, tuple(operands))  # type: ignore[arg-type]


def _extreme_of_constant(f: Function, node: Node, operands: tuple[Value, ...]) -> Value:
    """A maximum or minimum with a number that is no NaN: the comparison alone passes a NaN on."""
    first = node.operands[0].op == "const"
    number_ = node.operands[0 if first else 1]["value"]
    if node.type.kind != "f" or number_ != number_ or node.operands[1 if first else 0].op == "const":
        return apply_row(f, node.op, operands, node.type)
    return apply_row(f, node.op + "_of_constant", operands if first else operands[::-1], node.type)


def _divided_by_constant(f: Function, node: Node, operands: tuple[Value, ...]) -> Value:
    """LLVM turns a division of integers by a constant into multiplications; the forms for lanes would hide it."""
    if node.operands[1].op != "const" or node.type.kind not in "iu":
        return apply_row(f, node.op, operands, node.type)
    lanes = operands[0].lanes
    template = plain_division(node.op, node.type, lanes)
    return combine(f, template, (operands[0], f.widen(operands[1], lanes)), node.type, lanes)


def apply_row(f: Function, op: str, operands: tuple[Value, ...], dtype: DType) -> Value:
    """An operation of the table, on values of its compute dtype."""
    lanes = max([value.lanes for value in operands])
    if lanes > 1:
        operands = tuple([f.widen(value, lanes) for value in operands])
    kind = operands[-1].dtype if op == "where" else operands[0].dtype
    if in_float(op, kind):
        wide = tuple([convert(f, value, F32_OF.get(value.dtype.name, value.dtype)) for value in operands])
        target = F32_OF.get(dtype.name, dtype)
        return convert(f, apply_row(f, op, wide, target), dtype)
    second = operands[1].dtype if len(operands) == 2 and operands[1].dtype is not kind else None
    found = (f.module.fast and fast_form(op, kind, lanes)) or form(op, kind, dtype, lanes, second)
    if found is None:
        return _mathematics().mathematics(f, op, operands, dtype, lanes, apply_row)
    return combine(f, found, operands, dtype, lanes)


def _mathematics() -> Any:
    """Elementary functions: ten modules, for programs that have some."""
    return import_module("staxlang.compiler.llvm.mathematics")


def convert(f: Function, value: Value, dtype: DType) -> Value:
    """The value in another dtype, as NumPy's astype."""
    source = value.dtype
    if source is dtype:
        return value
    if source.kind == "c" and dtype.kind not in "cb":
        value = Value(value.text, real_of(source), value.lanes, value.level, value.varying, value.reads)
        return convert(f, value, dtype)
    if dtype.kind == "c" and source.kind != "c":
        component = real_of(dtype)
        real = convert(f, value, component)
        zero = splat(number(0.0, component), element(component), value.lanes)
        return Value(real.text, dtype, real.lanes, real.level, real.varying, real.reads, zero)
    return combine(f, cast_form(source, dtype, value.lanes, f.module.soft_half), (value,), dtype, value.lanes)


def _cast(f: Function, node: Node) -> Value:
    value = known(f, node.operands[0])
    assert value is not None
    return convert(f, value, node.type)


def _const(f: Function, node: Node) -> Value:
    return constant(node["value"], node.type)


def constant(value: complex, dtype: DType) -> Value:
    """A number as a value."""
    if dtype.kind == "c":
        component = real_of(dtype)
        whole = complex(value)
        return Value(number(whole.real, component), dtype, 1, 0, imag=number(whole.imag, component))
    return Value(number(value, dtype), dtype, 1, 0)


def _size(f: Function, node: Node) -> Value:
    size = node["value"]
    if f.part is not None and varies(f, terms_of(size)):
        text, level = lane_numbers_text(f, size)
        assert f.lanes is not None
        return Value(text, I64, f.lanes.width, level, True)
    text, level = size_text(f, size)
    return Value(text, I64, 1, level)


def _load(f: Function, node: Node) -> Value:
    buffer = f.module.buffers[node["buffer"]]
    if buffer.role == "scalar":
        return scalar(f, buffer)
    operands = node.operands
    indirect: dict[str, Value] = {}
    for k, operand in enumerate(operands):
        value = known(f, operand)
        assert value is not None
        indirect[f"${k}"] = convert(f, value, I64)
    return memory.load(f, buffer, node["subscripts"], indirect)


def scalar(f: Function, buffer: Buffer) -> Value:
    """A number given at the call: an 8-byte slot (two for a complex number)."""
    slot, dtype = f.module.slots[buffer.name], buffer.dtype
    kind, held = ("i64", I64) if dtype.kind in "biu" else ("double", C128 if dtype.kind == "c" else F64)
    texts: list[str] = []
    for k in range(2 if dtype.kind == "c" else 1):
        place = f.name(0, f"getelementptr i64, ptr %scalars, i64 {slot + k}", "p")
        texts.append(f.name(0, f"load {kind}, ptr {place}, align 8"))
    value = Value(texts[0], held, 1, 0, imag=texts[1] if dtype.kind == "c" else "")
    return convert(f, value, dtype)


def _local(f: Function, node: Node) -> Value:
    values = f.locals[node["name"]]
    if len(values) == 1:
        return values[0]
    assert f.lanes is not None and f.part is not None
    return values[f.lanes.parts.index(f.part)]


def _guard(f: Function, node: Node) -> Value:
    condition = evaluate(f, node.operands[0])
    other = evaluate(f, node.operands[2])
    saved, saved_values = f.guard, f.guarded
    f.guard = condition if saved is None else apply_row(f, "logical_and", (saved, condition), BOOL)
    f.guarded = {}
    value = evaluate(f, node.operands[1])
    f.guard, f.guarded = saved, saved_values
    return apply_row(f, "where", (condition, value, other), node.type)


def _assert_index(f: Function, node: Node) -> Value:
    value = known(f, node.operands[0])
    assert value is not None
    extent, where = size_text(f, node["extent"])
    level = max(value.level, where)
    kind = value.type
    limit = f.splat(extent, "i64", value.lanes, where)
    good = f.name(level, f"icmp ult {kind} {value.text}, {limit}", "m")
    mask = f.mask() if value.lanes > 1 else f.guard
    if mask is not None and mask.lanes == 1 < value.lanes:
        mask = f.widen(mask, value.lanes)
    if mask is not None and mask.lanes > value.lanes:
        mask = None
    lanes = good[1:] and ("i1" if value.lanes == 1 else f"<{value.lanes} x i1>")
    bad = f.name(level, f"xor {lanes} {good}, {splat('true', 'i1', value.lanes)}", "m")
    if mask is not None:
        level = max(level, mask.level)
        bad = f.name(level, f"and {lanes} {bad}, {mask.text}", "m")
    if value.lanes > 1:
        bad = f.name(level, f"call i1 @llvm.vector.reduce.or.v{value.lanes}i1({lanes} {bad})", "m")
    f.module.fail(f, bad, node, level)
    safe = f.name(level, f"select {lanes} {good}, {kind} {value.text}, {kind} {splat('0', 'i64', value.lanes)}")
    return Value(safe, I64, value.lanes, level, value.varying, value.reads)


F32_OF: dict[str, DType] = {F16.name: F32, BF16.name: F32}
SPECIAL_ROWS: dict[str, Callable[[Function, Node, tuple[Value, ...]], Value]] = {
    "maximum": _extreme_of_constant, "minimum": _extreme_of_constant,
    "floor_divide": _divided_by_constant, "remainder": _divided_by_constant, "fmod": _divided_by_constant,
}  # fmt: skip
EVALUATORS: dict[str, Callable[[Function, Node], Value]] = {
    "const": _const, "size": _size, "load": _load, "guard": _guard, "cast": _cast, "local": _local, "assert_index": _assert_index,
}  # fmt: skip
