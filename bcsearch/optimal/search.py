"""Branch and bound over one subproblem: the compiled recursion.

The contract everywhere, for candidates S with k guesses left and a limit:

    exact answer   value(S, k) == answer
    otherwise      value(S, k) >= answer, and answer >= limit unless less effort was asked for

A node works on its own rows of replies (guesses x candidates, equal rows merged: they are one guess there and below)
and on the same replies one-hot, column by column, so that "how many parts does every guess make of these candidates"
is an OR of columns and a count of bits, in loops that vectorise.

Guesses are tried in the order of (bound from the sizes of their parts, parts, index). First the bounds of all parts of
all guesses, one scan each; a guess whose parts are all settled by that is settled. Then the rest, in the order of those
sums, each part first bounded with little effort and then solved, smallest first. Neither order depends on the limit or
on what the cache holds, and a later guess must be strictly better: so the guess chosen depends on the candidates alone.

Names: g row of a guess, j column of a candidate, n candidates of a node, m of a part, k guesses left, r reply index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch.kernels import kernel, popcount
from bcsearch.rows import gather_rows, part_rows
from bcsearch.scoring import Replies

if TYPE_CHECKING:
    from numpy.typing import NDArray

INFINITE = 1 << 28  #: value of a set that k guesses cannot finish; sums of a few hundred of them fit an int64
TOTAL, LOST, LATE = 0, 1, 2  #: minimise the sum of guesses; the secrets not found within k; those found by the k-th
UNBOUNDED = 40  #: from this k on, guesses left are not counted
BOUND, FULL = 2, 100  #: effort: one step ahead, or to the end
NODES, SCANS, BUILDS, TRIED = 0, 1, 2, 3  #: places in `counters`


class Context(NamedTuple):
    """What a search needs besides the subproblem; see `tables`.

    Attributes
    ----------
    replies, mode, consistent
        Number of replies; `TOTAL` or `LOST`; ask candidates only.
    least
        int64, least[m]: lower bound of the total of m candidates.
    most
        int64, most[k]: most secrets that k guesses can find.
    keys
        uint64, shape (secrets, 2): random words of each secret, for naming sets.
    cache
        uint64, shape (slots, 3): what is known of sets. Threads share it without locks: each word is stored XORed with
        the data, so that a slot written by two at once matches no name.
    counters
        int64, shape (4,): nodes, scans, copies, guesses tried.
    linear
        Up to this size least[m] is 2m - 1: one guess could tell all m apart.
    stop
        uint8, shape (1,): set to make every search return soon, with nothing proven.
    """

    replies: int
    mode: int
    consistent: bool
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    keys: NDArray[np.uint64]
    cache: NDArray[np.uint64]
    counters: NDArray[np.int64]
    stop: NDArray[np.uint8]
    linear: int


@kernel
def hot_columns(rows: NDArray[np.uint8], kept: int, n: int, replies: int) -> NDArray[np.uint16]:
    """One-hot replies: hot[plane, j, g] has bit r % 16 set in plane r // 16 where guess g gets reply r from j."""
    planes = (replies + 15) // 16
    width = (kept + 31) & ~31
    hot = np.zeros((planes, n, width), dtype=np.uint16)
    if planes == 1:
        plane = hot[0]
        for start in range(0, kept, 64):
            stop = min(kept, start + 64)
            for j in range(n):
                for g in range(start, stop):
                    plane[j, g] = np.uint16(1) << np.uint16(rows[g, j])
    else:
        for g in range(kept):
            for j in range(n):
                r = np.int64(rows[g, j])
                hot[r >> 4, j, g] = np.uint16(1) << np.uint16(r & 15)
    return hot


@kernel
def most_parts(
    hot: NDArray[np.uint16], columns: NDArray[np.int32], acc: NDArray[np.uint16], win: int, win_counts: bool
) -> int:
    """Twice the largest (parts + [candidate]) any guess makes of the columns, plus one where a non-candidate makes it.

    With `win_counts` False the candidate's bonus is left out.
    """
    m = len(columns)
    planes = hot.shape[0]
    width = hot.shape[2]
    best = np.uint16(0)
    win_shift = np.uint16(win & 15)
    bonus = np.uint16(1 if win_counts else 0)
    one = np.uint16(1)
    step = 1024
    total = np.zeros(step, dtype=np.uint16)
    for start in range(0, width, step):
        size = min(step, width - start)
        for p in range(planes):
            a = acc[:size]
            c0 = hot[p, columns[0], start : start + size]
            j = 1
            if m & 1:
                for g in range(size):
                    a[g] = c0[g]
            else:
                c1 = hot[p, columns[1], start : start + size]
                for g in range(size):
                    a[g] = c0[g] | c1[g]
                j = 2
            while j < m:
                d0 = hot[p, columns[j], start : start + size]
                d1 = hot[p, columns[j + 1], start : start + size]
                for g in range(size):
                    a[g] |= d0[g] | d1[g]
                j += 2
            if planes == 1:
                for g in range(size):
                    wins = (a[g] >> win_shift) & one
                    value = ((popcount(a[g]) + wins * bonus) << one) | (one - wins)
                    best = max(best, value)
            else:
                if p == 0:
                    for g in range(size):
                        total[g] = popcount(a[g])
                elif p < planes - 1:
                    for g in range(size):
                        total[g] += popcount(a[g])
                else:
                    for g in range(size):
                        wins = (a[g] >> win_shift) & one
                        value = ((total[g] + popcount(a[g]) + wins * bonus) << one) | (one - wins)
                        best = max(best, value)
    return int(np.int64(best))


