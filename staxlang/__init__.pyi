"""What type checkers and editors see of `staxlang`. At run time its names are loaded when they are first used."""

# ruff: noqa: E501

from collections.abc import Callable, Sequence
from typing import Annotated as Tensor
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Self, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from staxlang import fft as fft
from staxlang import random as random
from staxlang.base.diagnostics import StaxError as StaxError
from staxlang.base.diagnostics import StaxWarning as StaxWarning
from staxlang.runtime.ahead.building import build as build
from staxlang.runtime.kernel import Stats as Stats
from staxlang.runtime.lowered import Compiled as Compiled
from staxlang.runtime.lowered import Lowered as Lowered
from staxlang.runtime.modules import load as load
from staxlang.runtime.modules import load_text as load_text
from staxlang.runtime.registering import register_extern as register_extern
from staxlang.runtime.report import Report as Report
from staxlang.runtime.specs import spec as spec
from staxlang.runtime.threads import get_num_threads as get_num_threads
from staxlang.runtime.threads import set_num_threads as set_num_threads
from staxlang.typecheck.nominal import Array as Array
from staxlang.typecheck.nominal import Dim as Dim
from staxlang.typecheck.nominal import bf16 as bf16
from staxlang.typecheck.nominal import bool_ as bool_
from staxlang.typecheck.nominal import c64 as c64
from staxlang.typecheck.nominal import c128 as c128
from staxlang.typecheck.nominal import f16 as f16
from staxlang.typecheck.nominal import f32 as f32
from staxlang.typecheck.nominal import f64 as f64
from staxlang.typecheck.nominal import float_ as float_
from staxlang.typecheck.nominal import i8 as i8
from staxlang.typecheck.nominal import i16 as i16
from staxlang.typecheck.nominal import i32 as i32
from staxlang.typecheck.nominal import i64 as i64
from staxlang.typecheck.nominal import int_ as int_
from staxlang.typecheck.nominal import number as number
from staxlang.typecheck.nominal import u8 as u8
from staxlang.typecheck.nominal import u16 as u16
from staxlang.typecheck.nominal import u32 as u32
from staxlang.typecheck.nominal import u64 as u64
from staxlang.typecheck.notation import dims as dims

__all__ = ["StaxError", "StaxWarning", "Tensor", "dims", "kernel"]
__version__: str

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)
_A = TypeVar("_A", bound=Array)
_F = TypeVar("_F", bound=float_)
_S = TypeVar("_S")
_Axis: TypeAlias = int | tuple[int, ...] | None
_Int: TypeAlias = int | Array
_Float: TypeAlias = float | Array
_Given: TypeAlias = NDArray[Any] | np.generic[Any] | complex | Sequence[Any]  # what NumPy makes arrays of

# ---- kernels ----

class Kernel(Generic[_P, _R_co]):
    """A compiled function; see `stax.kernel`."""

    settings: Any
    __name__: str
    __qualname__: str
    @property
    def __wrapped__(self) -> Callable[_P, _R_co]: ...
    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...
    @overload
    def __call__(self: Kernel[..., Array], *args: Any, **kwargs: Any) -> NDArray[Any]: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Kernel[Concatenate[_S, _Q], _R], instance: _S, owner: type | None = None) -> Kernel[_Q, _R]: ...
    def stats(self) -> Stats:
        """Counts since the kernel was made: calls, hits (calls that found a version), misses, compilations, ..."""
    def explain_misses(self) -> list[str]:
        """For each call that no version served: the guards it did not meet, by version."""
    def explain(self, *args: Any, **kwargs: Any) -> Report:
        """A Report of the version that serves these arguments (compiled if there is none): kernels, bytes, guards, what was fused."""
    def show(
        self,
        stage: Literal["tree", "graph", "trace", "optimized", "loops", "schedule", "llvm", "asm"],
        *args: Any,
        **kwargs: Any,
    ) -> str:
        """The text of a stage of the version that serves these arguments."""
    def to_stx(self) -> str:
        """The kernel as the text of a .stx file, with the functions that it calls: compiled, it gives the same graph."""
    def lower(self, *specs: Any, **more: Any) -> Lowered:
        """The optimized graph for arguments of these types, without data and without an engine; `.compile()` makes a callable of it."""
    def reset(self) -> None:
        """Forget all versions; the next call compiles again."""

@overload
def kernel(function: Callable[_P, _R], /) -> Kernel[_P, _R]:
    """Compile a function: `@stax.kernel`, or `@stax.kernel(fast_math=True)` with options."""

@overload
def kernel(
    *,
    fallback: Literal["numpy"] | None = None,
    strict: bool = False,
    fast_math: bool = False,
    checked: bool = False,
    engine: Literal["cpu", "reference"] | None = None,
    sizes: Literal["evidence", "static", "symbolic"] = "evidence",
    branches: Literal["gates", "inside"] = "gates",
    overlap: Literal["guard", "assume-none"] = "guard",
    max_versions: int = 8,
    unroll_limit: int = 80,
    static_loop_limit: int = 4096,
    recursion_limit: int = 200,
    isa: Literal["avx512", "avx2", "sse2", "neon", "generic"] | None = None,
) -> Callable[[Callable[_P, _R]], Kernel[_P, _R]]: ...

# ---- choices that stay in the program ----

def cond(condition: Any, then: Callable[..., _R], otherwise: Callable[..., _R], /, *operands: Any) -> _R:
    """`then(*operands)` where the condition holds, else `otherwise(*operands)`; the program chooses, no version depends on it."""

def gate(value: Any, /) -> Any:
    """A number as a 0-d array that stays in the program: it is not frozen into a version."""

# ---- operations: written by tools/build_stub.py ----

