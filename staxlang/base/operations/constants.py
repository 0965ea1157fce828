"""Constant folding: an operation on numbers, by its NumPy reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from staxlang.base.dtypes import DType
from staxlang.base.operations.operation import Operation

Number = bool | int | float | complex


def evaluate_constant(operation: Operation, values: Sequence[Any], dtypes: DType | Sequence[DType]) -> Number:
    """The Python number that the operation gives for numbers of these dtypes (of the operands, cast as `result_type` says).

    A single dtype stands for all operands; NumPy scalars among the values keep their own. Never warns.

    >>> from staxlang.base.dtypes import F32, I8
    >>> from staxlang.base.operations import OPERATIONS
    >>> evaluate_constant(OPERATIONS["add"], (100, 100), I8), evaluate_constant(OPERATIONS["divide"], (1.0, 0.0), F32)
    (-56, inf)
    """
    each = [dtypes] * len(values) if isinstance(dtypes, DType) else dtypes
    with np.errstate(all="ignore"):
        operands: list[Any] = [
            value if isinstance(value, np.generic) else _typed(value, dtype) for value, dtype in zip(values, each, strict=True)
        ]
        return np.asarray(operation.reference(*operands)).item()


def _typed(value: Any, dtype: DType) -> Any:
    return np.asarray(value).astype(dtype.numpy)[()]
