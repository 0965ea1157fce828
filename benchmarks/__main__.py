"""`python -m benchmarks`: each peer in a process of its own, rounds interleaved, medians, ratios."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks import cold, compiling, corpus, parsing, report
from benchmarks.machine import describe
from benchmarks.peers import PEERS, Peer, with_memory_kept
from benchmarks.workloads import FUNCTION_SIZES, FUNCTIONS, SIZES, SWEPT, WORKLOADS, Workload, function, swept

RULER = swept("axpb", 1 << 24)
"""`x * 2 + w` of 16M f32 by this project, with every round of every row: bytes are counted at the speed that it has beside them."""


class Process:
    """A peer's worker and its pipe."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")} | peer.environment
        self.child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", peer.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(self, do: str, *arguments: str) -> dict:
        assert self.child.stdin and self.child.stdout
        self.child.stdin.write(json.dumps({"do": do, "arguments": arguments}) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def close(self) -> None:
        self.child.kill()
        self.child.wait()


def measure(workload: Workload, processes: list[Process], rounds: int, ruler: Process | None = None) -> dict[str, dict]:
    """Peer -> seconds (median of interleaved rounds), first call, and what went wrong; "ruler" -> seconds of RULER in these rounds."""
    ready: dict[str, dict] = {}
    taking = []
    for process in processes:
        answer = process.ask("prepare", workload.name)
        if "absent" in answer:
            continue
        ready[process.peer.name] = answer
        if "error" not in answer:
            answer["sums"] = process.ask("check").get("sums")
            taking.append((process.peer.name, process))
    if ruler is not None and workload.bytes > 1 << 22:
        ready["ruler"] = {}
        taking.append(("ruler", ruler))
    times: dict[str, list[float]] = {name: [] for name, _ in taking}
    for _ in range(rounds):
        for name, process in taking:
            answer = process.ask("round")
            time.sleep(process.peer.spin)
            if "seconds" in answer:
                times[name].append(answer["seconds"])
    for name, values in times.items():
        if values:
            ready[name]["seconds"] = statistics.median(values)
    return ready


def differs(results: dict[str, dict]) -> list[str]:
    """Peers whose result is not that of this project (loosely: sums of float32)."""
    mine = results.get("stax", {}).get("sums")
    if not mine:
        return []
    far = lambda a, b: not math.isclose(a, b, rel_tol=2e-3, abs_tol=1e-2 * max(1.0, abs(b)))
    return [name for name, r in results.items() if r.get("sums") and any(far(a, b) for a, b in zip(r["sums"], mine))]


def compared(title: str, workloads: list[Workload], peers: list[Peer], rounds: int) -> str:
    processes = [Process(p) for p in peers]
    ruler = Process(next(p for p in peers if p.name == "stax"))
    for process in processes:  # an answer means that it has loaded its peer: what still loads takes the others' time
        process.ask("prepare", workloads[0].name)
    ruler.ask("prepare", RULER.name)
    names = [p.name for p in peers]
    rows, speeds = [], []
    for workload in workloads:
        results = measure(workload, processes, rounds, ruler)
        bandwidth = RULER.bytes / results.pop("ruler")["seconds"] if "ruler" in results else None
        times = {n: results[n]["seconds"] for n in results if "seconds" in results[n]}
        mine = times.get("stax")
        others = {n: t for n, t in times.items() if n != "stax"}
        best = min(others, key=lambda n: others[n]) if others else None
        cells = [report.seconds(times.get(n)) or ("failed" if "error" in results.get(n, {}) else "") for n in names]
        bytes_ratio = mine * bandwidth / workload.bytes if mine and bandwidth else None
        speeds += [bandwidth] if bandwidth else []
        rows.append(
            [workload.name, *cells, best or "", report.ratio(mine / others[best]) if mine and best else "", report.ratio(bytes_ratio)]
        )
        _tell(workload, times, results)
    for process in (*processes, ruler):
        process.close()
    head = ["workload", *names, "best peer", "stax / best", "x of the bytes"]
    between = f", {min(speeds) / 1e9:.1f} to {max(speeds) / 1e9:.1f} GB/s" if speeds else ""
    text = f"Bytes are counted at the speed of this project's `x * 2 + w` of 16M f32 in the same rounds{between}."
    return f"### {title}\n\n{text}\n\n{report.table(head, rows)}\n"


def _tell(workload: Workload, times: dict[str, float], results: dict[str, dict]) -> None:
    print(f"  {workload.name}: {', '.join(f'{n} {report.seconds(t)}' for n, t in times.items())}", file=sys.stderr)
    for name, result in results.items():
        if "error" in result:
            print(f"    {name}: {result['error']}", file=sys.stderr)
    if wrong := differs(results):
        print(f"    results differ: {', '.join(wrong)}", file=sys.stderr)


def sizes(peers: list[Peer], rounds: int) -> str:
    shares = _shares([(program, [swept(program, n) for n in SIZES]) for program in SWEPT], peers, rounds)
    return f"### Time as a share of NumPy's, by number of elements\n\n{report.table(['program', *(f'{n:,}' for n in SIZES)], shares)}\n"


def functions(peers: list[Peer], rounds: int) -> str:
    shares = _shares([(program, [function(program, n) for n in FUNCTION_SIZES]) for program in FUNCTIONS], peers, rounds)
    head = ["function", *(f"{n:,}" for n in FUNCTION_SIZES)]
    return f"### Functions of NumPy's: time as a share of its own, by number of elements\n\n{report.table(head, shares)}\n"


def _shares(rows: list[tuple[str, list[Workload]]], peers: list[Peer], rounds: int) -> list[list[str]]:
    processes = [Process(p) for p in peers if p.name in ("stax", "numpy")]
    table = []
    for name, workloads in rows:
        table.append([name, *(_share(workload, processes, rounds) for workload in workloads)])
        print("  ", table[-1], file=sys.stderr)
    for process in processes:
        process.close()
    return table


def _share(workload: Workload, processes: list[Process], rounds: int) -> str:
    results = measure(workload, processes, rounds)
    mine, numpy = (results.get(k, {}).get("seconds") for k in ("stax", "numpy"))
    return report.ratio(mine / numpy) if mine and numpy else "failed"


CALL = """
import timeit, numpy as np, staxlang as stax
a, b = np.ones(64, np.float32), np.ones(64, np.float32)
f = stax.kernel(lambda x, w: x + w)
f(a, b); f(a, b)
pick = lambda g: min(timeit.repeat(g, number=200000, repeat=9)) / 200000
pairs = [(pick(lambda: f(a, b)), pick(lambda: np.add(a, b))) for _ in range(3)]
empty = pick(lambda: None)
print(min(p[0] for p in pairs) - empty, min(p[1] for p in pairs) - empty)
"""


def calls() -> str:
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "calls.py")  # a kernel's source is read from its file
        with open(script, "w") as file:
            file.write(CALL)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    if done.returncode:
        return f"### Calls\n\nfailed: {done.stderr.strip().splitlines()[-1]}\n"
    mine, numpy = map(float, done.stdout.split())
    rows = [[report.seconds(mine), report.seconds(numpy), report.ratio(mine / numpy)]]
    return f"### A call with two arrays of 64 f32\n\n{report.table(['kernel', 'np.add', 'ratio'], rows)}\n"


