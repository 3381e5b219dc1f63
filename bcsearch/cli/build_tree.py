"""``bcsearch build-tree``: from rules to tree files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bcsearch.cli.optimal import optimal_options
from bcsearch.cli.params import AtLeast, game_option, json_option, memory_option, pool_options
from bcsearch.optimal.options import Objective

if TYPE_CHECKING:
    from bcsearch.game import Game
    from bcsearch.runs.manifest import Job

MISSION = ("minimax", "entropy", "expected-size", "optimal")
NAMES = ("minimax", "entropy", "expected-size", "max-parts", "first", "optimal")


@click.command("build-tree")
@game_option
@click.option("--strategy", "strategies", multiple=True, type=click.Choice(NAMES), metavar="NAME",
              help=f"One of {', '.join(NAMES)}; may be given several times. Without it: {', '.join(MISSION)}, as one "
              "batch.")  # fmt: skip
@pool_options
@click.option("--out", type=click.Path(path_type=Path), help="File to write (with one strategy).")
@click.option(
    "--out-dir", type=click.Path(path_type=Path), help="Folder to write to, made if needed.  [default: trees]"
)
@click.option("--executor", "kind", type=click.Choice(["auto", "local", "ray"]), default="auto", show_default=True,
              help="Threads of this process, or Ray tasks; auto takes Ray for a whole batch, for long jobs and where "
              "an address is given.")  # fmt: skip
@click.option("--address", metavar="HOST:PORT", help="Ray cluster to use.  [default: $RAY_ADDRESS]")
@click.option("--workers", type=AtLeast(1), help="Threads or processors to use.  [default: all]")
@click.option("--run-dir", type=click.Path(path_type=Path), metavar="DIR",
              help="Keep all finished work in this new folder, for `bcsearch resume` and `bcsearch status`.  [default: "
              "runs/NAME for jobs that may take long, else none]")  # fmt: skip
@memory_option
@optimal_options
@json_option
def command(
    game: Game,
    strategies: tuple[str, ...],
    pool: str,
    out: Path | None,
    out_dir: Path | None,
    kind: str,
    address: str | None,
    workers: int | None,
    objective: str,
    within: int | None,
    max_depth: int | None,
    width: int | None,
    time_limit: float | None,
    memory: int | None,
    run_dir: Path | None,
    as_json: bool,
) -> None:
    """Build strategy trees and write them as tree files.

    Without --strategy, builds all of them as one batch and prints a comparison.

    \b
    Examples:
      bcsearch build-tree
      bcsearch build-tree --strategy entropy --out entropy.tree
      bcsearch build-tree --game p4c6r --strategy max-parts --pool consistent
      bcsearch build-tree --strategy optimal --objective win-within --within 6
      bcsearch build-tree --executor ray --address 10.0.0.5:6379
      bcsearch build-tree --game p4c11n --strategy optimal --run-dir runs/p4c11n
      bcsearch build-tree --game p4c10n --guesses p4c10r --strategy entropy
      bcsearch build-tree --game words:words.txt --hard --strategy entropy
    """
    from bcsearch.cli.carry_out import DURABLE_SECONDS, How, carry_out, check_memory, estimated_seconds
    from bcsearch.cli.output import say
    from bcsearch.runs.directory import RunDirectory

    job = job_from(game, strategies, pool, out, out_dir, Objective(objective, within, max_depth, pool == "consistent",
                   width, pool == "hard"), time_limit)  # fmt: skip
    how = How(kind, address, workers, time_limit, batch=not strategies, memory=memory)
    check_memory(job, how, say)
    if run_dir is None and estimated_seconds(job, how) > DURABLE_SECONDS:
        run_dir = free_run_folder(job)
        say(f"run directory: {run_dir} (this may take long; --run-dir names another)")
    run = RunDirectory.create(run_dir, job, how.recorded(), say) if run_dir is not None else None
    carry_out(job, how, run, as_json)


def job_from(
    game: Game,
    strategies: tuple[str, ...],
    pool: str,
    out: Path | None,
    out_dir: Path | None,
    wanted: Objective,
    time_limit: float | None = None,
) -> Job:
    """The job that the options describe; checked, paths too, before any work is done."""
    from bcsearch.runs.manifest import Job

    names = tuple(dict.fromkeys(strategies or MISSION))
    if "optimal" not in names and (
        wanted != Objective(consistent=wanted.consistent, hard=wanted.hard) or time_limit is not None
    ):
        raise click.UsageError("--objective, --max-depth, --within, --width, --time-limit go with --strategy optimal")
    wanted.check()
    if wanted.hard:
        from bcsearch.hard import check_hard

        check_hard(game)
    files = output_paths(game, names, pool, out, out_dir)
    if "optimal" in files and out is None:
        files["optimal"] = files["optimal"].with_name(f"{game.label}-{wanted.label}.tree")
    return Job(game, names, wanted, files)


def free_run_folder(job: Job) -> Path:
    """Folder for the run of a job that was given none: a new one, unless an unfinished run of it is there.

    Raises
    ------
    RunError
        Naming the run that can be continued.
    """
    from bcsearch.errors import RunError
    from bcsearch.runs.status import is_complete

    folder = Path("runs") / job.label
    number = 1
    while folder.exists():
        if not is_complete(folder):
            raise RunError(f"{folder}: a run of this name is not finished: `bcsearch resume {folder}` continues it; "
                           "--run-dir names another place")  # fmt: skip
        number += 1
        folder = Path("runs") / f"{job.label}-{number}"
    return folder


def output_paths(
    game: Game, names: tuple[str, ...], pool: str, out: Path | None, out_dir: Path | None
) -> dict[str, Path]:
    """File for each strategy, checked before any work is done."""
    from bcsearch.files import writable_path

    if out is not None and out_dir is not None:
        raise click.UsageError("--out and --out-dir exclude each other")
    if out is not None and len(names) != 1:
        raise click.UsageError("--out names one file: give exactly one --strategy with it, or use --out-dir")
    if out is not None and os.path.isdir(out):
        raise click.UsageError(f"--out {out} is a folder; name a file in it, or use --out-dir")
    folder = out_dir or Path("trees")
    if out is None and os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"--out-dir {folder} is a file; a folder is wanted")
    suffix = "" if pool == "all" else f"-{pool}"
    paths = {name: out or folder / f"{game.label}-{name}{suffix}.tree" for name in names}
    for path in paths.values():
        writable_path(path)
    return paths