@kernel
def count_parts(hot: NDArray[np.uint16], kept: int, n: int, win: int, out: NDArray[np.uint16]) -> None:
    """out[g] = twice (parts + [candidate]) plus [not a candidate], over all columns."""
    planes = hot.shape[0]
    width = hot.shape[2]
    a = np.zeros(width, dtype=np.uint16)
    one = np.uint16(1)
    for g in range(len(out)):
        out[g] = 0
    for p in range(planes):
        a[:] = 0
        for j in range(n):
            c = hot[p, j]
            for g in range(width):
                a[g] |= c[g]
        for g in range(kept):
            out[g] += popcount(a[g]) << one
    shift = np.uint16(win & 15)
    for g in range(kept):
        wins = (a[g] >> shift) & one
        out[g] += (wins << one) | (one - wins)


@kernel
def part_bound(
    context: Context,
    rows: NDArray[np.uint8],
    hot: NDArray[np.uint16],
    row_of: NDArray[np.int32],
    columns: NDArray[np.int32],
    k: int,
    acc: NDArray[np.uint16],
) -> tuple[int, bool]:
    """Lower bound of a part with k guesses left, and whether it is the exact value. One scan at most."""
    m = len(columns)
    replies = context.replies
    win = replies - 1
    total = context.mode == TOTAL
    late = context.mode == LATE
    if k <= 1:
        if context.mode == LOST:
            return (m - k, True)
        return (1, True) if m == 1 and k == 1 else (INFINITE, True)
    if m == 1:
        return (1, True) if total else (0, True)
    if m == 2:
        return (3, True) if total else (1 if late and k == 2 else 0, True)
    if m > context.most[k]:
        return (m - context.most[k], False) if context.mode == LOST else (INFINITE, True)
    settled = 4 if late else 3  # guesses left from which a triple, or one pair that a candidate leaves, is settled
    best = 0  # of candidates: parts + 1
    if m <= replies or context.consistent:
        seen = np.zeros(replies, dtype=np.uint8)
        for c in range(m):
            row = rows[row_of[columns[c]]]
            seen[:] = 0
            parts = 0
            for j in columns:
                r = row[j]
                parts += 1 - seen[r]
                seen[r] = 1
            best = max(best, parts + 1)
            if parts == m:
                return (2 * m - 1, True) if total else (m - 1 if late and k == 2 else 0, True)
    if context.consistent:
        w = 2 * best
    elif m == 3 and k >= settled:
        return (6, True) if total else (0, True)
    elif total and best == m and k >= 3:
        return (2 * m, True)
    elif not total and best == m and k >= settled:
        return (0, True)
    else:
        context.counters[SCANS] += 1
        w = most_parts(hot, columns, acc, win, total or late or k > 2)
    best = w >> 1
    outside = (w & 1) == 1
    if total:
        if k == 2:
            return (2 * m, True) if best == m and outside else (INFINITE, True)
        bound = 3 * m - best
        return max(bound, context.least[m]), best >= m or (best == m - 1 and outside)
    if late:
        if k == 2:
            return (m, True) if best == m and outside else (INFINITE, True)
        return max(0, m - context.most[k - 1]), best >= m and (outside or k >= settled)
    if k == 2:
        if context.consistent:
            best -= 1
        return m - best, True
    return 0, best >= m


@kernel
def size_bound(context: Context, m: int, k: int) -> int:
    """Lower bound of m > 0 candidates with k guesses left, from their number alone."""
    if context.mode == LOST:
        return int(max(0, m - context.most[k]))
    if m > context.most[k]:
        return INFINITE
    return int(context.least[m] if context.mode == TOTAL else max(0, m - context.most[k - 1]))


