"""A .stx text passes through here and comes out in the one form, that of the printer, with its comments and its groups of lines.

Literals, and parentheses that only a reader needs, stay as they were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.records import NamedTuple
from staxlang.base.spans import Source
from staxlang.parser.format_lines import WIDTH, flat_text, in_parentheses, lines_of, without
from staxlang.parser.format_pieces import APPLIED, COLON, INFIX, TUPLE_COMMA, Group, Piece, Pieces
from staxlang.parser.stx import FileItem, StxFile, read_file
from staxlang.parser.stx_parser import Parsed, parse_tokens
from staxlang.parser.stx_tokens import NEWLINE, Comment, Token, tokenize

_STEP = 4
_MOST_RUNS = 5  # a bracket that was broken for its length has a comma afterwards, which may decide another line
_COMPOUND = frozenset(
    ("function", "nested", "if_statement", "elif_part", "else_part", "for_statement", "while_statement", "with_statement")
)
_DEFINING = frozenset(("assign", "augmented", "annotated", "definition", "constant"))
_ASKING = frozenset(("if_statement", "elif_part", "while_statement"))
_MARKS = ("!", ":", " ", "#")  # what may follow the sign of a comment at once


def format_stx(text: str, name: str = "text.stx") -> str:
    """The text of a .stx file, formatted. Means the same, and is not changed by another run.

    Raises StaxError (SyntaxError) with the slips of a text that has some.

    >>> print(format_stx("kernel f( x ):  # half\\n  return x*.5\\n"), end="")
    kernel f(x):  # half
        return x * .5
    """
    file = read_file(Source(name, text))
    slips = [slip for slip in file.diagnostics if slip.severity == "error" and slip.code != "missing-let"]
    if slips:
        raise_diagnostics(slips)
    made, before = _formatted(file), ""
    for _ in range(_MOST_RUNS):
        before, again = made, read_file(Source(name, made))
        if again.module != file.module or _comments(made) != _comments(file.source.text):
            raise_diagnostics(diagnose("formatter-failed", None, name=name))
        made = _formatted(again)
        if made == before:
            break
    return before


def _formatted(file: StxFile) -> str:
    return "".join([f"{line}\n" for line in _file_lines(file.source.text, file.items)])


def _comments(text: str) -> list[str]:
    """All comments without blanks, sorted: lines that are joined may change their order."""
    found: list[str] = []
    for item in read_file(Source("", text)).items:
        comments: list[Comment] = []
        tokenize(item.item.text, comments)
        found += [_without_blanks(comment.text) for comment in comments]
    inside = _item_lines(read_file(Source("", text)).items)
    found += [_without_blanks(line) for number, line in enumerate(text.split("\n"), 1) if number not in inside and line.strip()]
    return sorted(found)


def _without_blanks(comment: str) -> str:
    return "".join(comment.split())


def _item_lines(items: Sequence[FileItem]) -> set[int]:
    return {number for item in items for number in range(item.line, item.line + item.item.text.count("\n"))}


def comment_text(text: str) -> str:
    """A comment with a blank after its sign."""
    text = text.rstrip()
    return text if len(text) == 1 or text[1] in _MARKS else f"# {text[1:]}"


# ---- files ----


class _Part(NamedTuple):
    """Lines of the result, with the first and last line that they had, and what they are: a function, something else, a comment."""

    lines: list[str]
    first: int
    last: int
    kind: str


def _file_lines(text: str, items: Sequence[FileItem]) -> list[str]:
    parts: list[_Part] = []
    inside = _item_lines(items)
    for number, line in enumerate(text.split("\n"), 1):
        if number not in inside and line.strip():
            parts.append(_Part([comment_text(line.strip())], number, number, "comment"))
    for item in items:
        parts += _item_parts(item)
    parts.sort(key=lambda part: part.first)
    found: list[str] = []
    for number, part in enumerate(parts):
        if number and _blank_between(parts, number):
            found.append("")
        found += part.lines
    return found


def _blank_between(parts: Sequence[_Part], number: int) -> bool:
    """Whether a blank line stands before a part: where there was one, and around functions and the comments at their heads."""
    before, part = parts[number - 1], parts[number]
    if part.first > before.last + 1 or before.kind == "function":
        return True
    return part.kind == "function" and before.kind != "comment"


def _item_parts(item: FileItem) -> list[_Part]:
    layout = _Layout(item.item.text)
    parsed = parse_tokens(layout.tokens, "item").children[0]
    shift = item.line - 1
    if parsed.data == "documentation":
        lines, kind = _docstring_lines(parsed.children[0].text, ""), "documentation"
        lines[-1] += layout.comment_behind(parsed.children[0])
    elif parsed.data in _COMPOUND:
        lines, kind = layout.compound(parsed, 0), "function"
    else:
        lines, kind = layout.simple(parsed, parsed.children, 0), parsed.data
    found = [_Part(lines, item.line, shift + parsed.end_line, kind)]
    # Comments deeper than the margin and not as deep as the body.
    found += [_Part([comment_text(rest.text)], shift + rest.line, shift + rest.line, "comment") for rest in layout.pending]
    return found


# ---- statements ----


class _Layout:
    """The lines of one item. `pending` are the comments in lines of their own, outside of brackets, that are still to be placed."""

    def __init__(self, text: str) -> None:
        comments: list[Comment] = []
        self.tokens = tokenize(text, comments)
        self.pending: list[Comment] = []
        self.before: dict[int, list[str]] = {}
        self.behind: dict[int, list[str]] = {}
        for comment in comments:
            previous = self.tokens[comment.tokens - 1] if comment.tokens else None
            if previous is None or previous.kind == NEWLINE:
                self.pending.append(comment)
            elif previous.end_line == comment.line:
                self.behind.setdefault(id(previous), []).append(comment_text(comment.text))
            else:
                self.before.setdefault(id(self.tokens[comment.tokens]), []).append(comment_text(comment.text))
        self.pieces = Pieces(self.before, self.behind)

    def comment_behind(self, token: Token) -> str:
        return "".join([f"  {comment}" for comment in self.behind.get(id(token), ())])

    def compound(self, node: Parsed, indent: int) -> list[str]:
        """A statement with blocks: headers and suites in turn."""
        found: list[str] = []
        header: list[Any] = []
        margin = node.column - 1
        for child in node.children:
            if child.__class__ is not Parsed or child.data not in ("suite", "elif_part", "else_part"):
                header.append(child)
            elif child.data == "suite":
                found += self.line(node.data, self.pieces_of(node, header), indent)
                header = []
                found += self.suite(child, indent + _STEP, margin, node.data in ("function", "nested"))
            else:
                found += self.own_lines(child.line, indent)
                found += self.compound(child, indent)
        return found

    def pieces_of(self, node: Parsed, children: Sequence[Any]) -> list[Any]:
        found: list[Any] = []
        self.pieces.add_children(node, children, found)
        return found

    def suite(self, node: Parsed, indent: int, margin: int, documented: bool) -> list[str]:
        """The statements of a block; a block behind its header's colon gets lines of its own."""
        found: list[str] = []
        last = 0  # the last line of the text that has been laid out
        for number, (statement, parts) in enumerate(_statements(node)):
            for comment in self.taken(statement.line):
                found += ([""] if last and comment.line > last + 1 else []) + [" " * indent + comment_text(comment.text)]
                last = comment.line
            if last and statement.line > last + 1:
                found.append("")
            if documented and not number and _is_docstring(statement):
                token = _only_token(statement)
                found += _docstring_lines(token.text, " " * indent)
                found[-1] += self.comment_behind(token)
            elif statement.data in _COMPOUND:
                found += self.compound(statement, indent)
            else:
                found += self.simple(statement, parts, indent)
            last = max(statement.end_line, last)
        while self.pending and self.pending[0].column - 1 > margin and not self.later(self.pending[0], node):
            comment = self.pending.pop(0)
            found += ([""] if last and comment.line > last + 1 else []) + [" " * indent + comment_text(comment.text)]
            last = comment.line
        return found

    def later(self, comment: Comment, node: Parsed) -> bool:
        """Whether a token stands between a block and a comment."""
        following = self.tokens[comment.tokens - 1] if comment.tokens else None
        return following is not None and (following.line, following.column) > (node.end_line, node.end_column)

    def taken(self, line: int) -> Iterator[Comment]:
        """The pending comments above a line."""
        while self.pending and self.pending[0].line < line:
            yield self.pending.pop(0)

    def own_lines(self, line: int, indent: int) -> list[str]:
        return [" " * indent + comment_text(comment.text) for comment in self.taken(line)]

    def simple(self, node: Parsed, parts: Sequence[Any], indent: int) -> list[str]:
        pieces = self.pieces_of(node, [part for part in parts if part.__class__ is Parsed or part.kind != NEWLINE])
        return self.line(node.data, pieces, indent)

    def line(self, data: str, pieces: list[Any], indent: int) -> list[str]:
        """A logical line of a rule; a comment behind it stays behind it. Its value is put in parentheses where that is how it fits."""
        comments = pieces[-1].behind
        pieces = [*pieces[:-1], without(pieces[-1], behind=False)]
        found = lines_of(pieces, indent)
        if indent + len(found[0]) > WIDTH or len(found) > 1:
            wrapped = _wrapped(data, pieces)
            again = found if wrapped is None else lines_of(wrapped, indent)
            longest, other = (max(indent + len(lines[0]), *map(len, lines)) for lines in (found, again))
            if other < longest or (other <= max(longest, WIDTH) and flat_text(pieces) is not None):
                found = again
        lines = [" " * indent + found[0], *found[1:]]
        lines[-1] += "".join([f"  {comment}" for comment in comments])
        return lines


