"""What a fixed set of programs becomes, as text: rules that fired, optimized graph, loops. Changes are reviewed in the diff of `golden/`.

    python -m tests.compiler.graphs.test_golden      # accept what is printed now
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.graph_text import print_graph, source_lines
from staxlang.compiler.loops.printer import print_loops
from staxlang.compiler.lower import lower
from staxlang.compiler.pipeline import optimize
from tests.typecheck.programs import Captured, program

FOLDER = Path(__file__).parent / "golden"
PROGRAMS = {
    "relu_sum": "return (np.maximum(x + w, 0) * 2).sum(-1)",
    "softmax": "return stax.softmax(x)",
    "layer_norm": "return stax.layer_norm(x, w, w)",
    "variance": "return x.var(0), x.std(-1)",
    "selu_twice": "y = x * 3\n    return stax.selu(y) + stax.selu(y * 1) * 2",
    "identities": "return (x * 1 + 0) ** 2, x * 0, (x.T).T[1:] / 1",
    "joined": "return np.concatenate([x, x[:1]]), np.stack([w, w], -1), np.pad(x, 1)",
    "written": "x[::2] *= 2\n    x[1::2] += x[::2][:3]\n    x[x > 1] = 0\n    return x[0].sum()",
    "picked": "return x[[0, -1]], x[np.argmax(x, 0), 0]",
    "products": "return x @ w, np.tanh(x.T @ x + w)",
}


def text_of(name: str) -> str:
    x, w = np.zeros((64, 32), np.float32)[:6], np.zeros(32, np.float32)
    captured = Captured(program(f"def {name}(x, w):\n    {PROGRAMS[name]}\n", stax=stax), (x, w), symbolic=name != "written")
    graph, trace = optimize(captured.graph, check=True)
    return f"{trace}\n\n{print_graph(graph, lines_of=source_lines(graph))}\n\n{print_loops(lower(graph))}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_printed_stages(name):
    assert text_of(name) == (FOLDER / f"{name}.txt").read_text(), "see this file's first lines for how to accept a change"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for one in PROGRAMS:
        (FOLDER / f"{one}.txt").write_text(text_of(one))
