"""Versions from disk are never stale: whatever a kernel's meaning depends on is changed, and the answer is that of the changed program."""

import importlib.util
import itertools
import sys
import textwrap

import numpy as np
import pytest

import staxlang as stax
from staxlang.runtime import identity

_numbers = itertools.count()
X = np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 7 + 0.25

def edit(body, text, before, after):
    """A kernel's body, the other module's text with `@` where it is edited (and `$` for a decorator's sign), and the two
    things that stand there."""
    text = text.replace("@", "{}").replace("$", "@")
    return body, text.replace("{}", before), text.replace("{}", after)


DATACLASS = "from dataclasses import dataclass\n$dataclass\n"
PARTIAL = "from functools import partial\n"
CACHED = "import functools\nclass A:\n    $functools.cached_property\n"

EDIT_ROWS = {
    "helper": edit("h(x)", "def h(x): return x * @", "2", "3"),
    "helper of a helper": edit("h(x)", "def g(x): return x @ 1\ndef h(x): return g(x) * 2", "+", "-"),
    "another helper": edit("h(x)", "def g(x): return x + 1\ndef k(x): return x\nh = @", "g", "k"),
    "default": edit("h(x)", "def h(x, axis=@): return x.sum(axis)", "0", "1"),
    "keyword default": edit("h(x)", "def h(x, *, k=@): return x * k", "2", "3"),
    "default by name": edit("h(x)", "K = @\ndef h(x, axis=K): return x.sum(axis)", "0", "1"),
    "axis": edit("x.sum(K)", "K = @", "0", "1"),
    "number": edit("x * K", "K = @", "2", "3"),
    "kind of number": edit("(x > 1) * K", "K = @", "2", "2.5"),
    "complex number": edit("x * K", "K = @", "1j", "2j"),
    "array scalar": edit("x.astype('f4') * K", "import numpy as np\nK = np.@(2)", "float32", "float64"),
    "zero's sign": edit("np.copysign(x, K)", "K = @", "0.0", "-0.0"),
    "truth": edit("x * 2 if K else x", "K = @", "True", "False"),
    "nothing": edit("x if K is None else x * K", "K = @", "None", "3.0"),
    "axes": edit("x.sum(axis=(K[0], K[1]))", "K = (@)", "0, 1", "1, 2"),
    "text": edit("x * 2 if K == 'a' else x", "K = '@'", "a", "b"),
    "list": edit("x * K[0]", "K = [@]", "2.0", "3.0"),
    "list's length": edit("x * len(K)", "K = [@]", "1", "1, 2"),
    "keys": edit("x * 2 if 'a' in K else x", "K = {'@': 1}", "a", "b"),
    "table": edit("x.sum(K['axis'])", "K = {'axis': @}", "0", "2"),
    "functions in a table": edit("K['a'](x)", "K = {'a': lambda x: x @ 1}", "+", "-"),
    "range": edit("sum([x * k for k in K])", "K = range(@)", "2", "3"),
    "dtype": edit("x.astype(K)", "import numpy as np\nK = np.@", "float32", "int64"),
    "ufunc": edit("K(x)", "import numpy as np\nK = np.@", "exp", "log"),
    "array": edit("x + K", "import numpy as np\nK = np.arange(4.0) * @", "1", "2"),
    "array's rank": edit("x + K", "import numpy as np\nK = np.ones(@)", "4", "(3, 4)"),
    "array's dtype": edit("x.astype('f4') + K", "import numpy as np\nK = np.ones(4, np.@)", "float32", "int32"),
    "class attribute": edit("x * A.k", "class A:\n    k = @", "2", "3"),
    "class attribute as an axis": edit("x.sum(A.k)", "class A:\n    k = @", "0", "1"),
    "class in a class": edit("x.sum(A.B.k)", "class A:\n    class B:\n        k = @", "0", "1"),
    "method": edit("a.f(x)", "class A:\n    def f(self, x): return x + @\na = A()", "1", "2"),
    "method's default": edit("a.f(x)", "class A:\n    def f(self, x, k=@): return x.sum(k)\na = A()", "1", "2"),
    "inherited method": edit("a.f(x)", "class B:\n    def f(self, x): return x + @\nclass A(B): pass\na = A()", "1", "2"),
    "base class": edit(
        "a.f(x)", "class B:\n    def f(self, x): return x + 1\nclass C:\n    def f(self, x): return x\nclass A(@): pass\na = A()", "B", "C"
    ),
    "isinstance": edit("x * 2 if isinstance(a, B) else x", "class B: pass\nclass C: pass\nclass A(@): pass\na = A()", "B", "C"),
    "hasattr": edit("x * 2 if hasattr(a, 'k') else x", "class A:\n    @ = 1\na = A()", "k", "m"),
    "class of an object": edit(
        "a.f(x)", "class B:\n    def f(self, x): return x + 1\nclass A(B):\n    def f(self, x): return x\na = @()", "A", "B"
    ),
    "call operator": edit("a(x)", "class A:\n    def __call__(self, x): return x + @\na = A()", "1", "2"),
    "operator": edit("a + x", "class A:\n    def __add__(self, x): return x + @\na = A()", "1", "2"),
    "index operator": edit("x * a[0]", "class A:\n    def __getitem__(self, k): return @\na = A()", "1.5", "2.5"),
    "initializer": edit("A(2.0).k * x", "class A:\n    def __init__(self, k): self.k = k * @", "1", "2"),
    "dataclass default": edit("x.sum(A().k)", f"{DATACLASS}class A:\n    k: int = @", "0", "1"),
    "dataclass after initializing": edit(
        "x * A(2.0).m", f"{DATACLASS}class A:\n    k: float\n    def __post_init__(self): self.m = self.k * @", "2", "3"
    ),
    "named tuple default": edit("x.sum(A().k)", "from typing import NamedTuple\nclass A(NamedTuple):\n    k: int = @", "0", "1"),
    "field": edit("x.sum(a.k)", "from dataclasses import dataclass\n$dataclass(frozen=True)\nclass A:\n    k: int\na = A(@)", "0", "1"),
    "closure": edit("h(x)", "def make(k):\n    def f(x): return x.sum(k)\n    return f\nh = make(@)", "0", "1"),
    "function in a closure": edit("h(x)", "def make(g):\n    def f(x): return g(x) * 2\n    return f\nh = make(lambda x: x + @)", "1", "2"),
    "partial": edit("h(x)", f"{PARTIAL}def f(k, x): return x.sum(k)\nh = partial(f, @)", "0", "1"),
    "partial by name": edit("h(x)", f"{PARTIAL}def f(x, k, m): return x.sum(k) + m\nh = partial(f, m=0, k=@)", "0", "1"),
    "kernel": edit("h(x)", "import staxlang as stax\n$stax.kernel\ndef h(x): return x * @", "2", "3"),
    "cached function": edit("h(2) * x", "import functools\n$functools.lru_cache\ndef h(k): return k * @", "2", "3"),
    "enumeration": edit("x.sum(C.a.value)", "import enum\nclass C(enum.Enum):\n    a = @", "0", "1"),
    "member": edit("x * 2 if c is C.a else x", "import enum\nclass C(enum.Enum):\n    a = 1\n    b = 2\nc = C.@", "a", "b"),
    "static method": edit("A.f(x)", "class A:\n    $staticmethod\n    def f(x): return x + @", "1", "2"),
    "class method": edit("A.f(x)", "class A:\n    k = 1\n    $classmethod\n    def f(cls, x): return x + cls.k * @", "1", "2"),
    "property": edit("x.sum(a.k)", "class A:\n    $property\n    def k(self): return @\na = A()", "0", "1"),
    "cached property": edit("x.sum(a.k)", f"{CACHED}    def k(self): return @\na = A()", "0", "1"),
    "constants": edit("sum([x * k for k in K])", "K = (1, 2@)", "", ", 3"),
    "constants that are equal": edit("h(x)", "def h(x): return (x > 1) * @", "1", "1.0"),
    "constants that differ by sign": edit("h(x)", "import numpy as np\ndef h(x): return np.copysign(x, @)", "0.0", "-0.0"),
    "constants in tuples": edit("h(x)", "def h(x): return x.sum((@))", "0, 1", "0, 2"),
    "names that are swapped": edit("h(x, x + 1)", "def h(@): return a - b", "a, b", "b, a"),
    "operator in a helper": edit("h(x)", "def h(x): return x @ 2.5", "//", "%"),
    "order of calls": edit("h(x)", "def f(x): return x + 1\ndef g(x): return x * 2\ndef h(x): return @(x))", "f(g", "g(f"),
}  # fmt: skip



