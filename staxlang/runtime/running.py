"""A matched call through a program without the native entry: tables filled, the program called, results made, all in Python."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from staxlang.base.deferred import deferred
from staxlang.runtime import late
from staxlang.runtime.matching import Matched
from staxlang.runtime.plans import EntryPlan, evaluate

if TYPE_CHECKING:
    from staxlang.base import types
else:
    types = deferred("staxlang.base.types")  # symbolic sizes are behind it: a process served from disk needs none

Array = np.ndarray[Any, Any]
ProgramFunction = Callable[[Any, Any, Any, Any], int]
REACH = 1 << 62  # steps that 64 bits count
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def program_function(address: int) -> ProgramFunction:
    """The program at an address; calls release the GIL."""
    return _PROTOTYPE(address)


def run(program: Runnable, plan: EntryPlan, slots: list[Any], matched: Matched) -> Any:
    """Run a program on what a matched call holds, and make the plan's result. A failed run-time check raises through the plan's slot."""
    outputs = program.execute(plan, slots, matched)
    return _build(plan.result, plan, slots, matched if matched.given is None else Matched(matched.given, matched.env), outputs)


class Runnable(Protocol):
    """What computes a plan's outputs: loaded code, or the reference engine."""

    def execute(self, plan: EntryPlan, slots: list[Any], matched: Matched) -> list[Array]: ...


def execute(program: ProgramFunction, plan: EntryPlan, slots: list[Any], matched: Matched) -> list[Array]:
    """The outputs of loaded code, as arrays."""
    objects, env, _ = matched
    outputs = [_result(plan, number, slots, env) for number in range(len(plan.outputs))]
    if evaluate(plan.work, env) >= REACH:
        late.raise_error("out-of-memory", bytes=f"{8 * evaluate(plan.work, env):,}", what="the elements that it works on")
    inputs = [np.asarray(objects[place]) for place in plan.arrays]
    addresses = [array.__array_interface__["data"][0] for array in (*inputs, *outputs)]
    arrays = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
    sizes = (ctypes.c_int64 * max(len(plan.sizes), 1))(*(evaluate(symbol, env) for symbol in plan.sizes))
    scalars = (ctypes.c_int64 * (2 * max(len(plan.scalars), 1)))()
    offset = ctypes.addressof(scalars)
    for place, kind in plan.scalars:
        offset = _put_scalar(offset, objects[place], kind)
    scratch_bytes = evaluate(plan.arena, env)
    scratch = _memory([scratch_bytes + 64], np.dtype(np.uint8), "temporaries") if scratch_bytes else None
    arena = None if scratch is None else -(-scratch.__array_interface__["data"][0] // 64) * 64
    status = program(arrays, sizes, scalars, arena)
    if status:
        slots[plan.fail](status)
    return outputs


def _result(plan: EntryPlan, number: int, slots: list[Any], env: dict[str, int]) -> Array:
    """Memory for an output, with its axes in their order."""
    output = plan.outputs[number]
    extents, dtype = [evaluate(size, env) for size in output.shape], slots[output.slot]
    if not output.order:
        return _memory(extents, dtype, "a result")
    strides = [stride * output.itemsize for stride in types.dense_strides(tuple(extents), output.order)]
    return _memory(extents, dtype, "a result", strides)


def _memory(shape: list[int], dtype: Any, what: str, strides: Any = None) -> Array:
    """A new array without values; the diagnostic where there is no memory for it (NumPy: no address, either)."""
    try:
        return np.empty(shape, dtype) if strides is None else np.ndarray(shape, dtype, strides=strides)
    except (MemoryError, ValueError):
        count = math.prod(shape) * np.dtype(dtype).itemsize
        late.raise_error("out-of-memory", bytes=f"{count:,}", what=what)


def _put_scalar(address: int, value: Any, kind: str) -> int:
    if kind == "float":
        ctypes.c_double.from_address(address).value = value
    elif kind == "complex":
        ctypes.c_double.from_address(address).value = value.real
        ctypes.c_double.from_address(address + 8).value = value.imag
        return address + 16
    else:
        ctypes.c_int64.from_address(address).value = value
    return address + 8


def _build(tree: tuple[Any, ...], plan: EntryPlan, slots: list[Any], matched: Matched, outputs: list[Any]) -> Any:
    kind = tree[0]
    if kind == "array":
        return outputs[tree[1]]
    if kind == "scalar":
        return outputs[tree[1]][()]
    if kind == "number":
        return outputs[tree[1]].item()
    if kind == "object":
        return matched.objects[tree[1]]
    if kind == "size":
        return evaluate(tree[1], matched.env)
    if kind == "static":
        return slots[tree[1]]
    if kind == "view":
        return _view(matched.objects[tree[1]], tree, matched)
    if kind == "part":
        return _view(outputs[tree[1]], tree, matched)
    items = tuple(_build(item, plan, slots, matched, outputs) for item in tree[-1])
    return items if kind == "tuple" else slots[tree[1]](*items)


class _Memory:
    """Tells NumPy of memory that an array owns: the view made of it keeps that array alive."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def owner_of(array: Array) -> Any:
    """The array whose memory a view among the results shows; None where it is no such view."""
    base: Any = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    return base.owner if type(base) is _Memory else None


def _view(owner: Any, tree: tuple[Any, ...], matched: Matched) -> Any:
    *_, shape, strides, offset, writable = tree
    env = matched.env
    extents = tuple(evaluate(size, env) for size in shape)
    steps = tuple(evaluate(stride, env) * owner.itemsize for stride in strides)
    start = owner.__array_interface__["data"][0] + evaluate(offset, env) * owner.itemsize
    data = (start, not (writable and owner.flags.writeable))
    described = {"shape": extents, "strides": steps, "data": data, "typestr": owner.dtype.str, "version": 3}
    made = np.asarray(_Memory(described, owner))
    return made if made.dtype == owner.dtype else made.view(owner.dtype)  # the interface has no name for bf16
