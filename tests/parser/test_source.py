"""Finding a function's source: files, notebooks, texts of exec, decorators, lambdas on one line, files edited since."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from staxlang.base.diagnostics import Diagnostic
from staxlang.parser import tree
from staxlang.parser.printer import to_python
from staxlang.parser.source import SourceUnavailable, function_source


def text_of(function: Any) -> str:
    return to_python(function_source(function))


def load(path: Path, text: str, name: str = "fresh") -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def register(text: str, filename: str, space: dict[str, Any] | None = None) -> dict[str, Any]:
    """What notebooks, IPython and doctest do: the text is known to linecache under a name that is no file's."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = {} if space is None else space
    exec(compile(text, filename, "exec"), space)
    return space


def plain(x, w):
    """Sums.

    More.
    """
    text = """
a line at the margin, with def plain(x):
"""
    y = x @ w + len(text)

    # a comment

    # and one at the margin
    return y[
1:,
...]  # fmt: skip


def test_plain() -> None:
    found = function_source(plain)
    assert found.doc == "Sums.\n\nMore."
    assert [p.name for p in found.parameters] == ["x", "w"]
    first, last = found.body[0], found.body[-1]
    assert isinstance(first, tree.Assign) and isinstance(first.value, tree.Constant)
    assert first.value.value == "\na line at the margin, with def plain(x):\n"
    source = found.span.source
    assert source.name == __file__
    assert source.line(last.span.line) == "    return y["
    assert source.line(found.span.line) == "def plain(x, w):"


def test_known_by_code() -> None:
    assert function_source(plain) is function_source(plain)


def keep(function: Any) -> Any:
    return function


def twice(*, times: int) -> Any:
    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any) -> Any:
            for _ in range(times):
                result = function(*args)
            return result

        return wrapper

    return decorate


@keep
@functools.partial(
    lambda again, function: function,
    2,
)
def decorated(x): return x + 1  # fmt: skip


@twice(times=2)
def wrapped(x):
    return x - 1


def test_decorators() -> None:
    assert text_of(decorated).endswith("def decorated(x):\n    return x + 1\n")
    assert len(function_source(decorated).decorators) == 2
    # What is called is the wrapper; the function inside is a captured name of it.
    assert text_of(wrapped).splitlines()[1] == "def wrapper(*args: Any) -> Any:"
    assert "return x - 1" in text_of(wrapped.__wrapped__)


one, two = lambda x: x + 1, lambda x: x + 2  # fmt: skip
same, again = lambda x: x * 2, lambda x: x * 2  # fmt: skip
nested = lambda a: lambda b: a + b
wide = keep(
    lambda x, y=lambda: 3: (
        x
        + 1
    )
)  # fmt: skip
broken = keep(lambda x: x
  - 1)  # fmt: skip
table = {
    "double": lambda x: 2 * x,
    "triple": lambda x: 3 * x, "half": lambda x: x / 2,
}  # fmt: skip


def test_lambdas() -> None:
    assert [text_of(f) for f in (one, two)] == [
        "def <lambda>(x):\n    return x + 1\n",
        "def <lambda>(x):\n    return x + 2\n",
    ]
    first, second = function_source(same).span, function_source(again).span
    line = first.source.line(first.line)
    # Python may give equal lambdas of one line one code object; then they have one place too.
    other = line.index("lambda") if same.__code__ is again.__code__ else line.rindex("lambda")
    assert (first.column, second.column) == (line.index("lambda"), other)
    assert "return lambda b: a + b" in text_of(nested)
    assert "return a + b" in text_of(nested(1))
    assert "return x + 1" in text_of(wide) and len(function_source(wide).parameters) == 2
    assert "return x - 1" in text_of(broken)
    assert ["2 * x" in text_of(table["double"]), "3 * x" in text_of(table["triple"]), "x / 2" in text_of(table["half"])] == [True] * 3


