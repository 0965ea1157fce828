"""How much a kernel does, as a size that is cheap to compute: what the run-time tests for threads compare.

Blocks are taken to be whole: ceil(N / 64) blocks of min(64, N) points are N points. So what is left are products of the sizes themselves,
not the expressions by which loops are cut, which would have to be compiled into each entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from staxlang.base.sizes import Size, nonnegative, substitute, symbols
from staxlang.base.sizes.expression import Atom, Monomial, only_atom, size_of
from staxlang.compiler.loops.expressions import Expressions, subexpressions
from staxlang.compiler.loops.ir import Kernel, LibraryCall, Nest, Statement
from staxlang.compiler.node import Node

# What a loop is taken to run whose number of rounds only its data knows; and what it is worth at least: it may run long, so others go on.
UNKNOWN_ROUNDS = 64
UNKNOWN_WORK = 1 << 16

# A product of atoms over divisors, with a factor in front.
_Key = tuple[Monomial, tuple[Size, ...]]
_Rough = dict[_Key, float]


def work_of(kernel: Kernel, ex: Expressions) -> Size:
    """About the bytes moved / 4 plus the vector instructions / 6 of all iterations."""
    total: dict[Monomial, float] = {}
    for statement in kernel.body:
        for extents, amount in _bodies(statement, (), ex):
            product: _Rough = {((), ()): float(amount)}
            for extent in extents:
                product = _times(product, _rough(extent))
            for key, count in product.items():
                monomial, scale = _settled(key)
                total[monomial] = total.get(monomial, 0.0) + count * scale
    return size_of({monomial: max(1, round(count)) for monomial, count in total.items() if count > 0.01})


def call_work(call: LibraryCall, unknown: int = UNKNOWN_WORK) -> Size:
    """About the multiplications of a matrix product, or of linear algebra in machine code. (What Python does needs its lock: 0.)"""
    if call.kind == "loop":
        return loop_work(call, unknown)
    if not call.operands or (call.kind == "extern" and not call["native"]):
        return 0
    first = call.operands[0].shape
    if call.kind == "gemm":
        return _product((*call.out.shape, first[-1]))
    return _product(first) * first[-1] + 256 * _product(first[:-2]) if first else 0


def loop_work(call: LibraryCall, unknown: int = UNKNOWN_WORK) -> Size:
    """The work of all rounds, each taken to be like the first; of a loop whose end only its data knows, `unknown` at least."""
    first: dict[str, Size] = {call["index"]: 0}
    total: Size = 0
    for step in call["body"].steps:
        work = step.work if isinstance(step, Kernel) else call_work(step, unknown)
        total = total + (work if isinstance(work, int) else substitute(work, first))
    return total * UNKNOWN_ROUNDS + unknown if call["extent"] is None else total * call["extent"] + 1


def _product(extents: tuple[Size, ...]) -> Size:
    total: Size = 1
    for extent in extents:
        total = total * extent
    return total


def _bodies(statement: Statement, around: tuple[tuple[str, Size], ...], ex: Expressions) -> Iterator[tuple[list[Size], int]]:
    """(extents of the loops around it, amount) of each straight piece of code."""
    if not isinstance(statement, Nest):
        yield _extents(around), _amount((statement.value,), ex)
        return
    inside = (*around, *[(loop.index, loop.extent) for loop in statement.loops])
    values: list[Node] = [one.value for one in statement.accumulators]
    for one in statement.body:
        if isinstance(one, Nest):
            yield from _bodies(one, inside, ex)
        else:
            values.append(one.value)
    if values:
        yield _extents(inside), _amount(values, ex)


def _extents(loops: tuple[tuple[str, Size], ...]) -> list[Size]:
    """The extents at the first iteration of the loops around them (the last block is shorter)."""
    first: dict[str, Size] = {index: 0 for index, _ in loops}
    return [substitute(one, first) if not isinstance(one, int) and not symbols(one).isdisjoint(first) else one for _, one in loops]


def _amount(values: tuple[Node, ...] | list[Node], ex: Expressions) -> int:
    moved = instructions = 0
    for node in subexpressions(values):
        if node.op == "load":
            moved += node.type.itemsize
        else:
            instructions += ex.cost(node) - sum([ex.cost(operand) for operand in node.operands])
    moved += sum([value.type.itemsize for value in values])
    return max(1, moved // 4 + instructions // 6)


# ---- sizes without rounding ----------------------------------------------------------------------------------------


def _rough(size: Size) -> _Rough:
    """The size with divisions taken as fractions."""
    if isinstance(size, int):
        return {((), ()): float(size)}
    total: _Rough = {}
    for monomial, count in size.terms.items():
        product: _Rough = {((), ()): float(count)}
        for atom in monomial:
            product = _times(product, _rough_atom(atom))
        for key, amount in product.items():
            total[key] = total.get(key, 0.0) + amount
    return total


def _rough_atom(atom: Atom) -> _Rough:
    if atom.kind != "floordiv":
        return {((atom,), ()): 1.0}
    above, below = atom.parts
    if isinstance(below, int) and not isinstance(above, int) and 0 < above.terms.get((), 0) < below:
        above = above - above.terms[()]  # what rounds up
    return {(monomial, (*divisors, below)): count for (monomial, divisors), count in _rough(above).items()}


def _times(left: _Rough, right: _Rough) -> _Rough:
    total: _Rough = {}
    for (atoms, divisors), count in left.items():
        for (more, others), times in right.items():
            key = tuple(sorted(atoms + more, key=_name)), tuple(sorted(divisors + others, key=str))
            total[key] = total.get(key, 0.0) + count * times
    return total


def _name(atom: Atom) -> str:
    return atom.key


def _settled(key: _Key) -> tuple[Monomial, float]:
    """The product without divisors: a division by a block's length and the points of one block cancel."""
    atoms, scale = list(key[0]), 1.0
    for divisor in key[1]:
        own = only_atom(divisor)  # maximum(64, ...)
        block = next((atom for atom in atoms if atom == own or (atom.kind == "min" and divisor in atom.parts)), None)
        if block is not None:
            atoms.remove(block)
        else:
            least = (divisor,) if own is None else own.parts  # a block's length is at least the constant in it
            scale /= max([1, *[part for part in least if isinstance(part, int)]])
    return tuple(atoms), scale if nonnegative(size_of({tuple(atoms): 1})) else 0.0
