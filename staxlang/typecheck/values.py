"""Abstract values: what the evaluator computes with in place of Python's objects and arrays.

A Python tuple, list or dict of values stands for itself (a list is shared and changed in place as in Python).
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Protocol

from staxlang.base.sizes import Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser.tree import Function
from staxlang.typecheck.recorder import Handle

Value = Any
"""StaticValue | SizeValue | ScalarValue | ArrayValue | RecordValue | RangeValue | SliceValue | IteratorValue | FunctionValue |
BoundMethod | PartialValue | MeaningValue | ObjectValue | NamespaceValue | UnknownValue | tuple[Value, ...] | list[Value] |
dict[key, Value], whose keys are plain Python objects."""


class StaticValue:
    """A Python object known now: a number, str, None, Ellipsis, dtype, class, module, NumPy scalar."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"static {self.value!r}"


class SizeValue:
    """A Python int that is an expression over symbolic sizes. Never constant: a constant size is a StaticValue (see `size_value`)."""

    __slots__ = ("size",)

    def __init__(self, size: Size) -> None:
        self.size = size

    def __repr__(self) -> str:
        return f"size {self.size}"


class ScalarValue:
    """A Python number (weak in promotion) that is known only at the call. `formula` says how it is computed: see scalars.py.

    kind: 'int', 'float', 'complex' or 'bool'.
    """

    __slots__ = ("formula", "kind")

    def __init__(self, kind: str, formula: Any) -> None:
        self.kind = kind
        self.formula = formula

    def __repr__(self) -> str:
        return f"scalar {self.kind} {self.formula}"


_NUMBERS = count()


def storage_mark() -> int:
    """A number that tells the storages that have been made so far from those made later."""
    return next(_NUMBERS)


class Storage:
    """The memory behind arrays: holds the handle of the whole value that is there now. Writing rebinds `handle`.

    `source` is the argument or captured array (an `ArrayLeaf`) that it came in as, None for a value made by the program.
    `number` grows with each storage that is made.
    `order` lists the axes of a value made by the program as they lie in memory, innermost first; None is row-major.
    """

    __slots__ = ("handle", "number", "order", "original", "source", "type", "writable", "written")

    def __init__(
        self, handle: Handle, type: TensorType, source: Any = None, writable: bool = True, order: tuple[int, ...] | None = None
    ) -> None:
        self.handle = handle
        self.order = order
        self.type = type
        self.source = source
        self.writable = writable
        self.written: Span | None = None
        self.original = handle
        self.number = storage_mark()


class ArrayValue:
    """A view of a storage. `subscripts` is None for the whole storage; else element [i0, i1, ..] of this array is the storage's element
    [subscripts], sizes over the symbols `i0`, `i1`, ... . `scalar` tells NumPy's immutable scalars (np.float64) from 0-d arrays.
    `readonly`: a view that may not be written through, as broadcast_to and diagonal give them; views of it neither.
    `viewing`: a view, which is an object of its own also where it shows all of its memory (`x[:]`, `x.T` of a vector).
    `extent` is the size that a NumPy integer is known to be (`np.prod(x.shape)`): as an extent it needs no gate."""

    __slots__ = ("extent", "readonly", "scalar", "storage", "subscripts", "type", "viewing")

    def __init__(self, storage: Storage, type: TensorType, subscripts: tuple[Size, ...] | None = None, scalar: bool = False) -> None:
        self.storage = storage
        self.type = type
        self.subscripts = subscripts
        self.scalar = scalar
        self.readonly = False
        self.viewing = False
        self.extent: Size | None = None

    @property
    def viewed(self) -> Storage:
        """What a view of it looks at. Of a scalar that came in NumPy makes an array first: its memory is no array's."""
        storage = self.storage
        return Storage(storage.handle, storage.type) if self.scalar and storage.source is not None else storage

    @property
    def shape(self) -> tuple[Size, ...]:
        return self.type.shape

    @property
    def dtype(self) -> Any:
        return self.type.dtype

    @property
    def rank(self) -> int:
        return len(self.type.shape)

    def __repr__(self) -> str:
        return f"array {self.type}"


class RecordValue:
    """An instance of a dataclass or of a named tuple (`ordered`: it also is a tuple of its fields)."""

    __slots__ = ("cls", "fields", "ordered", "path")

    def __init__(self, cls: type, fields: dict[str, Value], ordered: bool = False, path: str | None = None) -> None:
        self.cls = cls
        self.fields = fields
        self.ordered = ordered
        self.path = path  # of an argument or a captured object, whose fields must not be rebound

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class RangeValue:
    """`range(start, stop, step)`: each an int-like value."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Value, stop: Value, step: Value) -> None:
        self.start = start
        self.stop = stop
        self.step = step


class SliceValue:
    """`lower:upper:step` in a subscript, or `slice(...)`: each an int-like value, or None (not StaticValue(None)) where it is left out."""

    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Value | None, upper: Value | None, step: Value | None) -> None:
        self.lower = lower
        self.upper = upper
        self.step = step


PLACES = "places"
"""The kind of an iterator over all tuples of elements of its sources, the last one fastest."""
ENUMERATED = "enumerated places"
"""The same of an array's subscripts, each with the element there: the array stands behind the ranges."""


