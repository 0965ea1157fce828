"""An ELF64 relocatable object to an image: sections laid out by permission, relocations applied for a given address."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from staxlang.base.records import NamedTuple

PAGE: Final = 4096
X86_64, AARCH64 = 62, 183
_ALLOC, _WRITE, _EXECUTE = 2, 1, 4
_NOBITS, _SYMTAB, _RELA = 8, 2, 4
_UNDEFINED, _ABSOLUTE, _COMMON = 0, 0xFFF1, 0xFFF2

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_I32, _U32, _U64 = struct.Struct("<i"), struct.Struct("<I"), struct.Struct("<Q")

STUB_BYTES: Final = 16
_STUB_CODE = {  # jump through the 8 bytes after it
    X86_64: b"\xff\x25\x02\x00\x00\x00\x66\x90",
    AARCH64: b"\x50\x00\x00\x58\x00\x02\x1f\xd6",
}


class LoadError(Exception):
    """The object cannot be loaded: damaged, for another machine, or with a relocation that is not known."""


class Section(NamedTuple):
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int


class Symbol(NamedTuple):
    name: str
    section: int
    value: int
    exported: bool


class Relocation(NamedTuple):
    section: int  # which section is patched
    offset: int
    kind: int
    symbol: int
    addend: int


class ObjectFile(NamedTuple):
    machine: int
    data: bytes
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]


class Layout(NamedTuple):
    """Where each section goes in the image: code first, then read-only data with the table of addresses, then writable data."""

    places: dict[int, int]
    stubs: dict[str, int]
    table: dict[str, int]
    code_end: int
    constants_end: int
    size: int


def parse(data: bytes) -> ObjectFile:
    """Read an object's headers; raises LoadError where it is not a little-endian ELF64 relocatable."""
    if data[:7] != b"\x7fELF\x02\x01\x01" or len(data) < 64:
        raise LoadError("not a 64-bit little-endian ELF object")
    kind, machine = struct.unpack_from("<HH", data, 16)
    if kind != 1 or machine not in _STUB_CODE:
        raise LoadError(f"not a relocatable object of a known machine (type {kind}, machine {machine})")
    start, (entry_size, count, _) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HHH", data, 58)
    if entry_size != 64 or start + 64 * count > len(data):
        raise LoadError("the section headers are cut off")
    raw = [_SECTION.unpack_from(data, start + 64 * index) for index in range(count)]
    sections = tuple(Section(r[1], r[2], r[4], r[5], r[6], r[7], max(r[8], 1)) for r in raw)
    for section in sections:
        if section.kind != _NOBITS and section.offset + section.size > len(data):
            raise LoadError("a section is cut off")
    symbols: tuple[Symbol, ...] = ()
    relocations: list[Relocation] = []
    for section in sections:
        if section.kind == _SYMTAB:
            symbols = tuple(_symbols(data, section, sections[section.link]))
        elif section.kind == _RELA and sections[section.info].flags & _ALLOC:
            rows = _RELOCATION.iter_unpack(data[section.offset : section.offset + section.size])
            relocations.extend(Relocation(section.info, o, info & 0xFFFFFFFF, info >> 32, a) for o, info, a in rows)
    return ObjectFile(machine, data, sections, symbols, tuple(relocations))


def _symbols(data: bytes, table: Section, strings: Section) -> list[Symbol]:
    found: list[Symbol] = []
    for name, info, other, section, value, _size in _SYMBOL.iter_unpack(data[table.offset : table.offset + table.size]):
        start = strings.offset + name
        text = data[start : data.index(b"\0", start)].decode()
        found.append(Symbol(text, section, value, info >> 4 != 0 and other & 3 == 0))
    return found


_GOT_KINDS = {X86_64: {9, 41, 42}, AARCH64: {311, 312}}
_CALL_KINDS = {X86_64: {4}, AARCH64: {282, 283}}


