"""Report what a kernel does for arguments: its loops, the bytes it moves beside the least that must be moved, guards, what was fused.

  stax explain nn.stx softmax --random x=f32[512,512]
  stax explain nn.stx softmax --arg x=x.npy --json
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from staxlang.command import kernels
from staxlang.command.terminal import Terminal


def options(parser: argparse.ArgumentParser) -> None:
    kernels.options(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: Any, terminal: Terminal) -> int:
    kernel = kernels.load(arguments)
    call = kernels.call_of(kernel, arguments)
    with terminal.waiting(f"compiling {kernel.__name__}"):
        report = kernel.explain(*call.args, **call.kwargs)
    terminal.say(json.dumps(report.to_dict(), indent=2) if arguments.json else str(report))
    return 0
