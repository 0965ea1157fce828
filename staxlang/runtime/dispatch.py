"""A call that native code did not serve: bound, matched against the kernel's versions, compiled if none fits, then run."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from staxlang.base.records import NamedTuple
from staxlang.base.recursion import make_room
from staxlang.base.settings import Settings
from staxlang.runtime import late
from staxlang.runtime.binding import Binder, Bound
from staxlang.runtime.entries import EntryMaker, EntryTree
from staxlang.runtime.evidence import Evidence, observe
from staxlang.runtime.foreign import Taken, taken
from staxlang.runtime.forks import Mutex, compiling
from staxlang.runtime.ground import Ground
from staxlang.runtime.loader import LoadError
from staxlang.runtime.matching import Difference, Matched
from staxlang.runtime.originals import with_originals
from staxlang.runtime.records import RestoredFailure, record_key, restore, save, signature_text
from staxlang.runtime.signature import Prepared, prepare
from staxlang.runtime.versions import Replays, Version

_MISSES_KEPT: Final = 64
_CODE_SETTINGS: Final = (
    "unroll_limit", "static_loop_limit", "recursion_limit", "isa", "checked", "fast_math", "engine", "sizes", "branches", "overlap",
)  # fmt: skip
_compilations = itertools.count(1)


class Miss(NamedTuple):
    """A call that no version served: for each version, every guard that it did not meet."""

    call: int
    versions: tuple[tuple[int, tuple[Difference, ...]], ...]

    def __str__(self) -> str:
        if not self.versions:
            return f"call {self.call}: the first call"
        parts = [f"version {number}: {'; '.join(map(str, found))}" for number, found in self.versions]
        return f"call {self.call}: " + " | ".join(parts)


class Counts:
    """What happened to a kernel's calls outside native code."""

    __slots__ = ("calls", "compilations", "disk_hits", "dropped", "fallbacks", "misses", "replays")

    def __init__(self) -> None:
        self.calls = self.misses = self.compilations = self.fallbacks = self.disk_hits = self.replays = self.dropped = 0


