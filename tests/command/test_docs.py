"""docs/command-line.md: its commands print what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
FILES = re.findall(r"^```stx (\S+)\n(.*?)^```", PAGE, re.M | re.S)
SESSIONS = [match[1] for match in re.finditer(r"^```console\n(.*?)^```", PAGE, re.M | re.S)]


def commands(session: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", session, flags=re.M)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize("session", SESSIONS, ids=[commands(one)[0][0][:30] for one in SESSIONS])
def test_the_page_says_what_is_printed(stax_command, tmp_path, session: str) -> None:
    for name, text in FILES:
        (tmp_path / name).write_text(text)
    if "--arg x=y.npy" not in session:
        assert commands(session)
    for line, expected in commands(session):
        program, *words = shlex.split(line)
        ran = stax_command(*words)
        pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
        assert program == "stax" and re.fullmatch(pattern, (ran.out + ran.err).rstrip(), re.DOTALL), f"{line}\n{ran.out}{ran.err}"


def test_every_command_is_described() -> None:
    assert FILES and all(f"stax {name}" in PAGE for name in ("run", "test", "check", "fmt", "show", "explain", "doctor", "cache"))
