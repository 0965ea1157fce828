"""Text to sizes: the inverse of `str`, used where printed graphs and loops are read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from staxlang.base.sizes.expression import SYMBOL_PATTERN, Size, floordiv, maximum, minimum, modulo, symbol

_TOKEN = re.compile(rf"\s*(?:(\d+)|({SYMBOL_PATTERN})|(//|\*\*|[-+*%(),]))")
_CALLS: dict[str, Callable[..., Size]] = {"min": minimum, "max": maximum}


class _Tokens:
    """The tokens of a text and how far reading has come."""

    def __init__(self, text: str, signed: Container[str]) -> None:
        self.text, self.signed, self.position = text, signed, 0
        self.tokens: list[tuple[str, str]] = []
        end = len(text.rstrip())
        while self.position < end:
            match = _TOKEN.match(text, self.position)
            if match is None:
                raise ValueError(f"{text!r} is not a size: cannot read {text[self.position:]!r}")
            number, name, operator = match.groups()
            self.tokens.append(("number", number) if number else ("name", name) if name else (operator, operator))
            self.position = match.end()
        self.tokens.append(("end", ""))
        self.position = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.position][0]

    def skip(self, kind: str) -> bool:
        """Take a token if it is of this kind."""
        found = self.kind == kind
        self.position += found
        return found

    def take(self, kind: str | None = None) -> str:
        found, text = self.tokens[self.position]
        if kind is not None and found != kind:
            raise ValueError(f"{self.text!r} is not a size: expected {kind!r} and found {text or 'the end'!r}")
        self.position += 1
        return text


def parse_size(text: str, signed: Container[str] = ()) -> Size:
    """The size that a text means: integers, names, `+ - * // % **`, `min(...)`, `max(...)`, parentheses.

    Names in `signed` become symbols that may be negative.

    >>> parse_size("(N - 1)//2 + i % 4")
    i % 4 + (N - 1)//2
    """
    tokens = _Tokens(text, signed)
    size = _sum(tokens)
    tokens.take("end")
    return size


def _sum(tokens: _Tokens) -> Size:
    size = _product(tokens)
    while tokens.kind in ("+", "-"):
        if tokens.take() == "+":
            size = size + _product(tokens)
        else:
            size = size - _product(tokens)
    return size


def _product(tokens: _Tokens) -> Size:
    size = _signed(tokens)
    while tokens.kind in ("*", "//", "%"):
        operator = tokens.take()
        right = _signed(tokens)
        size = size * right if operator == "*" else floordiv(size, right) if operator == "//" else modulo(size, right)
    return size


def _signed(tokens: _Tokens) -> Size:
    if tokens.kind in ("-", "+"):
        return -_signed(tokens) if tokens.take() == "-" else _signed(tokens)
    size = _primary(tokens)
    if tokens.kind == "**":
        tokens.take()
        size = size ** int(tokens.take("number"))
    return size


def _primary(tokens: _Tokens) -> Size:
    if tokens.kind == "number":
        return int(tokens.take())
    if tokens.kind == "(":
        tokens.take()
        size = _sum(tokens)
        tokens.take(")")
        return size
    name = tokens.take("name")
    if tokens.kind == "(" and name in _CALLS:
        tokens.take()
        parts = [_sum(tokens)]
        while tokens.skip(","):
            parts.append(_sum(tokens))
        tokens.take(")")
        return _CALLS[name](*parts)
    return symbol(name, signed=name in tokens.signed)
