"""Loop programs to index notation that a person reads: `t0[i0, i1] = x[i0, i1]*2  for i0 < N, i1 < 128`."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.sizes import Size
from staxlang.compiler.loops.ir import Buffer, BufferView, Definition, LibraryCall, LoopProgram
from staxlang.compiler.loops.kept import made_inside
from staxlang.compiler.node import Node

_INFIX: dict[str, tuple[str, int]] = {
    "logical_or": ("or", 1), "logical_and": ("and", 2),
    "equal": ("==", 3), "not_equal": ("!=", 3), "less": ("<", 3), "less_equal": ("<=", 3), "greater": (">", 3), "greater_equal": (">=", 3),
    "bitwise_or": ("|", 4), "bitwise_xor": ("^", 5), "bitwise_and": ("&", 6), "left_shift": ("<<", 7), "right_shift": (">>", 7),
    "add": ("+", 8), "subtract": ("-", 8), "multiply": ("*", 9), "divide": ("/", 9), "floor_divide": ("//", 9), "remainder": ("%", 9),
}  # fmt: skip
_PREFIX: dict[str, tuple[str, int]] = {"negative": ("-", 10), "invert": ("~", 10), "logical_not": ("not ", 2)}
_COMBINES = {"set": "=", "add": "+=", "multiply": "*=", "min": "min=", "max": "max="}


def print_loops(program: LoopProgram) -> str:
    """The program's buffers, then its steps in order."""
    lines = [print_buffer(buffer) for buffer in program.buffers.values()]
    for step in program.steps:
        lines += print_step(step)
    lines.append(f"return {', '.join(program.outputs)}")
    lines += [f"write {buffer} to input {position}" for position, buffer in program.updates]
    return "\n".join(lines)


def print_step(step: Definition | LibraryCall) -> list[str]:
    if isinstance(step, Definition):
        return [print_definition(step)]
    if step.kind != "loop":
        return [print_call(step)]
    body: LoopProgram = step["body"]
    rounds = "" if step["extent"] is None else f" for {step['index']} < {step['extent']}"
    lines = [f"loop {', '.join([view.buffer for view in step.outs])}{rounds}" + ("" if step["go"] is None else f" while {step['go']}")]
    lines += [f"    {print_buffer(one)}" for one in made_inside(step).values()]
    lines += [f"    {line}" for inner in body.steps for line in print_step(inner)]
    names, sources = [", ".join([one[k] for one in step["moves"]]) for k in (0, 1)]
    return [*lines, f"    {names} have the memory of {sources}"] if names else lines


def print_buffer(buffer: Buffer) -> str:
    row_major = print_list(buffer.strides)
    return f"{buffer.role} {buffer.name}: {buffer.dtype.name}[{print_list(buffer.shape)}] strides ({row_major})"


def print_definition(step: Definition) -> str:
    target = print_element(step.buffer, step.subscripts, tuple(print_expression(node) for node in step.indirect))
    over = ", ".join(f"{index} < {extent}" for index, extent in step.ranges)
    return f"{target} {_COMBINES[step.mode]} {print_expression(step.body)}" + (f"  for {over}" if over else "")


def print_call(step: LibraryCall) -> str:
    options = [f"{key}={value}" for key, value in step["options"]] if step.kind == "extern" else []
    return f"{', '.join(map(print_view, step.outs))} = {step.title}({', '.join([*map(print_view, step.operands), *options])})"


def print_view(view: BufferView) -> str:
    start = "" if view.offset == 0 else f" from {view.offset}"
    return f"{view.buffer}[{print_list(view.shape)} by {print_list(view.strides)}{start}]"


def print_list(sizes: tuple[Size, ...]) -> str:
    return ", ".join(map(str, sizes))


def print_element(buffer: str, subscripts: tuple[Size, ...], indirect: tuple[str, ...] = ()) -> str:
    if not subscripts:
        return buffer
    inside = print_list(subscripts)
    for number in reversed(range(len(indirect))):
        inside = inside.replace(f"${number}", indirect[number])
    return f"{buffer}[{inside}]"


def print_expression(node: Node, tightness: int = 0) -> str:
    """An expression of the loop IR as text; parenthesized where the context binds tighter than its operator."""
    infix = _INFIX.get(node.op)
    if infix is not None and len(node.operands) == 2:
        word, own = infix
        text = f"{print_expression(node.operands[0], own)} {word} {print_expression(node.operands[1], own + 1)}"
        return f"({text})" if own < tightness else text
    prefix = _PREFIX.get(node.op)
    if prefix is not None:
        word, own = prefix
        text = f"{word}{print_expression(node.operands[0], own)}"
        return f"({text})" if own < tightness else text
    row = _EXPRESSION_ROWS.get(node.op)
    if row is not None:
        return row(node, tightness)
    return f"{node.op}({', '.join(map(print_expression, node.operands))})"


def _size(node: Node, tightness: int) -> str:
    text = str(node["value"])
    return f"({text})" if tightness and " " in text else text


def _guard(node: Node, tightness: int) -> str:
    condition, value, other = map(print_expression, node.operands)
    text = f"{value} if {condition} else {other}"
    return f"({text})" if tightness else text


def _reduce(node: Node, tightness: int) -> str:
    over = ", ".join(f"{index} < {extent}" for index, extent in node["ranges"])
    part = node.get("part")
    name = node["kind"] if part is None else f"{node['kind']}.{part}"
    return f"{name}[{over}]({print_expression(node.operands[0])})"


def _scan(node: Node, tightness: int) -> str:
    return f"{node['kind']}[0 .. {node['index']}]({print_expression(node.operands[0])})"


_EXPRESSION_ROWS: dict[str, Callable[[Node, int], str]] = {
    "const": lambda node, tightness: repr(node["value"]),
    "size": _size,
    "load": lambda node, tightness: print_element(node["buffer"], node["subscripts"], tuple(map(print_expression, node.operands))),
    "guard": _guard,
    "reduce": _reduce,
    "scan": _scan,
    "cast": lambda node, tightness: f"{node.type.name}({print_expression(node.operands[0])})",
    "local": lambda node, tightness: node["name"],
    "assert_index": lambda node, tightness: f"{print_expression(node.operands[0], 20)}!<{node['extent']}",
}
