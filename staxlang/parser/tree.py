"""Tree: what both notations (Python's subset and .stx) parse to. Frozen; spans do not take part in equality."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from staxlang.base.spans import Span


@dataclass(frozen=True, slots=True)
class TreeNode:
    span: Span = field(compare=False, repr=False)


# ---- expressions ----


@dataclass(frozen=True, slots=True)
class Name(TreeNode):
    id: str


@dataclass(frozen=True, slots=True)
class Constant(TreeNode):
    """int, float, complex, bool, str, bytes, None or Ellipsis."""

    value: Any


@dataclass(frozen=True, slots=True)
class FormattedString(TreeNode):
    """Text parts and (expression, conversion, format spec) parts."""

    parts: tuple[str | tuple[Expression, str, str], ...]


@dataclass(frozen=True, slots=True)
class Attribute(TreeNode):
    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Subscript(TreeNode):
    value: Expression
    index: Expression  # a TupleExpression where several


@dataclass(frozen=True, slots=True)
class Slice(TreeNode):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True)
class TupleExpression(TreeNode):
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ListExpression(TreeNode):
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class SetExpression(TreeNode):
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class DictExpression(TreeNode):
    """A key of None means `**value`."""

    items: tuple[tuple[Expression | None, Expression], ...]


@dataclass(frozen=True, slots=True)
class Unary(TreeNode):
    """op: `-` `+` `~` `not`."""

    op: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(TreeNode):
    """op: `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare(TreeNode):
    """left ops[0] rights[0] ops[1] rights[1] ...; op: `== != < <= > >= is`, `is not`, `in`, `not in`."""

    left: Expression
    ops: tuple[str, ...]
    rights: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Logical(TreeNode):
    """op: `and` `or`."""

    op: str
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conditional(TreeNode):
    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Keyword(TreeNode):
    """name is None for `**value`."""

    name: str | None
    value: Expression


@dataclass(frozen=True, slots=True)
class Call(TreeNode):
    function: Expression
    arguments: tuple[Expression, ...]  # a Starred for `*x`
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True)
class Starred(TreeNode):
    value: Expression


@dataclass(frozen=True, slots=True)
class Lambda(TreeNode):
    function: Function  # named `<lambda>`, its body a single Return


@dataclass(frozen=True, slots=True)
class Clause(TreeNode):
    """`for target in iterable if conditions...`."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(TreeNode):
    """kind: list, set, dict, generator; key only for dict."""

    kind: str
    key: Expression | None
    element: Expression
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class NamedExpression(TreeNode):
    target: Name
    value: Expression


Expression = (
    Name | Constant | FormattedString | Attribute | Subscript | Slice | TupleExpression | ListExpression | SetExpression
    | DictExpression | Unary | Binary | Compare | Logical | Conditional | Call | Starred | Lambda | Comprehension | NamedExpression
)  # fmt: skip


# ---- statements ----


@dataclass(frozen=True, slots=True)
class Assign(TreeNode):
    """targets: one per `=`; several for `a = b = value`."""

    targets: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class AugmentedAssign(TreeNode):
    target: Expression
    op: str
    value: Expression


@dataclass(frozen=True, slots=True)
class AnnotatedAssign(TreeNode):
    target: Expression
    annotation: Expression
    value: Expression | None


@dataclass(frozen=True, slots=True)
class If(TreeNode):
    test: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(TreeNode):
    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class While(TreeNode):
    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Return(TreeNode):
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Break(TreeNode):
    pass


@dataclass(frozen=True, slots=True)
class Continue(TreeNode):
    pass


@dataclass(frozen=True, slots=True)
class Pass(TreeNode):
    pass


@dataclass(frozen=True, slots=True)
class Assert(TreeNode):
    test: Expression
    message: Expression | None


@dataclass(frozen=True, slots=True)
class ExpressionStatement(TreeNode):
    value: Expression


@dataclass(frozen=True, slots=True)
class With(TreeNode):
    """items: (context expression, target or None)."""

    items: tuple[tuple[Expression, Expression | None], ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Refused(TreeNode):
    """A statement or expression outside the subset: kept so that the whole function still parses.

    `code` names its diagnostic in the catalogue (e.g. "unsupported-try"); reported when it is evaluated or checked.
    """

    code: str
    what: str


@dataclass(frozen=True, slots=True)
class Parameter(TreeNode):
    """kind: positional-only, positional, keyword, varargs (`*args`), varkeywords (`**kwargs`)."""

    name: str
    annotation: Expression | None
    default: Expression | None
    kind: str = "positional"


@dataclass(frozen=True, slots=True)
class Function(TreeNode):
    """A definition. `facts` are the header's `where` clauses; `exported` is kernel (True) or def (False) in .stx."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    returns: Expression | None = None
    doc: str | None = None
    type_parameters: tuple[str, ...] = ()
    facts: tuple[Expression, ...] = ()
    exported: bool = False
    decorators: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Import(TreeNode):
    """`from module import name as alias`, or `import module as alias` with names == ()."""

    module: str
    names: tuple[tuple[str, str | None], ...]
    alias: str | None = None


Statement = (
    Assign | AugmentedAssign | AnnotatedAssign | If | For | While | Return | Break | Continue | Pass | Assert
    | ExpressionStatement | With | Refused | Function | Import
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Module(TreeNode):
    """A .stx file: imports, consts (as Assign), functions, in order."""

    name: str
    doc: str | None
    items: tuple[Statement, ...]
