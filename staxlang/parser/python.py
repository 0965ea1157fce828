"""Python text passes through here and becomes Tree: the only file that knows Python's `ast`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from staxlang.base.deferred import deferred
from staxlang.base.recursion import make_room
from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring

if TYPE_CHECKING:
    from staxlang.parser import matching
else:
    matching = deferred("staxlang.parser.matching")

BINARY_ROWS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
UNARY_ROWS: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPARE_ROWS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
COMPREHENSION_ROWS: dict[type[ast.expr], str] = {
    ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator", ast.DictComp: "dict",
}  # fmt: skip
CONVERSION_ROWS = {-1: "", 115: "s", 114: "r", 97: "a"}

# What is outside the subset, by the name of its class in `ast` (some exist only in newer Pythons), and its diagnostic.
REFUSED_ROWS: dict[str, str] = {
    "Try": "unsupported-try",
    "TryStar": "unsupported-try",
    "Raise": "unsupported-raise",
    "Yield": "unsupported-yield",
    "YieldFrom": "unsupported-yield",
    "Await": "unsupported-async",
    "AsyncFunctionDef": "unsupported-async",
    "AsyncFor": "unsupported-async",
    "AsyncWith": "unsupported-async",
    "Global": "unsupported-global",
    "Nonlocal": "unsupported-nonlocal",
    "Delete": "unsupported-del",
    "ClassDef": "unsupported-class",
    "Import": "unsupported-import",
    "ImportFrom": "unsupported-import",
    "Match": "unsupported-match",
    "TypeAlias": "unsupported-type-alias",
    "TemplateStr": "unsupported-template-string",
}

_SHORT = 400  # characters of a text that does not nest deeply


def parse_function(source: Source, private: str = "") -> tree.Function:
    """The one definition in `source`, which may be indented (a method, a nested function), with its decorators.

    `private` is the name of the class whose body holds it, for names such as `__x`. Raises SyntaxError.
    """
    statements, shift = parse_block(source)
    return convert_function(statements[0], source, shift, private)


def parse_block(source: Source) -> tuple[list[ast.stmt], int]:
    """The statements of a possibly indented text, and what to add to their line numbers to have the file's."""
    text = source.text
    if text[:1] in (" ", "\t"):
        # An indented block stays as it is under a header of our own: no line is rewritten, so columns are right.
        outer = _parsed("if 1:\n" + text).body
        return (outer[0].body if isinstance(outer[0], ast.If) else outer), source.first_line - 2
    return _parsed(text).body, source.first_line - 1


def _parsed(text: str) -> ast.Module:
    """Python 3.11's parser loses count where another thread changes the limit of recursion meanwhile: once more then."""
    try:
        parsed = ast.parse(text)
    except SystemError:
        parsed = ast.parse(text)
    if len(text) >= _SHORT:
        _make_room(parsed)
    return parsed


def _make_room(parsed: ast.Module) -> None:
    """An expression of a thousand terms nests a thousand levels, and so do those who convert it, compile it again, and evaluate it."""
    levels, level = 0, [parsed]
    while level:
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        levels += 1
    make_room(2000 + 16 * levels)


def convert_function(node: ast.AST, source: Source, shift: int, private: str = "") -> tree.Function:
    """The Tree of a parsed `def` or `lambda`."""
    converter = _Converter(source, shift, private)
    if isinstance(node, ast.Lambda):
        return converter.lambda_function(node)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return converter.function(node)
    raise SyntaxError(f"expected a function definition, found {type(node).__name__}")


def parse_python(source: Source, name: str = "") -> tree.Module:
    """A whole Python file: imports, statements and functions in order; raises SyntaxError."""
    module = ast.parse(source.text)
    converter = _Converter(source, source.first_line - 1, "")
    converter.imports = True
    doc, body = converter.body(module.body)
    lines = converter.lines()
    span = Span(source, source.first_line, 0, source.first_line + len(lines) - 1, len(lines[-1]))
    return tree.Module(span, name, doc, body)


