"""The words FILE and KERNEL pass through here and come out as a loaded kernel with the values of its parameters."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import argparse
import inspect
from typing import Any

import numpy as np

import staxlang as stax
from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.records import NamedTuple
from staxlang.base.suggestions import did_you_mean
from staxlang.command.values import Wanted, argument_value, random_value
from staxlang.runtime.modules import StxModule
from staxlang.typecheck.annotations import Annotation, ScalarAnnotation, TensorAnnotation, UnionAnnotation

DEFAULT_SEED = 0


class Call(NamedTuple):
    """A kernel and what it is called with: by place, by name, and all of it by parameter."""

    kernel: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    values: dict[str, Any]


def options(parser: argparse.ArgumentParser, data: bool = True) -> None:
    """The words of a command that is about one kernel."""
    parser.add_argument("file", metavar="FILE", help="a .stx file")
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help="a kernel of the file (default: the only one)")
    parser.add_argument(
        "--arg", "-a", metavar="NAME=VALUE", action="append", default=[],
        help="a parameter's value: x.npy, data.npz:member, table.csv, table.csv:column, `-` (a .npy from the standard input), each with "
        ":f32 behind it for a conversion; 3, 0.5, 1+2j, true, none, [1, 2], (0, 1), 'text', f32",
    )  # fmt: skip
    parser.add_argument(
        "--random", "-r", metavar="[NAME=]DTYPE[SIZES]", action="append", default=[],
        help="a random array, as in x=f32[512,512]: floats in 0 <= x < 1, integers in 0..9; f32[9]:-1:1 gives the range; without a "
        "name the next parameter that has no value",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"of the random arrays (default: {DEFAULT_SEED})")
    parser.add_argument("--checked", action="store_true", help="compile with `checked=True`: indices are tested at each access")
    parser.add_argument("--engine", choices=("cpu", "reference"), help="cpu (default), or reference: NumPy, one operation at a time")


def load(arguments: Any) -> Any:
    """The kernel that the words name. Raises the diagnostic of a file or kernel that is not there."""
    chosen: dict[str, Any] = {"checked": True} if arguments.checked else {}
    if arguments.engine is not None:
        chosen["engine"] = arguments.engine
    return kernel_named(stax.load(arguments.file, **chosen), arguments.file, arguments.kernel)


def kernel_named(module: StxModule, file: str, name: str | None) -> Any:
    kernels: dict[str, Any] = {name: value for name, value in vars(module).items() if isinstance(value, stax.Kernel)}
    listed = "\n".join([f"{name}{value.__signature__}" for name, value in kernels.items()])
    if name is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name is None or name not in kernels:
        what = name if name is not None else "" if not kernels else "(none is named)"
        near = did_you_mean(name, kernels) if name is not None else None
        notes = [f"it has {line}" for line in listed.splitlines()] if kernels else ["it has no kernel at all"]
        raise_diagnostics(diagnose("no-such-kernel", None, notes=notes, help=near or "", file=file, name=what))
    return kernels[name]


def call_of(kernel: Any, arguments: Any, complete: bool = True) -> Call:
    """The values that the words give to a kernel's parameters. Raises the diagnostic of one that cannot be read, or is missing."""
    wanted = {name: _wanted(kernel, parameter) for name, parameter in kernel.__signature__.parameters.items()}
    values: dict[str, Any] = {}
    for text in arguments.arg:
        name, value = argument_value(text, lambda name: _known(kernel, wanted, name))
        values[name] = value
    generator = np.random.default_rng(arguments.seed)
    for text in arguments.random:
        open_ = [name for name, one in wanted.items() if name not in values and not one.optional] or [n for n in wanted if n not in values]
        name, value = random_value(text, generator, open_[0] if open_ else None, lambda name: _known(kernel, wanted, name))
        values[name] = value
    missing = [name for name, one in wanted.items() if name not in values and not one.optional]
    if missing and complete:
        notes = [f"its parameters are {kernel.__signature__}"]
        advice = f"give it with `--arg {missing[0]}=..` or `--random {missing[0]}=f32[..]`"
        raise_diagnostics(diagnose("missing-argument", None, notes=notes, help=advice, function=kernel.__name__, name=missing[0]))
    return _placed(kernel, values)


def _known(kernel: Any, wanted: dict[str, Wanted], name: str) -> Wanted:
    if name not in wanted:
        near = did_you_mean(name, wanted) or f"its parameters are {kernel.__signature__}"
        raise_diagnostics(diagnose("unknown-parameter", None, help=near, kernel=kernel.__name__, name=name))
    return wanted[name]


def _placed(kernel: Any, values: dict[str, Any]) -> Call:
    """Parameters that come before one that is left out are passed by place, all others by name."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_place = True
    for name, parameter in kernel.__signature__.parameters.items():
        by_place = by_place and name in values
        if name not in values:
            continue
        value = values[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(value if isinstance(value, (tuple, list)) else (value,))
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            kwargs.update(value)
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY or not by_place:
            kwargs[name] = value
        else:
            args.append(value)
    return Call(kernel, tuple(args), kwargs, values)


def _wanted(kernel: Any, parameter: inspect.Parameter) -> Wanted:
    """What a header says of a parameter, as far as it helps to read a value for it."""
    definition = kernel.__wrapped__.__stx__
    annotation = definition.header.signature.parameters.get(parameter.name) if definition.header is not None else None
    rest = parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return _described(annotation, rest or parameter.default is not inspect.Parameter.empty)


def _described(annotation: Annotation | None, optional: bool) -> Wanted:
    if isinstance(annotation, UnionAnnotation):
        arrays = [one for one in annotation.members if isinstance(one, TensorAnnotation)]
        return _described(arrays[0] if arrays else annotation.members[0], optional)
    if isinstance(annotation, TensorAnnotation) and annotation.axes != ():
        dtype = next(iter(annotation.dtypes)) if annotation.dtypes is not None and len(annotation.dtypes) == 1 else None
        rank = len(annotation.axes) if annotation.axes is not None and not any("*" in str(axis) for axis in annotation.axes) else None
        return Wanted("array", dtype, rank, optional)
    if isinstance(annotation, ScalarAnnotation) and annotation.kind == "str":
        return Wanted("text", None, None, optional)
    return Wanted("any", None, None, optional)
