"""What a search knows of a game before it starts: bounds by size, names for sets, an empty cache."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.game import Game
from bcsearch.optimal.search import INFINITE, Context
from bcsearch.scoring import Replies, fill_replies, packed_candidates
from bcsearch.symmetry import canonical_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

CACHE_BITS = 22  # 4 million sets, 100 MB
_MOST_GUESSES = 64


def make_context(
    game: Game, source: Replies, mode: int, consistent: bool, stop: NDArray[np.uint8], cache_bits: int = CACHE_BITS
) -> Context:
    """Tables for one game and task; the cache in them serves all subproblems of that task."""
    largest = largest_parts(game, source)
    least = least_totals(len(game.secrets), largest)
    sizes = np.arange(1, len(least))
    bent = np.flatnonzero(least[1:] != 2 * sizes - 1)
    return Context(
        replies=len(game.replies),
        mode=mode,
        consistent=consistent,
        least=least,
        most=most_found(largest),
        keys=np.random.default_rng(20261130).integers(0, 2**63, size=(len(game.secrets), 2)).astype(np.uint64),
        cache=np.zeros((1 << cache_bits, 3), dtype=np.uint64),
        counters=np.zeros(4, dtype=np.int64),
        stop=stop,
        linear=int(bent[0]) if len(bent) else len(game.secrets),
    )


def largest_parts(game: Game, source: Replies) -> list[int]:
    """For each reply but the win, the largest part that any first guess makes of all secrets."""
    secrets = np.arange(len(game.secrets), dtype=np.int32)
    row = np.empty(len(secrets), dtype=np.uint8)
    largest = np.zeros(len(game.replies), dtype=np.int64)
    for guess in canonical_guesses(game, ()):
        fill_replies(source, guess, secrets, *packed_candidates(source, secrets), row)
        largest = np.maximum(largest, np.bincount(row, minlength=len(game.replies)))
    return [int(n) for n in largest[:-1]]


def least_totals(n: int, largest: list[int]) -> NDArray[np.int64]:
    """least[m] for m up to n: no m candidates can have a smaller total; int64, shape (n + 1,).

    The best a guess could do is to be the secret for one of m and to deal the others out to the replies so that their
    own least totals sum to the minimum, no reply getting more than it ever can. Least totals are convex in m (a sum of
    convex functions, dealt out), so dealing one secret at a time to where it costs least is best.
    """
    least = np.full(n + 1, INFINITE, dtype=np.int64)
    least[: min(n, 1) + 1] = [0, 1][: min(n, 1) + 1]
    dealt = [0] * len(largest)
    cheapest = [(1, r) for r, most in enumerate(largest) if most > 0]
    below = 0
    for m in range(2, n + 1):
        if not cheapest:
            break
        cost, r = heapq.heappop(cheapest)
        below += cost
        dealt[r] += 1
        least[m] = m + below
        if dealt[r] < largest[r]:
            heapq.heappush(cheapest, (int(least[dealt[r] + 1] - least[dealt[r]]), r))
    return least


def most_found(largest: list[int]) -> NDArray[np.int64]:
    """most[k]: no k guesses can be sure to find one of more secrets than this; int64."""
    most = np.zeros(_MOST_GUESSES, dtype=np.int64)
    for k in range(1, _MOST_GUESSES):
        most[k] = min(INFINITE, 1 + sum(min(size, int(most[k - 1])) for size in largest))
    return most
