"""Carrying out a job, begun by ``build-tree`` or continued by ``resume``: trees to files, a table to stdout."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bcsearch.cli.optimal import build_optimal
from bcsearch.errors import BcsearchError, IncompleteRun, Interrupted, RunError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bcsearch.build import GreedyTree
    from bcsearch.executors import Executor
    from bcsearch.game import Game
    from bcsearch.runs.directory import RunDirectory
    from bcsearch.runs.manifest import Job
    from bcsearch.signals import Stop
    from bcsearch.sizes import Estimate

_PROOF_SECONDS = 1.4e-11  # per (guess x secret / replies) squared: what searches for optimal trees took, roughly
_MUCH = 1 << 28  # bytes; less is not worth a line
DURABLE_SECONDS = 120.0  # jobs that are estimated to take longer get a run directory by default


@dataclass
class How:
    """Where a job is carried out, as the user said it."""

    kind: str = "auto"
    address: str | None = None
    workers: int | None = None
    time_limit: float | None = None
    batch: bool = False
    memory: int | None = None

    def recorded(self) -> dict[str, Any]:
        """What a later session does the same, if nothing else is said."""
        return {"executor": self.kind, "address": self.address, "workers": self.workers, "batch": self.batch,
                "memory": self.memory}  # fmt: skip


@dataclass
class _Outcome:
    records: list[dict[str, Any]] = field(default_factory=list)
    failures: list[BcsearchError] = field(default_factory=list)


def carry_out(job: Job, how: How, run: RunDirectory | None, as_json: bool) -> None:
    """Build all trees of a job, write and print them. With a run directory every finished item is kept there.

    Raises
    ------
    Interrupted
        After a signal, when everything finished is kept and what could be written is.
    BcsearchError
        When a tree could not be made; the others are written.
    """
    from bcsearch import kernels
    from bcsearch.cli.output import print_json, say
    from bcsearch.executors import make_executor
    from bcsearch.signals import Stop, end_on_signals, stop_on_signals

    outcome = _Outcome()
    room = estimated_memory(job, how).room
    stop = Stop()
    ended = "failed"
    try:
        kernels.ready(say)
        seconds = estimated_seconds(job, how)
        preparing = _prepare(job)  # while Ray starts
        try:
            with end_on_signals(stop, lambda: _give_up(run, stop)):
                opened = make_executor(how.kind, how.address, how.workers, seconds, batch=how.batch, say=say)
        except (KeyboardInterrupt, SystemExit) as error:  # Ray has a handler of its own, which exits
            ended = "stopped"
            raise Interrupted(_how_to_go_on(run), stop.signal or signal.SIGTERM) from error
        with opened as executor, stop_on_signals(stop):
            preparing.join()
            _greedy_trees(job, executor, run, stop, outcome, room)
            if "optimal" in job.strategies and not stop:
                try:
                    record = build_optimal(job, executor, how.time_limit, stop, run, room)
                    outcome.records.append(record)
                except Interrupted:
                    pass  # before there was any tree
                except BcsearchError as error:
                    outcome.failures.append(error)  # said after the trees that there are
            if stop.signal:
                ended = "stopped"
                raise Interrupted(_how_to_go_on(run), stop.signal)
        if run is not None and not run.is_there:
            say(f"{run.path}: was moved or deleted meanwhile; what was finished since is not kept there")
        ended = "incomplete" if outcome.failures else "stopped" if stop else "complete"
    finally:
        if run is not None:
            run.close(ended)
        if outcome.records or (not outcome.failures and ended == "complete"):
            if as_json:
                print_json({"trees": outcome.records})
            else:
                print_records(outcome.records)
            for record in outcome.records:
                say(f"wrote {record['file']}")
    if run is not None and ended == "stopped":
        say(f"time is up; `bcsearch resume {run.path}` goes on")
    for failure in outcome.failures[1:]:
        say(f"bcsearch: {failure}")
    if outcome.failures:
        raise _incomplete(outcome.failures[0], run)


def _prepare(job: Job) -> threading.Thread:
    """Load this process's own code and tables for a proof, where there is one."""

    def load() -> None:
        if "optimal" in job.strategies:
            from bcsearch.optimal.task import prepare

            prepare(job.game)

    thread = threading.Thread(target=load)
    thread.start()
    return thread


