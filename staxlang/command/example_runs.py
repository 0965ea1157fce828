"""Examples of doc comments are run here: the text as a program, its value against what the comment promises."""

# Values of users are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np

import staxlang as stax
from staxlang.base.diagnostics import StaxError
from staxlang.base.spans import Source
from staxlang.base.suggestions import did_you_mean
from staxlang.command.examples import Example
from staxlang.command.expectations import difference
from staxlang.parser import tree
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_python
from staxlang.parser.stx import parse_module
from staxlang.runtime.modules import definition_object
from staxlang.typecheck import notation
from staxlang.typecheck.annotations import TensorAnnotation, UnionAnnotation
from staxlang.typecheck.modules import Definition, Module
from staxlang.typecheck.operation_names import OPERATION_NAMES
from staxlang.typecheck.surface.library import WORD_CONSTANTS


class Failure(Exception):
    """What an example gives instead of what it promises, in lines."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class Session:
    """The names that the examples of one definition see, and those that they make."""

    def __init__(self, module: Module | None, names: Mapping[str, Any]) -> None:
        self.names = _Names(module, names)

    def run(self, example: Example) -> None:
        """Run an example. Raises Failure."""
        *before, last = _statements(example)
        space: dict[str, Any] = {"__builtins__": builtins}
        try:
            for statement in before:
                exec(compile(_python(statement), "<example>", "exec"), space, self.names)
            if isinstance(last, tree.ExpressionStatement):
                value = eval(compile(_python(last.value), "<example>", "eval"), space, self.names)
            else:
                exec(compile(_python(last), "<example>", "exec"), space, self.names)
                value = None
        except StaxError as problem:
            if example.expected.startswith(f"error[{problem.code}]"):
                return
            raise Failure(*str(problem).split("\n")) from None
        except Failure:
            raise
        except Exception as problem:
            raise Failure(f"{type(problem).__name__}: {problem}") from None
        _compare(example, value)


def _compare(example: Example, value: Any) -> None:
    if not example.expected:
        if value is not None:
            raise Failure("expected: nothing", f"got:      {_shown(value)}")
        return
    told = difference(value, example.expected)
    if told is not None:
        raise Failure(*_titled("expected: ", example.expected), *_titled("got:      ", _shown(value)), *([told] if told else []))


def _titled(title: str, text: str) -> list[str]:
    first, *more = text.split("\n")
    return [f"{title}{first}", *(f"{' ' * len(title)}{line}" for line in more)]


def _shown(value: Any) -> str:
    """A value as .stx writes it."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, separator=", ", threshold=200, formatter={"float_kind": str, "complex_kind": str})
    elif isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"  # pyright: ignore[reportUnknownArgumentType]
    else:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    for python, ours in (("True", "true"), ("False", "false"), ("None", "none")):
        text = text.replace(python, ours)
    return text


def _statements(example: Example) -> tuple[Any, ...]:
    """The statements of an example: it stands in a definition while it is parsed."""
    body = "\n".join(f"    {line}" for line in example.text.split("\n"))
    try:
        module = parse_module(Source("example", f"def example():\n{body}\n", example.line - 1))
    except StaxError as problem:
        raise Failure(*str(problem).split("\n")) from None
    definition: Any = module.items[0]
    return definition.body


def _python(node: Any) -> str:
    try:
        return to_python(node)
    except Unprintable:
        raise Failure("an example is made of calls and assignments; index notation stands in kernels") from None


class _Names(dict[str, Any]):
    """What examples assign; below that the module's names, then the words of .stx."""

    def __init__(self, module: Module | None, names: Mapping[str, Any]) -> None:
        super().__init__()
        self.module = module
        self.known = names

    def __missing__(self, name: str) -> Any:
        found = self._find(name)
        if found is _NOTHING:
            raise KeyError(name)
        return found

    def _find(self, name: str) -> Any:
        if name in self.known:
            return _with_lists(self.known[name])
        entry = self.module.names.get(name) if self.module is not None else None
        if isinstance(entry, Definition):  # a private one
            return _with_lists(stax.kernel(definition_object(entry)))
        if name in OPERATION_NAMES:
            return getattr(stax, name)
        if name in WORD_CONSTANTS:
            return WORD_CONSTANTS[name]
        dtype = getattr(notation, name, None) if name in notation.__all__ else None
        if dtype is not None:
            return dtype
        if not hasattr(builtins, name):
            near = did_you_mean(name, [*self, *self.known, *OPERATION_NAMES])
            raise Failure(f"the name `{name}` is not defined" + (f": {near}" if near else ""))
        return _NOTHING


_NOTHING = object()


def _with_lists(value: Any) -> Any:
    """A kernel that takes lists where its header declares arrays: so examples write them."""
    if not isinstance(value, stax.Kernel):
        return value
    kernel: Any = value
    stx = kernel.__wrapped__.__stx__
    arrays = {} if stx.header is None else {name: one for name, one in stx.header.signature.parameters.items() if _array_type(one)}
    names = [parameter.name for parameter in stx.tree.parameters if parameter.kind in ("positional", "positional-only")]

    def called(*args: Any, **kwargs: Any) -> Any:
        fit = [_fit(arrays.get(name), arg) for name, arg in zip([*names, *[""] * len(args)], args, strict=False)]
        return kernel(*fit, **{name: _fit(arrays.get(name), arg) for name, arg in kwargs.items()})

    return called if arrays else kernel


def _array_type(annotation: Any) -> TensorAnnotation | None:
    if isinstance(annotation, UnionAnnotation):
        return next(filter(None, map(_array_type, annotation.members)), None)
    return annotation if isinstance(annotation, TensorAnnotation) and annotation.axes != () else None


def _fit(annotation: Any, value: Any) -> Any:
    wanted = _array_type(annotation)
    if wanted is None or not isinstance(value, list):
        return value
    dtypes = wanted.dtypes
    dtype: Any = next(iter(dtypes)).numpy if dtypes is not None and len(dtypes) == 1 else None
    return np.array(value, dtype)
