"""Types: their texts, equality, layouts; the doc examples of the room."""

from __future__ import annotations

import doctest
import importlib
import pickle
import pkgutil

import numpy as np
import pytest

import staxlang.base
from staxlang.base.dtypes import F32, I64, WEAK_FLOAT
from staxlang.base.sizes import symbol
from staxlang.base.types import (
    UNKNOWN,
    FunctionType,
    ScalarType,
    StaticType,
    TensorType,
    TupleType,
    element_count,
    row_major_strides,
    tensor,
)

N, M = symbol("N"), symbol("M")


@pytest.mark.parametrize(
    "type, text",
    [
        (tensor(F32, N, 128), "f32[N, 128]"), (tensor(I64), "i64[]"), (TensorType(F32, (N, M), (1, N)), "f32[N, M] strides (1, N)"),
        (ScalarType(WEAK_FLOAT), "float"), (StaticType("int", "3"), "int 3"), (TupleType((tensor(F32),)), "(f32[],)"),
        (FunctionType((("x", tensor(F32, N)), ("k", UNKNOWN)), tensor(F32)), "(x: f32[N], k) -> f32[]"), (UNKNOWN, "Unknown"),
    ],
)  # fmt: skip
def test_texts(type: object, text: str) -> None:
    assert str(type) == text
    assert pickle.loads(pickle.dumps(type)) == type


def test_equal_types_are_equal_keys() -> None:
    assert tensor(F32, N + 1, 2) == tensor(F32, 1 + N, 2) and hash(tensor(F32, N + 1)) == hash(tensor(F32, 1 + N))
    assert tensor(F32, N) != tensor(F32, M) and tensor(F32, N).rank == 1
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN


def test_layouts_are_numpys() -> None:
    for shape in ((), (3,), (2, 3, 4), (0, 5)):
        strides = np.empty(shape, np.int8).strides
        if 0 not in shape:
            assert row_major_strides(shape) == strides
        assert element_count(shape) == int(np.prod(shape, dtype=int))
    assert row_major_strides((N, M, 2)) == (2 * M, 2, 1) and element_count((N, M)) == N * M


@pytest.mark.parametrize("module", sorted(m.name for m in pkgutil.walk_packages(staxlang.base.__path__, "staxlang.base.")))
def test_examples_in_docstrings(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
