"""The programs in README.md and docs/*.md run; README's commands are those of the gates; its links lead somewhere."""

import linecache
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text())], ids=lambda p: p.name)
def test_the_programs_of_a_page_run(page):
    text, names = page.read_text(), {"__name__": f"docs_{page.stem}"}
    for match in BLOCK.finditer(text):
        # Lines keep their numbers, and a kernel's source is found under the page's name.
        source = "\n" * text[: match.start(1)].count("\n") + match[1]
        file = f"{page}:{match.start()}"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        exec(compile(source, file, "exec"), names)
    assert names


def test_the_readme_gives_the_commands_of_the_gates():
    readme, gates = (ROOT / "README.md").read_text(), (ROOT / ".ci/run").read_text()
    commands = [line.strip() for line in re.findall(r"^    (pip install .*)$", readme, re.M)]
    assert len(commands) == 2
    for command in commands:
        for part in command.split(" && "):
            assert part.replace("pip install", "pip install --quiet") in gates, part


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
