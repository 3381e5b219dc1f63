"""``bcsearch build-tree``: from rules to tree files."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.params import AtLeast, game_option, json_option

if TYPE_CHECKING:
    from bcsearch.executors import Executor
    from bcsearch.game import Game
    from bcsearch.store import Claims
    from bcsearch.tree import Tree

MISSION = ("minimax", "entropy", "expected-size")
NAMES = ("minimax", "entropy", "expected-size", "max-parts", "first", "optimal")
OBJECTIVES = ("average", "worst-case", "fewest-at-worst", "win-within")


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
@click.option("--objective", type=click.Choice(OBJECTIVES), default="average", show_default=True,
              help="With --strategy optimal: minimal total, then depth; smallest depth, then total; smallest "
              "depth, then fewest secrets needing it; or most secrets within --within guesses.")  # fmt: skip
@click.option("--max-depth", type=AtLeast(1), help="With --objective average: no secret may need more guesses.")
@click.option("--within", type=AtLeast(1), metavar="K", help="With --objective win-within: the number of guesses.")
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
    max_depth: int | None,
    within: int | None,
    as_json: bool,
) -> None:
    """Build strategy trees and write them as tree files.

    Without --strategy, builds all of them as one batch and prints a comparison.

    \b
    Examples:
      bcsearch build-tree
      bcsearch build-tree --strategy entropy --out entropy.tree
      bcsearch build-tree --game p4c6r --strategy optimal --max-depth 5
      bcsearch build-tree --game p4c6r --strategy max-parts --pool consistent
      bcsearch build-tree --executor ray --address 10.0.0.5:6379
    """
    from bcsearch import build, kernels
    from bcsearch.cli.output import print_json, progress_bars, say
    from bcsearch.executors import available_cpus, make_executor

    names = tuple(dict.fromkeys(strategies or MISSION))
    greedy = tuple(name for name in names if name != "optimal")
    wanted = Wanted(objective, pool == "consistent", max_depth, within)
    wanted.check("optimal" in names)
    paths = output_paths(game, names, pool, out, out_dir)
    if "optimal" in names and out is None:
        paths["optimal"] = paths["optimal"].with_name(f"{game}-{wanted.label}.tree")
    seconds = build.estimated_seconds(game, len(greedy), workers or available_cpus())
    kernels.ready(say)
    records = []
    with make_executor(kind, address, workers, seconds, batch=not strategies, say=say) as executor:
        if greedy:
            with progress_bars(greedy, game.code_count) as progress:
                trees = build.build_greedy(game, greedy, executor, consistent=pool == "consistent", progress=progress)
                for built in trees:
                    name = built.claims.strategy
                    records.append(_write(built.tree, built.claims, built.seconds, paths[name], executor.name))
        if "optimal" in names:
            records.append(_prove(game, wanted, executor, paths["optimal"]))
    if as_json:
        print_json({"trees": records})
    else:
        print_records(records)
        for record in records:
            say(f"wrote {record['file']}")


@dataclass(frozen=True)
class Wanted:
    """What an optimal tree should be."""

    objective: str
    consistent: bool
    max_depth: int | None
    within: int | None

    def check(self, optimal: bool) -> None:
        """Refuse options that do not go together, before any work."""
        from bcsearch.optimal.options import check_options

        if not optimal and (self.max_depth, self.within, self.objective) != (None, None, "average"):
            raise click.UsageError("--objective, --max-depth and --within go with --strategy optimal")
        check_options(self.objective, self.max_depth, self.within)

    @property
    def label(self) -> str:
        """Part of a file name that tells optimal trees of a game apart."""
        words = ["optimal", self.objective]
        words += [f"depth{self.max_depth}"] if self.max_depth else []
        words += [str(self.within)] if self.within else []
        return "-".join(words + (["consistent"] if self.consistent else []))


def _prove(game: Game, wanted: Wanted, executor: Executor, path: Path) -> dict[str, Any]:
    """Search for the optimal tree and write it."""
    from bcsearch.cli.output import proof_progress, say
    from bcsearch.optimal.objectives import build_optimal

    start = time.monotonic()
    with proof_progress() as progress:
        proven = build_optimal(
            game,
            wanted.objective,
            executor,
            consistent=wanted.consistent,
            max_depth=wanted.max_depth,
            within=wanted.within,
            progress=progress,
        )
    seconds = time.monotonic() - start
    what = {
        "win-within": f"secrets not found within {wanted.within} guesses:",
        "fewest-at-worst": f"secrets needing all {proven.tree.summary().depth} guesses:",
    }.get(wanted.objective, "total")
    say(f"proven: {wanted.objective}, {what} {proven.value} ({proven.subproblems} subproblems, {seconds:.1f} s)")
    return _write(proven.tree, proven.claims, seconds, path, executor.name)


def output_paths(
    game: Game, names: tuple[str, ...], pool: str, out: Path | None, out_dir: Path | None
) -> dict[str, Path]:
    """File for each strategy, checked before any work is done."""
    if out is not None and out_dir is not None:
        raise click.UsageError("--out and --out-dir exclude each other")
    if out is not None and len(names) != 1:
        raise click.UsageError("--out names one file: give exactly one --strategy with it, or use --out-dir")
    if out is not None and out.is_dir():
        raise click.UsageError(f"--out {out} is a folder; name a file in it, or use --out-dir")
    folder = out_dir or Path("trees")
    if out is None and folder.exists() and not folder.is_dir():
        raise click.UsageError(f"--out-dir {folder} is a file; a folder is wanted")
    suffix = "-consistent" if pool == "consistent" else ""
    return {name: out or folder / f"{game}-{name}{suffix}.tree" for name in names}


def _write(tree: Tree, claims: Claims, seconds: float, path: Path, executor: str) -> dict[str, Any]:
    from bcsearch.report import tree_record
    from bcsearch.store import StoredTree, write_tree

    sha256 = write_tree(path, tree, claims)
    stored = StoredTree(tree, claims, tree.summary(), sha256, path)
    return tree_record(stored, executor=executor, seconds=round(seconds, 3))


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
