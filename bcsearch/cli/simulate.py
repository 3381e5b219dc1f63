"""``bcsearch simulate``: many games of a player against a host."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.params import (
    AtLeast,
    game_option,
    game_to_type,
    hard_option,
    host_option,
    json_option,
    lie_option,
    said,
    seed_option,
    tree_option,
)
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from bcsearch.game import Game
    from bcsearch.hosts import Scorer
    from bcsearch.players import Player
    from bcsearch.simulate import Results
    from bcsearch.tree import Tree

_MOST_WORST = 10
_LONG = 2.0  # seconds after which progress is told


@click.command("simulate")
@click.argument("player")
@game_option
@hard_option
@host_option
@lie_option
@click.option("--games", type=AtLeast(1), metavar="N", help="Play N random games instead of each secret once.")
@seed_option
@click.option("--workers", type=AtLeast(1), help="Threads; as many as there are processors by default.")
@tree_option
@json_option
def command(
    player: str, game: Game, hard: bool, host: str, lie_prob: float | None,
    games: int | None, seed: int | None,
    workers: int | None, tree: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Let PLAYER find all secrets, or N random ones, and show what it costs.

    PLAYER is a tree file; 'optimal' (the tree that comes with the package); a greedy strategy (minimax, entropy,
    expected-size, max-parts); first-consistent or random-consistent (asks a candidate); or bayes (copes with wrong
    replies of probability --lie-prob). With --hard all of them keep to hard mode, and tree files have to. --tree is
    what an evil host knows.

    \b
    Examples:
      bcsearch simulate first-consistent
      bcsearch simulate entropy --host evil
      bcsearch simulate bayes --host lying --lie-prob 0.05 --games 100 --seed 1
      bcsearch simulate entropy --game words:words.txt --hard
    """
    from bcsearch import kernels
    from bcsearch.bayes import whole_matrix
    from bcsearch.cli.output import print_json, say
    from bcsearch.executors import available_cpus
    from bcsearch.hosts import Scorer
    from bcsearch.players import HeldToHardMode
    from bcsearch.simulate import simulate

    if (host == "lying") != (lie_prob is not None) and not (player == "bayes" and lie_prob is not None):
        raise click.UsageError("--host lying needs --lie-prob Q, and goes with it")
    if hard and lie_prob is not None:
        raise click.UsageError("--hard needs true replies: it excludes --lie-prob and --host lying")
    kernels.ready(say)
    threads = workers or available_cpus()
    wanted = game
    game, make = _player(player, game, lie_prob or 0.0, threads, hard)
    if said("game") and game != wanted:
        raise click.UsageError(f"{player}: a tree of {game}, but --game is {wanted}")
    scorer = Scorer(game, whole_matrix(game))
    made = HeldToHardMode(make(scorer), game) if hard else make(scorer)
    start = time.monotonic()
    results = simulate(scorer, made, host, games=games, seed=seed or 0, lie_prob=lie_prob or 0.0,
                       tree=_evil_tree(game, tree) if host == "evil" else None, workers=threads,
                       progress=_progress(start))  # fmt: skip
    seconds = time.monotonic() - start
    if as_json:
        print_json(_record(game, made.name, hard, host, lie_prob, seed or 0, results, seconds))
    else:
        _print(game, made.name + (" (hard mode)" if hard else ""), host, lie_prob, results)


def _player(
    name: str, game: Game, lie_prob: float, threads: int, hard: bool
) -> tuple[Game, Callable[[Scorer], Player]]:
    """The game played (a tree file says which) and what makes the player."""
    from bcsearch.errors import UsageError
    from bcsearch.hard import check_tree
    from bcsearch.players import Bayesian, Consistent, TreeFollower
    from bcsearch.store import read_tree
    from bcsearch.strategies import STRATEGIES

    if name == "bayes":
        return game, lambda scorer: Bayesian(scorer, lie_prob, hard)
    if name in ("first-consistent", "random-consistent"):
        return game, lambda scorer: Consistent(scorer, name == "random-consistent")
    if name in STRATEGIES:
        tree = _greedy(game, name, threads, hard)
        return game, lambda _: TreeFollower(tree, name)
    if name == "optimal":
        stored = read_tree(_optimal(game, hard))
    elif Path(name).exists():
        stored = read_tree(Path(name))
    else:
        known = ", ".join(["optimal", *STRATEGIES, "first-consistent", "random-consistent", "bayes"])
        raise UsageError(f"player {name!r}: no such file; players are tree files and {known}")
    if hard:
        check_tree(stored.path, stored.claims.pool)
    return stored.tree.game, lambda _: TreeFollower(stored.tree, stored.path.stem)


