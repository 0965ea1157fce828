"""What `kernel.lower` is given in place of arguments: each spec to its annotation, and to a stand-in that has its type but no data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from staxlang.base.dtypes import DTYPES, DType, as_dtype
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, SizeExpression, evaluate, symbol, symbols
from staxlang.runtime import late
from staxlang.runtime.binding import Binder
from staxlang.runtime.signature import class_of
from staxlang.typecheck.annotation_reading import BadAnnotation, read
from staxlang.typecheck.annotations import Annotation, ScalarAnnotation, TensorAnnotation
from staxlang.typecheck.notation import Dim, TensorForm

_EXTENTS = (
    5040, 2520, 1680, 1260, 1008, 990, 960, 936, 924, 900, 840, 792, 780, 756, 720, 672, 660, 630, 600, 540, 504, 480, 420, 360, 240,
)  # fmt: skip
"""What symbols stand for while a program is lowered: all different, with many divisors, so that few conditions on them fail; those that
come first are larger, as an array is than the window that goes over it."""
_NUMBERS: Mapping[type, Any] = {int: 12, float: 0.5, complex: 0.5j}


class Specified(NamedTuple):
    """Stand-ins by parameter; annotations by the path of each array that a spec describes; numbers of which only the type is known."""

    values: dict[str, Any]
    annotations: dict[str, TensorAnnotation]
    valueless: dict[str, str]


def spec(shape: Any, dtype: Any) -> TensorForm:
    """The type of an array to lower a kernel for: `stax.spec((N, 128), np.float32)` is `Tensor[f32, N, 128]`.

    A size is an int, a symbol of `stax.dims`, an expression of them, a text such as "N", or None for any extent.

    >>> spec(("N", 4), np.float32)
    Tensor[f32, N, 4]
    """
    found = DTYPES.get(dtype) if isinstance(dtype, str) else getattr(dtype, "stax", None) if isinstance(dtype, type) else None
    if not isinstance(found, DType):
        found = None if dtype is None else as_dtype(dtype)
    if found is None:
        late.raise_error("bad-spec", what="the dtype of a spec", given=repr(dtype), reason="it is no dtype of arrays that kernels take")
    sizes: Any = (shape,) if shape is None or isinstance(shape, (int, np.integer, str, Dim)) else shape
    if class_of(sizes) not in (tuple, list):
        late.raise_error("bad-spec", what="the shape of a spec", given=str(cast("Any", shape)), reason="it is no tuple of sizes")
    form = TensorForm((found.name, *("_" if size is None else size for size in sizes)))
    _annotation("stax.spec", form)
    return form


def _annotation(path: str, form: Any) -> TensorAnnotation:
    """The annotation that a spec is, with one dtype and a known number of axes."""
    try:
        found: Annotation = read(form)
    except BadAnnotation as bad:
        late.raise_error("bad-spec", what=f"the spec of `{path}`", given=repr(form), reason=bad.reason)
    if not isinstance(found, TensorAnnotation):
        late.raise_error("bad-spec", what=f"the spec of `{path}`", given=repr(form), reason="it is no array type")
    why = _vagueness(found)
    if why:
        late.raise_error("bad-spec", what=f"the spec of `{path}`", given=repr(form), reason=why)
    return found


def _named(path: str, annotation: TensorAnnotation) -> TensorAnnotation:
    """An extent of which nothing is said is a symbol of its own."""
    axes = tuple([symbol(f"{path}.shape[{place}]") if axis is None else axis for place, axis in enumerate(annotation.axes or ())])
    return TensorAnnotation(annotation.dtypes, axes, None, annotation.text)


def _sizes(annotation: TensorAnnotation) -> list[Size]:
    return [axis for axis in annotation.axes or () if isinstance(axis, (int, SizeExpression))]


def _vagueness(annotation: TensorAnnotation) -> str:
    if annotation.dtypes is None or len(annotation.dtypes) != 1:
        return "it does not say one dtype"
    if annotation.axes is None or not all(axis is None or isinstance(axis, (int, SizeExpression)) for axis in annotation.axes):
        return "it does not say how many axes there are"
    return ""


def specify(
    binder: Binder, specs: tuple[Any, ...], more: dict[str, Any], declared: Mapping[str, Annotation], divisor: int = 1, arrangement: int = 0
) -> Specified:
    """Bind specs as a call's arguments. Parameters that are left out take the type that their annotation declares.

    What symbols stand for are multiples of `divisor`, in one of several orders.
    """
    given = dict(more)
    for name in binder.names[len(specs) :] if binder.varargs is None else ():
        said = _said(declared.get(name))
        if name not in given and said is not None and not binder.has_default(name) and name not in binder.positional_only:
            given[name] = said
    bound = binder.bind(specs, given)
    making = _StandIns(declared, divisor, arrangement)
    later = [name for name, value in bound.values.items() if isinstance(value, TensorAnnotation)]
    order = [*(name for name in bound.values if name not in later), *later]
    made = {name: making.made(making.read(bound.values[name], name), name) for name in order}
    return Specified({name: made[name] for name in bound.values}, making.annotations, making.valueless)


def _said(annotation: Annotation | None) -> Any:
    """The spec that an annotation is: an array type, or the class of a number; None where it leaves something open."""
    if isinstance(annotation, TensorAnnotation):
        if not _vagueness(annotation):
            return annotation
        # A number of a whole family of dtypes, `eps: float` in .stx, is Python's.
        kinds = {dtype.kind for dtype in annotation.dtypes or ()} if annotation.axes == () else set[str]()
        return float if kinds == {"f"} else int if kinds and kinds <= {"i", "u"} else None
    if isinstance(annotation, ScalarAnnotation):
        return {kind.__name__: kind for kind in _NUMBERS}.get(annotation.kind)
    return None


class _Described:
    """An array spec in its place. `symbols` gives its symbols' extents, as far as they are known."""

    def __init__(self, annotation: TensorAnnotation, extents: dict[str, int]) -> None:
        self.annotation = annotation
        self.extents = extents


