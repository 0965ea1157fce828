""".stx files pass through here and come out as Python modules of Kernels: `stax.load`, and what an import of a .stx file makes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from staxlang.base.records import NamedTuple
from staxlang.base.settings import Settings
from staxlang.base.spans import Source, Span
from staxlang.base.suggestions import did_you_mean
from staxlang.parser import tree
from staxlang.parser.library import entry_name
from staxlang.parser.modules import decoded
from staxlang.runtime import identity, late
from staxlang.runtime.disk import Store, digest
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.forks import Mutex, compiling
from staxlang.runtime.ground import store_for
from staxlang.runtime.kernel import Kernel, kernel_settings
from staxlang.runtime.outside import named_operation  # with what runs them outside of kernels
from staxlang.runtime.signature import class_of
from staxlang.typecheck import statics
from staxlang.typecheck.linking import Linker
from staxlang.typecheck.modules import Constant, Definition, Entry, LibraryFunction, LibraryModule, Module, Package, is_private
from staxlang.typecheck.values import FunctionValue

_texts: Final = itertools.count(1)
_mutex: Final = Mutex()
_known: Final[dict[str, Module]] = {}
"""The newest module of each path. Of an edited file it is another one; what was made of the older keeps it."""


def load(path: str | os.PathLike[str], **options: Any) -> StxModule:
    """The kernels and consts of a .stx file, as a module. `options` are those of `stax.kernel`.

    A file that is loaded again gives the same module while its text, and the texts of what it imports, are the same.

    >>> nn = stax.load("nn.stx")
    >>> nn.softmax(x)
    """
    return _module(lambda linker: linker.file(_text_path(path)), None, _settings(options))


def load_text(text: str, name: str | None = None, **options: Any) -> StxModule:
    """The kernels and consts of a text in .stx, as a module. Its imports are looked for in the current folder.

    >>> made = stax.load_text("kernel double(x): return 2 * x")
    >>> made.double(np.ones(3))
    array([2., 2., 2.])
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  (who calls may not be checked)
        given = type(text).__name__
        late.raise_error("bad-argument", argument="`text`", operation="stax.load_text", expected="a text", given=given)
    file = f"<{name}>" if name is not None else f"<text {next(_texts)}>"
    source = Source(file, decoded(text.encode("utf-8", "surrogatepass"), file))
    return _module(lambda linker: linker.text(os.path.abspath(file), source), name or "text", _settings(options))


def _text_path(path: Any) -> str:
    try:
        found: str = os.fsdecode(os.fspath(path))  # pyright: ignore[reportUnknownArgumentType]
    except TypeError:
        given = type(path).__name__
        late.raise_error("bad-argument", argument="`path`", operation="stax.load", expected="a path", given=given)
    return os.path.expanduser(found)


def _settings(options: dict[str, Any]) -> Settings:
    if options.get("fallback") is not None:
        late.raise_error("no-python-function", kernel="every definition in the file", option="fallback")
    return kernel_settings(options, "stax.load")


def _module(link: Callable[[Linker], Module], name: str | None, settings: Settings) -> StxModule:
    try:
        with compiling, _mutex.lock:
            return python_module(linked(link), name, settings)
    except late.diagnostics().StaxError as problem:
        raise problem.with_traceback(None) from None


def linked(link: Callable[[Linker], Module]) -> Module:
    """What a linker makes that knows the modules so far; a failure leaves those as they are."""
    with compiling, _mutex.lock:
        linker = Linker(_known, _tree_store())
        module = link(linker)
        _known.update(linker.done)
        return module