@overload
def add(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The sum; of bools, logical or."""
@overload
def add(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def add(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def add(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def add(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def subtract(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The difference; bools are refused, as in NumPy."""
@overload
def subtract(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def subtract(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def subtract(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def subtract(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def multiply(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The product; of bools, logical and."""
@overload
def multiply(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def multiply(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def multiply(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def multiply(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def divide(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The quotient; of integers, in f64."""
@overload
def divide(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def divide(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def divide(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def divide(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def floor_divide(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The quotient rounded down; integers divided by 0 give 0."""
@overload
def floor_divide(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def floor_divide(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def floor_divide(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def floor_divide(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def remainder(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """What floor_divide leaves: it has the divisor's sign."""
@overload
def remainder(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def remainder(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def remainder(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def remainder(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def fmod(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """What a division rounded to zero leaves: it has the dividend's sign."""
@overload
def fmod(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def fmod(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmod(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmod(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def power(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """a to the power b; integers to a negative power are refused."""
@overload
def power(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def power(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def power(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def power(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def float_power(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """a to the power b in double precision, for integers too."""
@overload
def float_power(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def float_power(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def float_power(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def float_power(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def negative(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The number with the other sign."""
@overload
def negative(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def negative(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def positive(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The number itself."""
@overload
def positive(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def positive(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def absolute(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The absolute value; of a complex number, its modulus."""
@overload
def absolute(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def absolute(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def fabs(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The absolute value as a float."""
@overload
def fabs(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fabs(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def sign(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """-1, 0 or 1; NaN stays NaN; of a complex number, it divided by its modulus."""
@overload
def sign(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def sign(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def square(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The number times itself."""
@overload
def square(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def square(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def reciprocal(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """1 divided by the number, in its own dtype."""
@overload
def reciprocal(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def reciprocal(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def maximum(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The greater of two; NaN if one is. Equal operands share the adjoint."""
@overload
def maximum(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def maximum(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def maximum(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def maximum(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def minimum(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The lesser of two; NaN if one is. Equal operands share the adjoint."""
@overload
def minimum(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def minimum(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def minimum(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def minimum(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def fmax(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The greater of two; the other one if one is NaN."""
@overload
def fmax(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def fmax(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmax(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmax(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def fmin(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The lesser of two; the other one if one is NaN."""
@overload
def fmin(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def fmin(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmin(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def fmin(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def hypot(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The length of (a, b), without overflow in between."""
@overload
def hypot(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def hypot(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def hypot(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def hypot(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def exp(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """e to the power x."""
@overload
def exp(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def exp(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def exp2(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """2 to the power x."""
@overload
def exp2(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def exp2(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def expm1(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """exp(x) - 1 without cancellation near 0."""
@overload
def expm1(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def expm1(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def log(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The natural logarithm."""
@overload
def log(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def log(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def log2(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The logarithm to base 2."""
@overload
def log2(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def log2(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def log10(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The logarithm to base 10."""
@overload
def log10(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def log10(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def log1p(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """log(1 + x) without cancellation near 0."""
@overload
def log1p(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def log1p(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def sqrt(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The square root; NaN below 0. Its derivative at 0 is infinite."""
@overload
def sqrt(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def sqrt(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def cbrt(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The cube root, below 0 too."""
@overload
def cbrt(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def cbrt(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def logaddexp(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """log(exp(a) + exp(b)) without overflow."""
@overload
def logaddexp(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def logaddexp(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def logaddexp(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def logaddexp(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def logaddexp2(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """log2(2**a + 2**b) without overflow."""
@overload
def logaddexp2(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def logaddexp2(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def logaddexp2(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def logaddexp2(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def sin(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The sine of an angle in radians."""
@overload
def sin(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def sin(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def cos(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The cosine of an angle in radians."""
@overload
def cos(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def cos(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def tan(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The tangent of an angle in radians."""
@overload
def tan(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def tan(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arcsin(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The angle with this sine, from -pi/2 to pi/2."""
@overload
def arcsin(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arcsin(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arccos(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The angle with this cosine, from 0 to pi."""
@overload
def arccos(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arccos(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arctan(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The angle with this tangent, from -pi/2 to pi/2."""
@overload
def arctan(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arctan(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arctan2(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The angle of the point (b, a), from -pi to pi."""
@overload
def arctan2(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def arctan2(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arctan2(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arctan2(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def sinh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The hyperbolic sine."""
@overload
def sinh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def sinh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def cosh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The hyperbolic cosine."""
@overload
def cosh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def cosh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def tanh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The hyperbolic tangent."""
@overload
def tanh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def tanh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arcsinh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The inverse of sinh."""
@overload
def arcsinh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arcsinh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arccosh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The inverse of cosh, from 1 upward."""
@overload
def arccosh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arccosh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def arctanh(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The inverse of tanh, between -1 and 1."""
@overload
def arctanh(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def arctanh(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def degrees(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """Radians to degrees."""
@overload
def degrees(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def degrees(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def radians(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """Degrees to radians."""
@overload
def radians(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def radians(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def equal(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether two numbers are equal; NaN equals nothing."""
@overload
def equal(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def equal(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def not_equal(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether two numbers differ."""
@overload
def not_equal(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def not_equal(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def less(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether a is less than b."""
@overload
def less(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def less(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def less_equal(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether a is at most b."""
@overload
def less_equal(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def less_equal(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def greater(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether a is greater than b."""
@overload
def greater(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def greater(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def greater_equal(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether a is at least b."""
@overload
def greater_equal(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def greater_equal(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def logical_and(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether both are true (not 0)."""
@overload
def logical_and(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def logical_and(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def logical_or(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether one is true (not 0)."""
@overload
def logical_or(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def logical_or(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def logical_xor(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether exactly one is true (not 0)."""
@overload
def logical_xor(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: ...
@overload
def logical_xor(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def logical_not(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether it is false (0)."""
@overload
def logical_not(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def isnan(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether it is NaN."""
@overload
def isnan(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def isinf(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether it is infinite."""
@overload
def isinf(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def isfinite(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether it is neither infinite nor NaN."""
@overload
def isfinite(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def signbit(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> bool_: """Whether its sign bit is set; -0.0 and negative NaNs have it."""
@overload
def signbit(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[np.bool_]: ...
@overload
def where(condition: Array, x: Any, y: Any, /) -> Any: """a where c is true, else b. The side that is not taken has no part in the derivative."""
@overload
def where(condition: _Given, x: Any, y: Any, /) -> NDArray[Any]: ...
@overload
def bitwise_and(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """And, bit by bit."""
@overload
def bitwise_and(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def bitwise_and(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def bitwise_or(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """Or, bit by bit."""
@overload
def bitwise_or(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def bitwise_or(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def bitwise_xor(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """Exclusive or, bit by bit."""
@overload
def bitwise_xor(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def bitwise_xor(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def invert(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """Each bit turned; of a bool, not."""
@overload
def invert(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def left_shift(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """Bits moved to the left; 0 when moved by the width or more."""
@overload
def left_shift(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def left_shift(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def right_shift(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """Bits moved to the right, the sign moving in; by the width or more, all sign."""
@overload
def right_shift(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def right_shift(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def gcd(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """The greatest common divisor, never negative."""
@overload
def gcd(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def gcd(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def lcm(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """The least common multiple, never negative."""
@overload
def lcm(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def lcm(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def bitwise_count(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """How many bits of the absolute value are 1."""
@overload
def bitwise_count(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def floor(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The greatest integer that is not above x, as a number of x's dtype."""
@overload
def floor(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def floor(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def ceil(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The least integer that is not below x."""
@overload
def ceil(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def ceil(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def trunc(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The integer part, rounded to zero."""
@overload
def trunc(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def trunc(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def rint(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The nearest integer; a half goes to the even one."""
@overload
def rint(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def rint(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def copysign(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The magnitude of a with the sign of b."""
@overload
def copysign(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def copysign(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def copysign(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def copysign(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def nextafter(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The number next to a in the direction of b."""
@overload
def nextafter(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def nextafter(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def nextafter(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def nextafter(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def spacing(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The distance to the next number away from 0."""
@overload
def spacing(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def spacing(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def ldexp(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """a times 2 to the power b."""
@overload
def ldexp(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def ldexp(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def ldexp(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def ldexp(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def frexp_mantissa(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The mantissa of x, of magnitude 1/2 to 1; the first result of np.frexp."""
@overload
def frexp_mantissa(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def frexp_mantissa(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def frexp_exponent(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: """The exponent of x that goes with frexp_mantissa; the second result of np.frexp."""
@overload
def frexp_exponent(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def heaviside(x1: _F, x2: float, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """0 below zero, b at zero, 1 above it."""
@overload
def heaviside(x1: float, x2: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: ...
@overload
def heaviside(x1: Array, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def heaviside(x1: Any, x2: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def heaviside(x1: _Given, x2: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def conjugate(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The complex conjugate; a real number itself."""
@overload
def conjugate(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def conjugate(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def real(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The real part."""
@overload
def real(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def real(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def imag(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The imaginary part; 0 of a real number."""
@overload
def imag(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def imag(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def erf(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
@overload
def erf(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def erf(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def erfc(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """1 - erf(x) without cancellation for large x."""
@overload
def erfc(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def erfc(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def sigmoid(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """1 / (1 + exp(-x))."""
@overload
def sigmoid(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def sigmoid(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def softplus(x: _F, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: None = None, subok: bool = True) -> _F: """log(1 + exp(x)) without overflow."""
@overload
def softplus(x: Array, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> Any: ...
@overload
def softplus(x: _Given, /, out: Any = None, *, where: Any = True, casting: str = ..., order: str = ..., dtype: Any = None, subok: bool = True) -> NDArray[Any]: ...
@overload
def all(a: Array, /, *args: Any, **options: Any) -> bool_: """NumPy's `all`."""
@overload
def all(a: _Given, /, *args: Any, **options: Any) -> NDArray[np.bool_]: ...
@overload
def any(a: Array, /, *args: Any, **options: Any) -> bool_: """NumPy's `any`."""
@overload
def any(a: _Given, /, *args: Any, **options: Any) -> NDArray[np.bool_]: ...
def arange(*args: Any, **options: Any) -> Any: """NumPy's `arange`."""
def argmax(*args: Any, **options: Any) -> Any: """NumPy's `argmax`."""
def argmin(*args: Any, **options: Any) -> Any: """NumPy's `argmin`."""
def array(*args: Any, **options: Any) -> Any: """NumPy's `array`."""
def array_split(*args: Any, **options: Any) -> Any: """NumPy's `array_split`."""
def asarray(*args: Any, **options: Any) -> Any: """NumPy's `asarray`."""
def atleast_1d(*args: Any, **options: Any) -> Any: """NumPy's `atleast_1d`."""
def atleast_2d(*args: Any, **options: Any) -> Any: """NumPy's `atleast_2d`."""
def atleast_3d(*args: Any, **options: Any) -> Any: """NumPy's `atleast_3d`."""
def broadcast_shapes(*args: Any, **options: Any) -> Any: """NumPy's `broadcast_shapes`."""
@overload
def broadcast_to(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `broadcast_to`."""
@overload
def broadcast_to(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def broadcast_to(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def clip(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `clip`."""
@overload
def clip(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def clip(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def concatenate(*args: Any, **options: Any) -> Any: """NumPy's `concatenate`."""
@overload
def copy(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `copy`."""
@overload
def copy(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def copy(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def count_nonzero(*args: Any, **options: Any) -> Any: """NumPy's `count_nonzero`."""
@overload
def cumprod(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `cumprod`."""
@overload
def cumprod(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def cumprod(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def cumsum(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `cumsum`."""
@overload
def cumsum(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def cumsum(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def diagonal(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `diagonal`."""
@overload
def diagonal(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def diagonal(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def dot(*args: Any, **options: Any) -> Any: """NumPy's `dot`."""
def dtype(*args: Any, **options: Any) -> Any: """NumPy's `dtype`."""
def einsum(*args: Any, **options: Any) -> Any: """NumPy's `einsum`."""
def empty(*args: Any, **options: Any) -> Any: """NumPy's `empty`."""
def empty_like(*args: Any, **options: Any) -> Any: """NumPy's `empty_like`."""
@overload
def expand_dims(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `expand_dims`."""
@overload
def expand_dims(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def expand_dims(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def finfo(*args: Any, **options: Any) -> Any: """NumPy's `finfo`."""
@overload
def flip(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `flip`."""
@overload
def flip(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def flip(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def full(*args: Any, **options: Any) -> Any: """NumPy's `full`."""
def full_like(*args: Any, **options: Any) -> Any: """NumPy's `full_like`."""
def iinfo(*args: Any, **options: Any) -> Any: """NumPy's `iinfo`."""
def iscomplexobj(*args: Any, **options: Any) -> Any: """NumPy's `iscomplexobj`."""
def isrealobj(*args: Any, **options: Any) -> Any: """NumPy's `isrealobj`."""
def matmul(*args: Any, **options: Any) -> Any: """NumPy's `matmul`."""
@overload
def max(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `max`."""
@overload
def max(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def max(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def min(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `min`."""
@overload
def min(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def min(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def moveaxis(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `moveaxis`."""
@overload
def moveaxis(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def moveaxis(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def ndim(*args: Any, **options: Any) -> Any: """NumPy's `ndim`."""
def ones(*args: Any, **options: Any) -> Any: """NumPy's `ones`."""
def ones_like(*args: Any, **options: Any) -> Any: """NumPy's `ones_like`."""
@overload
def pad(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `pad`."""
@overload
def pad(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def pad(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def prod(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `prod`."""
@overload
def prod(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def prod(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def ptp(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `ptp`."""
@overload
def ptp(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def ptp(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def ravel(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `ravel`."""
@overload
def ravel(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def ravel(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def repeat(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `repeat`."""
@overload
def repeat(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def repeat(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def reshape(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `reshape`."""
@overload
def reshape(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def reshape(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def result_type(*args: Any, **options: Any) -> Any: """NumPy's `result_type`."""
@overload
def round(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `round`."""
@overload
def round(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def round(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def shape(*args: Any, **options: Any) -> Any: """NumPy's `shape`."""
def size(*args: Any, **options: Any) -> Any: """NumPy's `size`."""
def split(*args: Any, **options: Any) -> Any: """NumPy's `split`."""
@overload
def squeeze(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `squeeze`."""
@overload
def squeeze(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def squeeze(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def stack(*args: Any, **options: Any) -> Any: """NumPy's `stack`."""
@overload
def sum(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `sum`."""
@overload
def sum(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def sum(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def swapaxes(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `swapaxes`."""
@overload
def swapaxes(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def swapaxes(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def take(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `take`."""
@overload
def take(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def take(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
@overload
def take_along_axis(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `take_along_axis`."""
@overload
def take_along_axis(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def take_along_axis(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def tensordot(*args: Any, **options: Any) -> Any: """NumPy's `tensordot`."""
@overload
def transpose(a: _F, /, *args: Any, dtype: None = None, **options: Any) -> _F: """NumPy's `transpose`."""
@overload
def transpose(a: Array, /, *args: Any, **options: Any) -> Any: ...
@overload
def transpose(a: _Given, /, *args: Any, **options: Any) -> NDArray[Any]: ...
def zeros(*args: Any, **options: Any) -> Any: """NumPy's `zeros`."""
def zeros_like(*args: Any, **options: Any) -> Any: """NumPy's `zeros_like`."""
def linspace(start: Any, stop: Any, num: _Int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: _Axis = 0) -> Any: """`num` numbers from `start` to `stop` at equal distances, `stop` itself unless `endpoint` is false; with `retstep`, also the distance."""
def logspace(start: Any, stop: Any, num: _Int = 50, endpoint: bool = True, base: _Float = 10.0, dtype: Any = None, axis: _Axis = 0) -> Any: """`num` numbers from `base ** start` to `base ** stop`, each the same multiple of the one before."""
def geomspace(start: Any, stop: Any, num: _Int = 50, endpoint: bool = True, dtype: Any = None, axis: _Axis = 0) -> Any: """`num` numbers from `start` to `stop`, each the same multiple of the one before. Both have the same sign."""
def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> tuple[Any, ...]: """Coordinates of a grid: for each vector an array over the grid of all of them."""
def tri(N: Any, M: Any = None, k: _Int = 0, dtype: Any = ...) -> Any: """Ones at and below the k-th diagonal of N rows and M columns, zeros above."""
@overload
def tril(m: _F, k: _Int = 0) -> _F: """The matrix, or each of a stack, with zeros above the k-th diagonal."""
@overload
def tril(m: Array, k: _Int = 0) -> Any: ...
@overload
def tril(m: _Given, k: _Int = 0) -> NDArray[Any]: ...
@overload
def triu(m: _F, k: _Int = 0) -> _F: """The matrix, or each of a stack, with zeros below the k-th diagonal."""
@overload
def triu(m: Array, k: _Int = 0) -> Any: ...
@overload
def triu(m: _Given, k: _Int = 0) -> NDArray[Any]: ...
@overload
def diag(v: _F, k: _Int = 0) -> _F: """Of a matrix its k-th diagonal, of a vector the matrix with it as its k-th diagonal."""
@overload
def diag(v: Array, k: _Int = 0) -> Any: ...
@overload
def diag(v: _Given, k: _Int = 0) -> NDArray[Any]: ...
@overload
def diagflat(v: _F, k: _Int = 0) -> _F: """The matrix with all elements of `v` as its k-th diagonal."""
@overload
def diagflat(v: Array, k: _Int = 0) -> Any: ...
@overload
def diagflat(v: _Given, k: _Int = 0) -> NDArray[Any]: ...
@overload
def vander(x: Array, N: Any = None, increasing: bool = False) -> Any: """The matrix of powers of a vector, the highest first unless `increasing`."""
@overload
def vander(x: _Given, N: Any = None, increasing: bool = False) -> NDArray[Any]: ...
@overload
def trace(a: _F, offset: _Int = 0, axis1: _Int = 0, axis2: _Int = 1, dtype: None = None, out: Any = None) -> _F: """The sum along a diagonal."""
@overload
def trace(a: Array, offset: _Int = 0, axis1: _Int = 0, axis2: _Int = 1, dtype: Any = None, out: Any = None) -> Any: ...
@overload
def trace(a: _Given, offset: _Int = 0, axis1: _Int = 0, axis2: _Int = 1, dtype: Any = None, out: Any = None) -> NDArray[Any]: ...
@overload
def fliplr(m: _F) -> _F: """The array with its columns in reverse order."""
@overload
def fliplr(m: Array) -> Any: ...
@overload
def fliplr(m: _Given) -> NDArray[Any]: ...
@overload
def flipud(m: _F) -> _F: """The array with its rows in reverse order."""
@overload
def flipud(m: Array) -> Any: ...
@overload
def flipud(m: _Given) -> NDArray[Any]: ...
@overload
def rot90(m: _F, k: _Int = 1, axes: Any = ...) -> _F: """The array turned by k quarters in the plane of two axes."""
@overload
def rot90(m: Array, k: _Int = 1, axes: Any = ...) -> Any: ...
@overload
def rot90(m: _Given, k: _Int = 1, axes: Any = ...) -> NDArray[Any]: ...
@overload
def append(arr: Array, values: Any, axis: _Axis = None) -> Any: """`values` behind `arr`, along `axis` or, without one, as vectors."""
@overload
def append(arr: _Given, values: Any, axis: _Axis = None) -> NDArray[Any]: ...
def outer(a: Any, b: Any, out: Any = None) -> Any: """All products of an element of `a` and one of `b`."""
def inner(a: Any, b: Any) -> Any: """Sums of products over the last axes."""
def vdot(a: Any, b: Any) -> Any: """The sum of the products of all elements, those of `a` conjugated."""
@overload
def vecdot(x1: Array, x2: Any, out: Any = None, *, axis: _Axis = -1, keepdims: bool = False, dtype: Any = None) -> Any: """Sums of products along `axis`, the first factor conjugated."""
@overload
def vecdot(x1: _Given, x2: Any, out: Any = None, *, axis: _Axis = -1, keepdims: bool = False, dtype: Any = None) -> NDArray[Any]: ...
@overload
def matvec(x1: Array, x2: Any, out: Any = None, *, dtype: Any = None) -> Any: """The product of a matrix and a vector, or of stacks of them."""
@overload
def matvec(x1: _Given, x2: Any, out: Any = None, *, dtype: Any = None) -> NDArray[Any]: ...
@overload
def vecmat(x1: Array, x2: Any, out: Any = None, *, dtype: Any = None) -> Any: """The product of a vector, conjugated, and a matrix, or of stacks of them."""
@overload
def vecmat(x1: _Given, x2: Any, out: Any = None, *, dtype: Any = None) -> NDArray[Any]: ...
def kron(a: Any, b: Any) -> Any: """The product of every element of `a` with the whole of `b`, side by side."""
@overload
def cross(a: Array, b: Any, axisa: Any = ..., axisb: Any = ..., axisc: Any = ..., axis: _Axis = None) -> Any: """The vector product of 3-vectors; of 2-vectors, its third component."""
@overload
def cross(a: _Given, b: Any, axisa: Any = ..., axisb: Any = ..., axisc: Any = ..., axis: _Axis = None) -> NDArray[Any]: ...
@overload
def matrix_power(a: _F, n: Any) -> _F: """The square matrix multiplied n times with itself; a negative power is one of its inverse."""
@overload
def matrix_power(a: Array, n: Any) -> Any: ...
@overload
def matrix_power(a: _Given, n: Any) -> NDArray[Any]: ...
@overload
def norm(x: _F, ord: Any = None, axis: _Axis = None, keepdims: bool = False) -> _F: """The length of vectors, or the norm of matrices, over `axis`: the root of the sum of squares, or as `ord` says."""
@overload
def norm(x: Array, ord: Any = None, axis: _Axis = None, keepdims: bool = False) -> Any: ...
@overload
def norm(x: _Given, ord: Any = None, axis: _Axis = None, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def vector_norm(x: _F, axis: _Axis = None, keepdims: bool = False, ord: _Int = 2) -> _F: """The length of vectors over `axis`, of all elements without one."""
@overload
def vector_norm(x: Array, axis: _Axis = None, keepdims: bool = False, ord: _Int = 2) -> Any: ...
@overload
def vector_norm(x: _Given, axis: _Axis = None, keepdims: bool = False, ord: _Int = 2) -> NDArray[Any]: ...
@overload
def matrix_norm(x: _F, keepdims: bool = False, ord: str = "fro") -> _F: """The norm of the matrices in the last two axes."""
@overload
def matrix_norm(x: Array, keepdims: bool = False, ord: str = "fro") -> Any: ...
@overload
def matrix_norm(x: _Given, keepdims: bool = False, ord: str = "fro") -> NDArray[Any]: ...
def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> Any: """The covariances of variables, one a row (or a column, unless `rowvar`), with observations along the other axis."""
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any: """The correlations of variables: their covariances divided by both standard deviations."""
@overload
def scaled_dot_product_attention(query: _F, key: Any, value: Any, mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> _F: """`softmax(query @ key.T * scale) @ value`; `scale` is `1 / sqrt(D)` by default.

    A bool `mask` chooses the keys that are seen, any other is added to the scores; a row that sees none gives zeros. `is_causal` lets row
    i see keys 0 to i. With `enable_gqa` the axis before the last two are heads, and each head of key and value serves as many
    neighbouring ones of the query as there are for it. With a `dropout_key`, shares of keys are dropped with probability `dropout_rate`."""
@overload
def scaled_dot_product_attention(query: Array, key: Any, value: Any, mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> Any: ...
@overload
def scaled_dot_product_attention(query: _Given, key: Any, value: Any, mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> NDArray[Any]: ...
@overload
def multi_head_attention(query: _F, key: Any, value: Any, query_weight: Any, key_weight: Any, value_weight: Any, output_weight: Any, heads: Any, *, key_heads: Any = None, query_bias: Any = None, key_bias: Any = None, value_bias: Any = None, output_bias: Any = None, mask: Any = None, is_causal: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> _F: """Attention in `heads` parts (Vaswani et al., 2017): linear maps of query, key and value, attention of each part of their features, and
    a linear map of all parts side by side. Weights are [features in, features out]; where `key_heads` are fewer than `heads`, each serves
    several. `mask` is for each head, or broadcast to all."""
@overload
def multi_head_attention(query: Array, key: Any, value: Any, query_weight: Any, key_weight: Any, value_weight: Any, output_weight: Any, heads: Any, *, key_heads: Any = None, query_bias: Any = None, key_bias: Any = None, value_bias: Any = None, output_bias: Any = None, mask: Any = None, is_causal: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> Any: ...
@overload
def multi_head_attention(query: _Given, key: Any, value: Any, query_weight: Any, key_weight: Any, value_weight: Any, output_weight: Any, heads: Any, *, key_heads: Any = None, query_bias: Any = None, key_bias: Any = None, value_bias: Any = None, output_bias: Any = None, mask: Any = None, is_causal: bool = False, dropout_rate: _Float = 0.0, dropout_key: Any = None) -> NDArray[Any]: ...
@overload
def rotary_embedding(x: _F, positions: Any = None, base: _Float = 10000.0, interleaved: bool = False) -> _F: """Pairs of features turned by angles that grow with the place in the sequence (Su et al., 2021): pair i by `place * base ** (-2 * i / D)`.

    A pair is a feature and that D / 2 behind it, or, `interleaved`, its neighbour. Places are 0 to S - 1, or `positions`. 16-bit floats are
    computed in f32."""
@overload
def rotary_embedding(x: Array, positions: Any = None, base: _Float = 10000.0, interleaved: bool = False) -> Any: ...
@overload
def rotary_embedding(x: _Given, positions: Any = None, base: _Float = 10000.0, interleaved: bool = False) -> NDArray[Any]: ...
@overload
def conv1d(x: Array, weight: Any, bias: Any = None, stride: _Int = 1, padding: _Int = 0, dilation: _Int = 1, groups: _Int = 1) -> Any: """Correlation of the last axis with windows: `y[f, i] = sum of x[c, i * stride + k * dilation - padding] * weight[f, c, k]`, outside of
    `x` zero, plus `bias[f]`. With groups the channels are parted, and each part has filters of its own: weight is [F, C / groups, K]."""
@overload
def conv1d(x: _Given, weight: Any, bias: Any = None, stride: _Int = 1, padding: _Int = 0, dilation: _Int = 1, groups: _Int = 1) -> NDArray[Any]: ...
@overload
def conv2d(x: Array, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: _Int = 1) -> Any: """Correlation of the last two axes with windows; stride, padding and dilation are numbers, or pairs for the two axes. What is outside of
    `x` counts as zero. weight is [F, C / groups, P, Q], bias [F]."""
@overload
def conv2d(x: _Given, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: _Int = 1) -> NDArray[Any]: ...
@overload
def conv3d(x: Array, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: _Int = 1) -> Any: """`conv2d` with three axes: weight is [F, C / groups, P, Q, R]; stride, padding and dilation are numbers, or one for each axis."""
@overload
def conv3d(x: _Given, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: _Int = 1) -> NDArray[Any]: ...
@overload
def max_pool1d(x: Array, window: Any, stride: Any = None, padding: _Int = 0, dilation: _Int = 1) -> Any: """The greatest value of each window along the last axis; windows follow each other unless `stride` says otherwise, and take every
    `dilation`-th element."""
@overload
def max_pool1d(x: _Given, window: Any, stride: Any = None, padding: _Int = 0, dilation: _Int = 1) -> NDArray[Any]: ...
@overload
def max_pool2d(x: Array, window: Any, stride: Any = None, padding: Any = ..., dilation: Any = ...) -> Any: """The greatest value of each window of the last two axes; window, stride, padding and dilation are numbers or pairs."""
@overload
def max_pool2d(x: _Given, window: Any, stride: Any = None, padding: Any = ..., dilation: Any = ...) -> NDArray[Any]: ...
@overload
def max_pool3d(x: Array, window: Any, stride: Any = None, padding: Any = ..., dilation: Any = ...) -> Any: """The greatest value of each window of the last three axes; window, stride, padding and dilation are numbers, or one for each axis."""
@overload
def max_pool3d(x: _Given, window: Any, stride: Any = None, padding: Any = ..., dilation: Any = ...) -> NDArray[Any]: ...
@overload
def avg_pool1d(x: Array, window: Any, stride: Any = None, padding: _Int = 0, count_include_pad: bool = True) -> Any: """The mean of each window along the last axis; what is outside counts as zeros, or, without `count_include_pad`, not at all."""
@overload
def avg_pool1d(x: _Given, window: Any, stride: Any = None, padding: _Int = 0, count_include_pad: bool = True) -> NDArray[Any]: ...
@overload
def avg_pool2d(x: Array, window: Any, stride: Any = None, padding: Any = ..., count_include_pad: bool = True) -> Any: """The mean of each window of the last two axes; what is outside counts as zeros, or, without `count_include_pad`, not at all."""
@overload
def avg_pool2d(x: _Given, window: Any, stride: Any = None, padding: Any = ..., count_include_pad: bool = True) -> NDArray[Any]: ...
@overload
def avg_pool3d(x: Array, window: Any, stride: Any = None, padding: Any = ..., count_include_pad: bool = True) -> Any: """The mean of each window of the last three axes; what is outside counts as zeros, or, without `count_include_pad`, not at all."""
@overload
def avg_pool3d(x: _Given, window: Any, stride: Any = None, padding: Any = ..., count_include_pad: bool = True) -> NDArray[Any]: ...
def embedding(index: Any, table: Any) -> Any: """The rows of a table at the given places, which may be an array of any shape."""
@overload
def bincount(x: Array, weights: Any = None, minlength: _Int = 0, *, length: Any = None) -> Any: """How often each of the integers from 0 to the greatest one (to `minlength - 1` at least) occurs, or the sums of the weights that
    stand at it. With a `length` those from 0 to `length - 1`: another one is an error, and nothing has to be counted first."""
@overload
def bincount(x: _Given, weights: Any = None, minlength: _Int = 0, *, length: Any = None) -> NDArray[Any]: ...
@overload
def histogram_bin_edges(a: Array, bins: _Int = 10, range: Any = None, weights: Any = None) -> Any: """The edges of bins: `bins` of equal width over `range`, or from the least to the greatest element; or `bins`, where that is a vector."""
@overload
def histogram_bin_edges(a: _Given, bins: _Int = 10, range: Any = None, weights: Any = None) -> NDArray[Any]: ...
@overload
def histogram(a: Array, bins: _Int = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any: """(How many elements, or which weight of them, each bin has; the bins' edges.) A bin includes its left edge, the last one both; with
    `density` the numbers are divided so that their integral is 1."""
@overload
def histogram(a: _Given, bins: _Int = 10, range: Any = None, density: Any = None, weights: Any = None) -> NDArray[Any]: ...
def histogramdd(sample: Any, bins: _Int = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any: """(How many rows of an (N, D) array, or points of D vectors of coordinates, each cell of a grid has; the edges along each dimension.)"""
def histogram2d(x: Any, y: Any, bins: _Int = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any: """(How many of the points (x, y) each cell of a grid has, the edges along x, the edges along y.)"""
def divmod(x1: Any, x2: Any) -> tuple[Any, Any]: """The quotient rounded down, and the remainder with the divisor's sign."""
def modf(x: Any) -> tuple[Any, Any]: """The fraction and the whole part, both with the sign of `x`."""
def frexp(x: Any) -> tuple[Any, Any]: """A fraction between 1/2 and 1 and the power of two that make up `x`."""
@overload
def fix(x: _F, out: Any = None) -> _F: """`x` rounded towards zero."""
@overload
def fix(x: Array, out: Any = None) -> Any: ...
@overload
def fix(x: _Given, out: Any = None) -> NDArray[Any]: ...
@overload
def angle(z: Array, deg: bool = False) -> Any: """The angle of complex numbers, in radians or degrees; of real ones, 0 or pi."""
@overload
def angle(z: _Given, deg: bool = False) -> NDArray[Any]: ...
@overload
def sinc(x: _F) -> _F: """`sin(pi * x) / (pi * x)`, and 1 at 0."""
@overload
def sinc(x: Array) -> Any: ...
@overload
def sinc(x: _Given) -> NDArray[Any]: ...
@overload
def nan_to_num(x: _F, copy: bool = True, nan: _Float = 0.0, posinf: Any = None, neginf: Any = None) -> _F: """The array with finite numbers for NaN and the infinities: `nan`, and the greatest and least number or what is given."""
@overload
def nan_to_num(x: Array, copy: bool = True, nan: _Float = 0.0, posinf: Any = None, neginf: Any = None) -> Any: ...
@overload
def nan_to_num(x: _Given, copy: bool = True, nan: _Float = 0.0, posinf: Any = None, neginf: Any = None) -> NDArray[Any]: ...
@overload
def isposinf(x: Array, out: Any = None) -> bool_: """Where `x` is positive infinity."""
@overload
def isposinf(x: _Given, out: Any = None) -> NDArray[np.bool_]: ...
@overload
def isneginf(x: Array, out: Any = None) -> bool_: """Where `x` is negative infinity."""
@overload
def isneginf(x: _Given, out: Any = None) -> NDArray[np.bool_]: ...
@overload
def isreal(x: Array) -> bool_: """Where the imaginary part is 0."""
@overload
def isreal(x: _Given) -> NDArray[np.bool_]: ...
@overload
def iscomplex(x: Array) -> bool_: """Where the imaginary part is not 0."""
@overload
def iscomplex(x: _Given) -> NDArray[np.bool_]: ...
@overload
def isclose(a: Array, b: Any, rtol: _Float = 1e-05, atol: _Float = 1e-08, equal_nan: bool = False) -> bool_: """Where the difference is at most `atol + rtol * abs(b)`. Infinities are close to themselves, NaN to NaN only with `equal_nan`."""
@overload
def isclose(a: _Given, b: Any, rtol: _Float = 1e-05, atol: _Float = 1e-08, equal_nan: bool = False) -> NDArray[np.bool_]: ...
def allclose(a: Any, b: Any, rtol: _Float = 1e-05, atol: _Float = 1e-08, equal_nan: bool = False) -> bool: """Whether all elements are close; see `isclose`."""
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool: """Whether both have the same shape and elements."""
def array_equiv(a1: Any, a2: Any) -> bool: """Whether one can be broadcast to the other, with the same elements."""
def select(condlist: Any, choicelist: Any, default: _Int = 0) -> Any: """Each element from the first choice whose condition holds there, else `default`."""
@overload
def diff(a: _F, n: _Int = 1, axis: _Axis = -1, prepend: Any = None, append: Any = None) -> _F: """The differences of neighbours along `axis`, n times over."""
@overload
def diff(a: Array, n: _Int = 1, axis: _Axis = -1, prepend: Any = None, append: Any = None) -> Any: ...
@overload
def diff(a: _Given, n: _Int = 1, axis: _Axis = -1, prepend: Any = None, append: Any = None) -> NDArray[Any]: ...
@overload
def ediff1d(ary: _F, to_end: Any = None, to_begin: Any = None) -> _F: """The differences of neighbours among all elements, with what is given before and behind them."""
@overload
def ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Any: ...
@overload
def ediff1d(ary: _Given, to_end: Any = None, to_begin: Any = None) -> NDArray[Any]: ...
@overload
def trapezoid(y: _F, x: Any = None, dx: _Float = 1.0, axis: _Axis = -1) -> _F: """The integral along `axis` by trapezoids, at the places `x` or at equal distances `dx`."""
@overload
def trapezoid(y: Array, x: Any = None, dx: _Float = 1.0, axis: _Axis = -1) -> Any: ...
@overload
def trapezoid(y: _Given, x: Any = None, dx: _Float = 1.0, axis: _Axis = -1) -> NDArray[Any]: ...
def gradient(f: Any, *varargs: Any, axis: _Axis = None, edge_order: _Int = 1) -> Any: """The slope along each axis: central differences inside, one-sided ones of order `edge_order` at the ends.

    Distances are 1, a number, one number for each axis, or coordinates along it."""
@overload
def unwrap(p: _F, discont: Any = None, axis: _Axis = -1, *, period: _Float = 6.283185307179586) -> _F: """Phases without jumps: multiples of `period` are added where neighbours differ by more than `discont`."""
@overload
def unwrap(p: Array, discont: Any = None, axis: _Axis = -1, *, period: _Float = 6.283185307179586) -> Any: ...
@overload
def unwrap(p: _Given, discont: Any = None, axis: _Axis = -1, *, period: _Float = 6.283185307179586) -> NDArray[Any]: ...
def polyval(p: Any, x: Any) -> Any: """The polynomial with the coefficients `p`, the highest power first, at `x`, by Horner's rule."""
@overload
def convolve(a: Array, v: Any, mode: str = "full") -> Any: """The sums of products of one vector and the other reversed, at every overlap, or at those that `mode` names."""
@overload
def convolve(a: _Given, v: Any, mode: str = "full") -> NDArray[Any]: ...
@overload
def correlate(a: Array, v: Any, mode: str = "valid") -> Any: """The sums of products of one vector and the conjugate of the other, at every overlap that `mode` names."""
@overload
def correlate(a: _Given, v: Any, mode: str = "valid") -> NDArray[Any]: ...
@overload
def cholesky(a: _F, *, upper: bool = False) -> _F: """The triangular factor L of Hermitian, positive definite matrices, a = L @ L.H; with `upper`, L.H. Only one triangle is read."""
@overload
def cholesky(a: Array, *, upper: bool = False) -> Any: ...
@overload
def cholesky(a: _Given, *, upper: bool = False) -> NDArray[Any]: ...
@overload
def solve(a: Array, b: Any) -> Any: """The x with a @ x = b. A `b` of one axis is a vector, otherwise its last two axes are matrices; batches broadcast."""
@overload
def solve(a: _Given, b: Any) -> NDArray[Any]: ...
@overload
def inv(a: Array) -> Any: """The inverses of matrices. (To multiply with one, `solve` is faster and more accurate.)"""
@overload
def inv(a: _Given) -> NDArray[Any]: ...
@overload
def det(a: Array) -> Any: """The determinants of matrices."""
@overload
def det(a: _Given) -> NDArray[Any]: ...
def slogdet(a: Any) -> tuple[Any, Any]: """The sign of the determinants of matrices, and the logarithm of their absolute values, which does not overflow."""
def qr(a: Any, mode: str = "reduced") -> Any: """Q with orthonormal columns and R, triangular, with a = Q @ R. `mode` "complete": Q is square; "r": only R; "raw": LAPACK's form."""
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any: """The singular value decomposition a = U @ diag(S) @ Vh, greatest values first; only S without `compute_uv`.

    U and Vh are square with `full_matrices`, else they have as many columns and rows as there are singular values. Of `hermitian` matrices
    eigenvalues are taken."""
@overload
def svdvals(x: Array) -> Any: """The singular values of matrices, greatest first."""
@overload
def svdvals(x: _Given) -> NDArray[Any]: ...
def eigh(a: Any, UPLO: str = "L") -> tuple[Any, Any]: """Eigenvalues, in increasing order, and eigenvectors (columns) of Hermitian matrices, of which the triangle `UPLO` is read."""
@overload
def eigvalsh(a: Array, UPLO: str = "L") -> Any: """The eigenvalues of Hermitian matrices, in increasing order; the triangle `UPLO` is read."""
@overload
def eigvalsh(a: _Given, UPLO: str = "L") -> NDArray[Any]: ...
def eig(a: Any) -> tuple[Any, Any]: """Eigenvalues and eigenvectors (columns) of matrices. Of real matrices they are real if all eigenvalues are, else complex.

    Whether they are is a question to the data, by which a program is chosen (the answer's work is not done again). Where nothing can be
    asked - a program for types, a branch inside the program - they are complex."""
@overload
def eigvals(a: Array) -> Any: """The eigenvalues of matrices. Of real matrices they are real if all of them are, else complex (always, where data cannot be asked)."""
@overload
def eigvals(a: _Given) -> NDArray[Any]: ...
@overload
def solve_triangular(a: Array, b: Any, trans: str = "N", lower: bool = False, unit_diagonal: bool = False) -> Any: """The x with a @ x = b of triangular matrices, of which only the triangle is read: the upper one, or the lower with `lower`.

    `trans` "T" (1) or "C" (2): of the transpose, the conjugate transpose. `unit_diagonal`: the diagonal is taken as 1. Parameters are SciPy's;
    single precision is computed in single precision. A 0 on a diagonal raises LinAlgError."""
@overload
def solve_triangular(a: _Given, b: Any, trans: str = "N", lower: bool = False, unit_diagonal: bool = False) -> NDArray[Any]: ...
def lu_factor(a: Any) -> tuple[Any, Any]: """L (below the diagonal, which is 1) and U in one matrix, and the exchanges of rows (`k` with `pivots[k]`) that make a = P @ L @ U."""
def lu(a: Any, permute_l: bool = False) -> Any: """P, L and U with a = P @ L @ U: exchanged rows, a lower triangle with a diagonal of 1, an upper one. With `permute_l`, P @ L and U."""
def lu_solve(lu_and_piv: Any, b: Any, trans: _Int = 0) -> Any: """The x with a @ x = b, from what `lu_factor` gives of a; `trans` 1 and 2: of the transpose, the conjugate transpose."""
def cho_factor(a: Any, lower: bool = False) -> tuple[Any, Any]: """A triangular factor of Hermitian, positive definite matrices, and whether it is the lower one: what `cho_solve` takes."""
def cho_solve(c_and_lower: Any, b: Any) -> Any: """The x with a @ x = b, from a triangular factor of a, a = L @ L.H or U.H @ U, and whether it is the lower one."""
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]: """The x of least |a @ x - b| (of those, the shortest), the sums of squared residuals, the rank of `a`, its singular values.

    Singular values below `rcond` times the greatest count as 0. The sums are empty where the rank is below N or M is not above N. (With M
    above N that is a question to the data, by which a program is chosen; the answer's work is not done again. Where nothing can be asked - a
    program for types, a branch inside the program - they are NaN where the rank is below N.)"""
@overload
def pinv(a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: _Float = 1e-15) -> Any: """The pseudo-inverse: of the singular values above `rtol` (or `rcond`) times the greatest. With `rtol=none`, max(M, N) times epsilon."""
@overload
def pinv(a: _Given, rcond: Any = None, hermitian: bool = False, *, rtol: _Float = 1e-15) -> NDArray[Any]: ...
@overload
def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any: """The rank of matrices: how many singular values are above `tol`, or above `rtol` (max(M, N) times epsilon) times the greatest."""
@overload
def matrix_rank(A: _Given, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> NDArray[Any]: ...
@overload
def condition_number(x: Array, p: Any = None) -> Any: """The condition numbers of matrices: the norm of order `p` (2) times that of the inverse; infinity for singular ones. np.linalg.cond."""
@overload
def condition_number(x: _Given, p: Any = None) -> NDArray[Any]: ...
@overload
def expm(a: Array) -> Any: """The exponential of matrices, the sum of a^k / k!, by scaling, a Pade approximant and squaring. It runs in Python, on NumPy."""
@overload
def expm(a: _Given) -> NDArray[Any]: ...
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any: """The x with tensordot(a, x, x.ndim) = b; the `axes` of `a` are moved to its end before."""
def tensorinv(a: Any, ind: _Int = 2) -> Any: """The inverse of the product with `a` over its last axes: tensordot(tensorinv(a, ind), a, ind) is an identity."""
@overload
def mse_loss(input: _F, target: Any, reduction: str = "mean") -> _F: """The squared difference."""
@overload
def mse_loss(input: Array, target: Any, reduction: str = "mean") -> Any: ...
@overload
def mse_loss(input: _Given, target: Any, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def l1_loss(input: _F, target: Any, reduction: str = "mean") -> _F: """The absolute difference."""
@overload
def l1_loss(input: Array, target: Any, reduction: str = "mean") -> Any: ...
@overload
def l1_loss(input: _Given, target: Any, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def huber_loss(input: _F, target: Any, delta: _Float = 1.0, reduction: str = "mean") -> _F: """Half the squared difference up to `delta`, linear beyond (Huber, 1964)."""
@overload
def huber_loss(input: Array, target: Any, delta: _Float = 1.0, reduction: str = "mean") -> Any: ...
@overload
def huber_loss(input: _Given, target: Any, delta: _Float = 1.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def smooth_l1_loss(input: _F, target: Any, beta: _Float = 1.0, reduction: str = "mean") -> _F: """`huber_loss` divided by `beta`: its slope far away is 1 for every beta."""
@overload
def smooth_l1_loss(input: Array, target: Any, beta: _Float = 1.0, reduction: str = "mean") -> Any: ...
@overload
def smooth_l1_loss(input: _Given, target: Any, beta: _Float = 1.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def log_cosh_loss(input: _F, target: Any, reduction: str = "mean") -> _F: """The logarithm of the difference's hyperbolic cosine, without overflow."""
@overload
def log_cosh_loss(input: Array, target: Any, reduction: str = "mean") -> Any: ...
@overload
def log_cosh_loss(input: _Given, target: Any, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def nll_loss(input: _F, target: Any, weight: Any = None, reduction: str = "mean") -> _F: """The negative log-probability at `target`, a class for each row of `input`; the mean is weighted where `weight` is given."""
@overload
def nll_loss(input: Array, target: Any, weight: Any = None, reduction: str = "mean") -> Any: ...
@overload
def nll_loss(input: _Given, target: Any, weight: Any = None, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def cross_entropy(input: _F, target: Any, weight: Any = None, label_smoothing: _Float = 0.0, reduction: str = "mean") -> _F: """The cross entropy of the classes' scores on the last axis with `target`: integers, or probabilities of the same shape."""
@overload
def cross_entropy(input: Array, target: Any, weight: Any = None, label_smoothing: _Float = 0.0, reduction: str = "mean") -> Any: ...
@overload
def cross_entropy(input: _Given, target: Any, weight: Any = None, label_smoothing: _Float = 0.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def binary_cross_entropy(input: _F, target: Any, weight: Any = None, reduction: str = "mean") -> _F: """The cross entropy of probabilities with targets between 0 and 1. Logarithms are cut off at -100, so that 0 and 1 have a loss."""
@overload
def binary_cross_entropy(input: Array, target: Any, weight: Any = None, reduction: str = "mean") -> Any: ...
@overload
def binary_cross_entropy(input: _Given, target: Any, weight: Any = None, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def binary_cross_entropy_with_logits(input: _F, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean") -> _F: """`binary_cross_entropy` of `sigmoid(input)`, without cancellation."""
@overload
def binary_cross_entropy_with_logits(input: Array, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean") -> Any: ...
@overload
def binary_cross_entropy_with_logits(input: _Given, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def kl_div(input: _F, target: Any, reduction: str = "mean", log_target: bool = False) -> _F: """The divergence of Kullback and Leibler: `input` are log-probabilities, `target` probabilities or, with `log_target`, their logarithms."""
@overload
def kl_div(input: Array, target: Any, reduction: str = "mean", log_target: bool = False) -> Any: ...
@overload
def kl_div(input: _Given, target: Any, reduction: str = "mean", log_target: bool = False) -> NDArray[Any]: ...
@overload
def hinge_loss(input: _F, target: Any, reduction: str = "mean") -> _F: """`max(0, 1 - target * input)` for targets of -1 and 1."""
@overload
def hinge_loss(input: Array, target: Any, reduction: str = "mean") -> Any: ...
@overload
def hinge_loss(input: _Given, target: Any, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def cosine_similarity(x1: _F, x2: Any, axis: _Axis = -1, eps: _Float = 1e-08) -> _F: """The cosine of the angle between vectors along `axis`; lengths below `eps` count as `eps`."""
@overload
def cosine_similarity(x1: Array, x2: Any, axis: _Axis = -1, eps: _Float = 1e-08) -> Any: ...
@overload
def cosine_similarity(x1: _Given, x2: Any, axis: _Axis = -1, eps: _Float = 1e-08) -> NDArray[Any]: ...
@overload
def pairwise_distance(x1: _F, x2: Any, ord: _Int = 2, eps: _Float = 1e-06, axis: _Axis = -1, keepdims: bool = False) -> _F: """The length of `x1 - x2 + eps` along `axis`."""
@overload
def pairwise_distance(x1: Array, x2: Any, ord: _Int = 2, eps: _Float = 1e-06, axis: _Axis = -1, keepdims: bool = False) -> Any: ...
@overload
def pairwise_distance(x1: _Given, x2: Any, ord: _Int = 2, eps: _Float = 1e-06, axis: _Axis = -1, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def triplet_margin_loss(anchor: _F, positive: Any, negative: Any, margin: _Float = 1.0, ord: _Int = 2, eps: _Float = 1e-06, swap: bool = False, reduction: str = "mean") -> _F: """How much farther than `margin` an anchor is from what is like it than from what is not (Schroff et al., 2015), at least 0. With `swap`
    the distance to `negative` is the lesser of the anchor's and that of `positive`."""
@overload
def triplet_margin_loss(anchor: Array, positive: Any, negative: Any, margin: _Float = 1.0, ord: _Int = 2, eps: _Float = 1e-06, swap: bool = False, reduction: str = "mean") -> Any: ...
@overload
def triplet_margin_loss(anchor: _Given, positive: Any, negative: Any, margin: _Float = 1.0, ord: _Int = 2, eps: _Float = 1e-06, swap: bool = False, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def margin_ranking_loss(input1: _F, input2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> _F: """`max(0, margin - target * (input1 - input2))`: with target 1 the first is to be greater, with -1 the second."""
@overload
def margin_ranking_loss(input1: Array, input2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> Any: ...
@overload
def margin_ranking_loss(input1: _Given, input2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def cosine_embedding_loss(x1: _F, x2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> _F: """With target 1, `1 - cosine_similarity`; with -1, how much the similarity is above `margin`."""
@overload
def cosine_embedding_loss(x1: Array, x2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> Any: ...
@overload
def cosine_embedding_loss(x1: _Given, x2: Any, target: Any, margin: _Float = 0.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def hinge_embedding_loss(input: _F, target: Any, margin: _Float = 1.0, reduction: str = "mean") -> _F: """`input`, a distance, with target 1; with -1, how much it is below `margin`."""
@overload
def hinge_embedding_loss(input: Array, target: Any, margin: _Float = 1.0, reduction: str = "mean") -> Any: ...
@overload
def hinge_embedding_loss(input: _Given, target: Any, margin: _Float = 1.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def soft_margin_loss(input: _F, target: Any, reduction: str = "mean") -> _F: """`log(1 + exp(-target * input))` for targets of -1 and 1, without overflow."""
@overload
def soft_margin_loss(input: Array, target: Any, reduction: str = "mean") -> Any: ...
@overload
def soft_margin_loss(input: _Given, target: Any, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def multi_margin_loss(input: _F, target: Any, ord: _Int = 1, margin: _Float = 1.0, weight: Any = None, reduction: str = "mean") -> _F: """The mean over the classes of `max(0, margin - score of the target + score of the class) ** ord`, the target itself left out of the sum."""
@overload
def multi_margin_loss(input: Array, target: Any, ord: _Int = 1, margin: _Float = 1.0, weight: Any = None, reduction: str = "mean") -> Any: ...
@overload
def multi_margin_loss(input: _Given, target: Any, ord: _Int = 1, margin: _Float = 1.0, weight: Any = None, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def multilabel_soft_margin_loss(input: _F, target: Any, weight: Any = None, reduction: str = "mean") -> _F: """The mean over the classes of `binary_cross_entropy_with_logits`."""
@overload
def multilabel_soft_margin_loss(input: Array, target: Any, weight: Any = None, reduction: str = "mean") -> Any: ...
@overload
def multilabel_soft_margin_loss(input: _Given, target: Any, weight: Any = None, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def focal_loss(input: _F, target: Any, alpha: _Float = 0.25, gamma: _Float = 2.0, reduction: str = "mean") -> _F: """The cross entropy of `sigmoid(input)` times `(1 - p) ** gamma`, p being the probability that is given to the target (Lin et al., 2017),
    and times `alpha` for targets of 1, `1 - alpha` for those of 0; `alpha` none leaves that out."""
@overload
def focal_loss(input: Array, target: Any, alpha: _Float = 0.25, gamma: _Float = 2.0, reduction: str = "mean") -> Any: ...
@overload
def focal_loss(input: _Given, target: Any, alpha: _Float = 0.25, gamma: _Float = 2.0, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def gaussian_nll_loss(input: _F, target: Any, var: Any, full: bool = False, eps: _Float = 1e-06, reduction: str = "mean") -> _F: """The negative log-likelihood of `target` under a normal distribution with mean `input` and variance `var`, which counts as `eps` where it
    is less; the constant is left out unless `full`."""
@overload
def gaussian_nll_loss(input: Array, target: Any, var: Any, full: bool = False, eps: _Float = 1e-06, reduction: str = "mean") -> Any: ...
@overload
def gaussian_nll_loss(input: _Given, target: Any, var: Any, full: bool = False, eps: _Float = 1e-06, reduction: str = "mean") -> NDArray[Any]: ...
@overload
def poisson_nll_loss(input: _F, target: Any, log_input: bool = True, full: bool = False, eps: _Float = 1e-08, reduction: str = "mean") -> _F: """The negative log-likelihood of `target` under a Poisson distribution with mean `exp(input)`, or `input` itself without `log_input`; with
    `full`, also Stirling's approximation of the target's factorial."""
@overload
def poisson_nll_loss(input: Array, target: Any, log_input: bool = True, full: bool = False, eps: _Float = 1e-08, reduction: str = "mean") -> Any: ...
@overload
def poisson_nll_loss(input: _Given, target: Any, log_input: bool = True, full: bool = False, eps: _Float = 1e-08, reduction: str = "mean") -> NDArray[Any]: ...
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, kwargs: Any) -> Any: """`func1d(row, *args, **kwargs)` of every vector along an axis, whose place the axes of its results take."""
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any: """The array, of which no element may be infinite or NaN."""
@overload
def relu(x: _F) -> _F: """`x` where it is positive, else 0. NaN stays NaN; the derivative at 0 is 0."""
@overload
def relu(x: Array) -> Any: ...
@overload
def relu(x: _Given) -> NDArray[Any]: ...
@overload
def relu6(x: _F) -> _F: """`x` between 0 and 6, the bounds where it is outside."""
@overload
def relu6(x: Array) -> Any: ...
@overload
def relu6(x: _Given) -> NDArray[Any]: ...
@overload
def leaky_relu(x: _F, negative_slope: _Float = 0.01) -> _F: """`x` where it is positive, else `negative_slope * x`."""
@overload
def leaky_relu(x: Array, negative_slope: _Float = 0.01) -> Any: ...
@overload
def leaky_relu(x: _Given, negative_slope: _Float = 0.01) -> NDArray[Any]: ...
@overload
def elu(x: _F, alpha: _Float = 1.0) -> _F: """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
@overload
def elu(x: Array, alpha: _Float = 1.0) -> Any: ...
@overload
def elu(x: _Given, alpha: _Float = 1.0) -> NDArray[Any]: ...
@overload
def celu(x: _F, alpha: _Float = 1.0) -> _F: """`x` where it is positive, else `alpha * (exp(x / alpha) - 1)`; its slope is continuous for every alpha."""
@overload
def celu(x: Array, alpha: _Float = 1.0) -> Any: ...
@overload
def celu(x: _Given, alpha: _Float = 1.0) -> NDArray[Any]: ...
@overload
def selu(x: _F) -> _F: """The self-normalizing `scale * elu(x, alpha)` of Klambauer et al., 2017."""
@overload
def selu(x: Array) -> Any: ...
@overload
def selu(x: _Given) -> NDArray[Any]: ...
@overload
def gelu(x: _F, approximate: bool = False) -> _F: """`x` times the normal distribution's probability of less than `x`; with `approximate`, by a tanh (Hendrycks and Gimpel, 2016)."""
@overload
def gelu(x: Array, approximate: bool = False) -> Any: ...
@overload
def gelu(x: _Given, approximate: bool = False) -> NDArray[Any]: ...
@overload
def silu(x: _F) -> _F: """`x * sigmoid(x)`, also called swish."""
@overload
def silu(x: Array) -> Any: ...
@overload
def silu(x: _Given) -> NDArray[Any]: ...
@overload
def mish(x: _F) -> _F: """`x * tanh(softplus(x))`."""
@overload
def mish(x: Array) -> Any: ...
@overload
def mish(x: _Given) -> NDArray[Any]: ...
@overload
def softsign(x: _F) -> _F: """`x / (1 + abs(x))`."""
@overload
def softsign(x: Array) -> Any: ...
@overload
def softsign(x: _Given) -> NDArray[Any]: ...
@overload
def log_sigmoid(x: _F) -> _F: """The logarithm of the sigmoid, without cancellation."""
@overload
def log_sigmoid(x: Array) -> Any: ...
@overload
def log_sigmoid(x: _Given) -> NDArray[Any]: ...
@overload
def hardtanh(x: _F, min_val: Any = ..., max_val: _Float = 1.0) -> _F: """`x` between `min_val` and `max_val`, the bounds where it is outside."""
@overload
def hardtanh(x: Array, min_val: Any = ..., max_val: _Float = 1.0) -> Any: ...
@overload
def hardtanh(x: _Given, min_val: Any = ..., max_val: _Float = 1.0) -> NDArray[Any]: ...
@overload
def hard_sigmoid(x: _F) -> _F: """The piecewise linear `x / 6 + 1 / 2` between 0 and 1."""
@overload
def hard_sigmoid(x: Array) -> Any: ...
@overload
def hard_sigmoid(x: _Given) -> NDArray[Any]: ...
@overload
def hard_silu(x: _F) -> _F: """`x * hard_sigmoid(x)`, also called hard swish."""
@overload
def hard_silu(x: Array) -> Any: ...
@overload
def hard_silu(x: _Given) -> NDArray[Any]: ...
@overload
def prelu(x: _F, weight: Any) -> _F: """`x` where it is positive, else `weight * x`: the slope below 0 is an argument, a number or one for each channel."""
@overload
def prelu(x: Array, weight: Any) -> Any: ...
@overload
def prelu(x: _Given, weight: Any) -> NDArray[Any]: ...
@overload
def threshold(x: _F, limit: Any, value: Any) -> _F: """`x` where it is greater than `limit`, else `value`."""
@overload
def threshold(x: Array, limit: Any, value: Any) -> Any: ...
@overload
def threshold(x: _Given, limit: Any, value: Any) -> NDArray[Any]: ...
@overload
def hardshrink(x: _F, lambd: _Float = 0.5) -> _F: """`x` where it is farther than `lambd` from 0, else 0."""
@overload
def hardshrink(x: Array, lambd: _Float = 0.5) -> Any: ...
@overload
def hardshrink(x: _Given, lambd: _Float = 0.5) -> NDArray[Any]: ...
@overload
def softshrink(x: _F, lambd: _Float = 0.5) -> _F: """`x` moved by `lambd` towards 0, and 0 where it is nearer than that."""
@overload
def softshrink(x: Array, lambd: _Float = 0.5) -> Any: ...
@overload
def softshrink(x: _Given, lambd: _Float = 0.5) -> NDArray[Any]: ...
@overload
def tanhshrink(x: _F) -> _F: """`x - tanh(x)`."""
@overload
def tanhshrink(x: Array) -> Any: ...
@overload
def tanhshrink(x: _Given) -> NDArray[Any]: ...
@overload
def softmin(x: _F, axis: _Axis = -1) -> _F: """`softmax` of `-x`: the least element has the greatest share."""
@overload
def softmin(x: Array, axis: _Axis = -1) -> Any: ...
@overload
def softmin(x: _Given, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def glu(x: _F, axis: _Axis = -1) -> _F: """The gated linear unit: the first half along `axis` times the sigmoid of the second."""
@overload
def glu(x: Array, axis: _Axis = -1) -> Any: ...
@overload
def glu(x: _Given, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def swiglu(x: _F, axis: _Axis = -1) -> _F: """A gated linear unit with `silu` (Shazeer, 2020): that of the first half along `axis` times the second half."""
@overload
def swiglu(x: Array, axis: _Axis = -1) -> Any: ...
@overload
def swiglu(x: _Given, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def softmax(x: _F, axis: _Axis = -1) -> _F: """Exponentials divided by their sum over `axis`, without overflow. 16-bit floats are computed in f32."""
@overload
def softmax(x: Array, axis: _Axis = -1) -> Any: ...
@overload
def softmax(x: _Given, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def log_softmax(x: _F, axis: _Axis = -1) -> _F: """The logarithm of `softmax`, without cancellation. 16-bit floats are computed in f32."""
@overload
def log_softmax(x: Array, axis: _Axis = -1) -> Any: ...
@overload
def log_softmax(x: _Given, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def layer_norm(x: _F, weight: Any = None, bias: Any = None, eps: _Float = 1e-05, axis: _Axis = -1) -> _F: """`x` with mean 0 and variance 1 over `axis`, times `weight`, plus `bias`. 16-bit floats are computed in f32."""
@overload
def layer_norm(x: Array, weight: Any = None, bias: Any = None, eps: _Float = 1e-05, axis: _Axis = -1) -> Any: ...
@overload
def layer_norm(x: _Given, weight: Any = None, bias: Any = None, eps: _Float = 1e-05, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def rms_norm(x: _F, weight: Any = None, eps: _Float = 1e-06, axis: _Axis = -1) -> _F: """`x` divided by the root of its mean square over `axis`, times `weight`. 16-bit floats are computed in f32."""
@overload
def rms_norm(x: Array, weight: Any = None, eps: _Float = 1e-06, axis: _Axis = -1) -> Any: ...
@overload
def rms_norm(x: _Given, weight: Any = None, eps: _Float = 1e-06, axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def group_norm(x: _F, groups: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> _F: """`x` normalized over each of the `groups` of its channels, which are axis 1, and all axes after it."""
@overload
def group_norm(x: Array, groups: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> Any: ...
@overload
def group_norm(x: _Given, groups: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> NDArray[Any]: ...
@overload
def batch_norm(x: _F, mean: Any, variance: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> _F: """`x` normalized by each channel's given mean and variance; channels are axis 1."""
@overload
def batch_norm(x: Array, mean: Any, variance: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> Any: ...
@overload
def batch_norm(x: _Given, mean: Any, variance: Any, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> NDArray[Any]: ...
@overload
def instance_norm(x: _F, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> _F: """`x` normalized over the axes behind the channels, which are axis 1, for each example and channel by itself."""
@overload
def instance_norm(x: Array, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> Any: ...
@overload
def instance_norm(x: _Given, weight: Any = None, bias: Any = None, eps: _Float = 1e-05) -> NDArray[Any]: ...
@overload
def local_response_norm(x: _F, size: Any, alpha: _Float = 0.0001, beta: _Float = 0.75, k: _Float = 1.0) -> _F: """`x` divided by `(k + alpha * m) ** beta`, m being the mean square of `size` neighbouring channels, which are axis 1 (Krizhevsky et
    al., 2012). Channels that do not exist count as zeros. 16-bit floats are computed in f32."""
@overload
def local_response_norm(x: Array, size: Any, alpha: _Float = 0.0001, beta: _Float = 0.75, k: _Float = 1.0) -> Any: ...
@overload
def local_response_norm(x: _Given, size: Any, alpha: _Float = 0.0001, beta: _Float = 0.75, k: _Float = 1.0) -> NDArray[Any]: ...
@overload
def normalize(x: _F, ord: _Int = 2, axis: _Axis = -1, eps: _Float = 1e-12) -> _F: """`x` divided by its length along `axis`; lengths below `eps` count as `eps`. 16-bit floats are computed in f32."""
@overload
def normalize(x: Array, ord: _Int = 2, axis: _Axis = -1, eps: _Float = 1e-12) -> Any: ...
@overload
def normalize(x: _Given, ord: _Int = 2, axis: _Axis = -1, eps: _Float = 1e-12) -> NDArray[Any]: ...
@overload
def dropout(x: _F, rate: Any, key: Any, shared: Any = ...) -> _F: """`x` with 0 for each element with probability `rate`, the others divided by `1 - rate`. Equal keys choose the same elements; along
    the axes `shared` all are kept or none (of images [N, C, H, W], with (-2, -1) whole channels)."""
@overload
def dropout(x: Array, rate: Any, key: Any, shared: Any = ...) -> Any: ...
@overload
def dropout(x: _Given, rate: Any, key: Any, shared: Any = ...) -> NDArray[Any]: ...
@overload
def alpha_dropout(x: _F, rate: Any, key: Any, shared: Any = ...) -> _F: """Dropout for networks of `selu` (Klambauer et al., 2017): what is dropped is -1.758.., and an affine map keeps mean and variance."""
@overload
def alpha_dropout(x: Array, rate: Any, key: Any, shared: Any = ...) -> Any: ...
@overload
def alpha_dropout(x: _Given, rate: Any, key: Any, shared: Any = ...) -> NDArray[Any]: ...
@overload
def linear(x: _F, weight: Any, bias: Any = None) -> _F: """`x @ weight + bias`."""
@overload
def linear(x: Array, weight: Any, bias: Any = None) -> Any: ...
@overload
def linear(x: _Given, weight: Any, bias: Any = None) -> NDArray[Any]: ...
@overload
def one_hot(x: Array, num_classes: Any, dtype: Any = ..., axis: _Axis = -1) -> Any: """A new axis with 1 at the position that `x` names and 0 elsewhere; nothing but 0 where `x` is outside of it."""
@overload
def one_hot(x: _Given, num_classes: Any, dtype: Any = ..., axis: _Axis = -1) -> NDArray[Any]: ...
@overload
def sort(a: _F, axis: _Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> _F: """The elements in increasing order along `axis` (of the flattened array without one), NaN last."""
@overload
def sort(a: Array, axis: _Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any: ...
@overload
def sort(a: _Given, axis: _Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> NDArray[Any]: ...
@overload
def argsort(a: Array, axis: _Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any: """The places that the elements have in increasing order along `axis` (of the flattened array without one), NaN last."""
@overload
def argsort(a: _Given, axis: _Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> NDArray[Any]: ...
def lexsort(keys: Any, axis: _Axis = -1) -> Any: """The places of the elements in increasing order by the last of the keys; where that is equal, by the one before it, and so on."""
@overload
def sort_complex(a: Array) -> Any: """The elements as complex numbers in increasing order along the last axis: by their real parts, then by their imaginary parts."""
@overload
def sort_complex(a: _Given) -> NDArray[Any]: ...
@overload
def partition(a: Array, kth: Any, axis: _Axis = -1, kind: str = "introselect", order: Any = None) -> Any: """The elements along `axis` (of the flattened array without one) in such an order that the kth ones are where sorting would put them,
    lesser ones before them, greater ones behind them."""
@overload
def partition(a: _Given, kth: Any, axis: _Axis = -1, kind: str = "introselect", order: Any = None) -> NDArray[Any]: ...
@overload
def argpartition(a: Array, kth: Any, axis: _Axis = -1, kind: str = "introselect", order: Any = None) -> Any: """The places of the elements along `axis` (of the flattened array without one) in a partition at the kth ones."""
@overload
def argpartition(a: _Given, kth: Any, axis: _Axis = -1, kind: str = "introselect", order: Any = None) -> NDArray[Any]: ...
@overload
def median(a: Array, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any: """The middle one of the elements over `axis`, in order; of an even number the mean of the two in the middle. NaN where one is NaN."""
@overload
def median(a: _Given, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def nanmedian(a: Array, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any: """The middle one of the elements over `axis` that are not NaN, in order; NaN where there is none."""
@overload
def nanmedian(a: _Given, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def quantile(a: Array, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Any: """What a part `q`, from 0 to 1, of the elements over `axis` does not exceed; between two elements as `method` says (Hyndman and Fan,
    1996). The axes of `q` come first in the result. NaN where an element is NaN."""
@overload
def quantile(a: _Given, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> NDArray[Any]: ...
@overload
def percentile(a: Array, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Any: """What `q` percent, from 0 to 100, of the elements over `axis` do not exceed: `quantile` of `q / 100`."""
@overload
def percentile(a: _Given, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> NDArray[Any]: ...
@overload
def nanquantile(a: Array, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Any: """What a part `q` of those elements over `axis` that are not NaN does not exceed; NaN where there is none."""
@overload
def nanquantile(a: _Given, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> NDArray[Any]: ...
@overload
def nanpercentile(a: Array, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Any: """What `q` percent of those elements over `axis` that are not NaN do not exceed; NaN where there is none."""
@overload
def nanpercentile(a: _Given, q: Any, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> NDArray[Any]: ...
@overload
def searchsorted(a: Array, v: Any, side: str = "left", sorter: Any = None) -> Any: """Where in the increasing vector `a` the elements of `v` belong. `sorter` are the places of its elements in increasing
    order where `a` is not. Found by halves of the vector."""
@overload
def searchsorted(a: _Given, v: Any, side: str = "left", sorter: Any = None) -> NDArray[Any]: ...
@overload
def digitize(x: Array, bins: Any, right: bool = False) -> Any: """The number of the bin that each element falls into. Bins increase or decrease; `right` closes them at their right end."""
@overload
def digitize(x: _Given, bins: Any, right: bool = False) -> NDArray[Any]: ...
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any: """Straight lines through the points (`xp`, `fp`), `xp` increasing, at `x`; `left` and `right` beyond the ends. With a `period` places are
    taken modulo it, and the points need no order."""
@overload
def piecewise(x: Array, condlist: Any, funclist: Any) -> Any: """Of each element the function, or the number, whose condition holds there; the last of several. One more function is for where none holds."""
@overload
def piecewise(x: _Given, condlist: Any, funclist: Any) -> NDArray[Any]: ...
def poly(seq_of_zeros: Any) -> Any: """The polynomial with these zeros, or of a square matrix the characteristic one; complex zeros give complex coefficients."""
def polyadd(a1: Any, a2: Any) -> Any: """The sum of two polynomials."""
def polysub(a1: Any, a2: Any) -> Any: """The difference of two polynomials."""
def polymul(a1: Any, a2: Any) -> Any: """The product of two polynomials."""
def polydiv(u: Any, v: Any) -> tuple[Any, Any]: """The quotient and the remainder of a division of polynomials; the remainder has as many coefficients as its degree may ask for."""
def polyder(p: Any, m: _Int = 1) -> Any: """The m-th derivative of a polynomial."""
def polyint(p: Any, m: _Int = 1, k: Any = None) -> Any: """The m-th integral of a polynomial; `k` are the constants, one or, for the first integration first, m of them."""
def roots(p: Any) -> Any: """The zeros of a polynomial, complex: the eigenvalues of its companion matrix. Its first and last coefficients must not be 0: NumPy cuts
    them off, which changes the size of the result."""
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: bool = False) -> Any: """The polynomial of degree `deg` that is nearest to points by least squares, weighted by `w`; y is a vector, or columns of them.

    With `full` also the residuals, the rank and the singular values of the scaled matrix, and `rcond`; with `cov` the coefficients'
    covariances (unscaled ones for "unscaled")."""
@overload
def mean(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> _F: """The arithmetic mean over `axis`. Integers are averaged in f64, 16-bit floats in f32."""
@overload
def mean(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> Any: ...
@overload
def mean(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> NDArray[Any]: ...
def average(a: Any, axis: _Axis = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any: """The mean over `axis`, weighted where `weights` are given; with `returned`, also the sum of the weights."""
@overload
def var(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> _F: """The variance over `axis`, in two passes: the mean squared distance from the mean. The divisor is `N - ddof`."""
@overload
def var(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> Any: ...
@overload
def var(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> NDArray[Any]: ...
@overload
def std(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> _F: """The standard deviation over `axis`: the square root of `var`."""
@overload
def std(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> Any: ...
@overload
def std(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> NDArray[Any]: ...
@overload
def nansum(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> _F: """The sum over `axis`, NaN counted as zero."""
@overload
def nansum(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> Any: ...
@overload
def nansum(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> NDArray[Any]: ...
@overload
def nanprod(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> _F: """The product over `axis`, NaN counted as one."""
@overload
def nanprod(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> Any: ...
@overload
def nanprod(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> NDArray[Any]: ...
@overload
def nancumsum(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None) -> _F: """The running sum along `axis`, NaN counted as zero."""
@overload
def nancumsum(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None) -> Any: ...
@overload
def nancumsum(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None) -> NDArray[Any]: ...
@overload
def nancumprod(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None) -> _F: """The running product along `axis`, NaN counted as one."""
@overload
def nancumprod(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None) -> Any: ...
@overload
def nancumprod(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None) -> NDArray[Any]: ...
@overload
def nanmax(a: _F, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> _F: """The greatest element over `axis`, NaN left out; NaN where there is nothing else."""
@overload
def nanmax(a: Array, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> Any: ...
@overload
def nanmax(a: _Given, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> NDArray[Any]: ...
@overload
def nanmin(a: _F, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> _F: """The least element over `axis`, NaN left out; NaN where there is nothing else."""
@overload
def nanmin(a: Array, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> Any: ...
@overload
def nanmin(a: _Given, axis: _Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: bool = True) -> NDArray[Any]: ...
@overload
def nanmean(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> _F: """The mean over `axis` of the elements that are not NaN; NaN where there is none."""
@overload
def nanmean(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> Any: ...
@overload
def nanmean(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: bool = True) -> NDArray[Any]: ...
@overload
def nanvar(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> _F: """The variance over `axis` of the elements that are not NaN; NaN where no more than `ddof` are left."""
@overload
def nanvar(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> Any: ...
@overload
def nanvar(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> NDArray[Any]: ...
@overload
def nanstd(a: _F, axis: _Axis = None, dtype: None = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> _F: """The standard deviation over `axis` of the elements that are not NaN: the square root of `nanvar`."""
@overload
def nanstd(a: Array, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> Any: ...
@overload
def nanstd(a: _Given, axis: _Axis = None, dtype: Any = None, out: Any = None, ddof: _Int = 0, keepdims: bool = False, *, where: bool = True, mean: Any = None, correction: Any = None) -> NDArray[Any]: ...
@overload
def logsumexp(a: _F, axis: _Axis = None, b: Any = None, keepdims: bool = False) -> _F: """The logarithm of the sum of exponentials over `axis`, of `b * exp(a)` where `b` is given, without overflow."""
@overload
def logsumexp(a: Array, axis: _Axis = None, b: Any = None, keepdims: bool = False) -> Any: ...
@overload
def logsumexp(a: _Given, axis: _Axis = None, b: Any = None, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def adaptive_avg_pool1d(x: _F, size: Any) -> _F: """The last axis as the means of `size` windows that cover it."""
@overload
def adaptive_avg_pool1d(x: Array, size: Any) -> Any: ...
@overload
def adaptive_avg_pool1d(x: _Given, size: Any) -> NDArray[Any]: ...
@overload
def adaptive_avg_pool2d(x: _F, size: Any) -> _F: """The last two axes as the means of `size` windows that cover them; `size` is a number, or a pair."""
@overload
def adaptive_avg_pool2d(x: Array, size: Any) -> Any: ...
@overload
def adaptive_avg_pool2d(x: _Given, size: Any) -> NDArray[Any]: ...
@overload
def adaptive_max_pool1d(x: _F, size: Any) -> _F: """The last axis as the greatest values of `size` windows that cover it."""
@overload
def adaptive_max_pool1d(x: Array, size: Any) -> Any: ...
@overload
def adaptive_max_pool1d(x: _Given, size: Any) -> NDArray[Any]: ...
@overload
def adaptive_max_pool2d(x: _F, size: Any) -> _F: """The last two axes as the greatest values of `size` windows that cover them; `size` is a number, or a pair."""
@overload
def adaptive_max_pool2d(x: Array, size: Any) -> Any: ...
@overload
def adaptive_max_pool2d(x: _Given, size: Any) -> NDArray[Any]: ...
@overload
def interpolate(x: _F, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False) -> _F: """The axes behind the channels, which are axis 1, with other extents: `size`, or `scale_factor` times theirs; numbers, or one for each.

    `mode` is "nearest" (the element at the place rounded down), "nearest-exact" (at the middle), "linear" (also "bilinear" and
    "trilinear": straight lines between neighbours) or "cubic" (also "bicubic": cubics through four neighbours, Keys, 1981, with slope
    parameter -0.75). Elements are cells whose middles correspond, or, with `align_corners`, the first and last of an axis do. 16-bit
    floats are computed in f32."""
@overload
def interpolate(x: Array, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False) -> Any: ...
@overload
def interpolate(x: _Given, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False) -> NDArray[Any]: ...
@overload
def pixel_shuffle(x: _F, factor: Any) -> _F: """[.., C * r * r, H, W] as [.., C, H * r, W * r]: channels become the elements of r x r cells (Shi et al., 2016)."""
@overload
def pixel_shuffle(x: Array, factor: Any) -> Any: ...
@overload
def pixel_shuffle(x: _Given, factor: Any) -> NDArray[Any]: ...
@overload
def pixel_unshuffle(x: _F, factor: Any) -> _F: """The inverse of `pixel_shuffle`."""
@overload
def pixel_unshuffle(x: Array, factor: Any) -> Any: ...
@overload
def pixel_unshuffle(x: _Given, factor: Any) -> NDArray[Any]: ...
@overload
def conv_transpose1d(x: Array, weight: Any, bias: Any = None, stride: _Int = 1, padding: _Int = 0, output_padding: _Int = 0, groups: _Int = 1, dilation: _Int = 1) -> Any: """The transpose of `conv1d` as a linear map: `y[f, i * stride + k * dilation - padding]` takes `x[c, i] * weight[c, f, k]`.

    The extent is (N - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1; weight is [C, F / groups, K], bias [F]."""
@overload
def conv_transpose1d(x: _Given, weight: Any, bias: Any = None, stride: _Int = 1, padding: _Int = 0, output_padding: _Int = 0, groups: _Int = 1, dilation: _Int = 1) -> NDArray[Any]: ...
@overload
def conv_transpose2d(x: Array, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., output_padding: Any = ..., groups: _Int = 1, dilation: Any = ...) -> Any: """The transpose of `conv2d` as a linear map; stride, paddings and dilation are numbers, or pairs for the two axes. weight is
    [C, F / groups, P, Q], bias [F]; extents are as in `conv_transpose1d`."""
@overload
def conv_transpose2d(x: _Given, weight: Any, bias: Any = None, stride: Any = ..., padding: Any = ..., output_padding: Any = ..., groups: _Int = 1, dilation: Any = ...) -> NDArray[Any]: ...
def chebval(x: Any, c: Any, tensor: bool = True) -> Any: """The value at x of a series of Chebyshev polynomials with the coefficients `c`; with `tensor`, of each column of c at every x."""
def legval(x: Any, c: Any, tensor: bool = True) -> Any: """The value at x of a series of Legendre polynomials; see `chebval`."""
def lagval(x: Any, c: Any, tensor: bool = True) -> Any: """The value at x of a series of Laguerre polynomials; see `chebval`."""
def hermval(x: Any, c: Any, tensor: bool = True) -> Any: """The value at x of a series of Hermite's polynomials of physics; see `chebval`."""
def hermeval(x: Any, c: Any, tensor: bool = True) -> Any: """The value at x of a series of Hermite's polynomials of statistics; see `chebval`."""
def chebvander(x: Any, deg: Any) -> Any: """Chebyshev polynomials of degree 0 to `deg` at each x, along a new last axis."""
def legvander(x: Any, deg: Any) -> Any: """Legendre polynomials of degree 0 to `deg` at each x, along a new last axis."""
def lagvander(x: Any, deg: Any) -> Any: """Laguerre polynomials of degree 0 to `deg` at each x, along a new last axis."""
def hermvander(x: Any, deg: Any) -> Any: """Hermite's polynomials of physics of degree 0 to `deg` at each x, along a new last axis."""
def hermevander(x: Any, deg: Any) -> Any: """Hermite's polynomials of statistics of degree 0 to `deg` at each x, along a new last axis."""
@overload
def nonzero(a: Array, *, size: Any = None, fill_value: _Int = 0) -> Any: """Where elements are not zero, the subscripts along each axis. With a `size` the first so many, `fill_value` where there are no more."""
@overload
def nonzero(a: _Given, *, size: Any = None, fill_value: _Int = 0) -> NDArray[Any]: ...
@overload
def flatnonzero(a: Array, *, size: Any = None, fill_value: _Int = 0) -> Any: """Where elements of the flattened array are not zero. With a `size` the first so many places, `fill_value` where there are no more."""
@overload
def flatnonzero(a: _Given, *, size: Any = None, fill_value: _Int = 0) -> NDArray[Any]: ...
@overload
def argwhere(a: Array, *, size: Any = None, fill_value: _Int = 0) -> Any: """Where elements are not zero, a row of subscripts for each; with a `size` those of the first so many."""
@overload
def argwhere(a: _Given, *, size: Any = None, fill_value: _Int = 0) -> NDArray[Any]: ...
@overload
def unique(ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: _Axis = None, *, equal_nan: bool = True, sorted: bool = True, size: Any = None, fill_value: Any = None) -> Any: """The different elements (along `axis`, the different slices) in increasing order. With a `size` the first so many; where there are
    fewer the rest is `fill_value`, without one the least element, with counts of 0."""
@overload
def unique(ar: _Given, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: _Axis = None, *, equal_nan: bool = True, sorted: bool = True, size: Any = None, fill_value: Any = None) -> NDArray[Any]: ...
@overload
def unique_values(x: Array, *, size: Any = None, fill_value: Any = None) -> Any: """The different elements in increasing order; NaN differs from NaN."""
@overload
def unique_values(x: _Given, *, size: Any = None, fill_value: Any = None) -> NDArray[Any]: ...
@overload
def unique_counts(x: Array, *, size: Any = None, fill_value: Any = None) -> Any: """The different elements and how often each occurs."""
@overload
def unique_counts(x: _Given, *, size: Any = None, fill_value: Any = None) -> NDArray[Any]: ...
@overload
def unique_inverse(x: Array, *, size: Any = None, fill_value: Any = None) -> Any: """The different elements, and of each element of the array its place among them."""
@overload
def unique_inverse(x: _Given, *, size: Any = None, fill_value: Any = None) -> NDArray[Any]: ...
@overload
def unique_all(x: Array, *, size: Any = None, fill_value: Any = None) -> Any: """The different elements, where each stands first, of each element of the array its place among them, how often each occurs."""
@overload
def unique_all(x: _Given, *, size: Any = None, fill_value: Any = None) -> NDArray[Any]: ...
@overload
def isin(element: Array, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Any: """Which elements occur among `test_elements`."""
@overload
def isin(element: _Given, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> NDArray[Any]: ...
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False, *, size: Any = None, fill_value: Any = None) -> Any: """The elements of both arrays, each once, in increasing order; with `return_indices` also where each stands first in either."""
def union1d(ar1: Any, ar2: Any, *, size: Any = None, fill_value: Any = None) -> Any: """The elements of either array, each once, in increasing order."""
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False, *, size: Any = None, fill_value: Any = None) -> Any: """The elements of the first array that are not in the second, each once, in increasing order."""
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False, *, size: Any = None, fill_value: Any = None) -> Any: """The elements of just one of the arrays, each once, in increasing order."""
def diag_indices(n: Any, ndim: _Int = 2) -> tuple[Any, ...]: """The subscripts of the main diagonal of an array with `ndim` axes of extent n."""
def diag_indices_from(arr: Any) -> tuple[Any, ...]: """The subscripts of the main diagonal of an array with at least two axes, all of one extent."""
def tril_indices(n: Any, k: _Int = 0, m: Any = None) -> tuple[Any, Any]: """The subscripts of the elements at and below the k-th diagonal of n rows and m columns."""
def triu_indices(n: Any, k: _Int = 0, m: Any = None) -> tuple[Any, Any]: """The subscripts of the elements at and above the k-th diagonal of n rows and m columns."""
def tril_indices_from(arr: Any, k: _Int = 0) -> tuple[Any, Any]: """The subscripts of the elements at and below the k-th diagonal of a matrix."""
def triu_indices_from(arr: Any, k: _Int = 0) -> tuple[Any, Any]: """The subscripts of the elements at and above the k-th diagonal of a matrix."""
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]: """The subscripts of elements of an array of that shape that are given by number."""
def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any: """The numbers of elements that are given by subscripts, one array for each axis of an array of shape `dims`. `mode` is what happens to
    subscripts that are out of range: "raise", "wrap" or "clip", one or one for each axis."""
@overload
def choose(a: Array, choices: Any, out: Any = None, mode: str = "raise") -> Any: """Each element from the array that `a` names there by number; all are broadcast. `mode` is what happens to numbers that are out of range."""
@overload
def choose(a: _Given, choices: Any, out: Any = None, mode: str = "raise") -> NDArray[Any]: ...
@overload
def insert(arr: _F, obj: Any, values: Any, axis: _Axis = None) -> _F: """The array with `values` put in before the place `obj`, or each before one of several, along `axis`; without one, of a vector."""
@overload
def insert(arr: Array, obj: Any, values: Any, axis: _Axis = None) -> Any: ...
@overload
def insert(arr: _Given, obj: Any, values: Any, axis: _Axis = None) -> NDArray[Any]: ...
@overload
def resize(a: _F, new_shape: Any) -> _F: """The elements in the new shape, repeated where there are too few."""
@overload
def resize(a: Array, new_shape: Any) -> Any: ...
@overload
def resize(a: _Given, new_shape: Any) -> NDArray[Any]: ...
def fromfunction(function: Any, shape: Any, *, dtype: Any = ...) -> Any: """What a function gives of the subscripts of all elements of a shape, an array for each axis."""
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any: """What a function of an array and an axis gives for one axis after the other; axes that it removes are kept with extent 1."""
@overload
def nanargmax(a: Array, axis: _Axis = None, out: Any = None, *, keepdims: bool = False) -> Any: """Where the greatest element over `axis` is, NaN left out. There must be another one."""
@overload
def nanargmax(a: _Given, axis: _Axis = None, out: Any = None, *, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def nanargmin(a: Array, axis: _Axis = None, out: Any = None, *, keepdims: bool = False) -> Any: """Where the least element over `axis` is, NaN left out. There must be another one."""
@overload
def nanargmin(a: _Given, axis: _Axis = None, out: Any = None, *, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def packbits(a: Array, axis: _Axis = None, bitorder: str = "big") -> Any: """Eight truths, along `axis` or of all elements, as the bits of a byte; the first is the highest, or with "little" the lowest."""
@overload
def packbits(a: _Given, axis: _Axis = None, bitorder: str = "big") -> NDArray[Any]: ...
@overload
def unpackbits(a: Array, axis: _Axis = None, count: Any = None, bitorder: str = "big") -> Any: """The bits of bytes as zeros and ones, along `axis` or of all elements: all, `count` of them, or with a negative one so many less."""
@overload
def unpackbits(a: _Given, axis: _Axis = None, count: Any = None, bitorder: str = "big") -> NDArray[Any]: ...
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any: """Arrays side by side: along the second axis, vectors along their only one."""
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any: """Arrays below each other; a vector is a row."""
def dstack(tup: Any) -> Any: """Arrays behind each other, along the third axis."""
def column_stack(tup: Any) -> Any: """Vectors as the columns of a matrix, matrices side by side."""
def block(arrays: Any) -> Any: """An array from nested lists of blocks: the innermost lists are joined along the last axis, the next along the one before it."""
def unstack(x: Any, *, axis: _Axis = 0) -> tuple[Any, ...]: """The arrays along an axis, as a tuple."""
def delete(arr: Any, obj: Any, axis: _Axis = None) -> Any: """The array without the element, or the elements of a list or slice, at the places `obj` along `axis`."""
def trim_zeros(filt: Any, trim: str = "fb", axis: _Axis = None) -> Any: """The array without the zeros in front of and behind its other elements: along each axis, or along those that `axis` says. `trim`
    says on which sides, "f", "b" or "fb"."""
@overload
def tile(A: _F, reps: Any) -> _F: """The array repeated, as often along each axis as `reps` says; missing axes are put in front."""
@overload
def tile(A: Array, reps: Any) -> Any: ...
@overload
def tile(A: _Given, reps: Any) -> NDArray[Any]: ...
@overload
def roll(a: _F, shift: Any, axis: _Axis = None) -> _F: """Elements moved along an axis; what leaves at one end comes in at the other. Without an axis, of the array as a vector."""
@overload
def roll(a: Array, shift: Any, axis: _Axis = None) -> Any: ...
@overload
def roll(a: _Given, shift: Any, axis: _Axis = None) -> NDArray[Any]: ...
def eye(N: Any, M: Any = None, k: _Int = 0, dtype: Any = ..., order: str = "C") -> Any: """Ones on the k-th diagonal of N rows and M columns, zeros beside it."""
def identity(n: Any, dtype: Any = ...) -> Any: """The identity matrix of n rows."""
def indices(dimensions: Any, dtype: Any = ..., sparse: bool = False) -> Any: """For each axis of a shape, the subscript along it of every element."""
def ix_(*args: Any) -> tuple[Any, ...]: """Vectors, each along an axis of its own: with vectors of integers, `x[ix_(rows, columns)]` is the sub-matrix."""
def multi_dot(arrays: Any, *, out: Any = None) -> Any: """The product of matrices; the first and the last may be vectors."""
def bartlett(M: Any) -> Any: """The triangular window of M points."""
def hanning(M: Any) -> Any: """The window of von Hann, M points."""
def hamming(M: Any) -> Any: """The window of Hamming, M points."""
def blackman(M: Any) -> Any: """The window of Blackman, M points."""
@overload
def i0(x: _F) -> _F: """The modified Bessel function of the first kind and order 0: Chebyshev series of it divided by exp(x), and beyond 8 also by sqrt(1 / x)."""
@overload
def i0(x: Array) -> Any: ...
@overload
def i0(x: _Given) -> NDArray[Any]: ...
def kaiser(M: Any, beta: Any) -> Any: """The window of Kaiser, M points; the greater `beta`, the lower its side lobes and the wider its main one."""
