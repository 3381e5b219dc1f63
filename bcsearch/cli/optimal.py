"""The optimal tree of ``build-tree``: its options, its progress lines, its tree file."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bcsearch.cli.params import AtLeast
from bcsearch.errors import IncompleteRun
from bcsearch.optimal.options import OBJECTIVES

if TYPE_CHECKING:
    from bcsearch.executors import Executor
    from bcsearch.optimal.objectives import Result
    from bcsearch.optimal.options import Objective
    from bcsearch.optimal.session import Progress
    from bcsearch.runs.directory import RunDirectory
    from bcsearch.runs.manifest import Job
    from bcsearch.signals import Stop

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_LINE_SECONDS = 5.0


class Seconds(click.ParamType[float]):
    """A positive number of seconds."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number."""
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r}: a number of seconds is wanted", param, ctx)
        if not 0 < number < 1e9:
            self.fail(f"{value}: more than 0 seconds are wanted", param, ctx)
        return number


_OPTIONS = (
    click.option("--objective", type=click.Choice(OBJECTIVES), default="average", show_default=True,
                 help="What the optimal tree minimises: the average; the worst case; how many secrets need the worst "
                 "case; or it maximises the secrets found within K guesses."),
    click.option("--within", type=AtLeast(1), metavar="K", help="K of --objective win-within."),
    click.option("--max-depth", type=AtLeast(1), metavar="D", help="Optimal: only trees of at most D guesses."),
    click.option("--width", type=AtLeast(1), metavar="N",
                 help="Optimal: try only the N most promising guesses per node; quick, and an upper bound only."),
    click.option("--time-limit", type=Seconds(), metavar="S",
                 help="Optimal: stop after S seconds with the best tree so far and its gap. Ctrl-C does the same."),
)  # fmt: skip


def optimal_options(function: Decorated) -> Decorated:
    """Add the options of the optimal strategy to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def build_optimal(
    job: Job,
    executor: Executor,
    time_limit: float | None,
    stop: Stop,
    run: RunDirectory | None,
    memory: int | None = None,
) -> dict[str, Any]:
    """Search, write the tree file, and describe it.

    Raises
    ------
    IncompleteRun
        After writing the best tree, when work items could not be carried out and the proof needs them.
    """
    from bcsearch.cli.output import say
    from bcsearch.optimal.objectives import TIE_RULE, solve_game
    from bcsearch.report import tree_record
    from bcsearch.store import Claims, StoredTree, write_tree

    objective, path = job.objective, job.files["optimal"]
    result = solve_game(
        job.game, objective, executor, time_limit=time_limit, report=_progress_lines(say), stop=stop, ledger=run,
        memory=memory,
    )  # fmt: skip
    claims = Claims("optimal", objective.pool, TIE_RULE, "exact" if result.exact else "upper", result.lower_bound,
                    described(objective, result))  # fmt: skip
    sha256 = write_tree(path, result.tree, claims)
    say(verdict(objective, result))
    if result.failed and not result.exact and not stop:
        key, reason = next(iter(result.failed.items()))
        raise IncompleteRun(f"the proof misses {len(result.failed)} work items ({path} has the best tree); the first, "
                            f"{key}: {reason}")  # fmt: skip
    stored = StoredTree(result.tree, claims, result.tree.summary(), sha256, path)
    record = tree_record(stored, executor=executor.name, seconds=round(result.seconds, 3))
    record["objective"] = claims.objective
    record["work"] = {"nodes": result.nodes, "scans": result.scans, "guesses": result.tried, "items": result.items,
                      "kept": result.kept}  # fmt: skip
    return record


def described(objective: Objective, result: Result) -> dict[str, Any]:
    """The objective as it goes into the tree file."""
    entries = {"objective": objective.name, "width": objective.width, **result.facts}
    return {key: value for key, value in entries.items() if value is not None}


def verdict(objective: Objective, result: Result) -> str:
    """One line: proven, or how far from it."""
    from bcsearch.plurals import counted

    within = counted(objective.within or 0, "guess")
    noun = {"average": "total", "worst-case": "depth", "fewest-at-worst": "secrets at the worst",
            "win-within": f"secrets found within {within}"}[objective.name]  # fmt: skip
    if result.exact:
        return f"optimal: {noun} {result.value}, proven"
    gap = abs(result.value - result.bound)
    side = "at most" if objective.name == "win-within" else "at least"
    how = f"width {objective.width}: upper bound" if objective.width is not None else "stopped early: upper bound"
    if objective.name == "win-within":
        how = how.replace("upper", "lower")
    left = f"gap {gap}" if gap else "gap 0, the conditions after it not proven"
    return f"optimal ({how}): {noun} {result.value}, proven {side} {result.bound}, {left}"


def _progress_lines(say: Callable[[str], None]) -> Callable[[Progress], None]:
    last = time.monotonic()
    scans = 0

    def tell(progress: Progress) -> None:
        nonlocal last, scans
        now = time.monotonic()
        if now - last < _LINE_SECONDS:
            return
        rate = (progress.scans - scans) / (now - last)
        last, scans = now, progress.scans
        best = "none yet" if progress.best is None else str(progress.best)
        say(f"{progress.seconds:.0f} s, {progress.stage}: best {best}, proven {progress.bound}, subproblems done "
            f"{progress.done}, open at the top {progress.left}, {rate:,.0f} scans/s")  # fmt: skip

    return tell
