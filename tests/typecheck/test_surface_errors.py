"""Misuse of NumPy's surface: the right diagnostic in capture and in checking, with what the user needs to see in it."""

import numpy as np
import pytest
from surface_cases import Captured, function_of

from staxlang.base.diagnostics import StaxError
from staxlang.base.dtypes import BOOL, F32, F64, from_numpy
from staxlang.base.sizes import symbol
from staxlang.base.types import TensorType, tensor
from staxlang.parser.library import library_function, library_names
from staxlang.typecheck import names
from staxlang.typecheck.arguments import array_argument
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.evaluator import evaluate, kernel_function
from staxlang.typecheck.recorder import TypeRecorder

X = np.ones((2, 3))
V = np.ones(3)
B = X > 0
U = np.arange(3, dtype=np.uint8)

CASES = """
x.reshape(4, 2) :: reshape-mismatch | x.reshape(-1, 4) :: reshape-mismatch | x.reshape(-1, -1) :: reshape-unknown
x.reshape(-2, 3) :: negative-extent
x.sum(axis=2) :: axis-out-of-range | x.sum(axis=(0, 0)) :: axis-repeated | np.transpose(x, (0, 0)) :: axis-repeated
np.transpose(x, (0,)) :: axes-mismatch
x.squeeze(0) :: squeeze-extent | np.broadcast_to(x, (3, 2)) :: broadcast-to-mismatch | np.diagonal(v) :: wrong-rank
v.mT :: wrong-rank | np.moveaxis(x, 0, (0, 1)) :: axes-mismatch
x + np.ones(2) :: broadcast-mismatch | np.maximum(x, np.ones(4)) :: broadcast-mismatch
np.where(x > 0, x, np.ones(2)) :: broadcast-mismatch
x @ x :: size-mismatch | np.dot(x, x) :: size-mismatch | np.matmul(x, 2) :: wrong-rank
np.tensordot(x, v, axes=([0], [0])) :: size-mismatch | np.einsum("ij,jk", x, x) :: einsum-mismatch
np.einsum("ij", v) :: axes-mismatch | np.einsum("i,j", v) :: wrong-arity | np.einsum("i->j", v) :: bad-value
np.einsum("i$->i", v) :: bad-value
np.concatenate([x, x[:, :2]]) :: concat-mismatch | np.concatenate([]) :: concat-empty | np.concatenate([x, v]) :: wrong-rank
np.stack([x, v]) :: stack-mismatch | np.split(x, 4) :: split-uneven | np.array([[1, 2], [3]]) :: stack-mismatch
x[5] :: index-out-of-range | x[0, -4] :: index-out-of-range | x[[0, 7]] :: index-out-of-range | x[0, 0, 0] :: too-many-indices
x[1.5] :: bad-index | x["a"] :: bad-index | x[v] :: bad-index | x[..., ...] :: two-ellipses | x[::0] :: zero-step
x[True] :: bad-index
x[np.ones(3) > 0] :: mask-mismatch | x[b, 0] :: too-many-indices | np.take(v, [0.5]) :: bad-index
np.take_along_axis(x, U, 0) :: axes-mismatch | np.take(v, [0], mode="foo") :: bad-value
np.repeat(x, x) :: bad-argument
np.add.reduceat(v, 0) :: bad-argument
np.sum() :: missing-argument | np.sum(x, foo=1) :: unknown-keyword | np.sum(x, 0, axis=1) :: duplicate-argument
np.exp() :: wrong-arity | np.exp(x, x, x) :: wrong-arity | np.exp(x, foo=1) :: unknown-keyword
np.reshape(a=x, shape=3) :: positional-only | np.sum(1, 2, 3, 4, 5, 6, 7, 8) :: too-many-arguments
x.astype("foo") :: unknown-dtype | x.astype(str) :: unknown-dtype | np.zeros(3, dtype=x) :: unknown-dtype
np.zeros(-1) :: negative-extent | np.zeros(2.5) :: not-an-integer | np.ones("3") :: not-an-integer
np.finfo(np.int32) :: dtype-mismatch
np.add(x, x, out=np.zeros(3)) :: out-mismatch | np.add(x, x, out=3) :: bad-argument
np.add(x, 1, out=np.zeros((2, 3), int)) :: cast-refused | np.add(x, x, dtype=np.int32) :: cast-refused
np.sum(x, axis=0, out=np.zeros(2)) :: out-mismatch | np.concatenate([x, x], dtype=np.int8) :: cast-refused
np.max(x[:0]) :: empty-reduction | np.argmin(np.zeros(0)) :: empty-reduction | np.max(x, where=b) :: start-needed
np.sum(x, where=x) :: dtype-mismatch | np.pad(x, 1, "reflect", reflect_type="both") :: bad-value | np.pad(x, -1) :: negative-extent
np.pad(x, 1, "linear") :: bad-value | np.pad(x, ((1, 2, 3),)) :: bad-value
np.arange(0, 3, 0) :: zero-step | np.exp("a") :: bad-argument | np.sum(None) :: bad-argument | math.sqrt(x) :: not-a-scalar
math.sqrt(-1) :: static-error | u + 300 :: integer-overflow | np.uint8(300) :: integer-overflow
np.array([1, 2, 300], dtype=np.uint8) :: integer-overflow
np.repeat(v, v) :: bad-argument | np.expand_dims(x, 5) :: axis-out-of-range
np.sin(x, casting="no", dtype=np.float32) :: cast-refused | x - None :: no-operator | np.subtract(b, b) :: no-such-operation
np.tile(x, 2.5) :: not-an-integer | np.zeros(3).item(7) :: index-out-of-range | x.item() :: not-a-scalar
"""


