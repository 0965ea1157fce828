"""Results of calls in which converted copies stood for byte-swapped or unaligned arrays: views of a copy become views of the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from staxlang.runtime.foreign import container_kind
from staxlang.runtime.running import owner_of
from staxlang.runtime.signature import class_of, parts_of, rebuilt

Array = np.ndarray[Any, Any]


def with_originals(result: Any, copies: Sequence[tuple[Array, Array]]) -> Any:
    """The result with the caller's arrays, and views of them, in the place of (copy, the caller's) copies and views of those."""
    if not copies:
        return result
    if class_of(result) is np.ndarray:
        owner = owner_of(result)
        for copy, original in copies:
            if result is copy:
                return original
            if owner is copy:
                return _view_of(original, copy, result)
        return result
    kind = container_kind(result)
    if kind is None:
        return result
    parts = [(key, item, with_originals(item, copies)) for key, item, _, _ in parts_of(result, kind, "")]
    return rebuilt(result, kind, parts) if any(item is not made for _, item, made in parts) else result


def _view_of(original: Array, copy: Array, view: Array) -> Array:
    """The view that lies in the original as the given one does in its row-major copy; that one where the original lies otherwise."""
    size = copy.itemsize
    start = (_address(view) - _address(copy)) // size
    steps = [stride // size for stride in view.strides]
    if original.flags.c_contiguous:
        made = as_strided(original.reshape(-1)[start:], view.shape, [step * original.itemsize for step in steps])
    else:
        place = [int(one) for one in np.unravel_index(min(start, max(copy.size - 1, 0)), copy.shape)] if copy.size else [0] * copy.ndim
        strides = [_stride(original, copy, place, step, extent) for step, extent in zip(steps, view.shape, strict=True)]
        if None in strides:
            return view
        made = as_strided(original[tuple([slice(one, None) for one in place])], view.shape, cast("list[int]", strides))
    if not view.flags.writeable:
        made.flags.writeable = False
    return made


def _stride(original: Array, copy: Array, place: Sequence[int], step: int, extent: int) -> int | None:
    """The bytes from one element of a view's axis to the next in the original; None where the axis walks over several of its axes."""
    if extent <= 1 or step == 0:
        return 0
    for axis in range(copy.ndim):
        unit = copy.strides[axis] // copy.itemsize
        count, rest = divmod(step, unit) if unit else (0, 1)
        if not rest and count and 0 <= place[axis] + count * (extent - 1) < copy.shape[axis]:
            return count * original.strides[axis]
    return None


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]
