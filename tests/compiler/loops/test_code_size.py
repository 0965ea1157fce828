"""How many LLVM instructions kernels of unknown sizes are: what their compilation takes grows with them, and they do not vary."""

from __future__ import annotations

import re

import pytest

from staxlang.base.dtypes import F32
from staxlang.base.sizes import evaluate, symbols
from staxlang.compiler.llvm.entry_text import Writer
from staxlang.compiler.llvm.program import emit_program
from staxlang.compiler.loops.ir import Kernel
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from tests.compiler.graphs.building import Build, M, N
from tests.compiler.loops.cases import gelu, layer_norm, softmax, variance

TARGET = x86_64()
_INSTRUCTION = re.compile(r"\s*(%\S+ = |store |br |ret |fence|call )")


def instructions(text: str) -> int:
    return sum(1 for line in text.splitlines() if _INSTRUCTION.match(line))


def reduced(kind, *axes):
    return lambda b, x: [b.reduce(x, kind, axes)]



PROGRAMS = {
    "negative": (lambda b, x: [b.op("negative", x)], 125),
    "gelu": (gelu, 150),
    "softmax": (softmax, 430),
    "sum of rows": (reduced("sum", 1), 150),
    "sum of columns": (reduced("sum", 0), 290),
    "maximum of columns": (reduced("max", 0), 300),
    "greatest of columns": (reduced("argmax", 0), 360),  # four rows at a time
    "sum": (reduced("sum", 0, 1), 210),
    "variance of rows": (lambda b, x: [variance(b, x, (1,))], 250),
    "variance of columns": (lambda b, x: [variance(b, x, (0,))], 930),
}


def scheduled(make, *shape):
    b = Build()
    return schedule(lower(b.graph(*make(b, b.input(F32, *shape)))), TARGET)


@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_of_unknown_sizes_are_short(name):
    make, most = PROGRAMS[name]
    assert instructions(emit_program(scheduled(make, N, M), TARGET, "kernel")) <= most


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_an_entry_computes_of_sizes_is_short(name):
    """The amount of work, the arena: they are compiled into each entry."""
    made = scheduled(PROGRAMS[name][0], N, M)
    w = Writer()
    w.env = {"N": "%n", "M": "%m"}
    for step in made.steps:
        assert isinstance(step, Kernel)
        w.size(step.work)
    w.size(made.arena_bytes)
    assert instructions("\n".join(w.lines)) <= 50


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_is_about_the_points(name):
    """Blocks and chunks do not show in it, and it is not far from what it is where the sizes are known."""
    made = scheduled(PROGRAMS[name][0], N, M)
    for n, m in ((3000, 2000), (50, 100000), (100000, 50)):
        work = [evaluate(step.work, {"N": n, "M": m}) for step in made.steps]
        assert n * m / 2 <= sum(work) <= 40 * n * m
    for step in made.steps:
        assert isinstance(step.work, int) or symbols(step.work) <= {"N", "M"}


def test_layer_norm_is_one_loop_over_rows():
    b = Build()
    x, scale, shift = b.input(F32, N, M), b.input(F32, M), b.input(F32, M)
    made = schedule(lower(b.graph(*layer_norm(b, x, scale, shift))), TARGET)
    assert instructions(emit_program(made, TARGET, "kernel")) <= 420
