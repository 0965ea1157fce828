"""np.einsum: its subscripts are read, diagonals taken as views, operands contracted pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, DType, concrete, promote
from staxlang.base.sizes import Size, evaluate, symbols
from staxlang.base.types import TensorType
from staxlang.typecheck import views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.pointwise import join_extents
from staxlang.typecheck.surface.arguments import absent, array_of, dtype_of, expand, take_view
from staxlang.typecheck.surface.linear import Axes, contract
from staxlang.typecheck.surface.output import into
from staxlang.typecheck.surface.reductions import reduce
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted
from staxlang.typecheck.values import NONE, ArrayValue, StaticValue, Value

FALSE = StaticValue(False)


class Term:
    """An operand and the letter of each of its axes; the axes under `...` have letters of their own (upper-case numbers)."""

    __slots__ = ("array", "letters")

    def __init__(self, array: ArrayValue, letters: Sequence[str]) -> None:
        self.array = array
        self.letters = list(letters)


@spelled("np.einsum", "word.einsum")
def einsum(
    call: CallContext, *operands: Value, out: Value = NONE, dtype: Value = NONE, order: Value = StaticValue("K"),
    casting: Value = StaticValue("safe"), optimize: Value = FALSE,
) -> Value:  # fmt: skip
    if not operands:
        call.error("missing-argument", function="np.einsum", name="subscripts")
    if isinstance(operands[0], StaticValue) and isinstance(operands[0].value, str):
        text = operands[0].value
        arrays = [array_of(call, operand) for operand in operands[1:]]
    else:
        text, arrays = _from_lists(call, operands)
    inputs, output = _read(call, text, arrays)
    common = dtype_of(call, dtype) or concrete(promote(*(array.dtype for array in arrays)))
    terms = [Term(call.cast(array, common), letters) for array, letters in zip(arrays, inputs, strict=True)]
    extents = _extents(call, terms)
    terms = [_diagonal(call, _shared(call, term, extents)) for term in terms]
    result = _contracted(call, terms, output, extents, common)
    if result.storage is not arrays[0].storage:  # of one operand, without a sum, it is a view
        result = call.array(call.handle(result), TensorType(result.dtype, result.shape))
    return into(call, result, out, "np.einsum", str(call.static(casting, "casting")) if not absent(dtype) else "same_kind")


# ---- reading ----


def _from_lists(call: CallContext, operands: Sequence[Value]) -> tuple[str, list[ArrayValue]]:
    """The other notation: einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    arrays: list[ArrayValue] = []
    parts: list[str] = []
    pairs = list(operands)
    while len(pairs) >= 2:
        arrays.append(array_of(call, pairs.pop(0)))
        parts.append(_letters_of(call, pairs.pop(0)))
    text = ",".join(parts)
    return (text + "->" + _letters_of(call, pairs[0]) if pairs else text), arrays


def _letters_of(call: CallContext, value: Value) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join("..." if one is Ellipsis else alphabet[one] for one in call.static(value, "subscripts"))


def _read(call: CallContext, text: str, arrays: Sequence[ArrayValue]) -> tuple[list[list[str]], list[str]]:
    spaceless = text.replace(" ", "")
    left, arrow, right = spaceless.partition("->")
    parts = left.split(",")
    if len(parts) != len(arrays):
        call.error("wrong-arity", operation="np.einsum", expected=len(parts), given=len(arrays))
    for part in (*parts, right):
        if not all(letter.isalpha() and letter.isascii() for letter in part.replace("...", "", 1)):
            call.error(
                "bad-value", argument="the subscripts", operation="np.einsum", expected="letters, `...`, `,` and `->`", given=repr(text)
            )
    inputs = [_letters(call, part, array, text) for part, array in zip(parts, arrays, strict=True)]
    hidden = max((sum(1 for letter in letters if not letter.isalpha()) for letters in inputs), default=0)
    dots = [str(hidden - k) for k in range(hidden)]
    used = [letter for letters in inputs for letter in letters if letter.isalpha()]
    if not arrow:
        return inputs, dots + sorted(letter for letter in set(used) if used.count(letter) == 1)
    output: list[str] = []
    for piece in _pieces(right):
        output.extend(dots if piece == "..." else [piece])
    for letter in output:
        if (letter.isalpha() and letter not in used) or output.count(letter) > 1:
            call.error(
                "bad-value",
                argument="the result's subscripts",
                operation="np.einsum",
                expected="letters of the operands, each once",
                given=repr(text),
            )
    return inputs, output


def _letters(call: CallContext, part: str, array: ArrayValue, text: str) -> list[str]:
    """The letter of each axis; axes under `...` are numbered from the last, 1."""
    named = len(part.replace("...", ""))
    hidden = array.rank - named
    if hidden < 0 or (hidden and "..." not in part):
        call.error("axes-mismatch", operation="np.einsum", expected=named, given=array.rank)
    letters: list[str] = []
    for piece in _pieces(part):
        letters.extend([str(hidden - k) for k in range(hidden)] if piece == "..." else [piece])
    return letters


def _pieces(part: str) -> list[str]:
    before, dots, after = part.partition("...")
    return [*before, *(["..."] if dots else []), *after]


# ---- sizes ----


def _extents(call: CallContext, terms: Sequence[Term]) -> dict[str, Size]:
    """The extent of each letter; 1 gives way to another."""
    extents: dict[str, Size] = {}
    for term in terms:
        for letter, extent in zip(term.letters, term.array.shape, strict=True):
            known = extents.get(letter, 1)
            if known == extent or extent == 1:
                extents.setdefault(letter, extent)
                continue
            joined = extent if known == 1 else join_extents(call, known, extent)
            if joined is None:
                notes = [note for note in (call.context.origin(known), call.context.origin(extent)) if note is not None]
                call.error("einsum-mismatch", operation="np.einsum", index=letter, left=known, right=extent, notes=notes)
            extents[letter] = joined
    return extents


