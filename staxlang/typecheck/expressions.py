"""Expressions: each class of tree to the value that it has in a frame."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from staxlang.base.deferred import deferred
from staxlang.base.diagnostics import Diagnostic, Note
from staxlang.base.suggestions import did_you_mean
from staxlang.parser import tree
from staxlang.typecheck import attributes, binding, branches, containers, operators
from staxlang.typecheck.calls import invoke
from staxlang.typecheck.context import source_text
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.joins import join, restore, snapshot
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    ArrayValue,
    FunctionValue,
    IteratorValue,
    SliceValue,
    StaticValue,
    Value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.index_notation import comprehensions, guards, reductions
else:
    comprehensions = deferred("staxlang.typecheck.index_notation.comprehensions")
    guards = deferred("staxlang.typecheck.index_notation.guards")
    reductions = deferred("staxlang.typecheck.index_notation.reductions")

_NUMBERS = (int, float, complex)


def name(frame: Frame, node: tree.Name) -> Value:
    try:
        value = frame.lookup(node.id)
    except Problem as problem:  # what the name captures cannot be used: this is where it is
        known = problem.diagnostic
        if known.span is not None:
            raise
        raise Problem(Diagnostic(known.kind, known.message, frame.span(node), known.notes, known.help)) from None
    if value is None:
        missing_name(frame, node)
    return value


def missing_name(frame: Frame, node: tree.Name) -> None:
    owner = frame.owner
    lost = frame.context.branches.lost.get((id(owner), node.id))
    if lost is not None:
        note = Note(frame.span(node), f"`{node.id}` is used here")
        frame.call(node).error("branch-mismatch", left=lost[0], right=lost[1], notes=(note,))
    if node.id in (owner.function.bound or ()):
        frame.call(node).error("unbound-local", name=node.id)
    python = owner.function.python
    known = {*owner.locals, *frame.locals, *dir(builtins), *(python.__globals__ if python is not None else ())}
    known.update(getattr(owner.function.scope, "names", tuple)())  # of a .stx file
    frame.call(node).error("unknown-name", name=node.id, help=did_you_mean(node.id, known))


def constant(frame: Frame, node: tree.Constant) -> Value:
    return StaticValue(node.value)


def formatted_string(frame: Frame, node: tree.FormattedString) -> Value:
    parts: list[str] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        expression, conversion, spec = part
        call = frame.call(expression)
        value = call.static(frame.evaluate(expression), f"`{source_text(expression)}` in a formatted string")
        value = _CONVERSIONS[conversion](value) if conversion else value
        if not isinstance(spec, str):
            spec = formatted_string(frame, spec).value
        try:
            parts.append(format(value, spec))
        except (TypeError, ValueError) as error:
            containers.static_error(call, error)
    return StaticValue("".join(parts))


_CONVERSIONS: Mapping[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def attribute(frame: Frame, node: tree.Attribute) -> Value:
    return attributes.attribute(frame.call(node), frame.evaluate(node.value), node.name)


def subscript(frame: Frame, node: tree.Subscript) -> Value:
    value = frame.evaluate(node.value)
    call = frame.call(node)
    found = containers.subscript(call, value, frame.evaluate(node.index))
    read_flat = type(node.value) is tree.Attribute and node.value.name == "flat" and type(found) is ArrayValue and not found.scalar
    return call.copy(found) if read_flat else found  # NumPy's flat iterator gives copies of what is read


def slice_(frame: Frame, node: tree.Slice) -> Value:
    return SliceValue(_bound(frame, node.lower), _bound(frame, node.upper), _bound(frame, node.step))


def _bound(frame: Frame, node: Any) -> Value | None:
    if node is None:
        return None
    value = frame.evaluate(node)
    return None if type(value) is StaticValue and value.value is None else value


def elements(frame: Frame, nodes: tuple[Any, ...]) -> list[Value]:
    """The values of a display's or call's elements, `*x` spread."""
    found: list[Value] = []
    for node in nodes:
        if type(node) is tree.Starred:
            found.extend(containers.items(frame.call(node.value), frame.evaluate(node.value), source_text(node.value)))
        else:
            found.append(frame.evaluate(node))
    return found


def tuple_expression(frame: Frame, node: tree.TupleExpression) -> Value:
    return tuple(elements(frame, node.elements))


def list_expression(frame: Frame, node: tree.ListExpression) -> Value:
    return elements(frame, node.elements)


def set_expression(frame: Frame, node: tree.SetExpression) -> Value:
    call = frame.call(node)
    return StaticValue(frozenset(call.static(value, "an element of a set") for value in elements(frame, node.elements)))


def dict_expression(frame: Frame, node: tree.DictExpression) -> Value:
    made: dict[Any, Value] = {}
    for key, value in node.items:
        if key is None:
            made.update(containers.mapping(frame.call(value), frame.evaluate(value)))
        else:
            made[_key(frame, key)] = frame.evaluate(value)
    return made


def _key(frame: Frame, node: Any) -> Any:
    call = frame.call(node)
    value = frame.evaluate(node)
    found = call.static(value, "a dictionary's key")
    try:
        hash(found)
    except TypeError:
        call.error("unhashable-key", given=call.describe(value))
    return found


def unary(frame: Frame, node: tree.Unary) -> Value:
    operand = test_value(frame, node.operand) if node.op == "not" else frame.evaluate(node.operand)
    if node.op == "not" and frame.context.indices.active:
        kept = guards.negated(frame.call(node), operand)
        if kept is not None:
            return kept
    if type(operand) is StaticValue and node.op == "-" and type(operand.value) in _NUMBERS:
        return StaticValue(-operand.value)
    return operators.unary(frame.call(node), node.op, operand)


def binary(frame: Frame, node: tree.Binary) -> Value:
    left = frame.evaluate(node.left)
    right = frame.evaluate(node.right)
    return operators.binary(frame.call(node), node.op, left, right)


def compare(frame: Frame, node: tree.Compare) -> Value:
    """A chain stops at the first comparison that is false."""
    call = frame.call(node)
    left = frame.evaluate(node.left)
    result: Value = TRUE
    for index, (op, right_node) in enumerate(zip(node.ops, node.rights, strict=True)):
        right = frame.evaluate(right_node)
        result = operators.comparison(call, op, left, right)
        if index < len(node.ops) - 1:
            if frame.context.indices.active:
                test = guards.test_of(call, result)
                if test is not None:
                    return guards.chain(frame, node, index + 1, right, test)
            kept = _kept(frame, node, result)
            if kept is not None:
                return _kept_chain(frame, node, index + 1, right, kept)
            answer = call.truth(result, source_text(node))
            if answer is None:
                return UNKNOWN
            if not answer:
                return result
        left = right
    return result


def _kept(frame: Frame, node: Any, value: Value) -> ArrayValue | None:
    """The condition of a branch that stays in the program here; None where it is decided now."""
    if frame.context.checking or not frame.context.branches.keeps:
        return None
    return binding.kept_condition(frame.call(node), value, source_text(node))


def _kept_chain(frame: Frame, node: tree.Compare, index: int, left: Value, holds: ArrayValue) -> Value:
    """A chain whose first comparisons are data: true where all of them hold. Comparisons have no effects, so all are made."""
    call = frame.call(node)
    for op, right_node in zip(node.ops[index:], node.rights[index:], strict=True):
        right = frame.evaluate(right_node)
        one = operators.comparison(call, op, left, right)
        kept = binding.kept_condition(call, one, source_text(node), always=True)
        if kept is not None:
            holds = call.to_array(call.pointwise("logical_and", (holds, kept)))
        elif not call.truth(one, source_text(node)):
            return FALSE
        left = right
    return holds


def test_value(frame: Frame, node: Any) -> Value:
    """The value of a test, of which only the truth counts: parts of `and` and `or` that are data may be of different types."""
    if type(node) is tree.Logical:
        return logical(frame, node, test=True)
    return frame.evaluate(node)


def logical(frame: Frame, node: tree.Logical, test: bool = False) -> Value:
    if frame.context.indices.active:
        return guards.logical(frame, node)
    stops = node.op == "or"
    value: Value = NONE
    for index, part in enumerate(node.values):
        value = test_value(frame, part) if test else frame.evaluate(part)
        if index == len(node.values) - 1:
            break
        kept = _kept(frame, part, value)
        if kept is not None:
            rest = node.values[index + 1] if index + 2 == len(node.values) else tree.Logical(node.span, node.op, node.values[index + 1 :])
            return _kept_logical(frame, node, kept, value, rest, test)
        answer = frame.call(part).truth(value, source_text(part))
        if answer is None:
            return _undecided_logical(frame, node.values[index + 1 :], value)
        if answer is stops:
            break
    return value


def _undecided_logical(frame: Frame, rest: tuple[Any, ...], value: Value) -> Value:
    for part in rest:
        value = join(frame.context, value, frame.evaluate(part))
    return value


def _kept_logical(frame: Frame, node: tree.Logical, kept: ArrayValue, value: Value, rest: Any, test: bool) -> Value:
    """`a and b`, `a or b` where `a` is data: the other is evaluated as one side of a branch. Of two bools the result is one."""

    def other() -> Value:
        if test:
            return binding.truth_array(frame.call(rest), test_value(frame, rest), source_text(rest))
        second = frame.evaluate(rest)
        return binding.bool_array(call, second) if truth else second

    call = frame.call(node)
    truth = test or binding.is_bool(value)
    first = kept if truth else value
    if node.op == "and":
        return branches.choose(call, kept, other, lambda: first)
    return branches.choose(call, kept, lambda: first, other)


def conditional(frame: Frame, node: tree.Conditional) -> Value:
    test = test_value(frame, node.test)
    if frame.context.indices.active:
        stays = guards.test_of(frame.call(node.test), test)
        if stays is not None:
            return guards.conditional(frame, node, stays, lambda: frame.evaluate(node.then), lambda: frame.evaluate(node.otherwise))
    kept = _kept(frame, node.test, test)
    if kept is not None:
        return branches.choose(frame.call(node), kept, lambda: frame.evaluate(node.then), lambda: frame.evaluate(node.otherwise))
    answer = frame.call(node.test).truth(test, source_text(node.test))
    if answer is not None:
        return frame.evaluate(node.then if answer else node.otherwise)
    before = snapshot(frame)
    then = frame.evaluate(node.then)
    restore(frame, before)
    return join(frame.context, then, frame.evaluate(node.otherwise))


def call(frame: Frame, node: tree.Call) -> Value:
    function = frame.evaluate(node.function)
    if len(node.arguments) != 1 or type(node.arguments[0]) is not tree.Comprehension:
        return _called(frame, node, function)
    function = comprehensions.in_pythons_words(node, function)
    made = comprehensions.as_tensor(frame, node, function, lambda: _called(frame, node, function))
    return _called(frame, node, function) if made is None else made


def reduction(frame: Frame, node: tree.Reduction) -> Value:
    return reductions.reduction(frame, node)


def _called(frame: Frame, node: tree.Call, function: Value) -> Value:
    args = elements(frame, node.arguments)
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = frame.evaluate(keyword.value)
        if keyword.name is not None:
            kwargs[keyword.name] = value
            continue
        for key, item in containers.mapping(frame.call(keyword.value), value).items():
            if key in kwargs:
                frame.call(node).error("duplicate-argument", function=source_text(node.function), name=key)
            kwargs[key] = item
    return invoke(frame.call(node), function, args, kwargs)


def starred(frame: Frame, node: tree.Starred) -> Value:
    frame.call(node).error("unsupported-syntax", what="`*` outside of a call, a tuple, a list or an assignment")


def lambda_(frame: Frame, node: tree.Lambda) -> Value:
    return function_of(frame, node.function)


def function_of(frame: Frame, node: tree.Function) -> FunctionValue:
    """A function defined in a frame: its defaults are evaluated now, its free names when they are read."""
    defaults = {parameter.name: frame.evaluate(parameter.default) for parameter in node.parameters if parameter.default is not None}
    return FunctionValue(node, frame, defaults, frame.library)


def named(frame: Frame, node: tree.NamedExpression) -> Value:
    value = frame.evaluate(node.value)
    frame.owner.locals[node.target.id] = value
    return value


def refused(frame: Frame, node: tree.Refused) -> Value:
    refuse(frame, node)


def refuse(frame: Frame, node: tree.Refused) -> NoReturn:
    call = frame.call(node)
    call.error(node.code, what=node.what)


# ---- comprehensions ----


def comprehension(frame: Frame, node: tree.Comprehension) -> Value:
    inner = frame.inner()
    found: list[Value] = []
    pairs: dict[Any, Value] = {}

    def add() -> None:
        if node.kind == "dict":
            key = _key(inner, node.key)
            pairs[key] = inner.evaluate(node.element)
        else:
            found.append(inner.evaluate(node.element))

    try:
        _clauses(inner, node.clauses, 0, add)
    except Unknowable:
        return UNKNOWN
    if node.kind == "dict":
        return pairs
    if node.kind == "set":
        return StaticValue(frozenset(frame.call(node).static(value, "an element of a set") for value in found))
    return found if node.kind == "list" else IteratorValue(found, "generator")


def _clauses(frame: Frame, clauses: tuple[tree.Clause, ...], depth: int, add: Callable[[], None]) -> None:
    if depth == len(clauses):
        add()
        return
    clause = clauses[depth]
    call = frame.call(clause.iterable)
    values = containers.items(call, frame.evaluate(clause.iterable), source_text(clause.iterable))
    count_iterations(frame, clause.iterable, len(values))
    for value in values:
        bind(frame, clause.target, value)
        for condition in clause.conditions:
            answer = frame.call(condition).truth(frame.evaluate(condition), source_text(condition))
            if answer is None:
                raise Unknowable
            if not answer:
                break
        else:
            _clauses(frame, clauses, depth + 1, add)


def count_iterations(frame: Frame, node: Any, count: int) -> None:
    """Every round of a static loop becomes code: over the limit that is an error, not a slow compile."""
    limit = frame.context.unroll_limit
    if count > limit:
        frame.call(node).error("unroll-limit", count=str(count), limit=str(limit), setting="static_loop_limit")


# ---- binding ----


def bind(frame: Frame, target: Any, value: Value) -> None:
    """Give a value to an assignment's target."""
    kind = type(target)
    if kind is tree.Name:
        frame.locals[target.id] = value
    elif kind is tree.TupleExpression or kind is tree.ListExpression:
        _unpack(frame, target, value)
    elif kind is tree.Subscript:
        owner = frame.evaluate(target.value)
        containers.assign(frame.call(target), owner, frame.evaluate(target.index), value)
    elif kind is tree.Attribute:
        attributes.assign(frame.call(target), frame.evaluate(target.value), target.name, value)
    elif kind is tree.Starred:
        bind(frame, target.value, containers.items(frame.call(target), value, source_text(target.value)))
    else:
        frame.call(target).error("not-writable", what=f"`{source_text(target)}`")


