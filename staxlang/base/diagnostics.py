"""Diagnostics pass through here: made from the catalogue's rows, rendered as text of at most 12 lines, raised as exceptions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from staxlang.base.deferred import deferred
from staxlang.base.records import record, replace
from staxlang.base.spans import Span

if TYPE_CHECKING:
    import unicodedata

    from staxlang.base.catalogue import DiagnosticKind
else:
    unicodedata = deferred("unicodedata")

MAX_LINES = 12
MAX_WIDTH = 110  # of a quoted source line; a longer one is cut around the caret


_SINGULAR = {"axes": "axis", "operands": "operand", "elements": "element", "numbers": "number", "indices": "index"}
_OF_ONE = re.compile(rf"(?<![\w.,(-])1 ({'|'.join(_SINGULAR)})\b")

_DEMANDS = {"TypeError: ": "kind-not-accepted", "IndexError: ": "place-not-accepted", "ZeroDivisionError: ": "division-not-accepted"}


def demanded(text: str) -> tuple[str, str]:
    """What a function of the library demands, as (code, demand). Its text may begin with NumPy's exception, `TypeError: ..`."""
    for exception, code in _DEMANDS.items():
        if text.startswith(exception):
            return code, text.removeprefix(exception)
    return "not-accepted", text


@record
class Note:
    """A line under the quoted source: where a shape came from, what was expected. Its place, if any, is told as `(line 11)`."""

    span: Span | None
    text: str


@record
class Diagnostic:
    """One finding. `kind` is the catalogue's row; `message` its filled-in template."""

    kind: DiagnosticKind
    message: str
    span: Span | None = None
    notes: tuple[Note, ...] = ()
    help: str | None = None

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def severity(self) -> str:
        """error or warning."""
        return self.kind.severity

    def render(self) -> str:
        """The text that users see."""
        return "\n".join(_lines(self))

    def __str__(self) -> str:
        return self.render()


def diagnose(
    code: str, span: Span | None = None, notes: Iterable[Note | str] = (), help: str | None = None, **fields: object
) -> Diagnostic:
    """The diagnostic `code` of the catalogue at a place; `fields` fill its template, and the template of its help.

    A note is a `Note`, or a text without a place. `help` replaces the row's own advice; "" leaves it out.

    >>> print(diagnose("unknown-name", name="xs"))
    error[unknown-name]: the name `xs` is not defined
       = help: assign it before this line, pass it as a parameter, or define it at module level
    """
    kind = _catalogue().get(code)
    if kind is None:
        raise LookupError(f"no diagnostic is called {code!r}; add a row to staxlang/base/catalogue")
    try:
        message = _OF_ONE.sub(lambda found: f"1 {_SINGULAR[found[1]]}", kind.template.format_map(fields))
        advice = kind.help.format_map(fields) if help is None else help
    except KeyError as missing:
        raise LookupError(f"the diagnostic {code!r} needs the field {missing.args[0]!r}") from None
    told = tuple(note if isinstance(note, Note) else Note(None, note) for note in notes)
    return Diagnostic(kind, _one_line(message), span, told, advice or None)


def diagnose_raised(error: str, kind: type[Exception] | None, span: Span | None, notes: Iterable[Note | str] = ()) -> Diagnostic:
    """What a `raise` of the user's function says, of the class that it names."""
    made = diagnose("raised", span, notes, error=error)
    return made if kind is None else replace(made, kind=made.kind._replace(raises=kind))


def written_exception(text: str) -> tuple[str, type[Exception]]:
    """An exception that a program carries as `module:class:words`: in words with its class before them, and the class."""
    module, name, words = text.split(":", 2)
    kind: Any = getattr(sys.modules.get(module), name, RuntimeError)
    return f"{name}: {words}" if words else name, kind


def _catalogue() -> dict[str, DiagnosticKind]:
    """The catalogue, loaded with the first diagnostic of a process."""
    return import_module("staxlang.base.catalogue").CATALOGUE


# ---- rendering -----------------------------------------------------------------------------------------------------


