"""Annotations as values: what a parameter or result is declared to be, and how declared sizes are bound to the sizes that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from staxlang.base.diagnostics import Diagnostic, Note, diagnose
from staxlang.base.dtypes import DType
from staxlang.base.records import record
from staxlang.base.sizes import Size, SizeExpression, divides, linear_in, modulo, substitute, symbol, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.notation import Rest


@record
class AnyAnnotation:
    """Nothing is said."""

    def __str__(self) -> str:
        return "anything"


ANY = AnyAnnotation()
Axis = Size | Rest | None
"""A declared size: an expression, `*B` (with the name "" for `...`), or None for `_`, anything."""


@record
class TensorAnnotation:
    """`Tensor[dtype, size, ..]`. `dtypes` None: any; `variable` names a dtype variable; `axes` None says nothing of the shape."""

    dtypes: frozenset[DType] | None
    axes: tuple[Axis, ...] | None
    variable: str | None = None
    text: str = ""
    __record_ignored__ = ("text",)

    def __str__(self) -> str:
        return self.text or f"Tensor[{', '.join([self.dtype_text(), *map(_axis_text, self.axes or ())])}]"

    def dtype_text(self) -> str:
        if self.dtypes is None:
            return self.variable or "any dtype"
        listed = " or ".join(sorted((dtype.name for dtype in self.dtypes), key=lambda name: (name.strip("0123456789"), len(name), name)))
        return listed if self.variable is None else f"{self.variable}, which is {listed}"

    @property
    def sizes(self) -> frozenset[str]:
        """The symbols that the axes name, those of `*B` not counted."""
        return frozenset(name for axis in self.axes or () if isinstance(axis, SizeExpression) for name in symbols(axis))


@record
class ScalarAnnotation:
    """`int`, `float`, `complex`, `bool`, `str`, `None`: a plain Python value. An int passes for a float, as Python's checkers have it."""

    kind: str

    def __str__(self) -> str:
        return self.kind

    def accepts(self, kind: str) -> bool:
        order = ("bool", "int", "float", "complex")
        if self.kind in order and kind in order:
            return order.index(kind) <= order.index(self.kind)
        return kind == self.kind


@record
class UnionAnnotation:
    members: tuple[Annotation, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.members))


@record
class ContainerAnnotation:
    """kind: tuple (of `items`), list or sequence (each `items[0]`), dict (values `items[0]`)."""

    kind: str
    items: tuple[Annotation, ...]
    repeated: bool = False

    def __str__(self) -> str:
        return f"{self.kind}[{', '.join(map(str, self.items))}{', ...' if self.kind == 'tuple' and self.repeated else ''}]"

    def at(self, key: object) -> Annotation:
        """The annotation of an element."""
        if self.repeated or self.kind != "tuple":
            return self.items[0] if self.items else ANY
        return self.items[key] if isinstance(key, int) and 0 <= key < len(self.items) else ANY


@record
class RecordAnnotation:
    """A dataclass or named tuple. Its fields are read when they are asked for: they may speak of the class itself."""

    cls: type
    read: Callable[[type, str], Annotation]
    __record_ignored__ = ("read",)

    def __str__(self) -> str:
        return self.cls.__name__

    def at(self, key: object) -> Annotation:
        """The annotation of a field, by name or place."""
        names = getattr(self.cls, "_fields", ())
        return self.read(self.cls, names[key] if isinstance(key, int) and key < len(names) else str(key))


Annotation = AnyAnnotation | TensorAnnotation | ScalarAnnotation | UnionAnnotation | ContainerAnnotation | RecordAnnotation


def _axis_text(axis: Axis) -> str:
    return "_" if axis is None else "..." if isinstance(axis, Rest) and not axis.name else str(axis)


def element(annotation: Annotation, key: object) -> Annotation:
    """The annotation of an element or field of a value that has `annotation`."""
    if isinstance(annotation, (ContainerAnnotation, RecordAnnotation)):
        return annotation.at(key)
    if isinstance(annotation, UnionAnnotation):
        found = [element(member, key) for member in annotation.members if isinstance(member, (ContainerAnnotation, RecordAnnotation))]
        return found[0] if len(found) == 1 else ANY
    return ANY


# ---- binding ----


@record
class Leaf:
    """One value of a call: its path in the user's words (`x`, `config.w`), what is declared, what is there. `given` is a TensorType, or
    for other values 'int', 'float', 'complex', 'bool', 'str', 'None' or a class's name."""

    path: str
    annotation: Annotation
    given: TensorType | str
    span: Span | None = None