class Model:
    __scale = 3

    def method(self, x):
        return x * self.__scale + super().__hash__() * 0

    @staticmethod
    def free(x):
        assert x > 0, "positive"
        return __name__ * 0 + str(x)

    @property
    def size(self):
        return self.__scale

    class Inner:
        def deep(self):
            return lambda é: "ü" + é


def test_methods() -> None:
    assert "self._Model__scale" in text_of(Model.method)
    assert "return self._Model__scale" in text_of(Model.size.fget)
    assert 'assert x > 0, "positive"' in text_of(Model.free)  # pytest has rewritten it
    assert "lambda é" in text_of(Model.Inner.deep)
    inner = function_source(Model.Inner().deep())
    assert inner.body[0].span.source.line(inner.body[0].span.line)[inner.body[0].span.column :] == '"ü" + é'


def closures(n: int, *, k: int = 2) -> Any:
    total = np.zeros(n)

    def inner(x, *rest, y=k):
        for i in range(n):
            total[i] = x + k
        return total, [lambda: n + total for _ in rest].pop()

    return inner


def test_closures() -> None:
    inner = closures(3)
    assert text_of(inner).startswith("def inner(x, *rest, y=k):\n    for i in range(n):")
    assert "n + total" in text_of(inner(1, 2)[1])


def test_registered_texts() -> None:
    """Notebook cells, the REPL of Python 3.13, doctest: linecache has the text."""
    space = register("def cell(x):\n    return x + 1\n", "/tmp/ipykernel_1/123.py")
    old = space["cell"]
    assert "x + 1" in text_of(old)
    # The cell is run again with another text under another name, then one under the same name.
    new = register("def cell(x):\n    return x + 2\n", "/tmp/ipykernel_1/123.py")["cell"]
    assert "x + 2" in text_of(new) and "x + 1" in text_of(old)
    last = register("y = 1; cell = lambda x: x + y\n", "<python-input-7>")["cell"]
    assert "x + y" in text_of(last)


def test_future_annotations_and_flags() -> None:
    text = "from __future__ import annotations\n@f\ndef g(x: Unknown[1:2]) -> Missing: return x\n"
    space = register(text, "<future>", {"f": keep})
    assert "Unknown[1:2]" in text_of(space["g"])


def test_names_that_are_imported_too() -> None:
    """Python compiles methods of imported names to other instructions, wherever the names are bound."""
    text = (
        "import numpy as np, os.path\nfrom math import (pi,\n  tau as t,  # here\n)\nfrom copy import copy\n"
        "def f(copy, t, x):\n    return np.exp(copy.mean()) + t.sum(np.pi) + os.path.join(x.y(), np.abs(x).max())\n"
        "def g(x):\n    pi = x\n    return lambda q: pi.sum(q.pi()) + np.linalg.norm(x)\n"
    )
    space = register(text, "<imported too>")
    assert "copy.mean()" in text_of(space["f"]) and "pi.sum" in text_of(space["g"](1)) and "pi = x" in text_of(space["g"])


def test_many_names() -> None:
    calls = " + ".join(f"np.f{k}(name{k}, name{k}.m{k}())" for k in range(300))
    space = register(f"import numpy as np\ndef f(): return {calls}\n", "<many names>")
    assert "np.f299" in text_of(space["f"])


def test_given_text() -> None:
    text = "def g(x):\n    return x + 7\n"
    space: dict[str, Any] = {}
    exec(text, space)
    with pytest.raises(SourceUnavailable):
        function_source(space["g"])
    assert "x + 7" in to_python(function_source(space["g"], text))


def unavailable(function: Any) -> Diagnostic:
    with pytest.raises(SourceUnavailable) as caught:
        function_source(function)
    return caught.value.diagnostic()


def test_unavailable() -> None:
    space: dict[str, Any] = {}
    exec("def g(x): return x\nh = lambda x: x", space)
    for name in ("g", "h"):
        found = unavailable(space[name])
        assert found.code == "source-unavailable" and "`<string>`" in found.message
    exec(compile("def g(x): return x", "<stdin>", "exec"), space)
    assert "typed into an interpreter" in unavailable(space["g"]).message
    exec(compile("def g(x): return x", "/nowhere/at/all.py", "exec"), space)
    assert "no readable file" in unavailable(space["g"]).message


