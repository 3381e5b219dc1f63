"""Are posterior probabilities right? Secrets that were given probability p must turn out to be the one that often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.bayes import Posterior
from bcsearch.hosts import LyingHost
from bcsearch.players import Bayesian
from bcsearch.simulate import Played, Results, pool_that_lets_go

if TYPE_CHECKING:
    from numpy.typing import NDArray

EDGES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass
class Reliability:
    """Probabilities given and what became of them, in bins from `edges[i]` to `edges[i + 1]`.

    Attributes
    ----------
    given, true
        Sum of the probabilities given, and how many of those secrets were the one; float64, int64, shape (bins,).
    count
        How many probabilities there were; int64.
    spread
        Sum of p (1 - p): the variance of `true` if the probabilities are right; float64.
    """

    edges: Sequence[float] = EDGES
    given: NDArray[np.float64] = field(init=False)
    true: NDArray[np.int64] = field(init=False)
    count: NDArray[np.int64] = field(init=False)
    spread: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        bins = len(self.edges) - 1
        self.given, self.spread = np.zeros(bins), np.zeros(bins)
        self.true, self.count = np.zeros(bins, dtype=np.int64), np.zeros(bins, dtype=np.int64)

    def add(self, posterior: Posterior, secret: int) -> None:
        """Enter all probabilities of a posterior."""
        p = posterior.probabilities
        at = np.searchsorted(self.edges, p, side="right") - 1
        at[p >= self.edges[-1]] = len(self.count) - 1
        kept = at >= 0
        bins = len(self.count)
        self.count += np.bincount(at[kept], minlength=bins)
        self.given += np.bincount(at[kept], weights=p[kept], minlength=bins)
        self.spread += np.bincount(at[kept], weights=(p * (1 - p))[kept], minlength=bins)
        self.true += np.bincount(at[kept & (posterior.secrets == secret)], minlength=bins)

    def merge(self, other: Reliability) -> None:
        """Take in what another one has counted."""
        self.given += other.given
        self.true += other.true
        self.count += other.count
        self.spread += other.spread


def calibrate(player: Bayesian, games: int, seed: int, workers: int = 1) -> tuple[Results, Reliability]:
    """Play random games against a lying host, as `simulate.simulate` does, and hold every posterior to the truth."""
    scorer, win = player.scorer, player.scorer.game.win
    secrets = np.random.default_rng([seed, 0]).integers(len(scorer.game.secrets), size=games)

    def one(number: int) -> tuple[Played, Reliability]:
        random = np.random.default_rng([seed, 1, number])
        host, playing = LyingHost(scorer, int(secrets[number]), player.lie_prob, random), player.begin(random)
        seen, reply, guesses = Reliability(), -1, 0
        while reply != win:
            guess = playing.guess()
            if guess is None:
                return Played(host.secret, 0), seen
            reply, guesses = host.reply(guess), guesses + 1
            playing.take(guess, reply)
            if reply != win and playing.posterior is not None:
                seen.add(playing.posterior, host.secret)
        return Played(host.secret, guesses), seen

    with pool_that_lets_go(workers, Event()) as pool:
        played = list(pool.map(one, range(games)))
    total = Reliability()
    for _, seen in played:
        total.merge(seen)
    return Results(tuple(game for game, _ in played), True), total