def plan(object_file: ObjectFile) -> Layout:
    """Decide where sections, call stubs and the table of addresses go; offsets are from the image's first page."""
    places: dict[int, int] = {}

    def lay(position: int, wanted: int) -> int:
        for index, section in enumerate(object_file.sections):
            if section.flags & _ALLOC and section.flags & (_WRITE | _EXECUTE) == wanted and section.size:
                position = -(-position // section.align) * section.align
                places[index] = position
                position += section.size
        return position

    got, calls = _GOT_KINDS[object_file.machine], _CALL_KINDS[object_file.machine]
    stubs: dict[str, int] = {}
    table: dict[str, int] = {}
    code_end = -(-lay(0, _EXECUTE) // STUB_BYTES) * STUB_BYTES
    symbols = object_file.symbols
    for relocation in object_file.relocations:
        symbol = symbols[relocation.symbol]
        if relocation.kind in calls and symbol.section == _UNDEFINED and symbol.name not in stubs:
            stubs[symbol.name] = code_end
            code_end += STUB_BYTES
    code_end = -(-code_end // PAGE) * PAGE
    constants_end = -(-lay(code_end, 0) // 8) * 8
    for relocation in object_file.relocations:
        if relocation.kind in got:
            key = _table_key(symbols, relocation.symbol)
            if key not in table:
                table[key] = constants_end
                constants_end += 8
    constants_end = -(-constants_end // PAGE) * PAGE
    size = lay(constants_end, _WRITE)
    for index, symbol in enumerate(symbols):
        if symbol.section == _COMMON:
            raise LoadError(f"common symbol {symbol.name} (number {index}) has no place")
    return Layout(places, stubs, table, code_end, constants_end, -(-max(size, PAGE) // PAGE) * PAGE)


def _table_key(symbols: tuple[Symbol, ...], index: int) -> str:
    return symbols[index].name or f"#{index}"


def relocate(object_file: ObjectFile, layout: Layout, base: int, resolve: Callable[[str], int]) -> tuple[bytearray, dict[str, int]]:
    """The image's bytes for the address `base`, and the addresses of the exported symbols.

    `resolve` gives the address of a symbol that the object does not define, or raises LoadError.
    """
    image = bytearray(layout.size)
    for index, place in layout.places.items():
        section = object_file.sections[index]
        if section.kind != _NOBITS:
            image[place : place + section.size] = object_file.data[section.offset : section.offset + section.size]
    addresses: list[int] = []
    for symbol in object_file.symbols:
        if symbol.section in layout.places:
            addresses.append(base + layout.places[symbol.section] + symbol.value)
        elif symbol.section == _UNDEFINED and symbol.name:
            addresses.append(resolve(symbol.name))
        else:
            addresses.append(symbol.value if symbol.section == _ABSOLUTE else 0)
    by_name = {symbol.name: address for symbol, address in zip(object_file.symbols, addresses, strict=True) if symbol.name}
    stub_code = _STUB_CODE[object_file.machine]
    for name, place in layout.stubs.items():
        image[place : place + STUB_BYTES] = stub_code + _U64.pack(by_name[name])
    apply = _apply_x86_64 if object_file.machine == X86_64 else _apply_aarch64
    for section, offset, kind, number, addend in object_file.relocations:
        target = addresses[number]
        place = layout.places[section] + offset
        if kind in _CALL_KINDS[object_file.machine]:
            stub = layout.stubs.get(object_file.symbols[number].name)
            target = base + stub if stub is not None else target
        elif kind in _GOT_KINDS[object_file.machine]:
            slot = layout.table[_table_key(object_file.symbols, number)]
            _U64.pack_into(image, slot, target)
            target = base + slot
        apply(image, place, base + place, kind, target + addend)
    exported = {s.name: a for s, a in zip(object_file.symbols, addresses, strict=True) if s.exported and s.section in layout.places}
    return image, exported


def _apply_x86_64(image: bytearray, place: int, address: int, kind: int, value: int) -> None:
    if kind in (2, 4, 9, 41, 42):  # PC32 PLT32 GOTPCREL GOTPCRELX REX_GOTPCRELX
        _pack(_I32, image, place, value - address)
    elif kind == 1:  # 64
        _U64.pack_into(image, place, value & 0xFFFFFFFFFFFFFFFF)
    elif kind == 24:  # PC64
        _U64.pack_into(image, place, (value - address) & 0xFFFFFFFFFFFFFFFF)
    elif kind == 10:  # 32
        _pack(_U32, image, place, value)
    elif kind == 11:  # 32S
        _pack(_I32, image, place, value)
    else:
        raise LoadError(f"x86-64 relocation {kind} is not known")


def _pack(form: struct.Struct, image: bytearray, place: int, value: int) -> None:
    try:
        form.pack_into(image, place, value)
    except struct.error:
        raise LoadError("a relocated address is out of reach of its instruction") from None


_LOAD_SHIFTS = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4, 312: 3}  # ADD_ABS_LO12, LDST8/16/32/64/128, LD64_GOT_LO12
_MOVE_SHIFTS = {263: 0, 264: 0, 265: 16, 266: 16, 267: 32, 268: 32, 269: 48}  # MOVW_UABS_G0 .. G3


def _apply_aarch64(image: bytearray, place: int, address: int, kind: int, value: int) -> None:
    if kind == 257:  # ABS64
        _U64.pack_into(image, place, value & 0xFFFFFFFFFFFFFFFF)
        return
    if kind == 260:  # PREL64
        _U64.pack_into(image, place, (value - address) & 0xFFFFFFFFFFFFFFFF)
        return
    if kind == 261:  # PREL32
        _pack(_I32, image, place, value - address)
        return
    word = _U32.unpack_from(image, place)[0]
    if kind in (282, 283):  # JUMP26 CALL26
        distance = value - address
        if not -(1 << 27) <= distance < 1 << 27:
            raise LoadError("a call is out of reach")
        word = word & 0xFC000000 | (distance >> 2) & 0x03FFFFFF
    elif kind in (275, 276, 311):  # ADR_PREL_PG_HI21, its _NC form, ADR_GOT_PAGE
        pages = (value >> 12) - (address >> 12)
        if not -(1 << 20) <= pages < 1 << 20:
            raise LoadError("a page is out of reach")
        word = word & 0x9F00001F | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    elif kind in _LOAD_SHIFTS:
        word = word & 0xFFC003FF | ((value & 0xFFF) >> _LOAD_SHIFTS[kind]) << 10
    elif kind in _MOVE_SHIFTS:
        word = word & 0xFFE0001F | (value >> _MOVE_SHIFTS[kind] & 0xFFFF) << 5
    else:
        raise LoadError(f"aarch64 relocation {kind} is not known")
    _U32.pack_into(image, place, word)
