"""``bcsearch status``: how far a run is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bcsearch.cli.params import json_option
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from bcsearch.runs.status import Status

_PHASES = {
    "complete": "complete",
    "stopped": "stopped in good order",
    "incomplete": "ended incomplete",
    "failed": "ended with an error",
    "killed": "killed or crashed",
}


@click.command("status")
@click.argument("run_dir", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def command(run_dir: Path, as_json: bool) -> None:
    """Show how far a run is, while it works or after.

    \b
    Example:
      bcsearch status runs/p4c10n-optimal-average
    """
    from bcsearch.cli.output import print_json
    from bcsearch.runs.status import read_status

    status = read_status(run_dir)
    if as_json:
        print_json(status.record())
        return
    for line in _lines(status):
        click.echo(line)


def _lines(status: Status) -> list[str]:
    job = ", ".join(status.manifest["strategies"])
    if "optimal" in status.manifest["strategies"]:
        job += f" ({status.manifest['objective']['name']})"
    phase = f"running ({status.holder})" if status.phase == "running" else _PHASES.get(status.phase, status.phase)
    from bcsearch.game import name_of

    lines = [f"run         {status.path}: {name_of(status.manifest['game'])}, {job}", f"phase       {phase}"]
    live = status.live
    if live:
        lines.append(f"stage       {live.get('stage')}, {live['seconds']:.0f} s in this session")
        lines += _bounds(live)
    again = f", {status.again} of them asked again with a higher limit" if status.again else ""
    lines.append(f"done        {counted(status.done, 'work item')}{again}; {status.seconds:.0f} s of work, sessions: "
                 f"{status.sessions}")  # fmt: skip
    if live:
        lines.append(f"running     {live.get('running')} on {counted(_number(live, 'workers'), 'worker')}; open at the "
                     f"top: {live.get('left')}; lost and tried again: {live.get('retries')}")  # fmt: skip
        lines.append(f"rate        {status.rate} items/s; {_time_left(live)}")
        lines += [f"at work     {seconds:7.1f} s  {key}" for key, seconds in status.at_work[:5]]
    lines += [f"slowest     {seconds:7.1f} s  {key}" for key, seconds in status.slowest]
    lines += [f"failed      {key}: {reason}" for key, reason in status.failed.items()]
    if status.torn:
        lines.append("journal     its last line was cut off; that item will be computed again")
    if status.phase not in ("running", "complete"):
        lines.append(f"go on with  bcsearch resume {status.path}")
    return lines


def _bounds(live: dict[str, object]) -> list[str]:
    best, bound = live.get("best"), live.get("bound")
    if "placed" in live:
        return [f"placed      {live['placed']} of {counted(_number(live, 'secrets'), 'secret')}"]
    if not isinstance(bound, int):
        return []
    if not isinstance(best, int):
        return [f"best        none yet, proven bound {bound}"]
    return [f"best        {best}, proven bound {bound}, gap {max(0, best - bound)}"]


def _number(live: dict[str, object], name: str) -> int:
    value = live.get(name)
    return value if isinstance(value, int) else 0


def _time_left(live: dict[str, object]) -> str:
    """A guess where there is something to go by: greedy trees place secrets at a steady rate, proofs do not."""
    placed, secrets, seconds = live.get("placed"), live.get("secrets"), live.get("seconds")
    if isinstance(placed, int) and isinstance(secrets, int) and isinstance(seconds, float) and placed:
        return f"about {seconds * (secrets - placed) / placed:.0f} s left"
    return "time left unknown: a proof ends when the gap does"
