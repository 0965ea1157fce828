"""Versions of a kernel and their native entries: guards, programs, data gates and their replays; how many calls each has served."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.runtime.binding import CallShape
from staxlang.runtime.headers import word
from staxlang.runtime.loader import Code
from staxlang.runtime.matching import Difference, Matched, Matcher, share_elements
from staxlang.runtime.plans import EntryPlan
from staxlang.runtime.running import Array, ProgramFunction, execute, run
from staxlang.runtime.signature import Prepared


class Program(NamedTuple):
    """Loaded code of a graph: its symbol, its memory, and how Python calls it."""

    name: str
    code: Code
    function: ProgramFunction
    fingerprint: str

    def execute(self, plan: EntryPlan, slots: list[Any], matched: Matched) -> list[Array]:
        return execute(self.function, plan, slots, matched)


ENTRY_PARTS = ("", ".next", ".child", ".slots", ".tags", ".hits", ".used")  # what an entry's object exports, after its name


class NativeEntry:
    """A loaded native entry of a version, or of a gate, for one call shape."""

    __slots__ = ("children", "code", "name", "table")

    def __init__(self, name: str, code: Code, slots: list[Any]) -> None:
        self.name = name
        self.code = code
        self.children: list[NativeEntry] = []
        self.table = slots  # keeps the objects alive that the entry points to
        for index in range(len(slots)):
            self.refresh(index)

    @property
    def address(self) -> int:
        return self.code.addresses[self.name]

    def refresh(self, slot: int) -> None:
        """Write the address of a slot's object anew."""
        _write(self.code.addresses[f"{self.name}.slots"] + 8 * slot, id(self.table[slot]))

    def follow(self, address: int) -> None:
        _write(self.code.addresses[f"{self.name}.next"], address)

    def descend(self, address: int) -> None:
        _write(self.code.addresses[f"{self.name}.child"], address)

    @property
    def hits(self) -> int:
        return word(self.code.addresses[f"{self.name}.hits"])

    @property
    def used(self) -> int:
        """The process's call counter at the entry's last hit."""
        return word(self.code.addresses[f"{self.name}.used"])


class GateStep:
    """A data gate on a version's way: its replay, and the outcome that leads to this version. Equal keys are one replay. `counts`: any
    outcome does, it is a size of what stands below."""

    __slots__ = ("counts", "key", "line", "names", "native_plan", "outcome", "plan", "program", "slots", "stored", "what")

    def __init__(
        self,
        key: str,
        plan: EntryPlan,
        slots: list[Any],
        names: tuple[str, ...],
        program: Any,
        outcome: Any,
        what: str,
        line: int,
        counts: bool = False,
    ) -> None:
        self.key = key
        self.counts = counts
        self.plan = plan
        self.slots = slots
        self.names = names
        self.program = program
        self.outcome = outcome
        self.what = what  # the user's expression, and its line
        self.line = line
        self.native_plan: Any = None
        self.stored: Any = ()

    @property
    def path(self) -> str:
        return f"{self.what} (line {self.line})" if self.line else self.what

    def replay(self, values: dict[str, Any], above: Sequence[Any]) -> Any:
        """The gate's value for a call in which the gates above have given these; a Difference where the call does not get there."""
        matcher = Matcher(self.plan, self.slots, self.names, values)
        matched = matcher.match()
        if isinstance(matched, Matched):
            matched = matcher.counted(above)
        if not isinstance(matched, Matched):
            return matched[0]
        return self.program.execute(self.plan, self.slots, matched)[0].item()


Replays = dict[str, Any]


