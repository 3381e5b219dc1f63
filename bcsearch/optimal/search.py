"""Branch and bound on one subproblem, in one compiled recursion.

The contract, everywhere: asked for a set of candidates with k guesses left and a `limit`,

    answer <  limit   the answer is the exact value
    answer >= limit   the answer is a lower bound of the value

A node has its candidates' columns (see `scan`) side by side in an arena of words, and in an arena of ints, from `node`:

    candidates (n)   secret indices
    row_of     (n)   row of each candidate's own guess
    guesses    (R)   guess index of each row, ascending
    rating     (R)   2 (parts + bonus) + [not a candidate], see `scan.rate_rows`

Names: i row (guess), j column (candidate), n candidates of a node, m of a part, k guesses left, r reply index.
"""

# mypy: disable-error-code="arg-type,assignment,return-value,type-var"
# numpy integers and plain ones are one type to numba here: kernels convert between them freely.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch.kernels import inlined, kernel
from bcsearch.marks import GREEN, GREY
from bcsearch.optimal.cache import EXACT, find, put, set_keys
from bcsearch.optimal.scan import (
    best_rating,
    candidate_parts,
    copy_rows,
    first_of_each,
    hash_rows,
    rate_rows,
    reply_at,
    spread_columns,
)
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED

if TYPE_CHECKING:
    from numpy.typing import NDArray

STOPPED, BUDGET, NODES, SCANS, TRIED, BEST, PROVEN = 0, 1, 2, 3, 4, 5, 6  # places in `Work.control`
TOO_SMALL = 2  # control[STOPPED] where the arenas are too small for the task
_LEVELS = 8192  # distinct bounds told apart when guesses are put in order


class Work(NamedTuple):
    """All that the recursion works on: the task, and the scratch memory of one thread."""

    mode: int
    replies: int
    planes: int
    consistent: bool
    hard: bool
    width: int  # guesses tried per node; more than there are for a proof
    low: NDArray[np.int64]  # low[k, m], see `tables`
    keys: NDArray[np.uint64]  # (secrets + 1, 2) random words; the last row is this task's salt
    cache: NDArray[np.uint64]
    factors: NDArray[np.uint64]  # random odd numbers, one a column and plane
    stop: NDArray[np.int8]
    control: NDArray[np.int64]
    words: NDArray[np.uint16]
    ints: NDArray[np.int32]
    merged: NDArray[np.uint16]
    rating: NDArray[np.uint16]
    hashes: NDArray[np.uint64]
    table: NDArray[np.int32]
    kept: NDArray[np.int32]
    place: NDArray[np.int32]
    codes: NDArray[np.uint8]  # of all guesses, (guesses, positions), and
    numbers: NDArray[np.int64]  # of all replies (see `marks`): for hard mode, else empty


@inlined
def _below(k: int) -> int:
    return k if k >= UNLIMITED else k - 1


@kernel
def small_bound(mode: int, m: int, k: int, low: int) -> tuple[int, bool]:
    """Bound of a part from its size: (bound, exact)."""
    if k <= 1:
        if mode == LOST:
            return m - k, True
        return (1, True) if m == 1 and k == 1 else (INFINITE, True)
    if low >= INFINITE:
        return INFINITE, True
    if m <= 2:
        if mode == TOTAL:
            return 2 * m - 1, True
        return (m - 1 if mode != LOST and k == 2 else 0), True
    return low, False


@kernel
def candidate_bound(mode: int, m: int, k: int, parts: int, consistent: bool) -> tuple[int, bool]:
    """Exact value of a part of m >= 3 where the best candidate's number of parts settles it; else (0, False)."""
    if parts == m:
        if mode == TOTAL:
            return 2 * m - 1, True
        return (m - 1 if mode != LOST and k == 2 else 0), True
    if parts == m - 1 and k >= 3:
        if mode == TOTAL:
            if not consistent or k >= 3:
                return 2 * m, True
        elif mode == LOST:
            return 0, True
        else:
            if k >= 4:
                return 0, True
    return 0, False


@kernel
def rated_bound(mode: int, m: int, k: int, best: int, consistent: bool) -> tuple[int, bool]:
    """Bound of a part of m >= 3, k >= 2, from the best rating any guess has on it: (bound, exact)."""
    worth = best >> 1
    outside = (best & 1) == 1
    if mode == TOTAL:
        if k == 2:
            if worth == m + 1:
                return 2 * m - 1, True
            return (2 * m, True) if worth == m and outside else (INFINITE, True)
        return 3 * m - worth, worth >= m or (worth == m - 1 and outside)
    if mode == LOST:
        if k == 2:
            return m - worth, True
        return 0, worth >= m - 1
    if k == 2:
        return (m, True) if worth == m else (INFINITE, True)
    if k == 3:
        return m - worth, worth >= m - 1
    return 0, worth >= m - 1


