"""Rows of replies side by side: a node's own small matrix, guesses x candidates, equal rows merged.

Guesses with the same replies to all candidates of a node are the same guess there and below: the first is kept and the
shorter list is handed down to the parts. A candidate is never dropped: only it wins against itself.

Rows are padded with zeros to whole 64-bit words, so that they are hashed and compared eight replies at a time.

Names: g row of a guess, j column of a candidate, n number of candidates, m of a part, r reply index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.kernels import inlined, kernel
from bcsearch.scoring import Replies, fill_replies, packed_candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 64  # guesses copied at a time: one cache line of a row of the matrix


@kernel
def gather_rows(
    source: Replies,
    guesses: NDArray[np.int32],
    choice: NDArray[np.int32],
    candidates: NDArray[np.int32],
    win: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Rows of a node from the reply source.

    Returns (rows, asked, row_of, scan): rows[g, j] is the reply of guess asked[g] against candidate j; row_of[j] is the
    row of candidate j's own guess; `scan` lists the rows whose guess is in `choice` (ascending, part of `guesses`).
    """
    n = len(candidates)
    rows = np.zeros((len(guesses), _padded(n)), dtype=np.uint8)
    words = rows.view(np.uint64)
    asked = np.empty(len(guesses), dtype=np.int32)
    row_of = np.empty(n, dtype=np.int32)
    places, counts = packed_candidates(source, candidates)
    table = _row_table(len(guesses))
    kept = 0
    block = np.zeros((_BLOCK, rows.shape[1]), dtype=np.uint8)
    block_words = block.view(np.uint64)
    for first in range(0, len(guesses), _BLOCK):
        some = guesses[first : first + _BLOCK]
        _fill_block(source, some, candidates, places, counts, block)
        for g in range(len(some)):
            for w in range(words.shape[1]):
                words[kept, w] = block_words[g, w]
            if _is_new(words, kept, table):
                asked[kept] = some[g]
                _note_candidate(rows[kept, :n], kept, row_of, win)
                kept += 1
    return rows[:kept], asked[:kept], row_of, _rows_of_choice(asked[:kept], choice)


@kernel
def _rows_of_choice(asked: NDArray[np.int32], choice: NDArray[np.int32]) -> NDArray[np.int32]:
    """Rows whose guess is in `choice`; both ascend."""
    scan = np.empty(len(asked), dtype=np.int32)
    scanned = 0
    at = 0
    for g in range(len(asked)):
        while at < len(choice) and choice[at] < asked[g]:
            at += 1
        if at < len(choice) and choice[at] == asked[g]:
            scan[scanned] = g
            scanned += 1
    return scan[:scanned]


@kernel
def part_rows(
    rows: NDArray[np.uint8], asked: NDArray[np.int32], columns: NDArray[np.int32], consistent: bool, win: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
    """Rows of a part from those of its node: (rows, asked, row_of). With `consistent`, candidates' rows only."""
    m = len(columns)
    sub = np.empty((len(asked), _padded(m)), dtype=np.uint8)
    words = sub.view(np.uint64)
    sub_asked = np.empty(len(asked), dtype=np.int32)
    row_of = np.empty(m, dtype=np.int32)
    table = _row_table(len(asked))
    kept = 0
    for g in range(len(asked)):
        wins = False
        words[kept, -1] = 0
        for j in range(m):
            sub[kept, j] = rows[g, columns[j]]
            wins |= sub[kept, j] == win
        if (wins or not consistent) and _is_new(words, kept, table):
            sub_asked[kept] = asked[g]
            if wins:
                _note_candidate(sub[kept, :m], kept, row_of, win)
            kept += 1
    return sub[:kept], sub_asked[:kept], row_of


@kernel
def _fill_block(
    source: Replies,
    guesses: NDArray[np.int32],
    candidates: NDArray[np.int32],
    places: NDArray[np.uint64],
    counts: NDArray[np.uint64],
    block: NDArray[np.uint8],
) -> None:
    """Write the replies of a few guesses against all candidates to block[g, j].

    From the matrix they are read secret by secret: that walks along its rows, where reading guess by guess would miss
    the cache at every candidate.
    """
    n = len(candidates)
    if source.by_secret.shape[0] > 0:
        words = block.view(np.uint64)
        asked = len(guesses)
        first = guesses[0]
        adjacent = guesses[asked - 1] - first == asked - 1
        column = np.empty(asked, dtype=np.uint64)  # eight candidates' replies side by side, stored together
        for w in range(words.shape[1]):
            column[:] = 0
            for j in range(8 * w, min(8 * w + 8, n)):
                row = source.by_secret[candidates[j]]
                shift = np.uint64(8 * (j & 7))
                if adjacent:
                    some = row[first : first + asked]
                    for g in range(asked):
                        column[g] |= np.uint64(some[g]) << shift
                else:
                    for g in range(asked):
                        column[g] |= np.uint64(row[guesses[g]]) << shift
            for g in range(asked):
                words[g, w] = column[g]
    else:
        for g in range(len(guesses)):
            fill_replies(source, guesses[g], candidates, places, counts, block[g, :n])


@inlined
def _padded(n: int) -> int:
    """Width of a row of n replies: whole 64-bit words, so that rows are hashed and compared eight replies at a time."""
    return (n + 7) & ~7


@kernel
def _row_table(rows: int) -> NDArray[np.int32]:
    """Empty open-addressing table for `rows` rows."""
    size = 16
    while size < 2 * rows:
        size *= 2
    return np.full(size, -1, dtype=np.int32)


@kernel
def _is_new(words: NDArray[np.uint64], last: int, table: NDArray[np.int32]) -> bool:
    """Whether row `last` equals none of the rows before it that are in the table; a new one is put in."""
    total = np.uint64(0)
    for w in range(words.shape[1]):
        total = (total ^ words[last, w]) * np.uint64(0x9E3779B97F4A7C15)
        total ^= total >> np.uint64(29)
    mask = len(table) - 1
    slot = np.int64(total >> np.uint64(32)) & mask
    while table[slot] >= 0:
        other = table[slot]
        same = True
        for w in range(words.shape[1]):
            if words[other, w] != words[last, w]:
                same = False
                break
        if same:
            return False
        slot = (slot + 1) & mask
    table[slot] = last
    return True


@kernel
def _note_candidate(row: NDArray[np.uint8], g: int, row_of: NDArray[np.int32], win: int) -> None:
    """Enter row g in row_of where it wins: it is that candidate's own row."""
    for j in range(len(row)):
        if row[j] == win:
            row_of[j] = g
