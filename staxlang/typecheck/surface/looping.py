"""Functions of the standard library whose loops go over data."""

from __future__ import annotations

from staxlang.typecheck.context import CallContext
from staxlang.typecheck.values import FunctionValue, Value


def looping(call: CallContext, name: str, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
    """The function with loops that stay in the program, as a user's do; those of other functions of the library are unrolled."""
    found = call.context.library(name)
    assert isinstance(found, FunctionValue)
    return call.call(FunctionValue(found.tree, found.scope, found.defaults, header=found.header), args, kwargs)
