"""Files of .stx pass through here with what they import, and come out as linked Modules: names resolved, consts and defaults computed."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator, Mapping
from typing import Any

from staxlang.base.diagnostics import Diagnostic, Note, StaxError, diagnose, raise_diagnostics
from staxlang.base.spans import Source, Span
from staxlang.base.suggestions import did_you_mean
from staxlang.parser import modules as files
from staxlang.parser import tree
from staxlang.parser.library import entry_name
from staxlang.parser.stored import content_hash
from staxlang.typecheck import statics
from staxlang.typecheck.modules import Constant, Default, Definition, Entry, LibraryFunction, LibraryModule, Module, Package, evaluating


class Linker:
    """Reads files and what they import, once each. `known` are modules by path of earlier times: what has not changed is kept."""

    def __init__(self, known: Mapping[str, Module], store: files.TreeStore | None) -> None:
        self.known = known
        self.store = store
        self.done: dict[str, Module] = {}
        self._open: list[tuple[str, Span | None]] = []

    def file(self, path: str, span: Span | None = None) -> Module:
        """The module of a file. Raises StaxError with what is wrong in it, or in what it imports."""
        path = os.path.abspath(path)
        if path in self.done:
            return self.done[path]
        if any(path == other for other, _ in self._open):
            self._refuse_cycle(path, span)
        return self.text(path, files.read_file(path, span), span)

    def text(self, path: str, source: Source, span: Span | None = None) -> Module:
        """The module of a text that stands, or is thought to stand, at a path."""
        self._open.append((path, span))
        try:
            known = self.known.get(path)
            if known is None or known.source.text != source.text or not self._is_current(known):
                known = self._linked(path, source)
        finally:
            self._open.pop()
        self.done[path] = known
        return known

    def _is_current(self, module: Module) -> bool:
        """Do its imports still lead to the same modules? One that is broken by now is told by linking anew."""
        try:
            return all(self._imported(module.path, name, None) is known for name, known in module.dependencies.items())
        except StaxError:
            return False

    def _imported(self, origin: str, name: str, span: Span | None) -> Module | LibraryModule:
        found = files.find(name, origin, span)
        if not found.library:
            return self.file(found.path, span)
        return _library_modules.setdefault(found.path, LibraryModule(found.path))

    def _linked(self, path: str, source: Source) -> Module:
        module = Module(path, source, files.parse_source(source, self.store))
        slips: list[Diagnostic] = []
        places: dict[str, Span] = {}
        for item in module.tree.items:
            try:
                for name, entry in self._entries(module, item):
                    if name in places:
                        note = Note(places[name], f"`{name}` is defined here first")
                        slips.append(diagnose("defined-twice", item.span, notes=(note,), name=name))
                        continue
                    if not isinstance(entry, Package):
                        places[name] = item.span
                    module.names[name] = entry
            except StaxError as problem:
                slips += problem.diagnostics
        if slips:
            raise_diagnostics(slips)
        parts = [f"{name} {found.key}" for name, found in module.dependencies.items() if isinstance(found, Module)]
        module.key = content_hash("\n".join([module.name, source.text, *parts]).encode("utf-8", "surrogatepass")).hex()
        if not self._restored(module):
            self._compute(module)
        return module

    # ---- consts and defaults ----

    def _restored(self, module: Module) -> bool:
        """Take the forms that an earlier process has stored; False where there are none."""
        waiting = _open_statics(module)
        data = self.store.get(f"statics {module.key}") if self.store is not None and waiting else None
        if data is None:
            return not waiting
        forms: dict[str, statics.Form] = marshal.loads(data)
        if forms.keys() != waiting.keys():
            return False
        for name, entry in waiting.items():
            if isinstance(entry, Constant):
                entry.form = forms[name]
            else:
                definition, parameter = entry
                module.defaults[definition.name, parameter.name] = Default(forms[name], None)
        return True

    def _compute(self, module: Module) -> None:
        own = {id(entry.value): name for name, entry in module.names.items() if isinstance(entry, Definition)}
        forms: dict[str, statics.Form] = {}
        waiting = _open_statics(module)
        for name, entry in waiting.items():
            if isinstance(entry, Constant):
                entry.compute()
                value = entry.value
            else:
                definition, parameter = entry
                value = evaluating().compute(parameter.default, definition.value.scope)
            try:
                forms[name] = statics.form_of(value, own)
            except statics.Unstorable:
                pass
            if not isinstance(entry, Constant):
                module.defaults[entry[0].name, entry[1].name] = Default(forms.get(name), value)
            else:
                entry.form = forms.get(name)
        if self.store is not None and len(forms) == len(waiting):
            self.store.put(f"statics {module.key}", marshal.dumps(forms, 4))

    def _entries(self, module: Module, item: Any) -> Iterator[tuple[str, Entry]]:
        """The names that an item of a file binds."""
        if isinstance(item, tree.Function):
            yield item.name, Definition(module, item)
        elif isinstance(item, tree.Import):
            found = self._imported(module.path, item.module, item.span)
            module.dependencies[item.module] = found
            if item.names:
                yield from [(alias or name, member(found, name, item.span)) for name, alias in item.names]
            else:
                yield _bound_module(module, item, found)
        else:
            target: Any = item.target if isinstance(item, tree.AnnotatedAssign) else item.targets[0]
            yield target.id, Constant(module, target.id, item)

    def _refuse_cycle(self, path: str, span: Span | None) -> None:
        start = next(place for place, (other, _) in enumerate(self._open) if other == path)
        names = [os.path.basename(other) for other, _ in self._open[start:]]
        notes = [Note(where, f"`{os.path.basename(other)}` is imported here") for other, where in self._open[start + 1 :]]
        advice = None
        if len(names) == 1:
            stem = names[0].removesuffix(files.SUFFIX)
            advice = "a file cannot import itself" + (
                f"; under another name it can import `{stem}` of the standard library" if stem in files.library_files() else ""
            )
        raise_diagnostics(diagnose("import-cycle", span, notes=notes, help=advice, chain=" -> ".join([*names, names[0]])))


def _open_statics(module: Module) -> dict[str, Constant | tuple[Definition, tree.Parameter]]:
    """The consts of a module, and its kernels' parameters with defaults, in the order of the file."""
    found: dict[str, Constant | tuple[Definition, tree.Parameter]] = {}
    for name, entry in module.names.items():
        if isinstance(entry, Constant) and entry.module is module:
            found[name] = entry
    for definition in module.kernels():
        for parameter in definition.tree.parameters:
            if parameter.default is not None:
                found[f"{definition.name}.{parameter.name}"] = (definition, parameter)
    return found


