"""The expressions in the concrete tree of a .stx item pass through here and become Tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.spans import Span
from staxlang.parser import tree
from staxlang.parser.fstrings import Field, MalformedField, split_fields
from staxlang.parser.python import literal_value
from staxlang.parser.stx_parser import Parsed
from staxlang.parser.stx_places import Place, child_trees
from staxlang.parser.stx_tokens import Token

ParseExpression = Callable[[str, Place, "list[Diagnostic]"], Any]

_STRING = re.compile(r"""([A-Za-z]*)(\"\"\"|'''|"|')(.*)\2""", re.DOTALL)
_ESCAPED = re.compile(r'\\.|"|\n', re.DOTALL)


class ExpressionConverter:
    """A method for each rule of the grammar, by its name."""

    def __init__(self, place: Place, parse_expression: ParseExpression, slips: list[Diagnostic]) -> None:
        self.place = place
        self.parse_expression = parse_expression
        self.slips = slips

    def node(self, parsed: Any) -> Any:
        return getattr(self, parsed.data)(parsed)

    def nodes(self, parsed: Any) -> Any:
        return tuple([getattr(self, child.data)(child) for child in parsed.children if child.__class__ is Parsed])

    def span(self, parsed: Token | Parsed) -> Span:
        return self.place.of(parsed)

    def refuse(self, code: str, span: Span, **fields: str) -> None:
        """Report what the grammar admits and the language does not; the conversion goes on."""
        self.slips.append(diagnose(code, span, **fields))

    # ---- names and literals ----

    def name(self, parsed: Any) -> Any:
        return tree.Name(self.span(parsed), parsed.children[0].text)

    def literal(self, token: Token) -> Any:
        try:
            return literal_value(token.text)
        except (SyntaxError, ValueError):
            number = token.kind == "NUMBER"
            message = f"`{token.text}` is not a number" if number else "a malformed escape in a string"
            self.refuse("syntax-error", self.place.of(token), message=message)
            return 0 if number else b"" if token.kind == "BYTES" else ""

    def number(self, parsed: Any) -> Any:
        return tree.Constant(self.span(parsed), self.literal(parsed.children[0]))

    def ellipsis(self, parsed: Any) -> Any:
        return tree.Constant(self.span(parsed), ...)

    def true(self, parsed: Any) -> Any:
        return tree.Constant(self.span(parsed), True)

    def false(self, parsed: Any) -> Any:
        return tree.Constant(self.span(parsed), False)

    def none(self, parsed: Any) -> Any:
        return tree.Constant(self.span(parsed), None)

    def strings(self, parsed: Any) -> Any:
        """Adjacent strings are one; it is a formatted one if any of them is."""
        span = self.span(parsed)
        tokens = parsed.children
        kinds = {token.kind for token in tokens}
        if "BYTES" in kinds:
            if len(kinds) > 1:
                self.refuse("syntax-error", span, message="bytes and text cannot be joined")
                return tree.Constant(span, b"")
            return tree.Constant(span, b"".join([self.literal(token) for token in tokens]))
        if "FSTRING" not in kinds:
            return tree.Constant(span, "".join([self.literal(token) for token in tokens]))
        parts: list[Any] = []
        for token in tokens:
            new = self.fields(token) if token.kind == "FSTRING" else [self.literal(token)]
            parts += new
        return tree.FormattedString(span, _joined(parts))

    def fields(self, token: Token) -> list[Any]:
        matched = _STRING.fullmatch(token.text)
        assert matched is not None
        raw = "r" in matched[1].lower()
        inside, start = matched[3], matched.start(3)
        try:
            parts, _ = split_fields(inside, raw)
        except MalformedField as error:
            self.refuse("syntax-error", self.place.of(token), message=f"in an f-string: {error.what}")
            return []
        return self.field_parts(parts, token, start, raw)

    def field_parts(self, parts: tuple[str | Field, ...], token: Token, start: int, raw: bool) -> list[Any]:
        found: list[Any] = []
        for part in parts:
            if isinstance(part, str):
                found.append(part if raw or "\\" not in part else self.unescaped(part, token))
                continue
            if part.echo:
                found.append(part.echo)
            inner = self.field_parts(part.specification, token, start, raw)
            plain = all(isinstance(item, str) for item in inner)
            specification: Any = "".join(inner) if plain else tree.FormattedString(self.place.of(token), _joined(inner))
            found.append((self.field_expression(part, token, start), part.conversion, specification))
        return found

    def unescaped(self, text: str, token: Token) -> str:
        quoted = _ESCAPED.sub(lambda found: {'"': '\\"', "\n": "\\n"}.get(found[0], found[0]), text)
        try:
            return literal_value(f'"{quoted}"')
        except (SyntaxError, ValueError):
            self.refuse("syntax-error", self.place.of(token), message="a malformed escape in an f-string")
            return ""

    def field_expression(self, field: Field, token: Token, start: int) -> Any:
        # The parentheses let the expression run over lines; they take the place of the `{` and the sign after.
        before = token.text[: start + field.start]
        line = token.line + before.count("\n")
        column = token.column + len(before) if "\n" not in before else len(before) - before.rfind("\n")
        row, shift = self.place.at(line, column)
        return self.parse_expression(f"({field.expression})", Place(self.place.source, row - 1, shift - 1), self.slips)

    # ---- operators ----

    def group(self, parsed: Any) -> Any:
        return self.node(parsed.children[1])

    def walrus(self, parsed: Any) -> Any:
        name = parsed.children[0]
        return tree.NamedExpression(self.span(parsed), tree.Name(self.place.of(name), name.text), self.node(parsed.children[2]))

    def conditional(self, parsed: Any) -> Any:
        then, test, otherwise = self.nodes(parsed)
        return tree.Conditional(self.span(parsed), test, then, otherwise)

    def logical(self, parsed: Any) -> Any:
        return tree.Logical(self.span(parsed), parsed.children[1].text, self.nodes(parsed))

    def unary(self, parsed: Any) -> Any:
        return tree.Unary(self.span(parsed), parsed.children[0].text, self.node(parsed.children[1]))

    def binary(self, parsed: Any) -> Any:
        left, op, right = parsed.children
        return tree.Binary(self.span(parsed), op.text, self.node(left), self.node(right))

    def compare(self, parsed: Any) -> Any:
        operands, ops = parsed.children[::2], parsed.children[1::2]
        words = tuple([" ".join([word.text for word in op.children]) for op in ops])
        left, *rights = [self.node(operand) for operand in operands]
        return tree.Compare(self.span(parsed), left, words, tuple(rights))

    size_fact = compare

    def starred(self, parsed: Any) -> Any:
        return tree.Starred(self.span(parsed), self.node(parsed.children[1]))

    starred_item = starred

    def lambda_function(self, parsed: Any) -> Any:
        parts = child_trees(parsed)
        value = self.node(parts[-1])
        parameters: Any = self.node(parts[0]) if len(parts) == 2 else ()
        span = self.span(parsed)
        return tree.Lambda(span, tree.Function(span, "<lambda>", parameters, (tree.Return(value.span, value),)))

    # ---- access and calls ----

    def attribute(self, parsed: Any) -> Any:
        return tree.Attribute(self.span(parsed), self.node(parsed.children[0]), parsed.children[2].text)

    def subscript(self, parsed: Any) -> Any:
        value, index = self.nodes(parsed)
        if isinstance(index, tree.Starred):  # `x[*a]` is a tuple already, as in Python
            index = tree.TupleExpression(index.span, (index,))
        return tree.Subscript(self.span(parsed), value, index)

    def slice_item(self, parsed: Any) -> Any:
        bounds: list[Any] = [None, None, None]
        place = 0
        for child in parsed.children:
            if child.__class__ is Token:
                place += 1
            else:
                bounds[place] = self.node(child)
        return tree.Slice(self.span(parsed), *bounds)

    def call(self, parsed: Any) -> Any:
        function, *rest = child_trees(parsed)
        positional: list[Any] = []
        keywords: list[Any] = []
        if rest and rest[0].data == "generator_argument":
            positional.append(self.comprehension(rest[0], "generator"))
        else:
            for part in child_trees(rest[0]) if rest else ():
                self.add_argument(part, positional, keywords)
        return tree.Call(self.span(parsed), self.node(function), tuple(positional), tuple(keywords))

    def add_argument(self, part: Any, positional: list[Any], keywords: list[Any]) -> None:
        value = self.node(part.children[-1])
        span = self.span(part)
        if part.data == "keyword":
            name = part.children[0].text
            if any(keyword.name == name for keyword in keywords):
                self.refuse("syntax-error", span, message=f"the argument `{name}` is given twice")
            keywords.append(tree.Keyword(span, name, value))
        elif part.data == "keywords_argument":
            keywords.append(tree.Keyword(span, None, value))
        elif part.data == "star_argument":
            positional.append(tree.Starred(span, value))
        elif keywords:
            self.refuse("syntax-error", span, message="a positional argument follows one with a name")
        else:
            positional.append(value)

    # ---- displays ----

    def bare_tuple(self, parsed: Any) -> Any:
        return tree.TupleExpression(self.span(parsed), self.nodes(parsed))

    tuple_display = bare_tuple
    empty_tuple = bare_tuple

    def list_display(self, parsed: Any) -> Any:
        return tree.ListExpression(self.span(parsed), self.nodes(parsed))

    def set_display(self, parsed: Any) -> Any:
        return tree.SetExpression(self.span(parsed), self.nodes(parsed))

    def dict_display(self, parsed: Any) -> Any:
        items: list[Any] = []
        for pair in child_trees(parsed):
            *key, value = self.nodes(pair)
            items.append((key[0] if key else None, value))
        return tree.DictExpression(self.span(parsed), tuple(items))

    def comprehension(self, parsed: Any, kind: str) -> Any:
        parts = child_trees(parsed)
        clauses = tuple([self.clause(part) for part in parts if part.data == "clause"])
        *key, element = [self.node(part) for part in parts if part.data != "clause"]
        return tree.Comprehension(self.span(parsed), kind, key[0] if key else None, element, clauses)

    def list_comprehension(self, parsed: Any) -> Any:
        return self.comprehension(parsed, "list")

    def set_comprehension(self, parsed: Any) -> Any:
        return self.comprehension(parsed, "set")

    def dict_comprehension(self, parsed: Any) -> Any:
        return self.comprehension(parsed, "dict")

    def generator_display(self, parsed: Any) -> Any:
        return self.comprehension(parsed, "generator")

    def clause(self, parsed: Any) -> Any:
        target, iterable, *conditions = self.nodes(parsed)
        self.check_target(target)
        span = self.span(parsed)
        return tree.Clause(
            Span(span.source, target.span.line, target.span.column, span.end_line, span.end_column), target, iterable, tuple(conditions)
        )

    # ---- index notation ----

    def reduction(self, parsed: Any) -> Any:
        parts = child_trees(parsed)
        indexes = tuple([self.node(part) for part in parts if part.data in ("reduction_index", "ranged")])
        *condition, body = [self.node(part) for part in parts[len(indexes) :]]
        kind = parsed.children[0].text
        self.check_binders(indexes)
        return tree.Reduction(self.span(parsed), kind, indexes, condition[0] if condition else None, body)

    def reduction_index(self, parsed: Any) -> Any:
        return tree.Binder(self.span(parsed), parsed.children[0].text)

    def ranged(self, parsed: Any) -> Any:
        start, stop = self.nodes(parsed.children[2])
        return tree.Binder(self.span(parsed), parsed.children[0].text, start, stop)

    def binder(self, parsed: Any) -> Any:
        """A plain name on the left side is an index variable."""
        value = self.node(parsed.children[0])
        return tree.Binder(value.span, value.id) if isinstance(value, tree.Name) else value

    def check_binders(self, binders: tuple[Any, ...]) -> None:
        seen: set[str] = set()
        for binder in binders:
            if isinstance(binder, tree.Binder):
                if binder.name in seen:
                    self.refuse("syntax-error", binder.span, message=f"the index `{binder.name}` is bound twice")
                seen.add(binder.name)

    def check_target(self, target: Any, many: bool = True) -> None:
        """Only names, attributes and subscripts can be assigned to, and tuples and lists of them where `many`."""
        if isinstance(target, (tree.Name, tree.Attribute, tree.Subscript)):
            return
        if many and isinstance(target, (tree.TupleExpression, tree.ListExpression)):
            if sum(isinstance(element, tree.Starred) for element in target.elements) > 1:
                self.refuse("syntax-error", target.span, message="only one target of several can have a `*`")
            for element in target.elements:
                self.check_target(element.value if isinstance(element, tree.Starred) else element)
            return
        kind: Any = target.__class__
        self.refuse("cannot-assign", target.span, what=TARGET_ROWS.get(kind, "this expression"))


TARGET_ROWS: dict[type[Any], str] = {
    tree.Call: "the result of a call", tree.Constant: "a literal", tree.Binary: "the result of an operator",
    tree.Unary: "the result of an operator", tree.Compare: "a comparison", tree.Conditional: "a conditional expression",
    tree.TupleExpression: "several targets at once", tree.ListExpression: "several targets at once", tree.Starred: "a starred expression",
    tree.Lambda: "a lambda", tree.FormattedString: "a literal", tree.Logical: "the result of `and` or `or`",
}  # fmt: skip


def _joined(parts: list[Any]) -> Any:
    """Neighbouring plain parts as one; empty ones left out."""
    found: list[Any] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)
