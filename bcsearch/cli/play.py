"""``bcsearch play``: the program guesses, you guess, or both in turns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bcsearch.cli.params import (
    DEFAULT_GAME,
    GAME_HELP,
    TREE_PATH,
    GameType,
    hard_option,
    host_option,
    json_option,
    lie_option,
    notation_option,
    seed_option,
    with_guesses,
)

if TYPE_CHECKING:
    from bcsearch.game import Game
    from bcsearch.hosts import Host
    from bcsearch.store import StoredTree

MODES = ("program", "you", "race")


@dataclass(frozen=True)
class Setup:
    """What a game is played with."""

    game: Game
    tree: StoredTree | None
    secret: int | None
    host: str
    lie_prob: float | None
    seed: int | None
    notation: str
    as_json: bool
    hard: bool = False

    def make_host(self, secret: int | None = None) -> Host:
        """Who answers your guesses, with this secret or a random one."""
        import numpy as np

        from bcsearch.hosts import EvilHost, HonestHost, LyingHost, Scorer

        random = np.random.default_rng(self.seed)
        scorer = Scorer(self.game)
        if self.host == "evil":
            return EvilHost(scorer, self.tree.tree if self.tree else None)
        hidden = int(random.integers(len(self.game.secrets))) if secret is None else secret
        if self.host == "lying":
            return LyingHost(scorer, hidden, self.lie_prob or 0.0, random)
        return HonestHost(scorer, hidden)


@click.command("play")
@click.argument("tree", type=TREE_PATH, required=False)
@click.option("--mode", type=click.Choice(MODES), help="Who guesses; program, or you where --host is given.")
@click.option("--game", type=GameType(), help=f"Rules, where no TREE says them (default: {DEFAULT_GAME}): {GAME_HELP}")
@click.option("--guesses", metavar="RULES", help="Rules of the guesses, where they are not those of the secrets.")
@click.option("--secret", metavar="CODE", help="Secret the program finds by itself; with --mode you, yours to find.")
@hard_option
@host_option
@lie_option
@seed_option
@notation_option
@json_option
@click.pass_context
def command(
    context: click.Context, tree: Path | None, mode: str | None, game: Game | None, guesses: str | None,
    secret: str | None, hard: bool, host: str,
    lie_prob: float | None, seed: int | None, notation: str, as_json: bool,
) -> None:  # fmt: skip
    """Play: the program finds your secret from the file TREE, you find the program's, or both in turns.

    Without TREE, the optimal tree that comes with the package is used. Replies are read as '1A2B' or '1 2' (1 in
    place, 2 misplaced) and in other notations; 'help' during a game lists what else can be typed.

    \b
    Examples:
      bcsearch play
      bcsearch play trees/p4c10n-entropy.tree --secret 0395
      bcsearch play --mode you --seed 1
      bcsearch play --mode you --host evil
      bcsearch play --mode you --host lying --lie-prob 0.05
      bcsearch play --mode race
      bcsearch play --game words:words.txt
    """
    from bcsearch.cli.play_program import play_program
    from bcsearch.cli.play_you import play_race, play_you
    from bcsearch.notation import parse_secret

    given = context.get_parameter_source("host") == click.core.ParameterSource.COMMANDLINE
    chosen = mode or ("you" if given else "program")
    if host == "lying" and lie_prob is None:
        raise click.UsageError("--host lying needs --lie-prob Q")
    if chosen != "program" and host != "lying" and lie_prob is not None:
        raise click.UsageError("--lie-prob goes with --host lying, or with --mode program")
    if host == "evil" and (chosen == "program" or secret is not None):
        raise click.UsageError("--host evil has no secret, and answers your guesses: --mode you or race")
    rules, stored = _rules(tree, _with_guesses(game, guesses), chosen)
    index = parse_secret(rules, secret) if secret is not None else None
    setup = Setup(rules, stored, index, host, lie_prob, seed, notation, as_json, hard)
    _check_hard(setup)
    {"program": play_program, "you": play_you, "race": play_race}[chosen](setup)


def _check_hard(setup: Setup) -> None:
    """Hard mode needs a word game, and a tree that keeps to it."""
    from bcsearch.advice import Adviser

    if setup.hard and setup.lie_prob is not None:
        raise click.UsageError("--hard needs true replies: it excludes --lie-prob and --host lying")
    Adviser(setup.game, setup.tree, hard=setup.hard)


def _with_guesses(game: Game | None, guesses: str | None) -> Game | None:
    if game is None and guesses is not None:
        raise click.UsageError("--guesses goes with --game")
    return with_guesses(game, guesses) if game else None


def _rules(tree: Path | None, game: Game | None, mode: str) -> tuple[Game, StoredTree | None]:
    """The game, and the tree to play it with."""
    from bcsearch.game import parse_game
    from bcsearch.shipped import shipped_tree_for
    from bcsearch.store import read_tree

    wanted = game or (parse_game(DEFAULT_GAME) if tree is None else None)
    path = tree or (shipped_tree_for(wanted.name) if wanted else None)
    stored = read_tree(path) if path else None
    if stored and wanted and stored.tree.game != wanted:
        raise click.UsageError(f"{tree}: a tree of {stored.tree.game}, but --game is {wanted}")
    rules = stored.tree.game if stored else wanted
    assert rules is not None
    return rules, stored
