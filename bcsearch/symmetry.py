"""Which guesses are equivalent after a history.

Permuting the positions of all codes and renaming their symbols changes no reply. Such a symmetry that leaves every
guess of a history as it is also leaves the candidates as they are, whatever the replies were; two guesses that it maps
to each other split the candidates into parts of the same sizes and are both candidates or both not. So one guess of
each class (orbit), the first in code order, is enough.

Two kinds of symmetry are used: symbols that no guess has used are interchangeable; and a permutation of positions,
together with the renaming of used symbols that it forces, may map every guess of the history to itself.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, permutations
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.game import Game, parse_game
from bcsearch.kernels import kernel, warm_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Permutations looked at for codes of more than 8 positions. Any set of symmetries gives correct classes (the guess kept
# is always equivalent to those left out); with fewer of them, some classes are merely kept apart.
_MOST_PERMUTATIONS = 40320

_FREE = 255  # in a renaming: this symbol may become any other free one


@lru_cache(maxsize=4096)
def canonical_guesses(game: Game, asked: tuple[int, ...]) -> NDArray[np.int32]:
    """First guess of each class of equivalent guesses after the guesses `asked`, ascending.

    Parameters
    ----------
    asked
        Indices of the guesses made so far, in any order.

    Returns
    -------
    int32 array of guess indices, read-only. Its length is the number of classes found.
    """
    if len(game.fixed_symbols) == len(game.alphabet) and len(game.fixed_positions) == game.positions:
        kept = np.arange(len(game.guesses), dtype=np.int32)  # nothing can move: every guess is a class of its own
        kept.flags.writeable = False
        return kept
    places, renamings = _stabiliser(game, game.guesses[list(asked)])
    free = renamings[0] == _FREE
    kept = _first_of_each_orbit(game.guesses, game.keys, len(game.alphabet), places, renamings, free)
    kept.flags.writeable = False
    return kept


def _stabiliser(game: Game, asked: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Symmetries that leave every code of `asked`, shape (k, positions), unchanged; the identity comes first.

    Returns (places, renamings): image[i] = renaming[code[places[i]]], shapes (m, positions) and (m, symbols), with
    `_FREE` for symbols that may be renamed to any other free symbol.
    """
    moving = [p for p in range(game.positions) if p not in game.fixed_positions]
    places: list[list[int]] = []
    renamings: list[list[int]] = []
    for order in islice(permutations(moving), _MOST_PERMUTATIONS):
        place = list(range(game.positions))
        for p, source in zip(moving, order, strict=True):
            place[p] = source
        renaming = _forced_renaming(game, asked, place)
        if renaming is not None:
            places.append(place)
            renamings.append(renaming)
    return np.array(places, dtype=np.uint8), np.array(renamings, dtype=np.uint8)


def _forced_renaming(game: Game, asked: NDArray[np.uint8], place: list[int]) -> list[int] | None:
    """Renaming of the used symbols that, after moving the positions, gives every code back; None if there is none."""
    renaming = [_FREE] * len(game.alphabet)
    for symbol in game.fixed_symbols:
        renaming[symbol] = symbol
    for code in asked.tolist():
        for p, symbol in enumerate(code):
            source = code[place[p]]
            if renaming[source] not in (_FREE, symbol):
                return None
            renaming[source] = symbol
    used = [target for target in renaming if target != _FREE]
    return renaming if len(set(used)) == len(used) else None


@kernel
def _first_of_each_orbit(
    codes: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    symbols: int,
    places: NDArray[np.uint8],
    renamings: NDArray[np.uint8],
    free: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Walk the codes in order, keep each one not yet marked, and mark all its images.

    Only codes whose free symbols appear in ascending order are looked at, all others being renamings of those; every
    image is brought to that form before it is marked.
    """
    n, p = codes.shape
    marked = np.zeros(n, dtype=np.bool_)
    kept = np.empty(n, dtype=np.int32)
    count = 0
    image = np.empty(p, dtype=np.int64)
    for code in range(n):
        if marked[code] or not _free_ascending(codes[code], free):
            continue
        kept[count] = code
        count += 1
        for m in range(1, len(places)):
            for i in range(p):
                source = codes[code, places[m, i]]
                target = renamings[m, source]
                image[i] = -1 - np.int64(source) if target == _FREE else np.int64(target)
            _rename_free(image, free)
            key = np.uint64(0)
            for i in range(p):
                key = key * np.uint64(symbols) + np.uint64(image[i])
            at = np.searchsorted(keys, key)
            if at < n and keys[at] == key:
                marked[at] = True
    return kept[:count].copy()


@kernel
def _free_ascending(code: NDArray[np.uint8], free: NDArray[np.bool_]) -> bool:
    """Whether the free symbols of a code are the first free ones, in order of first appearance."""
    smallest = 0
    for symbol in code:
        if free[symbol]:
            while smallest < len(free) and not free[smallest]:
                smallest += 1
            if symbol > smallest:
                return False
            if symbol == smallest:
                smallest += 1
    return True


@kernel
def _rename_free(image: NDArray[np.int64], free: NDArray[np.bool_]) -> None:
    """Give the free symbols of an image, written -1 - symbol, the first free names in order of appearance."""
    name = 0
    for i in range(len(image)):
        if image[i] < 0:
            old = image[i]
            while not free[name]:
                name += 1
            for j in range(i, len(image)):
                if image[j] == old:
                    image[j] = name
            name += 1


@warm_up
def _warm_up() -> None:
    canonical_guesses(parse_game("p3c4r"), (0,))
