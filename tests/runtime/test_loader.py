"""Object code: both machines' relocations, damaged objects, loading and unloading."""

import ctypes
import struct

import llvmlite.binding as llvm
import pytest

from staxlang.runtime import elf, loader, machine, native

TEXT = """
@table = global [4 x i64] [i64 3, i64 5, i64 7, i64 11]
@pointer = global ptr @table
@outside = external global i64
declare i64 @twice(i64)
define internal i64 @inner(i64 %x) noinline nounwind {
  %y = mul i64 %x, 3
  ret i64 %y
}
define i64 @sum(i64 %k) nounwind {
  %t = load ptr, ptr @pointer
  %p = getelementptr i64, ptr %t, i64 %k
  %v = load i64, ptr %p
  %o = load i64, ptr @outside
  %i = call i64 @inner(i64 %v)
  %d = call i64 @twice(i64 %i)
  %r = add i64 %d, %o
  ret i64 %r
}
define double @scaled(double %x) nounwind {
  %y = fmul double %x, 1.5
  ret double %y
}
"""


def build(reloc: str = "pic", codemodel: str = "small", triple: str | None = None) -> bytes:
    native.host()
    target = llvm.Target.from_default_triple() if triple is None else llvm.Target.from_triple(triple)
    machine_ = target.create_target_machine(reloc=reloc, codemodel=codemodel)
    module = llvm.parse_assembly(TEXT)
    if triple is not None:
        module.triple = triple
    return machine_.emit_object(module)


@pytest.fixture
def symbols():
    twice = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: 2 * x)
    outside = ctypes.c_int64(100)
    made = loader.Symbols()
    made.add("twice", ctypes.cast(twice, ctypes.c_void_p).value or 0)
    made.add("outside", ctypes.addressof(outside))
    made.keep = (twice, outside)  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(("reloc", "codemodel"), [("pic", "small"), ("static", "large"), ("pic", "large")])
def test_code_runs(symbols, reloc, codemodel):
    if (reloc, codemodel) == ("pic", "large"):
        with pytest.raises(loader.LoadError):  # needs the address of a global offset table, which no caller of ours asks for
            loader.load_object(build(reloc, codemodel), symbols)
        return
    code = loader.load_object(build(reloc, codemodel), symbols)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses["sum"])
    assert [function(k) for k in range(4)] == [2 * 3 * v + 100 for v in (3, 5, 7, 11)]
    scaled = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.addresses["scaled"])
    assert scaled(3.0) == 4.5
    assert "inner" not in code.addresses
    ctypes.c_int64.from_address(code.addresses["table"]).value = 1000  # data stays writable
    assert function(0) == 6100
    code.free()


def test_unknown_symbol(symbols):
    text = TEXT.replace("@twice", "@no_such_function_anywhere")
    native.host()
    data = llvm.Target.from_default_triple().create_target_machine(reloc="pic", codemodel="small").emit_object(llvm.parse_assembly(text))
    with pytest.raises(loader.LoadError, match="no_such_function_anywhere"):
        loader.load_object(data, symbols)


def test_damaged_objects_are_refused(symbols):
    data = build()
    for cut in (0, 3, 63, 64, 100, len(data) // 2, len(data) - 1):
        with pytest.raises((loader.LoadError, struct.error)):
            loader.load_object(data[:cut], symbols)
    with pytest.raises(loader.LoadError):
        loader.load_object(b"\x7fELF\x02\x02" + data[6:], symbols)


def test_foreign_machine_is_refused(symbols):
    data = bytearray(build())
    struct.pack_into("<H", data, 18, elf.AARCH64 if struct.unpack_from("<H", data, 18)[0] == elf.X86_64 else elf.X86_64)
    with pytest.raises(loader.LoadError, match="another machine"):
        loader.load_object(bytes(data), symbols)


def test_aarch64_relocations():
    """Checked by decoding the patched instructions: each page-and-offset pair must reach its symbol."""
    try:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        data = build("pic", "small", "aarch64-unknown-linux-gnu")
    except RuntimeError:
        data = b""
    if not data:
        assert machine.detect().triple  # llvmlite without the target: nothing to decode
        return
    parsed = elf.parse(data)
    layout = elf.plan(parsed)
    base, known = 0x400000000000, {"twice": 0x123456789ABC0, "outside": 0x7FFFDEADBEE8}
    image, exported = elf.relocate(parsed, layout, base, known.__getitem__)
    calls = pages = 0
    for section, offset, kind, number, _ in parsed.relocations:
        place = layout.places[section] + offset
        word = struct.unpack_from("<I", image, place)[0]
        symbol = parsed.symbols[number]
        if kind in (282, 283):
            calls += 1
            distance = (word & 0x3FFFFFF) << 2
            distance -= (distance & 1 << 27) << 1
            reached = place + distance
            assert image[reached : reached + 4] == b"\x50\x00\x00\x58"  # the stub: ldr x16, #8
            assert struct.unpack_from("<Q", image, reached + 8)[0] == known[symbol.name]
        elif kind in (275, 311):
            pages += 1
            amount = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            page = (base + place >> 12) + (amount - (amount >> 20 << 21)) << 12
            assert base <= page < base + layout.size
    assert calls >= 1 and pages >= 2
    assert exported["sum"] - base < layout.code_end
    slot = layout.table["outside"]
    assert struct.unpack_from("<Q", image, slot)[0] == known["outside"]
