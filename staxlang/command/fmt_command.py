"""Format .stx files in place. Comments stay; a file that has a slip is left as it is.

  stax fmt blur.stx models/
  stax fmt --check .          only say which files are not formatted (exit status 1 if there are any)
  stax fmt --diff blur.stx    print what would change
  stax fmt - < blur.stx       format the standard input to the standard output
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from typing import Any

from staxlang.base.diagnostics import StaxError, diagnose, raise_diagnostics
from staxlang.command.files import stx_files
from staxlang.command.terminal import Terminal
from staxlang.command.words import counted
from staxlang.parser.formatting import format_stx
from staxlang.parser.modules import decoded, read_file

_INPUT = "-"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a .stx file, a folder of them, or `-` for the standard input")
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 if a file is not formatted")
    parser.add_argument("--diff", action="store_true", help="change nothing; print what would change")


def run(arguments: Any, terminal: Terminal) -> int:
    files = stx_files(arguments.files)
    changed: list[str] = []
    failed = False
    for file in files:
        name = "<stdin>" if file == _INPUT else file
        text = decoded(sys.stdin.buffer.read(), name) if file == _INPUT else read_file(file).text
        try:
            made = format_stx(text, name)
        except StaxError as problem:
            terminal.diagnostics(problem)
            failed = True
            continue
        if file == _INPUT and not (arguments.check or arguments.diff):
            sys.stdout.write(made)
        if made == text:
            continue
        changed.append(name)
        if arguments.diff:
            _tell_difference(terminal, name, text, made)
        elif arguments.check:
            terminal.say(f"would change {name}")
        elif file != _INPUT:
            _write(file, made)
            terminal.say(f"changed {name}")
    if not (arguments.diff or _INPUT in files):
        what = f"{counted(len(changed), 'file')} {'would change' if arguments.check else 'changed'}, {len(files) - len(changed)} fine"
        terminal.note(what)
    return 1 if failed or (changed and (arguments.check or arguments.diff)) else 0


def _tell_difference(terminal: Terminal, name: str, old: str, new: str) -> None:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, f"{name} (formatted)", lineterm="")
    colors = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        terminal.say(terminal.paint(line, colors[line[0]]) if line[:1] in colors else line)


def _write(path: str, text: str) -> None:
    """The new text in the old one's place, at once; a link stays one."""
    target = os.path.realpath(path)
    scratch = f"{target}.{os.getpid()}.new"
    try:
        with open(scratch, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
        os.chmod(scratch, os.stat(target).st_mode & 0o7777)
        os.replace(scratch, target)
    except OSError as problem:
        if os.path.exists(scratch):
            os.unlink(scratch)
        raise_diagnostics(diagnose("file-unwritable", None, path=path, reason=problem.strerror or str(problem)))
