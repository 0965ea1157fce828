"""The concrete tree of a statement passes through here and comes out as pieces: its tokens, with how they stand, and its brackets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from staxlang.parser.printer_expressions import AND, BINARY_LEVEL_ROWS, COMPARE, OR, REDUCED, TEST
from staxlang.parser.stx_parser import Parsed
from staxlang.parser.stx_tokens import Token

CLAUSE = -1  # how loosely the clauses of a comprehension bind
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_OPENERS.values())
# How a token stands between its neighbours: see `spaced`.
WORD, INFIX, PREFIX, TIGHT, COLON, COMMA, TUPLE_COMMA, OPEN, APPLIED, CLOSE = (
    "word", "infix", "prefix", "tight", "colon", "comma", "tuple comma", "open", "applied", "close",
)  # fmt: skip
_KIND_ROWS: dict[str, str] = {
    **dict.fromkeys("([{", OPEN), **dict.fromkeys(")]}", CLOSE), ",": COMMA, ".": TIGHT, "..": TIGHT, ":": COLON, "~": PREFIX,
    "=": INFIX, ":=": INFIX, "->": INFIX, "AUGMENTED": INFIX,
}  # fmt: skip
_APPLYING = frozenset(("call", "subscript", "function", "nested", "generics", "definition", "reduction"))
_PREFIXING = frozenset(("unary", "starred", "starred_item", "star_argument", "keywords_argument", "generic", "pair"))
_TIGHT_EQUALS = frozenset(("keyword", "lambda_parameter"))
_LISTS = frozenset(("arguments", "parameters", "binders", "bare_tuple"))  # whose commas are those of the bracket around them
# Whose last element may be followed by a comma that says nothing.
_OPTIONAL = frozenset((
    "call", "function", "nested", "definition", "generics", "import_names", "list_display", "set_display", "dict_display", "tuple_display",
    "subscript",
))  # fmt: skip


class Piece:
    """A token: how it stands, how loosely it binds if a line may be broken before it, and the comments before and after it."""

    __slots__ = ("before", "behind", "level", "stands", "text")

    def __init__(self, text: str, stands: str, level: int | None = None, before: Sequence[str] = (), behind: Sequence[str] = ()) -> None:
        self.text = text
        self.stands = stands
        self.level = level
        self.before = before
        self.behind = behind


class Group:
    """A bracket with what it holds, cut at its commas.

    `comma`: a comma may follow the last element; `kept`: one does, by the author; `last`: the one that a tuple of one element needs.
    """

    __slots__ = ("before", "behind", "closer", "comma", "elements", "flat", "kept", "last", "level", "opener")

    def __init__(
        self, opener: Piece, elements: list[list[Any]], closer: Piece, comma: bool = False, kept: bool = False, last: str = ""
    ) -> None:
        self.opener = opener
        self.elements = elements
        self.closer = closer
        self.comma = comma
        self.kept = kept
        self.last = last
        self.before = opener.before
        self.behind = closer.behind
        self.level: int | None = None
        self.flat: str | None = ""  # its text in one line, once it is known: no bracket has an empty one


def spaced(before: Any, after: Any) -> bool:
    """Whether a blank stands between two pieces."""
    left = before.closer.stands if before.__class__ is Group else before.stands
    right = after.opener.stands if after.__class__ is Group else after.stands
    if left in (COMMA, TUPLE_COMMA):
        return right not in (CLOSE, COLON)
    if right in (CLOSE, COMMA, TUPLE_COMMA, TIGHT, COLON, APPLIED):
        return False
    return left not in (OPEN, APPLIED, PREFIX, TIGHT)


class Pieces:
    """Makes the pieces of one item. `before` and `behind` are the comments at its tokens."""

    def __init__(self, before: Mapping[int, list[str]], behind: Mapping[int, list[str]]) -> None:
        self.before = before
        self.behind = behind

    def of(self, parts: Iterable[Any]) -> list[Any]:
        """The pieces of several children of one rule, or of statements."""
        found: list[Any] = []
        for part in parts:
            if part.__class__ is Parsed:
                self.add(part, found)
            else:
                found.append(self.piece(part))
        return found

    def add(self, node: Parsed, found: list[Any]) -> None:
        self.add_children(node, node.children, found)

    def add_children(self, node: Parsed, children: Sequence[Any], found: list[Any]) -> None:
        place = 0
        while place < len(children):
            child = children[place]
            if child.__class__ is Parsed:
                start = len(found)
                self.add(child, found)
                if node.data == "reduction" and child is children[-1]:
                    found[start].level = REDUCED  # a line may be broken before the body
            elif child.kind in _OPENERS:
                end = place + 1
                while children[end].__class__ is Parsed or children[end].kind != _OPENERS[child.kind]:
                    end += 1
                found.append(self.group(node, child, children[place + 1 : end], children[end]))
                place = end
            else:
                found.append(self.piece(child, node))
            place += 1

    def piece(self, token: Token, node: Parsed | None = None) -> Piece:
        stands, level = (_KIND_ROWS.get(token.kind, WORD), None) if node is None else _role(token, node)
        return Piece(token.text, stands, level, self.before.get(id(token), ()), self.behind.get(id(token), ()))

    def group(self, node: Parsed, opener: Token, inside: Sequence[Any], closer: Token) -> Group:
        owner = node
        if len(inside) == 1 and inside[0].__class__ is Parsed and inside[0].data in _LISTS:
            owner = inside[0]
            inside = owner.children
        elements: list[list[Any]] = [[]]
        for child in inside:
            if child.__class__ is not Parsed and child.kind == ",":
                comments = [*self.before.get(id(child), ()), *self.behind.get(id(child), ())]
                if comments:
                    elements[-1].append(Piece("", COMMA, None, (), comments))
                elements.append([])
            elif child.__class__ is Parsed:
                self.add(child, elements[-1])
            else:
                elements[-1].append(self.piece(child, owner))
        kept = len(elements) > 1 and not elements[-1]
        if not elements[-1]:
            elements.pop()
        listed = owner.data in _LISTS or owner.data in ("generics", "import_names") or owner.data.endswith("_display")
        single = len(elements) == 1 and owner.data in ("bare_tuple", "tuple_display")
        first = self.piece(opener)
        if node.data in _APPLYING:
            first.stands = APPLIED
        return Group(
            first, elements, self.piece(closer), listed and not single and node.data in _OPTIONAL and bool(elements), kept,
            "," if single and kept else "",
        )  # fmt: skip


def _role(token: Token, node: Parsed) -> tuple[str, int | None]:
    """How a token stands in its rule, and how loosely it binds there."""
    kind, data = token.kind, node.data
    if kind == "," and data in ("bare_tuple", "assert_statement"):
        return TUPLE_COMMA, None
    if data == "binary":
        return INFIX, BINARY_LEVEL_ROWS[kind]
    if data == "comparator":
        return (INFIX, COMPARE) if token is node.children[0] else (INFIX, None)
    if data == "logical":
        return INFIX, OR if kind == "or" else AND
    if data == "conditional":
        return INFIX, TEST
    if data == "clause":
        return WORD, CLAUSE if kind in ("for", "if") else None
    if kind == "not":
        return WORD, None
    if data in _PREFIXING and kind in ("*", "**", "-", "+", "~"):
        return PREFIX, None
    if data in ("parameter", "lambda_parameter") and kind in ("*", "**"):
        return (PREFIX if len(node.children) > 1 else WORD), None
    if kind == "=" and (data in _TIGHT_EQUALS or (data == "parameter" and not any(_is(child, ":") for child in node.children))):
        return TIGHT, None
    if kind == "=" and data == "definition" and any(_is(child, "COMBINED") for child in node.children):
        return COLON, None
    if kind == ":" and data == "slice_item":
        return TIGHT, None
    if data == "dotted" and kind in (".", "..", "..."):
        return (PREFIX if token in _leading(node) else TIGHT), None
    return _KIND_ROWS.get(kind, WORD), None


def _is(child: Any, kind: str) -> bool:
    return child.__class__ is Token and child.kind == kind


def _leading(node: Parsed) -> list[Token]:
    """The dots before the first name of a module."""
    found: list[Token] = []
    for child in node.children:
        if child.kind == "NAME":
            break
        found.append(child)
    return found
