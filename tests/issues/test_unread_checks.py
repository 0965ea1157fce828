"""A read out of range, or a negative exponent, is an error although nobody uses the value; a read that is used pays nothing for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.graph_text import parse_graph, print_graph

Array = np.ndarray[Any, Any]


def read_and_forgotten(x: Array, i: Array) -> Any:
    x[i]
    return x * 2


def no_other_work(x: Array, i: Array) -> Any:
    x[i]
    return 3


def the_argument_back(x: Array, i: Array) -> Any:
    np.take(x, i)
    return x


def only_its_shape(x: Array, i: Array) -> Any:
    return x[i].shape[0], len(x[i])


def only_a_part(x: Array, i: Array) -> Any:
    return x[i][:1]


def only_every_other(x: Array, i: Array) -> Any:
    return x[i][::2] + x[i][1]


def one_side_of_a_known_choice(x: Array, i: Array) -> Any:
    return np.where(True, 1.0, x[i])


def nothing_beside(x: Array, i: Array) -> Any:
    return np.zeros((len(x), 0))[i]


def in_a_loop(x: Array, i: Array) -> Any:
    for k in range(3):
        x[i - k]
    return x + 1


def overwritten(x: Array, i: Array) -> Any:
    y = np.zeros(len(x))
    y[i] = 2
    y[:] = 1
    return y


def along(x: Array, i: Array) -> Any:
    np.take_along_axis(x, i, 0)
    return x


def exponent(x: Array, i: Array) -> Any:
    np.ones_like(i) ** i
    return x


def in_softmax_of_nothing(x: Array, i: Array) -> Any:
    np.var(x[i])
    return x.sum()


def before_a_branch(x: Array, i: Array) -> Any:
    y = x[i]
    if x.sum() > 1:
        return x * 3
    return y


def index_written_later(x: Array, i: Array) -> Any:
    k = i * 1
    x[k]
    k[:] = 0
    return x[k] + 1


PROGRAMS = (
    read_and_forgotten, no_other_work, the_argument_back, only_its_shape, only_a_part, only_every_other, one_side_of_a_known_choice,
    nothing_beside, in_a_loop, overwritten, along, exponent, in_softmax_of_nothing, before_a_branch, index_written_later,
)  # fmt: skip


def _outcome(function: Callable[..., Any], x: Array, i: Array) -> Any:
    try:
        return function(x.copy(), i.copy())
    except (IndexError, ValueError) as problem:
        return IndexError if isinstance(problem, IndexError) else ValueError


@pytest.mark.parametrize("engine", ["cpu", "reference"])
@pytest.mark.parametrize("sizes", ["evidence", "symbolic"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_a_value_that_nobody_reads_is_checked(program: Callable[..., Any], sizes: str, engine: str) -> None:
    kernel = stax.kernel(program, sizes=sizes, engine=engine)
    x = np.arange(1.0, 6.0)
    for places in ([1, 2, 3], [1, 9, 3], [0, 0, 7], [1, 2, 3], [-6, 1, 1], [4, 4, -1], [3, 3, 5]):
        i = np.array(places)
        expected, got = _outcome(program, x, i), _outcome(kernel, x, i)
        assert (got is expected) if isinstance(expected, type) else np.array_equal(got, expected), (places, got, expected)
    assert kernel.stats().route == ("native" if engine == "cpu" else "reference")


def test_the_message_names_the_line() -> None:
    with pytest.raises(stax.StaxError, match=r"(?s)index-out-of-range-at-run.*x\[i\]"):
        stax.kernel(read_and_forgotten)(np.ones(3), np.array([5]))


def embedding(table: Array, tokens: Array) -> Any:
    return table[tokens].reshape(-1, table.shape[1]) * 2


def mean_of_rows(table: Array, tokens: Array) -> Any:
    return table[tokens.T].mean(0)


def crossed(x: Array, i: Array, j: Array) -> Any:
    return x[i[:, None], j] + 1


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (embedding, (np.ones((7, 4), np.float32), np.ones((2, 3), np.int64))),
        (mean_of_rows, (np.ones((7, 4)), np.ones((2, 3), np.int32))),
        (crossed, (np.ones((4, 4)), np.array([0, 3]), np.array([1, 1, 2]))),
    ],
)
def test_a_read_that_is_used_costs_no_pass_of_its_own(program: Callable[..., Any], arguments: tuple[Array, ...]) -> None:
    kernel = stax.kernel(program)
    assert np.array_equal(kernel(*arguments), program(*arguments))
    assert "max" not in kernel.show("loops", *arguments)
    bad = (arguments[0], *(one + 50 for one in arguments[1:]))
    with pytest.raises(IndexError):
        kernel(*bad)


def test_a_gate_that_reads_it_checks_it() -> None:
    @stax.kernel
    def branched(x: Array, i: Array) -> Any:
        if x[i].sum() > 0:
            return x * 2
        return x * 3

    x, i = np.ones(4), np.array([1, 2])
    assert np.array_equal(branched(x, i), x * 2)
    assert "assert" not in branched.show("optimized", x, i)
    with pytest.raises(IndexError):
        branched(x, i + 3)


def test_a_graph_with_checks_prints_and_is_read_back() -> None:
    x, i = np.ones(4), np.array([1, 2])
    kernel = stax.kernel(read_and_forgotten)
    text = kernel.show("optimized", x, i)
    graph = parse_graph(text[text.index("graph {") :])
    assert len(graph.checks) == 1
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
