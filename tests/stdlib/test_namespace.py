"""`stax.<name>`: every operation as an object, in kernels and outside of them, documented, and cheap to have."""

from __future__ import annotations

import inspect
import json
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.operations import OPERATIONS
from staxlang.parser.library import library_names
from staxlang.runtime import operations
from staxlang.typecheck import names
from staxlang.typecheck.named_operations import NamedOperation
from staxlang.typecheck.operation_names import OPERATION_NAMES

ROOT = Path(__file__).resolve().parents[2]


def test_every_row_and_library_function_has_its_name() -> None:
    assert {row.name for row in OPERATIONS.values()} | set(library_names()) <= OPERATION_NAMES
    for name in OPERATION_NAMES:
        found = getattr(stax, name)
        assert type(found) is NamedOperation and found is getattr(stax, name)
        assert names.resolve(found) is not None
    assert set(dir(stax)) >= OPERATION_NAMES | {"kernel", "Tensor", "f32"}


def test_generated_files_are_up_to_date() -> None:
    run = subprocess.run([sys.executable, "tools/build_stub.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr


def test_names_cost_little_at_import() -> None:
    """`from staxlang import softmax` loads neither the table nor the compiler."""
    code = "import sys, json; from staxlang import softmax; print(json.dumps(sorted(m for m in sys.modules if m.startswith('staxlang'))))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    loaded = json.loads(run.stdout)
    assert len(loaded) < 12 and not any(".compiler" in name or ".operations." in name for name in loaded), loaded


@pytest.mark.parametrize(("slip", "meant"), [("sofmax", "softmax"), ("kernal", "kernel"), ("layernorm", "layer_norm"), ("f33", "f32")])
def test_a_slip_is_told_what_was_meant(slip: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{slip}': did you mean `{meant}`"):
        getattr(stax, slip)


def test_private_and_absent_names() -> None:
    for name in ("_softmax", "__wrapped__", "quite_something_else"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
            getattr(stax, name)


@pytest.mark.parametrize("name", sorted(OPERATION_NAMES))
def test_signature_and_documentation(name: str) -> None:
    called = getattr(stax, name)
    assert inspect.signature(called).parameters
    assert called.__doc__ and called.__name__ == name
    text = pydoc.plain(pydoc.render_doc(called))
    assert f"{name}(" in text and called.__doc__.splitlines()[0] in text


def test_help_gives_signature_and_text() -> None:
    assert str(inspect.signature(stax.softmax)) == "(x, axis=-1)"
    assert "Exponentials divided by their sum" in stax.softmax.__doc__
    assert "out=None" in str(inspect.signature(stax.exp)) and "*, where=True" in str(inspect.signature(stax.exp))
    assert str(inspect.signature(stax.meshgrid)) == "(*xi, indexing='xy', sparse=False, copy=True)"


def test_objects_are_pickled_by_name_and_no_methods() -> None:
    assert pickle.loads(pickle.dumps(stax.softmax)) is stax.softmax

    class Model:
        activation = stax.relu

    assert Model().activation is stax.relu


# ---- outside of kernels ----


def test_outside_a_kernel_they_run_natively() -> None:
    x = np.random.default_rng(3).standard_normal((4, 7))
    e = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(stax.softmax(x), e / e.sum(-1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(stax.softmax(x, axis=0).sum(0), np.ones(7), rtol=1e-14)
    kernel = operations.kernel_of("softmax")
    before = kernel.stats()
    stax.softmax(x), stax.softmax(x * 2)
    after = kernel.stats()
    assert after.route == "native" and after.hits == before.hits + 2 and after.compilations == before.compilations


def test_lists_and_numbers_stand_for_arrays() -> None:
    assert np.array_equal(stax.softmax([[0.0, 0.0]]), [[0.5, 0.5]])
    assert np.array_equal(stax.add([1, 2], 3), [4, 5])
    assert np.array_equal(stax.sum([[1, 2], [3, 4]], axis=0), [4, 6])
    assert stax.exp(0.0) == 1.0 and stax.exp(0) == 1.0 and isinstance(stax.exp(0.0), np.floating)
    assert stax.hypot(3, 4) == 5.0
    assert np.array_equal(stax.hstack([[1, 2], [3]]), [1, 2, 3])


def test_ufunc_options_outside() -> None:
    x = np.array([1.0, 4.0, 9.0])
    out = np.zeros(3)
    assert stax.sqrt(x, out=out) is out and np.array_equal(out, [1, 2, 3])
    assert np.array_equal(stax.sqrt(x, out=np.full(3, 7.0), where=x > 1), [7, 2, 3])
    assert stax.add(x, 1, dtype=np.float32).dtype == np.float32
    assert np.array_equal(stax.multiply(x, x, out), x * x) and np.array_equal(out, x * x)


def test_views_and_written_arguments_are_numpys() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert np.shares_memory(stax.fliplr(x), x) and np.array_equal(stax.fliplr(x), x[:, ::-1])
    total = np.zeros(3)
    assert stax.nansum(x, axis=0, out=total) is total and np.array_equal(total, x.sum(0))


def test_dtypes_and_functions_are_arguments() -> None:
    for dtype in (np.float32, "f4", np.dtype("f4"), stax.f32):
        assert stax.eye(2, dtype=dtype).dtype == np.float32
    x = np.linspace(-2, 2, 9)
    assert np.array_equal(stax.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 1]), np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 1]))


def test_errors_are_those_of_kernels() -> None:
    with pytest.raises(stax.StaxError, match="axis 5 is out of range") as caught:
        stax.softmax(np.ones((2, 3)), axis=5)
    assert isinstance(caught.value, IndexError) and caught.value.code == "axis-out-of-range"
    with pytest.raises(TypeError, match="`softmax` has no parameter `dim`"):
        stax.softmax(np.ones(3), dim=0)
    with pytest.raises(TypeError, match="argument"):
        stax.softmax()
    with pytest.raises(stax.StaxError, match="broadcast"):
        stax.add(np.ones(3), np.ones(4))
    with pytest.raises((TypeError, ValueError)):
        stax.exp(["a"])


# ---- in kernels ----


def test_in_kernels_by_any_path_and_as_arguments() -> None:
    from_package = stax.gelu
    x = np.random.default_rng(1).standard_normal(50)

    @stax.kernel
    def by_attribute(x):
        return stax.gelu(x)

    @stax.kernel
    def by_closure(x):
        return from_package(x)

    @stax.kernel
    def by_argument(x, function):
        return function(x)

    expected = stax.gelu(x)
    assert np.array_equal(by_attribute(x), expected)
    assert np.array_equal(by_closure(x), expected)
    assert np.array_equal(by_argument(x, stax.gelu), expected)
    assert np.array_equal(by_argument(x, stax.relu), np.maximum(x, 0))
    assert by_argument.stats().versions == 2


def test_a_slip_in_a_kernel_is_told_at_its_place() -> None:
    @stax.kernel
    def slip(x):
        return stax.sofmax(x)

    with pytest.raises(stax.StaxError, match="sofmax"):
        slip(np.ones(3))


PROCESS = """
import numpy as np, staxlang as stax
from staxlang import softmax
@stax.kernel
def f(x):
    return softmax(x) + stax.relu(x)
f(np.ones((3, 4)))
stax.logsumexp(np.ones(3))
from staxlang.runtime.operations import kernel_of
print(f.stats().disk_hits, kernel_of("logsumexp").stats().disk_hits)
"""


def test_the_disk_cache_knows_them(fresh_cache: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROCESS)
    runs = [
        subprocess.run([sys.executable, str(script)], cwd=ROOT, env=None, capture_output=True, text=True, timeout=60, check=True).stdout
        for _ in range(2)
    ]
    assert runs == ["0 0\n", "1 1\n"]
