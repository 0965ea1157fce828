"""Loads and stores: a subscript's map from lanes to addresses decides between scalar, contiguous, reversed and gathered access."""

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.records import record
from staxlang.base.sizes import Size
from staxlang.base.sizes.expression import Terms, size_of
from staxlang.compiler.llvm.extents import Indirect, lane_coefficient, lane_numbers_text, size_text, split_by_lanes, terms_text
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.types import component_size, lane_numbers, memory, permutation, suffix, vector
from staxlang.compiler.loops.ir import Buffer

EMPTY: frozenset[str] = frozenset()


@record
class Access:
    """Where the current part's lanes are. kind: uniform (one address), contiguous, reversed, scattered (base + offsets per lane).

    spacing: the step of a scattered access by small constant steps, which loads do by whole vectors and permutations.
    """

    kind: str
    pointer: str
    level: int
    offsets: str = ""  # "<W x i64> ..." in elements, for scattered
    spacing: int = 0  # 2 to 4: how far apart the lanes' elements lie
    step: int = 0  # the same for any known number


def element_step(dtype: DType) -> str:
    """The type that `getelementptr` counts in."""
    return f"[2 x {memory(dtype)}]" if dtype.kind == "c" else memory(dtype)


def pointer(f: Function, buffer: Buffer, terms: Terms, indirect: Indirect, shift: int = 0) -> tuple[str, int]:
    """The address of an element: outer levels' parts are added where they are known, the constant last (it costs nothing there)."""
    text, level = f.module.base(f, buffer)
    step = element_step(buffer.dtype)
    parts: list[tuple[int, str]] = []
    constant = shift
    for monomial, count in terms.items():
        if monomial:
            offset, where = terms_text(f, {monomial: count}, indirect) if indirect else size_text(f, size_of({monomial: count}))
            parts.append((where, offset))
        else:
            constant += count
    parts.sort(key=lambda part: part[0])
    for where, offset in parts:
        level = max(level, where)
        text = _moved(f, text, offset, step, level)
    if constant:
        text = _moved(f, text, str(constant), step, level)
    return text, level


def _moved(f: Function, text: str, offset: str, step: str, level: int) -> str:
    key = (text, "at", offset, step)
    found = f.sizes.get(key)
    if found is None:
        found = f.remember_size(key, f.name(level, f"getelementptr {step}, ptr {text}, i64 {offset}", "p"), level)
    return found[0]


def access(f: Function, buffer: Buffer, subscripts: tuple[Size, ...], indirect: Indirect) -> Access:
    """How the current part's lanes reach `buffer[subscripts]`."""
    terms = f.module.offset_terms(buffer, subscripts)
    same, varying = split_by_lanes(f, terms, indirect)
    if not varying:
        return Access("uniform", *pointer(f, buffer, terms, indirect))
    assert f.lanes is not None and f.part is not None
    coefficient = lane_coefficient(f, varying)
    width = f.lanes.width
    if coefficient is None:
        base, level = pointer(f, buffer, same, indirect)
        offsets, where = lane_numbers_text(f, size_of(varying), indirect)
        return Access("scattered", base, max(level, where), f"<{width} x i64> {offsets}")
    shift = f.part.shift
    if not set(coefficient) <= {()}:
        return _symbolic_stride(f, buffer, terms, coefficient, indirect)
    step = coefficient[()]
    if step == 1:
        return Access("contiguous", *pointer(f, buffer, terms, indirect, shift))
    if step == -1:
        return Access("reversed", *pointer(f, buffer, terms, indirect, -shift - width + 1))
    base, level = pointer(f, buffer, terms, indirect, shift * step)
    kind = "i32" if abs(step) * width < 1 << 31 else "i64"
    spacing = step if 2 <= step <= 4 else 0
    return Access("scattered", base, level, f"<{width} x {kind}> {lane_numbers(kind, width, step)}", spacing, step)


