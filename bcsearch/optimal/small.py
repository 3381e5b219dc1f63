"""Exact values of single small sets of candidates, at once: for a question in the middle of a game.

The same search as a proof of the whole game, but on columns of replies made for this set alone: nothing of the size
guesses x secrets is needed, so games of any size are served. The set's members are numbered anew from 0, and what is
learnt of its subsets is kept in a table of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch import kernels
from bcsearch.game import Game
from bcsearch.optimal.cache import new_cache
from bcsearch.optimal.search import BEST, BUDGET, SCANS, STOPPED, TOO_SMALL, solve_set
from bcsearch.optimal.tables import INFINITE, TOTAL, UNLIMITED
from bcsearch.optimal.task import Answer, Item, Question, all_guesses, memory_of_thread, run_item

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_SLOTS = 1 << 14


class Exact(NamedTuple):
    """The best that can be done: least sum of guesses over the candidates, then fewest at worst; and a first guess."""

    total: int
    worst: int
    guess: int


def exact_value(
    game: Game, rows: NDArray[np.uint8], scans: int, say: Callable[[str], None] | None = None
) -> Exact | None:
    """Least total of a set of candidates, then least depth; None when `scans` scans were not enough to prove it.

    Parameters
    ----------
    rows
        Replies of all guesses to the n candidates, uint8, shape (guesses, n), n at least 1: as from
        `ranking.reply_rows`.
    say
        Told when kernels have to be compiled first (once per machine and version).
    """
    kernels.ready(say)
    small = _SmallSet(game, rows, scans)
    n = rows.shape[1]
    total = small.solve(UNLIMITED, INFINITE)
    if total is None:
        return None
    fewest = 1 if n == 1 else 2 if n <= len(game.replies) else 3  # two guesses tell no more candidates than replies
    for k in range(fewest, UNLIMITED):
        value = small.solve(k, total + 1)
        if value is None:
            return None
        if value <= total:
            return Exact(total, k, int(small.work.control[BEST]))
    raise AssertionError("a finite total has a finite depth")


def exact_value_in_hard_mode(
    game: Game,
    asked: tuple[int, ...],
    candidates: NDArray[np.int32],
    scans: int,
    say: Callable[[str], None] | None = None,
) -> Exact | None:
    """The same in hard mode, of at least 3 candidates that all give the same replies to the guesses `asked` before."""
    kernels.ready(say)
    question, stop = Question(game, TOTAL, hard=True), np.zeros(1, dtype=np.int8)

    def solve(k: int, limit: int) -> Answer:
        nonlocal scans
        answer = run_item(question, None, Item(asked, candidates, k, limit, max(1, scans)), stop)
        scans -= answer.scans
        return answer

    least = solve(UNLIMITED, INFINITE)
    for k in range(2 if len(candidates) <= len(game.replies) else 3, UNLIMITED):
        if not least.finished or scans <= 0:
            return None
        within = solve(k, least.value + 1)
        if within.finished and within.value <= least.value:
            return Exact(least.value, k, within.guess)
        if not within.finished:
            return None
    raise AssertionError("a finite total has a finite depth")


class _SmallSet:
    """A set ready for the kernel, with what is left of its budget."""

    def __init__(self, game: Game, rows: NDArray[np.uint8], scans: int) -> None:
        columns = np.array(rows.T, order="C")
        columns.flags.writeable = False  # as in whole games: one specialisation of the kernel
        self.game, self.columns, self.scans = game, columns, scans
        self.cache = new_cache(_SLOTS)

    def solve(self, k: int, limit: int) -> int | None:
        """Value with k guesses left under the contract of `search`; None when the budget is used up."""
        n = len(self.columns)
        memory = memory_of_thread(self.game)
        while True:
            stop = np.zeros(1, dtype=np.int8)
            self.work = memory.work(Question(self.game, TOTAL), n, stop)._replace(cache=self.cache)
            control = self.work.control
            control[:] = 0
            control[BUDGET] = self.scans
            everyone = np.arange(n, dtype=np.int32)
            every = all_guesses(self.game)
            value = int(solve_set(self.work, self.columns, everyone.copy(), every, everyone, every, k, limit))
            if control[STOPPED] != TOO_SMALL:
                break
            memory.grow()
        self.scans -= int(control[SCANS])
        return value if control[STOPPED] == 0 else None
