"""Greedy strategies: one small score function each, and the tie rule.

A greedy strategy asks the guess with the smallest score; the score sees only the sizes of the parts the guess makes
(the winning reply's part included). Scores are exact integers, so that equal is equal on every machine. Ties are
resolved by ``(score, guess is not a candidate, code index)``, smallest first.

A part of size k contributes ``weight(k)``; a score is the sum or the maximum of its parts' weights:

=============  ========================================  =================================================
minimax        maximum of k                              Knuth 1977
expected-size  sum of k^2 (n times the expected size)    Irving 1978
entropy        sum of k log2 k (the bits still missing)  Neuwirth 1982
max-parts      minus the number of parts                 Kooi 2005
first          none: the first candidate in code order   the "simple strategy" of Shapiro 1983
=============  ========================================  =================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIE_RULE = "score, guess is not a candidate, code index"
POOLS = ("all", "consistent")

BY_SUM, BY_MAX, BY_ORDER = 0, 1, 2  #: how the parts' weights make a score; BY_ORDER looks at no part

LOG_BITS = 32  #: fractional bits of the entropy table


@dataclass(frozen=True)
class Strategy:
    """A greedy strategy.

    Attributes
    ----------
    name
        As on the command line.
    combine
        `BY_SUM`, `BY_MAX` or `BY_ORDER`.
    weights
        Makes the table of part weights for sizes 0..n: int64, shape (n + 1,).
    """

    name: str
    combine: int
    weights: Callable[[int], NDArray[np.int64]]


def size_weights(n: int) -> NDArray[np.int64]:
    """Weight of a part: its size."""
    return np.arange(n + 1, dtype=np.int64)


def square_weights(n: int) -> NDArray[np.int64]:
    """Weight of a part: its size squared."""
    return size_weights(n) ** 2


def part_weights(n: int) -> NDArray[np.int64]:
    """Weight of a part that is not empty: -1."""
    return -np.minimum(size_weights(n), 1)


def log_weights(n: int) -> NDArray[np.int64]:
    """Weight of a part of size k: k log2 k in units of 2**-LOG_BITS.

    log2 k is the sum of the rounded logarithms of k's prime factors. So two collections of parts whose true entropies
    are equal (which happens only through equal prime factors) have exactly equal scores, and no rounding depends on a
    machine's floating point.
    """
    logs = np.zeros(n + 1, dtype=np.int64)
    context = Context(prec=40)
    ln2 = context.ln(Decimal(2))
    for prime in _primes(n):
        log = int((context.divide(context.ln(Decimal(prime)), ln2) * 2**LOG_BITS).to_integral_value())
        power = prime
        while power <= n:
            logs[power::power] += log
            power *= prime
    return logs * size_weights(n)


def _primes(n: int) -> list[int]:
    sieve = np.ones(n + 1, dtype=bool)
    sieve[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if sieve[k]:
            sieve[k * k :: k] = False
    return [int(k) for k in np.flatnonzero(sieve)]


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("minimax", BY_MAX, size_weights),
        Strategy("entropy", BY_SUM, log_weights),
        Strategy("expected-size", BY_SUM, square_weights),
        Strategy("max-parts", BY_SUM, part_weights),
        Strategy("first", BY_ORDER, size_weights),
    )
}


def strategy_named(name: str) -> Strategy:
    """Look a greedy strategy up; raises UsageError listing those there are."""
    try:
        return STRATEGIES[name]
    except KeyError:
        raise UsageError(f"strategy {name!r}: known are {', '.join(STRATEGIES)}") from None
