"""Print one stage of a kernel's compilation.

  stax show nn.stx softmax --stage loops --random x=f32[512,512]
  stax show nn.stx softmax --stage asm --arg x=x.npy
  stax show blur.stx blur --stage graph          (types from the header)
"""

from __future__ import annotations

import argparse
from typing import Any

from staxlang.base.diagnostics import StaxError
from staxlang.command import kernels
from staxlang.command.terminal import Terminal
from staxlang.parser.printer import to_stx

STAGES = ("tree", "graph", "trace", "optimized", "loops", "schedule", "llvm", "asm")
_WITHOUT_DATA = frozenset(STAGES[:5])


def options(parser: argparse.ArgumentParser) -> None:
    kernels.options(parser)
    parser.add_argument("--stage", "-s", default="loops", choices=STAGES, help="default: loops")


def run(arguments: Any, terminal: Terminal) -> int:
    kernel = kernels.load(arguments)
    given = bool(arguments.arg or arguments.random)
    if arguments.stage == "tree":
        terminal.say(to_stx(kernel.__wrapped__.__stx__.tree).rstrip())
        return 0
    if not given and arguments.stage in _WITHOUT_DATA and kernel.__signature__.parameters:
        try:
            terminal.say(kernel.lower().show(arguments.stage).rstrip())
            return 0
        except StaxError as problem:
            if problem.code != "missing-argument":
                raise
    call = kernels.call_of(kernel, arguments)
    with terminal.waiting(f"compiling {kernel.__name__}"):
        text = kernel.show(arguments.stage, *call.args, **call.kwargs)
    terminal.say(text.rstrip())
    return 0
