"""The machine this process runs on, read from the system: instruction set, caches, usable cores. Gives a Target."""

from __future__ import annotations

import os
import platform
import sys
from functools import lru_cache
from typing import Final

from staxlang.base.settings import Settings
from staxlang.compiler.target import Target
from staxlang.runtime import late

# Names of /proc/cpuinfo to names of LLVM, for what changes the code of a kernel.
FEATURES: Final = {
    "pni": "sse3", "ssse3": "ssse3", "sse4_1": "sse4.1", "sse4_2": "sse4.2", "popcnt": "popcnt", "movbe": "movbe", "avx": "avx",
    "f16c": "f16c", "fma": "fma", "bmi1": "bmi", "bmi2": "bmi2", "abm": "lzcnt", "avx2": "avx2", "adx": "adx", "avx512f": "avx512f",
    "avx512dq": "avx512dq", "avx512cd": "avx512cd", "avx512bw": "avx512bw", "avx512vl": "avx512vl", "avx512ifma": "avx512ifma",
    "avx512vbmi": "avx512vbmi", "avx512_vbmi2": "avx512vbmi2", "avx512_vnni": "avx512vnni", "avx512_bitalg": "avx512bitalg",
    "avx512_vpopcntdq": "avx512vpopcntdq", "avx512_bf16": "avx512bf16", "avx512_fp16": "avx512fp16", "gfni": "gfni",
}  # fmt: skip

AVX512: Final = ("avx512f", "avx512dq", "avx512bw", "avx512vl")
_ISA_LEVELS: Final = {"avx512": 64, "avx2": 32, "sse2": 16, "generic": 16, "neon": 16}

# (vendor, family, models) to the processor name of LLVM, whose tuning is best; others get the generic name of their level.
_PROCESSORS: Final = (
    ("AuthenticAMD", 23, range(0x30), "znver1"),
    ("AuthenticAMD", 23, range(0x30, 0x100), "znver2"),
    ("AuthenticAMD", 25, range(0x10), "znver3"),
    ("AuthenticAMD", 25, range(0x20, 0x60), "znver3"),
    ("AuthenticAMD", 25, range(0x10, 0x20), "znver4"),
    ("AuthenticAMD", 25, range(0x60, 0xB0), "znver4"),
    ("AuthenticAMD", 26, range(0x100), "znver5"),
    ("GenuineIntel", 6, (60, 63, 69, 70), "haswell"),
    ("GenuineIntel", 6, (61, 71, 79, 86), "broadwell"),
    ("GenuineIntel", 6, (78, 94, 142, 158, 165, 166), "skylake"),
    ("GenuineIntel", 6, (106, 108), "icelake-server"),
    ("GenuineIntel", 6, (143, 207), "sapphirerapids"),
    ("GenuineIntel", 6, (173, 174), "graniterapids"),
    ("GenuineIntel", 6, (151, 154, 183, 186, 191), "alderlake"),
)


@lru_cache(maxsize=8)
def detect(isa: str | None = None, threads: int = 0) -> Target:
    """The target that kernels of this process are compiled for; `isa` (a setting) lowers the instruction set."""
    if sys.platform == "linux" and platform.machine() == "x86_64":
        cpu, flags = _linux_x86_64()
        triple, features, width = "x86_64-unknown-linux-gnu", _feature_text(flags, isa), _width(flags, isa)
        if isa is not None:
            cpu = "x86-64"
    elif sys.platform == "linux" and platform.machine() == "aarch64":
        triple, cpu, features, width = "aarch64-unknown-linux-gnu", "generic", "+neon,+fp-armv8", 16
    else:
        triple, cpu, features, width = _ask_llvm(isa)
    l1, l2, llc = cache_sizes()
    cores = threads or usable_cores()
    return Target(triple=triple, cpu=cpu, features=features, vector_bytes=width, l1=l1, l2=l2, llc=llc, cores=cores, streaming_bytes=llc)


def _linux_x86_64() -> tuple[str, frozenset[str]]:
    """(LLVM's processor name, feature flags) by the first processor's block of /proc/cpuinfo."""
    facts: dict[str, str] = {}
    for line in _first_paragraph("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        facts[name.strip()] = value.strip()
    flags = frozenset(facts.get("flags", "").split())
    family, model = int(facts.get("cpu family", 0)), int(facts.get("model", 0))
    for vendor, wanted, models, name in _PROCESSORS:
        if facts.get("vendor_id") == vendor and family == wanted and model in models:
            return name, flags
    level = "x86-64-v4" if flags.issuperset(AVX512) else "x86-64-v3" if "avx2" in flags and "fma" in flags else "x86-64"
    return level, flags


def _feature_text(flags: frozenset[str], isa: str | None) -> str:
    """Features by name, those of other processors with the same name switched off; deterministic, it is part of cache keys."""
    limit = _ISA_LEVELS.get(isa or "avx512", 64)
    parts: list[str] = []
    for flag, feature in FEATURES.items():
        wide = flag.startswith("avx512")
        over = (wide and limit < 64) or (flag in ("avx", "avx2", "fma", "f16c") and limit < 32)
        parts.append(("+" if flag in flags and not over else "-") + feature)
    return ",".join([*parts, "-prefer-256-bit"])


def _width(flags: frozenset[str], isa: str | None) -> int:
    best = 64 if flags.issuperset(AVX512) else 32 if "avx2" in flags and "fma" in flags else 16
    return min(best, _ISA_LEVELS.get(isa, 64) if isa else 64)


def _ask_llvm(isa: str | None) -> tuple[str, str, str, int]:
    """Systems that do not tell it in a file: LLVM asks the processor (llvmlite is loaded for it)."""
    triple, cpu, features = late.native().host()
    width = 64 if "+avx512f" in features else 32 if "+avx2" in features else 16
    return triple, cpu, features, min(width, _ISA_LEVELS[isa]) if isa is not None else width


def cache_sizes() -> tuple[int, int, int]:
    """Bytes of a core's L1 data cache, its L2, and the last level; typical ones where the system does not tell."""
    found: dict[str, int] = {}
    for index in range(6):
        folder = f"/sys/devices/system/cpu/cpu0/cache/index{index}/"
        level = _read(folder + "level").strip()
        if not level:
            break
        kind, size = (_read(folder + name).strip() for name in ("type", "size"))
        if size and kind != "Instruction":
            found[level] = int(size[:-1]) * {"K": 1 << 10, "M": 1 << 20}.get(size[-1], 1)
    l1 = found.get("1", 32 << 10)
    l2 = found.get("2", 1 << 20)
    return l1, l2, found.get("3", max(l2, 8 << 20))


def usable_cores() -> int:
    """Processors that this process may use: its affinity, and the quota of its control group."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    quota = _read("/sys/fs/cgroup/cpu.max").split()
    if len(quota) == 2 and quota[0].isdigit():
        cores = min(cores, max(1, -(-int(quota[0]) // int(quota[1]))))
    return cores


def _read(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _first_paragraph(path: str) -> str:
    """The text up to the first empty line; the system makes the rest of such a file only if it is read."""
    text = b""
    try:
        with open(path, "rb", buffering=0) as file:
            while b"\n\n" not in text and (more := file.read(2048)):
                text += more
    except OSError:
        pass
    return text.partition(b"\n\n")[0].decode("utf-8", "replace")


def target_for(settings: Settings) -> Target:
    return detect(settings.isa, settings.threads)