def check_memory(job: Job, how: How, say: Callable[[str], None]) -> None:
    """Say what memory the work takes, where that is much; raise UsageError, with the numbers, where it cannot fit."""
    needed = estimated_memory(job, how)
    needed.check(how.memory)
    if needed.total > _MUCH:
        say(f"memory: {needed}")


def estimated_memory(job: Job, how: How) -> Estimate:
    """Memory of a job on this machine."""
    from bcsearch.executors import available_cpus
    from bcsearch.sizes import estimate

    greedy = sum(name != "optimal" for name in job.strategies)
    optimal = "optimal" in job.strategies
    return estimate(job.game, greedy, optimal, how.workers or available_cpus(), how.memory)


def _greedy_trees(
    job: Job, executor: Executor, run: RunDirectory | None, stop: Stop, outcome: _Outcome, memory: int | None
) -> None:
    from bcsearch import build
    from bcsearch.cli.output import progress_bars

    names = tuple(name for name in job.strategies if name != "optimal")
    if not names:
        return
    with progress_bars(names, len(job.game.secrets)) as progress:
        trees = build.build_greedy(
            job.game, names, executor, consistent=job.objective.consistent, hard=job.objective.hard, progress=progress,
            ledger=run, stop=stop, memory=memory,
        )  # fmt: skip
        try:
            for built in trees:
                outcome.records.append(_write(built, job.files[built.claims.strategy], executor.name))
        except BcsearchError as error:
            outcome.failures.append(error)


def _how_to_go_on(run: RunDirectory | None) -> str:
    if run is None:
        return "interrupted"
    if not run.is_there:
        return f"interrupted; {run.path} is gone, and what was kept there"
    return f"interrupted; what was finished is kept: `bcsearch resume {run.path}` goes on"


def _give_up(run: RunDirectory | None, stop: Stop) -> None:
    """End the program while the main thread waits for what will not come."""
    from bcsearch.cli import fail, leave_now

    if run is not None:
        run.close("stopped")
    leave_now(fail(_how_to_go_on(run), 128 + stop.signal))


def _incomplete(failure: BcsearchError, run: RunDirectory | None) -> BcsearchError:
    """The failure, with what can be done about it."""
    if run is None or failure.exit_code != 1 or not run.is_there:
        return failure
    if isinstance(failure, RunError):
        return RunError(f"{failure}; what was finished is kept: `bcsearch resume {run.path}` goes on")
    return IncompleteRun(f"incomplete: {failure}; `bcsearch resume {run.path}` tries again")


def estimated_seconds(job: Job, how: How) -> float:
    """Rough time of a job on this machine."""
    from bcsearch import build
    from bcsearch.executors import available_cpus

    greedy = sum(name != "optimal" for name in job.strategies)
    seconds = build.estimated_seconds(job.game, greedy, how.workers or available_cpus())
    if "optimal" in job.strategies:
        proof = estimated_proof_seconds(job.game, job.objective.width)
        seconds += min(proof, how.time_limit or proof)
    return seconds


def estimated_proof_seconds(game: Game, width: int | None) -> float:
    """Rough, within a factor of five: games of some hundred codes take no time, of some thousand a minute."""
    from bcsearch.sizes import guess_count

    pairs = guess_count(game) * game.code_count
    # Gaps between bounds and values widen with the size, but narrow with the number of replies.
    seconds = _PROOF_SECONDS * (pairs / len(game.replies)) ** 2
    return float(seconds / 20 if width is not None else seconds)


def _write(built: GreedyTree, path: Path, executor: str) -> dict[str, Any]:
    from bcsearch.report import tree_record
    from bcsearch.store import StoredTree, write_tree

    sha256 = write_tree(path, built.tree, built.claims)
    stored = StoredTree(built.tree, built.claims, built.tree.summary(), sha256, path)
    return tree_record(stored, executor=executor, seconds=round(built.seconds, 3))


def print_records(records: list[dict[str, Any]]) -> None:
    """Print the comparison table."""
    from bcsearch.cli.output import print_table

    columns = [("strategy", "left"), ("total", "right"), ("average", "right"), ("depth", "right"), ("worst", "right"),
               ("distribution", "left"), ("seconds", "right")]  # fmt: skip
    rows = [
        [
            record["strategy"],
            str(record["total"]),
            f"{record['average']:.4f}",
            str(record["depth"]),
            str(record["worst"]),
            ",".join(map(str, record["distribution"])),
            f"{record['seconds']:.2f}",
        ]
        for record in records
    ]
    print_table(columns, rows)
