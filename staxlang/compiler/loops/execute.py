"""Schedules are run here, slowly and strictly: vector loops as NumPy arrays, parallel iterations out of order, every subscript checked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from staxlang.base.dtypes import DType
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size, SizeExpression, evaluate
from staxlang.compiler.loops.ir import (
    Accumulator,
    Buffer,
    BufferView,
    Kernel,
    Let,
    LibraryCall,
    Nest,
    Schedule,
    Statement,
    Store,
)  # fmt: skip
from staxlang.compiler.loops.kept import all_inside, made_inside, movers
from staxlang.compiler.loops.meaning import extern, neutral, settle, strided_view
from staxlang.compiler.node import Node

Array = Any  # NumPy arrays and scalars
_COMBINE: dict[str, Any] = {
    "sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or, "all": np.logical_and, "count": np.add,
}  # fmt: skip
_MODES: dict[str, Any] = {"add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}


def execute(
    schedule: Schedule, arrays: Sequence[Array], scalars: Sequence[Any] = (), sizes: Mapping[str, int] | None = None, backwards: bool = True
) -> list[Array]:
    """The schedule's results; `arrays` are the inputs, changed where the program updates them.

    `backwards` runs parallel loops from the end: nothing may depend on the order of their iterations.
    """
    machine = _Machine(schedule, arrays, scalars, dict(sizes or {}), backwards)
    with np.errstate(all="ignore"):
        machine.run(schedule)
    for position, buffer in schedule.program.updates:
        if machine.memory[buffer] is not arrays[position]:
            arrays[position][...] = machine.memory[buffer]
    found = [machine.memory[name] for name in schedule.program.outputs]
    shapes = schedule.program.shapes or [one.shape for one in found]
    return [one.reshape([evaluate(size, machine.env) for size in shape]) for one, shape in zip(found, shapes, strict=True)]


class _Machine:
    """Memory of the buffers and values of sizes, indices and locals; `mask` says which lanes are live (None: all)."""

    def __init__(self, schedule: Schedule, arrays: Sequence[Array], scalars: Sequence[Any], sizes: dict[str, int], backwards: bool) -> None:
        self.env: dict[str, Any] = dict(sizes)
        self.locals: dict[str, Any] = {}
        self.backwards = backwards
        self.memory: dict[str, Array] = {}
        inside = all_inside(schedule)
        for buffer in schedule.program.buffers.values():
            if buffer.role == "input":
                self.memory[buffer.name] = arrays[buffer.position]
                for extent, actual in zip(buffer.shape, arrays[buffer.position].shape, strict=True):
                    self._bind(extent, actual)
        for buffer in schedule.program.buffers.values():
            if buffer.role == "scalar":
                self.memory[buffer.name] = np.asarray(scalars[buffer.position], buffer.dtype.numpy)
            elif buffer.role == "constant":
                assert buffer.value is not None
                self.memory[buffer.name] = np.frombuffer(buffer.value, buffer.dtype.numpy).reshape(self._shape(buffer))
            elif buffer.role != "input" and buffer.name not in inside:
                self.memory[buffer.name] = self._garbage(buffer)

    def _bind(self, extent: Size, actual: int) -> None:
        if isinstance(extent, SizeExpression):
            self.env.setdefault(str(extent), actual)

    def _shape(self, buffer: Buffer) -> tuple[int, ...]:
        return tuple([evaluate(extent, self.env) for extent in buffer.shape])

    def _garbage(self, buffer: Buffer) -> Array:
        made = np.empty(self._shape(buffer), buffer.dtype.numpy)
        made.reshape(-1).view(np.uint8)[...] = 171 if buffer.dtype.kind != "b" else 1
        return made

    # ---- steps ----

    def run(self, schedule: Schedule) -> None:
        for step in schedule.steps:
            if isinstance(step, Kernel):
                self.kernel(step)
            elif step.kind == "loop":
                self.rounds(step)
            else:
                self.call(step)

    def rounds(self, step: LibraryCall) -> None:
        extent = None if step["extent"] is None else self.number(step["extent"])
        own = {name: self.memory[name] for name in movers(step)}
        for index in itertools.count():
            if (extent is not None and index >= extent) or (step["go"] is not None and not self.memory[step["go"]][()]):
                break
            self.env[step["index"]] = index
            for name, buffer in made_inside(step).items():
                if buffer.role == "temporary":
                    self.memory[name] = self._garbage(buffer)
            self.run(step["body"])
            self.memory.update({name: self.memory[source] for name, source in step["moves"]})
        if step["settled"] or step["homes"]:
            settle([own[name] for name in step["settled"]], [self.memory[name] for name in step["settled"]])
            self.memory.update(own)

    def kernel(self, kernel: Kernel) -> None:
        self._tiles(kernel)
        for statement in kernel.body:
            if isinstance(statement, Nest) and statement.loops[0].kind == "parallel":
                own = {tile.name: self.memory[tile.name] for tile in kernel.tiles}
                self.nest(statement, kernel)
                self.memory.update(own)
            else:
                self.statement(statement)

    def _tiles(self, kernel: Kernel) -> None:
        for tile in kernel.tiles:
            self.memory[tile.name] = self._garbage(tile)

    def call(self, step: LibraryCall) -> None:
        operands, outs = [[self._view(view) for view in views] for views in (step.operands, step.outs)]
        if step.kind == "extern":
            options = [(key, evaluate(value, self.env) if isinstance(value, SizeExpression) else value) for key, value in step["options"]]
            extern(step["name"], options, outs, operands)
        else:
            outs[0][...] = np.matmul(*operands)

    def _view(self, view: BufferView) -> Array:
        shape = tuple([evaluate(one, self.env) for one in view.shape])
        strides = tuple([evaluate(one, self.env) for one in view.strides])
        return strided_view(self.memory[view.buffer], shape, strides, evaluate(view.offset, self.env))

    # ---- statements ----

    def statement(self, statement: Statement) -> None:
        if isinstance(statement, Let):
            self.locals[statement.name] = self.value(statement.value, None)
        elif isinstance(statement, Store):
            self.store(statement)
        else:
            self.nest(statement, None)

    def store(self, statement: Store) -> None:
        value = self.value(statement.value, None)
        indirect = [self.value(node, None) for node in statement.indirect]
        memory = self.memory[statement.buffer]
        place = self._place(memory, statement.subscripts, indirect, None)
        if statement.mode == "set":
            memory[place] = value
        elif any(isinstance(one, np.ndarray) for one in place):
            _MODES[statement.mode].at(memory, place, value)
        else:
            memory[place] = _MODES[statement.mode](memory[place], value)

    def nest(self, nest: Nest, kernel: Kernel | None) -> None:
        vector = nest.loops[-1] if nest.loops and nest.loops[-1].kind == "vector" else None
        states = [_State(one, vector.index if vector is not None else None) for one in nest.accumulators]
        self._loops(nest, 0, states, kernel)
        for state in states:
            for name, value in state.results():
                self.locals[name] = value

    def _loops(self, nest: Nest, depth: int, states: list[_State], kernel: Kernel | None) -> None:
        if depth == len(nest.loops):
            for statement in nest.body:
                self.statement(statement)
            for state in states:
                one = state.accumulator
                lanes = 1 if state.index is None else len(self.env[state.index])
                state.take(np.broadcast_to(self.value(one.value, None), (lanes,)), self.number(one.position))
            return
        loop = nest.loops[depth]
        start, extent = self.number(loop.start), self.number(loop.extent)
        if loop.kind == "vector":
            if extent > 0:
                self.env[loop.index] = np.arange(start, start + extent)
                self._loops(nest, depth + 1, states, None)
            return
        order = range(start, start + extent)
        for index in reversed(order) if loop.kind == "parallel" and self.backwards else order:
            if kernel is not None:
                self._tiles(kernel)
            self.env[loop.index] = index
            self._loops(nest, depth + 1, states, None)

    # ---- sizes and values ----

    def number(self, size: Size, indirect: Sequence[Any] = ()) -> Any:
        if not isinstance(size, SizeExpression):
            return size
        total: Any = 0
        for monomial, count in size.terms.items():
            product: Any = count
            for atom in monomial:
                product = product * self._atom(atom, indirect)
            total = total + product
        return total

    def _atom(self, atom: Any, indirect: Sequence[Any]) -> Any:
        if atom.kind == "symbol":
            return indirect[int(atom.name[1:])] if atom.name[0] == "$" else self.env[atom.name]
        parts = [self.number(part, indirect) for part in atom.parts]
        if atom.kind == "floordiv":
            return parts[0] // parts[1]
        pick: Any = np.minimum if atom.kind == "min" else np.maximum
        total: Any = parts[0]
        for part in parts[1:]:
            total = pick(total, part)
        return int(total) if np.ndim(total) == 0 else total

    def _place(self, memory: Array, subscripts: tuple[Size, ...], indirect: Sequence[Any], mask: Any) -> tuple[Any, ...]:
        place: list[Any] = []
        for subscript, extent in zip(subscripts, memory.shape, strict=True):
            at = self.number(subscript, indirect)
            if mask is not None:
                at = np.where(mask, at, 0)
                if not np.any(mask):
                    return tuple([0 * at] * len(memory.shape)) if memory.size else ()
            if np.any(np.asarray(at) < 0) or np.any(np.asarray(at) >= extent):
                raise IndexError(f"{subscript} = {at} is not below {extent}")
            place.append(at)
        return tuple(place)

    def value(self, node: Node, mask: Any) -> Any:
        row = _ROWS.get(node.op)
        if row is not None:
            return row(self, node, mask)
        operands = [self.value(operand, mask) for operand in node.operands]
        return as_dtype(OPERATIONS[node.op].reference(*operands), node.type)

    def _load(self, node: Node, mask: Any) -> Any:
        memory = self.memory[node["buffer"]]
        indirect = [self.value(operand, mask) for operand in node.operands]
        place = self._place(memory, node["subscripts"], indirect, mask)
        if not place and memory.ndim:
            return memory.dtype.type(0)
        return np.array(memory[place])[()]

    def _guard(self, node: Node, mask: Any) -> Any:
        condition, value, other = node.operands
        holds = self.value(condition, mask)
        if np.ndim(holds) == 0:
            return self.value(value if holds else other, mask)
        both: Any = holds if mask is None else holds & mask
        neither: Any = ~holds if mask is None else ~holds & mask
        choose: Any = np.where
        return choose(holds, self.value(value, both), self.value(other, neither))

    def _assert_index(self, node: Node, mask: Any) -> Any:
        value = self.value(node.operands[0], mask)
        extent = self.number(node["extent"])
        live = np.ones(np.shape(value), bool) if mask is None else mask
        if np.any(live & ((value < 0) | (value >= extent))):
            raise IndexError(f"{node['what']} out of bounds for an axis of {extent}")
        return value


class _State:
    """An accumulator while its nest runs."""

    def __init__(self, accumulator: Accumulator, index: str | None) -> None:
        self.accumulator = accumulator
        self.index = index  # of the vector loop
        self.finds = accumulator.kind in ("argmin", "argmax")
        self.total: Any = None if self.finds else neutral(accumulator.kind, accumulator.dtype.numpy)
        self.place: Any = np.int64(0)

    def take(self, value: Any, position: Any) -> None:
        one = self.accumulator
        if not self.finds:
            values = value
            if one.kind == "count":
                values = values.astype(np.int64)
            self.total = as_dtype(_COMBINE[one.kind](self.total, _COMBINE[one.kind].reduce(values)), one.dtype)
            return
        values, places = np.broadcast_arrays(value, position)
        pick = int(np.argmin(values) if one.kind == "argmin" else np.argmax(values))
        best, at = values[pick], places[pick]
        if self.total is None or self._better(best, at):
            self.total, self.place = best, np.int64(at)

    def _better(self, value: Any, at: Any) -> bool:
        if value != value or self.total != self.total:
            return bool(value != value and (self.total == self.total or at < self.place))
        if value == self.total:
            return bool(at < self.place)
        return bool(value < self.total if self.accumulator.kind == "argmin" else value > self.total)

    def results(self) -> list[tuple[str, Any]]:
        name = self.accumulator.name
        return [(name, self.place), (f"{name}.value", self.total)] if self.finds else [(name, self.total)]


def as_dtype(value: Any, dtype: DType) -> Any:
    return np.asarray(value).astype(dtype.numpy)[()] if getattr(value, "dtype", None) != dtype.numpy else value


_Row = Callable[[_Machine, Node, Any], Any]
_ROWS: dict[str, _Row] = {
    "const": lambda machine, node, mask: node.type.numpy.type(node["value"]),
    "size": lambda machine, node, mask: as_dtype(machine.number(node["value"]), node.type),
    "load": _Machine._load,  # pyright: ignore[reportPrivateUsage]
    "guard": _Machine._guard,  # pyright: ignore[reportPrivateUsage]
    "cast": lambda machine, node, mask: as_dtype(machine.value(node.operands[0], mask), node.type),
    "local": lambda machine, node, mask: machine.locals[node["name"]],
    "assert_index": _Machine._assert_index,  # pyright: ignore[reportPrivateUsage]
}
