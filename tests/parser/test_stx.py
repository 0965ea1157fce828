"""The .stx notation: the same Tree as Python's, definitions, and the diagnostics of slips."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from staxlang.base.catalogue import CATALOGUE
from staxlang.base.catalogue.language import LANGUAGE_ROWS
from staxlang.base.catalogue.syntax import SYNTAX_ROWS
from staxlang.base.diagnostics import Diagnostic, StaxError
from staxlang.base.spans import Source
from staxlang.parser import stx_bracket_slips, stx_grammar, stx_tables, tree
from staxlang.parser.items import split_items
from staxlang.parser.printer import to_python
from staxlang.parser.python import parse_python
from staxlang.parser.stx import parse_module, read_module
from staxlang.parser.stx_parser import parse
from tests.parser.test_python import nodes, text_at


def module(text: str) -> tree.Module:
    return parse_module(Source("m.stx", text))


def slips(text: str) -> list[Diagnostic]:
    return read_module(Source("m.stx", text))[1]


def codes(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column (from 1) of every slip."""
    return [(slip.code, slip.span.line, slip.span.column + 1) for slip in slips(text) if slip.span is not None]


WHOLE = '''"""A module."""
import nn.layers as layers
from ..base import a, b as c
from x import (d,
               e,)

const pi: f64 = 3.14
const sizes = 3, *rest

# a comment between
kernel f[N, *B](x: T[*B, 2 * N - 1], /, y: f32[N // 2, _] = none, *rest, k=true, **more) -> T[*B], f32 where T: float, N % 2 == 0, 0 < N:
    """Doc.

    >>> f(1)
    1
    """
    def inner(where, kernel=const): return where + kernel
    return inner(x)   # a comment
def g(): pass
'''.replace(" -> T[*B], f32 where", " -> T[*B] where")


def test_definitions() -> None:
    found = module(WHOLE)
    assert (found.name, found.doc) == ("m", "A module.")
    first, second, third, pi, sizes, f, g = found.items
    assert first == tree.Import(found.span, "nn.layers", (), "layers")
    assert second == tree.Import(found.span, "..base", (("a", None), ("b", "c")))
    assert third == tree.Import(found.span, "x", (("d", None), ("e", None)))
    assert isinstance(pi, tree.AnnotatedAssign) and isinstance(sizes, tree.Assign)
    assert isinstance(f, tree.Function) and isinstance(g, tree.Function)
    assert (f.exported, g.exported, f.doc) == (True, False, "Doc.\n\n>>> f(1)\n1")
    assert f.type_parameters == ("N", "*B")
    assert [p.kind for p in f.parameters] == ["positional-only", "positional", "varargs", "keyword", "varkeywords"]
    assert [type(fact).__name__ for fact in f.facts] == ["Compare"] * 3
    assert f.facts[0] == tree.Compare(f.span, tree.Name(f.span, "T"), ("in",), (tree.Name(f.span, "float"),))
    inner = f.body[0]
    assert isinstance(inner, tree.Function) and [p.name for p in inner.parameters] == ["where", "kernel"]
    assert (f.span.line, f.span.end_line, g.span.line) == (11, 18, 19)


PROGRAMS = [
    "x = y = a, *b",
    "x, (y, *z), [w] = a",
    "x[1:, ..., ::-2, *a] -= y if not a or b and c else lambda p, /, q=1, *, r, **s: -p ** -q",
    "x.y.z[0](1, *a, k=2, **b).w: T[3] = 1",
    "return",
    "return a,",
    "return [*a, b], {*a}, {'k': 1, **d}, {}, (), (a,), [i for i, *j in x if a if b for k in (y, z)], {a: b for c in d}, {a for b in c}",
    "f(x for x in y)\nf((x for x in y), z)\nf(a := 1, b[c := 2])",
    "a < b <= c != d is not e not in f in g is h",
    "assert a, b",
    "while a:\n    break\nelse:\n    continue",
    "for i in range(3):\n    pass\nelse:\n    x = i",
    "for i, in a, b: x = i; y = 2",
    "if a: x\nelif b:\n    if c:\n        y\n    else: z\nelse:\n    w",
    "with a as b, c(): x",
    "x = 0xFF + 0b11 + 0o17 + 1_000 + 1. + .5 + 1e-3 + 2j + 1.5e+3J",
    "x = 'a' \"b\" r'\\n' '''c\nd''' u'e' b'f'[0]" if False else "x = 'a' \"b\" r'\\n' '''c\nd''' u'e'",
    'x = b\'a\' rb\'\\x\' + b"""c"""',
    "x = f'a{b!r:>{c}.2}{d = }{{}}' 'e' rf'\\{x[1:2]}{y[\"k\"]}{ {1: 2} }' f'\\x41\\n{a != b}{(lambda: 1)()}'",
    "x = a @ b % c // d << e >> f | g ^ h & ~i",
    "x = (a\n     + b,\n     [c,\n      d])",
    "x = a + \\\n    b",
    "x: T[*B, N]\n(y): int = 3",
]


