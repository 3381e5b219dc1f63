"""What a guess earns: the one truth in plain Python, and the kernels that must equal it.

`score` is the definition. The kernels work on packed codes: a code becomes two unsigned words,

    places   the symbols, 1, 2, 4 or 8 bits each    2 0 1 2  ->  10 00 01 10
    counts   one unary field a symbol, as wide as   2 0 1 2  ->  ..11 ...1 ...1   (symbol 2 twice, 1 once, 0 once)
             the most a code can hold of a symbol

so that bulls are the fields of `places` in which two codes agree, and bulls + cows is the number of one bits of the
AND of their `counts` (the AND of two unary numbers is their minimum). Both are a few word operations that vectorise.
Codes too long for one 64-bit word each are scored by counting symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.game import Game, Reply, parse_game
from bcsearch.kernels import inlined, kernel, popcount, warm_up

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
    guesses, secrets = game.guesses, game.secrets
    matrix = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
    packed = pack(game, guesses), pack(game, secrets)
    starts = range(0, len(guesses), _BLOCK)

    def fill(start: int) -> None:
        rows = matrix[start : start + _BLOCK]
        if packed[0] is None or packed[1] is None:
            _score_by_counting(guesses[start : start + _BLOCK], secrets, game.symbols, rows)
        else:
            (places_g, counts_g), (places_s, counts_s) = packed[0], packed[1]
            block = slice(start, start + _BLOCK)
            _score_packed(places_g[block], counts_g[block], places_s, counts_s, *packing(game)[:2], rows)

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
    place_bits = next(bits for bits in (1, 2, 4, 8) if game.symbols <= 2**bits)
    return game.positions, place_bits, game.positions if game.repeats else 1


def pack(game: Game, codes: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]] | None:
    """Pack codes, shape (n, positions), into (places, counts), two uint64 arrays of shape (n,).

    Returns None where either does not fit 64 bits.
    """
    positions, place_bits, count_bits = packing(game)
    if positions * place_bits > 64 or game.symbols * count_bits > 64:
        return None
    places = np.zeros(len(codes), dtype=np.uint64)
    counts = np.zeros(len(codes), dtype=np.uint64)
    one = np.uint64(1)
    for column in codes.T.astype(np.uint64):
        places = (places << np.uint64(place_bits)) | column
        field = column * np.uint64(count_bits)
        # A unary field grows by one at its foot: x -> 2x + 1, kept within the field.
        held = (counts >> field) & np.uint64(2**count_bits - 1)
        counts = counts + ((held + one) << field)
    return places, counts


class Replies(NamedTuple):
    """Where kernels get replies from: the reply matrix where there is one, else the packed codes.

    Attributes
    ----------
    matrix
        Reply matrix, uint8, shape (guesses, secrets), read-only; shape (0, 0) to compute from the packed codes.
    by_secret
        Its transpose, shape (secrets, guesses), C order: the same array where both lists are the same, because
        bulls and cows do not change when guess and secret are exchanged.
    guess_places, guess_counts, secret_places, secret_counts
        The lists in packed form, uint64, read-only; empty where they do not fit.
    positions, place_bits, count_bits
        As from `packing`.
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


def replies_from(game: Game, matrix: NDArray[np.uint8] | None) -> Replies:
    """Make the kernels' source of replies from a reply matrix or, without one, from packed codes.

    Raises
    ------
    UsageError
        Without a matrix, for codes that do not pack into 64 bits.
    """
    nothing = np.zeros(0, dtype=np.uint64)
    guesses, secrets = pack(game, game.guesses), pack(game, game.secrets)
    if matrix is None and (guesses is None or secrets is None):
        raise UsageError(f"game {game}: its codes are too long to score without a reply matrix")
    guesses, secrets = guesses or (nothing, nothing), secrets or (nothing, nothing)
    rows = np.zeros((0, 0), dtype=np.uint8) if matrix is None else matrix
    by_secret = rows if game.guesses is game.secrets else np.ascontiguousarray(rows.T)
    arrays = (rows, by_secret, *guesses, *secrets)
    for array in arrays:
        array.flags.writeable = False
    return Replies(*arrays, *packing(game))


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
    else:
        _score_one(
            source.guess_places[guess],
            source.guess_counts[guess],
            places,
            counts,
            source.positions,
            source.place_bits,
            out,
        )


@kernel
def packed_candidates(source: Replies, candidates: NDArray[np.int32]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Packed codes of the candidates side by side, for `fill_replies`; empty where there is a matrix."""
    n = 0 if source.matrix.shape[0] > 0 else len(candidates)
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
def _score_packed(
    places_g: NDArray[np.uint64],
    counts_g: NDArray[np.uint64],
    places_s: NDArray[np.uint64],
    counts_s: NDArray[np.uint64],
    positions: int,
    place_bits: int,
    out: NDArray[np.uint8],
) -> None:
    """Fill out[g, s] with the reply index of guess g against secret s, from packed codes."""
    for g in range(len(places_g)):
        _score_one(places_g[g], counts_g[g], places_s, counts_s, positions, place_bits, out[g])


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
def _score_by_counting(
    guesses: NDArray[np.uint8], secrets: NDArray[np.uint8], symbols: int, out: NDArray[np.uint8]
) -> None:
    """Fill out[g, s] like `_score_packed`, for codes of any length."""
    p = guesses.shape[1]
    counts = np.zeros(symbols, dtype=np.int64)
    for g in range(len(guesses)):
        for s in range(len(secrets)):
            counts[:] = 0
            bulls = 0
            common = 0
            for i in range(p):
                counts[guesses[g, i]] += 1
                bulls += guesses[g, i] == secrets[s, i]
            for i in range(p):
                if counts[secrets[s, i]] > 0:
                    counts[secrets[s, i]] -= 1
                    common += 1
            out[g, s] = bulls * (p + 1) - ((bulls * (bulls - 1)) >> 1) + common - bulls - (bulls == p)


@warm_up
def _warm_up() -> None:
    game = parse_game("p2c2r")
    reply_matrix(game)
    _score_by_counting(game.guesses, game.secrets, game.symbols, np.empty((4, 4), dtype=np.uint8))
