"""Writes what is said of `stax.*` operations without loading them: their names, and their types in `staxlang/__init__.pyi`.

    python tools/build_stub.py           # write the files
    python tools/build_stub.py --check   # only say which is not up to date

The upper part of the stub is kept by hand. What a type checker is told of an operation follows from its row or its definition: an array of
NumPy's in gives one out; inside kernels, where `Tensor[f32, N]` is an `f32` to type checkers, what keeps the dtype of floats gives the same
class, and all else Any, because the dtype that comes out is Stax's to check.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from staxlang.base.operations import OPERATIONS, Operation
from staxlang.parser import tree
from staxlang.parser.library import NAMESPACES, library_function, library_names, namespace_names
from staxlang.parser.printer import to_python
from staxlang.typecheck.names import SPELLINGS

PACKAGE = Path(__file__).resolve().parents[1] / "staxlang"
STUB, NAMES = PACKAGE / "__init__.pyi", PACKAGE / "typecheck" / "operation_names.py"
MARK = "# ---- operations: written by tools/build_stub.py ----\n"

KEEPS = frozenset(
    "mean var std nansum nanprod nancumsum nancumprod nanmax nanmin nanmean nanvar nanstd logsumexp average trace norm vector_norm "
    "sort matrix_norm matrix_power tril triu diag diagflat fliplr flipud rot90 tile roll diff ediff1d trapezoid unwrap sinc fix nan_to_num "
    "relu relu6 leaky_relu elu celu selu gelu silu mish softsign log_sigmoid hardtanh hard_sigmoid hard_silu glu softmax log_softmax "
    "layer_norm rms_norm group_norm batch_norm linear cholesky scaled_dot_product_attention mse_loss l1_loss huber_loss smooth_l1_loss "
    "log_cosh_loss nll_loss cross_entropy binary_cross_entropy binary_cross_entropy_with_logits kl_div hinge_loss cosine_similarity "
    "prelu threshold hardshrink softshrink tanhshrink softmin swiglu instance_norm local_response_norm normalize dropout alpha_dropout "
    "multi_head_attention rotary_embedding interpolate pixel_shuffle pixel_unshuffle adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_max_pool1d adaptive_max_pool2d pairwise_distance triplet_margin_loss margin_ranking_loss cosine_embedding_loss "
    "hinge_embedding_loss soft_margin_loss multi_margin_loss multilabel_soft_margin_loss focal_loss gaussian_nll_loss "
    "poisson_nll_loss i0 insert resize".split()
)
"""Library functions whose result has the dtype of their first argument, where that is of floats."""
TRUTHS = frozenset("isposinf isneginf isreal iscomplex isclose".split())
DECISIONS = frozenset("allclose array_equal array_equiv".split())
SEVERAL = {
    "divmod": 2, "modf": 2, "frexp": 2, "meshgrid": 0, "ix_": 0, "unstack": 0,
    "tril_indices": 2, "triu_indices": 2, "tril_indices_from": 2, "triu_indices_from": 2, "diag_indices": 0, "diag_indices_from": 0,
    "unravel_index": 0, "polydiv": 2, "slogdet": 2, "eigh": 2, "eig": 2, "lstsq": 4, "lu_factor": 2, "cho_factor": 2,
}  # fmt: skip
ANYTHING = frozenset("polyfit fromfunction kaiser linspace logspace geomspace gradient average qr svd lu".split()) | frozenset(
    "bartlett hanning hamming blackman tri eye identity indices".split()
)
"""An option makes several results of them, or no argument says whether they stand in a kernel."""

OPTIONS = "out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True"


def names_text() -> str:
    """The module that knows which operations there are."""
    rows = {spelling[5:] for row in OPERATIONS.values() for spelling in row.spellings if spelling.startswith("stax.")}
    words = sorted({*rows, *library_names(), *numpy_words(), *HAND_WRITTEN})
    lines: list[str] = []
    line = ""
    for word in words:
        if len(line) + len(word) > 130:
            lines.append(line)
            line = ""
        line += f"{word} "
    body = "\n".join(f'    "{one}"' for one in [*lines, line])
    rows = [(space, _wrapped(namespace_names(space))) for space in sorted(NAMESPACES)]
    spaces = "".join([f'    "{space}": tuple((\n        "{names}"\n    ).split()),\n' for space, names in rows])
    return (
        '"""The names of `stax.*` that are operations: rows of the table, functions of the standard library. By tools/build_stub.py."""\n\n'
        f"OPERATION_NAMES: frozenset[str] = frozenset((\n{body}\n).split())  # fmt: skip\n"
        f"NAMESPACE_NAMES: dict[str, tuple[str, ...]] = {{\n{spaces}}}  # fmt: skip\n"
    )


def _wrapped(names: tuple[str, ...]) -> str:
    """Names as texts of some lines."""
    return textwrap.fill(" ".join(names), 120).replace("\n", ' "\n        "')


def numpy_words() -> list[str]:
    """Functions of NumPy's that are no rows and not in the library, but known to .stx without an import: sum, reshape, .."""
    words = [spelling[5:] for spelling in SPELLINGS if spelling.startswith("word.")]
    return sorted(word for word in words if word not in OPERATIONS and (f"np.{word}" in SPELLINGS or word in ("max", "min")))


