"""Names to meanings: Python objects by identity (np.exp, math.sqrt, np.float32, stax.softmax), array methods, attributes, words of .stx.

The tables are built when they are first asked; nothing is imported for them but NumPy and math, which are there already.
"""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
import sys
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.deferred import deferred
from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.operations import OPERATIONS
from staxlang.typecheck.extern_operations import ExternOperation
from staxlang.typecheck.named_operations import NamedOperation
from staxlang.typecheck.notation import dtype_of_class
from staxlang.typecheck.surface import (
    attributes,
    choices,
    creation,
    dtypes,
    einsum,
    externs,
    grids,
    joining,
    linear,
    mapping,
    matrices,
    reductions,
    shaping,
)  # fmt: skip
from staxlang.typecheck.surface.dtypes import DTypeMeaning
from staxlang.typecheck.surface.elementwise import UfuncMeaning
from staxlang.typecheck.surface.extents import extent_value
from staxlang.typecheck.surface.externs import ExternMeaning
from staxlang.typecheck.surface.indexing import subscript
from staxlang.typecheck.surface.library import (
    LIBRARY_SPELLINGS,
    RANDOM_ADVICE,
    REFUSED_ADVICE,
    REFUSED_ATTRIBUTES,
    STATIC_FUNCTIONS,
    WORD_CONSTANTS,
    advice_of,
)  # fmt: skip
from staxlang.typecheck.surface.mathematics import MATH_FUNCTIONS, MathMeaning, MathSumMeaning, StaticMathMeaning
from staxlang.typecheck.surface.registry import SPELLINGS, LibraryMeaning, RefusedMeaning
from staxlang.typecheck.surface.updating import assign_subscript, values_for
from staxlang.typecheck.values import Meaning, StaticValue, Value

if TYPE_CHECKING:
    from staxlang.typecheck.surface import ufunc_methods
else:
    ufunc_methods = deferred("staxlang.typecheck.surface.ufunc_methods")

__all__ = [
    "KNOWN_COMPOSITES", "assign_subscript", "attribute", "extent_value", "indexed", "method", "refused", "resolve", "resolve_attribute",
    "subscript", "values_for", "word", "word_constant",
]  # fmt: skip

KNOWN_COMPOSITES: frozenset[str] = frozenset((
    "softmax", "log_softmax", "logsumexp", "var", "std", "layer_norm",
    "selu", "elu", "celu", "gelu", "silu", "mish",
))  # fmt: skip
"""Library functions that are recorded whole: the first ones until lowering, which knows a better form than their text; activations until
the passes have made their operands equal, so that equal calls meet before they are opened (compiler/passes/decompose.py)."""

_SURFACES = (attributes, choices, creation, dtypes, einsum, externs, grids, joining, linear, mapping, matrices, reductions, shaping)
"""They declare their spellings when they are imported."""
_FOREIGN = frozenset(("numpy", "math", "cmath", "scipy", "torch", "jax", "cupy"))
_STATIC_MATH = ("comb", "dist", "factorial", "frexp", "gamma", "isclose", "isqrt", "lgamma", "modf", "perm", "remainder", "ulp")

_by_object: dict[int, Meaning] = {}
_kept: list[Any] = []
"""The objects whose ids are keys: they must not go away."""
_words: dict[str, Meaning] = {}


# ---- Python objects ----


def resolve(object: Any) -> Meaning | None:
    """What a Python object means in a kernel; None for the user's own. Functions of NumPy and math that are no operations get a
    meaning that says so when it is called."""
    if not _by_object:
        _fill()
    found = _by_object.get(id(object))
    if found is not None:
        return found
    kind = type(object)
    if kind is NamedOperation:
        return SPELLINGS.get(f"stax.{object.name}") or word(object.name) or LibraryMeaning(f"stax.{object.name}", object.name)
    if kind is ExternOperation:
        return ExternMeaning(object)
    if kind is MethodType and type(object.__self__).__module__.startswith("numpy.random"):
        return RefusedMeaning(f"np.random.{object.__name__}", RANDOM_ADVICE)
    if kind is BuiltinFunctionType and type(object.__self__) is np.ufunc:
        return resolve_attribute(object.__self__, object.__name__)
    if kind is MethodDescriptorType and object.__objclass__ is np.ndarray:  # np.ndarray.sum
        return method(object.__name__)
    if isinstance(object, type):
        dtype = dtype_of_class(object)
        return None if dtype is None else DTypeMeaning(object.__name__, dtype)
    return _foreign(object, kind)


def resolve_attribute(owner: Any, name: str) -> Meaning | None:
    """`np.add.reduce` and its like, by the ufunc and the method's name."""
    meaning = resolve(owner)
    if type(meaning) is not UfuncMeaning:
        advice = "give operands of shapes that broadcast: `f(x[:, None], y)` is the outer one"
        return RefusedMeaning(f"np.{owner.__name__}.{name}", advice) if type(owner) is np.ufunc else None
    full = f"{meaning.name}.{name}"
    row = meaning.row
    implementation = ufunc_methods.method_of(row, meaning.arity, name)
    return RefusedMeaning(full) if implementation is None else ufunc_methods.UfuncMethodMeaning(full, row, name, implementation)


def indexed(object: Any) -> Meaning | None:
    """What indexing an object of NumPy means: np.mgrid, np.ogrid, np.r_, np.c_."""
    name = next((name for name in ("mgrid", "ogrid", "r_", "c_") if object is getattr(np, name)), None)
    return None if name is None else SPELLINGS[f"indexed.{name}"]


