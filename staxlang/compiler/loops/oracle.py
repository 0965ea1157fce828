"""Loop programs and schedules to plain Python over NumPy arrays that runs: the reference mode, the debugger, the oracle of the tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size, SizeExpression, evaluate, symbols
from staxlang.compiler.loops import meaning
from staxlang.compiler.loops.ir import (
    Accumulator,
    Allocation,
    Buffer,
    BufferView,
    Definition,
    Kernel,
    Let,
    LibraryCall,
    LoopProgram,
    Nest,
    Schedule,
    Statement,
    Store,
)
from staxlang.compiler.loops.kept import all_inside, made_inside
from staxlang.compiler.loops.sizes_text import python_size
from staxlang.compiler.node import Node

_MODES = {"add": "np.add", "multiply": "np.multiply", "min": "np.minimum", "max": "np.maximum"}


def to_python(value: LoopProgram | Schedule) -> str:
    """Source of a function `program(arrays, scalars, sizes)` that gives the list of results and writes updates into `arrays`.

    Loops are in order, vectors and threads left out. Stands on `staxlang.compiler.loops.meaning` for reductions.
    """
    return _Printer(value).text()


def run(
    value: LoopProgram | Schedule,
    arrays: Sequence[np.ndarray[Any, Any]],
    scalars: Sequence[Any] = (),
    sizes: Mapping[str, int] | None = None,
) -> list[np.ndarray[Any, Any]]:
    """Runs the printed Python. `sizes` gives each free size symbol; those that are a whole extent of an input may be left out."""
    program = value.program if isinstance(value, Schedule) else value
    known = bind_sizes(program, arrays, sizes or {})
    inputs = [b for b in program.buffers.values() if b.role == "input"]
    placed = {b.position: _laid_out(arrays[b.position], b, known) for b in inputs}
    scope: dict[str, Any] = {}
    exec(compile(to_python(value), "<loop program>", "exec"), scope)
    with np.errstate(all="ignore"):
        results = scope["program"]([placed.get(k) for k in range(len(arrays))], list(scalars), known)
    for position, array in placed.items():  # a schedule writes arguments in place
        if array is not arrays[position] and arrays[position].flags.writeable:
            arrays[position][...] = array
    return results


def bind_sizes(program: LoopProgram, arrays: Sequence[np.ndarray[Any, Any]], given: Mapping[str, int]) -> dict[str, int]:
    """The value of each size symbol that is an input's whole extent, over those given."""
    known = dict(given)
    for buffer in program.buffers.values():
        if buffer.role == "input":
            for extent, actual in zip(buffer.shape, arrays[buffer.position].shape, strict=True):
                if not isinstance(extent, int) and str(extent) in symbols(extent):
                    known.setdefault(str(extent), actual)
    return known


