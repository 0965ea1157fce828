"""Statements: each class of tree to its effect on a frame. A statement answers None, or how it left: return, break, continue."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from staxlang.base.deferred import deferred
from staxlang.base.diagnostics import demanded
from staxlang.parser import tree
from staxlang.typecheck import attributes, binding, containers, names, operators
from staxlang.typecheck.calls import invoke
from staxlang.typecheck.context import source_text
from staxlang.typecheck.control import CONTROL
from staxlang.typecheck.expressions import bind, function_of, refuse, test_value
from staxlang.typecheck.frames import RETURN, Frame, Signal
from staxlang.typecheck.in_place import in_place
from staxlang.typecheck.values import NONE, UNKNOWN, ArrayValue, MeaningValue, ScalarValue, StaticValue, Value

if TYPE_CHECKING:
    from staxlang.typecheck import raising
    from staxlang.typecheck.index_notation import definitions
else:
    raising = deferred("staxlang.typecheck.raising")
    definitions = deferred("staxlang.typecheck.index_notation.definitions")

_IGNORED_CONTEXTS = frozenset({"errstate", "printoptions", "catch_warnings", "nullcontext", "localcontext"})


def assign(frame: Frame, node: tree.Assign) -> Signal:
    value = frame.evaluate(node.value)
    for target in node.targets:
        if type(target) is tree.Name:
            frame.locals[target.id] = value
        else:
            bind(frame, target, value)
    return None


def augmented_assign(frame: Frame, node: tree.AugmentedAssign) -> Signal:
    """The target is evaluated once; what can change in place does."""
    target: Any = node.target
    call = frame.call(node)
    if type(target) is tree.Name:
        old = frame.evaluate(target)
        frame.locals[target.id] = in_place(call, node.op, old, frame.evaluate(node.value))
        return None
    owner = frame.evaluate(target.value)
    place = frame.call(target)
    if type(target) is tree.Attribute:
        old = attributes.attribute(place, owner, target.name)
        new = in_place(call, node.op, old, frame.evaluate(node.value))
        if new is not old:
            attributes.assign(place, owner, target.name, new)
        return None
    index = frame.evaluate(target.index)
    old = containers.subscript(place, owner, index)
    if type(old) is ArrayValue and type(owner) is ArrayValue and old.storage is not owner.storage:
        old.readonly = False  # a copy of chosen elements, which is put back below
        value = names.values_for(place, owner, binding.unpacked(place, index), frame.evaluate(node.value))
    else:
        value = frame.evaluate(node.value)
    new = in_place(call, node.op, old, value)
    if new is old and (isinstance(owner, (list, dict)) or (type(owner) is ArrayValue and old.storage is owner.storage)):
        return None  # changed where it is
    containers.assign(place, owner, index, new)
    return None


def annotated_assign(frame: Frame, node: tree.AnnotatedAssign) -> Signal:
    if node.value is not None:
        bind(frame, node.target, frame.evaluate(node.value))
    return None


def return_(frame: Frame, node: tree.Return) -> Signal:
    value = NONE if node.value is None else frame.evaluate(node.value)
    frame.owner.returned = value
    frame.owner.returned_at = node.span
    if frame.context.checking:
        frame.owner.results.append(value)
    return RETURN


def pass_(frame: Frame, node: tree.Pass) -> Signal:
    return None


def assert_(frame: Frame, node: tree.Assert) -> Signal:
    """A condition on sizes becomes a guard, one on data a gate; what is false now is an error now."""
    call = frame.call(node.test)
    text = source_text(node.test)
    value = test_value(frame, node.test)
    if frame.context.branches.keeps and raising.asserted_inside(frame, node, value):
        return None
    if frame.context.checking and (type(value) is ArrayValue or value is UNKNOWN):
        return None
    answer = call.truth(value, text)
    if answer is None and type(value) is ScalarValue:
        condition = binding.condition_of(frame.context, value, call.span)
        if condition is not None:
            frame.context.assume(condition)
    if answer is False:
        message = ""
        if node.message is not None:
            shown = frame.evaluate(node.message)
            message = f": {shown.value}" if type(shown) is StaticValue else ""
        if frame.library:  # what it says is about the user's call; its names are not the user's
            code, requirement = demanded(message.removeprefix(": ") or text)
            call.error(code, requirement=requirement)
        call.error("assertion-failed", condition=text, message=message)
    return None


def expression_statement(frame: Frame, node: tree.ExpressionStatement) -> Signal:
    frame.evaluate(node.value)
    return None


def with_(frame: Frame, node: tree.With) -> Signal:
    """Contexts that only change warnings and printing have no meaning here (`np.errstate` but for checked mode); any other is refused."""
    quiet = frame.context.quiet
    for expression, target in node.items:
        called = expression.function if type(expression) is tree.Call else expression
        value = frame.evaluate(called)
        found = value.object if type(value) is MeaningValue else operators.plain_object(value)
        if getattr(found, "__name__", None) not in _IGNORED_CONTEXTS:
            frame.call(expression).error("unsupported-with", what=source_text(expression))
        if target is not None:
            bind(frame, target, NONE)
        quiet = quiet or getattr(found, "__name__", None) == "errstate"
    before, frame.context.quiet = frame.context.quiet, quiet
    try:
        for statement in node.body:
            signal = frame.execute(statement)
            if signal is not None:
                return signal
    finally:
        frame.context.quiet = before
    return None


def refused(frame: Frame, node: tree.Refused) -> Signal:
    if node.code != "unsupported-raise":
        refuse(frame, node)
    if frame.context.checking:  # a way out of the function that gives no result
        return RETURN
    if frame.context.branches.live is None:
        raising.raised(frame, node)
    return raising.raised_inside(frame, node)


def function(frame: Frame, node: tree.Function) -> Signal:
    value: Value = function_of(frame, node)
    for decorator in reversed(node.decorators):
        value = _decorated(frame, decorator, value)
    frame.locals[node.name] = value
    return None


def _decorated(frame: Frame, decorator: Any, value: Value) -> Value:
    """A decorator is called like any function; those of functools and staxlang leave the function as it is."""
    called = decorator.function if type(decorator) is tree.Call else decorator
    found = operators.plain_object(frame.evaluate(called))
    if getattr(found, "__module__", "").partition(".")[0] in ("functools", "staxlang"):
        return value
    return invoke(frame.call(decorator), frame.evaluate(decorator), [value], {})


def import_(frame: Frame, node: tree.Import) -> Signal:
    frame.call(node).error("unsupported-import")


def definition(frame: Frame, node: tree.TensorDefinition) -> Signal:
    return definitions.definition(frame, node)


STATEMENTS: Mapping[type, Callable[[Frame, Any], Signal]] = {
    tree.Assign: assign, tree.AugmentedAssign: augmented_assign, tree.AnnotatedAssign: annotated_assign, tree.Return: return_,
    tree.Pass: pass_, tree.Assert: assert_, tree.ExpressionStatement: expression_statement, tree.With: with_, tree.Refused: refused,
    tree.Function: function, tree.Import: import_, tree.TensorDefinition: definition, **CONTROL,
}  # fmt: skip
