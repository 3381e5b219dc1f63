"""``bcsearch plan``: what a build would take, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.build_tree import NAMES, job_from
from bcsearch.cli.optimal import optimal_options
from bcsearch.cli.params import AtLeast, game_option, json_option, memory_option, pool_options
from bcsearch.optimal.options import Objective
from bcsearch.plurals import counted, plural

if TYPE_CHECKING:
    from bcsearch.game import Game


@click.command("plan")
@game_option
@click.option("--strategy", "strategies", multiple=True, type=click.Choice(NAMES), metavar="NAME",
              help="As for build-tree.")  # fmt: skip
@pool_options
@click.option("--executor", "kind", type=click.Choice(["auto", "local", "ray"]), default="auto", show_default=True,
              help="As for build-tree.")  # fmt: skip
@click.option("--address", metavar="HOST:PORT", help="As for build-tree; nothing is connected.")
@click.option("--workers", type=AtLeast(1), help="As for build-tree.")
@memory_option
@optimal_options
@json_option
def command(
    game: Game,
    strategies: tuple[str, ...],
    pool: str,
    kind: str,
    address: str | None,
    workers: int | None,
    objective: str,
    within: int | None,
    max_depth: int | None,
    width: int | None,
    time_limit: float | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Say what build-tree would do with the same options: sizes, memory, work items, time, executor.

    Times are estimates from a machine of two cores; that of a proof may be wrong by a factor of ten.

    \b
    Examples:
      bcsearch plan
      bcsearch plan --game p4c11n --strategy optimal --workers 16
    """
    from bcsearch.cli.carry_out import How
    from bcsearch.cli.output import print_json
    from bcsearch.errors import ExecutionError

    wanted = Objective(objective, within, max_depth, pool == "consistent", width, pool == "hard")
    job = job_from(game, strategies, pool, None, None, wanted, time_limit)
    how = How(kind, address, workers, time_limit, batch=not strategies, memory=memory)
    record = plan_record(job, how)
    if as_json:
        print_json(record)
    else:
        for name, text in _lines(record):
            click.echo(f"{name:<12}{text}")
    if record["problem"]:
        raise ExecutionError(record["problem"])


def plan_record(job: Any, how: Any) -> dict[str, Any]:
    """The plan as a JSON document."""
    from bcsearch import build
    from bcsearch.cli.carry_out import DURABLE_SECONDS, estimated_memory, estimated_proof_seconds, estimated_seconds
    from bcsearch.errors import BcsearchError
    from bcsearch.executors import choose
    from bcsearch.memory import free_memory
    from bcsearch.sizes import guess_count
    from bcsearch.symmetry import canonical_guesses

    game = job.game
    memory = estimated_memory(job, how)
    problem = None
    try:
        memory.check(how.memory)
    except BcsearchError as error:
        problem = str(error)
    greedy = [name for name in job.strategies if name != "optimal"]
    core_seconds = build.estimated_seconds(game, len(greedy), 1)
    seconds = estimated_seconds(job, how)
    items: dict[str, Any] = {}
    if greedy:
        part = counted(build.open_above(game), "secret")
        items["greedy"] = f"one for each part above {part}, in {counted(len(greedy), 'tree')}"
    if "optimal" in job.strategies:
        core_seconds += min(estimated_proof_seconds(game, job.objective.width), how.time_limit or float("inf"))
        items["optimal"] = "known as they arise; most take milliseconds, the long ones up to half a minute"
    executor, why = choose(how.kind, how.address, seconds, how.batch)
    return {
        "game": game.name,
        "strategies": list(job.strategies),
        "files": {name: str(path) for name, path in job.files.items()},
        "secrets": game.code_count,
        "guesses": guess_count(game),
        "replies": len(game.replies),
        "first guesses": None if problem else len(canonical_guesses(game, ())),
        "matrix bytes": memory.parts["reply matrix"],
        "memory": memory.parts,
        "memory bytes": memory.total,
        "free bytes": free_memory(),
        "items": items,
        "core hours": round(core_seconds / 3600, 4),
        "seconds": round(seconds, 1),
        "executor": executor,
        "executor reason": why,
        "run directory": seconds > DURABLE_SECONDS,
        "problem": problem,
    }


def _lines(record: dict[str, Any]) -> list[tuple[str, str]]:
    from bcsearch.memory import size_text

    matrix = record["matrix bytes"]
    counts = ", ".join(counted(record[plural(0, noun)], noun) for noun in ("secret", "guess", "reply"))
    lines = [
        ("game", f"{record['game']}: {counts}; first guesses that differ: {record['first guesses'] or 'not counted'}"),
        ("trees", ", ".join(record["files"].values())),
        ("matrix", f"{size_text(matrix)}, once a node" if matrix else "none: replies are computed from the codes"),
        ("memory", f"about {size_text(record['memory bytes'])}; {size_text(record['free bytes'])} are free here"),
    ]  # fmt: skip
    lines += [("items", f"{name}: {text}") for name, text in record["items"].items()]
    hours = record["core hours"]
    work = f"{hours:,.1f} core-hours" if hours >= 1 else f"{hours * 3600:,.0f} core-seconds"
    lines.append(("time", f"about {work}; about {_duration(record['seconds'])} with these workers"))
    lines.append(("executor", f"{record['executor']} ({record['executor reason']})"))
    lines.append(("run dir", "made by default" if record["run directory"] else "only with --run-dir"))
    return lines


def _duration(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} seconds"