def _statements(suite: Parsed) -> Iterator[tuple[Parsed, Sequence[Any]]]:
    """The statements of a block, each with its parts; those of one line one by one."""
    for child in suite.children:
        if child.__class__ is not Parsed:
            continue
        if child.data == "simple_line":
            for statement in child.children:
                if statement.__class__ is Parsed:
                    yield statement, statement.children
        else:
            yield child, child.children


def _wrapped(data: str, pieces: Sequence[Any]) -> list[Any] | None:
    """The pieces of a line with its value in parentheses; None where that is of no use."""
    start, stop = 0, len(pieces)
    plain = [(number, piece) for number, piece in enumerate(pieces) if piece.__class__ is Piece]
    if data in _DEFINING:
        start = 1 + max(
            [number for number, piece in plain if piece.text[-1:] == "=" and piece.level is None and piece.stands in (INFIX, COLON)],
            default=-1,
        )
        guards = [number for number, piece in plain if piece.text == "where" and not _is_applied(pieces[number + 1])]
        stop = guards[0] if data == "definition" and guards else stop
    elif data in ("return_statement", "assert_statement"):
        start = 1
        if data == "assert_statement":
            stop = min([number for number, piece in plain if piece.stands == TUPLE_COMMA], default=stop)
    elif data in _ASKING:
        start, stop = 1, stop - 1
    elif data != "expression_statement":
        return None
    value = pieces[start:stop]
    group = in_parentheses(value) if value and start else None
    return None if group is None else [*pieces[:start], group, *pieces[stop:]]


