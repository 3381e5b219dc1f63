"""Kernels of greedy expansion: scan one large node, or grow all below a small one.

What saves work here, none of which changes the tree:

- guesses with the same replies to all candidates of a node are the same guess there and below (`rows`);
- a candidate that splits a part completely has the best possible score and wins every tie, so it is looked for first;
  and the first non-candidate that does so, when no candidate does, ends the scan.

Small nodes work on their own contiguous rows (guesses x candidates), which stay in the processor's cache.

Names: g row of a guess, j column of a candidate, n number of candidates, m of a part, r reply index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.kernels import kernel, popcount
from bcsearch.rows import gather_rows, part_rows
from bcsearch.scoring import Replies, fill_replies, packed_candidates
from bcsearch.strategies import BY_MAX, BY_ORDER
from bcsearch.tree import NO_CHILD, WON

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def _row_score(row: NDArray[np.uint8], counts: NDArray[np.int64], weights: NDArray[np.int64], combine: int) -> int:
    """Score of the parts that one row of replies makes. `counts`: one zero a reply, left zeroed."""
    n = len(row)
    result = 0
    if n < 2 * len(counts):
        for j in range(n):
            counts[row[j]] += 1
        for j in range(n):
            weight = int(weights[counts[row[j]]])
            if counts[row[j]] > 0:
                result = max(result, weight) if combine == BY_MAX else result + weight
                counts[row[j]] = 0
        return result
    for j in range(n):
        counts[row[j]] += 1
    for r in range(len(counts)):
        if counts[r] > 0:
            weight = int(weights[counts[r]])
            result = max(result, weight) if combine == BY_MAX else result + weight
            counts[r] = 0
    return result


@kernel
def best_guess(
    source: Replies,
    guesses: NDArray[np.int32],
    candidates: NDArray[np.int32],
    weights: NDArray[np.int64],
    combine: int,
    win: int,
) -> tuple[int, int]:
    """Guess with the smallest (score, not a candidate, index), and how many were scanned; `guesses` ascend."""
    if combine == BY_ORDER:
        return int(guesses[0]), 0
    places, counts = packed_candidates(source, candidates)
    row = np.empty(len(candidates), dtype=np.uint8)
    parts = np.zeros(win + 1, dtype=np.int64)
    best = -1
    best_score = 0
    best_wins = False
    for g in guesses:
        fill_replies(source, g, candidates, places, counts, row)
        score = _row_score(row, parts, weights, combine)
        if best >= 0 and score > best_score:
            continue
        wins = False
        for j in range(len(row)):
            wins |= row[j] == win
        if best < 0 or score < best_score or (wins and not best_wins):
            best, best_score, best_wins = int(g), score, wins
    return best, len(guesses)


@kernel
def grow_from(
    source: Replies,
    guesses: NDArray[np.int32],
    choice: NDArray[np.int32],
    candidates: NDArray[np.int32],
    guess_of_secret: NDArray[np.int32],
    depth: int,
    weights: NDArray[np.int64],
    combine: int,
    consistent: bool,
    out_guess: NDArray[np.int32],
    out_child: NDArray[np.int32],
    out_size: NDArray[np.int32],
    out_depth: NDArray[np.uint8],
    used: NDArray[np.int64],
) -> None:
    """Grow a subtree: `guesses` may be asked in it, of which `choice` (ascending, a subset) are scanned at its top."""
    n = len(candidates)
    rows, asked, row_of, scan = gather_rows(source, guesses, choice, candidates, out_child.shape[1] - 1)
    node = _new_node(n, depth, out_child, out_size, out_depth, used)
    _grow(
        node, rows, asked, row_of, scan, candidates, guess_of_secret, depth, weights, combine,
        consistent, out_guess, out_child, out_size, out_depth, used,
    )  # fmt: skip


@kernel
def _new_node(
    n: int,
    depth: int,
    out_child: NDArray[np.int32],
    out_size: NDArray[np.int32],
    out_depth: NDArray[np.uint8],
    used: NDArray[np.int64],
) -> int:
    node = int(used[0])
    used[0] += 1
    out_size[node] = n
    out_depth[node] = depth
    for r in range(out_child.shape[1]):
        out_child[node, r] = NO_CHILD
    return node


@kernel
def _complete_candidate(
    rows: NDArray[np.uint8], row_of: NDArray[np.int32], columns: NDArray[np.int32], replies: int
) -> int:
    """First of the candidates in `columns` that tells all of them apart, as its place in `columns`; -1 if none."""
    if len(columns) > replies:
        return -1
    seen = np.zeros(replies, dtype=np.bool_)
    for c in range(len(columns)):
        row = rows[row_of[columns[c]]]
        seen[:] = False
        complete = True
        for j in columns:
            if seen[row[j]]:
                complete = False
                break
            seen[row[j]] = True
        if complete:
            return c
    return -1


@kernel
def _least_scores(n: int, weights: NDArray[np.int64], combine: int, replies: int) -> NDArray[np.int64]:
    """Smallest score that n candidates in 1, 2, ... parts can have, by number of parts: weights are convex, so equal
    parts are best."""
    least = np.zeros(replies + 1, dtype=np.int64)
    for parts in range(1, min(n, replies) + 1):
        size, over = n // parts, n % parts
        if combine == BY_MAX:
            least[parts] = weights[size + (over > 0)]
        else:
            least[parts] = over * weights[size + 1 if over else size] + (parts - over) * weights[size]
    return least


@kernel
def _choose(
    rows: NDArray[np.uint8],
    row_of: NDArray[np.int32],
    scan: NDArray[np.int32],
    weights: NDArray[np.int64],
    combine: int,
    replies: int,
    used: NDArray[np.int64],
) -> int:
    """Row of the guess with the smallest (score, not a candidate, index), no candidate being complete.

    In small nodes the number of parts is counted first, with one bit a reply; most rows have too few to be worth more.
    """
    if combine == BY_ORDER:
        return int(row_of[0])
    n = len(row_of)
    counts = np.zeros(replies, dtype=np.int64)
    ideal = int(weights[1]) if combine == BY_MAX else n * int(weights[1])
    by_bits = replies <= 64 and n <= 4 * replies
    least = _least_scores(n, weights, combine, replies)
    win_bit = np.uint64(1) << np.uint64((replies - 1) & 63)
    best = -1
    best_score = 0
    best_wins = False
    for g in scan:
        used[1] += 1
        if by_bits and best >= 0:
            seen = np.uint64(0)
            for j in range(n):
                seen |= np.uint64(1) << np.uint64(rows[g, j])
            possible = least[popcount(seen)]
            if possible > best_score or (possible == best_score and (best_wins or not seen & win_bit)):
                continue
        score = _row_score(rows[g, :n], counts, weights, combine)
        if best >= 0 and score > best_score:
            continue
        wins = False
        for j in range(n):
            wins |= rows[g, j] == replies - 1
        if best < 0 or score < best_score or (wins and not best_wins):
            best, best_score, best_wins = int(g), score, wins
            if score == ideal:
                break
    return best


@kernel
def _grow(
    node: int,
    rows: NDArray[np.uint8],
    asked: NDArray[np.int32],
    row_of: NDArray[np.int32],
    scan: NDArray[np.int32],
    candidates: NDArray[np.int32],
    guess_of_secret: NDArray[np.int32],
    depth: int,
    weights: NDArray[np.int64],
    combine: int,
    consistent: bool,
    out_guess: NDArray[np.int32],
    out_child: NDArray[np.int32],
    out_size: NDArray[np.int32],
    out_depth: NDArray[np.uint8],
    used: NDArray[np.int64],
) -> int:
    """Choose the guess of `node` and grow its parts. rows[g, j]: reply of guess asked[g] against candidate j
    (rows are padded with zeros).

    row_of[j] is the row of candidate j's own guess; `scan` lists the rows to choose from. Returns the node.
    """
    n = len(candidates)
    replies = out_child.shape[1]
    win = replies - 1
    if n == 1:
        out_guess[node] = guess_of_secret[candidates[0]]
        out_child[node, win] = WON
        return node
    everyone = np.arange(n).astype(np.int32)
    complete = _complete_candidate(rows, row_of, everyone, replies) if combine != BY_ORDER else -1
    best = row_of[complete] if complete >= 0 else _choose(rows, row_of, scan, weights, combine, replies, used)
    out_guess[node] = asked[best]
    row = rows[best, :n]
    columns = np.argsort(row, kind="mergesort").astype(np.int32)
    start = 0
    while start < n:
        r = row[columns[start]]
        stop = start + 1
        while stop < n and row[columns[stop]] == r:
            stop += 1
        part = columns[start:stop]
        start = stop
        if r == win:
            out_child[node, win] = WON
            continue
        below = _new_node(len(part), depth + 1, out_child, out_size, out_depth, used)
        out_child[node, r] = below
        # Parts that a candidate tells apart completely are finished here, without rows of their own.
        first = 0 if combine == BY_ORDER and len(part) <= 2 else _complete_candidate(rows, row_of, part, replies)
        if combine == BY_ORDER and first > 0:
            first = -1
        if first >= 0:
            own = row_of[part[first]]
            out_guess[below] = asked[own]
            out_child[below, win] = WON
            for j in part:
                if rows[own, j] != win:
                    leaf = _new_node(1, depth + 2, out_child, out_size, out_depth, used)
                    out_child[below, rows[own, j]] = leaf
                    out_guess[leaf] = guess_of_secret[candidates[j]]
                    out_child[leaf, win] = WON
            continue
        sub, sub_asked, sub_row_of = part_rows(rows, asked, part, consistent, win)
        _grow(
            below, sub, sub_asked, sub_row_of, np.arange(len(sub_asked)).astype(np.int32), candidates[part],
            guess_of_secret, depth + 1, weights, combine, consistent, out_guess, out_child, out_size, out_depth, used,
        )  # fmt: skip
    return node
