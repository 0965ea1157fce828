"""`match` as the `if` and `elif` that it stands for: a test for each pattern, and what the pattern binds as assignments."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from staxlang.base.records import NamedTuple

_WHOLE = frozenset(("bool", "bytes", "dict", "float", "frozenset", "int", "list", "str", "tuple"))
"""Built-in classes whose one positional pattern is about the value itself."""


class Matched(NamedTuple):
    """What a pattern asks, and the names that it binds."""

    tests: tuple[ast.expr, ...] = ()
    bound: tuple[tuple[str, ast.expr], ...] = ()


class NoForm(Exception):
    """A pattern that has no such form."""


def as_branches(node: ast.Match) -> list[ast.stmt] | None:
    """Statements of the same meaning; None where a pattern has none."""
    try:
        return _branches(node)
    except NoForm:
        return None


def _branches(node: ast.Match) -> list[ast.stmt]:
    before: list[ast.stmt] = []
    subject = node.subject
    if not isinstance(subject, ast.Name):
        name = f"_matched_{node.lineno}_{node.col_offset}"
        before.append(_placed(ast.Assign([ast.Name(name, ast.Store())], subject), subject))
        subject = ast.Name(name, ast.Load())
    rest: list[ast.stmt] = []
    for case in reversed(node.cases):
        found = _matched(case.pattern, subject)
        tests = list(found.tests)
        if case.guard is not None:
            tests.append(_Renamed(dict(found.bound)).visit(case.guard))
        body = [*(ast.Assign([ast.Name(name, ast.Store())], value) for name, value in found.bound), *case.body]
        rest = [_placed(ast.If(_all_of(tests), body, rest), case.pattern)]
    return before + rest


def _placed(made: ast.stmt, where: ast.AST) -> ast.stmt:
    """New nodes stand where the pattern does; those of the user's text have places of their own."""
    ast.copy_location(made, where)
    return ast.fix_missing_locations(made)


class _Renamed(ast.NodeTransformer):
    """A guard sees what its pattern binds."""

    def __init__(self, bound: dict[str, ast.expr]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound.get(node.id, node)


def _matched(pattern: ast.pattern, subject: ast.expr) -> Matched:
    if isinstance(pattern, ast.MatchValue):
        return Matched((_placed_test(ast.Compare(subject, [ast.Eq()], [pattern.value]), pattern),))
    if isinstance(pattern, ast.MatchSingleton):
        return Matched((_placed_test(ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)]), pattern),))
    if isinstance(pattern, ast.MatchAs):
        inner = Matched() if pattern.pattern is None else _matched(pattern.pattern, subject)
        return inner if pattern.name is None else Matched(inner.tests, (*inner.bound, (pattern.name, subject)))
    if isinstance(pattern, ast.MatchOr):
        return _any_of(pattern, subject)
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return _instance(pattern, subject)
    raise NoForm


def _placed_test(made: ast.expr, where: ast.AST) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(made, where))


def _any_of(pattern: ast.MatchOr, subject: ast.expr) -> Matched:
    parts = [_matched(one, subject) for one in pattern.patterns]
    if any(part.bound for part in parts):
        raise NoForm
    tests = [_all_of(part.tests) for part in parts]
    return Matched((_placed_test(ast.BoolOp(ast.Or(), tests), pattern),))


def _all_of(tests: Sequence[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), list(tests)) if len(tests) > 1 else next(iter(tests), ast.Constant(True))


def _called(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _sequence(pattern: ast.MatchSequence, subject: ast.expr) -> Matched:
    """A tuple or list of so many elements; arrays are no sequences to `match`."""
    stars = [place for place, one in enumerate(pattern.patterns) if isinstance(one, ast.MatchStar)]
    fixed = len(pattern.patterns) - len(stars)
    kinds = ast.Tuple([ast.Name("tuple", ast.Load()), ast.Name("list", ast.Load())], ast.Load())
    length = ast.Compare(_called("len", subject), [ast.GtE() if stars else ast.Eq()], [ast.Constant(fixed)])
    tests = [_placed_test(one, pattern) for one in (_called("isinstance", subject, kinds), length)]
    bound: list[tuple[str, ast.expr]] = []
    for place, one in enumerate(pattern.patterns):
        behind = bool(stars) and place > stars[0]
        if isinstance(one, ast.MatchStar):
            if one.name is not None:
                end = place + 1 - len(pattern.patterns)
                part = ast.Slice(ast.Constant(place), ast.Constant(end) if end else None)
                bound.append((one.name, _placed_test(_called("list", ast.Subscript(subject, part, ast.Load())), one)))
            continue
        index = place - len(pattern.patterns) if behind else place
        found = _matched(one, _placed_test(ast.Subscript(subject, ast.Constant(index), ast.Load()), one))
        tests += found.tests
        bound += found.bound
    return Matched(tuple(tests), tuple(bound))


def _instance(pattern: ast.MatchClass, subject: ast.expr) -> Matched:
    tests = [_placed_test(_called("isinstance", subject, pattern.cls), pattern)]
    bound: list[tuple[str, ast.expr]] = []
    parts: list[tuple[ast.pattern, ast.expr]] = []
    if pattern.patterns:
        if len(pattern.patterns) > 1 or not isinstance(pattern.cls, ast.Name) or pattern.cls.id not in _WHOLE:
            raise NoForm
        parts.append((pattern.patterns[0], subject))
    pairs: Sequence[tuple[str, ast.pattern]] = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    parts += [(one, _placed_test(ast.Attribute(subject, name, ast.Load()), one)) for name, one in pairs]
    for one, value in parts:
        found = _matched(one, value)
        tests += found.tests
        bound += found.bound
    return Matched(tuple(tests), tuple(bound))
