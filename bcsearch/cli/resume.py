"""``bcsearch resume``: go on with a run."""

from __future__ import annotations

from pathlib import Path

import click

from bcsearch.cli.optimal import Seconds
from bcsearch.cli.params import AtLeast, json_option, memory_option


@click.command("resume")
@click.argument("run_dir", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--executor", "kind", type=click.Choice(["auto", "local", "ray"]), help="Another executor than before.")
@click.option("--address", metavar="HOST:PORT", help="Another Ray cluster than before.")
@click.option("--workers", type=AtLeast(1), help="Another number of threads or processors than before.")
@memory_option
@click.option("--time-limit", type=Seconds(), metavar="S",
              help="Stop the search after S seconds with the best tree so far and its gap.")  # fmt: skip
@json_option
def command(
    run_dir: Path,
    kind: str | None,
    address: str | None,
    workers: int | None,
    time_limit: float | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Go on with a run: nothing that is finished is computed again, and the result is the same as without a break.

    What is built, and how it is cut into work items, stands in the run directory and cannot be changed.

    \b
    Examples:
      bcsearch resume runs/p4c10n-optimal-average
      bcsearch resume runs/p4c10n-optimal-average --executor ray --address 10.0.0.5:6379
    """
    from bcsearch.cli.carry_out import How, carry_out, check_memory
    from bcsearch.cli.output import say
    from bcsearch.errors import RunError
    from bcsearch.files import writable_path
    from bcsearch.runs.directory import RunDirectory

    run = RunDirectory.open(run_dir, say)
    before = run.manifest["how"]
    how = How(
        kind or ("ray" if address else before["executor"]),
        address or (before["address"] if kind != "local" else None),
        workers or before["workers"],
        time_limit,
        batch=bool(before["batch"]),
        memory=memory or before.get("memory"),
    )
    if time_limit is not None and "optimal" not in run.job.strategies:
        raise RunError(f"{run_dir}: --time-limit goes with a search for an optimal tree; this run has none")
    for path in run.job.files.values():
        writable_path(path)
    say(f"resuming {run.path}: {run.remembered} work items are finished")
    check_memory(run.job, how, say)
    carry_out(run.job, how, run, as_json)
