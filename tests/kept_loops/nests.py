"""Nests of loops over affine subscripts, drawn at random as Python source; and what a loop program's rounds really read and write."""

import importlib.util
import itertools
import random

from staxlang.base.records import replace
from staxlang.base.sizes import evaluate, symbols
from staxlang.compiler.loops.dependence import accesses, carried
from staxlang.compiler.loops.ir import Definition
from staxlang.compiler.loops.kept import is_loop, made_inside

ARRAYS = {"a": 2, "b": 2, "c": 1, "d": 1}
SIDE = 16


def draw(seed):
    """The source of a function of four arrays and two numbers of rounds."""
    return _Nest(random.Random(seed)).source()


class _Nest:
    def __init__(self, rng):
        self.rng = rng
        self.lines = ["def nest(a, b, c, d, n, m):", "    s = 0.5", "    k = 0"]
        known = rng.random() < 0.85
        self.bounds = (str(rng.randint(4, 6)), str(rng.randint(4, 6))) if known else ("n", "m")
        self.written = rng.sample(sorted(ARRAYS), rng.randint(1, 2))

    def source(self):
        self.loops([], self.rng.choice((1, 2, 2, 2, 3)), 1)
        return "\n".join([*self.lines, "    return s, k"]) + "\n"

    def loops(self, names, depth, indent):
        name = "ijl"[len(names)]
        first, step = self.rng.choice((0, 0, 0, 1)), self.rng.choice((1, 1, 1, 2))
        bound = self.rng.choice(self.bounds)
        over = f"range({first}, {bound}, {step})" if self.rng.random() < 0.8 else f"range({bound} - 1, {first} - 1, -1)"
        if names and self.rng.random() < 0.1:
            over = f"range({names[-1]})"
        pad = "    " * indent
        self.lines.append(f"{pad}for {name} in {over}:")
        inside = [*names, name]
        if depth > 1 and self.rng.random() < 0.3:
            self.lines.append(f"{pad}    {self.statement(inside)}")
        local = depth > 1 and self.rng.random() < 0.3
        if local:
            self.lines.append(f"{pad}    t = {self.read(inside)}")
        if depth > 1:
            self.loops(inside, depth - 1, indent + 1)
        else:
            for _ in range(self.rng.randint(1, 2)):
                self.lines.append(f"{pad}    {self.statement(inside)}")
        if local:
            self.lines.append(f"{pad}    {self.place(inside, self.rng.choice(self.written))} = t")
        if depth > 1 and self.rng.random() < 0.2:
            self.lines.append(f"{pad}    {self.statement(inside)}")

    def statement(self, names):
        kind = self.rng.random()
        if kind < 0.08:
            return f"s = s + {self.read(names)}"
        if kind < 0.13:
            return f"k = k + {names[-1]} * 3"
        target = self.place(names, self.rng.choice(self.written))
        if kind < 0.3:
            return f"{target} += {self.read(names)} * 0.5"
        if kind < 0.36:
            return f"{target} = {self.read(names)} if {self.read(names)} > 0.3 else {self.read(names)}"
        if kind < 0.44 and "[:" not in target:
            array = self.rng.choice(("a", "b"))
            row = f"{array}[{self.subscript(names)}]"
            other = self.rng.choice(self.written)
            if ARRAYS[other] == 2:
                return f"{other}[{self.subscript(names)}] = {row} * 0.25"
        return f"{target} = {self.read(names)} * 0.5 + {self.read(names)}"

    def read(self, names):
        others = [name for name in ARRAYS if name not in self.written]
        return self.place(names, self.rng.choice(others if self.rng.random() < 0.75 else sorted(ARRAYS)))

    def place(self, names, array):
        rank = ARRAYS[array]
        if array in self.written and self.rng.random() < 0.7:  # an index for each axis
            own = self.rng.sample(names, min(rank, len(names)))
            parts = [f"{self.rng.choice(('', '', '2 * '))}{name} + {self.rng.choice((0, 0, 1))}" for name in own]
            return f"{array}[{', '.join([*parts, *['1'] * (rank - len(parts))])}]"
        return f"{array}[{', '.join([self.subscript(names) for _ in range(rank)])}]"

    def subscript(self, names):
        """Inside of 0 .. SIDE - 1 for indices below 7."""
        kind = self.rng.random()
        name = self.rng.choice(names)
        if kind < 0.5:
            return f"{name} + {self.rng.randint(0, 2)}"
        if kind < 0.62:
            return f"2 * {name} + {self.rng.randint(0, 2)}"
        if kind < 0.74 and len(names) > 1:
            return f"{names[-1]} + {names[-2]} + {self.rng.randint(0, 1)}"
        if kind < 0.82:
            return f"{self.rng.randint(7, 9)} - {name}"
        if kind < 0.9:
            return f"({name} + {self.rng.randint(0, 3)}) % {self.rng.randint(3, 7)}"
        return str(self.rng.randint(0, 9))


