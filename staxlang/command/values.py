"""Texts of the command line pass through here and become values: files of arrays, numbers, lists, random arrays."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.records import NamedTuple
from staxlang.base.suggestions import did_you_mean
from staxlang.command import array_files
from staxlang.command.array_files import dtype_named
from staxlang.typecheck import notation

_LONGEST = 100_000  # characters of a value
_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(.*)\Z", re.DOTALL)
_RANDOM = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\[([^\]]*)\])?\s*(?::([^:]*):([^:]*))?\s*\Z")
_WORD = re.compile(r"[^\W\d][\w.-]*\Z")


class Wanted(NamedTuple):
    """What is known of a parameter: `kind` is array, text or any; an array's one dtype and number of axes; whether it has a default."""

    kind: str
    dtype: DType | None
    rank: int | None
    optional: bool


def argument_value(text: str, wanted_of: Callable[[str], Wanted]) -> tuple[str, Any]:
    """The parameter and the value of `--arg NAME=VALUE`."""
    found = _NAMED.match(text)
    if found is None:
        _malformed("--arg", text, "it has no `NAME=`")
    name, written = found[1], found[2].strip()
    wanted = wanted_of(name)
    if not written:
        _malformed("--arg", text, "there is nothing behind the `=`")
    if len(written) > _LONGEST:
        _malformed("--arg", f"{text[:40]}...", f"it is longer than {_LONGEST:,} characters; write the values into a file")
    if array_files.is_file_text(written):
        return name, array_files.read(written, name, wanted.dtype, wanted.rank)
    try:
        value = evaluated(written)
    except ValueError as problem:
        if _WORD.match(written) and wanted.kind != "array":
            return name, written
        _malformed("--arg", text, str(problem))
    if isinstance(value, list) and wanted.kind != "text":
        value = _array(value, wanted, text)
    return name, value


def _array(value: Any, wanted: Wanted, text: str) -> Any:
    try:
        made: np.ndarray[Any, Any] = np.array(value)
        if made.dtype.kind not in "biufc":
            raise ValueError("it is no array of numbers")
        return made if wanted.dtype is None else array_files.converted(made, wanted.dtype)
    except (ValueError, TypeError, OverflowError, ImportError) as problem:
        _malformed("--arg", text, str(problem).partition(". ")[0])


def _malformed(option: str, text: str, reason: str) -> NoReturn:
    raise_diagnostics(diagnose("malformed-argument", None, option=option, text=text, reason=reason))


# ---- numbers and lists ---------------------------------------------------------------------------------------------

_WORDS: dict[str, Any] = {
    "true": True, "false": False, "none": None, "True": True, "False": False, "None": None, "inf": math.inf, "nan": math.nan, "pi": math.pi,
}  # fmt: skip
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
}  # fmt: skip


def evaluated(text: str) -> Any:
    """The value of a number, list, tuple, text in quotes, or the name of a dtype. ValueError says what it is not."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        raise ValueError("it is no file, number, list or text in quotes") from None
    except (RecursionError, MemoryError):
        raise ValueError("it is nested too deep") from None
    except (ZeroDivisionError, OverflowError, TypeError) as problem:
        raise ValueError(str(problem)) from None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex, str, bool, type(None)):
        return node.value
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_value(item) for item in node.elts])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left), _value(node.right)
        if type(left) not in (int, float, complex) or type(right) not in (int, float, complex):
            raise ValueError("only numbers are computed with")
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Name):
        if node.id in _WORDS:
            return _WORDS[node.id]
        dtype = dtype_named(node.id)
        if dtype is not None:
            return getattr(notation, "bool_" if dtype.name == "bool" else dtype.name)
        raise ValueError(f"`{node.id}` is no file, number or dtype; a text stands in quotes")
    raise ValueError("it is no file, number, list or text in quotes")


# ---- random arrays -------------------------------------------------------------------------------------------------


def random_value(
    text: str, generator: np.random.Generator, following: str | None, wanted_of: Callable[[str], Wanted]
) -> tuple[str, Any]:
    """The parameter and the array of `--random x=f32[512,512]`; `following` is the parameter of a text without a name."""
    named = _NAMED.match(text)
    name, written = (named[1], named[2]) if named is not None else (following, text)
    if name is None:
        _malformed("--random", text, "every parameter has a value")
    wanted_of(name)
    found = _RANDOM.match(written)
    if found is None:
        _malformed("--random", text, "it is no dtype with sizes in brackets")
    dtype = dtype_named(found[1])
    if dtype is None:
        near = did_you_mean(found[1], DTYPES)
        _malformed("--random", text, f"`{found[1]}` is no dtype{f', {near}' if near else ''}")
    shape = _sizes(found[2] or "", text)
    bounds: tuple[Any, Any] | None = None
    if found[3] is not None:
        try:
            bounds = (evaluated(found[3]), evaluated(found[4]))
        except ValueError as problem:
            _malformed("--random", text, str(problem))
        if not all(type(one) in (int, float) for one in bounds) or not bounds[0] <= bounds[1]:
            _malformed("--random", text, "the range behind it is `:LOWEST:HIGHEST`, two numbers")
    try:
        return name, random_array(generator, dtype, shape, bounds)
    except (MemoryError, ValueError, OverflowError, ImportError) as problem:
        _malformed("--random", text, str(problem) or "there is not enough memory")


def _sizes(text: str, whole: str) -> tuple[int, ...]:
    sizes: list[int] = []
    for part in text.split(",") if text.strip() else []:
        try:
            size = evaluated(part)
        except ValueError:
            size = None
        if type(size) is not int or size < 0:
            _malformed("--random", whole, f"`{part.strip()}` is no size: sizes of random arrays are numbers")
        sizes.append(size)
    return tuple(sizes)


def random_array(generator: np.random.Generator, dtype: DType, shape: tuple[int, ...], bounds: tuple[Any, Any] | None) -> Any:
    """Random elements of a dtype: uniform between the bounds (integers: both inclusive)."""
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = bounds or (0, 9)
        return generator.integers(int(low), int(high), shape, dtype=dtype.numpy, endpoint=True)
    low, high = bounds or (0.0, 1.0)
    values: Any = generator.random(shape) * (high - low) + low
    if dtype.kind == "c":
        values = values + 1j * (generator.random(shape) * (high - low) + low)
    made: Any = np.asarray(values).astype(dtype.numpy)
    return made
