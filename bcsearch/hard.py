"""Hard mode of word games: a guess must use what the replies so far have shown.

After each reply to a guess g, every later guess must

    have g's letter wherever it was green, and
    hold each letter of g at least as often as it was green or yellow.

Greys forbid nothing. A candidate always may be asked, for it gives those very replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.marks import GREEN, GREY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from bcsearch.game import Game


def check_hard(game: Game) -> None:
    """Raise UsageError for games whose replies do not say which symbols they mean."""
    if not game.marks:
        raise UsageError(f"--hard goes with word games (words:FILE), whose replies mark letters; not with {game}")


def check_tree(path: Path, pool: str) -> None:
    """Raise UsageError for a tree file whose pool does not say that its guesses keep to hard mode."""
    if pool == "all":
        raise UsageError(f"{path}: its guesses need not keep to hard mode; a tree built with --hard does")


def may_follow(game: Game, guesses: NDArray[np.int32], guess: int, reply: int) -> NDArray[np.bool_]:
    """Which of `guesses` may be asked after a reply to a guess (indices); bool, shape (guesses,)."""
    codes, asked, marks = game.guesses[guesses], game.guesses[guess], np.array(game.replies[reply])
    allowed = (codes[:, marks == GREEN] == asked[marks == GREEN]).all(axis=1)
    for letter, needed in zip(*np.unique(asked[marks != GREY], return_counts=True), strict=True):
        allowed &= (codes == letter).sum(axis=1) >= needed
    return np.asarray(allowed, dtype=np.bool_)


def allowed_after(game: Game, history: Iterable[tuple[int, int]]) -> NDArray[np.int32]:
    """All guesses that may be asked after a history of (guess, reply) indices; int32, ascending."""
    guesses = np.arange(len(game.guesses), dtype=np.int32)
    for guess, reply in history:
        guesses = guesses[may_follow(game, guesses, guess, reply)]
    return guesses


def broken_rule(game: Game, guess: int, history: Iterable[tuple[int, int]]) -> str | None:
    """Why a guess may not be asked after a history, in words; None if it may."""
    code = game.guesses[guess]
    for asked, reply in history:
        marks, before = np.array(game.replies[reply]), game.guesses[asked]
        for p in np.flatnonzero((marks == GREEN) & (code != before)):
            return f"letter {p + 1} must be {game.alphabet[before[p]].upper()}"
        for letter, needed in zip(*np.unique(before[marks != GREY], return_counts=True), strict=True):
            if int((code == letter).sum()) < needed:
                times = "" if needed == 1 else f" {needed} times"
                return f"it must hold {game.alphabet[letter].upper()}{times}"
    return None
