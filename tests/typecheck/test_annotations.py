"""Annotations read from objects, texts and Trees; declared sizes bound to what a call gives; what disagrees, named from both sides."""

import dataclasses
import typing
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from staxlang.base import dtypes as d
from staxlang.base.sizes import parse_size, symbol
from staxlang.base.types import TensorType, tensor
from staxlang.parser.source import function_source
from staxlang.typecheck import notation as stax
from staxlang.typecheck.annotation_reading import BadAnnotation, read, read_text
from staxlang.typecheck.annotations import ANY, Binding, Leaf, ScalarAnnotation, TensorAnnotation, bind, check_result, element
from staxlang.typecheck.notation import Dim, Rest, Tensor, c64, dims, f16, f32, f64, float_, i64, int_, number
from staxlang.typecheck.signatures import read_signature, scope_lookup

N, D, B, K = dims("N D B K")
n, dd = symbol("N"), symbol("D")
OPTIONAL = "Optional"
Float = typing.TypeVar("Float", f16, f32)


def axes(annotation):
    return annotation.axes


def test_tensors():
    assert read(Tensor[f32, N, D]) == TensorAnnotation(frozenset({d.F32}), (n, dd))
    assert axes(read(Tensor[f32, 2 * D, N + 1, N // 2, 3])) == (2 * dd, n + 1, n // 2, 3)
    assert axes(read(Tensor[f32, ()])) == () == axes(read(f32)) == axes(read(Tensor[f32]))
    assert axes(read(Tensor[f32, ..., D])) == (Rest(""), dd)
    assert axes(read(Tensor[f32, *B, D])) == (Rest("B"), dd)
    assert axes(read(Tensor[f32, "N", "D"])) == (n, dd) == axes(read(Tensor[f32, "N D"]))
    assert axes(read(Tensor[f32, "_", "N + 1", "*B"])) == (None, n + 1, Rest("B"))
    assert axes(read(Tensor[f32, Dim("_")])) == (None,)
    assert (
        read(Tensor[float_, N]).dtypes == d.float_ and read(Tensor[number, N]).dtypes == d.number and read(Tensor[int_, N]).dtypes == d.int_
    )
    assert (
        read(Tensor[np.float32, N]).dtypes == {d.F32} and read(Tensor["f64", N]).dtypes == {d.F64} and read(Tensor[Any, N]).dtypes is None
    )
    assert read(Tensor[f32 | f64, N]).dtypes == {d.F32, d.F64} and read(Tensor[np.floating, N]).dtypes >= {d.F16, d.F64}
    assert read(Tensor[Float, N]) == TensorAnnotation(frozenset({d.F16, d.F32}), (n,), "Float")
    assert str(read(Tensor[f32, N, 2 * D])) == "Tensor[f32, N, 2*D]"


def test_other_annotations():
    assert read(int) == ScalarAnnotation("int") and read(None) == ScalarAnnotation("None") and read(bool) == ScalarAnnotation("bool")
    assert read(NDArray[np.float32]) == TensorAnnotation(frozenset({d.F32}), None)
    assert read(NDArray[Any]).dtypes is None and read(np.ndarray) == TensorAnnotation(None, None)
    assert read(np.float32).axes == () and read(Annotated[f32, "units"]).dtypes == {d.F32}
    assert [str(m) for m in read(getattr(typing, OPTIONAL)[Tensor[f32, N]]).members] == ["Tensor[f32, N]", "None"]
    assert [str(m) for m in read(Tensor[f32, N] | None).members] == ["Tensor[f32, N]", "None"]
    assert read(list[Tensor[f32, N]]).at(3) == read(Tensor[f32, N])
    assert read(tuple[int, Tensor[f32, N]]).at(1) == read(Tensor[f32, N]) and read(tuple[f32, ...]).at(5).dtypes == {d.F32}
    assert read(dict[str, f64]).at("w").dtypes == {d.F64}
    assert read(typing.Callable[[int], int]) is ANY and read(object) is ANY and read("anything" if False else Any) is ANY


@dataclasses.dataclass
class Layer:
    w: Tensor[f32, N, D]
    heads: int = 2


class Pair(NamedTuple):
    a: "Tensor[f32, N]"
    b: f64


def test_records():
    layer = read(Layer)
    assert (
        element(layer, "w") == read(Tensor[f32, N, D])
        and element(layer, "heads") == ScalarAnnotation("int")
        and element(layer, "no") is ANY
    )
    assert element(read(Pair), "a") == read(Tensor[f32, N])
    assert element(read(list[Layer]), 0) == layer and element(read(Layer | None), "w") == read(Tensor[f32, N, D])


class Jax:
    """What jaxtyping's classes look like from outside."""

    def __init__(self, names, dims):
        self.dtypes, self.dim_str = names, dims
        self.__name__ = f"{names[0]}[Array, {dims!r}]"


def test_jaxtyping_by_its_attributes():
    found = read(Jax(["float32"], "batch d+1 3 _ #k *rest"))
    assert found.dtypes == {d.F32}
    assert found.axes == (symbol("batch"), symbol("d") + 1, 3, None, None, Rest("rest"))
    assert read(Jax(["float16", "float32"], "... n=4")).axes == (Rest(""), 4)


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda: read(Tensor[f32, 1.5]), "is not a size"),
        (lambda: read(Tensor[f32, -1]), "negative"),
        (lambda: read(Tensor[3, N]), "is not a dtype"),
        (lambda: read(Tensor[f32, (N,)]), "dims` gives a tuple"),
        (lambda: read(Tensor[f32, ..., *B]), "only one"),
        (lambda: read(Tensor["f99", N]), "is not a dtype"),
        (lambda: read_text("Tensor[f32, Q]", scope_lookup(make_scope)), "not defined"),
        (lambda: read_text("Tensor[f32", scope_lookup(make_scope)), "not an expression"),
        (lambda: read_text("Tensor[f32, N / 2]", scope_lookup(make_scope)), "does not make a size"),
    ],
)
def test_bad_annotations_say_why(make, reason):
    with pytest.raises(BadAnnotation) as caught:
        make()
    assert reason in caught.value.reason
    assert "bad-annotation" in caught.value.diagnostic(None).render()


