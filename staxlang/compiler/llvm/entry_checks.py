"""The guards of a native entry: from an EntryPlan's places to lines that reach each object and test what it must be."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from staxlang.base.dtypes import DTYPES
from staxlang.base.sizes import Size, SizeExpression
from staxlang.base.types import row_major_strides
from staxlang.compiler.llvm.entry_plan import EntryPlan, HeaderLayout, Place
from staxlang.compiler.llvm.entry_text import Writer

ALIGNED, WRITEABLE, ROW_MAJOR = 0x100, 0x400, 0x1  # NumPy's array flags
_ARGUMENT_MASK = 0x7FFFFFFFFFFFFFFF  # PY_VECTORCALL_ARGUMENTS_OFFSET taken away
_NATIVE_ORDER = 0xFFFFFFFFFFFEFFFF  # makes the byte orders `=` and `<` of a descriptor's word the same


class EntryWriter:
    """State of writing one entry: `objects[k]` is the register of place k's object, `data`, `dims`, `strides` those of arrays."""

    def __init__(self, plan: EntryPlan, name: str, words: Mapping[str, tuple[int, ...]], layout: HeaderLayout) -> None:
        self.plan = plan
        self.entry = name
        self.words = words
        self.layout = layout
        self.w = Writer()
        self.objects: dict[int, str] = {}
        self.data: dict[int, str] = {}
        self.dims: dict[int, str] = {}
        self.strides: dict[int, str] = {}
        self.numbers: dict[int, tuple[str, ...]] = {}  # i64 or double registers of number places
        self.dicts: list[tuple[int, str]] = []  # globals dicts: (slot, register)
        self.made: list[str] = []  # registers of the result arrays made so far
        self.stack: list[str] = []  # allocations in the function's first block
        self._extents: list[tuple[str, Size]] = []  # (register, size) still to be compared
        self._steps: list[tuple[str, Size, str]] = []  # (stride's register, its size in bytes, its extent's register) likewise

    def undo(self) -> str:
        """The block that gives back the result arrays made so far."""
        return f"undo{len(self.made) - 1}" if self.made else "undone"

    def slot(self, number: int) -> str:
        return self.w.load("ptr", f"@{self.entry}.slots", 8 * number)

    # ---- the call's shape ----

    def call_shape(self) -> None:
        w, plan = self.w, self.plan
        count = w.op(f"and i64 %nargsf, {_ARGUMENT_MASK}")
        w.require_equal("i64", count, str(plan.positional))
        if not plan.keywords:
            w.require_equal("ptr", "%kwnames", "null")
            return
        w.require(w.op("icmp ne ptr %kwnames, null"))
        w.require_equal("i64", w.load("i64", "%kwnames", self.layout.var_size), str(len(plan.keywords)))
        for index, slot in enumerate(plan.keywords):  # both are interned: the same name is the same object
            name = w.load("ptr", "%kwnames", self.layout.tuple_items + 8 * index)
            w.require_equal("ptr", name, self.slot(slot))

    # ---- places ----

    def places(self) -> None:
        """Names in globals dicts first (while a dict's version tag has not changed, what was found last still holds), then the rest."""
        names = [k for k, place in enumerate(self.plan.places) if place.step[0] == "global"]
        if names:
            self._global_names(names)
        for index, place in enumerate(self.plan.places):
            if place.step[0] != "global":
                self.objects[index] = _STEPS[place.step[0]](self, place)
            check = place.check
            _CHECKS[check[0]](self, index, *check[1:])

    def _global_names(self, names: list[int]) -> None:
        w, plan = self.w, self.plan
        by_dict: dict[int, list[int]] = {}
        for index in names:
            by_dict.setdefault(plan.places[index].step[1], []).append(index)
        for number, (slot, members) in enumerate(by_dict.items()):
            holder = self.slot(slot)
            self.dicts.append((slot, holder))
            done = w.name("names")
            if self.layout.dict_tag:
                tag = w.load("i64", holder, self.layout.dict_tag)
                known = w.load("i64", f"@{self.entry}.tags", 8 * number)
                changed = w.op(f"icmp ne i64 {tag}, {known}")
                w.either(changed, lambda h=holder, m=members, t=tag, n=number: self._look_up(h, m, t, n), done)
            else:
                self._look_up(holder, members, "", number)
            for index in members:
                self.objects[index] = w.load("ptr", f"@{self.entry}.cache", 8 * index)

    def _look_up(self, holder: str, members: list[int], tag: str, number: int) -> None:
        w = self.w
        for index in members:
            value = w.call("ptr", "PyDict_GetItemWithError", ("ptr", holder), ("ptr", self.slot(self.plan.places[index].step[2])))
            w.require(w.op(f"icmp ne ptr {value}, null"))
            check = self.plan.places[index].check
            if check[0] in ("same", "equal", "function"):
                w.require_equal("ptr", value, self.slot(check[1]))
            w.store("ptr", value, f"@{self.entry}.cache", 8 * index)
        if tag:
            w.store("i64", tag, f"@{self.entry}.tags", 8 * number)

    def step_argument(self, place: Place) -> str:
        return self.w.load("ptr", "%args", 8 * place.step[1])

    def step_none(self, place: Place) -> str:
        return "null"  # *args and **kwargs: their parts are arguments themselves

    def step_slot(self, place: Place) -> str:
        return self.slot(place.step[1])

    def step_cell(self, place: Place) -> str:
        value = self.w.load("ptr", self.slot(place.step[1]), self.layout.value)
        self.w.require(self.w.op(f"icmp ne ptr {value}, null"))
        return value

    def step_item(self, place: Place) -> str:
        parent = self.objects[place.parent]
        if self.plan.places[place.parent].check[0] == "list":
            items = self.w.load("ptr", parent, self.layout.list_items)
            return self.w.load("ptr", items, 8 * place.step[1])
        return self.w.load("ptr", parent, self.layout.tuple_items + 8 * place.step[1])

    def step_key(self, place: Place) -> str:
        parent = self.objects[place.parent]
        value = self.w.call("ptr", "PyDict_GetItemWithError", ("ptr", parent), ("ptr", self.slot(place.step[1])))
        self.w.require(self.w.op(f"icmp ne ptr {value}, null"), "error")
        return value

    def step_attribute(self, place: Place) -> str:
        """The attribute is stored in its owner (guarded by type), so that the reference which is given back here is not the last."""
        w = self.w
        value = w.call("ptr", "PyObject_GetAttr", ("ptr", self.objects[place.parent]), ("ptr", self.slot(place.step[1])))
        w.require(w.op(f"icmp ne ptr {value}, null"), "error")
        w.call("void", "Py_DecRef", ("ptr", value))
        return value

    def step_method(self, place: Place) -> str:
        """The bound method is made by the access, and gone again; its function stays in its class."""
        w = self.w
        bound = w.call("ptr", "PyObject_GetAttr", ("ptr", self.objects[place.parent]), ("ptr", self.slot(place.step[1])))
        w.require(w.op(f"icmp ne ptr {bound}, null"), "error")
        kind = w.op(f"icmp eq ptr {w.load('ptr', bound, self.layout.type)}, {w.data('PyMethod_Type')}")
        held = w.op(f"select i1 {kind}, ptr {w.op(f'getelementptr i8, ptr {bound}, i64 {self.layout.value}')}, ptr %nowhere")
        function = w.load("ptr", held)
        w.call("void", "Py_DecRef", ("ptr", bound))
        w.require(w.op(f"icmp ne ptr {function}, null"))
        return function

    def step_default(self, place: Place) -> str:
        w, (_, slot, count, number) = self.w, place.step
        found = w.call("ptr", "PyFunction_GetDefaults", ("ptr", self._function(place, slot)))
        w.require(w.op(f"icmp ne ptr {found}, null"), "error")
        w.require_equal("i64", w.load("i64", found, self.layout.var_size), str(count))
        return w.load("ptr", found, self.layout.tuple_items + 8 * number)

    def step_kwdefault(self, place: Place) -> str:
        w, (_, slot, name) = self.w, place.step
        found = w.call("ptr", "PyFunction_GetKwDefaults", ("ptr", self._function(place, slot)))
        w.require(w.op(f"icmp ne ptr {found}, null"), "error")
        value = w.call("ptr", "PyDict_GetItemWithError", ("ptr", found), ("ptr", self.slot(name)))
        w.require(w.op(f"icmp ne ptr {value}, null"), "error")
        return value

    def _function(self, place: Place, slot: int) -> str:
        return self.objects[place.parent] if slot < 0 else self.slot(slot)

    # ---- checks ----

    def _type_is(self, index: int, type_address: str) -> None:
        self.w.require_equal("ptr", self.w.load("ptr", self.objects[index], self.layout.type), type_address)

    def check_array(self, index: int, dtype: str, shape: tuple[Size, ...], strides: tuple[Size, ...] | None, written: bool) -> None:
        w, layout, array = self.w, self.layout, self.objects[index]
        self._type_is(index, w.data("PyArray_Type"))
        w.require_equal("i32", w.load("i32", array, layout.array_rank), str(len(shape)))
        flags = w.load("i32", array, layout.array_flags)
        needed = ALIGNED | (WRITEABLE if written else 0) | (ROW_MAJOR if strides is None else 0)
        w.require_equal("i32", w.op(f"and i32 {flags}, {needed}"), str(needed))
        word = w.op(f"and i64 {w.load('i64', w.load('ptr', array, layout.array_descr), layout.descr_word)}, {_NATIVE_ORDER}")
        fits = ""
        for known in self.words[dtype]:
            same = w.op(f"icmp eq i64 {word}, {known & _NATIVE_ORDER}")
            fits = w.op(f"or i1 {fits}, {same}") if fits else same
        w.require(fits)
        self.data[index] = w.load("ptr", array, layout.array_data)
        if shape:
            self.dims[index] = w.load("ptr", array, layout.array_dims)
            extents = [self._extent(w.load("i64", self.dims[index], 8 * axis), size) for axis, size in enumerate(shape)]
            if strides is not None:
                self.strides[index] = w.load("ptr", array, layout.array_strides)
                self._check_strides(index, extents, strides, DTYPES[dtype].itemsize)

    def _extent(self, register: str, size: Size) -> str:
        if isinstance(size, SizeExpression):
            name = _bare_symbol(size)
            if name is not None and name not in self.w.env:
                self.w.env[name] = register
            else:
                self._extents.append((register, size))
        else:
            self.w.require_equal("i64", register, str(size))
        return register

    def _check_strides(self, index: int, extents: list[str], strides: tuple[Size, ...], itemsize: int) -> None:
        """A stride counts only where its axis has more than one element."""
        w = self.w
        for axis, (extent, stride) in enumerate(zip(extents, strides, strict=True)):
            actual = w.load("i64", self.strides[index], 8 * axis)
            name = _bare_symbol(stride) if isinstance(stride, SizeExpression) else None
            if name is not None and name not in w.env:
                w.env[name] = w.op(f"sdiv i64 {actual}, {itemsize}")
            self._steps.append((actual, stride * itemsize, extent))

    def check_numpy_scalar(self, index: int, dtype: str, slot: int) -> None:
        self._type_is(index, self.slot(slot))
        self.data[index] = self.w.op(f"getelementptr i8, ptr {self.objects[index]}, i64 {self.layout.value}")

    def check_int(self, index: int) -> None:
        self._type_is(index, self.w.data("PyLong_Type"))
        value = self.w.call("i64", "PyLong_AsLongLongAndOverflow", ("ptr", self.objects[index]), ("ptr", "%overflow"))
        self.w.require_equal("i32", self.w.load("i32", "%overflow"), "0")
        self.numbers[index] = (value,)

    def check_float(self, index: int) -> None:
        self._type_is(index, self.w.data("PyFloat_Type"))
        self.numbers[index] = (self.w.load("double", self.objects[index], self.layout.value),)

    def check_complex(self, index: int) -> None:
        self._type_is(index, self.w.data("PyComplex_Type"))
        value, offset = self.objects[index], self.layout.value
        self.numbers[index] = (self.w.load("double", value, offset), self.w.load("double", value, offset + 8))

    def check_bool(self, index: int) -> None:
        self._type_is(index, self.w.data("PyBool_Type"))
        true = self.w.op(f"icmp eq ptr {self.objects[index]}, {self.w.data('_Py_TrueStruct')}")
        self.numbers[index] = (self.w.op(f"zext i1 {true} to i64"),)

    def check_frozen(self, index: int, kind: str, value: Any) -> None:
        _CHECKS[kind](self, index)
        parts = (value.real, value.imag) if kind == "complex" else (value,)
        for register, part in zip(self.numbers[index], parts, strict=True):
            if kind in ("float", "complex"):  # by bits: tells the zeros apart, and a NaN is itself
                register, part = self.w.op(f"bitcast double {register} to i64"), struct.unpack("<q", struct.pack("<d", part))[0]
            self.w.require_equal("i64", register, str(int(part)))

    def check_same(self, index: int, slot: int) -> None:
        if self.plan.places[index].step[0] != "global":  # global names compare when they are looked up
            self.w.require_equal("ptr", self.objects[index], self.slot(slot))

    def check_function(self, index: int, slot: int, code: int) -> None:
        self.check_same(index, slot)
        now = self.w.call("ptr", "PyFunction_GetCode", ("ptr", self.objects[index]))
        self.w.require_equal("ptr", now, self.slot(code))

    def check_text(self, index: int, slot: int) -> None:
        """The same object in nearly every call; else compared by content (a str of another type never is)."""
        w = self.w
        wanted = self.slot(slot)
        differs = w.op(f"icmp ne ptr {self.objects[index]}, {wanted}")

        def compare() -> None:
            self._type_is(index, w.data("PyUnicode_Type"))
            order = w.call("i32", "PyUnicode_Compare", ("ptr", self.objects[index]), ("ptr", wanted))
            w.require_equal("i32", order, "0")

        w.either(differs, compare, w.name("text"))

    def check_type(self, index: int, slot: int) -> None:
        self._type_is(index, self.slot(slot))

    def check_tuple(self, index: int, count: int) -> None:
        self._type_is(index, self.w.data("PyTuple_Type"))
        self.w.require_equal("i64", self.w.load("i64", self.objects[index], self.layout.var_size), str(count))

    def check_list(self, index: int, count: int) -> None:
        self._type_is(index, self.w.data("PyList_Type"))
        self.w.require_equal("i64", self.w.load("i64", self.objects[index], self.layout.var_size), str(count))

    def check_dict(self, index: int, slots: tuple[int, ...]) -> None:
        """The keys in their order, by identity: the runtime's matching in Python serves equal keys that are other objects."""
        w, value = self.w, self.objects[index]
        self._type_is(index, w.data("PyDict_Type"))
        w.require_equal("i64", w.load("i64", value, self.layout.dict_size), str(len(slots)))
        w.store("i64", "0", "%position")
        for slot in slots:
            found = w.call("i32", "PyDict_Next", ("ptr", value), ("ptr", "%position"), ("ptr", "%key"), ("ptr", "%item"))
            w.require_equal("i32", found, "1")
            w.require_equal("ptr", w.load("ptr", "%key"), self.slot(slot))

    def check_alias(self, index: int, place: int) -> None:
        self.w.require_equal("ptr", self.objects[index], self.objects[place])

    def check_any(self, index: int) -> None:
        pass

    # ---- shape guards ----

    def shape_guards(self) -> None:
        """Sizes that numbers give, then all comparisons: extents against their sizes, the conditions that evaluation relied on."""
        w = self.w
        for symbol, place in self.plan.symbols:
            (w.env[symbol],) = self.numbers[place]
        for register, size in self._extents:
            w.require_equal("i64", register, w.size(size))
        for stride, size, extent in self._steps:
            same = w.op(f"icmp eq i64 {stride}, {w.size(size)}")
            w.require(w.op(f"or i1 {same}, {w.op(f'icmp sle i64 {extent}, 1')}"))
        for condition in self.plan.conditions:
            w.require(w.condition(condition))
        self._overlaps()

    def _overlaps(self) -> None:
        """An array that is written must not share memory with another one."""
        w = self.w
        arrays = [k for k, place in enumerate(self.plan.places) if place.check[0] == "array"]
        written = [k for k in arrays if self.plan.places[k].check[4] and not self.plan.separate]
        extents = {k: self._memory(k) for k in arrays} if written else {}
        for index in written:
            for other in arrays:
                if other == index or (other in written and other < index):
                    continue
                before = w.op(f"icmp ule ptr {extents[index][1]}, {extents[other][0]}")
                after = w.op(f"icmp ule ptr {extents[other][1]}, {extents[index][0]}")
                w.require(w.op(f"or i1 {before}, {after}"))

    def _memory(self, index: int) -> tuple[str, str]:
        """Lowest address and the end of an array's memory."""
        w = self.w
        _, dtype, shape, strides, _ = self.plan.places[index].check
        low, high = "0", str(DTYPES[dtype].itemsize)
        for extent, stride in zip(shape, strides if strides is not None else row_major_strides(shape), strict=True):
            reach = w.size((extent - 1) * stride * DTYPES[dtype].itemsize)
            down = w.op(f"icmp slt i64 {reach}, 0")
            low = w.op(f"add i64 {low}, {w.op(f'select i1 {down}, i64 {reach}, i64 0')}")
            high = w.op(f"add i64 {high}, {w.op(f'select i1 {down}, i64 0, i64 {reach}')}")
        data = self.data[index]
        return w.op(f"getelementptr i8, ptr {data}, i64 {low}"), w.op(f"getelementptr i8, ptr {data}, i64 {high}")


