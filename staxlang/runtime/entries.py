"""Native entries of versions: a plan and a call shape to loaded code, and the tree in which a kernel's entries are linked."""

from __future__ import annotations

import struct
import sys
from typing import Any

from staxlang.compiler.llvm.entry_plan import EntryPlan, Place
from staxlang.runtime import identity, late
from staxlang.runtime.binding import Binder, CallShape
from staxlang.runtime.disk import Store, digest
from staxlang.runtime.loader import OWN_LOADER, LoadError, Renamed
from staxlang.runtime.plans import shape_key
from staxlang.runtime.support import Support, load
from staxlang.runtime.versions import ENTRY_PARTS, GateStep, NativeEntry, Program, Version


class EntryMaker:
    """Writes, builds and loads entries for one function's parameters."""

    def __init__(self, support: Support, store: Store | None, target: Any, binder: Binder) -> None:
        self.support = support
        self.store = store
        self.target = target
        self.binder = binder

    def make(
        self, plan: EntryPlan, exact: EntryPlan | None, slots: list[Any], program: Program, shape: CallShape, outcome: int | None
    ) -> NativeEntry | None:
        """The entry of an encoded plan; `exact` is the same plan with sizes, where it is at hand. None: this shape has no native entry."""
        table = list(slots)
        placed = self._at_shape(plan, shape, table, outcome)
        if placed is None or any(place.check[:2] == ("array", "bf16") for place in placed.places):
            return None
        where = (identity.compiler(), identity.machine(self.target), repr(self.support.layout))
        key = digest("entry", shape_key(placed), program.name, *where)
        # The own loader binds names object by object, so all entries can have the same; llvmlite's engine wants them to differ.
        name, called = ("stax_entry", "stax_program") if OWN_LOADER else (f"e{key}", program.name)
        symbols = Renamed(self.support.symbols, {called: program.name})
        exported = tuple(name + part for part in ENTRY_PARTS)
        data = self.store.get(key) if self.store is not None else None
        code = None
        if data is not None:
            try:
                code = load(data, symbols, exported)
            except LoadError:
                code = None
        if code is None:
            sized = placed if exact is None else self._at_shape(exact, shape, list(slots), outcome)
            data = late.entry_building().build_entry(sized, name, called, self.support, self.target)
            code = load(data, symbols, exported)
            if self.store is not None:
                self.store.put(key, data)
        return NativeEntry(name, code, table)

    def _at_shape(self, plan: EntryPlan, shape: CallShape, table: list[Any], outcome: int | None) -> EntryPlan | None:
        """The plan with parameters as arguments of this call shape; defaults and keyword names join the table."""
        binder = self.binder
        places: list[Place] = []
        spread: dict[int, str] = {}  # places of *args and **kwargs, which no object stands for
        for index, place in enumerate(plan.places):
            if place.step[0] == "parameter":
                place = self._parameter(place, shape, table)
                if place.step[0] == "none":
                    spread[index] = "*" if plan.places[index].step[1] == binder.varargs else "**"
            elif place.parent in spread:
                if spread[place.parent] == "*":
                    at = binder.varargs_index(place.step[1])
                else:
                    at = shape[0] + shape[1].index(table[place.step[1]])
                place = place._replace(parent=-1, step=("argument", at))
            places.append(place)
        if spread and _returns(plan.result, spread):
            return None
        keywords = tuple(_slot(table, sys.intern(name)) for name in shape[1])
        return plan._replace(places=tuple(places), positional=shape[0], keywords=keywords, outcome=outcome, slots=len(table))

    def _parameter(self, place: Place, shape: CallShape, table: list[Any]) -> Place:
        name = place.step[1]
        if name in (self.binder.varargs, self.binder.varkeywords):
            return place._replace(step=("none",), check=("any",))
        at = self.binder.argument_index(name, shape)
        if at is not None:
            return place._replace(step=("argument", at))
        function = _slot(table, self.binder.function)
        number = self.binder.default_index(name)
        if number is None:
            return place._replace(step=("kwdefault", function, _slot(table, sys.intern(name))))
        return place._replace(step=("default", function, len(self.binder.function.__defaults__ or ()), number))