class IteratorValue:
    """A one-pass iterator (enumerate, zip, map, generator expressions): its remaining items. `source`: what an `enumerate`, `zip` or
    `reversed` that nobody has taken from goes over (before it the number that an `enumerate` begins with), where a loop can go over it
    without its items."""

    __slots__ = ("_items", "kind", "source")

    def __init__(self, items: list[Value] | Callable[[], list[Value]], kind: str, source: tuple[Value, ...] | None = None) -> None:
        self._items = items
        self.kind = kind
        self.source = source

    @property
    def items(self) -> list[Value]:
        if not isinstance(self._items, list):
            self._items = self._items()
        self.source = None
        return self._items

    @items.setter
    def items(self, items: list[Value]) -> None:
        self._items = items


class Scope(Protocol):
    """Where a function looks up the names that it does not bind itself."""

    def lookup(self, name: str, context: Any) -> Value | None:
        """The value of a name, None where it is not bound."""
        ...


class FunctionValue:
    """A function with its source: inlined where it is called. `defaults` are evaluated; `library` marks the standard library's.

    `header` is what a .stx definition declares (see headers.py), None where it declares nothing.
    """

    __slots__ = ("bound", "defaults", "header", "library", "name", "python", "scope", "tree")

    def __init__(
        self, tree: Function, scope: Scope, defaults: Mapping[str, Value], library: bool = False, python: Any = None, header: Any = None
    ) -> None:
        self.header = header
        self.tree = tree
        self.scope = scope
        self.defaults = defaults
        self.name = tree.name
        self.library = library
        self.python = python
        self.bound: frozenset[str] | None = None  # names that it binds, found when needed

    def __repr__(self) -> str:
        return f"function {self.name}"


class BoundMethod:
    """A callable value with its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver


class PartialValue:
    """functools.partial: a callable value with its first arguments and some keywords."""

    __slots__ = ("args", "function", "kwargs")

    def __init__(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs


class Meaning(Protocol):
    """What a NumPy, math, operator, Python or stax object means: see names.py, which makes them."""

    @property
    def name(self) -> str: ...

    def apply(self, call: Any, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value: ...


class MeaningValue:
    """A Python object that the language knows (np.exp, len, stax.softmax, np.float32). `object` is the object itself (None in .stx)."""

    __slots__ = ("meaning", "object")

    def __init__(self, meaning: Meaning, object: Any = None) -> None:
        self.meaning = meaning
        self.object = object

    def __repr__(self) -> str:
        return f"meaning {self.meaning.name}"


class ObjectValue:
    """A Python object of the user, looked into on demand: each thing that is read becomes a capture. `getter` says how to reach it."""

    __slots__ = ("getter", "object")

    def __init__(self, object: Any, getter: Any) -> None:
        self.object = object
        self.getter = getter

    def __repr__(self) -> str:
        return f"object {self.getter}"


class NamespaceValue:
    """A module of .stx, or a folder of such: `find` gives what a name stands for, None where it is none of its `names`."""

    __slots__ = ("find", "name", "names")

    def __init__(self, name: str, find: Callable[[str], Value | None], names: Callable[[], tuple[str, ...]]) -> None:
        self.name = name
        self.find = find
        self.names = names

    def __repr__(self) -> str:
        return f"module {self.name}"


class UnknownValue:
    """Nothing is known (gradual typing, or an error was reported): every use gives unknown, silently. Only in checking."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = UnknownValue()


class NeverValue:
    """What a way gives that does not come to its end: the program raises there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "never"


NEVER = NeverValue()


class ArgumentList(list[Any]):
    """A list that the caller owns: read like a list, never changed."""


class ArgumentDict(dict[Any, Any]):
    """A dict that the caller owns: read like a dict, never changed."""


NONE = StaticValue(None)
TRUE = StaticValue(True)
FALSE = StaticValue(False)
Inline = Callable[..., Value]


def size_value(size: Size) -> StaticValue | SizeValue:
    """The Python int that a size is."""
    return StaticValue(size) if isinstance(size, int) else SizeValue(size)


def known(value: Value) -> bool:
    """False when a value, or an element of a container, is unknown."""
    if value is UNKNOWN:
        return False
    if isinstance(value, (tuple, list)):
        return all(known(item) for item in value)
    if isinstance(value, dict):
        return all(known(item) for item in value.values())
    if type(value) is SliceValue:
        return value.lower is not UNKNOWN and value.upper is not UNKNOWN and value.step is not UNKNOWN
    return True
