"""Measure bcsearch against its targets, and count its work.

Two tables. Times are this machine's: median and minimum over several runs, each beside its target. Work is the
program's own: guesses scanned and nodes are the same on every machine and every day, so they show whether a change of
time is a change of the program. Whole commands run as processes of their own, in an empty kernel cache that the first
of them fills.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import click

from bcsearch import build, kernels
from bcsearch.assist import reply_row
from bcsearch.build import GreedyTree, build_greedy
from bcsearch.cli.output import print_json, print_table, say
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import Game, parse_game
from bcsearch.notation import parse_code
from bcsearch.player import TreePlayer, open_tree
from bcsearch.scoring import reply_matrix
from bcsearch.store import content_hash, write_tree
from bcsearch.strategies import STRATEGIES
from bcsearch.symmetry import canonical_guesses

COMMAND = ("-m", "bcsearch")

# The same, with its peak memory (kB) as the last line on stderr. VmHWM starts afresh with the program; getrusage does
# not: it would count the memory of the process that started it.
MEASURED_COMMAND = (
    "-c",
    """
import atexit, resource, sys
def peak():
    try:
        kilobytes = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    except OSError:
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    print(kilobytes, file=sys.stderr)
atexit.register(peak)
from bcsearch.cli import main
main()
""",
)

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "MB": 1.0}
GAMES_PLAYED = 500


@dataclass(frozen=True)
class Figure:
    """One row: values measured (seconds; MB for memory) and the most that is wanted, in the same unit."""

    name: str
    unit: str
    values: list[float]
    target: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def verdict(self) -> str:
        """Met by the median, met by the best run only (the machine was busy, or it is close), or missed."""
        if self.target is None:
            return ""
        if self.median <= self.target:
            return "met"
        return "best run only" if min(self.values) <= self.target else "missed"

    def text(self, value: float | None) -> str:
        return "" if value is None else f"{value * UNITS[self.unit]:.3g} {self.unit}"

    def record(self) -> dict[str, Any]:
        unit = "MB" if self.unit == "MB" else "s"
        return {
            "name": self.name,
            "unit": unit,
            "median": self.median,
            "minimum": min(self.values),
            "runs": len(self.values),
            "target": self.target,
            "verdict": self.verdict or None,
        }


@dataclass(frozen=True)
class Work:
    """What a build did, in numbers that no machine changes."""

    game: str
    strategy: str
    scans: int
    nodes: int
    summary: str
    sha256: str

    @classmethod
    def of(cls, built: GreedyTree) -> Work:
        tree = built.tree
        summary = str(tree.summary())
        return cls(tree.game.name, built.claims.strategy, built.scans, len(tree), summary, content_hash(tree))


def timed(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def matrix_figures(game: Game, runs: int) -> Iterator[Figure]:
    for threads in (1, 2):
        values = [timed(partial(reply_matrix, game, threads)) for _ in range(runs)]
        yield Figure(f"reply matrix {game}, {threads} thread{'s' if threads > 1 else ''}", "s", values, 0.1)


def greedy_trees(game: Game, runs: int) -> Iterator[tuple[Figure, GreedyTree]]:
    """Each greedy tree on one thread, the reply matrix made before, classes of guesses found anew each time."""
    matrix = reply_matrix(game, 2)
    for strategy in STRATEGIES:
        values = []
        for _ in range(runs):
            canonical_guesses.cache_clear()
            with mock.patch.object(build, "shared_matrix", return_value=matrix), LocalExecutor(1) as executor:
                start = time.perf_counter()
                (built,) = build_greedy(game, [strategy], executor, consistent=False)
                values.append(time.perf_counter() - start)
        yield Figure(f"tree {game} {strategy}, in-process, 1 thread", "s", values, 0.15), built


def tree_use_figures(path: Path, runs: int) -> Iterator[Figure]:
    """Open a file (its game made anew each time), and play from it."""

    def open_and_look() -> str:
        parse_game.cache_clear()
        return open_tree(path).root.guess

    yield Figure("open a tree and look up the first guess", "ms", [timed(open_and_look) for _ in range(5 * runs)], 5e-3)
    player = open_tree(path)
    games = recorded_games(player)
    turns = sum(map(len, games))
    values = [timed(lambda: replay(player, games)) / turns for _ in range(5 * runs)]
    yield Figure("one turn: node.reply(...).guess", "us", values, 2e-6)


def recorded_games(player: TreePlayer) -> list[list[tuple[int, int]]]:
    """The replies of some games, so that replaying them times the look-ups alone."""
    game, games = player.game, []
    for secret in random.Random(0).sample(range(len(game.secrets)), GAMES_PLAYED):
        node, replies = player.root, []
        while not node.won:
            goal = game.secret_of_guess[[secret]]
            replies.append(game.replies[int(reply_row(game, parse_code(game, node.guess), goal)[0])])
            node = node.reply(replies[-1])
        games.append(replies)
    return games


def replay(player: TreePlayer, games: list[list[tuple[int, int]]]) -> None:
    for replies in games:
        node = player.root
        for reply in replies:
            node = node.reply(reply)
            _ = node.guess


def run_command(arguments: list[str], folder: Path, program: tuple[str, ...] = COMMAND) -> tuple[float, str]:
    """Run one bcsearch command as a process, its kernel cache below `folder`: (seconds, what it said on stderr)."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "RAY_ADDRESS")}
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *program, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise click.ClickException(f"bcsearch {' '.join(arguments)} failed: {done.stderr.strip()}")
    return seconds, done.stderr


