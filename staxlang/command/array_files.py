"""Files of arrays: .npy, .npz and .csv are read and written here; what cannot be read or written is a diagnostic."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import csv
import io
import os
import sys
import warnings
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.dtypes import DTYPES, DType, as_dtype
from staxlang.base.suggestions import did_you_mean

_SUFFIXES = (".npy", ".npz", ".csv", ".tsv", ".txt")
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": None}


def is_file_text(text: str) -> bool:
    """Does the value of an argument name a file, not a number or a list?"""
    if text[:1] in "[(\"'":
        return False
    if _typed(text)[0] == "-":
        return True
    path, _ = _parted(_typed(text)[0])
    return path.lower().endswith(_SUFFIXES) or ("/" in text.strip("/") and not _is_division(text)) or os.path.isfile(path)


def _is_division(text: str) -> bool:
    return all(part.strip().replace(".", "", 1).lstrip("-").isdigit() for part in text.split("/"))


def dtype_named(name: str) -> DType | None:
    """f32 or float32."""
    found = DTYPES.get("bool" if name == "bool_" else name)
    return found if found is not None else as_dtype(name) if name in _NUMPY_NAMES else None


_NUMPY_NAMES = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split())


def _typed(text: str) -> tuple[str, DType | None]:
    """`x.npy:f32`: the file, and the dtype that it is converted to."""
    file, _, name = text.rpartition(":")
    dtype = dtype_named(name) if file else None
    return (file, dtype) if dtype is not None else (text, None)


def _parted(text: str) -> tuple[str, str | None]:
    """`data.npz:member` in its parts."""
    for suffix in (".npz:", ".csv:", ".tsv:"):
        place = text.lower().rfind(suffix)
        if place >= 0:
            return text[: place + 4], text[place + 5 :]
    return text, None


# ---- reading -------------------------------------------------------------------------------------------------------


def read(text: str, name: str, dtype: DType | None, rank: int | None) -> Any:
    """The array that a text names; `name` is its parameter, `dtype` and `rank` are what is declared of it, None where nothing is."""
    text, wanted = _typed(text)
    if wanted is not None:
        found = _read(text, name, None, rank)
        try:
            return found.astype(wanted.numpy)
        except ImportError as problem:
            _unreadable(text, str(problem))
    return _read(text, name, dtype, rank)


def _read(text: str, name: str, dtype: DType | None, rank: int | None) -> Any:
    path, part = _parted(text)
    if text == "-":
        return _numpy_file(io.BytesIO(sys.stdin.buffer.read()), "the standard input")
    suffix = os.path.splitext(path)[1].lower()
    with _told(path):
        if suffix == ".npy":
            return _numpy_file(path, path)
        if suffix == ".npz":
            return _member(path, part, name)
        if suffix in _DELIMITERS:
            return _table(path, part, _DELIMITERS[suffix], dtype, rank)
    if not os.path.exists(path):
        raise_diagnostics(diagnose("file-not-found", None, path=path, help=_beside(path)))
    _unreadable(path, f"files are {', '.join(_SUFFIXES[:3])}" + (f", not {suffix}" if suffix else ""))


def _unreadable(path: str, reason: str, help: str | None = None) -> NoReturn:
    raise_diagnostics(diagnose("unreadable-array", None, help=help, path=path, reason=reason))


def _beside(path: str) -> str:
    try:
        near = did_you_mean(os.path.basename(path), os.listdir(os.path.dirname(path) or "."))
    except OSError:
        near = None
    return near or f"looked in {os.path.dirname(os.path.abspath(path))}"


@contextmanager
def _told(path: str) -> Generator[None, None, None]:
    """What reading may raise, as diagnostics."""
    try:
        yield
    except FileNotFoundError:
        raise_diagnostics(diagnose("file-not-found", None, path=path, help=_beside(path)))
    except OSError as problem:
        raise_diagnostics(diagnose("file-unreadable", None, path=path, reason=problem.strerror or str(problem)))
    except (EOFError, zipfile.BadZipFile) as problem:
        _unreadable(path, str(problem) or "it ends too early")
    except UnicodeDecodeError:
        _unreadable(path, "it is no text")
    except MemoryError:
        _unreadable(path, "there is not enough memory for it")


def _numpy_file(file: Any, path: str) -> Any:
    try:
        loaded: Any = np.load(file, allow_pickle=False)
    except ValueError as problem:
        reason = str(problem)
        _unreadable(path, "it holds pickled Python objects" if "pickle" in reason else reason.partition("\n")[0])
    except EOFError:
        _unreadable(path, "it is empty")
    if not isinstance(loaded, np.ndarray):
        _unreadable(path, "it is an archive of several arrays; name it with the suffix .npz")
    return loaded  # pyright: ignore[reportUnknownVariableType]


def _member(path: str, part: str | None, name: str) -> Any:
    try:
        archive: Any = np.load(path, allow_pickle=False)
    except ValueError as problem:
        _unreadable(path, "it is no .npz archive" if "pickle" in str(problem) else str(problem))
    if isinstance(archive, np.ndarray):
        return archive  # pyright: ignore[reportUnknownVariableType]
    with archive:
        members: list[str] = list(archive.files)
        chosen = part if part is not None else name if name in members else members[0] if len(members) == 1 else None
        if chosen is None or chosen not in members:
            listed = f"it holds {', '.join(f'`{one}`' for one in members) or 'nothing'}"
            what = f"it has no member `{chosen}`" if chosen is not None else "which of its arrays is not said"
            near = did_you_mean(chosen, members) if chosen is not None else f"write `{path}:{members[0]}`" if members else None
            _unreadable(path, f"{what}; {listed}", help=near or "")
        try:
            return archive[chosen]
        except ValueError as problem:
            _unreadable(f"{path}:{chosen}", "it holds pickled Python objects" if "pickle" in str(problem) else str(problem))


def _table(path: str, column: str | None, delimiter: str | None, dtype: DType | None, rank: int | None) -> Any:
    """Numbers of a text file: a column gives one axis, several give two. A first row of words names the columns."""
    with open(path, encoding="utf-8-sig", newline="") as opened:
        rows = [row for row in _rows(opened, delimiter) if row]
    if not rows:
        _unreadable(path, "it has no rows")
    header = rows.pop(0)[1] if not any(map(_is_number, rows[0][1])) else None
    chosen = _column(path, header, column)
    if not rows:
        _unreadable(path, "it has a row of names and no numbers")
    width = len(rows[0][1])
    values: list[list[Any]] = []
    for line, row in rows:
        if len(row) != width:
            _unreadable(path, f"line {line} has {len(row)} entries, line {rows[0][0]} has {width}")
        try:
            values.append([_number(entry) for entry in (row if chosen is None else [row[chosen]])])
        except ValueError:
            bad = next(entry for entry in row if not _is_number(entry))
            _unreadable(path, f"`{bad[:30]}` in line {line} is no number")
    made: Any = np.array(values)
    if dtype is not None:
        try:
            made = converted(made, dtype)
        except (ValueError, ImportError) as problem:
            _unreadable(path, str(problem))
    if made.shape[1] == 1 and rank != 2:
        return made[:, 0]
    return made[0] if rank == 1 and made.shape[0] == 1 else made


def converted(array: Any, dtype: DType) -> Any:
    """Numbers that were written down, in a declared dtype. ValueError where one of them is none of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: Any = array.astype(dtype.numpy)
    lost = np.argwhere((made != array) & (array == array)) if dtype.kind in "iub" else np.argwhere(np.imag(array) != 0)
    if dtype.kind != "c" and len(lost):
        raise ValueError(f"{array[tuple(lost[0])]} is no {dtype.name}")
    return made


