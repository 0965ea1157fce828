"""Results of a native entry: arrays are allocated before the program runs; afterwards they become what the kernel returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.base.dtypes import DTYPES
from staxlang.base.sizes import Size, SizeExpression
from staxlang.base.types import dense_strides, element_count
from staxlang.compiler.llvm.entry_checks import WRITEABLE, EntryWriter
from staxlang.compiler.llvm.support import ALIGNED

_NUMBER_MAKERS = {
    "int": ("i64", "PyLong_FromLongLong"),
    "float": ("double", "PyFloat_FromDouble"),
}


class ResultWriter:
    """Writes the allocation of a plan's outputs and the making of its result."""

    def __init__(self, writer: EntryWriter) -> None:
        self.e = writer
        self.w = writer.w
        self._arrays: dict[int, str] = {}  # register of each output array
        self._handed: set[int] = set()

    def allocate(self) -> None:
        """Make the result arrays. When one cannot be had, those made before it are given back (blocks `undo<n>`)."""
        plan, w = self.e.plan, self.w
        first = len(plan.arrays)
        for index, output in enumerate(plan.outputs):
            if not output.shape:
                w.store("ptr", f"%out{index}.value", "%arrays", 8 * (first + index))
                continue
            dims = self.extents(output.shape, f"out{index}.dims")
            strides = "null"
            if output.order:
                steps = [step * output.itemsize for step in dense_strides(output.shape, output.order)]
                strides = self.extents(tuple(steps), f"out{index}.strides")
            array = self._new(self.e.slot(output.slot), len(output.shape), dims, strides, element_count(output.shape) * output.itemsize)
            w.require(w.op(f"icmp ne ptr {array}, null"), self.e.undo())
            w.store("ptr", w.load("ptr", array, self.e.layout.array_data), "%arrays", 8 * (first + index))
            self.e.made.append(array)
            self._arrays[index] = array

    def _new(self, descr: str, rank: int, dims: str, strides: str, bytes: Size) -> str:
        w = self.w
        if strides != "null" or isinstance(bytes, SizeExpression) or bytes >= ALIGNED:
            arguments = (("ptr", descr), ("i32", str(rank)), ("ptr", dims), ("ptr", strides), ("i64", w.size(bytes)))
            return w.call("ptr", "stax_new_array", *arguments)
        w.call("void", "Py_IncRef", ("ptr", descr))
        return self._new_view(descr, rank, dims, "null", "null", "0")

    def _new_view(self, descr: str, rank: int, dims: str, strides: str, data: str, flags: str) -> str:
        """PyArray_NewFromDescr; it takes over the reference to the descriptor."""
        kind = ("ptr", self.w.data("PyArray_Type"))
        rest = (("ptr", descr), ("i32", str(rank)), ("ptr", dims), ("ptr", strides), ("ptr", data), ("i32", flags), ("ptr", "null"))
        return self.w.call("ptr", "stax_numpy_new", kind, *rest)

    def extents(self, sizes: tuple[Size, ...], name: str) -> str:
        """The address of extents (or strides) as NumPy wants them: a constant table, or one on the stack that is filled now."""
        w = self.w
        if not sizes:
            return "null"
        if not any(isinstance(size, SizeExpression) for size in sizes):
            label = f"@{self.e.entry}.{name}"
            w.globals.append(f"{label} = internal constant [{len(sizes)} x i64] [{', '.join(f'i64 {size}' for size in sizes)}]")
            return label
        self.e.stack.append(f"%{name} = alloca [{len(sizes)} x i64]")
        for axis, size in enumerate(sizes):
            w.store("i64", w.size(size), f"%{name}", 8 * axis)
        return f"%{name}"

    # ---- what the kernel returns ----

    def give_back(self) -> None:
        answer = self._value(self.e.plan.result)
        self.w.do(f"ret ptr {answer}")

    def _value(self, tree: tuple[Any, ...]) -> str:
        """A new reference to what a node of the result tree describes."""
        return _VALUES[tree[0]](self, *tree[1:])

    def _same(self, register: str) -> str:
        self.w.call("void", "Py_IncRef", ("ptr", register))
        return register

    def make_array(self, output: int) -> str:
        if output in self._handed:
            return self._same(self._arrays[output])
        self._handed.add(output)
        if output not in self._arrays:
            self._arrays[output] = self._boxed(output)
        return self._arrays[output]

    def _boxed(self, output: int) -> str:
        """A value of rank 0 as an array of its own."""
        w, described = self.w, self.e.plan.outputs[output]
        descr = self._same(self.e.slot(described.slot))
        array = self._new_view(descr, 0, "null", "null", "null", "0")
        w.require(w.op(f"icmp ne ptr {array}, null"), "nothing")
        kind = f"[{described.itemsize} x i8]"
        w.store(kind, w.load(kind, f"%out{output}.value"), w.load("ptr", array, self.e.layout.array_data))
        return array

    def make_scalar(self, output: int) -> str:
        descr = self.e.slot(self.e.plan.outputs[output].slot)
        return self.w.call("ptr", "stax_numpy_scalar", ("ptr", f"%out{output}.value"), ("ptr", descr), ("ptr", "null"))

    def make_number(self, output: int, kind: str) -> str:
        w, value = self.w, f"%out{output}.value"
        if kind == "bool":
            return w.call("ptr", "PyBool_FromLong", ("i64", w.op(f"zext i8 {w.load('i8', value)} to i64")))
        if kind == "complex":
            return w.call("ptr", "PyComplex_FromDoubles", ("double", w.load("double", value)), ("double", w.load("double", value, 8)))
        machine, maker = _NUMBER_MAKERS[kind]
        return w.call("ptr", maker, (machine, w.load(machine, value)))

    def make_object(self, place: int) -> str:
        return self._same(self.e.objects[place])

    def make_view(self, place: int, slot: int, *view: Any) -> str:
        """A view of an input's memory."""
        return self._part_of(self.e.objects[place], DTYPES[self.e.plan.places[place].check[1]].itemsize, slot, *view)

    def make_part(self, output: int, slot: int, *view: Any) -> str:
        """A view of a result's memory. The result itself lives on as the view's base."""
        w = self.w
        owner = self.make_array(output)
        made = self._part_of(owner, self.e.plan.outputs[output].itemsize, slot, *view)
        w.call("void", "Py_DecRef", ("ptr", owner))
        return made

    def _part_of(
        self, owner: str, itemsize: int, slot: int, shape: tuple[Size, ...], strides: tuple[Size, ...], offset: Size, writable: bool
    ) -> str:
        """A view whose base is its owner, writable if that is and the view may be."""
        w = self.w
        label = w.name("view")
        dims = self.extents(shape, f"{label}.dims")
        steps = self.extents(tuple(stride * itemsize for stride in strides), f"{label}.strides")
        start = w.load("ptr", owner, self.e.layout.array_data)
        data = w.op(f"getelementptr i8, ptr {start}, i64 {w.size(offset * itemsize)}")
        flags = w.op(f"and i32 {w.load('i32', owner, self.e.layout.array_flags)}, {WRITEABLE if writable else 0}")
        array = self._new_view(self._same(self.e.slot(slot)), len(shape), dims, steps, data, flags)
        w.require(w.op(f"icmp ne ptr {array}, null"), "nothing")
        status = w.call("i32", "stax_numpy_set_base", ("ptr", array), ("ptr", self._same(owner)))
        w.require_equal("i32", status, "0", "nothing")
        return array

    def make_size(self, size: Size) -> str:
        return self.w.call("ptr", "PyLong_FromLongLong", ("i64", self.w.size(size)))

    def make_static(self, slot: int) -> str:
        return self._same(self.e.slot(slot))

    def make_tuple(self, items: tuple[tuple[Any, ...], ...]) -> str:
        w = self.w
        values = [self._value(item) for item in items]
        for value in values:
            w.require(w.op(f"icmp ne ptr {value}, null"), "nothing")
        made = w.call("ptr", "PyTuple_New", ("i64", str(len(values))))
        w.require(w.op(f"icmp ne ptr {made}, null"), "nothing")
        for index, value in enumerate(values):
            w.store("ptr", value, made, self.e.layout.tuple_items + 8 * index)
        return made

    def make_build(self, slot: int, items: tuple[tuple[Any, ...], ...]) -> str:
        """Lists, dicts, records: the runtime's callable in the slot makes them of the leaves."""
        w = self.w
        leaves = self.make_tuple(items)
        made = w.call("ptr", "PyObject_CallObject", ("ptr", self.e.slot(slot)), ("ptr", leaves))
        w.call("void", "Py_DecRef", ("ptr", leaves))
        return made


_VALUES: dict[str, Callable[..., str]] = {
    "array": ResultWriter.make_array,
    "scalar": ResultWriter.make_scalar,
    "number": ResultWriter.make_number,
    "object": ResultWriter.make_object,
    "view": ResultWriter.make_view,
    "part": ResultWriter.make_part,
    "size": ResultWriter.make_size,
    "static": ResultWriter.make_static,
    "tuple": ResultWriter.make_tuple,
    "build": ResultWriter.make_build,
}