def _shared(call: CallContext, term: Term, extents: dict[str, Size]) -> Term:
    """Axes of extent 1 that other operands have longer are dropped: their element serves all."""
    drop = tuple(
        axis
        for axis, (letter, extent) in enumerate(zip(term.letters, term.array.shape, strict=True))
        if call.context.facts.is_one(extent) and not call.context.facts.is_one(extents[letter])
    )
    if not drop:
        return term
    kept = [letter for axis, letter in enumerate(term.letters) if axis not in drop]
    return Term(take_view(call, term.array, views.squeeze(term.array.shape, drop)), kept)


def _diagonal(call: CallContext, term: Term) -> Term:
    """A letter twice in one operand: its diagonal."""
    while len(set(term.letters)) < len(term.letters):
        letter = next(one for one in term.letters if term.letters.count(one) > 1)
        first = term.letters.index(letter)
        second = term.letters.index(letter, first + 1)
        view = views.diagonal(term.array.shape, 0, first, second, call.decide)
        kept = [one for axis, one in enumerate(term.letters) if axis not in (first, second)]
        term = Term(take_view(call, term.array, view), [*kept, letter])
    return term


# ---- contracting ----


def _contracted(call: CallContext, terms: list[Term], output: list[str], extents: dict[str, Size], dtype: DType) -> ArrayValue:
    while len(terms) > 1:
        first, second = _next_pair(call, terms, output, extents)
        b, a = terms.pop(second), terms.pop(first)
        kept = {letter for term in terms for letter in term.letters} | set(output)
        terms.append(_pair(call, a, b, kept))
    return _arranged(call, _summed(call, terms[0], set(output)), output, extents, dtype)


def _summed(call: CallContext, term: Term, kept: set[str]) -> Term:
    """Sums over the letters that nobody needs any more."""
    axes = tuple(axis for axis, letter in enumerate(term.letters) if letter not in kept)
    if not axes:
        return term
    kind = "any" if term.array.dtype is BOOL else "sum"
    return Term(reduce(call, kind, term.array, axes, term.array.dtype), [letter for letter in term.letters if letter in kept])


def _pair(call: CallContext, a: Term, b: Term, kept: set[str]) -> Term:
    a, b = _summed(call, a, kept | set(b.letters)), _summed(call, b, kept | set(a.letters))
    shared = [letter for letter in a.letters if letter in b.letters]
    batch = [letter for letter in shared if letter in kept]
    gone = [letter for letter in shared if letter not in kept]
    axes = Axes(
        [(a.letters.index(letter), b.letters.index(letter)) for letter in batch],
        [(a.letters.index(letter), b.letters.index(letter)) for letter in gone],
    )
    free_a = [letter for letter in a.letters if letter not in shared]
    free_b = [letter for letter in b.letters if letter not in shared]
    if not gone:
        return _multiplied(call, a, b, [*batch, *free_a, *free_b])
    return Term(contract(call, a.array, b.array, axes, "np.einsum"), [*batch, *free_a, *free_b])


def _multiplied(call: CallContext, a: Term, b: Term, letters: list[str]) -> Term:
    row = "logical_and" if a.array.dtype is BOOL else "multiply"
    product = call.pointwise(row, (_lined_up(call, a, letters), _lined_up(call, b, letters)))
    return Term(call.to_array(product), letters)


def _lined_up(call: CallContext, term: Term, letters: list[str]) -> ArrayValue:
    """The operand with its axes in the order of `letters`, and extent 1 for those that it lacks."""
    order = [term.letters.index(letter) for letter in letters if letter in term.letters]
    array = term.array
    if order != list(range(len(order))):
        array = take_view(call, array, views.transpose(array.shape, order))
    missing = [place for place, letter in enumerate(letters) if letter not in term.letters]
    return expand(call, array, *missing) if missing else array


def _arranged(call: CallContext, term: Term, output: list[str], extents: dict[str, Size], dtype: DType) -> ArrayValue:
    array = _lined_up(call, term, output)
    shape = tuple(extents.get(letter, 1) for letter in output)
    return array if array.shape == shape else broadcasted(call, array, shape)


def _next_pair(call: CallContext, terms: Sequence[Term], output: Sequence[str], extents: dict[str, Size]) -> tuple[int, int]:
    """The pair whose product is least work, by the sizes at this call where they are known (the first of equals)."""
    best: tuple[float, int, int] | None = None
    for first in range(len(terms)):
        for second in range(first + 1, len(terms)):
            others = {letter for k, term in enumerate(terms) if k not in (first, second) for letter in term.letters} | set(output)
            letters = set(terms[first].letters) | set(terms[second].letters)
            shared = set(terms[first].letters) & set(terms[second].letters)
            after = _count(call, [letter for letter in letters if letter in others], extents)
            work = _count(call, list(letters), extents) + (0.0 if shared else after)
            if best is None or work < best[0]:
                best = work, first, second
    assert best is not None
    return best[1], best[2]


def _count(call: CallContext, letters: Sequence[str], extents: dict[str, Size]) -> float:
    total = 1.0
    for letter in letters:
        extent = extents.get(letter, 1)
        total *= extent if isinstance(extent, int) else evaluate(extent, {name: call.hint(_named(name)) or 64 for name in symbols(extent)})
    return total


def _named(name: str) -> Size:
    return views.symbol(name)