@kernel
def part_bound(
    w: Work, base: int, stride: int, rows: int, node: int, n: int, at: int, m: int, k: int
) -> tuple[int, bool, np.uint64, np.uint64]:
    """Lower bound of the part of columns ints[at : at + m] with k guesses left, whether it is exact, and its keys.

    From closed forms, else from the cache, else from one scan. In hard mode a set's value depends on more than the set:
    nothing is cached, and no guess but a candidate is sure to be allowed.
    """
    zero = np.uint64(0)
    low = w.low[k, m]
    bound, exact = small_bound(w.mode, m, k, low)
    if exact:
        return bound, True, zero, zero
    if m <= w.replies or w.consistent:
        parts = candidate_parts(w.words, base, stride, w.planes, w.ints, at, m, node + n)
        value, exact = candidate_bound(w.mode, m, k, parts, w.consistent)
        if exact:
            return value, True, zero, zero
    key, check = zero, zero
    if not w.hard:
        key, check = set_keys(w.keys, w.ints, node, at, m, k)
        data = find(w.cache, key, check)
        if data >= 0:
            return max(bound, data >> 1), (data & EXACT) == EXACT, key, check
    w.control[SCANS] += 1
    bonus = 1 if w.mode == TOTAL else 0
    rate_rows(w.words, base, stride, w.planes, w.replies - 1, bonus, w.ints, at, m, rows, w.merged, w.rating)
    best = best_rating(w.rating, rows, w.consistent)
    value, exact = rated_bound(w.mode, m, k, best, w.consistent)
    bound = max(bound, value)
    if w.hard:
        return bound, exact and ((best & 1) == 0 or value >= INFINITE), key, check
    put(w.cache, key, check, bound, exact)
    return bound, exact, key, check


@kernel
def _allows(codes: NDArray[np.uint8], guess: int, marks: int, later: int) -> bool:
    """Whether hard mode allows `later` after a reply, as a number, to `guess`; see `hard`."""
    length = codes.shape[1]
    used = marks
    for p in range(length - 1, -1, -1):
        if used % 3 == GREEN and codes[later, p] != codes[guess, p]:
            return False
        used //= 3
    for p in range(length):
        needed = 0
        used = marks
        for q in range(length - 1, -1, -1):
            needed += used % 3 != GREY and codes[guess, q] == codes[guess, p]
            used //= 3
        for q in range(length):
            needed -= codes[later, q] == codes[guess, p]
        if needed > 0:
            return False
    return True


@kernel
def _allowed_rows(w: Work, rows: int, guesses: int, guess: int, reply: int) -> int:
    """Rows to keep in hard mode: those still allowed that split the set or may be the secret. Equal rows all stay,
    for they allow different guesses later."""
    count = 0
    for i in range(rows):
        outside = (w.rating[i] & 1) == 1
        if w.rating[i] == 3 or (w.consistent and outside):
            continue
        # Candidates give the very reply, so they are allowed.
        if not outside or guess < 0 or _allows(w.codes, guess, w.numbers[reply], w.ints[guesses + i]):
            w.kept[count] = i
            count += 1
    return count


@kernel
def build_node(
    w: Work, base: int, stride: int, rows: int, node: int, n: int, at: int, m: int, words_top: int, ints_top: int,
    asked: int,
) -> int:  # fmt: skip
    """Build the node of a part: rows that differ on it, side by side, at the tops of the arenas. Returns its rows.

    `asked` is the row of the guess whose part it is, -1 at the top.
    """
    bonus = 1 if w.mode == TOTAL else 0
    ints = w.ints
    rate_rows(w.words, base, stride, w.planes, w.replies - 1, bonus, ints, at, m, rows, w.merged, w.rating)
    guesses = node + 2 * n
    if w.hard:
        guess = np.int64(-1)
        reply = np.int64(0)
        if asked >= 0:
            guess = np.int64(ints[guesses + asked])
            reply = np.int64(reply_at(w.words, base, stride, w.planes, ints[at], asked))
        count = _allowed_rows(w, rows, guesses, guess, reply)
    else:
        hash_rows(w.words, base, stride, w.planes, ints, at, m, rows, w.factors, w.hashes)
        count = first_of_each(w.hashes, w.rating, rows, w.consistent, w.table, w.kept)
    copy_rows(w.words, base, stride, w.planes, ints, at, m, w.kept, count, words_top, padded(count))
    for i in range(count):
        old = w.kept[i]
        w.place[old] = i
        ints[ints_top + 2 * m + i] = ints[guesses + old]
        ints[ints_top + 2 * m + count + i] = w.rating[old]
    for j in range(m):
        ints[ints_top + j] = ints[node + ints[at + j]]
        ints[ints_top + m + j] = w.place[ints[node + n + ints[at + j]]]
    return count


