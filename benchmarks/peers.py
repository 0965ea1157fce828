"""Who is measured: how to find a peer's program, give it its arrays, and the environment its process gets."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# glibc gives large blocks back to the system at once, so that each large result is made of fresh pages; with this it keeps them.
KEEPS_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=100000000000"}


@dataclass(frozen=True)
class Peer:
    name: str
    package: str
    module: str
    finder: str = "find"
    environment: dict[str, str] = field(default_factory=dict)
    spin: float = 0.0  # seconds for which its idle threads keep the processor from the next peer

    @property
    def present(self) -> bool:
        return importlib.util.find_spec(self.package) is not None

    def load(self) -> tuple[Callable[[str], Any], Callable[[Any], Any], Callable[[Any], Any]]:
        """(find a program, convert arrays, wait for a result)."""
        module = importlib.import_module(f"benchmarks.programs.{self.module}")
        find = getattr(module, self.finder, None) or (lambda name: getattr(module, name))
        same = lambda value: value
        return find, getattr(module, "convert", same), getattr(module, "wait", same)


PEERS: list[Peer] = [
    Peer("stax", "staxlang", "stax_programs"),
    Peer("numpy", "numpy", "numpy_programs"),
    Peer("numexpr", "numexpr", "numexpr_programs"),
    Peer("numba", "numba", "numba_programs", spin=0.25),
    Peer("jax", "jax", "jax_programs"),
    Peer("torch", "torch", "torch_programs", spin=0.25),
    Peer("torch.compile", "torch", "torch_programs", "find_compiled", spin=0.25),
]


def with_memory_kept(peer: Peer) -> Peer:
    return Peer(peer.name, peer.package, peer.module, peer.finder, {**peer.environment, **KEEPS_MEMORY}, peer.spin)