def _unpack(frame: Frame, target: Any, value: Value) -> None:
    wanted = target.elements
    if value is UNKNOWN:
        for part in wanted:
            bind(frame, part, UNKNOWN)
        return
    found = containers.items(frame.call(target), value, "the right side of the assignment")
    star = next((index for index, part in enumerate(wanted) if type(part) is tree.Starred), None)
    if star is None:
        if len(found) != len(wanted):
            frame.call(target).error("unpack-mismatch", expected=str(len(wanted)), given=str(len(found)))
        for part, item in zip(wanted, found, strict=True):
            bind(frame, part, item)
        return
    after = len(wanted) - star - 1
    if len(found) < len(wanted) - 1:
        frame.call(target).error("unpack-mismatch", expected=f"at least {len(wanted) - 1}", given=str(len(found)))
    for part, item in zip(wanted[:star], found[:star], strict=True):
        bind(frame, part, item)
    bind(frame, wanted[star].value, found[star : len(found) - after])
    for part, item in zip(wanted[star + 1 :], found[len(found) - after :], strict=True):
        bind(frame, part, item)


EXPRESSIONS: Mapping[type, Callable[[Frame, Any], Value]] = {
    tree.Name: name, tree.Constant: constant, tree.FormattedString: formatted_string, tree.Attribute: attribute, tree.Subscript: subscript,
    tree.Slice: slice_, tree.TupleExpression: tuple_expression, tree.ListExpression: list_expression, tree.SetExpression: set_expression,
    tree.DictExpression: dict_expression, tree.Unary: unary, tree.Binary: binary, tree.Compare: compare, tree.Logical: logical,
    tree.Conditional: conditional, tree.Call: call, tree.Starred: starred, tree.Lambda: lambda_, tree.Comprehension: comprehension,
    tree.NamedExpression: named, tree.Refused: refused, tree.Reduction: reduction,
}  # fmt: skip
