"""`@stax.kernel`: a Python function to a Kernel, the object that users call and ask about."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.base.settings import SETTING_NAMES, Settings, check_setting
from staxlang.runtime import late
from staxlang.runtime.dispatch import Dispatcher
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.kernel_type import native_type, set_entry
from staxlang.runtime.signature import class_of

_OF_THE_PROCESS = frozenset(("cache_enabled", "cache_dir", "cache_size_limit", "log", "max_compilations", "threads"))
OPTIONS = tuple(name for name in SETTING_NAMES if name not in _OF_THE_PROCESS)


class Stats(NamedTuple):
    """Counts of a kernel's calls. `route` says what serves them: `native`, `reference` or `numpy` (after a fallback)."""

    calls: int
    hits: int
    misses: int
    compilations: int
    versions: int
    replays: int
    fallbacks: int
    route: str
    disk_hits: int


class KernelBase:
    """A compiled function. Calling it runs a version that fits the arguments, compiled at first sight.

    `__wrapped__` is the plain function; `stats`, `explain`, `explain_misses` and `show` tell what became of it.
    """

    __wrapped__: Callable[..., Any]
    __name__: str
    __qualname__: str

    def __init__(self, function: FunctionType, settings: Settings) -> None:
        self.__wrapped__ = function
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.__annotations__ = function.__annotations__
        self.settings = settings
        self._dispatcher = Dispatcher(function, settings, self._publish)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        taken = self._dispatcher.taken(args, kwargs)
        if taken is not None:  # once more with NumPy arrays: native code may serve them
            return taken.back(self(*taken.args, **taken.kwargs))
        return self._dispatcher.call(args, kwargs)

    def _publish(self, address: int) -> None:
        set_entry(self, _OFFSET, address)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    @property
    def __defaults__(self) -> Any:
        return self.__wrapped__.__defaults__  # pyright: ignore  (a plain function)

    @property
    def __kwdefaults__(self) -> Any:
        return self.__wrapped__.__kwdefaults__  # pyright: ignore  (a plain function)

    def __repr__(self) -> str:
        return f"<stax kernel {self.__qualname__}{self.__signature__}>"

    def __reduce__(self) -> Any:
        """By name; a kernel of a .stx file by the file's name."""
        return self.__wrapped__.__dict__.get("__stx_origin__", self.__qualname__)

    # ---- asking ----

    def stats(self) -> Stats:
        """Counts since the kernel was made: calls, hits (calls that found a version), misses, compilations, ..."""
        state = self._dispatcher
        counts = state.counts
        native = state.native_hits
        calls = counts.calls + native
        route = "numpy" if counts.fallbacks else "reference" if self.settings.engine == "reference" else "native"
        return Stats(
            calls=calls,
            hits=calls - counts.misses - max(counts.fallbacks - counts.misses, 0),
            misses=counts.misses,
            compilations=counts.compilations,
            versions=len(state.versions),
            replays=state.replays,
            fallbacks=counts.fallbacks,
            route=route,
            disk_hits=counts.disk_hits,
        )

    def explain_misses(self) -> list[str]:
        """For each call that no version served: the guards it did not meet, by version."""
        return [str(miss) for miss in self._dispatcher.misses]

    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """A Report of the version that serves these arguments (compiled if there is none): kernels, bytes, guards, what was fused."""
        return late.plainly(late.report().explain, self, args, kwargs)

    def show(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The text of a stage - tree, graph, trace, optimized, loops, schedule, llvm, asm - of the version that serves these arguments."""
        return late.plainly(late.stages().show, self, stage, args, kwargs)

    def to_stx(self) -> str:
        """The kernel as the text of a .stx file, with the functions that it calls: compiled, it gives the same graph (but that `where` of
        scalars is a scalar there, where NumPy's gives a 0-d array). Raises StaxTypeError for what .stx has no words for."""
        return late.plainly(late.stages().stx_text, self)

    def lower(self, *specs: Any, **more: Any) -> Any:
        """The optimized graph for arguments of these types - `stax.spec(shape, dtype)`, `Tensor[f32, N, 4]`, arrays, numbers - without data
        and without an engine; `lowered.compile()` makes a callable of it. A parameter whose annotation says its type needs no spec."""
        return late.plainly(late.lowered().lower, self, specs, more)

    def reset(self) -> None:
        """Forget all versions; the next call compiles again."""
        self._dispatcher.reset()


Kernel, _OFFSET = native_type(KernelBase, "Kernel")


def kernel(function: Any = None, /, **options: Any) -> Any:
    """Compile a function: `@stax.kernel`, or `@stax.kernel(fast_math=True)` with options.

    The options are those of `Settings`: fallback, strict, fast_math, checked, sizes, branches, overlap, max_versions, unroll_limit,
    engine, isa.

    >>> import numpy as np, staxlang as stax
    >>> @stax.kernel
    ... def double(x):
    ...     return x * 2
    >>> double(np.arange(3.0))
    array([0., 2., 4.])
    """
    settings = late.plainly(kernel_settings, options, "stax.kernel")
    if function is not None:
        return late.plainly(_make, function, settings)

    def decorate(given: Any) -> Any:
        return late.plainly(_make, given, settings)

    return decorate


def _make(function: Any, settings: Settings) -> Any:
    if isinstance(function, KernelBase):
        return Kernel(function.__wrapped__, settings)
    kind = class_of(function).__name__
    if isinstance(function, (staticmethod, classmethod)):
        advice = f"write `@{kind}` above `@stax.kernel`"
        late.raise_error("unsupported-function", advice, name=function.__name__, given=f"a {kind}")
    if inspect.isclass(function):
        late.raise_error("unsupported-function", name=function.__name__, given="a class")
    if not isinstance(function, FunctionType):
        named = getattr(function, "__name__", "")
        advice = f"write `stax.kernel(lambda ...: {named}(...))`" if callable(function) and named.isidentifier() else None
        if kind == "partial":
            advice = "write `functools.partial(stax.kernel(function), ...)`, or a lambda"
        late.raise_error("not-a-function", advice, operation="stax.kernel", given=kind)
    for test, what in ((inspect.iscoroutinefunction, "a coroutine"), (inspect.isgeneratorfunction, "a generator")):
        if test(function):
            late.raise_error("unsupported-function", name=function.__name__, given=what)
    return Kernel(function, settings)


def kernel_settings(options: dict[str, Any], operation: str) -> Settings:
    """The process's settings with these options. Raises the diagnostic of one that there is not, or of a value that it cannot take."""
    for name, value in options.items():
        if name not in OPTIONS:
            advice = late.suggestions().did_you_mean(name, OPTIONS) or f"the options are {', '.join(OPTIONS)}"
            late.raise_error("unknown-option", advice, operation=operation, name=name)
        try:
            check_setting(name, value)
        except ValueError as problem:
            expected = str(problem).partition(" must be ")[2] or str(problem)
            late.raise_error("bad-option", operation=operation, name=name, expected=expected, given=repr(value))
    if options.get("strict") and options.get("fallback") is not None:
        late.raise_error("option-conflict", left="strict", right="fallback", reason="strict allows no fallback")
    return environment_settings().with_options(**options)
