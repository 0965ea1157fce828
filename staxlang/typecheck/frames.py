"""A frame: one call of a function being evaluated - its names, its place in the chain of calls, the rules that its trees go through."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from staxlang.base.diagnostics import Note
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck.context import CallContext, EvaluationContext
from staxlang.typecheck.values import UNKNOWN, ArrayValue, FunctionValue, NamespaceValue, Value

Signal = str | None
After = Callable[[], Signal]
"""What is left to do behind a loop, of the loop around it."""
RETURN, BREAK, CONTINUE = "return", "break", "continue"


class Rules:
    """What each class of tree means. Made by evaluator.py, so that the evaluator's modules need not import each other in a circle."""

    __slots__ = ("expressions", "statements")

    def __init__(
        self, expressions: Mapping[type, Callable[[Frame, Any], Value]], statements: Mapping[type, Callable[[Frame, Any], Signal]]
    ) -> None:
        self.expressions = dict(expressions)
        self.statements = dict(statements)


class Frame:
    """`outer` is the enclosing frame of a comprehension, whose names it sees and where walrus binds. `site` is where it was called."""

    __slots__ = (
        "caller", "context", "declared", "depth", "exits", "function", "library", "live", "locals", "outer", "results", "returned",
        "returned_at", "rules", "site", "statics", "ways",
    )  # fmt: skip

    def __init__(self, context: EvaluationContext, rules: Rules, function: FunctionValue, caller: Frame | None, site: Span | None) -> None:
        self.context = context
        self.rules = rules
        self.function = function
        self.locals: dict[str, Value] = {}
        self.declared: Any = None  # what the names of the function's header are bound to (annotations.Binding)
        self.caller = caller
        self.site = site
        self.depth = caller.depth + 1 if caller is not None else 0
        self.library = function.library
        self.returned: Value = None
        self.returned_at: Span | None = None
        self.results: list[Value] = []  # in checking: what each `return` gave
        self.exits: list[tuple[str, Any]] = []  # the states at `break` and `continue` under undecided (Snapshot) and kept branches (Exit)
        self.ways: list[Any] = []  # the states (branches.Exit) at `return` under branches that stay in the program
        self.live = context.branches.live
        self.outer: Frame | None = None
        self.statics: Any = None  # in checking: what is known of its arguments (see calls.py)

    def inner(self) -> Frame:
        """The frame of a comprehension."""
        made = Frame(self.context, self.rules, self.function, self.caller, self.site)
        made.depth = self.depth
        made.outer = self
        return made

    def evaluate(self, expression: Any) -> Value:
        return self.rules.expressions[type(expression)](self, expression)

    def execute(self, statement: Any) -> Signal:
        return self.rules.statements[type(statement)](self, statement)

    def call(self, expression: Any) -> CallContext:
        """The context of an operation written at a tree."""
        return CallContext(self.context, self.site if self.library else expression.span, expression, self)

    def span(self, expression: Any) -> Span | None:
        """The user's place of a tree: for library code, where the library was called."""
        return self.site if self.library else expression.span

    # ---- names ----

    def lookup(self, name: str, context: Any = None) -> Value | None:
        """A name's value; None where it is not bound. (A frame is the scope of the functions defined in it.)"""
        value = self.locals.get(name)
        if value is not None:
            return value
        if self.outer is not None:
            return self.outer.lookup(name)
        if name in bound_names(self.function):
            return None
        return self.function.scope.lookup(name, self.context)

    def bind(self, name: str, value: Value) -> None:
        self.locals[name] = value

    @property
    def owner(self) -> Frame:
        """The function's own frame."""
        frame = self
        while frame.outer is not None:
            frame = frame.outer
        return frame

    # ---- for diagnostics ----

    def notes(self) -> tuple[Note, ...]:
        """The chain of calls that led here, innermost first, at most three."""
        found: list[Note] = []
        frame: Frame | None = self
        while frame is not None and frame.site is not None:
            if frame.library:
                if frame.caller is not None and not frame.caller.library:
                    inside = "" if frame.function.name.startswith("_") else f"`{frame.function.name}` of "
                    found.append(Note(None, f"in {inside}the standard library{frame._arrays()}"))
            else:
                note = Note(frame.site, f"`{frame.function.name}` is called here")
                if note not in found:  # a recursion's calls are all one line
                    found.append(note)
            frame = frame.caller
        return tuple(found[:3])

    def _arrays(self) -> str:
        """What arrays a function of the library was given, by its parameters' names, which are NumPy's."""
        rebound = {name for statement in self.function.tree.body for name in bindings(statement)}
        given = [(one.name, self.locals.get(one.name)) for one in self.function.tree.parameters if one.name not in rebound]
        told = [f"{name}: {TensorType(value.type.dtype, value.type.shape)}" for name, value in given if isinstance(value, ArrayValue)]
        return f" ({', '.join(told[:3])})" if told else ""

    def is_method_call(self, call: tree.Call) -> bool:
        """Is `a.f(...)` a call of a method of a value (then `a` is its first argument), not of a module's function?"""
        target = call.function
        while isinstance(target, tree.Attribute):
            target = target.value
        if not isinstance(target, tree.Name):
            return True
        value = self.lookup(target.id)
        return value is None or not _is_namespace(value)