def refused_lines(what: str, depth: int) -> list[str]:
    """The text of a refused statement, indented by so many blocks. Multi-line strings in it keep their lines."""
    if not depth:
        return what.split("\n")
    nested = "".join([f"{' ' * level}if 1:\n" for level in range(depth)])
    outer = ast.parse(nested + " " * depth + "pass")
    block: Any = outer
    for _ in range(depth):
        block = block.body[0]
    block.body = ast.parse(what).body
    return ast.unparse(outer).split("\n")[depth:]


def raised_exception(what: str) -> tuple[Any, tuple[Any, ...]] | None:
    """The Trees of what a refused `raise` raises: the exception's class, and its arguments; None where it does not name a class."""
    statement = ast.parse(what).body[0]
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    if not isinstance(called, (ast.Name, ast.Attribute)):
        return None
    converter = _Converter(Source("<raise>", what), 0, "")
    return converter.expression(called), converter.expressions(raised.args) if isinstance(raised, ast.Call) else ()


def literal_value(text: str) -> Any:
    """The value of a number's or string's text; raises SyntaxError or ValueError."""
    return ast.literal_eval(text)


class _Converter:
    """Holds what the conversion of one text needs; a method for each kind of node, found through `_ROWS`."""

    __slots__ = ("_ascii", "_lines", "imports", "private", "shift", "source")

    def __init__(self, source: Source, shift: int, private: str) -> None:
        self.source = source
        self.shift = shift
        self.private = f"_{private.lstrip('_')}" if private.strip("_") else ""
        self.imports = False
        self._ascii = source.text.isascii()
        self._lines: list[str] | None = None

    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines

    # ---- places and names ----

    def span(self, node: Any) -> Span:
        line = node.lineno + self.shift
        end_line = node.end_lineno + self.shift
        if self._ascii:
            return Span(self.source, line, node.col_offset, end_line, node.end_col_offset)
        return Span(self.source, line, self.column(line, node.col_offset), end_line, self.column(end_line, node.end_col_offset))

    def column(self, line: int, offset: int) -> int:
        """`ast` counts bytes of UTF-8; a span counts characters."""
        text = self.lines()[line - self.source.first_line]
        if text.isascii():
            return offset
        return len(text.encode()[:offset].decode(errors="replace"))

    def name(self, name: str) -> str:
        """Python renames `__x` inside a class; the function's globals and attributes know it by that name."""
        if self.private and name.startswith("__") and not name.endswith("__"):
            return self.private + name
        return name

    # ---- expressions ----

    def expression(self, node: ast.expr) -> Any:
        convert = _ROWS.get(type(node))
        return self.refused(node) if convert is None else convert(self, node)

    def optional(self, node: ast.expr | None) -> Any:
        return None if node is None else self.expression(node)

    def expressions(self, nodes: list[ast.expr]) -> Any:
        return tuple([self.expression(node) for node in nodes])

    def refused(self, node: ast.AST) -> tree.Refused:
        code = REFUSED_ROWS.get(type(node).__name__, "unsupported-syntax")
        return tree.Refused(self.span(node), code, ast.unparse(node))

    def name_expression(self, node: ast.Name) -> tree.Name:
        return tree.Name(self.span(node), self.name(node.id))

    def constant(self, node: ast.Constant) -> tree.Constant:
        return tree.Constant(self.span(node), node.value)

    def formatted(self, node: ast.JoinedStr) -> tree.FormattedString:
        parts: list[Any] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                if part.value:  # Python 3.12 has an empty one at the end of a format specification
                    parts.append(part.value)
            elif isinstance(part, ast.FormattedValue):
                specification: Any = ""
                if isinstance(part.format_spec, ast.JoinedStr):
                    inner = self.formatted(part.format_spec)
                    plain = all(isinstance(item, str) for item in inner.parts)
                    specification = "".join(item for item in inner.parts if isinstance(item, str)) if plain else inner
                parts.append((self.expression(part.value), CONVERSION_ROWS[part.conversion], specification))
        return tree.FormattedString(self.span(node), tuple(parts))

    def attribute(self, node: ast.Attribute) -> tree.Attribute:
        return tree.Attribute(self.span(node), self.expression(node.value), self.name(node.attr))

    def subscript(self, node: ast.Subscript) -> tree.Subscript:
        return tree.Subscript(self.span(node), self.expression(node.value), self.expression(node.slice))

    def slice_expression(self, node: ast.Slice) -> tree.Slice:
        return tree.Slice(self.span(node), self.optional(node.lower), self.optional(node.upper), self.optional(node.step))

    def tuple_expression(self, node: ast.Tuple) -> tree.TupleExpression:
        return tree.TupleExpression(self.span(node), self.expressions(node.elts))

    def list_expression(self, node: ast.List) -> tree.ListExpression:
        return tree.ListExpression(self.span(node), self.expressions(node.elts))

    def set_expression(self, node: ast.Set) -> tree.SetExpression:
        return tree.SetExpression(self.span(node), self.expressions(node.elts))

    def dict_expression(self, node: ast.Dict) -> tree.DictExpression:
        items = tuple([(self.optional(key), self.expression(value)) for key, value in zip(node.keys, node.values, strict=True)])
        return tree.DictExpression(self.span(node), items)

    def unary(self, node: ast.UnaryOp) -> tree.Unary:
        return tree.Unary(self.span(node), UNARY_ROWS[type(node.op)], self.expression(node.operand))

    def binary(self, node: ast.BinOp) -> tree.Binary:
        return tree.Binary(self.span(node), BINARY_ROWS[type(node.op)], self.expression(node.left), self.expression(node.right))

    def compare(self, node: ast.Compare) -> tree.Compare:
        ops = tuple([COMPARE_ROWS[type(op)] for op in node.ops])
        return tree.Compare(self.span(node), self.expression(node.left), ops, self.expressions(node.comparators))

    def logical(self, node: ast.BoolOp) -> tree.Logical:
        return tree.Logical(self.span(node), "and" if isinstance(node.op, ast.And) else "or", self.expressions(node.values))

    def conditional(self, node: ast.IfExp) -> tree.Conditional:
        return tree.Conditional(self.span(node), self.expression(node.test), self.expression(node.body), self.expression(node.orelse))

    def call(self, node: ast.Call) -> tree.Call:
        return tree.Call(self.span(node), self.expression(node.func), self.expressions(node.args), self.keywords(node.keywords))

    def keywords(self, nodes: list[ast.keyword]) -> tuple[tree.Keyword, ...]:
        return tuple([tree.Keyword(self.span(node), node.arg, self.expression(node.value)) for node in nodes])

    def starred(self, node: ast.Starred) -> tree.Starred:
        return tree.Starred(self.span(node), self.expression(node.value))

    def comprehension(self, node: Any) -> Any:
        if any(generator.is_async for generator in node.generators):
            return tree.Refused(self.span(node), "unsupported-async", ast.unparse(node))
        clauses = tuple([self.clause(generator) for generator in node.generators])
        key, element = (node.key, node.value) if isinstance(node, ast.DictComp) else (None, node.elt)
        return tree.Comprehension(self.span(node), COMPREHENSION_ROWS[type(node)], self.optional(key), self.expression(element), clauses)

    def clause(self, node: ast.comprehension) -> tree.Clause:
        target, iterable = self.expression(node.target), self.expression(node.iter)
        conditions = self.expressions(node.ifs)
        last = conditions[-1].span if conditions else iterable.span
        span = Span(self.source, target.span.line, target.span.column, last.end_line, last.end_column)
        return tree.Clause(span, target, iterable, conditions)

    def named(self, node: ast.NamedExpr) -> tree.NamedExpression:
        return tree.NamedExpression(self.span(node), self.name_expression(node.target), self.expression(node.value))

    def lambda_expression(self, node: ast.Lambda) -> tree.Lambda:
        return tree.Lambda(self.span(node), self.lambda_function(node))

    # ---- functions ----

    def lambda_function(self, node: ast.Lambda) -> tree.Function:
        result = tree.Return(self.span(node.body), self.expression(node.body))
        return tree.Function(self.span(node), "<lambda>", self.parameters(node.args), (result,))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tree.Function:
        imports, self.imports = self.imports, False
        if isinstance(node, ast.AsyncFunctionDef):
            doc, body = None, (self.refused(node),)
        else:
            doc, body = self.body(node.body)
        self.imports = imports
        names, facts = self.type_parameters(getattr(node, "type_params", []))
        return tree.Function(
            self.span(node), self.name(node.name), self.parameters(node.args), body, self.optional(node.returns), doc, names, facts,
            False, self.expressions(node.decorator_list),
        )  # fmt: skip

    def type_parameters(self, nodes: list[Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """`[N, *B, T: float]`: the names, and each bound as the fact `T in float`, which is what .stx's `where` gives."""
        names: list[str] = []
        facts: list[Any] = []
        for node in nodes:
            star = {"TypeVarTuple": "*", "ParamSpec": "**"}.get(type(node).__name__, "")
            names.append(star + node.name)
            bound = getattr(node, "bound", None)
            if bound is not None:
                span = self.span(node)
                facts.append(tree.Compare(span, tree.Name(span, node.name), ("in",), (self.expression(bound),)))
        return tuple(names), tuple(facts)

    def parameters(self, node: ast.arguments) -> tuple[tree.Parameter, ...]:
        positional = [
            *((argument, "positional-only") for argument in node.posonlyargs),
            *((argument, "positional") for argument in node.args),
        ]
        defaults = [None] * (len(positional) - len(node.defaults)) + [*node.defaults]
        result = [self.parameter(argument, default, kind) for (argument, kind), default in zip(positional, defaults, strict=True)]
        if node.vararg is not None:
            result.append(self.parameter(node.vararg, None, "varargs"))
        result += [
            self.parameter(argument, default, "keyword") for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ]
        if node.kwarg is not None:
            result.append(self.parameter(node.kwarg, None, "varkeywords"))
        return tuple(result)

    def parameter(self, node: ast.arg, default: ast.expr | None, kind: str) -> tree.Parameter:
        return tree.Parameter(self.span(node), self.name(node.arg), self.optional(node.annotation), self.optional(default), kind)

    # ---- statements ----

    def body(self, nodes: list[ast.stmt]) -> tuple[str | None, tuple[Any, ...]]:
        """A docstring, cleaned, and the statements after it."""
        first = nodes[0] if nodes else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return clean_docstring(first.value.value), self.statements(nodes[1:])
        return None, self.statements(nodes)

    def statements(self, nodes: list[ast.stmt]) -> tuple[Any, ...]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Match):
                found += self.match_statement(node)
            else:
                found.append(self.expression(node))  # pyright: ignore[reportArgumentType]
        return tuple(found)

    def match_statement(self, node: ast.Match) -> tuple[Any, ...]:
        found = matching.as_branches(node)
        return (self.refused(node),) if found is None else self.statements(found)

    def assign(self, node: ast.Assign) -> tree.Assign:
        return tree.Assign(self.span(node), self.expressions(node.targets), self.expression(node.value))

    def augmented(self, node: ast.AugAssign) -> tree.AugmentedAssign:
        return tree.AugmentedAssign(self.span(node), self.expression(node.target), BINARY_ROWS[type(node.op)], self.expression(node.value))

    def annotated(self, node: ast.AnnAssign) -> tree.AnnotatedAssign:
        value = self.optional(node.value)
        return tree.AnnotatedAssign(self.span(node), self.expression(node.target), self.expression(node.annotation), value)

    def if_statement(self, node: ast.If) -> tree.If:
        return tree.If(self.span(node), self.expression(node.test), self.statements(node.body), self.statements(node.orelse))

    def for_statement(self, node: ast.For) -> tree.For:
        target, iterable = self.expression(node.target), self.expression(node.iter)
        return tree.For(self.span(node), target, iterable, self.statements(node.body), self.statements(node.orelse))

    def while_statement(self, node: ast.While) -> tree.While:
        return tree.While(self.span(node), self.expression(node.test), self.statements(node.body), self.statements(node.orelse))

    def return_statement(self, node: ast.Return) -> tree.Return:
        return tree.Return(self.span(node), self.optional(node.value))

    def break_statement(self, node: ast.Break) -> tree.Break:
        return tree.Break(self.span(node))

    def continue_statement(self, node: ast.Continue) -> tree.Continue:
        return tree.Continue(self.span(node))

    def pass_statement(self, node: ast.Pass) -> tree.Pass:
        return tree.Pass(self.span(node))

    def assert_statement(self, node: ast.Assert) -> tree.Assert:
        return tree.Assert(self.span(node), self.expression(node.test), self.optional(node.msg))

    def expression_statement(self, node: ast.Expr) -> tree.ExpressionStatement:
        return tree.ExpressionStatement(self.span(node), self.expression(node.value))

    def with_statement(self, node: ast.With) -> tree.With:
        items = tuple([(self.expression(item.context_expr), self.optional(item.optional_vars)) for item in node.items])
        return tree.With(self.span(node), items, self.statements(node.body))

    def import_statement(self, node: ast.Import) -> Any:
        # `import a, b` binds two names: one statement cannot say so, and linters ask for two lines anyway.
        if not self.imports or len(node.names) != 1:
            return self.refused(node)
        return tree.Import(self.span(node), node.names[0].name, (), node.names[0].asname)

    def import_from(self, node: ast.ImportFrom) -> Any:
        if not self.imports:
            return self.refused(node)
        names = tuple([(alias.name, alias.asname) for alias in node.names])
        return tree.Import(self.span(node), "." * node.level + (node.module or ""), names)


_ROWS: dict[type[ast.AST], Callable[[_Converter, Any], Any]] = {
    ast.Name: _Converter.name_expression, ast.Constant: _Converter.constant, ast.JoinedStr: _Converter.formatted,
    ast.Attribute: _Converter.attribute, ast.Subscript: _Converter.subscript, ast.Slice: _Converter.slice_expression,
    ast.Tuple: _Converter.tuple_expression, ast.List: _Converter.list_expression,
    ast.Set: _Converter.set_expression, ast.Dict: _Converter.dict_expression,
    ast.UnaryOp: _Converter.unary, ast.BinOp: _Converter.binary, ast.Compare: _Converter.compare,
    ast.BoolOp: _Converter.logical, ast.IfExp: _Converter.conditional, ast.Call: _Converter.call,
    ast.Starred: _Converter.starred, ast.ListComp: _Converter.comprehension, ast.SetComp: _Converter.comprehension,
    ast.DictComp: _Converter.comprehension, ast.GeneratorExp: _Converter.comprehension,
    ast.NamedExpr: _Converter.named, ast.Lambda: _Converter.lambda_expression, ast.FunctionDef: _Converter.function,
    ast.Assign: _Converter.assign, ast.AugAssign: _Converter.augmented, ast.AnnAssign: _Converter.annotated,
    ast.If: _Converter.if_statement, ast.For: _Converter.for_statement, ast.While: _Converter.while_statement,
    ast.Return: _Converter.return_statement, ast.Break: _Converter.break_statement,
    ast.Continue: _Converter.continue_statement, ast.Pass: _Converter.pass_statement,
    ast.Assert: _Converter.assert_statement, ast.Expr: _Converter.expression_statement,
    ast.With: _Converter.with_statement, ast.Import: _Converter.import_statement, ast.ImportFrom: _Converter.import_from,
}  # fmt: skip