def _laid_out(array: np.ndarray[Any, Any], buffer: Buffer, sizes: Mapping[str, int]) -> np.ndarray[Any, Any]:
    """The array itself where it has the buffer's strides, else a copy that has them."""
    shape = tuple(evaluate(s, sizes) for s in buffer.shape)
    strides = tuple(evaluate(s, sizes) for s in buffer.strides)
    if array.shape != shape or array.dtype != buffer.dtype.numpy:
        raise ValueError(f"{buffer.name} is {array.dtype}{list(array.shape)}, the program wants {buffer.dtype}{list(shape)}")
    actual = tuple(s // array.itemsize for s in array.strides)
    if array.size == 0 or all(n == 1 or a == b for n, a, b in zip(shape, actual, strides, strict=True)):
        return array
    low = sum(min(0, s * (n - 1)) for n, s in zip(shape, strides, strict=True))
    high = sum(max(0, s * (n - 1)) for n, s in zip(shape, strides, strict=True))
    memory = np.zeros(high - low + 1, array.dtype)
    placed = meaning.strided_view(memory[-low:], shape, strides)
    placed[...] = array
    return placed


class _Printer:
    """Lines of the function, made statement by statement. `names` maps size symbols and locals to Python's identifiers."""

    def __init__(self, value: LoopProgram | Schedule) -> None:
        self.schedule = value if isinstance(value, Schedule) else None
        self.program: LoopProgram = value.program if isinstance(value, Schedule) else value
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        self.taken: set[str] = {"np", "meaning", "program", "arrays", "scalars", "sizes", "arena", "range", "scanned", "running", *DTYPES}
        self.loop_names: set[str] = set()
        self.inside: dict[str, Buffer] = {}  # buffers of rounds of loops
        self.allocated: dict[str, Allocation] = {}
        self.aliased: dict[str, str] = {}
        self.dtypes: set[DType] = set()

    def text(self) -> str:
        body = self.steps()
        declarations = self.declarations()
        ending = self.ending()
        free = sorted(self.free_symbols - self.loop_names)
        head = ["import numpy as np", "", "from staxlang.compiler.loops import meaning", ""]
        if any(d.name == "bf16" for d in self.dtypes):
            head[0] += "\nfrom ml_dtypes import bfloat16 as bf16"
        head += [f"{d.name} = {_dtype_source(d)}" for d in sorted(self.dtypes, key=lambda d: d.name)]
        head += ["", "", "def program(arrays, scalars, sizes):"]
        head += [f"    {self.names[name]} = sizes[{name!r}]" for name in free]
        return "\n".join([*head, *declarations, *body, ending]) + "\n"

    # ---- names and sizes ----

    @property
    def free_symbols(self) -> set[str]:
        return {name for name in self.names if name in self.size_names}

    def identifier(self, name: str) -> str:
        found = self.names.get(name)
        if found is None:
            found = re.sub(r"\W+", "_", name.split(" ", 1)[-1]).strip("_") or "n"
            while found in self.taken:
                found += "_"
            self.taken.add(found)
            self.names[name] = found
        return found

    def size(self, value: Size, indirect: tuple[str, ...] = ()) -> str:
        return python_size(value, lambda name: f"int({indirect[int(name[1:])]})" if name[0] == "$" else self.symbol(name))

    def symbol(self, name: str) -> str:
        self.size_names.add(name)
        return self.identifier(name)

    def dtype(self, dtype: DType) -> str:
        self.dtypes.add(dtype)
        return dtype.name

    def shape(self, sizes: Sequence[Size]) -> str:
        inside = ", ".join(self.size(s) for s in sizes)
        return f"({inside},)" if len(sizes) == 1 else f"({inside})"

    # ---- the program ----

    def steps(self) -> list[str]:
        self.size_names: set[str] = set()
        self.inside = all_inside(self.program if self.schedule is None else self.schedule)
        for name in (*self.program.buffers, *self.inside):
            self.identifier("buffer " + name)
        self.lines = []
        self.allocated = {} if self.schedule is None else {a.buffer: a for a in self.schedule.allocations}
        self.aliased = {} if self.schedule is None else dict(self.schedule.aliases)
        self.run(self.program.steps if self.schedule is None else self.schedule.steps)
        lines, self.lines = self.lines, []
        return lines

    def run(self, steps: Sequence[Any]) -> None:
        for number, step in enumerate(steps):
            if isinstance(step, Definition):
                if number == 0 or not _is_one_walk(steps[number - 1], step):
                    self.definitions([step, *takewhile(partial(_is_one_walk, step), steps[number + 1 :])])
            elif isinstance(step, LibraryCall):
                self.library_call(step)
            else:
                self.kernel(step)

    def rounds(self, step: LibraryCall) -> None:
        """A loop that stays in the program: a round's own buffers are made in it."""
        index = step["index"]
        self.loop_names.add(index)
        over = "meaning.counting()" if step["extent"] is None else f"range({self.size(step['extent'])})"
        names, sources = [", ".join([self.buffer(one[k]) for one in step["moves"]]) for k in (0, 1)]
        own = self.identifier(f"own {'_'.join([name for name, _ in step['moves']])}_before") if names else ""
        if names:
            self.line(1, f"{own} = [{names}]")
        self.line(1, f"for {self.symbol(index)} in {over}:")
        outer, self.lines = self.lines, []
        if step["go"] is not None:
            self.lines += [f"    if not {self.buffer(step['go'])}[()]:", "        break"]
        first, last = self.declared(made_inside(step).values())
        self.lines += [*first, *_in_order(last)]
        self.run(step["body"].steps)
        self.line(1, f"{names} = {sources}" if names else "pass")
        outer += ["    " + line for line in self.lines]
        self.lines = outer
        if step["settled"] or step["homes"]:
            settled = [self.buffer(name) for name in step["settled"]]
            places = [f"{own}[{names.split(', ').index(name)}]" for name in settled]
            self.line(1, f"meaning.settle([{', '.join(places)}], [{', '.join(settled)}])")
            self.line(1, f"{names} = {own}")

    def buffer(self, name: str) -> str:
        return self.names["buffer " + name]

    def declarations(self) -> list[str]:
        lines: list[str] = []
        if self.schedule is not None:
            lines.append(f"    arena = np.full({self.size(self.schedule.arena_bytes)} + 64, 171, np.uint8)")
        first, last = self.declared([one for name, one in self.program.buffers.items() if name not in self.inside])
        return [*lines, *first, *_in_order(last)]

    def declared(self, buffers: Iterable[Buffer]) -> tuple[list[str], list[str]]:
        """Lines that make buffers; of those that take over another's memory apart."""
        lines: list[str] = []
        last: list[str] = []
        for buffer in buffers:
            name, shape, dtype = self.buffer(buffer.name), self.shape(buffer.shape), self.dtype(buffer.dtype)
            strides = self.shape(buffer.strides)
            if buffer.role == "input":
                lines.append(f"    {name} = arrays[{buffer.position}]")
            elif buffer.role == "scalar":
                lines.append(f"    {name} = np.asarray(scalars[{buffer.position}], {dtype})")
            elif buffer.role == "constant":
                lines.append(f"    {name} = np.frombuffer({buffer.value!r}, {dtype}).reshape({shape})")
            elif buffer.name in self.aliased:
                last.append(f"    {name} = meaning.over({self.buffer(self.aliased[buffer.name])}, np.dtype({dtype}), {shape}, {strides})")
            elif buffer.name in self.allocated:
                offset = self.size(self.allocated[buffer.name].offset)
                lines.append(f"    {name} = meaning.over(arena[{offset}:], np.dtype({dtype}), {shape}, {strides})")
            elif self.schedule is None or buffer.role == "output":
                lines.append(f"    {name} = np.empty({shape}, {dtype})")
        return lines, last

    def ending(self) -> str:
        lines = [f"    arrays[{position}][...] = {self.buffer(name)}" for position, name in self.program.updates]
        results: list[str] = []
        for name, shape in zip(self.program.outputs, self.program.shapes or [()] * len(self.program.outputs), strict=True):
            changed = self.program.shapes and shape != self.program.buffers[name].shape
            results.append(f"{self.buffer(name)}.reshape({self.shape(shape)})" if changed else self.buffer(name))
        return "\n".join([*lines, f"    return [{', '.join(results)}]"])

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def loop(self, depth: int, index: str, start: Size, extent: Size) -> None:
        self.loop_names.add(index)
        stop = self.size(start + extent)
        self.line(depth, f"for {self.symbol(index)} in range({stop if start == 0 else f'{self.size(start)}, {stop}'}):")

    def definitions(self, together: Sequence[Any]) -> None:
        """One definition, or those that are made in one walk."""
        step: Definition = together[0]
        if step.walk is None:
            self.definition(step)
            return
        depth = 1
        for index, extent in step.walk.outermost_first(step.ranges):
            self.loop(depth, index, 0, extent)
            depth += 1
        for one in together:
            self.store(depth, one.buffer, one.subscripts, one.body, one.mode, one.indirect)

    def definition(self, step: Definition) -> None:
        depth = 1
        scan = step.body if step.body.op == "scan" else None
        ranges = step.ranges
        if scan is not None:  # the scanned index runs innermost
            ranges = (*(r for r in ranges if r[0] != scan["index"]), *(r for r in ranges if r[0] == scan["index"]))
        for index, extent in ranges:
            self.loop(depth, index, 0, extent)
            depth += 1
        if scan is not None:
            index = self.symbol(scan["index"])
            combine = f"meaning.COMBINE_ROWS[{scan['kind']!r}]"
            self.line(depth, f"scanned = {self.expression(scan.operands[0])}")
            self.line(depth, f"running = scanned if {index} == 0 else {combine}(running, scanned)")
            self.line(depth, f"{self.element(step.buffer, step.subscripts, ())} = running")
            return
        self.store(depth, step.buffer, step.subscripts, step.body, step.mode, step.indirect)

    def store(self, depth: int, buffer: str, subscripts: tuple[Size, ...], body: Node, mode: str, indirect: tuple[Node, ...]) -> None:
        values = tuple(self.expression(node) for node in indirect)
        target = self.element(buffer, subscripts, values, store=True)
        value = self.expression(body)
        self.line(depth, f"{target} = {value if mode == 'set' else f'{_MODES[mode]}({target}, {value})'}")

    def element(self, buffer: str, subscripts: tuple[Size, ...], indirect: tuple[str, ...], store: bool = False) -> str:
        name = self.buffer(buffer)
        if not subscripts:
            return f"{name}[()]"
        inside = ", ".join(self.size(s, indirect) for s in subscripts)
        if all(re.fullmatch(r"\w+", part) for part in inside.split(", ")):
            return f"{name}[{inside}]"
        return f"{name}[meaning.place({name}, {inside})]" if store else f"meaning.at({name}, {inside})"

    def library_call(self, step: LibraryCall) -> None:
        if step.kind == "loop":
            self.rounds(step)
            return
        outs, operands = [", ".join([self.view(view) for view in views]) for views in (step.outs, step.operands)]
        if step.kind == "extern":
            options = [(key, self.size(value) if isinstance(value, SizeExpression) else repr(value)) for key, value in step["options"]]
            inside = ", ".join(f"({key!r}, {text})" for key, text in options)
            self.line(1, f"meaning.extern({step['name']!r}, [{inside}], [{outs}], [{operands}])")
        else:
            self.line(1, f"{outs}[...] = np.matmul({operands})")

    def view(self, view: BufferView) -> str:
        shape, strides = self.shape(view.shape), self.shape(view.strides)
        return f"meaning.strided_view({self.buffer(view.buffer)}, {shape}, {strides}, {self.size(view.offset)})"

    # ---- kernels ----

    def kernel(self, kernel: Kernel) -> None:
        self.line(1, f"# kernel {kernel.name}")
        for tile in kernel.tiles:
            name = self.identifier("buffer " + tile.name)
            self.line(1, f"{name} = np.empty({self.shape(tile.shape)}, {self.dtype(tile.dtype)})")
        for statement in kernel.body:
            self.statement(1, statement)

    def statement(self, depth: int, statement: Statement) -> None:
        if isinstance(statement, Let):
            self.line(depth, f"{self.local(statement.name)} = {self.expression(statement.value)}")
        elif isinstance(statement, Store):
            self.store(depth, statement.buffer, statement.subscripts, statement.value, statement.mode, statement.indirect)
        else:
            self.nest(depth, statement)

    def local(self, name: str) -> str:
        return self.identifier("local " + name)

    def nest(self, depth: int, nest: Nest) -> None:
        for accumulator in nest.accumulators:
            self.begin_accumulator(depth, accumulator)
        inner = depth
        for loop in nest.loops:
            self.loop(inner, loop.index, loop.start, loop.extent)
            inner += 1
        for statement in nest.body:
            self.statement(inner, statement)
        for accumulator in nest.accumulators:
            self.step_accumulator(inner, accumulator)
        if not nest.body and not nest.accumulators:
            self.line(inner, "pass")
        for accumulator in nest.accumulators:
            if accumulator.kind == "logsumexp":
                name = self.local(accumulator.name)
                self.line(depth, f"{name} = meaning.logsumexp_value({name}_state)")

    def begin_accumulator(self, depth: int, accumulator: Accumulator) -> None:
        name, dtype, kind = self.local(accumulator.name), self.dtype(accumulator.dtype), accumulator.kind
        if kind == "welford":
            mean, m2 = self.local(f"{accumulator.name}.mean"), self.local(f"{accumulator.name}.m2")
            self.line(depth, f"{mean}, {m2}, {name}_count = {dtype}(0), {dtype}(0), 0")
        elif kind in ("argmin", "argmax"):
            self.line(depth, f"{name}, {self.local(accumulator.name + '.value')} = np.int64(0), None")
        elif kind == "logsumexp":
            self.line(depth, f"{name}_state = ({dtype}(-np.inf), {dtype}(0))")
        else:
            self.line(depth, f"{name} = meaning.neutral({kind!r}, np.dtype({dtype}))")

    def step_accumulator(self, depth: int, accumulator: Accumulator) -> None:
        name, kind = self.local(accumulator.name), accumulator.kind
        value = self.expression(accumulator.value)
        if kind == "welford":
            state = f"{self.local(f'{accumulator.name}.mean')}, {self.local(f'{accumulator.name}.m2')}, {name}_count"
            self.line(depth, f"{state} = meaning.welford_step(({state}), {value})")
        elif kind in ("argmin", "argmax"):
            state = f"{name}, {self.local(accumulator.name + '.value')}"
            self.line(depth, f"{state} = meaning.arg_step({kind!r}, ({state}), {value}, {self.size(accumulator.position)})")
        elif kind == "logsumexp":
            self.line(depth, f"{name}_state = meaning.logsumexp_step({name}_state, {value})")
        else:
            self.line(depth, f"{name} = meaning.COMBINE_ROWS[{kind!r}]({name}, {value})")

    # ---- expressions ----

    def expression(self, node: Node) -> str:
        row = _EXPRESSION_ROWS.get(node.op)
        if row is not None:
            return row(self, node)
        operation = OPERATIONS[node.op]
        operands = ", ".join(self.expression(o) for o in node.operands)
        if getattr(np, node.op, None) is operation.reference and isinstance(operation.reference, np.ufunc):
            return f"np.{node.op}({operands})"
        return f"{self.dtype(node.type)}(meaning.OPERATION[{node.op!r}]({operands}))"


def _is_one_walk(one: object, other: object) -> bool:
    """Whether two steps are definitions that are made together at each point."""
    if not isinstance(one, Definition) or not isinstance(other, Definition) or one.walk is None or other.walk is None:
        return False
    return (one.walk.group, one.walk.stage) == (other.walk.group, other.walk.stage)


def _constant(printer: _Printer, node: Node) -> str:
    value = node["value"]
    text = repr(value)
    if isinstance(value, float) and text.lstrip("-") in ("inf", "nan"):
        text = f'float("{text}")'
    elif isinstance(value, complex):
        text = f'complex("{value!r}")'
    return f"{printer.dtype(node.type)}({text})"


def _load(printer: _Printer, node: Node) -> str:
    return printer.element(node["buffer"], node["subscripts"], tuple(printer.expression(o) for o in node.operands))


def _guard(printer: _Printer, node: Node) -> str:
    condition, value, other = map(printer.expression, node.operands)
    return f"({value} if {condition} else {other})"


def _reduce(printer: _Printer, node: Node) -> str:
    loops: list[str] = []
    for index, extent in node["ranges"]:
        printer.loop_names.add(index)
        loops.append(f"for {printer.symbol(index)} in range({printer.size(extent)})")
    body = printer.expression(node.operands[0])
    kind, part = node["kind"], node.get("part")
    ending = "" if part is None else f", {part!r}"
    return f"meaning.reduce_values({kind!r}, np.dtype({printer.dtype(node.type)}), ({body} {' '.join(loops)}){ending})"


def _size(printer: _Printer, node: Node) -> str:
    return f"np.int64({printer.size(node['value'])})"


def _cast(printer: _Printer, node: Node) -> str:
    return f"{printer.expression(node.operands[0])}.astype({printer.dtype(node.type)})"


def _local(printer: _Printer, node: Node) -> str:
    return printer.local(node["name"])


def _assert_index(printer: _Printer, node: Node) -> str:
    return f"meaning.checked_index({printer.expression(node.operands[0])}, {printer.size(node['extent'])}, {node['what']!r})"


_EXPRESSION_ROWS: dict[str, Callable[[_Printer, Node], str]] = {
    "const": _constant,
    "size": _size,
    "load": _load,
    "guard": _guard,
    "reduce": _reduce,
    "cast": _cast,
    "local": _local,
    "assert_index": _assert_index,
}


def _dtype_source(dtype: DType) -> str:
    return "bf16" if dtype.name == "bf16" else f"np.{dtype.numpy.type.__name__}"


def _in_order(lines: list[str]) -> list[str]:
    """Aliases of aliases after what they stand on."""
    done: list[str] = []
    waiting = list(lines)
    targets = {line.split(" = ")[0].strip() for line in lines}
    while waiting:
        for line in waiting:
            owner = line.split("meaning.over(")[1].split(",")[0]
            if owner not in targets or any(d.split(" = ")[0].strip() == owner for d in done):
                done.append(line)
                waiting.remove(line)
                break
        else:
            return [*done, *waiting]
    return done