@pytest.mark.parametrize("body", PROGRAMS)
def test_same_tree_as_python(body: str) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    theirs = parse_python(Source("p.py", f"def f(x):\n{indented}")).items[0]
    ours = module(f"def f(x):\n{indented}").items[0]
    assert repr(ours) == repr(theirs)
    places = [(type(one), one.span, other.span) for one, other in zip(nodes(ours), nodes(theirs), strict=True)]
    for kind, one, other in places:
        if "f'" not in body and kind is not tree.Comprehension:  # Python before 3.12 has no right places inside f-strings
            assert (one.line, one.column, one.end_line, one.end_column) == (other.line, other.column, other.end_line, other.end_column), (
                kind
            )


def test_words() -> None:
    body = module("def f(x): return true, false, none, where(x), kernel, const, sum.true_").items[0]
    assert isinstance(body, tree.Function)
    assert to_python(body).endswith("return True, False, None, where(x), kernel, const, sum.true_\n")


def test_places_inside_f_strings() -> None:
    found = module('def f(x):\n    y = 1; return f"""ä{x + 1}\n  {x[0]:{x * 2}}"""\n').items[0]
    assert [text_at(n.span) for n in nodes(found) if isinstance(n, (tree.Binary, tree.Subscript))] == ["x + 1", "x[0]", "x * 2"]


def test_line_ends() -> None:
    text = "kernel f(x):\n    y = x\n\n    return y\n"
    assert repr(module(text)) == repr(module(text.replace("\n", "\r\n"))) == repr(module(text.replace("\n", "\r")))
    assert repr(module(text)) == repr(module(text.rstrip())) == repr(module("\n\n# c\n" + text + "    # end\n\n"))


def test_empty() -> None:
    for text in ("", "\n", "# only a comment", '"""Doc."""'):
        assert module(text).items == ()