def _optimal(game: Game, hard: bool) -> Path:
    """The optimal tree that comes with the package; raises TreeFileError, saying how to build one, where none does."""
    import shlex

    from bcsearch.errors import TreeFileError
    from bcsearch.shipped import optimal_tree

    try:
        return optimal_tree(game.name)
    except TreeFileError as error:
        rules = f"--game {shlex.quote(game_to_type(game))}" + (" --hard" if hard else "")
        raise TreeFileError(
            f"{error}; build one with 'bcsearch build-tree {rules} --strategy optimal --out FILE', and "
            "give FILE as the player"
        ) from error


def _greedy(game: Game, name: str, threads: int, hard: bool) -> Tree:
    from bcsearch.build import build_greedy
    from bcsearch.executors import LocalExecutor

    with LocalExecutor(threads) as executor:
        return next(iter(build_greedy(game, [name], executor, consistent=False, hard=hard))).tree


def _evil_tree(game: Game, tree: Path | None) -> Tree | None:
    from bcsearch.cli.assist import make_adviser

    stored = make_adviser(game, tree).tree
    return stored.tree if stored else None


def _progress(start: float) -> Callable[[int, int], None]:
    """Tell how far it is, where that takes long: in place on a terminal, now and then elsewhere."""
    import sys

    last = start
    live = sys.stderr.isatty()

    def update(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - start > _LONG and now - last > (0.2 if live else 10.0):
            last = now
            left = (now - start) * (total - done) / done
            text = f"{done} of {counted(total, 'game')}, about {left:.0f} s left"
            click.echo(f"\r\033[K{text}" if live else text, err=True, nl=not live)
        if live and done == total and last > start:
            click.echo("\r\033[K", err=True, nl=False)

    return update


def _print(game: Game, name: str, host: str, lie_prob: float | None, results: Results) -> None:
    from bcsearch.notation import format_secret

    against = f"{host} host" + (f", {lie_prob:g} of replies replaced" if host == "lying" else "")
    click.echo(f"{name} against {'an' if host in ('honest', 'evil') else 'a'} {against}: "
               f"{counted(len(results.games), 'game')} of {game}")  # fmt: skip
    if results.mean is not None:
        error = results.standard_error
        give = f" ± {error:.4f} (standard error)" if error is not None else ""
        click.echo(f"mean          {results.mean:.4f}{give}")
        if results.deviation is not None:
            click.echo(f"deviation     {results.deviation:.4f}")
        click.echo(f"distribution  {','.join(map(str, results.distribution()))}")
        worst = results.worst(_MOST_WORST)
        names = " ".join(format_secret(game, played.secret) for played in worst)
        count = len({played.secret for played in results.games if played.guesses == worst[0].guesses})
        more = f" and {count - len(worst)} more" if count > len(worst) else ""
        click.echo(f"worst         {counted(worst[0].guesses, 'guess')}: {names}{more}")
    if results.lost:
        click.echo(f"lost          {results.lost} (no secret was left that gives all the replies)")


def _record(
    game: Game, name: str, hard: bool, host: str, lie_prob: float | None, seed: int, results: Results, seconds: float
) -> dict[str, Any]:
    from bcsearch.notation import format_secret

    worst = results.worst(len(results.games))
    return {
        "game": game.name,
        "player": name,
        "hard": hard,
        "host": host,
        "lie_prob": lie_prob,
        "seed": seed,
        "games": len(results.games),
        "found": len(results.found),
        "lost": results.lost,
        "mean": results.mean,
        "deviation": results.deviation,
        "standard_error": results.standard_error,
        "distribution": results.distribution(),
        "worst": {
            "guesses": worst[0].guesses if worst else None,
            "secrets": [format_secret(game, played.secret) for played in worst],
        },
        "seconds": round(seconds, 3),
    }
