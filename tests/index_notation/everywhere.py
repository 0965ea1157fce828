"""A kernel of index notation in every form that a program has, against NumPy: native code, the reference engine, loops, schedules, text."""

from __future__ import annotations

from typing import Any

import numpy as np

import staxlang as stax
from staxlang.compiler.graph import Graph, fingerprint, verify
from staxlang.compiler.graph_text import parse_graph, print_graph
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.pipeline import optimize
from staxlang.runtime.reference import bind_sizes, run_graph
from tests.llvm.harness import host_target


def kernel(text: str, **options: Any) -> Any:
    """The last kernel of a .stx text. A text without `kernel` is the body of one."""
    module = stax.load_text(text, **options)
    name = [line.split()[1].split("(")[0] for line in text.splitlines() if line.startswith("kernel ")][-1]
    return getattr(module, name)


def body(parameters: str, *lines: str) -> str:
    """The text of a kernel `f` with these lines."""
    return f"kernel f({parameters}):\n" + "".join(f"    {line}\n" for text in lines for line in text.splitlines())


def same(got: Any, wanted: Any, tolerance: float = 1e-6) -> None:
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            same(one, other, tolerance)
        return
    wanted = np.asarray(wanted)
    got = np.asarray(got)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got.dtype, got.shape, wanted.dtype, wanted.shape)
    loose = {np.dtype(np.float16): 1e-2, np.dtype(np.float32): max(tolerance, 3e-5)}.get(got.dtype, tolerance)
    np.testing.assert_allclose(got, wanted, rtol=loose, atol=loose)


def check(
    text: str, args: tuple[Any, ...], wanted: Any, *, kernels: int | None = None, points: bool = True, tolerance: float = 1e-6
) -> Any:
    """All forms of the program agree with `wanted`; `kernels` is how many it is made of.

    `points`: the captured graph is run point after point, too (slow).
    """
    made = kernel(text)
    check_native(made, args, wanted, tolerance)
    if kernels is not None:
        assert len(made.explain(*args).kernels) == kernels, made.explain(*args)
    arrays = [np.asarray(one) for one in args]
    lowered = made.lower(*[stax.spec(array.shape, array.dtype) for array in arrays])
    in_all_forms(lowered.captured, arrays, wanted, points, tolerance)
    return made


def check_native(made: Any, args: tuple[Any, ...], wanted: Any, tolerance: float = 1e-6) -> None:
    """Compiled code gives it, also when it is called again; arguments are as they were."""
    before = [np.array(one) for one in args]
    for _ in range(2):
        same(made(*args), wanted, tolerance)
    assert made.stats().route == "native"
    for one, other in zip(args, before, strict=True):
        np.testing.assert_array_equal(one, other)


def in_all_forms(captured: Graph, arrays: list[np.ndarray], wanted: Any, points: bool = True, tolerance: float = 1e-6) -> None:
    outputs = wanted if isinstance(wanted, tuple) else (wanted,)
    captured = captured._replace(pending=())
    optimized = optimize(captured, check=True)[0]
    for graph in (captured, optimized):
        verify(graph)
        text = print_graph(graph)
        read = parse_graph(text)
        assert print_graph(read) == text and fingerprint(read) == fingerprint(graph)
    if points:
        same(tuple(run_graph(captured, arrays)), outputs, tolerance)
    same(tuple(run_graph(optimized, arrays)), outputs, tolerance)
    program = lower(optimized)
    same(tuple(oracle.run(program, arrays)), outputs, tolerance)
    planned = schedule(program, host_target())
    same(tuple(oracle.run(planned, arrays)), outputs, tolerance)
    same(tuple(execute(planned, [array.copy() for array in arrays], (), bind_sizes(optimized, arrays, {}))), outputs, tolerance)
