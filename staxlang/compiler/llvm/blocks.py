"""Basic blocks of loops and conditions: rotated loops, what they carry from one run to the next, joins."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.compiler.llvm.function import Function, Scope, Value

Carried = list[Value]
Stop = Callable[[], "str | None"]


def never(*_: int) -> None:
    """Nothing ends a loop before its end."""


def begin(f: Function, n: int, writes: frozenset[str], carried: Carried) -> tuple[Scope, Carried, Carried]:
    """Open a loop's scope; what it carries becomes phi nodes (to be written by `carry`). Gives the scope, those, and what came in."""
    scope = f.open(f"loop.{n}", writes, False)
    before = list(carried)
    for k, value in enumerate(before):
        imag = f"%c.{n}.{k}.i" if value.imag else ""
        carried[k] = Value(f"%c.{n}.{k}", value.dtype, value.lanes, scope.level, True, None, imag)
    return scope, list(carried), before


def run_loop(
    f: Function, start: str, end: str, step: int, carried: Carried, writes: frozenset[str], body: Callable[[str], None], stop: Stop = never,
) -> None:  # fmt: skip
    """A loop that runs at least once: `body(index)` for index = start, start + step, .. < end; `carried` goes from one run to the next.

    stop: an i1, computed after the body, that ends the loop; None: never. The counter is frozen: so LLVM does not recognize it, whose
    analysis of addresses would take half of the time of a compilation, and for what comes of it loops are no faster.
    """
    n = f.fresh()
    outer = f.level
    scope, phis, before = begin(f, n, writes, carried)
    index = f"%i.{n}"
    body(index)
    following = f.name(f.level, f"freeze i64 {f.name(f.level, f'add i64 {index}, {step}', 'i')}", "i")
    more = f.name(f.level, f"icmp slt i64 {following}, {end}", "i")
    early = stop()
    if early is not None:
        more = f.name(f.level, f"select i1 {early}, i1 false, i1 {more}", "i")
    f.emit(f.level, f"br i1 {more}, label %loop.{n}, label %done.{n}")
    f.close()
    around = f.scopes[outer]
    lines = around.lines
    came, latch = around.label, scope.label
    lines.append(f"br label %loop.{n}")
    lines.append(f"loop.{n}:")
    lines.append(f"{index} = phi i64 [ {start}, %{came} ], [ {following}, %{latch} ]")
    carry(f, lines, carried, before, phis, came, latch, outer, scope.lines)
    lines += scope.lines
    f.block(f"done.{n}", outer)


def carry(
    f: Function, lines: list[str], carried: Carried, before: Carried, phis: Carried, came: str, latch: str, outer: int, inside: list[str]
) -> None:  # fmt: skip
    """The phi nodes of what a loop carries; after it, `carried` is what the last run left."""
    for k, (old, phi, new) in enumerate(zip(before, phis, carried, strict=True)):
        if new is phi:  # the body left it alone, though it may have looked at it
            carried[k] = old
            for first, name, last in _texts(old, phi, new):
                if any(name in line for line in inside):
                    lines.append(f"{name} = phi {phi.type} [ {first}, %{came} ], [ {last}, %{latch} ]")
            continue
        for first, name, last in _texts(old, phi, new):
            lines.append(f"{name} = phi {phi.type} [ {first}, %{came} ], [ {last}, %{latch} ]")
        carried[k] = Value(new.text, new.dtype, new.lanes, outer, True, None, new.imag)


def _texts(old: Value, phi: Value, new: Value) -> list[tuple[str, str, str]]:
    pairs = [(old.text, phi.text, new.text)]
    if phi.imag:
        pairs.append((old.imag, phi.imag, new.imag))
    return pairs


def run_once(f: Function, carried: Carried, writes: frozenset[str], body: Callable[[], None]) -> None:
    """`body` in a scope of its own, where it stands: what it finds out is not in reach after it."""
    n = f.fresh()
    outer = f.level
    scope = f.open(f"once.{n}", writes, False)
    before = list(carried)
    body()
    f.close()
    around = f.scopes[outer]
    around.lines += [f"br label %once.{n}", f"once.{n}:", *scope.lines]  # a block of its own: the ones around it may have changed meanwhile
    around.label = scope.label
    for k, (old, new) in enumerate(zip(before, carried, strict=True)):
        if new is not old:
            carried[k] = Value(new.text, new.dtype, new.lanes, outer, True, None, new.imag)


def run_if(f: Function, condition: str | None, carried: Carried, writes: frozenset[str], body: Callable[[], None]) -> None:
    """`body` where the i1 holds (None: always); `carried` keeps its values where it does not."""
    if condition is None:
        body()
        return
    n = f.fresh()
    outer = f.level
    scope = f.open(f"then.{n}", writes, True)
    before = list(carried)
    body()
    f.emit(f.level, f"br label %join.{n}")
    f.close()
    around = f.scopes[outer]
    came, left = around.label, scope.label
    around.lines.append(f"br i1 {condition}, label %then.{n}, label %join.{n}")
    around.lines.append(f"then.{n}:")
    around.lines += scope.lines
    f.block(f"join.{n}", outer)
    for k, (old, new) in enumerate(zip(before, carried, strict=True)):
        if new is old:
            continue
        made = Value(f"%j.{n}.{k}", new.dtype, new.lanes, outer, True, None, f"%j.{n}.{k}.i" if new.imag else "")
        for first, name, last in _texts(old, made, new):
            around.lines.append(f"{name} = phi {made.type} [ {first}, %{came} ], [ {last}, %{left} ]")
        carried[k] = made
