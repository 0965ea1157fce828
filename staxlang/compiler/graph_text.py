"""Graph to text and back: typed, numbered source that a person can read; `parse_graph(print_graph(g))` is structurally g."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from staxlang.base.dtypes import DTYPES, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, DType
from staxlang.base.sizes import Condition, Facts, Size, SizeExpression, parse_size
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError, condition_text, topological
from staxlang.compiler.node import Interner, Node

ALL_DTYPES: dict[str, DType] = {**DTYPES, **{d.name: d for d in (WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX)}}


def print_graph(graph: Graph, indent: str = "", lines_of: Callable[[Node], str] | None = None) -> str:
    """The graph as text. Numbers count from 0 in the order of use, whatever the interner's own numbers are.

    `lines_of(node)` gives a remark for the node's line (`source_lines` does: where it comes from); reading the text back skips it.
    """
    order = topological((*graph.inputs, *graph.scalars, *graph.roots, *graph.pending))
    names = {node: f"%{number}" for number, node in enumerate(order)}
    inner = indent + "  "
    lines = ["graph {"]
    lines += [f"{inner}assume {condition_text(c)}" for c in graph.facts.conditions]
    lines += [f"{inner}# gate {gate.what} is {gate.outcome!r}" for gate in graph.gates if gate.counts is None]
    lines += [f"{inner}# {gate.counts} is counted from the data: {gate.what}" for gate in graph.gates if gate.counts is not None]
    for node in order:
        arguments = [names[o] for o in node.operands]
        arguments += [f"{key}={_print_value(value, inner)}" for key, value in node.attributes]
        remark = lines_of(node) if lines_of is not None else ""
        made = f"{inner}{names[node]}: {print_type(node.type)} = {node.op}({', '.join(arguments)})"
        lines.append(f"{made}  # {remark}" if remark else made)
    for word, nodes in (("inputs", graph.inputs), ("scalars", graph.scalars), ("checks", graph.checks), ("pending", graph.pending)):
        if nodes:
            lines.append(f"{inner}{word} {', '.join(names[n] for n in nodes)}")
    lines += [f"{inner}update {position} {names[node]}" for position, node in graph.updates]
    lines.append(f"{inner}return {', '.join(names[n] for n in graph.outputs)}".rstrip())
    lines.append(indent + "}")
    return "\n".join(lines)


def source_lines(graph: Graph) -> Callable[[Node], str]:
    """For `print_graph`: the lines of the user's program that a node comes from."""

    def remark(node: Node) -> str:
        lines = sorted({span.line for span in graph.interner.spans.get(node, ())})
        return f"line {', '.join(map(str, lines))}" if lines else ""

    return remark


def print_type(type: TensorType) -> str:
    text = f"{type.dtype.name}[{', '.join(map(str, type.shape))}]"
    return text if type.layout is None else f"{text}{{{', '.join(map(str, type.layout))}}}"


def _print_value(value: Any, indent: str) -> str:
    if isinstance(value, Graph):
        return print_graph(value, indent)
    if isinstance(value, SizeExpression):
        return f"<{value}>"
    if isinstance(value, tuple):
        inside = ", ".join(_print_value(v, indent) for v in value)  # pyright: ignore[reportUnknownVariableType]
        return f"({inside},)" if len(value) == 1 else f"({inside})"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    if isinstance(value, bytes):
        return f"hex'{value.hex()}'"
    if isinstance(value, DType):
        return f"dtype {value.name}"
    if isinstance(value, (str, int, float)) or value is None:
        return repr(value)
    raise GraphError(f"the attribute value {value!r} has no text")


def parse_graph(text: str) -> Graph:
    """The graph of a text made by `print_graph`. Raises GraphError where the text is not one."""
    reader = _Reader(text, Interner())
    graph = reader.graph()
    reader.expect("")
    return graph


