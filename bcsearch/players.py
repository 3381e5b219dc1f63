"""Who guesses: players that can be set against any host.

A player begins games; a game in progress names its next guess and takes the reply. A player whose way of thinking
leaves no guess, because somebody lied, says so with None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from bcsearch.bayes import ImpossibleRepliesError, Posterior, best_guesses
from bcsearch.errors import BcsearchError
from bcsearch.game import Game
from bcsearch.hard import allowed_after, broken_rule, check_hard
from bcsearch.hosts import Scorer
from bcsearch.notation import format_code, format_history
from bcsearch.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Playing(Protocol):
    """A game in progress, seen by the one who guesses."""

    def guess(self) -> int | None:
        """Index of the next guess; None where no secret is left that could be it."""

    def take(self, guess: int, reply: int) -> None:
        """Learn a reply (index)."""


class Player(Protocol):
    """Begins games; `rolls_dice` says whether it leaves anything to chance."""

    name: str
    rolls_dice: bool

    def begin(self, random: np.random.Generator) -> Playing:
        """Start a game; what is left to chance comes from `random`."""


class TreeFollower:
    """Asks what a tree says."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree, self.name = tree, name
        self.rolls_dice = False

    def begin(self, random: np.random.Generator) -> Playing:
        """Start at the root."""
        return _OnTree(self.tree)


class _OnTree:
    def __init__(self, tree: Tree) -> None:
        self.tree, self.row = tree, 0

    def guess(self) -> int | None:
        return int(self.tree.guess[self.row]) if self.row >= 0 else None

    def take(self, guess: int, reply: int) -> None:
        self.row = int(self.tree.child[self.row, reply])


class Consistent:
    """Asks a candidate: the first in code order, or any at random."""

    def __init__(self, scorer: Scorer, at_random: bool = False) -> None:
        self.scorer, self.rolls_dice = scorer, at_random
        self.name = "random-consistent" if at_random else "first-consistent"
        self.first: NDArray[np.int32] = np.arange(len(scorer.game.secrets), dtype=np.int32)
        self.known: dict[tuple[tuple[int, int], ...], NDArray[np.int32]] = {}  # after the first replies, which recur

    def begin(self, random: np.random.Generator) -> Playing:
        """Start with all secrets as candidates."""
        return _Candidates(self, random)


class _Candidates:
    _REMEMBERED = 2  # rows after which candidates are kept for other games; random guesses hardly recur

    def __init__(self, player: Consistent, random: np.random.Generator) -> None:
        self.player, self.random = player, random
        self.left, self.rows = player.first, tuple[tuple[int, int], ...]()

    def guess(self) -> int | None:
        if not len(self.left):
            return None
        at = int(self.random.integers(len(self.left))) if self.player.rolls_dice else 0
        return int(self.player.scorer.game.guess_of_secret[self.left[at]])

    def take(self, guess: int, reply: int) -> None:
        self.rows = (*self.rows, (guess, reply))
        known = self.player.known.get(self.rows)
        if known is None:
            known = self.left[self.player.scorer.row(guess, self.left) == reply]
            if len(self.rows) <= self._REMEMBERED and not self.player.rolls_dice:
                self.player.known[self.rows] = known
        self.left = known


class Bayesian:
    """Asks what tells most about the secret when replies may be wrong; see `bayes`. `hard` keeps to hard mode."""

    name = "bayes"
    rolls_dice = False

    def __init__(self, scorer: Scorer, lie_prob: float, hard: bool = False) -> None:
        self.scorer, self.lie_prob, self.hard = scorer, lie_prob, hard
        self.first = Posterior.start(scorer, lie_prob)
        self.chosen: dict[tuple[tuple[int, int], ...], int] = {}  # games share their beginnings

    def begin(self, random: np.random.Generator) -> BayesianGame:
        """Start with all secrets equally likely."""
        return BayesianGame(self)


class BayesianGame:
    """A game of a `Bayesian`; `posterior` is None once the replies are impossible."""

    _REMEMBERED = 4  # guesses; later ones are rarely met again, unless nobody lies

    def __init__(self, player: Bayesian) -> None:
        self.player = player
        self.history: tuple[tuple[int, int], ...] = ()
        self.posterior: Posterior | None = player.first

    def guess(self) -> int | None:
        """The guess that tells most."""
        if self.posterior is None:
            return None
        chosen = self.player.chosen
        if self.history not in chosen:
            only = allowed_after(self.player.scorer.game, self.history) if self.player.hard else None
            best = best_guesses(self.posterior, 1, tuple(guess for guess, _ in self.history), only)[0].guess
            if len(self.history) >= self._REMEMBERED and self.player.lie_prob > 0:
                return best
            chosen[self.history] = best
        return chosen[self.history]

    def take(self, guess: int, reply: int) -> None:
        """Update the posterior."""
        self.history = (*self.history, (guess, reply))
        if self.posterior is not None:
            try:
                self.posterior = self.posterior.update(guess, reply)
            except ImpossibleRepliesError:
                self.posterior = None


class HeldToHardMode:
    """Any player under the rule of hard mode (see `hard`): a guess that breaks it ends the games with an error.

    Raises UsageError for games that have no hard mode.
    """

    def __init__(self, player: Player, game: Game) -> None:
        check_hard(game)
        self.player, self.game = player, game
        self.name, self.rolls_dice = player.name, player.rolls_dice

    def begin(self, random: np.random.Generator) -> Playing:
        """Start the player's game."""
        return _Held(self, self.player.begin(random))


class _Held:
    def __init__(self, held: HeldToHardMode, playing: Playing) -> None:
        self.game, self.name, self.playing = held.game, held.name, playing
        self.rows: tuple[tuple[int, int], ...] = ()

    def guess(self) -> int | None:
        guess = self.playing.guess()
        broken = None if guess is None else broken_rule(self.game, guess, self.rows)
        if guess is not None and broken is not None:
            raise BcsearchError(
                f"{self.name} asks {format_code(self.game, guess)} after {format_history(self.game, self.rows)}, which "
                f"hard mode forbids: {broken}"
            )
        return guess

    def take(self, guess: int, reply: int) -> None:
        self.rows = (*self.rows, (guess, reply))
        self.playing.take(guess, reply)