@record
class Binding:
    """What a call's values make of the declared names: `sizes` and `dtypes` by symbol, `rests` the extents of `*B`.

    `shapes` gives for each array leaf its declared shape: sizes over the symbols, None for an axis of which nothing is said.
    """

    sizes: dict[str, Size]
    rests: dict[str, tuple[Size, ...]]
    dtypes: dict[str, DType]
    shapes: dict[str, tuple[Size | None, ...]]
    diagnostics: tuple[Diagnostic, ...]


Same = Callable[[Size, Size], bool]
_Place = tuple[Leaf, int, Size]


def identical(first: Size, second: Size) -> bool:
    return first == second


def bind(leaves: Iterable[Leaf], same: Same | None = None, known: Mapping[str, Size] | None = None) -> Binding:
    """Declared names to what the leaves give: first symbols that stand alone on an axis, then those that an expression determines, then
    every axis is compared. `same(a, b)` says whether two sizes are equal (default: structurally; in checking, as far as is known).
    `known` gives symbols that are bound already.
    """
    made = _Binder(same or identical)
    made.sizes.update(known or {})
    for leaf in leaves:
        made.take(leaf)
    made.solve()
    made.compare()
    return Binding(made.sizes, made.rests, made.dtypes, made.shapes, tuple(made.diagnostics))


