"""What an evaluation decided on, hence what a later call must meet: shape guards, frozen scalars, contents of captured objects, data gates.

Each has a path in the user's words and the line that asked.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from staxlang.base.diagnostics import diagnose
from staxlang.base.dtypes import DType
from staxlang.base.records import record
from staxlang.base.sizes import Condition, Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.problems import Problem


class Getter:
    """How a captured value is reached at each call, without running user code. Equal by root, holder's identity and steps.

    `root` is 'global' (`holder` is the globals dict), 'closure' (`holder` is the cell), 'argument' (no holder: the value is looked up by
    name), 'object' or 'module' (`holder` is the function, class or module itself). `steps` are (kind, key) pairs, kind one of 'attribute'
    (as stored in the object or its class), 'item', 'closure' (of a function, by index), 'default' and 'kwdefault' (of a function), 'class'
    (an attribute as stored in the object's class).
    """

    __slots__ = ("_hash", "holder", "name", "root", "steps")

    def __init__(self, root: str, name: str, holder: Any, steps: tuple[tuple[str, Any], ...] = ()) -> None:
        self.root = root
        self.name = name
        self.holder = holder
        self.steps = steps
        self._hash = hash((root, name, id(holder), steps))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Getter):
            return False
        return self.holder is other.holder and (self.root, self.name, self.steps) == (other.root, other.name, other.steps)

    def step(self, kind: str, key: Any) -> Getter:
        return Getter(self.root, self.name, self.holder, (*self.steps, (kind, key)))

    def __str__(self) -> str:
        text = self.name
        for kind, key in self.steps:
            text += step_text(kind, key)
        return text

    def __repr__(self) -> str:
        return f"Getter({self.root} {self})"

    def read(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """The value now. Raises LookupError, AttributeError, TypeError or ValueError (an empty cell) where it is gone."""
        if self.root == "global":
            value = self.holder[self.name]
        elif self.root == "closure":
            value = self.holder.cell_contents
        elif self.root == "argument":
            value = (arguments or {})[self.name]
        else:
            value = self.holder
        for kind, key in self.steps:
            value = _STEPS[kind](value, key)
        return value


def step_text(kind: str, key: Any) -> str:
    """A step as it is written behind what it leads on from."""
    if kind == "item":
        return f"[{key!r}]"
    if kind in ("default", "kwdefault", "closure"):
        return f".__{kind}{'' if kind == 'closure' else 's'}__[{key!r}]"
    return f".{key}"


@record
class ShapeGuard:
    """A condition on sizes that the program relied on."""

    condition: Condition
    span: Span | None
    why: str

    @property
    def path(self) -> str:
        return str(self.condition)


@record
class FrozenScalar:
    """A run-time Python number whose value the program needed while it was compiled. `position` is its leaf's position."""

    path: str
    position: int
    value: Any
    span: Span | None
    why: str


@record
class ContentGuard:
    """What a captured object must still be. `kind` says how `expected` compares with what the getter reads:

    'value' (same type and equal), 'identity' (`is`), 'type' (its class is), 'length', 'keys' (of a dict, in order), 'code' (a function with
    equal code and the same globals; what its closure holds is captured on its own), 'method' (a bound method of that function), 'same'
    (what another getter, `expected`, reads).
    """

    getter: Getter
    kind: str
    expected: Any
    span: Span | None

    @property
    def path(self) -> str:
        return str(self.getter)

    def holds(self, arguments: Mapping[str, Any] | None = None) -> bool:
        """Whether the object still is what it was. Runs no user code."""
        try:
            value = self.getter.read(arguments)
            expected = self.expected
            if self.kind == "same":
                return value is expected.read(arguments)
            return _CONTENT[self.kind](value, expected)
        except (LookupError, AttributeError, TypeError, ValueError):
            return False


@record
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


@record
class SizeBinding:
    """An integer argument or captured number that the program uses as a size: `symbol` is the value of the scalar leaf at `position`."""

    symbol: str
    path: str
    position: int
    hint: int | None


@record
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


def constant_type(value: Any, dtype: DType, getter: Getter) -> TensorType:
    """The type of a captured array whose extents are taken as constants; strides in elements where it is not row-major."""
    if value.flags.c_contiguous:
        return TensorType(dtype, value.shape)
    if any(stride % dtype.itemsize for stride in value.strides):
        raise Problem(diagnose("unsupported-array", None, given="strides that are no multiple of its item size", path=str(getter)))
    return TensorType(dtype, value.shape, tuple(stride // dtype.itemsize for stride in value.strides))


@record
class SizeOrigin:
    """Where a symbolic or constant size came from: `the last axis of parameter x`."""

    size: Size
    text: str
    span: Span | None
    owner: Any = None


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


def _equal(value: Any, expected: Any) -> bool:
    if value is expected:
        return True
    # repr tells -0.0 from 0.0, and a NaN equals itself
    return type(value) is type(expected) and (repr(value) == repr(expected) if type(value).__module__ == "numpy" else value == expected)


def _same_code(value: Any, expected: Any) -> bool:
    return value is expected or (value.__code__ == expected.__code__ and value.__globals__ is expected.__globals__)


def _class_attribute(value: Any, name: str) -> Any:
    for cls in (value if isinstance(value, type) else type(value)).__mro__:
        if name in cls.__dict__:
            stored = cls.__dict__[name]
            if isinstance(stored, property):
                return stored.fget
            return getattr(stored, "__func__", None) or getattr(stored, "func", None) or getattr(stored, "__wrapped__", None) or stored
    raise AttributeError(name)


_STEPS: Mapping[str, Callable[[Any, Any], Any]] = {
    "attribute": lambda value, name: plain_attribute(value, name),
    "item": lambda value, key: value[key],
    "closure": lambda value, index: value.__closure__[index].cell_contents,
    "default": lambda value, index: value.__defaults__[index],
    "kwdefault": lambda value, name: value.__kwdefaults__[name],
    "class": _class_attribute,
}

_CONTENT: Mapping[str, Callable[[Any, Any], bool]] = {
    "value": _equal,
    "identity": lambda value, expected: value is expected,
    "type": lambda value, expected: type(value) is expected,
    "length": lambda value, expected: len(value) == expected,
    "keys": lambda value, expected: tuple(value) == expected,
    "code": _same_code,
    "method": lambda value, expected: value.__func__ is expected,
}

_STORED_BY_SLOT = frozenset({"member_descriptor", "_tuplegetter"})