@inlined
def padded(rows: int) -> int:
    """Stride of columns of `rows` words: whole cache lines."""
    return (rows + 31) & ~31


@inlined
def _fits(w: Work, m: int, rows: int, words_top: int, ints_top: int) -> bool:
    """Whether the arenas hold one more node of m candidates and the scratch of working on it."""
    words = m * w.planes * padded(rows)
    ints = 6 * m + 8 * rows + 12 * w.replies + 2 * _LEVELS
    return words_top + words <= len(w.words) and ints_top + ints <= len(w.ints)


@kernel
def split(w: Work, base: int, stride: int, i: int, n: int, to: int) -> int:
    """Sort the columns by their reply to guess i, smallest part first, wins left out.

    Writes at ints[to]: the number of columns of each part (replies), where each starts (replies), then the columns.
    Returns the number of parts.
    """
    ints = w.ints
    replies = w.replies
    sizes = to
    starts = to + replies
    columns = to + 2 * replies
    labels = columns + n
    counts = labels + n
    for r in range(replies):
        ints[counts + r] = 0
    for j in range(n):
        r = reply_at(w.words, base, stride, w.planes, j, i)
        ints[labels + j] = r
        ints[counts + r] += 1
    parts = 0
    for r in range(replies - 1):
        m = ints[counts + r]
        if m > 0:
            p = parts
            while p > 0 and ints[sizes + p - 1] > m:
                ints[sizes + p] = ints[sizes + p - 1]
                ints[starts + p] = ints[starts + p - 1]
                p -= 1
            ints[sizes + p] = m
            ints[starts + p] = r
            parts += 1
    fill = columns
    for p in range(parts):
        r = ints[starts + p]
        ints[starts + p] = fill
        ints[counts + r] = fill
        fill += ints[sizes + p]
    ints[counts + replies - 1] = fill  # the guess itself goes last
    for j in range(n):
        r = ints[labels + j]
        ints[ints[counts + r]] = j
        ints[counts + r] += 1
    return parts


@kernel
def row_bound(w: Work, base: int, stride: int, i: int, n: int, k: int, counts: int) -> int:
    """Lower bound of guess i from the sizes of its parts; ints[counts : counts + replies] is scratch."""
    ints = w.ints
    for r in range(w.replies):
        ints[counts + r] = 0
    for j in range(n):
        ints[counts + reply_at(w.words, base, stride, w.planes, j, i)] += 1
    bound = n if w.mode == TOTAL else 0
    below = _below(k)
    for r in range(w.replies - 1):
        bound += w.low[below, ints[counts + r]]
    return bound


@kernel
def order_rows(
    w: Work, base: int, stride: int, rows: int, node: int, n: int, k: int, limit: int, choice: int, chosen: int, to: int
) -> tuple[int, int]:
    """Put the guesses whose bound is under the limit in order of (bound, not a candidate, index);
    where losses are counted of (bound, most parts, index). Far out the order is coarse: bounds are not sorted there.

    Writes their rows at ints[to], their bounds at ints[to + number of choices]. Returns how many there are, and the
    lowest bound of the others.
    """
    ints = w.ints
    many = rows if chosen < 0 else chosen
    ratings = node + 2 * n + rows
    bounds = to + many
    scratch = to + 2 * many
    counts = scratch + many
    # Where every set of up to n candidates might be told apart at once, the bound from sizes is the one from parts.
    usual = 2 * n - 1 if w.mode == TOTAL else 0
    sizes_matter = w.low[_below(k), n] > usual or (w.mode == TOTAL and k <= 3)
    others = INFINITE
    count = 0
    lowest = INFINITE
    for c in range(many):
        i = c if chosen < 0 else ints[choice + c]
        bound = 3 * n - (ints[ratings + i] >> 1) if w.mode == TOTAL else 0
        if bound < limit and sizes_matter:
            bound = row_bound(w, base, stride, i, n, k, counts)
        if bound >= limit:
            others = min(others, bound)
            continue
        ints[to + count] = i
        ints[bounds + count] = bound
        lowest = min(lowest, bound)
        count += 1
    _sort(ints, to, bounds, ratings, count, lowest, scratch, counts, w.mode != TOTAL)
    return count, others


