"""A finished game looked back on: what each guess told, what the best would have told, skill and luck.

A reply tells bits: how much less there is to know after it. What a guess tells on average is its doing, the rest
luck:

    skill   bits told on average by the guesses asked, as a share of those of the best guesses in their places
    luck    bits told in fact, less those told on average

Where replies may be wrong, bits are those of the posterior (see `bayes`), which a lie can also take away.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np

from bcsearch.assist import split_by
from bcsearch.bayes import Posterior, best_guesses, information
from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.hard import allowed_after
from bcsearch.hosts import Scorer
from bcsearch.ranking import rank_guesses

History = tuple[tuple[int, int], ...]

_DIRECT = 1 << 26  # replies of one turn that are worked out without compiled kernels


@dataclass(frozen=True)
class Turn:
    """One guess looked back on.

    Attributes
    ----------
    left
        Candidates after it; where replies may be wrong, their effective number.
    told, expected
        Bits the reply told, and bits the guess tells on average.
    best, best_guess
        The same average of the best guess in its place, and that guess.
    """

    guess: int
    reply: int
    left: float
    told: float
    expected: float
    best: float
    best_guess: int


@dataclass(frozen=True)
class Summary:
    """All turns of a game."""

    turns: tuple[Turn, ...]

    @property
    def skill(self) -> float:
        """Share of the bits that the best guesses tell on average; 1 where there was nothing to tell."""
        best = sum(turn.best for turn in self.turns)
        return min(1.0, sum(turn.expected for turn in self.turns) / best) if best > 0 else 1.0

    @property
    def luck(self) -> float:
        """Bits told beyond the average; negative for bad luck."""
        return sum(turn.told - turn.expected for turn in self.turns)


def summarise(game: Game, history: History, lie_prob: float = 0.0, hard: bool = False) -> Summary:
    """Look back on a game of (guess, reply) indices; raises UsageError where no secret gives the replies.

    In `hard` mode the best guesses are those that it allowed.
    """
    if lie_prob > 0:
        return _noisy(Posterior.start(Scorer(game), lie_prob), history)
    turns = []
    candidates = np.arange(len(game.secrets), dtype=np.int32)
    scorer = Scorer(game)
    for at, (guess, reply) in enumerate(history):
        asked = tuple(g for g, _ in history[:at])
        only = allowed_after(game, history[:at]) if hard else None
        ranking = rank_guesses(game, candidates, "entropy", asked, _DIRECT, only)
        best = ranking.best(1)[0]
        after = candidates[scorer.row(guess, candidates) == reply]
        if not len(after):
            raise UsageError(f"no secret of {game} gives all the replies of this game: there is nothing to sum up")
        told = log2(len(candidates) / len(after))
        expected, most = split_by(game, guess, candidates).entropy, ranking.split(best).entropy
        turns.append(Turn(guess, reply, len(after), told, expected, max(expected, most), best))
        candidates = after
    return Summary(tuple(turns))


def _noisy(posterior: Posterior, history: History) -> Summary:
    turns = []
    for guess, reply in history:
        bits, _ = information(posterior)
        best = best_guesses(posterior)[0]
        after = posterior.update(guess, reply)
        told = posterior.entropy - after.entropy
        expected = max(0.0, float(bits[guess]))
        turns.append(Turn(guess, reply, after.effective, told, expected, max(expected, best.bits), best.guess))
        posterior = after
    return Summary(tuple(turns))
