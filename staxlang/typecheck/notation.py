"""The objects that users write types with: Tensor, dims, Dim, and the dtype classes f32, i64, .. as seen by type checkers and at run time.

To a type checker `Tensor` is `typing.Annotated`, so `Tensor[f32, N + 1, D]` is an `f32` and any expression may stand for a size. At
run time `Tensor[...]` gives a `TensorForm`, which `staxlang.typecheck.annotation_reading` reads. Pyright, mypy and others show `f32`;
the editor server shows the shape.
"""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.base import dtypes
from staxlang.base.sizes import Size, is_subscript_name, symbol

if TYPE_CHECKING:
    from typing import Annotated as Tensor

    from staxlang.typecheck.nominal import (
        Dim,
        bf16,
        bool_,
        c64,
        c128,
        f16,
        f32,
        f64,
        float_,
        i8,
        i16,
        i32,
        i64,
        int_,
        number,
        u8,
        u16,
        u32,
        u64,
    )  # fmt: skip

__all__ = [
    "Dim", "Rest", "Tensor", "TensorForm", "bf16", "bool_", "c64", "c128", "dims", "f16", "f32", "f64", "float_",
    "i8", "i16", "i32", "i64", "int_", "number", "u8", "u16", "u32", "u64",
]  # fmt: skip
HIGHEST_POWER = 8
"""The greatest exponent of a size in a type: `N ** 2`."""


