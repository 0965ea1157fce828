"""Report what is wrong in .stx files, without running anything: slips of syntax, imports, and in each definition what does not fit the
types that its header declares.

  stax check blur.stx models/
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from typing import Any

from staxlang.base.diagnostics import Diagnostic, StaxError
from staxlang.command.files import stx_files
from staxlang.command.terminal import Terminal
from staxlang.command.words import counted
from staxlang.parser.modules import read_file
from staxlang.parser.stx import read_module
from staxlang.runtime.modules import linked
from staxlang.typecheck.checking import check_module


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a .stx file, or a folder of them")
    parser.add_argument("--quiet", "-q", action="store_true", help="print findings only")


def run(arguments: Any, terminal: Terminal) -> int:
    files = stx_files(arguments.files)
    errors = warnings = 0
    for file in files:
        with terminal.waiting(f"checking {file}"):
            found = findings(file)
        for finding in found:
            terminal.say(terminal.colored(finding.render()) + "\n")
        errors += sum(one.severity == "error" for one in found)
        warnings += sum(one.severity != "error" for one in found)
    if not arguments.quiet:
        told = [counted(errors, "error")] * (errors > 0) + [counted(warnings, "warning")] * (warnings > 0)
        terminal.say(f"{', '.join(told) if told else 'nothing is wrong'} in {counted(len(files), 'file')}")
    return 1 if errors else 0


def findings(file: str) -> list[Diagnostic]:
    """What is wrong in a file. Raises StaxError where it cannot be read."""
    source = read_file(os.path.abspath(file))
    _, slips = read_module(source)
    if any(slip.severity == "error" for slip in slips):
        return slips
    try:
        module = linked(lambda linker: linker.file(file))
    except StaxError as problem:
        return _distinct([*slips, *problem.diagnostics])
    return _distinct([*slips, *check_module(module)])


def _distinct(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    return list({(one.code, repr(one.span), one.message): one for one in found}.values())
