"""Entropy trees of large games: one worker against two, threads against Ray, side by side, each file verified.

    scripts/reproduce large [GAME ...]

Each build is a process of its own with kernels compiled before; `seconds` is what it says of building, without the
start of Ray. Memory is the most that any one process of the build had, and only said of threads: on Ray it is spread
over processes that share the matrix. p6c10n takes minutes each time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GAMES = ("p5c10n", "p5c8r", "p6c6r", "p6c10n")


def large(games: list[str]) -> bool:
    """Print a row for each build; False where a file differs from the first one of its game, or is not valid."""
    good = True
    print("game     executor   workers   seconds   whole process   memory   tree")
    with tempfile.TemporaryDirectory() as folder:
        for game in games or GAMES:
            seen = set()
            for kind in ("local", "ray"):
                for workers in (1, 2):
                    path = Path(folder) / f"{game}.tree"
                    wall, kilobytes, record = _build(game, kind, workers, path)
                    seen.add(record["sha256"])
                    memory = f"{kilobytes / 1000:.0f} MB" if kind == "local" else "-"
                    tree = f"{record['total']}:{record['depth']}:{record['worst']}"
                    print(f"{game:7}  {kind:8}   {workers:7}   {record['seconds']:7.1f}   {wall:13.1f}   {memory:>6}   "
                          f"{tree}", flush=True)  # fmt: skip
            start = time.perf_counter()
            checked = subprocess.run([sys.executable, "-m", "bcsearch", "verify", str(path)], capture_output=True)
            good &= checked.returncode == 0 and len(seen) == 1
            same = "the same file each time" if len(seen) == 1 else "the files DIFFER"
            verdict = "valid" if checked.returncode == 0 else "NOT VALID"
            print(f"{game}: {same}; {verdict}, verified in {time.perf_counter() - start:.1f} s", flush=True)
    return good


def _build(game: str, kind: str, workers: int, path: Path) -> tuple[float, int, dict[str, object]]:
    """Seconds of the whole process, its most memory in kB, and its record of the tree."""
    command = [sys.executable, "-m", "bcsearch", "build-tree", "--game", game, "--strategy", "entropy",
               "--executor", kind, "--workers", str(workers), "--out", str(path), "--json"]  # fmt: skip
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss, json.loads(said)["trees"][0]
