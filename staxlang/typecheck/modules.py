"""A .stx file's Tree passes through here and becomes a Module: its imports linked, its consts computed, its definitions callable values."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

from staxlang.base.digests import blake2b
from staxlang.base.records import record
from staxlang.base.spans import Source
from staxlang.parser import modules as files
from staxlang.parser import tree
from staxlang.parser.library import entry_name
from staxlang.typecheck import statics
from staxlang.typecheck.header import Header
from staxlang.typecheck.operation_names import OPERATION_NAMES
from staxlang.typecheck.values import FunctionValue, NamespaceValue, Value


def evaluating() -> Any:
    """What computes consts (imports the evaluator). A file that a process before has read does not need it."""
    return import_module("staxlang.typecheck.constants")


def _library(name: str) -> Value:
    return import_module("staxlang.typecheck.evaluator").library(name)


# ---- what a name of a module stands for ----


class Definition:
    """A `kernel` or a `def`."""

    __slots__ = ("module", "tree", "value")

    def __init__(self, module: Module, function: tree.Function) -> None:
        self.module = module
        self.tree = function
        header = Header(function, module.type_named)
        self.value = FunctionValue(function, ModuleScope(module), {}, header=None if header.is_plain else header)

    @property
    def name(self) -> str:
        return self.tree.name

    @property
    def digest(self) -> str:
        """Of its text and the texts of all that it uses in .stx files: what the key of its programs holds."""
        return _digest(self)


class Constant:
    """A `const`: computed when the module is linked, or by an earlier process (then it has a form only)."""

    __slots__ = ("_value", "form", "module", "name", "tree")

    def __init__(self, module: Module, name: str, statement: tree.Assign | tree.AnnotatedAssign) -> None:
        self.module = module
        self.name = name
        self.tree = statement
        self.form: statics.Form | None = None
        self._value: Value = None

    @property
    def value(self) -> Value:
        if self._value is None and self.form is not None:
            self._value = statics.value_of(self.form, self.module.own_value)
        return self._value

    def compute(self) -> None:
        """Raises the diagnostic of an expression that is not known now."""
        statement = self.tree
        assert statement.value is not None
        self._value = evaluating().compute(statement.value, _Above(self.module, self))
        if isinstance(statement, tree.AnnotatedAssign):
            evaluating().check(statement, self.name, self._value, self.module.type_named)


@record
class LibraryFunction:
    """A function of the standard library."""

    name: str

    @property
    def value(self) -> Value:
        return _library(self.name)


@record
class LibraryModule:
    """A file of the standard library."""

    name: str

    @property
    def value(self) -> Value:
        return NamespaceValue(self.name, self.find, self.names)

    def find(self, name: str) -> Value | None:
        return _library(entry_name(self.name, name)) if name in self.names() else None

    def names(self) -> tuple[str, ...]:
        return files.library_files()[self.name]


class Package:
    """A folder of modules: what `import a.b` binds `a` to."""

    __slots__ = ("name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: dict[str, Entry] = {}

    @property
    def value(self) -> Value:
        return NamespaceValue(self.name, self.find, lambda: tuple(self.parts))

    def find(self, name: str) -> Value | None:
        found = self.parts.get(name)
        return None if found is None else found.value


class Module:
    """A .stx file, read and linked. It never changes: of an edited file another one is made.

    `names` are all its names: definitions, consts, imports. `dependencies` are the modules that it imports, by the names in its imports.
    """

    __slots__ = ("defaults", "dependencies", "key", "lines", "name", "names", "path", "source", "tree")

    def __init__(self, path: str, source: Source, parsed: tree.Module) -> None:
        self.path = path
        self.name = files.module_name(path)
        self.source = source
        self.lines = source.text.split("\n")
        self.tree = parsed
        self.names: dict[str, Entry] = {}
        self.dependencies: dict[str, Module | LibraryModule] = {}
        self.defaults: dict[tuple[str, str], Default] = {}  # of its kernels' parameters
        self.key = ""  # of its text, and of the texts of all that it imports

    @property
    def doc(self) -> str | None:
        return self.tree.doc

    @property
    def value(self) -> Value:
        return NamespaceValue(self.name, self.find, self.public_names)

    def find(self, name: str) -> Value | None:
        """What another module sees under a name."""
        entry = self.names.get(name)
        return None if entry is None or is_private(entry) else entry.value

    def public_names(self) -> tuple[str, ...]:
        return tuple(name for name, entry in self.names.items() if not is_private(entry))

    def type_named(self, name: str) -> Any:
        """What a name in a type stands for; raises NameError where it is none of the module's consts."""
        entry = self.names.get(name)
        if isinstance(entry, Constant):
            return evaluating().plain(entry.value)
        raise NameError(name)

    def own_value(self, name: str) -> Value:
        return self.names[name].value

    def kernels(self) -> tuple[Definition, ...]:
        """Its own kernels, in the order of the file."""
        own = [entry for entry in self.names.values() if isinstance(entry, Definition) and entry.module is self]
        return tuple([entry for entry in own if entry.tree.exported])

    def __repr__(self) -> str:
        return f"<module {self.path}>"


