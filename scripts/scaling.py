"""What more workers would give: the item times of a finished run, handed out to simulated workers.

    scripts/reproduce scaling RUN_DIR [--driver MS] [--task S]

The searches of a run follow one another, so that each waits for the last item of the one before. Within a search, items
are handed out in the order in which they were finished, to whoever is free. The driver needs a fixed time for each
task, one after the other; short items travel together, up to a quarter of a second in one task.

What is left out: that more workers try more in vain (their limits are older), and that fewer items are known at the
beginning. Both make the real figures worse than these, the first by 10 to 25 % for two workers.
"""

from __future__ import annotations

import argparse
import heapq
from itertools import groupby
from pathlib import Path

from bcsearch.runs import journal
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import read_manifest

WORKERS = (1, 2, 4, 16, 64, 256)


def scaling(arguments: list[str]) -> bool:
    """Print a table; True."""
    parser = argparse.ArgumentParser(prog="scripts/reproduce scaling")
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--driver", type=float, default=2.0, help="milliseconds of the driver for each task")
    parser.add_argument("--task", type=float, default=0.25, help="seconds of short items that travel together")
    options = parser.parse_args(arguments)
    _, seal = read_manifest(options.run_dir)
    records, _, _ = read_journal(options.run_dir / journal.NAME, seal)
    items = [(r["key"].split("/")[0], float(r["seconds"])) for r in of_kind(records, "answer", "piece")]
    searches = [[seconds for _, seconds in group] for _, group in groupby(items, key=lambda item: item[0])]
    work = sum(map(sum, searches))
    longest = sum(max(search) for search in searches)
    print(f"{options.run_dir}: {len(items)} items, {work:.1f} s of work; the longest items of all searches, which no "
          f"number of workers shortens: {longest:.1f} s")  # fmt: skip
    print("workers   seconds   speed-up   efficiency")
    for workers in WORKERS:
        seconds = sum(_makespan(_tasks(search, options.task), workers, options.driver / 1000) for search in searches)
        print(f"{workers:7}   {seconds:7.1f}   {work / seconds:8.1f}   {work / seconds / workers:9.0%}")
    return True


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
