"""Functions, classes and their defaults that are replaced while the process runs: the next call means what Python would do now."""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import sys
import textwrap

import numpy as np
import pytest

import staxlang as stax

X = np.arange(6.0)
_numbers = itertools.count()

CLASSES = """
    import dataclasses, enum, functools
    import numpy as np
    import staxlang as stax

    class Base:
        factor = 2.0
        mode = "a"
        @staticmethod
        def static(x): return x * 2
        @classmethod
        def of_class(cls, x, k=1.0): return x * cls.factor + k
        def method(self, x): return x * 3
        @property
        def weight(self): return 4.0
        @functools.cached_property
        def kept(self): return 5.0
        def __call__(self, x): return x * 6
        def __mul__(self, x): return x * 7

    class Derived(Base):
        pass

    class Color(enum.Enum):
        RED = 3
        def shade(self, x): return x * self.value
        @property
        def depth(self): return self.value + 1

    @dataclasses.dataclass
    class Record:
        a: float = 2.0
        def scale(self, x): return x * self.a
        @classmethod
        def unit(cls, x): return x * 8

    base, derived, record = Base(), Derived(), Record()
    bound = base.method
    held = {"shade": Color.RED}
"""

FUNCTIONS = """
    import numpy as np
    import staxlang as stax

    def helper(x, k=2.0, mode="a", *, m=1.0): return x * k + m if mode == "a" else x - m
    def other(x, k=3.0, mode="a", *, m=5.0): return x * k - m
    def with_array(x, a=np.ones(6)): return x + a
    def with_function(x, f=other): return f(x)
    def with_table(x, table=(1.0, 2), axes={"k": 0}): return x * table[0] + x.sum(axes["k"]) * table[1]
    def outer_of(a):
        def inner(x): return x * a if not callable(a) else a(x)
        return inner
    scaled, applied, shifted = outer_of(2.0), outer_of(other), outer_of(np.ones(6))
    @stax.kernel
    def kernel(x, k=2.0): return x * k
"""

CLASS_ROWS = {
    "static method, by the class": ("Base.static(x)", "Base.static = staticmethod(lambda x: x * 9)"),
    "static method, by an instance": ("base.static(x)", "Base.static = staticmethod(lambda x: x * 9)"),
    "static method of the base": ("Derived.static(x)", "Base.static = staticmethod(lambda x: x * 9)"),
    "static method that the derived class gets": ("derived.static(x)", "Derived.static = staticmethod(lambda x: x * 9)"),
    "static method that becomes a method of the class": ("base.static(x)", "Base.static = classmethod(lambda cls, x: x * cls.factor + 9)"),
    "class method": ("Base.of_class(x)", "Base.of_class = classmethod(lambda cls, x: x * 9)"),
    "class method, by an instance": ("base.of_class(x)", "Base.of_class = classmethod(lambda cls, x: x * 9)"),
    "class method of the base": ("Derived.of_class(x)", "Base.of_class = classmethod(lambda cls, x: x * 9)"),
    "class method that the derived class gets": ("derived.of_class(x)", "Derived.of_class = classmethod(lambda cls, x: x * 9)"),
    "class method's class": ("Derived.of_class(x)", "Derived.factor = 9.0"),
    "class method's code": ("base.of_class(x)", "Base.of_class.__func__.__code__ = (lambda cls, x, k=0: x * 9).__code__"),
    "class method's default": ("Base.of_class(x)", "Base.of_class.__func__.__defaults__ = (9.0,)"),
    "class method that becomes static": ("base.of_class(x)", "Base.of_class = staticmethod(lambda x: x * 9)"),
    "method": ("base.method(x)", "Base.method = lambda self, x: x * 9"),
    "method, by the class": ("Base.method(base, x)", "Base.method = lambda self, x: x * 9"),
    "method that the derived class gets": ("derived.method(x)", "Derived.method = lambda self, x: x * 9"),
    "method hidden by the instance": ("base.method(x)", "base.method = lambda x: x * 9"),
    "static method hidden by the instance": ("base.static(x)", "base.static = lambda x: x * 9"),
    "class method hidden by the instance": ("base.of_class(x)", "base.of_class = lambda x: x * 9"),
    "method bound before": ("bound(x)", "bound.__func__.__code__ = (lambda self, x: x * 9).__code__"),
    "property": ("base.weight * x", "Base.weight = property(lambda self: 9.0)"),
    "property that becomes a value": ("base.weight * x", "Base.weight = 9.0"),
    "call": ("base(x)", "Base.__call__ = lambda self, x: x * 9"),
    "operator": ("base * x", "Base.__mul__ = lambda self, x: x * 9"),
    "number of the class": ("x * Base.factor", "Base.factor = 9.0"),
    "number of the base": ("x * derived.factor", "Base.factor = 9.0"),
    "number hidden by the instance": ("x * base.factor", "base.factor = 9.0"),
    "text of the class": ("x * 2 if derived.mode == 'a' else x", "Derived.mode = 'b'"),
    "class of the instance": ("base.method(x)", "base.__class__ = type('Other', (Base,), {'method': lambda self, x: x * 9})"),
    "method of an enumeration": ("Color.RED.shade(x)", "Color.shade = lambda self, x: x * 9"),
    "property of an enumeration": ("held['shade'].depth * x", "Color.depth = property(lambda self: 9.0)"),
    "method of a record": ("record.scale(x)", "Record.scale = lambda self, x: x * 9"),
    "class method of a record": ("record.unit(x)", "Record.unit = classmethod(lambda cls, x: x * 9)"),
    "field of a record": ("record.scale(x)", "record.a = 9.0"),
}