class Default:
    """A parameter's default: a form, or where there is none the value."""

    __slots__ = ("form", "value")

    def __init__(self, form: statics.Form | None, value: Value) -> None:
        self.form = form
        self.value = value


Entry = Definition | Constant | LibraryFunction | LibraryModule | Package | Module


def is_private(entry: Entry) -> bool:
    return isinstance(entry, Definition) and not entry.tree.exported


# ---- scopes ----


class ModuleScope:
    """The names that a definition of a module sees: the module's, then the words of .stx and the standard library."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module = module

    def lookup(self, name: str, context: Any) -> Value | None:
        entry = self.module.names.get(name)
        if entry is not None:
            return entry.value
        return None if name.startswith("_") else _words().lookup(name, context)

    def names(self) -> Iterator[str]:
        yield from self.module.names
        yield from OPERATION_NAMES


def _words() -> Any:
    """The scope of the words of .stx."""
    if not _kept_words:
        _kept_words.append(import_module("staxlang.typecheck.captures").LibraryScope())
    return _kept_words[0]


_kept_words: list[Any] = []


class _Above(ModuleScope):
    """What a const sees: of the module's consts those above it."""

    __slots__ = ("constant",)

    def __init__(self, module: Module, constant: Constant) -> None:
        super().__init__(module)
        self.constant = constant

    def lookup(self, name: str, context: Any) -> Value | None:
        entry = self.module.names.get(name)
        if isinstance(entry, Constant) and entry.module is self.module and entry.tree.span.line >= self.constant.tree.span.line:
            return None
        return super().lookup(name, context)


# ---- content ----


def _digest(definition: Definition) -> str:
    state = blake2b(digest_size=16)
    for entry in reachable(definition):
        state.update(f"{entry.name}\n{_text(entry)}\0".encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _text(entry: Definition | Constant) -> str:
    span = entry.tree.span
    return "\n".join([line.rstrip() for line in entry.module.lines[span.line - 1 : span.end_line]]).rstrip()


def reachable(definition: Definition) -> list[Definition | Constant]:
    """A definition and every definition and const of .stx files that it can reach, in the order in which they are met."""
    found: dict[int, Definition | Constant] = {}
    waiting: list[Any] = [definition]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, (Definition, Constant)):
            if id(entry) not in found:
                found[id(entry)] = entry
                waiting.extend(_named(entry))
        elif isinstance(entry, Package):
            waiting.extend(reversed(entry.parts.values()))
        elif isinstance(entry, Module):
            waiting.extend(entry.names[name] for name in reversed(entry.public_names()))
    return list(found.values())


def _named(entry: Definition | Constant) -> list[Any]:
    """What the names in an entry's text stand for in its module, the last first. Local names, and words of comments, may be among them:
    too much is no harm."""
    names = entry.module.names
    found: dict[int, Any] = {}
    for path in _dotted_names(_text(entry)):
        first, *rest = path
        one = names.get(first)
        for part in rest:
            inner = one.parts.get(part) if isinstance(one, Package) else one.names.get(part) if isinstance(one, Module) else None
            if inner is None:
                break
            one = inner
        if one is not None:
            found.setdefault(id(one), one)
    return list(reversed(found.values()))


@lru_cache(maxsize=4096)
def _dotted_names(text: str) -> tuple[tuple[str, ...], ...]:
    """The names in a text, each once, with the attributes behind them."""
    found = dict.fromkeys(re.findall(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*", text))
    return tuple([tuple([part.strip() for part in path.split(".")]) for path in found])
