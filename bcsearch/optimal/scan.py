"""Scans: what every guess makes of a set of candidates, all guesses at once.

Replies are kept one-hot and column by column. A candidate's column holds, for each guess (row), a word with one bit
set: the reply that guess would get if the candidate were
the secret. Games with more than 16 replies use several planes of
16 bits; bit r % 16 of plane r // 16 stands for reply r.

    guess     0    1    2    3  ...                 column of candidate a   0010 0100 0010 0001 ...
    reply a   1    2    1    0                      column of candidate b   0010 0001 0100 0001 ...
    reply b   1    0    2    0                      OR of both              0010 0101 0110 0001 ...

The OR of the columns of a set shows, guess by guess, which replies occur: its one bits are the parts the guess makes,
and the bit of the win says whether the guess is a candidate. ORing and counting bits are plain loops over contiguous
words, which the compiler turns into vector instructions: some thousand guesses against 8 candidates take about a
microsecond.

Names: i row (guess), j column (candidate), n columns of a set, base/stride where columns lie in the arena of words
(column j, plane p starts at base + (j * planes + p) * stride).
"""


# mypy: disable-error-code="arg-type,assignment,return-value,type-var"
# numpy integers and plain ones are one type to numba here: kernels convert between them freely.

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.kernels import inlined, kernel, popcount

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLANE = 16  # replies a plane holds


@kernel
def merge_columns(
    words: NDArray[np.uint16],
    base: int,
    stride: int,
    planes: int,
    plane: int,
    ints: NDArray[np.int32],
    at: int,
    n: int,
    rows: int,
    out: NDArray[np.uint16],
) -> None:
    """out[i] = OR of one plane of the columns ints[at : at + n], for the first `rows` rows.

    Four columns at a time; the last one is repeated to fill up, which changes nothing.
    """
    m = np.uint64(rows)
    start = np.uint64(base + plane * stride)
    step = np.uint64(planes * stride)
    last = n - 1
    for j in range(0, n, 4):
        a = start + step * np.uint64(ints[at + j])
        b = start + step * np.uint64(ints[at + min(j + 1, last)])
        c = start + step * np.uint64(ints[at + min(j + 2, last)])
        d = start + step * np.uint64(ints[at + min(j + 3, last)])
        if j == 0:
            for i in range(m):
                out[i] = words[a + i] | words[b + i] | words[c + i] | words[d + i]
        else:
            for i in range(m):
                out[i] |= words[a + i] | words[b + i] | words[c + i] | words[d + i]


@kernel
def rate_rows(
    words: NDArray[np.uint16],
    base: int,
    stride: int,
    planes: int,
    win: int,
    bonus: int,
    ints: NDArray[np.int32],
    at: int,
    n: int,
    rows: int,
    merged: NDArray[np.uint16],
    rating: NDArray[np.uint16],
) -> None:
    """rating[i] = 2 (parts + [candidate] bonus) + [not a candidate] of guess i on the columns ints[at : at + n].

    Among guesses of equal worth the odd rating marks one that is no candidate: with a candidate's bonus counted, it
    makes one part more.
    """
    m = np.uint64(rows)
    one = np.uint16(1)
    shift = np.uint16(win % PLANE)
    extra = np.uint16(2 * bonus - 1)
    for plane in range(planes):
        merge_columns(words, base, stride, planes, plane, ints, at, n, rows, merged)
        if plane == 0:
            for i in range(m):
                rating[i] = popcount(merged[i]) << one
        else:
            for i in range(m):
                rating[i] += popcount(merged[i]) << one
    for i in range(m):
        rating[i] += one + ((merged[i] >> shift) & one) * extra


@kernel
def best_rating(rating: NDArray[np.uint16], rows: int, consistent: bool) -> int:
    """Largest rating; with `consistent` of candidates (even ratings) only."""
    best = np.uint16(0)
    one = np.uint16(1)
    if consistent:
        for i in range(np.uint64(rows)):
            best = max(best, rating[i] * (one - (rating[i] & one)))
    else:
        for i in range(np.uint64(rows)):
            best = max(best, rating[i])
    return np.int64(best)


