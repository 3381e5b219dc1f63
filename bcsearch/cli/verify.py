"""``bcsearch verify``: replay a tree file against every secret."""

from __future__ import annotations

from pathlib import Path

import click

from bcsearch.cli.params import TREE_PATH, AtLeast, json_option
from bcsearch.plurals import counted


@click.command("verify")
@click.argument("tree", type=TREE_PATH)
@click.option("--max-depth", type=AtLeast(1), help="Fail if some secret needs more guesses than this.")
@click.option("--max-total", type=AtLeast(1), help="Fail if all secrets together need more guesses than this.")
@json_option
def command(tree: Path, max_depth: int | None, max_total: int | None, as_json: bool) -> None:
    """Prove what the file TREE claims by replaying every secret.

    Uses its own scorer, and shares no code with what builds trees. Exit code 1 and the reasons when anything differs.

    \b
    Example:
      bcsearch verify trees/p4c10n-entropy.tree --max-depth 8 --max-total 26424
    """
    from bcsearch.cli.output import print_json, say
    from bcsearch.verify import verify_file

    verdict = verify_file(tree, max_depth, max_total)
    if as_json:
        names = ("valid", "problems", "total", "depth", "worst", "distribution")
        print_json({name: getattr(verdict, name) for name in names})
    elif verdict.valid:
        found = ",".join(map(str, verdict.distribution))
        click.echo(
            f"valid: all {counted(sum(verdict.distribution), 'secret')} found; "
            f"total {verdict.total}, depth {verdict.depth}, worst {verdict.worst}; distribution {found}"
        )
    if not verdict.valid:
        for problem in verdict.problems:
            say(f"bcsearch: not valid: {problem}")
        raise SystemExit(1)