def _bare_symbol(size: SizeExpression) -> str | None:
    if len(size.terms) != 1:
        return None
    ((monomial, count),) = size.terms.items()
    return monomial[0].name if count == 1 and len(monomial) == 1 and monomial[0].kind == "symbol" else None


Step = Callable[[EntryWriter, Place], str]
_STEPS: dict[str, Step] = {
    "argument": EntryWriter.step_argument,
    "none": EntryWriter.step_none,
    "slot": EntryWriter.step_slot,
    "cell": EntryWriter.step_cell,
    "item": EntryWriter.step_item,
    "key": EntryWriter.step_key,
    "attribute": EntryWriter.step_attribute,
    "method": EntryWriter.step_method,
    "default": EntryWriter.step_default,
    "kwdefault": EntryWriter.step_kwdefault,
}
_CHECKS: dict[str, Callable[..., None]] = {
    "array": EntryWriter.check_array,
    "numpy scalar": EntryWriter.check_numpy_scalar,
    "int": EntryWriter.check_int,
    "float": EntryWriter.check_float,
    "bool": EntryWriter.check_bool,
    "complex": EntryWriter.check_complex,
    "frozen": EntryWriter.check_frozen,
    "text": EntryWriter.check_text,
    "same": EntryWriter.check_same,
    "equal": EntryWriter.check_same,
    "function": EntryWriter.check_function,
    "type": EntryWriter.check_type,
    "tuple": EntryWriter.check_tuple,
    "list": EntryWriter.check_list,
    "dict": EntryWriter.check_dict,
    "alias": EntryWriter.check_alias,
    "any": EntryWriter.check_any,
}
