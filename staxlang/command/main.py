"""The words after `stax` pass through here to a subcommand; what goes wrong comes out as text and an exit status, never as a traceback."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

from staxlang import __version__
from staxlang.base.diagnostics import StaxError
from staxlang.command.terminal import Terminal

FINE, FINDINGS, MISUSE, INTERRUPTED = 0, 1, 2, 130

COMMANDS: Final[dict[str, str]] = {
    "run": "run a kernel of a .stx file on arrays from files, numbers, random arrays",
    "test": "run the `>>>` examples of .stx files",
    "check": "report what is wrong in .stx files, without running them",
    "fmt": "format .stx files",
    "show": "print a stage of a kernel's compilation: tree, graph, loops, schedule, llvm, asm",
    "explain": "report a kernel's loops, bytes moved, guards",
    "build": "compile kernels ahead of time: a shared library and a C header",
    "doctor": "report versions, the machine, the cache, and whether kernels can be compiled",
    "cache": "show, list or clear the cache of compiled kernels",
}
"""Each is a module `staxlang.command.<name>_command` with `options(parser)` and `run(arguments, terminal)`."""

_EPILOG = "`stax COMMAND --help` tells more. Exit status: 0 fine, 1 something was found or failed, 2 the command cannot be carried out."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these words (default: those of the process). Gives the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    terminal = Terminal(sys.stdout, sys.stderr)
    try:
        return _dispatched(words, terminal)
    except SystemExit as end:  # argparse, after its message
        return end.code if isinstance(end.code, int) else FINE if end.code is None else MISUSE
    except KeyboardInterrupt:
        terminal.note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # `stax show .. | head`
        _forget_output()
        return FINE
    except StaxError as problem:
        terminal.diagnostics(problem)
        return MISUSE if problem.code in _MISUSES else FINDINGS
    except Exception as problem:  # a defect: told as one
        terminal.defect(problem)
        return FINDINGS


_MISUSES = frozenset((
    "file-not-found", "file-unreadable", "file-unwritable", "malformed-argument", "unknown-parameter", "missing-argument", "no-such-kernel",
    "unreadable-array", "unknown-option", "bad-option", "option-conflict", "unknown-stage", "too-many-outputs", "bad-environment",
    "unknown-target", "spec-of-no-kernel",
))  # fmt: skip


def _dispatched(words: list[str], terminal: Terminal) -> int:
    if not words or words[0].startswith("-"):
        parser = _overview()
        parser.parse_args(words)
        parser.print_help(sys.stdout if words else sys.stderr)
        return MISUSE
    name, *rest = words
    if name == "help":
        return _dispatched([*rest[:1], "--help"], terminal)
    if name not in COMMANDS:
        suggestions = import_module("staxlang.base.suggestions")
        advice = suggestions.did_you_mean(name, COMMANDS) or f"commands are {', '.join(COMMANDS)}"
        terminal.complain(f"there is no command `{name}`: {advice}")
        return MISUSE
    module = import_module(f"staxlang.command.{name}_command")
    parser = argparse.ArgumentParser(
        prog=f"stax {name}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    module.options(parser)
    run: Callable[[Any, Terminal], int] = module.run
    arguments = parser.parse_args(rest)
    with warnings.catch_warnings():

        def warned(message: Any, *_: Any, **__: Any) -> None:
            terminal.warn(str(message))

        warnings.showwarning = warned
        status = run(arguments, terminal)
    sys.stdout.flush()
    return status


def _overview() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="stax", usage="stax COMMAND ...", description=f"Stax: tensor kernels in .stx files.\n\ncommands:\n{listed}", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"stax {__version__}")
    return parser


def _forget_output() -> None:
    """Nobody reads any more: what is still in the buffer must not fail at the process's end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