class Dispatcher:
    """The state of one kernel: its versions, newest first, and what has been seen of its sizes."""

    def __init__(self, function: Any, settings: Settings, publish: Callable[[int], None]) -> None:
        self.function = function
        self.settings = settings
        self.binder = Binder(function)
        self.versions: list[Version] = []
        self.evidence: Evidence = {}
        self.counts = Counts()
        self.retired_hits = 0
        self.misses: deque[Miss] = deque(maxlen=_MISSES_KEPT)
        self._publish = publish  # directs the kernel object's calls to a native address
        self._mutex = Mutex()
        self._numbers = itertools.count(1)
        self._warned = False
        self._refused: set[str] = set()  # kinds of arguments that the compiler refused (with a fallback)
        self._tree: EntryTree | None = None
        self._options = repr([getattr(settings, name) for name in _CODE_SETTINGS])

    # ---- calls ----

    def taken(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Taken | None:
        """The call with NumPy arrays in the place of other libraries' arrays; None where there are none."""
        try:
            return taken(self.binder.name_at, args, kwargs)
        except Exception as problem:
            if not isinstance(problem, late.diagnostics().StaxError):
                raise
            raise problem.with_traceback(None) from problem.__cause__

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Serve a call. What the user did wrong is raised from here, without the frames that found it out."""
        self.counts.calls += 1
        try:
            return self._serve(args, kwargs)
        except Exception as problem:
            if not isinstance(problem, late.diagnostics().StaxError):
                raise
            raise problem.with_traceback(None) from problem.__cause__

    def _serve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        bound = self._bind(args, kwargs)
        prepared = prepare(bound.values)
        found = self._find(prepared, {})
        if found is None:
            found = self._miss(bound, prepared)
            if found is None:
                return self.function(*args, **kwargs)
        version, matched = found
        if bound.shape not in version.entries and not prepared.copies:
            self._extend(version, bound)
        return self._run(version, matched, prepared)

    def version_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Version:
        """The version that serves a call, compiled if there is none; nothing is run but data gates."""
        return self.version_and_match(args, kwargs)[0]

    def version_and_match(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Version, Matched]:
        """The version that serves a call, with its capture (made again if it came from disk), and what the call holds for it."""
        given = self.taken(args, kwargs)
        bound = self._bind(args, kwargs, True) if given is None else self._bind(given.args, given.kwargs, True)
        prepared = prepare(bound.values)
        found = self._find(prepared, {}) or self._miss(bound, prepared)
        if found is None:
            late.raise_error("fallback-route", kernel=self.binder.name)
        version, matched = found
        if version.source is None:
            ground = Ground.get(self.settings)
            with compiling:
                made, _ = late.compilation().compile_version(
                    ground, self.settings, self.function, prepared, self.evidence, version.number
                )
            version.source = made.source
        return version, matched

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], asking: bool = False) -> Bound:
        """The call's parameters. A function that has got other code is another function: its versions are forgotten."""
        if self.function.__code__ is not self.binder.code:
            with self._mutex.lock:
                if self.function.__code__ is not self.binder.code:
                    self.reset()
                    self.binder = Binder(self.function)
        return self.binder.bind(args, kwargs, asking)

    def _find(self, prepared: Prepared, replays: Replays, differences: list[tuple[Version, list[Difference]]] | None = None) -> Any:
        """(version, what it holds) of the first version that fits; the others' differences are gathered."""
        for version in list(self.versions):
            before = len(replays)
            found = version.match(prepared.values, replays)
            self.counts.replays += len(replays) - before
            if isinstance(found, Matched):
                return version, found
            if differences is not None:
                differences.append((version, found))
        return None

    def _run(self, version: Version, matched: Matched, prepared: Prepared) -> Any:
        version.used = Ground.clock()
        hidden = version.hidden_overlap(prepared) if prepared.copies else None
        if hidden is not None:
            late.raise_error(hidden[0], left=hidden[1], right=hidden[2])
        result = version.run(matched)
        if prepared.copies:
            for copy, original in prepared.copies:
                if version.writes(copy, matched):
                    original[...] = copy
            result = with_originals(result, prepared.copies)
        return result

    # ---- misses ----

    def _miss(self, bound: Bound, prepared: Prepared) -> Any:
        """Compile under the kernel's lock; a thread that waited looks again first. None: run the plain function (fallback)."""
        with compiling, self._mutex.lock:
            differences: list[tuple[Version, list[Difference]]] = []
            found = self._find(prepared, {}, differences)
            if found is not None:
                return found
            copied = self._separate(prepared, differences)
            if copied is not None:
                return copied
            refused = signature_text(prepared, bound.shape, "") if self._refused else None
            if refused is not None and refused in self._refused:
                self.counts.fallbacks += 1
                return None
            self._note_miss(differences)
            if self.settings.strict and len(self.versions) >= self.settings.max_versions:
                late.raise_error(
                    "max-versions", kernel=self.binder.name, count=self.settings.max_versions, component=_changing(differences)
                )
            try:
                version = self._compile(bound, prepared)
            except late.diagnostics().StaxError as problem:
                if self.settings.fallback != "numpy":
                    raise
                return self._fall_back(problem, signature_text(prepared, bound.shape, ""))
            self._admit(version, differences)
            found = version.match(prepared.values, {})
            if not isinstance(found, Matched):
                separated = self._separate(prepared, [(version, found)])
                if separated is None:
                    reason = f"its new version does not fit the call that it was made for: {'; '.join(map(str, found))}"
                    late.raise_error("compilation-failed", kernel=self.binder.name, reason=reason)
                return separated
            self._extend(version, bound)
            return version, found

    def _compile(self, bound: Bound, prepared: Prepared) -> Version:
        """From disk where a process has made it before, else by the compiler; only a success adds to the evidence."""
        ground = Ground.get(self.settings)
        make_room(2000)  # wherever the call comes from
        observed = observe(prepared.items, self.evidence, self.settings)
        key = record_key(ground, self._options, self.function, prepared, bound.shape, observed.text)
        number = next(self._numbers)
        version = restore(ground, key, self.function, prepared, number, RestoredFailure(self.binder.name)) if key is not None else None
        if version is not None:
            self.evidence.update(observed.seen)
            self.counts.disk_hits += 1
            self._log("cache", f"version {number} comes from disk")
            return version
        self._count_compilation()
        start = time.perf_counter()
        try:
            version, seen = late.compilation().compile_version(ground, self.settings, self.function, prepared, self.evidence, number)
        except Exception as problem:
            if isinstance(problem, late.diagnostics().StaxError):
                raise
            if isinstance(problem, ImportError) and problem.name == "ml_dtypes":
                late.raise_error_from(problem, "missing-package", what="bf16", package=problem.name)
            late.raise_error_from(problem, "compilation-failed", kernel=self.binder.name, reason=f"{type(problem).__name__}: {problem}")
        self.evidence.update(seen)
        self.counts.compilations += 1
        self._log("compilation", f"version {number} took {(time.perf_counter() - start) * 1e3:.1f} ms")
        for gate in version.gates:
            self._log("gates", f"version {number}: {gate.path} is {'counted' if gate.counts else repr(gate.outcome)}")
        if key is not None and self.settings.engine != "reference":
            save(ground, key, version, self.function)
        return version

    def _count_compilation(self) -> None:
        count = next(_compilations)
        limit = self.settings.max_compilations
        if count > limit and self.settings.strict:
            late.raise_error("max-compilations", count=limit)
        if count == limit + 1:
            late.warn(f"this process has compiled {limit} versions of kernels; explain_misses() of a kernel says what keeps changing")

    def _separate(self, prepared: Prepared, differences: list[tuple[Version, list[Difference]]]) -> Any:
        """A version that fits but for arrays that overlap one that is written: it gets copies of those, or the call is refused."""
        for version, found in differences:
            if found and all(difference.is_overlap for difference in found):
                matched = version.match_apart(prepared)
                if matched is not None:
                    return version, matched
                code, left, right = version.refused_overlap(found)
                late.raise_error(code, left=left, right=right)
        return None

    def _extend(self, version: Version, bound: Bound) -> None:
        """A native entry for this call shape, linked in front."""
        ground = Ground.get(self.settings)
        if ground.native and self.settings.engine != "reference":
            with compiling, self._mutex.lock:
                tree = self.tree(ground)
                try:
                    tree.add(version, bound.shape)
                except (LoadError, RuntimeError) as problem:  # a defect: say so, and go on through Python
                    late.warn_of("native-entry-off", reason=str(problem))
                self._publish(tree.link())
        else:
            version.entries[bound.shape] = None

    def tree(self, ground: Ground) -> EntryTree:
        if self._tree is None:
            self._tree = EntryTree(EntryMaker(ground.support, ground.store, ground.target, self.binder))
        return self._tree

    def _admit(self, version: Version, differences: list[tuple[Version, list[Difference]]]) -> None:
        """Take a new version in; at the cap the one whose last call is longest ago goes."""
        limit = self.settings.max_versions
        if len(self.versions) >= limit:
            oldest = min(self.versions, key=lambda known: known.last_used)
            self.versions.remove(oldest)
            self.retired_hits += oldest.hits - oldest.calls
            self.counts.dropped += 1
            if self._tree is not None:
                self._tree.drop(oldest)
                self._publish(self._tree.link())
            if not self._warned:
                self._warned = True
                late.warn_of("version-dropped", kernel=self.binder.name, count=limit, component=_changing(differences))
        self.versions.insert(0, version)

    def _fall_back(self, problem: Any, refused: str | None) -> None:
        """Run the plain function from now on where the arguments are of these kinds; the first time with a warning that says why."""
        self.counts.fallbacks += 1
        if refused is not None:
            self._refused.add(refused)
        if self.counts.fallbacks == 1:
            reason = problem.diagnostics[0].message if problem.diagnostics else str(problem)
            late.warn_of("fallback-numpy", kernel=self.binder.name, reason=reason)
        self._log("fallback", str(problem))

    def _note_miss(self, differences: list[tuple[Version, list[Difference]]]) -> None:
        self.counts.misses += 1
        miss = Miss(self.counts.calls + self.native_hits, tuple((version.number, tuple(found)) for version, found in differences))
        self.misses.append(miss)
        self._log("recompiles", str(miss))

    def _log(self, topic: str, text: str) -> None:
        if self.settings.log & {topic, "all"}:
            late.logs().log(topic, f"{self.binder.name}: {text}")

    @property
    def replays(self) -> int:
        return self.counts.replays + (self._tree.replays if self._tree is not None else 0)

    @property
    def native_hits(self) -> int:
        return sum(version.hits - version.calls for version in self.versions) + self.retired_hits

    def reset(self) -> None:
        """Forget all versions and all evidence."""
        with self._mutex.lock:
            self._publish(0)
            for version in self.versions:
                self.retired_hits += version.hits - version.calls
                if self._tree is not None:
                    self._tree.drop(version)
            self.versions = []
            self.evidence = {}
            self._refused = set()
            self._tree = None
            self.misses.clear()


def _changing(differences: list[tuple[Version, list[Difference]]]) -> str:
    """The path that differs in most versions."""
    counts: dict[str, int] = {}
    for _, found in differences:
        for difference in found:
            counts[difference.path] = counts.get(difference.path, 0) + 1
    return f"`{max(counts, key=lambda path: counts[path])}`" if counts else "the call"
