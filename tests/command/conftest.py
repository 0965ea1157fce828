"""The command run in this process, in a folder with files to work on."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.command.main import main

PROGRAM = '''"""Programs to run."""

const WEIGHT = 2.0

kernel softmax(x: T[*B, D]) -> T[*B, D] where T: float:
    """Softmax over the last axis.

    >>> softmax([[0.0, 0.0]])
    [[0.5, 0.5]]
    """
    e = exp(x - max(x, axis=-1, keepdims=true))
    return e / sum(e, axis=-1, keepdims=true)

kernel blur(x: f32[H, W]) -> f32[H - 2, W - 2] where H > 2, W > 2:
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4

kernel scaled(x, factor=WEIGHT, *, shift=0, mode="plus"):
    return x * factor + shift if mode == "plus" else x * factor - shift

kernel parts(x: T[N], y: T[N]) -> tuple[T[N], T[N]]:
    return (x + y, x - y)

kernel fill(u: f64[N], value: float):
    u[:] = value

kernel named(x: T[N]):
    return {"sum": sum(x), "double": x * 2}
'''


class Ran:
    """What a run of the command gave."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"{self.status}\n{self.out}\n{self.err}"


@pytest.fixture
def stax_command(capsys, tmp_path, monkeypatch):
    """Runs `stax` with words in a folder that holds p.stx and arrays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "p.stx").write_text(PROGRAM)
    x = np.arange(30.0).reshape(5, 6)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "x32.npy", x.astype("f4"))
    np.savez(tmp_path / "both.npz", x=x[0], y=x[1])
    np.savez(tmp_path / "one.npz", whatever=x[0])
    (tmp_path / "table.csv").write_text("day,price\n1,10.5\n2,11.5\n3,12\n")
    (tmp_path / "plain.csv").write_text("1,2,3\n4,5,6\n")

    def run(*words: str) -> Ran:
        capsys.readouterr()
        status = main(list(words))
        done = capsys.readouterr()
        assert "Traceback" not in done.out + done.err
        assert "defect" not in done.out + done.err, done.err
        return Ran(status, done.out, done.err)

    return run
