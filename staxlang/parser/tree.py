"""Tree: what both notations (Python's subset and .stx) parse to. Frozen; spans do not take part in equality."""

from __future__ import annotations

from typing import Any

from staxlang.base.records import record
from staxlang.base.spans import Span


@record
class TreeNode:
    """Makers pass `span` first; it takes no part in equality, hash and repr."""

    __record_ignored__ = ("span",)

    span: Span


# ---- expressions ----


@record
class Name(TreeNode):
    id: str


@record
class Constant(TreeNode):
    """int, float, complex, bool, str, bytes, None or Ellipsis."""

    value: Any


@record
class FormattedString(TreeNode):
    """Text parts and (expression, conversion, format spec) parts; a spec with `{}` in it is a FormattedString itself."""

    parts: tuple[str | tuple[Expression, str, str | FormattedString], ...]


@record
class Attribute(TreeNode):
    value: Expression
    name: str


@record
class Subscript(TreeNode):
    value: Expression
    index: Expression  # a TupleExpression where several


@record
class Slice(TreeNode):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@record
class TupleExpression(TreeNode):
    elements: tuple[Expression, ...]


@record
class ListExpression(TreeNode):
    elements: tuple[Expression, ...]


@record
class SetExpression(TreeNode):
    elements: tuple[Expression, ...]


@record
class DictExpression(TreeNode):
    """A key of None means `**value`."""

    items: tuple[tuple[Expression | None, Expression], ...]


@record
class Unary(TreeNode):
    """op: `-` `+` `~` `not`."""

    op: str
    operand: Expression


@record
class Binary(TreeNode):
    """op: `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expression
    right: Expression


@record
class Compare(TreeNode):
    """left ops[0] rights[0] ops[1] rights[1] ...; op: `== != < <= > >= is`, `is not`, `in`, `not in`."""

    left: Expression
    ops: tuple[str, ...]
    rights: tuple[Expression, ...]


@record
class Logical(TreeNode):
    """op: `and` `or`."""

    op: str
    values: tuple[Expression, ...]


@record
class Conditional(TreeNode):
    test: Expression
    then: Expression
    otherwise: Expression


@record
class Keyword(TreeNode):
    """name is None for `**value`."""

    name: str | None
    value: Expression


@record
class Call(TreeNode):
    function: Expression
    arguments: tuple[Expression, ...]  # a Starred for `*x`
    keywords: tuple[Keyword, ...] = ()


@record
class Starred(TreeNode):
    value: Expression


@record
class Lambda(TreeNode):
    function: Function  # named `<lambda>`, its body a single Return


@record
class Clause(TreeNode):
    """`for target in iterable if conditions...`."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@record
class Comprehension(TreeNode):
    """kind: list, set, dict, generator; key only for dict."""

    kind: str
    key: Expression | None
    element: Expression
    clauses: tuple[Clause, ...]


@record
class NamedExpression(TreeNode):
    target: Name
    value: Expression


@record
class Binder(TreeNode):
    """An index variable of index notation, with its half-open range `start..stop` where it is given."""

    name: str
    start: Expression | None = None
    stop: Expression | None = None


@record
class Reduction(TreeNode):
    """`sum[k, l if condition] body`: kind is one of REDUCTION_KINDS."""

    kind: str
    indexes: tuple[Binder, ...]
    condition: Expression | None
    body: Expression


REDUCTION_KINDS = ("sum", "prod", "max", "min", "mean", "argmax", "argmin", "any", "all", "count")


@record
class Refused(TreeNode):
    """A statement or expression outside the subset: kept so that the whole function still parses.

    `code` names its diagnostic in the catalogue (e.g. "unsupported-try"); reported when it is evaluated or checked.
    `what` is its text, in Python's canonical form.
    """

    code: str
    what: str


Expression = (
    Name | Constant | FormattedString | Attribute | Subscript | Slice | TupleExpression | ListExpression | SetExpression
    | DictExpression | Unary | Binary | Compare | Logical | Conditional | Call | Starred | Lambda | Comprehension | NamedExpression
    | Reduction | Refused
)  # fmt: skip


# ---- statements ----


@record
class Assign(TreeNode):
    """targets: one per `=`; several for `a = b = value`."""

    targets: tuple[Expression, ...]
    value: Expression


@record
class AugmentedAssign(TreeNode):
    target: Expression
    op: str
    value: Expression


@record
class AnnotatedAssign(TreeNode):
    target: Expression
    annotation: Expression
    value: Expression | None


@record
class TensorDefinition(TreeNode):
    """`let name[subscripts] = value where condition else otherwise`: a tensor, or a part of one, by index notation.

    A subscript is a Binder (an index variable), an expression over index variables, or a Constant of Ellipsis for leading axes.
    `op` is empty, or what an update combines with (`+ * max min`): `let h[bins[i]] += 1`.
    """

    name: str
    subscripts: tuple[Binder | Expression, ...]
    op: str
    value: Expression
    condition: Expression | None = None
    otherwise: Expression | None = None


@record
class If(TreeNode):
    test: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@record
class For(TreeNode):
    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@record
class While(TreeNode):
    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@record
class Return(TreeNode):
    value: Expression | None


@record
class Break(TreeNode):
    pass


@record
class Continue(TreeNode):
    pass


@record
class Pass(TreeNode):
    pass


@record
class Assert(TreeNode):
    test: Expression
    message: Expression | None


@record
class ExpressionStatement(TreeNode):
    value: Expression


@record
class With(TreeNode):
    """items: (context expression, target or None)."""

    items: tuple[tuple[Expression, Expression | None], ...]
    body: tuple[Statement, ...]


@record
class Parameter(TreeNode):
    """kind: positional-only, positional, keyword, varargs (`*args`), varkeywords (`**kwargs`)."""

    name: str
    annotation: Expression | None
    default: Expression | None
    kind: str = "positional"


@record
class Function(TreeNode):
    """A definition. `exported` is kernel (True) or def (False) in .stx.

    `facts` are the header's `where` clauses: conditions on sizes as they are, and `T: float` as the comparison `T in float`;
    so is the bound of a PEP 695 parameter. `type_parameters` keep the star of `*B`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    returns: Expression | None = None
    doc: str | None = None
    type_parameters: tuple[str, ...] = ()
    facts: tuple[Expression, ...] = ()
    exported: bool = False
    decorators: tuple[Expression, ...] = ()


@record
class Import(TreeNode):
    """`from module import name as alias`, or `import module as alias` with names == ()."""

    module: str
    names: tuple[tuple[str, str | None], ...]
    alias: str | None = None


Statement = (
    Assign | AugmentedAssign | AnnotatedAssign | TensorDefinition | If | For | While | Return | Break | Continue | Pass | Assert
    | ExpressionStatement | With | Refused | Function | Import
)  # fmt: skip


@record
class Module(TreeNode):
    """A .stx file: imports, consts (as Assign), functions, in order."""

    name: str
    doc: str | None
    items: tuple[Statement, ...]
