"""``bcsearch build-tree``: from rules to tree files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.optimal import build_optimal, optimal_options
from bcsearch.cli.params import AtLeast, game_option, json_option
from bcsearch.errors import BcsearchError

if TYPE_CHECKING:
    from bcsearch.build import GreedyTree
    from bcsearch.game import Game

MISSION = ("minimax", "entropy", "expected-size", "optimal")
NAMES = ("minimax", "entropy", "expected-size", "max-parts", "first", "optimal")
_PROOF_SECONDS = 60.0  # what the search for an optimal tree is estimated to take, where it is not limited


@click.command("build-tree")
@game_option
@click.option("--strategy", "strategies", multiple=True, type=click.Choice(NAMES), metavar="NAME",
              help=f"One of {', '.join(NAMES)}; may be given several times. Without it: {', '.join(MISSION)}, as one "
              "batch.")  # fmt: skip
@click.option("--pool", type=click.Choice(["all", "consistent"]), default="all", show_default=True,
              help="Ask any guess, or only guesses that can still be the secret.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="File to write (with one strategy).")
@click.option(
    "--out-dir", type=click.Path(path_type=Path), help="Folder to write to, made if needed.  [default: trees]"
)
@click.option("--executor", "kind", type=click.Choice(["auto", "local", "ray"]), default="auto", show_default=True,
              help="Threads of this process, or Ray tasks; auto takes Ray for a whole batch, for long jobs and where "
              "an address is given.")  # fmt: skip
@click.option("--address", metavar="HOST:PORT", help="Ray cluster to use.  [default: $RAY_ADDRESS]")
@click.option("--workers", type=AtLeast(1), help="Threads or processors to use.  [default: all]")
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
    """
    from bcsearch import build, kernels
    from bcsearch.cli.output import print_json, progress_bars, say
    from bcsearch.executors import available_cpus, make_executor
    from bcsearch.optimal.options import Objective

    names = tuple(dict.fromkeys(strategies or MISSION))
    greedy = tuple(name for name in names if name != "optimal")
    wanted = Objective(objective, within, max_depth, pool == "consistent", width)
    if len(greedy) == len(names) and (wanted != Objective(consistent=wanted.consistent) or time_limit is not None):
        raise click.UsageError("--objective, --max-depth, --within, --width, --time-limit go with --strategy optimal")
    wanted.check()
    paths = output_paths(game, names, pool, out, out_dir)
    if "optimal" in paths and out is None:
        paths["optimal"] = paths["optimal"].with_name(f"{game}-{wanted.label}.tree")
    seconds = build.estimated_seconds(game, len(greedy), workers or available_cpus())
    if len(greedy) < len(names):
        seconds += estimated_proof_seconds(game, width, time_limit)
    kernels.ready(say)
    records = []
    failure: BcsearchError | None = None
    with make_executor(kind, address, workers, seconds, batch=not strategies, say=say) as executor:
        if greedy:
            with progress_bars(greedy, game.code_count) as progress:
                trees = build.build_greedy(game, greedy, executor, consistent=pool == "consistent", progress=progress)
                for built in trees:
                    records.append(_write(built, paths[built.claims.strategy], executor.name))
        if len(greedy) < len(names):
            try:
                records.append(build_optimal(game, wanted, executor, paths["optimal"], time_limit))
            except BcsearchError as error:
                if not greedy:
                    raise
                failure = error  # said after the trees that there are
    if as_json:
        print_json({"trees": records})
    else:
        print_records(records)
        for record in records:
            say(f"wrote {record['file']}")
    if failure is not None:
        raise failure


def estimated_proof_seconds(game: Game, width: int | None, time_limit: float | None) -> float:
    """Rough: games of up to some hundred codes take no time, p4c10n most of a minute."""
    pairs = len(game.guesses) * len(game.secrets)
    seconds = _PROOF_SECONDS * float(pairs / 5040**2) ** 1.5
    if width is not None:
        seconds /= 20
    return float(min(seconds, time_limit or seconds))


def output_paths(
    game: Game, names: tuple[str, ...], pool: str, out: Path | None, out_dir: Path | None
) -> dict[str, Path]:
    """File for each strategy, checked before any work is done."""
    from bcsearch.store import writable_path

    if out is not None and out_dir is not None:
        raise click.UsageError("--out and --out-dir exclude each other")
    if out is not None and len(names) != 1:
        raise click.UsageError("--out names one file: give exactly one --strategy with it, or use --out-dir")
    if out is not None and os.path.isdir(out):
        raise click.UsageError(f"--out {out} is a folder; name a file in it, or use --out-dir")
    folder = out_dir or Path("trees")
    if out is None and os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"--out-dir {folder} is a file; a folder is wanted")
    suffix = "-consistent" if pool == "consistent" else ""
    paths = {name: out or folder / f"{game}-{name}{suffix}.tree" for name in names}
    for path in paths.values():
        writable_path(path)
    return paths


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
