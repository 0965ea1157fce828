"""Run the `>>>` examples in the doc comments of .stx files, natively, and compare what comes with what they promise.

  stax test nn.stx models/
  stax test --library             the standard library's
  stax test nn.stx -k softmax -v
"""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import staxlang as stax
from staxlang.base.records import NamedTuple
from staxlang.command.example_runs import Failure, Session
from staxlang.command.examples import Example, examples_of
from staxlang.command.files import stx_files
from staxlang.command.terminal import Terminal
from staxlang.parser.library import entry_name, library_function
from staxlang.parser.modules import library_files, read_file
from staxlang.runtime.outside import named_operation
from staxlang.typecheck.modules import Definition, Module


class _Group(NamedTuple):
    """The examples of one definition, which share their names."""

    file: str
    session: Session
    examples: list[Example]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="a .stx file, or a folder of them")
    parser.add_argument("--library", action="store_true", help="test the standard library")
    parser.add_argument("-k", metavar="TEXT", dest="only", help="only definitions whose name contains this")
    parser.add_argument("--verbose", "-v", action="store_true", help="name each example")
    parser.add_argument("--stop", "-x", action="store_true", help="stop at the first failure")


def run(arguments: Any, terminal: Terminal) -> int:
    if not arguments.files and not arguments.library:
        terminal.complain("name a file, a folder, or --library")
        return 2
    start = time.perf_counter()
    passed, failures = 0, 0
    for group in _groups(arguments, terminal):
        for example in group.examples:
            with terminal.waiting(f"{group.file}:{example.line} {example.owner}"):
                failure = _failure(group.session, example)
            if failure is None:
                passed += 1
                if arguments.verbose:
                    what = f"{example.owner}: {example.text.splitlines()[0]}"
                    terminal.say(f"{terminal.paint('ok', 'green')}    {group.file}:{example.line} {what}")
                continue
            failures += 1
            _tell(terminal, group.file, example, failure)
            if arguments.stop:
                break
        if failures and arguments.stop:
            break
    told = f"{passed} passed, {failures} failed" if failures else f"{passed} passed" if passed else "there are no examples"
    terminal.say(f"{terminal.paint(told, 'red' if failures else 'green')} in {time.perf_counter() - start:.1f} s")
    return 1 if failures else 0


def _failure(session: Session, example: Example) -> Failure | None:
    try:
        session.run(example)
    except Failure as failure:
        return failure
    return None


def _tell(terminal: Terminal, file: str, example: Example, failure: Failure) -> None:
    terminal.say(f"{terminal.paint('FAILED', 'bold', 'red')} {file}:{example.line} {example.owner}")
    first, *more = example.text.split("\n")
    for line in (f">>> {first}", *(f"... {line}" for line in more), *failure.lines):
        terminal.say(f"    {line}".rstrip())
    terminal.say()


def _groups(arguments: Any, terminal: Terminal) -> Iterator[_Group]:
    wanted: str = arguments.only or ""
    for file in stx_files(arguments.files):
        module: Any = stax.load(file)
        linked: Module = module.__stx__
        for entry in linked.names.values():
            if isinstance(entry, Definition) and entry.module is linked and wanted in entry.name:
                found = examples_of(entry.tree, linked.source.text)
                if found:
                    yield _Group(file, Session(linked, _public(module)), found)
    if arguments.library:
        yield from _library_groups(wanted)


def _public(module: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def _library_groups(wanted: str) -> Iterator[_Group]:
    for file, names in library_files().items():
        operations = {name: named_operation(entry_name(file, name)) for name in names}
        for name in names:
            function = library_function(entry_name(file, name))
            if function is not None and wanted in name:
                path = function.span.source.name
                yield _Group(path, Session(None, operations), examples_of(function, read_file(path).text))
