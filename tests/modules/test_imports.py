"""Imports among .stx files: the search path, names and their privacy, cycles, edits, the keys of what uses them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import staxlang as stax
from tests.modules.test_load import write

X = np.linspace(-2.0, 2.0, 7)


def loaded(folder: Path, main: str, **files: str):
    for name, text in files.items():
        write(folder, f"{name}.stx", text)
    return stax.load(write(folder, "main.stx", main))


def refused(folder: Path, main: str, code: str, **files: str) -> str:
    with pytest.raises(stax.StaxError) as caught:
        loaded(folder, main, **files)
    assert caught.value.code == code, str(caught.value)
    assert isinstance(caught.value, (ImportError, SyntaxError, TypeError))
    return str(caught.value)


BLOCKS = """
const SCALE = 3
def half(x): return x / 2
kernel twice(x): return x * 2
kernel scaled(x): return SCALE * half(x)
"""


@pytest.mark.parametrize(
    ("head", "use"),
    [
        ("from blocks import scaled", "scaled(x)"),
        ("from blocks import scaled as s, twice", "s(x)"),
        ("from blocks import (scaled, twice,)", "scaled(x)"),
        ("import blocks", "blocks.scaled(x)"),
        ("import blocks as b", "b.scaled(x)"),
        ("from .blocks import scaled", "scaled(x)"),
        ("from blocks import SCALE", "SCALE * (x / 2)"),
        ("import blocks", "blocks.SCALE * (x / 2)"),
    ],
)
def test_ways_to_import(tmp_path, head: str, use: str) -> None:
    main = loaded(tmp_path, f"{head}\nkernel f(x): return {use} + 1\n", blocks=BLOCKS)
    np.testing.assert_allclose(main.f(X), 3 * (X / 2) + 1)
    assert main.f.stats().route == "native"


def test_imported_names_are_names_of_the_module(tmp_path) -> None:
    main = loaded(tmp_path, "from blocks import scaled, SCALE\nimport blocks\nfrom nn import gelu\nkernel f(x): return x\n", blocks=BLOCKS)
    blocks = stax.load(tmp_path / "blocks.stx")
    assert main.scaled is blocks.scaled and main.SCALE == 3 and main.blocks is blocks and main.gelu is stax.gelu
    other = stax.load(write(tmp_path, "other.stx", "from main import scaled\nkernel g(x): return scaled(x)\n"))
    np.testing.assert_allclose(other.g(X), 3 * (X / 2))


def test_the_standard_library_is_on_the_path(tmp_path) -> None:
    head = "from nn import gelu, relu as positive\nimport losses\n"
    main = loaded(tmp_path, f"{head}kernel f(x, y): return losses.mse_loss(gelu(x), positive(y))\n")
    np.testing.assert_allclose(main.f(X, X), np.mean((stax.gelu(X) - np.maximum(X, 0)) ** 2), rtol=1e-12)
    assert main.losses.mse_loss is stax.mse_loss


def test_a_file_beside_comes_before_the_project_and_the_library(tmp_path) -> None:
    write(tmp_path, "pyproject.toml", "")
    write(tmp_path, "nn.stx", "kernel relu(x): return x + 10\n")
    write(tmp_path, "shared.stx", "kernel one(x): return x + 1\n")
    write(tmp_path, "deep/er/near.stx", "kernel two(x): return x + 2\n")
    text = "from nn import relu\nfrom shared import one\nfrom near import two\nkernel f(x): return relu(one(two(x)))\n"
    assert stax.load(write(tmp_path, "deep/er/main.stx", text)).f(np.zeros(1))[0] == 13
    write(tmp_path, "deep/er/nn.stx", "kernel relu(x): return x + 20\n")  # a new file comes before: the module is not current any more
    assert stax.load(tmp_path / "deep/er/main.stx").f(np.zeros(1))[0] == 23


def test_packages_and_relative_dots(tmp_path) -> None:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "pack/__init__.stx", "from .parts.a import one\nkernel all_of_it(x): return one(x)\n")
    write(tmp_path, "pack/parts/a.stx", "from ..base import two\nkernel one(x): return two(x) + 1\n")
    write(tmp_path, "pack/base.stx", "kernel two(x): return x + 2\n")
    text = "import pack\nimport pack.parts.a as a\nfrom pack.base import two\nkernel f(x): return pack.all_of_it(x) + a.one(x) + two(x)\n"
    assert stax.load(write(tmp_path, "src/main.stx", text)).f(np.zeros(1))[0] == 8
    dotted = "import lib.parts.a\nimport lib.base\nkernel f(x): return lib.parts.a.one(x) + lib.base.two(x)\n"
    (tmp_path / "pack").rename(tmp_path / "lib")
    assert stax.load(write(tmp_path, "main.stx", dotted)).f(np.zeros(1))[0] == 5


def test_what_is_not_there(tmp_path) -> None:
    text = refused(tmp_path, "from blokcs import f\n", "module-not-found", blocks=BLOCKS)
    assert "did you mean `blocks`" in text and "main.stx:1:1" in text and "^^^^" in text
    text = refused(tmp_path, "from blocks import twize\n", "not-in-module", blocks=BLOCKS)
    assert "did you mean `twice`" in text
    assert "did you mean `gelu`" in refused(tmp_path, "from nn import gleu\n", "not-in-module")
    assert "make it a `kernel`" in refused(tmp_path, "from blocks import half\n", "private-name", blocks=BLOCKS)
    assert "`_affine`" in refused(tmp_path, "from nn import _affine\n", "not-in-module")
    refused(tmp_path, "from .nn import gelu\n", "module-not-found")
    refused(tmp_path, "from ...far.away import f\n", "module-not-found")


def test_private_names_of_a_module_are_no_attributes(tmp_path) -> None:
    main = loaded(tmp_path, "import blocks\nkernel f(x): return blocks.half(x)\n", blocks=BLOCKS)
    with pytest.raises(AttributeError, match=r"(?s)unknown-attribute.*main\.stx:2"):
        main.f(X)


def test_python_modules_are_refused_with_advice(tmp_path) -> None:
    for head in ("from numpy import exp", "import math", "import torch.nn"):
        assert "Python" in refused(tmp_path, f"{head}\nkernel f(x): return x\n", "import-of-python")
    write(tmp_path, "mine.py", "def f(x): return x\n")
    assert "mine.py" in refused(tmp_path, "from mine import f\n", "import-of-python")


def test_a_cycle_is_refused_with_its_chain(tmp_path) -> None:
    files = {"a": "import b\nkernel f(x): return x\n", "b": "\nfrom c import h\n", "c": "import a\n"}
    text = refused(tmp_path, "from a import f\nkernel m(x): return x\n", "import-cycle", **files)
    assert "a.stx -> b.stx -> c.stx -> a.stx" in text and "c.stx:1:1" in text
    text = refused(tmp_path, "import main\n", "import-cycle")
    assert "main.stx -> main.stx" in text
    with pytest.raises(stax.StaxError, match="under another name it can import `nn` of the standard library"):
        stax.load(write(tmp_path, "nn.stx", "from nn import gelu\n"))


def test_all_slips_of_the_imports_are_told_at_once(tmp_path) -> None:
    text = refused(tmp_path, "import nowhere\nfrom nn import gleu\nconst a = 1\nkernel a(x): return x\n", "module-not-found")
    assert text.count("error[") == 3 and "defined-twice" in text


def test_an_edit_of_an_imported_file_is_seen(tmp_path) -> None:
    main = loaded(tmp_path, "from blocks import scaled\nkernel f(x): return scaled(x)\nkernel g(x): return x\n", blocks=BLOCKS)
    before, digests = main.f(X), (main.f.__wrapped__.__code__, main.g.__wrapped__.__code__)
    write(tmp_path, "blocks.stx", BLOCKS.replace("x / 2", "x / 8"))
    again = stax.load(tmp_path / "main.stx")
    assert again is not main
    np.testing.assert_allclose(again.f(X), before / 4)
    assert np.array_equal(main.f(X), before)
    codes = (again.f.__wrapped__.__code__, again.g.__wrapped__.__code__)
    assert [one.co_consts == other.co_consts for one, other in zip(digests, codes)] == [False, True]
    write(tmp_path, "blocks.stx", "kernel other(x): return x\n")
    with pytest.raises(ImportError, match="not-in-module"):
        stax.load(tmp_path / "main.stx")
    write(tmp_path, "blocks.stx", BLOCKS)
    np.testing.assert_allclose(stax.load(tmp_path / "main.stx").f(X), before)


def test_the_key_holds_all_that_a_kernel_can_reach(tmp_path) -> None:
    def content(blocks: str, main: str = "import blocks as b\ndef h(x): return b.scaled(x)\nkernel f(x): return h(x)\n"):
        return loaded(tmp_path, main, blocks=blocks).f.__wrapped__.__code__.co_consts

    first = content(BLOCKS)
    assert content(BLOCKS + "\n# a comment\nkernel more(x): return x\n") == first
    assert content("# above\n" + BLOCKS) == first
    for old, new in (("SCALE = 3", "SCALE = 4"), ("x / 2", "x / 3"), ("SCALE * half(x)", "half(x) * SCALE")):
        assert content(BLOCKS.replace(old, new)) != first
    assert content(BLOCKS.replace("x * 2", "x * 9")) == first  # `twice` is not used
    whole = "import blocks\nkernel f(x): return g(blocks, x)\ndef g(m, x): return m.twice(x)\n"
    assert content(BLOCKS, whole) != content(BLOCKS.replace("x * 2", "x * 9"), whole)


def test_names_of_a_module_come_before_words(tmp_path) -> None:
    main = loaded(tmp_path, "const pi = 3\ndef exp(x): return x + pi\nkernel f(x): return exp(x) + sin(x)\n")
    np.testing.assert_allclose(main.f(X), X + 3 + np.sin(X))


def test_private_functions_of_the_library_are_not_words(tmp_path) -> None:
    main = loaded(tmp_path, "kernel f(x): return _wide(x)\nkernel g(x): return sofmax(x)\ndef deep(x): return x\n")
    with pytest.raises(NameError, match="`_wide` is not defined"):
        main.f(X)
    with pytest.raises(NameError, match="did you mean `softmax`"):
        main.g(X)


def test_definitions_may_stand_in_any_order_and_call_each_other(tmp_path) -> None:
    text = """