def _lines(diagnostic: Diagnostic) -> list[str]:
    span = diagnostic.span
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    margin = "  "
    if span is not None:
        number = str(span.line)
        margin = " " * len(number)
        quoted, underline = _quote(span)
        lines.append(f"{margin}--> {span.source.name}:{span.line}:{span.column + 1}")
        lines += [f"{margin} |", f"{number} | {quoted}".rstrip(), f"{margin} | {underline}"]
    tail = [f"{margin} = help: {_one_line(diagnostic.help)}"] if diagnostic.help else []
    notes = [_note_text(note, span) for note in diagnostic.notes]
    room = MAX_LINES - len(lines) - len(tail)
    if len(notes) > room:
        notes = [*notes[: room - 1], f"... and {len(notes) - room + 1} more"]
    return lines + [f"{margin} | {note}" for note in notes] + tail


def _note_text(note: Note, near: Span | None) -> str:
    text = _one_line(note.text)
    if note.span is None:
        return text
    same = near is not None and near.source.name == note.span.source.name
    return f"{text} (line {note.span.line})" if same else f"{text} ({note.span.source.name}:{note.span.line})"


def _quote(span: Span) -> tuple[str, str]:
    """The source line and the carets below it, aligned by display width."""
    text = span.source.line(span.line)
    start = min(span.column, len(text))
    end = span.end_column if span.end_line == span.line else len(text.rstrip())
    end = max(min(end, len(text)), start + 1)
    text = text.expandtabs(1)
    if len(text) > MAX_WIDTH:
        text, start, end = _cut(text, start, end)
    more = " ..." if span.end_line > span.line else ""
    return text, " " * _width(text[:start]) + "^" * max(_width(text[start:end]), 1) + more


def _cut(text: str, start: int, end: int) -> tuple[str, int, int]:
    first = max(0, min(start - 20, len(text) - MAX_WIDTH + 8))
    left = "... " if first else ""
    shown = text[first : first + MAX_WIDTH - 8]
    right = " ..." if first + len(shown) < len(text) else ""
    shift = len(left) - first
    last = len(left) + len(shown)
    return left + shown + right, start + shift, min(end + shift, last)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n")) if "\n" in text else text


# ---- exceptions ----------------------------------------------------------------------------------------------------


class StaxError(Exception):
    """What Stax raises. Each is also of the built-in kind that fits (TypeError, ValueError, IndexError, ...)."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[Diagnostic] | str = ()) -> None:
        if isinstance(diagnostics, str):
            self.diagnostics = ()
            Exception.__init__(self, diagnostics)
        else:
            self.diagnostics = tuple(diagnostics)
            Exception.__init__(self, "\n\n".join(diagnostic.render() for diagnostic in self.diagnostics))
        if isinstance(self, SyntaxError):  # Python's `traceback` prints this of a syntax error, not its text
            self.msg = str(self)

    @property
    def code(self) -> str:
        """The first diagnostic's code."""
        return self.diagnostics[0].code if self.diagnostics else ""

    def __str__(self) -> str:  # KeyError's own would quote it
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        kind = self.diagnostics[0].kind.raises if self.diagnostics else None
        return (_error, (kind, self.diagnostics or str(self)))


class StaxWarning(UserWarning):
    """What Stax warns of."""


_ERRORS: dict[type[Exception], type[StaxError]] = {}


def error_class(kind: type[Exception]) -> type[StaxError]:
    """The class that is both StaxError and the built-in `kind`."""
    found = _ERRORS.get(kind)
    if found is None:
        found = _ERRORS[kind] = _joined(kind)
    return found


def _joined(kind: type[Exception]) -> type[StaxError]:
    try:
        made = type(f"Stax{kind.__name__}", (StaxError, kind), {"__module__": "staxlang"})
        made("")
    except Exception:  # a class of the user's that cannot be made of a text alone
        return error_class(next(base for base in kind.__mro__[1:] if issubclass(base, Exception)))
    return made


def _error(kind: type[Exception] | None, diagnostics: Sequence[Diagnostic] | str) -> StaxError:
    return StaxError(diagnostics) if kind is None else error_class(kind)(diagnostics)


def error_of(diagnostics: Sequence[Diagnostic]) -> StaxError:
    """The exception that tells of these diagnostics, of the first error's built-in kind."""
    if not diagnostics:
        raise ValueError("an exception needs a diagnostic")
    errors = [d for d in diagnostics if d.severity == "error"]
    first = (errors or list(diagnostics))[0]
    return error_class(first.kind.raises)([first, *(d for d in diagnostics if d is not first)])


def raise_diagnostics(diagnostics: Sequence[Diagnostic] | Diagnostic) -> NoReturn:
    """Raise one exception for all of them."""
    raise error_of([diagnostics] if isinstance(diagnostics, Diagnostic) else diagnostics) from None
