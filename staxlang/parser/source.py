"""A Python function passes through here: its source is found, checked against its code object, and parsed to Tree."""

from __future__ import annotations

import ast
import linecache
import weakref
from collections.abc import Iterator
from types import CodeType, FunctionType

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.records import NamedTuple
from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.fingerprints import is_text_of
from staxlang.parser.python import convert_function, parse_block

_LAMBDA_REACH = 40  # lines above a lambda in which its statement is looked for before the whole file is parsed

_trees: dict[int, tuple[weakref.ref[CodeType], tree.Function]] = {}


class SourceUnavailable(Exception):
    """No text, or not the right text, for a function. `code` and `fields` are those of its row in the catalogue."""

    def __init__(self, code: str, **fields: str) -> None:
        super().__init__(f"{code}: {fields}")
        self.code = code
        self.fields = fields

    def diagnostic(self, span: Span | None = None) -> Diagnostic:
        """What to tell the user; `span` is the place that needed the source, where there is one."""
        return diagnose(self.code, span, **self.fields)


def function_source(function: FunctionType, text: str | None = None) -> tree.Function:
    """The Tree of a function, a method's function or a lambda; kept as long as its code object lives.

    `text` is the source where no file holds it. Raises SourceUnavailable.
    """
    code = function.__code__
    known = _trees.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    if text is not None:
        found = _locate(code, text.splitlines(keepends=True), code.co_filename)
    else:
        found = _from_linecache(function, code)
    key = id(code)
    _trees[key] = (weakref.ref(code, lambda _: _trees.pop(key, None)), found)
    return found


def _from_linecache(function: FunctionType, code: CodeType) -> tree.Function:
    filename = code.co_filename
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        raise SourceUnavailable("source-unavailable", name=_title(code), reason=_why_missing(filename))
    try:
        return _locate(code, lines, filename)
    except SourceUnavailable:
        # The cached lines may be those of an older or newer file than the one that was imported.
        linecache.checkcache(filename)
        again = linecache.getlines(filename, function.__globals__)
        if again is lines or again == lines:
            raise
    return _locate(code, again, filename)


def _locate(code: CodeType, lines: list[str], filename: str) -> tree.Function:
    is_lambda = code.co_name == "<lambda>"
    private = _class_name(code)
    settled: set[int] = set()
    for first, last in _lambda_blocks(code, lines) if is_lambda else _definition_blocks(code, lines):
        block = None if first in settled else _parsed(Source(filename, "".join(lines[first:last]), first + 1))
        if block is None:
            continue
        for node in _wanted(block, code):
            if is_text_of(node, code, private, lines):
                return convert_function(node, block.source, block.shift, private)
        if not is_lambda:
            settled.add(first)  # a whole definition, and another one: more lines will not change that
    raise SourceUnavailable("source-changed", name=_title(code))


class _Block(NamedTuple):
    """Some lines, parsed; `shift` is what to add to its nodes' line numbers."""

    source: Source
    statements: list[ast.stmt]
    shift: int


def _parsed(source: Source) -> _Block | None:
    try:
        return _Block(source, *parse_block(source))
    except (SyntaxError, ValueError):
        return None


def _wanted(block: _Block, code: CodeType) -> list[ast.AST]:
    """The definitions in a block that may be the one of the code."""
    if code.co_name != "<lambda>":
        return [node for node in block.statements if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lambdas = [node for statement in block.statements for node in ast.walk(statement) if isinstance(node, ast.Lambda)]
    # Several on one line: their code tells them apart; where that is equal too, take the one whose body is at the right column.
    line, column = _body_place(code)
    lambdas.sort(key=lambda node: (abs(node.body.lineno + block.shift - line), abs(node.body.col_offset - column)))
    return [*lambdas]


def _definition_blocks(code: CodeType, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that may hold a whole `def` of the code's name: at the recorded place first, then wherever the name is defined."""
    start = code.co_firstlineno - 1
    if start < len(lines):
        yield from ((start, end) for end in _definition_ends(lines, start, _last_line(code)))
    name = code.co_name
    others = [number for number, line in enumerate(lines) if name in line and _defined_name(line) == name]
    # The file was edited since: the definition has moved. Its code must match, so the nearest of equals will do.
    others.sort(key=lambda number: abs(number - start))
    for number in others:
        first = number
        while first > 0 and lines[first - 1].lstrip().startswith("@"):
            first -= 1
        if first != start:
            yield from ((first, end) for end in _definition_ends(lines, first, number + 1))


def _definition_ends(lines: list[str], start: int, least: int) -> Iterator[int]:
    """Where the definition that starts at a line may end: before each line at its own margin. The first whole one is it.

    Lines in strings and brackets can stand at any margin; with one of those as its end, the text does not parse.
    """
    indent = _indent(lines[start])
    seen = False
    for number in range(start, len(lines)):
        line = lines[number]
        stripped = line.strip()
        if not seen:
            seen = _defined_name(line) != "" and _indent(line) == indent
        elif number >= least and stripped and _indent(line) <= indent and stripped[0] not in "#)]}":
            yield number
    if seen:
        yield len(lines)


def _lambda_blocks(code: CodeType, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that may hold a whole statement, or a line of one, with the lambda: growing around its own lines."""
    start = code.co_firstlineno - 1
    if start < len(lines) and "lambda" in lines[start]:
        least = _last_line(code)
        for first in range(start, max(start - _LAMBDA_REACH, -1), -1):
            if first == start or lines[first].strip():
                yield from ((first, last) for last in range(least, min(least + 12, len(lines)) + 1))
    yield 0, len(lines)


def _defined_name(line: str) -> str:
    """The name after a line's `def` or `async def`; empty where there is none."""
    words = line.partition("(")[0].split()
    if words[:1] == ["async"]:
        del words[0]
    return words[1].partition("[")[0] if len(words) > 1 and words[0] == "def" else ""


def _last_line(code: CodeType) -> int:
    """The last line that has an instruction."""
    return max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)


def _body_place(code: CodeType) -> tuple[int, int]:
    # The instruction that starts the function has a place without extent, at column 0.
    places = [(line, column) for line, _, column, end in code.co_positions() if line is not None and column is not None and end]
    return min(places, default=(code.co_firstlineno, 0))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _why_missing(filename: str) -> str:
    if filename in ("<stdin>", "<console>"):
        return "it was typed into an interpreter that keeps no text"
    if filename.startswith("<"):
        return f"it was compiled from a text that was not registered, under the name `{filename}`"
    return f"there is no readable file `{filename}`"


def _title(code: CodeType) -> str:
    return code.co_qualname.replace(".<locals>", "")


def _class_name(code: CodeType) -> str:
    """The class whose body holds the function directly, which is what private names are made of; empty where there is none."""
    parts = code.co_qualname.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2].isidentifier() else ""  # not `<locals>`, `<listcomp>`