def _rows(lines: Any, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """(line number, entries) of each row that is neither blank nor a comment."""
    reader: Iterator[list[str]] = csv.reader(lines, delimiter=delimiter) if delimiter else (line.split() for line in lines)
    for number, row in enumerate(reader, 1):
        entries = [entry.strip() for entry in row]
        if any(entries) and not entries[0].startswith("#"):
            yield number, entries


def _column(path: str, header: list[str] | None, column: str | None) -> int | None:
    if column is None:
        return None
    if header is None:
        _unreadable(path, f"its columns have no names, so there is no `{column}`")
    if column not in header:
        _unreadable(path, f"it has no column `{column}`; it has {', '.join(header)}", help=did_you_mean(column, header) or "")
    return header.index(column)


def _number(text: str) -> int | float | complex:
    for kind in (int, float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ValueError(text)


def _is_number(text: str) -> bool:
    try:
        _number(text)
    except ValueError:
        return False
    return True


# ---- writing -------------------------------------------------------------------------------------------------------


def write(path: str, arrays: Mapping[str, Any]) -> None:
    """Write arrays: one to a .npy or .csv, any number by name to a .npz. Raises the diagnostic of a file that cannot be written."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _SUFFIXES:
        reason = "files are .npy, .npz or .csv" + (f", not {suffix}" if suffix else "")
        raise_diagnostics(diagnose("file-unwritable", None, path=path, reason=reason))
    made = io.BytesIO()
    first: Any = next(iter(arrays.values()))
    if suffix == ".npz":
        np.savez(made, allow_pickle=False, **arrays)
    elif suffix == ".npy":
        np.save(made, first, allow_pickle=False)
    else:
        _save_table(made, path, first, _DELIMITERS[suffix] or " ")
    try:
        with open(path, "wb") as opened:
            opened.write(made.getbuffer())
    except OSError as problem:
        raise_diagnostics(diagnose("file-unwritable", None, path=path, reason=problem.strerror or str(problem)))


def _save_table(made: Any, path: str, array: Any, delimiter: str) -> None:
    if array.ndim > 2:
        reason = f"a table has at most 2 axes, and the result has {array.ndim}"
        raise_diagnostics(diagnose("file-unwritable", None, path=path, reason=reason))
    kind = array.dtype.kind
    text = "%d" if kind in "biu" else "%.9g" if array.dtype.itemsize <= 4 else "%.17g"
    np.savetxt(made, np.atleast_1d(array.astype(np.int64) if kind == "b" else array), fmt=text, delimiter=delimiter)
