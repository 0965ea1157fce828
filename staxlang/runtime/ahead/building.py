"""`stax.build`: kernels to a shared library with a C interface."""

# Kernels and specs come in several forms: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from staxlang.base.settings import Settings
from staxlang.compiler.target import Target
from staxlang.runtime import late
from staxlang.runtime.ahead.interface import Interface, interface
from staxlang.runtime.ahead.library import Library, build_library
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.kernel import KernelBase
from staxlang.runtime.lowered import Lowered, lower
from staxlang.runtime.machine import AVX512, FEATURES, detect

Specs = Mapping[str, Any] | Sequence[Any]

_LEVELS: Final = {"x86-64": 16, "x86-64-v2": 16, "x86-64-v3": 32, "x86-64-v4": 64}


def build(
    kernels: Any, output: str | os.PathLike[str], *, header: str | os.PathLike[str] | None = None,
    specs: Mapping[str, Specs] | None = None, target: str = "native", prefix: str | None = None,
) -> Library:  # fmt: skip
    """Compile kernels ahead of time to a shared library that C programs call: no Python and no NumPy is needed there.

    kernels: a kernel, a list of them, a dict of them by the names that C is to see, or a module that `stax.load` gave.
    output: `libnn.so`; with a suffix `.o`, or where no linker is found, object files are written beside it.
    header: where the C header goes (default: beside the output, `nn.h`).
    specs: for each kernel's name the types of its parameters, by name or in order, as `kernel.lower` takes them: `Tensor[f32, N, 4]`,
        `stax.spec(shape, dtype)`, `float`, `int`, or a value to fix. Parameters with a whole annotation need none. A list of them gives
        as many functions, whose names end in `_0`, `_1`, ..; a dict by suffixes gives those names.
    target: `native` (this machine), or `x86-64`, `x86-64-v2`, `x86-64-v3` (AVX2), `x86-64-v4` (AVX-512), with features beside it, or
        features alone: `x86-64-v2,avx,f16c`, `avx2,fma`.
    prefix: put before the functions' names, `nn_` by default for `libnn.so`.

    Raises StaxError (`not-buildable`) for what only runs inside Python, and what `kernel.lower` raises.

    >>> import staxlang as stax, tempfile, os
    >>> from staxlang import Tensor, f32
    >>> N = stax.dims("N")
    >>> @stax.kernel
    ... def double(x: Tensor[f32, N]):
    ...     return x * 2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = stax.build(double, os.path.join(folder, "libnn.so"))
    ...     print("int32_t nn_double(" in made.header.read_text())
    True
    """
    path = Path(output)
    named = _named(kernels)
    stem = path.name.partition(".")[0].removeprefix("lib")
    before = f"{stem}_" if prefix is None else prefix
    given = dict(specs or {})
    for name in given:
        if name not in named:
            late.raise_error("spec-of-no-kernel", name=name, known=", ".join(named))
    interfaces: list[Interface] = []
    for name, kernel in named.items():
        for suffix, spec in _instances(given.get(name, {})):
            positional, by_name = ((), dict(spec)) if isinstance(spec, Mapping) else (tuple(spec), {})
            interfaces.append(interface(_lowered(name, kernel, positional, by_name), before + name + suffix))
    settings = environment_settings()
    return build_library(interfaces, path, Path(header) if header is not None else path.with_name(f"{stem}.h"),
                         named_target(target, settings), settings)  # fmt: skip


def _lowered(name: str, kernel: KernelBase, specs: tuple[Any, ...], more: dict[str, Any]) -> Lowered:
    try:
        return lower(kernel, specs, more, fixed=True)
    except late.diagnostics().StaxError as problem:
        if problem.code != "missing-argument":
            raise
        parameter = problem.diagnostics[0].message.split("`")[3]
    late.raise_error("not-buildable", kernel=name, what=f"its annotations do not say one type for `{parameter}`",
                     help=f"say it: `specs={{'{name}': {{'{parameter}': stax.spec(('N', 'D'), np.float32)}}}}`, on the command line "
                     f"`--spec '{name}.{parameter}=f32[N, D]'`")  # fmt: skip


def _named(kernels: Any) -> dict[str, KernelBase]:
    """The kernels by the names that C sees."""
    if isinstance(kernels, KernelBase):
        found: Iterable[tuple[str, Any]] = [(kernels.__name__, kernels)]
    elif isinstance(kernels, Mapping):
        found = [(str(name), one) for name, one in kernels.items()]
    elif isinstance(kernels, (list, tuple)):
        found = [(getattr(one, "__name__", "?"), one) for one in kernels]
    else:
        found = [(name, one) for name, one in vars(kernels).items() if isinstance(one, KernelBase)]
    named: dict[str, KernelBase] = {}
    for name, one in found:
        if not isinstance(one, KernelBase):
            late.raise_error("not-a-function", operation="stax.build", given=type(one).__name__)
        named[name] = one
    return named


def _instances(spec: Any) -> list[tuple[str, Specs]]:
    """(suffix of the name, specs) for each function that one kernel gives."""
    if isinstance(spec, list) and all(isinstance(one, (Mapping, tuple)) for one in spec):
        return [(f"_{k}", one) for k, one in enumerate(spec)]
    if isinstance(spec, Mapping) and spec and all(isinstance(one, (Mapping, tuple)) for one in spec.values()):
        return [(f"_{suffix}", one) for suffix, one in spec.items()]
    return [("", spec)]


def named_target(name: str, settings: Settings) -> Target:
    """The machine to compile for."""
    if name == "native":
        return detect(settings.isa, settings.threads)
    level, features = _level_and_features(name)
    has_avx2 = _LEVELS[level] >= 32 or {"avx2", "fma"} <= features
    has_avx512 = _LEVELS[level] >= 64 or (has_avx2 and features.issuperset(AVX512))
    width = 64 if has_avx512 else 32 if has_avx2 else 16
    return Target(cpu=level, features=",".join([f"+{one}" for one in sorted(features)]), vector_bytes=width)


def _level_and_features(name: str) -> tuple[str, frozenset[str]]:
    """`x86-64-v2,avx,f16c` taken apart; without a level they are beside what every x86-64 has. A `+` before a feature is allowed."""
    first, *others = [part.strip().removeprefix("+") for part in name.split(",")]
    level, asked = (first, others) if first in _LEVELS else ("x86-64", [first, *others])
    known = frozenset(FEATURES.values())
    unknown = [one for one in asked if one not in known]
    if unknown:
        late.raise_error("unknown-target", name=unknown[0], known=", ".join(["native", *_LEVELS]), features=", ".join(sorted(known)))
    return level, frozenset(asked)