@inlined
def _order_key(bound: int, rating: int, by_parts: bool) -> int:
    """Totals: bound, then candidates first. Losses, most of whose bounds are 0: bound, then most parts."""
    return 64 * bound + 63 - min(63, rating) if by_parts else 2 * bound + (rating & 1)


@kernel
def _sort(
    ints: NDArray[np.int32], to: int, bounds: int, ratings: int, count: int, lowest: int, scratch: int, counts: int,
    by_parts: bool,
) -> None:  # fmt: skip
    """Stable sort of `order_rows`: by insertion where few, else by counting."""
    if count <= 24:
        for c in range(1, count):
            i = ints[to + c]
            bound = ints[bounds + c]
            key = _order_key(bound, ints[ratings + i], by_parts)
            p = c
            while p > 0 and _order_key(ints[bounds + p - 1], ints[ratings + ints[to + p - 1]], by_parts) > key:
                ints[to + p] = ints[to + p - 1]
                ints[bounds + p] = ints[bounds + p - 1]
                p -= 1
            ints[to + p] = i
            ints[bounds + p] = bound
        return
    highest = 0
    for c in range(count):
        highest = max(highest, _order_key(ints[bounds + c] - lowest, ints[ratings + ints[to + c]], by_parts))
    levels = min(highest, _LEVELS - 1) + 1
    for level in range(levels + 1):
        ints[counts + level] = 0
    for c in range(count):
        i = ints[to + c]
        level = min(_order_key(ints[bounds + c] - lowest, ints[ratings + i], by_parts), levels - 1)
        ints[scratch + c] = i
        ints[counts + level + 1] += 1
    for level in range(levels):
        ints[counts + level + 1] += ints[counts + level]
    after = counts + levels + 1
    for c in range(count):
        ints[after + c] = ints[bounds + c]
    for c in range(count):
        i = ints[scratch + c]
        bound = ints[after + c]
        level = min(_order_key(bound - lowest, ints[ratings + i], by_parts), levels - 1)
        p = ints[counts + level]
        ints[counts + level] += 1
        ints[to + p] = i
        ints[bounds + p] = bound


@kernel
def note_proven(w: Work, bounds: int, c: int, count: int, lower: int) -> None:
    """Note what a node that has to stop at its guess c has proven: no guess has less than the least of the bounds."""
    for later in range(c + 1, min(count, w.width)):
        lower = min(lower, np.int64(w.ints[bounds + later]))
    w.control[PROVEN] = lower
    w.control[BEST] = -1


