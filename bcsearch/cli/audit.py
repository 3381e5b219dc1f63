"""``bcsearch audit``: prove random subproblems of a run or a tree again, with another solver."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from bcsearch.cli.optimal import Seconds
from bcsearch.cli.params import AtLeast, json_option
from bcsearch.plurals import counted


@click.command("audit")
@click.argument("path", metavar="DIR|TREE", type=click.Path(path_type=Path))
@click.option("--sample", type=AtLeast(1), default=50, show_default=True, metavar="N", help="Subproblems to take.")
@click.option("--seed", type=AtLeast(0), default=1, show_default=True, metavar="S", help="Seed of the choice.")
@click.option("--largest", type=AtLeast(3), default=30, show_default=True, metavar="M",
              help="Take sets of at most M candidates.")  # fmt: skip
@click.option("--seconds", type=Seconds(), default=20.0, show_default=True, metavar="S",
              help="Time for each; one that takes longer counts as not settled.")  # fmt: skip
@json_option
def command(path: Path, sample: int, seed: int, largest: int, seconds: float, as_json: bool) -> None:
    """Take random subproblems of a finished run, or of an optimal tree, and prove their values again.

    The solver is a plain recursion that shares no code with the search. It takes seconds where the search takes
    microseconds, so only small subproblems are taken.

    \b
    Examples:
      bcsearch audit runs/p4c10n-optimal-average --sample 100
      bcsearch audit trees/p4c10n-optimal-average.tree --seed 7
    """
    from bcsearch.audit import audit
    from bcsearch.cli.output import print_json, proof_progress
    from bcsearch.errors import BcsearchError
    from bcsearch.runs.claims import claims_of_run, claims_of_tree
    from bcsearch.runs.manifest import job_of, read_manifest
    from bcsearch.store import read_tree

    if path.is_dir():
        manifest, seal = read_manifest(path)
        job = job_of(path, manifest)
        game, pool, claims = job.game, job.objective.pool, claims_of_run(path, seal)
    else:
        stored = read_tree(path)
        game, pool, claims = stored.tree.game, stored.claims.pool, claims_of_tree(stored)
    findings = []
    with proof_progress() as progress:
        for finding in audit(game, pool, claims, sample, seed, largest, seconds):
            findings.append(finding)
            progress("subproblems again", len(findings), 1)
    counts = Counter(finding.verdict for finding in findings)
    record: dict[str, Any] = {
        "of": str(path),
        "seed": seed,
        "taken": len(findings),
        "re-proved": counts["re-proved"],
        "not settled": counts["not settled"],
        "refuted": [
            {"subproblem": f.claim.name, "candidates": f.size, "claimed": f.claim.value, "found": f.found}
            for f in findings
            if f.verdict == "refuted"
        ],
        "largest": max((f.size for f in findings if f.verdict == "re-proved"), default=0),
        "seconds": round(sum(f.seconds for f in findings), 1),
    }
    if as_json:
        print_json(record)
    else:
        largest_text = counted(record["largest"], "candidate")
        click.echo(f"{path}: {record['re-proved']} of {counted(len(findings), 'subproblem')} re-proved (the largest "
                   f"has {largest_text}), {record['not settled']} not settled within {seconds:g} s each, "
                   f"{len(record['refuted'])} refuted; {record['seconds']} s")  # fmt: skip
    if not findings:
        raise BcsearchError(f"{path}: no proven subproblem of 3 to {largest} candidates is on record")
    for wrong in record["refuted"]:
        click.echo(f"refuted: {wrong['subproblem']} ({counted(wrong['candidates'], 'candidate')}): claimed "
                   f"{wrong['claimed']}, found {wrong['found']}", err=True)  # fmt: skip
    if record["refuted"]:
        count = len(record["refuted"])
        have = "has" if count == 1 else "have"
        raise BcsearchError(f"{path}: {counted(count, 'subproblem')} {have} another value than recorded")
