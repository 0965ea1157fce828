"""Loops that stay in the program, run by NumPy round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from staxlang.base.sizes import evaluate
from staxlang.compiler.graph import Graph
from staxlang.compiler.kept_loops import loop_key, moves_of
from staxlang.compiler.node import Node


def loop_result(run: Any, node: Node, operands: Sequence[Any], start: Callable[[dict[str, int]], Any]) -> Any:
    """One carried value after the last round; the loop runs once for all of them. `start` begins a round's run with its sizes."""
    key = loop_key(node)
    found = run.called.get(key)
    if found is None:
        region: Graph = node["region"]
        carried: int = node["carried"]
        state = [np.array(operand) for operand in operands[:carried]]
        moves = moves_of(node)
        memory = tuple(range(carried))  # of each value: in whose memory it is
        extent = None if node["extent"] is None else evaluate(node["extent"], run.sizes)
        for number in count():
            if (extent is not None and number >= extent) or (node["conditional"] and not state[0]):
                break
            inner = start({**run.sizes, node["index"]: number})
            inner.declared.update(run.declared)
            values = inner.compute(region, [*state, *operands[carried:]])
            state = [np.array(values[made], made.type.dtype.numpy) for made in region.outputs]
            memory = tuple([memory[place] for place in moves])
        run.called[key] = tuple([state[memory.index(place)] for place in range(carried)])
    return run.called[key][node["result"]]
