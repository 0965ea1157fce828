"""What an evaluation decided on, hence what a later call must meet: shape guards, frozen scalars, contents of captured objects, data gates.

Each has a path in the user's words and the line that asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from staxlang.base.sizes import Condition, Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType


@dataclass(frozen=True, slots=True)
class Getter:
    """How a captured value is reached at each call, without running user code.

    `root` is 'global' (`holder` is the globals dict), 'closure' (`holder` is the cell), 'argument' (`holder` is None; the value is looked
    up by name), 'default' (`holder` is the function) or 'module' (`holder` is the module). `steps` are ('attribute', name) and ('item', key).
    """

    root: str
    name: str
    holder: Any
    steps: tuple[tuple[str, Any], ...] = ()

    def step(self, kind: str, key: Any) -> Getter:
        return Getter(self.root, self.name, self.holder, (*self.steps, (kind, key)))

    def __str__(self) -> str:
        text = self.name
        for kind, key in self.steps:
            text += f".{key}" if kind == "attribute" else f"[{key!r}]"
        return text

    def read(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """The value now. Raises LookupError or AttributeError where it is gone."""
        if self.root == "global":
            value = self.holder[self.name]
        elif self.root == "closure":
            value = self.holder.cell_contents
        elif self.root == "module":
            value = self.holder
        elif self.root == "default":
            value = _default(self.holder, self.name)
        else:
            value = (arguments or {})[self.name]
        for kind, key in self.steps:
            value = plain_attribute(value, key) if kind == "attribute" else value[key]
        return value


@dataclass(frozen=True, slots=True)
class ShapeGuard:
    """A condition on sizes that the program relied on."""

    condition: Condition
    span: Span | None
    why: str

    @property
    def path(self) -> str:
        return str(self.condition)


@dataclass(frozen=True, slots=True)
class FrozenScalar:
    """A run-time Python number whose value the program needed while it was compiled. `position` is its leaf's position."""

    path: str
    position: int
    value: Any
    span: Span | None
    why: str


@dataclass(frozen=True, slots=True)
class ContentGuard:
    """A captured object's part that was read as a constant. kind: 'value' (equality), 'type', 'length', 'keys', 'code', 'identity'."""

    getter: Getter
    kind: str
    expected: Any
    span: Span | None

    @property
    def path(self) -> str:
        return str(self.getter)


@dataclass(frozen=True, slots=True)
class Gate:
    """A place where tensor data decided. `handle` is the 0-d value, `value` what it was; `what` is the user's expression."""

    handle: Any
    type: TensorType
    value: Any
    span: Span | None
    what: str

    @property
    def path(self) -> str:
        return f"{self.what} (line {self.span.line})" if self.span else self.what


Guard = ShapeGuard | FrozenScalar | ContentGuard


@dataclass(frozen=True, slots=True)
class SizeBinding:
    """An integer argument that the program uses as a size: `symbol` is `sign * value` of the leaf at `position` (never negative)."""

    symbol: str
    path: str
    position: int
    sign: int
    hint: int | None


@dataclass(frozen=True, slots=True)
class Capture:
    """A leading input that is read from the program's surroundings at each call.

    kind: 'array', or the kind of number 'int', 'float', 'complex'. `position` continues the arguments' positions in order of discovery.
    """

    getter: Getter
    kind: str
    position: int
    type: TensorType
    span: Span | None
    written: bool = False

    @property
    def path(self) -> str:
        return str(self.getter)


@dataclass(frozen=True, slots=True)
class SizeOrigin:
    """Where a symbolic or constant size came from: `the last axis of parameter x`."""

    size: Size
    text: str
    span: Span | None


def _default(function: Any, name: str) -> Any:
    keyword = function.__kwdefaults__ or {}
    if name in keyword:
        return keyword[name]
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    return defaults[names.index(name) - (len(names) - len(defaults))]


def plain_attribute(value: Any, name: str) -> Any:
    """An attribute as it is stored: in the object's own dict, a slot, or a plain attribute of its class. Runs no user code."""
    own = getattr(value, "__dict__", None)
    if own is not None and name in own:
        return own[name]
    for cls in (value if isinstance(value, type) else type(value)).__mro__:
        if name in cls.__dict__:
            stored = cls.__dict__[name]
            if type(stored).__name__ in _STORED_BY_SLOT:
                return stored.__get__(value, type(value))
            return stored
    raise AttributeError(name)


_STORED_BY_SLOT = frozenset({"member_descriptor", "_tuplegetter"})