class _Binder:
    def __init__(self, same: Same) -> None:
        self.same = same
        self.sizes: dict[str, Size] = {}
        self.origins: dict[str, tuple[Leaf, int]] = {}
        self.rests: dict[str, tuple[Size, ...]] = {}
        self.rest_origins: dict[str, Leaf] = {}
        self.dtypes: dict[str, DType] = {}
        self.dtype_origins: dict[str, Leaf] = {}
        self.shapes: dict[str, tuple[Size | None, ...]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.open: list[tuple[Leaf, int, Size, Size]] = []  # leaf, axis, declared, given

    # ---- one leaf ----

    def take(self, leaf: Leaf) -> None:
        annotation = leaf.annotation
        if isinstance(annotation, UnionAnnotation):
            members = [member for member in annotation.members if _could_be(member, leaf.given)]
            if not members:
                self._report("annotated-kind", leaf, what=f"`{leaf.path}`", given=_given_text(leaf.given), expected=str(annotation))
                return
            annotation = members[0]
        if isinstance(annotation, TensorAnnotation):
            self._tensor(leaf, annotation)
        elif isinstance(annotation, ScalarAnnotation) and not _could_be(annotation, leaf.given):
            self._report("annotated-kind", leaf, what=f"`{leaf.path}`", given=_given_text(leaf.given), expected=str(annotation))

    def _tensor(self, leaf: Leaf, annotation: TensorAnnotation) -> None:
        given = leaf.given
        if isinstance(given, str):
            if not _could_be(annotation, given):
                self._report("annotated-kind", leaf, what=f"`{leaf.path}`", given=_given_text(given), expected=str(annotation))
            return
        self._dtype(leaf, annotation, given.dtype)
        if annotation.axes is None:
            return
        pairs = self._aligned(leaf, annotation.axes, given)
        if pairs is None:
            return
        declared: list[Size | None] = []
        for axis, (wanted, extent) in enumerate(pairs):
            declared.append(wanted)
            if wanted is None:
                continue
            name = _alone(wanted)
            if name is not None and name not in self.sizes:
                self.sizes[name] = extent
                self.origins[name] = (leaf, axis)
            else:
                self.open.append((leaf, axis, wanted, extent))
        self.shapes[leaf.path] = tuple(declared)

    def _dtype(self, leaf: Leaf, annotation: TensorAnnotation, dtype: DType) -> None:
        if annotation.dtypes is not None and dtype not in annotation.dtypes:
            self._report("annotated-dtype", leaf, what=f"`{leaf.path}`", given=dtype.name, expected=annotation.dtype_text())
            return
        variable = annotation.variable
        if variable is None:
            return
        known = self.dtypes.setdefault(variable, dtype)
        origin = self.dtype_origins.setdefault(variable, leaf)
        if known is not dtype:
            note = Note(origin.span, f"`{variable}` is {known.name} from `{origin.path}`")
            expected = f"{variable}, which is {known.name}"
            self._report("annotated-dtype", leaf, notes=(note,), what=f"`{leaf.path}`", given=dtype.name, expected=expected)

    def _aligned(self, leaf: Leaf, axes: Sequence[Axis], given: TensorType) -> list[tuple[Size | None, Size]] | None:
        """The declared axes beside the extents, `*B` spread over what the others leave."""
        place = next((k for k, axis in enumerate(axes) if isinstance(axis, Rest)), None)
        fixed = len(axes) - (place is not None)
        rank = given.rank
        if rank < fixed or (place is None and rank != fixed):
            expected = f"{fixed} or more, {leaf.annotation}" if place is not None else f"{fixed}, {leaf.annotation}"
            self._report("annotated-rank", leaf, what=f"`{leaf.path}`", given=_axes_text(rank), expected=expected)
            return None
        if place is None:
            return list(zip(axes, given.shape, strict=True))  # type: ignore[arg-type]
        rest = axes[place]
        assert isinstance(rest, Rest)
        count = rank - fixed
        spread = self._rest(leaf, rest, given.shape[place : place + count], place)
        before, after = axes[:place], axes[place + 1 :]
        return list(zip([*before, *spread, *after], given.shape, strict=True))  # type: ignore[list-item]

    def _rest(self, leaf: Leaf, rest: Rest, extents: tuple[Size, ...], place: int) -> list[Size | None]:
        if not rest.name:
            return [None] * len(extents)
        known = self.rests.setdefault(rest.name, extents)
        origin = self.rest_origins.setdefault(rest.name, leaf)
        if len(known) != len(extents):
            note = Note(origin.span, f"`*{rest.name}` is {len(known)} axes of `{origin.path}`")
            expected = f"as many axes in `*{rest.name}` as `{origin.path}` has"
            self._report("annotated-rank", leaf, notes=(note,), what=f"`{leaf.path}`", given=_axes_text(len(extents)), expected=expected)
            return [None] * len(extents)
        return [symbol(f"{rest.name}[{k}]") for k in range(len(extents))]

    # ---- all leaves ----

    def solve(self) -> None:
        """Symbols that stand nowhere alone: from `2*N` given 8 follows N = 4."""
        for leaf, axis, wanted, extent in self.open:
            unknown = [name for name in symbols(wanted) if name not in self.sizes]
            if len(unknown) != 1:
                continue
            found = linear_in(substitute(wanted, self.sizes), unknown)
            if found is None or unknown[0] not in found[0]:
                continue
            factor, rest = found[0][unknown[0]], found[1]
            left = extent - rest
            if isinstance(factor, int) and (_divides(factor, left) or self._made_divisible(factor, left)):
                self.sizes[unknown[0]] = left // factor
                self.origins[unknown[0]] = (leaf, axis)

    def _made_divisible(self, factor: int, left: Size) -> bool:
        """Of a symbolic extent, whoever knows more may say that it is a multiple."""
        return factor > 0 and isinstance(left, SizeExpression) and self.same(modulo(left, factor), 0)

    def compare(self) -> None:
        for leaf, axis, wanted, extent in self.open:
            names = symbols(wanted)
            if not names <= self.sizes.keys():
                self._impossible(leaf, axis, wanted, extent)
                continue
            value = substitute(wanted, self.sizes)
            if value == extent or self.same(value, extent):
                continue
            expected = str(wanted) if isinstance(wanted, int) else f"{wanted} = {value}"
            notes = [self._origin_note(name) for name in sorted(names) if name in self.origins]
            self._report("annotated-size", leaf, notes=notes, what=f"`{leaf.path}`", given=extent, axis=axis, expected=expected)

    def _impossible(self, leaf: Leaf, axis: int, wanted: Size, extent: Size) -> None:
        """No value of the symbols gives the extent, or none is determined."""
        names = sorted(symbols(wanted) - self.sizes.keys())
        values = [substitute(wanted, {names[0]: k}) for k in (1, 2, 3)] if len(names) == 1 else []
        linear = bool(values) and all(isinstance(value, int) for value in values) and values[0] + values[2] == 2 * values[1]
        notes: list[Note] = []
        if names and not linear:
            told = f"`{names[0]}` is found where it stands alone, or times a number, for an axis; here it does so nowhere"
            notes.append(Note(None, told))
        self._report("annotated-size", leaf, notes=notes, what=f"`{leaf.path}`", given=extent, axis=axis, expected=str(wanted))

    def _origin_note(self, name: str) -> Note:
        leaf, axis = self.origins[name]
        return Note(leaf.span, f"{name} is {self.sizes[name]}, axis {axis} of `{leaf.path}`")

    def _report(self, code: str, leaf: Leaf, notes: Sequence[Note] = (), **fields: Any) -> None:
        given = leaf.given
        here = () if isinstance(given, str) else (f"`{leaf.path}` is {TensorType(given.dtype, given.shape)} here",)
        self.diagnostics.append(diagnose(code, leaf.span, notes=(*notes, *here), **fields))


def _axes_text(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _alone(size: Size) -> str | None:
    """The symbol that a size consists of, if it is one."""
    if isinstance(size, int):
        return None
    names = symbols(size)
    if len(names) == 1:
        (name,) = names
        if size == symbol(name):
            return name
    return None


def _divides(factor: int, size: Size) -> bool:
    if isinstance(size, int):
        return factor != 0 and size % factor == 0 and size // factor >= 0
    return factor != 0 and divides(factor, size) is True


def _could_be(annotation: Annotation, given: TensorType | str) -> bool:
    """Whether a value of that kind can have the annotation at all."""
    if isinstance(annotation, AnyAnnotation):
        return True
    if isinstance(annotation, TensorAnnotation):
        if isinstance(given, TensorType):
            return True
        numbers = {"bool": "b", "int": "iufc", "float": "fc", "complex": "c"}
        kinds = numbers.get(given)
        scalar = annotation.axes is None or all(isinstance(axis, Rest) for axis in annotation.axes)
        return kinds is not None and scalar and (annotation.dtypes is None or any(dtype.kind in kinds for dtype in annotation.dtypes))
    if isinstance(annotation, ScalarAnnotation):
        if isinstance(given, TensorType):
            return given.shape == () and annotation.accepts(
                {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[given.dtype.kind]
            )
        return annotation.accepts(given)
    if isinstance(annotation, UnionAnnotation):
        return any(_could_be(member, given) for member in annotation.members)
    return isinstance(given, str) and given not in ("int", "float", "complex", "bool", "str", "None")


def _given_text(given: TensorType | str) -> str:
    if isinstance(given, str):
        return given if given == "None" else f"{'an' if given[0] in 'aeiouAEIOU' else 'a'} {given}"
    return str(TensorType(given.dtype, given.shape))


# ---- results ----


def check_result(
    annotation: Annotation, found: TensorType | str, binding: Binding, function: str, span: Span | None, same: Same | None = None
) -> list[Diagnostic]:
    """What is wrong with a result that is declared to have an annotation, under the names that the parameters bound."""
    if not isinstance(annotation, TensorAnnotation):
        return [] if _could_be(annotation, found) else [_mismatch(annotation, found, function, span)]
    if isinstance(found, str):
        return [] if _could_be(annotation, found) else [_mismatch(annotation, found, function, span)]
    equal: Same = same or identical
    if annotation.dtypes is not None and found.dtype not in annotation.dtypes:
        return [_mismatch(annotation, found, function, span)]
    if annotation.variable is not None and binding.dtypes.get(annotation.variable, found.dtype) is not found.dtype:
        return [_mismatch(annotation, found, function, span)]
    wanted = declared_shape(annotation, binding, found.rank)
    if wanted is None:
        return [_mismatch(annotation, found, function, span)]
    for declared, extent in zip(wanted, found.shape, strict=True):
        if declared is not None and declared != extent and not equal(declared, extent):
            return [_mismatch(annotation, found, function, span)]
    return []


def declared_shape(annotation: TensorAnnotation, binding: Binding, rank: int) -> tuple[Size | None, ...] | None:
    """The shape that an annotation declares for a rank, names replaced by what they are bound to; None where the rank cannot be."""
    if annotation.axes is None:
        return (None,) * rank
    result: list[Size | None] = []
    for axis in annotation.axes:
        if isinstance(axis, Rest):
            bound = binding.rests.get(axis.name)
            result.extend([None] * (rank - len(annotation.axes) + 1) if bound is None else bound)
        else:
            result.append(axis if axis is None or isinstance(axis, int) else substitute(axis, binding.sizes))
    return tuple(result) if len(result) == rank else None


def _mismatch(annotation: Annotation, found: TensorType | str, function: str, span: Span | None) -> Diagnostic:
    return diagnose("result-mismatch", span, function=function, given=_given_text(found), expected=str(annotation))
