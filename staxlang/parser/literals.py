"""Constants pass through here and come out as the text of a literal, in either notation."""

from __future__ import annotations

from typing import Any

QUOTES = ('"', "'", '"""', "'''")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Unprintable(ValueError):
    """A value that no literal of the notation denotes."""


def constant_text(value: Any, stx: bool, quotes: tuple[str, ...] = QUOTES, plain: bool = False) -> str:
    """The literal. `quotes` are those that may be used; `plain` forbids backslashes (inside an f-string of old Pythons)."""
    kind: Any = value.__class__
    if kind is str:
        return string_text(value, quotes, plain)
    if kind is bool or value is None:
        return str(value).lower() if stx else str(value)
    if value is ...:
        return "..."
    if kind is int and value >= 0:
        return str(value)
    if kind is float and not value < 0 and value == value:
        return _float_text(value)
    if kind is complex and value.real == 0 and not value.imag < 0 and value.imag == value.imag:
        return _float_text(value.imag) + "j"
    if kind is bytes:
        return _bytes_text(value, quotes, plain)
    raise Unprintable(f"no literal denotes {value!r}")


def _float_text(value: float) -> str:
    return "1e999" if value == float("inf") else repr(value)


def string_text(value: str, quotes: tuple[str, ...] = QUOTES, plain: bool = False) -> str:
    """A string literal on one line; with `plain` it may run over lines, but has no escapes."""
    if plain:
        return _plain_text(value, quotes)
    for quote in quotes[:2]:
        if quote not in value or quote == quotes[min(1, len(quotes) - 1)]:
            chosen = quote if quote not in value else quotes[0]
            return chosen + escaped(value, chosen) + chosen
    return quotes[0] + escaped(value, quotes[0]) + quotes[0]


def _plain_text(value: str, quotes: tuple[str, ...]) -> str:
    for quote in quotes:
        long = len(quote) == 3
        if quote not in value and not value.endswith(quote[0]) and (long or "\n" not in value):
            text = quote + value + quote
            if escaped(value, "") == value.replace("\n", "\\n"):
                return text
    raise Unprintable(f"no literal without a backslash denotes {value!r} here")


def escaped(value: str, quote: str) -> str:
    """The text between the quotes."""
    found: list[str] = []
    for sign in value:
        if sign in _ESCAPES:
            found.append(_ESCAPES[sign])
        elif quote and sign == quote[0]:
            found.append("\\" + sign)
        elif sign.isprintable():
            found.append(sign)
        else:
            code = ord(sign)
            found.append(f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}")
    return "".join(found)


def _bytes_text(value: bytes, quotes: tuple[str, ...], plain: bool) -> str:
    inside = repr(value)[2:-1].replace("\\'", "'")
    for quote in quotes:
        if quote[0] not in inside and not (plain and "\\" in inside):
            return "b" + quote + inside + quote
    if plain:
        raise Unprintable(f"no literal without a backslash denotes {value!r} here")
    return "b" + quotes[0] + inside.replace(quotes[0][0], "\\" + quotes[0][0]) + quotes[0]


def docstring_lines(doc: str, indent: str) -> list[str]:
    """The lines of a docstring with its quotes, such that its cleaned text is `doc`."""
    lines = [escaped_line(line) for line in doc.split("\n")]
    rest = [line for line in lines[1:] if line]
    aligned = not rest or any(not line[0].isspace() for line in rest)
    if lines[0][:1].isspace() or not lines[0] or not aligned:
        lines.insert(0, "")  # the first line would lose its margin, or give the others another
    elif len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    return [f'{indent}"""{lines[0]}', *(indent + line if line else "" for line in lines[1:]), f'{indent}"""']


def escaped_line(line: str) -> str:
    """A docstring's line; its quotes are escaped where they could be taken for the end."""
    text = escaped(line, "")
    return text.replace('"', '\\"') if '"""' in text or text.endswith('"') else text