def _symbolic_stride(f: Function, buffer: Buffer, terms: Terms, coefficient: Terms, indirect: Indirect) -> Access:
    assert f.lanes is not None and f.part is not None
    width = f.lanes.width
    stride, where = size_text(f, size_of(coefficient))
    base, level = pointer(f, buffer, terms, indirect)
    if f.part.shift:
        key = (stride, "times", f.part.shift)
        moved = f.sizes.get(key) or f.remember_size(key, f.name(where, f"mul i64 {stride}, {f.part.shift}", "x"), where)
        base = _moved(f, base, moved[0], element_step(buffer.dtype), max(level, where))
    key = (stride, "lanes", width)
    found = f.sizes.get(key)
    if found is None:
        wide = f.splat(stride, "i64", width, where)
        text = f.name(where, f"mul <{width} x i64> {wide}, {lane_numbers('i64', width)}", "x")
        found = f.remember_size(key, text, where)
    return Access("scattered", base, max(level, where), f"<{width} x i64> {found[0]}")


# ---- loads ---------------------------------------------------------------------------------------------------------


def load(f: Function, buffer: Buffer, subscripts: tuple[Size, ...], indirect: Indirect) -> Value:
    """The elements at the subscripts, in register form."""
    held = f.registers.get(f.module.root(buffer)) if f.registers else None
    if held is not None:
        return Value(held.text, buffer.dtype, 1, held.level, False, frozenset((f.module.root(buffer),)), held.imag)
    where = access(f, buffer, subscripts, indirect)
    root = f.module.root(buffer)
    reads = frozenset((root,))
    for value in indirect.values():
        reads |= value.reads or EMPTY
    varying = where.kind != "uniform" or any(value.varying for value in indirect.values())
    if where.kind == "uniform":
        text, imag, level = _scalar_load(f, buffer.dtype, where, root)
        return Value(text, buffer.dtype, 1, level, varying, reads, imag)
    assert f.lanes is not None
    mask = f.mask()
    if mask is not None:
        mask = f.widen(mask, f.lanes.width)  # a guard that does not vary over the lanes is a scalar
    level = f.load_level(max(where.level, mask.level if mask is not None else 0), root)
    text, imag = _vector_load(f, buffer.dtype, where, mask, level)
    return Value(text, buffer.dtype, f.lanes.width, level, True, reads, imag)


def _scalar_load(f: Function, dtype: DType, where: Access, root: str) -> tuple[str, str, int]:
    level, address = where.level, where.pointer
    if f.guard is not None:
        guard = f.guard
        level = max(level, guard.level)
        condition = guard.text
        if guard.lanes > 1:
            condition = f.name(level, f"call i1 @llvm.vector.reduce.or.v{guard.lanes}i1({guard.type} {guard.text})", "m")
        address = f.name(level, f"select i1 {condition}, ptr {address}, ptr {f.module.zeros()}", "p")
    level = f.load_level(level, root)
    kind, align = memory(dtype), component_size(dtype)
    text = f.name(level, f"load {kind}, ptr {address}, align {align}")
    if dtype.kind == "b":
        text = f.name(level, f"icmp ne i8 {text}, 0")
    imag = ""
    if dtype.kind == "c":
        second = f.name(level, f"getelementptr {kind}, ptr {address}, i64 1", "p")
        imag = f.name(level, f"load {kind}, ptr {second}, align {align}")
    return text, imag, level


