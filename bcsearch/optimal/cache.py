"""What is known of sets of candidates: a table of bounds and exact values that forgets but never lies.

A set's name is the XOR of two random words of each of its members (128 bits; Zobrist hashing), mixed with the guesses
left and the task. One word picks the slot and both are checked. A slot holds

    name ^ data      check ^ data      data = 2 bound + [exact]

so that an entry that two threads wrote at once, half each, matches no name: threads share a table without locks.
"""

# mypy: disable-error-code="arg-type,assignment,return-value,type-var"
# numpy integers and plain ones are one type to numba here: kernels convert between them freely.

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.kernels import inlined, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT = 1
_SLOT = 3  # words


def cache_words(slots: int) -> int:
    """Words of a table, which is empty when they are 0; `slots` is a power of two."""
    return slots * _SLOT


def new_cache(slots: int) -> NDArray[np.uint64]:
    """Empty table, of this process alone."""
    return np.zeros(cache_words(slots), dtype=np.uint64)


@inlined
def _slot(cache: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    slots = np.uint64(len(cache) // 3)
    return np.uint64(3) * (key & (slots - np.uint64(1)))


@kernel
def set_keys(
    keys: NDArray[np.uint64], ints: NDArray[np.int32], node: int, at: int, m: int, k: int
) -> tuple[np.uint64, np.uint64]:
    """Name of the set of the columns ints[at : at + m] of a node with k guesses left."""
    salt = len(keys) - 1
    key = keys[salt, 0] ^ (np.uint64(k) * np.uint64(0x9E3779B97F4A7C15))
    check = keys[salt, 1]
    for j in range(m):
        secret = ints[node + ints[at + j]]
        key ^= keys[secret, 0]
        check ^= keys[secret, 1]
    return key, check


@kernel
def find(cache: NDArray[np.uint64], key: np.uint64, check: np.uint64) -> int:
    """2 bound + [exact] of a set, or -1 where nothing is known."""
    at = _slot(cache, key)
    data = cache[at + np.uint64(2)]
    if cache[at] ^ data == key and cache[at + np.uint64(1)] ^ data == check and data != 0:
        return np.int64(data) - 2
    return -1


@kernel
def put(cache: NDArray[np.uint64], key: np.uint64, check: np.uint64, bound: int, exact: bool) -> None:
    """Note a bound or value, forgetting what the slot held."""
    at = _slot(cache, key)
    data = np.uint64(2 * bound + (1 if exact else 0) + 2)
    cache[at] = key ^ data
    cache[at + np.uint64(1)] = check ^ data
    cache[at + np.uint64(2)] = data
