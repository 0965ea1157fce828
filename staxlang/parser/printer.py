"""Tree passes through here and comes out as source that a person can read, in Python or in .stx, and that parses to the same Tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from staxlang.parser import tree
from staxlang.parser.literals import Unprintable, docstring_lines
from staxlang.parser.printer_expressions import BITOR, ExpressionPrinter
from staxlang.parser.python import refused_lines

_INDENT = "    "


def to_python(node: tree.TreeNode) -> str:
    """The Python text of a module, a statement or an expression.

    `parse(to_python(t)) == t` for every Tree that a Python text gives. Of what only .stx has, `kernel` becomes a decorator and facts
    about sizes become a comment. Raises Unprintable for trees that no text has.
    """
    return _text(node, False)


def to_stx(node: tree.TreeNode) -> str:
    """The .stx text of a module, a statement or an expression; `parse(to_stx(t)) == t`.

    Raises Unprintable for what .stx does not have: what the language refuses, and decorators.
    """
    return _text(node, True)


def _text(node: Any, stx: bool) -> str:
    printer = _StatementPrinter(stx)
    if isinstance(node, tree.Module):
        return "\n".join(printer.module(node)) + "\n"
    if type(node) in _ROWS and not isinstance(node, tree.Refused):
        return "\n".join(_ROWS[type(node)](printer, node, "")) + "\n"
    return printer.expression(node)


class _StatementPrinter(ExpressionPrinter):
    """A method for each kind of statement, which gives its lines."""

    def module(self, node: tree.Module) -> list[str]:
        lines = docstring_lines(node.doc, "") if node.doc is not None else []
        previous: Any = tree.Module
        for item in node.items:
            spaced = isinstance(item, tree.Function) or previous is not type(item)
            if lines and spaced:
                lines += [""] if self.stx else ["", ""] if isinstance(item, tree.Function) or previous is tree.Function else [""]
            previous = type(item)
            lines += self.constant_item(item) if self.stx else self.statement(item, "")
        return lines

    def constant_item(self, node: Any) -> list[str]:
        """An item of a .stx module: what is an assignment in the Tree is a `const` there."""
        if isinstance(node, tree.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], tree.Name):
            return [f"const {self.word(node.targets[0].id)} = {self.open_tuple(node.value)}"]
        if isinstance(node, tree.AnnotatedAssign) and isinstance(node.target, tree.Name) and node.value is not None:
            return [f"const {self.word(node.target.id)}: {self.expression(node.annotation)} = {self.open_tuple(node.value)}"]
        if isinstance(node, (tree.Function, tree.Import)):
            return self.statement(node, "")
        raise Unprintable(f"{type(node).__name__} cannot stand at the top of a .stx file")

    def statement(self, node: Any, indent: str) -> list[str]:
        return _ROWS[type(node)](self, node, indent)

    def block(self, nodes: Sequence[Any], indent: str) -> list[str]:
        inner = indent + _INDENT
        lines: list[str] = []
        for node in nodes:
            lines += self.statement(node, inner)
        return lines or [f"{inner}pass"]

    # ---- definitions ----

    def function(self, node: tree.Function, indent: str) -> list[str]:
        parameters = self.parameters(node.parameters)
        returns = "" if node.returns is None else f" -> {self.expression(node.returns)}"
        bounds, facts = self.facts(node)
        generics = f"[{', '.join([name + bounds.get(name, '') for name in node.type_parameters])}]" if node.type_parameters else ""
        lines: list[str] = []
        if self.stx:
            if node.decorators:
                raise Unprintable("a .stx definition has no decorators")
            word = "kernel" if node.exported else "def"
            if node.exported and indent:
                raise Unprintable("`kernel` stands at the margin of a .stx file")
            header = f"{word} {self.word(node.name)}{generics}({parameters}){returns}{f' where {facts}' if facts else ''}:"
        else:
            lines += [f"{indent}@{self.expression(decorator)}" for decorator in node.decorators]
            lines += [f"{indent}@stax.kernel"] if node.exported and not node.decorators else []
            header = f"def {node.name}{generics}({parameters}){returns}:{f'  # where {facts}' if facts else ''}"
        lines.append(indent + header)
        if node.doc is not None:
            lines += docstring_lines(node.doc, indent + _INDENT)
        return lines + (self.block(node.body, indent) if node.body or node.doc is None else [])

    def facts(self, node: tree.Function) -> tuple[dict[str, str], str]:
        """Bounds of the type parameters (Python's brackets have a place for them), and the other facts as text."""
        bounds: dict[str, str] = {}
        found: list[str] = []
        for fact in node.facts:
            if isinstance(fact, tree.Compare) and fact.ops == ("in",) and isinstance(fact.left, tree.Name):
                kind = fact.rights[0]
                if not self.stx and fact.left.id in node.type_parameters:
                    bounds[fact.left.id] = f": {self.expression(kind)}"
                else:
                    found.append(f"{fact.left.id}: {self.expression(kind, BITOR)}")
            elif isinstance(fact, tree.Compare):
                found.append(self.expression(fact))
            else:
                raise Unprintable("a fact is a comparison")
        return bounds, ", ".join(found)

    def import_statement(self, node: tree.Import, indent: str) -> list[str]:
        if not node.names:
            return [f"{indent}import {node.module}{f' as {node.alias}' if node.alias else ''}"]
        names = ", ".join([name if alias is None else f"{name} as {alias}" for name, alias in node.names])
        return [f"{indent}from {node.module} import {names}"]

    # ---- statements ----

    def assign(self, node: tree.Assign, indent: str) -> list[str]:
        return [indent + " = ".join([self.open_tuple(part) for part in (*node.targets, node.value)])]

    def augmented(self, node: tree.AugmentedAssign, indent: str) -> list[str]:
        return [f"{indent}{self.expression(node.target)} {node.op}= {self.open_tuple(node.value)}"]

    def annotated(self, node: tree.AnnotatedAssign, indent: str) -> list[str]:
        value = "" if node.value is None else f" = {self.open_tuple(node.value)}"
        return [f"{indent}{self.expression(node.target)}: {self.expression(node.annotation)}{value}"]

    def definition(self, node: tree.TensorDefinition, indent: str) -> list[str]:
        if not self.stx:
            raise Unprintable("index notation has a form of its own in Python")
        subscripts = ", ".join([self.subscript_of(subscript) for subscript in node.subscripts])
        guard = ""
        if node.condition is not None:
            guard = f" where {self.expression(node.condition)} else {self.expression(node.otherwise)}"
        left = f"let {self.word(node.name)}{f'[{subscripts}]' if subscripts else ''}"
        return [f"{indent}{left} {node.op}= {self.expression(node.value)}{guard}"]

    def subscript_of(self, node: Any) -> str:
        return f"({node.id})" if isinstance(node, tree.Name) else self.expression(node)

    def if_statement(self, node: tree.If, indent: str) -> list[str]:
        lines = [f"{indent}if {self.expression(node.test)}:", *self.block(node.then, indent)]
        otherwise = node.otherwise
        while len(otherwise) == 1 and isinstance(otherwise[0], tree.If):
            inner = otherwise[0]
            lines += [f"{indent}elif {self.expression(inner.test)}:", *self.block(inner.then, indent)]
            otherwise = inner.otherwise
        return lines + self.otherwise(otherwise, indent)

    def otherwise(self, nodes: Sequence[Any], indent: str) -> list[str]:
        return [f"{indent}else:", *self.block(nodes, indent)] if nodes else []

    def for_statement(self, node: tree.For, indent: str) -> list[str]:
        header = f"{indent}for {self.target(node.target)} in {self.open_tuple(node.iterable)}:"
        return [header, *self.block(node.body, indent), *self.otherwise(node.otherwise, indent)]

    def while_statement(self, node: tree.While, indent: str) -> list[str]:
        header = f"{indent}while {self.expression(node.test)}:"
        return [header, *self.block(node.body, indent), *self.otherwise(node.otherwise, indent)]

    def return_statement(self, node: tree.Return, indent: str) -> list[str]:
        return [f"{indent}return" if node.value is None else f"{indent}return {self.open_tuple(node.value)}"]

    def assert_statement(self, node: tree.Assert, indent: str) -> list[str]:
        return [f"{indent}assert {self.expression(node.test)}{'' if node.message is None else f', {self.expression(node.message)}'}"]

    def expression_statement(self, node: tree.ExpressionStatement, indent: str) -> list[str]:
        return [indent + self.open_tuple(node.value)]

    def with_statement(self, node: tree.With, indent: str) -> list[str]:
        items = [
            self.expression(context) + ("" if target is None else f" as {self.expression(target, BITOR)}") for context, target in node.items
        ]
        if len(items) == 1 and isinstance(node.items[0][0], tree.TupleExpression) and node.items[0][1] is None:
            items = [f"({items[0]})"]  # single parentheses would be those of a list of contexts
        return [f"{indent}with {', '.join(items)}:", *self.block(node.body, indent)]

    def break_statement(self, _: tree.Break, indent: str) -> list[str]:
        return [f"{indent}break"]

    def continue_statement(self, _: tree.Continue, indent: str) -> list[str]:
        return [f"{indent}continue"]

    def pass_statement(self, _: tree.Pass, indent: str) -> list[str]:
        return [f"{indent}pass"]

    def refused_statement(self, node: tree.Refused, indent: str) -> list[str]:
        if self.stx:
            raise Unprintable(f"`{node.what}` has no form in .stx")
        return refused_lines(node.what, len(indent) // len(_INDENT))


_ROWS: dict[type[Any], Callable[[_StatementPrinter, Any, str], list[str]]] = {
    tree.Function: _StatementPrinter.function, tree.Import: _StatementPrinter.import_statement, tree.Assign: _StatementPrinter.assign,
    tree.AugmentedAssign: _StatementPrinter.augmented, tree.AnnotatedAssign: _StatementPrinter.annotated,
    tree.TensorDefinition: _StatementPrinter.definition, tree.If: _StatementPrinter.if_statement,
    tree.For: _StatementPrinter.for_statement, tree.While: _StatementPrinter.while_statement,
    tree.Return: _StatementPrinter.return_statement, tree.Break: _StatementPrinter.break_statement,
    tree.Continue: _StatementPrinter.continue_statement, tree.Pass: _StatementPrinter.pass_statement,
    tree.Assert: _StatementPrinter.assert_statement, tree.ExpressionStatement: _StatementPrinter.expression_statement,
    tree.With: _StatementPrinter.with_statement, tree.Refused: _StatementPrinter.refused_statement,
}  # fmt: skip
