"""Temporaries get their places: in a result that takes their place, or in the arena, where what is dead makes room; sizes symbolic."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.sizes import Size, symbols
from staxlang.base.types import element_count, row_major_strides
from staxlang.compiler.loops.expressions import Expressions, subexpressions
from staxlang.compiler.loops.ir import Allocation, Buffer, Kernel, Let, LibraryCall, Loop, LoopProgram, Nest, Schedule, Statement, Store
from staxlang.compiler.loops.kept import movers
from staxlang.compiler.node import Node

ALIGNMENT = 64
Steps = list[Kernel | LibraryCall]


def itself(size: Size) -> Size:
    return size


def plan_memory(
    program: LoopProgram, steps: Steps, notes: tuple[str, ...], ex: Expressions, bound: Callable[[Size], Size] = itself
) -> Schedule:
    """The schedule with every temporary placed; `bound` gives what an extent is at most."""
    lifetimes = lifetimes_of(program, steps)
    homes = _taken_over(program, steps, lifetimes, ex)
    allocations, end = _arena(program, _with_guests(lifetimes, homes), bound)
    return Schedule(program, tuple(steps), tuple(allocations), end, tuple(homes.items()), notes)


def _with_guests(lifetimes: dict[str, tuple[int, int]], homes: dict[str, str]) -> dict[str, tuple[int, int]]:
    """Lifetimes of the memory of those that have their own: from the first use of what lives in it before them."""
    own = {name: life for name, life in lifetimes.items() if name not in homes}
    for guest in homes:
        home = homes[guest]
        while home in homes:
            home = homes[home]
        if home in own:  # else a result: its memory is nobody else's
            own[home] = min(own[home][0], lifetimes[guest][0]), own[home][1]
    return own


def _arena(
    program: LoopProgram, lifetimes: dict[str, tuple[int, int]], bound: Callable[[Size], Size]
) -> tuple[list[Allocation], Size]:
    """Places by order of first use; a place that has become free is used again where it is known to be large enough."""
    allocations: list[Allocation] = []
    end: Size = 0
    free: list[tuple[Size, Size]] = []  # (offset, bytes)
    alive: list[tuple[int, Size, Size]] = []  # (last step, offset, bytes)
    for name, (first, last) in sorted(lifetimes.items(), key=lambda one: one[1]):
        size = bytes_of(program.buffers[name], bound)
        free += [(offset, room) for until, offset, room in alive if until < first]
        alive = [one for one in alive if one[0] >= first]
        place = _fitting(free, size)
        if place is None:
            place = end, size
            end = end + size
        else:
            free.remove(place)
        allocations.append(Allocation(name, place[0], size))
        alive.append((last, *place))
    return allocations, end


def _fitting(free: list[tuple[Size, Size]], size: Size) -> tuple[Size, Size] | None:
    """A free place of just this size, else the smallest one that is surely larger."""
    best: tuple[Size, Size] | None = None
    least = -1
    for place in free:
        room = place[1]
        if room == size:
            return place
        if isinstance(room, int) and isinstance(size, int) and room > size and (best is None or room < least):
            best, least = place, room
    return best


def bytes_of(buffer: Buffer, bound: Callable[[Size], Size] = itself) -> Size:
    """Bytes of a buffer, rounded up so that the next one is aligned."""
    size = element_count(tuple(map(bound, buffer.shape))) * buffer.dtype.itemsize
    return (size + (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT


# ---- lifetimes -----------------------------------------------------------------------------------------------------


def lifetimes_of(program: LoopProgram, steps: Steps) -> dict[str, tuple[int, int]]:
    """(first step, last step) of each temporary that a step touches."""
    found: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(steps):
        for name in touched_by(step):
            if name in program.buffers and program.buffers[name].role == "temporary":
                found[name] = found.get(name, (number, number))[0], number
    for together in map(movers, steps):  # each may be in the memory of any
        own = [found[name] for name in together if name in found]
        for name in together:
            if name in found:
                found[name] = min([first for first, _ in own]), max([last for _, last in own])
    return found


def touched_by(step: Kernel | LibraryCall) -> list[str]:
    """Buffers that a step reads or writes, each once."""
    if isinstance(step, LibraryCall):
        return list(dict.fromkeys([view.buffer for view in (*step.operands, *step.outs)]))
    found: dict[str, None] = {}
    seen: set[Node] = set()
    for statement in step.body:
        _touch(statement, found, seen)
    return list(found)


def _touch(statement: Statement, found: dict[str, None], seen: set[Node]) -> None:
    if isinstance(statement, Nest):
        for one in statement.body:
            _touch(one, found, seen)
        values = [one.value for one in statement.accumulators]
    else:
        values = [statement.value]
        if isinstance(statement, Store):
            found[statement.buffer] = None
            values += statement.indirect
    for node in subexpressions(values, seen):
        if node.op == "load":
            found[node["buffer"]] = None


# ---- one buffer in the place of another ----------------------------------------------------------------------------


def _taken_over(program: LoopProgram, steps: Steps, lifetimes: dict[str, tuple[int, int]], ex: Expressions) -> dict[str, str]:
    """Temporary -> the result that is written where the temporary is read for the last time, element by element.

    The temporary lives in the result's memory from the beginning: nothing else may be there until then.
    """
    first: dict[str, int] = {}
    for number, step in enumerate(steps):
        for name in touched_by(step):
            first.setdefault(name, number)
    homes: dict[str, str] = {}
    moving = {name for step in steps for name in movers(step)}
    for name, (began, last) in lifetimes.items():
        step = steps[last]
        if began == last or isinstance(step, LibraryCall) or len(step.body) != 1 or name in moving:
            continue
        temporary = program.buffers[name]
        for store in last_stores(step.body[0]):
            target = program.buffers.get(store.buffer)
            if target is None or first[target.name] < last or target.name in homes or target.name in {*moving, *homes.values()}:
                continue
            once = _is_stored_once(step.body[0], symbols(ex.address(store.buffer, store.subscripts)))
            if once and _begins_empty(target) and _alike(temporary, target) and _only_here(step, name, store, ex):
                homes[name] = target.name
                break
    return homes


def _begins_empty(buffer: Buffer) -> bool:
    """A temporary, or a result of the whole program: what a loop carries holds what the round before has left in it."""
    return buffer.role == "temporary" or (buffer.role == "output" and buffer.position >= 0)


def _alike(one: Buffer, other: Buffer) -> bool:
    row_major = row_major_strides(one.shape)
    return one.shape == other.shape and one.dtype is other.dtype and one.strides == row_major == other.strides


def last_stores(statement: Statement) -> list[Store]:
    """The stores that end the innermost body of a lone nest without reductions."""
    while isinstance(statement, Nest):
        if statement.accumulators or not statement.body:
            return []
        *before, statement = statement.body
        if any(isinstance(one, Nest) for one in before):
            return []
        if isinstance(statement, Store):
            stores = [one for one in before if isinstance(one, Store)]
            return [statement, *reversed(stores)]
    return [statement] if isinstance(statement, Store) else []


def _only_here(step: Kernel, name: str, store: Store, ex: Expressions) -> bool:
    """Whether the temporary is read at the store's own subscripts only, and not after the store."""
    done = False
    for one in _leaves(step.body[0]):
        values = [one.value, *(one.indirect if isinstance(one, Store) else ())]
        for node in subexpressions(values):
            if node.op == "load" and node["buffer"] == name:
                place = ex.address(name, node["subscripts"])
                if done or node.operands or place != ex.address(store.buffer, store.subscripts):
                    return False
        if isinstance(one, Store) and one.buffer == name:
            return False
        done = done or one is store
    return done and store.mode == "set" and not store.indirect


def _is_stored_once(statement: Statement, names: frozenset[str]) -> bool:
    """Whether the last store of a nest, at subscripts over these indices, writes each element at one point only."""
    loops: list[Loop] = []
    while isinstance(statement, Nest):
        loops += statement.loops
        statement = statement.body[-1]
    for loop in reversed(loops):
        if loop.index in names:  # a block's loop begins where the loop around says
            names |= symbols(loop.start)
        elif loop.extent != 1:
            return False
    return True


def _leaves(statement: Statement) -> list[Let | Store]:
    if not isinstance(statement, Nest):
        return [statement]
    return [leaf for one in statement.body for leaf in _leaves(one)]