class Rest:
    """`*B` in `Tensor[f32, *B, D]`: any number of axes, the same ones wherever `B` stands."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"*{self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rest) and other.name == self.name

    def __hash__(self) -> int:
        return hash(("rest", self.name))


class TensorForm:
    """What `Tensor[dtype, size, ...]` is at run time: what was written between the brackets. In .stx it is written `dtype[size, ...]`."""

    __slots__ = ("parameters", "stx")
    parameters: tuple[Any, ...]

    def __init__(self, parameters: tuple[Any, ...], stx: bool = False) -> None:
        self.parameters = parameters
        self.stx = stx

    def __repr__(self) -> str:
        if self.stx:
            first, *sizes = map(_written, self.parameters)
            return f"{first}[{', '.join(sizes)}]" if sizes else first
        return f"Tensor[{', '.join(map(_written, self.parameters))}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorForm) and other.parameters == self.parameters

    def __hash__(self) -> int:
        return hash(self.parameters)

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"{self!r} is a type for annotations: arrays are made with NumPy")

    def __or__(self, other: Any) -> Any:
        return UnionForm((self, other))

    def __ror__(self, other: Any) -> Any:
        return UnionForm((other, self))


class UnionForm:
    """`Tensor[...] | None` and its like."""

    __slots__ = ("members",)
    members: tuple[Any, ...]

    def __init__(self, members: tuple[Any, ...]) -> None:
        self.members = members

    def __repr__(self) -> str:
        return " | ".join(map(_written, self.members))

    def __or__(self, other: Any) -> Any:
        return UnionForm((*self.members, other))

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"{self!r} is a type for annotations")


def _written(one: Any) -> str:
    return "..." if one is Ellipsis else one.__name__ if isinstance(one, type) else str(one) if isinstance(one, (str, Dim)) else repr(one)


if not TYPE_CHECKING:

    class Tensor:
        """An array's type in annotations.

        `Tensor[dtype, size, ..]`: a size is an int, a symbol of `stax.dims`, an expression of them, `"_"` (anything), `...` or
        `*B` (leading axes).

        >>> N, D = dims("N D")
        >>> Tensor[f32, N, 2 * D]
        Tensor[f32, N, 2*D]
        """

        def __new__(cls, *_, **__):
            raise TypeError("Tensor is a type for annotations, `Tensor[f32, N, D]`: arrays are made with NumPy")

        def __class_getitem__(cls, parameters):
            return TensorForm(parameters if isinstance(parameters, tuple) else (parameters,))

    class Dim:
        """A size's name, or an expression of such names, for annotations.

        >>> N = Dim("N")
        >>> 2 * N + 1
        2*N + 1
        """

        __slots__ = ("size",)

        def __new__(cls, name):
            if not isinstance(name, str) or not name.isidentifier():
                raise ValueError(f"a dimension's name is an identifier, not {name!r}")
            if is_subscript_name(name):
                raise ValueError(f"{name!r} names a subscript: `i0`, `i1`, .. and `r0`, .. cannot be names of dimensions")
            return _dim(symbol(name))

        def __iter__(self):
            yield Rest(str(self.size))

        def __repr__(self):
            return str(self.size)

        def __eq__(self, other):
            return self.size == other.size if isinstance(other, Dim) else NotImplemented

        def __hash__(self):
            return hash(self.size)

        def __bool__(self):
            raise TypeError(f"the size {self} is a name: it has no truth value outside a kernel")

        def __index__(self):
            raise TypeError(f"the size {self} is a name: it has no value outside a kernel")

        def __neg__(self):
            return _dim(-self.size)

        def __pos__(self):
            return self

        def __pow__(self, power):
            return _dim(self.size**power) if type(power) is int and 0 <= power <= HIGHEST_POWER else NotImplemented

    def _dim(size):
        made = object.__new__(Dim)
        made.size = size
        return made

    def _size_of(value):
        return value.size if isinstance(value, Dim) else value if isinstance(value, int) and not isinstance(value, bool) else None

    def _binary(name, apply):
        def forward(self, other):
            size = _size_of(other)
            return NotImplemented if size is None else _dim(apply(self.size, size))

        def reflected(self, other):
            size = _size_of(other)
            return NotImplemented if size is None else _dim(apply(size, self.size))

        setattr(Dim, f"__{name}__", forward)
        setattr(Dim, f"__r{name}__", reflected)

    _binary("add", lambda a, b: a + b)
    _binary("sub", lambda a, b: a - b)
    _binary("mul", lambda a, b: a * b)
    _binary("floordiv", lambda a, b: a // b)
    _binary("mod", lambda a, b: a % b)

    class _DTypeClass(type):
        """Of `f32` and its kin: a class for annotations which NumPy takes as a dtype."""

        @property
        def dtype(cls):
            return cls.stax.numpy

        def __repr__(cls):
            return cls.__name__

        def __call__(cls, value=0):
            """`f32(x)` is what `np.float32(x)` is, outside a kernel and in one."""
            return cls.stax.numpy.type(value)

        def __or__(cls, other):
            return UnionForm((cls, other))

        def __ror__(cls, other):
            return UnionForm((other, cls))

    class _FamilyClass(type):
        """Of `float_`, `int_`, `number`: any dtype of a family."""

        def __repr__(cls):
            return cls.__name__

        def __call__(cls, *_):
            raise TypeError(f"{cls.__name__} is a family of dtypes, for annotations")

    def _dtype_class(name, dtype):
        return _DTypeClass(name, (), {"stax": dtype, "__doc__": f"The dtype {dtype.name}.", "__module__": "staxlang", "__slots__": ()})

    def _family_class(name, members):
        listed = ", ".join(sorted((d.name for d in members), key=lambda n: (n[0] != "b", n.strip("0123456789"), len(n), n)))
        return _FamilyClass(name, (), {"stax": members, "__doc__": f"Any of {listed}.", "__module__": "staxlang", "__slots__": ()})

    bool_ = _dtype_class("bool_", dtypes.BOOL)
    i8, i16, i32, i64 = (_dtype_class(d.name, d) for d in (dtypes.I8, dtypes.I16, dtypes.I32, dtypes.I64))
    u8, u16, u32, u64 = (_dtype_class(d.name, d) for d in (dtypes.U8, dtypes.U16, dtypes.U32, dtypes.U64))
    f16, f32, f64, bf16 = (_dtype_class(d.name, d) for d in (dtypes.F16, dtypes.F32, dtypes.F64, dtypes.BF16))
    c64, c128 = (_dtype_class(d.name, d) for d in (dtypes.C64, dtypes.C128))
    float_, int_, number = (_family_class(n, m) for n, m in (("float_", dtypes.float_), ("int_", dtypes.int_), ("number", dtypes.number)))


def dims(names: str) -> tuple[Dim, ...]:
    """Symbols for sizes: `N, D = dims("N D")`. Always a tuple: of one name, write `(N,) = dims("N")` or `N = Dim("N")`.

    >>> dims("N D")
    (N, D)
    """
    found = names.replace(",", " ").split()
    if not found:
        raise ValueError('dims takes names of sizes, as in `N, D = dims("N D")`')
    return tuple(Dim(name) for name in found)


def dtype_of_class(value: Any) -> dtypes.DType | None:
    """The dtype of `f32` and its kin; None for anything else."""
    found = getattr(value, "stax", None) if isinstance(value, type) else None
    return found if isinstance(found, dtypes.DType) else None


def family_of_class(value: Any) -> frozenset[dtypes.DType] | None:
    """The dtypes of `float_`, `int_` and `number`; None for anything else."""
    found = getattr(value, "stax", None) if isinstance(value, type) else None
    return found if isinstance(found, frozenset) else None


def dim_of_size(size: Size) -> Dim:
    """The `Dim` that stands for a size."""
    made: Any = object.__new__(Dim)
    made.size = size
    return made


def size_of_dim(value: Any) -> Size | None:
    """The size that a `Dim` stands for; None for anything else."""
    return getattr(value, "size", None) if type(value) is Dim else None
