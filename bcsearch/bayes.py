"""Finding a secret when replies may be wrong: a posterior over secrets, and the guess that tells most about it.

The host's model (see `hosts`): the win is always announced and never claimed falsely; every other reply is, with
probability q, replaced by one drawn uniformly from the R-1 replies that are not the win. So a reply r that is not the
win has, under a secret whose true reply is t, the likelihood

    0                    if t is the win
    1 - q + q / (R-1)    if r = t
    q / (R-1)            else

Weights are kept as logarithms, so that nothing underflows however long a game lasts: secrets only die when they are
impossible, and then they are dropped. With q = 0 this is the noiseless game, and the guess is that of greedy entropy,
ties included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log, log2
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.hosts import Scorer, check_probability
from bcsearch.ranking import rank_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.scoring import Replies

_UNHEARD = (
    2.0**-24
)  # mass of the least likely secrets that the choice of a guess may pass over; the posterior never does
_STEP = 1e-9  # bits; informations closer than this are equal, and the likelier guess is taken, then the first in order


class ImpossibleRepliesError(UsageError):
    """No secret can have given these replies, wrong ones allowed for."""


@dataclass(frozen=True)
class Posterior:
    """What is known of the secret. Immutable; `update` gives the next one.

    Attributes
    ----------
    lie_prob
        The host's q.
    secrets
        Indices of the secrets that are possible, int32, ascending.
    weights
        Natural logarithms of their probabilities, up to a common constant; float64, largest 0.
    """

    scorer: Scorer
    lie_prob: float
    secrets: NDArray[np.int32]
    weights: NDArray[np.float64]

    @classmethod
    def start(cls, scorer: Scorer, lie_prob: float) -> Posterior:
        """All secrets equally likely; raises UsageError where `lie_prob` is no probability."""
        secrets = np.arange(len(scorer.game.secrets), dtype=np.int32)
        return cls(scorer, check_probability(lie_prob), secrets, np.zeros(len(secrets)))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each of `secrets`; those below the smallest float show as 0 and stay possible."""
        p = np.exp(self.weights)
        normal: NDArray[np.float64] = p / p.sum()
        return normal

    @property
    def entropy(self) -> float:
        """Bits still missing."""
        p = self.probabilities
        p = p[p > 0]
        return abs(float(-(p * np.log2(p)).sum()))

    @property
    def effective(self) -> float:
        """Effective number of candidates: as many equally likely ones would miss as many bits."""
        return float(2.0**self.entropy)

    @property
    def likeliest(self) -> tuple[int, float]:
        """The likeliest secret (the first among equals) and its probability."""
        at = int(np.argmax(self.weights))
        return int(self.secrets[at]), float(self.probabilities[at])

    def update(self, guess: int, reply: int) -> Posterior:
        """After one more reply.

        Raises
        ------
        ImpossibleRepliesError
            Where no secret is left: certain evidence (q = 0, or the win) that contradicts what was certain before.
        """
        game = self.scorer.game
        true = self.scorer.row(guess, self.secrets)
        right, other = likelihoods(game, self.lie_prob)
        if reply == game.win:
            possible, weights = true == game.win, self.weights
        else:
            possible = (true != game.win) & ((true == reply) | (other > 0))
            weights = self.weights + np.where(true == reply, _log(right), _log(other))
        if not possible.any():
            raise ImpossibleRepliesError(f"no secret of {game} can have given these replies, with wrong replies of "
                                         f"probability {self.lie_prob:g}")  # fmt: skip
        kept = weights[possible]
        return Posterior(self.scorer, self.lie_prob, self.secrets[possible], kept - kept.max())


def likelihoods(game: Game, lie_prob: float) -> tuple[float, float]:
    """(of the true reply, of each other one) when the truth is not the win."""
    other = lie_prob / max(1, len(game.replies) - 1)
    return 1 - lie_prob + other, other


def _log(value: float) -> float:
    return log(value) if value > 0 else 0.0  # 0 is never used: those secrets are impossible


def posterior_after(scorer: Scorer, lie_prob: float, history: Iterable[tuple[int, int]]) -> Posterior:
    """Posterior after a history of (guess, reply) indices; raises ImpossibleRepliesError."""
    posterior = Posterior.start(scorer, lie_prob)
    for guess, reply in history:
        posterior = posterior.update(guess, reply)
    return posterior


@dataclass(frozen=True)
class Informative:
    """A guess with the mutual information between its reply and the secret, in bits."""

    guess: int
    bits: float
    probability: float  #: that it is the secret


def best_guesses(
    posterior: Posterior, count: int = 1, asked: tuple[int, ...] = (), only: NDArray[np.int32] | None = None
) -> list[Informative]:
    """The guesses that tell most, best first; ties by probability of being the secret, then code order.

    Parameters
    ----------
    asked
        Guesses made so far, which lets equivalent ones be passed over in large games.
    only
        The guesses that may be asked, ascending; None for all.
    """
    game = posterior.scorer.game
    if posterior.lie_prob == 0.0:
        ranking = rank_guesses(game, posterior.secrets, "entropy", asked, only=only)
        n = len(posterior.secrets)
        splits = [(guess, ranking.split(guess)) for guess in ranking.best(count)]
        return [Informative(guess, split.entropy, split.is_candidate / n) for guess, split in splits]
    bits, hits = information(posterior)
    order = np.lexsort((-np.round(hits / _STEP), -np.round(bits / _STEP)))
    if only is not None:
        order = order[np.isin(order, only)]
    order = order[:count]
    return [Informative(int(g), max(0.0, float(bits[g])), float(hits[g])) for g in order]


def information_of(posterior: Posterior, guess: int) -> Informative:
    """What one guess tells."""
    bits, hits = information(posterior)
    return Informative(guess, max(0.0, float(bits[guess])), float(hits[guess]))


def information(posterior: Posterior) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(mutual information in bits, probability of being the secret) of every guess; float64, shape (guesses,).

    The least likely secrets, 2**-24 of the mass together, are passed over.
    """
    from bcsearch.information import informations

    game = posterior.scorer.game
    p = posterior.probabilities
    order = np.argsort(p, kind="stable")
    heard = np.sort(order[np.searchsorted(np.cumsum(p[order]), _UNHEARD) :])
    right, other = likelihoods(game, posterior.lie_prob)
    mass = p[heard] / p[heard].sum()
    return informations(_source(game, posterior.scorer), posterior.secrets[heard], mass, right, other, game.win)


def noise_bits(game: Game, lie_prob: float) -> float:
    """Bits that a reply tells about the host's dice and not about the secret, where the guess is not the secret."""
    right, other = likelihoods(game, lie_prob)
    spread = (len(game.replies) - 2) * other * log2(other) if other > 0 else 0.0
    return -(right * log2(right) if right > 0 else 0.0) - spread


@lru_cache(maxsize=4)
def _packed(game: Game) -> Replies:
    from bcsearch.scoring import replies_from

    return replies_from(game, None)


@lru_cache(maxsize=2)
def whole_matrix(game: Game) -> NDArray[np.uint8] | None:
    """The reply matrix of a game, kept; None where it is too large to keep."""
    from bcsearch.scoring import reply_matrix
    from bcsearch.sizes import keeps_matrix

    return reply_matrix(game) if keeps_matrix(game) else None


def _source(game: Game, scorer: Scorer) -> Replies:
    matrix = whole_matrix(game) if scorer.matrix is None else scorer.matrix
    return _packed(game) if matrix is None else _sources(game)


@lru_cache(maxsize=2)
def _sources(game: Game) -> Replies:
    from bcsearch.scoring import replies_from

    return replies_from(game, whole_matrix(game))