class _Trees:
    """The disk cache as a store of Trees: valid while Stax itself is the same."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def get(self, key: str) -> bytes | None:
        return self.store.get(digest("tree", identity.compiler(), key))

    def put(self, key: str, payload: bytes) -> None:
        self.store.put(digest("tree", identity.compiler(), key), payload)


def _tree_store() -> _Trees | None:
    store = store_for(environment_settings())
    return None if store is None else _Trees(store)


# ---- Python modules ------------------------------------------------------------------------------------------------


class StxModule(ModuleType):
    """A .stx file as a Python module: its kernels, consts and imports are attributes. A private `def` is none."""

    __stx__: Module
    __settings__: Settings

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__.get("__stx__")
        if module is None or name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        entry = module.names.get(name)
        if entry is not None and is_private(entry):
            help = "it is a private `def`: make it a `kernel`"
        else:
            help = did_you_mean(name, module.public_names()) or ""
        late.raise_error("unknown-attribute", what=f"the module {self.__name__}", name=name, help=help)

    def __dir__(self) -> list[str]:
        return sorted([name for name in self.__dict__ if name not in ("__stx__", "__settings__", "__builtins__")])

    def __repr__(self) -> str:
        return f"<stax module {self.__name__!r} from {self.__stx__.path!r}>" if "__stx__" in self.__dict__ else super().__repr__()

    def __reduce__(self) -> Any:
        return (_restored_module, (self.__stx__.path, self.__name__))


class _Key(NamedTuple):
    path: str
    name: str
    settings: Settings


_modules: Final[dict[_Key, StxModule]] = {}


def python_module(module: Module, name: str | None, settings: Settings) -> StxModule:
    """The Python module of a linked one: the same as before where it has been made with these settings."""
    key = _Key(module.path, name or module.name, settings)
    found = _modules.get(key)
    if found is None or found.__stx__ is not module:
        found = StxModule(key.name)
        fill(found, module, settings)
        _modules[key] = found
    return found


def fill_from_file(target: StxModule, path: str) -> None:
    """What an import of a .stx file does to the module that Python has made for it."""
    with compiling, _mutex.lock:
        module, settings = linked(lambda linker: linker.file(path)), environment_settings()
        _modules[_Key(module.path, target.__name__, settings)] = target
        if target.__dict__.get("__stx__") is not module:
            fill(target, module, settings)


def fill(target: StxModule, module: Module, settings: Settings) -> None:
    """Put what a module defines into a Python module; what an older text of the file defined is taken out."""
    stubs = Stubs(target.__name__, module.path, settings)
    made = {one.name: Kernel(stubs.stub(one.value, one.digest), settings) for one in module.kernels()}
    values = {name: _python_value(entry, made, settings) for name, entry in module.names.items() if not is_private(entry)}
    space = target.__dict__
    old = space.get("__stx__")
    for name in old.names if old is not None else ():
        space.pop(name, None)
    space.update(
        values,
        __doc__=module.doc,
        __file__=module.path,
        __all__=[entry.name for entry in module.names.values() if isinstance(entry, (Definition, Constant)) and not is_private(entry)],
        __stx__=module,
        __settings__=settings,
    )


def _python_value(entry: Entry, made: dict[str, Any], settings: Settings) -> Any:
    """What Python sees of a name in a .stx file."""
    if isinstance(entry, Definition) and entry.name in made and made[entry.name].__wrapped__.__stx__ is entry.value:
        return made[entry.name]
    if isinstance(entry, Definition):
        return getattr(python_module(entry.module, None, settings), entry.name)
    if isinstance(entry, Constant):
        return _plain(entry.form, entry.value if entry.form is None else None, entry.module, settings)
    if isinstance(entry, Module):
        return python_module(entry, None, settings)
    if isinstance(entry, LibraryFunction):
        return named_operation(entry.name)
    space = ModuleType(entry.name)
    if isinstance(entry, LibraryModule):
        space.__dict__.update({name: named_operation(entry_name(entry.name, name)) for name in entry.names()})
    elif isinstance(entry, Package):  # pyright: ignore[reportUnnecessaryIsInstance]
        space.__dict__.update({name: _python_value(part, {}, settings) for name, part in entry.parts.items()})
    return space


def _plain(form: statics.Form | None, value: Any, module: Module, settings: Settings) -> Any:
    """A static value's Python object, by its form where it has one, with a Kernel or function in the place of each definition."""
    if form is not None:
        return statics.plain_of(form, lambda name: _own(module, name, settings))
    return _with_functions(late.constants().plain(value), settings)


def _own(module: Module, name: str, settings: Settings) -> Any:
    entry = module.names[name]
    assert isinstance(entry, Definition)
    return _function_object(entry.value, settings)


def _with_functions(value: Any, settings: Settings) -> Any:
    if isinstance(value, FunctionValue):
        return _function_object(value, settings)
    kind: Any = class_of(value)
    if kind is tuple or kind is list:
        parts = [_with_functions(item, settings) for item in value]
        return tuple(parts) if kind is tuple else parts
    if kind is dict:
        return {key: _with_functions(item, settings) for key, item in value.items()}
    return value


def definition_object(definition: Definition) -> FunctionType:
    """A private definition as a Python function of which `stax.kernel` makes a Kernel."""
    return Stubs(definition.module.name, definition.module.path, environment_settings()).stub(definition.value, definition.digest)


def _function_object(value: FunctionValue, settings: Settings) -> Any:
    scope: Any = value.scope
    module = getattr(scope, "module", None)
    definition = module.names.get(value.name) if isinstance(module, Module) else None
    if isinstance(definition, Definition) and definition.value is value and definition.tree.exported:
        return getattr(python_module(definition.module, None, settings), value.name)
    if isinstance(definition, Definition) and definition.value is value:
        content = definition.digest
    else:  # a lambda in a const
        content = digest(module.key if isinstance(module, Module) else "", late.printer().to_stx(value.tree))
    return Stubs("staxlang", value.tree.span.source.name, settings).stub(value, content)