def function_of(source, path):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.nest


# ---- what rounds do ------------------------------------------------------------------------------------------------


class Verdict:
    """Of the loops of a program: how many were claimed to be independent, how many of the others are so, and claims that are wrong."""

    def __init__(self):
        self.claimed, self.missed, self.dependent, self.wrong = 0, 0, 0, []


def judge(program, sizes, verdict):
    """Executes the rounds of all loops of a loop program, noting the elements that each reads and writes."""
    for step in program.steps:
        if is_loop(step):
            _judge_loop(step, dict(sizes), verdict, [])


def _judge_loop(step, env, verdict, outer):
    """Looks at a loop in each round of those around it."""
    found = _accesses(step, set(made_inside(step)))
    claims = found is not None and not carried(found, step["index"], step["extent"])
    meets = False
    for values in itertools.product(*[range(max(0, evaluate(extent, env))) for _, extent in outer] if _is_box(outer) else [()]):
        around = {**env, **dict(zip([name for name, _ in outer], values, strict=False))}
        if found is None:
            break
        meets = meets or _meets(step, found, around)
    if found is not None:
        verdict.claimed += claims
        verdict.dependent += meets
        verdict.missed += not claims and not meets
        if claims and meets:
            verdict.wrong.append(step["index"])
    for inner in step["body"].steps:
        if is_loop(inner) and inner["extent"] is not None:
            _judge_loop(inner, env, verdict, [*outer, (step["index"], step["extent"])])


def _is_box(outer):
    names = {name for name, _ in outer}
    return all(names.isdisjoint(symbols(extent)) for _, extent in outer)


def _accesses(step, private):
    """What a round reads and writes outside of its own memory, indices of loops inside over their ranges; None where data tell it."""
    found = []
    for one in step["body"].steps:
        if is_loop(one):
            inner = None if one["extent"] is None or one["go"] is not None else _accesses(one, private | set(made_inside(one)))
            if inner is None:
                return None
            found += [replace(access, ranges=((one["index"], one["extent"]), *access.ranges)) for access in inner]
        elif not isinstance(one, Definition):
            return None
        else:
            found += [access for access in accesses(one) if access.buffer not in private]
    return None if any(name[0] == "$" for one in found for size in one.subscripts for name in symbols(size)) else found


def _meets(step, found, env):
    """Whether a round writes an element that another round touches."""
    rounds = []
    for number in range(max(0, evaluate(step["extent"], env))):
        read, written = set(), set()
        for access in found:
            for place in _places(access, {**env, step["index"]: number}):
                (written if access.writes else read).add((access.buffer, place))
        rounds.append((read, written))
    return any(
        one[1] & (other[0] | other[1]) for k, one in enumerate(rounds) for other in (*rounds[:k], *rounds[k + 1 :])
    )  # fmt: skip


def _places(access, env):
    def walk(ranges, env):
        if not ranges:
            yield tuple([evaluate(one, env) for one in access.subscripts])
            return
        (name, extent), *rest = ranges
        for number in range(max(0, evaluate(extent, env))):
            yield from walk(rest, {**env, name: number})

    return walk(list(access.ranges), env)
