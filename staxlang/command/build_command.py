"""Compile the kernels of a file ahead of time: a shared library and a C header, without Python inside.

  stax build nn.stx -o libnn.so --header nn.h
  stax build nn.stx -o libnn.so --spec 'softmax.x=f32[N, D]' --target x86-64-v3
  stax build nn.stx -o libnn.so --spec 'softmax:wide.x=f64[N, D]' --spec 'softmax:narrow.x=f32[N, D]'
  stax build nn.stx -o nn.o                      (object files)

A parameter whose annotation says one dtype and all axes needs no --spec. A spec is a type - `f32[N, 4]`, `float`, `int` - or a value, which
is then fixed. Several specs of one kernel, told apart by a word behind `:`, give several functions.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, NoReturn

import staxlang as stax
from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.command import kernels
from staxlang.command.terminal import Terminal
from staxlang.command.values import evaluated
from staxlang.runtime.ahead.building import build
from staxlang.runtime.specs import spec

_SPEC = re.compile(r"\s*([^\W\d]\w*)(?::(\w+))?\.([^\W\d]\w*)\s*=\s*(.+?)\s*\Z", re.DOTALL)
_ARRAY = re.compile(r"([A-Za-z]\w*)\s*\[(.*)\]\Z", re.DOTALL)
_NUMBERS: dict[str, type] = {"float": float, "int": int, "complex": complex}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a .stx file")
    parser.add_argument("--output", "-o", required=True, help="libnn.so, or nn.o for object files")
    parser.add_argument("--header", help="where the C header goes (default: nn.h beside the output)")
    parser.add_argument("--kernel", "-k", action="append", default=[], metavar="NAME", help="only this kernel (again for more)")
    parser.add_argument("--spec", action="append", default=[], metavar="KERNEL.PARAMETER=TYPE", help="a parameter's type, or its value")
    parser.add_argument("--target", default="native", help="native (default), x86-64, -v2, -v3, -v4, and features: x86-64-v2,avx,f16c")
    parser.add_argument("--prefix", help="put before the functions' names (default: nn_ for libnn.so)")


def run(arguments: Any, terminal: Terminal) -> int:
    module = stax.load(arguments.file)
    named = {name: kernels.kernel_named(module, arguments.file, name) for name in arguments.kernel}
    chosen = named or {name: one for name, one in vars(module).items() if isinstance(one, stax.Kernel)}
    output = Path(arguments.output)
    if not output.parent.is_dir():
        raise_diagnostics(diagnose("file-unwritable", None, path=str(output), reason="there is no such folder"))
    specs, target, prefix = _specs(arguments.spec), arguments.target, arguments.prefix
    with terminal.waiting(f"compiling {', '.join(chosen)}"):
        made = build(chosen, output, header=arguments.header, specs=specs, target=target, prefix=prefix)
    for path in (*([made.library] if made.library is not None else made.objects), made.header):
        terminal.say(str(path))
    return 0


def _specs(texts: list[str]) -> dict[str, Any]:
    """What `--spec` says, as `stax.build` takes it."""
    found: dict[str, dict[str | None, dict[str, Any]]] = {}
    for text in texts:
        parts = _SPEC.match(text)
        if parts is None:
            _malformed(text, "it is not `KERNEL.PARAMETER=TYPE`")
        found.setdefault(parts[1], {}).setdefault(parts[2], {})[parts[3]] = _spec(text, parts[4])
    for name, instances in found.items():
        if None in instances and len(instances) > 1:
            raise_diagnostics(diagnose("malformed-argument", None, option="--spec", text=name,
                                       reason="some of its specs have a word behind `:`, some have none"))  # fmt: skip
    return {name: instances[None] if None in instances else instances for name, instances in found.items()}


def _spec(text: str, written: str) -> Any:
    array = _ARRAY.match(written)
    if array is not None:
        sizes = [size.strip() for size in array[2].split(",")] if array[2].strip() else []
        return spec(tuple([None if size == "_" else int(size) if size.isdigit() else size for size in sizes]), array[1])
    if written in _NUMBERS:
        return _NUMBERS[written]
    try:
        return evaluated(written)
    except ValueError as problem:
        _malformed(text, str(problem))


def _malformed(text: str, reason: str) -> NoReturn:
    help = "write `--spec 'softmax.x=f32[N, D]'`, `--spec softmax.eps=float` or `--spec softmax.axis=1`"
    raise_diagnostics(diagnose("malformed-argument", None, help=help, option="--spec", text=text, reason=reason))
