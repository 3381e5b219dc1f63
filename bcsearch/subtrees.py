"""What is still to come below each node of a tree, and how many guesses each secret needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.tree import WON, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class StillToCome:
    """Guesses still to come from a node on, its own guess counted, for the candidates there.

    Attributes
    ----------
    total
        int64, shape (nodes,): sum over the node's candidates.
    worst
        int64, shape (nodes,): most guesses any of them needs.
    """

    total: NDArray[np.int64]
    worst: NDArray[np.int64]


def still_to_come(tree: Tree) -> StillToCome:
    """Sum up from the leaves: each candidate of a node costs its guess, and what its part costs below."""
    total = tree.size.astype(np.int64)
    worst = np.ones(len(tree), dtype=np.int64)
    parent, reply = np.nonzero(tree.child >= 0)
    below = tree.child[parent, reply]
    for depth in range(int(tree.depth.max()), 0, -1):
        level = tree.depth[below] == depth
        np.add.at(total, parent[level], total[below[level]])
        np.maximum.at(worst, parent[level], worst[below[level]] + 1)
    return StillToCome(total, worst)


def guesses_needed(tree: Tree) -> NDArray[np.int64]:
    """How many guesses each secret needs, by secret index; int64, shape (secrets,); 0 where the tree finds it not."""
    needed = np.zeros(len(tree.game.secrets), dtype=np.int64)
    wins = tree.child[:, -1] == WON
    needed[tree.game.secret_of_guess[tree.guess[wins]]] = tree.depth[wins].astype(np.int64) + 1
    return needed


def parents(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row of each node's parent and the reply that leads to it; int64, shape (nodes,) each; -1 for the root."""
    above = np.full(len(tree), -1, dtype=np.int64)
    via = np.full(len(tree), -1, dtype=np.int64)
    parent, reply = np.nonzero(tree.child >= 0)
    rows = tree.child[parent, reply]
    above[rows], via[rows] = parent, reply
    return above, via
