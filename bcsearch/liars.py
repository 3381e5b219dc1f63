"""At most k wrong replies: no probabilities, only what can still be.

The win is announced truthfully, as in `bayes`; of the other replies up to k in the whole game may be wrong, in any way
but a false win. A state says of each secret how many replies would have been wrong; a secret with more than k is out.
For small games the fewest guesses that are surely enough are found exactly; elsewhere a greedy guess keeps the volume
of what can still be small (Berlekamp 1968: a secret that may still be lied about j times weighs (R-1)**j).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.bayes import ImpossibleRepliesError
from bcsearch.errors import UsageError
from bcsearch.hosts import Scorer
from bcsearch.ranking import part_sizes, reply_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_STATES = 100_000  # looked at before an exact answer is given up
_MOST_COUNTED = 250  # wrong replies, for an exact answer: a state counts them in bytes


@dataclass(frozen=True)
class Doubt:
    """What can still be, when at most `most` replies are wrong. Immutable; `update` gives the next one.

    Attributes
    ----------
    secrets
        Secrets still possible, int32, ascending.
    wrong
        How many replies are wrong if that secret is the one, int64, at most `most`.
    """

    scorer: Scorer
    most: int
    secrets: NDArray[np.int32]
    wrong: NDArray[np.int64]

    @classmethod
    def start(cls, scorer: Scorer, most: int) -> Doubt:
        """Before the first guess; raises UsageError where `most` is negative."""
        if most < 0:
            raise UsageError(f"at most {most} wrong replies: 0 or more are wanted")
        secrets = np.arange(len(scorer.game.secrets), dtype=np.int32)
        return cls(scorer, most, secrets, np.zeros(len(secrets), dtype=np.int64))

    def update(self, guess: int, reply: int) -> Doubt:
        """After one more reply; raises ImpossibleRepliesError where no secret is left."""
        game = self.scorer.game
        true = self.scorer.row(guess, self.secrets)
        wrong = self.wrong + (true != reply)
        possible = true == game.win if reply == game.win else (true != game.win) & (wrong <= self.most)
        if not possible.any():
            raise ImpossibleRepliesError(f"no secret of {game} can have given these replies with at most {self.most} "
                                         "of them wrong")  # fmt: skip
        return Doubt(self.scorer, self.most, self.secrets[possible], wrong[possible])

    def counts(self) -> list[int]:
        """How many of the possible secrets need 0, 1, ... wrong replies, up to the most that any needs."""
        return [int(n) for n in np.bincount(self.wrong)]

    def best_guess(self) -> int:
        """Index of the guess whose worst reply leaves the smallest volume; ties: candidates first, then code order."""
        game = self.scorer.game
        guesses = np.arange(len(game.guesses), dtype=np.int32)
        volume = np.zeros((len(guesses), game.win))
        hits = np.zeros(len(guesses), dtype=bool)
        for wrong, (right, lied) in self._weights().items():
            group = self.secrets[self.wrong == wrong]
            sizes = part_sizes(game, guesses, group)
            others = (len(group) - sizes[:, -1])[:, None] - sizes[:, :-1]
            volume += sizes[:, :-1] * right + others * lied
            hits |= sizes[:, -1] > 0
        return int(np.lexsort((guesses, ~hits, volume.max(axis=1, initial=0.0)))[0])

    def _weights(self) -> dict[int, tuple[float, float]]:
        """What a secret with so many wrong replies weighs after a reply that fits it, and after one that does not.

        Powers of the replies but the win by the lies still left, up to a common factor, and so small numbers however
        many lies may come; in a game too long for a float, the smallest of them are 0.
        """
        base = len(self.scorer.game.replies) - 1
        left = {int(wrong): self.most - int(wrong) for wrong in np.unique(self.wrong)}
        shift = max(0, min(left.values()) - 1)
        top = max(left.values()) - shift
        fits = top * max(1, base).bit_length() < 1000

        def power(exponent: int) -> float:
            return float(base**exponent) if fits else float(base) ** (exponent - top)

        return {wrong: (power(lies - shift), power(lies - 1 - shift) if lies else 0.0) for wrong, lies in left.items()}

    def fewest_guesses(self) -> int | None:
        """Fewest guesses that surely find the secret from here; None where the game is too large to tell."""
        cells = len(self.scorer.game.guesses) * len(self.secrets)
        return _Solver(self).solve() if cells <= _MOST_STATES else None


class _TooManyError(Exception):
    pass


class _Solver:
    """Can k guesses be enough? For growing k, with a memory of states; a state is the wrong count of every secret."""

    def __init__(self, doubt: Doubt) -> None:
        game = doubt.scorer.game
        most = min(doubt.most, len(doubt.secrets), _MOST_COUNTED)  # asking one secret after the other is always enough
        self.most_is_told = most in (doubt.most, len(doubt.secrets))
        self.win, self.out = game.win, most + 1
        rows = reply_rows(game, np.arange(len(game.guesses), dtype=np.int32), doubt.secrets)
        self.rows = np.unique(rows, axis=0)  # guesses with the same replies are the same guess
        lies = [doubt.most - wrong for wrong in doubt.wrong.tolist()]
        self.first = np.array([most - min(left, most) for left in lies], dtype=np.uint8)
        self.known: dict[tuple[bytes, int], bool] = {}

    def solve(self) -> int | None:
        if not self.most_is_told:
            return None
        try:
            k = 1
            while not self.enough(self.first, k):
                k += 1
            return k
        except (_TooManyError, RecursionError):
            return None

    def enough(self, state: NDArray[np.uint8], k: int) -> bool:
        """Whether k guesses find every secret that the state leaves open."""
        left = int((state < self.out).sum())
        if left <= 1:
            return left <= k
        if k == 1:
            return False
        key = state.tobytes(), k
        if key not in self.known:
            if len(self.known) >= _MOST_STATES:
                raise _TooManyError
            self.known[key] = any(self.wins(state, row, k) for row in self.rows)
        return self.known[key]

    def wins(self, state: NDArray[np.uint8], row: NDArray[np.uint8], k: int) -> bool:
        """Whether a guess leaves, after each reply but the win, states for which k - 1 guesses are enough."""
        for reply in range(self.win):
            after = np.where(row == self.win, self.out, np.minimum(state + (row != reply), self.out)).astype(np.uint8)
            if (after == state).all() or not self.enough(after, k - 1):
                return False
        return True
