"""The grammar's text passes through here and lark's LALR tables of it come out as plain data, which `marshal` can store."""

# lark's own data has no types that a checker knows.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import re
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

STARTS = ("item", "named")


def build_tables(text: str) -> tuple[Any, ...]:
    """The fields of `stx_grammar.Tables`."""
    built: Any = lark.Lark(text, start=list(STARTS), parser="lalr", lexer="basic", keep_all_tokens=True)
    data, memo = built.memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    terminals = [row for row in memo.values() if row["__type__"] == "TerminalDef"]
    kinds = {row["name"]: row["pattern"]["value"] for row in terminals if row["pattern"]["__type__"] == "PatternStr"}
    numbers = {identity: number for number, identity in enumerate(key for key, row in memo.items() if row["__type__"] == "Rule")}
    places = {state: number for number, state in enumerate(table["states"])}
    states: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for row in table["states"].values():
        named = [(table["tokens"][token], *action) for token, action in row.items()]
        found = {name: places[to] if not kind else ~numbers[to["@"]] for name, kind, to in named}
        gotos.append({name: to for name, to in found.items() if name.islower() and not name.startswith("$")})
        states.append({kinds.get(name, name): to for name, to in found.items() if name not in gotos[-1]})
    return _plain((
        states,
        gotos,
        [_rule(row) for row in memo.values() if row["__type__"] == "Rule"],
        {start: (places[table["start_states"][start]], places[table["end_states"][start]]) for start in STARTS},
        sorted(text for text in kinds.values() if text[0].isalpha()),
        sorted(sorted(text for text in kinds.values() if not text[0].isalpha()), key=len, reverse=True),
        {row["name"]: _pattern(row["pattern"]) for row in terminals if row["name"] not in kinds},
    ))  # fmt: skip


def _plain(value: Any) -> Any:
    """The same, of Python's own types: lark before 1.3 gives names of a class of its own, which cannot be stored."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value


def _rule(row: dict[str, Any]) -> tuple[str, str, int, tuple[int, ...], bool, bool]:
    """The fields of `stx_grammar.Rule`."""
    name, parts = row["origin"]["name"], row["expansion"]
    lent = tuple([number for number, part in enumerate(parts) if part["__type__"] == "NonTerminal" and part["name"].startswith("_")])
    single = row["options"]["expand1"] and not row["alias"]
    return name, row["alias"] or name, len(parts), lent, single, single and len(parts) == 1 and not lent


def _pattern(pattern: dict[str, Any]) -> str:
    flags = "".join(pattern["flags"])
    found = f"(?{flags}:{pattern['value']})" if flags else f"(?:{pattern['value']})"
    re.compile(found)
    return found