HAND_WRITTEN = ("cond", "gate")
"""Operations of the language's own, whose types stand in the upper part of the stub."""


# ---- rows ----


def row_types(row: Operation) -> list[str]:
    if row.name == "where":
        return overloads("where", row.doc, [(f"condition: {one}, x: Any, y: Any, /", result) for one, result in ORDINARY])
    if row.arity == 1:
        if "boolean" in row.flags:
            return overloads(row.name, row.doc, [(f"x: {one}, /, {OPTIONS}", result) for one, result in QUESTIONS])
        keeps = row.dtype_rule.endswith(("f", "ifc", "fc", "bif", "->real"))
        return overloads(row.name, row.doc, [(f"x: {one}, /, {options(one)}", result) for one, result in (KEEPING if keeps else ORDINARY)])
    if "boolean" in row.flags:
        operands = [("Array", "Any", "bool_"), ("Any", "Array", "bool_"), ("_Given", "_Given", "NDArray[np.bool_]")]
    else:
        operands = [("_F", "float", "_F"), ("float", "_F", "_F")] if row.dtype_rule not in ("bi", "i", "!i") else []
        operands += [("Array", "Any", "Any"), ("Any", "Array", "Any"), ("_Given", "_Given", "NDArray[Any]")]
    return overloads(row.name, row.doc, [(f"x1: {a}, x2: {b}, /, {options(result)}", result) for a, b, result in operands])


def options(kept: str) -> str:
    """A ufunc's options; where the class of floats is kept, no dtype is given."""
    return OPTIONS.replace("dtype: Any", "dtype: None") if kept == "_F" else OPTIONS


KEEPING = (("_F", "_F"), ("Array", "Any"), ("_Given", "NDArray[Any]"))
ORDINARY = (("Array", "Any"), ("_Given", "NDArray[Any]"))
QUESTIONS = (("Array", "bool_"), ("_Given", "NDArray[np.bool_]"))
WORDS_KEEP = frozenset(
    "sum prod max min cumsum cumprod ptp clip round ravel reshape transpose squeeze expand_dims flip moveaxis swapaxes copy take repeat "
    "pad diagonal broadcast_to take_along_axis".split()
)
ONLY_KEPT = {"_F": "dtype: None = None, ", "Array": "", "_Given": ""}
WORDS_ASK = frozenset(("all", "any"))


def word_types(name: str) -> list[str]:
    doc = f"NumPy's `{name}`."
    if name not in WORDS_KEEP | WORDS_ASK:
        return overloads(name, doc, [("*args: Any, **options: Any", "Any")])
    if name in WORDS_ASK:
        return overloads(name, doc, [(f"a: {one}, /, *args: Any, **options: Any", two) for one, two in QUESTIONS])
    return overloads(name, doc, [(f"a: {one}, /, *args: Any, {ONLY_KEPT[one]}**options: Any", two) for one, two in KEEPING])


DEFAULT_TYPES = {"bool": "bool", "str": "str", "int": "_Int", "float": "_Float"}


# ---- the standard library ----


