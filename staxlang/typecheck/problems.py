"""What stops the evaluation of an expression: a diagnostic to report, or (in checking only) something that cannot be known."""

from __future__ import annotations

from staxlang.base.diagnostics import Diagnostic


class Problem(Exception):
    """A diagnostic on its way to whoever reports it: raised in evaluation, caught by `evaluate` and, in checking, by statements."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.code)
        self.diagnostic = diagnostic


class Unknowable(Exception):
    """Raised in checking where a value that only a call can tell is needed: the expression around it is unknown, silently."""
