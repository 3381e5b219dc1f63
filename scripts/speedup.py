"""One worker against two, threads against Ray, side by side: the proof of p4c10n, started when the workers are up.

    scripts/reproduce speedup [GAME]

Each process takes part once before the clock starts (Ray's workers import the package and load compiled kernels). The
cache of sets that a process keeps is emptied by using a new process for each measurement.
"""

from __future__ import annotations

import subprocess
import sys

_ONE = """
import sys, time
from bcsearch import kernels
kernels.ready()
from bcsearch.executors import LocalExecutor
from bcsearch.ray_executor import RayExecutor
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.task import prepare
kind, workers, game = sys.argv[1], int(sys.argv[2]), parse_game(sys.argv[3])

def busy():
    prepare(game)
    time.sleep(1)

with (LocalExecutor(workers) if kind == "local" else RayExecutor(None, workers)) as executor:
    for number in range(workers):
        executor.submit(str(number), busy)
    busy()
    list(executor.results())
    start = time.monotonic()
    result = solve_game(game, Objective(), executor)
    print(time.monotonic() - start, result.scans, result.items, result.value, result.exact)
"""


def speedup(arguments: list[str]) -> bool:
    """Print seconds and scans; False where a value differs."""
    game = arguments[0] if arguments else "p4c10n"
    print("executor   workers   seconds      scans   items   times one worker")
    values = set()
    for kind in ("local", "ray"):
        first = 0.0
        for workers in (1, 2):
            command = [sys.executable, "-c", _ONE, kind, str(workers), game]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, scans, items, value, exact = done.stdout.split()
            first = first or float(seconds)
            values.add((value, exact))
            print(f"{kind:8}   {workers:7}   {float(seconds):7.1f}   {int(scans):8,}   {items:>5}   "
                  f"{first / float(seconds):16.2f}", flush=True)  # fmt: skip
    return len(values) == 1
