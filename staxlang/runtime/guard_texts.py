"""A version's guards in the user's words, with the line that asked for each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from staxlang.runtime.plans import asked_text
from staxlang.runtime.versions import Version

_SHORT = re.compile(r"\bs(\d+)\b")


def guard_texts(version: Version) -> tuple[str, ...]:
    """One text for each thing that a call must meet to be served by this version."""
    texts: list[str] = []
    for place in version.plan.places:
        if place.check[0] == "function" and place.step[0] == "slot":
            continue  # the kernel's own function
        text = _TEXTS.get(place.check[0], _plain)(place.path, place.check, version)
        if text:
            texts.append(readable(text, version) + asked_text(place.asked))
    for relation, left, right, asked in version.plan.conditions:
        texts.append(readable(f"{left} {relation} {right}", version) + asked_text(asked))
    texts.extend(f"{gate.path} is {gate.outcome!r}" for gate in version.gates if not gate.counts)
    return tuple(dict.fromkeys(texts))


def readable(text: str, version: Version) -> str:
    """A text with the sizes' names in the place of the plan's short ones."""
    return _SHORT.sub(lambda short: version.names[int(short[1])] if int(short[1]) < len(version.names) else short[0], text)


def _array(path: str, check: tuple[Any, ...], version: Version) -> str:
    _, dtype, shape, layout, written = check
    order = "row-major" if layout is None else f"strides ({', '.join(map(str, layout))})"
    return f"{path}: {dtype}[{', '.join(map(str, shape))}], {order}{', writable' if written else ''}"


def _plain(path: str, check: tuple[Any, ...], version: Version) -> str:
    return f"{path} is {check[0]}"


def _object(path: str, check: tuple[Any, ...], version: Version) -> str:
    value = version.slots[check[1]]
    name = getattr(value, "__name__", None)
    return f"{path} is {name if isinstance(name, str) else repr(value)}"


def _place_path(version: Version, place: int) -> str:
    return version.plan.places[place].path


Check = tuple[Any, ...]
_TEXTS: dict[str, Callable[[str, Check, Version], str]] = {
    "array": _array,
    "numpy scalar": lambda path, check, version: f"{path}: NumPy scalar {check[1]}",
    "frozen": lambda path, check, version: f"{path} == {check[2]!r}",
    "text": lambda path, check, version: f"{path} == {version.slots[check[1]]!r}",
    "same": _object,
    "equal": lambda path, check, version: f"{path} == {version.slots[check[1]]!r}",
    "function": lambda path, check, version: f"{path} is the function {version.slots[check[1]].__qualname__}, unchanged",
    "type": lambda path, check, version: f"type({path}) is {version.slots[check[1]].__name__}",
    "tuple": lambda path, check, version: f"{path} is a tuple of {check[1]}",
    "list": lambda path, check, version: f"{path} is a list of {check[1]}",
    "dict": lambda path, check, version: f"{path} is a dict of {[version.slots[slot] for slot in check[1]]}",
    "alias": lambda path, check, version: f"{path} is {_place_path(version, check[1])}",
    "any": lambda path, check, version: "",
}
