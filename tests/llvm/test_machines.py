"""Other machines than this one: older x86 is run here, aarch64 is compiled and looked at; nothing calls out to a library."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest

from staxlang.base.dtypes import DTYPES
from staxlang.base.operations import OPERATIONS
from staxlang.compiler.llvm.program import emit
from staxlang.compiler.target import Target
from tests.llvm.harness import Sketch, host, host_target
from tests.llvm.test_rows import check, dtype_cases, resolved

OLDER = {"x86-64-v3": 32, "x86-64-v2": 16} if host()[0].startswith("x86_64") else {}  # that this machine can run
EVERY = {"i32", "f32", "f64"}  # dtypes whose rows are all run; of others some
SOME = {
    "add",
    "floor_divide",
    "remainder",
    "where",
    "equal",
    "maximum",
    "right_shift",
    "nextafter",
    "spacing",
    "exp",
    "negative",
    "sign",
    "power",
}


@pytest.mark.parametrize("cpu", list(OLDER))
@pytest.mark.parametrize("dtype", ["bool", "i8", "u16", "i32", "i64", "f16", "f32", "f64"])
def test_rows_on_older_machines(dtype: str, cpu: str) -> None:
    """Machines without masks, without vector instructions for 64-bit integers, without fused multiply-add and halves."""
    target = host_target(cpu=cpu, features="", vector_bytes=OLDER[cpu])
    for name, kind in dtype_cases():
        if kind == dtype and (dtype in EVERY or name in SOME):
            check(name, dtype, max(2, OLDER[cpu] // DTYPES[dtype].itemsize), (33,), target)


FOREIGN = {
    "aarch64-unknown-linux-gnu": ("generic", "+neon,+fp-armv8"),
    "arm64-apple-darwin23": ("apple-m1", ""),
}  # fmt: skip


@pytest.mark.parametrize("triple", list(FOREIGN))
@pytest.mark.parametrize("dtype", ["i8", "f16", "f64", "c64"])
def test_no_library_is_called_elsewhere(triple: str, dtype: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cpu, features = FOREIGN[triple]
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=1, reloc="pic", codemodel="small")
    for name, kind in dtype_cases():
        found = resolved(OPERATIONS[name], DTYPES[dtype])
        if kind != dtype or found is None or (dtype == "c64" and name.startswith("arc")):
            continue
        s = Sketch()
        n, i = s.size("N"), s.size("i")
        loads = [s.load(s.input(f"x{k}", d.name, (n,)), i) for k, d in enumerate(found[0])]
        out = s.output("y", found[1].name, (n,))
        s.kernel(s.nest([s.vector(i, n, 4)], s.store(out, (i,), s.op(name, *loads, type=found[1]))))
        text = emit(s.schedule(), Target(triple=triple, cpu=cpu, features=features, vector_bytes=16), "kernel").text
        called = re.findall(r"\tbl\t(\S+)", machine.emit_assembly(llvm.parse_assembly(text)))
        defined = re.findall(r"^define [^@]*@([\w.]+)", text, re.M)
        assert {symbol.lstrip("_") for symbol in called} <= set(defined), (name, called)
