"""Names of .stx modules pass through here and come out as files: found on the search path, read, parsed or taken from a store of Trees."""

from __future__ import annotations

import importlib
import marshal
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NoReturn, Protocol

from staxlang.base.diagnostics import diagnose, raise_diagnostics
from staxlang.base.records import record
from staxlang.base.spans import Source, Span
from staxlang.base.suggestions import did_you_mean
from staxlang.parser import tree
from staxlang.parser.encoding import decode, encode
from staxlang.parser.library import FORMAT, library_index
from staxlang.parser.stored import FOLDER, content_hash

SUFFIX = ".stx"
_PACKAGE_FILE = "__init__.stx"
_PROJECT_MARKS = ("pyproject.toml", ".git")
_LARGEST = 32 << 20  # bytes of a text that anyone wrote


class TreeStore(Protocol):
    """Bytes by key, kept from one process to the next, for as long as the grammar is the same."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, payload: bytes) -> None: ...


@record
class Found:
    """Where a module is: a file's path, or the name of a file of the standard library."""

    path: str
    library: bool = False


# ---- reading ----


def read_file(path: str, span: Span | None = None) -> Source:
    """The text of a .stx file. Raises the diagnostic of a file that is not there, cannot be read, or holds no text.

    `span` is the import that asks for it.
    """
    try:
        with open(path, "rb") as opened:
            data = opened.read(_LARGEST + 1)
    except FileNotFoundError:
        near = did_you_mean(os.path.basename(path), _files_beside(path))
        raise_diagnostics(diagnose("file-not-found", span, path=path, help=near or _suffix_advice(path)))
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise_diagnostics(diagnose("file-unreadable", span, path=path, reason=reason))
    return Source(path, decoded(data, path, span))


def decoded(data: bytes, path: str, span: Span | None = None) -> str:
    """The text of a file's bytes. Raises the diagnostic of bytes that are no text."""
    if len(data) > _LARGEST:
        raise_diagnostics(diagnose("file-unreadable", span, path=path, reason=f"it is larger than {_LARGEST >> 20} MB"))
    for mark, name in ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            raise_diagnostics(diagnose("file-unreadable", span, path=path, reason=f"it is {name} text, not UTF-8"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        reason = f"it is not UTF-8 text: the byte 0x{data[problem.start]:02x} in line {line}"
        raise_diagnostics(diagnose("file-unreadable", span, path=path, reason=reason))
    place = text.find("\0")
    if place >= 0:
        reason = f"it holds a NUL byte in line {text.count(chr(10), 0, place) + 1}"
        raise_diagnostics(diagnose("file-unreadable", span, path=path, reason=reason))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _files_beside(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(os.path.dirname(path) or ".") if name.endswith(SUFFIX)]
    except OSError:
        return []


def _suffix_advice(path: str) -> str:
    if not path.endswith(SUFFIX) and os.path.exists(path + SUFFIX):
        return f"the file is called `{os.path.basename(path)}{SUFFIX}`"
    return f"looked in {os.path.dirname(os.path.abspath(path))}"


def parse_source(source: Source, store: TreeStore | None = None) -> tree.Module:
    """The Tree of a file's text, taken from the store where it has been parsed before. Raises StaxError (SyntaxError) with every slip."""
    key = _key(source.text) if store is not None else ""
    data = store.get(key) if store is not None else None
    if data is not None:
        try:
            return decode(marshal.loads(data), source)
        except (ValueError, EOFError, TypeError, IndexError):
            pass  # of another layout
    parsed: tree.Module = importlib.import_module("staxlang.parser.stx").parse_module(source)  # lark: not on the path of what is stored
    if store is not None:
        store.put(key, marshal.dumps(encode(parsed), 4))
    return parsed


def _key(text: str) -> str:
    return content_hash(f"{FORMAT}\n{text}".encode("utf-8", "surrogatepass")).hex()


# ---- finding ----


def search_path(origin: str) -> tuple[str, ...]:
    """The folders in which the imports of a file are looked for, before the standard library: its own, the project's root."""
    own = os.path.dirname(os.path.abspath(origin))
    root = project_root(own)
    return (own,) if root == own else (own, root)


def project_root(folder: str) -> str:
    """The nearest folder above (or this one) that holds a pyproject.toml or .git; the current one where there is none."""
    place = folder
    while True:
        if any(os.path.exists(os.path.join(place, mark)) for mark in _PROJECT_MARKS):
            return place
        above = os.path.dirname(place)
        if above == place:
            return os.getcwd()
        place = above


def find(name: str, origin: str, span: Span | None = None) -> Found:
    """The module that an import in the file `origin` names: `nn`, `blocks.attention`, `.near`, `..above.it`. Raises `module-not-found`."""
    bare = name.lstrip(".")
    level = len(name) - len(bare)
    parts = bare.split(".")
    folders = search_path(origin) if not level else (_folder_above(origin, level - 1),)
    for folder in folders:
        for path in _candidates(folder, parts):
            if os.path.isfile(path):
                return Found(path)
    if not level and len(parts) == 1 and parts[0] in library_files():
        return Found(parts[0], library=True)
    _not_found(name, level, parts, folders, span)


def _folder_above(origin: str, levels: int) -> str:
    folder = os.path.dirname(os.path.abspath(origin))
    for _ in range(levels):
        folder = os.path.dirname(folder)
    return folder


def _candidates(folder: str, parts: list[str]) -> Iterator[str]:
    yield os.path.join(folder, *parts) + SUFFIX
    yield os.path.join(folder, *parts, _PACKAGE_FILE)


def _not_found(name: str, level: int, parts: list[str], folders: tuple[str, ...], span: Span | None) -> NoReturn:
    for folder in folders:
        if os.path.isfile(os.path.join(folder, *parts) + ".py"):
            raise_diagnostics(diagnose("import-of-python", span, name=name, what=f"`{parts[-1]}.py` is Python"))
    if not level and (parts[0] in sys.stdlib_module_names or parts[0] in _PYTHON):
        raise_diagnostics(diagnose("import-of-python", span, name=name, what=f"`{parts[0]}` is a Python module"))
    here = [file.removesuffix(SUFFIX) for folder in folders for file in _files_beside(os.path.join(folder, *parts))]
    near = did_you_mean(parts[-1], [*here, *(library_files() if not level else ())])
    looked = " and ".join(folders) + ("" if level else ", and the standard library")
    raise_diagnostics(diagnose("module-not-found", span, name=name, help=near or f"looked in {looked}"))


_PYTHON = frozenset("numpy np scipy torch jax staxlang stax pandas numba tensorflow matplotlib".split())


def module_name(path: str) -> str:
    """The name of the module that a file holds, by its file name."""
    folder, file = os.path.split(os.path.abspath(path))
    return os.path.basename(folder) if file == _PACKAGE_FILE else file.removesuffix(SUFFIX)


@cache
def library_files() -> Mapping[str, tuple[str, ...]]:
    """The modules of the standard library, each with the names of its public functions."""
    found: dict[str, list[str]] = {}
    for name, entry in library_index().items():
        space, _, name = name.rpartition(".")
        names = found.setdefault(space or entry.file.removesuffix(SUFFIX), [])
        if not name.startswith("_"):
            names.append(name)
    return {file: tuple(names) for file, names in found.items()}


def library_path(name: str) -> str:
    """The file of a module of the standard library."""
    return os.path.join(FOLDER, name + SUFFIX)