@kernel
def solve(
    w: Work,
    base: int,
    stride: int,
    rows: int,
    node: int,
    n: int,
    choice: int,
    chosen: int,
    k: int,
    limit: int,
    words_top: int,
    ints_top: int,
) -> int:
    """Value of a built node under the module's contract, or with `Work.width` of the narrower search.

    When the budget runs out or a stop is asked, control[STOPPED] is set, the answer means nothing, and
    control[PROVEN] is a lower bound of the value (of the narrower search).
    """
    control = w.control
    control[NODES] += 1
    control[PROVEN] = 0
    if control[SCANS] >= control[BUDGET] or w.stop[0] != 0:
        control[STOPPED] = 1
        return 0
    ints = w.ints
    replies = w.replies
    many = rows if chosen < 0 else chosen
    count, lowest = order_rows(w, base, stride, rows, node, n, k, limit, choice, chosen, ints_top)
    sizes = ints_top + 2 * many
    starts = sizes + replies
    columns = starts + replies
    part_low = columns + 2 * n + replies
    pending = part_low + replies
    top = pending + replies
    keys = np.empty((replies, 2), dtype=np.uint64)
    below = _below(k)
    best = limit
    best_row = -1
    if count > w.width:
        lowest = min(lowest, np.int64(ints[ints_top + many + w.width]))
    for c in range(min(count, w.width)):
        bound = np.int64(ints[ints_top + many + c])
        if w.stop[0] != 0:
            control[STOPPED] = 1
            note_proven(w, ints_top + many, c, count, min(bound, best, lowest))
            return 0
        if bound >= best:
            lowest = min(lowest, bound)
            continue
        i = ints[ints_top + c]
        control[TRIED] += 1
        parts = split(w, base, stride, i, n, sizes)
        left = 0
        for p in range(parts):
            m = np.int64(ints[sizes + p])
            value, exact, key, check = part_bound(w, base, stride, rows, node, n, np.int64(ints[starts + p]), m, below)
            bound += value - w.low[below, m]
            if not exact:
                ints[pending + left] = p
                ints[part_low + left] = value
                keys[left, 0] = key
                keys[left, 1] = check
                left += 1
            if bound >= best:
                break
        if bound < best:
            for turn in range(left):
                # A total grows with every part, small ones are cheap; losses come from the large ones.
                q = turn if w.mode == TOTAL else left - 1 - turn
                p = ints[pending + q]
                m = np.int64(ints[sizes + p])
                at = np.int64(ints[starts + p])
                old = np.int64(ints[part_low + q])
                part_limit = best - (bound - old)
                if not _fits(w, m, rows, words_top, top):
                    control[STOPPED] = TOO_SMALL
                    return 0
                kept = build_node(w, base, stride, rows, node, n, at, m, words_top, top, np.int64(i))
                value = solve(
                    w, words_top, np.int64(padded(kept)), kept, top, m, np.int64(0), np.int64(-1), below, part_limit,
                    words_top + m * w.planes * padded(kept), top + 2 * m + 2 * kept,
                )  # fmt: skip
                if control[STOPPED] != 0:
                    note_proven(w, ints_top + many, c, count, min(bound, best, lowest))
                    return 0
                value = max(value, old)
                if not w.hard:
                    put(w.cache, keys[q, 0], keys[q, 1], value, value < part_limit)
                bound += value - old
                if bound >= best:
                    break
        if bound < best:
            best = bound
            best_row = i
        else:
            lowest = min(lowest, bound)
    if best < limit:
        control[BEST] = ints[node + 2 * n + best_row]
        return best
    control[BEST] = -1
    return max(limit, lowest)


@kernel
def open_root(
    w: Work, columns: NDArray[np.uint8], places: NDArray[np.int32], guesses: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> int:  # fmt: skip
    """Build the node of any set of candidates from their replies, at the start of the arenas. Returns its rows.

    columns[places[j], i] is the reply of guess guesses[i] to candidates[j]. The node's words start at 0 with stride
    padded(rows), its ints at 0; the raw columns lie above it only while it is built.
    """
    n = len(candidates)
    every = columns.shape[1]
    ints = w.ints
    wide = padded(every)
    half = n * w.planes * wide
    spread_columns(columns, places, w.planes, wide, w.words[half:])
    raw = 2 * n + 2 * every  # ints of the finished node come first
    for j in range(n):
        ints[raw + j] = candidates[j]
        ints[raw + n + j] = 0
        ints[raw + 2 * n + every + j] = j
    for i in range(every):
        ints[raw + 2 * n + i] = guesses[i]
    win = w.replies - 1
    for j in range(n):
        for i in range(every):
            if columns[places[j], i] == win:
                ints[raw + n + j] = i
                break
    return build_node(w, half, wide, every, raw, n, raw + 2 * n + every, n, np.int64(0), np.int64(0), np.int64(-1))


@kernel
def solve_set(
    w: Work,
    columns: NDArray[np.uint8],
    places: NDArray[np.int32],
    guesses: NDArray[np.int32],
    candidates: NDArray[np.int32],
    choice: NDArray[np.int32],
    k: int,
    limit: int,
) -> int:
    """Value of any set of candidates under the module's contract; `choice` (ascending) are the guesses to try first.

    columns[places[j], i] is the reply of guess guesses[i] (ascending) to candidates[j]; every candidate's own guess is
    among them. control[BEST] is the guess that reaches the value.
    """
    rows = open_root(w, columns, places, guesses, candidates)
    n = len(candidates)
    top = 2 * n + 2 * rows
    zero = np.int64(0)  # a plain 0 would be a type of its own and compile everything again
    chosen = zero
    at = 0
    for i in range(rows):
        while at < len(choice) and choice[at] < w.ints[2 * n + i]:
            at += 1
        if at < len(choice) and choice[at] == w.ints[2 * n + i]:
            w.ints[top + chosen] = i
            chosen += 1
    stride = padded(rows)
    return solve(w, zero, stride, rows, zero, n, top, chosen, k, limit, n * w.planes * stride, top + chosen)
