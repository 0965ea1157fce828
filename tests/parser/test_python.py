"""Python's subset to Tree: what is accepted, where it is, what is refused and by which name."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest

from staxlang.base.catalogue import CATALOGUE
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.python import REFUSED_ROWS, parse_function, parse_python


def function(text: str) -> tree.Function:
    return parse_function(Source("test.py", text))


def nodes(value: Any) -> list[Any]:
    """Every node in a Tree."""
    if isinstance(value, tuple):
        return [found for item in value for found in nodes(item)]
    if not isinstance(value, tree.TreeNode):
        return []
    names = type(value).__match_args__  # pyright: ignore[reportAttributeAccessIssue]
    return [value, *(found for name in names[1:] for found in nodes(getattr(value, name)))]


REFUSED = [
    ("try:\n        x\n    finally:\n        y", "unsupported-try"),
    ("raise ValueError(x)", "unsupported-raise"),
    ("yield x", "unsupported-yield"),
    ("y = yield from x", "unsupported-yield"),
    ("global x", "unsupported-global"),
    ("nonlocal x", "unsupported-nonlocal"),
    ("del x", "unsupported-del"),
    ("class A: pass", "unsupported-class"),
    ("import numpy", "unsupported-import"),
    ("from numpy import exp", "unsupported-import"),
    ("match x:\n        case {1: 2}: pass", "unsupported-match"),
    ("async def g(): pass", "unsupported-async"),
]
if sys.version_info >= (3, 12):
    REFUSED.append(("type X = int", "unsupported-type-alias"))
if sys.version_info >= (3, 14):
    REFUSED.append(("y = t'{x}'", "unsupported-template-string"))


@pytest.mark.parametrize(("statement", "code"), REFUSED)
def test_refused(statement: str, code: str) -> None:
    found = function(f"def f(x):\n    x = 1\n    {statement}\n    return x\n")
    refused = [node for node in nodes(found) if isinstance(node, tree.Refused)]
    assert [node.code for node in refused] == [code]
    assert refused[0].span.line == 3
    assert isinstance(found.body[-1], tree.Return)  # the rest is still there
    ast.parse(refused[0].what)


def test_refused_in_coroutines() -> None:
    text = "async def f(x):\n    await x\n    async for y in x: pass\n    async with x: pass\n    return [y async for y in x]\n"
    assert [node.code for node in nodes(function(text)) if isinstance(node, tree.Refused)] == ["unsupported-async"]
    assert [node.code for node in nodes(function("def f(x): return [y async for y in x]")) if isinstance(node, tree.Refused)] == [
        "unsupported-async"
    ]


def test_refusals_are_in_the_catalogue() -> None:
    for code in {*REFUSED_ROWS.values(), "unsupported-syntax", "source-unavailable", "source-changed"}:
        assert code in CATALOGUE


def test_parameters() -> None:
    found = function("def f(a, b=1, /, c: int = 2, *d: str, e, g=3, **h): pass")
    assert [(p.name, p.kind, p.default is not None, p.annotation is not None) for p in found.parameters] == [
        ("a", "positional-only", False, False),
        ("b", "positional-only", True, False),
        ("c", "positional", True, True),
        ("d", "varargs", False, True),
        ("e", "keyword", False, False),
        ("g", "keyword", True, False),
        ("h", "varkeywords", False, False),
    ]


def test_operators() -> None:
    for op in "+ - * / // % ** @ & | ^ << >>".split():
        first = function(f"def f(x, y):\n    x {op}= y\n    return x {op} y").body
        assert isinstance(first[0], tree.AugmentedAssign) and first[0].op == op
        assert isinstance(first[1], tree.Return) and isinstance(first[1].value, tree.Binary) and first[1].value.op == op
    for op in ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"):
        compare = function(f"def f(x, y): return x {op} y {op} 1").body[0]
        assert isinstance(compare, tree.Return) and isinstance(compare.value, tree.Compare)
        assert compare.value.ops == (op, op)


def text_at(span: Any) -> str:
    lines = [span.source.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    return "\n".join(lines)


def test_every_place_is_right() -> None:
    """The text at an expression's place parses to it again, in a text with wide characters, tabs and several lines."""
    text = (
        'def f(x, *, ä="ö€𝄞"):\n'
        '\ty = {"ü": x[1:, ..., ä], **g(*x, k=ä, **h)}\n'
        "\tz = (x\n"
        '\t\t+ "é".join(y)) if not x < 1 <= ä else lambda é, /: -é ** 2\n'
        "\treturn [ö for ö, _ in zip(x, y) if ö], (w := x.real)\n"
    )
    if sys.version_info >= (3, 12):  # before, the parser gives no right places inside f-strings
        text += "\tf'ä{x!r:>{ä}}'\n"
    checked = 0
    for node in nodes(function(text)):
        apart = (tree.Slice, tree.Starred, tree.Refused)
        if isinstance(node, tree.Expression.__args__) and not isinstance(node, apart) and not text_at(node.span).startswith(("1:, ", ":>")):
            again = parse_python(Source("piece.py", f"_ = ({text_at(node.span)})")).items[0]
            assert isinstance(again, tree.Assign) and again.value == node
            checked += 1
    assert checked > 40


def test_indented_text_keeps_its_places() -> None:
    source = Source("test.py", "    @decorate\n    def f(x):\n        return (x +\n1)\n", 41)
    found = parse_function(source)
    assert found.span.line == 42 and found.span.column == 4 and len(found.decorators) == 1
    returned = found.body[0]
    assert isinstance(returned, tree.Return) and (returned.span.line, returned.span.end_line) == (43, 44)
    assert source.line(43) == "        return (x +"


def test_modules() -> None:
    text = (
        '"""Doc."""\nimport numpy as np\nfrom . import a\nfrom ..b.c import d as e, g\nimport os, sys\nN = 3\n\n'
        "@np.f\ndef f(x):\n    import z\nclass A: pass\n"
    )
    module = parse_python(Source("m.py", text), "m")
    kinds = [type(item).__name__ for item in module.items]
    assert (module.name, module.doc) == ("m", "Doc.")
    assert kinds == ["Import", "Import", "Import", "Refused", "Assign", "Function", "Refused"]
    assert module.items[0] == tree.Import(module.span, "numpy", (), "np")
    assert module.items[2] == tree.Import(module.span, "..b.c", (("d", "e"), ("g", None)))
    inner = module.items[5]
    assert isinstance(inner, tree.Function) and isinstance(inner.body[0], tree.Refused)


def test_nodes_are_values() -> None:
    first, second = function("def f(x): return x + 1"), function("\n\ndef f(x):\n    return x + 1")
    assert first == second and hash(first) == hash(second) and first.span != second.span
    assert first != function("def f(x): return x + 2")
    with pytest.raises(AttributeError):
        first.name = "g"  # pyright: ignore[reportAttributeAccessIssue]
