"""Meanings: what a spelling (`np.sum`, `method.sum`, `word.sum`, `attribute.T`) does with abstract values; arguments bound as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from staxlang.base.spans import Span
from staxlang.typecheck.values import Meaning, Value

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

Implementation = Callable[..., Value]
_VARARGS, _VARKEYWORDS = 4, 8


class FunctionMeaning:
    """A meaning given by a Python function `(call, arguments..)`; its parameters' names and defaults are the operation's own."""

    __slots__ = ("accepts", "function", "keywords", "name", "positional", "required")

    def __init__(self, name: str, function: Implementation) -> None:
        code = function.__code__
        first = 1  # the call context
        self.name = name
        self.function = function
        self.positional: tuple[str, ...] = code.co_varnames[first : code.co_argcount]
        self.required = len(self.positional) - len(function.__defaults__ or ())
        self.keywords = frozenset(code.co_varnames[max(first, code.co_posonlyargcount) : code.co_argcount + code.co_kwonlyargcount])
        self.accepts = code.co_flags & (_VARARGS | _VARKEYWORDS)

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if len(args) > len(self.positional) and not self.accepts & _VARARGS:
            call.error("too-many-arguments", function=self.name, expected=len(self.positional), given=len(args))
        for name in kwargs:
            if name not in self.keywords and not self.accepts & _VARKEYWORDS:
                code = "positional-only" if name in self.positional else "unknown-keyword"
                call.error(code, function=self.name, name=name)
            if name in self.positional[: len(args)]:
                call.error("duplicate-argument", function=self.name, name=name)
        for name in self.positional[len(args) : self.required]:
            if name not in kwargs:
                call.error("missing-argument", function=self.name, name=name)
        return self.function(call, *args, **kwargs)

    def __repr__(self) -> str:
        return f"meaning {self.name}"


class LibraryMeaning:
    """A meaning written in the language: a function of the standard library."""

    __slots__ = ("function", "name")

    def __init__(self, name: str, function: str) -> None:
        self.name = name
        self.function = function

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if call.context.library(self.function) is None:
            call.error("unknown-operation", name=self.name)
        return call.library(self.function, args, kwargs)

    def __repr__(self) -> str:
        return f"meaning {self.name}"


class RefusedMeaning:
    """A function, or an attribute of arrays, that is known not to be an operation, with what to do instead."""

    __slots__ = ("advice", "attribute", "name")

    def __init__(self, name: str, advice: str | None = None, attribute: bool = False) -> None:
        self.name = name
        self.advice = advice
        self.attribute = attribute

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if self.attribute:
            call.error("unknown-attribute", what=f"{call.text(0)} in a kernel", name=self.name.removeprefix("."), help=self.advice)
        call.error("unknown-operation", name=self.name, help=self.advice)

    def __repr__(self) -> str:
        return f"refused {self.name}"


SPELLINGS: dict[str, Meaning] = {}
"""Every spelling of the surface modules, filled as they are imported."""


def spelled(*spellings: str) -> Callable[[Implementation], Implementation]:
    """Decorates the implementation of an operation: `@spelled("np.sum", "method.sum", "word.sum")`. The first names it in messages."""

    def declare(function: Implementation) -> Implementation:
        meaning = FunctionMeaning(spoken(spellings[0]), function)
        for spelling in spellings:
            own = meaning if spoken(spelling) == meaning.name else FunctionMeaning(spoken(spelling), function)
            SPELLINGS[spelling] = own
        return function

    return declare


def spoken(spelling: str) -> str:
    """A spelling as a user would say it: methods and attributes with a dot before them, words and builtins by their name."""
    kind, _, name = spelling.partition(".")
    if kind == "indexed":
        return f"np.{name}"
    if kind in ("method", "attribute"):
        return f".{name}"
    return name if kind in ("word", "python") else spelling
