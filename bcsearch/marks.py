"""Marks: the replies of word games, one mark a letter, correct for repeated letters.

    2 (G, green)   the secret has this letter here
    1 (Y, yellow)  the secret has this letter elsewhere, and no mark before has used it up
    0 (-, grey)    neither

Greens are given first, wherever they stand; each other letter of the guess then takes, from left to right, one letter
of the secret that is left over. So a letter is marked as often as both words hold it, and no more.

`mark` is the definition; `mark_numbers` must equal it for many words at once. As a number, a reply is its marks read in
base 3, first letter first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GREY, YELLOW, GREEN = 0, 1, 2

_BLOCK = 1 << 18  # pairs of words worked on at a time: what is made of them stays in the processor's cache


def mark(secret: Sequence[int | str], guess: Sequence[int | str]) -> tuple[int, ...]:
    """Reply to `guess` when `secret` is the word to find: a mark for each letter."""
    left = Counter(s for s, g in zip(secret, guess, strict=True) if s != g)
    marks = []
    for s, g in zip(secret, guess, strict=True):
        if s == g:
            marks.append(GREEN)
        elif left[g]:
            left[g] -= 1
            marks.append(YELLOW)
        else:
            marks.append(GREY)
    return tuple(marks)


def mark_numbers(guesses: NDArray[np.uint8], secrets: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Replies of all guesses, shape (g, letters), to all secrets, shape (n, letters), as numbers: int64, (g, n).

    A letter that stands once in a guess is marked whatever the others are: its part of the number comes from a table.
    """
    length = guesses.shape[1]
    letters = np.ascontiguousarray(secrets.T)
    weights = [3**p for p in range(length - 1, -1, -1)]
    table = _table(np.unique(guesses), letters, weights)
    row = np.searchsorted(np.unique(guesses), guesses)
    alone = np.stack([(guesses == guesses[:, p, None]).sum(axis=1) == 1 for p in range(length)], axis=1)
    numbers = np.zeros((len(guesses), len(secrets)), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(secrets)))
    for start in range(0, len(guesses), step):
        some = slice(start, start + step)
        for p in range(length):
            part = table[row[some, p], p]
            part[~alone[some, p]] = 0
            numbers[some] += part
    for g in np.flatnonzero(~alone.all(axis=1)):
        for letter in np.unique(guesses[g, ~alone[g]]):
            numbers[g] += _repeated(letter, np.flatnonzero(guesses[g] == letter), letters, weights)
    return numbers


def _table(used: NDArray[np.uint8], letters: NDArray[np.uint8], weights: list[int]) -> NDArray[np.int64]:
    """Marks times weights of each letter in `used` at each position, alone in its guess; shape (used, letters, n)."""
    here = letters[None] == used[:, None, None]
    marks = np.where(here, GREEN, here.any(axis=1, keepdims=True) * YELLOW)
    return np.asarray(marks * np.array(weights, dtype=np.int64)[:, None])


def _repeated(
    letter: np.uint8, places: NDArray[np.intp], letters: NDArray[np.uint8], weights: list[int]
) -> NDArray[np.int64]:
    """The part of the numbers that a letter makes which stands at several places of a guess; int64, shape (n,)."""
    green = letters[places] == letter
    left = (letters == letter).sum(axis=0) - green.sum(axis=0)
    number = np.zeros(letters.shape[1], dtype=np.int64)
    before = np.zeros(letters.shape[1], dtype=np.int64)  # places on the left that are not green
    for at, place in enumerate(places):
        number += weights[place] * np.where(green[at], GREEN, (before < left) * YELLOW)
        before += ~green[at]
    return number


def number_of(marks: Sequence[int]) -> int:
    """Marks read in base 3."""
    number = 0
    for one in marks:
        number = 3 * number + one
    return number


def marks_of(number: int, letters: int) -> tuple[int, ...]:
    """The marks that a number stands for."""
    return tuple(number // 3**p % 3 for p in range(letters - 1, -1, -1))
