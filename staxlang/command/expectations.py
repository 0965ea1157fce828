"""What an example promises, as text, against the value that came: equal, or where they differ first."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from staxlang.base.dtypes import from_numpy

_WORDS = {"true": True, "false": False, "none": None, "nan": np.nan, "inf": np.inf}
_DECIMALS = re.compile(r"\d\.(\d+)(?![\deE])")
_TOLERANCES = {"f16": 2e-3, "bf16": 2e-2, "f32": 2e-6, "c64": 2e-6, "f64": 1e-12, "c128": 1e-12}
_ROUNDED = 4  # decimals from which on a number is taken as rounded


def difference(value: Any, expected: str) -> str | None:
    """None where the value is what is expected; else where it differs, or an empty text where that is plain to see.

    Numbers written with four decimals or more are rounded there; others must agree up to rounding of their dtype. `...` stands for
    whatever is there.
    """
    try:
        wanted = _literal(expected)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None if _same_text(value, expected) else ""
    places = [len(digits) for digits in _DECIMALS.findall(expected)]
    absolute = 0.501 * 10.0 ** -max(places) if places and max(places) >= _ROUNDED else 0.0
    return _compared(value, wanted, absolute, "")


def _literal(text: str) -> Any:
    return _read(ast.parse(text.strip(), mode="eval").body)


def _read(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.List):
        return [_read(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_read(item) for item in node.elts])
    if isinstance(node, ast.Dict):
        return {_read(key): _read(item) for key, item in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -_read(node.operand) if isinstance(node.op, ast.USub) else _read(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):  # complex numbers
        left, right = _read(node.left), _read(node.right)
        return left + right if isinstance(node.op, ast.Add) else left - right
    raise ValueError(ast.unparse(node))


def _same_text(value: Any, expected: str) -> bool:
    pattern = r"\s*".join(re.escape(part) if part != "..." else ".*" for part in re.split(r"\s+|(\.\.\.)", expected) if part)
    return re.fullmatch(pattern, str(value), re.DOTALL) is not None or re.fullmatch(pattern, repr(value), re.DOTALL) is not None


def _compared(value: Any, wanted: Any, absolute: float, where: str) -> str | None:
    if isinstance(wanted, tuple) or isinstance(value, (tuple, dict)):
        return _containers(value, wanted, absolute, where)
    if wanted is None or value is None or isinstance(wanted, (str, bytes)) or isinstance(value, (str, bytes)):
        return None if value == wanted and type(value) is type(wanted) else where
    try:
        got, right = np.asarray(value), np.asarray(wanted)
    except ValueError:
        return where
    if right.dtype.kind == "O" or got.dtype.kind == "O":
        return None if value == wanted else where
    if got.shape != right.shape:
        return f"{where}the shapes differ: expected {_shape(right)}, got {_shape(got)}"
    if (got.dtype.kind == "b") != (right.dtype.kind == "b") and got.size:
        return f"{where}the kinds differ: expected {_kind(right)}, got {_kind(got)}"
    return _elements(got, right, absolute, where)


def _elements(got: Any, right: Any, absolute: float, where: str) -> str | None:
    dtype = from_numpy(got.dtype)
    relative = _TOLERANCES.get(dtype.name, 0.0) if dtype is not None else 0.0
    wide = np.complex128 if got.dtype.kind == "c" or right.dtype.kind == "c" else np.float64
    finite = np.abs(right.astype(wide))[np.isfinite(right.astype(wide))]
    absolute = max(absolute, relative * float(finite.max(initial=0.0)))  # a 0 beside larger numbers has been rounded as they have
    near = np.isclose(got.astype(wide), right.astype(wide), rtol=relative, atol=absolute, equal_nan=True)
    if got.dtype.kind in "iub" and right.dtype.kind in "iub":
        near = got == right
    if near.all():
        return None
    place = tuple(int(axis) for axis in np.argwhere(~near)[0]) if got.ndim else ()
    count = int((~near).sum())
    many = f" ({count} of {near.size} differ)" if near.size > 1 else ""
    at = f" at [{', '.join(map(str, place))}]" if place else ""
    return f"{where}first difference{at}: expected {right[place]}, got {got[place]}{many}"


def _containers(value: Any, wanted: Any, absolute: float, where: str) -> str | None:
    if isinstance(wanted, list) and isinstance(value, tuple):  # a list may stand for the results of a kernel that gives several
        wanted = tuple(wanted)
    if type(value) is not type(wanted):
        return f"{where}expected {type(wanted).__name__}, got {type(value).__name__}"
    if len(value) != len(wanted):
        return f"{where}expected {len(wanted)} parts, got {len(value)}"
    if isinstance(wanted, dict):
        if list(value) != list(wanted):
            return f"{where}expected the keys {list(wanted)}, got {list(value)}"
        pairs = [(f"[{key!r}]", value[key], wanted[key]) for key in wanted]
    else:
        pairs = [(f"[{index}]", one, other) for index, (one, other) in enumerate(zip(value, wanted, strict=True))]
    for name, one, other in pairs:
        told = _compared(one, other, absolute, "")
        if told is not None:
            return f"{where}in {name}: {told}" if told else f"{where}in {name}"
    return None


def _shape(array: Any) -> str:
    return f"[{', '.join(map(str, array.shape))}]" if array.ndim else "a number"


def _kind(array: Any) -> str:
    return "truth values" if array.dtype.kind == "b" else "numbers"