@kernel
def sizes_bound(context: Context, row: NDArray[np.uint8], counts: NDArray[np.int64], k: int) -> int:
    """Lower bound of a guess from the sizes of its parts; k guesses are left after it. counts: zeros, left zero."""
    replies = context.replies
    win = replies - 1
    for j in range(len(row)):
        counts[row[j]] += 1
    bound = len(row) if context.mode == TOTAL else 0
    for r in range(win):
        m = counts[r]
        counts[r] = 0
        if m > 0:
            bound += size_bound(context, m, k)
    counts[win] = 0
    return bound


@kernel
def cache_find(context: Context, key: np.uint64, check: np.uint64) -> np.uint64:
    """Data of a set, or 0: value + 1 (31 bits), guess + 1 (25 bits), effort (7 bits), exact (1 bit)."""
    slot = context.cache[np.int64(key & np.uint64(len(context.cache) - 1))]
    data = slot[2]
    if slot[0] ^ data == key and slot[1] ^ data == check:
        return np.uint64(data)
    return np.uint64(0)


@kernel
def cache_put(
    context: Context, key: np.uint64, check: np.uint64, value: int, exact: bool, guess: int, effort: int
) -> None:
    """Remember what was proven of a set; the newest entry stays."""
    slot = context.cache[np.int64(key & np.uint64(len(context.cache) - 1))]
    data = (
        (np.uint64(min(value, INFINITE) + 1) << np.uint64(33))
        | (np.uint64(guess + 1) << np.uint64(8))
        | (np.uint64(effort) << np.uint64(1))
        | np.uint64(1 if exact else 0)
    )
    slot[0] = key ^ data
    slot[1] = check ^ data
    slot[2] = data


@kernel
def set_key(
    context: Context, candidates: NDArray[np.int32], columns: NDArray[np.int32], k: int
) -> tuple[np.uint64, np.uint64]:
    """Name of a set of candidates with k guesses left: 128 bits."""
    key = np.uint64(k) * np.uint64(0x9E3779B97F4A7C15)
    check = np.uint64(0)
    for j in columns:
        key += context.keys[candidates[j], 0]
        check += context.keys[candidates[j], 1]
    key ^= key >> np.uint64(31)
    return key * np.uint64(0xD6E8FEB86659FD93), check