def _foreign(object: Any, kind: type) -> Meaning | None:
    module, name = getattr(object, "__module__", None), getattr(object, "__name__", None)
    drawn = isinstance(module, str) and module.startswith("numpy.random") and callable(object)
    if not (drawn or kind is FunctionType or kind is BuiltinFunctionType or kind is np.ufunc or kind.__module__ == "numpy"):
        return None
    if kind is np.ufunc:
        return RefusedMeaning(f"np.{object.__name__}", REFUSED_ADVICE.get(object.__name__))
    if not isinstance(module, str) or not isinstance(name, str) or module.partition(".")[0] not in _FOREIGN:
        return None
    spoken = f"np.{module[6:]}.{name}" if module.startswith("numpy.") and not module.startswith("numpy._") else f"np.{name}"
    function = LIBRARY_SPELLINGS.get(spoken)
    if function is not None and object is _object(spoken):  # a part of NumPy that was loaded after the table had been made
        meaning = LibraryMeaning(spoken, function)
        _enter(object, meaning)
        return meaning
    if drawn:
        return RefusedMeaning(f"np.random.{name}", RANDOM_ADVICE)
    return RefusedMeaning(spoken if module.startswith("numpy") else f"{module}.{name}", advice_of(module, name))


def refused(object: Any) -> Meaning | None:
    """What a class of NumPy's says when it is called and is no operation; None for anything else."""
    if isinstance(object, type) and object.__module__.partition(".")[0] == "numpy":
        return RefusedMeaning(f"np.{object.__name__}", advice_of(object.__module__, object.__name__))
    return None


def _fill() -> None:
    """The table of objects."""
    for name, operation in OPERATIONS.items():
        for spelling in operation.spellings:
            if spelling.startswith("np.") and spelling not in SPELLINGS:
                _enter(_object(spelling), UfuncMeaning(spelling if spelling.count(".") == 1 else name, name))
    for spelling, meaning in SPELLINGS.items():
        if spelling.startswith("np."):
            _enter(_object(spelling), meaning)
    for spelling, function in LIBRARY_SPELLINGS.items():
        if spelling.startswith("np."):
            _enter(_object(spelling), LibraryMeaning(spelling, function))
    for dtype in DTYPES.values():
        if dtype.name != "bf16":
            _enter(dtype.numpy.type, DTypeMeaning(f"np.{dtype.numpy.type.__name__}", dtype))
    for name, row in MATH_FUNCTIONS.items():
        function = getattr(math, name, None)
        if function is not None:
            _enter(function, MathMeaning(f"math.{name}", row, function))
    for name in _STATIC_MATH:
        _enter(getattr(math, name), StaticMathMeaning(f"math.{name}", getattr(math, name)))
    for name in STATIC_FUNCTIONS:
        _enter(getattr(np, name), StaticMathMeaning(f"np.{name}", getattr(np, name)))
    for name in ("longlong", "ulonglong"):  # types of their own beside int64 and uint64
        _enter(getattr(np, name), DTypeMeaning(f"np.{name}", DTYPES["i64" if name == "longlong" else "u64"]))
    _enter(math.prod, MathSumMeaning("math.prod", math.prod, "multiply"))
    _enter(math.fsum, MathSumMeaning("math.fsum", math.fsum, "add"))


def _object(spelling: str) -> Any:
    """The object that `np.linalg.outer` is now; None where this NumPy has none (or has not loaded that part)."""
    path, _, name = spelling.rpartition(".")
    if path == "np":
        return getattr(np, name, None)
    return getattr(sys.modules.get("numpy" + path[2:]), name, None)


def _enter(object: Any, meaning: Meaning) -> None:
    if object is not None and id(object) not in _by_object:
        _by_object[id(object)] = meaning
        _kept.append(object)


# ---- arrays ----


def method(name: str) -> Meaning | None:
    """`x.name(...)`: the array is the first argument."""
    found = SPELLINGS.get(f"method.{name}")
    if found is None:
        function = LIBRARY_SPELLINGS.get(f"method.{name}")
        if function is not None:
            found = LibraryMeaning(f".{name}", function)
        elif name in REFUSED_METHODS:
            found = RefusedMeaning(f".{name}", REFUSED_ADVICE.get(name))
    return found


def attribute(name: str) -> Meaning | None:
    """`x.name`: the array is the only argument."""
    found = SPELLINGS.get(f"attribute.{name}")
    if found is None and name in REFUSED_ATTRIBUTES:
        return RefusedMeaning(f".{name}", REFUSED_ATTRIBUTES[name], attribute=True)
    return found


REFUSED_METHODS: frozenset[str] = frozenset(
    name for name in dir(np.ndarray) if not name.startswith("_") and callable(getattr(np.ndarray, name))
)


# ---- .stx ----


def word(name: str) -> Meaning | None:
    """An operation that .stx knows without an import: the table's rows and the surface's words."""
    found = _words.get(name)
    if found is None:
        found = SPELLINGS.get(f"word.{name}")
        if found is None:
            dtype = _dtype_word(name)
            if name in OPERATIONS:
                found = UfuncMeaning(name, name)
            elif dtype is not None:
                found = DTypeMeaning(name, dtype)
            else:
                return None
        _words[name] = found
    return found


def _dtype_word(name: str) -> DType | None:
    return DTYPES.get("bool" if name == "bool_" else name) if name != "bool" else None


def word_constant(name: str) -> Value | None:
    """`pi`, `inf`, `nan`, .. in .stx."""
    return StaticValue(WORD_CONSTANTS[name]) if name in WORD_CONSTANTS else None
