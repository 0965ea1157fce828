"""A schedule whose updates are kernels too: the new value of each written input is copied to it after everything else has run."""

from __future__ import annotations

from staxlang.base.records import replace
from staxlang.base.settings import Settings
from staxlang.compiler.loops.ir import Definition, Kernel, LoopProgram, Schedule
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.target import Target
from staxlang.typecheck.views import indices


def with_write_back(planned: Schedule, target: Target, settings: Settings) -> Schedule:
    """Nothing reads an input after its update, so the copies come last, in any order. They are scheduled as a program of their own."""
    program = planned.program
    if not program.updates:
        return planned
    inputs = {buffer.position: buffer for buffer in program.buffers.values() if buffer.role == "input"}
    make = program.interner.make
    buffers = dict(program.buffers)
    steps: list[Definition] = []
    for number, (position, name) in enumerate(program.updates):
        source, written = program.buffers[name], inputs[position]
        at = indices(len(written.shape))
        buffers[source.name] = replace(source, role="input", position=number)
        buffers[written.name] = replace(written, role="output", position=number)
        ranges = tuple(zip(map(str, at), written.shape, strict=True))
        steps.append(Definition(written.name, ranges, at, make("load", (), source.dtype, buffer=source.name, subscripts=at)))
    outputs = tuple(step.buffer for step in steps)
    copies = schedule(LoopProgram(program.interner, buffers, tuple(steps), outputs), target, settings)
    kernels = [replace(step, name=f"{step.name}.back") for step in copies.steps if isinstance(step, Kernel)]
    return replace(planned, steps=(*planned.steps, *kernels))
