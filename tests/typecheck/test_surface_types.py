"""The checker's answers: dtype and shape of every case of the surface with sizes that nobody knows, against NumPy at one choice."""

import numpy as np
import pytest
import test_surface_numbers as numbers
import test_surface_shapes as shapes
from surface_cases import checked_type, function_of

from staxlang.base.dtypes import from_numpy
from staxlang.base.sizes import evaluate, symbol, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck.values import ArrayValue, ScalarValue, SizeValue, StaticValue

CASES = [
    *((text, numbers.arguments(text)) for block in (numbers.UFUNCS, numbers.REDUCTIONS, numbers.CREATION, numbers.PRODUCTS, numbers.PYTHON)
      for text in numbers.cases(block)),
    *((text, shapes.arguments(text)) for block in (shapes.SHAPES, shapes.JOINS, shapes.INDEXING) for text in shapes.cases(block)),
]  # fmt: skip
OPEN = []
"""Cases of which the checker knows no type: what it cannot know it does not report."""


def symbolic(arguments):
    sizes, types = {}, {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            own = {f"{name}_{k}": extent for k, extent in enumerate(value.shape)}
            sizes.update(own)
            types[name] = TensorType(from_numpy(value.dtype), tuple(map(symbol, own)))
        else:
            types[name] = value
    return types, sizes


def compare(text, value, expected, sizes):
    """An abstract value against NumPy's result: dtype, rank, extents; scalars by their dtype."""
    if isinstance(value, ArrayValue):
        found = np.asarray(expected)
        assert value.dtype.numpy == found.dtype, (text, value, found.dtype)
        names = {name for extent in value.shape if not isinstance(extent, int) for name in symbols(extent)}
        if names <= sizes.keys():
            assert tuple(evaluate(extent, sizes) for extent in value.shape) == found.shape, (text, value.shape, found.shape)
        else:
            assert len(value.shape) == found.ndim, text
        assert value.scalar == isinstance(expected, np.generic), text
    elif isinstance(value, (tuple, list)):
        assert len(value) == len(expected), text
        for one, other in zip(value, expected, strict=True):
            compare(text, one, other, sizes)
    elif isinstance(value, SizeValue) and symbols(value.size) <= sizes.keys():
        assert evaluate(value.size, sizes) == expected, text
    elif isinstance(value, StaticValue) and isinstance(value.value, np.generic):
        assert value.value.dtype == np.asarray(expected).dtype, text
    elif isinstance(value, ScalarValue):
        assert value.kind == type(expected).__name__, text
    elif not isinstance(value, (StaticValue, SizeValue)):
        OPEN.append(text)


@pytest.mark.parametrize("text, arguments", CASES, ids=[text for text, _ in CASES])
def test_types_without_known_sizes(text, arguments):
    types, sizes = symbolic(arguments)
    value, diagnostics = checked_type(text, **types)
    assert not diagnostics, "\n".join(one.render() for one in diagnostics)
    with np.errstate(all="ignore"):
        expected = function_of(text, *arguments)(**{k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()})
    compare(text, value, expected, sizes)


def test_almost_all_types_are_known():
    assert len(OPEN) < 0.02 * len(CASES), OPEN