class _StandIns:
    """Makes stand-ins. The symbols of specs and those of the function's annotations are not the same, though they may be called so."""

    def __init__(self, declared: Mapping[str, Annotation], divisor: int, order: int) -> None:
        self.declared = declared
        self.annotations: dict[str, TensorAnnotation] = {}
        self.valueless: dict[str, str] = {}
        self._given: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._free = _numbers(divisor, order)

    def read(self, value: Any, path: str) -> Any:
        """The spec with its array types read."""
        if isinstance(value, TensorAnnotation):
            self.annotations[path] = _named(path, value)
            return _Described(self.annotations[path], self._own)
        if isinstance(value, TensorForm):
            self.annotations[path] = _named(path, _annotation(path, value))
            return _Described(self.annotations[path], self._given)
        return _rebuilt(value, path, self.read)

    def made(self, value: Any, path: str) -> Any:
        if isinstance(value, _Described):
            return self._array(value, path)
        if isinstance(value, type) and value in _NUMBERS:
            self.valueless[path] = value.__name__
            return _NUMBERS[value]
        return _rebuilt(value, path, self.made)

    def _array(self, value: _Described, path: str) -> Any:
        """An extent is what the function's annotation makes of it where that is known, else any; then the annotation's symbol is that."""
        sizes = _sizes(value.annotation)
        declared = self.declared.get(path)
        axes = list(declared.axes or ()) if isinstance(declared, TensorAnnotation) else []
        axes = axes if len(axes) == len(sizes) else [None] * len(sizes)
        extents: list[int] = []
        for size, axis in zip(sizes, axes, strict=True):
            known = _known(axis, self._own)
            name = _alone(size)
            if name is not None and known is not None:
                value.extents.setdefault(name, known)
            extents.append(self._extent(size, value.extents, path))
            name = _alone(axis)
            if name is not None:
                self._own.setdefault(name, extents[-1])
        return _stand_in(next(iter(value.annotation.dtypes or ())), extents)

    def _extent(self, size: Size, extents: dict[str, int], path: str) -> int:
        for name in () if isinstance(size, int) else sorted(symbols(size)):
            if name not in extents:
                extents[name] = next(self._free)
        extent = size if isinstance(size, int) else evaluate(size, extents)
        if extent < 0:
            reason = "it is negative for most values of its symbols"
            late.raise_error("bad-spec", what=f"an extent of `{path}`", given=str(size), reason=reason)
        return extent


def _alone(size: Any) -> str | None:
    """The symbol that a size consists of, if it is one."""
    return str(size) if isinstance(size, SizeExpression) and str(size) in symbols(size) else None


def _known(axis: Any, extents: dict[str, int]) -> int | None:
    """What a declared axis is, where its symbols are known."""
    if isinstance(axis, SizeExpression):
        return evaluate(axis, extents) if symbols(axis) <= extents.keys() else None
    return axis if isinstance(axis, int) else None


def _numbers(divisor: int, order: int) -> Iterator[int]:
    extents = [extent for extent in _EXTENTS if extent % divisor == 0]
    if order:
        Random(order).shuffle(extents)
    yield from extents
    extent, step = 5460, 420
    if divisor > 1:
        step = divisor
        extent = 5041 // step * step + step
    while True:
        yield extent
        extent += step


def _stand_in(dtype: DType, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """An array with header and no data: its memory is one element, of which nothing is ever read."""
    kind = dtype.numpy
    strides: list[int] = []
    step = kind.itemsize
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return as_strided(np.empty(1, kind), tuple(shape), strides)


def _rebuilt(value: Any, path: str, visit: Any) -> Any:
    """A container with its parts visited, each by its path in the user's words."""
    kind: Any = class_of(value)
    if kind in (tuple, list):
        return cast("Any", kind)([visit(item, f"{path}[{index}]") for index, item in enumerate(value)])
    if kind in (dict,):
        return {key: visit(item, f"{path}[{key!r}]") for key, item in value.items()}
    if hasattr(kind, "_make"):
        return kind._make([visit(item, f"{path}.{name}") for name, item in zip(kind._fields, value, strict=True)])
    if hasattr(kind, "__dataclass_fields__") and not isinstance(value, type):
        made: Any = object.__new__(kind)
        for name in kind.__dataclass_fields__:
            object.__setattr__(made, name, visit(getattr(value, name), f"{path}.{name}"))
        return made
    return value
