"""From values to a tree: ask at every node the guess that the search chose there.

Nodes that the split search solved have their guess recorded; below, each node is solved again, which the cache makes
cheap and which gives the same guess with or without it (see `search`). Where no guess is left within the limit of
`win-within`, the tree goes on greedily (entropy), so that it is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.expand import History, Item, Plan, expand
from bcsearch.game import Game
from bcsearch.optimal.search import FULL, INFINITE, LOST, UNBOUNDED
from bcsearch.optimal.split import Search, Subproblem, Task, solve_subproblem
from bcsearch.scoring import Replies, fill_replies, packed_candidates
from bcsearch.tree import NO_CHILD, WON, Tree, breadth_first

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Extraction:
    """Rows of a tree that is being written out."""

    def __init__(self, task: Task, source: Replies, chosen: dict[tuple[History, int], int]) -> None:
        self.task, self.source, self.game, self.chosen = task, source, task.game, chosen
        self.guess: list[NDArray[np.int32]] = []
        self.child: list[NDArray[np.int32]] = []
        self.size: list[NDArray[np.int32]] = []
        self.depth: list[NDArray[np.uint8]] = []
        self.rows = 0

    def grow(self, history: History, candidates: NDArray[np.int32], k: int) -> int:
        """Add the node of `candidates` and all below it; returns its row."""
        guess = self.guess_at(history, candidates, k)
        if guess < 0:
            return self.grow_greedily(history, candidates)
        win = self.game.win
        replies = np.empty(len(candidates), dtype=np.uint8)
        fill_replies(self.source, guess, candidates, *packed_candidates(self.source, candidates), replies)
        child = np.full((1, win + 1), NO_CHILD, dtype=np.int32)
        row = self.add(
            np.array([guess], dtype=np.int32),
            child,
            np.array([len(candidates)], dtype=np.int32),
            np.array([len(history)], dtype=np.uint8),
        )
        below = k if k >= UNBOUNDED else k - 1
        for reply in range(win):
            part = candidates[replies == reply]
            if len(part):
                child[0, reply] = self.grow((*history, (guess, reply)), part, below)
        if (replies == win).any():
            child[0, win] = WON
        return row

    def add(
        self, guess: NDArray[np.int32], child: NDArray[np.int32], size: NDArray[np.int32], depth: NDArray[np.uint8]
    ) -> int:
        """Append rows; returns the first one's number."""
        self.guess.append(guess)
        self.child.append(child)
        self.size.append(size)
        self.depth.append(depth)
        self.rows += len(guess)
        return self.rows - len(guess)

    def guess_at(self, history: History, candidates: NDArray[np.int32], k: int) -> int:
        """The guess of a node, or -1 where the task has nothing left to say."""
        if (history, k) in self.chosen:
            return self.chosen[history, k]
        if len(candidates) <= 2 and k >= len(candidates):
            return int(self.game.guess_of_secret[candidates[0]])
        if self.task.mode == LOST and k < 1:
            return -1
        _, guess, _ = solve_subproblem(self.task, self.source, Subproblem(history, candidates, k, INFINITE, FULL))
        return guess

    def grow_greedily(self, history: History, candidates: NDArray[np.int32]) -> int:
        """Add a greedy subtree."""
        plan = Plan(self.game, "entropy", self.task.consistent)
        piece, _, _ = expand(plan, self.source, Item(history, candidates))
        child = np.where(piece.child >= 0, piece.child + self.rows, piece.child).astype(np.int32)
        return self.add(piece.guess, child, piece.size, piece.depth)

    def tree(self) -> Tree:
        """The rows as a tree."""
        return breadth_first(
            self.game,
            np.concatenate(self.guess),
            np.concatenate(self.child),
            np.concatenate(self.size),
            np.concatenate(self.depth),
        )


def extract(search: Search, source: Replies, k: int) -> Tree:
    """Write the tree of a finished search out."""
    game: Game = search.game
    extraction = Extraction(search.task, source, search.chosen)
    extraction.grow((), np.arange(len(game.secrets), dtype=np.int32), k)
    return extraction.tree()
