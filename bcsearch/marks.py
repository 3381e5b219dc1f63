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
    """Replies of all guesses, shape (g, letters), to all secrets, shape (n, letters), as numbers: int64, (g, n)."""
    numbers = np.empty((len(guesses), len(secrets)), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(secrets)))
    letters = np.ascontiguousarray(secrets.T)
    for start in range(0, len(guesses), step):
        numbers[start : start + step] = _block(guesses[start : start + step], letters)
    return numbers


def _block(guesses: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.int64]:
    """`mark_numbers` for a few guesses; letters[p] are the letters that the secrets have at position p."""
    length = guesses.shape[1]
    green = [guesses[:, p, None] == letters[p] for p in range(length)]
    numbers = np.zeros((len(guesses), letters.shape[1]), dtype=np.int64)
    for p in range(length):
        # left: letters like this one that the secret has left over; used: those that earlier letters have taken.
        left = np.zeros(numbers.shape, dtype=np.int8)
        used = np.zeros(numbers.shape, dtype=np.int8)
        for q in range(length):
            left += (guesses[:, p, None] == letters[q]) & ~green[q]
            if q < p:
                used += (guesses[:, p] == guesses[:, q])[:, None] & ~green[q]
        numbers *= 3
        numbers += np.where(green[p], GREEN, np.where(used < left, YELLOW, GREY))
    return numbers


def number_of(marks: Sequence[int]) -> int:
    """Marks read in base 3."""
    number = 0
    for one in marks:
        number = 3 * number + one
    return number


def marks_of(number: int, letters: int) -> tuple[int, ...]:
    """The marks that a number stands for."""
    return tuple(number // 3**p % 3 for p in range(letters - 1, -1, -1))