def test_edited_file(tmp_path: Path) -> None:
    """The file that is read later is not the file that was imported."""
    path = tmp_path / "edited.py"
    original = "import math\n\n\ndef f(x):\n    return x * 2\n\n\ndef g(x):\n    return -x\n\n\nh = lambda x: x * 5\n"
    module = load(path, original)
    path.write_text(original.replace("* 2", "* 3").replace("* 5", "* 6"))
    found = unavailable(module.f)
    assert found.code == "source-changed" and "`f`" in found.message
    assert unavailable(module.h).code == "source-changed"
    assert "return -x" in text_of(module.g)  # untouched


def test_moved_definition(tmp_path: Path) -> None:
    path = tmp_path / "moved.py"
    original = "def f(x):\n    return x * 2\n\ndef f2(x):\n    return x\n\nh = lambda x: x * 5\n"
    module = load(path, original)
    path.write_text("'new first lines'\ndef f(x):\n    return 'another f'\n\n" + original)
    found = function_source(module.f)
    assert "x * 2" in to_python(found)
    assert found.span.source.line(found.span.line) == "def f(x):" and found.span.line == 5
    assert "x * 5" in text_of(module.h)


def test_reloaded_file(tmp_path: Path) -> None:
    path = tmp_path / "reloaded.py"
    first = load(path, "def f(x):\n    return x * 2\n")
    assert "x * 2" in text_of(first.f)
    second = load(path, "\n\n\ndef f(x):\n    return x * 3 + 1\n", "reloaded_again")
    assert "x * 3" in text_of(second.f)
    assert "x * 2" in text_of(first.f)


def test_shapes_of_text(tmp_path: Path) -> None:
    text = (
        "# -*- coding: latin-1 -*-\n"
        "class A:\n"
        "\tdef tabs(self, x):\n"
        "\t\tif x: return 1 + \\\n"
        "2\n"
        "\t\treturn 3\n"
        "def one_line(x): return x; y = 1\n"
        "def last(x):\n"
        "    '''äöü'''; z = (\n"
        ")\n"
        "    return 'ä', x"
    )
    path = tmp_path / "shapes.py"
    path.write_bytes(text.encode("latin-1"))
    spec = importlib.util.spec_from_file_location("shapes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert text_of(module.A.tabs) == "def tabs(self, x):\n    if x:\n        return 1 + 2\n    return 3\n"
    assert text_of(module.one_line) == "def one_line(x):\n    return x\n    y = 1\n"
    last = function_source(module.last)
    assert last.doc == "äöü"
    span = last.body[-1].span
    assert span.source.line(span.line)[span.column : span.end_column] == "return 'ä', x"


def test_spans_are_in_characters() -> None:
    found = function_source(register('def f(x): return "äöü€𝄞", x + 1\n', "<spans>")["f"])
    returned = found.body[0]
    assert isinstance(returned, tree.Return) and isinstance(returned.value, tree.TupleExpression)
    last = returned.value.elements[1].span
    assert last.source.line(1)[last.column : last.end_column] == "x + 1"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695")
def test_type_parameters() -> None:
    found = function_source(register("def f[N, *B, T: (int, float)](x: N) -> T:\n    return x, N\n", "<generic>")["f"])
    assert found.type_parameters == ("N", "*B", "T") and len(found.facts) == 1


async def coroutine(x):
    return x


def generator(x):
    yield x


def test_refused_functions_have_a_tree() -> None:
    refused = function_source(coroutine).body[0]
    assert isinstance(refused, tree.Refused) and refused.code == "unsupported-async"
    statement = function_source(generator).body[0]
    assert isinstance(statement, tree.ExpressionStatement) and isinstance(statement.value, tree.Refused)
