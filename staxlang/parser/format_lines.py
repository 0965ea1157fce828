"""The pieces of a line pass through here and come out as lines that are not too long, broken inside of brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from staxlang.parser.format_pieces import CLOSE, OPEN, TUPLE_COMMA, Group, Piece, spaced

WIDTH = 100
_STEP = 4


def lines_of(pieces: Sequence[Any], indent: int, inside: bool = False, tail: int = 0) -> list[str]:
    """The lines, the first without its indentation. `inside` a bracket a line may be broken anywhere; `tail` more characters follow."""
    flat = flat_text(pieces)
    if flat is not None and _fits(flat, indent, tail):
        return [flat]
    if inside:
        parts = _parts(pieces)
        if len(parts) > 1:
            return _joined(parts, indent, tail)
    groups = [piece for piece in pieces if piece.__class__ is Group and (piece.elements or _flat_group(piece) is None)]
    chosen = [group for group in groups if _flat_group(group) is None]
    while True:
        if chosen or not groups:
            found, own = _with_broken(pieces, chosen, indent)
            if len(chosen) == len(groups) or _all_fit(own, indent, tail):
                return found
        left = [group for group in groups if group not in chosen]
        chosen.append(max(left, key=lambda group: len(_flat_group(group) or "")))


def flat_text(pieces: Sequence[Any]) -> str | None:
    """The pieces in one line; None where comments, or a bracket that its author has broken, forbid it."""
    found: list[str] = []
    previous: Any = None
    for piece in pieces:
        text = _flat_group(piece) if piece.__class__ is Group else piece.text
        if text is None or piece.before or piece.behind:
            return None
        if previous is not None and spaced(previous, piece):
            found.append(" ")
        found.append(text)
        previous = piece
    return "".join(found)


def _flat_group(group: Group) -> str | None:
    if group.flat == "":
        texts = [flat_text(element) for element in group.elements]
        if group.opener.behind or group.closer.before or None in texts or (group.kept and group.comma):
            group.flat = None
        else:
            group.flat = group.opener.text + ", ".join([text or "" for text in texts]) + group.last + group.closer.text
    return group.flat


def _parts(pieces: Sequence[Any]) -> list[list[Any]]:
    """Cut where comments stand, or before the operators that bind loosest."""
    parts: list[list[Any]] = [[]]
    if any(piece.before for piece in pieces[1:]) or any(piece.behind for piece in pieces[:-1]):
        for piece in pieces:
            if piece.before and parts[-1]:
                parts.append([])
            parts[-1].append(piece)
            if piece.behind:
                parts.append([])
        return [part for part in parts if part]
    levels = [piece.level for piece in pieces[1:] if piece.level is not None]
    for number, piece in enumerate(pieces):
        if number and levels and piece.level == min(levels):
            parts.append([])
        parts[-1].append(piece)
    return parts


def _joined(parts: Sequence[list[Any]], indent: int, tail: int) -> list[str]:
    """The parts, a line or more for each; the first without its indentation."""
    found: list[str] = []
    for number, part in enumerate(parts):
        found += _commented(part, indent, tail if number + 1 == len(parts) else 0)
    return [found[0][indent:], *found[1:]]


def _commented(part: Sequence[Any], indent: int, tail: int, comma: str = "") -> list[str]:
    """The lines of pieces inside a bracket, all indented, with the comments before and behind them."""
    margin = " " * indent
    before: Sequence[str] = ()
    behind: list[str] = []
    while part and part[-1].behind:
        behind = [*part[-1].behind, *behind]
        part = [*part[:-1], without(part[-1], behind=False)] if _is_text(part[-1]) else part[:-1]
    if part[0].before:
        before, part = part[0].before, [without(part[0], before=False), *part[1:]]
    lines = lines_of(part, indent, True, tail + len(comma))
    found = [*[margin + comment for comment in before], margin + lines[0], *lines[1:]]
    return [*found[:-1], *_behind(found[-1] + comma, behind, indent)]


def _is_text(piece: Any) -> bool:
    """Whether it is more than the place of a comma that has a comment."""
    return piece.__class__ is Group or piece.text != ""


def without(piece: Any, before: bool = True, behind: bool = True) -> Any:
    """A piece without its comments on one side."""
    if piece.__class__ is Group:
        opener = piece.opener if before else Piece(piece.opener.text, piece.opener.stands, None, (), piece.opener.behind)
        closer = piece.closer if behind else Piece(piece.closer.text, piece.closer.stands, None, piece.closer.before)
        return Group(opener, piece.elements, closer, piece.comma, piece.kept, piece.last)
    return Piece(piece.text, piece.stands, piece.level, piece.before if before else (), piece.behind if behind else ())


def _behind(line: str, comments: Sequence[str], indent: int) -> list[str]:
    """A line with a comment at its end; further ones have lines of their own."""
    return [f"{line}  {comments[0]}", *[" " * indent + comment for comment in comments[1:]]] if comments else [line]


def _with_broken(pieces: Sequence[Any], chosen: Sequence[Group], indent: int) -> tuple[list[str], list[str]]:
    """The lines with some brackets broken: what they hold in lines between those of the brackets. And these alone."""
    found: list[str] = []
    own: list[str] = []
    current = ""
    previous: Any = None
    for piece in pieces:
        blank = " " if previous is not None and spaced(previous, piece) else ""
        if piece.__class__ is Group and piece in chosen:
            opened, closed, inner = _embraced(piece)
            own.append(current + blank + opened)
            found += _behind(own[-1], inner.opener.behind, indent + _STEP)
            found += _elements(inner, indent + _STEP)
            current = " " * indent + closed
        else:
            current += blank + ((_flat_group(piece) or "") if piece.__class__ is Group else piece.text)
        previous = piece
    return [*found, current], [*own, current]


def _embraced(group: Group) -> tuple[str, str, Group]:
    """The brackets that are opened and closed together, because one is all that the other holds, and the innermost of them."""
    opened, closed = group.opener.text, group.closer.text
    while len(group.elements) == 1 and len(group.elements[0]) == 1 and group.elements[0][0].__class__ is Group:
        inner = group.elements[0][0]
        commented = group.opener.behind or group.closer.before or inner.before or inner.behind
        if commented or group.kept or group.last or not inner.elements:
            break
        opened, closed, group = opened + inner.opener.text, inner.closer.text + closed, inner
    return opened, closed, group


def _elements(group: Group, indent: int) -> list[str]:
    texts = [flat_text(element) for element in group.elements]
    together = ", ".join([text or "" for text in texts]) + group.last
    if None not in texts and texts and not group.closer.before and not (group.kept and group.comma) and _fits(together, indent, 0):
        return [" " * indent + together]
    found: list[str] = []
    for number, element in enumerate(group.elements):
        last = number + 1 == len(group.elements)
        found += _commented(element, indent, 0, "," if not last or group.comma or group.last else "")
    return found + [" " * indent + comment for comment in group.closer.before]


def _fits(text: str, indent: int, tail: int) -> bool:
    """A long string in the text keeps its own lines."""
    if "\n" not in text:
        return indent + len(text) + tail <= WIDTH
    lines = text.split("\n")
    return indent + len(lines[0]) <= WIDTH and len(lines[-1]) + tail <= WIDTH


def _all_fit(lines: Sequence[str], indent: int, tail: int) -> bool:
    """Whether lines, of which the first has no indentation yet, are short enough."""
    ends = [0] * (len(lines) - 1) + [tail]
    return all(_fits(line, 0 if number else indent, end) for number, (line, end) in enumerate(zip(lines, ends)))


def in_parentheses(pieces: Sequence[Any]) -> Group | None:
    """A value with parentheses around it, in which it can be broken; None where there is nothing to break it at."""
    elements: list[list[Any]] = [[]]
    for piece in pieces:
        if piece.__class__ is Piece and piece.stands == TUPLE_COMMA:
            elements.append([])
        else:
            elements[-1].append(piece)
    if len(elements) == 1 and all(piece.level is None for piece in pieces[1:]):
        return None
    if len(elements) == 2 and not elements[1]:  # a tuple of one element keeps its comma
        return Group(Piece("(", OPEN), elements[:1], Piece(")", CLOSE), last=",")
    several = len(elements) > 1
    return Group(Piece("(", OPEN), [element for element in elements if element], Piece(")", CLOSE), several)
