"""The concrete tree of a .stx item passes through here and becomes Tree; what the grammar cannot refuse is refused here."""

from __future__ import annotations

import sys
from typing import Any

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.spans import Span
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring
from staxlang.parser.stx_expressions import ExpressionConverter, ParseExpression
from staxlang.parser.stx_parser import MOST_DEPTH, Parsed
from staxlang.parser.stx_places import Place, child_trees, name_tokens, named_part
from staxlang.parser.stx_tokens import Token

_DEEP = 50  # a depth of nodes that Python's own limit of nested calls always admits
_ROOM = 2000 + 10 * MOST_DEPTH
_DEFINING = frozenset(("=", "AUGMENTED", "COMBINED"))  # what stands between a tensor's name and its definition


def convert(parsed: Any, place: Place, parse_expression: ParseExpression, slips: list[Diagnostic]) -> Any:
    """The Tree of a concrete tree. `parse_expression` reads the expressions inside f-strings; what is refused goes to `slips`."""
    if parsed.depth > _DEEP and sys.getrecursionlimit() < _ROOM:  # a long chain of operators is a deep tree
        sys.setrecursionlimit(_ROOM)
    return _Converter(place, parse_expression, slips).node(parsed)


class _Converter(ExpressionConverter):
    """Definitions and statements: a method for each rule of the grammar, by its name."""

    # ---- top level ----

    def item(self, parsed: Any) -> Any:
        return self.node(parsed.children[0])

    def documentation(self, parsed: Any) -> Any:
        token = parsed.children[0]
        span = self.place.of(token)
        return tree.ExpressionStatement(span, tree.Constant(span, self.literal(token)))

    def constant(self, parsed: Any) -> Any:
        name = parsed.children[1]
        target = tree.Name(self.place.of(name), name.text)
        parts = child_trees(parsed)
        value = self.node(parts[-1])
        if len(parts) == 2:
            return tree.AnnotatedAssign(self.span(parsed), target, self.node(parts[0]), value)
        return tree.Assign(self.span(parsed), (target,), value)

    def import_module(self, parsed: Any) -> Any:
        alias = name_tokens(parsed)
        return tree.Import(self.span(parsed), self.dotted(parsed.children[1]), (), alias[0].text if alias else None)

    def import_names(self, parsed: Any) -> Any:
        names = tuple([self.imported(part) for part in child_trees(parsed)[1:]])
        return tree.Import(self.span(parsed), self.dotted(parsed.children[1]), names)

    def imported(self, parsed: Any) -> tuple[str, str | None]:
        names = name_tokens(parsed)
        return names[0].text, names[1].text if len(names) > 1 else None

    def dotted(self, parsed: Any) -> str:
        return "".join([part.text for part in parsed.children])

    # ---- definitions ----

    def function(self, parsed: Any) -> Any:
        name = name_tokens(parsed)[0]
        generics, parameters, returns, facts = (named_part(parsed, part) for part in ("generics", "parameters", "returns", "facts"))
        doc, body = self.body(parsed.children[-1])
        return tree.Function(
            self.span(parsed), name.text, self.parameters(parameters) if parameters else (), body,
            self.node(returns.children[1]) if returns else None, doc,
            tuple(["".join([sign.text for sign in part.children]) for part in child_trees(generics)]) if generics else (),
            self.nodes(facts) if facts else (), parsed.children[0].kind == "kernel",
        )  # fmt: skip

    nested = function

    def body(self, suite: Any) -> tuple[str | None, Any]:
        statements = self.suite(suite)
        first = statements[0]
        if isinstance(first, tree.ExpressionStatement) and isinstance(first.value, tree.Constant) and isinstance(first.value.value, str):
            return clean_docstring(first.value.value), statements[1:]
        return None, statements

    def dtype_fact(self, parsed: Any) -> Any:
        name, kind = parsed.children[0], self.node(parsed.children[2])
        return tree.Compare(self.span(parsed), tree.Name(self.place.of(name), name.text), ("in",), (kind,))

    def parameters(self, parsed: Any) -> Any:
        """The parameters of a function or lambda, with the kinds that `/` and `*` give them."""
        found: list[Any] = []
        kind, optional = "positional", False
        self.check_signs(child_trees(parsed))
        for part in child_trees(parsed):
            sign = part.children[0]
            if sign.kind == "/":
                found = [tree.Parameter(p.span, p.name, p.annotation, p.default, "positional-only") for p in found]
                continue
            name = next(iter(name_tokens(part)), None)
            if name is None:  # a bare `*`
                kind = "keyword"
                continue
            annotation, default = self.annotation(part)
            own = {"*": "varargs", "**": "varkeywords"}.get(sign.kind, kind)
            span = self.place.of(name)
            if any(p.name == name.text for p in found):
                self.refuse("syntax-error", span, message=f"the parameter `{name.text}` occurs twice")
            if own == "positional" and default is None and optional:
                self.refuse("syntax-error", span, message=f"the parameter `{name.text}` without a default follows one with a default")
            optional = optional or default is not None
            kind = "keyword" if own == "varargs" else kind
            if annotation is not None:
                span = Span(span.source, span.line, span.column, annotation.span.end_line, annotation.span.end_column)
            found.append(tree.Parameter(span, name.text, annotation, default, own))
        return tuple(found)

    lambda_parameters = parameters

    def check_signs(self, parts: list[Any]) -> None:
        """The order of `/`, `*` and `**` among parameters."""
        signs = [part.children[0].kind for part in parts]
        for number, (sign, part) in enumerate(zip(signs, parts)):
            before, bare = signs[:number], len(part.children) == 1
            message = ""
            if "**" in before:
                message = "nothing follows the parameter with `**`"
            elif sign == "/" and (not number or "/" in before or "*" in before):
                message = "`/` stands once, after the parameters that have no name for the caller, before any `*`"
            elif sign == "*" and "*" in before:
                message = "`*` stands once"
            elif sign == "*" and bare and (number + 1 == len(parts) or signs[number + 1] in ("/", "**")):
                message = "a parameter must follow `*`"
            if message:
                self.refuse("syntax-error", self.place.of(part.children[0]), message=message)

    def annotation(self, part: Any) -> tuple[Any, Any]:
        """The annotation and the default of a parameter."""
        found: dict[str, Any] = {}
        for sign, value in zip(part.children, part.children[1:]):
            if sign.__class__ is Token and value.__class__ is Parsed:
                found[sign.kind] = self.node(value)
        return found.get(":"), found.get("=")

    # ---- statements ----

    def suite(self, parsed: Any) -> Any:
        found: list[Any] = []
        for child in child_trees(parsed):
            if child.data == "simple_line":
                found += self.nodes(child)
            else:
                found.append(self.node(child))
        return tuple(found)

    def expression_statement(self, parsed: Any) -> Any:
        value = self.node(parsed.children[0])
        if isinstance(value, tree.Starred):
            advice = "put the expression in parentheses to go on in the next line"
            self.slips.append(diagnose("syntax-error", value.span, help=advice, message="a line cannot begin with `*`"))
        return tree.ExpressionStatement(self.span(parsed), value)

    def assign(self, parsed: Any) -> Any:
        *targets, value = self.nodes(parsed)
        for target in targets:
            if isinstance(target, tree.Call) and isinstance(target.function, tree.Name) and target.function.id == "let":
                self.slips.append(
                    diagnose("bad-definition", target.span, help="`let` defines one tensor: leave it out to assign several names")
                )
            else:
                self.check_target(target)
        self.check_starred(value)
        return tree.Assign(self.span(parsed), tuple(targets), value)

    def check_starred(self, value: Any) -> None:
        if isinstance(value, tree.Starred):
            self.refuse("syntax-error", value.span, message="`*` stands before an element of a tuple, a list or a call")

    def augmented(self, parsed: Any) -> Any:
        target, value = self.nodes(parsed)
        self.check_target(target, many=False)
        return tree.AugmentedAssign(self.span(parsed), target, parsed.children[1].text[:-1], value)

    def annotated(self, parsed: Any) -> Any:
        target, annotation, *value = self.nodes(parsed)
        self.check_target(target, many=False)
        return tree.AnnotatedAssign(self.span(parsed), target, annotation, value[0] if value else None)

    def definition(self, parsed: Any) -> Any:
        parts = child_trees(parsed)
        subscripts: Any = ()
        if parts[0].data == "binders":
            subscripts = self.nodes(parts.pop(0))
        value, *guard = [self.node(part) for part in parts]
        sign = "".join([child.text for child in parsed.children if child.__class__ is Token and child.kind in _DEFINING])
        self.check_binders(subscripts)
        for place, subscript in enumerate(subscripts):
            if place and isinstance(subscript, tree.Constant) and subscript.value is ...:
                self.refuse("syntax-error", subscript.span, message="`...` stands for the leading axes, before all other subscripts")
        return tree.TensorDefinition(self.span(parsed), parsed.children[1].text, subscripts, sign[:-1], value, *guard)

    def return_statement(self, parsed: Any) -> Any:
        value = self.node(parsed.children[1]) if len(parsed.children) > 1 else None
        self.check_starred(value)
        return tree.Return(self.span(parsed), value)

    def assert_statement(self, parsed: Any) -> Any:
        test, *message = self.nodes(parsed)
        return tree.Assert(self.span(parsed), test, message[0] if message else None)

    def break_statement(self, parsed: Any) -> Any:
        return tree.Break(self.span(parsed))

    def continue_statement(self, parsed: Any) -> Any:
        return tree.Continue(self.span(parsed))

    def pass_statement(self, parsed: Any) -> Any:
        return tree.Pass(self.span(parsed))

    def if_statement(self, parsed: Any) -> Any:
        test, then, *rest = child_trees(parsed)
        otherwise: Any = ()
        end = self.span(parsed)
        for part in reversed(rest):
            if part.data == "else_part":
                otherwise = self.suite(part.children[-1])
            else:
                start = self.place.of(part.children[0])
                span = Span(start.source, start.line, start.column, end.end_line, end.end_column)
                otherwise = (tree.If(span, self.node(part.children[1]), self.suite(part.children[3]), otherwise),)
        return tree.If(end, self.node(test), self.suite(then), otherwise)

    def for_statement(self, parsed: Any) -> Any:
        targets, iterable, body, *rest = child_trees(parsed)
        target = self.node(targets)
        self.check_target(target)
        otherwise = self.suite(rest[0].children[-1]) if rest else ()
        return tree.For(self.span(parsed), target, self.node(iterable), self.suite(body), otherwise)

    def while_statement(self, parsed: Any) -> Any:
        test, body, *rest = child_trees(parsed)
        return tree.While(self.span(parsed), self.node(test), self.suite(body), self.suite(rest[0].children[-1]) if rest else ())

    def with_statement(self, parsed: Any) -> Any:
        *items, body = child_trees(parsed)
        return tree.With(self.span(parsed), tuple([self.with_item(item) for item in items]), self.suite(body))

    def with_item(self, parsed: Any) -> tuple[Any, Any]:
        context, *target = self.nodes(parsed)
        if target:
            self.check_target(target[0])
        return context, target[0] if target else None