def make_scope():
    pass


def test_texts():
    lookup = scope_lookup(make_scope)
    assert read_text("Tensor[f32, N + 1, *B]", lookup) == TensorAnnotation(frozenset({d.F32}), (n + 1, Rest("B")))
    assert read_text("stax.Tensor[stax.f32, N] | None", lookup).members[0].axes == (n,)
    assert read_text("list[Tensor[f32, N]]", lookup).at(0).axes == (n,)
    assert read_text("np.typing.NDArray[np.float32]", lookup).dtypes == {d.F32}
    assert read_text("int | float", lookup) == read(int | float)


def project(x: Tensor[f32, N, D], w: "Tensor[f32, D, K]", k: int = 3, *, flag: bool = False, free=None) -> Tensor[f32, N, K]:
    return x @ w


def test_signatures():
    found = read_signature(function_source(project), scope_lookup(project))
    assert set(found.parameters) == {"x", "w", "k", "flag"} and not found.diagnostics
    assert found.parameters["w"] == read(Tensor[f32, D, K]) and found.returns == read(Tensor[f32, N, K])
    assert found.sizes == {"N", "D", "K"}


def test_a_bad_parameter_is_reported_at_its_place():
    def wrong(x: "Tensor[f32, Nn]"):  # noqa: F821
        return x

    found = read_signature(function_source(wrong), scope_lookup(wrong))
    assert [one.code for one in found.diagnostics] == ["bad-annotation"]
    assert "Nn" in found.diagnostics[0].render() and found.parameters["x"] is ANY


# ---- binding ----


def bound(*leaves):
    return bind([Leaf(path, read(annotation), given) for path, annotation, given in leaves])


def codes(binding):
    return [one.code for one in binding.diagnostics]


def test_symbols_bind_and_agree():
    made = bound(("x", Tensor[f32, N, D], tensor(d.F32, 64, 128)), ("w", Tensor[f32, D, K], tensor(d.F32, 128, 10)))
    assert made == Binding({"N": 64, "D": 128, "K": 10}, {}, {}, {"x": (n, dd), "w": (dd, symbol("K"))}, ())


def test_a_symbol_with_two_sizes_names_both_places():
    made = bound(("x", Tensor[f32, N, D], tensor(d.F32, 64, 128)), ("w", Tensor[f32, D, K], tensor(d.F32, 32, 10)))
    (found,) = made.diagnostics
    text = found.render()
    assert found.code == "annotated-size" and "`w`" in text and "32" in text and "D is 128, axis 1 of `x`" in text


