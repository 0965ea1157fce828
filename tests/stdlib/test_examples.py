"""Every `>>>` example of the standard library, executed natively: called with lists as it is written, and within a kernel with arrays."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.parser.library import library_function, library_names
from staxlang.runtime import operations
from tests.stdlib.against_numpy import compiled

WORDS = {"true": True, "false": False, "none": None, "nan": np.nan, "inf": np.inf, "sum": stax.sum, "add": stax.add, "i64": np.int64}
LISTS = frozenset(("block", "select", "piecewise", "hstack", "vstack", "dstack", "column_stack", "multi_dot", "delete"))
"""Functions that take lists of arrays: their lists stay lists in the kernel."""
EXAMPLES = [
    (name, line[4:], following)
    for name in library_names()
    for line, following in zip(
        *(lambda lines: (lines, lines[1:]))((getattr(library_function(name), "doc", None) or "").split("\n")), strict=False
    )
    if line.startswith(">>> ")
]


def agree(got: Any, expected: str) -> None:
    want = ast.literal_eval(expected.replace("true", "True").replace("false", "False"))
    parts = zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]
    for one, other in parts:
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-15, atol=1e-16)
        assert np.shape(one) == np.shape(other)


def test_every_public_function_has_an_example() -> None:
    assert {name for name, _, _ in EXAMPLES} == set(library_names())


@pytest.mark.parametrize(("name", "call", "expected"), EXAMPLES, ids=[call for _, call, _ in EXAMPLES])
def test_as_it_is_written(name: str, call: str, expected: str) -> None:
    before = operations.kernel_of(name).stats()
    with np.errstate(all="ignore"):
        agree(eval(call, {**{one: getattr(stax, one) for one in library_names()}, **WORDS}), expected)
    after = operations.kernel_of(name).stats()
    assert after.calls > before.calls and after.route == "native" and after.fallbacks == 0


class _Arguments(ast.NodeTransformer):
    """Lists become parameters of the kernel: arrays given at its call."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}

    def visit_List(self, node: ast.List) -> Any:
        name = f"a{len(self.arrays)}"
        self.arrays[name] = np.array(eval(compile(ast.Expression(node), "list", "eval"), dict(WORDS)))
        return ast.Name(name, ast.Load())


@pytest.mark.parametrize(("name", "call", "expected"), EXAMPLES, ids=[call for _, call, _ in EXAMPLES])
def test_within_a_kernel(name: str, call: str, expected: str) -> None:
    tree = ast.parse(call, mode="eval")
    arguments = _Arguments()
    if name not in LISTS:
        tree = arguments.visit(tree)
    space = {**{one: getattr(stax, one) for one in library_names()}, **WORDS}
    kernel = compiled(ast.unparse(ast.fix_missing_locations(tree)), list(arguments.arrays), space)
    agree(kernel(**arguments.arrays), expected)
    stats = kernel.stats()
    assert stats.route == "native" and stats.fallbacks == 0 and stats.calls == 1
