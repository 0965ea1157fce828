"""Expressions pass through here and come out as text, with the fewest parentheses that keep their meaning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from staxlang.parser import tree
from staxlang.parser.literals import QUOTES, Unprintable, constant_text, escaped

# How tightly each kind of expression binds. An operand that binds less tightly than its place asks for is put in parentheses.
TUPLE, NAMED, TEST, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, REDUCED, PRODUCT, UNARY, POWER, ATOM = range(17)
BINARY_LEVEL_ROWS: dict[str, int] = {
    "|": BITOR, "^": BITXOR, "&": BITAND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM,
    "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "@": PRODUCT, "**": POWER,
}  # fmt: skip
_OPEN_ROWS = {"list": ("[", "]"), "set": ("{", "}"), "dict": ("{", "}"), "generator": ("(", ")")}
_FREE_QUOTES = sys.version_info >= (3, 12)  # PEP 701: an f-string's fields may use its own quotes, backslashes and comments


class ExpressionPrinter:
    """`stx` chooses the notation. `quotes` and `plain` say what strings may use inside the field of an f-string."""

    def __init__(self, stx: bool, quotes: tuple[str, ...] = QUOTES, plain: bool = False) -> None:
        self.stx = stx
        self.quotes = quotes
        self.plain = plain

    def expression(self, node: Any, least: int = TEST) -> str:
        """The text of an expression at a place that needs it to bind at least so tightly."""
        text, level = _ROWS[type(node)](self, node)
        return f"({text})" if level < least else text

    def all(self, nodes: Any, least: int = TEST) -> str:
        return ", ".join([self.expression(node, least) for node in nodes])

    def open_tuple(self, node: Any) -> str:
        """A value where a tuple needs no parentheses: after `=`, `return`, `in`, and inside `[]`."""
        if isinstance(node, tree.TupleExpression) and node.elements:
            return self.elements(node.elements)
        return self.expression(node)

    def elements(self, nodes: Any) -> str:
        return self.all(nodes) + ("," if len(nodes) == 1 else "")

    # ---- names and literals ----

    def word(self, name: str) -> str:
        """A name; some of Python's are words of .stx."""
        if self.stx and name in ("true", "false", "none"):
            raise Unprintable(f"`{name}` is a word of .stx")
        return name

    def name(self, node: tree.Name) -> tuple[str, int]:
        return self.word(node.id), ATOM

    def constant(self, node: tree.Constant) -> tuple[str, int]:
        return constant_text(node.value, self.stx, self.quotes, self.plain), ATOM

    def formatted(self, node: tree.FormattedString) -> tuple[str, int]:
        for quote in self.quotes:
            try:
                inside = self.fields(node, quote)
            except Unprintable:
                continue
            if self.plain and ("\\" in inside or quote in inside or (len(quote) == 1 and "\n" in inside)):
                continue
            return f"f{quote}{inside}{quote}", ATOM
        raise Unprintable("no quotes are left for an f-string inside an f-string")

    def fields(self, node: tree.FormattedString, quote: str, nested: bool = False) -> str:
        inner = self.inside_of(quote)
        found: list[str] = []
        for part in node.parts:
            if isinstance(part, str):
                found.append(escaped(part, quote) if nested else escaped(part, quote).replace("{", "{{").replace("}", "}}"))
                continue
            value, conversion, specification = part
            text = inner.expression(value, OR)
            if (text[0] == "{" or text[-1] == "}") and text[0] != "(":
                text = f" {text} "
            if not _FREE_QUOTES or self.stx:
                _refuse_in_field(text)
            if isinstance(specification, tree.FormattedString):
                specification = self.fields(specification, quote, nested=True)
            else:
                specification = escaped(specification, quote)
            found.append("{" + text + (f"!{conversion}" if conversion else "") + (f":{specification}" if specification else "") + "}")
        return "".join(found)

    def inside_of(self, quote: str) -> ExpressionPrinter:
        """A printer for the fields of an f-string with these quotes."""
        if _FREE_QUOTES and not self.stx:
            return self
        left = tuple(other for other in self.quotes if other[0] != quote[0] or (len(quote) == 3 and len(other) == 1))
        return type(self)(self.stx, left, plain=True)

    # ---- operators ----

    def unary(self, node: tree.Unary) -> tuple[str, int]:
        if node.op == "not":
            return f"not {self.expression(node.operand, NOT)}", NOT
        return f"{node.op}{self.expression(node.operand, UNARY)}", UNARY

    def binary(self, node: tree.Binary) -> tuple[str, int]:
        level = BINARY_LEVEL_ROWS[node.op]
        if level == POWER:
            return f"{self.expression(node.left, ATOM)} ** {self.expression(node.right, UNARY)}", POWER
        return f"{self.expression(node.left, level)} {node.op} {self.expression(node.right, level + 1)}", level

    def compare(self, node: tree.Compare) -> tuple[str, int]:
        rest = "".join([f" {op} {self.expression(right, BITOR)}" for op, right in zip(node.ops, node.rights)])
        return self.expression(node.left, BITOR) + rest, COMPARE

    def logical(self, node: tree.Logical) -> tuple[str, int]:
        level = AND if node.op == "and" else OR
        return f" {node.op} ".join([self.expression(value, level + 1) for value in node.values]), level

    def conditional(self, node: tree.Conditional) -> tuple[str, int]:
        then, test = self.expression(node.then, OR), self.expression(node.test, OR)
        return f"{then} if {test} else {self.expression(node.otherwise)}", TEST

    def named(self, node: tree.NamedExpression) -> tuple[str, int]:
        return f"{self.word(node.target.id)} := {self.expression(node.value)}", NAMED

    def lambda_expression(self, node: tree.Lambda) -> tuple[str, int]:
        parameters = self.parameters(node.function.parameters)
        returned: Any = node.function.body[0]
        return f"lambda{' ' if parameters else ''}{parameters}: {self.expression(returned.value)}", TEST

    # ---- access and calls ----

    def attribute(self, node: tree.Attribute) -> tuple[str, int]:
        value = self.expression(node.value, ATOM)
        if isinstance(node.value, tree.Constant) and isinstance(node.value.value, (int, float, complex)) and value[0].isdigit():
            value = f"({value})"  # `1.real` is a malformed number
        return f"{value}.{self.word(node.name)}", ATOM

    def subscript(self, node: tree.Subscript) -> tuple[str, int]:
        index = self.open_tuple(node.index)
        if (
            isinstance(node.index, tree.TupleExpression)
            and len(node.index.elements) == 1
            and isinstance(node.index.elements[0], tree.Starred)
        ):
            index = index[:-1]  # a star makes it a tuple already
        return f"{self.expression(node.value, ATOM)}[{index}]", ATOM

    def slice_expression(self, node: tree.Slice) -> tuple[str, int]:
        lower, upper, step = ("" if part is None else self.expression(part) for part in (node.lower, node.upper, node.step))
        return f"{lower}:{upper}" + (f":{step}" if node.step is not None else ""), TEST

    def call(self, node: tree.Call) -> tuple[str, int]:
        arguments = [self.argument(argument) for argument in node.arguments]
        arguments += [self.keyword(keyword) for keyword in node.keywords]
        function = self.expression(node.function, ATOM)
        if self.stx and isinstance(node.function, tree.Subscript) and function.partition("[")[0] in tree.REDUCTION_KINDS:
            function = f"({function})"  # `sum[k](x)` is a reduction
        if len(arguments) == 1 and node.arguments and isinstance(node.arguments[0], tree.Comprehension) and arguments[0][0] == "(":
            return f"{function}{arguments[0]}", ATOM  # its parentheses are those of the call
        return f"{function}({', '.join(arguments)})", ATOM

    def argument(self, node: Any) -> str:
        # In a call, and only there, any expression may follow the star.
        return f"*{self.expression(node.value)}" if isinstance(node, tree.Starred) else self.expression(node)

    def keyword(self, node: tree.Keyword) -> str:
        value = self.expression(node.value)
        return f"**{value}" if node.name is None else f"{self.word(node.name)}={value}"

    def starred(self, node: tree.Starred) -> tuple[str, int]:
        return f"*{self.expression(node.value, BITOR)}", TEST

    # ---- displays ----

    def tuple_expression(self, node: tree.TupleExpression) -> tuple[str, int]:
        return f"({self.elements(node.elements)})", ATOM

    def list_expression(self, node: tree.ListExpression) -> tuple[str, int]:
        return f"[{self.all(node.elements)}]", ATOM

    def set_expression(self, node: tree.SetExpression) -> tuple[str, int]:
        if not node.elements:
            raise Unprintable("no literal denotes an empty set")
        return f"{{{self.all(node.elements)}}}", ATOM

    def dict_expression(self, node: tree.DictExpression) -> tuple[str, int]:
        items = [
            f"**{self.expression(value, BITOR)}" if key is None else f"{self.expression(key)}: {self.expression(value)}"
            for key, value in node.items
        ]
        return f"{{{', '.join(items)}}}", ATOM

    def comprehension(self, node: tree.Comprehension) -> tuple[str, int]:
        opener, closer = _OPEN_ROWS[node.kind]
        key = "" if node.key is None else f"{self.expression(node.key)}: "
        clauses = "".join([self.clause(clause) for clause in node.clauses])
        return f"{opener}{key}{self.expression(node.element)}{clauses}{closer}", ATOM

    # ---- index notation ----

    def binder(self, node: Any) -> tuple[str, int]:
        if not isinstance(node, tree.Binder):
            return self.expression(node), TEST
        given = "" if node.start is None else f" in {self.expression(node.start, BITOR)}..{self.expression(node.stop, BITOR)}"
        return self.word(node.name) + given, ATOM

    def reduction(self, node: tree.Reduction) -> tuple[str, int]:
        if not self.stx:
            return self.reduction_call(node), ATOM
        indexes = ", ".join([self.binder(index)[0] for index in node.indexes])
        condition = "" if node.condition is None else f" if {self.expression(node.condition, OR)}"
        return f"{node.kind}[{indexes}{condition}] {self.reduced(node.body)}", REDUCED

    def reduced(self, node: Any) -> str:
        """A reduction's body: a term, and nothing that begins with a sign."""
        text = self.expression(node, REDUCED)
        return f"({text})" if text[0] in "+-[{" or text[:3] == "..." else text

    def reduction_call(self, node: tree.Reduction) -> str:
        """In Python a reduction is a call with a generator; every range must be given."""
        clauses: list[str] = []
        for index in node.indexes:
            if index.stop is None:
                raise Unprintable(f"the range of `{index.name}` is not given")
            start = "" if isinstance(index.start, tree.Constant) and index.start.value == 0 else f"{self.expression(index.start)}, "
            clauses.append(f" for {index.name} in range({start}{self.expression(index.stop)})")
        condition = "" if node.condition is None else f" if {self.expression(node.condition, OR)}"
        return f"{node.kind}({self.expression(node.body)}{''.join(clauses)}{condition})"

    def clause(self, node: tree.Clause) -> str:
        conditions = "".join([f" if {self.expression(condition, OR)}" for condition in node.conditions])
        return f" for {self.target(node.target)} in {self.expression(node.iterable, OR)}{conditions}"

    def target(self, node: Any) -> str:
        """A loop's variable, or several."""
        return self.open_tuple(node) if isinstance(node, tree.TupleExpression) else self.expression(node, BITOR)

    def refused(self, node: tree.Refused) -> tuple[str, int]:
        if self.stx:
            raise Unprintable(f"`{node.what}` has no form in .stx")
        return node.what if node.what.startswith("(") else f"({node.what})", ATOM

    # ---- parameters ----

    def parameters(self, nodes: tuple[tree.Parameter, ...]) -> str:
        found: list[str] = []
        starred = False
        for position, node in enumerate(nodes):
            if node.kind == "keyword" and not starred:
                found.append("*")
                starred = True
            starred = starred or node.kind == "varargs"
            found.append(self.parameter(node))
            following = nodes[position + 1].kind if position + 1 < len(nodes) else ""
            if node.kind == "positional-only" and following != "positional-only":
                found.append("/")
        return ", ".join(found)

    def parameter(self, node: tree.Parameter) -> str:
        star = {"varargs": "*", "varkeywords": "**"}.get(node.kind, "")
        annotation = "" if node.annotation is None else f": {self.annotation(node)}"
        default = "" if node.default is None else f"{' = ' if annotation else '='}{self.expression(node.default)}"
        return f"{star}{self.word(node.name)}{annotation}{default}"

    def annotation(self, node: tree.Parameter) -> str:
        return self.expression(node.annotation)