# ---- kernels -------------------------------------------------------------------------------------------------------


class TypeText:
    """A type as it is written in a header: what `inspect.signature` shows."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Stubs:
    """Makes the Python functions that the Kernels of a module are made of: their parameters, their places. Called, one runs under NumPy.

    The text of the definition, and of all that it uses, is part of its code: guards and keys that hold a function's code hold that.
    """

    def __init__(self, name: str, path: str, settings: Settings) -> None:
        self.path = path
        self.settings = settings
        self.space: dict[str, Any] = {"__name__": name, "__file__": path, "__run__": self.run}
        self.made: dict[str, FunctionType] = {}
        self.plain: dict[str, Any] = {}
        self._lines: tuple[Source, list[str]] | None = None  # of the text that was read last

    def stub(self, value: FunctionValue, content: str) -> FunctionType:
        function = value.tree
        name = value.name if value.name.isidentifier() else "function"  # not a lambda's
        header, positional, keywords = _parameter_texts(function)
        body = f"return __run__({name!r}, {content!r}, ({positional}), {{{keywords}}})"
        compiled = compile(f"def {name}({header}): {body}", function.span.source.name, "exec", dont_inherit=True)
        code: CodeType = next(one for one in compiled.co_consts if isinstance(one, CodeType))
        made: Any = FunctionType(code.replace(co_firstlineno=function.span.line), self.space, name)
        made.__doc__ = function.doc
        made.__stx__ = value
        made.__stx_origin__ = (restored, (self.path, self.space["__name__"], name))
        made.__annotations__ = self._annotations(function)
        self._give_defaults(made, value)
        self.made[name] = made
        return made

    def _give_defaults(self, made: Any, value: FunctionValue) -> None:
        found: dict[str, Any] = {}
        for parameter in value.tree.parameters:
            if parameter.default is not None:
                found[parameter.name] = self._default(value, parameter)
        keyword = {one.name for one in value.tree.parameters if one.kind == "keyword"}
        made.__defaults__ = tuple([default for name, default in found.items() if name not in keyword]) or None
        made.__kwdefaults__ = {name: default for name, default in found.items() if name in keyword} or None

    def _default(self, value: FunctionValue, parameter: tree.Parameter) -> Any:
        scope: Any = value.scope
        module: Any = getattr(scope, "module", None)
        known = module.defaults.get((value.name, parameter.name)) if isinstance(module, Module) else None
        if known is not None:
            return _plain(known.form, known.value, module, self.settings)
        constants = late.constants()
        return _with_functions(constants.plain(constants.compute(parameter.default, scope)), self.settings)

    def _annotations(self, function: tree.Function) -> dict[str, TypeText]:
        found = {one.name: TypeText(self._written(one.annotation)) for one in function.parameters if one.annotation is not None}
        if function.returns is not None:
            found["return"] = TypeText(self._written(function.returns))
        return found

    def _written(self, expression: Any) -> str:
        """An expression as it stands in the file, on one line."""
        span: Span = expression.span
        source = span.source
        if self._lines is None or self._lines[0] is not source:
            self._lines = (source, source.text.split("\n"))
        lines = self._lines[1][span.line - source.first_line : span.end_line - source.first_line + 1]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.column :]
        return " ".join([line.strip() for line in lines])

    def run(self, name: str, content: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A definition as a plain function: its operations one at a time, by NumPy."""
        kernel = self.plain.get(name)
        if kernel is None:
            kernel = self.plain[name] = Kernel(self.made[name], self.settings.with_options(engine="reference"))
        return kernel(*args, **kwargs)


def _parameter_texts(function: tree.Function) -> tuple[str, str, str]:
    """The parameters as Python writes them; how they are passed on by place, and by name."""
    header: list[str] = []
    positional: list[str] = []
    keywords: list[str] = []
    kinds = [parameter.kind for parameter in function.parameters]
    for index, parameter in enumerate(function.parameters):
        name, kind = parameter.name, parameter.kind
        if kind == "keyword":
            if "varargs" not in kinds and "keyword" not in kinds[:index]:
                header.append("*")
            keywords.append(f"{name!r}: {name}")
        elif kind == "varkeywords":
            keywords.append(f"**{name}")
        else:
            positional.append(f"*{name}" if kind == "varargs" else name)
        header.append({"varargs": "*", "varkeywords": "**"}.get(kind, "") + name)
        if kind == "positional-only" and "positional-only" not in kinds[index + 1 :]:
            header.append("/")
    return ", ".join(header), "".join([f"{one}, " for one in positional]), ", ".join(keywords)


def restored(path: str, module: str, name: str) -> Any:
    """A kernel of a file that another process has named."""
    return getattr(load(path), name)


def _restored_module(path: str, name: str) -> StxModule:
    return load(path)
