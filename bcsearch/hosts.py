"""Who answers: a host knows or pretends to know a secret, and replies to guesses.

=======  ===================================================================================================
honest   has a secret and tells the truth
evil     has none yet: keeps the answer open as long as it can, and never contradicts itself
lying    has a secret; each reply but the win is, with probability q, replaced by one drawn uniformly from all
         replies that are not the win. The win is always announced, and never claimed falsely
=======  ===================================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from bcsearch.assist import reply_row
from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOSTS = ("honest", "evil", "lying")


class Scorer:
    """Replies of one guess at a time: from the reply matrix where there is one, else worked out in numpy.

    Parameters
    ----------
    matrix
        Reply matrix, uint8, shape (guesses, secrets), or None.
    """

    def __init__(self, game: Game, matrix: NDArray[np.uint8] | None = None) -> None:
        self.game, self.matrix = game, matrix

    def row(self, guess: int, secrets: NDArray[np.int32]) -> NDArray[np.integer]:
        """Reply index of a guess against each secret, shape (secrets,)."""
        return reply_row(self.game, guess, secrets) if self.matrix is None else self.matrix[guess, secrets]

    def one(self, guess: int, secret: int) -> int:
        """Reply index of a guess against one secret."""
        return int(self.row(guess, np.array([secret], dtype=np.int32))[0])


class Host(Protocol):
    """What every host can do."""

    def reply(self, guess: int) -> int:
        """Index of the reply to a guess."""

    def reveal(self) -> int:
        """Index of the secret, or of one that fits all replies given."""


class HonestHost:
    """Tells the truth about one secret (an index)."""

    def __init__(self, scorer: Scorer, secret: int) -> None:
        self.scorer, self.secret = scorer, secret

    def reply(self, guess: int) -> int:
        """The true reply."""
        return self.scorer.one(guess, self.secret)

    def reveal(self) -> int:
        """The secret."""
        return self.secret


class EvilHost:
    """Gives the reply that keeps the game going longest.

    While the guesses are those of `tree` (best an optimal one), the reply whose branch is the deepest, the largest
    part among equals; off its path, the reply with the largest part. Ties go to the reply first in order, the win
    only where it is all that is left.
    """

    def __init__(self, scorer: Scorer, tree: Tree | None = None) -> None:
        self.scorer = scorer
        self.tree = tree
        self.row: int | None = 0 if tree is not None else None
        self.heights = branch_heights(tree) if tree is not None else None
        self.candidates = np.arange(len(scorer.game.secrets), dtype=np.int32)

    def reply(self, guess: int) -> int:
        """The most evasive reply."""
        game = self.scorer.game
        row = self.scorer.row(guess, self.candidates)
        sizes = np.bincount(row, minlength=len(game.replies))
        reply = max((r for r in range(len(sizes)) if sizes[r]), key=lambda r: self._worth(guess, r, int(sizes[r])))
        self.candidates = self.candidates[row == reply]
        self.row = self._below(guess, reply)
        return int(reply)

    def _worth(self, guess: int, reply: int, size: int) -> tuple[int, int, int, int]:
        below = self._below(guess, reply)
        depth = int(self.heights[below]) if below is not None and self.heights is not None else 0
        return int(reply != self.scorer.game.win), depth, size, -reply

    def _below(self, guess: int, reply: int) -> int | None:
        """Row of the tree that a reply leads to; None off its path."""
        if self.tree is None or self.row is None or self.tree.guess[self.row] != guess:
            return None
        child = int(self.tree.child[self.row, reply])
        return child if child >= 0 else None

    def reveal(self) -> int:
        """The first secret that fits."""
        return int(self.candidates[0])


class LyingHost:
    """Has a secret and lies now and then; see the module's table."""

    def __init__(self, scorer: Scorer, secret: int, lie_prob: float, random: np.random.Generator) -> None:
        self.scorer, self.secret, self.random = scorer, secret, random
        self.lie_prob = check_probability(lie_prob)
        self.lies: list[bool] = []  #: for each reply given, whether it was not the true one

    def reply(self, guess: int) -> int:
        """The true reply, or one drawn from all but the win."""
        true = self.scorer.one(guess, self.secret)
        win = self.scorer.game.win
        given = true
        if true != win and self.random.random() < self.lie_prob:
            given = int(self.random.integers(win))  # the win is the last index
        self.lies.append(given != true)
        return given

    def reveal(self) -> int:
        """The secret."""
        return self.secret


def check_probability(value: float) -> float:
    """A probability as it was given; raises UsageError for anything else."""
    if not 0.0 <= value <= 1.0:  # also for nan
        raise UsageError(f"probability of a wrong reply {value}: a number from 0 to 1 is wanted")
    return float(value)


def branch_heights(tree: Tree) -> NDArray[np.int64]:
    """Most guesses still needed at each node of a tree, shape (nodes,); from the leaves up, children being later."""
    heights = np.ones(len(tree), dtype=np.int64)
    for depth in range(int(tree.depth.max()) - 1, -1, -1):
        rows = np.flatnonzero(tree.depth == depth)
        below = np.where(tree.child[rows] >= 0, heights[np.maximum(tree.child[rows], 0)], 0)
        heights[rows] = 1 + below.max(axis=1)
    return heights