@kernel
def split(row: NDArray[np.uint8], n: int, replies: int, columns: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
    """Sort columns by reply: part r is columns[starts[r]:starts[r+1]]."""
    for r in range(replies + 1):
        starts[r] = 0
    for j in range(n):
        starts[row[j] + 1] += 1
    for r in range(replies):
        starts[r + 1] += starts[r]
    fill = starts[:replies].copy()
    for j in range(n):
        r = row[j]
        columns[fill[r]] = j
        fill[r] += 1


@kernel
def solve(
    context: Context,
    rows: NDArray[np.uint8],
    asked: NDArray[np.int32],
    row_of: NDArray[np.int32],
    candidates: NDArray[np.int32],
    choice: NDArray[np.int32],
    k: int,
    limit: int,
    effort: int,
) -> tuple[int, int, bool]:
    """Value of a node with k guesses left: exact if below `limit`, else a lower bound that is at least `limit`.

    Returns (value, guess index or -1).
    """
    context.counters[NODES] += 1
    n = len(candidates)
    replies = context.replies
    win = replies - 1
    kept = len(asked)
    below = k if k >= UNBOUNDED else k - 1
    hot = hot_columns(rows, kept, n, replies)
    acc = np.empty(1024, dtype=np.uint16)
    quality = np.empty(hot.shape[2], dtype=np.uint16)
    count_parts(hot, kept, n, win, quality)
    counts = np.zeros(replies, dtype=np.int64)
    # Bounds from the sizes of parts; guesses in order of (bound, fewest parts last, index).
    order_key = np.empty(len(choice), dtype=np.int64)
    some = np.empty(len(choice), dtype=np.int32)
    survivors = 0
    lowest = INFINITE
    for c in range(len(choice)):
        g = choice[c]
        q = int(np.int64(quality[g]))
        if q == 3:  # one part, and not a candidate's own: tells nothing
            continue
        if context.mode == TOTAL:
            bound = 3 * n - (q >> 1)  # what the sizes give when no part is larger than the number of replies
            if (n > context.linear or k <= 3) and bound < limit:
                bound = sizes_bound(context, rows[g, :n], counts, below)
        else:
            bound = sizes_bound(context, rows[g, :n], counts, below)
        lowest = min(lowest, bound)
        if bound < limit:
            order_key[survivors] = (bound << 20) + (4096 - q)
            some[survivors] = g
            survivors += 1
    if survivors == 0:
        return max(lowest, limit), -1, False
    order = np.argsort(order_key[:survivors], kind="mergesort")
    best = limit
    best_guess = -1
    columns = np.empty(n, dtype=np.int32)
    starts = np.empty(replies + 1, dtype=np.int64)
    pending = np.empty(survivors, dtype=np.int32)
    pending_bound = np.empty(survivors, dtype=np.int64)
    waiting = 0
    open_bound = INFINITE  # smallest bound of a guess left open
    for o in order:
        g = some[o]
        bound = order_key[o] >> 20
        if bound >= best or (effort == BOUND and bound >= open_bound):
            break
        context.counters[TRIED] += 1
        split(rows[g], n, replies, columns, starts)
        exact = True
        # Small parts first: they cost least.
        for size in range(2):
            for r in range(win):
                m = starts[r + 1] - starts[r]
                if m == 0 or (m <= 8) != (size == 0):
                    continue
                if bound >= best or (effort == BOUND and bound >= open_bound):
                    break
                old = size_bound(context, m, below)
                if m <= 2 and k > 2 and below > 1:
                    continue
                b, e = part_bound(context, rows, hot, row_of, columns[starts[r] : starts[r + 1]], below, acc)
                bound += b - old
                exact &= e
        if bound >= best or (effort == BOUND and bound >= open_bound):
            continue
        if exact:
            best = bound
            best_guess = asked[g]
        elif effort == BOUND:
            open_bound = min(open_bound, bound)
        else:
            pending[waiting] = g
            pending_bound[waiting] = bound
            waiting += 1
    order = np.argsort(pending_bound[:waiting], kind="mergesort")
    todo = np.empty(replies, dtype=np.int64)
    part_value = np.empty(replies, dtype=np.int64)
    part_exact = np.empty(replies, dtype=np.bool_)
    for o in order:
        g = pending[o]
        bound = pending_bound[o]
        if bound >= best or (effort < FULL and bound >= open_bound):
            break
        if context.stop[0]:
            return 0, -1, False
        split(rows[g], n, replies, columns, starts)
        # Parts whose bound is not exact, smallest first.
        left = 0
        for r in range(win):
            m = starts[r + 1] - starts[r]
            if m <= 2:
                continue
            b, e = part_bound(context, rows, hot, row_of, columns[starts[r] : starts[r + 1]], below, acc)
            if not e:
                todo[left] = (m << 8) + r
                part_value[r] = b
                part_exact[r] = False
                left += 1
        tasks = np.sort(todo[:left])
        stage = BOUND
        while True:
            exact = True
            for t in tasks:
                r = t & 255
                if part_exact[r]:
                    continue
                part = columns[starts[r] : starts[r + 1]]
                key, check = set_key(context, candidates, part, below)
                part_limit = best - (bound - part_value[r])
                data = cache_find(context, key, check)
                known = False
                if data != 0:
                    value = int(np.int64(data >> np.uint64(33))) - 1
                    part_exact[r] = bool(data & np.uint64(1))
                    done = int(np.int64(data >> np.uint64(1))) & 127
                    known = part_exact[r] or value >= part_limit or (stage == BOUND and done >= stage)
                    if value < part_value[r]:
                        value = part_value[r]
                if not known:
                    context.counters[BUILDS] += 1
                    sub, sub_asked, sub_row_of = part_rows(rows, asked, part, context.consistent, win)
                    value, guess, part_exact[r] = solve(
                        context, sub, sub_asked, sub_row_of, candidates[part],
                        np.arange(len(sub_asked)).astype(np.int32), below, part_limit, stage,
                    )  # fmt: skip
                    if context.stop[0]:
                        return 0, -1, False
                    cache_put(context, key, check, value, part_exact[r], guess, stage)
                bound += value - part_value[r]
                part_value[r] = value
                exact &= part_exact[r]
                if bound >= best:
                    break
            if bound >= best or exact or stage >= effort - 1:
                break
            stage = FULL
        if bound >= best:
            continue
        if exact:
            best = bound
            best_guess = asked[g]
        else:
            open_bound = min(open_bound, bound)
    if open_bound < best:
        return open_bound, -1, False
    # Nothing below the limit was found, or the best is proven; an infinite best proves that k guesses do not suffice.
    return best, best_guess, best_guess >= 0


@kernel
def solve_from(
    context: Context,
    source: Replies,
    guesses: NDArray[np.int32],
    choice: NDArray[np.int32],
    candidates: NDArray[np.int32],
    k: int,
    limit: int,
    effort: int,
) -> tuple[int, int, bool]:
    """Solve the node of `candidates` from scratch: `guesses` may be asked below, of which `choice` at its top."""
    rows, asked, row_of, scan = gather_rows(source, guesses, choice, candidates, context.replies - 1)
    return solve(context, rows, asked, row_of, candidates, scan, k, limit, effort)
