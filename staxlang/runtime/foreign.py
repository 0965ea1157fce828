"""Arrays of other libraries - torch tensors, whatever speaks DLPack, the array interface or the buffer protocol - as NumPy arrays of the
same memory, and results given back as the kind that came in. No library is imported here: a user who passes a tensor has imported torch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

import numpy as np

from staxlang.runtime import late
from staxlang.runtime.headers import dtype_name
from staxlang.runtime.signature import NUMBERS, STATIC, class_of, is_container, parts_of, rebuilt

Array = np.ndarray[Any, Any]
_OWN: Final = (np.ndarray, np.generic, type, *NUMBERS, *STATIC)
_CPU: Final = frozenset((1, 3))  # DLPack's numbers of devices: the CPU's own memory, and such that a GPU can reach, too
_BY_BUFFER: Final = "buffer"


class Taken:
    """A call with NumPy arrays in the place of other libraries' arrays, and the way back for its result."""

    __slots__ = ("_given", "_kind", "_originals", "args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], kind: _Kind, originals: dict[int, Any], given: list[Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self._kind = kind
        self._originals = originals
        self._given = given  # keeps the objects alive whose identities are the keys of `originals`

    def back(self, result: Any) -> Any:
        """The result with arrays and NumPy's scalars as the library's arrays. What came in goes out as the very same object."""
        if id(result) in self._originals:
            return self._originals[id(result)]
        if issubclass(class_of(result), (np.ndarray, np.generic)):
            return result if self._kind.name == _BY_BUFFER else self._kind.give(np.asarray(result))
        kind = container_kind(result)
        if kind is None:
            return result
        parts = [(key, item, self.back(item)) for key, item, _, _ in parts_of(result, kind, "")]
        return rebuilt(result, kind, parts) if any(item is not made for _, item, made in parts) else result


def container_kind(value: Any) -> str | None:
    """`tuple`, `list`, `dict` or `record`; None for what is no container."""
    cls = class_of(value)
    if not is_container(cls) or isinstance(value, type):
        return None
    return cls.__name__ if cls in (tuple, list, dict) else "record"


def taken(name_of: Callable[[int], str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Taken | None:
    """The call for kernels; None where it has no array of another library. `name_of` gives the parameter that a position binds."""
    walk = _Walk()
    fit = tuple([value if type(value) in _QUICK else walk.visit(value, lambda k=k: name_of(k)) for k, value in enumerate(args)])
    named = {name: value if type(value) in _QUICK else walk.visit(value, lambda name=name: name) for name, value in kwargs.items()}
    if not walk.found:
        return None
    walk.keep((*args, *kwargs.values()))
    return Taken(fit, named, walk.kind, walk.originals, walk.given)


_QUICK: Final = frozenset((np.ndarray, int, float, complex, bool, str, type(None)))


class _Walk:
    def __init__(self) -> None:
        self.found = False
        self.kind: _Kind = _NumPy()
        self.originals: dict[int, Any] = {}
        self.given: list[Any] = []
        self._made: dict[int, Any] = {}
        self._open: list[int] = []

    def visit(self, value: Any, path: Callable[[], str]) -> Any:
        if issubclass(class_of(value), _OWN):
            return value
        if id(value) in self._made:
            return self._made[id(value)]
        kind = container_kind(value)
        library = None if kind is not None and kind != "record" else _kind_of(value)
        if library is not None:
            self._join(library, value, path)
            return self._note(value, library.take(value, path))
        if kind is None or id(value) in self._open:
            return value
        self._open.append(id(value))
        parts = [(key, item, self.visit(item, lambda part=part: part)) for key, item, part, _ in parts_of(value, kind, path())]
        self._open.pop()
        if all(item is fit for _, item, fit in parts):
            return value
        return self._note(value, rebuilt(value, kind, parts))

    def _note(self, value: Any, fit: Any) -> Any:
        self._made[id(value)] = fit
        self.originals[id(fit)] = value
        self.given.append(fit)
        return fit

    def _join(self, library: _Kind, value: Any, path: Callable[[], str]) -> None:
        """All arrays that have a way back must be of one kind."""
        self.found = True
        if self.kind.name == _BY_BUFFER:
            self.kind = library
        elif library.name not in (_BY_BUFFER, self.kind.name):
            help = "the arguments' library is the result's: convert them to arrays of one"
            given = f"{_described(value)} beside arrays of {self.kind.name}"
            late.raise_error("unsupported-argument", path=path(), given=given, help=help)

    def keep(self, values: Iterable[Any]) -> None:
        """NumPy's own arrays among the arguments stay what they are where they are results."""
        for value in values:
            if class_of(value) is np.ndarray:
                self.originals.setdefault(id(value), value)


# ---- kinds ---------------------------------------------------------------------------------------------------------


class _Kind(Protocol):
    """A library of arrays: how one of its arrays is read as NumPy's, and how a result becomes one of its own."""

    name: str

    def take(self, value: Any, path: Callable[[], str]) -> Array: ...

    def give(self, array: Array) -> Any: ...


class _NumPy:
    """What has the array interface or the buffer protocol: results stay NumPy's, since there is no way back."""

    name = _BY_BUFFER

    def take(self, value: Any, path: Callable[[], str]) -> Array:
        return _asked(path, value, lambda: np.asarray(value))

    def give(self, array: Array) -> Any:
        return array


class _Exporter:
    """Any library with DLPack."""

    def __init__(self, name: str, from_dlpack: Callable[[Any], Any] | None) -> None:
        self.name = name if from_dlpack is not None else _BY_BUFFER
        self._from_dlpack = from_dlpack

    def take(self, value: Any, path: Callable[[], str]) -> Array:
        device = _asked(path, value, lambda: [int(part) for part in value.__dlpack_device__()])
        if device[0] not in _CPU:
            _refuse_device(path(), value, f"device {device[0]}:{device[1]} of DLPack", "copy it to the CPU first")
        return _asked(path, value, lambda: np.from_dlpack(value))

    def give(self, array: Array) -> Any:
        if self._from_dlpack is None:
            return array
        return self._from_dlpack(array if array.flags.writeable else array.copy())  # not every reader knows of read-only memory


class _Torch:
    """torch's tensors on the CPU. bf16 goes by its bits, since NumPy has no such dtype of its own."""

    name = "torch"

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def take(self, value: Any, path: Callable[[], str]) -> Array:
        torch = self._torch
        if type(value) is not torch.Tensor and not type(value).__module__.startswith("torch.nn.parameter"):
            help = f"pass `{path()}.as_subclass(torch.Tensor)`"
            late.raise_error("unsupported-subclass", path=path(), given=f"{_described(value)}, a subclass of torch.Tensor", help=help)
        if value.device.type != "cpu":
            _refuse_device(path(), value, str(value.device), f"pass `{path()}.cpu()`")
        if value.requires_grad:
            if torch.is_grad_enabled():
                help = f"pass `{path()}.detach()`, or call the kernel under `torch.no_grad()`"
                self._refuse(path(), "a torch tensor that requires a gradient", f"kernels record none: {help}")
            value = value.detach()
        if value.layout is not torch.strided:
            self._refuse(path(), f"a torch tensor of the layout {value.layout}", f"pass `{path()}.to_dense()`")
        for bit in ("conj", "neg"):
            if getattr(value, f"is_{bit}")():
                self._refuse(path(), f"a torch tensor with a pending `{bit}`", f"pass `{path()}.resolve_{bit}()`")
        try:
            if value.dtype is torch.bfloat16:
                return value.view(torch.int16).numpy().view(_bfloat16(path()))
            return value.numpy()
        except (TypeError, RuntimeError):
            help = f"convert it before the call: `{path()}.to(torch.float32)`"
            late.raise_error("unsupported-array", path=path(), given=str(value.dtype), help=help)

    def _refuse(self, path: str, given: str, help: str) -> None:
        late.raise_error("unsupported-argument", path=path, given=given, help=help)

    def give(self, array: Array) -> Any:
        if not array.flags.writeable or any(stride < 0 for stride in array.strides):  # torch knows neither
            array = array.copy()
        if dtype_name(array.dtype) == "bf16":
            return self._torch.from_numpy(array.view(np.int16)).view(self._torch.bfloat16)
        if array.dtype.kind == "u" and array.itemsize == 8:
            array = array.view(np.uint64)  # C has two names for it, and torch knows one
        return self._torch.from_numpy(array)


def _bfloat16(path: str) -> Any:
    try:
        return late.dtypes().BF16.numpy
    except ImportError as missing:
        late.raise_error_from(missing, "missing-package", package="ml_dtypes", what=f"{path}, a bf16 tensor,")


def _kind_of(value: Any) -> _Kind | None:
    """The library of an array; None for what is no array."""
    cls = class_of(value)
    if hasattr(cls, "__dlpack__"):
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return _Torch(torch)
        return _Exporter(cls.__module__.partition(".")[0], _reader(value))
    if hasattr(value, "__array_interface__") or _has_buffer(value):
        return _NumPy()
    return None


def _reader(value: Any) -> Callable[[Any], Any] | None:
    """`from_dlpack` of the library that a value comes from: of its array namespace, else of the module of its class or one around it."""
    names = getattr(value, "__array_namespace__", None)
    found = getattr(names(), "from_dlpack", None) if callable(names) else None
    module = class_of(value).__module__
    while found is None and module:
        found = getattr(sys.modules.get(module), "from_dlpack", None)
        module = module.rpartition(".")[0]
    return found if callable(found) else None


def _has_buffer(value: Any) -> bool:
    try:
        memoryview(value).release()
    except (TypeError, BufferError):
        return False
    return True


def _described(value: Any) -> str:
    cls = class_of(value)
    return f"a {cls.__module__}.{cls.__qualname__}"


def _asked(path: Callable[[], str], value: Any, ask: Callable[[], Any]) -> Any:
    """What a foreign array answers; a diagnostic where it fails."""
    try:
        return ask()
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError) as problem:
        late.raise_error("unsupported-argument", path=path(), given=f"{_described(value)} that NumPy does not read ({problem})")


def _refuse_device(path: str, value: Any, device: str, help: str) -> None:
    late.raise_error("unsupported-argument", path=path, given=f"{_described(value)} on {device}", help=f"kernels run on the CPU: {help}")