def _vector_load(f: Function, dtype: DType, where: Access, mask: Value | None, level: int) -> tuple[str, str]:
    assert f.lanes is not None
    width = f.lanes.width
    if where.spacing and dtype.kind != "c":
        return _spaced(f, dtype, where, mask, level), ""
    if where.kind == "scattered":
        return _gather(f, dtype, where, mask, level)
    kind, align = memory(dtype), component_size(dtype)
    flags = mask.text if mask is not None else ""
    if flags and where.kind == "reversed":
        flags = reversed_lanes(f, flags, "i1", width, level)
    if dtype.kind != "c":
        text = _masked_load(f, kind, width, align, where.pointer, flags, level)
        if where.kind == "reversed":
            text = reversed_lanes(f, text, kind, width, level)
        return _from_memory(f, text, dtype, width, level), ""
    pair = f"<{2 * width} x {kind}>"
    if flags:
        flags = doubled_mask(f, flags, width, level)
    both = _masked_load(f, kind, 2 * width, align, where.pointer, flags, level)
    order = range(width - 1, -1, -1) if where.kind == "reversed" else range(width)
    real = f.name(level, f"shufflevector {pair} {both}, {pair} poison, {permutation([2 * k for k in order])}")
    imag = f.name(level, f"shufflevector {pair} {both}, {pair} poison, {permutation([2 * k + 1 for k in order])}")
    return real, imag


def _masked_load(f: Function, kind: str, width: int, align: int, address: str, flags: str, level: int) -> str:
    whole = f"<{width} x {kind}>"
    if not flags:
        return f.name(level, f"load {whole}, ptr {address}, align {align}")
    overload = suffix(kind, width)
    return f.name(
        level,
        f"call {whole} @llvm.masked.load.{overload}.p0(ptr align {align} {address}, <{width} x i1> {flags}, {whole} zeroinitializer)",
    )


def _from_memory(f: Function, text: str, dtype: DType, width: int, level: int) -> str:
    if dtype.kind != "b":
        return text
    return f.name(level, f"icmp ne <{width} x i8> {text}, zeroinitializer")


def reversed_lanes(f: Function, text: str, kind: str, width: int, level: int) -> str:
    """Lanes in the opposite order."""
    whole = f"<{width} x {kind}>"
    return f.name(level, f"shufflevector {whole} {text}, {whole} poison, {permutation(list(range(width - 1, -1, -1)))}")


def doubled_mask(f: Function, flags: str, width: int, level: int) -> str:
    """A mask for pairs: each lane twice."""
    whole = f"<{width} x i1>"
    order = permutation([k >> 1 for k in range(2 * width)])
    return f.name(level, f"shufflevector {whole} {flags}, {whole} poison, {order}", "m")