def _is_namespace(value: Value) -> bool:
    stored = getattr(value, "value", None) or getattr(value, "object", None)
    return type(value) is NamespaceValue or type(stored).__name__ == "module" or isinstance(stored, type)


def bound_names(function: FunctionValue) -> frozenset[str]:
    """The names that a function binds: in Python they are local everywhere in it."""
    if function.bound is None:
        names = {parameter.name for parameter in function.tree.parameters}
        for statement in function.tree.body:
            names.update(bindings(statement))
        function.bound = frozenset(names)
    return function.bound


def bindings(node: Any) -> Iterator[str]:
    """The names that a statement binds, and walrus in its expressions, once for each binding; functions and comprehensions inside keep
    theirs."""
    kind = type(node)
    if kind is tree.Function:
        yield node.name
        return
    if kind is tree.Lambda:
        return
    if kind is tree.Assign:
        for target in node.targets:
            yield from bound_by(target)
    elif kind is tree.AugmentedAssign or kind is tree.AnnotatedAssign or kind is tree.For or kind is tree.NamedExpression:
        yield from bound_by(node.target)
    elif kind is tree.TensorDefinition:
        yield node.name
    elif kind is tree.With:
        for _, target in node.items:
            if target is not None:
                yield from bound_by(target)
    for child in children(node):
        yield from bindings(child)


def bound_by(target: Any) -> frozenset[str]:
    """The names that an assignment to a target binds."""
    names: set[str] = set()
    _targets(target, names)
    return frozenset(names)


def _targets(target: Any, names: set[str]) -> None:
    kind = type(target)
    if kind is tree.Name:
        names.add(target.id)
    elif kind is tree.TupleExpression or kind is tree.ListExpression:
        for element in target.elements:
            _targets(element, names)
    elif kind is tree.Starred:
        _targets(target.value, names)


def reads_unknown(frame: Frame, node: Any) -> bool:
    """Does a tree read a name of which, in checking, nothing is known?"""
    if type(node) is tree.Name and frame.lookup(node.id) is UNKNOWN:
        return True
    return any(reads_unknown(frame, child) for child in children(node))


def children(node: Any) -> list[Any]:
    """The trees directly below a tree."""
    found: list[Any] = []
    for name in _FIELDS.get(type(node), ()):
        _gather(getattr(node, name), found)
    return found


def _gather(part: Any, found: list[Any]) -> None:
    if isinstance(part, tree.TreeNode):
        found.append(part)
    elif isinstance(part, tuple):
        for element in part:
            _gather(element, found)


_FIELDS: Mapping[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind.__match_args__ if name != "span")
    for kind in vars(tree).values()
    if isinstance(kind, type) and issubclass(kind, tree.TreeNode)
}