def _is_applied(piece: Any) -> bool:
    return piece.__class__ is Group and piece.opener.stands == APPLIED


# ---- docstrings ----


def _only_token(statement: Parsed) -> Token:
    return statement.children[0].children[0]


def _is_docstring(statement: Parsed) -> bool:
    if statement.data != "expression_statement" or statement.children[0].data != "strings":
        return False
    tokens = statement.children[0].children
    return len(tokens) == 1 and tokens[0].kind == "STRING"


def _docstring_lines(literal: str, margin: str) -> list[str]:
    """The lines of a docstring, moved to a margin; what stands deeper stays deeper."""
    first, *rest = literal.split("\n")
    if not rest or "\t" in literal:
        return [margin + line if number == 0 else line for number, line in enumerate([first, *rest])]
    closing = rest[-1].strip() in ('"""', "'''")
    body = rest[:-1] if closing else rest
    least = min([len(line) - len(line.lstrip()) for line in body if line.strip()], default=0)
    found = [_stripped(first)]
    found += [_stripped(margin + line[least:]) if line.strip() else "" for line in body]
    if closing:
        found.append(margin + rest[-1].strip())
    return [margin + found[0], *found[1:]]


def _stripped(line: str) -> str:
    """Without blanks at the end, unless a backslash would take the line end's place."""
    short = line.rstrip()
    return line if short.endswith("\\") else short