SLIPS: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("kernel f(x)\n    return x\n", [("missing-colon", 1, 12)]),
    ("kernel f(x):\n    if x > 0  # c\n        return x\n    else\n        return -x\n",
     [("missing-colon", 2, 13), ("missing-colon", 4, 9)]),
    ("kernel f(x):\n    while x > 3 return x\n", [("missing-colon", 2, 16)]),
    ("kernel f(x, n):\n    if n = 1:\n        return x\n    return n\n", [("equals-in-condition", 2, 10)]),
    ("kernel f(x):\n    return x[y = 1]\n", [("equals-in-condition", 2, 16)]),
    ("kernel f(x):\n\treturn x\n\nkernel g(x)\n    return x\n", [("tab-indentation", 2, 1), ("missing-colon", 4, 12)]),
    ("kernel f(x):\n    try:\n        y = x\n    except E:\n        y = 2\n    finally:\n        pass\n    return y +\n",
     [("python-only", 2, 5), ("expected-token", 8, 15)]),
    ("class A:\n    pass\nkernel g(x):\n    raise E\n    yield x\n    del x\n",
     [("python-only", n, c) for n, c in ((1, 1), (4, 5), (5, 5), (6, 5))]),
    ("@stax.kernel\ndef f(x):\n    return x\n", [("python-only", 1, 1)]),
    ("kernel f(x):\n    import a\n    global b\n    return None\n",
     [("python-only", 2, 5), ("python-only", 3, 5), ("python-spelling", 4, 12)]),
    ("kernel f(x):\n    match x:\n        1\n    return match\n", [("python-only", 2, 5)]),
    ("kernel f(x):\n    return sum(x, axis=None, keepdims=True)\n", [("python-spelling", 2, 24), ("python-spelling", 2, 39)]),
    ("kernel f(x):\n    if x && y:\n        return !x\n    else if y:\n        x++\n    return x\n",
     [("python-spelling", n, c) for n, c in ((2, 10), (3, 16), (4, 5), (5, 10))]),
    ("x = 3\nlet y = 4\nkernal f(x):\n    return x\n", [("not-a-definition", n, 1) for n in (1, 2, 3)]),
    ("  y = 3\nkernel f(x): return x\n", [("inconsistent-indentation", 1, 1)]),
    ("kernel f(x): return x\n'text'\n", [("not-a-definition", 2, 1)]),
    ("kernel f(x):\n    y = (x + 1\n    return y\n\nkernel g(x):\n    return x +\n", [("never-closed", 2, 9), ("expected-token", 6, 15)]),
    ("kernel f(x:\n    return x\nkernel g(x): return [x\n", [("never-closed", 1, 9), ("never-closed", 3, 21)]),
    ("kernel f(x: T[N) -> T[N]:\n    return x\n", [("never-closed", 1, 14)]),
    ("kernel f(x):\n    return x]\n", [("syntax-error", 2, 13)]),
    ("kernel f(x):\n    if x > 0:\n    return x\n", [("missing-block", 3, 5)]),
    ("kernel f(x):\nkernel g(x): return x\n", [("missing-block", 1, 13)]),
    ("kernel f(x):\n    y = 1\n      z = 2\n    return y\n", [("inconsistent-indentation", 3, 1)]),
    ("kernel f(x):\n        y = 1\n    return y\n", [("inconsistent-indentation", 3, 1)]),
    ("kernel f(x):\n    y = \"abc\n    return y\n", [("syntax-error", 2, 9)]),
    ("kernel f(x):\n    return f\"{x\" + f'}' + f'{}' + f'{x y}'\n",
     [("syntax-error", 2, c) for c in (12, 20, 27)] + [("missing-comma", 2, 40)]),
    ("kernel f(x) -> T[N] where N:\n    return x\n", [("syntax-error", 1, 27)]),
    ("kernel f(x):\n    a = 0777\n    b = x y\n    c = f(a=1, 2)\n    d = f(a=1, a=2)\n    e = [1, 2\n    return e\n",
     [("syntax-error", 2, 9), ("expected-token", 3, 11), ("syntax-error", 4, 16), ("syntax-error", 5, 16), ("never-closed", 6, 9)]),
    ("kernel f(x, y=1, z):\n    f(x) = 3\n    x + 1 += 2\n    for 1 in x: pass\n    return x\n",
     [("syntax-error", 1, 18), ("cannot-assign", 2, 5), ("cannot-assign", 3, 5), ("cannot-assign", 4, 9)]),
    ("kernel f(x, x):\n    return lambda a, a: 1\n", [("syntax-error", 1, 13), ("syntax-error", 2, 22)]),
    ("kernel f(x):\n    return 'a' b'c'\n", [("syntax-error", 2, 12)]),
    ("kernel\n", [("expected-token", 1, 7)]),
    ("kernel f(x):\n    return $x\n", [("expected-token", 2, 12)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SLIPS)
def test_slips(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert codes(text) == expected
    for slip in slips(text):
        assert len(slip.render().split("\n")) <= 12


def test_a_slip_hides_nothing_else() -> None:
    text = "kernel f(x):\n    y = (x\n    return y\n\nkernel good(x):\n    return x\n\nkernel h(x)\n    return x\n"
    found, diagnostics = read_module(Source("m.stx", text))
    assert [item.name for item in found.items if isinstance(item, tree.Function)] == ["f", "good", "h"]
    assert len(diagnostics) == 2


def test_messages() -> None:
    def message(text: str) -> tuple[str, str | None]:
        (slip,) = slips(text)
        return slip.message, slip.help

    assert message("kernel f(x):\n    return x +\n") == ("expected an expression, found the end of the line", None)
    assert message("kernel f(x):\n    return x y\n")[0] == "expected an operator, `,` or the end of the line, found `y`"
    assert message("kernel (x): return x\n")[0] == "expected a name, found `(`"
    assert message("kernel f(x):\n    x = 3 if x\n    return x\n")[0] == "expected `else`, found the end of the line"
    assert message("scale = 3  # c\n")[1] == "write `const scale = 3`"
    assert message("fn f(x): return x\n")[1] == "write `kernel` instead of `fn`"
    assert message("kernel f(x):\n    raise E\n")[1] == "use `assert condition, message`"


def test_raised_together() -> None:
    with pytest.raises(SyntaxError) as caught:
        module("kernel f(x)\n    return x\nkernel g(x):\n    return y =\n")
    assert isinstance(caught.value, StaxError) and len(caught.value.diagnostics) == 2


@pytest.mark.parametrize(
    "text", ["(" * 500, "kernel f(x): return " + "(" * 300 + "x" + ")" * 300, "\x00", "kernel f(x):\n" + "    if x:\n" * 3, "'''", "{" * 9]
)
def test_hostile(text: str) -> None:
    assert isinstance(slips(text), list)


@pytest.mark.parametrize(
    "text",
    [
        "kernel f(x):\n    return " + "(" * 2000, "kernel f(x):\n" + "    y = (x\n" * 300, "kernel f(x: f32[N" * 200 + "\n    return x\n",
        "kernel f(x):\n    y = [" + "(1," * 3000 + "\n    return y\n", "kernel f(x):\n    y = (" + "x, " * 20000 + "\n    return y\n",
        "kernel f(x):\n" + "    if (x[1 > 2:\n        y = {1: (2]\n" * 100,
    ],
    ids=["one line", "many lines", "headers", "nested", "wide", "blocks"],
)  # fmt: skip
def test_many_brackets_that_are_never_closed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read to find where they should be closed has a bound."""
    read: list[int] = []
    monkeypatch.setattr(stx_bracket_slips, "parse", lambda tried: read.append(len(tried)) or parse(tried))
    found = slips(text)
    assert found[0].code == "never-closed" and len(found) <= 20
    assert sum(read) < 20 * len(text) + 500_000, (sum(read), len(text))


def test_items() -> None:
    text = '"""a\nkernel b(): pass\n"""\n# c\nconst x = [\n1,\n]\nkernel f():\n    """\nnot an item: kernel\n    """\n\ndef g(): pass\n'
    assert [(item.line, item.text.split("\n")[0]) for item in split_items(text)] == [
        (1, '"""a'), (5, "const x = ["), (8, "kernel f():"), (13, "def g(): pass"),
    ]  # fmt: skip


def test_drawn_damage() -> None:
    """Every line of a program taken out, cut short or doubled: never an exception, and the other definition survives."""
    program = WHOLE.split("\n")
    for number in range(len(program)):
        line = program[number]
        for replaced in (
            [],
            [line, line],
            [line[: len(line) // 2]],
            [line.replace("(", "", 1)],
            [line + " ("],
            ["    " + line],
            [line.lstrip()],
        ):
            text = "\n".join([*program[:number], *replaced, *program[number + 1 :]])
            found: Any = read_module(Source("m.stx", text))[0]
            if number < 10 and '"""' not in line:
                assert any(isinstance(item, tree.Function) and item.name == "f" for item in found.items), text


@pytest.mark.parametrize("code", [row.code for row in (*SYNTAX_ROWS, *LANGUAGE_ROWS) if "load_text(" in row.failing])
def test_examples_of_the_catalogue(code: str) -> None:
    def text(example: str) -> str:
        call = ast.parse(example).body[0]
        assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
        return eval(compile(ast.Expression(call.value.args[0]), "", "eval"), {})

    row = CATALOGUE[code]
    assert [slip.code for slip in slips(text(row.failing))] == [code]
    assert slips(text(row.repaired)) == []


def test_the_tables_are_of_plain_types_and_can_be_stored():
    """lark before 1.3 gives texts of a class of its own."""

    def kinds(value):
        inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return {type(value)}.union(*map(kinds, inner))

    class Name(str):
        pass

    assert kinds(stx_tables.build_tables(stx_grammar.GRAMMAR.read_text())) <= {str, int, bool, list, tuple, dict}
    assert kinds(stx_tables._plain([{Name("a"): (Name("b"), 1)}])) == {list, dict, tuple, str, int}
