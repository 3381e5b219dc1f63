"""``bcsearch compare``: strategies side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bcsearch.cli.params import TREE_PATH, json_option

if TYPE_CHECKING:
    from bcsearch.compare import Comparison, Duel


@click.command("compare")
@click.argument("trees", type=TREE_PATH, nargs=-1, required=True)
@click.option("--secrets", is_flag=True, help="List the secrets that each strategy does better on.")
@click.option("--plot", type=TREE_PATH, help="Draw a picture: a file ending in .png, .svg or .pdf. Needs matplotlib.")
@json_option
def command(trees: tuple[Path, ...], secrets: bool, plot: Path | None, as_json: bool) -> None:
    """Compare the strategies of the files in TREES, all of one game.

    Shows total:depth:worst, average and distribution; the share of secrets found within k guesses; and for each two
    strategies on how many secrets each needs fewer guesses, and where they first ask different guesses.

    \b
    Examples:
      bcsearch compare trees/*.tree
      bcsearch compare trees/p4c10n-entropy.tree trees/p4c10n-optimal-average.tree --plot compare.png
    """
    from bcsearch.cli.output import print_json, say
    from bcsearch.compare import compare
    from bcsearch.store import read_tree

    comparison = compare([read_tree(path) for path in trees])
    if plot is not None:
        from bcsearch.plot import plot_comparison

        plot_comparison(comparison, plot)
        say(f"wrote {plot}")
    if as_json:
        print_json(comparison.document())
        return
    _print_strategies(comparison)
    click.echo()
    _print_shares(comparison)
    duels = comparison.duels()
    if duels:
        click.echo()
        _print_duels(duels, comparison.needed.shape[1])
        for at, duel in enumerate(duels):
            if at == 0 or secrets:
                click.echo()
            _print_difference(duel, secrets)


def _print_strategies(comparison: Comparison) -> None:
    from bcsearch.cli.output import print_table

    rows = []
    for name, stored in zip(comparison.names, comparison.trees, strict=True):
        summary, found = stored.tree.summary(), ",".join(map(str, stored.tree.distribution()))
        rows.append([name, str(summary), f"{summary.average:.4f}", found, stored.claims.bound])
    print_table([("strategy", "left"), ("T:D:W", "right"), ("average", "right"), ("distribution", "left"),
                 ("bound", "left")], rows)  # fmt: skip


def _print_shares(comparison: Comparison) -> None:
    from bcsearch.cli.output import print_table

    columns = [("found within", "left"), *((str(k + 1), "right") for k in range(comparison.most))]
    rows = [
        [name, *(f"{100 * share:.2f} %" for share in within)]
        for name, within in zip(comparison.names, comparison.solved_within(), strict=True)
    ]
    print_table(columns, rows)


def _print_duels(duels: list[Duel], secrets: int) -> None:
    from bcsearch.cli.output import print_table

    rows = [
        [
            f"{duel.names[0]} : {duel.names[1]}",
            *(f"{n} ({100 * n / secrets:.1f} %)"
              for n in (len(duel.first_better), duel.draws, len(duel.second_better))),
        ]
        for duel in duels
    ]  # fmt: skip
    print_table(
        [("fewer guesses on", "left"), ("first wins", "right"), ("draws", "right"), ("second wins", "right")], rows
    )


def _print_difference(duel: Duel, secrets: bool) -> None:
    first, second = duel.names
    if duel.difference is None:
        click.echo(f"{first} and {second} are the same strategy")
        return
    after = f"after {duel.difference.history}" if duel.difference.history else "with the first guess"
    one, other = duel.difference.guesses
    click.echo(f"{first} and {second} first differ {after}: {one} against {other}")
    if secrets:
        for name, better in ((first, duel.first_better), (second, duel.second_better)):
            click.echo(f"{name} is better on {len(better)}: {' '.join(better)}")
