"""The text of a docstring passes through here: its margin is taken off, as `inspect.cleandoc` does, and put on again."""

from __future__ import annotations


def clean_docstring(text: str) -> str:
    """A docstring without the indentation of its later lines and without empty first and last lines."""
    lines = text.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    cleaned = [lines[0].lstrip(), *(line[margin:] if line.strip() else "" for line in lines[1:])]
    while cleaned and not cleaned[-1].strip():
        cleaned.pop()
    while cleaned and not cleaned[0].strip():
        cleaned.pop(0)
    return "\n".join(line.rstrip() for line in cleaned)
