"""The text of each stage of a version's compilation, for `kernel.show`."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from staxlang.compiler.graph_text import print_graph
from staxlang.compiler.loops.oracle import to_python
from staxlang.compiler.loops.printer import print_loops
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_python as tree_to_python
from staxlang.parser.printer import to_stx as tree_to_stx
from staxlang.runtime import late
from staxlang.runtime.ground import Ground
from staxlang.runtime.programs import Stages, stages
from staxlang.runtime.versions import Version
from staxlang.typecheck.restated import stx_module


class Shown:
    """A version's stages, made anew from its captured graph."""

    def __init__(self, kernel: Any, version: Version) -> None:
        self.kernel = kernel
        self.ground = Ground.get(kernel.settings)
        self.captured = version.source
        self._stages: Stages | None = None

    @property
    def stages(self) -> Stages:
        if self._stages is None:
            symbol = re.sub(r"\W", "", self.kernel.__name__) or "kernel"  # a lambda's name is no symbol
            self._stages = stages(self.captured.graph, self.ground.target, self.kernel.settings, symbol)
        return self._stages

    def tree(self) -> str:
        return tree_to_python(self.captured.tree.tree)

    def graph(self) -> str:
        return print_graph(self.captured.graph)

    def optimized(self) -> str:
        return print_graph(self.stages.optimized)

    def trace(self) -> str:
        return str(self.stages.trace)

    def loops(self) -> str:
        return print_loops(self.stages.loops)

    def schedule(self) -> str:
        return to_python(self.stages.schedule)

    def llvm(self) -> str:
        return self.stages.emission.text

    def asm(self) -> str:
        target = self.ground.target
        return late.native().assembly(self.stages.emission.text, target.triple, target.cpu, target.features)


STAGE_ROWS: dict[str, Callable[[Shown], str]] = {
    "tree": Shown.tree,
    "graph": Shown.graph,
    "trace": Shown.trace,
    "optimized": Shown.optimized,
    "loops": Shown.loops,
    "schedule": Shown.schedule,
    "llvm": Shown.llvm,
    "asm": Shown.asm,
}


def stx_text(kernel: Any) -> str:
    """A kernel as a .stx file. Raises the diagnostic of what .stx has no words for."""
    function: FunctionType = kernel.__wrapped__
    stx = function.__dict__.get("__stx__")
    try:
        return tree_to_stx(stx.scope.module.tree if stx is not None else stx_module(function, function.__name__))
    except Unprintable as problem:
        late.raise_error("no-stx-form", name=kernel.__name__, reason=str(problem))


def show(kernel: Any, stage: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The stage's text for the version that serves these arguments."""
    if stage not in STAGE_ROWS:
        late.raise_error("unknown-stage", stage=stage, stages=", ".join(STAGE_ROWS))
    version = kernel._dispatcher.version_for(args, kwargs)
    return STAGE_ROWS[stage](Shown(kernel, version))
