"""Tokens of a .stx item pass through here and come out as a concrete tree, by lark's LALR tables of the grammar.

lark's own loop makes a reduction for each of the fifteen levels of precedence below each operand. Those that keep their only child change
nothing but the state, and where a chain of them ends depends on the state below and the token ahead alone: it is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from staxlang.parser.stx_grammar import Tables, tables
from staxlang.parser.stx_tokens import END, SOFT_WORDS, Token, tokenize

MOST_DEPTH = 1000  # of nodes in nodes


class Parsed:
    """A rule of the grammar with what it read: Parsed and Token. Its place is that of its first and last child."""

    __slots__ = ("children", "column", "data", "depth", "end_column", "end_line", "line")

    def __init__(self, data: str, children: list[Any], depth: int) -> None:
        self.data = data
        self.children = children
        self.depth = depth
        first, last = children[0], children[-1]
        self.line: int = first.line
        self.column: int = first.column
        self.end_line: int = last.end_line
        self.end_column: int = last.end_column

    def __repr__(self) -> str:
        return f"Parsed({self.data!r}, {self.children!r})"


class Unexpected(Exception):
    """A token that cannot stand at its place, and the kinds of those that can. `deep`: it is nested too deeply."""

    def __init__(self, tokens: Sequence[Token], place: int, accepted: frozenset[str], deep: bool = False) -> None:
        super().__init__(f"unexpected {tokens[place]}")
        self.tokens = tokens
        self.token = tokens[place]
        self.place = place
        self.accepted = accepted
        self.deep = deep


def parse(text: str, start: str = "item") -> Parsed:
    """The concrete tree of an `item`, or of an expression (`named`). Raises Unexpected."""
    tokens = tokenize(text)
    if start == "named":  # an expression is no line
        tokens = [token for token in tokens if token.kind != "_NEWLINE"]
    return parse_tokens(tokens, start)


_jumps: dict[tuple[int, int, str], int] = {}


def parse_tokens(tokens: Sequence[Token], start: str) -> Parsed:
    """As `parse`, of tokens, of which the last is an END."""
    found = tables()
    actions, gotos, rules = found.states, found.gotos, found.rules
    state, end = found.starts[start]
    states: list[int] = [state]
    values: list[Any] = []
    for place, token in enumerate(tokens):
        kind = token.kind
        row = actions[state]
        if kind == "NAME" and token.text in SOFT_WORDS and SOFT_WORDS[token.text] in row:
            kind = token.kind = SOFT_WORDS[token.text]
        while True:
            action = row.get(kind)
            if action is None:
                if state == end and kind == END:
                    return values[0]
                raise Unexpected(tokens, place, _accepted(tokens, place, start))
            if action >= 0:
                states.append(action)
                values.append(token)
                state = action
                break
            name, data, length, lent, single, unit = rules[~action]
            if unit:
                below = states[-2]
                jump = (below, state, kind)
                target = _jumps.get(jump)
                if target is None:
                    target = _jumps[jump] = _chain(found, below, gotos[below][name], kind)
                states[-1] = state = target
                row = actions[state]
                continue
            children = values[-length:]
            del values[-length:], states[-length:]
            depth = max([child.depth for child in children])
            if lent:
                children = _lend(children, lent)
            if single and len(children) == 1:
                values.append(children[0])
            elif depth < MOST_DEPTH:
                values.append(Parsed(data, children, depth if data[0] == "_" else depth + 1))
            else:
                raise Unexpected(tokens, place, frozenset(), deep=True)
            state = gotos[states[-1]][name]
            states.append(state)
            row = actions[state]
    raise AssertionError("tokens end with END")


def _chain(found: Tables, below: int, state: int, kind: str) -> int:
    """The state in which a chain of reductions ends that keep their only child."""
    while True:
        action = found.states[state].get(kind)
        if action is None or action >= 0:
            return state
        rule = found.rules[~action]
        if not rule.unit:
            return state
        state = found.gotos[below][rule.name]


def _lend(children: list[Any], lent: tuple[int, ...]) -> list[Any]:
    """The children, with those of repetitions instead of the repetitions. The first one's list is used up: it grows with each step."""
    made: list[Any] = []
    for number, child in enumerate(children):
        if number not in lent:
            made.append(child)
        elif made:
            made += child.children
        else:
            made = child.children
    return made


def _accepted(tokens: Sequence[Token], place: int, start: str) -> frozenset[str]:
    """The kinds of tokens that can stand at a place. The states are those before any reduction for the token that cannot: tables of
    LALR reduce for it all the same, and know less then."""
    found = tables()
    states: list[int] = [found.starts[start][0]]
    for token in tokens[:place]:
        _advance(found, states, token.kind)
    return frozenset([kind for kind in found.states[states[-1]] if _advance(found, list(states), kind)])


def _advance(found: Tables, states: list[int], kind: str) -> bool:
    """Read a token with the states alone; False where it cannot come."""
    end: int = next(last for first, last in found.starts.values() if first == states[0])
    while True:
        action = found.states[states[-1]].get(kind)
        if action is None:
            return states[-1] == end and kind == END
        if action >= 0:
            states.append(action)
            return True
        rule = found.rules[~action]
        del states[-rule.length :]
        states.append(found.gotos[states[-1]][rule.name])
