"""The inverse of a view: which element of the view lies at an element of the base, and for which elements there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, floordiv, linear_in, substitute, symbols
from staxlang.typecheck.reshaping import exact, product
from staxlang.typecheck.views import Answer, View, index, index_name


class Inverse(NamedTuple):
    """Over the base's own subscripts i0, i1, ..: the view's subscripts, and the conditions under which the element is in the view."""

    subscripts: tuple[Size, ...]
    conditions: tuple[Condition, ...]


def invert(view: View, base_shape: Sequence[Size], prove: Answer) -> Inverse | None:
    """None where an element of the base can be several of the view's (repeated, overlapping), or it cannot be told."""
    rank = len(view.shape)
    names = [index_name(axis) for axis in range(rank)]
    solved: dict[str, Size] = {name: 0 for name, extent in zip(names, view.shape, strict=True) if extent == 1}
    conditions: list[Condition] = []
    used: set[int] = set()
    parts = [_Linear.of(one, names) for one in view.subscripts]
    for axis, part in enumerate(parts):
        if part is not None and len([name for name in part.coefficients if name not in solved]) >= 1:
            found = _solve(part, axis, view, names, solved)
            if found is not None:
                conditions.extend(found)
                used.add(axis)
    for name in names:
        if name not in solved and not _merge(name, view, base_shape, names, solved, used):
            return None
    for axis, one in enumerate(view.subscripts):
        if axis not in used:
            back = one if isinstance(one, int) else substitute(one, solved)
            if back != index(axis):
                conditions.append(Condition("==", index(axis), back))
    conditions.extend(_ranges(view, base_shape, names, solved, prove))
    return Inverse(tuple(solved[name] for name in names), tuple(dict.fromkeys(conditions)))


class _Linear(NamedTuple):
    coefficients: dict[str, Size]
    rest: Size

    @staticmethod
    def of(subscript: Size, names: Sequence[str]) -> _Linear | None:
        if isinstance(subscript, int):
            return None
        found = linear_in(subscript, frozenset(names))
        if found is None or not found[0]:
            return None
        coefficients, rest = found
        return _Linear({name: one for name, one in coefficients.items() if one != 0}, rest)


def _solve(part: _Linear, axis: int, view: View, names: Sequence[str], solved: dict[str, Size]) -> list[Condition] | None:
    """Solves one subscript for its indices, taken as digits of a number in mixed radix; gives the conditions for a solution."""
    open_names = [name for name in part.coefficients if name not in solved]
    if len(open_names) != len([name for name in part.coefficients if solved.get(name) != 0]):
        return None
    value = index(axis) - part.rest
    extents = dict(zip(names, view.shape, strict=True))
    if len(open_names) == 1:
        name = open_names[0]
        step = part.coefficients[name]
        if step == -1:
            step, value = 1, -value
        elif isinstance(step, int) and step < 0:
            step, value = -step, -value
        solved[name] = value if step == 1 else floordiv(value, step)
        return [] if step == 1 else [Condition("==", value % step, 0)]
    return _digits(value, part.coefficients, open_names, extents, solved)


def _digits(
    value: Size, coefficients: Mapping[str, Size], open_names: Sequence[str], extents: Mapping[str, Size], solved: dict[str, Size]
) -> list[Condition] | None:
    ordered = _by_radix(coefficients, open_names, extents)
    if ordered is None:
        return None
    unit = coefficients[ordered[-1]]
    conditions = [] if unit == 1 else [Condition("==", value % unit, 0)]
    for place, name in enumerate(ordered):
        quotient = floordiv(value, coefficients[name])
        solved[name] = quotient if place == 0 else quotient % extents[name]
    return conditions


def _by_radix(coefficients: Mapping[str, Size], names: Sequence[str], extents: Mapping[str, Size]) -> list[str] | None:
    """The names from the largest coefficient to the least, if each coefficient is the next one times the next one's extent."""
    remaining = set(names)
    for least in names:
        order = [least]
        left = remaining - {least}
        while left:
            wanted = coefficients[order[-1]] * extents[order[-1]]
            following = next((name for name in sorted(left) if coefficients[name] == wanted), None)
            if following is None:
                break
            order.append(following)
            left = left - {following}
        if not left:
            order.reverse()
            return order
    return None


def _merge(name: str, view: View, base_shape: Sequence[Size], names: Sequence[str], solved: dict[str, Size], used: set[int]) -> bool:
    """Solves an index that several adjacent subscripts hold in row-major form: i // d and i % d."""
    axes = [axis for axis, one in enumerate(view.subscripts) if axis not in used and _open(one, names, solved) == {name}]
    if not axes:
        return False
    wanted = index(int(name[1:]))
    for start in range(len(axes)):
        for stop in range(len(axes), start, -1):
            run = axes[start:stop]
            total: Size = 0
            back: Size = 0
            for place, axis in enumerate(run):
                weight = product([base_shape[other] for other in run[place + 1 :]])
                total = total + view.subscripts[axis] * weight
                back = back + index(axis) * weight
            remainder = total - wanted
            if not _open(remainder, names, {}):
                solved[name] = back - remainder
                if remainder == 0 and exact(view.shape[int(name[1:])], 1) == product([base_shape[axis] for axis in run]):
                    used.update(run)
                return True
    return False


def _open(subscript: Size, names: Sequence[str], solved: Mapping[str, Size]) -> set[str]:
    return set() if isinstance(subscript, int) else {name for name in symbols(subscript) if name in names and name not in solved}


def _ranges(view: View, base_shape: Sequence[Size], names: Sequence[str], solved: Mapping[str, Size], prove: Answer) -> list[Condition]:
    """0 <= index < extent for the solved indices, but for those that the base's own range implies."""
    conditions: list[Condition] = []
    for name, extent in zip(names, view.shape, strict=True):
        value = solved[name]
        if extent == 1 and value == 0:
            continue
        if not _never_negative(value, base_shape, prove):
            conditions.append(Condition("<=", 0, value))
        if not _always_below(value, extent, base_shape, prove):
            conditions.append(Condition("<", value, extent))
    return conditions


def _never_negative(value: Size, base_shape: Sequence[Size], prove: Answer) -> bool:
    if isinstance(value, int):
        return value >= 0
    return any(value == index(axis) for axis in range(len(base_shape))) or prove(Condition("<=", 0, value)) is True


def _always_below(value: Size, extent: Size, base_shape: Sequence[Size], prove: Answer) -> bool:
    """Whether value < extent for all subscripts of the base: its largest value is taken at the axes' ends."""
    if isinstance(value, int):
        return isinstance(extent, int) and value < extent
    if any(value == index(axis) and extent == size for axis, size in enumerate(base_shape)):
        return True
    ends = {index_name(axis): size - 1 for axis, size in enumerate(base_shape)}
    found = linear_in(value, frozenset(ends))
    if found is None or not all((isinstance(one, int) and one >= 0) or prove(Condition("<=", 0, one)) for one in found[0].values()):
        return False
    most = substitute(value, {name: ends[name] for name in found[0]})
    return most == extent - 1 or prove(Condition("<", most, extent)) is True