def library_types(function: tree.Function) -> list[str]:
    name = function.name
    doc = (function.doc or "").partition("\n\n>>>")[0].replace("\n", "\n    ").replace("\n    \n", "\n\n")
    rest = [parameter_type(parameter) for parameter in function.parameters[1:]]
    first = function.parameters[0]
    starred = False
    for place, parameter in enumerate(function.parameters[1:]):
        starred = starred or parameter.kind == "varargs"
        if parameter.kind == "keyword" and not starred and first.kind != "varargs":
            rest.insert(place, "*")
            break
    tail = "".join(f", {one}" for one in rest)
    mark = "*" if first.kind == "varargs" else ""
    array_first = isinstance(first.annotation, tree.Subscript)
    if name in DECISIONS:
        return overloads(name, doc, [(f"{first.name}: Any{tail}", "bool")])
    if name in SEVERAL:
        count = SEVERAL[name]
        return overloads(name, doc, [(f"{mark}{first.name}: Any{tail}", f"tuple[{', '.join(['Any'] * count) or 'Any, ...'}]")])
    if name in ANYTHING:
        return overloads(name, doc, [(f"{first.name}: Any{tail}", "Any")])
    rows = KEEPING if name in KEEPS else QUESTIONS if name in TRUTHS else ORDINARY if array_first else (("Any", "Any"),)
    forms = [(f"{mark}{first.name}: {one}{tail}", result) for one, result in rows]
    if rows is KEEPING:
        forms[0] = (forms[0][0].replace("dtype: Any = None", "dtype: None = None"), "_F")
    return overloads(name, doc, forms)


def parameter_type(parameter: tree.Parameter) -> str:
    name = parameter.name
    if parameter.kind == "varargs":
        return f"*{name}: Any"
    if parameter.default is None:
        return f"{name}: Any"
    text = to_python(parameter.default).strip()
    if name == "axis":
        return f"axis: _Axis = {text}"
    if not isinstance(parameter.default, tree.Constant):
        return f"{name}: Any = ..."
    return f"{name}: {DEFAULT_TYPES.get(parameter.default.value.__class__.__name__, 'Any')} = {text}"


def overloads(name: str, doc: str, forms: list[tuple[str, str]]) -> list[str]:
    """The definition for each form; the first has the documentation."""
    lines: list[str] = []
    body = f'"""{doc}"""'
    for parameters, result in forms:
        lines += ["@overload"] * (len(forms) > 1) + [f"def {name}({parameters}) -> {result}: {body}"]
        body = "..."
    return lines


# ---- the files ----


def stub_text() -> str:
    head = STUB.read_text(encoding="utf-8").partition(MARK)[0]
    lines: list[str] = []
    for row in OPERATIONS.values():
        lines += row_types(row)
    for name in numpy_words():
        lines += word_types(name)
    for name in library_names():
        function = library_function(name)
        assert function is not None
        lines += library_types(function)
    return head + MARK + "\n" + "\n".join(lines) + "\n"


def namespace_text(space: str) -> str:
    """The stub of a namespace: all of its functions give arrays of NumPy's outside kernels, and inside what they are used as."""
    head = f'"""What type checkers see of `stax.{space}`. By tools/build_stub.py."""'
    lines = [head, "", "# ruff: noqa: E501", "", "from typing import Any", ""]
    for name in namespace_names(space):
        function = library_function(f"{space}.{name}")
        assert function is not None
        rest: list[str] = []
        for parameter in function.parameters:
            if parameter.kind == "keyword" and "*" not in rest:
                rest.append("*")
            default = "" if parameter.default is None else f" = {to_python(parameter.default).strip()}"
            rest.append(f"{parameter.name}: Any" + (default if isinstance(parameter.default, tree.Constant) else " = ..." * bool(default)))
        doc = (function.doc or "").partition("\n\n>>>")[0].replace("\n", "\n    ").replace("\n    \n", "\n\n")
        lines.append(f'def {name}({", ".join(rest)}) -> Any: """{doc}"""')
    return "\n".join(lines) + "\n"


def files() -> dict[Path, str]:
    """The files with what the tables say."""
    spaces = {PACKAGE / f"{space}.pyi": namespace_text(space) for space in NAMESPACES}
    return {NAMES: names_text(), STUB: stub_text(), **spaces}


def stale() -> list[str]:
    """The files that are not what the tables say."""
    return [path.name for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


if __name__ == "__main__":
    if "--check" in sys.argv:
        found = stale()
        print("\n".join(found) or "up to date")
        sys.exit(bool(found))
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
