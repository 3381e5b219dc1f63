"""A position in a game: what is still possible after a history, and what a guess would tell."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.game import Game
from bcsearch.marks import mark_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 1 << 18  # candidates looked at together: of large games, all would need much memory


def reply_row(game: Game, guess: int, candidates: NDArray[np.int32]) -> NDArray[np.intp]:
    """Reply index of one guess against each candidate, shape (candidates,).

    Plain numpy, no compiled kernel: for one guess at a time, at once in a fresh process.
    """
    row = np.empty(len(candidates), dtype=np.intp)
    for start in range(0, len(candidates), _CHUNK):
        row[start : start + _CHUNK] = _replies(
            game, game.guesses[guess], game.secrets[candidates[start : start + _CHUNK]]
        )
    return row


def _replies(game: Game, code: NDArray[np.uint8], secrets: NDArray[np.uint8]) -> NDArray[np.intp]:
    if game.marks:
        return game.reply_index(mark_numbers(code[None], secrets)[0]).astype(np.intp)
    bulls = (secrets == code).sum(axis=1)
    common = np.zeros(len(secrets), dtype=np.intp)
    for symbol, held in zip(*np.unique(code, return_counts=True), strict=True):
        common += np.minimum((secrets == symbol).sum(axis=1), held)
    index = np.full((game.positions + 1, game.positions + 1), -1, dtype=np.intp)
    for i, (b, c) in enumerate(game.replies):
        index[b, c] = i
    replies: NDArray[np.intp] = index[bulls, common - bulls]
    return replies


def candidates_after(game: Game, history: tuple[tuple[int, int], ...]) -> NDArray[np.int32]:
    """Indices of the secrets that give all replies of a history of (guess, reply) indices; int32, ascending."""
    candidates = np.arange(len(game.secrets), dtype=np.int32)
    for guess, reply in history:
        candidates = candidates[reply_row(game, guess, candidates) == reply]
    return candidates


@dataclass(frozen=True)
class Split:
    """How a guess splits candidates into parts.

    Attributes
    ----------
    sizes
        Size of the part of each reply, by reply index.
    is_candidate
        Whether the guess may be the secret.
    """

    sizes: tuple[int, ...]
    is_candidate: bool

    @property
    def candidates(self) -> int:
        """Number of candidates before the guess."""
        return sum(self.sizes)

    @property
    def parts(self) -> int:
        """Number of parts that are not empty."""
        return sum(size > 0 for size in self.sizes)

    @property
    def largest(self) -> int:
        """Size of the largest part."""
        return max(self.sizes)

    @property
    def expected_size(self) -> float:
        """Mean number of candidates left, over the secrets."""
        return sum(size * size for size in self.sizes) / self.candidates if self.candidates else 0.0

    @property
    def entropy(self) -> float:
        """Bits the reply tells on average."""
        n = self.candidates
        return log2(n) - sum(size * log2(size) for size in self.sizes if size) / n if n else 0.0


def split_by(game: Game, guess: int, candidates: NDArray[np.int32]) -> Split:
    """Partition of the candidates by a guess."""
    sizes = np.bincount(reply_row(game, guess, candidates), minlength=len(game.replies))
    return Split(tuple(int(size) for size in sizes), bool(sizes[game.win]))