class Version:
    """One compiled artifact of a kernel. It serves every call that meets its plan's guards and its gates' outcomes."""

    __slots__ = (
        "calls",
        "entries",
        "gates",
        "names",
        "native_plan",
        "number",
        "plan",
        "program",
        "slots",
        "source",
        "stored",
        "used",
    )  # fmt: skip

    def __init__(
        self, number: int, plan: EntryPlan, slots: list[Any], names: tuple[str, ...], program: Any, gates: tuple[GateStep, ...]
    ) -> None:
        self.number = number
        self.plan = plan
        self.slots = slots
        self.names = names
        self.program = program
        self.gates = gates
        self.entries: dict[CallShape, NativeEntry | None] = {}  # None: this call shape has no native entry
        self.calls = 0  # served from Python
        self.used = 0
        self.source: Any = None  # the capture that it came from; None where it came from disk
        self.native_plan: Any = None  # the plan with symbolic sizes, where it is at hand
        self.stored: Any = ()  # the program as the disk cache keeps it

    def match(self, values: dict[str, Any], replays: Replays) -> Matched | list[Difference]:
        """What the call holds, or every guard that it does not meet."""
        matcher = Matcher(self.plan, self.slots, self.names, values)
        found = matcher.match()
        if not isinstance(found, Matched):
            return found
        given = self._pass_gates(values, replays)
        if isinstance(given, Difference):
            return [given]
        found = matcher.counted(given)
        if not isinstance(found, Matched):
            return found
        for slot, value in matcher.renewed:
            before = self.slots[slot]  # alive until no entry points to it
            self.slots[slot] = value
            for entry in self.entries.values():
                if entry is not None:
                    entry.table[slot] = value
                    entry.refresh(slot)
            del before
        return found

    def _pass_gates(self, values: dict[str, Any], replays: Replays) -> list[Any] | Difference:
        """The values of the gates on the way to this version, or where the call leaves it."""
        given: list[Any] = []
        for gate in self.gates:
            if gate.key not in replays:
                replays[gate.key] = gate.replay(values, given)
            actual = replays[gate.key]
            if isinstance(actual, Difference):
                return actual
            if not gate.counts and not same_outcome(actual, gate.outcome):
                return Difference(gate.path, f"{gate.path} is {gate.outcome!r}", gate.outcome, actual)
            given.append(actual)
        return given

    def fits(self, values: dict[str, Any]) -> bool:
        """Whether a call, whose gates have just given the outcomes of this version, meets its guards, or breaks none but that arrays must
        not overlap (it is then served with copies)."""
        matcher = Matcher(self.plan, self.slots, self.names, values)
        found = matcher.match()
        if isinstance(found, Matched):
            found = matcher.counted([gate.outcome for gate in self.gates])
        return isinstance(found, Matched) or all(difference.is_overlap for difference in found)

    def run(self, matched: Matched) -> Any:
        """Serve a matched call without the native entry."""
        self.calls += 1
        return run(self.program, self.plan, self.slots, matched)

    def match_apart(self, prepared: Prepared) -> Matched | None:
        """What the call holds, with copies of the arrays that the program reads and that overlap one it writes.

        None where two written ones overlap, or one is read when the other has been written to: a copy made before would be too old.
        """
        written, late = self._written_paths(), self._late_paths()
        arrays = [item for item in prepared.items if item.kind == "array"]
        replaced: dict[int, Array] = {}
        given: dict[int, Array] = {}
        for item in arrays:
            for other in arrays:
                if other is item or other.path not in written or not share_elements(item.value, other.value):
                    continue
                if item.path in written or (item.path, other.path) in late:
                    return None
                if id(item.value) not in replaced:
                    replaced[id(item.value)] = copy = _copied(item.value)
                    given[id(copy)] = item.value
        found = self.match(prepared.replace(replaced).values, {}) if replaced else None
        return found._replace(given=[given.get(id(one), one) for one in found.objects]) if isinstance(found, Matched) else None

    def hidden_overlap(self, prepared: Prepared) -> tuple[str, str, str] | None:
        """`refused_overlap` of arrays of which one was converted, so that the program does not see that they share memory."""
        originals = {id(copy): original for copy, original in prepared.copies}
        written, late = self._written_paths(), self._late_paths()
        arrays = [(item.path, originals.get(id(item.value), item.value)) for item in prepared.items if item.kind == "array"]
        for path, array in arrays:
            for other, changed in arrays:
                if other in written and array is not changed and (path in written or (path, other) in late):
                    if share_elements(array, changed):
                        return "written-together" if path in written else "overlapping-arguments", other, path
        return None

    def refused_overlap(self, differences: list[Difference]) -> tuple[str, str, str]:
        """(code of the diagnostic, path, path) of arrays that overlap and cannot be served with copies."""
        written, late = self._written_paths(), self._late_paths()
        pairs = [difference.condition.removesuffix(" do not overlap").partition(" and ")[::2] for difference in differences]
        for left, right in pairs:
            if right in written:
                return "written-together", left, right
        left, right = next((pair for pair in pairs if pair[::-1] in late), pairs[0])
        return "overlapping-arguments", left, right

    def _late_paths(self) -> set[tuple[str, str]]:
        """(array that is read, array that has been written to by then)."""
        places = self.plan.places
        return {(places[one].path, places[other].path) for one, other in self.plan.late}

    def _written_paths(self) -> frozenset[str]:
        return frozenset(place.path for place in self.plan.places if place.check[0] == "array" and place.check[4])

    def writes(self, array: Any, matched: Matched) -> bool:
        """Whether the program writes to this array of a matched call."""
        checks = (place.check for place in self.plan.places)
        return any(value is array and check[0] == "array" and check[4] for check, value in zip(checks, matched.objects, strict=True))

    @property
    def hits(self) -> int:
        return self.calls + sum(entry.hits for entry in self.entries.values() if entry is not None)

    @property
    def last_used(self) -> int:
        return max([self.used, *(entry.used for entry in self.entries.values() if entry is not None)])


def _copied(array: Array) -> Array:
    """A copy that lies as the array does, strides and all: the program was made for them."""
    copy = array.copy()
    if copy.strides == array.strides:
        return copy
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = np.empty(high - low, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, memory.data, array.ctypes.data - low, array.strides)
    copy[...] = array
    return copy


def same_outcome(a: Any, b: Any) -> bool:
    """Equal as bits: the zeros differ, a NaN is itself."""
    return type(a) is type(b) and ((a == b and repr(a) == repr(b)) or (a != a and b != b))


def _write(address: int, value: int) -> None:
    ctypes.c_uint64.from_address(address).value = value
