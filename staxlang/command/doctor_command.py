"""Report versions, the machine as kernels are compiled for it, the cache, and whether a kernel can be compiled and run.

  stax doctor
  stax doctor --json
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import time
from typing import Any

import numpy as np

import staxlang as stax
from staxlang import __version__
from staxlang.base.diagnostics import StaxError
from staxlang.base.settings import Settings
from staxlang.command.terminal import Terminal
from staxlang.command.words import amount
from staxlang.runtime import blas, headers
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.ground import store_for
from staxlang.runtime.lowered import ENGINES
from staxlang.runtime.machine import detect

_OPTIONAL = ("triton", "torch", "jax", "numba", "scipy", "pygls")
_WIDTHS = {64: "AVX-512", 32: "AVX2", 16: "SSE2"}
_PROBE = "kernel probe(x: f32[N]) -> f32[N]: return exp(x) * 2 + {salt}\n"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")


def run(arguments: Any, terminal: Terminal) -> int:
    settings = environment_settings()
    with terminal.waiting("compiling a kernel"):
        facts, troubles = _facts(settings)
    if arguments.json:
        terminal.say(json.dumps({**facts, "troubles": troubles}, indent=2))
    else:
        terminal.rows([(name, value) for name, value in facts.items()])
        terminal.say()
        for trouble in troubles:
            terminal.say(f"{terminal.paint('trouble', 'bold', 'red')}: {trouble}")
        if not troubles:
            terminal.say(terminal.paint("everything works", "green"))
    return 1 if troubles else 0


def _facts(settings: Settings) -> tuple[dict[str, str], list[str]]:
    """What there is, and what is wrong with it."""
    troubles: list[str] = []
    target = detect(settings.isa, settings.threads)
    width = "NEON" if "aarch64" in target.triple else _WIDTHS.get(target.vector_bytes, f"{target.vector_bytes} bytes")
    limited = f" (lowered by STAX_ISA={settings.isa})" if settings.isa else ""
    unfit = headers.supported()
    if unfit:
        troubles.append(f"calls go through Python: {unfit}")
    found = blas.find()
    facts = {
        "stax": f"{__version__} in {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}",
        "python": f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}",
        "numpy": np.__version__,
        "llvmlite": _version("llvmlite"),
        "lark": _version("lark"),
        "optional": ", ".join(f"{name} {_version(name)}" for name in _OPTIONAL if importlib.util.find_spec(name)) or "none installed",
        "system": platform.platform(),
        "processor": f"{target.cpu}, vectors of {target.vector_bytes * 8} bits ({width}){limited}",
        "caches": f"L1 {amount(target.l1)}, L2 {amount(target.l2)}, last level {amount(target.llc)}",
        "cores": f"{os.cpu_count()} in the machine, {target.cores} used",
        "threads": f"{stax.get_num_threads()}{' (STAX_THREADS)' if settings.threads else ''}",
        "blas": f"NumPy's, {'64' if found.wide else '32'}-bit integers" if found is not None else "none found: products are Stax's own",
        "engines": ", ".join(ENGINES),
        "cache": _cache_facts(settings, troubles),
        "settings": _changed_settings(settings),
        "a kernel": _probed(troubles),
    }
    return facts, troubles


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version" if importlib.util.find_spec(package) else "not installed"


def _cache_facts(settings: Settings, troubles: list[str]) -> str:
    store = store_for(settings)
    if store is None:
        return "switched off (STAX_CACHE=0)"
    entries = store.entries()
    size = sum(entry[1] for entry in entries)
    place = store.folder
    while not os.path.exists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    writable = os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)
    if not writable:
        troubles.append(f"the cache folder {store.folder} cannot be written to: every process compiles again; STAX_CACHE_DIR moves it")
    state = "" if os.path.exists(store.folder) else ", not made yet"
    held = f"{len(entries):,} entries, {amount(size)} of at most {amount(store.limit)}"
    return f"{store.folder}{state}\n{held}, {'writable' if writable else 'not writable'}"


def _changed_settings(settings: Settings) -> str:
    plain = Settings()
    names: tuple[str, ...] = Settings.__match_args__
    changed = [f"{name}={getattr(settings, name)!r}" for name in names if getattr(settings, name) != getattr(plain, name)]
    return ", ".join(changed) or "as they are by default"


def _probed(troubles: list[str]) -> str:
    """A kernel that no cache has is compiled and run, and its result compared with NumPy's."""
    salt = time.time_ns() % 1_000_000
    start = time.perf_counter()
    x: Any = np.linspace(-1, 1, 1000, dtype=np.float32)
    try:
        kernel: Any = stax.load_text(_PROBE.format(salt=salt)).probe
        result = kernel(x)
    except (StaxError, OSError, RuntimeError) as problem:
        troubles.append(f"a kernel cannot be compiled: {problem}")
        return "cannot be compiled"
    seconds = time.perf_counter() - start
    if not np.allclose(result, np.exp(x) * 2 + salt, rtol=1e-5):
        troubles.append("a kernel's result is wrong")
    route = kernel.stats().route
    if route != "native":
        troubles.append(f"kernels run by the route `{route}`, not natively")
    return f"compiled and run in {seconds:.2f} s, {route}"
