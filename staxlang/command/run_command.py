"""Run a kernel of a .stx file.

  stax run blur.stx blur --arg x=image.npy --out y.npy
  stax run nn.stx softmax --random x=f32[512,512] --explain
  stax run stats.stx trend --arg y=table.csv:price --arg n=3
"""

from __future__ import annotations

import argparse
from typing import Any

from staxlang.command import kernels, results
from staxlang.command.terminal import Terminal


def options(parser: argparse.ArgumentParser) -> None:
    kernels.options(parser)
    parser.add_argument(
        "--out", "-o", metavar="[NAME=]FILE", action="append", default=[],
        help="where a result goes, in order or by name: y.npy, all.npz, y.csv, `-` (printed whole); of an argument that is written in "
        "place, u=u.npy",
    )  # fmt: skip
    parser.add_argument("--explain", action="store_true", help="report what the kernel does, as `stax explain`")


def run(arguments: Any, terminal: Terminal) -> int:
    kernel = kernels.load(arguments)
    call = kernels.call_of(kernel, arguments)
    with terminal.waiting(f"running {kernel.__name__}"):
        result = kernel(*call.args, **call.kwargs)
    found = results.named_results(result, call)
    if arguments.out:
        results.write(terminal, call, found, arguments.out)
    else:
        results.tell(terminal, found)
    if arguments.explain:
        terminal.say(str(kernel.explain(*call.args, **call.kwargs)))
    return 0
