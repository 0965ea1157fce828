"""What stops the evaluation of an expression: a diagnostic to report, or (in checking only) something that cannot be known."""

from __future__ import annotations

from typing import Any

from staxlang.base.diagnostics import Diagnostic


class Problem(Exception):
    """A diagnostic on its way to whoever reports it: raised in evaluation, caught by `evaluate` and, in checking, by statements."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.code)
        self.diagnostic = diagnostic


class Unknowable(Exception):
    """Raised in checking where a value that only a call can tell is needed: the expression around it is unknown, silently."""


_PLAIN: tuple[type[Any], ...] = (dict, list, tuple, str, bytes, set, frozenset, int, float, complex)


def plain_advice(value: Any, text: str) -> str | None:
    """What to pass in place of an object of a class that is derived from one of Python's own: kernels know only those themselves."""
    for base in _PLAIN:
        if isinstance(value, base) and type(value) is not base:
            return f"pass `{base.__name__}({text})`: kernels take Python's own {base.__name__}, not what is derived from it"
    return None
