"""The text between an f-string's quotes passes through here, cut into plain text and replacement fields."""

from __future__ import annotations

from staxlang.base.records import NamedTuple

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Field(NamedTuple):
    """`{expression!conversion:specification}`; `start` is the expression's offset. `echo` is the text of `{expression=}`."""

    start: int
    expression: str
    conversion: str
    specification: tuple[str | Field, ...]
    echo: str


class MalformedField(Exception):
    """A replacement field that cannot be read: what is wrong, and where in the text."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what)
        self.what = what
        self.offset = offset


def split_fields(text: str, raw: bool, offset: int = 0, nested: bool = False) -> tuple[tuple[str | Field, ...], int]:
    """The parts of an f-string's inside from `offset`, and where they end.

    Plain parts keep their backslashes; the braces of `\\N{DASH}` are not a field's, unless the string is raw.
    In a specification (`nested`) the parts end before the `}` that closes the field.
    """
    parts: list[str | Field] = []
    plain: list[str] = []
    while offset < len(text):
        sign = text[offset]
        if sign in "{}" and text[offset + 1 : offset + 2] == sign and not nested:
            plain.append(sign)
            offset += 2
        elif sign == "{" and not raw and _names_character("".join(plain)):
            end = text.find("}", offset) + 1 or len(text)
            plain.append(text[offset:end])
            offset = end
        elif sign == "{":
            if plain:
                parts.append("".join(plain))
                plain = []
            field, offset = _field(text, raw, offset + 1)
            parts.append(field)
        elif sign == "}":
            if nested:
                break
            raise MalformedField("a single `}`; write `}}` for the sign itself", offset)
        else:
            plain.append(sign)
            offset += 1
    if plain:
        parts.append("".join(plain))
    return tuple(parts), offset


def _names_character(before: str) -> bool:
    stem = before.removesuffix("N")
    return stem != before and (len(stem) - len(stem.rstrip("\\"))) % 2 == 1


def _field(text: str, raw: bool, start: int) -> tuple[Field, int]:
    """The field after its `{`, and the offset behind its `}`."""
    end = _expression_end(text, start)
    expression = text[start:end]
    echo = ""
    if text[end : end + 1] == "=":
        end += 1
        while text[end : end + 1].isspace():
            end += 1
        echo = text[start:end]
    if not expression.strip():
        raise MalformedField("an empty `{}`", start)
    conversion = ""
    if text[end : end + 1] == "!":
        conversion = text[end + 1 : end + 2]
        if conversion not in ("r", "s", "a"):
            raise MalformedField("a conversion is `!r`, `!s` or `!a`", end)
        end += 2
    specification: tuple[str | Field, ...] = ()
    if text[end : end + 1] == ":":
        specification, end = split_fields(text, raw, end + 1, nested=True)
    elif echo and not conversion:
        conversion = "r"
    if text[end : end + 1] != "}":
        raise MalformedField("a `{` without its `}`", start - 1)
    return Field(start, expression, conversion, specification, echo), end + 1


def _expression_end(text: str, offset: int) -> int:
    """Where the expression ends: at a `!`, `:`, `=` or `}` outside of brackets and strings."""
    closers: list[str] = []
    while offset < len(text):
        sign = text[offset]
        if sign in "\"'":
            offset = _string_end(text, offset)
            continue
        if sign in "([{":
            closers.append(_CLOSERS[sign])
        elif closers:
            if sign == closers[-1]:
                closers.pop()
        elif sign in "}:" or (sign == "!" and text[offset + 1 : offset + 2] != "="):
            break
        elif sign == "=" and text[offset - 1] not in "=!<>:" and text[offset + 1 : offset + 2] != "=":
            break
        elif text[offset : offset + 2] in ("!=", "==", "<=", ">="):
            offset += 1
        offset += 1
    return offset


def _string_end(text: str, offset: int) -> int:
    quote = text[offset] * 3 if text[offset : offset + 3] == text[offset] * 3 else text[offset]
    end = text.find(quote, offset + len(quote))
    return len(text) if end < 0 else end + len(quote)
