"""A call's positional and keyword objects to parameters, as Python binds them; and where the native entry finds each of them."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, NoReturn

from staxlang.base.records import NamedTuple
from staxlang.runtime import late

_VARARGS, _VARKEYWORDS = 0x04, 0x08

CallShape = tuple[int, tuple[str, ...]]
"""How a call was written: how many positional objects, and the names of the keyword ones in order."""


ASKING = "`explain` and `show` take the arguments of a call: those of a method, with the instance first"


class Bound(NamedTuple):
    """Parameters by name. A `*args` parameter holds a tuple, a `**kwargs` one a dict. `given` says which were passed, not defaulted."""

    values: dict[str, Any]
    shape: CallShape
    given: frozenset[str]


class Binder:
    """Binds calls to one function's parameters."""

    def __init__(self, function: FunctionType) -> None:
        code = function.__code__
        self.function = function
        self.code = code
        self.name = function.__name__
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        self.positional = code.co_varnames[:count]
        self.positional_only = frozenset(code.co_varnames[: code.co_posonlyargcount])
        self.keyword_only = code.co_varnames[count : count + keyword_only]
        rest = list(code.co_varnames[count + keyword_only :])
        self.varargs = rest.pop(0) if code.co_flags & _VARARGS else None
        self.varkeywords = rest.pop(0) if code.co_flags & _VARKEYWORDS else None

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters, in the order of their definition."""
        found = list(self.positional)
        if self.varargs is not None:
            found.append(self.varargs)
        found.extend(self.keyword_only)
        if self.varkeywords is not None:
            found.append(self.varkeywords)
        return tuple(found)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], asking: bool = False) -> Bound:
        """Raises the diagnostic of a wrong call: too many, unknown, twice or missing arguments. `asking`: for `explain` or `show`."""
        values: dict[str, Any] = dict(zip(self.positional, args, strict=False))
        extra = args[len(self.positional) :]
        more: dict[str, Any] = {}
        if extra and self.varargs is None:
            self._refuse("too-many-arguments", expected=len(self.positional), given=len(args))
        for name, value in kwargs.items():
            known = name in self.keyword_only or (name in self.positional and name not in self.positional_only)
            if known:
                if name in values:
                    self._refuse("duplicate-argument", name=name)
                values[name] = value
            elif self.varkeywords is not None:
                more[name] = value
            else:
                code = "positional-only" if name in self.positional_only else "unknown-keyword"
                self._refuse(code, late.suggestions().did_you_mean(name, self.names) if code == "unknown-keyword" else None, name=name)
        given = frozenset(values)
        self._defaults(values, ASKING if asking else None)
        if self.varargs is not None:
            values[self.varargs] = extra
        if self.varkeywords is not None:
            values[self.varkeywords] = more
        ordered = {name: values[name] for name in self.names}
        return Bound(ordered, (len(args), tuple(kwargs)), given)

    def _defaults(self, values: dict[str, Any], advice: str | None) -> None:
        defaults = self.function.__defaults__ or ()
        first = len(self.positional) - len(defaults)
        for index, name in enumerate(self.positional):
            if name not in values:
                if index < first:
                    self._refuse("missing-argument", advice, name=name)
                values[name] = defaults[index - first]
        named = self.function.__kwdefaults__ or {}
        for name in self.keyword_only:
            if name not in values:
                if name not in named:
                    self._refuse("missing-argument", advice, name=name)
                values[name] = named[name]

    def _refuse(self, code: str, advice: str | None = None, **fields: Any) -> NoReturn:
        """Raise what is wrong with a call, with what could be called."""
        note = f"{self.name}{inspect.signature(self.function)}   is defined at {self.code.co_filename}:{self.code.co_firstlineno}"
        late.raise_error(code, advice or None, (note,), function=self.name, **fields)

    def has_default(self, parameter: str) -> bool:
        defaults = self.function.__defaults__ or ()
        return parameter in self.positional[len(self.positional) - len(defaults) :] or parameter in (self.function.__kwdefaults__ or {})

    def default_index(self, parameter: str) -> int | None:
        """Where among the function's defaults the object is that stands for a parameter; None for a keyword-only one."""
        if parameter in self.keyword_only:
            return None
        return self.positional.index(parameter) - len(self.positional) + len(self.function.__defaults__ or ())

    def name_at(self, position: int) -> str:
        """What a positional object of a call is called in messages."""
        if position < len(self.positional):
            return self.positional[position]
        return f"{self.varargs or 'argument'}[{position - len(self.positional)}]"

    # ---- where the native entry finds a parameter ----

    def argument_index(self, parameter: str, shape: CallShape) -> int | None:
        """The place in the call's vector of a parameter's object; None where it was not passed (a default)."""
        positional, keywords = shape
        if parameter in self.positional:
            index = self.positional.index(parameter)
            if index < positional:
                return index
        return positional + keywords.index(parameter) if parameter in keywords else None

    def varargs_index(self, item: int) -> int:
        """The place in the call's vector of an element of `*args`."""
        return len(self.positional) + item