_TOKEN = re.compile(
    r"\s*(?:#[^\n]*\s*)*("
    r"%\d+|hex'[0-9a-f]*'|<[^>]*>(?=[,)])|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
    r"|[A-Za-z_]\w*|[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)|[(){}\[\]=,:]|$)"
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else _ESCAPED.get(match[4], match[4])


class _Reader:
    """A recursive-descent reader over the text; `nodes` maps `%n` of the graph being read."""

    def __init__(self, text: str, interner: Interner) -> None:
        self.text, self.place, self.interner = text, 0, interner

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            raise GraphError(f"unreadable graph text at {self.text[self.place : self.place + 40]!r}")
        return match[1]

    def take(self) -> str:
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            raise GraphError(f"unreadable graph text at {self.text[self.place : self.place + 40]!r}")
        self.place = match.end()
        return match[1]

    def expect(self, token: str) -> None:
        found = self.take()
        if found != token:
            raise GraphError(f"expected {token or 'the end'!r}, found {found!r}")

    def rest_of_line(self) -> str:
        end = self.text.find("\n", self.place)
        line, self.place = self.text[self.place : end], end
        return line.strip()

    def graph(self) -> Graph:
        self.expect("graph")
        self.expect("{")
        nodes: dict[str, Node] = {}
        named: dict[str, tuple[Node, ...]] = {"inputs": (), "scalars": (), "checks": (), "pending": (), "return": ()}
        updates: list[tuple[int, Node]] = []
        facts = Facts()
        while (token := self.take()) != "}":
            if token.startswith("%"):
                self.expect(":")
                type = self.type()
                self.expect("=")
                nodes[token] = self.node(nodes, type)
            elif token == "assume":
                facts = facts.assume(parse_condition(self.rest_of_line()))
            elif token == "update":
                updates.append((int(self.take()), nodes[self.take()]))
            elif token in named:
                listed = self.rest_of_line()
                named[token] = tuple(nodes[n.strip()] for n in listed.split(",")) if listed else ()
            else:
                raise GraphError(f"a graph has no line {token!r}")
        inputs, outputs, scalars, pending = [named[word] for word in ("inputs", "return", "scalars", "pending")]
        return Graph(self.interner, inputs, outputs, tuple(updates), (), facts, scalars, pending, checks=named["checks"])

    def type(self) -> TensorType:
        name = self.take()
        if name not in ALL_DTYPES:
            raise GraphError(f"{name!r} is no dtype")
        shape = self.sizes("[", "]")
        layout = self.sizes("{", "}") if self.text[self.place] == "{" else None
        return TensorType(ALL_DTYPES[name], shape, layout)

    def sizes(self, opener: str, closer: str) -> tuple[Size, ...]:
        self.expect(opener)
        start, depth = self.place, 1
        while depth:  # a size may hold brackets itself: `x.shape[0]`
            character = self.text[self.place]
            depth += (character == opener) - (character == closer)
            self.place += 1
        return tuple(parse_size(part) for part in split_commas(self.text[start : self.place - 1]))

    def node(self, nodes: dict[str, Node], type: TensorType) -> Node:
        op = self.take()
        operands: list[Node] = []
        attributes: dict[str, Any] = {}
        self.expect("(")
        while (token := self.take()) != ")":
            if token.startswith("%"):
                operands.append(nodes[token])
            elif token != ",":
                self.expect("=")
                attributes[token] = self.value()
        return self.interner.make(op, tuple(operands), type, **attributes)

    def value(self) -> Any:
        if self.peek() == "graph":
            return self.graph()
        token = self.take()
        if token == "(":
            items: list[Any] = []
            while self.peek() != ")":
                if self.peek() == ",":
                    self.take()
                else:
                    items.append(self.value())
            self.take()
            return tuple(items)
        if token == "complex":
            real, imag = self.value()
            return complex(real, imag)
        if token == "dtype":
            return ALL_DTYPES[self.take()]
        return _literal(token)


def _literal(token: str) -> Any:
    if token[0] == "<":
        return parse_size(token[1:-1])
    if token.startswith("hex'"):
        return bytes.fromhex(token[4:-1])
    if token[0] in "'\"":
        return _ESCAPE.sub(_unescape, token[1:-1])
    if token in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[token]
    if token.lstrip("+-") in ("inf", "nan"):
        return math.inf if token.endswith("inf") and token[0] != "-" else -math.inf if token.endswith("inf") else math.nan
    return float(token) if any(c in token for c in ".e") else int(token)


def split_commas(text: str) -> list[str]:
    """The parts between the commas that no parenthesis encloses; none for a blank text."""
    parts: list[str] = []
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def parse_condition(text: str) -> Condition:
    match = re.fullmatch(r"(.*?)\s*(==|!=|<=|<)\s*(.*)", text)
    if match is None:
        raise GraphError(f"{text!r} is no condition on sizes")
    return Condition(match[2], parse_size(match[1]), parse_size(match[3]))  # pyright: ignore[reportArgumentType]
