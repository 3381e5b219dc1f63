"""All guesses at once, in plain numpy: what each would make of the candidates, best first.

No compiled kernel, so that a question in the middle of a game is answered by a fresh process in a fraction of a second.
For bulls and cows the replies of many guesses to many secrets are one matrix product of small whole numbers:

    key  =  (positions + 1) bulls + common symbols
         =  [(positions + 1) one-hot places, unary counts] . [one-hot places, unary counts]

and a table makes replies of keys. Floats of 32 bits hold all numbers below 2**24 exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.assist import Split
from bcsearch.game import Game
from bcsearch.marks import mark_numbers
from bcsearch.strategies import BY_MAX, BY_ORDER, strategy_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 20  # replies worked on at a time: they stay in the processor's cache
_CHUNK = 1 << 14  # candidates whose features are in memory at a time
_DIRECT = 1 << 24  # replies; beyond this, equivalent guesses are looked for first (which needs compiled kernels)


def reply_rows(game: Game, guesses: NDArray[np.int32], candidates: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Reply index of each guess against each candidate; shape (guesses, candidates), uint8."""
    if game.marks:
        numbers = mark_numbers(game.guesses[guesses], game.secrets[candidates])
        return game.reply_index(numbers).astype(np.uint8)
    table = np.zeros((game.positions + 1) ** 2, dtype=np.uint8)
    table[_key_of_reply(game)] = np.arange(len(game.replies), dtype=np.uint8)
    rows = np.empty((len(guesses), len(candidates)), dtype=np.uint8)
    for some, chunk, keys in _keys(game, guesses, candidates):
        rows[some, chunk] = table[keys]
    return rows


def _keys(
    game: Game, guesses: NDArray[np.int32], candidates: NDArray[np.int32]
) -> Iterator[tuple[slice, slice, NDArray[np.int64]]]:
    """The key of each guess against each candidate (see above), block by block: which guesses, which candidates, keys.

    Whatever the size of the game, only the features of a block are in memory.
    """
    for start in range(0, len(candidates), _CHUNK):
        chunk = slice(start, min(start + _CHUNK, len(candidates)))
        right = _features(game, game.secrets[candidates[chunk]])
        right[:, : game.positions * len(game.alphabet)] *= game.positions + 1
        step = max(1, _BLOCK // len(right))
        for first in range(0, len(guesses), step):
            some = slice(first, min(first + step, len(guesses)))
            yield some, chunk, (_features(game, game.guesses[guesses[some]]) @ right.T).astype(np.int64)


def _features(game: Game, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """One-hot places and unary symbol counts of codes, side by side; float32, shape (codes, features)."""
    places = codes[:, :, None] == np.arange(len(game.alphabet))
    held = places.sum(axis=1, dtype=np.uint8)
    counts = held[:, :, None] >= np.arange(1, game.most_repeats + 1)
    return np.hstack([places.reshape(len(codes), -1), counts.reshape(len(codes), -1)]).astype(np.float32)


def _key_of_reply(game: Game) -> list[int]:
    """The key of each reply."""
    return [(game.positions + 1) * bulls + bulls + cows for bulls, cows in game.replies]


def part_sizes(game: Game, guesses: NDArray[np.int32], candidates: NDArray[np.int32]) -> NDArray[np.int64]:
    """Size of the part of each reply to each guess; shape (guesses, replies), int64."""
    if game.marks:
        return _part_sizes_of_words(game, guesses, candidates)
    width = (game.positions + 1) ** 2
    sizes = np.zeros((len(guesses), width), dtype=np.int64)
    for some, _, keys in _keys(game, guesses, candidates):
        keys += np.arange(0, width * len(keys), width)[:, None]
        sizes[some] += np.bincount(keys.ravel(), minlength=width * len(keys)).reshape(-1, width)
    return sizes[:, _key_of_reply(game)]


def _part_sizes_of_words(game: Game, guesses: NDArray[np.int32], candidates: NDArray[np.int32]) -> NDArray[np.int64]:
    width = len(game.replies)
    sizes = np.empty((len(guesses), width), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(candidates)))
    for start in range(0, len(guesses), step):
        slots = reply_rows(game, guesses[start : start + step], candidates).astype(np.int64)
        slots += np.arange(0, width * len(slots), width)[:, None]
        sizes[start : start + step] = np.bincount(slots.ravel(), minlength=width * len(slots)).reshape(-1, width)
    return sizes


@dataclass(frozen=True)
class Ranking:
    """Guesses with what they make of the candidates, in code order.

    Attributes
    ----------
    guesses
        Guess indices ascending, int32, shape (guesses,); where there are very many, one of each class of equivalents.
    sizes
        Part sizes, int64, shape (guesses, replies).
    order
        Rows of `guesses`, best first by (score, guess is not a candidate, code index).
    """

    guesses: NDArray[np.int32]
    sizes: NDArray[np.int64]
    order: NDArray[np.intp]

    def best(self, count: int) -> list[int]:
        """Indices of the first few guesses."""
        return [int(guess) for guess in self.guesses[self.order[:count]]]

    @property
    def is_candidate(self) -> NDArray[np.bool_]:
        """Whether each guess may be the secret, shape (guesses,)."""
        found: NDArray[np.bool_] = self.sizes[:, -1] > 0
        return found

    def split(self, guess: int) -> Split:
        """Parts of one guess of the ranking."""
        return split_of(self.sizes[int(np.searchsorted(self.guesses, guess))])

    def best_candidates(self, count: int) -> list[int]:
        """Indices of the first few guesses that may be the secret."""
        rows = self.order[self.is_candidate[self.order]]
        return [int(guess) for guess in self.guesses[rows[:count]]]


def split_of(sizes: NDArray[np.int64]) -> Split:
    """A row of part sizes as a `Split`."""
    return Split(tuple(int(size) for size in sizes), bool(sizes[-1]))


def rank_guesses(
    game: Game,
    candidates: NDArray[np.int32],
    strategy: str = "entropy",
    asked: tuple[int, ...] = (),
    direct: int | None = None,
    only: NDArray[np.int32] | None = None,
) -> Ranking:
    """Rank all guesses by a greedy strategy's score and the tie rule.

    Parameters
    ----------
    asked
        Guesses made so far. Where very many replies would have to be looked at, guesses that are equivalent after them
        are ranked once.
    direct
        How many replies are worked out before equivalent guesses are looked for.
    only
        The guesses that may be asked, ascending; None for all.
    """
    guesses = np.arange(len(game.guesses), dtype=np.int32) if only is None else only
    if only is None and len(guesses) * len(candidates) > (direct or _DIRECT):
        from bcsearch.symmetry import canonical_guesses

        guesses = canonical_guesses(game, asked)
    sizes = part_sizes(game, guesses, candidates)
    order = np.lexsort((guesses, sizes[:, -1] == 0, scores(strategy, sizes, len(candidates))))
    return Ranking(guesses, sizes, order)


def scores(strategy: str, sizes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Score of each row of part sizes under a greedy strategy, int64; smaller is better."""
    chosen = strategy_named(strategy)
    if chosen.combine == BY_ORDER:
        return np.zeros(len(sizes), dtype=np.int64)
    weights = _weights(strategy, n)[sizes]
    total: NDArray[np.int64] = weights.max(axis=1) if chosen.combine == BY_MAX else weights.sum(axis=1)
    return total


@lru_cache(maxsize=4096)
def _weights(strategy: str, n: int) -> NDArray[np.int64]:
    return strategy_named(strategy).weights(n)
