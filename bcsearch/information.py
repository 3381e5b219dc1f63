"""Kernel of `bayes`: mutual information between the secret and the reply to every guess.

Names: g guess, j secret (of those heard), r reply index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.kernels import kernel, warm_up
from bcsearch.scoring import Replies, fill_replies, packed_candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LANES = 4  # sums kept apart: the next one need not wait for the last


@kernel
def informations(
    source: Replies,
    secrets: NDArray[np.int32],
    mass: NDArray[np.float64],
    right: float,
    other: float,
    win: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bits that the reply to each guess tells about the secret, and the probability that the guess is the secret.

    `mass` are the probabilities of `secrets`; `right` and `other` the likelihoods of a true and of any other reply.
    The bits are those of the reply less those of the noise, which is there unless the guess wins.
    """
    count = max(source.matrix.shape[0], len(source.guess_places), len(source.guess_codes))
    n = len(secrets)
    places, counts = packed_candidates(source, secrets)
    row = np.zeros(n + _LANES, dtype=np.uint8)
    weight = np.zeros(n + _LANES)
    weight[:n] = mass
    bits = np.empty(count)
    hits = np.empty(count)
    sums = np.zeros((_LANES, win + 1))
    noise = -right * np.log2(right) if right > 0 else 0.0
    if other > 0:
        noise -= (win - 1) * other * np.log2(other)
    for g in range(count):
        fill_replies(source, g, secrets, places, counts, row[:n])
        sums[:] = 0.0
        for j in range(0, n, _LANES):
            sums[0, row[j]] += weight[j]
            sums[1, row[j + 1]] += weight[j + 1]
            sums[2, row[j + 2]] += weight[j + 2]
            sums[3, row[j + 3]] += weight[j + 3]
        hit = sums[0, win] + sums[1, win] + sums[2, win] + sums[3, win]
        total = -hit * np.log2(hit) if hit > 0 else 0.0
        for r in range(win):
            truth = sums[0, r] + sums[1, r] + sums[2, r] + sums[3, r]
            p = truth * (right - other) + (1.0 - hit) * other
            if p > 0:
                total -= p * np.log2(p)
        bits[g] = total - (1.0 - hit) * noise
        hits[g] = hit
    return bits, hits


@warm_up
def _warm_up() -> None:
    from bcsearch.game import parse_game
    from bcsearch.scoring import replies_from, reply_matrix

    game = parse_game("p2c2r")
    everyone = np.arange(4, dtype=np.int32)
    informations(replies_from(game, reply_matrix(game)), everyone, np.full(4, 0.25), 0.9, 0.05, game.win)