@kernel
def candidate_parts(
    words: NDArray[np.uint16],
    base: int,
    stride: int,
    planes: int,
    ints: NDArray[np.int32],
    at: int,
    n: int,
    row_of: int,
) -> int:
    """Most parts that one of the candidates makes of them all (win included).

    ints[row_of + j] is the row of candidate j's own guess. Stops at one that tells all apart.
    """
    best = 0
    step = np.uint64(planes * stride)
    for c in range(n):
        start = np.uint64(base) + np.uint64(ints[row_of + ints[at + c]])
        parts = 0
        for _ in range(planes):
            seen = np.uint16(0)
            for j in range(n):
                seen |= words[start + step * np.uint64(ints[at + j])]
            parts += np.int64(popcount(seen))
            start += np.uint64(stride)
        if parts > best:
            best = parts
            if best == n:
                break
    return best


@inlined
def reply_at(words: NDArray[np.uint16], base: int, stride: int, planes: int, j: int, i: int) -> int:
    """Reply index of guess i against candidate j: the place of the one bit."""
    at = np.uint64(base + j * planes * stride + i)
    for plane in range(planes):
        word = words[at]
        if word != 0:
            return plane * PLANE + np.int64(popcount(np.uint16(word - np.uint16(1))))
        at += np.uint64(stride)
    return -1


@kernel
def hash_rows(
    words: NDArray[np.uint16],
    base: int,
    stride: int,
    planes: int,
    ints: NDArray[np.int32],
    at: int,
    n: int,
    rows: int,
    factors: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """out[i]: a 64-bit fingerprint of row i on the given columns: its words times random odd factors, summed."""
    m = np.uint64(rows)
    for j in range(n):
        for plane in range(planes):
            start = np.uint64(base + (ints[at + j] * planes + plane) * stride)
            factor = factors[j * planes + plane]
            if j == 0 and plane == 0:
                for i in range(m):
                    out[i] = factor * np.uint64(words[start + i])
            else:
                for i in range(m):
                    out[i] += factor * np.uint64(words[start + i])


@kernel
def first_of_each(
    hashes: NDArray[np.uint64],
    rating: NDArray[np.uint16],
    rows: int,
    consistent: bool,
    table: NDArray[np.int32],
    kept: NDArray[np.int32],
) -> int:
    """Rows to keep, ascending: the first of each fingerprint, without rows that make one part and are no candidate.

    `table` is scratch, a power of two at least twice `rows` long. Returns how many are kept.
    """
    size = 64
    while size < 2 * rows:
        size *= 2
    for s in range(np.uint64(size)):
        table[s] = -1
    mask = np.uint64(size - 1)
    count = 0
    for i in range(rows):
        rated = rating[i]
        if rated == 3 or (consistent and rated & 1):
            continue
        value = hashes[i]
        slot = ((value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & mask
        while table[slot] >= 0 and hashes[table[slot]] != value:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot] = i
            kept[count] = i
            count += 1
    return count


@kernel
def copy_rows(
    words: NDArray[np.uint16],
    source: int,
    source_stride: int,
    planes: int,
    ints: NDArray[np.int32],
    at: int,
    n: int,
    kept: NDArray[np.int32],
    count: int,
    target: int,
    stride: int,
) -> None:
    """Copy the kept rows of the given columns side by side to `target`."""
    m = np.uint64(count)
    for j in range(n):
        for plane in range(planes):
            start = np.uint64(source + (ints[at + j] * planes + plane) * source_stride)
            to = np.uint64(target + (j * planes + plane) * stride)
            for i in range(m):
                words[to + i] = words[start + np.uint64(kept[i])]


@kernel
def spread_columns(
    columns: NDArray[np.uint8],
    candidates: NDArray[np.int32],
    planes: int,
    stride: int,
    words: NDArray[np.uint16],
) -> None:
    """Write the one-hot columns of `candidates` to the start of `words`. columns[s, g]: reply of g to s."""
    rows = np.uint64(columns.shape[1])
    for j in range(len(candidates)):
        column = columns[candidates[j]]
        for plane in range(planes):
            to = np.uint64((j * planes + plane) * stride)
            low = np.uint16(plane * PLANE)
            for i in range(rows):
                shift = np.uint16(column[i]) - low
                here = np.uint16(shift < np.uint16(PLANE))
                words[to + i] = (np.uint16(1) << (shift & np.uint16(15))) * here
