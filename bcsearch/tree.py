"""A strategy written out as a tree, in arrays; walking it, and its exact guess distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.errors import BcsearchError
from bcsearch.game import Game

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_CHILD = -1  #: in `child`: no candidate gives that reply
WON = -2  #: in `child`, win slot: the guess can be the secret
OPEN = -3  #: in a `Piece`'s `child`: OPEN - k is the k-th part left to another piece


@dataclass(frozen=True)
class Tree:
    """A complete strategy. Nodes are in breadth-first order (parents by row, then replies by index); the root is row 0.

    Attributes
    ----------
    guess
        int32, shape (nodes,): index of the guess asked at the node.
    child
        int32, shape (nodes, replies): row of the next node, `NO_CHILD`, or `WON` in the win slot.
    size
        int32, shape (nodes,): number of candidates at the node.
    depth
        uint8, shape (nodes,): guesses made before the node.
    """

    game: Game
    guess: NDArray[np.int32]
    child: NDArray[np.int32]
    size: NDArray[np.int32]
    depth: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.guess)

    def distribution(self) -> list[int]:
        """How many secrets are found with 1, 2, 3, ... guesses, the winning guess counted."""
        return [int(n) for n in np.bincount(self.depth[self.child[:, -1] == WON])]

    def summary(self) -> Summary:
        """Total, depth and worst."""
        return Summary.of(self.distribution())


@dataclass(frozen=True)
class Summary:
    """T:D:W and the average: what a strategy costs over all secrets."""

    total: int
    depth: int
    worst: int
    secrets: int

    @classmethod
    def of(cls, distribution: Sequence[int]) -> Summary:
        """Sum a distribution up: entry i counts the secrets found with i + 1 guesses."""
        total = sum((i + 1) * n for i, n in enumerate(distribution))
        worst = distribution[-1] if distribution else 0
        return cls(total, len(distribution), worst, sum(distribution))

    @property
    def average(self) -> float:
        """Mean number of guesses over all secrets."""
        return self.total / self.secrets if self.secrets else 0.0

    def __str__(self) -> str:
        return f"{self.total}:{self.depth}:{self.worst}"


@dataclass
class Piece:
    """Some connected nodes of a tree, first node on top, in any order after it.

    Like a `Tree`, but `child` may hold ``OPEN - k``: that part is the top of the piece ``open_keys[k]`` names.
    Made of plain arrays so that it travels between processes.
    """

    guess: NDArray[np.int32]
    child: NDArray[np.int32]
    size: NDArray[np.int32]
    depth: NDArray[np.uint8]
    open_keys: list[str] = field(default_factory=list)


def assemble(game: Game, pieces: dict[str, Piece], top: str) -> Tree:
    """Join pieces, named by key, into one tree with its nodes in breadth-first order.

    The result depends only on the pieces' content: not on the order in which they were made, nor on how the tree was
    cut into pieces.

    Raises
    ------
    BcsearchError
        If a piece is missing.
    """
    order, starts, at = [top], {}, 0
    for key in order:
        if key not in pieces:
            raise BcsearchError(f"the tree has a hole: no result for the subtree {key!r}")
        starts[key] = at
        at += len(pieces[key].guess)
        order.extend(pieces[key].open_keys)
    return breadth_first(
        game,
        np.concatenate([pieces[key].guess for key in order]),
        np.concatenate([_global_rows(pieces[key], starts, key) for key in order]),
        np.concatenate([pieces[key].size for key in order]),
        np.concatenate([pieces[key].depth for key in order]),
    )


def _global_rows(piece: Piece, starts: dict[str, int], key: str) -> NDArray[np.int32]:
    """A piece's `child` with rows counted over all pieces and the open parts filled in."""
    child = np.where(piece.child >= 0, piece.child + starts[key], piece.child).astype(np.int32)
    if piece.open_keys:
        targets = np.array([starts[k] for k in piece.open_keys], dtype=np.int32)
        is_open = child <= OPEN
        child[is_open] = targets[OPEN - child[is_open]]
    return child


def breadth_first(
    game: Game,
    guess: NDArray[np.int32],
    child: NDArray[np.int32],
    size: NDArray[np.int32],
    depth: NDArray[np.uint8],
) -> Tree:
    """Renumber nodes given in any order, root first, breadth-first; unreachable rows are dropped."""
    levels = [np.zeros(1, dtype=np.int32)]
    while len(levels[-1]):
        below = child[levels[-1]].ravel()
        levels.append(below[below >= 0])
    order = np.concatenate(levels)
    row = np.full(len(guess), NO_CHILD, dtype=np.int32)
    row[order] = np.arange(len(order), dtype=np.int32)
    moved = child[order]
    moved = np.where(moved >= 0, row[np.maximum(moved, 0)], moved).astype(np.int32)
    return Tree(game, guess[order], moved, size[order], depth[order])
