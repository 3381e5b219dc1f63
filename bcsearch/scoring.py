"""What a guess earns: the one truth in plain Python, and the kernels that must equal it.

`score` is the definition. The kernels work on packed codes: a code becomes two unsigned words,

    places   the symbols, 1, 2, 4 or 8 bits each    2 0 1 2  ->  10 00 01 10
    counts   one unary field a symbol, as wide as   2 0 1 2  ->  ..11 ...1 ...1   (symbol 2 twice, 1 once, 0 once)
             the most a code can hold of a symbol

so that bulls are the fields of `places` in which two codes agree, and bulls + cows is the number of one bits of the
AND of their `counts` (the AND of two unary numbers is their minimum). Both are a few word operations that vectorise.
A field holds no more than both codes can have of a symbol: one bit where either list has no repeats.

Codes that do not fit one 64-bit word each, and those of games with marks (`marks`), are scored symbol by symbol.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch.game import Game, Reply, parse_game
from bcsearch.kernels import inlined, kernel, popcount, warm_up
from bcsearch.marks import GREEN, YELLOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 256  # rows a thread fills before it comes back for more


def score(secret: Sequence[int | str], guess: Sequence[int | str]) -> Reply:
    """Reply to `guess` when `secret` is the code to find: (bulls, cows).

    Bulls are positions that agree. Cows are what is left of the common symbols, each counted as often as both codes
    hold it: ``sum(min counts) - bulls``.
    """
    bulls = sum(s == g for s, g in zip(secret, guess, strict=True))
    common = sum((Counter(secret) & Counter(guess)).values())
    return bulls, common - bulls


def reply_matrix(game: Game, threads: int = 1) -> NDArray[np.uint8]:
    """Reply index of every guess against every secret: shape (guesses, secrets), uint8, C order, read-only.

    Needs guesses x secrets bytes (25 MB for p4c10n). `threads` share the rows.
    """
    source = replies_from(game, None)
    matrix = np.empty((len(game.guesses), len(game.secrets)), dtype=np.uint8)
    starts = range(0, len(matrix), _BLOCK)

    def fill(start: int) -> None:
        _fill_rows(source, start, matrix[start : start + _BLOCK])

    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, starts))
    else:
        for start in starts:
            fill(start)
    matrix.flags.writeable = False
    return matrix


def packing(game: Game) -> tuple[int, int, int]:
    """How codes are packed: (positions, bits a position, bits a symbol count)."""
    place_bits = next(bits for bits in (1, 2, 4, 8) if len(game.alphabet) <= 2**bits)
    return game.positions, place_bits, game.most_repeats


def pack(game: Game, codes: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]] | None:
    """Pack codes, shape (n, positions), into (places, counts), two uint64 arrays of shape (n,).

    Returns None where either does not fit 64 bits, and for games with marks.
    """
    positions, place_bits, count_bits = packing(game)
    if game.marks or positions * place_bits > 64 or len(game.alphabet) * count_bits > 64:
        return None
    places = np.zeros(len(codes), dtype=np.uint64)
    counts = np.zeros(len(codes), dtype=np.uint64)
    one = np.uint64(1)
    for column in codes.T.astype(np.uint64):
        places = (places << np.uint64(place_bits)) | column
        field = column * np.uint64(count_bits)
        # A unary field grows by one at its foot, x -> 2x + 1, until it is full.
        full = np.uint64(2**count_bits - 1)
        held = (counts >> field) & full
        counts = counts | (((held << one) | one) & full) << field
    return places, counts


class Replies(NamedTuple):
    """Where kernels get replies from: the reply matrix where there is one, else packed codes, else the codes.

    Attributes
    ----------
    matrix
        Reply matrix, uint8, shape (guesses, secrets), read-only; shape (0, 0) to compute replies.
    by_secret
        Its transpose, shape (secrets, guesses), C order: the same array where both lists are the same and replies do
        not change when guess and secret are exchanged, as bulls and cows do not.
    guess_places, guess_counts, secret_places, secret_counts
        The lists in packed form, uint64, read-only; empty where they do not fit.
    positions, place_bits, count_bits
        As from `packing`.
    guess_codes, secret_codes
        The lists themselves, uint8, shape (n, positions), where they are not packed; else shape (0, 0).
    numbers
        Of games with marks: the number of each reply, int64, ascending; else empty.
    """

    matrix: NDArray[np.uint8]
    by_secret: NDArray[np.uint8]
    guess_places: NDArray[np.uint64]
    guess_counts: NDArray[np.uint64]
    secret_places: NDArray[np.uint64]
    secret_counts: NDArray[np.uint64]
    positions: int
    place_bits: int
    count_bits: int
    guess_codes: NDArray[np.uint8]
    secret_codes: NDArray[np.uint8]
    numbers: NDArray[np.int64]


def replies_from(game: Game, matrix: NDArray[np.uint8] | None) -> Replies:
    """Make the kernels' source of replies from a reply matrix or, without one, from the codes."""
    rows = np.zeros((0, 0), dtype=np.uint8) if matrix is None else matrix
    symmetric = game.guesses is game.secrets and not game.marks
    rows.flags.writeable = False
    by_secret = rows if symmetric else _transposed(rows)
    return _computed_replies(game)._replace(matrix=rows, by_secret=by_secret)