def starts(peers: list[Peer], rounds: int) -> str:
    rows = []
    for peer in peers:
        if peer.name in cold.STARTS:
            try:
                r = cold.measure(peer.name, min(rounds, 3) if peer.name == "torch.compile" else rounds)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                rows.append([peer.name, "failed", str(error).strip().splitlines()[-1][:60], "", ""])
                continue
            rows.append([peer.name, *(report.seconds(v) for v in (r["import"], r["cold"], r["import"] + r["cold"], r["warm"]))])
            print("  ", rows[-1], file=sys.stderr)
    head = ["peer", "import", "first call", "import + first call", "first call, cache on disk"]
    return f"### Fresh processes: relu(x + w) * 2 summed over rows, f32 [64, 128]\n\n{report.table(head, rows)}\n"


def compiled(rounds: int) -> str:
    r = compiling.measure(rounds)
    cells = [report.seconds(r[name]) for name in ("import", "first", "next", "most", "stages", "symbolic")]
    head = ["import", "first kernel", "a next one (median of six)", "the longest", "before LLVM: relu_sum", "column sum, any size"]
    return f"### CPU time of compilations in one process, nothing on disk\n\n{report.table(head, [cells])}\n"


def parsed() -> str:
    r = parsing.measure(5)
    cells = [report.seconds(r[name]) for name in ("import", "cold", "edit", "lines", "placed")]
    head = ["import of the parser", "first read", "after an edit", "after an edit that adds lines", "the same, with all Trees placed"]
    return f"### A .stx file of {parsing.LINES} lines, in fresh processes\n\n{report.table(head, [cells])}\n"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="comma-separated parts of workload names")
    parser.add_argument("--peers", default="", help="comma-separated peers (default: all that are installed)")
    parser.add_argument("--rounds", type=int, default=11, help="interleaved rounds, of which the median counts")
    parser.add_argument("--parts", default="calls,starts,compiling,parsing,sizes,functions,plain,kept", help="which tables")
    parser.add_argument("--output", default="", help="write the report to this file as well")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    wanted = [p for p in options.peers.split(",") if p]
    peers = [p for p in PEERS if p.present and (not wanted or p.name in wanted or p.name == "stax")]
    chosen = [w for w in WORKLOADS if not options.only or any(part in w.name for part in options.only.split(","))]
    command = "python -m benchmarks " + " ".join(sys.argv[1:])
    parts = [f"`{command.strip()}` on {describe()}\n"]
    for part in options.parts.split(","):
        print(f"{part} ...", file=sys.stderr)
        match part:
            case "calls":
                parts.append(calls())
            case "starts":
                parts.append(starts(peers, 5))
            case "compiling":
                parts.append(compiled(5))
            case "functions":
                parts.append(functions(peers, options.rounds))
            case "sizes":
                parts.append(sizes(peers, options.rounds))
            case "plain":
                parts.append(compared("As they come", chosen, peers, options.rounds))
            case "kept":
                kept = [p if p.name == "stax" else with_memory_kept(p) for p in peers]
                large = [w for w in chosen if w.bytes > 1 << 22]
                parts.append(compared("The peers' malloc keeping its memory", large, kept, options.rounds))
            case "parsing":
                parts.append(parsed())
            case "programs":
                parts.append(corpus.programs(options.only, options.rounds))
            case _:
                raise SystemExit(f"no such part: {part}")
    text = "\n".join(parts)
    print(text)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
