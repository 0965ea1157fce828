"""The standard library's sources, printed as Python and run under NumPy itself: their meaning without any of the compiler."""

from __future__ import annotations

import math
import operator
from types import SimpleNamespace
from typing import Any

import numpy as np

from staxlang.base.externs import find_extern
from staxlang.base.records import replace
from staxlang.parser.library import library_function, library_index
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_python


def _elementwise(function: Any) -> Any:
    vectorized = np.vectorize(function, otypes=[np.float64])

    def apply(x: Any) -> Any:
        x = np.asarray(x)
        result = vectorized(x) if x.size else np.zeros(x.shape)
        return result.astype(x.dtype if x.dtype.kind == "f" else np.float64)[()]

    return apply


def _size(x: Any, axis: Any = None) -> int:
    x = np.asarray(x)
    if axis is None:
        return x.size
    return math.prod(x.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))


def _extreme(reduce: Any, pair: Any) -> Any:
    def apply(*values: Any, **options: Any) -> Any:
        if len(values) == 1:
            return reduce(values[0], **options)
        return max(values) if all(isinstance(v, int) for v in values) and pair is np.maximum else pair(*values)

    return apply


def _extern(name: str, *arrays: Any, **options: Any) -> Any:
    row = find_extern(name)
    assert row is not None
    found = row.run(tuple(map(np.asarray, arrays)), tuple(options.items()))
    return found[0] if len(found) == 1 else found


def _matrices(a: Any, operation: str, square: bool = False) -> Any:
    x = np.asarray(a)
    assert x.ndim >= 2 and (not square or x.shape[-1] == x.shape[-2]), operation
    return _lapack_numbers(x, operation)


def _lapack_numbers(a: Any, operation: str) -> Any:
    x = np.asarray(a)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = (1, 1), padding: Any = (0, 0), dilation: Any = (1, 1), groups: int = 1
) -> Any:
    """In index notation it has no Python form."""
    assert groups == 1
    x, weight = np.asarray(x), np.asarray(weight)
    x = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(p, p) for p in padding])
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(x, spans, (-2, -1))
    windows = windows[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    return np.einsum("...cijab,fcab->...fij", windows, weight) + (0 if bias is None else np.asarray(bias)[:, None, None])


def _into(result, out=None, casting="unsafe"):
    if out is None:
        return result
    target = out[0] if isinstance(out, tuple) else out
    np.copyto(target, result, casting=casting)
    return target


def namespace() -> dict[str, Any]:
    """The words of .stx as NumPy's functions, and every definition of the library on top of them."""
    words: dict[str, Any] = {name: getattr(np, name) for name in np.__all__ if name not in ("bool", "min", "max", "size")}
    words |= {
        "size": _size, "max": _extreme(np.max, np.maximum), "min": _extreme(np.min, np.minimum),
        "sigmoid": _elementwise(lambda v: 1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v))),
        "softplus": lambda x: np.logaddexp(0, np.asarray(x)).astype(np.asarray(x).dtype), "erf": _elementwise(math.erf),
        "bool": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
        "c64": np.complex64, "c128": np.complex128,
        "sliding_windows": np.lib.stride_tricks.sliding_window_view,
        "extern": lambda name, *args, **options: operator.attrgetter(name)(np)(*args, **options),
        "frexp_mantissa": lambda x: np.frexp(x)[0], "frexp_exponent": lambda x: np.frexp(x)[1],
    }  # fmt: skip
    words["extern"] = _extern
    words |= {"matrices": _matrices, "lapack_numbers": _lapack_numbers, "named_result": lambda name, *items: items}
    words["asks_data"] = lambda: True
    words["same_extents"] = lambda a, axis, b, other, operation: a.shape[axis] == b.shape[other]
    words["binary_digits"] = lambda size: size.bit_length()
    words["is_empty"] = lambda size: size == 0
    words["bf16"] = np.void  # no array of NumPy's has it
    words |= {"fixed": lambda value: value, "conv2d": _conv2d, "u8": np.uint8, "u32": np.uint32, "u64": np.uint64}
    words |= {"counted": lambda number, otherwise=None: int(number), "chooses": lambda obj: isinstance(obj, np.ndarray) and obj.ndim > 0}
    words |= {"into": _into, "laid_as": lambda x, like: x}
    words["axes_within"] = lambda axis, ndim: tuple([k % ndim for k in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    words["demand"] = lambda condition, requirement: None
    words["_counted"] = lambda places, weights, length: np.bincount(places, weights, length)  # in index notation it has no Python form
    spaces: dict[str, dict[str, Any]] = {}
    for name in sorted(library_index(), key=lambda one: "." in one):  # namespaces last: on top of the others
        space, _, own = name.rpartition(".")
        function: Any = library_function(name)
        parameters = tuple(replace(parameter, annotation=None) for parameter in function.parameters)
        try:
            text = to_python(replace(function, exported=False, returns=None, parameters=parameters))
        except Unprintable:  # index notation whose ranges are inferred has no Python form
            continue
        names = spaces.setdefault(space, dict(words)) if space else words
        exec(text, names)
        if space:
            words[space] = names[space] = names.get("__namespace__") or SimpleNamespace()
            names["__namespace__"] = words[space]
            setattr(words[space], own, names[own])
    return words
