"""`stax fmt`: files in place, the standard input, what would change; nothing is lost."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

UNEVEN = "# first\nkernel f( x ):   # half\n  return x*0.5\n\n\n\n\nconst  a=[1,2]\n"
EVEN = "# first\nkernel f(x):  # half\n    return x * 0.5\n"


def test_in_place(stax_command, tmp_path) -> None:
    path = tmp_path / "u.stx"
    path.write_text(UNEVEN)
    path.chmod(0o640)
    (tmp_path / "link.stx").symlink_to(path)
    ran = stax_command("fmt", "link.stx", "p.stx")
    assert ran.status == 0 and "changed link.stx" in ran.out, ran
    text = path.read_text()
    assert text.startswith(EVEN) and "const a = [1, 2]" in text
    assert (tmp_path / "link.stx").is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    ran = stax_command("fmt", "u.stx")
    assert ran.status == 0 and ran.out == "" and "0 files changed, 1 fine" in ran.err and path.read_text() == text
    assert not any(name.endswith(".new") for name in os.listdir(tmp_path))


def test_check_and_diff_change_nothing(stax_command, tmp_path) -> None:
    (tmp_path / "u.stx").write_text(UNEVEN)
    ran = stax_command("fmt", "--check", "u.stx", "p.stx")
    assert ran.status == 1 and ran.out == "would change u.stx\n"
    ran = stax_command("fmt", "--diff", "u.stx")
    assert ran.status == 1 and "-  return x*0.5\n+kernel f(x):  # half\n+    return x * 0.5" in ran.out and "--- u.stx" in ran.out
    assert (tmp_path / "u.stx").read_text() == UNEVEN
    assert stax_command("fmt", "--check", "p.stx").status == 0
    assert stax_command("fmt", "--diff", "p.stx").out == ""


def test_the_standard_input(stax_command, monkeypatch) -> None:
    for words, status, expected in ((["-"], 0, EVEN), (["--check", "-"], 1, "would change <stdin>\n"), (["--diff", "-"], 1, "--- <stdin>")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNEVEN.encode())))
        ran = stax_command("fmt", *words)
        assert ran.status == status and ran.out.startswith(expected), ran


def test_a_file_with_a_slip_is_left(stax_command, tmp_path) -> None:
    (tmp_path / "bad.stx").write_text("kernel f(x)\n  return x\n")
    (tmp_path / "u.stx").write_text(UNEVEN)
    ran = stax_command("fmt", "bad.stx", "u.stx")
    assert ran.status == 1 and "missing-colon" in ran.err and "changed u.stx" in ran.out
    assert (tmp_path / "bad.stx").read_text() == "kernel f(x)\n  return x\n"
    assert stax_command("fmt", "nowhere.stx").status == 2
    assert stax_command("fmt").status == 2


def test_a_full_disk_leaves_the_file(stax_command, tmp_path, monkeypatch) -> None:
    (tmp_path / "u.stx").write_text(UNEVEN)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    ran = stax_command("fmt", "u.stx")
    assert ran.status == 2 and "file-unwritable" in ran.err and "No space left" in ran.err
    assert (tmp_path / "u.stx").read_text() == UNEVEN and not any(name.endswith(".new") for name in os.listdir(tmp_path))


def test_the_projects_own_files(stax_command) -> None:
    root = Path(__file__).parents[2]
    ran = stax_command("fmt", "--diff", str(root / "examples" / "stx"), str(root / "staxlang" / "stdlib"))
    assert ran.status in (0, 1) and "error" not in ran.err, ran.err
