"""What more workers would give: the item times of a finished run, handed out to simulated workers.

    scripts/reproduce scaling RUN_DIR [--driver MS] [--task S] [--vain]

Searches that follow one another wait for the last item of the one before; that of the depth is worked on beside the
total and waits for nothing. Within a search, items are handed out in the order in which they were finished, to whoever
is free. The driver needs a fixed time for each task, one after the other; short items travel together.

More workers also try more in vain, because the limits that they travel with are older. With `--vain` that is measured:
the run's own search is repeated here with as many threads, which takes its time, and every item is taken to last longer
by the ratio of the scans. Processors are not needed for that: it is the number of items under way that counts. For more
than `_MOST_THREADS` workers the ratio of those is taken, which is too good: each thread needs memory of its own.
"""

from __future__ import annotations

import argparse
import heapq
from pathlib import Path
from typing import Any

from bcsearch.executors import LocalExecutor
from bcsearch.game import game_of
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.run import _TASK_SECONDS
from bcsearch.runs import journal
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import read_manifest

WORKERS = (1, 2, 4, 16, 64, 256)
_MOST_THREADS = 64
_DEPTH = "lost-"  # the search that is worked on beside the total


def scaling(arguments: list[str]) -> bool:
    """Print a table; True."""
    parser = argparse.ArgumentParser(prog="scripts/reproduce scaling")
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--driver", type=float, default=2.0, help="milliseconds of the driver for each task")
    parser.add_argument("--task", type=float, default=_TASK_SECONDS, help="seconds of short items that travel together")
    parser.add_argument("--vain", action="store_true", help="measure what more workers scan in vain")
    options = parser.parse_args(arguments)
    manifest, seal = read_manifest(options.run_dir)
    records, _, _ = read_journal(options.run_dir / journal.NAME, seal)
    searches = _searches([(r["key"], float(r["seconds"])) for r in of_kind(records, "answer", "piece")])
    work = sum(map(sum, searches))
    longest = sum(max(search) for search in searches)
    print(f"{options.run_dir}: {sum(map(len, searches))} items, {work:.1f} s of work; the longest items of all "
          f"searches, which no number of workers shortens: {longest:.1f} s")  # fmt: skip
    print("workers   scans in vain   seconds   speed-up   efficiency")
    one = scans = 0
    for workers in WORKERS:
        vain = 1.0
        if options.vain:
            scans = _scans(manifest, workers) if workers <= _MOST_THREADS else scans
            one = one or scans
            vain = scans / one
        searched = [[vain * seconds for seconds in search] for search in searches]
        seconds = sum(_makespan(_tasks(search, options.task), workers, options.driver / 1000) for search in searched)
        print(f"{workers:7}   {vain - 1:13.0%}   {seconds:7.1f}   {work / seconds:8.1f}   "
              f"{work / seconds / workers:9.0%}", flush=True)  # fmt: skip
    return True


def _searches(items: list[tuple[str, float]]) -> list[list[float]]:
    """Seconds of the items that may be at work together."""
    searches: dict[str, list[float]] = {}
    last = ""
    for key, seconds in items:
        name = key.split("/")[0]
        if name.startswith(_DEPTH):
            name = last
        elif not name.startswith("tree-"):
            last = name
        searches.setdefault(name, []).append(seconds)
    return list(searches.values())


def _scans(manifest: dict[str, Any], workers: int) -> int:
    """Scans of the run's search with so many threads, from the beginning."""
    with LocalExecutor(workers) as executor:
        return solve_game(game_of(manifest["game"]), Objective(**manifest["objective"]), executor).scans


def _tasks(items: list[float], most: float) -> list[float]:
    """Join neighbours while they are short."""
    tasks: list[float] = []
    for seconds in items:
        if tasks and tasks[-1] + seconds <= most:
            tasks[-1] += seconds
        else:
            tasks.append(seconds)
    return tasks


def _makespan(tasks: list[float], workers: int, driver: float) -> float:
    """Seconds until the last task is done; the driver hands out one after the other."""
    free = [0.0] * workers
    handed = 0.0
    end = 0.0
    for seconds in tasks:
        at = heapq.heappop(free)
        handed = max(handed + driver, at)
        heapq.heappush(free, handed + seconds)
        end = max(end, handed + seconds)
    return end