def _refuse_in_field(text: str) -> None:
    if "\\" in text or "#" in text:
        raise Unprintable("a field of an f-string can hold neither a backslash nor a `#`")


_ROWS: dict[type[Any], Callable[[ExpressionPrinter, Any], tuple[str, int]]] = {
    tree.Name: ExpressionPrinter.name, tree.Constant: ExpressionPrinter.constant, tree.FormattedString: ExpressionPrinter.formatted,
    tree.Attribute: ExpressionPrinter.attribute, tree.Subscript: ExpressionPrinter.subscript,
    tree.Slice: ExpressionPrinter.slice_expression,
    tree.TupleExpression: ExpressionPrinter.tuple_expression, tree.ListExpression: ExpressionPrinter.list_expression,
    tree.SetExpression: ExpressionPrinter.set_expression, tree.DictExpression: ExpressionPrinter.dict_expression,
    tree.Unary: ExpressionPrinter.unary, tree.Binary: ExpressionPrinter.binary, tree.Compare: ExpressionPrinter.compare,
    tree.Logical: ExpressionPrinter.logical, tree.Conditional: ExpressionPrinter.conditional, tree.Call: ExpressionPrinter.call,
    tree.Starred: ExpressionPrinter.starred, tree.Lambda: ExpressionPrinter.lambda_expression,
    tree.Comprehension: ExpressionPrinter.comprehension, tree.NamedExpression: ExpressionPrinter.named,
    tree.Binder: ExpressionPrinter.binder, tree.Reduction: ExpressionPrinter.reduction, tree.Refused: ExpressionPrinter.refused,
}  # fmt: skip
