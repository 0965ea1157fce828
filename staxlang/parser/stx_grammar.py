"""The grammar passes through here and becomes lark's parser. Its tables are stored: building them takes 0.2 s, reading them 0.02 s."""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import Any

import lark
from lark.indenter import Indenter

from staxlang.parser.stored import in_checkout, load_stored, store

GRAMMAR = Path(__file__).with_name("stx.lark")
TABLES = "_grammar.bin"


class _Layout(Indenter):
    """Line ends and indentation, outside of brackets."""

    @property
    def NL_type(self) -> str:
        return "_NEWLINE"

    @property
    def OPEN_PAREN_types(self) -> list[str]:
        return ["LPAR", "LSQB", "LBRACE"]

    @property
    def CLOSE_PAREN_types(self) -> list[str]:
        return ["RPAR", "RSQB", "RBRACE"]

    @property
    def INDENT_type(self) -> str:
        return "_INDENT"

    @property
    def DEDENT_type(self) -> str:
        return "_DEDENT"

    @property
    def tab_len(self) -> int:
        return 8


@functools.cache
def grammar() -> Any:
    """The LALR parser of one item or one expression."""
    text = GRAMMAR.read_text(encoding="utf-8")
    key = f"{lark.__version__}\n{text}\n".encode()
    stored = load_stored(TABLES)
    if stored is not None and bytes(stored[: len(key)]) == key:
        reader: Any = lark.Lark
        return reader.load(io.BytesIO(stored[len(key) :]))
    built = build_grammar(text)
    if in_checkout():
        store_tables(key, built)
    return built


def build_grammar(text: str) -> Any:
    return lark.Lark(text, start=["item", "named"], parser="lalr", postlex=_Layout(), keep_all_tokens=True)


def store_tables(key: bytes, built: Any) -> None:
    tables = io.BytesIO()
    built.save(tables)
    store(TABLES, key + tables.getvalue())


def parse(text: str, start: str) -> Any:
    """lark's tree of an `item` or of an expression (`named`); raises LarkError."""
    return grammar().parse(text, start=start)


def terminal_text(name: str) -> str:
    """What a terminal of the grammar looks like in a text: a word or a sign; its name, where it has many forms."""
    for terminal in grammar().terminals:
        if terminal.name == name and terminal.pattern.type == "str":
            return terminal.pattern.value
    return name.lower()