def _spaced(f: Function, dtype: DType, where: Access, mask: Value | None, level: int) -> str:
    """Every second to fourth element: whole vectors are loaded and their wanted elements put together.

    Nothing past the last wanted element is touched: masks leave out what lies between, or the last vector ends with it.
    """
    assert f.lanes is not None
    width, step = f.lanes.width, where.spacing
    kind, align = memory(dtype), component_size(dtype)
    whole = f"<{width} x {kind}>"
    text = ""
    for chunk in range(step):
        start = chunk * width
        if mask is None and chunk == step - 1:
            start = (width - 1) * (step - 1)
        flags = ""
        if mask is not None:
            lanes = [(start + k) // step for k in range(width)]
            spread = f.name(level, f"shufflevector <{width} x i1> {mask.text}, <{width} x i1> poison, {permutation(lanes)}", "m")
            wanted = ", ".join("i1 true" if (start + k) % step == 0 else "i1 false" for k in range(width))
            flags = f.name(level, f"and <{width} x i1> {spread}, <{wanted}>", "m")
        address = f.name(level, f"getelementptr {kind}, ptr {where.pointer}, i64 {start}", "p") if start else where.pointer
        piece = _masked_load(f, kind, width, align, address, flags, level)
        order: list[int] = []
        for lane in range(width):
            place = lane * step - start
            inside = 0 <= place < width
            order.append((width if text else 0) + place if inside else lane if text else 0)
        text = f.name(level, f"shufflevector {whole} {text or piece}, {whole} {piece if text else 'poison'}, {permutation(order)}")
    return _from_memory(f, text, dtype, width, level)


def _addresses(f: Function, dtype: DType, where: Access, level: int) -> str:
    return f.name(level, f"getelementptr {element_step(dtype)}, ptr {where.pointer}, {where.offsets}", "p")


def _gather(f: Function, dtype: DType, where: Access, mask: Value | None, level: int) -> tuple[str, str]:
    assert f.lanes is not None
    width = f.lanes.width
    addresses = _addresses(f, dtype, where, level)
    flags = mask.text if mask is not None else "splat (i1 true)"
    kind, align = memory(dtype), component_size(dtype)
    if align < 4:
        return _from_memory(f, _gather_short(f, kind, align, addresses, flags, width, level), dtype, width, level), ""
    text = _gathered(f, kind, align, addresses, flags, width, level)
    if dtype.kind != "c":
        return text, ""
    second = f.name(level, f"getelementptr {kind}, <{width} x ptr> {addresses}, i64 1", "p")
    return text, _gathered(f, kind, align, second, flags, width, level)


def _gathered(f: Function, kind: str, align: int, addresses: str, flags: str, width: int, level: int) -> str:
    whole = f"<{width} x {kind}>"
    call = f"call {whole} @llvm.masked.gather.{suffix(kind, width)}.v{width}p0"
    return f.name(level, f"{call}(<{width} x ptr> align {align} {addresses}, <{width} x i1> {flags}, {whole} zeroinitializer)")


def _gather_short(f: Function, kind: str, size: int, addresses: str, flags: str, width: int, level: int) -> str:
    """8 and 16 bit elements: machines gather words, so take the aligned word that holds the element (it never crosses a page)."""
    wide = f"<{width} x i64>"
    number = f.name(level, f"ptrtoint <{width} x ptr> {addresses} to {wide}", "x")
    aligned = f.name(level, f"and {wide} {number}, splat (i64 -4)", "x")
    words = f.name(level, f"inttoptr {wide} {aligned} to <{width} x ptr>", "p")
    word = _gathered(f, "i32", 4, words, flags, width, level)
    short = f.name(level, f"trunc {wide} {number} to <{width} x i32>", "x")
    byte = f.name(level, f"and <{width} x i32> {short}, splat (i32 {4 - size})", "x")
    bits = f.name(level, f"shl <{width} x i32> {byte}, splat (i32 3)", "x")
    moved = f.name(level, f"lshr <{width} x i32> {word}, {bits}", "x")
    whole = f.name(level, f"trunc <{width} x i32> {moved} to <{width} x i{8 * size}>")
    return f.name(level, f"bitcast <{width} x i{8 * size}> {whole} to <{width} x {kind}>") if kind == "half" else whole


# ---- stores --------------------------------------------------------------------------------------------------------


def to_memory(f: Function, value: Value, level: int) -> str:
    """A value's text in its memory type."""
    if value.dtype.kind != "b":
        return value.text
    return f.name(level, f"zext {value.type} {value.text} to {vector('i8', value.lanes)}")


def store(f: Function, where: Access, value: Value, streaming: int = 0) -> None:
    """Write the current part's lanes, at the innermost level. streaming: the alignment of non-temporal stores, 0 for plain ones."""
    level, dtype = f.level, value.dtype
    kind, align = memory(dtype), component_size(dtype)
    if where.kind == "uniform":
        f.emit(level, f"store {kind} {to_memory(f, value, level)}, ptr {where.pointer}, align {align}")
        if dtype.kind == "c":
            second = f.name(level, f"getelementptr {kind}, ptr {where.pointer}, i64 1", "p")
            f.emit(level, f"store {kind} {value.imag}, ptr {second}, align {align}")
        return
    assert f.lanes is not None
    width = f.lanes.width
    value = f.widen(value, width)
    mask = f.mask() if not streaming else None
    flags = mask.text if mask is not None else ""
    if where.kind == "scattered":
        _scatter(f, value, where, flags, level)
        return
    if _first_lane_only(flags):
        _store_first_lane(f, value, where, level)
        return
    text = to_memory(f, value, level)
    if dtype.kind == "c":
        text, width = _interleaved(f, value, kind, width, where.kind == "reversed", level), 2 * width
        flags = flags and doubled_mask(
            f, reversed_lanes(f, flags, "i1", width // 2, level) if where.kind == "reversed" else flags, width // 2, level
        )
    elif where.kind == "reversed":
        text = reversed_lanes(f, text, kind, width, level)
        flags = flags and reversed_lanes(f, flags, "i1", width, level)
    whole = f"<{width} x {kind}>"
    if streaming:
        f.emit(level, f"store {whole} {text}, ptr {where.pointer}, align {streaming}, !nontemporal {f.module.nontemporal()}")
    elif not flags:
        f.emit(level, f"store {whole} {text}, ptr {where.pointer}, align {align}")
    else:
        call = f"call void @llvm.masked.store.{suffix(kind, width)}.p0"
        f.emit(level, f"{call}({whole} {text}, ptr align {align} {where.pointer}, <{width} x i1> {flags})")


def _first_lane_only(flags: str) -> bool:
    """Whether a mask is the constant that has its first lane alone."""
    return flags.startswith("<i1 true, i1 false") and "true" not in flags[len("<i1 true") :]


def _store_first_lane(f: Function, value: Value, where: Access, level: int) -> None:
    """As a scalar. (LLVM 22 writes 8 bytes for a masked store of one narrower lane of a truncated vector.)"""
    kind, align = memory(value.dtype), component_size(value.dtype)
    parts = [to_memory(f, value, level)] if value.dtype.kind != "c" else [value.text, value.imag]
    last = len(parts) * (value.lanes - 1) if where.kind == "reversed" else 0
    for k, text in enumerate(parts):
        lane = f.name(level, f"extractelement <{value.lanes} x {kind}> {text}, i64 0")
        place = where.pointer if last + k == 0 else f.name(level, f"getelementptr {kind}, ptr {where.pointer}, i64 {last + k}", "p")
        f.emit(level, f"store {kind} {lane}, ptr {place}, align {align}")


def _interleaved(f: Function, value: Value, kind: str, width: int, backward: bool, level: int) -> str:
    order = [k for lane in (range(width - 1, -1, -1) if backward else range(width)) for k in (lane, width + lane)]
    whole = f"<{width} x {kind}>"
    return f.name(level, f"shufflevector {whole} {value.text}, {whole} {value.imag}, {permutation(order)}")


def _scatter(f: Function, value: Value, where: Access, flags: str, level: int) -> None:
    assert f.lanes is not None
    dtype, width = value.dtype, f.lanes.width
    if where.step and not flags and not f.module.masks:
        _store_each(f, value, where, level)
        return
    addresses = _addresses(f, dtype, where, level)
    kind, align = memory(dtype), component_size(dtype)
    flags = flags or "splat (i1 true)"
    parts = [(to_memory(f, value, level), addresses)]
    if dtype.kind == "c":
        parts.append((value.imag, f.name(level, f"getelementptr {kind}, <{width} x ptr> {addresses}, i64 1", "p")))
    call = f"call void @llvm.masked.scatter.{suffix(kind, width)}.v{width}p0"
    for text, pointers in parts:
        f.emit(level, f"{call}(<{width} x {kind}> {text}, <{width} x ptr> align {align} {pointers}, <{width} x i1> {flags})")


def _store_each(f: Function, value: Value, where: Access, level: int) -> None:
    """Lane by lane at known distances: machines without a scatter would take each address out of a vector."""
    kind, align = memory(value.dtype), component_size(value.dtype)
    parts = [to_memory(f, value, level)] if value.dtype.kind != "c" else [value.text, value.imag]
    for lane in range(value.lanes):
        for k, text in enumerate(parts):
            one = f.name(level, f"extractelement <{value.lanes} x {kind}> {text}, i64 {lane}")
            place = f.name(level, f"getelementptr {kind}, ptr {where.pointer}, i64 {len(parts) * lane * where.step + k}", "p")
            f.emit(level, f"store {kind} {one}, ptr {place}, align {align}")