kernel f(x, n): return even(x, 6)
def even(x, n): return x if n == 0 else odd(x + 1, n - 1)
def odd(x, n): return even(x * 2, n - 1)
"""
    x = X
    for _ in range(3):
        x = (x + 1) * 2
    np.testing.assert_allclose(loaded(tmp_path, text).f(X, 0), x)


def test_python_kernels_call_kernels_of_files_and_take_them_as_arguments(tmp_path) -> None:
    blocks = loaded(tmp_path, BLOCKS)

    @stax.kernel
    def total(x):
        return blocks.scaled(x).sum() + blocks.SCALE

    @stax.kernel
    def applied(f, x):
        return f(f(x))

    np.testing.assert_allclose(total(X + 3), (3 * (X + 3) / 2).sum() + 3)
    np.testing.assert_allclose(applied(blocks.twice, X), X * 4)
    np.testing.assert_allclose(applied(blocks.scaled, X), X * 2.25)
    assert total.stats().route == applied.stats().route == "native" and applied.stats().versions == 2
    write(tmp_path, "main.stx", BLOCKS.replace("x / 2", "x / 4"))
    blocks = stax.load(tmp_path / "main.stx")
    np.testing.assert_allclose(total(X + 3), (3 * (X + 3) / 4).sum() + 3)


def test_kernels_of_files_take_python_functions_and_kernels(tmp_path) -> None:
    main = loaded(tmp_path, "kernel applied(f: function, x: T[*B]): return f(x) + 1\nkernel g(x, f=exp): return f(x)\n")

    def plain(x):
        return x * 3

    np.testing.assert_allclose(main.applied(plain, X), X * 3 + 1)
    np.testing.assert_allclose(main.applied(stax.kernel(plain), X), X * 3 + 1)
    np.testing.assert_allclose(main.applied(np.exp, X), np.exp(X) + 1)
    np.testing.assert_allclose(main.g(X), np.exp(X))
    np.testing.assert_allclose(main.g(X, main.applied.__wrapped__.__class__ and np.sin), np.sin(X))


def test_functions_as_consts_and_defaults(tmp_path) -> None:
    text = """
def double(x): return x * 2
const act = double
const table = {"exp": exp, "double": double}
kernel f(x, g=act): return g(x)
kernel h(x, name="double"): return table[name](x)
"""
    main = loaded(tmp_path, text)
    np.testing.assert_allclose(main.f(X), X * 2)
    np.testing.assert_allclose(main.f(X, np.exp), np.exp(X))
    np.testing.assert_allclose(main.h(X), X * 2)
    np.testing.assert_allclose(main.h(X, "exp"), np.exp(X))
    assert main.table["exp"] is stax.exp
    assert main.act(2.0) == 4.0