def cases():
    for line in CASES.strip().splitlines():
        for part in line.split(" | "):
            text, code = part.split(" :: ")
            yield text.strip(), code.strip()


def arguments(text):
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    return {name: value for name, value in {"x": X, "v": V, "b": B, "u": U}.items() if name in words}


@pytest.mark.parametrize("text, code", list(cases()))
def test_capture_refuses(text, code):
    with pytest.raises(StaxError) as caught:
        Captured(function_of(text, *arguments(text), U=U), arguments(text))
    found = caught.value.diagnostics[0]
    assert found.code == code, found.render()
    rendered = found.render().splitlines()
    assert len(rendered) <= 12 and any("^" in line for line in rendered) and found.span is not None


@pytest.mark.parametrize("text, code", list(cases()))
def test_checking_reports_the_same(text, code):
    types = {name: TensorType(from_numpy(value.dtype), value.shape) for name, value in arguments(text).items()}
    function = function_of(text, *types, U=U)
    recorder = TypeRecorder()
    values = {name: array_argument(name, type_, position) for position, (name, type_) in enumerate(types.items())}
    found = evaluate(kernel_function(function), values, recorder, EvaluationContext(recorder)).diagnostics
    assert [one.code for one in found] == [code], [one.render() for one in found]


# ---- what the messages say ----

N, D, K = symbol("N"), symbol("D"), symbol("K")


def declared(text, **types):
    """The diagnostics where sizes are the user's own symbols."""
    recorder = TypeRecorder()
    values = {name: array_argument(name, type_, position) for position, (name, type_) in enumerate(types.items())}
    context = EvaluationContext(recorder, rigid=frozenset(("N", "D", "K")))
    return [one.render() for one in evaluate(kernel_function(function_of(text, *types)), values, recorder, context).diagnostics]


def test_a_product_names_both_axes_and_their_origins():
    (text,) = declared("x @ w", x=tensor(F32, N, D), w=tensor(F32, K, D))
    assert "error[size-mismatch]: the contracted axes of `@` differ: D and K" in text
    assert "x: f32[N, D]   D is the last axis of parameter x" in text and "w: f32[K, D]   K is the first axis of parameter w" in text
    assert "did you mean `x @ w.T`?" in text


def test_declared_sizes_that_differ_are_reported_and_open_ones_are_not():
    assert len(declared("x + y", x=tensor(F32, N), y=tensor(F32, D))) == 1
    assert declared("x + y", x=tensor(F32, N), y=tensor(F32, 1)) == []
    assert declared("x + y", x=tensor(F32, symbol("p")), y=tensor(F32, symbol("q"))) == []
    assert len(declared("x.reshape(y.shape)", x=tensor(F32, N, D), y=tensor(F32, N, K))) == 1
    assert declared("x.reshape(-1, 2)", x=tensor(F32, N, D)) == []
    (text,) = declared("np.concatenate([x, y], axis=1)", x=tensor(F32, N, D), y=tensor(F32, K, D))
    assert "axis 0 differs: N and K" in text and "f32[N, D] beside f32[K, D]" in text
    assert len(declared("x @ y", x=tensor(F32, N, D + 1), y=tensor(F32, D + 1, K))) == 0


def test_an_advice_for_what_is_no_operation():
    (text,) = declared("np.real_if_close(x)", x=tensor(F32, N))
    assert "the dtype of its result depends on data" in text
    (text,) = declared("math.sqrt(x)", x=tensor(F32, N, D))
    assert "`np.sqrt` takes arrays" in text
    (text,) = declared("x[i]", x=tensor(F32, N), i=tensor(F64, K))
    assert "i.astype(np.int64)" in text
    (text,) = declared("x[0, i]", x=tensor(F32, N, D), i=tensor(F64, K))
    assert "convert it to integers with `.astype(...)`" in text
    assert declared("x[m]", x=tensor(F32, N), m=tensor(BOOL, N)) == []


def test_every_spelling_is_an_object_of_this_numpy_or_known_to_be_newer():
    assert np.fft.fft and np.polynomial.chebyshev  # NumPy loads these parts when it is first asked for them
    missing = {spelling for spelling in (*names.SPELLINGS, *names.LIBRARY_SPELLINGS) if spelling.startswith("np.")}
    missing = {spelling for spelling in missing if names._object(spelling) is None}
    newer = {
        "np.cumulative_sum",
        "np.cumulative_prod",
        "np.unstack",
        "np.matvec",
        "np.vecmat",
        "np.vecdot",
        "np.astype",
        "np.isdtype",
        "np.trapezoid",
    }
    assert missing <= newer, missing - newer


def test_library_spellings_are_functions_of_the_library():
    assert {name for name in names.LIBRARY_SPELLINGS.values() if library_function(name) is None} == set()


def test_no_public_function_of_the_library_with_numpy_s_name_is_out_of_reach():
    reachable = {spelling.rpartition(".")[2] for spelling in (*names.SPELLINGS, *names.LIBRARY_SPELLINGS)}
    rows = {spelling.rpartition(".")[2] for operation in names.OPERATIONS.values() for spelling in operation.spellings}
    assert {name for name in library_names() if hasattr(np, name) and name not in reachable | rows} == set()