_last_transposed: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []


def _transposed(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Transpose of a matrix, in C order; that of the last one is kept, for many items work on one matrix."""
    for known, turned in _last_transposed[-1:]:
        if known is rows:
            return turned
    turned = np.ascontiguousarray(rows.T)
    turned.flags.writeable = False
    _last_transposed[:] = [(rows, turned)]
    return turned


@lru_cache(maxsize=2)
def _computed_replies(game: Game) -> Replies:
    """The source of replies of a game without a matrix; made once in a process."""
    nothing, no_codes = np.zeros(0, dtype=np.uint64), np.zeros((0, 0), dtype=np.uint8)
    guesses = pack(game, game.guesses)
    secrets = guesses if game.guesses is game.secrets else pack(game, game.secrets)
    packed = guesses is not None and secrets is not None
    lists = (no_codes, no_codes) if packed else (game.guesses, game.secrets)
    numbers = game.reply_numbers if game.marks else np.zeros(0, dtype=np.int64)
    packs = (*(guesses or (nothing, nothing)), *(secrets or (nothing, nothing)))
    for array in (no_codes, *packs, numbers):
        array.flags.writeable = False
    return Replies(no_codes, no_codes, *packs, *packing(game), *lists, numbers)


@kernel
def fill_replies(
    source: Replies,
    guess: int,
    candidates: NDArray[np.int32],
    places: NDArray[np.uint64],
    counts: NDArray[np.uint64],
    out: NDArray[np.uint8],
) -> None:
    """Write the reply index of one guess against each candidate to out, shape (candidates,).

    `places` and `counts` are the candidates' packed codes (see `packed_candidates`), unused where there is a matrix.
    """
    if source.matrix.shape[0] > 0:
        row = source.matrix[guess]
        for j in range(len(candidates)):
            out[j] = row[candidates[j]]
    elif len(source.guess_places) > 0:
        _score_one(
            source.guess_places[guess],
            source.guess_counts[guess],
            places,
            counts,
            source.positions,
            source.place_bits,
            out,
        )
    elif len(source.numbers) > 0:
        code = source.guess_codes[guess]
        for j in range(len(candidates)):
            out[j] = _marks_index(code, source.secret_codes[candidates[j]], source.numbers)
    else:
        code = source.guess_codes[guess]
        for j in range(len(candidates)):
            out[j] = _pair_index(code, source.secret_codes[candidates[j]])


@kernel
def packed_candidates(source: Replies, candidates: NDArray[np.int32]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Packed codes of the candidates side by side, for `fill_replies`; empty where it does not need them."""
    n = 0 if source.matrix.shape[0] > 0 or len(source.guess_places) == 0 else len(candidates)
    places = np.empty(n, dtype=np.uint64)
    counts = np.empty(n, dtype=np.uint64)
    for j in range(n):
        places[j] = source.secret_places[candidates[j]]
        counts[j] = source.secret_counts[candidates[j]]
    return places, counts


@inlined
def _field_ones(positions: int, place_bits: int) -> np.uint64:
    """Word with the lowest bit of every position's field set."""
    word = np.uint64(0)
    for p in range(positions):
        word |= np.uint64(1) << np.uint64(p * place_bits)
    return word


@kernel
def _fill_rows(source: Replies, first: int, out: NDArray[np.uint8]) -> None:
    """Fill out[i, s] with the reply index of guess first + i against secret s, computed."""
    everyone = np.arange(out.shape[1]).astype(np.int32)
    for i in range(len(out)):
        fill_replies(source, first + i, everyone, source.secret_places, source.secret_counts, out[i])


@kernel
def _score_one(
    place: np.uint64,
    count: np.uint64,
    places: NDArray[np.uint64],
    counts: NDArray[np.uint64],
    positions: int,
    place_bits: int,
    out: NDArray[np.uint8],
) -> None:
    """Fill out[s] with the reply index of one guess against secret s.

    Replies are sorted by (bulls, cows), so b bulls start at b(p+1) - b(b-1)/2; the win moves up by one because
    (p-1, 1) is left out. Arithmetic rather than a table, so that the loop over secrets vectorises.
    """
    ones = _field_ones(positions, place_bits)
    p = np.int64(positions)
    # A field of 8, 4, 2 or 1 bits is folded into its lowest bit by shifts of 4, 2, 1; a shift by 0 changes nothing.
    fold_4 = np.uint64(4 if place_bits > 4 else 0)
    fold_2 = np.uint64(2 if place_bits > 2 else 0)
    fold_1 = np.uint64(1 if place_bits > 1 else 0)
    for s in range(len(places)):
        differ = place ^ places[s]
        differ |= differ >> fold_4
        differ |= differ >> fold_2
        differ |= differ >> fold_1
        bulls = p - np.int64(popcount(differ & ones))
        common = np.int64(popcount(count & counts[s]))
        start = bulls * (p + 1) - ((bulls * (bulls - 1)) >> 1)
        out[s] = start + common - bulls - (bulls == p)


@kernel
def _pair_index(guess: NDArray[np.uint8], secret: NDArray[np.uint8]) -> int:
    """Index of the bulls and cows of a code of any length."""
    p = len(guess)
    bulls = 0
    common = 0
    for i in range(p):
        bulls += guess[i] == secret[i]
        held = 0
        wanted = 0
        for k in range(p):
            held += secret[k] == guess[i]
            wanted += guess[k] == guess[i] and k <= i
        common += wanted <= held
    return bulls * (p + 1) - ((bulls * (bulls - 1)) >> 1) + common - bulls - (bulls == p)


@kernel
def _marks_index(guess: NDArray[np.uint8], secret: NDArray[np.uint8], numbers: NDArray[np.int64]) -> int:
    """Index of the marks of a word: see `marks.mark`."""
    p = len(guess)
    taken = np.uint64(0)  # letters of the secret, one bit each, that a mark has used up
    for i in range(p):
        taken |= np.uint64(guess[i] == secret[i]) << np.uint64(i)
    greens = taken
    number = 0
    for i in range(p):
        one = 0
        if (greens >> np.uint64(i)) & np.uint64(1):
            one = GREEN
        else:
            for k in range(p):
                if secret[k] == guess[i] and not (taken >> np.uint64(k)) & np.uint64(1):
                    taken |= np.uint64(1) << np.uint64(k)
                    one = YELLOW
                    break
        number = 3 * number + one
    if number < len(numbers) and numbers[number] == number:  # all there are
        return number
    return int(np.searchsorted(numbers, number))


@warm_up
def _warm_up() -> None:
    reply_matrix(parse_game("p2c2r"))