FUNCTION_ROWS = {
    "default": ("helper(x)", "helper.__defaults__ = (9.0, 'a')"),
    "default that decides": ("helper(x)", "helper.__defaults__ = (2.0, 'b')"),
    "defaults of another number": ("helper(x, 1.0)", "helper.__defaults__ = ('b',)"),
    "keyword default": ("helper(x)", "helper.__kwdefaults__ = {'m': 9.0}"),
    "keyword default in its place": ("helper(x)", "helper.__kwdefaults__['m'] = 9.0"),
    "code": ("helper(x)", "helper.__code__ = other.__code__"),
    "the name": ("helper(x)", "helper = other"),
    "default array": ("with_array(x)", "with_array.__defaults__ = (np.full(6, 9.0),)"),
    "default array's elements": ("with_array(x)", "with_array.__defaults__[0][:] = 9"),
    "default function": ("with_function(x)", "with_function.__defaults__ = (lambda x: x * 9,)"),
    "default function's code": ("with_function(x)", "other.__code__ = helper.__code__"),
    "default tuple": ("with_table(x)", "with_table.__defaults__ = ((9.0, 2), {'k': 0})"),
    "default dict's element": ("with_table(x[:4].reshape(2, 2))", "with_table.__defaults__[1]['k'] = 1"),
    "cell's number": ("scaled(x)", "scaled.__closure__[0].cell_contents = 9.0"),
    "cell's kind": ("scaled(x)", "scaled.__closure__[0].cell_contents = other"),
    "cell's function": ("applied(x)", "applied.__closure__[0].cell_contents = helper"),
    "cell's array": ("shifted(x)", "shifted.__closure__[0].cell_contents = np.arange(6.0)"),
    "code of another kernel": ("kernel(x)", "kernel.__wrapped__.__code__ = (lambda x, k: x * k - 1).__code__"),
    "default of another kernel": ("kernel(x)", "kernel.__wrapped__.__defaults__ = (9.0,)"),
}


@pytest.fixture
def load(tmp_path, monkeypatch):
    def loaded(text):
        name = f"stax_patched_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return loaded


def change_in(module, text):
    """Runs a statement where the module's names are; the sources of its functions can be found."""
    name = f"<change {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, [text + "\n"], name)
    exec(compile(text, name, "exec"), module.__dict__)


def agree(kernel, *args, **kwargs):
    for _ in range(2):
        np.testing.assert_allclose(kernel(*args, **kwargs), kernel.__wrapped__(*args, **kwargs), rtol=1e-14)
    assert kernel.stats().route == "native"


@pytest.mark.parametrize(
    ("text", "body", "change"),
    [
        pytest.param(textwrap.dedent(text), *row, id=name)
        for text, rows in ((CLASSES, CLASS_ROWS), (FUNCTIONS, FUNCTION_ROWS))
        for name, row in rows.items()
    ],
)
def test_a_change_is_seen_at_the_next_call(text, body, change, load):
    module = load(f"{text}\ndef f(x):\n    return {body}\n")
    kernel = stax.kernel(module.f)
    agree(kernel, X)
    hits = kernel._dispatcher.native_hits
    agree(kernel, X)
    assert kernel._dispatcher.native_hits == hits + 2, kernel.explain_misses()
    before = module.f(X)
    change_in(module, change)
    assert not np.array_equal(module.f(X), before)
    agree(kernel, X)
    agree(kernel, X)


OWN = """
    import numpy as np
    def f(x, k=2.0, mode="a", bias=np.ones(6), *, m=1.0): return x * k + m + bias if mode == "a" else x - m
    def g(values, power=3, *, m=2.0): return values ** power * m
"""
OWN_ROWS = {
    "default": "f.__defaults__ = (9.0, 'a', np.ones(6))",
    "default that decides": "f.__defaults__ = (2.0, 'b', np.ones(6))",
    "default array": "f.__defaults__ = (2.0, 'a', np.arange(6.0))",
    "defaults of another number": "f.__defaults__ = (9.0, 2.0, 'a', np.ones(6))[1:]; f.__kwdefaults__ = {'m': 3.0}",
    "keyword default": "f.__kwdefaults__ = {'m': 9.0}",
    "keyword default in its place": "f.__kwdefaults__['m'] = 9.0",
    "code with other parameters": "f.__code__, f.__defaults__, f.__kwdefaults__ = g.__code__, g.__defaults__, g.__kwdefaults__",
}


@pytest.mark.parametrize("change", OWN_ROWS.values(), ids=OWN_ROWS)
def test_the_kernel_s_own_function(change, load):
    module = load(OWN)
    kernel = stax.kernel(module.f)
    agree(kernel, X)
    before = module.f(X)
    change_in(module, change)
    assert not np.array_equal(module.f(X), before)
    agree(kernel, X)
    hits = kernel._dispatcher.native_hits
    agree(kernel, X)
    assert kernel._dispatcher.native_hits == hits + 2
    if "__code__" in change:
        agree(kernel, values=X, power=2)
        with pytest.raises(stax.StaxError, match="mode"):
            kernel(X, mode="a")


def test_a_miss_says_what_was_changed(load):
    module = load(textwrap.dedent(CLASSES) + "\ndef f(x):\n    return Base.of_class(x)\n")
    kernel = stax.kernel(module.f)
    agree(kernel, X)
    module.Base.of_class = classmethod(lambda cls, x: x * 9)
    agree(kernel, X)
    assert "Base.of_class is the same function" in kernel.explain_misses()[-1]