def command_figures(folder: Path, runs: int) -> Iterator[Figure]:
    arguments = ["build-tree", "--strategy", "entropy", "--out", str(folder / "whole.tree")]
    seconds, said = run_command(arguments, folder)
    told = "says so" if "compiling" in said else "SAYS NOTHING"
    yield Figure(f"build-tree --strategy entropy, first ever (compiles; {told})", "s", [seconds], 40)
    values = [run_command(arguments, folder)[0] for _ in range(runs)]
    yield Figure("build-tree --strategy entropy, whole command, later runs", "s", values, 2.5)
    yield Figure("--help", "s", [run_command(["--help"], folder)[0] for _ in range(runs)], 0.3)


def large_figures(folder: Path, runs: int) -> Iterator[Figure]:
    for threads in (1, 2):
        arguments = ["build-tree", "--game", "p5c8r", "--strategy", "entropy", "--executor", "local",
                     "--workers", str(threads), "--out", str(folder / "large.tree")]  # fmt: skip
        measured = [run_command(arguments, folder, MEASURED_COMMAND) for _ in range(runs)]
        suffix = f"{threads} thread{'s' if threads > 1 else ''}"
        yield Figure(f"build-tree p5c8r entropy, whole command, {suffix}", "s", [m[0] for m in measured], 15)
        peaks = [int(said.split()[-1]) * 1024 / 1e6 for _, said in measured]
        yield Figure(f"build-tree p5c8r entropy, peak memory, {suffix}", "MB", peaks, 2000)
    arguments = ["build-tree", "--executor", "ray", "--out-dir", str(folder)]
    for strategy in ("minimax", "entropy", "expected-size"):
        arguments += ["--strategy", strategy]
    yield Figure("three greedy p4c10n trees on a local Ray started for it", "s", [run_command(arguments, folder)[0]])


def measure(large: bool, runs: int) -> tuple[list[Figure], list[Work]]:
    game, figures, work = parse_game("p4c10n"), [], []

    def note(figure: Figure) -> None:
        say(f"{figure.text(figure.median):>10}  {figure.name}")
        figures.append(figure)

    kernels.ready(say)
    with tempfile.TemporaryDirectory(prefix="bcsearch-bench-") as name:
        folder = Path(name)
        for figure in matrix_figures(game, runs):
            note(figure)
        for figure, built in greedy_trees(game, runs):
            note(figure)
            work.append(Work.of(built))
            write_tree(folder / f"{built.claims.strategy}.tree", built.tree, built.claims)
        for figure in tree_use_figures(folder / "entropy.tree", runs):
            note(figure)
        for figure in command_figures(folder, runs):
            note(figure)
        if large:
            for figure in large_figures(folder, max(1, runs // 3)):
                note(figure)
            work.append(large_work())
    return figures, work


def large_work() -> Work:
    with LocalExecutor(available_cpus()) as executor:
        (built,) = build_greedy(parse_game("p5c8r"), ["entropy"], executor, consistent=False)
    return Work.of(built)


def print_tables(figures: list[Figure], work: list[Work]) -> None:
    columns = [("time", "left"), ("median", "right"), ("minimum", "right"), ("runs", "right"), ("target", "right"),
               ("", "left")]  # fmt: skip
    rows = [
        [f.name, f.text(f.median), f.text(min(f.values)), str(len(f.values)), f.text(f.target), f.verdict]
        for f in figures
    ]
    print_table(columns, rows)
    click.echo()
    columns = [("work", "left"), ("guesses scanned", "right"), ("nodes", "right"), ("T:D:W", "right"),
               ("sha256", "left")]  # fmt: skip
    print_table(
        columns, [[f"{w.game} {w.strategy}", str(w.scans), str(w.nodes), w.summary, w.sha256[:12]] for w in work]
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--large", is_flag=True, help="Also the entropy tree of p5c8r (time, memory), and trees on Ray.")
@click.option("--runs", type=click.IntRange(1), default=7, show_default=True, help="Runs per figure.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
def main(large: bool, runs: int, as_json: bool) -> None:
    """Measure bcsearch on this machine against its targets; medians of several runs.

    Work (guesses scanned, nodes, sha256) is the same on every machine: compare it first.
    """
    figures, work = measure(large, runs)
    if not as_json:
        print_tables(figures, work)
        return
    machine = {
        "processor": platform.processor() or platform.machine(),
        "processors": available_cpus(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }
    print_json({"machine": machine, "figures": [f.record() for f in figures], "work": [vars(w) for w in work]})


if __name__ == "__main__":
    main()