@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes the function and the kernel of a body over the text of another module, as a new process would have them."""

    def load(name, text):
        path = tmp_path / f"{next(_numbers)}" / f"{name}.py"
        path.parent.mkdir()
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    def make(body, other, **options):
        load("stax_other", other)
        imported = "from stax_other import *\n"
        main = load("stax_main", f"import numpy as np\n{imported}def f(x):\n    return {body}\n")
        return main.f, stax.kernel(**options)(main.f)

    return make


def agree(kernel, function):
    expected = function(X)
    got = kernel(X)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    assert np.array_equal(1 / np.real(got) < 0, 1 / np.real(expected) < 0)  # the sign of zeros


@pytest.mark.parametrize("edit", EDIT_ROWS)
def test_an_edit_is_seen(edit, program):
    body, before, after = EDIT_ROWS[edit]
    for text in (before, after, before):
        function, kernel = program(body, text)
        agree(kernel, function)
        assert kernel.stats().route == "native"


@pytest.mark.parametrize("edit", EDIT_ROWS)
def test_what_has_not_changed_is_found(edit, program):
    body, before, _ = EDIT_ROWS[edit]
    for text in (before, f"# moved\n\n{before}"):
        function, kernel = program(body, text)
        agree(kernel, function)
    assert (kernel.stats().compilations, kernel.stats().disk_hits) == (0, 1)


def test_options_that_change_code_are_part_of_the_key(program):
    body, text = "np.exp(x)", ""
    for options in ({}, {"fast_math": True}, {"checked": True}, {"isa": "avx2"}):
        function, kernel = program(body, text, **options)
        np.testing.assert_allclose(kernel(X), function(X), rtol=1e-14)
        assert (kernel.stats().compilations, kernel.stats().disk_hits) == (1, 0), options


def test_another_numpy_or_compiler_misses(program, monkeypatch):
    body, text = "x * 5 + 2", ""
    program(body, text)[1](X)
    known = identity.compiler()
    for owner, name in ((np, "__version__"), (identity, "__version__")):
        with monkeypatch.context() as changed:
            changed.setattr(owner, name, "0.0.1")
            identity.compiler.cache_clear()
            assert identity.compiler() != known
            _, kernel = program(body, text)
            kernel(X)
            assert (kernel.stats().compilations, kernel.stats().disk_hits) == (1, 0)
        identity.compiler.cache_clear()
    assert identity.compiler() == known
    _, kernel = program(body, text)
    kernel(X)
    assert (kernel.stats().compilations, kernel.stats().disk_hits) == (0, 1)


def test_a_class_that_is_changed_between_calls(program):
    body = "a.f(x) + A.s(x) * a.p + a(x)"
    text = """
        class A:
            def f(self, x): return x + 1
            @staticmethod
            def s(x): return x + 10
            @property
            def p(self): return 3
            def __call__(self, x): return x * 100
        a = A()
    """
    function, kernel = program(body, textwrap.dedent(text))
    cls = function.__globals__["A"]
    agree(kernel, function)
    changes = {
        "f": lambda self, x: x + 2,
        "s": staticmethod(lambda x: x + 20),
        "p": property(lambda self: 4),
        "__call__": lambda self, x: x * 200,
    }
    for count, (name, held) in enumerate(changes.items(), 2):
        setattr(cls, name, held)
        agree(kernel, function)
        agree(kernel, function)
        assert kernel.stats().misses == count, name
