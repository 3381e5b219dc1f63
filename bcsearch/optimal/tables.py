"""What sizes alone tell: lower bounds for m candidates with k guesses left, whatever the candidates are.

A guess finds one candidate and sends the others to parts, and reply r's part can never be larger than the largest
part reply r makes of all secrets. So k guesses find at most

    most_0(m) = 0,   most_k(m) = min(m, 1 + sum over replies r but the win of most_{k-1}(min(m, largest_r)))

of m candidates, and since the d-th guess of a tree finds what is not found by d - 1:

    total >= sum over d >= 0 of m - most_d(m)           lost after k guesses >= m - most_k(m)
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

INFINITE = 1 << 40  #: value of what cannot be done
UNLIMITED = 100  #: guesses left, where depth does not matter
TOTAL, LOST, WORST = 0, 1, 2  #: modes: sum of guesses; secrets not found in k; secrets found with the last guess only


def most_found(largest: tuple[int, ...], m: int, k: int) -> int:
    """Most of m candidates that k guesses can find; `largest` has the largest part of every reply but the win."""

    @cache
    def most(size: int, left: int) -> int:
        if size <= 0 or left <= 0:
            return 0
        if left == 1 or size == 1:
            return 1
        return min(size, 1 + sum(most(min(size, part), left - 1) for part in largest))

    return most(m, k)


def lower_bounds(largest: tuple[int, ...], secrets: int, mode: int, depth: int) -> NDArray[np.int64]:
    """Table low[k, m] of lower bounds for m candidates, k guesses left; shape (depth + 1, secrets + 1), int64."""
    most = _most_table(largest, secrets, depth)
    sizes = np.arange(secrets + 1, dtype=np.int64)
    low = np.zeros((depth + 1, secrets + 1), dtype=np.int64)
    for k in range(depth + 1):
        if mode == TOTAL:
            low[k] = (sizes[None, :] - most[:k]).clip(0).sum(axis=0)
            low[k, most[k] < sizes] = INFINITE
        elif mode == LOST:
            low[k] = sizes - most[k]
        else:
            low[k] = sizes - most[max(0, k - 1)]
            low[k, most[k] < sizes] = INFINITE
    low[:, 0] = 0
    return low


def _most_table(largest: tuple[int, ...], secrets: int, depth: int) -> NDArray[np.int64]:
    """most[k, m] for all sizes at once."""
    sizes = np.arange(secrets + 1, dtype=np.int64)
    most = np.zeros((depth + 1, secrets + 1), dtype=np.int64)
    for k in range(1, depth + 1):
        found = np.ones(secrets + 1, dtype=np.int64)
        for part in largest:
            found += most[k - 1][np.minimum(sizes, part)]
        most[k] = np.minimum(sizes, found)
        if (most[k] == most[k - 1]).all():
            most[k:] = most[k]
            break
    return most
