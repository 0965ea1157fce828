"""`raise` and `assert`: of what is known when compiling, and of what the program tests when it runs."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
import sys
from typing import Any, NoReturn

from staxlang.base.diagnostics import diagnose_raised
from staxlang.base.dtypes import BOOL, I64
from staxlang.base.externs import RAISED
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.parser.python import raised_exception
from staxlang.typecheck import binding, operators
from staxlang.typecheck.context import CallContext, source_text
from staxlang.typecheck.expressions import refuse
from staxlang.typecheck.frames import RETURN, Frame, Signal
from staxlang.typecheck.problems import Problem, Unknowable
from staxlang.typecheck.values import NEVER, ArrayValue, StaticValue, Value


def raised(frame: Frame, node: tree.Refused) -> NoReturn:
    """A `raise` that was reached: this call raises, with the exception's own class and words."""
    kind, error = _exception(frame, node)
    raise Problem(diagnose_raised(error, kind, frame.span(node), frame.notes()))


def raised_inside(frame: Frame, node: tree.Refused) -> Signal:
    """A `raise` on a way that the program may take: a run-time check that it does not. The way gives no result."""
    parts = raised_exception(node.what)
    kind = _class(frame, parts[0]) if parts is not None else None
    if parts is None or kind is None or getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
        refuse(frame, node)
    call = frame.call(node)
    never = call.array(call.constant(False, BOOL), TensorType(BOOL, ()))
    fail_unless(call, never, kind, ", ".join([_shown(frame, part) for part in parts[1]]))
    frame.owner.returned, frame.owner.returned_at = NEVER, node.span
    return RETURN


def asserted_inside(frame: Frame, node: tree.Assert, value: Value) -> bool:
    """Whether an assertion is tested by the program when it runs: where it stands in what the program may not come to."""
    if frame.context.checking or frame.library:
        return False
    call = frame.call(node.test)
    holds = binding.kept_condition(call, value, source_text(node.test))
    if holds is None:
        return False
    fail_unless(call, holds, AssertionError, "" if node.message is None else _shown(frame, node.message))
    return True


def fail_unless(call: CallContext, holds: ArrayValue, kind: type[Exception], words: str) -> None:
    """The program raises, where it comes here with a condition that does not hold; then no argument has been written to."""
    live = call.context.branches.live
    if live is not None:
        holds = call.to_array(call.pointwise("logical_or", (call.pointwise("logical_not", (live,)), holds)))
    wrong = call.cast(call.pointwise("logical_not", (holds,)), I64)
    what = f"{RAISED}{kind.__module__}:{kind.__qualname__}:{words}"
    call.operation("assert_index", [wrong], TensorType(I64, ()), extent=1, what=what)


def _exception(frame: Frame, node: tree.Refused) -> tuple[type[Exception] | None, str]:
    """An exception's class, and its class and message in words: as far as they are known, else the text of the statement."""
    text = node.what.removeprefix("raise").strip() or "an exception"
    parts = raised_exception(node.what)
    kind = None if parts is None else _class(frame, parts[0])
    if parts is None or kind is None:
        return None, text
    try:
        words = [str(frame.call(node).static(frame.evaluate(part), "a part of the message")) for part in parts[1]]
    except (Problem, Unknowable):
        return kind, text
    return kind, ": ".join([kind.__name__, ", ".join(words)]) if words else kind.__name__


def _class(frame: Frame, named: Any) -> type[Exception] | None:
    name = named.id if type(named) is tree.Name else ""
    kind: Any = getattr(builtins, name, None) if name not in frame.locals else None
    try:
        kind = kind if isinstance(kind, type) else operators.plain_object(frame.evaluate(named))
    except (Problem, Unknowable):
        return None
    return kind if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, Warning) else None


def _shown(frame: Frame, node: Any) -> str:
    """A message that the program carries: what is known when compiling, and the names of what is not."""
    if type(node) is tree.FormattedString:
        return "".join([part if isinstance(part, str) else _part(frame, *part) for part in node.parts])
    return _part(frame, node, "", "")


def _part(frame: Frame, node: Any, conversion: str, spec: Any) -> str:
    value: Value = frame.evaluate(node)
    if type(value) is not StaticValue or not isinstance(spec, str):
        return f"{{{source_text(node)}}}"
    shown = {"r": repr, "a": ascii}.get(conversion, str)(value.value) if conversion else value.value
    return format(shown, spec)
