"""The law parse(print(t)) == t for both notations: on drawn trees, on Python's own library, on ours."""

from __future__ import annotations

import ast
import glob
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staxlang.base.records import replace
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_python, to_stx
from staxlang.parser.python import parse_python
from staxlang.parser.stx import read_module
from tests.parser import trees

DRAWN = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(DRAWN, max_examples=25)
LIBRARY = sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))


def same(first: Any, second: Any) -> None:
    """Equal, told by text, which tells 1 from 1.0 and from True."""
    if repr(first) != repr(second):
        place = next(k for k, (a, b) in enumerate(zip(repr(first), repr(second))) if a != b)
        raise AssertionError(f"{repr(first)[place - 60 : place + 60]}\n{repr(second)[place - 60 : place + 60]}")


def python(text: str) -> Any:
    return parse_python(Source("printed.py", text))


def stx(text: str) -> Any:
    found, slips = read_module(Source("printed.stx", text))
    # Drawn names are seldom bound, so that drawn assignments to elements look like definitions by subscripts.
    assert [slip for slip in slips if slip.severity == "error" and slip.code != "missing-let"] == []
    return found


@DRAWN
@given(trees.expressions)
def test_drawn_expressions_in_python(expression: Any) -> None:
    text = to_python(expression)
    same(python(f"({text}\n)").items[0], tree.ExpressionStatement(trees.AT, expression)) if not isinstance(
        expression, tree.Constant
    ) or not isinstance(expression.value, str) else same(python(f"x = {text}").items[0].value, expression)


@FEW
@given(trees.functions)
def test_drawn_functions_in_python(function: Any) -> None:
    same(python(to_python(function)).items[0], function)


@FEW
@given(trees.kernels, trees.facts, st.lists(trees.names, max_size=2, unique=True).map(tuple))
def test_drawn_kernels_in_stx(function: Any, facts: Any, generics: Any) -> None:
    kernel = replace(function, facts=facts, type_parameters=generics)
    same(stx(to_stx(kernel)).items[0], kernel)


@FEW
@given(st.lists(trees.functions | trees.imports, max_size=4), trees.docs)
def test_drawn_modules(items: list[Any], doc: str | None) -> None:
    module = tree.Module(trees.AT, "printed", doc, tuple(items))
    same(stx(to_stx(module)), module)
    same(replace(python(to_python(module)), name="printed"), module)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_python_library_in_python(part: int) -> None:
    read = 0
    for path in LIBRARY[part::12]:
        first = python(Path(path).read_text(encoding="utf-8"))
        same(first, python(to_python(first)))
        read += len(first.items)
    assert read > 300


@pytest.mark.filterwarnings("ignore")
def test_python_library_in_stx() -> None:
    """Real functions, as far as they are in the subset, mean the same Tree in either notation."""
    agreed = 0
    for path in LIBRARY[::9]:
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                function = python(ast.unparse(node)).items[0]
                try:
                    text = to_stx(function)
                except Unprintable:  # `try`, `raise`, decorators, ...
                    continue
                same(stx(text).items[0], function)
                agreed += 1
    assert agreed > 150


def test_standard_library() -> None:
    for path in sorted((Path(tree.__file__).parent.parent / "stdlib").glob("*.stx")):
        first = stx(path.read_text(encoding="utf-8"))
        same(first, stx(to_stx(first)))


def test_readable() -> None:
    text = '''
def f(x, /, y=1, *rest, k: int = 2, **more) -> Tensor[f32, N + 1, *B]:
    """Doc.

    Less
        deeper
    """
    a, *b = c[0] = x[1:, ..., ::-2]
    if not (a or b) and -x ** -2 != (1, )[0] < 3:
        return {**a, "k": [*b]}, f"{x!r:>{y}} {{}}"
    elif (z := g(x)):
        pass
    else:
        with np.errstate(all="ignore") as e, q:
            assert (lambda p, *, t=1: p)(1), "no"
    for i, (j, k) in enumerate(zip(*x)):
        x[i, j] += [u for u in w if u if v for _ in u]
    else:
        print((yield))
    try: import a
    finally:
        del b
    return (1 + 2) * 3 - (4 - 5), not x, 1 .real, (a, b)[0] if c else d
'''
    wanted = '''def f(x, /, y=1, *rest, k: int = 2, **more) -> Tensor[f32, N + 1, *B]:
    """Doc.

    Less
        deeper
    """
    a, *b = c[0] = x[1:, ..., ::-2]
    if not (a or b) and -x ** -2 != (1,)[0] < 3:
        return {**a, "k": [*b]}, f"{x!r:>{y}} {{}}"
    elif (z := g(x)):
        pass
    else:
        with np.errstate(all="ignore") as e, q:
            assert (lambda p, *, t=1: p)(1), "no"
    for i, (j, k) in enumerate(zip(*x)):
        x[i, j] += [u for u in w if u if v for _ in u]
    else:
        print((yield))
    try:
        import a
    finally:
        del b
    return (1 + 2) * 3 - (4 - 5), not x, (1).real, (a, b)[0] if c else d
'''
    assert to_python(python(text).items[0]) == wanted


def test_of_one_notation_in_the_other() -> None:
    text = 'kernel f(x: T[N, D]) -> T[N] where T: float, D > 2:\n    """Doc."""\n    return g(x, none, true)\n'
    function = stx(text).items[0]
    assert to_stx(function) == text
    assert to_python(function) == (
        "@stax.kernel\ndef f(x: T[N, D]) -> T[N]:  # where T: float, D > 2\n"
        '    """Doc."""\n    return g(x, None, True)\n'
    )  # fmt: skip
    for refused in ("@a\ndef f(): pass", "def f():\n    raise x", "def f(none): pass"):
        with pytest.raises(Unprintable):
            to_stx(python(refused).items[0])


@given(st.text(st.sampled_from("ab \n\t\\\"'é"), max_size=40))
def test_docstrings(text: str) -> None:
    cleaned = clean_docstring(text)
    for depth in range(3):
        nested = "".join(f"{'    ' * k}def f():\n" for k in range(depth))
        function = tree.Function(trees.AT, "g", (), (), None, cleaned)
        for _ in range(depth):
            function = tree.Function(trees.AT, "f", (), (function,))
        found = python(to_python(function)).items[0]
        for _ in range(depth):
            found = found.body[0]
        assert found.doc == cleaned, nested


def test_f_strings_inside_f_strings() -> None:
    text = "x = f'''{f\"{a['k']!r}\"} {\"b\"} {c:{d}}'''\n"
    first = python(text)
    same(first, python(to_python(first)))
    if sys.version_info >= (3, 12):
        free = python('x = f"{f"{f"{f"{1}"}"}"}{"\\n"}"\n')
        same(free, python(to_python(free)))