def test_expressions_bind_and_are_checked():
    assert bound(("x", Tensor[f32, 2 * N], tensor(d.F32, 8)), ("y", Tensor[f32, N], tensor(d.F32, 4))).diagnostics == ()
    assert bound(("x", Tensor[f32, 2 * N + 1], tensor(d.F32, 9))).sizes == {"N": 4}
    assert codes(bound(("x", Tensor[f32, 2 * N], tensor(d.F32, 7)))) == ["annotated-size"]
    assert codes(bound(("x", Tensor[f32, N, N + 1], tensor(d.F32, 3, 5)))) == ["annotated-size"]
    assert codes(bound(("x", Tensor[f32, 4], tensor(d.F32, 5)))) == ["annotated-size"]
    assert bound(("x", Tensor[f32, N, N // 2], tensor(d.F32, 7, 3))).diagnostics == ()


def test_leading_axes():
    made = bound(("x", Tensor[f32, *B, D], tensor(d.F32, 2, 3, 4)), ("y", Tensor[f32, *B], tensor(d.F32, 2, 3)))
    assert made.rests == {"B": (2, 3)} and made.diagnostics == ()
    assert made.shapes["x"] == (symbol("B[0]"), symbol("B[1]"), dd)
    assert codes(bound(("x", Tensor[f32, *B, D], tensor(d.F32, 2, 4)), ("y", Tensor[f32, *B], tensor(d.F32, 3)))) == ["annotated-size"]
    assert codes(bound(("x", Tensor[f32, *B, D], tensor(d.F32, 2, 4)), ("y", Tensor[f32, *B], tensor(d.F32, 2, 2)))) == ["annotated-rank"]
    assert bound(("x", Tensor[f32, ..., D], tensor(d.F32, 9, 9, 4))).shapes["x"] == (None, None, dd)
    assert codes(bound(("x", Tensor[f32, ..., N, D], tensor(d.F32, 4)))) == ["annotated-rank"]


def test_dtypes_ranks_and_kinds():
    assert codes(bound(("x", Tensor[f32, N], tensor(d.F64, 3)))) == ["annotated-dtype"]
    assert codes(bound(("x", Tensor[f32, N], tensor(d.F32, 3, 3)))) == ["annotated-rank"]
    assert codes(bound(("x", Tensor[f32, N], "int"))) == ["annotated-kind"]
    assert codes(bound(("x", Tensor[float_, N], tensor(d.I32, 3)))) == ["annotated-dtype"]
    assert bound(("x", Tensor[Float, N], tensor(d.F16, 3)), ("y", Tensor[Float, N], tensor(d.F16, 3))).dtypes == {"Float": d.F16}
    assert codes(bound(("x", Tensor[Float, N], tensor(d.F16, 3)), ("y", Tensor[Float, N], tensor(d.F32, 3)))) == ["annotated-dtype"]
    assert codes(bound(("k", int, "float"))) == ["annotated-kind"] and codes(bound(("k", float, "int"))) == []
    assert codes(bound(("s", f32, "float"))) == [] == codes(bound(("s", f32, tensor(d.F32))))
    assert codes(bound(("x", Tensor[f32, N] | None, "None"))) == [] == codes(bound(("x", Tensor[f32, N] | None, tensor(d.F32, 3))))
    assert codes(bound(("x", Tensor[f32, N] | None, "str"))) == ["annotated-kind"]
    assert codes(bound(("x", NDArray[np.float64], tensor(d.F64, 3, 4)))) == []


def test_symbolic_arguments_of_a_call_between_kernels():
    made = bound(("x", Tensor[f32, N, D], tensor(d.F32, parse_size("H + 1"), 4)))
    assert made.sizes == {"N": parse_size("H + 1"), "D": 4}
    different = [Leaf("x", read(Tensor[f32, N, N]), tensor(d.F32, symbol("P"), symbol("Q")))]
    assert [one.code for one in bind(different).diagnostics] == ["annotated-size"]
    assert bind(different, same=lambda a, b: True).diagnostics == ()


def test_results():
    made = bound(("x", Tensor[f32, N, D], tensor(d.F32, 64, 128)))
    ok = lambda annotation, found: [one.code for one in check_result(read(annotation), found, made, "f", None)]
    assert ok(Tensor[f32, N, D], tensor(d.F32, 64, 128)) == [] == ok(Tensor[f32, D, N + 1], tensor(d.F32, 128, 65))
    assert ok(Tensor[f32, N], tensor(d.F32, 128)) == ["result-mismatch"] == ok(Tensor[f32, N, D], tensor(d.F32, 64))
    assert (
        ok(Tensor[f64, N], tensor(d.F32, 64)) == ["result-mismatch"]
        and ok(float, tensor(d.F64)) == []
        and ok(int, "str") == ["result-mismatch"]
    )


# ---- the notation itself ----


def test_notation():
    assert repr(Tensor[f32, N, 2 * D, ...]) == "Tensor[f32, N, 2*D, ...]" and dims("N, D") == (N, D)
    assert np.zeros(2, f32).dtype == np.float32 and np.arange(3).astype(c64).dtype == np.complex64 and type(f32(2)) is np.float32
    assert (N + 1 - 1) == N and hash(N) == hash(Dim("N")) and str(2 * N % 3) and -N + N == Dim("N") - N
    for wrong in (
        lambda: bool(N),
        lambda: range(N),
        lambda: Tensor[f32](3),
        lambda: Tensor(),
        lambda: Dim("1x"),
        lambda: dims(" "),
        lambda: float_(3),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    assert str(f32 | None) == "f32 | None" and isinstance(read(i64 | None).members[0], TensorAnnotation)
    assert isinstance(tensor(d.F32), TensorType) and stax.size_of_dim(N) == n and stax.dtype_of_class(f32) is d.F32


@dataclasses.dataclass
class Node:
    value: f64
    left: "Node | None" = None


def test_classes_that_speak_of_themselves():
    node = read(Node)
    assert element(element(node, "left"), "value").dtypes == {d.F64}