def _slot(table: list[Any], value: Any) -> int:
    table.append(value)
    return len(table) - 1


def _returns(tree: tuple[Any, ...], places: dict[int, str]) -> bool:
    if tree[0] in ("tuple", "build"):
        return any(_returns(item, places) for item in tree[-1])
    return tree[0] == "object" and tree[1] in places


_FORMS = {
    "bool": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f16": "e", "f32": "f",
    "f64": "d",
}  # fmt: skip


def outcome_bits(value: Any, dtype: str) -> int | None:
    """A gate's value as the entry below it compares it; None for one that is wider than 64 bits."""
    if dtype == "c64":
        data = struct.pack("<ff", value.real, value.imag)
    elif dtype in _FORMS:
        data = struct.pack("<" + _FORMS[dtype], value)
    else:
        return None
    return int.from_bytes(data.ljust(8, b"\0"), "little", signed=True)


class EntryTree:
    """A kernel's native entries as they are linked: versions in a chain, those behind a data gate below the gate's entry."""

    def __init__(self, maker: EntryMaker) -> None:
        self.maker = maker
        self.roots: list[NativeEntry] = []
        self._gates: dict[tuple[Any, ...], NativeEntry] = {}

    def add(self, version: Version, shape: CallShape) -> None:
        """Give a version an entry for a call shape, and put it where calls look first."""
        if shape in version.entries:
            return
        version.entries[shape] = None
        siblings, outcome, key = self.roots, None, (shape,)
        for gate in version.gates:
            key = (*key, gate.key, outcome)
            node = self._gate(gate, shape, key, outcome, siblings)
            if node is None:
                return
            outcome = None if gate.counts else outcome_bits(gate.outcome, gate.plan.gate or "")
            if outcome is None and not gate.counts:
                return
            siblings = node.children
        entry = self.maker.make(version.plan, version.native_plan, version.slots, version.program, shape, outcome)
        version.entries[shape] = entry
        if entry is not None:
            siblings.insert(0, entry)

    def _gate(
        self, gate: GateStep, shape: CallShape, key: tuple[Any, ...], outcome: int | None, siblings: list[NativeEntry]
    ) -> NativeEntry | None:
        node = self._gates.get(key)
        if node is None:
            node = self.maker.make(gate.plan, gate.native_plan, gate.slots, gate.program, shape, outcome)
            if node is not None:
                self._gates[key] = node
                siblings.insert(0, node)
        return node

    def drop(self, version: Version) -> None:
        """Take a version's entries out. Their code stays mapped: a call may be inside."""
        gone = {id(entry) for entry in version.entries.values() if entry is not None}
        _retired.extend(entry for entry in version.entries.values() if entry is not None)
        self.roots = _without(self.roots, gone)
        for node in self._gates.values():
            node.children = _without(node.children, gone)

    @property
    def replays(self) -> int:
        """Data gates that native code has replayed."""
        return sum(node.hits for node in self._gates.values())

    def link(self) -> int:
        """Write all pointers; the address at which the kernel's calls start."""
        return self._link(self.roots, self.maker.support.address("stax_miss"))

    def _link(self, entries: list[NativeEntry], end: int) -> int:
        for entry in entries:
            if entry.children:
                entry.descend(self._link(entry.children, self.maker.support.address("stax_gate_miss")))
            else:
                entry.descend(self.maker.support.address("stax_gate_miss"))
        following = end
        for entry in reversed(entries):
            entry.follow(following)
            following = entry.address
        return following


_retired: list[NativeEntry] = []


def _without(entries: list[NativeEntry], gone: set[int]) -> list[NativeEntry]:
    return [entry for entry in entries if id(entry) not in gone]