_library_modules: dict[str, LibraryModule] = {}


def _bound_module(module: Module, item: tree.Import, found: Module | LibraryModule) -> tuple[str, Entry]:
    """The name that `import a.b.c` binds, and the folders around the module."""
    if item.alias is not None:
        return item.alias, found
    first, *rest = item.module.lstrip(".").split(".")
    if not rest:
        return first, found
    known = module.names.get(first)
    package = known if isinstance(known, Package) else Package(first)
    place = package
    for part in rest[:-1]:
        inner = place.parts.setdefault(part, Package(part))
        if not isinstance(inner, Package):
            raise_diagnostics(diagnose("defined-twice", item.span, name=f"{first}.{part}"))
        place = inner
    place.parts[rest[-1]] = found
    return first, package


def member(module: Module | LibraryModule, name: str, span: Span | None) -> Entry:
    """What a module gives under a name to one that imports it. Raises the diagnostic where it gives nothing."""
    if isinstance(module, LibraryModule):
        if name not in module.names():
            raise_diagnostics(diagnose("not-in-module", span, module=module.name, name=name, help=did_you_mean(name, module.names())))
        return LibraryFunction(entry_name(module.name, name))
    entry = module.names.get(name)
    if entry is None:
        near = did_you_mean(name, module.public_names())
        raise_diagnostics(diagnose("not-in-module", span, module=module.name, name=name, help=near))
    if isinstance(entry, Definition) and not entry.tree.exported:
        note = Note(entry.tree.span, f"`{name}` is a `def`")
        raise_diagnostics(diagnose("private-name", span, notes=(note,), module=module.name, name=name))
    return entry
