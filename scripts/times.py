"""Measures the times of bcsearch that docs/results.md sets beside those of other programs: writes times.txt.

    scripts/reproduce times [--anyway]

Whole commands, each a process of its own with kernels compiled before; the median of `RUNS`. On a machine that is busy
with other things nothing is measured, unless --anyway is given. `scripts/reproduce tables` then makes the table.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILE = Path(__file__).parent / "times.txt"
RUNS = 3
IDLE = 0.5  # load average, at most, of a machine that does nothing else
THREADS = {"1": "one thread", "2": "two threads"}
JOBS = {
    "p4c10n greedy": ("--game", "p4c10n", "--strategy", "entropy"),
    "p4c10n optimal": ("--game", "p4c10n", "--strategy", "optimal"),
    "p4c7r optimal": ("--game", "p4c7r", "--strategy", "optimal"),
    "p5c8r greedy": ("--game", "p5c8r", "--strategy", "entropy"),
}


def times(arguments: list[str]) -> bool:
    """Measure all and write the file; False on a busy machine."""
    load = os.getloadavg()[0]
    if load > IDLE and "--anyway" not in arguments:
        print(f"the load of this machine is {load:.2f}: nothing measured (at most {IDLE}, or --anyway)")
        return False
    lines = ["# Written by scripts/reproduce times: seconds.  job threads whole-process building"]
    for job, options in JOBS.items():
        for threads in THREADS:
            whole, building = measure(options, threads)
            lines.append(f"{job} {threads} {whole:.2f} {building:.2f}")
            print(lines[-1], flush=True)
    FILE.write_text("\n".join(lines) + "\n")
    return True


def measure(options: tuple[str, ...], threads: str) -> tuple[float, float]:
    """Median seconds of the whole process, and of what it says was building."""
    whole, building = [], []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bcsearch", "build-tree", *options, "--executor", "local",
                   "--workers", threads, "--out", f"{folder}/a.tree", "--json"]  # fmt: skip
        for _ in range(RUNS):
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            whole.append(time.perf_counter() - start)
            building.append(json.loads(done.stdout)["trees"][0]["seconds"])
    return statistics.median(whole), statistics.median(building)


def recorded() -> dict[tuple[str, str], tuple[float, float]]:
    """(job, threads): (whole process, building), in seconds, as last measured."""
    rows = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return {(f"{game} {kind}", threads): (float(whole), float(built)) for game, kind, threads, whole, built in rows}
