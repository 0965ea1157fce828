"""Results of kernels pass through here: named, written to files, or told in a line each."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.dtypes import from_numpy
from staxlang.command import array_files
from staxlang.command.kernels import Call
from staxlang.command.terminal import Terminal

_SHOWN_WHOLE = 64  # elements


def named_results(result: Any, call: Call) -> dict[str, Any]:
    """The parts of a result by name: `result`, or `0`, `1`, .., or keys. Of a kernel that gives nothing, its array arguments."""
    if result is None:
        return {name: value for name, value in call.values.items() if isinstance(value, np.ndarray)}
    found = dict(_parts(result, ""))
    return {"result": found[""]} if list(found) == [""] else found


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from _parts(item, f"{name}.{index}" if name else str(index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _parts(item, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def write(terminal: Terminal, call: Call, results: dict[str, Any], outputs: list[str]) -> None:
    """Results to the files of `--out`: in order, or by `NAME=FILE` (a result's or, written in place, an argument's)."""
    arguments = {name: value for name, value in call.values.items() if isinstance(value, np.ndarray)}
    waiting = list(results)
    for text in outputs:
        name, sign, path = text.partition("=")
        if not sign:
            name, path = "", text
        if path.lower().endswith(".npz") and not name:
            _write(terminal, path, {f"arr_{key}" if key.isdigit() else key: value for key, value in results.items()})
            continue
        if not name:
            if not waiting:
                given = f"{len(results)} result{'s' * (len(results) != 1)}"
                named = f"{len(outputs)} files"
                raise_diagnostics(diagnose("too-many-outputs", None, kernel=call.kernel.__name__, given=given, named=named))
            name = waiting.pop(0)
        known = {**arguments, **results}
        if name not in known:
            reason = f"there is no result `{name}`; there is {', '.join(known)}"
            raise_diagnostics(diagnose("malformed-argument", None, option="--out", text=text, reason=reason))
        _write(terminal, path, {name: known[name]})


def _write(terminal: Terminal, path: str, arrays: dict[str, Any]) -> None:
    made = {name: np.asarray(value) for name, value in arrays.items()}
    for name, value in made.items():
        if value.dtype.kind not in "biufcV" or value.dtype.hasobject:
            reason = f"the result `{name}` is {type(arrays[name]).__name__}, no array"
            raise_diagnostics(diagnose("file-unwritable", None, path=path, reason=reason))
    if path == "-":
        for value in made.values():
            terminal.say(np.array2string(value, threshold=sys.maxsize))
        return
    array_files.write(path, made)
    for name, value in made.items():
        terminal.note(f"{path}: {'' if len(made) == 1 else f'{name}, '}{type_text(value)}")


# ---- told ----------------------------------------------------------------------------------------------------------


def tell(terminal: Terminal, results: dict[str, Any]) -> None:
    """A line for each result: its type, its least, mean and greatest element; small ones whole."""
    for name, value in results.items():
        if not isinstance(value, (np.ndarray, np.generic)):
            terminal.say(f"{terminal.paint(name, 'cyan')}: {type(value).__name__}  {value!r}")
            continue
        array: Any = np.asarray(value)
        terminal.say(f"{terminal.paint(name, 'cyan')}: {type_text(array)}  {summary(array)}".rstrip())
        if array.size and array.size <= _SHOWN_WHOLE and array.ndim:
            terminal.say("  " + np.array2string(array, prefix="  ", threshold=_SHOWN_WHOLE))


def type_text(array: Any) -> str:
    dtype = from_numpy(array.dtype)
    return f"{dtype.name if dtype is not None else array.dtype}[{', '.join(map(str, array.shape))}]"


def summary(array: Any) -> str:
    if not array.size:
        return "no elements"
    kind = array.dtype.kind
    if not array.ndim:
        return str(array[()])
    if kind == "b":
        return f"{int(np.count_nonzero(array))} of {array.size} true"
    if kind in "iu":
        return f"min {array.min()}  mean {array.mean():.6g}  max {array.max()}"
    if kind == "c":
        return f"mean {array.mean():.6g}"
    wide = array.astype(np.float64)
    odd = np.count_nonzero(~np.isfinite(wide))
    finite: Any = wide[np.isfinite(wide)]
    told = f"min {finite.min():.6g}  mean {finite.mean():.6g}  max {finite.max():.6g}" if finite.size else "nothing finite"
    return told + (f"  {odd} not finite" if odd else "")
